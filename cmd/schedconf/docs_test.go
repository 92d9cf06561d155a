// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/validation"
)

var update = flag.Bool("update", false, "rewrite the pages in docs that are made from the program")

const docs = "../../docs"

// TestDocs holds the generated pages against what they are generated from: a page per command from
// its help, and the list of rules from their tables. With -update it writes them.
func TestDocs(t *testing.T) {
	pages := map[string]string{"rules.md": rulesPage()}
	p := &program{stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}}
	for _, command := range p.app().Commands {
		var help, stderr bytes.Buffer
		if code := run([]string{"schedconf", command.Name, "--help"}, strings.NewReader(""), &help, &stderr); code != exitYes {
			t.Fatalf("help of %s: exit code %d: %s", command.Name, code, stderr.String())
		}
		pages["commands/"+command.Name+".md"] = fmt.Sprintf("# schedconf %s\n\n```text\n%s\n```\n", command.Name, strings.TrimRight(help.String(), "\n"))
	}
	for name, want := range pages {
		path := filepath.Join(docs, name)
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("%v; go test ./cmd/schedconf -run TestDocs -update writes it", err)
			continue
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("docs/%s is not what the program says; go test ./cmd/schedconf -run TestDocs -update rewrites it (-program +page):\n%s", name, diff)
		}
	}
}

func rulesPage() string {
	var b strings.Builder
	b.WriteString("# Rules\n\nEvery finding names its rule; `schedconf explain RULE` prints the same and more. A rule is an error at the stage at\nwhich a release enforces it, and what the last column says on releases that do not.\n\n")
	b.WriteString("| rule | finds | refused by | otherwise |\n|---|---|---|---|\n")
	for _, rule := range validation.Rules {
		otherwise := "—"
		if rule.Otherwise != 0 {
			otherwise = rule.Otherwise.String()
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", rule.ID, rule.Summary, enforcedBy(rule.ID), otherwise)
	}
	b.WriteString("\n## What they are about\n")
	for _, rule := range validation.Rules {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n", rule.ID, rule.Doc)
	}
	return b.String()
}

// enforcedBy lists the minors that refuse, in runs: "1.17–1.22 validate".
func enforcedBy(rule string) string {
	type run struct{ first, last, stage string }
	var runs []run
	previous := ""
	for _, minor := range schemas.Minors() {
		stage := ""
		for _, api := range schemas.For(minor).APIs {
			if s := api.Stage(rule); s != "" {
				stage = s
			}
		}
		if stage != "" && stage == previous {
			runs[len(runs)-1].last = minor.String()
		} else if stage != "" {
			runs = append(runs, run{minor.String(), minor.String(), stage})
		}
		previous = stage
	}
	var words []string
	for _, r := range runs {
		span := r.first
		if r.last != r.first {
			span += "–" + r.last
		}
		words = append(words, span+" "+r.stage)
	}
	if len(words) == 0 {
		return "—"
	}
	return strings.Join(words, ", ")
}
