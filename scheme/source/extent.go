// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// layout is where the nodes of a document stand. The parser gives the start of a node only; the end
// follows from what the text has there.
type layout struct {
	tree  *tree
	text  []byte
	spans map[*yaml.Node]span
	// after is the offset behind the colon of a key or the dash of an item; dash that of the dash.
	after, dash map[*yaml.Node]int
	// odd are collections that are written in a way that is not edited: keys with a question mark,
	// pairs without braces.
	odd map[*yaml.Node]bool
	// tangled are the nodes that have an anchor, an alias or a merge key, or hold one.
	tangled map[*yaml.Node]bool
	// masked is the text without the number signs that start no comment.
	masked []byte
	// broken is set if the text is not what the nodes say.
	broken bool
}

// span is the extent of a node. Its tag and anchor stand before body.
type span struct{ start, body, end int }

func measure(t *tree, text []byte) *layout {
	l := &layout{
		tree: t, text: text, masked: bytes.Clone(text), spans: map[*yaml.Node]span{},
		after: map[*yaml.Node]int{}, dash: map[*yaml.Node]int{}, odd: map[*yaml.Node]bool{}, tangled: map[*yaml.Node]bool{},
	}
	if t.root != nil {
		end := l.node(t.root, -1, t.root.Style&yaml.FlowStyle != 0)
		l.broken = l.broken || end < 0 || end > len(text)
	}
	return l
}

// isFlow reports whether a collection is written with brackets or braces.
func (l *layout) isFlow(n *yaml.Node) bool { return n.Line == 0 || n.Style&yaml.FlowStyle != 0 }

// isAbsent reports whether a node is a value that is left out.
func isAbsent(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Line > 0 &&
		n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
}

// node measures a node and what it holds. The column is that of the key or dash before it.
func (l *layout) node(n *yaml.Node, column int, inFlow bool) int {
	s := span{start: l.tree.offset(l.text, n)}
	if isAbsent(n) && s.start < len(l.text) && bytes.IndexByte([]byte("-:?"), l.text[s.start]) >= 0 {
		s.start++ // offset points at the indicator
	}
	s.body, s.end = s.start, s.start
	if n.Line > 0 {
		s.body, s.end = l.properties(s.start)
	}
	l.tangled[n] = n.Anchor != "" || n.Kind == yaml.AliasNode
	switch {
	case n.Kind == yaml.AliasNode:
		s.end = s.start + 1 + len(n.Value)
	case isAbsent(n):
	case n.Kind == yaml.ScalarNode:
		s.end = l.scalar(n, s.body, column)
	case l.isFlow(n):
		s.end = l.flow(n, s.body)
	case n.Kind == yaml.SequenceNode:
		s.end = l.sequence(n, s.body)
	default:
		s.end = l.mapping(n, s.body)
	}
	if s.end < s.start || s.end > len(l.text) {
		l.broken = true
		return len(l.text)
	}
	l.spans[n] = s
	return s.end
}

// properties returns where the content of a node starts behind its tag and anchor, and where these end.
func (l *layout) properties(at int) (body, end int) {
	end = at
	for at < len(l.text) && (l.text[at] == '&' || l.text[at] == '!') {
		for at < len(l.text) && bytes.IndexByte([]byte(" \t\r\n,[]{}"), l.text[at]) < 0 {
			at++
		}
		end = at
		at = l.skip(at)
	}
	return at, end
}

// skip passes over white space and comments.
func (l *layout) skip(at int) int {
	for at < len(l.text) {
		switch c := l.text[at]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			at++
		case c == '#' && (at == 0 || bytes.IndexByte([]byte(" \t\r\n"), l.text[at-1]) >= 0):
			at, _ = lineBreak(l.text, at)
		default:
			return at
		}
	}
	return at
}

func (l *layout) at(offset int) byte {
	if offset < 0 || offset >= len(l.text) {
		return 0
	}
	return l.text[offset]
}

func (l *layout) scalar(n *yaml.Node, body, column int) int {
	end, masked := -1, body
	switch l.at(body) {
	case '"':
		if end, _ = stringEnd(l.text, body); end >= 0 {
			end++
		}
	case '\'':
		end = min(singleQuoteEnd(l.text, body)+1, len(l.text))
	case '|', '>':
		end = l.blockScalar(body, column)
		masked = l.lineEnd(body) // its header may have a comment
	default:
		return plainEnd(l.text, body, n.Value)
	}
	for i := masked; i < end; i++ {
		if l.masked[i] == '#' {
			l.masked[i] = '.'
		}
	}
	return end
}

// plainEnd follows the value of a plain scalar through the text, where white space around a break
// stands for a space, and every further break for one.
func plainEnd(text []byte, at int, value string) int {
	for i := 0; i < len(value); {
		if at >= len(text) {
			return -1
		}
		after, breaks := blankRun(text, at)
		if breaks == 0 {
			if text[at] != value[i] {
				return -1
			}
			at, i = at+1, i+1
			continue
		}
		want := " "
		if breaks > 1 {
			want = "\n"
		}
		for range max(1, breaks-1) {
			if i >= len(value) || value[i] != want[0] {
				return -1
			}
			i++
		}
		at = after
	}
	return at
}

// blankRun returns where a run of white space ends, and how many line breaks it has.
func blankRun(text []byte, at int) (end, breaks int) {
	for at < len(text) {
		if text[at] == ' ' || text[at] == '\t' {
			at++
		} else if end, next := lineBreak(text[:min(len(text), at+utf8.UTFMax)], at); end == at && next > at {
			at, breaks = next, breaks+1
		} else {
			break
		}
	}
	return at, breaks
}

// blockScalar returns the end of the last line of a block scalar whose key or dash stands in column.
// Empty lines at the end belong to it if it says that it keeps them.
func (l *layout) blockScalar(body, column int) int {
	header, from := lineBreak(l.text, body)
	end := header
	keeps := bytes.IndexByte(withoutComment(l.text[body:header]), '+') >= 0
	stated := bytes.ContainsAny(withoutComment(l.text[body:header]), "123456789")
	indent := -1
	for at, line := range lines(l.text[from:]) {
		n := len(line) - len(bytes.TrimLeft(line, " "))
		if n == len(line) {
			if keeps {
				end = from + at + len(line)
			}
			continue
		}
		if indent < 0 {
			indent = n
			if stated {
				indent = column + 1
			}
		}
		if n <= column || n < indent {
			break
		}
		end = from + at + len(line)
	}
	return end
}

func (l *layout) flow(n *yaml.Node, body int) int {
	open := l.at(body)
	if open != '[' && open != '{' {
		l.odd[n] = true // a pair in a list, without braces
	}
	at := body + 1
	for i, child := range n.Content {
		at = l.node(child, 0, true)
		l.tangle(n, child)
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			l.after[child] = at
			if colon := l.skip(at); l.at(colon) == ':' {
				l.after[child] = colon + 1
			}
			l.odd[n] = l.odd[n] || l.at(l.spans[child].start) == '?'
		}
	}
	if l.odd[n] {
		return at
	}
	for {
		at = l.skip(at)
		switch l.at(at) {
		case ',', ':', '?':
			at++
		case ']', '}':
			return at + 1
		default:
			return -1
		}
	}
}

// tangle hands on to a collection what it has from what it holds.
func (l *layout) tangle(n, child *yaml.Node) {
	l.tangled[n] = l.tangled[n] || l.tangled[child] || isMerge(child)
}

func (l *layout) sequence(n *yaml.Node, body int) int {
	at := body
	for _, item := range n.Content {
		dash := l.skip(at)
		if l.at(dash) != '-' {
			return -1
		}
		l.dash[item], l.after[item] = dash, dash+1
		at = l.node(item, l.column(dash), false)
		l.tangle(n, item)
	}
	return at
}

func (l *layout) mapping(n *yaml.Node, body int) int {
	at := body
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		l.odd[n] = l.odd[n] || l.at(l.skip(at)) == '?'
		at = l.skip(l.node(key, 0, false))
		if l.at(at) != ':' {
			l.odd[n] = true
			l.spans[value] = span{at, at, at}
			continue
		}
		l.after[key] = at + 1
		at = l.node(value, l.column(l.spans[key].start), false)
		l.tangle(n, key)
		l.tangle(n, value)
	}
	return at
}

func (l *layout) lineStart(at int) int {
	if len(l.tree.lines) == 0 {
		return 0
	}
	return l.tree.lines[l.tree.lineOf(at)].offset
}

func (l *layout) lineEnd(at int) int { end, _ := lineBreak(l.text, at); return end }

func (l *layout) nextLine(at int) int { _, next := lineBreak(l.text, at); return next }

func (l *layout) column(at int) int { return at - l.lineStart(at) }

// isComment reports whether a comment starts at the offset.
func (l *layout) isComment(at int) bool {
	return l.masked[at] == '#' && (at == 0 || bytes.IndexByte([]byte(" \t\r\n"), l.masked[at-1]) >= 0)
}

// commentLine reports whether the line that starts at the offset is nothing but a comment, and how
// far it is indented.
func (l *layout) commentLine(start int) (indent int, ok bool) {
	indent = indentation(l.text[start:l.lineEnd(start)])
	return indent, start+indent < len(l.text) && l.isComment(start+indent)
}

func (l *layout) blankLine(start int) bool {
	return len(bytes.TrimSpace(l.text[start:l.lineEnd(start)])) == 0
}
