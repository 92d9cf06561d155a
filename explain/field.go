// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/validation"
)

// Field is a field in the target, or in the newest minor that has it.
type Field struct {
	Field string `json:"field"`
	// Target and APIVersion are what the rest is about.
	Target      string `json:"target"`
	APIVersion  string `json:"apiVersion"`
	Note        string `json:"note"`
	Type        string `json:"type"`
	Default     string `json:"default"`
	Description string `json:"description"`
	// Minors are those that have the field, by apiVersion.
	Minors []Presence `json:"minors"`
	// Moved says where to look in other apiVersions.
	Moved string `json:"moved"`
}

// explainField finds a path, or the last name of one. Without an Explanation the candidates are the
// fields that the name may mean.
func explainField(release *schemas.Release, word string) (Explanation, []string, error) {
	steps := fieldSteps(word)
	if len(steps) == 0 {
		return nil, nil, nil
	}
	e, candidates, err := fieldIn(release, steps)
	if e != nil || len(candidates) > 0 || err != nil {
		return asExplanation(e), candidates, err
	}
	minors := schemas.Minors()
	for _, minor := range slices.Backward(minors) {
		e, _, err := fieldIn(schemas.For(minor), steps)
		if err != nil {
			return nil, nil, err
		}
		if e != nil {
			e.Note = fmt.Sprintf("Kubernetes %s has no such field; this is about %s", release.Name, e.Target)
			return e, nil, nil
		}
	}
	return nil, nil, nil
}

func asExplanation(e *Field) Explanation {
	if e == nil {
		return nil
	}
	return e
}

// fieldSteps are the names of a path, without indexes.
func fieldSteps(word string) []string {
	var steps []string
	for _, step := range diag.ParsePath(strings.ReplaceAll(word, "[]", "")) {
		if strings.Trim(step, "0123456789*") != "" {
			steps = append(steps, step)
		}
	}
	return steps
}

// fieldIn looks for the field in the apiVersions of a release, the preferred one first.
func fieldIn(release *schemas.Release, steps []string) (*Field, []string, error) {
	for i := range release.APIs {
		api := &release.APIs[i]
		schema, err := OpenSchema(release, api)
		if err != nil {
			return nil, nil, err
		}
		if node, found := schema.find(steps); node != nil {
			return describeField(release, api, schema, node, found), nil, nil
		}
		if len(steps) > 1 {
			continue
		}
		var candidates []string
		for _, candidate := range schema.paths() {
			if strings.HasSuffix(candidate, "."+steps[0]) {
				candidates = append(candidates, candidate)
			}
		}
		if len(candidates) > 1 {
			return nil, candidates, nil
		}
		if len(candidates) == 1 {
			node, found := schema.find(strings.Split(candidates[0], "."))
			return describeField(release, api, schema, node, found), nil, nil
		}
	}
	return nil, nil, nil
}

func describeField(release *schemas.Release, api *schemas.API, schema *Schema, node *Node, name string) *Field {
	e := &Field{
		Field: name, Target: release.Name, APIVersion: api.APIVersion,
		Type: schema.typeName(node), Default: defaultOf(api, name), Description: schema.description(node),
	}
	steps := strings.Split(name, ".")
	e.Minors = presences(func(release *schemas.Release, api *schemas.API) (string, bool) {
		other, err := OpenSchema(release, api)
		if err != nil {
			return "", false
		}
		node, _ := other.find(steps)
		return "", node != nil
	})
	e.Moved, _ = validation.Moved(steps[len(steps)-1])
	return e
}

// Text writes the explanation for people to read.
func (e *Field) Text(w io.Writer) error {
	if e.Note != "" {
		fmt.Fprintf(w, "%s\n\n", e.Note)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "field\t%s\nin\tKubernetes %s, %s\ntype\t%s\n", e.Field, e.Target, e.APIVersion, e.Type)
	if e.Default != "" {
		fmt.Fprintf(table, "default\t%s\n", e.Default)
	}
	for i, p := range e.Minors {
		label := ""
		if i == 0 {
			label = "exists in"
		}
		fmt.Fprintf(table, "%s\t%s: %s\n", label, path.Base(p.APIVersion), p.minors())
	}
	if e.Moved != "" {
		fmt.Fprintf(table, "moved\t%s\n", e.Moved)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", e.Description)
	return err
}

// defaultOf is what the release fills in for a field, with the condition if there is one.
func defaultOf(api *schemas.API, field string) string {
	list := api.Defaults
	if kind, below, ok := strings.Cut(field, "."); ok && api.ArgsDefaults[kind] != nil {
		list, field = api.ArgsDefaults[kind], below
	}
	var values []string
	for _, d := range list {
		value, ok := within(d, field)
		if !ok {
			continue
		}
		if c := condition(d); c != "" {
			value += " " + c
		}
		if !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return strings.Join(values, ", else ")
}

// within returns the part of a default that is for the field: all of it, or what it has under the
// rest of the path.
func within(d schemas.Default, field string) (string, bool) {
	of := strings.ReplaceAll(d.Field, "[]", "")
	if of == field {
		return plainValue(d.Value), true
	}
	rest, ok := strings.CutPrefix(field, of+".")
	value := d.Value
	for _, step := range strings.Split(rest, ".") {
		var object map[string]json.RawMessage
		if !ok || json.Unmarshal(value, &object) != nil {
			return "", false
		}
		value, ok = object[step]
	}
	return plainValue(value), ok
}

// plainValue is a JSON value on one line, a text without its quotes.
func plainValue(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil && text != "" {
		return text
	}
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return string(value)
	}
	return b.String()
}

func condition(d schemas.Default) string {
	var parts []string
	if d.When != "" {
		parts = append(parts, "with "+d.When)
	}
	if d.Unless != "" {
		parts = append(parts, "without "+d.Unless)
	}
	for _, gate := range sortedKeys(d.Gates) {
		parts = append(parts, fmt.Sprintf("with feature gate %s=%t", gate, d.Gates[gate]))
	}
	if len(parts) == 0 {
		return ""
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
