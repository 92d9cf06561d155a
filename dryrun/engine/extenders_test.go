// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/schedconf/schedconf/dryrun"
)

const oneExtender = defaultConfig + `extenders:
- urlPrefix: http://user:secret@127.0.0.1:1/scheduler
  filterVerb: filter
  prioritizeVerb: prioritize
  weight: 50
`

// TestStubs lets an extender that is not there say no to a node and prefer another.
func TestStubs(t *testing.T) {
	three := aNode("a", "z1") + aNode("b", "z2") + aNode("c", "z3")
	asked := request(three, simplePod("p", "1", ""))
	asked.Config, asked.Extenders = oneExtender, dryrun.ExtendersStub
	asked.Stubs = []dryrun.Stub{{URLPrefix: "http://user:secret@127.0.0.1:1/scheduler", Reject: map[string]string{"a": "no licence"}, Scores: map[string]int64{"c": 10}}}
	report := ask(t, asked)
	check(t, report, map[string]string{"p": "c"})
	for _, node := range report.Pods[0].Nodes {
		switch node.Name {
		case "a":
			if node.Filter == nil || node.Filter.Message != "no licence" || node.Filter.Plugin != "http://127.0.0.1:1/scheduler" {
				t.Errorf("a is rejected by %+v", node.Filter)
			}
		case "c":
			// An extender's 10 at weight 50, on the scale of 100.
			if got := node.Scores["http://127.0.0.1:1/scheduler"].Weighted; got != 10*50*10 {
				t.Errorf("c has %d from the extender: %v", got, node.Scores)
			}
		}
	}
	if marks := strings.Join(report.Marks, "; "); !strings.Contains(marks, "have the answers of a file: http://127.0.0.1:1/scheduler") || strings.Contains(marks, "secret") {
		t.Errorf("marks: %s", marks)
	}
	asked.Extenders, asked.Stubs = dryrun.ExtendersSkip, nil
	if marks := strings.Join(ask(t, asked).Marks, "; "); !strings.Contains(marks, "were not called") || strings.Contains(marks, "secret") {
		t.Errorf("marks: %s", marks)
	}
	asked.Extenders, asked.Stubs = dryrun.ExtendersStub, []dryrun.Stub{{URLPrefix: "http://other"}}
	if _, err := answer(t.Context(), asked, nil, nil); err == nil || !strings.Contains(err.Error(), `no extender with the urlPrefix "http://other"`) {
		t.Errorf("error %v", err)
	}
}

// TestUnmodelled runs without a plugin that the engine does not have, wherever it is enabled, and says so.
func TestUnmodelled(t *testing.T) {
	asked := request(aNode("a", "z1"), simplePod("p", "1", "")+simplePod("q", "9", ""))
	asked.Config = defaultConfig + `profiles:
- plugins:
    multiPoint: {enabled: [{name: Mine, weight: 3}]}
    permit: {enabled: [{name: Other}]}
  pluginConfig:
  - name: Mine
    args: {some: thing}
`
	if _, err := answer(t.Context(), asked, nil, nil); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("error %v, want one about a plugin that is not there", err)
	}
	asked.Unmodelled = []string{"Mine", "Other"}
	report := ask(t, asked)
	check(t, report, map[string]string{"p": "a", "q": "pending"})
	if len(report.Marks) != 2 || !strings.Contains(report.Marks[0], "the plugin Mine is not in the engine") {
		t.Errorf("marks %v", report.Marks)
	}
}
