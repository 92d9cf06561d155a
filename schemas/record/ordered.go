// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// object is a JSON object that keeps the order of its members, so that two releases differ where their
// facts do.
type object struct {
	names  []string
	values map[string]any
}

// get returns the value of a member, or nil.
func (o *object) get(name string) any { return o.values[name] }

// set replaces the value of a member in its place, or adds one at the end.
func (o *object) set(name string, value any) {
	if o.values == nil {
		o.values = map[string]any{}
	}
	if _, ok := o.values[name]; !ok {
		o.names = append(o.names, name)
	}
	o.values[name] = value
}

// drop takes a member out.
func (o *object) drop(name string) {
	delete(o.values, name)
	o.names = slices.DeleteFunc(o.names, func(known string) bool { return known == name })
}

// objectOf returns an object of names and values in turn.
func objectOf(members ...any) *object {
	o := &object{}
	for i := 0; i < len(members); i += 2 {
		o.set(members[i].(string), members[i+1])
	}
	return o
}

// parseOrdered reads JSON with objects as *object, lists as []any and numbers as they stand.
func parseOrdered(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return parseValue(decoder)
}

func parseValue(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		o := &object{}
		for decoder.More() {
			name, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			value, err := parseValue(decoder)
			if err != nil {
				return nil, err
			}
			o.set(name.(string), value)
		}
		_, err = decoder.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for decoder.More() {
			item, err := parseValue(decoder)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err = decoder.Token()
		return list, err
	}
	return token, nil
}

// lineLength is how long an object or a list may be to stand on one line.
const lineLength = 142

// formatOrdered writes JSON for reviews: what is short stands on one line.
func formatOrdered(value any) []byte {
	var text strings.Builder
	writeOrdered(&text, value, "")
	text.WriteByte('\n')
	return []byte(text.String())
}

func writeOrdered(text *strings.Builder, value any, indent string) {
	short := oneLine(value)
	if len(short) <= lineLength && indent != "" {
		text.WriteString(short)
		return
	}
	inner := indent + "  "
	switch value := value.(type) {
	case *object:
		text.WriteByte('{')
		for i, name := range value.names {
			text.WriteString(separator(i, inner) + scalar(name) + ": ")
			writeOrdered(text, value.values[name], inner)
		}
		text.WriteString("\n" + indent + "}")
	case []any:
		text.WriteByte('[')
		for i, item := range value {
			text.WriteString(separator(i, inner))
			writeOrdered(text, item, inner)
		}
		text.WriteString("\n" + indent + "]")
	default:
		text.WriteString(short)
	}
}

func separator(i int, indent string) string {
	if i == 0 {
		return "\n" + indent
	}
	return ",\n" + indent
}

func oneLine(value any) string {
	var parts []string
	switch value := value.(type) {
	case *object:
		for _, name := range value.names {
			parts = append(parts, scalar(name)+": "+oneLine(value.values[name]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		for _, item := range value {
			parts = append(parts, oneLine(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return scalar(value)
}

func scalar(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(fmt.Sprintf("a scalar of JSON cannot be written: %v", err)) // It was read from JSON.
	}
	return strings.TrimSpace(text.String())
}
