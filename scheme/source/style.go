// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// style is how a document is written, for what is written anew.
type style struct {
	step  int    // indentation of a mapping under its key
	list  int    // that of a list under its key
	item  int    // from the dash of an item to its content
	quote byte   // of strings that need one; 0 leaves it to the string
	unit  string // indentation of a level in JSON; empty if all stands on one line
	colon string // between a key and a value in JSON
	comma string // between items in JSON that stand on one line
}

// findStyle takes the first example of everything.
func (e *editor) findStyle() style {
	s := style{step: -1, list: -1, item: -1, colon: ": ", comma: ", "}
	quotes := map[byte]int{}
	if root := e.doc.tree().root; root != nil && !e.broken {
		if e.doc.json {
			e.findJSONStyle(root, &s)
		} else {
			e.exampleOf(root, -1, &s, quotes)
		}
	}
	switch double, single := quotes['"'], quotes['\'']; {
	case double > single:
		s.quote = '"'
	case single > double:
		s.quote = '\''
	}
	for _, missing := range []struct {
		field    *int
		standard int
	}{{&s.step, 2}, {&s.list, 0}, {&s.item, 2}} {
		if *missing.field < 0 {
			*missing.field = missing.standard
		}
	}
	return s
}

// exampleOf looks at a node whose key, if it has one, stands in a column.
func (e *editor) exampleOf(n *yaml.Node, key int, s *style, quotes map[byte]int) {
	if n.Kind == yaml.ScalarNode {
		quotes[e.at(e.spans[n].body)]++
		return
	}
	set := func(field *int, value int) {
		if *field < 0 && value >= 0 {
			*field = value
		}
	}
	block := !e.isFlow(n) && !e.odd[n]
	for i, child := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode && block:
			if i == 0 && key >= 0 {
				set(&s.list, e.column(e.dash[child])-key)
			}
			if child.Kind == yaml.MappingNode && !e.isFlow(child) && e.lineStart(e.spans[child].start) == e.lineStart(e.dash[child]) {
				set(&s.item, e.spans[child].body-e.dash[child])
			}
			e.exampleOf(child, -1, s, quotes)
		case n.Kind == yaml.MappingNode && block && i%2 == 1:
			column := e.column(e.spans[n.Content[i-1]].start)
			if i == 1 && key >= 0 && column > key {
				set(&s.step, column-key)
			}
			e.exampleOf(child, column, s, quotes)
		default:
			e.exampleOf(child, -1, s, quotes)
		}
	}
}

func (e *editor) findJSONStyle(root *yaml.Node, s *style) {
	if len(root.Content) == 0 {
		return
	}
	first := e.spans[root.Content[0]].start
	if before := e.text[e.spans[root].start:first]; bytes.IndexByte(before, '\n') >= 0 {
		s.unit = string(before[bytes.LastIndexByte(before, '\n')+1:])
	}
	if root.Kind == yaml.MappingNode {
		s.colon = string(e.text[e.spans[root.Content[0]].end:e.spans[root.Content[1]].start])
		if s.unit == "" && s.colon == ":" {
			s.comma = ","
		}
	}
}

// block writes a value as lines; what belongs to it stands in the column or further right.
func (e *editor) block(value any, column int) []string {
	indent := strings.Repeat(" ", column)
	var out []string
	switch v := value.(type) {
	case map[string]any:
		for _, name := range ordered(v) {
			out = append(out, e.under(indent+e.scalarText(name, e.style.quote, false)+":", v[name], column, column+e.style.step, column+e.style.list)...)
		}
	case []any:
		for _, item := range v {
			at := column + e.style.item
			out = append(out, e.under(indent+"-", item, column, at, at)...)
		}
	}
	if len(out) == 0 {
		return []string{indent + e.inline(value, false)}
	}
	return out
}

// under writes a value behind a key or dash that stands in a column.
func (e *editor) under(head string, value any, column, mapping, list int) []string {
	if text, ok := value.(string); ok && strings.Contains(text, "\n") {
		if header, lines, ok := literal(text, column+e.style.step, e.style.step); ok {
			return append([]string{head + " " + header}, lines...)
		}
	}
	isItem := strings.HasSuffix(head, "-")
	var lines []string
	switch v := value.(type) {
	case map[string]any:
		if len(v) > 0 {
			lines = e.block(v, mapping)
		}
	case []any:
		if len(v) > 0 {
			lines = e.block(v, list)
		}
	}
	switch {
	case lines == nil:
		return []string{head + " " + e.inline(value, false)}
	case isItem:
		lines[0] = head + lines[0][len(head):]
		return lines
	}
	return append([]string{head}, lines...)
}

// inline writes a value on one line.
func (e *editor) inline(value any, inFlow bool) string {
	var parts []string
	switch v := value.(type) {
	case map[string]any:
		for _, name := range ordered(v) {
			parts = append(parts, e.scalarText(name, e.style.quote, true)+": "+e.inline(v[name], true))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		for _, item := range v {
			parts = append(parts, e.inline(item, true))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return e.scalarText(value, e.style.quote, inFlow)
}

// json writes a value as JSON, whose lines after the first have at least the indentation.
func (e *editor) json(value any, indent string, long bool) string {
	var parts []string
	brackets := "{}"
	switch v := value.(type) {
	case map[string]any:
		for _, name := range ordered(v) {
			parts = append(parts, doubleQuoted(name)+e.style.colon+e.json(v[name], indent+e.style.unit, long))
		}
	case []any:
		brackets = "[]"
		for _, item := range v {
			parts = append(parts, e.json(item, indent+e.style.unit, long))
		}
	default:
		return e.scalarText(value, '"', false)
	}
	if len(parts) == 0 {
		return brackets
	}
	if !long || e.style.unit == "" {
		return brackets[:1] + strings.Join(parts, e.style.comma) + brackets[1:]
	}
	inner := e.nl + indent + e.style.unit
	return brackets[:1] + inner + strings.Join(parts, ","+inner) + e.nl + indent + brackets[1:]
}

// scalarText writes a scalar. A string gets the quotes that are asked for if it needs any; 0 stands
// for those that suit it.
func (e *editor) scalarText(value any, quote byte, inFlow bool) string {
	text, ok := value.(string)
	switch {
	case value == nil:
		return "null"
	case !ok:
		return fmt.Sprint(value)
	case e.doc.json:
		return doubleQuoted(text)
	case e.isPlain(text, inFlow):
		return text
	}
	if quote == 0 {
		quote = '\''
		if hasPlainForm(text, inFlow) { // but it reads as something else
			quote = '"'
		}
	}
	return quoted(text, quote)
}

// quoted writes a string in quotes. Single ones can hold neither breaks nor what needs an escape.
func quoted(text string, quote byte) string {
	if quote == '\'' && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return doubleQuoted(text)
}

func doubleQuoted(text string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		return `""`
	}
	var out strings.Builder
	for _, r := range strings.TrimSuffix(b.String(), "\n") {
		if r > 0x7e && r < 0x10000 && !unicode.IsPrint(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// isPlain reports whether a string can stand without quotes and is still read as a string, by this
// parser and by that of the document's user.
func (e *editor) isPlain(text string, inFlow bool) bool {
	if !hasPlainForm(text, inFlow) || (&yaml.Node{Kind: yaml.ScalarNode, Value: text}).ShortTag() != "!!str" {
		return false
	}
	got, _, err := e.read([]byte("- " + text + "\n"))
	list, ok := got.([]any)
	return err == nil && ok && len(list) == 1 && list[0] == any(text)
}

// hasPlainForm reports whether a string means no YAML syntax, whatever its type.
func hasPlainForm(text string, inFlow bool) bool {
	if text == "" || strings.TrimSpace(text) != text || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return false
	}
	if strings.ContainsAny(text[:1], "-?:,[]{}#&*!|>'\"%@`=<~") || inFlow && strings.ContainsAny(text, ",[]{}") {
		return false
	}
	return !strings.Contains(text, ": ") && !strings.Contains(text, " #") && !strings.HasSuffix(text, ":")
}

// literal writes a text as a block scalar whose lines have an indentation, step of which is its own.
func literal(text string, indent, step int) (header string, lines []string, ok bool) {
	body := strings.TrimRight(text, "\n")
	if body == "" || strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }) {
		return "", nil, false
	}
	header = "|"
	first := strings.TrimLeft(body, "\n")
	if strings.HasPrefix(first, " ") || strings.TrimLeft(strings.SplitN(first, "\n", 2)[0], " \t") == "" {
		header += fmt.Sprint(step)
	}
	if strings.HasPrefix(first, "\t") || step > 9 {
		return "", nil, false
	}
	switch len(text) - len(body) {
	case 0:
		header += "-"
	case 1:
	default:
		header += "+"
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if line != "" {
			line = strings.Repeat(" ", indent) + line
		}
		lines = append(lines, line)
	}
	return header, slices.Clip(lines), true
}
