// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/schedconf/schedconf/dryrun"
)

// onNode is a pod that runs; more is further metadata, as YAML in braces' content.
func onNode(name, node, more string) string {
	return "\n---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + more + "}, spec: {nodeName: " + node +
		", containers: [{name: c, image: i, resources: {requests: {cpu: '1'}}}]}, status: {phase: Running}}\n"
}

const (
	ofDaemonSet = ", ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: d, uid: u, controller: true}]"
	isStatic    = ", annotations: {kubernetes.io/config.mirror: x}"
)

// TestWhatIf asks about clusters that are not quite the one that was given.
func TestWhatIf(t *testing.T) {
	running := onNode("web", "a", "") + onNode("daemon", "a", ofDaemonSet) + onNode("static", "a", isStatic)
	two := aNode("a", "z1") + aNode("b", "z2")
	for name, test := range map[string]struct {
		cluster, workload string
		whatIf            dryrun.WhatIf
		want              map[string]string
		cpu               map[string]int64 // requested afterwards, by node, in millicores
	}{
		"drain": {
			two + running, simplePod("p", "1", ""), dryrun.WhatIf{Drain: []string{"a"}},
			map[string]string{"web": "b", "p": "b"}, map[string]int64{"a": 2000, "b": 2000},
		},
		"remove": {
			two + running, simplePod("p", "1", ""), dryrun.WhatIf{RemoveNodes: []string{"a"}},
			map[string]string{"web": "b", "p": "b"}, map[string]int64{"b": 2000},
		},
		"nothing is drained": {
			two + running, simplePod("p", "4", ""), dryrun.WhatIf{},
			map[string]string{"p": "b"}, map[string]int64{"a": 3000, "b": 4000},
		},
		"add": {
			aNode("a", "z1"), simplePod("p", "3", "") + simplePod("q", "3", ""),
			dryrun.WhatIf{AddNodes: []dryrun.NewNodes{{Like: dryrun.Source{Name: "new.yaml", Text: aNode("new", "z3")}, Count: 2}}, NodeSelector: map[string]string{"topology.kubernetes.io/zone": "z3"}},
			nil, map[string]int64{"a": 0, "new-0": 3000, "new-1": 3000},
		},
		"select": {
			two, simplePod("p", "1", "") + simplePod("q", "1", ""), dryrun.WhatIf{NodeSelector: map[string]string{"kubernetes.io/hostname": "b"}},
			map[string]string{"p": "b", "q": "b"}, map[string]int64{"a": 0, "b": 2000},
		},
		"until full": {
			aNode("a", "z1"), simplePod("small", "1", "") + simplePod("p", "1", ""), dryrun.WhatIf{UntilFull: true},
			map[string]string{"small": "a", "p": "a", "p-copy-1": "a", "p-copy-2": "a", "p-copy-3": "pending"}, map[string]int64{"a": 4000},
		},
		"until there are enough": {
			aNode("a", "z1"), simplePod("p", "1", ""), dryrun.WhatIf{UntilFull: true, Most: 2},
			map[string]string{"p": "a", "p-copy-1": "a", "p-copy-2": "a"}, map[string]int64{"a": 3000},
		},
		"full already": {
			aNode("a", "z1"), simplePod("p", "5", ""), dryrun.WhatIf{UntilFull: true},
			map[string]string{"p": "pending"}, map[string]int64{"a": 0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			asked := request(test.cluster, test.workload)
			asked.WhatIf = test.whatIf
			report := ask(t, asked)
			if test.want != nil {
				check(t, report, test.want)
			}
			if len(report.Nodes) != len(test.cpu) {
				t.Errorf("%d nodes, want %d", len(report.Nodes), len(test.cpu))
			}
			for _, node := range report.Nodes {
				if node.After["cpu"] != test.cpu[node.Name] {
					t.Errorf("%s: %dm are requested, want %dm", node.Name, node.After["cpu"], test.cpu[node.Name])
				}
			}
		})
	}
}

// TestWhatIfRefused names what is not there, and what there is.
func TestWhatIfRefused(t *testing.T) {
	for want, whatIf := range map[string]dryrun.WhatIf{
		`the cluster has no node "c": there are a, b`: {Drain: []string{"c"}},
		`the cluster has no node "d": there are a, b`: {RemoveNodes: []string{"d"}},
		`"new.yaml" has 2 nodes, and one is wanted`:   {AddNodes: []dryrun.NewNodes{{Like: dryrun.Source{Name: "new.yaml", Text: aNode("n1", "z") + aNode("n2", "z")}, Count: 1}}},
	} {
		asked := request(aNode("a", "z1")+aNode("b", "z2"), simplePod("p", "1", ""))
		asked.WhatIf = whatIf
		if _, err := answer(t.Context(), asked); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
