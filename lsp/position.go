// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	protocol "github.com/tliron/glsp/protocol_3_16"
)

// encoding is what the character of a position counts.
type encoding string

const (
	utf8Units  encoding = "utf-8"
	utf16Units encoding = "utf-16"
)

// negotiate takes the encoding that costs nothing if the client has it, and else the one that all have.
func negotiate(offered []encoding) encoding {
	for _, e := range offered {
		if e == utf8Units {
			return e
		}
	}
	return utf16Units
}

// text is a text with its lines. It never changes.
type text struct {
	string
	// starts are the offsets of the lines. They end at \n, \r\n or \r, as the protocol has it.
	starts []int
	encoding
}

func newText(s string, e encoding) *text {
	t := &text{string: s, starts: []int{0}, encoding: e}
	for i := 0; i < len(s); {
		next := strings.IndexAny(s[i:], "\r\n")
		if next < 0 {
			break
		}
		i += next + 1
		if s[i-1] == '\r' && i < len(s) && s[i] == '\n' {
			i++
		}
		t.starts = append(t.starts, i)
	}
	return t
}

// line returns where a line starts, and where it ends without its line break.
func (t *text) line(n int) (from, to int) {
	from, to = t.starts[n], len(t.string)
	if n+1 < len(t.starts) {
		to = t.starts[n+1]
	}
	return from, from + len(strings.TrimRight(t.string[from:to], "\r\n"))
}

// offset is that of a position. One behind the end of its line means the end, and one behind the last line
// the end of the text, as the protocol has it; one inside of a character means its start.
func (t *text) offset(p protocol.Position) int {
	if int64(p.Line) >= int64(len(t.starts)) {
		return len(t.string)
	}
	at, end := t.line(int(p.Line))
	left := int64(p.Character)
	for at < end && left > 0 {
		r, size := utf8.DecodeRuneInString(t.string[at:end])
		units := int64(size)
		if t.encoding == utf16Units {
			units = int64(utf16.RuneLen(r))
		}
		if left -= units; left < 0 {
			break
		}
		at += size
	}
	return at
}

// position is that of an offset.
func (t *text) position(offset int) protocol.Position {
	offset = max(0, min(offset, len(t.string)))
	line := sort.SearchInts(t.starts, offset+1) - 1
	before := t.string[t.starts[line]:offset]
	units := len(before)
	if t.encoding == utf16Units {
		units = 0
		for _, r := range before {
			units += utf16.RuneLen(r)
		}
	}
	return protocol.Position{Line: protocol.UInteger(line), Character: protocol.UInteger(units)}
}

func (t *text) span(from, to int) protocol.Range {
	return protocol.Range{Start: t.position(from), End: t.position(to)}
}

// edited returns the text with a part replaced. A range that ends before it starts is taken the other way
// round.
func (t *text) edited(r protocol.Range, with string) *text {
	from, to := t.offset(r.Start), t.offset(r.End)
	if to < from {
		from, to = to, from
	}
	return newText(t.string[:from]+with+t.string[to:], t.encoding)
}
