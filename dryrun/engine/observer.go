// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/schedconf/schedconf/dryrun"
)

// observer is a profile that writes down what its plugins say. It changes nothing but the order of what has
// none, and the numbers that break ties, so that a result can be repeated.
type observer struct {
	framework.Framework
	log        *journal
	simulation *simulation
}

// journal is what the observers of all profiles have seen of the pod that is being scheduled.
type journal struct {
	seed    int64
	explain func(*v1.Pod) bool
	weights map[string]map[string]int64 // by profile and plugin

	mu      sync.Mutex
	current types.UID
	cycle   *cycle
}

// cycle is one attempt to schedule a pod.
type cycle struct {
	filters  map[string]*fwk.Status
	left     sets.Set[string] // nodes that PreFilter leaves; nil are all
	narrowed []string         // the plugins that left out the others
	all      *fwk.Status      // what PreFilter said against every node
	scores   map[string]map[string]dryrun.Score
	totals   map[string]int64
	ties     int
	filtered bool // filtering is over: what filters say from now on is preemption trying
}

func (j *journal) begin(pod *v1.Pod) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.current = pod.UID
	j.cycle = &cycle{filters: map[string]*fwk.Status{}}
}

// end says that the nodes of the pod are known.
func (j *journal) end() *cycle {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.cycle.filtered = true
	return j.cycle
}

func (o *observer) RunPreFilterPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod) (*fwk.PreFilterResult, *fwk.Status, sets.Set[string]) {
	result, status, plugins := o.Framework.RunPreFilterPlugins(ctx, state, pod)
	o.log.mu.Lock()
	defer o.log.mu.Unlock()
	if c := o.log.cycle; c != nil && pod.UID == o.log.current && !c.filtered {
		if !status.IsSuccess() {
			c.all = status
		} else if !result.AllNodes() {
			c.left, c.narrowed = result.NodeNames, sets.List(plugins)
		}
	}
	return result, status, plugins
}

// GetNodeHint gives no hint: a hint spares the scores of pods that are alike, and they are wanted.
func (o *observer) GetNodeHint(context.Context, *v1.Pod, fwk.PodSignature, fwk.CycleState, int64) string {
	return ""
}

func (o *observer) RunFilterPluginsWithNominatedPods(ctx context.Context, state fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo) *fwk.Status {
	status := o.Framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, info)
	o.log.mu.Lock()
	defer o.log.mu.Unlock()
	if c := o.log.cycle; c != nil && pod.UID == o.log.current && !c.filtered {
		c.filters[info.Node().Name] = status
	}
	return status
}

func (o *observer) RunPreScorePlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) *fwk.Status {
	// Nodes come in the order in which goroutines have found them.
	slices.SortFunc(nodes, func(a, b fwk.NodeInfo) int { return strings.Compare(a.Node().Name, b.Node().Name) })
	return o.Framework.RunPreScorePlugins(ctx, state, pod, nodes)
}

func (o *observer) RunScorePlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) ([]fwk.NodePluginScores, *fwk.Status) {
	scores, status := o.Framework.RunScorePlugins(ctx, state, pod, nodes)
	if !status.IsSuccess() {
		return scores, status
	}
	for i := range scores {
		scores[i].Randomizer = o.log.random(pod, scores[i].Name)
	}
	o.log.mu.Lock()
	c := o.log.cycle
	ours := c != nil && pod.UID == o.log.current
	o.log.mu.Unlock()
	if !ours {
		return scores, status
	}
	c.totals = make(map[string]int64, len(scores))
	best := int64(-1)
	for _, s := range scores {
		c.totals[s.Name] = s.TotalScore
		switch {
		case s.TotalScore > best:
			best, c.ties = s.TotalScore, 1
		case s.TotalScore == best:
			c.ties++
		}
	}
	if !o.log.explain(pod) {
		return scores, status
	}
	weights := o.log.weights[o.ProfileName()]
	c.scores = make(map[string]map[string]dryrun.Score, len(scores))
	for i, s := range scores {
		byPlugin := make(map[string]dryrun.Score, len(s.Scores))
		raw, _ := o.Framework.RunRawScorePlugins(ctx, state, pod, nodes[i])
		for _, score := range s.Scores {
			entry := dryrun.Score{Weighted: score.Score, Normalized: score.Score}
			if weight := weights[score.Name]; weight > 0 {
				entry.Normalized = score.Score / weight
			}
			if at := slices.IndexFunc(raw, func(r fwk.PluginScore) bool { return r.Name == score.Name }); at >= 0 {
				entry.Raw = raw[at].Score
			}
			byPlugin[score.Name] = entry
		}
		c.scores[s.Name] = byPlugin
	}
	return scores, status
}

// RunPermitPlugins is the last step of a scheduling cycle; what follows is the binding cycle.
func (o *observer) RunPermitPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) (map[string]time.Duration, *fwk.Status) {
	waits, status := o.Framework.RunPermitPlugins(ctx, state, pod, node)
	if status.IsSuccess() || status.IsWait() {
		o.simulation.binds(pod, status.IsWait())
	}
	return waits, status
}

// RunPreBindPreFlights says whether there is something to do before the pod can be bound. Volumes take their
// time, and the next pods are scheduled meanwhile.
func (o *observer) RunPreBindPreFlights(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	status := o.Framework.RunPreBindPreFlights(ctx, state, pod, node)
	if status.IsSuccess() {
		o.simulation.binds(pod, true)
	}
	return status
}

// RunPostBindPlugins is the last step of all.
func (o *observer) RunPostBindPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) {
	o.Framework.RunPostBindPlugins(ctx, state, pod, node)
	o.simulation.placed(pod, node)
	o.simulation.bound(pod)
}

// random is the number that decides between this node and others with the same score.
func (j *journal) random(pod *v1.Pod, node string) int {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d/%s/%s/%s", j.seed, pod.Namespace, pod.Name, node)
	return int(h.Sum64() >> 2)
}

// complete asks the filters about the nodes that were not needed.
func (c *cycle) complete(ctx context.Context, f framework.Framework, state fwk.CycleState, pod *v1.Pod) {
	infos, err := f.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		return
	}
	for _, info := range infos {
		name := info.Node().Name
		if _, tried := c.filters[name]; !tried && (c.left == nil || c.left.Has(name)) {
			c.filters[name] = f.RunFilterPluginsWithNominatedPods(ctx, state, pod, info)
		}
	}
}

// verdicts are what every node was to the pod of the cycle.
func (c *cycle) verdicts(nodes []string) []dryrun.NodeVerdict {
	list := make([]dryrun.NodeVerdict, 0, len(nodes))
	for _, name := range nodes {
		verdict := dryrun.NodeVerdict{Name: name}
		switch status := c.filters[name]; {
		case c.all != nil:
			verdict.Filter = &dryrun.Filter{Plugin: c.all.Plugin(), Message: c.all.Message()}
		case c.left != nil && !c.left.Has(name):
			plugins := strings.Join(c.narrowed, ", ")
			verdict.Filter = &dryrun.Filter{Plugin: plugins, Message: "node(s) didn't satisfy plugin(s) [" + plugins + "]"}
		case !status.IsSuccess():
			verdict.Filter = &dryrun.Filter{Plugin: status.Plugin(), Message: status.Message()}
		}
		if total, ok := c.totals[name]; ok {
			verdict.Scores, verdict.Total = c.scores[name], &total
		}
		list = append(list, verdict)
	}
	return list
}
