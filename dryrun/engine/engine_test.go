// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedconf/schedconf/dryrun"
)

const asEngine = "SCHEDCONF_TEST_AS_ENGINE"

// askProcess asks a new process, as schedconf does.
func askProcess(t *testing.T, r *dryrun.Request) *dryrun.Report {
	t.Helper()
	t.Setenv(asEngine, "1")
	report, err := dryrun.Ask(t.Context(), os.Args[0], *r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestMain(m *testing.M) {
	// Feature gates are those of a process: what needs others is asked of a process of its own.
	if os.Getenv(asEngine) != "" {
		os.Exit(command([]string{"run"}, os.Stdin, os.Stdout, os.Stderr))
	}
	silence()
	os.Exit(m.Run())
}

// defaultConfig is what kube-scheduler runs with when it is given nothing.
const defaultConfig = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

// aNode is one with 4 CPUs, in the zone and with more YAML below its metadata and status.
func aNode(name, zone string) string {
	return fmt.Sprintf(`
---
apiVersion: v1
kind: Node
metadata:
  name: %s
  labels: {kubernetes.io/hostname: %[1]s, topology.kubernetes.io/zone: %s}
status:
  allocatable: {cpu: "4", memory: 8Gi, pods: "110", ephemeral-storage: 10Gi}
  conditions: [{type: Ready, status: "True"}]
`, name, zone)
}

func request(cluster, workload string) *dryrun.Request {
	return &dryrun.Request{
		Protocol: dryrun.Protocol, Config: defaultConfig, ExplainAll: true,
		Cluster:  []dryrun.Source{{Name: "cluster.yaml", Text: cluster}},
		Workload: []dryrun.Source{{Name: "workload.yaml", Text: workload}},
	}
}

// simplePod asks for some CPUs. rest are further fields of the spec, as YAML in braces' content.
func simplePod(name, cpu, rest string) string {
	return fmt.Sprintf(`
---
apiVersion: v1
kind: Pod
metadata: {name: %s}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: %q}}}]%s}
`, name, cpu, rest)
}

// outcomes are the pods of a report as name: node, or name: outcome.
func outcomes(report *dryrun.Report) map[string]string {
	all := map[string]string{}
	for _, p := range report.Pods {
		all[p.Name] = string(p.Outcome)
		if p.Node != nil {
			all[p.Name] = *p.Node
		}
	}
	return all
}

func check(t *testing.T, report *dryrun.Report, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, outcomes(report)); diff != "" {
		t.Errorf("placements (-want +got):\n%s", diff)
		for _, p := range report.Pods {
			t.Logf("%s: %s", p.Name, says(p.Message))
		}
		t.Log(report.Findings)
	}
}

func rules(report *dryrun.Report) []string {
	var list []string
	for _, f := range report.Findings {
		list = append(list, fmt.Sprintf("%s:%d %s %s", f.File, f.Line, f.Rule, f.Object))
	}
	return list
}

// TestWorkloads expands every kind that has pods as its controller would.
func TestWorkloads(t *testing.T) {
	template := `{metadata: {labels: {app: %[1]s}}, spec: {%[2]scontainers: [{name: c, image: i}]}}`
	selector := `selector: {matchLabels: {app: %[1]s}}, template: ` + template
	for name, test := range map[string]struct {
		kind, spec string
		want       []string
	}{
		"deployment":  {"apps/v1, kind: Deployment", `{replicas: 2, ` + selector + `}`, []string{"w-*-0", "w-*-1"}},
		"replicaset":  {"apps/v1, kind: ReplicaSet", `{replicas: 2, ` + selector + `}`, []string{"w-0", "w-1"}},
		"statefulset": {"apps/v1, kind: StatefulSet", `{replicas: 2, serviceName: s, ordinals: {start: 5}, ` + selector + `}`, []string{"w-5", "w-6"}},
		"daemonset":   {"apps/v1, kind: DaemonSet", `{` + selector + `}`, []string{"w-a", "w-b"}},
		"job":         {"batch/v1, kind: Job", `{parallelism: 3, completions: 2, template: ` + template + `}`, []string{"w-0", "w-1"}},
		"cronjob":     {"batch/v1, kind: CronJob", `{schedule: "@daily", jobTemplate: {spec: {template: ` + template + `}}}`, []string{"w-0-0"}},
		"controller":  {"v1, kind: ReplicationController", `{replicas: 2, selector: {app: %[1]s}, template: ` + template + `}`, []string{"w-0", "w-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			restart := ""
			if strings.Contains(test.kind, "Job") {
				restart = "restartPolicy: Never, "
			}
			text := fmt.Sprintf("{apiVersion: "+test.kind+", metadata: {name: w}, spec: "+test.spec+"}", "w", restart)
			report := ask(t, request(aNode("a", "z1")+aNode("b", "z2"), text))
			var names []string
			for _, p := range report.Pods {
				if p.Outcome != dryrun.Placed || p.Workload == "" {
					t.Errorf("%s of %q is %s: %s", p.Name, p.Workload, p.Outcome, says(p.Message))
				}
				names = append(names, p.Name)
			}
			if len(names) != len(test.want) || !slices.EqualFunc(names, test.want, func(got, want string) bool { ok, _ := filepath.Match(want, got); return ok }) {
				t.Errorf("pods %v, want %v: %v", names, test.want, report.Findings)
			}
		})
	}
}

// TestDefaultSpread is the system default of topology spread, which finds the pods of a replica set.
func TestDefaultSpread(t *testing.T) {
	report := ask(t, request(aNode("a", "z1")+aNode("b", "z2"), `
apiVersion: apps/v1
kind: Deployment
metadata: {name: w}
spec: {replicas: 4, selector: {matchLabels: {app: w}}, template: {metadata: {labels: {app: w}}, spec: {containers: [{name: c, image: i}]}}}
`))
	on := map[string]int{}
	for _, p := range report.Pods {
		on[says(p.Node)]++
		if _, ok := p.Nodes[0].Scores["PodTopologySpread"]; !ok {
			t.Errorf("%s was not scored by PodTopologySpread", p.Name)
		}
	}
	if diff := cmp.Diff(map[string]int{"a": 2, "b": 2}, on); diff != "" {
		t.Error(diff)
	}
}

// TestAdmission adds what the API server would: priority, overhead, limits, tolerations.
func TestAdmission(t *testing.T) {
	report := ask(t, request(aNode("a", "z1")+`
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}
---
{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: vm}, handler: vm, overhead: {podFixed: {cpu: 500m}}}
---
{apiVersion: v1, kind: LimitRange, metadata: {name: l, namespace: default}, spec: {limits: [{type: Container, defaultRequest: {memory: 64Mi}, max: {cpu: "2"}}]}}
`, simplePod("p", "1", ", priorityClassName: high, runtimeClassName: vm")+simplePod("big", "3", "")+simplePod("lost", "1", ", priorityClassName: nowhere")+`
---
{apiVersion: v1, kind: Pod, metadata: {name: bad}, spec: {containers: [{name: C_1, image: i}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: typo}, spec: {containers: [{name: c, image: i}], nodeSelektor: {}}}
`))
	check(t, report, map[string]string{"p": "a", "big": "refused", "lost": "refused", "bad": "refused"})
	if p := report.Pods[0]; p.Priority != 1000 || p.Requests["cpu"] != 1500 || p.Requests["memory"] != 64<<20 {
		t.Errorf("priority %d, requests %v", p.Priority, p.Requests)
	}
	if len(report.Pods) != 4 {
		t.FailNow()
	}
	for i, want := range []string{"", "spec.containers[0].resources.requests: Invalid value: \"3\": must be less than or equal to cpu limit of 2", "no PriorityClass with name nowhere was found", "spec.containers[0].name: Invalid value"} {
		if got := says(report.Pods[i].Message); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", report.Pods[i].Name, got, want)
		}
	}
	if last := report.Findings[0]; last.Rule != "wrong-object" || !strings.Contains(last.Message, `unknown field "spec.nodeSelektor"`) || last.Line == 0 {
		t.Errorf("%+v", last)
	}
}

// TestVolumes binds a claim at once, one when its first pod is placed, and one where there is capacity.
func TestVolumes(t *testing.T) {
	report := ask(t, request(aNode("a", "z1")+aNode("b", "z2")+aNode("c", "z3")+`
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: now}, provisioner: kubernetes.io/no-provisioner, volumeBindingMode: Immediate}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: later}, provisioner: d, volumeBindingMode: WaitForFirstConsumer}
---
{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: d}, spec: {storageCapacity: true}}
---
{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {name: k, namespace: default}, storageClassName: later, capacity: 12Gi, nodeTopology: {matchLabels: {topology.kubernetes.io/zone: z3}}}
---
apiVersion: storage.k8s.io/v1
kind: CSINode
metadata: {name: c}
spec: {drivers: [{name: d, nodeID: c, topologyKeys: [topology.kubernetes.io/zone]}]}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv}
spec:
  capacity: {storage: 5Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: now
  local: {path: /d}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [z2]}]}]}}
`, `
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: now}, spec: {accessModes: [ReadWriteOnce], storageClassName: now, resources: {requests: {storage: 5Gi}}}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: later}, spec: {accessModes: [ReadWriteOnce], storageClassName: later, resources: {requests: {storage: 10Gi}}}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: large}, spec: {accessModes: [ReadWriteOnce], storageClassName: later, resources: {requests: {storage: 20Gi}}}}
`+simplePod("bound", "1", ", volumes: [{name: v, persistentVolumeClaim: {claimName: now}}]")+
		simplePod("first", "1", ", volumes: [{name: v, persistentVolumeClaim: {claimName: later}}]")+
		simplePod("second", "1", ", volumes: [{name: v, persistentVolumeClaim: {claimName: later}}]")+
		simplePod("large", "1", ", volumes: [{name: v, persistentVolumeClaim: {claimName: large}}]")+
		simplePod("without", "1", ", volumes: [{name: v, persistentVolumeClaim: {claimName: missing}}]")))
	check(t, report, map[string]string{"bound": "b", "first": "c", "second": "c", "large": "pending", "without": "pending"})
	for name, want := range map[string]string{"large": "did not have enough free storage", "without": `persistentvolumeclaim "missing" not found`} {
		for _, p := range report.Pods {
			if p.Name == name && !strings.Contains(says(p.Message), want) {
				t.Errorf("%s: %q, want %q", name, says(p.Message), want)
			}
		}
	}
}

// TestPreemption deletes the least important pods, and leaves those alone that a budget protects.
func TestPreemption(t *testing.T) {
	running := func(name, node, app string, priority int) string {
		return fmt.Sprintf(`
---
{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: default, labels: {app: %s}}, spec: {nodeName: %s, priority: %d, containers: [{name: c, image: i, resources: {requests: {cpu: "3"}}}]}}
`, name, app, node, priority)
	}
	report := ask(t, request(aNode("a", "z")+aNode("b", "z")+aNode("c", "z")+running("kept", "a", "kept", 5)+running("protected", "b", "guarded", 1)+running("victim", "c", "any", 3)+`
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b, namespace: default}, spec: {minAvailable: 1, selector: {matchLabels: {app: guarded}}}, status: {currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0, expectedPods: 1}}
`, simplePod("p", "2", ", priorityClassName: high")+simplePod("low", "3", "")))
	check(t, report, map[string]string{"p": "c", "low": "pending"})
	if p := report.Pods[0]; !slices.Equal(p.Preempted, []string{"victim"}) || says(p.Nominated) != "c" || p.Attempts != 2 {
		t.Errorf("%+v", p)
	}
}

// TestGates leaves pods alone that are gated, or another scheduler's.
func TestGates(t *testing.T) {
	report := ask(t, request(aNode("a", "z"), simplePod("gated", "1", ", schedulingGates: [{name: example.com/wait}]")+simplePod("other", "1", ", schedulerName: other")+simplePod("p", "1", "")))
	check(t, report, map[string]string{"gated": "gated", "other": "unhandled", "p": "a"})
	if got := says(report.Pods[0].Message); got != "Scheduling is blocked due to non-empty scheduling gates" {
		t.Error(got)
	}
	other := request(aNode("a", "z"), simplePod("other", "1", ", schedulerName: other"))
	other.AsProfile = "default-scheduler"
	check(t, ask(t, other), map[string]string{"other": "a"})
}

// TestDevices allocates devices of a slice through claims, some of them made from a template.
func TestDevices(t *testing.T) {
	claim := ", resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]"
	report := ask(t, request(aNode("a", "z")+aNode("b", "z")+`
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  nodeName: b
  pool: {name: b, generation: 1, resourceSliceCount: 1}
  devices: [{name: g0}, {name: g1}]
---
{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}}
---
{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: one, namespace: default}, spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}
`, simplePod("p0", "1", claim)+simplePod("p1", "1", claim)+simplePod("p2", "1", claim)))
	check(t, report, map[string]string{"p0": "b", "p1": "b", "p2": "pending"})
	if got := says(report.Pods[2].Message); !strings.Contains(got, "cannot allocate all claims") {
		t.Error(got)
	}
}

// TestGang places the pods of a group together or not at all.
func TestGang(t *testing.T) {
	member := func(name, group, cpu string) string {
		return simplePod(name, cpu, ", schedulingGroup: {podGroupName: "+group+"}")
	}
	group := `
---
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: %s}
spec: {schedulingPolicy: {gang: {minCount: %d}}}
`
	r := request(aNode("a", "z")+aNode("b", "z"), fmt.Sprintf(group, "g", 2)+fmt.Sprintf(group, "big", 3)+
		member("g0", "g", "2")+member("g1", "g", "2")+member("b0", "big", "1")+member("b1", "big", "1")+member("b2", "big", "3")+member("lonely", "none", "1"))
	r.FeatureGates = map[string]bool{"GenericWorkload": true}
	report := askProcess(t, r)
	for _, p := range report.Pods {
		want := map[bool]dryrun.Outcome{true: dryrun.Placed, false: dryrun.Pending}[p.Name[0] == 'g']
		if p.Name == "lonely" {
			want = dryrun.Gated
		}
		if p.Outcome != want {
			t.Errorf("%s is %s, want %s: %s", p.Name, p.Outcome, want, says(p.Message))
		}
	}
	if got := says(report.Pods[len(report.Pods)-1].Message); !strings.HasPrefix(got, "GangScheduling: waiting for pods's pod group") {
		t.Error(got)
	}
}

// TestUnreadable has one finding for each thing that is wrong, and goes on.
func TestUnreadable(t *testing.T) {
	report := ask(t, request(aNode("a", "z")+aNode("a", "z")+`
---
{apiVersion: v1, kind: Node, metadata: {name: bare}}
---
{apiVersion: extensions/v1beta1, kind: ReplicaSet, metadata: {name: old}}
---
{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}
---
{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {password: c2VjcmV0}}
---
a: [
---
{apiVersion: v1, kind: Pod, metadata: {name: lost}, spec: {nodeName: gone, containers: [{name: c, image: i}]}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c}, spec: {volumeName: gone, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}
---
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: x1, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: y1, uid: u, controller: true}]}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}
---
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: y1, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: x1, uid: u, controller: true}]}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}
`, simplePod("p", "1", "")))
	check(t, report, map[string]string{"p": "a"})
	if diff := cmp.Diff([]string{
		"cluster.yaml:25 wrong-object ReplicaSet old",
		"cluster.yaml:31 unreadable ",
		"cluster.yaml:13 duplicate Node a",
		"cluster.yaml:37 cyclic-owners ReplicaSet default/x1",
		"cluster.yaml:23 no-allocatable Node bare",
		"cluster.yaml:33 unknown-node Pod default/lost",
		":0 no-volume PersistentVolumeClaim default/c",
	}, rules(report)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"Widget": 1, "Secret": 1}, report.Input.Skipped); diff != "" {
		t.Error(diff)
	}
	text, _ := json.Marshal(report)
	if strings.Contains(string(text), "c2VjcmV0") {
		t.Error("a secret is in the report")
	}
	empty := ask(t, request("", ""))
	if diff := cmp.Diff([]string{":0 no-nodes ", ":0 no-pods "}, rules(empty)); diff != "" {
		t.Error(diff)
	}
	check(t, ask(t, request("", simplePod("p", "1", ""))), map[string]string{"p": "pending"})
}

// TestSources reads what kubectl writes: lists in JSON and YAML, and the folder or the text of a
// cluster-info dump.
func TestSources(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	item := `{"metadata":{"name":"%s"},"status":{"allocatable":{"cpu":"1","memory":"1Gi","pods":"10"}}}`
	write("nodes.json", `{"kind":"NodeList","apiVersion":"v1","items":[`+fmt.Sprintf(item, "n1")+`,`+"\n"+fmt.Sprintf(item, "n2")+`]}`)
	write("default/list.yaml", "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: n3\n    annotations:\n      text: |\n        - no item\n\n        end\n  status:\n    capacity:\n      cpu: \"1\"\n      memory: 1Gi\n      pods: \"3\"\n- {apiVersion: v1, kind: Node, metadata: {name: n4}}\nkind: List\nmetadata:\n  resourceVersion: \"\"\n")
	write("default/p/logs.txt", "==== nothing to read")
	write("kube-system/dump.json", `{"kind":"NodeList","apiVersion":"v1","items":null}
{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"r","namespace":"kube-system"},"spec":{"nodeName":"n1","containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}}]}
==== START logs for container c of pod kube-system/r ====
{"kind": "what is this
==== END logs for container c of pod kube-system/r ====
{"kind":"EventList","apiVersion":"v1","items":[{"metadata":{"name":"e"}}]}
`)
	r := request("", simplePod("p", "1", "")+simplePod("q", "1", "")+simplePod("r", "1", "")+simplePod("s", "1", ""))
	r.Cluster = []dryrun.Source{{Name: "dump", Path: folder}}
	report := ask(t, r)
	got := slices.Sorted(maps.Values(outcomes(report)))
	if diff := cmp.Diff([]string{"n2", "n3", "pending", "pending"}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"dump/default/list.yaml:17 no-allocatable Node n4"}, rules(report)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(dryrun.Input{Cluster: map[string]int{"Node": 4, "Pod": 1}, Workload: map[string]int{"Pod": 4}, Skipped: map[string]int{"Event": 1}}, report.Input); diff != "" {
		t.Error(diff)
	}
	if _, err := answer(context.Background(), &dryrun.Request{Config: defaultConfig, Cluster: []dryrun.Source{{Name: "nowhere", Path: filepath.Join(folder, "nowhere")}}}, nil, nil); err == nil || err.Error() != `read "nowhere": no such file or directory` {
		t.Error(err)
	}
}

// TestWhatIf changes the cluster first.
func TestWhatIf(t *testing.T) {
	running := func(name, owner string) string {
		return fmt.Sprintf("---\n{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: default%s}, spec: {nodeName: a, containers: [{name: c, image: i, resources: {requests: {cpu: \"1\"}}}]}, status: {phase: Running}}\n", name, owner)
	}
	cluster := aNode("a", "z1") + aNode("b", "z2") + running("web", "") +
		running("agent", ", ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: u, controller: true}]")
	for name, test := range map[string]struct {
		ask  dryrun.WhatIf
		want map[string]string
		fits int
	}{
		"drain":    {dryrun.WhatIf{Drain: []string{"a"}}, map[string]string{"p": "b", "web": "b"}, -1},
		"remove":   {dryrun.WhatIf{RemoveNodes: []string{"b"}}, map[string]string{"p": "a"}, -1},
		"selector": {dryrun.WhatIf{NodeSelector: "topology.kubernetes.io/zone=z2"}, map[string]string{"p": "b"}, -1},
		// a has 2 of 4 CPUs left, b has 4: p takes one of the six.
		"full": {dryrun.WhatIf{UntilFull: true}, map[string]string{"p": "b"}, 5},
		// Two nodes more have 4 CPUs each.
		"add": {dryrun.WhatIf{UntilFull: true, RemoveNodes: []string{"a", "b"}, AddNodes: []dryrun.AddNode{{Source: dryrun.Source{Name: "n", Text: aNode("extra", "z")}, Count: 2}}}, nil, 7},
	} {
		t.Run(name, func(t *testing.T) {
			r := request(cluster, simplePod("p", "1", ""))
			r.WhatIf = test.ask
			report := ask(t, r)
			if test.want != nil {
				check(t, report, test.want)
			}
			if test.fits >= 0 && (report.UntilFull == nil || report.UntilFull.Count != test.fits || !strings.Contains(report.UntilFull.Stopped, "Insufficient cpu")) {
				t.Errorf("%+v, want %d", report.UntilFull, test.fits)
			}
		})
	}
	for name, change := range map[string]dryrun.WhatIf{
		`the cluster has no node "c"`:                         {Drain: []string{"c"}},
		"node selector":                                       {NodeSelector: "a in"},
		`add nodes of "n": there is no node in it`:            {AddNodes: []dryrun.AddNode{{Source: dryrun.Source{Name: "n"}, Count: 1}}},
		`add nodes of "n": the cluster has a node "a-1" alre`: {AddNodes: slices.Repeat([]dryrun.AddNode{{Source: dryrun.Source{Name: "n", Text: aNode("a", "z")}, Count: 1}}, 2)},
	} {
		r := request(cluster, "")
		r.WhatIf = change
		if _, err := answer(t.Context(), r, nil, nil); err == nil || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestRepeatable has the same bytes for the same seed, and other choices for another.
func TestRepeatable(t *testing.T) {
	var cluster, workload strings.Builder
	for i := range 120 {
		cluster.WriteString(aNode(fmt.Sprintf("n%03d", i), fmt.Sprintf("z%d", i%3)))
	}
	for i := range 40 {
		workload.WriteString(simplePod(fmt.Sprintf("p%02d", i), "1", ""))
	}
	text := func(seed int64) string {
		r := request(cluster.String(), workload.String())
		r.Seed = seed
		report := ask(t, r)
		if report.Engine.Sampled != 40 {
			t.Errorf("%d pods were sampled, want all: 120 nodes are more than the 100 that are looked at", report.Engine.Sampled)
		}
		out, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	first := text(1)
	if second := text(1); first != second {
		t.Error("the same seed has another report")
	}
	if other := text(2); strings.Replace(other, `"seed":2`, `"seed":1`, 1) == first {
		t.Error("another seed has the same report")
	}
}

// TestDeadline ends with what is known.
func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Nanosecond)
	defer cancel()
	report, err := answer(ctx, request(aNode("a", "z"), simplePod("p", "1", "")), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if report.Partial == "" || report.Pods[0].Outcome != dryrun.Unknown {
		t.Errorf("partial %q, outcome %s", report.Partial, report.Pods[0].Outcome)
	}
}

// TestRefused has an error for a question that makes no sense.
func TestRefused(t *testing.T) {
	for name, change := range map[string]func(*dryrun.Request){
		"configuration: object 'kind' is missing": func(r *dryrun.Request) { r.Config = "a: b" },
		"configuration: strict decoding error":    func(r *dryrun.Request) { r.Config += "parallel: 1\n" },
		"configuration: parallelism":              func(r *dryrun.Request) { r.Config += "parallelism: -1\n" },
		"configuration: initializing profiles": func(r *dryrun.Request) {
			r.Config += "profiles: [{plugins: {score: {enabled: [{name: Mine}]}}}]\n"
		},
		"feature gates: unrecognized": func(r *dryrun.Request) { r.FeatureGates = map[string]bool{"Nothing": true} },
	} {
		r := request("", "")
		change(r)
		_, err := answer(context.Background(), r, nil, nil)
		if err == nil || !strings.HasPrefix(strings.ToLower(err.Error()), strings.ToLower(name)) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestQuota refuses what the API server would, whose words these are (k8s.io/apiserver
// pkg/admission/plugin/resourcequota/controller.go), and counts what runs already.
func TestQuota(t *testing.T) {
	const running = `
---
{apiVersion: v1, kind: Pod, metadata: {name: old}, spec: {nodeName: a, containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}}
---
`
	workload := simplePod("one", "1", "") + simplePod("two", "1", "") + simplePod("none", "0", "")
	for name, test := range map[string]struct {
		quota, one, two string
	}{
		"none":                  {`{apiVersion: v1, kind: LimitRange, metadata: {name: q}, spec: {limits: []}}`, "", ""},
		"what runs counts":      {`{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {requests.cpu: "2"}}}`, "", `pods "two" is forbidden: exceeded quota: q, requested: requests.cpu=1, used: requests.cpu=2, limited: requests.cpu=2`},
		"room for both":         {`{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {requests.cpu: "3"}}}`, "", ""},
		"the status of a dump":  {`{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {pods: "9"}}, status: {hard: {pods: "9"}, used: {pods: "8"}}}`, "", `pods "two" is forbidden: exceeded quota: q, requested: pods=1, used: pods=9, limited: pods=9`},
		"another namespace":     {`{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: other}, spec: {hard: {pods: "0"}}}`, "", ""},
		"a scope of other pods": {`{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {pods: "0"}, scopes: [BestEffort]}}`, "", ""},
		"what nobody counts":    {`{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {secrets: "0"}}}`, "", ""},
		"what has to be said":   {`{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {limits.cpu: "9"}}}`, `pods "one" is forbidden: failed quota: q: must specify limits.cpu for: c`, `pods "two" is forbidden: failed quota: q: must specify limits.cpu for: c`},
	} {
		t.Run(name, func(t *testing.T) {
			report := ask(t, request(aNode("a", "z")+running+test.quota, workload))
			for i, want := range []string{test.one, test.two} {
				if want == "" {
					want = "nothing"
				}
				if got := says(report.Pods[i].Message); got != want {
					t.Errorf("%s: %q, want %q", report.Pods[i].Name, got, want)
				}
			}
		})
	}
	t.Run("until full", func(t *testing.T) {
		r := request(aNode("a", "z")+running+`{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {pods: "3"}}}`, simplePod("one", "1m", ""))
		r.WhatIf.UntilFull = true
		report := ask(t, r)
		if full := report.UntilFull; full.Count != 1 || !strings.Contains(full.Stopped, "exceeded quota: q, requested: pods=1, used: pods=3, limited: pods=3") {
			t.Errorf("%+v", full)
		}
	})
	t.Run("a deployment", func(t *testing.T) {
		report := ask(t, request(aNode("a", "z")+`
---
{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {count/deployments.apps: "0"}}}`, `
{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}`))
		if !slices.ContainsFunc(report.Findings, func(f dryrun.Finding) bool {
			return f.Rule == "refused" && strings.Contains(f.Message, "exceeded quota: q, requested: count/deployments.apps=1, used: count/deployments.apps=0, limited: count/deployments.apps=0")
		}) {
			t.Errorf("%+v", report.Findings)
		}
	})
}

// TestStream holds that what is explained is the same on its way over the disk.
func TestStream(t *testing.T) {
	r := request(aNode("a", "z1")+aNode("b", "z2")+`
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}
`, simplePod("low", "3", "")+simplePod("other", "3", "")+simplePod("high", "3", ", priorityClassName: high")+simplePod("large", "9", ""))
	text := func(stream bool) string {
		r.Stream = stream
		report := askProcess(t, r)
		if got := report.Pods[0].Nodes; stream != (got == nil) {
			t.Errorf("streamed %v, and the report has %v", stream, got)
		}
		var out bytes.Buffer
		if err := dryrun.WriteJSON(&out, &dryrun.Answer{Report: report}, true); err != nil {
			t.Fatal(err)
		}
		if err := report.Close(); err != nil {
			t.Error(err)
		}
		return out.String()
	}
	if diff := cmp.Diff(text(false), text(true)); diff != "" {
		t.Error(diff)
	}
}
