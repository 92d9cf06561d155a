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

// excerpt prints the line of the file that a finding is about, with a caret below the place.
func (t *textPrinter) excerpt(d diag.Diagnostic) {
	if t.source == nil || d.Pos.Line == 0 {
		return
	}
	if t.lines.file != d.Pos.File {
		t.lines = splitLines(d.Pos.File, t.source(d.Pos.File))
	}
	if d.Pos.Line > len(t.lines.text) {
		return
	}
	line, at := t.lines.text[d.Pos.Line-1], d.Pos.Column-1
	if at > len(line) || len(bytes.TrimSpace(line)) == 0 {
		return
	}
	margin := fmt.Sprintf("%5d | ", d.Pos.Line)
	cut, isCut := t.cuts[place{d.Pos.File, d.Pos.Line}]
	start := max(0, at-maxLooked)
	near := line[start:min(len(line), at+maxLooked)]
	if maySecret(d, near, t.lines.text[:d.Pos.Line-1]) || isCut && at > cut {
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
		case t.source == nil || d.Pos.Line == 0:
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

// fileLines are the lines of a file.
type fileLines struct {
	file string
	text [][]byte
}

func splitLines(file string, text []byte) fileLines {
	lines := fileLines{file: file}
	for line := range bytes.Lines(text) {
		lines.text = append(lines.text, bytes.TrimRight(line, "\r\n"))
	}
	return lines
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
