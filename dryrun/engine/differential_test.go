// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedconf/schedconf/dryrun"
)

// decision is what is decided about a pod: the nodes where it fits, their totals, where it goes, and
// why it goes nowhere.
type decision struct {
	Pod     string
	Fits    []string
	Totals  map[string]int64
	Node    string
	Message string
}

// TestDifferential schedules generated workloads, each in one go, and holds every single decision
// against that of the unmodified scheduler, with its own informers, goroutines and loop over a fake
// clientset, started from the state that the engine decided in. SCHEDCONF_CLUSTERS sets how many
// workloads there are.
func TestDifferential(t *testing.T) {
	clusters := 200
	if testing.Short() {
		clusters = 20
	}
	if n, err := strconv.Atoi(os.Getenv("SCHEDCONF_CLUSTERS")); err == nil {
		clusters = n
	}
	extender := httptest.NewServer(http.HandlerFunc(extend))
	t.Cleanup(extender.Close)
	var decisions, placed atomic.Int64
	t.Run("clusters", func(t *testing.T) {
		for seed := range clusters {
			t.Run(strconv.Itoa(seed), func(t *testing.T) {
				// Most of the time is spent waiting, a second for each volume.
				t.Parallel()
				g := &generator{rand.New(rand.NewSource(int64(seed)))}
				for _, s := range decide(t, g.request(extender.URL)) {
					decisions.Add(1)
					if s.decided.Node != "" {
						placed.Add(1)
					}
					if problem := differs(theirs(t, s.config, s.objects, 1)[0], s.decided); problem != "" {
						t.Fatalf("(-loop +engine):\n%s", problem)
					}
				}
			})
		}
	})
	t.Logf("%d decisions of %d workloads are those of the unmodified loop, %d of them placed a pod", decisions.Load(), clusters, placed.Load())
	if placed.Load() < decisions.Load()/3 || placed.Load() == decisions.Load() {
		t.Errorf("%d of %d decisions placed a pod: the workloads should try both", placed.Load(), decisions.Load())
	}
}

// TestDifferentialGangs does the same for pod groups, whose pods are decided in one cycle: the loop gets the whole
// group, and decides as the engine did until one of them has to take one of several equal nodes. It runs in a
// process of its own, since feature gates are those of a process.
func TestDifferentialGangs(t *testing.T) {
	const asChild = "SCHEDCONF_TEST_GANGS"
	if os.Getenv(asChild) == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestDifferentialGangs$", "-test.v")
		child.Env = append(os.Environ(), asChild+"=1")
		out, err := child.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		t.Logf("%s", out)
		return
	}
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{"GenericWorkload": true}); err != nil {
		t.Fatal(err)
	}
	compared, placed := 0, 0
	for seed := range 40 {
		g := &generator{rand.New(rand.NewSource(int64(seed)))}
		request := g.gang()
		states := decide(t, request)
		// What is tried again waits for seconds in the loop.
		for i := range states {
			if slices.ContainsFunc(states[:i], func(s state) bool { return s.decided.Pod == states[i].decided.Pod }) {
				states = states[:i]
				break
			}
		}
		r := newRun(request)
		if err := r.prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i, want := range theirs(t, request.Config, r.everything(), len(states)) {
			got := states[i].decided
			if want.Pod != got.Pod {
				t.Fatalf("cluster %d: decision %d is about %s, and about %s in the loop", seed, i, got.Pod, want.Pod)
			}
			if problem := differs(want, got); problem != "" {
				t.Fatalf("cluster %d, pod %s (-loop +engine):\n%s", seed, got.Pod, problem)
			}
			compared++
			if got.Node != "" {
				placed++
			}
			if want.Node != got.Node {
				break
			}
		}
	}
	t.Logf("%d decisions about pods of groups are those of the unmodified loop, %d of them found a node", compared, placed)
	if compared < 100 || placed == compared || placed < compared/3 {
		t.Errorf("%d of %d decisions found a node: the groups should try both", placed, compared)
	}
}

// gang is a cluster with a pod group that may fit or not.
func (g *generator) gang() *dryrun.Request {
	var cluster, workload strings.Builder
	for i := range 3 + g.Intn(6) {
		// Sizes differ, so that few totals are equal.
		fmt.Fprintf(&cluster, "---\n{apiVersion: v1, kind: Node, metadata: {name: node-%d, labels: {kubernetes.io/hostname: node-%[1]d, topology.kubernetes.io/zone: z%d}}, status: {allocatable: {cpu: %dm, memory: %dMi, pods: '20'}}}\n",
			i, g.Intn(3), 2000+g.Intn(4000), 4000+g.Intn(8000))
		if g.chance(60) {
			fmt.Fprintf(&cluster, "---\n{apiVersion: v1, kind: Pod, metadata: {name: r-%d, namespace: default, labels: {app: a}}, spec: {nodeName: node-%[1]d, containers: [{name: c, image: i, resources: {requests: {cpu: %dm, memory: 100Mi}}}]}}\n", i, 100*(1+g.Intn(15)))
		}
	}
	members := 2 + g.Intn(6)
	fmt.Fprintf(&workload, "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: gang}, spec: {schedulingPolicy: {gang: {minCount: %d}}}}\n", max(2, members-g.Intn(2)))
	for i := range members {
		spread := g.pick("", "", ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: "+g.pick("DoNotSchedule", "ScheduleAnyway")+", labelSelector: {matchLabels: {app: a}}}]")
		fmt.Fprintf(&workload, "---\n{apiVersion: v1, kind: Pod, metadata: {name: g-%d, labels: {app: a}}, spec: {schedulingGroup: {podGroupName: gang}, containers: [{name: c, image: i, resources: {requests: {cpu: %dm, memory: %dMi}}}]%s}}\n",
			i, 100*(5+g.Intn(20)), 64*(1+g.Intn(20)), spread)
	}
	r := request(cluster.String(), workload.String())
	r.Seed, r.Config = g.Int63(), defaultConfig+"percentageOfNodesToScore: 100\n"
	return r
}

// everything are all objects.
func (r *run) everything() []runtime.Object {
	r.api.mu.Lock()
	defer r.api.mu.Unlock()
	var list []runtime.Object
	for resource := range r.api.objects {
		for _, obj := range r.api.listLocked(resource, "") {
			list = append(list, obj.DeepCopyObject())
		}
	}
	return list
}

// decide runs the engine, and returns each of its decisions with the state before it.
func decide(t *testing.T, request *dryrun.Request) []state {
	t.Helper()
	r := newRun(request)
	if err := r.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(r.report.Findings) > 0 {
		t.Fatal(r.report.Findings)
	}
	var states []state
	inner := r.sched.SchedulePod
	r.sched.SchedulePod = func(ctx context.Context, f framework.Framework, s fwk.CycleState, info *framework.QueuedPodInfo) (scheduler.ScheduleResult, error) {
		now := state{config: request.Config, objects: r.objects(info.Pod)}
		result, err := inner(ctx, f, s, info)
		now.decided = ours(r.pods[info.Pod.UID].last, r, result, err)
		now.decided.Pod = info.Pod.Name
		states = append(states, now)
		return result, err
	}
	r.schedule(t.Context())
	return states
}

func differs(want, got decision) string {
	if best := highest(want.Totals); want.Node != "" && len(want.Totals) > 0 && want.Totals[got.Node] != best {
		return fmt.Sprintf("the engine chose %s with %d, the best have %d", got.Node, want.Totals[got.Node], best)
	}
	if (want.Node == "") == (got.Node == "") {
		want.Node = got.Node
	}
	return cmp.Diff(want, got)
}

func highest(totals map[string]int64) int64 {
	best := int64(-1)
	for _, total := range totals {
		best = max(best, total)
	}
	return best
}

// state is what the engine decided a pod in.
type state struct {
	config  string
	objects []runtime.Object
	decided decision
}

// objects are all that is in the cluster but the pods that wait. A pod whose volumes are still to be
// bound is where it was decided that it goes.
func (r *run) objects(target *corev1.Pod) []runtime.Object {
	assumed := r.sched.Cache.Dump().AssumedPods
	r.api.mu.Lock()
	defer r.api.mu.Unlock()
	var list []runtime.Object
	for resource := range r.api.objects {
		for _, obj := range r.api.listLocked(resource, "") {
			if p, isPod := obj.(*corev1.Pod); isPod && p.Spec.NodeName == "" && p.UID != target.UID {
				held := p.DeepCopy()
				if assumed.Has(string(p.UID)) {
					cached, err := r.sched.Cache.GetPod(p)
					if err != nil {
						continue
					}
					held.Spec.NodeName = cached.Spec.NodeName
				} else if p.Status.NominatedNodeName != "" {
					// It counts as if it were there, and is not to be tried itself.
					held.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/wait"}}
				} else {
					continue
				}
				obj = held
			}
			list = append(list, obj.DeepCopyObject())
		}
	}
	return list
}

func ours(a *attempt, r *run, result scheduler.ScheduleResult, err error) decision {
	d := decision{Fits: []string{}, Totals: map[string]int64{}, Node: result.SuggestedHost}
	for _, v := range a.verdicts(r) {
		if v.Filter == nil {
			d.Fits = append(d.Fits, v.Name)
		}
		if v.Total != nil {
			d.Totals[v.Name] = *v.Total
		}
	}
	if err != nil {
		d.Message = err.Error()
	}
	return d
}

// theirs starts an unmodified scheduler on some objects, and watches what it decides first.
func theirs(t *testing.T, text string, objects []runtime.Object, count int) []decision {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	decoded, _, err := scheme.Codecs.UniversalDecoder().Decode([]byte(text), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg := decoded.(*config.KubeSchedulerConfiguration)
	client := fake.NewClientset(objects...)
	factory := scheduler.NewInformerFactory(client, 0, nil)
	sched, err := scheduler.New(ctx, client, factory, nil, func(string) events.EventRecorderLogger { return &events.FakeRecorder{} },
		scheduler.WithProfiles(cfg.Profiles...), scheduler.WithPercentageOfNodesToScore(cfg.PercentageOfNodesToScore),
		scheduler.WithExtenders(cfg.Extenders...), scheduler.WithParallelism(cfg.Parallelism))
	if err != nil {
		t.Fatal(err)
	}
	seen := &watcher{}
	for name, profile := range sched.Profiles {
		sched.Profiles[name] = watched{profile, seen}
	}
	for i, extender := range sched.Extenders {
		sched.Extenders[i] = watchedExtender{extender, seen}
	}
	decided := make(chan struct{})
	var decisions []decision
	inner := sched.SchedulePod
	sched.SchedulePod = func(ctx context.Context, f framework.Framework, state fwk.CycleState, info *framework.QueuedPodInfo) (scheduler.ScheduleResult, error) {
		if len(decisions) == count {
			return inner(ctx, f, state, info)
		}
		seen.decision = decision{Pod: info.Pod.Name, Fits: []string{}, Totals: map[string]int64{}}
		result, err := inner(ctx, f, state, info)
		seen.Node = result.SuggestedHost
		if err != nil {
			seen.Message = err.Error()
		}
		if len(seen.Totals) == 0 && result.SuggestedHost != "" {
			seen.Fits = []string{result.SuggestedHost}
		}
		if decisions = append(decisions, seen.decision); len(decisions) == count {
			close(decided)
		}
		return result, err
	}
	factory.Start(ctx.Done())
	if err := factory.WaitForCacheSyncWithContext(ctx).Err; err != nil {
		t.Fatal(err)
	}
	if err := sched.WaitForHandlersSync(ctx); err != nil {
		t.Fatal(err)
	}
	go sched.Run(ctx)
	select {
	case <-decided:
	case <-ctx.Done():
		t.Fatal("the loop decided too little in its time")
	}
	return decisions
}

// watcher collects what a scheduler decides.
type watcher struct{ decision }

type watched struct {
	framework.Framework
	seen *watcher
}

func (w watched) RunScorePlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, nodes []fwk.NodeInfo) ([]fwk.NodePluginScores, *fwk.Status) {
	scores, status := w.Framework.RunScorePlugins(ctx, state, pod, nodes)
	for _, score := range scores {
		w.seen.Totals[score.Name] += score.TotalScore
		w.seen.Fits = append(w.seen.Fits, score.Name)
	}
	slices.Sort(w.seen.Fits)
	return scores, status
}

type watchedExtender struct {
	fwk.Extender
	seen *watcher
}

func (w watchedExtender) Prioritize(pod *corev1.Pod, nodes []fwk.NodeInfo) (*extenderv1.HostPriorityList, int64, error) {
	list, weight, err := w.Extender.Prioritize(pod, nodes)
	if err == nil {
		for _, host := range *list {
			w.seen.Totals[host.Host] += host.Score * weight * (fwk.MaxNodeScore / extenderv1.MaxExtenderPriority)
		}
	}
	return list, weight, err
}

// extend is an extender that does not want every third node, and likes names that end in 1.
func extend(w http.ResponseWriter, request *http.Request) {
	var args extenderv1.ExtenderArgs
	if err := json.NewDecoder(request.Body).Decode(&args); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	filtered := extenderv1.ExtenderFilterResult{NodeNames: &[]string{}, FailedNodes: extenderv1.FailedNodesMap{}}
	priorities := extenderv1.HostPriorityList{}
	for _, name := range *args.NodeNames {
		if name[len(name)-1]%3 == 0 {
			filtered.FailedNodes[name] = "a third"
		} else {
			*filtered.NodeNames = append(*filtered.NodeNames, name)
		}
		priorities = append(priorities, extenderv1.HostPriority{Host: name, Score: map[bool]int64{true: 7}[strings.HasSuffix(name, "1")]})
	}
	var answer any = filtered
	if strings.HasSuffix(request.URL.Path, "/prioritize") {
		answer = priorities
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// generator makes clusters and workloads.
type generator struct{ *rand.Rand }

func (g *generator) pick(choices ...string) string { return choices[g.Intn(len(choices))] }

func (g *generator) chance(percent int) bool { return g.Intn(100) < percent }

func (g *generator) request(extender string) *dryrun.Request {
	var cluster, workload strings.Builder
	cluster.WriteString(`
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: low}, value: 10}
---
{apiVersion: v1, kind: Namespace, metadata: {name: default, labels: {team: a}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: other, labels: {team: b}}}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: default}, spec: {selector: {app: a}, ports: [{port: 80}]}}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: now}, provisioner: d, volumeBindingMode: Immediate, allowedTopologies: [{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [z0, z1]}]}]}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: later}, provisioner: d, volumeBindingMode: WaitForFirstConsumer, allowedTopologies: [{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [z1, z2]}]}]}
---
{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {selectors: [{cel: {expression: 'device.driver == "gpu"'}}]}}
---
{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: one, namespace: default}, spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}
`)
	n := 2 + g.Intn(10)
	if g.chance(10) {
		n = 20 + g.Intn(79)
	}
	for i := range n {
		name := fmt.Sprintf("node-%02d", i)
		taint := ""
		if g.chance(20) {
			taint = "{key: dedicated, value: " + g.pick("x", "w") + ", effect: " + g.pick("NoSchedule", "PreferNoSchedule") + "}"
		}
		image := ""
		if g.chance(40) {
			image = "{names: [registry.example/app:1], sizeBytes: 500000000}"
		}
		fmt.Fprintf(&cluster, `
---
apiVersion: v1
kind: Node
metadata: {name: %s, labels: {kubernetes.io/hostname: %[1]s, topology.kubernetes.io/zone: z%d, disk: %s}}
spec: {taints: [%s]}
status: {allocatable: {cpu: "%d", memory: %dGi, pods: "%d"}, images: [%s]}
`, name, g.Intn(3), g.pick("ssd", "hdd"), taint, 2+g.Intn(6), 4+g.Intn(12), 3+g.Intn(10), image)
		if g.chance(30) {
			fmt.Fprintf(&cluster, "---\n{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s-%s}, spec: {driver: gpu, nodeName: %[1]s, pool: {name: %[1]s, generation: 1, resourceSliceCount: 1}, devices: [{name: g0}, {name: g1}]}}\n", name)
		}
		for j := range g.Intn(3) {
			fmt.Fprintf(&cluster, "---\n{apiVersion: v1, kind: Pod, metadata: {name: r-%d-%d, namespace: %s, labels: {app: %s}}, spec: {nodeName: %s, priorityClassName: low, containers: [{name: c, image: i, resources: {requests: {cpu: %dm}}}]}}\n",
				i, j, g.pick("default", "other"), g.pick("a", "b", "c"), name, 100*(1+g.Intn(8)))
		}
	}
	for i := range 3 + g.Intn(8) {
		g.pod(&workload, i)
	}
	r := request(cluster.String(), workload.String())
	r.Seed, r.Config, r.Extenders = g.Int63(), g.config(extender), dryrun.ExtendersCall
	return r
}

func (g *generator) pod(out *strings.Builder, i int) {
	namespace := g.pick("default", "default", "other")
	ports, spec := "", ""
	if g.chance(15) {
		ports = ", ports: [{containerPort: 80, hostPort: 80}]"
	}
	add := func(percent int, text string) {
		if g.chance(percent) {
			spec += ", " + text
		}
	}
	add(20, "nodeSelector: {disk: "+g.pick("ssd", "hdd")+"}")
	add(30, "tolerations: [{key: dedicated, operator: Exists}]")
	add(20, "priorityClassName: "+g.pick("high", "low"))
	if g.chance(35) {
		term := "{topologyKey: " + g.pick("kubernetes.io/hostname", "topology.kubernetes.io/zone") + ", labelSelector: {matchLabels: {app: " + g.pick("a", "b") + "}}" + g.pick("", ", namespaceSelector: {}") + "}"
		spec += ", affinity: {" + g.pick(
			"podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: ["+term+"]}",
			"podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: ["+term+"]}",
			"podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 50, podAffinityTerm: "+term+"}]}",
			"nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 5, preference: {matchExpressions: [{key: disk, operator: In, values: [ssd]}]}}]}",
			"nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [node-01]}]}]}}") + "}"
	}
	add(25, "topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: "+g.pick("DoNotSchedule", "ScheduleAnyway")+", labelSelector: {matchLabels: {app: a}}}]")
	if g.chance(25) {
		fmt.Fprintf(out, "\n---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: v%d, namespace: %s}, spec: {accessModes: [ReadWriteOnce], storageClassName: %s, resources: {requests: {storage: 1Gi}}}}\n", i, namespace, g.pick("now", "later"))
		spec += fmt.Sprintf(", volumes: [{name: v, persistentVolumeClaim: {claimName: v%d}}]", i)
	}
	if namespace == "default" {
		add(15, "resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]")
	}
	fmt.Fprintf(out, "\n---\n{apiVersion: v1, kind: Pod, metadata: {name: p-%02d, namespace: %s, labels: {app: %s}}, spec: {containers: [{name: c, image: 'registry.example/app:1', resources: {requests: {cpu: %dm, memory: %dMi}}%s}]%s}}\n",
		i, namespace, g.pick("a", "b", "c"), 100*(1+g.Intn(25)), 64*(1+g.Intn(40)), ports, spec)
}

func (g *generator) config(extender string) string {
	text := defaultConfig + "percentageOfNodesToScore: 100\n"
	if g.chance(25) {
		text += "extenders: [{urlPrefix: '" + extender + "', filterVerb: filter, prioritizeVerb: prioritize, weight: 2, nodeCacheCapable: true}]\n"
	}
	switch g.Intn(4) {
	case 0:
		text += "profiles: [{schedulerName: default-scheduler, pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 2}, {name: memory, weight: 1}]}}}]}]\n"
	case 1:
		text += "profiles: [{schedulerName: default-scheduler, plugins: {score: {disabled: [{name: ImageLocality}], enabled: [{name: NodeResourcesFit, weight: 7}, {name: PodTopologySpread, weight: 5}]}}}]\n"
	}
	return text
}
