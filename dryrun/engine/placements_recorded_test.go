// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/schedconf/schedconf/dryrun"
)

// scenario is a cluster and pods that an unmodified kube-scheduler v1.37.2 scheduled against a real API
// server, one after the other, and what it did with each.
type scenario struct {
	Name     string            `json:"name"`
	Config   string            `json:"config"`
	Cluster  []json.RawMessage `json:"cluster"`
	Workload []json.RawMessage `json:"workload"`
	Outcome  []recorded        `json:"outcome"`
}

// recorded is what became of one pod.
type recorded struct {
	Pod       string                      `json:"pod"`
	Node      *string                     `json:"node"`
	Message   *string                     `json:"message"`
	Preempted []string                    `json:"preempted"`
	Final     map[string]int64            `json:"final"`
	Scores    map[string]map[string]int64 `json:"scores"`
}

// named is what the test has to know of an object.
type named struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Status struct {
		Images []struct {
			Names []string `json:"names"`
			Size  int64    `json:"sizeBytes"`
		} `json:"images"`
	} `json:"status"`
}

func scenarios(t *testing.T) []scenario {
	t.Helper()
	file, err := os.Open("testdata/placements.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<26)
	var list []scenario
	for lines.Scan() {
		var s scenario
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

func list(t *testing.T, items ...json.RawMessage) []dryrun.Source {
	t.Helper()
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		t.Fatal(err)
	}
	return []dryrun.Source{{Name: "list.json", Text: string(text)}}
}

// arrived is the order in which the recorded scheduler saw the nodes, where that can be known and matters: it
// takes the size of an image from the first node that has it (addNodeImageStates in
// pkg/scheduler/backend/cache/cache.go), and two scenarios have sizes that differ and scores that only this
// first node explains.
var arrived = map[string]string{"042-images": "node-04", "102-images": "node-02"}

var victims = regexp.MustCompile(`preempting (\d+) victims`)

// TestRecordedPlacements places the pods before each pod as they were recorded, and then this pod alone.
func TestRecordedPlacements(t *testing.T) {
	for _, s := range scenarios(t) {
		t.Run(s.Name, func(t *testing.T) {
			cluster := slices.Clone(s.Cluster)
			if first := arrived[s.Name]; first != "" {
				slices.SortStableFunc(cluster, func(a, b json.RawMessage) int {
					if x, y := nameOf(t, a) == first, nameOf(t, b) == first; x != y {
						return map[bool]int{true: -1, false: 1}[x]
					}
					return 0
				})
			}
			for i, pod := range s.Workload {
				want := s.Outcome[i]
				report, err := answer(t.Context(), dryrun.Request{
					Protocol: dryrun.Protocol, Configuration: s.Config, Cluster: list(t, cluster...), Workload: list(t, pod), ExplainAll: true,
				})
				if err != nil {
					t.Fatal(err)
				}
				if len(report.Pods) != 1 || report.Partial {
					t.Fatalf("%s: %d pods, problems %v, partial %v", want.Pod, len(report.Pods), report.Problems, report.Partial)
				}
				compareRecorded(t, report.Pods[0], want)
				cluster = slices.DeleteFunc(cluster, func(o json.RawMessage) bool { return slices.Contains(want.Preempted, nameOf(t, o)) })
				if want.Node != nil {
					cluster = append(cluster, placedOn(t, pod, *want.Node))
				}
			}
		})
	}
}

func nameOf(t *testing.T, object json.RawMessage) string {
	t.Helper()
	var o named
	if err := json.Unmarshal(object, &o); err != nil {
		t.Fatal(err)
	}
	return o.Metadata.Name
}

func placedOn(t *testing.T, pod json.RawMessage, node string) json.RawMessage {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(pod, &object); err != nil {
		t.Fatal(err)
	}
	object["spec"].(map[string]any)["nodeName"] = node
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func compareRecorded(t *testing.T, got dryrun.Pod, want recorded) {
	t.Helper()
	if (got.Node == nil) != (want.Node == nil) {
		t.Errorf("%s: node %v, recorded %v (%v)", want.Pod, got.Node, want.Node, text(got.Message))
		return
	}
	if want.Node == nil {
		if fitting(got.Message) != fitting(want.Message) {
			t.Errorf("%s: message\n%s\nrecorded\n%s", want.Pod, text(got.Message), text(want.Message))
		}
		return
	}
	if len(want.Preempted) > 0 {
		// Pods of one priority without a start time are of one age, and which of them has to go hung on the
		// order in which they had come: their number is what can be compared. The message has it; the list of
		// names lacks one in 040-preempt.
		count := len(want.Preempted)
		if said := victims.FindStringSubmatch(text(want.Message)); said != nil {
			count, _ = strconv.Atoi(said[1])
		}
		if len(got.Preempted) != count {
			t.Errorf("%s: evicted %v, recorded %d: %v", want.Pod, got.Preempted, count, want.Preempted)
		}
		if got.Nominated == nil || *got.Nominated != *got.Node {
			t.Errorf("%s: nominated %v, placed on %s", want.Pod, got.Nominated, *got.Node)
		}
		return
	}
	fits, totals := map[string]bool{}, map[string]int64{}
	for _, node := range got.Nodes {
		fits[node.Name] = node.Filter == nil
		if node.Total != nil {
			totals[node.Name] = *node.Total
		}
	}
	if len(want.Final) == 0 {
		if !fits[*got.Node] || !fits[*want.Node] {
			t.Errorf("%s: %s and the recorded %s should both fit: %v", want.Pod, *got.Node, *want.Node, fits)
		}
		return
	}
	if !maps.Equal(totals, want.Final) {
		t.Errorf("%s: totals %v, recorded %v", want.Pod, totals, want.Final)
	}
	best := slices.Max(slices.Collect(maps.Values(want.Final)))
	if want.Final[*got.Node] != best {
		t.Errorf("%s: placed on %s with %d, the best is %d", want.Pod, *got.Node, want.Final[*got.Node], best)
	}
	for _, node := range got.Nodes {
		if node.Filter != nil {
			continue
		}
		for plugin, score := range want.Scores[node.Name] {
			if node.Scores[plugin].Weighted != score {
				t.Errorf("%s: %s gives %s %d, recorded %d", want.Pod, plugin, node.Name, node.Scores[plugin].Weighted, score)
			}
		}
		var sum int64
		for plugin, score := range node.Scores {
			sum += score.Weighted
			if score.Weighted != score.Normalized*got.Weights[plugin] {
				t.Errorf("%s: %s has the weight %d, and gives %s %d for %d", want.Pod, plugin, got.Weights[plugin], node.Name, score.Weighted, score.Normalized)
			}
		}
		if node.Total != nil && sum != *node.Total {
			t.Errorf("%s: the scores of %s come to %d, its total is %d", want.Pod, node.Name, sum, *node.Total)
		}
	}
}

// fitting is a message without what it says about preemption, whose counts hang on which candidates were
// looked at.
func fitting(message *string) string {
	before, _, _ := strings.Cut(text(message), " preemption:")
	return before
}

func text(s *string) string {
	if s == nil {
		return "none"
	}
	return *s
}
