// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/schedconf/schedconf/dryrun"
)

// TestReduced keeps what scheduling looks at, and nothing that people would not want to hand on.
func TestReduced(t *testing.T) {
	var pod map[string]any
	if err := yaml.Unmarshal([]byte(`
apiVersion: v1
kind: Pod
metadata:
  name: p
  namespace: ns
  labels: {app: a}
  annotations: {kubernetes.io/config.mirror: x, kubectl.kubernetes.io/last-applied-configuration: secret}
  managedFields: [{manager: secret}]
spec:
  nodeName: a
  serviceAccountName: secret
  containers:
  - name: c
    image: i
    command: [secret]
    args: [secret]
    env: [{name: TOKEN, value: secret}]
    envFrom: [{secretRef: {name: secret}}]
    resources: {requests: {cpu: 1}}
    ports: [{hostPort: 80, containerPort: 80, name: secret}]
  volumes:
  - {name: v, persistentVolumeClaim: {claimName: c}}
  - {name: s, secret: {secretName: secret}}
status: {phase: Running, podIP: secret, conditions: [{type: Ready, status: "True", message: secret}]}
`), &pod); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(reduced("Pod", pod))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"kubernetes.io/config.mirror":"x"},"labels":{"app":"a"},"name":"p","namespace":"ns"},` +
		`"spec":{"containers":[{"image":"i","name":"c","ports":[{"containerPort":80,"hostPort":80}],"resources":{"requests":{"cpu":1}}}],"nodeName":"a",` +
		`"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}},{"name":"s"}]},"status":{"conditions":[{"status":"True","type":"Ready"}],"phase":"Running"}}`
	if string(text) != want {
		t.Errorf("reduced to\n%s\nwant\n%s", text, want)
	}
}

// TestAnonymizedPlacements holds that a snapshot with other names is scheduled alike: the same nodes fit, with
// the same scores, for every pod on the clusters of the recorded placements.
func TestAnonymizedPlacements(t *testing.T) {
	for _, s := range scenarios(t) {
		t.Run(s.Name, func(t *testing.T) {
			var cluster struct {
				Items []map[string]any `json:"items"`
			}
			if err := json.Unmarshal(s.Cluster, &cluster); err != nil {
				t.Fatal(err)
			}
			verdicts := func(cluster, workload []map[string]any) (all []string) {
				for _, pod := range workload {
					report := ask(t, &dryrun.Request{
						Protocol: dryrun.Protocol, Config: s.Config, ExplainAll: true,
						Cluster:  []dryrun.Source{{Name: "cluster", Text: list(t, cluster...)}},
						Workload: []dryrun.Source{{Name: "workload", Text: list(t, pod)}},
					})
					all = append(all, shape(&report.Pods[0]))
				}
				return all
			}
			want := verdicts(cluster.Items, s.Workload.Items)
			both := slices.Concat(cluster.Items, s.Workload.Items)
			newAnonymizer(both).all()
			text := list(t, both...)
			for _, name := range []string{"node-00", "registry.example", "p-0", "zone-", "low-"} {
				if strings.Contains(text, `"`+name) && !strings.Contains(text, `"`+name+"00") {
					t.Errorf("%q is still there", name)
				}
			}
			got := verdicts(cluster.Items, s.Workload.Items)
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("pod %d: with its own names\n%s\nwith others\n%s", i, want[i], got[i])
				}
			}
		})
	}
}

// shape is what of a pod does not hang on names: its outcome, and what each node is to it. Nodes keep their
// order.
func shape(p *dryrun.Pod) string {
	text := string(p.Outcome)
	for _, node := range p.Nodes {
		verdict, _ := json.Marshal([]any{node.Filter, node.Total, slices.Sorted(maps.Keys(node.Scores))})
		text += " " + string(verdict)
	}
	return text
}
