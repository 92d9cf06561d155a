// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"errors"
	"iter"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/schedconf/schedconf/diag"
)

// Node is a place in the tree of a document, for code that looks for something rather than for a
// path. All methods work on a nil node, which is a place that is not there, so a chain of fields
// needs no checks. Aliases are followed by Field alone: what walks a whole tree comes to the anchor
// anyway, and stays as short as the document is.
type Node struct {
	doc        *Document
	key, value *yaml.Node
	up         *Node
	step       string
}

// Root returns the root of the tree; nil if the document is empty or cannot be read.
func (d *Document) Root() *Node {
	root := d.tree().root
	if root == nil {
		return nil
	}
	if d.origin != nil && d.origin.object != nil {
		return &Node{doc: d.origin.outer, value: root}
	}
	return &Node{doc: d, value: root}
}

// Path leads to the node from the root of its document.
func (n *Node) Path() diag.Path {
	depth := 0
	for at := n; at != nil && at.up != nil; at = at.up {
		depth++
	}
	path := make(diag.Path, depth)
	for at := n; depth > 0; at = at.up {
		depth--
		path[depth] = at.step
	}
	return path
}

// Position is that of the key; an item of a list and the root have that of their first token.
func (n *Node) Position() diag.Position {
	switch {
	case n == nil:
		return diag.Position{}
	case n.key == nil:
		return n.doc.nodePosition(n.value)
	}
	return n.doc.nodePosition(n.key)
}

// ValuePosition is that of the value; behind an alias, where the anchor is.
func (n *Node) ValuePosition() diag.Position {
	if n == nil {
		return diag.Position{}
	}
	return n.doc.nodePosition(n.value)
}

// IsMapping reports whether the node is a mapping.
func (n *Node) IsMapping() bool { return n != nil && n.value.Kind == yaml.MappingNode }

// IsList reports whether the node is a sequence.
func (n *Node) IsList() bool { return n != nil && n.value.Kind == yaml.SequenceNode }

// IsNull reports whether the node is a scalar without a value.
func (n *Node) IsNull() bool { return n != nil && n.value.ShortTag() == "!!null" }

// Text returns the value of a scalar; empty for anything else.
func (n *Node) Text() string {
	if n == nil || n.value.Kind != yaml.ScalarNode {
		return ""
	}
	return n.value.Value
}

// Field goes down by names, through aliases and merges.
func (n *Node) Field(names ...string) *Node {
	for _, name := range names {
		if !n.IsMapping() {
			return nil
		}
		key, value := entry(n.value, name, map[*yaml.Node]bool{})
		if value == nil {
			return nil
		}
		n = &Node{n.doc, key, target(value), n, name}
	}
	return n
}

// Fields yields the entries of a mapping in file order, without those that come from elsewhere
// through an alias or a merge.
func (n *Node) Fields() iter.Seq2[string, *Node] {
	return func(yield func(string, *Node) bool) {
		if !n.IsMapping() {
			return
		}
		for i := 0; i+1 < len(n.value.Content); i += 2 {
			key, value := n.value.Content[i], n.value.Content[i+1]
			name, ok := keyName(key)
			if ok && value.Kind != yaml.AliasNode && !yield(name, &Node{n.doc, key, value, n, name}) {
				return
			}
		}
	}
}

// Items yields the items of a list, without those that are aliases.
func (n *Node) Items() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		if !n.IsList() {
			return
		}
		for i, item := range n.value.Content {
			if item.Kind != yaml.AliasNode && !yield(&Node{n.doc, nil, item, n, strconv.Itoa(i)}) {
				return
			}
		}
	}
}

// HasOddKey reports whether a mapping in the tree has a key that is no scalar. No configuration has
// one, but {{ braces }} that a template leaves behind read as such.
func (n *Node) HasOddKey() bool { return n != nil && hasOddKey(n.value) }

func hasOddKey(n *yaml.Node) bool {
	for i, child := range n.Content {
		isKey := n.Kind == yaml.MappingNode && i%2 == 0
		if isKey && child.Kind != yaml.ScalarNode && child.Kind != yaml.AliasNode || hasOddKey(child) {
			return true
		}
	}
	return false
}

func anyComment(n *yaml.Node) bool {
	if n.HeadComment+n.LineComment+n.FootComment != "" {
		return true
	}
	for _, child := range n.Content {
		if anyComment(child) {
			return true
		}
	}
	return false
}

// origin says where a document stands that is not a file of its own.
type origin struct {
	outer *Document
	// node is the scalar that the text comes from.
	node *yaml.Node
	// spans lead from the value of the scalar to the text of outer. Without any the text does not
	// stand there letter by letter, and every position is that of node.
	spans []stretch
	// start is where the document starts in the value.
	start int
	// object is the root of a document that is a part of the tree of outer.
	object *yaml.Node
}

// stretch says that the bytes of a value from inner on stand at outer and behind.
type stretch struct{ inner, outer int }

func (o *origin) position(offset int) diag.Position {
	if o.object != nil {
		return o.outer.nodePosition(o.object)
	}
	if len(o.spans) == 0 {
		return o.outer.nodePosition(o.node)
	}
	offset += o.start
	i := max(0, sort.Search(len(o.spans), func(i int) bool { return o.spans[i].inner > offset })-1)
	return o.outer.position(o.spans[i].outer + offset - o.spans[i].inner)
}

func (o *origin) nodePosition(n *yaml.Node) diag.Position {
	if n == nil {
		n = o.object
	}
	return o.outer.nodePosition(n)
}

// Places returns a function that says where a byte of a scalar's value stands.
func (n *Node) Places() func(offset int) diag.Position {
	if n == nil {
		return func(int) diag.Position { return diag.Position{} }
	}
	o := origin{outer: n.doc, node: n.value, spans: n.spans()}
	return o.position
}

// Documents reads the value of a scalar, from a byte on, as Split reads a file. The positions of the
// documents are those in the file that the scalar stands in.
func (n *Node) Documents(from int) []*Document {
	text := n.Text()
	if n == nil || from > len(text) {
		return nil
	}
	return n.split([]byte(text[from:]), origin{outer: n.doc, node: n.value, spans: n.spans(), start: from})
}

// Decoded reads a text that the value of a scalar stands for, such as decoded base64, as Split reads
// a file. All positions are that of the key.
func (n *Node) Decoded(text []byte) []*Document {
	node := n.key
	if node == nil {
		node = n.value
	}
	return n.split(text, origin{outer: n.doc, node: node})
}

func (n *Node) split(text []byte, o origin) []*Document {
	documents := Split(n.doc.File, text)
	o.start += len(text) - len(bytes.TrimPrefix(text, byteOrderMark))
	for _, d := range documents {
		place := o
		d.origin = &place
		o.start += len(d.text)
	}
	return documents
}

// maxExpanded is how many nodes aliases may add to an object that is taken out of a document.
const maxExpanded = 10_000

var (
	errExpanded  = errors.New("aliases repeat too much")
	errRewritten = errors.New("the object cannot be written as a document of its own")
)

// Document takes the node out as a document of its own. Its text is written anew, with the aliases
// resolved, and its positions are those in the file.
func (n *Node) Document() (*Document, error) { return n.DocumentWith() }

// DocumentWith is Document with fields that whoever reads the object adds where it has none: names and
// values by turns. They have no place of their own.
func (n *Node) DocumentWith(fields ...string) (*Document, error) {
	e := expander{budget: maxExpanded}
	root := e.expand(n.value, 0)
	for i := 0; i+1 < len(fields) && root.Kind == yaml.MappingNode; i += 2 {
		if n.Field(fields[i]) == nil {
			root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: fields[i]}, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: fields[i+1]})
		}
	}
	if e.budget < 0 {
		return nil, errExpanded
	}
	text, err := yaml.Marshal(root)
	if err != nil {
		return nil, errRewritten
	}
	if again, err := parseYAML(text); err != nil || again == nil || !sameTree(root, again) {
		return nil, errRewritten
	}
	return &Document{
		File: n.doc.File, text: text, line: 1, column: 1,
		parsed: &tree{root: n.value},
		origin: &origin{outer: n.doc, object: n.value},
	}, nil
}

// expander copies nodes without anchors, aliases and comments.
type expander struct {
	// aliases is how many aliases lead to the node at hand.
	aliases int
	// budget is how many nodes aliases may still add; below zero it was too much.
	budget int
}

func (e *expander) expand(n *yaml.Node, depth int) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
		e.aliases++
		defer func() { e.aliases-- }()
	}
	if depth > maxDepth {
		e.budget = -1
	}
	if e.aliases > 0 {
		e.budget--
	}
	expanded := &yaml.Node{Kind: n.Kind, Style: n.Style, Tag: n.Tag, Value: n.Value}
	if n.Line == 0 && n.Tag == "!!str" {
		// A string of JSON is quoted, whatever it looks like.
		expanded.Style = yaml.DoubleQuotedStyle
	}
	if e.budget < 0 {
		return expanded
	}
	for _, child := range n.Content {
		expanded.Content = append(expanded.Content, e.expand(child, depth+1))
	}
	return expanded
}

func sameTree(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Value != b.Value || len(a.Content) != len(b.Content) || a.Tag != "" && a.ShortTag() != b.ShortTag() {
		return false
	}
	for i := range a.Content {
		if !sameTree(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

// spans finds out where the bytes of a scalar's value stand, by reading it as the parser does. What
// the parser made of it is the truth: where the two differ, there are no spans.
func (n *Node) spans() []stretch {
	value := n.Text()
	text := n.doc.text
	node := n.value
	start := n.doc.tree().offset(text, node)
	s := scalarReader{text: text, at: start}
	if node.Line > 0 {
		s.properties()
	}
	if s.at >= len(text) || n.doc.origin != nil && n.doc.origin.object != nil {
		return nil
	}
	switch style := node.Style; {
	case node.Line == 0 && text[s.at] == '"':
		s.jsonString()
	case style&yaml.DoubleQuotedStyle != 0:
		s.quoted('"')
	case style&yaml.SingleQuotedStyle != 0:
		s.quoted('\'')
	case style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		s.block(value, style&yaml.FoldedStyle != 0)
	default:
		s.plain(len(value))
	}
	// The parser has cut line breaks off the end of a block.
	if !strings.HasPrefix(string(s.value), value) {
		return nil
	}
	return s.spans
}

// properties passes over the tag and the anchor of a node.
func (s *scalarReader) properties() {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case s.isBlank():
			s.at++
		case s.isBreak():
			s.takeBreak()
		case c == '#':
			s.at, _ = lineBreak(s.text, s.at)
		case c == '&' || c == '!':
			for s.at < len(s.text) && !s.isBlank() && !s.isBreak() {
				s.at++
			}
		default:
			return
		}
	}
}

// scalarReader reads a scalar and notes where its bytes come from.
type scalarReader struct {
	text  []byte
	at    int
	value []byte
	spans []stretch
}

// keep takes the next n bytes as they are.
func (s *scalarReader) keep(n int) {
	s.mark(s.at)
	s.value = append(s.value, s.text[s.at:s.at+n]...)
	s.at += n
}

// put adds bytes that stand for what is at a place.
func (s *scalarReader) put(value string, at int) {
	for i := range len(value) {
		s.mark(at)
		s.value = append(s.value, value[i])
	}
}

// mark notes the place of the next byte, unless it follows from the last mark.
func (s *scalarReader) mark(at int) {
	if k := len(s.spans); k == 0 || s.spans[k-1].outer-s.spans[k-1].inner != at-len(s.value) {
		s.spans = append(s.spans, stretch{len(s.value), at})
	}
}

// lineEnd is a line break and what it is in a value.
type lineEnd struct {
	at    int
	value string
}

// takeBreak reads the line break that stands at the place.
func (s *scalarReader) takeBreak() lineEnd {
	end, next := lineBreak(s.text, s.at)
	b := lineEnd{at: end, value: "\n"}
	if s.text[end] == 0xE2 { // the two separators of Unicode stay what they are
		b.value = string(s.text[end:next])
	}
	s.at = next
	return b
}

func (s *scalarReader) isBreak() bool {
	end, next := lineBreak(s.text[:min(len(s.text), s.at+3)], s.at)
	return end == s.at && next > end
}

func (s *scalarReader) isBlank() bool {
	return s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\t')
}

// block reads a block scalar, without cutting its end. The value tells how far it is indented.
func (s *scalarReader) block(value string, folded bool) {
	_, s.at = lineBreak(s.text, s.at)
	indent := s.indent(value)
	var leading, trailing []lineEnd // the end of the line before, and the empty lines behind it
	indented := false               // the line before is indented further
	for s.at < len(s.text) {
		end, next := lineBreak(s.text, s.at)
		line := s.text[s.at:end]
		spaces := len(line) - len(bytes.TrimLeft(line, " "))
		if spaces == len(line) && spaces <= indent {
			if end == next {
				break
			}
			s.at = end
			trailing = append(trailing, s.takeBreak())
			continue
		}
		if spaces < indent {
			break
		}
		s.at += indent
		further := s.isBlank()
		if folded && !indented && !further && len(leading) > 0 && leading[0].value == "\n" {
			if len(trailing) == 0 {
				s.put(" ", leading[0].at)
			}
			leading = nil
		}
		s.ends(leading, trailing)
		leading, trailing, indented = nil, nil, further
		s.keep(end - s.at)
		if end < next {
			leading = []lineEnd{s.takeBreak()}
		}
	}
	s.ends(leading, trailing)
}

func (s *scalarReader) ends(lists ...[]lineEnd) {
	for _, list := range lists {
		for _, b := range list {
			s.put(b.value, b.at)
		}
	}
}

// indent compares the first line that has text with what it is in the value.
func (s *scalarReader) indent(value string) int {
	first := func(text []byte) int {
		for _, line := range lines(text) {
			if rest := bytes.TrimLeft(line, " "); len(rest) > 0 {
				return len(line) - len(rest)
			}
		}
		return -1
	}
	if n := first([]byte(value)); n >= 0 {
		return max(0, first(s.text[s.at:])-n)
	}
	return len(s.text) // empty lines alone
}

// quoted reads a quoted scalar of YAML.
func (s *scalarReader) quoted(quote byte) {
	s.at++
	for s.at < len(s.text) && s.text[s.at] != 0 {
		escaped := false // a line break is, and so leaves no space
		switch c := s.text[s.at]; {
		case c == quote && quote == '\'' && s.at+1 < len(s.text) && s.text[s.at+1] == quote:
			s.put("'", s.at)
			s.at += 2
			continue
		case c == quote:
			return
		case c == '\\' && quote == '"':
			s.at++
			if !s.isBreak() {
				s.at--
				if !s.escape() {
					return
				}
				continue
			}
			s.takeBreak()
			escaped = true
		case !s.isBlank() && !s.isBreak():
			s.keep(1)
			continue
		}
		s.white(escaped)
	}
}

// plain reads a plain scalar, which folds as quoted ones do.
func (s *scalarReader) plain(length int) {
	for s.at < len(s.text) && len(s.value) < length {
		if s.isBlank() || s.isBreak() {
			s.white(false)
		} else {
			s.keep(1)
		}
	}
}

// white reads white space between words, which is folded if it has line breaks.
func (s *scalarReader) white(escaped bool) {
	start := s.at
	var breaks []lineEnd
	for s.at < len(s.text) && (s.isBlank() || s.isBreak()) {
		if s.isBlank() {
			s.at++
		} else {
			breaks = append(breaks, s.takeBreak())
		}
	}
	switch {
	case escaped:
	case len(breaks) == 0:
		end := s.at
		s.at = start
		s.keep(end - start)
		return
	case breaks[0].value == "\n":
		if len(breaks) == 1 {
			s.put(" ", breaks[0].at)
		}
		breaks = breaks[1:]
	}
	s.ends(breaks)
}

var escapeValues = map[byte]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r", 'e': "\x1b",
	' ': " ", '"': `"`, '\'': "'", '\\': `\`, '/': "/", 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// escape reads a backslash and what belongs to it.
func (s *scalarReader) escape() bool {
	start := s.at
	if start+1 >= len(s.text) {
		return false
	}
	c := s.text[start+1]
	if plain, ok := escapeValues[c]; ok {
		s.put(plain, start)
		s.at += 2
		return true
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	value, ok := s.hex(start+2, digits)
	if !ok {
		return false
	}
	s.at += 2 + digits
	// A character beyond the first plane is two escapes in JSON.
	if low, ok := s.hex(s.at+2, 4); ok && value>>10 == 0xD800>>10 && low>>10 == 0xDC00>>10 && bytes.HasPrefix(s.text[s.at:], []byte(`\u`)) {
		value = 0x10000 + (value-0xD800)<<10 + low - 0xDC00
		s.at += 6
	}
	s.put(string(rune(value)), start)
	return true
}

func (s *scalarReader) hex(at, digits int) (int, bool) {
	if digits == 0 || at+digits > len(s.text) {
		return 0, false
	}
	value, err := strconv.ParseUint(string(s.text[at:at+digits]), 16, 32)
	return int(value), err == nil
}

// jsonString reads a string of JSON, which folds nothing.
func (s *scalarReader) jsonString() {
	s.at++
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case '"':
			return
		case '\\':
			if !s.escape() {
				return
			}
		default:
			s.keep(1)
		}
	}
}
