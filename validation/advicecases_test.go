// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source"
)

// adviceCase is a configuration of testdata/advice with what its first comments say about it.
type adviceCase struct {
	title, text string
	// line is where it starts in its file.
	line                        int
	target, name, gates, plugin string
	nodes                       int
	// refused is the stage at which the release refuses it; it loads most.
	refused string
}

// readCases takes the cases of a file apart. Each starts with a title, and may say more:
//
//	# a title
//	# target: 1.28; file: name.yaml; plugins: X=filter,score Y; gates: A=true; nodes: 5
//
// Without apiVersion it is v1.
func readCases(t *testing.T, file string) []adviceCase {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []adviceCase
	line := 1
	for text := range strings.SplitSeq(string(data), "---\n") {
		c := adviceCase{text: text, line: line, name: "x.yaml"}
		line += strings.Count(text, "\n") + 1
		for comment := range strings.Lines(text) {
			comment, ok := strings.CutPrefix(strings.TrimSuffix(comment, "\n"), "# ")
			if !ok {
				break
			}
			if c.title == "" {
				c.title = comment
				continue
			}
			for part := range strings.SplitSeq(comment, "; ") {
				key, value, _ := strings.Cut(part, ": ")
				switch key {
				case "target":
					c.target = value
				case "file":
					c.name = value
				case "plugins":
					c.plugin = value
				case "gates":
					c.gates = value
				case "refused":
					c.refused = value
				case "nodes":
					c.nodes, err = strconv.Atoi(value)
				default:
					t.Fatalf("%s: %q", file, part)
				}
			}
		}
		if c.title == "" || err != nil {
			t.Fatalf("%s:%d: a case without title, or %v", file, c.line, err)
		}
		if !strings.Contains(text, "apiVersion: kubescheduler.config.k8s.io") {
			c.text = strings.TrimSuffix(text, "\n") + "\napiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
		}
		cases = append(cases, c)
	}
	return cases
}

// checker judges a case for the release that it names, or else for the newest that reads it.
func (c *adviceCase) checker(t *testing.T) *Checker {
	t.Helper()
	release := readers(t, c.text)[0]
	if c.target != "" {
		release = schemas.For(minorOf(t, c.target))
	}
	overrides, err := schemas.ParseGates(c.gates)
	if err != nil {
		t.Fatal(err)
	}
	gates, err := release.NewGates(overrides)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scheme.New(release, gates)
	if err != nil {
		t.Fatal(err)
	}
	for plugin := range strings.FieldsSeq(c.plugin) {
		name, points, ok := strings.Cut(plugin, "=")
		if !ok {
			s.Declare(name)
			continue
		}
		s.Declare(name, strings.Split(points, ",")...)
	}
	checker := New(s)
	checker.Nodes = c.nodes
	return checker
}

// TestAdviceCases holds every piece of advice to its cases: testdata/advice has a file for each, and the
// rule finds something on the lines that say "# want" and on no other. A case without such a line is a
// near miss. A release loads a case unless it says otherwise.
func TestAdviceCases(t *testing.T) {
	for _, rule := range adviceRules {
		t.Run(rule.ID, func(t *testing.T) {
			file := filepath.Join("..", "testdata", "advice", rule.ID+".yaml")
			fires, silent := 0, 0
			for _, c := range readCases(t, file) {
				result, err := c.checker(t).Check(source.Split(c.name, []byte(c.text))[0])
				if err != nil {
					t.Fatal(err)
				}
				want := marked(c.text, "# want")
				if diff := cmp.Diff(want, linesOf(result.Findings, rule.ID)); diff != "" {
					t.Errorf("%s:%d %s: lines (-want +found)\n%s\n%s", file, c.line, c.title, diff, shown(result.Findings))
				}
				if _, stage := result.Findings.Verdict(); string(stage) != c.refused {
					t.Errorf("%s:%d %s: refused at %s\n%s", file, c.line, c.title, stage, shown(result.Findings))
				}
				if len(want) > 0 {
					fires++
				} else {
					silent++
				}
			}
			if fires == 0 || silent < 2 {
				t.Errorf("%s has %d cases that fire and %d near misses", file, fires, silent)
			}
		})
	}
	files, err := filepath.Glob(filepath.Join("..", "testdata", "advice", "*.yaml"))
	if err != nil || len(files) != len(adviceRules) {
		t.Errorf("there are %d files of cases for %d rules: %v", len(files), len(adviceRules), err)
	}
}

// TestGoodPractice holds that configurations as people have them, and mean them, bring no warning up on any
// release that reads them. testdata/good has them.
func TestGoodPractice(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "testdata", "good", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal("no configurations", err)
	}
	judged := 0
	for _, file := range files {
		for _, c := range readCases(t, file) {
			var targets []string
			for _, release := range readers(t, c.text) {
				if c.target == "" || c.target == release.Name {
					targets = append(targets, release.Name)
				}
			}
			for _, c.target = range targets {
				result, err := c.checker(t).Check(source.Split(c.name, []byte(c.text))[0])
				if err != nil {
					t.Fatal(err)
				}
				judged++
				for _, d := range result.Findings {
					if d.Severity != diag.Info && d.Rule != ruleDeprecated {
						t.Errorf("%s:%d %s on %s: %s %s [%s]", file, c.line, c.title, c.target, d.Pos, d.Message, d.Rule)
					}
				}
			}
		}
	}
	if judged < 100 {
		t.Errorf("%d configurations were judged", judged)
	}
}
