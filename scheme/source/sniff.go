// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"unicode/utf8"
)

// Sniff returns apiVersion and kind as they stand at the top level, empty if they do not, from one
// scan without a parse. It is false when only a parse can tell: for unusual keys and values, and
// for lines that may leave a quote or bracket open. It says nothing about the syntax of the rest.
func (d *Document) Sniff() (apiVersion, kind string, ok bool) {
	var s sniffer
	if d.json {
		ok = s.json(d.text)
	} else {
		ok = s.yaml(d.text)
	}
	return s.apiVersion, s.kind, ok && !s.failed
}

type sniffer struct {
	apiVersion, kind string
	failed           bool
}

// field returns where the value of a key goes, nil for a key that is not looked for.
func (s *sniffer) field(key []byte) *string {
	field := &s.kind
	switch string(key) {
	case "apiVersion":
		field = &s.apiVersion
	case "kind":
	default:
		return nil
	}
	// A second value would win or be refused, depending on the release.
	s.failed = s.failed || *field != ""
	return field
}

func (s *sniffer) yaml(text []byte) bool {
	seen := false  // a key in the first column
	taken := false // the line before gave a value, which an indented line would continue
	for _, line := range lines(text) {
		line = withoutComment(line)
		if len(line) == 0 || isMarker(line, "...") || !seen && (string(line) == "---" || line[0] == '%') {
			continue
		}
		indented := line[0] == ' ' || line[0] == '\t'
		if indented && (taken || !seen) || !selfContained(bytes.TrimLeft(line, " \t")) {
			return false
		}
		taken = false
		if indented || seen && (line[0] == '-' && (len(line) == 1 || line[1] == ' ' || line[1] == '\t')) {
			continue
		}
		key, value, ok := bytes.Cut(line, []byte(":"))
		if !ok || !isWord(key) || len(value) > 0 && value[0] != ' ' && value[0] != '\t' {
			return false
		}
		seen = true
		if field := s.field(key); field != nil {
			value = withoutQuotes(bytes.TrimLeft(value, " \t"))
			if !isWord(value) {
				return false
			}
			*field, taken = string(value), true
		}
	}
	return true
}

// isWord reports whether the text means itself as a key or value, without any YAML syntax.
func isWord(text []byte) bool {
	for i, c := range text {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && (i == 0 || bytes.IndexByte([]byte("._/-"), c) < 0) {
			return false
		}
	}
	return len(text) > 0
}

func withoutQuotes(value []byte) []byte {
	if n := len(value); n > 1 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		return value[1 : n-1]
	}
	return value
}

// withoutComment cuts a comment and the white space before it. It may cut within quotes as well;
// then what is left is not self-contained.
func withoutComment(line []byte) []byte {
	for i, c := range line {
		if c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			line = line[:i]
			break
		}
	}
	return bytes.TrimRight(line, " \t")
}

// selfContained reports whether every quote and bracket that the line opens is surely closed on it.
func selfContained(line []byte) bool {
	first := bytes.IndexAny(line, `"'[]{}`)
	if first < 0 {
		return true
	}
	before, rest := line[:first], line[first:]
	if !bytes.HasSuffix(before, []byte(": ")) && len(bytes.Trim(before, "- ")) > 0 || bytes.IndexByte(rest, '\\') >= 0 {
		return false
	}
	last := rest[len(rest)-1]
	if quote := rest[:1]; quote[0] == '"' || quote[0] == '\'' {
		return last == quote[0] && bytes.Count(rest, quote) == 2
	}
	count := func(c string) int { return bytes.Count(rest, []byte(c)) }
	return !bytes.ContainsAny(rest, `"'`) && (last == ']' || last == '}') &&
		count("[") == count("]") && count("{") == count("}")
}

func (s *sniffer) json(text []byte) bool {
	var field *string
	depth, isKey := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if field != nil && bytes.IndexByte([]byte(`,{}[]`), c) >= 0 {
			return false // the value is no string
		}
		switch c {
		case '{', '[':
			depth++
			isKey = c == '{'
		case '}', ']':
			if depth--; depth == 0 {
				return true
			}
		case ',':
			isKey = true
		case ':':
			isKey = false
		case '"':
			end, escaped := stringEnd(text, i)
			if end < 0 || depth == 1 && (isKey || field != nil) && (escaped || !utf8.Valid(text[i:end])) {
				return false
			}
			switch value := text[i+1 : end]; {
			case depth == 1 && isKey:
				field = s.field(value)
			case field != nil:
				*field, field = string(value), nil
			}
			i = end
		}
	}
	return false
}

// stringEnd finds the quote that closes the double-quoted string at start; -1 if there is none.
func stringEnd(text []byte, start int) (end int, escaped bool) {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			escaped = true
			i++
		case '"':
			return i, escaped
		}
	}
	return -1, escaped
}
