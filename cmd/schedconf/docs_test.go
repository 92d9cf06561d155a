// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
	pages := map[string]string{"rules.md": rulesPage(), "migrating.md": migratingPage()}
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
		if rule.Bad != "" {
			fmt.Fprintf(&b, "\nBad:\n\n%s\nGood:\n\n%s", indented(rule.Bad), indented(rule.Good))
		}
	}
	b.WriteString("\n## What people ran into\n\nEach kind of trouble that is known, with the rules that find it, or what answers it otherwise.\n\n| trouble | what happened | rules | otherwise |\n|---|---|---|---|\n")
	for _, report := range validation.Reports {
		rules := "—"
		if len(report.Rules) > 0 {
			rules = "`" + strings.Join(report.Rules, "`, `") + "`"
		}
		otherwise := report.Otherwise
		if otherwise == "" {
			otherwise = "—"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", report.Label, report.Title, rules, otherwise)
	}
	return b.String()
}

const migratingText = `# Migrating

` + "`schedconf migrate`" + ` makes one configuration, in the apiVersion that the target prefers, of whatever a scheduler was
started with: a Policy, an algorithm provider, flags, a manifest, or a file of an older apiVersion. Its report accounts
for every part of the input:

| outcome | means |
|---|---|
| exact | the same plugin with the same weight and args, or the same value |
| approximate | something close; the report says what can differ |
| dropped | nothing, and nothing is lost by that; the report says why |
| impossible | nothing; the report says what to do instead |

## What a Policy means

- A list that is missing means the defaults of the release, an empty one means none but the mandatory predicates.
- PodToleratesNodeTaints and CheckNodeUnschedulable always run.
- GeneralPredicates stands for PodFitsResources, HostName, PodFitsHostPorts and MatchNodeSelector.
- Entries with an argument share one plugin per kind of argument since 1.17: the labels add up.
- Since 1.18 a known name wins over an argument, before an argument over the name.
- The last weight of a priority counts, and of it the lower 32 bits since 1.17.
- The key is ` + "`extenders`" + ` in every release; ` + "`extenderConfigs`" + ` is ignored by 1.16 and refused since 1.17. The keys in an
  extender are read without regard to case since 1.17, so that both enableHttps and enableHTTPS work.

## What a Policy becomes

A Policy that runs what a provider of its release runs becomes the default profile of the target, with the weights of
today; ` + "`--preserve`" + ` writes the old ones out, and ` + "`--to-provider`" + ` names the provider for targets up to 1.18. Any other keeps
its plugins and weights: what the target runs besides is disabled, and listed in one block. ` + "`--with-defaults`" + ` leaves it on.

- NodeResourcesLeastAllocated, NodeResourcesMostAllocated and RequestedToCapacityRatio are scoring strategies of
  NodeResourcesFit, which has one. Of several the first by name is kept.
- SelectorSpread and DefaultPodTopologySpread become PodTopologySpread with its built-in constraints, at score alone.
- NodeLabel becomes addedAffinity of NodeAffinity: labels that have to be there or not are exact where the Policy heeds node
  affinity anyway; preferences are approximate.
- ServiceAffinity, NodePreferAvoidPods and NodeResourceLimits have no successor.
- The limits for EBS, GCE, Azure and Cinder volumes are counted by NodeVolumeLimits, as the CSI volumes they have become.

`

// migratingPage is what is known of policies: in words, and per minor from the facts.
func migratingPage() string {
	var b strings.Builder
	b.WriteString(migratingText)
	for _, part := range []struct {
		title string
		of    func(*schemas.PolicyFacts) []schemas.PolicyName
	}{
		{"Predicates", func(f *schemas.PolicyFacts) []schemas.PolicyName { return f.Predicates }},
		{"Priorities", func(f *schemas.PolicyFacts) []schemas.PolicyName { return f.Priorities }},
	} {
		fmt.Fprintf(&b, "## %s by minor\n\n| name | minors | plugins by point | args | gates |\n|---|---|---|---|---|\n", part.title)
		for _, row := range policyRows(part.of) {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", row.name, row.minors(), row.meaning, row.args, row.gates)
		}
		b.WriteString("\n")
	}
	b.WriteString("## Defaults by minor\n\n| minor | predicates | priorities | always |\n|---|---|---|---|\n")
	for _, release := range schemas.PolicyReleases() {
		facts, _ := release.Policy()
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", release.Name, defaultNames(facts.DefaultPredicates), defaultNames(facts.DefaultPriorities), defaultNames(facts.Mandatory))
	}
	return b.String()
}

type policyRow struct {
	name, meaning, args, gates string
	releases                   []string
}

func (r policyRow) minors() string {
	if len(r.releases) == 1 {
		return r.releases[0]
	}
	return r.releases[0] + "–" + r.releases[len(r.releases)-1]
}

// policyRows lists each meaning of each name with the minors that share it.
func policyRows(of func(*schemas.PolicyFacts) []schemas.PolicyName) []policyRow {
	var rows []policyRow
	for _, release := range schemas.PolicyReleases() {
		facts, _ := release.Policy()
		for _, name := range of(facts) {
			row := policyRow{name: name.Name, meaning: meaningOf(facts, name), args: argsOf(name), gates: gatesOf(name.Gates), releases: []string{release.Name}}
			at := slices.IndexFunc(rows, func(r policyRow) bool {
				return r.name == row.name && r.meaning == row.meaning && r.args == row.args && r.gates == row.gates
			})
			if at >= 0 {
				rows[at].releases = append(rows[at].releases, release.Name)
				continue
			}
			rows = append(rows, row)
		}
	}
	slices.SortStableFunc(rows, func(a, b policyRow) int { return strings.Compare(a.name, b.name) })
	return rows
}

func meaningOf(facts *schemas.PolicyFacts, name schemas.PolicyName) string {
	switch {
	case name.Alias != "":
		return "stands for " + name.Alias
	case name.NoEffect:
		return "no effect"
	}
	var parts []string
	for _, point := range slices.Sorted(maps.Keys(name.Points)) {
		parts = append(parts, point+": "+strings.Join(name.Points[point], ", "))
	}
	text := strings.Join(parts, "; ")
	switch {
	case text == "":
		return "run by the scheduler itself; nothing later does the same"
	case facts.Behaviour.Runs == "native" || name.Native:
		return "run by the scheduler itself; later " + text
	}
	return text
}

func argsOf(name schemas.PolicyName) string {
	var parts []string
	if name.Argument != "" {
		parts = append(parts, "from "+name.Argument)
	}
	if name.HardWeight != "" {
		parts = append(parts, "hardPodAffinityWeight from hardPodAffinitySymmetricWeight")
	}
	for _, args := range []map[string]json.RawMessage{name.Args, name.ArgsIfNone} {
		for _, plugin := range slices.Sorted(maps.Keys(args)) {
			parts = append(parts, fmt.Sprintf("%s: `%s`", plugin, args[plugin]))
		}
	}
	if len(parts) == 0 {
		return "—"
	}
	return strings.Join(parts, "; ")
}

func gatesOf(gates map[string]bool) string {
	var parts []string
	for _, gate := range slices.Sorted(maps.Keys(gates)) {
		parts = append(parts, fmt.Sprintf("%s=%t", gate, gates[gate]))
	}
	if len(parts) == 0 {
		return "—"
	}
	return strings.Join(parts, ", ")
}

func defaultNames(list []schemas.PolicyDefault) string {
	var parts []string
	for _, d := range list {
		text := d.Name
		if d.Weight > 1 {
			text += fmt.Sprintf(" × %d", d.Weight)
		}
		if len(d.Gates) > 0 {
			text += " (" + gatesOf(d.Gates) + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// enforcedBy lists the minors that refuse, in runs: "1.17–1.22 validate".
func enforcedBy(rule string) string {
	type run struct{ first, last, stage string }
	var runs []run
	previous := ""
	for _, minor := range schemas.Minors() {
		stage := ""
		release := schemas.For(minor)
		for _, api := range release.APIs {
			if s := api.Stage(rule); s != "" {
				stage = s
			}
		}
		for _, apiVersion := range release.Policies {
			if s := release.PolicyAPI(apiVersion).Stage(rule); s != "" && strings.HasPrefix(rule, "policy-") {
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

// indented sets a text off by four blanks.
func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ") + "\n"
}
