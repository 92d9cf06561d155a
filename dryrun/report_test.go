// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func at(node string) *string { return &node }

// scored is a node with normalized scores of two plugins, whose weights are 2 and 1.
func scored(name string, fit, image int64) NodeVerdict {
	total := 2*fit + image
	return NodeVerdict{Name: name, Total: &total, Scores: map[string]Score{
		"NodeResourcesFit": {Raw: fit, Normalized: fit, Weighted: 2 * fit}, "ImageLocality": {Raw: image, Normalized: image, Weighted: image},
	}}
}

func pod(name, node string, verdicts ...NodeVerdict) Pod {
	p := Pod{Name: name, Namespace: "default", Outcome: Pending, Message: at("0/3 nodes are available: 3 Insufficient cpu."), Nodes: verdicts,
		Weights: map[string]int64{"NodeResourcesFit": 2, "ImageLocality": 1}, Labels: map[string]string{"app": "web"}, Preempted: []string{}}
	if node != "" {
		p.Outcome, p.Node, p.Message = Placed, &node, nil
	}
	return p
}

func cpu(name, zone string, used int64) Node {
	return Node{Name: name, Labels: map[string]string{zoneLabel: zone}, Allocatable: map[string]int64{"cpu": 1000, "memory": 100}, After: map[string]int64{"cpu": used, "memory": 0}}
}

func TestRemedies(t *testing.T) {
	// a: 2*50+10 = 110, b: 2*40+25 = 105, c: 2*20+60 = 100.
	p := pod("p", "a", scored("a", 50, 10), scored("b", 40, 25), scored("c", 20, 60), NodeVerdict{Name: "d", Filter: &Rejection{"NodePorts", "no"}})
	want := []Remedy{
		// b is 5 behind and gains 15 a step, c is 10 behind and gains 50: one step is enough for both, and c has more.
		{"ImageLocality", 1, 2, []string{"c"}},
		// b is 5 behind and gains 10 with each step down, c is 10 behind and gains 30.
		{"NodeResourcesFit", 2, 1, []string{"c"}},
	}
	if diff := cmp.Diff(want, p.Remedies()); diff != "" {
		t.Error(diff)
	}
	alone := pod("p", "a", scored("a", 50, 50), scored("b", 40, 40))
	if got := alone.Remedies(); got != nil {
		t.Errorf("no weight can help b, got %v", got)
	}
}

func TestImbalances(t *testing.T) {
	r := &Report{Nodes: []Node{cpu("a", "x", 200), cpu("b", "x", 600), cpu("c", "y", 1000)}}
	// 20, 60 and 100 %: mean 60, variance (1600+0+1600)/3. Zone x has 800 of 2000, zone y 1000 of 1000.
	want := []Imbalance{
		{"cpu", Spread{20, 100, 32.66, 800}, Spread{40, 100, 30, 1200}},
		{"memory", Spread{0, 0, 0, 100}, Spread{0, 0, 0, 200}},
	}
	if diff := cmp.Diff(want, r.Imbalances()); diff != "" {
		t.Error(diff)
	}
}

func TestCompare(t *testing.T) {
	before := &Report{Pods: []Pod{
		pod("score", "a", scored("a", 50, 0), scored("b", 40, 0)),
		pod("filter", "a", scored("a", 50, 0), scored("b", 40, 0)),
		pod("opened", "a", scored("a", 50, 0), NodeVerdict{Name: "b", Filter: &Rejection{"TaintToleration", "taint"}}),
		pod("tie", "a", scored("a", 50, 0), scored("b", 40, 0)),
		pod("lost", "a", scored("a", 50, 0)),
		pod("stays", "a", scored("a", 50, 0)),
		pod("order", "a", scored("a", 30, 5), scored("b", 31, 0)),
	}, Nodes: []Node{cpu("a", "x", 100)}}
	after := &Report{Pods: []Pod{
		pod("score", "b", scored("a", 50, 0), scored("b", 40, 90)),
		pod("filter", "b", NodeVerdict{Name: "a", Filter: &Rejection{"NodeResourcesFit", "Insufficient cpu"}}, scored("b", 40, 0)),
		pod("opened", "b", scored("a", 50, 0), scored("b", 60, 0)),
		pod("tie", "b", scored("a", 50, 0), scored("b", 50, 0)),
		pod("lost", "", NodeVerdict{Name: "a", Filter: &Rejection{"NodeName", "name"}}),
		pod("stays", "a", scored("a", 50, 0)),
		pod("order", "b", scored("a", 30, 0), scored("b", 31, 0)),
	}, Nodes: []Node{cpu("a", "x", 300)}}
	want := []Move{
		{"default/score", at("a"), at("b"), "ImageLocality", "ImageLocality gives b 90 and a 0"},
		{"default/filter", at("a"), at("b"), "NodeResourcesFit", "a does not fit any more: Insufficient cpu"},
		{"default/opened", at("a"), at("b"), "TaintToleration", "b did not fit before: taint"},
		{"default/tie", at("a"), at("b"), "", "both nodes are equal, and the seed decides"},
		{"default/lost", at("a"), nil, "NodeName", "pending: 0/3 nodes are available: 3 Insufficient cpu."},
		{"default/order", at("a"), at("b"), "ImageLocality", "ImageLocality gives b 0 and a 0"},
	}
	c, err := Compare(before, after)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, c.Moves); diff != "" {
		t.Error(diff)
	}
	if c.Before[0].Nodes.Max != 10 || c.After[0].Nodes.Max != 30 {
		t.Errorf("imbalance %v and %v", c.Before, c.After)
	}
}

func TestExpectations(t *testing.T) {
	r := &Report{
		Pods:  []Pod{pod("w0", "a", scored("a", 1, 1)), pod("w1", "b"), pod("w2", "b"), pod("none", "")},
		Nodes: []Node{cpu("a", "x", 200), cpu("b", "w", 600), cpu("c", "z", 1000)},
	}
	r.Pods[0].Preempted = []string{"v"}
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"placed holds":      {`{pods: {name: w0}, placed: true}`, nil},
		"placed":            {`{placed: true}`, []string{"default/none is pending: 0/3 nodes are available: 3 Insufficient cpu., expected to be placed"}},
		"not placed":        {`{pods: {name: w0}, placed: false}`, []string{"default/w0 is on a, expected not to be placed"}},
		"nodes hold":        {`{pods: {name: w0}, onNodes: [a, c]}`, nil},
		"nodes":             {`{pods: {name: w1}, onNodes: [a, c]}`, []string{"default/w1 is on b, expected on a or c"}},
		"zones hold":        {`{pods: {name: w1}, inZones: [w]}`, nil},
		"zones":             {`{pods: {name: w1}, inZones: [x]}`, []string{`default/w1 is on b in zone "w", expected in x`}},
		"spread holds":      {`{spread: {key: topology.kubernetes.io/zone, maxSkew: 2}}`, nil},
		"spread":            {`{spread: {key: topology.kubernetes.io/zone, maxSkew: 1}}`, []string{"the pods are spread with skew 2 over topology.kubernetes.io/zone, expected 1 at most: w 2, x 1, z 0"}},
		"spread over what":  {`{spread: {key: rack, maxSkew: 1}}`, []string{"default/w0 is on a, which has no label rack to be spread over", "default/w1 is on b, which has no label rack to be spread over", "default/w2 is on b, which has no label rack to be spread over", "no node has the label rack"}},
		"because holds":     {`{pods: {name: none}, because: Insufficient cpu}`, nil},
		"because":           {`{pods: {name: none}, because: taint}`, []string{`default/none is pending: 0/3 nodes are available: 3 Insufficient cpu., expected not to be placed because of "taint"`}},
		"preempts hold":     {`{preempts: 1}`, nil},
		"preempts":          {`{preempts: 0}`, []string{"1 pods have to go, expected 0"}},
		"nodes used hold":   {`{nodesUsedAtMost: 2}`, nil},
		"nodes used":        {`{nodesUsedAtMost: 1}`, []string{"2 nodes are used, expected 1 at most: a, b"}},
		"imbalance holds":   {`{imbalanceAtMost: {cpu: 33}}`, nil},
		"imbalance":         {`{imbalanceAtMost: {cpu: 32, gpu: 1}}`, []string{"the requests of cpu have a standard deviation of 32.66 over the nodes, expected 32 at most", "nothing requests gpu"}},
		"nobody":            {`{pods: {labels: {app: other}}, placed: true}`, []string{"no pod is selected, so nothing can be expected of it"}},
		"labels, namespace": {`{pods: {labels: {app: web}, namespace: other}, placed: true}`, []string{"no pod is selected, so nothing can be expected of it"}},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := ReadExpectations([]byte("expect: [" + test.text + "]"))
			if err != nil {
				t.Fatal(err)
			}
			check := e.Check(r)[0]
			if diff := cmp.Diff(append([]string{}, test.want...), check.Failures); diff != "" || check.Passed != (len(test.want) == 0) {
				t.Error(diff)
			}
		})
	}
	for text, want := range map[string]string{
		"expect: []":                                   "nothing would be checked",
		"expect: [{name: n}]":                          "expect[0] expects nothing",
		"expect: [{plaecd: true}]":                     `unknown field "plaecd"`,
		"expect: [{spread: {key: zone, maxSkew: -1}}]": "maxSkew that is not negative",
		"a: [": "",
	} {
		if _, err := ReadExpectations([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestLimits(t *testing.T) {
	a := &Answer{Report: &Report{Pods: []Pod{pod("w0", "a"), pod("none", "")}}, Comparisons: []Comparison{{Moves: make([]Move, 2)}}}
	for text, holds := range map[string]bool{"pending>0": false, "pending > 1": true, "placed<2": false, "placed==1": false, "moved>=3": true, "moved!=2": true, "victims<=0": false, "gated>0": true} {
		limit, err := ParseLimit(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := limit.Check(a).Passed; got != holds {
			t.Errorf("%s holds: %v, want %v", text, got, holds)
		}
	}
	for _, text := range []string{"", "pending", "pending>x", "pendign>0", "pending>-1", "pending>99999999999999999999"} {
		if _, err := ParseLimit(text); err == nil {
			t.Errorf("%q is taken for a limit", text)
		}
	}
}

func TestChance(t *testing.T) {
	one := &Report{Pods: []Pod{pod("fixed", "a"), pod("tie", "a"), pod("lost", "a")}}
	two := &Report{Pods: []Pod{pod("fixed", "a"), pod("tie", "b"), pod("lost", "")}}
	want := &Chance{Seeds: 3, Pods: []ChancePod{{"default/tie", map[string]int{"a": 1, "b": 2}}, {"default/lost", map[string]int{"a": 1, "": 2}}}}
	if diff := cmp.Diff(want, ByChance([]*Report{one, two, two})); diff != "" {
		t.Error(diff)
	}
}

// TestForms writes what is hostile in every form, and reads JUnit back.
func TestForms(t *testing.T) {
	bad := pod("p|<script>]]>", "", NodeVerdict{Name: "a\x1b[31m", Filter: &Rejection{"X", "no\nway"}})
	a := &Answer{Report: &Report{Pods: []Pod{bad, pod("gated", "")}, Engine: Engine{Kubernetes: "v1.37.2"}, Marks: []string{"*mark*"}}}
	a.Pods[1].Outcome = Gated
	a.Checks = []Check{{Name: "all", Failures: []string{bad.FullName() + " is pending"}, Pods: []string{bad.FullName()}}}
	all := func(*Pod) bool { return true }
	var text, markdown, junit, plain strings.Builder
	for _, err := range []error{WriteText(&text, a.Report, all), WriteChecks(&text, a), WriteMarkdown(&markdown, a), WriteJUnit(&junit, a), WriteJUnit(&plain, &Answer{Report: a.Report})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if strings.ContainsAny(text.String()+markdown.String()+junit.String(), "\x1b") {
		t.Error("a terminal would act on the text")
	}
	if !strings.Contains(markdown.String(), `| default/p\|&lt;script&gt;\]\]&gt; | pending |`) || !strings.Contains(markdown.String(), `> \*mark\*`) {
		t.Error(markdown.String())
	}
	var suite struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Skipped  int `xml:"skipped,attr"`
		Cases    []struct {
			Name    string  `xml:"name,attr"`
			Failure *string `xml:"failure"`
		} `xml:"testcase"`
	}
	if err := xml.Unmarshal([]byte(junit.String()), &suite); err != nil {
		t.Fatal(err)
	}
	if suite.Tests != 1 || suite.Failures != 1 || suite.Cases[0].Failure == nil || !strings.Contains(*suite.Cases[0].Failure, "p|<script>]]> is pending") {
		t.Errorf("%+v\n%s", suite, junit.String())
	}
	if err := xml.Unmarshal([]byte(plain.String()), &suite); err != nil {
		t.Fatal(err)
	}
	if suite.Tests != 2 || suite.Failures != 1 || suite.Skipped != 1 {
		t.Errorf("%+v", suite)
	}
}
