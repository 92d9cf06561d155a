// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/tools/events"
	"k8s.io/component-base/featuregate"
	resourcehelpers "k8s.io/component-helpers/resource"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/schedconf/schedconf/dryrun"
)

// run is one dry run. The scheduler's own queue, cache and cycle do the work; what the run adds is
// the order in which things happen: one pod at a time, and whatever a pod sets off in the background
// has ended, or waits for others, before the next one is tried.
type run struct {
	request  *dryrun.Request
	report   *dryrun.Report
	api      *api
	factory  *factory
	admit    *admitter
	clock    *testingclock.FakeClock
	sched    *scheduler.Scheduler
	snapshot *internalcache.Snapshot
	// pods are those of the workload that were created, and order the same in the order of the report.
	pods  map[types.UID]*pod
	order []*pod
	// pendingPods are those that wait in the cluster, and drained those that had a place there.
	pendingPods, drained []*corev1.Pod

	// progress is told how many pods were tried; it may be nil.
	progress func(dryrun.Progress)
	// stream takes what is explained, so that it is not kept; nil if it is to be in the report.
	stream func(*dryrun.Explained)
	told   time.Time
	tried  int
	// before is what the nodes' pods requested before.
	before map[string]map[string]int64

	// current is the scheduling cycle that goes on; only one does.
	current    *attempt
	preempting []preemptor

	// wakeups has one entry where something has happened in the background since the last look.
	wakeups chan struct{}

	mu       sync.Mutex
	bindings map[types.UID]stage
	// released is closed when the held pods go on.
	released chan struct{}
	// asked is where the queue answers, while it has not; starved is true after it had nothing.
	asked   chan popped
	starved bool
	// backoffSeconds is how long a pod has to wait at most until it is tried again.
	backoffSeconds int64
	// active is a lower bound of what the queue has ready.
	active int
}

// pod is a pod of the workload.
type pod struct {
	namespace, name string
	workload        string
	uid             types.UID
	// refused says why the API server would not create the pod.
	refused string
	// fromCluster is true for a pod that waited in the cluster.
	fromCluster bool
	spec        *corev1.Pod

	attempts int
	last     *attempt
	// atProgress is the state of the cluster that the last attempt saw, and tries counts the attempts
	// at that state.
	atProgress int64
	tries      int
	// failed is true where the last attempt ended in an error, as opposed to a verdict on every node.
	failed      bool
	nominated   string
	preempted   []string
	preemptedBy string
}

// maxTries is how often a pod is tried while nothing in the cluster changes: what ends in an error
// may go well the next time.
const maxTries = 3

// answer answers a request, and tells how far it is. What is explained goes to stream where the request has it so.
// An error is a request that cannot be answered.
func answer(ctx context.Context, request *dryrun.Request, progress func(dryrun.Progress), stream func(*dryrun.Explained)) (*dryrun.Report, error) {
	r := newRun(request)
	r.progress = progress
	if request.Stream {
		r.stream = stream
	}
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	// A question to the queue that has no answer ends with it.
	defer r.sched.SchedulingQueue.Close()
	r.schedule(ctx)
	if request.WhatIf.UntilFull {
		r.untilFull(ctx)
	}
	return r.report, r.finish()
}

func newRun(request *dryrun.Request) *run {
	r := &run{
		request: request,
		report: &dryrun.Report{
			Protocol: dryrun.Protocol,
			Engine:   dryrun.Engine{Kubernetes: kubernetesVersion(), Seed: request.Seed},
			Marks:    []string{}, Pods: []dryrun.Pod{}, Nodes: []dryrun.Node{}, Findings: []dryrun.Finding{},
			Input: dryrun.Input{Cluster: map[string]int{}, Workload: map[string]int{}, Skipped: map[string]int{}},
		},
		api:      newAPI(),
		clock:    testingclock.NewFakeClock(time.Now()),
		pods:     map[types.UID]*pod{},
		wakeups:  make(chan struct{}, 1),
		bindings: map[types.UID]stage{},
		released: make(chan struct{}),
	}
	r.factory = newFactory(r.api.client)
	return r
}

// prepare builds the scheduler, and gives it the cluster and the workload.
func (r *run) prepare(ctx context.Context) error {
	cluster := &loader{run: r, counts: r.report.Input.Cluster}
	if err := cluster.read(r.request.Cluster); err != nil {
		return err
	}
	workload := &loader{run: r, counts: r.report.Input.Workload, strict: true}
	if err := workload.read(r.request.Workload); err != nil {
		return err
	}
	r.report.Engine.Parallelism = r.choose(cluster.items, workload.items)
	if err := r.start(ctx); err != nil {
		return err
	}
	if err := r.load(ctx, cluster.items); err != nil {
		return err
	}
	var err error
	if r.before, err = r.usage(); err != nil {
		return err
	}
	return r.create(ctx, workload.items)
}

// start builds the scheduler that the configuration asks for, as kube-scheduler does.
func (r *run) start(ctx context.Context) error {
	known := utilfeature.DefaultMutableFeatureGate.GetAll()
	for gate := range r.request.FeatureGates {
		if _, ok := known[featuregate.Feature(gate)]; !ok {
			return fmt.Errorf("feature gates: unrecognized feature gate: %s", gate)
		}
	}
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(r.request.FeatureGates); err != nil {
		return fmt.Errorf("feature gates: %w", err)
	}
	r.snapshot = internalcache.NewEmptySnapshot()
	decoded, kind, err := scheme.Codecs.UniversalDecoder().Decode([]byte(r.request.Config), nil, nil)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	cfg, ok := decoded.(*config.KubeSchedulerConfiguration)
	if !ok {
		return fmt.Errorf("configuration: a %s is not a KubeSchedulerConfiguration", kind)
	}
	if problems := validation.ValidateKubeSchedulerConfiguration(cfg); problems != nil {
		return fmt.Errorf("configuration: %w", problems)
	}
	r.backoffSeconds = cfg.PodMaxBackoffSeconds
	recorders := func(string) events.EventRecorderLogger { return recorder{r} }
	r.sched, err = scheduler.New(ctx, r.api.client, r.factory, nil, recorders,
		scheduler.WithComponentConfigVersion(kind.GroupVersion().String()),
		scheduler.WithProfiles(cfg.Profiles...),
		scheduler.WithPercentageOfNodesToScore(cfg.PercentageOfNodesToScore),
		scheduler.WithPodMaxBackoffSeconds(cfg.PodMaxBackoffSeconds),
		scheduler.WithPodInitialBackoffSeconds(cfg.PodInitialBackoffSeconds),
		scheduler.WithExtenders(cfg.Extenders...),
		scheduler.WithParallelism(int32(r.report.Engine.Parallelism)),
		scheduler.WithClock(r.clock),
		scheduler.WithNodeInfoSnapshot(r.snapshot),
		scheduler.WithFrameworkOutOfTreeRegistry(r.unmodelled()),
	)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	if err := r.replaceExtenders(cfg); err != nil {
		return err
	}
	for name, profile := range r.sched.Profiles {
		r.sched.Profiles[name] = observe(r, profile)
	}
	r.sched.NextEntity = r.nextEntity(ctx, r.sched.NextEntity)
	r.sched.SchedulePod = r.schedulePod(r.sched.SchedulePod)
	r.sched.FailureHandler = r.failureHandler(r.sched.FailureHandler)
	r.api.changed = r.wake
	r.sched.SchedulingQueue.Run(klog.FromContext(ctx))
	if r.sched.APIDispatcher != nil {
		r.sched.APIDispatcher.Run(klog.FromContext(ctx))
	}
	if r.admit, err = newAdmitter(r.api, r.factory); err != nil {
		return err
	}
	return nil
}

// wake ends a wait.
func (r *run) wake() {
	select {
	case r.wakeups <- struct{}{}:
	default:
	}
}

func (r *run) wait(ctx context.Context) {
	select {
	case <-r.wakeups:
	case <-ctx.Done():
	}
}

// pump tells the informers what has changed, until nothing does.
func (r *run) pump(order bool) {
	for {
		changes := r.api.take()
		if len(changes) == 0 {
			return
		}
		if order {
			sortChanges(changes)
		}
		for _, c := range changes {
			r.factory.deliver(c)
			if _, isPod := c.obj.(*corev1.Pod); isPod && c.old == nil {
				// The queue puts pods that came at the same time in any order.
				r.clock.Step(time.Nanosecond)
			}
		}
		// What the fake clientset was asked is of no interest, and it keeps all of it.
		r.api.client.ClearActions()
	}
}

// schedule runs scheduling cycles until no pod is left to try, or time is up.
func (r *run) schedule(ctx context.Context) {
	flushed := int64(-1)
	for ctx.Err() == nil {
		r.pump(true)
		if !r.ready() {
			if r.release(ctx) {
				continue
			}
			// The queue's own hints said no to some pods; kube-scheduler tries them again every five
			// minutes all the same.
			if progress := r.api.progressed(); r.stale(progress) && flushed != progress {
				flushed = progress
				r.sched.SchedulingQueue.MoveAllToActiveOrBackoffQueue(klog.FromContext(ctx), framework.EventUnschedulableTimeout, nil, nil, nil)
				continue
			}
			return
		}
		r.sched.ScheduleOne(ctx)
		r.settle(ctx)
		r.tell()
		r.api.client.ClearActions()
	}
	r.report.Partial = "the time was up"
	if errors.Is(context.Cause(ctx), context.Canceled) {
		r.report.Partial = "the run was interrupted"
	}
}

// tell says how far the run is, five times a second.
func (r *run) tell() {
	if now := time.Now(); r.progress != nil && now.Sub(r.told) > 200*time.Millisecond {
		r.told = now
		r.progress(dryrun.Progress{Done: min(r.tried, len(r.order)), Of: len(r.order)})
	}
}

// ready reports whether the queue has something to try, without which asking it would block.
func (r *run) ready() bool {
	if r.starved {
		r.starved = false
		return false
	}
	if r.asked != nil {
		return true
	}
	r.active--
	if r.active > 0 && !utilfeature.DefaultFeatureGate.Enabled(features.GenericWorkload) {
		return true
	}
	queue := r.sched.SchedulingQueue
	worth := false
	r.active = 0
	for _, p := range queue.PodsInActiveQ() {
		r.active++
		worth = worth || r.worthTrying(p)
	}
	if r.active > 0 {
		return worth
	}
	for _, p := range queue.PodsInBackoffQ() {
		worth = worth || r.worthTrying(p)
	}
	return worth
}

// popped is what the queue gave.
type popped struct {
	entity framework.QueuedEntityInfo
	err    error
}

// patience is how long the queue may take to give what it is thought to have ready.
const patience = 5 * time.Millisecond

// nextEntity takes the next pod or group from the queue. What waits there for its time is given that
// time; where there is nothing all the same, it returns nothing, and the queue is asked on.
func (r *run) nextEntity(ctx context.Context, pop func(klog.Logger) (framework.QueuedEntityInfo, error)) func(klog.Logger) (framework.QueuedEntityInfo, error) {
	return func(logger klog.Logger) (framework.QueuedEntityInfo, error) {
		if r.asked == nil {
			r.asked = make(chan popped, 1)
			go func(answer chan<- popped) {
				entity, err := pop(logger)
				answer <- popped{entity, err}
			}(r.asked)
		}
		for range r.backoffSeconds + 2 {
			timer := time.NewTimer(patience)
			select {
			case next := <-r.asked:
				timer.Stop()
				r.asked = nil
				return next.entity, next.err
			case <-ctx.Done():
				return nil, nil
			case <-timer.C:
				r.clock.Step(time.Second)
			}
		}
		r.starved = true
		return nil, nil
	}
}

// worthTrying is false for a pod that was tried often enough while nothing changed.
func (r *run) worthTrying(p *corev1.Pod) bool {
	known := r.pods[p.UID]
	if known == nil || known.last == nil {
		return true
	}
	return known.tries < maxTries || known.atProgress != r.api.progressed()
}

// stale reports whether a pod that could not be placed has not seen the latest state.
func (r *run) stale(progress int64) bool {
	for _, p := range r.sched.SchedulingQueue.UnschedulablePods() {
		if known := r.pods[p.UID]; known != nil && known.last != nil && known.atProgress != progress {
			return true
		}
	}
	return false
}

// settle waits until nothing goes on in the background but pods that wait for others, or are held.
func (r *run) settle(ctx context.Context) {
	for ctx.Err() == nil && r.anyBinding(running) {
		r.wait(ctx)
	}
	for _, p := range r.preempting {
		for p.busy(ctx) && ctx.Err() == nil {
			runtime.Gosched()
		}
	}
	r.preempting = r.preempting[:0]
}

func (r *run) anyBinding(s stage) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, at := range r.bindings {
		if at == s {
			return true
		}
	}
	return false
}

// release lets the held pods go on, and tells the informers what they do until they have ended. It
// reports whether there were any.
func (r *run) release(ctx context.Context) bool {
	if !r.anyBinding(held) {
		return false
	}
	r.mu.Lock()
	for pod, at := range r.bindings {
		if at == held {
			r.bindings[pod] = running
		}
	}
	close(r.released)
	r.released = make(chan struct{})
	r.mu.Unlock()
	for ctx.Err() == nil && r.anyBinding(running) {
		r.pump(true)
		r.wait(ctx)
	}
	return true
}

func (r *run) explains(p *corev1.Pod) bool {
	return r.request.ExplainAll || slices.Contains(r.request.Explain, p.Name) || slices.Contains(r.request.Explain, p.Namespace+"/"+p.Name)
}

// finish makes the report of what is known.
func (r *run) finish() error {
	for _, p := range r.order {
		r.report.Pods = append(r.report.Pods, r.reportPod(p))
		if p.last != nil && p.last.sampled() {
			r.report.Engine.Sampled++
		}
	}
	after, err := r.usage()
	if err != nil {
		return err
	}
	nodes, err := r.snapshot.List()
	if err != nil {
		return err
	}
	for _, node := range nodes {
		name := node.Node().Name
		r.report.Nodes = append(r.report.Nodes, dryrun.Node{
			Name: name, Labels: node.Node().Labels, Allocatable: amounts(node.GetAllocatable()), Before: r.before[name], After: after[name],
		})
	}
	slices.SortFunc(r.report.Nodes, func(a, b dryrun.Node) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// usage is what the pods on each node request, as the scheduler counts.
func (r *run) usage() (map[string]map[string]int64, error) {
	r.pump(false)
	if err := r.sched.Cache.UpdateSnapshot(klog.Background(), r.snapshot); err != nil {
		return nil, err
	}
	nodes, err := r.snapshot.List()
	if err != nil {
		return nil, err
	}
	usage := map[string]map[string]int64{}
	for _, node := range nodes {
		requested := amounts(node.GetRequested())
		requested[string(corev1.ResourcePods)] = int64(len(node.GetPods()))
		usage[node.Node().Name] = requested
	}
	return usage, nil
}

func amounts(resource fwk.Resource) map[string]int64 {
	list := map[string]int64{
		string(corev1.ResourceCPU):              resource.GetMilliCPU(),
		string(corev1.ResourceMemory):           resource.GetMemory(),
		string(corev1.ResourceEphemeralStorage): resource.GetEphemeralStorage(),
		string(corev1.ResourcePods):             int64(resource.GetAllowedPodNumber()),
	}
	for name, value := range resource.GetScalarResources() {
		list[string(name)] = value
	}
	return list
}

func (r *run) reportPod(p *pod) dryrun.Pod {
	out := dryrun.Pod{
		Name: p.name, Namespace: p.namespace, Workload: p.workload, Profile: p.spec.Spec.SchedulerName,
		Preempted: append([]string{}, p.preempted...), PreemptedBy: p.preemptedBy, Attempts: p.attempts,
		FromCluster: p.fromCluster, Labels: p.spec.Labels, Requests: requests(p.spec),
	}
	if p.spec.Spec.Priority != nil {
		out.Priority = *p.spec.Spec.Priority
	}
	if p.nominated != "" {
		out.Nominated = &p.nominated
	}
	if p.refused != "" {
		out.Outcome, out.Message = dryrun.Refused, &p.refused
		return out
	}
	r.decide(p, &out)
	if p.last == nil {
		return out
	}
	out.Feasible, out.Evaluated, out.Ties, out.Hinted = p.last.feasible, int(p.last.evaluated.Load()), p.last.ties, p.last.hinted
	if p.last.explained && r.stream == nil {
		out.Nodes, out.Weights = p.last.verdicts(r), r.weights(p.spec)
	}
	return out
}

// weights are those of the score plugins of a pod's profile.
func (r *run) weights(p *corev1.Pod) map[string]int64 {
	if profile, ok := r.sched.Profiles[p.Spec.SchedulerName].(*observed); ok {
		return profile.weights
	}
	return nil
}

// decide says what has become of a pod, as its status has it.
func (r *run) decide(p *pod, out *dryrun.Pod) {
	now := r.api.pod(p.namespace, p.name)
	switch {
	case p.preemptedBy != "" && now == nil:
		out.Outcome = dryrun.Preempted
		out.Message = text("preempted by " + p.preemptedBy)
		return
	case now == nil:
		out.Outcome = dryrun.Unknown
		return
	case now.Spec.NodeName != "":
		out.Outcome, out.Node = dryrun.Placed, &now.Spec.NodeName
		return
	case !r.sched.Profiles.HandlesSchedulerName(now.Spec.SchedulerName):
		out.Outcome = dryrun.Unhandled
		out.Message = text(fmt.Sprintf("schedulerName %q is that of no profile: this scheduler leaves the pod to another one", now.Spec.SchedulerName))
		return
	}
	if now.Status.NominatedNodeName != "" {
		out.Nominated = &now.Status.NominatedNodeName
	}
	out.Outcome = dryrun.Pending
	for _, condition := range now.Status.Conditions {
		if condition.Type != corev1.PodScheduled {
			continue
		}
		out.Message = text(condition.Message)
		if condition.Reason == corev1.PodReasonSchedulingGated {
			out.Outcome = dryrun.Gated
		}
	}
	r.mu.Lock()
	at, isBinding := r.bindings[p.uid]
	r.mu.Unlock()
	switch {
	case isBinding && at == waiting:
		out.Message = text("waits at permit for other pods, which do not come")
	case p.last != nil && p.last.cut:
		out.Outcome, out.Message = dryrun.Unknown, nil
	case isBinding, p.last == nil && r.report.Partial != "" && out.Outcome == dryrun.Pending:
		out.Outcome = dryrun.Unknown
	case p.last == nil && out.Message == nil:
		out.Outcome = dryrun.Gated
		out.Message = r.heldBy(now)
	}
}

// heldBy says which preEnqueue plugin keeps a pod from the queue.
func (r *run) heldBy(p *corev1.Pod) *string {
	for _, plugin := range r.sched.Profiles[p.Spec.SchedulerName].PreEnqueuePlugins() {
		if status := plugin.PreEnqueue(context.Background(), p); !status.IsSuccess() {
			return text(plugin.Name() + ": " + status.Message())
		}
	}
	return text("the pod was not tried")
}

func text(s string) *string { return &s }

func requests(p *corev1.Pod) map[string]int64 {
	list := map[string]int64{}
	for name, quantity := range resourcehelpers.PodRequests(p, resourcehelpers.PodResourcesOptions{}) {
		if name == corev1.ResourceCPU {
			list[string(name)] = quantity.MilliValue()
		} else {
			list[string(name)] = quantity.Value()
		}
	}
	return list
}
