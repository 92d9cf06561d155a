// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
)

// PluginExplanation is a plugin in the target, or in the newest minor that has it.
type PluginExplanation struct {
	Plugin
	// Target is the minor that the rest is about.
	Target     string `json:"target"`
	APIVersion string `json:"apiVersion"`
	// Minors are those that have the plugin, in words.
	Minors string `json:"minors"`
	// Note is set when the target that was asked for does not have it.
	Note   string      `json:"note"`
	Fields []FieldLine `json:"fields"`
}

// FieldLine is a field of plugin args.
type FieldLine struct {
	Field       string `json:"field"`
	Type        string `json:"type"`
	Default     string `json:"default"`
	Description string `json:"description"`
}

func explainPlugin(s *scheme.Scheme, name string) (Explanation, error) {
	e := PluginExplanation{Fields: []FieldLine{}}
	if span, ok := schemas.PluginSpan(name); ok {
		e.Minors = span.String()
		if _, ok := s.Release.Plugin(name); !ok {
			e.Note = fmt.Sprintf("Kubernetes %s does not have it: %s", s.Release.Name, s.PluginHint(name))
			release := schemas.For(span.Last)
			gates, err := release.NewGates(nil)
			if err != nil {
				return nil, err
			}
			if s, err = scheme.New(release, gates); err != nil {
				return nil, err
			}
		}
	}
	api := &s.Release.APIs[0]
	e.Target, e.APIVersion = s.Release.Name, api.APIVersion
	rows, err := Plugins(s, api)
	if err != nil {
		return nil, err
	}
	e.Plugin = rows[slices.IndexFunc(rows, func(r Plugin) bool { return r.Name == name })]
	schema, err := OpenSchema(s.Release, api)
	if err != nil {
		return nil, err
	}
	for _, path := range schema.paths() {
		field, ok := strings.CutPrefix(path, e.Args+".")
		if ok && e.Args != "" && field != "apiVersion" && field != "kind" {
			node, _ := schema.find(strings.Split(path, "."))
			e.Fields = append(e.Fields, FieldLine{field, schema.typeName(node), defaultOf(api, path), schema.description(node)})
		}
	}
	return e, nil
}

// Text writes the explanation for people to read.
func (e PluginExplanation) Text(w io.Writer) error {
	if e.Note != "" {
		fmt.Fprintf(w, "%s\n\n", e.Note)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "plugin\t%s\nminors\t%s\nin\tKubernetes %s, %s\n", e.Name, e.Minors, e.Target, e.APIVersion)
	fmt.Fprintf(table, "points\t%s\nby default\t%s\nweight\t%s\n", strings.Join(e.Points, ", "), e.pointsInWords(), e.WeightInWords())
	switch {
	case e.Args == "":
		fmt.Fprintln(table, "args\tnone")
	case len(e.Fields) == 0:
		fmt.Fprintf(table, "args\t%s, which the plugin reads itself\n", e.Args)
	default:
		fmt.Fprintf(table, "args\t%s\n", e.Args)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, f := range e.Fields {
		fmt.Fprintf(w, "   %s  %s", f.Field, f.Type)
		if f.Default != "" {
			fmt.Fprintf(w, ", default %s", f.Default)
		}
		fmt.Fprintf(w, "\n      %s\n", f.Description)
	}
	return nil
}

func (e PluginExplanation) pointsInWords() string {
	if len(e.Enabled) == 0 {
		return "not enabled"
	}
	return "enabled at " + strings.Join(e.Enabled, ", ")
}
