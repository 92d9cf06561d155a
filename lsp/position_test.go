// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	protocol "github.com/tliron/glsp/protocol_3_16"
)

func at(line, character uint32) protocol.Position {
	return protocol.Position{Line: line, Character: character}
}

// TestOffsets holds what the protocol says of positions: 3.17, section "Position" and "Text Documents". The
// text is that of its example, with 𐐀 as two units of UTF-16 and four of UTF-8.
func TestOffsets(t *testing.T) {
	const text = "a𐐀b\r\nä\rx\n\nend"
	for _, test := range []struct {
		encoding encoding
		position protocol.Position
		want     int
	}{
		{utf16Units, at(0, 0), 0},
		{utf16Units, at(0, 1), 1},
		{utf16Units, at(0, 2), 1}, // inside of the pair
		{utf16Units, at(0, 3), 5},
		{utf16Units, at(0, 4), 6},
		{utf16Units, at(0, 99), 6}, // before the line break
		{utf16Units, at(1, 1), 10},
		{utf16Units, at(2, 0), 11},
		{utf16Units, at(3, 5), 13},
		{utf16Units, at(4, 3), 17},
		{utf16Units, at(5, 0), 17},
		{utf16Units, at(1<<32-1, 1<<32-1), 17},
		{utf8Units, at(0, 1), 1},
		{utf8Units, at(0, 3), 1}, // inside of the character
		{utf8Units, at(0, 5), 5},
		{utf8Units, at(1, 2), 10},
	} {
		if got := newText(text, test.encoding).offset(test.position); got != test.want {
			t.Errorf("%s %v: offset %d, want %d", test.encoding, test.position, got, test.want)
		}
	}
	for _, test := range []struct {
		encoding encoding
		offset   int
		want     protocol.Position
	}{
		{utf16Units, 5, at(0, 3)}, {utf16Units, 8, at(1, 0)}, {utf16Units, 17, at(4, 3)}, {utf16Units, 99, at(4, 3)}, {utf8Units, 5, at(0, 5)}, {utf16Units, -1, at(0, 0)},
	} {
		if got := newText(text, test.encoding).position(test.offset); got != test.want {
			t.Errorf("%s %d: position %v, want %v", test.encoding, test.offset, got, test.want)
		}
	}
}

func TestNegotiate(t *testing.T) {
	for _, test := range []struct {
		offered []encoding
		want    encoding
	}{
		{nil, utf16Units}, {[]encoding{"utf-32"}, utf16Units}, {[]encoding{"utf-16", "utf-8"}, utf8Units}, {[]encoding{"utf-16"}, utf16Units},
	} {
		if got := negotiate(test.offered); got != test.want {
			t.Errorf("%v: %s, want %s", test.offered, got, test.want)
		}
	}
}

// FuzzEdits holds edits against a model that counts units in a plain way, and the lines of the result against
// those of a text that is read anew.
func FuzzEdits(f *testing.F) {
	f.Add("a𐐀b\r\nä\rx\n\nend", uint32(0), uint32(2), uint32(2), uint32(1), "new\r\n𐐀", true)
	f.Add("kind: x\n", uint32(0), uint32(6), uint32(0), uint32(7), "y", false)
	f.Add("\r", uint32(1), uint32(0), uint32(0), uint32(0), "\n", true)
	f.Fuzz(func(t *testing.T, old string, line1, char1, line2, char2 uint32, with string, wide bool) {
		if !utf8.ValidString(old) || !utf8.ValidString(with) {
			return // JSON has no others
		}
		units := utf16Units
		if wide {
			units = utf8Units
		}
		before := newText(old, units)
		after := before.edited(protocol.Range{Start: at(line1, char1), End: at(line2, char2)}, with)
		from, to := modelOffset(old, line1, char1, units), modelOffset(old, line2, char2, units)
		if want := old[:min(from, to)] + with + old[max(from, to):]; after.string != want {
			t.Fatalf("%q, want %q", after.string, want)
		}
		fresh := newText(after.string, units)
		for offset := range len(after.string) + 1 {
			if !utf8.RuneStart(append([]byte(after.string), 'x')[offset]) || inBreak(after.string, offset) {
				continue
			}
			p := after.position(offset)
			if fresh.position(offset) != p || after.offset(p) != offset {
				t.Fatalf("offset %d is %v and then %d", offset, p, after.offset(p))
			}
		}
	})
}

// inBreak reports whether an offset is inside of \r\n, where no position is.
func inBreak(text string, offset int) bool {
	return offset > 0 && offset < len(text) && text[offset-1] == '\r' && text[offset] == '\n'
}

// modelOffset finds a position by cutting a text into lines, and a line into units.
func modelOffset(text string, line, character uint32, units encoding) int {
	lines := strings.SplitAfter(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\x00\n"), "\r", "\r\x01"), "\n")
	var cut []string
	for _, l := range lines {
		for _, part := range strings.SplitAfter(l, "\r\x01") {
			cut = append(cut, part)
		}
	}
	if strings.ContainsAny(text, "\x00\x01") {
		return newText(text, units).offset(at(line, character)) // the marks of the model stand in the text
	}
	cut = dropEmptyBehindBreaks(cut)
	offset := 0
	for i, l := range cut {
		real := strings.ReplaceAll(strings.ReplaceAll(l, "\x00\n", "\r\n"), "\r\x01", "\r")
		if uint32(i) < line {
			offset += len(real)
			continue
		}
		body := strings.TrimRight(real, "\r\n")
		n := uint32(0)
		for _, r := range body {
			size := uint32(utf8.RuneLen(r))
			if units == utf16Units {
				size = uint32(len(utf16.Encode([]rune{r})))
			}
			if n+size > character {
				break
			}
			n += size
			offset += utf8.RuneLen(r)
		}
		return offset
	}
	return len(text)
}

// dropEmptyBehindBreaks takes out what SplitAfter leaves behind a break that ends a part of a line.
func dropEmptyBehindBreaks(parts []string) []string {
	var kept []string
	for i, part := range parts {
		if part == "" && i+1 < len(parts) && i > 0 && strings.HasSuffix(parts[i-1], "\x01") {
			continue
		}
		kept = append(kept, part)
	}
	return kept
}
