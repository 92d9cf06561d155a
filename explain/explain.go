// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/validation"
)

// Explanation is what is known about a word. It can be written as JSON.
type Explanation interface {
	// Text writes it for people to read.
	Text(io.Writer) error
}

// UnknownError is a word that is nothing that can be explained, or more than one thing.
type UnknownError struct{ message string }

func (e *UnknownError) Error() string { return e.message }

// LookUp finds what a word is for the release of a scheme: rules, plugins and fields are written differently,
// so that no word is two of them. A word that is none is an *UnknownError.
func LookUp(s *scheme.Scheme, word string) (Explanation, error) {
	if rule, ok := validation.Lookup(strings.ToLower(word)); ok {
		return explainRule(rule), nil
	}
	for _, name := range schemas.PluginNames() {
		if strings.EqualFold(name, word) {
			return explainPlugin(s, name)
		}
	}
	field, candidates, err := explainField(s.Release, word)
	switch {
	case err != nil:
		return nil, err
	case field != nil:
		return field, nil
	case len(candidates) > 0:
		const shown = 5
		more := ""
		if len(candidates) > shown {
			more = fmt.Sprintf(" and %d more", len(candidates)-shown)
		}
		return nil, &UnknownError{fmt.Sprintf("%q is more than one field: %s%s", word, strings.Join(candidates[:min(shown, len(candidates))], ", "), more)}
	}
	return nil, &UnknownError{fmt.Sprintf("%q is no rule, plugin or field%s", word, suggestWord(s.Release, word))}
}

// OfField explains the field at a path of an apiVersion, as Schema.Children has it. It is nil if there is none.
func OfField(release *schemas.Release, api *schemas.API, steps []string) (Explanation, error) {
	schema, err := OpenSchema(release, api)
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	node, name := schema.find(steps)
	if node == nil {
		return nil, nil
	}
	return describeField(release, api, schema, node, name), nil
}

// OfPlugin explains a plugin that comes with kube-scheduler, of whatever release.
func OfPlugin(s *scheme.Scheme, name string) (Explanation, error) { return explainPlugin(s, name) }

func suggestWord(release *schemas.Release, word string) string {
	known := schemas.PluginNames()
	for _, rule := range validation.Rules {
		known = append(known, rule.ID)
	}
	for _, api := range release.APIs {
		if schema, err := OpenSchema(release, &api); err == nil {
			for _, path := range schema.paths() {
				known = append(known, path, path[strings.LastIndexByte(path, '.')+1:])
			}
		}
	}
	slices.Sort(known)
	if near, ok := scheme.Nearest(word, slices.Compact(known)); ok {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return ""
}

// Presence is the minors in which an apiVersion has something.
type Presence struct {
	APIVersion string `json:"apiVersion"`
	Stage      string `json:"stage,omitempty"`
	From       string `json:"from"`
	To         string `json:"to"`
}

func (p Presence) minors() string {
	if p.From == p.To {
		return p.From
	}
	return p.From + " to " + p.To
}

// presences asks about every apiVersion of every minor and joins equal answers of neighbours. An
// answer of false is none.
func presences(ask func(*schemas.Release, *schemas.API) (string, bool)) []Presence {
	all := []Presence{}
	for _, apiVersion := range APIVersions() {
		open := false
		for _, minor := range schemas.Minors() {
			release := schemas.For(minor)
			answer, ok := "", false
			if api, served := release.API(apiVersion); served {
				answer, ok = ask(release, api)
			}
			if last := len(all) - 1; ok && open && all[last].Stage == answer {
				all[last].To = release.Name
			} else if ok {
				all = append(all, Presence{apiVersion, answer, release.Name, release.Name})
			}
			open = ok
		}
	}
	return all
}

// APIVersions lists every apiVersion, the oldest first.
func APIVersions() []string {
	var all []string
	for _, minor := range schemas.Minors() {
		for _, api := range slices.Backward(schemas.For(minor).APIs) {
			if !slices.Contains(all, api.APIVersion) {
				all = append(all, api.APIVersion)
			}
		}
	}
	return all
}
