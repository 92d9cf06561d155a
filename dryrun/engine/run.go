// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	clocktesting "k8s.io/utils/clock/testing"

	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedconf/schedconf/dryrun"
)

const (
	// sampledFrom is how many nodes a cluster has at least before some are left out of the search
	// (minFeasibleNodesToFind in pkg/scheduler/schedule_one.go).
	sampledFrom = 100
	// failuresMost is how often a pod may fail with an error of the scheduler, as against not fitting, before
	// it is left alone.
	failuresMost = 3
)

// simulation is a scheduler over a cluster that changes as it decides.
type simulation struct {
	*cluster
	sched   *scheduler.Scheduler
	clock   *clocktesting.FakeClock
	journal *journal
	nodes   []string

	ended chan struct{} // a binding cycle is over

	mu      sync.Mutex
	results map[types.UID]*dryrun.Pod
	binding map[types.UID]bool // pods whose binding cycle goes on
	waits   map[types.UID]bool // of them, those that wait for more than the scheduler itself
	errors  map[types.UID]int
	victims []*v1.Pod // what the current cycle has evicted
}

// run schedules the pods of the workload one after the other.
func run(ctx context.Context, request dryrun.Request, cfg *config.KubeSchedulerConfiguration, o *objects) (*dryrun.Report, error) {
	if request.Timeout != "" {
		limit, err := time.ParseDuration(request.Timeout)
		if err != nil {
			return nil, fmt.Errorf("timeout %q: %w", request.Timeout, err)
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	report := &dryrun.Report{
		Protocol: dryrun.Protocol, Engine: dryrun.Engine{Kubernetes: release, Parallelism: runtime.GOMAXPROCS(0), Seed: request.Seed},
		Marks: []string{}, Pods: []dryrun.Pod{}, Nodes: []dryrun.Node{}, Skipped: o.skipped, Objects: o.counts,
	}
	stopped, stop := context.WithCancel(context.Background())
	defer stop()
	s, err := newSimulation(stopped, request, cfg, o, report)
	if err != nil {
		return nil, err
	}
	workload := o.workloadPods()
	order := make([]types.UID, 0, len(workload))
	for _, e := range workload {
		pod := e.object.(*v1.Pod)
		if request.AsProfile != "" {
			pod.Spec.SchedulerName = request.AsProfile
		}
		order = append(order, pod.UID)
		s.enter(pod, e)
	}
	report.Partial = !s.schedule(ctx)
	for _, uid := range order {
		s.results[uid].Outcome = s.outcome(workload[len(report.Pods)].object.(*v1.Pod), s.results[uid], report.Partial)
		report.Pods = append(report.Pods, *s.results[uid])
	}
	report.Nodes = s.usage()
	report.Problems = o.problems
	return report, nil
}

func newSimulation(ctx context.Context, request dryrun.Request, cfg *config.KubeSchedulerConfiguration, o *objects, report *dryrun.Report) (*simulation, error) {
	s := &simulation{
		cluster: newCluster(), clock: clocktesting.NewFakeClock(time.Unix(1_700_000_000, 0)), ended: make(chan struct{}, 1),
		results: map[types.UID]*dryrun.Pod{}, binding: map[types.UID]bool{}, waits: map[types.UID]bool{}, errors: map[types.UID]int{},
	}
	s.deleted, s.starts = s.evicted, s.began
	s.count(o)
	if report.Sampled = s.samples(cfg); report.Sampled {
		// Which nodes are left out depends on which of several goroutines is the first; of one, on nothing.
		report.Engine.Parallelism = 1
	}
	s.journal = &journal{seed: request.Seed, explain: explains(request), weights: map[string]map[string]int64{}}
	extenders := cfg.Extenders
	if !request.CallExtenders {
		extenders = silenced(extenders)
		for _, extender := range cfg.Extenders {
			report.Marks = append(report.Marks, fmt.Sprintf("the extender %s is not called: the result is as if it had no say", redacted(extender.URLPrefix)))
		}
	}
	var err error
	s.sched, err = scheduler.New(ctx, s.client, s.factory, nil, recorders,
		scheduler.WithComponentConfigVersion(cfg.APIVersion),
		scheduler.WithProfiles(cfg.Profiles...),
		scheduler.WithPercentageOfNodesToScore(cfg.PercentageOfNodesToScore),
		scheduler.WithPodInitialBackoffSeconds(cfg.PodInitialBackoffSeconds),
		scheduler.WithPodMaxBackoffSeconds(cfg.PodMaxBackoffSeconds),
		scheduler.WithExtenders(extenders...),
		scheduler.WithParallelism(int32(report.Engine.Parallelism)),
		scheduler.WithClock(s.clock),
		scheduler.WithNodeInfoSnapshot(internalcache.NewEmptySnapshot()),
	)
	if err != nil {
		return nil, fmt.Errorf("the configuration: %w", err)
	}
	s.observe()
	s.fill(o)
	return s, nil
}

// recorders make recorders of events that go nowhere.
func recorders(string) events.EventRecorderLogger { return &events.FakeRecorder{} }

// count takes the names of the nodes.
func (s *simulation) count(o *objects) {
	for _, node := range of[*v1.Node](o) {
		s.nodes = append(s.nodes, node.Name)
	}
	slices.Sort(s.nodes)
}

// silenced are extenders that are asked nothing. What they say about resources remains.
func silenced(extenders []config.Extender) []config.Extender {
	list := slices.Clone(extenders)
	for i := range list {
		list[i].FilterVerb, list[i].PrioritizeVerb, list[i].BindVerb, list[i].PreemptVerb = "", "", "", ""
	}
	return list
}

// redacted is an address without who may use it.
func redacted(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return "with an address that is no URL"
	}
	parsed.User, parsed.RawQuery = nil, ""
	return parsed.String()
}

// fill puts the cluster into its stores: what pods hang on first, then the pods that run.
func (s *simulation) fill(o *objects) {
	var pods []entry
	namespaces := map[string]bool{}
	for _, e := range o.entries {
		switch object := e.object.(type) {
		case *v1.Pod:
			if !e.workload {
				pods = append(pods, e)
			}
			continue
		case *v1.Namespace:
			namespaces[object.Name] = true
		}
		s.add(e.object)
	}
	for _, pod := range of[*v1.Pod](o) {
		if !namespaces[pod.Namespace] {
			namespaces[pod.Namespace] = true
			// The API server has no pods without their namespace, but dumps do.
			namespace := &v1.Namespace{}
			namespace.Name, namespace.Labels = pod.Namespace, map[string]string{v1.LabelMetadataName: pod.Namespace}
			s.add(namespace)
		}
	}
	for _, e := range pods {
		pod := e.object.(*v1.Pod)
		if _, known := slices.BinarySearch(s.nodes, pod.Spec.NodeName); pod.Spec.NodeName != "" && !known {
			o.problem(e, describe("Pod", pod.Namespace, pod.Name), "its node %q is not in the cluster", pod.Spec.NodeName)
			continue
		}
		if pod.Spec.NodeName != "" {
			s.began(pod)
		}
		s.clock.Step(time.Millisecond)
		s.add(pod)
	}
}

// began gives a pod that is on a node the time at which it began, as its kubelet would. Preemption evicts the
// youngest of pods with one priority, and ends in chance where two are of one age: no two are.
func (s *simulation) began(pod *v1.Pod) {
	s.clock.Step(time.Nanosecond)
	start := s.clock.Now()
	switch {
	case pod.Status.StartTime != nil:
		start = pod.Status.StartTime.Add(time.Duration(start.Nanosecond() % int(time.Millisecond)))
	case !pod.CreationTimestamp.IsZero():
		start = pod.CreationTimestamp.Add(time.Duration(start.Nanosecond() % int(time.Millisecond)))
	}
	pod.Status.StartTime = &metav1.Time{Time: start}
}

func explains(request dryrun.Request) func(*v1.Pod) bool {
	return func(pod *v1.Pod) bool {
		return request.ExplainAll || slices.Contains(request.Explain, pod.Name) || slices.Contains(request.Explain, pod.Namespace+"/"+pod.Name)
	}
}

// weigh writes down the weights of a profile.
func (s *simulation) weigh(f framework.Framework) {
	weights := map[string]int64{}
	for _, plugin := range f.ListPlugins().Score.Enabled {
		weights[plugin.Name] = int64(plugin.Weight)
	}
	s.journal.weights[f.ProfileName()] = weights
}

// samples reports whether some profile leaves nodes out of the search.
func (s *simulation) samples(cfg *config.KubeSchedulerConfiguration) bool {
	if len(s.nodes) <= sampledFrom {
		return false
	}
	for _, p := range cfg.Profiles {
		percentage := cfg.PercentageOfNodesToScore
		if p.PercentageOfNodesToScore != nil {
			percentage = p.PercentageOfNodesToScore
		}
		if percentage == nil || *percentage < 100 {
			return true
		}
	}
	return false
}

// observe puts the journal between the scheduler and its profiles.
func (s *simulation) observe() {
	for name, p := range s.sched.Profiles {
		s.weigh(p)
		s.sched.Profiles[name] = &observer{Framework: p, log: s.journal, simulation: s}
	}
	schedule := s.sched.SchedulePod
	s.sched.SchedulePod = func(ctx context.Context, f framework.Framework, state fwk.CycleState, info *framework.QueuedPodInfo) (scheduler.ScheduleResult, error) {
		s.journal.begin(info.Pod)
		rand.Seed(int64(s.journal.random(info.Pod, "")))
		result, err := schedule(ctx, f, state, info)
		s.attempted(ctx, f, state, info.Pod, s.journal.end(), err)
		return result, err
	}
	fail := s.sched.FailureHandler
	s.sched.FailureHandler = func(ctx context.Context, f framework.Framework, info *framework.QueuedPodInfo, status *fwk.Status, nominating *fwk.NominatingInfo, start time.Time) {
		s.failed(info.Pod, status, nominating)
		fail(ctx, f, info, status, nominating, start)
		s.bound(info.Pod)
	}
}

// enter takes a pod of the workload.
func (s *simulation) enter(pod *v1.Pod, e entry) {
	result := &dryrun.Pod{Name: pod.Name, Namespace: pod.Namespace, Owner: e.owner, Scheduler: pod.Spec.SchedulerName, Preempted: []string{}}
	if pod.Spec.Priority != nil {
		result.Priority = *pod.Spec.Priority
	}
	s.results[pod.UID] = result
	for _, condition := range pod.Status.Conditions {
		if condition.Type == v1.PodScheduled && condition.Message != "" {
			message := condition.Message
			result.Message = &message
		}
	}
	if node := pod.Spec.NodeName; node != "" {
		result.Node = &node
	} else if _, ours := s.sched.Profiles[pod.Spec.SchedulerName]; !ours {
		message := fmt.Sprintf("no profile is called %q", pod.Spec.SchedulerName)
		result.Message = &message
	}
	// Pods of one priority come in the order in which they were given.
	s.clock.Step(time.Millisecond)
	s.add(pod)
}

// schedule goes on until nothing can be scheduled any more. It reports whether it got that far.
func (s *simulation) schedule(ctx context.Context) bool {
	for ctx.Err() == nil {
		if !s.ready() {
			if !s.pending(false) {
				return true
			}
			// What is left waits for volumes, or to be permitted by others.
			select {
			case <-s.ended:
			case <-ctx.Done():
			}
			continue
		}
		s.sched.ScheduleOne(ctx)
		s.client.ClearActions()
		for s.pending(true) {
			select {
			case <-s.ended:
			case <-ctx.Done():
				return false
			}
		}
	}
	return false
}

// ready reports whether the queue has something to pop. Nothing waits for time to pass: the queue pops what
// backs off if nothing else is there, apart from pods that have met an error.
func (s *simulation) ready() bool {
	if len(s.sched.SchedulingQueue.PodsInActiveQ()) > 0 {
		return true
	}
	again := map[string]*v1.Pod{}
	s.mu.Lock()
	for _, pod := range s.sched.SchedulingQueue.PodsInBackoffQ() {
		if s.errors[pod.UID] < failuresMost {
			again[pod.Namespace+"/"+pod.Name] = pod
		}
	}
	s.mu.Unlock()
	if len(again) == 0 {
		return false
	}
	s.sched.SchedulingQueue.Activate(klog.Background(), again)
	return len(s.sched.SchedulingQueue.PodsInActiveQ()) > 0
}

// pending reports whether binding cycles go on; those that only wait for the scheduler's own work if soon.
func (s *simulation) pending(soon bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if soon {
		return len(s.binding) > len(s.waits)
	}
	return len(s.binding) > 0
}

// binds says that the binding cycle of a pod will go on beside the scheduling cycles.
func (s *simulation) binds(pod *v1.Pod, waits bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.binding[pod.UID] = true
	if waits {
		s.waits[pod.UID] = true
	}
	s.signal()
}

// bound says that the binding cycle of a pod is over, however it went.
func (s *simulation) bound(pod *v1.Pod) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.binding, pod.UID)
	delete(s.waits, pod.UID)
	s.signal()
}

func (s *simulation) signal() {
	select {
	case s.ended <- struct{}{}:
	default:
	}
}

// attempted writes down what a cycle has found.
func (s *simulation) attempted(ctx context.Context, f framework.Framework, state fwk.CycleState, pod *v1.Pod, c *cycle, err error) {
	if err == nil && s.journal.explain(pod) {
		c.complete(ctx, f, state, pod)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.victims = nil
	result := s.results[pod.UID]
	if result == nil {
		return
	}
	result.Ties = c.ties
	if s.journal.explain(pod) {
		result.Nodes, result.Weights = c.verdicts(s.nodes), s.journal.weights[f.ProfileName()]
	}
}

// placed writes down where a pod went.
func (s *simulation) placed(pod *v1.Pod, node string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if result := s.results[pod.UID]; result != nil {
		result.Node = &node
	}
}

// failed writes down why a pod does not fit, and who had to go for it.
func (s *simulation) failed(pod *v1.Pod, status *fwk.Status, nominating *fwk.NominatingInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !status.IsRejected() {
		s.errors[pod.UID]++
	}
	result := s.results[pod.UID]
	if result == nil {
		return
	}
	message := status.Message()
	result.Message = &message
	if nominating != nil && nominating.NominatedNodeName != "" {
		node := nominating.NominatedNodeName
		result.Nominated = &node
	}
	for _, victim := range s.victims {
		result.Preempted = append(result.Preempted, nameBeside(victim, pod))
		if evicted := s.results[victim.UID]; evicted != nil {
			evicted.Node, evicted.Evicted = nil, nameBeside(pod, victim)
		}
	}
	slices.Sort(result.Preempted)
	s.victims = nil
}

// nameBeside is the name of a pod, with its namespace where that of the other is different.
func nameBeside(pod, other *v1.Pod) string {
	if pod.Namespace == other.Namespace {
		return pod.Name
	}
	return pod.Namespace + "/" + pod.Name
}

// evicted is told of a pod that is deleted.
func (s *simulation) evicted(pod *v1.Pod) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.victims = append(s.victims, pod)
}

// outcome is what became of a pod.
func (s *simulation) outcome(pod *v1.Pod, result *dryrun.Pod, partial bool) dryrun.Outcome {
	_, ours := s.sched.Profiles[pod.Spec.SchedulerName]
	switch {
	case result.Node != nil:
		return dryrun.Placed
	case result.Evicted != "":
		return dryrun.Evicted
	case !ours:
		return dryrun.Unhandled
	case len(pod.Spec.SchedulingGates) > 0:
		return dryrun.Gated
	case partial && result.Message == nil:
		return dryrun.Unknown
	}
	return dryrun.Pending
}

// usage is how full the nodes are.
func (s *simulation) usage() []dryrun.Node {
	snapshot := s.sched.Cache.Dump()
	list := []dryrun.Node{}
	for _, name := range slices.Sorted(maps.Keys(snapshot.Nodes)) {
		info := snapshot.Nodes[name]
		if info.Node() == nil {
			continue
		}
		list = append(list, dryrun.Node{
			Name: name, Pods: len(info.GetPods()), Requested: amounts(info.GetRequested()), Allocatable: amounts(info.GetAllocatable()),
		})
	}
	return list
}

func amounts(r fwk.Resource) map[string]int64 {
	out := map[string]int64{"cpu": r.GetMilliCPU(), "memory": r.GetMemory()}
	if n := r.GetEphemeralStorage(); n > 0 {
		out["ephemeral-storage"] = n
	}
	if n := r.GetAllowedPodNumber(); n > 0 {
		out["pods"] = int64(n)
	}
	for name, n := range r.GetScalarResources() {
		if !strings.HasPrefix(string(name), "attachable-volumes-") {
			out[string(name)] = n
		}
	}
	return out
}
