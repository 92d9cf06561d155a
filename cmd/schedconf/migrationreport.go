// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/schedconf/schedconf/conversion"
	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source"
)

// itemsOfDocument accounts for every value of a configuration by what its translation has said.
func (m *migration) itemsOfDocument(changes diag.List) {
	for _, d := range changes {
		d.Pos = m.placeOf(d.Path)
		m.findings = append(m.findings, d)
	}
	if m.doc == nil {
		return
	}
	value, _, err := scheme.ReadValue(m.doc.Bytes())
	if err != nil {
		return
	}
	m.eachPart(value, nil, func(path diag.Path, name string) {
		item := scheme.Item{Path: path, Name: name, Outcome: scheme.Exact}
		if startsWith(path, diag.Path{"algorithmSource", "policy"}) {
			if m.policy != nil {
				item.Becomes = "the profile"
				m.items = append(m.items, item)
			}
			return // what is missing has been accounted for
		}
		for _, change := range changes {
			if !m.concerns(change, path, name) {
				continue
			}
			if outcome, ok := outcomeOf[change.Rule]; ok && (item.Outcome == scheme.Exact) {
				item.Outcome = outcome
				if change.Rule == scheme.RulePluginFolded && strings.Contains(change.Message, "not equally") {
					item.Outcome = scheme.Approximate
				}
			}
			item.Why = joinedWhy(item.Why, change)
		}
		for _, d := range m.findings {
			if d.Rule == "field-unknown" && d.Severity == diag.Warning && startsWith(path, d.Path) {
				item.Outcome, item.Why = scheme.Dropped, fmt.Sprintf("Kubernetes %s does not know the field, and ignores it", m.release.Name)
			}
		}
		m.items = append(m.items, item)
	})
}

// lost reports whether the target has no place for a field.
func (m *migration) lost(field string) bool {
	return slices.ContainsFunc(m.findings, func(d diag.Diagnostic) bool { return d.Rule == conversion.RuleFieldDropped && d.Path.String() == field })
}

// outcomeOf says how well something is carried over about which a change of a rule is reported.
var outcomeOf = map[string]scheme.Outcome{
	scheme.RuleFieldMoved: scheme.Exact, scheme.RulePluginFolded: scheme.Exact, scheme.RulePluginDropped: scheme.Impossible,
	scheme.RuleArgsUnread: scheme.Dropped, scheme.RulePointUnread: scheme.Dropped, scheme.RuleMeaningChanged: scheme.Approximate,
	conversion.RuleFieldDropped: scheme.Impossible, conversion.RuleArgsDropped: scheme.Impossible, conversion.RulePointDropped: scheme.Impossible,
}

func joinedWhy(why string, change diag.Diagnostic) string {
	text := change.Message
	if change.Hint != "" {
		text += "; " + change.Hint
	}
	if why == "" || strings.Contains(text, why) {
		return text
	}
	if strings.Contains(why, text) {
		return why
	}
	return why + "; " + text
}

// eachPart visits what an account lists: each entry of a list of objects by its name, and any other value.
func (m *migration) eachPart(value any, path diag.Path, visit func(path diag.Path, name string)) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range m.doc.Keys(path) {
			if len(path) == 0 && (key == "apiVersion" || key == "kind") {
				continue
			}
			m.eachPart(v[key], path.Child(key), visit)
		}
		return
	case []any:
		for i, item := range v {
			object, ok := item.(map[string]any)
			name, _ := object["name"].(string)
			if prefix, isText := object["urlPrefix"].(string); isText && name == "" {
				name = scheme.RedactURL(prefix)
			}
			switch {
			case ok && len(path) > 0 && path[len(path)-1] == "profiles":
				m.eachPart(item, path.Index(i), visit)
			case ok:
				visit(path.Index(i), name)
			}
		}
		if len(v) > 0 {
			if _, objects := v[0].(map[string]any); objects {
				return
			}
		}
	}
	visit(path, path[len(path)-1])
}

// concerns reports whether a change is about a part of the document. One about a plugin names it.
func (m *migration) concerns(change diag.Diagnostic, path diag.Path, name string) bool {
	at := m.inDocument(change.Path)
	if len(at) > len(path) {
		return startsWith(at, path)
	}
	if !startsWith(path, at) {
		return false
	}
	isPlugin := slices.Contains(path, "plugins")
	return len(at) == len(path) || !isPlugin || strings.Contains(change.Message, fmt.Sprintf("%q", name))
}

// startsWith reports whether a path leads to something at or below another.
func startsWith(path, above diag.Path) bool {
	return len(above) > 0 && len(path) >= len(above) && slices.Equal(path[:len(above)], above)
}

// itemsOfFlags accounts for every flag: what became a field, what stays on the command line, and what goes.
func (m *migration) itemsOfFlags() {
	for _, given := range m.flags.Given {
		if given.Word.Index == m.implied {
			continue
		}
		item := scheme.Item{Path: diag.Path{"--" + given.Name}, Name: scheme.RedactURL(given.Value), Outcome: scheme.Exact}
		after, kept := m.to.Scheme.Release.Flag(given.Name)
		beside := m.doc != nil
		switch {
		case given.Name == "config" || strings.HasPrefix(given.Name, "policy-config") || given.Name == "use-legacy-policy-config":
			item.Becomes = "the configuration"
			if given.Name == "config" && m.doc == nil {
				item.Outcome, item.Becomes, item.Why = scheme.Impossible, "", "the configuration is not here: give its file, and migrate again"
			}
			if given.Name != "config" && m.policy == nil {
				item.Outcome, item.Becomes, item.Why = scheme.Impossible, "", "the Policy is not here: give its file, and migrate again"
			}
		case given.Flag == nil:
			item.Outcome, item.Why = scheme.Dropped, fmt.Sprintf("Kubernetes %s does not have the flag", m.release.Name)
		case beside && given.Flag.WithConfig == "ignored":
			item.Outcome, item.Why = scheme.Dropped, fmt.Sprintf("Kubernetes %s ignores the flag beside --config", m.release.Name)
		case given.Flag.WithConfig == "none":
			item.Outcome, item.Why = scheme.Dropped, "the flag has no effect"
		case len(given.Flag.ConfigFields) > 0 && addressFields[given.Name] == nil:
			item.Becomes = strings.Join(given.Flag.ConfigFields, ", ")
		case given.Name == "algorithm-provider":
			item.Becomes = "the plugins of the profile"
		case addressFields[given.Name] != nil:
			item.Becomes = strings.Join(addressFields[given.Name], ", ")
			switch {
			case given.Name == "port" && given.Value == "0":
				item.Outcome, item.Becomes, item.Why = scheme.Dropped, "", "it switches the insecure port off, and there is none any more"
			case m.lost("healthzBindAddress"):
				item.Outcome, item.Becomes, item.Why = scheme.Impossible, "", "there is no insecure port any more: use --bind-address and --secure-port, and probe over https"
			}
		case kept && after.WithConfig != "none":
			item.Becomes = "stays a flag"
		default:
			item.Outcome, item.Why = scheme.Impossible, fmt.Sprintf("Kubernetes %s does not have the flag", m.to.Scheme.Release.Name)
			if given.Flag.Deprecated != "" {
				item.Why += "; " + given.Flag.Deprecated
			}
		}
		m.items = append(m.items, item)
	}
}

// document is the one that the path of an item is of.
func (m *migration) document() *source.Document { return firstOf(m.policyDoc, m.doc) }

func (m *migration) positionOf(item scheme.Item) diag.Position {
	if len(item.Path) > 0 && strings.HasPrefix(item.Path[0], "--") {
		if given, ok := m.flags.Last(strings.TrimPrefix(item.Path[0], "--")); ok {
			return given.Word.Pos
		}
	}
	doc := m.document()
	if doc != nil && m.doc != nil && m.doc.Has(item.Path) {
		doc = m.doc
	}
	if doc == nil {
		return diag.Position{}
	}
	return doc.Position(item.Path)
}

// report prints the account to standard error.
func (m *migration) report() {
	if m.c.Bool("quiet") {
		return
	}
	fmt.Fprintf(m.stderr, "%s: %s of Kubernetes %s to %s of Kubernetes %s\n", printable(m.title()), m.what(), m.release.Name, m.to.API.APIVersion, m.to.Scheme.Release.Name)
	if m.provider != "" {
		fmt.Fprintf(m.stderr, "it does what %s does\n", m.provider)
	}
	var lines strings.Builder
	table := tabwriter.NewWriter(&lines, 0, 0, 2, ' ', 0)
	for _, item := range m.items {
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", item.Outcome, printable(m.label(item)), printable(arrow(item.Becomes)), printable(item.Why))
	}
	_ = table.Flush() // a builder takes everything
	for line := range strings.Lines(lines.String()) {
		fmt.Fprintln(m.stderr, strings.TrimRight(line, " \n"))
	}
	if len(m.notRun) > 0 && !m.c.Bool("with-defaults") {
		fmt.Fprintf(m.stderr, "not run, although the defaults of Kubernetes %s would: %s; --with-defaults adds them\n", m.to.Scheme.Release.Name, strings.Join(m.notRun, ", "))
	}
}

func arrow(becomes string) string {
	if becomes == "" {
		return ""
	}
	return "→ " + becomes
}

func (m *migration) label(item scheme.Item) string {
	path := item.Path.String()
	if item.Name == "" || strings.HasSuffix(path, item.Name) {
		return path
	}
	return path + " " + item.Name
}

// what names the input in a word.
func (m *migration) what() string {
	switch {
	case m.policyDoc != nil:
		return scheme.PolicyKind
	case m.doc == nil:
		return "flags"
	}
	if value, _, err := scheme.Value(m.doc); err == nil {
		if apiVersion, _, err := scheme.TypeMeta(value); err == nil {
			return apiVersion
		}
	}
	return "a file"
}

type migrationReport struct {
	File     string          `json:"file"`
	From     migrationSide   `json:"from"`
	To       migrationSide   `json:"to"`
	Provider string          `json:"provider,omitempty"`
	Items    []migrationItem `json:"items"`
	NotRun   []string        `json:"notRun"`
	Findings []jsonFinding   `json:"findings"`
	// Accepted is true if the target takes the configuration.
	Accepted bool `json:"accepted"`
	// Configuration is its text; null where there is none.
	Configuration *string `json:"configuration"`
	// Proof is there with --prove.
	Proof *proof `json:"proof,omitempty"`
}

type migrationSide struct {
	Kubernetes string `json:"kubernetes"`
	Input      string `json:"input,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
}

type migrationItem struct {
	Item    string         `json:"item"`
	Path    string         `json:"path"`
	File    string         `json:"file"`
	Line    int            `json:"line"`
	Outcome scheme.Outcome `json:"outcome"`
	Becomes string         `json:"becomes"`
	Why     string         `json:"why"`
}

func (m *migration) json() migrationReport {
	out := migrationReport{
		File: m.name, To: migrationSide{Kubernetes: m.to.Scheme.Release.Name, APIVersion: m.to.API.APIVersion}, Provider: m.provider,
		Items: []migrationItem{}, NotRun: m.notRun, Findings: []jsonFinding{}, Proof: m.proof, Accepted: m.text != nil && !m.refused,
	}
	if m.release != nil {
		out.From = migrationSide{Kubernetes: m.release.Name, Input: m.what()}
	}
	for _, item := range m.items {
		pos := m.positionOf(item)
		out.Items = append(out.Items, migrationItem{item.Name, item.Path.String(), pos.File, pos.Line, item.Outcome, item.Becomes, item.Why})
	}
	if out.NotRun == nil {
		out.NotRun = []string{}
	}
	for _, d := range m.findings {
		out.Findings = append(out.Findings, newJSONFinding(d))
	}
	if m.text != nil {
		text := string(m.text)
		out.Configuration = &text
	}
	return out
}
