// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
)

// schema is the subset of JSON Schema that this program writes, in the order in which it is read best.
type schema struct {
	Dialect              string             `json:"$schema,omitempty"`
	ID                   string             `json:"$id,omitempty"`
	Title                string             `json:"title,omitempty"`
	Description          string             `json:"description,omitempty"`
	Ref                  string             `json:"$ref,omitempty"`
	Type                 any                `json:"type,omitempty"`
	Format               string             `json:"format,omitempty"`
	Pattern              string             `json:"pattern,omitempty"`
	ContentEncoding      string             `json:"contentEncoding,omitempty"`
	Const                string             `json:"const,omitempty"`
	Enum                 []any              `json:"enum,omitempty"`
	Minimum              *int64             `json:"minimum,omitempty"`
	Maximum              *int64             `json:"maximum,omitempty"`
	Required             []string           `json:"required,omitempty"`
	Items                *schema            `json:"items,omitempty"`
	Properties           properties         `json:"properties,omitempty"`
	AdditionalProperties any                `json:"additionalProperties,omitempty"` // bool or *schema
	FoldCase             bool               `json:"x-foldCase,omitempty"`           // known keys match in any case
	AllOf                []*schema          `json:"allOf,omitempty"`
	If                   *schema            `json:"if,omitempty"`
	Then                 *schema            `json:"then,omitempty"`
	Defs                 map[string]*schema `json:"$defs,omitempty"`
}

// properties are schemas by name that keep the order of the Go source.
type properties []property

// property is one named schema.
type property struct {
	name   string
	schema *schema
}

// MarshalJSON writes the properties as an object in their own order.
func (p properties) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	text.WriteByte('{')
	for i, property := range p {
		if i > 0 {
			text.WriteByte(',')
		}
		name, err := json.Marshal(property.name)
		if err != nil {
			return nil, err
		}
		value, err := encode(property.schema)
		if err != nil {
			return nil, err
		}
		text.Write(name)
		text.WriteByte(':')
		text.Write(value)
	}
	text.WriteByte('}')
	return text.Bytes(), nil
}

// encode writes JSON for people: two spaces a level, no HTML escapes, a newline at the end.
func encode(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(value)
	return text.Bytes(), err
}
