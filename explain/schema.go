// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/schedconf/schedconf/schemas"
)

// Schema is a JSON Schema to look fields up in.
type Schema struct {
	Ref  string           `json:"$ref"`
	Defs map[string]*Node `json:"$defs"`
}

// Node is the part of a JSON Schema that explains a field.
type Node struct {
	Ref         string           `json:"$ref"`
	Description string           `json:"description"`
	Type        oneOrMany        `json:"type"`
	Format      string           `json:"format"`
	Encoding    string           `json:"contentEncoding"`
	Const       *string          `json:"const"`
	Enum        []*string        `json:"enum"`
	Properties  map[string]*Node `json:"properties"`
	Values      mapValues        `json:"additionalProperties"`
	Items       *Node            `json:"items"`
}

// oneOrMany is a word or a list of words.
type oneOrMany []string

func (o *oneOrMany) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*o = oneOrMany{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(o))
}

// mapValues is the schema of the values of a map; nil where additionalProperties is a boolean.
type mapValues struct{ node *Node }

func (m *mapValues) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '{' {
		return json.Unmarshal(data, &m.node)
	}
	return nil
}

// opened are the schemas that were read, by minor and apiVersion. A field is looked up in all of them.
var opened sync.Map

// OpenSchema reads the JSON Schema of an apiVersion of a release, once. The result is shared and must not be
// changed.
func OpenSchema(release *schemas.Release, api *schemas.API) (*Schema, error) {
	key := [2]string{release.Name, api.APIVersion}
	if schema, ok := opened.Load(key); ok {
		return schema.(*Schema), nil
	}
	data, err := release.Schema(api.APIVersion, api.Kind)
	if err != nil {
		return nil, err
	}
	schema := &Schema{}
	if err := json.Unmarshal(data, schema); err != nil {
		return nil, fmt.Errorf("schema of %s in Kubernetes %s: %w", api.APIVersion, release.Name, err)
	}
	opened.Store(key, schema)
	return schema, nil
}

// follow returns the node behind references, lists and maps: the one that has the fields.
func (s *Schema) follow(node *Node) *Node {
	for node != nil {
		switch {
		case node.Ref != "":
			node = s.Defs[strings.TrimPrefix(node.Ref, "#/$defs/")]
		case node.Items != nil:
			node = node.Items
		case node.Values.node != nil:
			node = node.Values.node
		default:
			return node
		}
	}
	return nil
}

func (s *Schema) root() *Node { return s.follow(&Node{Ref: s.Ref}) }

// find follows names from the root, or from the args of a plugin. It returns the node as it stands
// in its owner, and the path in the form of paths.
func (s *Schema) find(steps []string) (*Node, string) {
	if node := s.below(s.root(), steps); node != nil {
		return node, strings.Join(steps, ".")
	}
	kind := steps[0]
	if !strings.HasSuffix(kind, "Args") {
		kind += "Args"
	}
	def, ok := s.Defs[kind]
	if !ok {
		return nil, ""
	}
	if len(steps) == 1 {
		return def, kind
	}
	return s.below(s.follow(def), steps[1:]), strings.Join(append([]string{kind}, steps[1:]...), ".")
}

func (s *Schema) below(node *Node, steps []string) *Node {
	for i, step := range steps {
		if i > 0 {
			node = s.follow(node)
		}
		if node == nil {
			return nil
		}
		node = node.Properties[step]
	}
	return node
}

// Child is a field that another one, or the configuration itself, can have.
type Child struct {
	Name, Type, Description string
	// Default is what the release fills in; empty for nothing.
	Default string
	// Object and List say how its value is written, if it is no scalar.
	Object, List bool
}

// Children are the fields that can stand below a field, by name: below the configuration without steps, and below
// the args of a plugin with their kind as the first step.
func (s *Schema) Children(api *schemas.API, steps []string) []Child {
	node := s.root()
	prefix := ""
	if len(steps) > 0 {
		found, path := s.find(steps)
		node, prefix = s.follow(found), path+"."
	}
	if node == nil {
		return nil
	}
	var children []Child
	for _, name := range sortedKeys(node.Properties) {
		field := node.Properties[name]
		whole := s.whole(field)
		children = append(children, Child{
			Name: name, Type: s.typeName(field), Description: s.description(field), Default: defaultOf(api, prefix+name),
			Object: whole.Items == nil && (whole.Properties != nil || whole.Values.node != nil), List: whole.Items != nil,
		})
	}
	return children
}

// whole follows references alone.
func (s *Schema) whole(node *Node) *Node {
	for node.Ref != "" {
		node = s.Defs[strings.TrimPrefix(node.Ref, "#/$defs/")]
	}
	return node
}

// Values are the words that a field takes, if the schema says so.
func (s *Schema) Values(steps []string) []string {
	if len(steps) == 0 {
		return nil
	}
	node, _ := s.find(steps)
	if node == nil {
		return nil
	}
	if node = s.whole(node); node.Items != nil {
		node = s.whole(node.Items)
	}
	if node.Const != nil {
		return []string{*node.Const}
	}
	var values []string
	for _, value := range node.Enum {
		if value != nil && *value != "" {
			values = append(values, *value)
		}
	}
	if slices.Contains(node.Type, "boolean") {
		values = append(values, "true", "false")
	}
	return values
}

// paths lists every field of the file, and after those of the configuration those of plugin args.
func (s *Schema) paths() []string {
	var all []string
	s.collect(s.root(), "", &all)
	for _, name := range sortedKeys(s.Defs) {
		if strings.HasSuffix(name, "Args") {
			s.collect(s.follow(s.Defs[name]), name+".", &all)
		}
	}
	return all
}

func (s *Schema) collect(node *Node, prefix string, all *[]string) {
	// No definition holds itself; the bound is for a schema of the future that does.
	if node == nil || strings.Count(prefix, ".") > 12 {
		return
	}
	for _, name := range sortedKeys(node.Properties) {
		*all = append(*all, prefix+name)
		s.collect(s.follow(node.Properties[name]), prefix+name+".", all)
	}
}

// typeName says in words what a field takes.
func (s *Schema) typeName(node *Node) string {
	for node.Ref != "" {
		node = s.Defs[strings.TrimPrefix(node.Ref, "#/$defs/")]
	}
	var allowed []string
	for _, value := range node.Enum {
		if value != nil && *value != "" {
			allowed = append(allowed, *value)
		}
	}
	kind := ""
	for _, name := range node.Type {
		if name != "null" {
			kind = name
		}
	}
	switch {
	case node.Items != nil:
		return "list of " + s.typeName(node.Items)
	case node.Values.node != nil:
		return "map of " + s.typeName(node.Values.node)
	case node.Format == "go-duration":
		return "duration"
	case node.Encoding != "":
		return node.Encoding + " text"
	case len(allowed) > 0:
		return "text: " + strings.Join(allowed, " or ")
	case kind == "integer" && node.Format != "":
		return "whole number (" + node.Format + ")"
	}
	words := map[string]string{"": "any value", "string": "text", "boolean": "true or false", "integer": "whole number", "array": "list"}
	return cmp.Or(words[kind], kind)
}

// description is that of the field, or of the type that it has.
func (s *Schema) description(node *Node) string {
	for node.Description == "" && node.Ref != "" {
		node = s.Defs[strings.TrimPrefix(node.Ref, "#/$defs/")]
	}
	return node.Description
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
