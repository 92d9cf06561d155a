// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"hash/fnv"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"github.com/schedconf/schedconf/dryrun"
)

// attempt is what is seen of one scheduling cycle of a pod.
type attempt struct {
	// explained is true where every node is to be reported.
	explained bool
	// considered is how many nodes preFilter left, and looked at how many of them were filtered.
	considered int
	feasible   int
	// hinted and nominated cycles look at one node first.
	hinted, nominated bool
	// cut is true where the run ended in the middle of the cycle.
	cut  bool
	ties int

	// evaluated is how many nodes were looked at. Which ones is kept of explained pods only.
	evaluated atomic.Int64

	mu       sync.Mutex
	lookedAt map[string]bool
	rejected map[string]*dryrun.Rejection
	scores   map[string]map[string]dryrun.Score
	totals   map[string]int64
	only     sets.Set[string]
	narrowed string
	// unasked are the nodes that were filtered after the decision.
	unasked sets.Set[string]
}

// sampled reports whether the cycle ended before every node was looked at.
func (a *attempt) sampled() bool {
	return !a.hinted && !a.nominated && a.feasible > 0 && int(a.evaluated.Load()) < a.considered
}

// observed is a profile that tells the run what it decides. Nodes are put in an order that the seed
// decides before they are scored, since among equals the scheduler takes what comes first.
type observed struct {
	framework.Framework
	run *run
	// weights are those of the score plugins.
	weights map[string]int64
}

func observe(r *run, profile framework.Framework) *observed {
	o := &observed{profile, r, map[string]int64{}}
	for _, plugin := range profile.ListPlugins().Score.Enabled {
		o.weights[plugin.Name] = int64(plugin.Weight)
	}
	for _, plugin := range profile.PreEnqueuePlugins() {
		if preempting, ok := plugin.(*defaultpreemption.DefaultPreemption); ok {
			preempting.Evaluator.Interface = seededPreemption{preempting.Evaluator.Interface, r}
		}
	}
	return o
}

// schedulePod wraps Scheduler.SchedulePod.
func (r *run) schedulePod(inner func(context.Context, framework.Framework, fwk.CycleState, *framework.QueuedPodInfo) (scheduler.ScheduleResult, error)) func(context.Context, framework.Framework, fwk.CycleState, *framework.QueuedPodInfo) (scheduler.ScheduleResult, error) {
	return func(ctx context.Context, profile framework.Framework, state fwk.CycleState, podInfo *framework.QueuedPodInfo) (scheduler.ScheduleResult, error) {
		pod := podInfo.Pod
		p := r.pods[pod.UID]
		if p == nil {
			return inner(ctx, profile, state, podInfo)
		}
		a := &attempt{
			explained: r.explains(pod),
			nominated: pod.Status.NominatedNodeName != "",
		}
		if a.explained {
			a.lookedAt, a.rejected, a.unasked = map[string]bool{}, map[string]*dryrun.Rejection{}, sets.New[string]()
		}
		if p.attempts == 0 {
			r.tried++
		}
		p.attempts++
		if progress := r.api.progressed(); p.last == nil || p.atProgress != progress {
			p.atProgress, p.tries = progress, 0
		}
		p.last = a
		p.tries++
		r.current = a
		// What else asks for chance, the offset of preemption among it, is decided by the seed too.
		rand.Seed(r.request.Seed ^ int64(hash(string(pod.UID), p.attempts))) //nolint:staticcheck // the scheduler reads the global source
		result, err := inner(ctx, profile, state, podInfo)
		r.current = nil
		a.feasible = result.FeasibleNodes
		a.countTies()
		if err != nil && ctx.Err() != nil {
			a.cut, a.explained = true, false
		}
		var unfit *framework.FitError
		switch {
		case !a.explained:
		case errors.As(err, &unfit):
			a.rejectAbsent(r, unfit)
		case err == nil:
			a.askAfterwards(ctx, r, profile, state, pod)
		}
		if a.explained && r.stream != nil {
			r.stream(&dryrun.Explained{Pod: p.namespace + "/" + p.name, Weights: r.weights(pod), Nodes: a.verdicts(r)})
			a.lookedAt, a.rejected, a.unasked, a.scores, a.totals, a.only = nil, nil, nil, nil, nil, nil
		}
		return result, err
	}
}

// askAfterwards filters the nodes that the scheduler did not have to look at, for the report alone.
func (a *attempt) askAfterwards(ctx context.Context, r *run, profile framework.Framework, state fwk.CycleState, pod *corev1.Pod) {
	nodes, err := r.snapshot.ListNodesInPlacement()
	if err != nil {
		return
	}
	for _, node := range nodes {
		name := node.Node().Name
		if a.lookedAt[name] || a.only != nil && !a.only.Has(name) {
			continue
		}
		a.unasked.Insert(name)
		if status := profile.RunFilterPluginsWithNominatedPods(ctx, state, pod, node); !status.IsSuccess() {
			a.rejected[name] = rejection(status)
		}
	}
}

// countBest counts the nodes with the highest total where no extender adds to it.
func (a *attempt) countBest(scores []fwk.NodePluginScores) {
	best := int64(-1)
	for _, node := range scores {
		switch {
		case node.TotalScore > best:
			best, a.ties = node.TotalScore, 1
		case node.TotalScore == best:
			a.ties++
		}
	}
}

// countTies counts the nodes with the highest total. The totals are kept for an explanation alone.
func (a *attempt) countTies() {
	if a.totals == nil {
		return // they are counted, or nothing was scored
	}
	best := int64(-1)
	for _, total := range a.totals {
		switch {
		case total > best:
			best, a.ties = total, 1
		case total == best:
			a.ties++
		}
	}
	if !a.explained {
		a.totals = nil
	}
}

// heard is an extender that tells the run what it says.
type heard struct {
	fwk.Extender
	run *run
}

// Filter notes which nodes the extender does not want.
func (h heard) Filter(pod *corev1.Pod, nodes []fwk.NodeInfo) ([]fwk.NodeInfo, extenderv1.FailedNodesMap, extenderv1.FailedNodesMap, error) {
	left, failed, unresolvable, err := h.Extender.Filter(pod, nodes)
	if a := h.run.current; a != nil && a.explained && err == nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, rejected := range []extenderv1.FailedNodesMap{failed, unresolvable} {
			for name, message := range rejected {
				a.rejected[name] = &dryrun.Rejection{Plugin: address(h), Message: message}
			}
		}
	}
	return left, failed, unresolvable, err
}

// Prioritize notes the scores of the extender. Several may be asked at a time.
func (h heard) Prioritize(pod *corev1.Pod, nodes []fwk.NodeInfo) (*extenderv1.HostPriorityList, int64, error) {
	list, weight, err := h.Extender.Prioritize(pod, nodes)
	if a := h.run.current; a != nil && err == nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, host := range *list {
			if _, scored := a.totals[host.Host]; !scored {
				continue
			}
			// An extender's scale ends at 10, that of the scheduler at 100.
			score := dryrun.Score{Raw: host.Score, Normalized: host.Score * (fwk.MaxNodeScore / extenderv1.MaxExtenderPriority)}
			score.Weighted = score.Normalized * weight
			a.totals[host.Host] += score.Weighted
			if a.explained {
				a.scores[host.Host][address(h)] = score
			}
		}
	}
	return list, weight, err
}

// rejectAbsent notes the verdict on nodes that no filter was asked about.
func (a *attempt) rejectAbsent(r *run, unfit *framework.FitError) {
	nodes, err := r.snapshot.ListNodesInPlacement()
	if err != nil {
		return
	}
	for _, node := range nodes {
		name := node.Node().Name
		if a.rejected[name] == nil && !a.lookedAt[name] {
			a.rejected[name] = rejection(unfit.Diagnosis.NodeToStatus.Get(name))
		}
	}
}

func rejection(status *fwk.Status) *dryrun.Rejection {
	return &dryrun.Rejection{Plugin: status.Plugin(), Message: strings.Join(status.Reasons(), ", ")}
}

// RunPreFilterPlugins notes which nodes are left.
func (o *observed) RunPreFilterPlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod) (*fwk.PreFilterResult, *fwk.Status, sets.Set[string]) {
	result, status, plugins := o.Framework.RunPreFilterPlugins(ctx, state, pod)
	if a := o.run.current; a != nil {
		a.considered = o.run.snapshot.NumNodesInPlacement()
		if status.IsSuccess() && !result.AllNodes() {
			a.only = result.NodeNames
			a.narrowed = strings.Join(sets.List(plugins), ", ")
			a.considered = 0
			for name := range result.NodeNames {
				if _, err := o.run.snapshot.GetNodeInPlacement(name); err == nil {
					a.considered++
				}
			}
		}
	}
	return result, status, plugins
}

// GetNodeHint notes that the scheduler has an answer from an equal pod.
func (o *observed) GetNodeHint(ctx context.Context, pod *corev1.Pod, signature fwk.PodSignature, state fwk.CycleState, cycle int64) string {
	hint := o.Framework.GetNodeHint(ctx, pod, signature, state, cycle)
	if a := o.run.current; a != nil {
		a.hinted = hint != ""
	}
	return hint
}

// RunFilterPluginsWithNominatedPods notes the verdict on a node.
func (o *observed) RunFilterPluginsWithNominatedPods(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node fwk.NodeInfo) *fwk.Status {
	status := o.Framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, node)
	if a := o.run.current; a != nil {
		name := node.Node().Name
		if !a.explained {
			a.evaluated.Add(1)
			return status
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.lookedAt[name] = true
		a.evaluated.Store(int64(len(a.lookedAt)))
		delete(a.rejected, name)
		if !status.IsSuccess() {
			a.rejected[name] = rejection(status)
		}
	}
	return status
}

// RunPreScorePlugins is the first to see the nodes that fit.
func (o *observed) RunPreScorePlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, nodes []fwk.NodeInfo) *fwk.Status {
	o.run.shuffle(pod, nodes)
	return o.Framework.RunPreScorePlugins(ctx, state, pod, nodes)
}

// shuffle orders nodes by name, and then as the seed has it for this pod.
func (r *run) shuffle(pod *corev1.Pod, nodes []fwk.NodeInfo) {
	slices.SortFunc(nodes, func(a, b fwk.NodeInfo) int { return strings.Compare(a.Node().Name, b.Node().Name) })
	source := rand.New(rand.NewSource(r.request.Seed ^ int64(hash(pod.Namespace, pod.Name))))
	source.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
}

// RunScorePlugins notes the scores.
func (o *observed) RunScorePlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, nodes []fwk.NodeInfo) ([]fwk.NodePluginScores, *fwk.Status) {
	scores, status := o.Framework.RunScorePlugins(ctx, state, pod, nodes)
	a := o.run.current
	if a == nil || !status.IsSuccess() {
		return scores, status
	}
	if !a.explained && len(o.run.sched.Extenders) == 0 {
		a.countBest(scores)
		return scores, status
	}
	a.totals = make(map[string]int64, len(scores))
	for _, node := range scores {
		a.totals[node.Name] = node.TotalScore
	}
	if a.explained {
		a.scores = map[string]map[string]dryrun.Score{}
		for _, node := range scores {
			byPlugin := map[string]dryrun.Score{}
			for _, score := range node.Scores {
				weight := max(o.weights[score.Name], 1)
				byPlugin[score.Name] = dryrun.Score{Normalized: score.Score / weight, Weighted: score.Score}
			}
			for _, raw := range node.RawScores {
				score := byPlugin[raw.Name]
				score.Raw = raw.Score
				byPlugin[raw.Name] = score
			}
			a.scores[node.Name] = byPlugin
		}
	}
	return scores, status
}

// RunPostFilterPlugins notes a preemption that has begun, which goes on in the background.
func (o *observed) RunPostFilterPlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, nodes fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	result, status := o.Framework.RunPostFilterPlugins(ctx, state, pod, nodes)
	if result != nil && result.NominatingInfo != nil && result.NominatedNodeName != "" {
		if p := o.run.pods[pod.UID]; p != nil {
			p.nominated = result.NominatedNodeName
		}
		o.run.preempting = append(o.run.preempting, preemptor{o, pod})
	}
	return result, status
}

// RunPodGroupPostFilterPlugins does the same for the pods of a group.
func (o *observed) RunPodGroupPostFilterPlugins(ctx context.Context, state *framework.CycleState, group fwk.PodGroupInfo, schedule fwk.PodGroupSchedulingFunc) (*fwk.PodGroupPostFilterResult, *fwk.Status) {
	result, status := o.Framework.RunPodGroupPostFilterPlugins(ctx, state, group, schedule)
	if status.IsSuccess() && len(group.GetUnscheduledPods()) > 0 {
		o.run.preempting = append(o.run.preempting, preemptor{o, group.GetUnscheduledPods()[0]})
	}
	return result, status
}

// preemptor is a pod whose victims are being deleted.
type preemptor struct {
	profile *observed
	pod     *corev1.Pod
}

// busy reports whether the deletion goes on. The plugin keeps the pod from the queue as long.
func (p preemptor) busy(ctx context.Context) bool {
	for _, plugin := range p.profile.PreEnqueuePlugins() {
		if plugin.Name() == defaultpreemption.Name {
			return !plugin.PreEnqueue(ctx, p.pod).IsSuccess()
		}
	}
	return false
}

// seededPreemption gives victims that started in the same second, or never, a start of their own
// while nodes are compared: the scheduler takes the node whose victims started last, and among
// equals what a map yields first.
type seededPreemption struct {
	preemption.Interface
	run *run
}

// CandidatesToVictimsMap implements preemption.Interface.
func (s seededPreemption) CandidatesToVictimsMap(candidates []preemption.Candidate) map[string]*extenderv1.Victims {
	now := time.Now().Truncate(time.Second)
	victims := map[string]*extenderv1.Victims{}
	for _, candidate := range candidates {
		offset := time.Duration(hash(candidate.Name(), s.run.request.Seed) % uint64(time.Second))
		distinct := &extenderv1.Victims{NumPDBViolations: candidate.Victims().NumPDBViolations}
		for _, pod := range candidate.Victims().Pods {
			pod = pod.DeepCopy()
			start := now
			if pod.Status.StartTime != nil {
				start = pod.Status.StartTime.Truncate(time.Second)
			}
			pod.Status.StartTime = &metav1.Time{Time: start.Add(offset)}
			distinct.Pods = append(distinct.Pods, pod)
		}
		victims[candidate.Name()] = distinct
	}
	return victims
}

func hash(values ...any) uint64 {
	h := fnv.New64a()
	for _, value := range values {
		switch value := value.(type) {
		case string:
			h.Write([]byte(value))
		case int:
			h.Write([]byte{byte(value), byte(value >> 8), byte(value >> 16), byte(value >> 24)})
		case int64:
			for shift := 0; shift < 64; shift += 8 {
				h.Write([]byte{byte(value >> shift)})
			}
		}
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// The binding cycle of a pod goes on in the background. What follows says how far it is.

// RunPermitPlugins is the end of the scheduling cycle: with success the binding cycle begins.
func (o *observed) RunPermitPlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node string) (map[string]time.Duration, *fwk.Status) {
	wait, status := o.Framework.RunPermitPlugins(ctx, state, pod, node)
	if status.IsSuccess() || status.IsWait() {
		o.run.binding(pod.UID, running)
	}
	return wait, status
}

// WaitOnPermit is where a pod waits for others.
func (o *observed) WaitOnPermit(ctx context.Context, pod *corev1.Pod) *fwk.Status {
	if o.WillWaitOnPermit(ctx, pod) {
		o.run.binding(pod.UID, waiting)
	}
	status := o.Framework.WaitOnPermit(ctx, pod)
	o.run.binding(pod.UID, running)
	return status
}

// RunPreBindPlugins holds pods back whose preBind plugins have something to do, until no other pod
// can be tried: binding a volume takes a second at least, and the scheduler does not wait for it.
func (o *observed) RunPreBindPlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node string) *fwk.Status {
	if o.Framework.RunPreBindPreFlights(ctx, state, pod, node).IsSuccess() {
		o.run.hold(ctx, pod.UID)
	}
	return o.Framework.RunPreBindPlugins(ctx, state, pod, node)
}

// RunPostBindPlugins is the end of a binding cycle that went well.
func (o *observed) RunPostBindPlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, node string) {
	o.Framework.RunPostBindPlugins(ctx, state, pod, node)
	o.run.binding(pod.UID, ended)
}

// failureHandler wraps Scheduler.FailureHandler.
func (r *run) failureHandler(inner scheduler.FailureHandlerFn) scheduler.FailureHandlerFn {
	return func(ctx context.Context, profile framework.Framework, podInfo *framework.QueuedPodInfo, status *fwk.Status, nominating *fwk.NominatingInfo, start time.Time) {
		inner(ctx, profile, podInfo, status, nominating, start)
		var unfit *framework.FitError
		if p := r.pods[podInfo.Pod.UID]; p != nil {
			r.mu.Lock()
			p.failed = !errors.As(status.AsError(), &unfit)
			r.mu.Unlock()
		}
		r.binding(podInfo.Pod.UID, ended)
	}
}

// stage is how far a binding cycle is.
type stage int

const (
	running stage = iota + 1
	// waiting for other pods at permit.
	waiting
	// held before preBind.
	held
	ended
)

func (r *run) binding(pod types.UID, s stage) {
	r.mu.Lock()
	if s == ended {
		delete(r.bindings, pod)
	} else {
		r.bindings[pod] = s
	}
	r.mu.Unlock()
	r.wake()
}

// hold blocks until the run releases the pods that it holds.
func (r *run) hold(ctx context.Context, pod types.UID) {
	r.mu.Lock()
	released := r.released
	r.mu.Unlock()
	r.binding(pod, held)
	select {
	case <-released:
	case <-ctx.Done():
	}
}

// verdicts are the nodes of the attempt, by name.
func (a *attempt) verdicts(r *run) []dryrun.NodeVerdict {
	names := sets.New[string]()
	for name := range a.lookedAt {
		names.Insert(name)
	}
	for name := range a.rejected {
		names.Insert(name)
	}
	names = names.Union(a.unasked)
	if a.only != nil {
		if nodes, err := r.snapshot.List(); err == nil {
			for _, node := range nodes {
				names.Insert(node.Node().Name)
			}
		}
	}
	var list []dryrun.NodeVerdict
	for _, name := range slices.Sorted(maps.Keys(names)) {
		verdict := dryrun.NodeVerdict{Name: name, Filter: a.rejected[name], Unasked: a.unasked.Has(name)}
		if verdict.Filter == nil && !a.lookedAt[name] && !verdict.Unasked {
			verdict.Filter = &dryrun.Rejection{Plugin: a.narrowed, Message: "node(s) didn't satisfy plugin(s) [" + strings.ReplaceAll(a.narrowed, ", ", " ") + "]"}
		}
		if total, ok := a.totals[name]; ok && verdict.Filter == nil {
			verdict.Scores, verdict.Total = a.scores[name], &total
		}
		list = append(list, verdict)
	}
	return list
}
