// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	protocol "github.com/tliron/glsp/protocol_3_16"
	corev1 "k8s.io/api/core/v1"
	schedv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/explain"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/validation"
)

// placeholder is put where somebody types, so that a text that is half written can be read. No configuration
// has it.
const placeholder = "schedconf-completes-here"

// completion offers what can stand at a position.
func (s *server) completion(_ context.Context, doc *document, params *protocol.CompletionParams) (any, error) {
	list := protocol.CompletionList{Items: []protocol.CompletionItem{}}
	text := doc.text.string
	at := doc.text.offset(params.Position)
	from, to := wordAround(text, at)
	err := s.lookups.use(func(tool Tool) error {
		for _, attempt := range attempts(text, from, to) {
			spot, err := attempt.spot(tool, doc.path)
			if err != nil {
				return err
			}
			if spot == nil {
				continue
			}
			for _, c := range spot.candidates() {
				list.Items = append(list.Items, item(doc.text.span(from, to), c, attempt.suffix, len(list.Items)))
			}
			if len(list.Items) > 0 {
				return nil
			}
		}
		return nil
	})
	return list, err
}

// candidate is something that can be written.
type candidate struct {
	text, detail, documentation string
	kind                        protocol.CompletionItemKind
	// opens is what comes behind a key.
	opens string
}

func item(at protocol.Range, c candidate, suffix bool, rank int) protocol.CompletionItem {
	written := c.text
	if suffix {
		written += c.opens
	}
	order := fmt.Sprintf("%03d", rank)
	out := protocol.CompletionItem{
		Label: c.text, Kind: &c.kind, SortText: &order, FilterText: &c.text, TextEdit: protocol.TextEdit{Range: at, NewText: written},
	}
	if c.detail != "" {
		out.Detail = &c.detail
	}
	if c.documentation != "" {
		out.Documentation = protocol.MarkupContent{Kind: protocol.MarkupKindPlainText, Value: c.documentation}
	}
	return out
}

// wordAround is the word that somebody is typing.
func wordAround(text string, at int) (from, to int) {
	isPart := func(c byte) bool {
		return c == '_' || c == '.' || c == '/' || c == '*' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	from, to = at, at
	for from > 0 && isPart(text[from-1]) {
		from--
	}
	// The dash of a list is no word.
	for from < at && text[from] == '-' && (from+1 == at || text[from+1] == ' ') {
		from++
	}
	for to < len(text) && isPart(text[to]) {
		to++
	}
	return from, to
}

// attempt is a text with the placeholder in it.
type attempt struct {
	text string
	at   int
	// suffix is true if a key still needs its colon.
	suffix bool
}

// startOfLine matches what stands before a key in block style, and opened what does in flow style and JSON.
var (
	startOfLine = regexp.MustCompile(`^[ \t]*(?:- +)*["']?$`)
	opened      = regexp.MustCompile(`[{,][ \t]*["']?$`)
	colon       = regexp.MustCompile(`^["']?[ \t]*:(?:[ \t\r\n]|$)`)
)

// attempts are the ways to read what is being typed, the likely one first.
func attempts(text string, from, to int) []attempt {
	line := text[strings.LastIndexByte(text[:from], '\n')+1 : from]
	before, after := text[:from], text[to:]
	value := attempt{before + placeholder + after, from, false}
	if colon.MatchString(after) {
		return []attempt{value} // a key that is there
	}
	quote := ""
	if n := len(line); n > 0 && (line[n-1] == '"' || line[n-1] == '\'') {
		quote = line[n-1:]
	}
	// An editor that closes quotes has put the second one already.
	closing := quote
	if quote != "" && strings.HasPrefix(after, quote) {
		closing, value.text = "", before+placeholder+after
	} else if quote != "" {
		value.text = before + placeholder + quote + after
	}
	switch {
	case startOfLine.MatchString(line):
		key := attempt{before + placeholder + closing + ":" + after, from, quote == ""}
		if closing == "" && quote != "" {
			key.text = before + placeholder + quote + ":" + after[1:]
		}
		return []attempt{key, value}
	case opened.MatchString(line):
		key := attempt{before + placeholder + closing + ": null" + after, from, quote == ""}
		if closing == "" && quote != "" {
			key.text = before + placeholder + quote + ": null" + after[1:]
		}
		return []attempt{key, value}
	}
	return []attempt{value}
}

// spot finds the placeholder in what can be read. A text without kind is taken for a configuration, so that one
// can be begun.
func (a attempt) spot(tool Tool, file string) (*spot, error) {
	spot, err := spotAt(tool, file, a.text, a.at)
	if spot != nil || err != nil {
		return spot, err
	}
	documents := source.Split(file, []byte(a.text))
	doc := documents[source.IndexAt([]byte(a.text), documents, a.at)]
	s := spotIn(doc.Root(), a.text, a.at)
	if s == nil || !s.begins() {
		return nil, nil
	}
	return s, s.judge(tool, &validation.File{Name: file}, -1)
}

// begins reports whether a document is about to become a configuration: what it says of itself so far is
// nothing else.
func (s *spot) begins() bool {
	if len(s.path) != 1 {
		return false
	}
	isOpen := func(field, ours string) bool {
		said := s.root.Field(field).Text()
		return said == "" || said == placeholder || strings.HasPrefix(said, ours)
	}
	return isOpen("apiVersion", config.GroupName) && isOpen("kind", config.Kind)
}

// candidates are what can stand at the spot, for the release that the file is for.
func (s *spot) candidates() []candidate {
	if s.isKey {
		return s.keys()
	}
	if point, ok := s.plugin(s.path); ok {
		return s.plugins(point)
	}
	var list []candidate
	for _, word := range s.words() {
		list = append(list, candidate{text: word, kind: protocol.CompletionItemKindValue})
	}
	return list
}

// keys are the fields that the mapping does not have yet.
func (s *spot) keys() []candidate {
	parent := s.path[:len(s.path)-1]
	there := map[string]bool{}
	for name := range s.node(parent).Fields() {
		there[name] = true
	}
	var list []candidate
	for _, child := range s.schema.Children(s.api, s.fieldPath(parent)) {
		if there[child.Name] {
			continue
		}
		c := candidate{text: child.Name, detail: child.Type, documentation: child.Description, kind: protocol.CompletionItemKindField, opens: ": "}
		if child.Default != "" {
			c.documentation += "\n\ndefault: " + child.Default
		}
		if child.Object || child.List {
			c.opens = ":"
		}
		list = append(list, c)
	}
	// What a file says first comes first.
	slices.SortStableFunc(list, func(a, b candidate) int { return rank(a.text) - rank(b.text) })
	return list
}

func rank(name string) int {
	first := []string{"apiVersion", "kind", "name", "schedulerName"}
	if i := slices.Index(first, name); i >= 0 {
		return i
	}
	return len(first)
}

// plugins are those that can stand at a point, without those that stand beside the spot.
func (s *spot) plugins(point string) []candidate {
	there := map[string]bool{}
	for item := range s.node(s.path[:len(s.path)-2]).Items() {
		there[item.Field("name").Text()] = true
	}
	rows, err := explain.Plugins(s.scheme, s.api)
	if err != nil {
		rows = nil // only what is said of them is missing then
	}
	var list []candidate
	for _, name := range s.pluginsAt(point) {
		if there[name] {
			continue
		}
		c := candidate{text: name, kind: protocol.CompletionItemKindClass}
		if i := slices.IndexFunc(rows, func(r explain.Plugin) bool { return r.Name == name }); i >= 0 {
			row := rows[i]
			c.detail = strings.Join(row.Points, ", ")
			c.documentation = "enabled by default: " + row.EnabledInWords() + "\ndefault weight: " + row.WeightInWords()
			if span, ok := schemas.PluginSpan(name); ok {
				c.documentation += "\nin Kubernetes " + span.String()
			}
		}
		list = append(list, c)
	}
	if n := len(s.path); n >= 3 && s.path[n-3] == "disabled" && !there["*"] {
		list = append(list, candidate{text: `"*"`, detail: "all default plugins of the point", kind: protocol.CompletionItemKindValue})
	}
	return list
}

// words are the values that a field takes.
func (s *spot) words() []string {
	switch {
	case s.path.Equal(diag.Path{"apiVersion"}):
		var list []string
		for _, api := range s.scheme.Release.APIs {
			list = append(list, api.APIVersion)
		}
		return list
	case s.path.Equal(diag.Path{"kind"}):
		return []string{config.Kind}
	case s.path.Equal(diag.Path{"leaderElection", "resourceLock"}):
		return s.scheme.Release.ResourceLocks
	}
	steps := s.fieldPath(s.path)
	if list := s.schema.Values(steps); len(list) > 0 {
		return list
	}
	return constants[strings.Join(steps[max(0, len(steps)-2):], ".")]
}

// constants are the values of fields whose schema says no more than text, by the end of their path.
var constants = map[string][]string{
	"scoringStrategy.type":                 {string(schedv1.LeastAllocated), string(schedv1.MostAllocated), string(schedv1.RequestedToCapacityRatio)},
	"PodTopologySpreadArgs.defaultingType": {string(schedv1.SystemDefaulting), string(schedv1.ListDefaulting)},
	"defaultConstraints.whenUnsatisfiable": {string(corev1.DoNotSchedule), string(corev1.ScheduleAnyway)},
	"matchExpressions.operator": {
		string(corev1.NodeSelectorOpIn), string(corev1.NodeSelectorOpNotIn), string(corev1.NodeSelectorOpExists),
		string(corev1.NodeSelectorOpDoesNotExist), string(corev1.NodeSelectorOpGt), string(corev1.NodeSelectorOpLt),
	},
}
