// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/validation"
)

func (p *program) explain() *cli.Command {
	return &cli.Command{
		Name:      "explain",
		Usage:     "explain a rule, a plugin, or a field of a configuration",
		ArgsUsage: "RULE|PLUGIN|FIELD",
		Description: `A field is a path such as leaderElection.resourceLock or profiles[0].schedulerName. Those of plugin args
start with the plugin: NodeResourcesFit.scoringStrategy.type.

EXAMPLES:
   schedconf explain plugin-unknown
   schedconf explain leaderElection.resourceLock --target 1.20
`,
		Flags: []cli.Flag{targetFlag(), outputFlag(formats)},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage(c, "give one rule, plugin, or field")
			}
			s, err := newScheme(c)
			if err != nil {
				return err
			}
			explanation, err := lookUp(c, s, c.Args().First())
			if err != nil {
				return err
			}
			if c.String("output") == "json" {
				return writeJSON(p.stdout, explanation, "  ")
			}
			return explanation.text(p.stdout)
		},
	}
}

// explanation is what is known about a word.
type explanation interface{ text(io.Writer) error }

// lookUp finds what a word is: rules, plugins and fields are written differently, so that no word
// is two of them.
func lookUp(c *cli.Context, s *scheme.Scheme, word string) (explanation, error) {
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
		return nil, usage(c, "%q is more than one field: %s%s", word, strings.Join(candidates[:min(shown, len(candidates))], ", "), more)
	}
	return nil, usage(c, "%q is no rule, plugin or field%s", word, suggestWord(s.Release, word))
}

func suggestWord(release *schemas.Release, word string) string {
	known := schemas.PluginNames()
	for _, rule := range validation.Rules {
		known = append(known, rule.ID)
	}
	for _, api := range release.APIs {
		if schema, err := openSchema(release, &api); err == nil {
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

// presence is the minors in which an apiVersion has something.
type presence struct {
	APIVersion string `json:"apiVersion"`
	Stage      string `json:"stage,omitempty"`
	From       string `json:"from"`
	To         string `json:"to"`
}

func (p presence) minors() string {
	if p.From == p.To {
		return p.From
	}
	return p.From + " to " + p.To
}

// presences asks about every apiVersion of every minor and joins equal answers of neighbours. An
// answer of false is none.
func presences(ask func(*schemas.Release, *schemas.API) (string, bool)) []presence {
	all := []presence{}
	for _, apiVersion := range apiVersionsByAge() {
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
				all = append(all, presence{apiVersion, answer, release.Name, release.Name})
			}
			open = ok
		}
	}
	return all
}
