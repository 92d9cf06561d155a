// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	apiVersion, _ := source.Split("x.yaml", []byte(text))[0].Scalar(diag.Path{"apiVersion"})
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

// TestExamples holds that each rule finds something in its bad example, on the line that is marked and on
// no other, and nothing in its good one; that a good example is good in every respect; and that no release
// refuses the bad example of advice.
func TestExamples(t *testing.T) {
	for _, rule := range Rules {
		if strings.HasPrefix(rule.Bad, "kube-scheduler ") {
			checkCommandExamples(t, rule)
			continue
		}
		broken := &schemas.Release{}
		if rule.Bad != "" {
			release, findings, _ := breaking(t, rule.Bad, rule.ID)
			broken = release
			if accepted, stage := findings.Verdict(); !accepted && rule.Otherwise != 0 {
				t.Errorf("%s: Kubernetes %s refuses the bad example at %s\n%s", rule.ID, release.Name, stage, shown(findings))
			}
			if diff := cmp.Diff(marked(rule.Bad, "# bad"), linesOf(findings, rule.ID)); diff != "" {
				t.Errorf("%s: lines of the bad example (-marked +found)\n%s\n%s", rule.ID, diff, shown(findings))
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
	for _, rule := range slices.Concat(adviceRules, flagRules) {
		if (rule.Bad == "" || rule.Good == "") && rule.ID != scheme.RulePolicyAndProfiles {
			t.Errorf("%s has no bad and good example", rule.ID)
		}
	}
}

// checkCommandExamples is TestExamples for command lines: some release has the rule find something in the
// bad one, and finds nothing in the good one.
func checkCommandExamples(t *testing.T, rule Rule) {
	t.Helper()
	find := func(release *schemas.Release, command string) (findings diag.List, found bool) {
		findings, _ = CheckFlags(release, strings.Fields(command), func(int) diag.Position { return diag.Position{Line: 1, Column: 1} })
		return findings, len(linesOf(findings, rule.ID)) > 0
	}
	for _, minor := range slices.Backward(schemas.Minors()) {
		release := schemas.For(minor)
		if _, found := find(release, rule.Bad); !found {
			continue
		}
		if findings, _ := find(release, rule.Good); slices.ContainsFunc(findings, func(d diag.Diagnostic) bool { return d.Rule == rule.ID || d.Severity == diag.Error }) {
			t.Errorf("%s: found in the good command line on %s\n%s", rule.ID, minor, shown(findings))
		}
		return
	}
	t.Errorf("%s: no release has anything against the bad command line", rule.ID)
}

// marked are the lines of a text that a mark stands in, from 1.
func marked(text, mark string) []int {
	var lines []int
	for i, line := range strings.Split(text, "\n") {
		if strings.Contains(line, mark) {
			lines = append(lines, i+1)
		}
	}
	return lines
}

// linesOf are the lines on which a rule found something.
func linesOf(findings diag.List, rule string) []int {
	var lines []int
	for _, d := range findings {
		if d.Rule == rule {
			lines = append(lines, d.Pos.Line)
		}
	}
	return lines
}

func shown(findings diag.List) string {
	text := ""
	for _, d := range findings {
		text += fmt.Sprintf("    %s %s %s: %s (%s) [%s]\n", d.Pos, d.Severity, d.Path, d.Message, d.Hint, d.Rule)
	}
	return text
}

// TestAdviceOnDefaults holds that a configuration that says nothing, and one that says what is the
// default, brings no warning up on any release, whatever the feature gates.
func TestAdviceOnDefaults(t *testing.T) {
	for _, minor := range schemas.Minors() {
		release := schemas.For(minor)
		for _, overrides := range []map[string]bool{nil, {"AllAlpha": true, "AllBeta": true}, {"AllBeta": false}} {
			gates, err := release.NewGates(overrides)
			if err != nil {
				t.Fatal(err)
			}
			s, err := scheme.New(release, gates)
			if err != nil {
				t.Fatal(err)
			}
			checkDefaults(t, New(s))
		}
	}
}

func checkDefaults(t *testing.T, checker *Checker) {
	t.Helper()
	release := checker.scheme.Release
	for i := range release.APIs {
		api := &release.APIs[i]
		empty := "apiVersion: " + api.APIVersion + "\nkind: " + api.Kind + "\n"
		result, err := checker.Check(source.Split("x.yaml", []byte(empty))[0])
		if err != nil || result.Built == nil {
			t.Fatalf("%s %s: not built: %v", release.Name, api.APIVersion, err)
		}
		written, err := checker.scheme.Write(result.Built, api)
		if err != nil {
			t.Fatal(err)
		}
		texts := []string{empty, string(written)}
		if profiled(release) {
			texts = append(texts, empty+"profiles:\n- schedulerName: default-scheduler\n")
		}
		if strings.HasSuffix(api.APIVersion, "/v1alpha1") {
			texts = texts[:2]
		}
		for _, text := range texts {
			result, err := checker.Check(source.Split("x.yaml", []byte(text))[0])
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range result.Findings {
				// v1beta1 of 1.19 to 1.21 refuses what it has written itself.
				if d.Severity == diag.Warning && d.Rule != ruleDeprecated {
					t.Errorf("%s %s: %s%s", release.Name, api.APIVersion, shown(diag.List{d}), text)
				}
			}
		}
	}
}
