// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"slices"
	"testing"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source"
)

// checkerOf makes a checker for a release with its default gates.
func checkerOf(t testing.TB, release *schemas.Release) *Checker {
	t.Helper()
	gates, err := release.NewGates(nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scheme.New(release, gates)
	if err != nil {
		t.Fatal(err)
	}
	return New(s)
}

// readers are the releases that read a text, the newest first.
func readers(t testing.TB, text string) []*schemas.Release {
	t.Helper()
	apiVersion, _, _ := source.Split("x.yaml", []byte(text))[0].Sniff()
	var list []*schemas.Release
	for _, minor := range slices.Backward(schemas.Minors()) {
		if _, ok := schemas.For(minor).API(apiVersion); ok {
			list = append(list, schemas.For(minor))
		}
	}
	if len(list) == 0 {
		t.Fatalf("no release reads %q", apiVersion)
	}
	return list
}

// breaking returns what is found in a text by the newest release for which it breaks the rule; without one,
// by the newest that reads it.
func breaking(t testing.TB, text, rule string) (*schemas.Release, diag.List, int) {
	t.Helper()
	for _, release := range readers(t, text) {
		findings := check(t, release, "x.yaml", text)
		if at := slices.IndexFunc(findings, func(d diag.Diagnostic) bool { return d.Rule == rule }); at >= 0 {
			return release, findings, at
		}
	}
	release := readers(t, text)[0]
	return release, check(t, release, "x.yaml", text), -1
}

func check(t testing.TB, release *schemas.Release, name, text string) diag.List {
	t.Helper()
	result, err := checkerOf(t, release).Check(source.Split(name, []byte(text))[0])
	if err != nil {
		t.Fatal(err)
	}
	return result.Findings
}

// TestExamples holds that each rule finds something in its bad example and nothing in its good one, and
// that a good example is good in every respect.
func TestExamples(t *testing.T) {
	for _, rule := range Rules {
		broken := &schemas.Release{}
		if rule.Bad != "" {
			release, findings, at := breaking(t, rule.Bad, rule.ID)
			if accepted, stage := findings.Verdict(); !accepted && rule.Otherwise != 0 {
				t.Errorf("%s: Kubernetes %s refuses the bad example at %s\n%s", rule.ID, release.Name, stage, shown(findings))
			}
			broken = release
			if at < 0 {
				t.Errorf("%s: nothing is found in the bad example\n%s", rule.ID, shown(findings))
			} else if findings[at].Pos.Line < 3 && len(findings[at].Path) > 0 {
				t.Errorf("%s: found at %s, which is the head of the example", rule.ID, findings[at].Pos)
			}
		}
		if rule.Good != "" {
			// By the release that the bad one is bad for, if it reads the good one.
			releases := readers(t, rule.Good)
			release := releases[max(0, slices.Index(releases, broken))]
			findings := check(t, release, "x.yaml", rule.Good)
			for _, d := range findings {
				if d.Rule == rule.ID || d.Severity != diag.Info && d.Rule != ruleDeprecated {
					t.Errorf("%s: found in the good example\n%s", rule.ID, shown(findings))
				}
			}
		}
	}
	for _, rule := range adviceRules {
		if rule.Bad == "" {
			t.Errorf("%s has no bad example", rule.ID)
		}
	}
}

func shown(findings diag.List) string {
	text := ""
	for _, d := range findings {
		text += fmt.Sprintf("    %s %s %s: %s (%s) [%s]\n", d.Pos, d.Severity, d.Path, d.Message, d.Hint, d.Rule)
	}
	return text
}

// TestAdviceOnDefaults holds that a configuration that says nothing, and one that says what is the
// default, brings no warning up on any release.
func TestAdviceOnDefaults(t *testing.T) {
	for _, minor := range schemas.Minors() {
		release := schemas.For(minor)
		checker := checkerOf(t, release)
		for i := range release.APIs {
			api := &release.APIs[i]
			empty := []byte("apiVersion: " + api.APIVersion + "\nkind: " + api.Kind + "\n")
			texts := map[string][]byte{"empty": empty}
			result, err := checker.Check(source.Split("x.yaml", empty)[0])
			if err != nil || result.Built == nil {
				t.Fatalf("%s %s: not built: %v", minor, api.APIVersion, err)
			}
			written, err := checker.scheme.Write(result.Built, api)
			if err != nil {
				t.Fatal(err)
			}
			texts["written"] = written
			for name, text := range texts {
				result, err := checker.Check(source.Split("x.yaml", text)[0])
				if err != nil {
					t.Fatal(err)
				}
				if api.Writes != api.APIVersion && name == "written" {
					continue
				}
				for _, d := range result.Findings {
					if d.Severity != diag.Info && slices.ContainsFunc(adviceRules, func(r Rule) bool { return r.ID == d.Rule }) {
						t.Errorf("%s %s %s: %s", minor, api.APIVersion, name, shown(diag.List{d}))
					}
				}
			}
		}
	}
}
