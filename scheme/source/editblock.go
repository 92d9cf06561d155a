// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package source

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/schedconf/schedconf/diag"
)

// slot is a place for a value: behind a colon or a dash, or between brackets.
type slot struct {
	node   *yaml.Node
	from   int // behind the colon or dash
	column int // of the key or dash
	isItem bool
	inFlow bool
	root   bool
}

// value makes a node read as something else.
func (e *editor) value(s slot, old, want any, path diag.Path) {
	n := s.node
	switch {
	case e.whole[path.String()] && !equal(old, want):
		e.replace(s, want, path)
		return
	case n.Kind == yaml.AliasNode:
		if now, ok := e.anchors[n.Alias]; !ok || !equal(now, want) {
			e.loss(LostAlias, e.spans[n].start, path)
			e.replace(s, want, path)
		}
		return
	case equal(old, want) && !e.tangled[n] && !e.unique:
		return
	}
	if n.Anchor != "" {
		e.anchors[n] = want
	}
	switch want := want.(type) {
	case map[string]any:
		if old, ok := old.(map[string]any); ok && n.Kind == yaml.MappingNode && !e.odd[n] {
			e.mapping(s, old, want, path)
			return
		}
	case []any:
		if old, ok := old.([]any); ok && n.Kind == yaml.SequenceNode && !e.odd[n] && len(old) == len(n.Content) {
			e.sequence(s, old, want, path)
			return
		}
	default:
		if n.Kind == yaml.ScalarNode && !isAbsent(n) {
			if !equal(old, want) {
				e.scalarValue(s, want, path)
			}
			return
		}
	}
	if !equal(old, want) || e.odd[n] && e.tangled[n] {
		e.replace(s, want, path)
	}
}

// scalarValue replaces a scalar by another, in its style as far as that can hold it.
func (e *editor) scalarValue(s slot, want any, path diag.Path) {
	span := e.spans[s.node]
	quote := e.at(span.body)
	text, isText := want.(string)
	isQuote := quote == '"' || quote == '\''
	oneLine := e.lineEnd(span.body) >= span.end
	switch {
	case e.doc.json || s.root:
	case strings.Contains(text, "\n") && !s.inFlow && !(quote == '"' && oneLine):
		if e.blockText(s, text, path) {
			return
		}
		quote = '"'
	case isText && isQuote:
		e.edit(e.tagged(s.node, quoted(text, quote), path))
		return
	}
	if !isQuote {
		quote = e.style.quote
	}
	if c := e.at(span.body); c == '|' || c == '>' { // the comment of its header stays
		header := e.lineEnd(span.body)
		e.edit(header, span.end, "", path)
		span.end = span.body + len(withoutComment(e.text[span.body:header]))
		e.spans[s.node] = span
	}
	e.edit(e.tagged(s.node, e.scalarText(want, quote, s.inFlow), path))
}

// blockText makes a scalar a block scalar with another text, as which a literal one keeps its header
// and its indentation. It is false for a text that no block scalar can hold.
func (e *editor) blockText(s slot, text string, path diag.Path) bool {
	span := e.spans[s.node]
	quote, headerEnd := e.at(span.body), e.lineEnd(span.body)
	old := string(e.text[span.body:headerEnd])
	indent := s.column + e.style.step
	var before [][]byte
	if quote == '|' || quote == '>' {
		for _, line := range lines(e.text[e.nextLine(span.body):span.end]) {
			before = append(before, line)
		}
		indent = textIndent(old, before, s.column, indent)
	}
	header, out, ok := literal(text, indent, indent-s.column)
	if !ok {
		return false
	}
	if quote != '|' {
		e.loss(LostStyle, span.body, path)
		e.edit(span.body, span.end, header, path)
		end := e.lineEnd(span.end) // a comment stays behind the header
		e.edit(end, end, e.nl+strings.Join(out, e.nl), path)
		return true
	}
	header = keptHeader(old, header, text)
	e.edit(span.body, span.end, strings.Join(append([]string{header}, withEmptyLines(out, before)...), e.nl), path)
	return true
}

// textIndent is the indentation of a block scalar: what its header says, or that of its first line.
func textIndent(header string, lines [][]byte, column, standard int) int {
	if i := strings.IndexAny(strings.SplitN(header, " ", 2)[0], "123456789"); i >= 0 {
		return column + int(header[i]-'0')
	}
	for _, line := range lines {
		if n := indentation(line); n < len(line) {
			return n
		}
	}
	return standard
}

// keptHeader is the header of a literal scalar, changed only if it would not hold the text.
func keptHeader(old, header, text string) string {
	indicator, comment, _ := strings.Cut(old, " ")
	if comment != "" {
		comment = " " + comment
	}
	isDigit := func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}
	chomp, needed := strings.Map(isDigit, indicator), strings.Map(isDigit, header)
	if chomp == needed && indicator != chomp || chomp == "|+" && strings.HasSuffix(text, "\n") && header == needed {
		return indicator + comment
	}
	return header + comment
}

// withEmptyLines gives empty lines the white space that they had.
func withEmptyLines(lines []string, before [][]byte) []string {
	at := 0
	for i, line := range lines {
		if line == "" {
			if at < len(before) && len(strings.TrimSpace(string(before[at]))) == 0 {
				lines[i] = string(before[at])
				at++
			}
			continue
		}
		if j := slices.IndexFunc(before[at:], func(b []byte) bool { return string(b) == line }); j >= 0 {
			at += j + 1
		}
	}
	return lines
}

// tagged is the edit that gives a scalar another text. A tag may not fit it and goes; an anchor stays.
func (e *editor) tagged(n *yaml.Node, text string, path diag.Path) (from, to int, out string, where diag.Path) {
	span := e.spans[n]
	if n.Line > 0 && strings.Contains(string(e.text[span.start:span.body]), "!") {
		if n.Anchor != "" {
			text = "&" + n.Anchor + " " + text
		}
		return span.start, span.end, text, path
	}
	return span.body, span.end, text, path
}

// forget drops the anchors of what goes away.
func (e *editor) forget(n *yaml.Node) {
	delete(e.anchors, n)
	for _, child := range n.Content {
		e.forget(child)
	}
}

// replace writes a value anew in the place of a node.
func (e *editor) replace(s slot, want any, path diag.Path) {
	span := e.spans[s.node]
	e.forget(s.node)
	switch {
	case s.root:
		e.anew(s.node, want)
		return
	case s.inFlow:
		e.lose(span.start, span.end, path)
		text := e.flowText(s.node, want)
		if span.start == span.end {
			text = " " + text
		}
		e.edit(span.start, span.end, text, path)
		return
	}
	lines := e.slotLines(s, want)
	header := e.lineEnd(s.from)
	sameLine := span.start < header || span.start == span.end
	if s.isItem { // an item starts behind its dash, and its lines go with their comments
		end := e.lineEnd(span.end)
		e.lose(s.from, end, path)
		lines[0] = lines[0][s.column+1:]
		e.edit(s.from, end, strings.Join(lines, e.nl), path)
		return
	}
	if len(lines) == 1 && !isLong(want) {
		text := " " + strings.TrimLeft(lines[0], " ")
		if sameLine {
			e.lose(span.start, span.end, path)
			e.edit(s.from, span.end, text, path)
			return
		}
		e.edit(s.from, s.from, text, path)
		e.lose(header, e.lineEnd(span.end), path)
		e.edit(header, e.lineEnd(span.end), "", path)
		return
	}
	head := ""
	if !isLong(want) { // a block scalar has its header on the line of the key
		head, lines = lines[0], lines[1:]
	}
	body := e.nl + strings.Join(lines, e.nl)
	if sameLine {
		end := e.lineEnd(span.end)
		e.lose(span.start, span.end, path)
		e.edit(s.from, span.end, head, path)
		e.edit(end, end, body, path)
		return
	}
	e.edit(s.from, s.from, head, path)
	e.lose(header, e.lineEnd(span.end), path)
	e.edit(header, e.lineEnd(span.end), body, path)
}

// isLong reports whether a value takes lines of its own.
func isLong(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return false
}

// slotLines writes a value for a place behind a key or dash: the lines below it, or what stands on
// the line itself.
func (e *editor) slotLines(s slot, want any) []string {
	mapping, list, head := s.column+e.style.step, s.column+e.style.list, ""
	if s.isItem {
		mapping, head = s.column+e.style.item, strings.Repeat(" ", s.column)+"-"
		list = mapping
	}
	lines := e.under(head, want, s.column, mapping, list)
	if !s.isItem && isLong(want) {
		lines = lines[1:]
	}
	return lines
}

// part is an entry of a block mapping or an item of a block list.
type part struct {
	key, node *yaml.Node
	name      string
	start     int // of the key or dash
	end       int
}

// lead is where the lines of a part start, with the comments right above it. ok is false if something
// else stands before it on its line.
func (e *editor) lead(p part, floor int) (from int, ok bool) {
	from = e.lineStart(p.start)
	if indentation(e.text[from:]) != p.start-from {
		return p.start, false
	}
	for from > 0 {
		above := e.lineStart(from - 1)
		if _, ok := e.commentLine(above); !ok || above < floor {
			break
		}
		from = above
	}
	return from, true
}

// tail is where the next line starts behind a part and the comments that are indented below it.
func (e *editor) tail(p part) int {
	to := e.nextLine(p.end)
	for to < len(e.text) {
		if indent, ok := e.commentLine(to); !ok || indent <= e.column(p.start) {
			break
		}
		to = e.nextLine(to)
	}
	return to
}

// remove takes out a part that has lines of its own, with its comments.
func (e *editor) remove(p part, floor int, path diag.Path) {
	from, _ := e.lead(p, floor)
	to := e.tail(p)
	e.lose(from, to, path)
	e.forget(p.node)
	// Empty lines on both sides would become one gap.
	if from == 0 || e.blankLine(e.lineStart(from-1)) {
		for to < len(e.text) && e.blankLine(to) {
			to = e.nextLine(to)
		}
	}
	e.edit(from, to, "", path)
}

func (e *editor) mapping(s slot, old, want map[string]any, path diag.Path) {
	n := s.node
	parts, merges, ok := e.parts(n, old)
	if !ok {
		if !equal(old, want) {
			e.replace(s, want, path)
		}
		return
	}
	given := map[string]bool{} // names that do not have to be put in
	for _, p := range parts {
		if p.key != nil {
			given[p.name] = true
		}
	}
	keepMerges := e.mergesStay(merges, given, want)
	if keepMerges {
		for _, m := range merges {
			for _, source := range mergeSources(m.node) {
				now, _ := e.anchors[source].(map[string]any)
				for name := range now {
					given[name] = true
				}
			}
		}
	}
	last := map[string]int{} // the one of several that counts
	for i, p := range parts {
		last[p.name] = i
	}
	stays := func(i int) bool {
		p := parts[i]
		if p.key == nil {
			return keepMerges
		}
		_, wanted := want[p.name]
		return wanted && (last[p.name] == i || !e.unique)
	}
	if e.isFlow(n) {
		e.flowMapping(s, parts, stays, given, old, want, path)
		return
	}
	e.blockMapping(s, parts, stays, given, old, want, path)
}

// parts lists the entries of a mapping; merge keys are among them, without a key, and once more in
// merges. It is false if the entries are not those of the value.
func (e *editor) parts(n *yaml.Node, old map[string]any) (parts, merges []part, ok bool) {
	known := 0
	seen := map[string]bool{}
	for entry := range slices.Chunk(n.Content, 2) {
		p := part{key: entry[0], node: entry[1], start: e.spans[entry[0]].start, end: e.spans[entry[1]].end}
		if isMerge(p.key) {
			p.key = nil
			merges = append(merges, p)
			parts = append(parts, p)
			continue
		}
		name, isScalar := keyName(p.key)
		if _, isKey := old[name]; !isScalar || !isKey || p.key.Kind == yaml.AliasNode {
			return nil, nil, false
		}
		if !seen[name] {
			seen[name] = true
			known++
		}
		p.name = name
		parts = append(parts, p)
	}
	return parts, merges, known == len(old) || len(merges) > 0
}

// mergesStay reports whether what merge keys bring in is still right.
func (e *editor) mergesStay(merges []part, own map[string]bool, want map[string]any) bool {
	brought := map[string]any{}
	for _, m := range merges {
		for _, source := range mergeSources(m.node) {
			now, ok := e.anchors[source].(map[string]any)
			if !ok {
				return false
			}
			for name, value := range now {
				if _, stronger := brought[name]; !stronger {
					brought[name] = value
				}
			}
		}
	}
	for name, value := range brought {
		wanted, ok := want[name]
		if own[name] || !ok || !equal(wanted, value) {
			return false
		}
	}
	return true
}

func (e *editor) blockMapping(s slot, parts []part, stays func(int) bool, given map[string]bool, old, want map[string]any, path diag.Path) {
	missing := missingNames(want, given)
	first := slices.IndexFunc(indexes(parts), stays)
	if len(want) == 0 || len(parts) == 0 {
		if !equal(old, want) {
			e.replace(s, want, path)
		}
		return
	}
	_, aligned := e.lead(parts[0], s.from)
	if first < 0 && !aligned {
		e.replace(s, want, path)
		return
	}
	floor := s.from
	for i, p := range parts {
		where := path.Child(p.name)
		switch {
		case stays(i):
			if p.key != nil {
				e.value(e.entrySlot(p), old[p.name], want[p.name], where)
			}
		case p.key == nil:
			e.loss(LostAlias, p.start, path)
			fallthrough
		default:
			if !aligned && i < first {
				if i == 0 {
					e.removeFirst(parts[:first+1], path)
				}
				e.forget(p.node)
				break
			}
			e.remove(p, floor, where)
		}
		floor = p.end
	}
	if len(missing) == 0 {
		return
	}
	fresh := map[string]any{}
	for _, name := range missing {
		fresh[name] = want[name]
	}
	at := e.tail(parts[len(parts)-1])
	e.insert(at, e.block(fresh, e.column(parts[0].start)), path)
}

func (e *editor) entrySlot(p part) slot {
	return slot{node: p.node, from: e.after[p.key], column: e.column(p.start)}
}

// insert puts lines in at the start of a line.
func (e *editor) insert(at int, lines []string, path diag.Path) {
	e.edit(at, at, strings.Join(lines, e.nl)+e.nl, path)
}

// removeFirst takes out all parts but the last, the first of which stands behind a dash.
func (e *editor) removeFirst(parts []part, path diag.Path) {
	gone, kept := parts[:len(parts)-1], parts[len(parts)-1]
	from, to := gone[0].start, kept.start
	before := e.tail(gone[len(gone)-1])
	lead, _ := e.lead(kept, gone[len(gone)-1].end)
	if lead = max(lead, before); lead < e.lineStart(kept.start) {
		// The comments of the first one that stays need lines of their own.
		for from > 0 && e.text[from-1] == ' ' {
			from--
		}
		to = lead - len(e.nl)
	}
	e.lose(from, to, path)
	e.edit(from, to, "", path)
}

func missingNames(want map[string]any, given map[string]bool) []string {
	return slices.DeleteFunc(ordered(want), func(name string) bool { return given[name] })
}

func indexes[T any](list []T) []int {
	out := make([]int, len(list))
	for i := range out {
		out[i] = i
	}
	return out
}

func (e *editor) sequence(s slot, old, want []any, path diag.Path) {
	from := pair(old, want)
	if e.isFlow(s.node) {
		e.flowSequence(s, from, old, want, path)
		return
	}
	if len(want) == 0 {
		if len(old) > 0 {
			e.replace(s, want, path)
		}
		return
	}
	parts := make([]part, len(old))
	for i, item := range s.node.Content {
		parts[i] = part{node: item, start: e.dash[item], end: e.spans[item].end}
	}
	if len(parts) == 0 {
		e.replace(s, want, path)
		return
	}
	fixed := rising(from)
	isFixed := map[int]bool{}
	to := map[int]int{} // the new index of an old item
	for i, o := range from {
		if o >= 0 {
			to[o] = i
			isFixed[o] = fixed[i]
		}
	}
	if _, aligned := e.lead(parts[0], s.from); !aligned && (len(old) != len(want) || slices.Contains(fixed, false)) {
		e.replace(s, want, path)
		return
	}
	moved := e.itemsInPlace(s, parts, to, isFixed, old, want, path)
	at, _ := e.lead(parts[0], s.from)
	for i, value := range want {
		switch o := from[i]; {
		case o >= 0 && fixed[i]:
			at = e.tail(parts[o])
		case o >= 0:
			e.edit(at, at, moved[o], path)
		default:
			item := []any{value}
			e.insert(at, e.block(item, e.column(parts[0].start)), path)
		}
	}
}

// itemsInPlace edits the items that stay where they are, takes out the others, and returns the new
// text of those that move.
func (e *editor) itemsInPlace(s slot, parts []part, to map[int]int, isFixed map[int]bool, old, want []any, path diag.Path) map[int]string {
	moved := map[int]string{}
	floor := s.from
	anyMoves := slices.ContainsFunc(indexes(parts), func(i int) bool { _, stays := to[i]; return stays && !isFixed[i] })
	for i, p := range parts {
		now, stays := to[i]
		where := path.Index(now)
		item := slot{node: p.node, from: p.start + 1, column: e.column(p.start), isItem: true}
		switch {
		case !stays:
			e.remove(p, floor, path)
		case isFixed[i]:
			e.value(item, old[i], want[now], where)
		default:
			from, _ := e.lead(p, floor)
			moved[i] = e.captured(from, e.tail(p), func() { e.value(item, old[i], want[now], where) })
			e.edit(from, e.tail(p), "", path)
		}
		if anyMoves && e.tangled[p.node] {
			e.forget(p.node) // an alias may come to stand before its anchor
		}
		floor = p.end
	}
	return moved
}
