// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/schedconf/schedconf/diag"
)

// piece is an entry of a collection with brackets: the text, what stands before it on its line and
// above, and what follows its comma up to the end of the line.
type piece struct {
	head, text, rest string
	isNew            bool
	from, to         int // where it stood
}

// flowText writes a value in the style of a collection with brackets, JSON included.
func (e *editor) flowText(near *yaml.Node, want any) string {
	if !e.doc.json {
		return e.inline(want, true)
	}
	at := e.spans[near].start
	line := e.text[e.lineStart(at):]
	return e.json(want, string(line[:indentation(line)]), e.style.unit != "")
}

func (e *editor) flowMapping(s slot, parts []part, stays func(int) bool, given map[string]bool, old, want map[string]any, path diag.Path) {
	kept := slices.DeleteFunc(indexes(parts), func(i int) bool { return !stays(i) })
	missing := missingNames(want, given)
	edit := func(i int) {
		if p := parts[i]; p.key != nil {
			item := slot{node: p.node, from: e.after[p.key], inFlow: true}
			e.value(item, old[p.name], want[p.name], path.Child(p.name))
		}
	}
	if len(kept) == len(parts) && len(missing) == 0 {
		for i := range parts {
			edit(i)
		}
		return
	}
	if len(kept) == 0 {
		e.replace(s, want, path)
		return
	}
	pieces := e.pieces(parts)
	for i, p := range parts {
		if !stays(i) {
			e.forget(p.node)
			e.lose(pieces[i].from, pieces[i].to, path)
			if p.key == nil {
				e.loss(LostAlias, p.start, path)
			}
		}
	}
	texts := make([]piece, 0, len(kept)+len(missing))
	for _, i := range kept {
		pieces[i].text = e.captured(parts[i].start, parts[i].end, func() { edit(i) })
		texts = append(texts, pieces[i])
	}
	for _, name := range missing {
		key := e.scalarText(name, e.flowQuote(parts), true)
		colon := ": "
		if e.doc.json {
			colon = e.style.colon
		}
		texts = append(texts, piece{text: key + colon + e.flowItem(parts, want[name]), isNew: true})
	}
	e.rebuild(parts, pieces, texts, path)
}

// flowQuote is the quote that the keys of a mapping have.
func (e *editor) flowQuote(parts []part) byte {
	for _, p := range parts {
		if p.key != nil {
			if c := e.at(e.spans[p.key].body); c == '"' || c == '\'' {
				return c
			}
		}
	}
	return 0
}

// flowItem writes a value beside others: on several lines if they are.
func (e *editor) flowItem(parts []part, value any) string {
	if !e.doc.json {
		return e.inline(value, true)
	}
	last := parts[len(parts)-1]
	line := e.text[e.lineStart(last.start):]
	long := isLong(value) && indentation(line) == last.start-e.lineStart(last.start)
	if last.node.Kind != yaml.ScalarNode && bytes.IndexByte(e.text[last.start:last.end], '\n') < 0 {
		long = false
	}
	return e.json(value, string(line[:indentation(line)]), long)
}

func (e *editor) flowSequence(s slot, from []int, old, want []any, path diag.Path) {
	parts := make([]part, len(old))
	for i, item := range s.node.Content {
		parts[i] = part{node: item, start: e.spans[item].start, end: e.spans[item].end}
	}
	edit := func(o, i int) {
		e.value(slot{node: parts[o].node, from: parts[o].start, inFlow: true}, old[o], want[i], path.Index(i))
	}
	if len(old) == len(want) && slices.Equal(from, indexes(old)) {
		for i := range old {
			edit(i, i)
		}
		return
	}
	if len(want) == 0 || !slices.ContainsFunc(from, func(o int) bool { return o >= 0 }) && len(old) == 0 {
		e.replace(s, want, path)
		return
	}
	pieces := e.pieces(parts)
	kept := map[int]bool{}
	for _, o := range from {
		kept[o] = true
	}
	for o, p := range parts {
		if !kept[o] {
			e.forget(p.node)
			e.lose(pieces[o].from, pieces[o].to, path)
		}
	}
	texts := make([]piece, len(want))
	for i, o := range from {
		if o < 0 {
			texts[i] = piece{text: e.flowItem(parts, want[i]), isNew: true}
			continue
		}
		pieces[o].text = e.captured(parts[o].start, parts[o].end, func() { edit(o, i) })
		texts[i] = pieces[o]
	}
	e.rebuild(parts, pieces, texts, path)
}

// pieces cuts what stands between the brackets.
func (e *editor) pieces(parts []part) []piece {
	var pieces []piece
	end := parts[0].start // of the piece before
	for i, p := range parts {
		at := e.skip(p.end)
		comma := e.at(at) == ','
		after := p.end
		if comma {
			after = at + 1
		}
		next := e.skip(after)
		if i+1 < len(parts) {
			next = parts[i+1].start
		}
		rest := after
		if lineEnd := e.lineEnd(after); lineEnd < next {
			rest = e.nextLine(after)
		} else if i+1 < len(parts) {
			rest = next
		}
		pieces = append(pieces, piece{head: string(e.text[end:p.start]), rest: string(e.text[after:rest]), from: end, to: rest})
		end = rest
	}
	return pieces
}

// rebuild writes the pieces of a collection in their new order.
func (e *editor) rebuild(parts []part, pieces, texts []piece, path diag.Path) {
	lastRest := pieces[len(pieces)-1].rest
	trailing := e.at(e.skip(parts[len(parts)-1].end)) == ','
	head, rest := "", " "
	if e.doc.json && e.style.unit == "" && e.style.comma == "," {
		rest = ""
	}
	if len(parts) > 1 {
		head = pieces[1].head[strings.LastIndexByte(pieces[1].head, '\n')+1:]
		if strings.HasSuffix(pieces[0].rest, "\n") {
			rest = e.nl
		}
	} else if start := parts[0].start; indentation(e.text[e.lineStart(start):]) == start-e.lineStart(start) {
		head, rest = string(e.text[e.lineStart(start):start]), e.nl
	}
	var b strings.Builder
	for i, t := range texts {
		isLast := i == len(texts)-1
		switch {
		case t.isNew:
			t.head, t.rest = head, rest
		case i > 0 && t.head == "":
			t.head = head
		}
		switch {
		case isLast && !strings.HasSuffix(lastRest, "\n") && strings.TrimSpace(t.rest) == "":
			t.rest = ""
		case !isLast && t.rest == "", isLast && t.rest == "" && strings.HasSuffix(lastRest, "\n"):
			t.rest = rest
		}
		if i == 0 && strings.TrimSpace(t.head) == "" {
			t.head = "" // what stands before the first one stays
		}
		b.WriteString(t.head + t.text)
		if !isLast || trailing {
			b.WriteByte(',')
		}
		b.WriteString(t.rest)
	}
	e.edit(pieces[0].from, pieces[len(pieces)-1].to, b.String(), path)
}
