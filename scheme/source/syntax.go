// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/schedconf/schedconf/diag"
)

const tabMessage = "a tab is used for indentation; YAML allows spaces only"

const depthMessage = "nesting is too deep"

// Syntax returns the syntax error of the document, if it has one (ok). In YAML it stands at the
// first token of the line, since the parser does not give a column. What follows the first node of
// a document is not read, neither here nor by kube-scheduler.
func (d *Document) Syntax() (pos diag.Position, message string, ok bool) {
	f := d.tree().fault
	if f == nil {
		return diag.Position{}, "", false
	}
	return d.position(f.offset), f.message, true
}

func jsonFault(text []byte) *fault {
	err := json.Unmarshal(text, new(json.RawMessage))
	if err == nil {
		return nil
	}
	f := &fault{message: err.Error()}
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		f.offset = max(0, int(syntax.Offset)-1)
	}
	if strings.Contains(f.message, "exceeded max depth") {
		f.message = depthMessage
	}
	return f
}

var (
	yamlPrefix = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`)
	// grammarProblem matches what the parser proper says, as opposed to the scanner. It then gives
	// the line before the one where the enclosing collection starts, which is of no use.
	grammarProblem = regexp.MustCompile(`^did not find expected (?:<|node|key|'-'|',')|^found (?:duplicate|incompatible|undefined)`)
	readerProblem  = regexp.MustCompile(`UTF-8|control characters`)
	tabProblem     = regexp.MustCompile(`cannot start any token|found a tab`)
)

// splitError takes an error of the YAML parser apart; line is 0 if it names none.
func splitError(err error) (line int, message string) {
	text := err.Error()
	match := yamlPrefix.FindStringSubmatch(text)
	line, _ = strconv.Atoi(match[1])
	return line, text[len(match[0]):]
}

// yamlFault finds the place of an error. The parser omits the line if it is the first, so the text
// is parsed again behind an empty line, byte by byte to learn how far the parser got.
func (t *tree) yamlFault(d *Document, err error) *fault {
	_, message := splitError(err)
	if strings.Contains(message, "exceeded max depth") {
		message = depthMessage
	}
	reader := &byteReader{text: append([]byte("\n"), d.text...)}
	line := 0
	if err := reader.parse(); err != nil {
		line, _ = splitError(err)
	}
	end := max(0, reader.read-1) // in d.text
	if readerProblem.MatchString(message) {
		at := max(0, end-1)
		for at > 0 && !utf8.RuneStart(d.text[at]) {
			at--
		}
		return &fault{at, message}
	}
	// The parser looks ahead over white space, and at most to the end of a scalar.
	last := t.lineOf(len(bytes.TrimRight(d.text[:end], " \t\r\n")) - 1)
	index := last
	switch {
	case grammarProblem.MatchString(message):
		index = t.backtrack(d.text, last, message)
	case line > 1:
		index = min(line-2, last)
	}
	if tabProblem.MatchString(message) {
		for i := index; i <= t.lineOf(end-1); i++ {
			if at := t.tab(d.text, i); at >= 0 {
				return &fault{at, tabMessage}
			}
		}
	}
	start := t.start(index)
	return &fault{start + indentation(d.text[start:]), message}
}

// backtrack goes back from a line over those without which the error remains. Every step is a
// parse, so it gives up soon; the scalar that was read ahead is rarely longer.
func (t *tree) backtrack(text []byte, index int, message string) int {
	for range 16 {
		if index == 0 {
			break
		}
		_, err := parseYAML(text[:t.lines[index].offset])
		if err == nil {
			break
		}
		if _, same := splitError(err); same != message {
			break
		}
		index--
	}
	return index
}

func (t *tree) start(index int) int {
	if index >= len(t.lines) {
		return 0
	}
	return t.lines[index].offset
}

// tab returns the offset of a tab in the indentation of the line, or -1.
func (t *tree) tab(text []byte, index int) int {
	start := t.start(index)
	indent := text[start : start+indentation(text[start:])]
	if i := bytes.IndexByte(indent, '\t'); i >= 0 {
		return start + i
	}
	return -1
}

// byteReader hands out a text byte by byte and counts.
type byteReader struct {
	text []byte
	read int
}

func (r *byteReader) Read(p []byte) (int, error) {
	if r.read == len(r.text) {
		return 0, io.EOF
	}
	r.read++
	return copy(p[:1], r.text[r.read-1:]), nil
}

func (r *byteReader) parse() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return yaml.NewDecoder(r).Decode(new(yaml.Node))
}
