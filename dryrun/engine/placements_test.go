// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedconf/schedconf/dryrun"
)

// scenario is what an unmodified kube-scheduler v1.37.2 did on a kube-apiserver v1.37.2: the pods of
// the workload were created one after the other. The scores are weighted, and were read from its log.
type scenario struct {
	Name     string          `json:"name"`
	Config   string          `json:"config"`
	Cluster  json.RawMessage `json:"cluster"`
	Workload struct {
		Items []map[string]any `json:"items"`
	} `json:"workload"`
	Pods []outcome `json:"pods"`
}

type outcome struct {
	Pod       string                      `json:"pod"`
	Node      *string                     `json:"node"`
	Message   *string                     `json:"message"`
	Preempted []string                    `json:"preempted"`
	Scores    map[string]map[string]int64 `json:"scores"`
	Final     map[string]int64            `json:"final"`
}

// TestRecordedPlacements holds every pod against what the real scheduler did with it. Where nodes
// were equal it took one by chance, so the pods before are placed as recorded, and so is which of
// several equal pods was preempted: the scheduler reads the pods of its cluster in the order of a map.
func TestRecordedPlacements(t *testing.T) {
	for _, s := range scenarios(t) {
		t.Run(s.Name, func(t *testing.T) {
			var cluster struct {
				Items []map[string]any `json:"items"`
			}
			if err := json.Unmarshal(s.Cluster, &cluster); err != nil {
				t.Fatal(err)
			}
			for i, want := range s.Pods {
				report := ask(t, &dryrun.Request{
					Protocol: dryrun.Protocol, Config: s.Config, ExplainAll: true, Seed: int64(i),
					Cluster:  []dryrun.Source{{Name: "cluster", Text: list(t, cluster.Items...)}},
					Workload: []dryrun.Source{{Name: "workload", Text: list(t, s.Workload.Items[i])}},
				})
				if problem := compare(report.Pods[0], want); problem != "" {
					t.Errorf("%s: %s", want.Pod, problem)
				}
				cluster.Items = slices.DeleteFunc(cluster.Items, func(item map[string]any) bool {
					name := item["metadata"].(map[string]any)["name"].(string)
					return item["kind"] == "Pod" && slices.Contains(want.Preempted, name)
				})
				if want.Node != nil {
					placed := s.Workload.Items[i]
					placed["spec"].(map[string]any)["nodeName"] = *want.Node
					cluster.Items = append(cluster.Items, placed)
				}
			}
		})
	}
}

func scenarios(t *testing.T) []scenario {
	t.Helper()
	f, err := os.Open("testdata/placements.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var list []scenario
	if err := json.NewDecoder(unzipped).Decode(&list); err != nil {
		t.Fatal(err)
	}
	if len(list) < 30 {
		t.Fatalf("%d scenarios were recorded, there should be 30 at least", len(list))
	}
	return list
}

// list is a List of objects as JSON.
func list(t testing.TB, items ...map[string]any) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func ask(t testing.TB, request *dryrun.Request) *dryrun.Report {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	report, err := answer(ctx, request, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// compare says how a pod differs from what was recorded, or nothing.
func compare(got dryrun.Pod, want outcome) string {
	fits, totals := []string{}, map[string]int64{}
	scores := map[string]map[string]int64{}
	for _, node := range got.Nodes {
		if node.Filter == nil {
			fits = append(fits, node.Name)
		}
		if node.Total != nil {
			totals[node.Name] = *node.Total
		}
		scores[node.Name] = map[string]int64{}
		for plugin, score := range node.Scores {
			if score.Weighted != 0 {
				scores[node.Name][plugin] = score.Weighted
			}
		}
	}
	if (got.Node == nil) != (want.Node == nil) {
		return fmt.Sprintf("placed %v with message %v, recorded %v", says(got.Node), says(got.Message), says(want.Node))
	}
	switch {
	case want.Node == nil:
		head := func(s *string) string { h, _, _ := strings.Cut(says(s), " preemption:"); return h }
		return cmp.Diff(head(want.Message), head(got.Message))
	case len(want.Preempted) > 0:
		return cmp.Diff(len(want.Preempted), len(got.Preempted))
	case len(want.Final) == 0:
		if !slices.Contains(fits, *want.Node) || !slices.Contains(fits, *got.Node) {
			return fmt.Sprintf("%s of %v, recorded %s", *got.Node, fits, *want.Node)
		}
		return ""
	}
	for _, byPlugin := range want.Scores {
		maps.DeleteFunc(byPlugin, func(_ string, score int64) bool { return score == 0 })
	}
	if best := slices.Max(slices.Collect(maps.Values(want.Final))); want.Final[*got.Node] != best {
		return fmt.Sprintf("%s is not among the best", *got.Node)
	}
	return cmp.Diff(slices.Sorted(maps.Keys(want.Final)), fits) + cmp.Diff(want.Final, totals) + cmp.Diff(want.Scores, onlyScored(scores, totals))
}

func onlyScored(scores map[string]map[string]int64, totals map[string]int64) map[string]map[string]int64 {
	maps.DeleteFunc(scores, func(node string, _ map[string]int64) bool { _, ok := totals[node]; return !ok })
	return scores
}

func says(s *string) string {
	if s == nil {
		return "nothing"
	}
	return *s
}
