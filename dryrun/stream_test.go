// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// streamed is a report as it comes from an engine in pieces of some bytes.
func streamed(t *testing.T, size int, r *Report, lines ...Explained) *Report {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	var output bytes.Buffer
	encoder := json.NewEncoder(&output)
	for _, line := range lines {
		if err := encoder.Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(r) // without a line end, as from an engine that was killed
	if err != nil {
		t.Fatal(err)
	}
	output.Write(text)
	spool, err := newSpool()
	if err != nil {
		t.Fatal(err)
	}
	reader := answerReader{spool: spool}
	for lines := reader.lines(); output.Len() > 0; {
		if _, err := lines.Write(output.Next(size)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := reader.parse()
	if err != nil {
		t.Fatal(err)
	}
	got.spool = spool
	return got
}

// TestStreamed reads what an engine explains from the disk, whatever the pieces are that it comes in, and takes the
// last word on a pod.
func TestStreamed(t *testing.T) {
	full := pod("p", "a", scored("a", 50, 10), scored("b", 40, 25))
	odd := pod(`say "p"`, "b", scored("b", 1, 2))
	bare := func(p Pod) Pod { p.Nodes, p.Weights = nil, nil; return p }
	report := &Report{Protocol: Protocol, Pods: []Pod{bare(full), bare(odd), bare(pod("silent", ""))}}
	for _, size := range []int{1, 7, 1 << 20} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			r := streamed(t, size, report,
				Explained{full.FullName(), full.Weights, []NodeVerdict{{Name: "a", Filter: &Rejection{"NodePorts", "an earlier cycle"}}}},
				Explained{odd.FullName(), odd.Weights, odd.Nodes},
				Explained{full.FullName(), full.Weights, full.Nodes},
			)
			for i, want := range []Pod{full, odd, bare(pod("silent", ""))} {
				got := r.Pods[i]
				if err := r.Explain(&got); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
				t.Errorf("%v, %v is left on the disk", err, left)
			}
			if err := r.Close(); err != nil {
				t.Errorf("closed again: %v", err)
			}
		})
	}
}

// TestWriteJSON writes streamed reports, and those that they are compared with, as if all had been in memory.
func TestWriteJSON(t *testing.T) {
	full := pod("p", "a", scored("a", 50, 10), scored("b", 40, 25))
	moved := pod("p", "b", scored("a", 10, 10), scored("b", 40, 25))
	bare := func(p Pod) Pod { p.Nodes, p.Weights = nil, nil; return p }
	whole := func(p Pod) *Report {
		return &Report{Protocol: Protocol, Marks: []string{`"pods":[]`}, Pods: []Pod{p, p}, Nodes: make([]Node, 2)}
	}
	on := func(p Pod) *Report {
		return streamed(t, 64, whole(bare(p)), Explained{p.FullName(), p.Weights, p.Nodes})
	}
	answer := func(a, b *Report) *Answer {
		c, err := Compare(a, b)
		if err != nil {
			t.Fatal(err)
		}
		return &Answer{Report: a, Comparisons: []Comparison{c}, Checks: []Check{{Name: "x", Pods: []string{}}}}
	}
	var want, got bytes.Buffer
	if err := WriteJSON(&want, answer(whole(full), whole(moved)), false); err != nil {
		t.Fatal(err)
	}
	lean := answer(on(full), on(moved))
	if err := WriteJSON(&got, lean, true); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), got.String()); diff != "" {
		t.Error(diff)
	}
	if lean.Pods[0].Nodes != nil {
		t.Error("what was written stays in memory")
	}
	if move := lean.Comparisons[0].Moves[0]; move.Plugin != "NodeResourcesFit" {
		t.Errorf("%+v", move)
	}
	if err := lean.ExplainSome(3); err != nil || lean.Pods[0].Nodes != nil {
		t.Errorf("%v, nothing fits below the limit: %v", err, lean.Pods[0].Nodes)
	}
	if err := lean.Close(); err != nil {
		t.Error(err)
	}
}
