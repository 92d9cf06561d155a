// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme"
)

// maxLooked is how many bytes of a line on either side of a place are looked at.
const maxLooked = 2000

// maxExcerpt is how many characters of a line are shown, and leadingExcerpt how many of them before the
// place that it is about.
const (
	maxExcerpt     = 120
	leadingExcerpt = 80
)

// texts are the files that findings are about, as far as they are at hand.
type texts struct {
	// source returns the text of a file, nil if it is not at hand.
	source func(name string) []byte
	file   string
	lines  [][]byte
}

// upTo returns the lines of a file up to the one of a position.
func (t *texts) upTo(pos diag.Position) [][]byte {
	if t.source == nil || pos.Line == 0 {
		return nil
	}
	if t.file != pos.File {
		t.file, t.lines = pos.File, nil
		for line := range bytes.Lines(t.source(pos.File)) {
			t.lines = append(t.lines, bytes.TrimRight(line, "\r\n"))
		}
	}
	if pos.Line > len(t.lines) || pos.Column-1 > len(t.lines[pos.Line-1]) {
		return nil
	}
	return t.lines[:pos.Line]
}

// excerpt prints the line of the file that a finding is about, with a caret below the place.
func (t *textPrinter) excerpt(d diag.Diagnostic) {
	lines := t.texts.upTo(d.Pos)
	if lines == nil {
		return
	}
	line, before, at := lines[len(lines)-1], lines[:len(lines)-1], d.Pos.Column-1
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	margin := fmt.Sprintf("%5d | ", d.Pos.Line)
	cut, isCut := t.cuts[place{d.Pos.File, d.Pos.Line}]
	start := max(0, at-maxLooked)
	near := line[start:min(len(line), at+maxLooked)]
	if maySecret(d, near, before) || isCut && at > cut {
		fmt.Fprintf(t.w, "%s(not shown, it may hold a secret)\n", t.paint("2", margin))
		return
	}
	if isCut && cut-start < len(near) {
		near = append(slices.Clip(near[:cut-start]), "…"...)
	}
	shown, caret := window(near, at-start)
	fmt.Fprintf(t.w, "%s%s\n%s%s%s\n", t.paint("2", margin), shown, t.paint("2", "      | "), strings.Repeat(" ", caret), t.paint(colours[d.Severity], "^"))
}

// place is a line of a file.
type place struct {
	file string
	line int
}

// cutsOf says where lines are cut off, since what follows may be anything: a value of a wrong type, and that
// of a key which nobody knows.
func (t *textPrinter) cutsOf(list diag.List) map[place]int {
	cuts := map[place]int{}
	for _, d := range list {
		at := d.Pos.Column - 1
		switch {
		case t.texts.source == nil || d.Pos.Line == 0:
			continue
		case d.Rule == "field-type":
		case d.Rule == "field-unknown":
			at += len(d.Path[len(d.Path)-1])
		default:
			continue
		}
		line := place{d.Pos.File, d.Pos.Line}
		if cut, ok := cuts[line]; !ok || at < cut {
			cuts[line] = at
		}
	}
	return cuts
}

// window returns the part of a line around a place, as a terminal can show it, and where the caret goes.
func window(line []byte, at int) (shown string, caret int) {
	var b strings.Builder
	start, n := 0, 0
	before := utf8.RuneCount(line[:min(at, len(line))])
	if before > leadingExcerpt && utf8.RuneCount(line) > maxExcerpt {
		start = before - leadingExcerpt
		b.WriteString("…")
		caret = 1
	}
	caret += before - start
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		line = line[size:]
		if n++; n <= start {
			continue
		}
		if n-start > maxExcerpt {
			b.WriteString("…")
			break
		}
		switch {
		case r == '\t':
			r = ' '
		case !unicode.IsPrint(r):
			r = '·'
		}
		b.WriteRune(r)
	}
	return b.String(), caret
}

// secretContent matches values that look like secrets: credentials in a URL or a header, keys in PEM, and
// tokens.
var secretContent = regexp.MustCompile(`://[^/@\s]*@|-----BEGIN |(?i:\b(?:basic|bearer)\s+\S)|\beyJ[A-Za-z0-9_-]{8}`)

// longWord matches what may be a random token.
var longWord = regexp.MustCompile(`[A-Za-z0-9+/=_-]{24,}`)

// maySecret reports whether a line may hold a secret: by its names, by those that it lies
// under, or by what it looks like.
func maySecret(d diag.Diagnostic, line []byte, before [][]byte) bool {
	if slices.ContainsFunc(d.Path, scheme.IsSecretName) || looksSecret(line) {
		return true
	}
	indentation := func(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }
	indent := indentation(line)
	for _, above := range slices.Backward(before[max(0, len(before)-maxAbove):]) {
		above = above[:min(len(above), maxLooked)]
		if n := indentation(above); n < indent && n < len(above) && above[n] != '#' {
			if scheme.IsSecretName(string(above)) {
				return true
			}
			indent = n
		}
	}
	return false
}

// maxAbove is how many lines above another one are looked at for the names that it lies under.
const maxAbove = 1000

func looksSecret(line []byte) bool {
	if scheme.IsSecretName(string(line)) || secretContent.Match(line) {
		return true
	}
	return slices.ContainsFunc(longWord.FindAll(line, -1), func(word []byte) bool {
		return bytes.ContainsAny(word, "0123456789") && bytes.ContainsFunc(word, unicode.IsLower) && bytes.ContainsFunc(word, unicode.IsUpper)
	})
}
