// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package dryrun_test

import (
	"fmt"

	"github.com/schedconf/schedconf/dryrun"
)

// answer is what an engine answers, cut down to what the examples look at.
func answer(nodes ...string) *dryrun.Report {
	report := &dryrun.Report{Protocol: dryrun.Protocol}
	for i, node := range nodes {
		pod := dryrun.Pod{Name: fmt.Sprintf("web-%d", i), Namespace: "shop", Workload: "Deployment/web", Outcome: dryrun.Placed, Node: &node}
		if node == "" {
			pod.Outcome, pod.Node = dryrun.Pending, nil
		}
		report.Pods = append(report.Pods, pod)
	}
	return report
}

// The report would come from Ask.
func ExampleExpectations_Check() {
	expectations, err := dryrun.ReadExpectations([]byte(`
expect:
- name: the front is up
  pods: {workload: Deployment/web}
  placed: true
- name: it is on node-a
  pods: {workload: Deployment/web}
  onNodes: [node-a]
`))
	if err != nil {
		panic(err)
	}
	for _, check := range expectations.Check(answer("node-a", "node-b")) {
		fmt.Println(check.Name+":", check.Passed, check.Pods)
	}
	// Output:
	// the front is up: true []
	// it is on node-a: false [shop/web-1]
}

// Both reports would come from Ask, with ExplainAll set for the reasons.
func ExampleCompare() {
	comparison, err := dryrun.Compare(answer("node-a", "node-b", "node-c"), answer("node-a", "node-c", ""))
	if err != nil {
		panic(err)
	}
	for _, move := range comparison.Moves {
		to := "nowhere"
		if move.To != nil {
			to = *move.To
		}
		fmt.Println(move.Pod, "from", *move.From, "to", to)
	}
	// Output:
	// shop/web-1 from node-b to node-c
	// shop/web-2 from node-c to nowhere
}
