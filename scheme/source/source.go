// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"iter"
	"unicode"

	"github.com/schedconf/schedconf/diag"
)

// Document is one YAML or JSON document of a file. It is parsed when the first position is asked
// for, so a document that has no findings costs no parsing. It must not be used concurrently.
type Document struct {
	// File is the name as the user gave it.
	File string
	// Index is the place of the document in its file, from 0.
	Index int

	text         []byte
	line, column int // of the first byte of text
	json         bool
	parsed       *tree
	origin       *origin // nil for a document of a file
}

var byteOrderMark = []byte("\ufeff")

// Split cuts a file into its documents without parsing them. There is always at least one: an empty
// file is one empty document, since that is what kube-scheduler judges. A byte order mark belongs
// to no document. The texts of the documents follow each other without a gap.
//
// A file that starts with a brace is JSON for kube-scheduler, and one document whatever follows.
// Anything else is YAML: as in the YAML parser's stream, "---" before the first content starts
// document 0, and after it the next document, even if nothing stands between the two. Comments and
// directives after "..." belong to the document that they precede, if there is one.
func Split(file string, data []byte) []*Document {
	text := bytes.TrimPrefix(data, byteOrderMark)
	if bytes.HasPrefix(bytes.TrimLeftFunc(text, unicode.IsSpace), []byte("{")) {
		return []*Document{{File: file, text: text, line: 1, column: 1, json: true}}
	}
	starts := yamlStarts(text)
	documents := make([]*Document, len(starts))
	line, begin := 1, 0 // of the line that the document starts in
	for i, start := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		documents[i] = &Document{File: file, Index: i, text: text[start:end:end], line: line, column: start - begin + 1}
		line += bytes.Count(text[start:end], []byte("\n"))
		if i := bytes.LastIndexByte(text[start:end], '\n'); i >= 0 {
			begin = start + i + 1
		}
	}
	return documents
}

// yamlStarts returns the offset at which each document of a YAML stream starts. Looking at the
// first bytes of lines is exact: the parser ends every scalar and every flow collection, by an
// error if need be, at a marker in the first column.
func yamlStarts(text []byte) []int {
	var starts []int
	open := false // within a document, as opposed to the comments and directives before one
	from := 0     // where these began; -1: with the next line
	for at, line := range lines(text) {
		if from < 0 {
			from = at
		}
		switch {
		case isMarker(line, "---"):
			if open {
				from = at
			}
			open, starts = true, append(starts, from)
		case isMarker(line, "..."):
			if open {
				open, from = false, -1
			}
		case !open && !isBlank(line) && line[0] != '%':
			open, starts = true, append(starts, from)
		}
	}
	if len(starts) == 0 {
		return []int{0}
	}
	return starts
}

// lines yields every line without its break, and its offset. YAML 1.1 breaks lines at a lone
// carriage return and at three Unicode characters too.
func lines(text []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for at := 0; at < len(text); {
			end, next := lineBreak(text, at)
			if !yield(at, text[at:end]) {
				return
			}
			at = next
		}
	}
}

// lineBreak finds the end of the line that holds at, and the start of the next one.
func lineBreak(text []byte, at int) (end, next int) {
	for i := at; i < len(text); i++ {
		switch text[i] {
		case '\n':
			return i, i + 1
		case '\r':
			if bytes.HasPrefix(text[i:], []byte("\r\n")) {
				return i, i + 2
			}
			return i, i + 1
		case 0xC2:
			if bytes.HasPrefix(text[i:], []byte("\u0085")) {
				return i, i + 2
			}
		case 0xE2:
			if bytes.HasPrefix(text[i:], []byte("\u2028")) || bytes.HasPrefix(text[i:], []byte("\u2029")) {
				return i, i + 3
			}
		}
	}
	return len(text), len(text)
}

// isMarker reports whether the line is a "---" or "..." marker, with or without something after it.
func isMarker(line []byte, marker string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(marker))
	return ok && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t')
}

// isBlank reports whether the line holds nothing but white space and a comment.
func isBlank(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	return len(line) == 0 || line[0] == '#'
}

// Bytes is the text of this document alone, markers and directives included.
func (d *Document) Bytes() []byte { return d.text }

// JSON reports whether kube-scheduler reads the document as JSON.
func (d *Document) JSON() bool { return d.json }

// Empty reports whether there is nothing but white space, comments, markers and directives.
func (d *Document) Empty() bool {
	_, ok := d.content()
	return !ok
}

// content returns the offset of the first token; without any, that of the marker or of the start.
func (d *Document) content() (offset int, ok bool) {
	marked := false
	for at, line := range lines(d.text) {
		start := at
		switch {
		case isMarker(line, "---") && !marked:
			offset, marked, start = at, true, at+len("---")
		case isMarker(line, "..."), !marked && bytes.HasPrefix(line, []byte("%")):
			continue
		}
		if rest := d.text[start : at+len(line)]; !isBlank(rest) {
			return start + indentation(rest), true
		}
	}
	return offset, false
}

// indentation counts the white space that a line starts with.
func indentation(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }

// PositionAt is the line and column of an offset in a file. Lines end at line feeds, as positions of
// documents have it.
func PositionAt(text []byte, offset int) diag.Position {
	before := text[:max(0, min(offset, len(text)))]
	return diag.Position{Line: 1 + bytes.Count(before, []byte("\n")), Column: len(before) - bytes.LastIndexByte(before, '\n')}
}

// IndexAt is the document that an offset of a file is in.
func IndexAt(file []byte, documents []*Document, offset int) int {
	at := len(file) - len(bytes.TrimPrefix(file, byteOrderMark))
	for i, d := range documents {
		if at += len(d.text); offset < at {
			return i
		}
	}
	return max(0, len(documents)-1)
}

// OffsetOf is where a document starts in its file.
func OffsetOf(file []byte, documents []*Document, index int) int {
	at := len(file) - len(bytes.TrimPrefix(file, byteOrderMark))
	for _, d := range documents[:index] {
		at += len(d.text)
	}
	return at
}

// OffsetAt is the offset of a line and column of a file, and false if they are not in it.
func OffsetAt(file []byte, pos diag.Position) (int, bool) {
	at := 0
	for range pos.Line - 1 {
		i := bytes.IndexByte(file[at:], '\n')
		if i < 0 {
			return 0, false
		}
		at += i + 1
	}
	at += pos.Column - 1
	return at, pos.Line > 0 && pos.Column > 0 && at <= len(file)
}
