// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// Comments reports whether the document holds any comment. The parser drops some, so they are
// looked for in the text: a "#" behind white space and outside quotes and block scalars.
func (d *Document) Comments() bool {
	if d.origin != nil && d.origin.object != nil {
		return anyComment(d.origin.object)
	}
	if d.json || bytes.IndexByte(d.text, '#') < 0 {
		return false
	}
	text := bytes.Clone(d.text)
	if t := d.tree(); t.root != nil {
		t.blankScalars(t.root, d.text, text)
	}
	for i, c := range text {
		if c == '#' && (i == 0 || bytes.IndexByte([]byte(" \t\r\n"), text[i-1]) >= 0) {
			return true
		}
	}
	return false
}

// blankScalars overwrites each "#" within a quoted or block scalar in out, a copy of text.
func (t *tree) blankScalars(n *yaml.Node, text, out []byte) {
	for _, child := range n.Content {
		t.blankScalars(child, text, out)
	}
	if n.Kind != yaml.ScalarNode || n.Value == "" || n.Style == 0 {
		return
	}
	start := min(t.offset(text, n), len(text))
	end := start
	switch { // the node starts at its tag or anchor
	case n.Style&yaml.DoubleQuotedStyle != 0:
		start += max(0, bytes.IndexByte(text[start:], '"'))
		end, _ = stringEnd(text, start)
	case n.Style&yaml.SingleQuotedStyle != 0:
		start += max(0, bytes.IndexByte(text[start:], '\''))
		end = singleQuoteEnd(text, start)
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		start, end = blockScalar(text, start)
	}
	for i := start; i < end; i++ {
		if out[i] == '#' {
			out[i] = '.'
		}
	}
}

func singleQuoteEnd(text []byte, start int) int {
	for i := start + 1; i < len(text); i++ {
		if text[i] != '\'' {
			continue
		}
		if i+1 == len(text) || text[i+1] != '\'' {
			return i
		}
		i++
	}
	return len(text)
}

// blockScalar returns the extent of the lines below the header at start that belong to the scalar:
// those indented as far as the first one with text.
func blockScalar(text []byte, start int) (from, to int) {
	header, from := lineBreak(text, start)
	indent := 0
	if bytes.ContainsAny(withoutComment(text[start:header]), "123456789") {
		indent = 1 // stated in the header; the lines may start with more white space than that
	}
	for at, line := range lines(text[from:]) {
		n := len(line) - len(bytes.TrimLeft(line, " "))
		if n == len(line) {
			continue
		}
		if indent == 0 {
			indent = max(1, n)
		}
		if n < indent {
			return from, from + at
		}
	}
	return from, len(text)
}
