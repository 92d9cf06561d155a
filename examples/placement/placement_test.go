// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedconf/schedconf/dryrun"
)

var update = flag.Bool("update", false, "record the report of the engine")

// TestPlacement asks the engine where pods go, and holds the answer against testdata/expect.yaml.
func TestPlacement(t *testing.T) {
	report := place(t)
	expectations, err := dryrun.ReadExpectations(read(t, "testdata/expect.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, check := range expectations.Check(report) {
		if !check.Passed {
			t.Errorf("%s: %s", check.Name, strings.Join(check.Failures, "; "))
		}
	}
	for _, finding := range report.Findings {
		t.Errorf("%s:%d: %s", finding.File, finding.Line, finding.Message)
	}
	if report.Partial != "" {
		t.Errorf("the run ended early: %s", report.Partial)
	}
}

// TestExplained asks for more than a file of expectations can: which plugin decided.
func TestExplained(t *testing.T) {
	report := place(t)
	at := slices.IndexFunc(report.Pods, func(p dryrun.Pod) bool { return p.FullName() == "shop/huge" })
	if at < 0 {
		t.Fatal("the report has no pod shop/huge")
	}
	for _, node := range report.Pods[at].Nodes {
		if node.Filter == nil || node.Filter.Plugin != "NodeResourcesFit" {
			t.Errorf("node %s: %+v, want NodeResourcesFit to reject it", node.Name, node.Filter)
		}
	}
	if len(report.Pods[at].Nodes) != 3 {
		t.Errorf("%d nodes are explained", len(report.Pods[at].Nodes))
	}
}

// place runs the engine that "schedconf dryrun" would run. Where there is none, it reads what the engine has
// said before about the same question, so that this test needs no engine to pass; yours would rather fail.
func place(t *testing.T) *dryrun.Report {
	t.Helper()
	const recorded = "testdata/report.json"
	engine, err := dryrun.Find("")
	if errors.Is(err, dryrun.ErrNoEngine) && !*update {
		var report dryrun.Report
		if err := json.Unmarshal(read(t, recorded), &report); err != nil {
			t.Fatal(err)
		}
		return &report
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	report, err := dryrun.Ask(ctx, engine, dryrun.Request{
		Config:     string(read(t, "testdata/sched.yaml")),
		Cluster:    []dryrun.Source{{Name: "cluster.yaml", Path: "testdata/cluster.yaml"}},
		Workload:   []dryrun.Source{{Name: "workload.yaml", Path: "testdata/workload.yaml"}},
		ExplainAll: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		text, err := json.MarshalIndent(report, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(recorded, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return report
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
