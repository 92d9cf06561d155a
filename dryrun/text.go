// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// WriteText writes a report for people: where each pod goes, what stays and why, how full the nodes are, and
// what every node was to the pods that are explained.
func (r *Report) WriteText(w io.Writer) error {
	p := &page{w: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	p.placements(r)
	p.nodes(r.Nodes)
	for _, pod := range r.Pods {
		if pod.Nodes != nil {
			p.explain(pod, r.Engine.Seed)
		}
	}
	p.problems(r)
	p.summary(r)
	return p.w.Flush()
}

// page is a text of tables. An error of the writer is seen when it is flushed.
type page struct{ w *tabwriter.Writer }

func (p *page) row(cells ...string) { fmt.Fprintln(p.w, strings.Join(cells, "\t")) }

func (p *page) placements(r *Report) {
	if len(r.Pods) == 0 {
		return
	}
	p.row("POD", "NODE", "")
	for _, pod := range r.Pods {
		node, note := string(pod.Outcome), ""
		if pod.Node != nil {
			node = *pod.Node
		} else if pod.Message != nil {
			note = *pod.Message
		}
		if len(pod.Preempted) > 0 {
			note = "evicts " + strings.Join(pod.Preempted, ", ")
		}
		if pod.Evicted != "" {
			note = "makes room for " + pod.Evicted
		}
		p.row(pod.FullName(), node, note)
	}
	p.row()
	p.w.Flush()
}

// FullName is the name with the namespace, which is left out if it is the default one.
func (p Pod) FullName() string {
	if p.Namespace == "default" {
		return p.Name
	}
	return p.Namespace + "/" + p.Name
}

func (p *page) nodes(nodes []Node) {
	if len(nodes) == 0 {
		return
	}
	extra := extraResources(nodes)
	head := []string{"NODE", "PODS", "CPU", "MEMORY"}
	p.row(append(head, upper(extra)...)...)
	for _, node := range nodes {
		cells := []string{node.Name, share(int64(node.Pods), node.Allocatable["pods"], plain), share(node.Requested["cpu"], node.Allocatable["cpu"], cores), share(node.Requested["memory"], node.Allocatable["memory"], bytesOf)}
		for _, resource := range extra {
			cells = append(cells, share(node.Requested[resource], node.Allocatable[resource], plain))
		}
		p.row(cells...)
	}
	p.row()
	p.w.Flush()
}

// extraResources are those that some pod requests, besides cpu and memory.
func extraResources(nodes []Node) []string {
	names := map[string]bool{}
	for _, node := range nodes {
		for resource, amount := range node.Requested {
			if amount > 0 && !slices.Contains([]string{"cpu", "memory", "pods"}, resource) {
				names[resource] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func upper(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = strings.ToUpper(name)
	}
	return list
}

// share is how much of something is used, and of how much.
func share(used, of int64, unit func(int64) string) string {
	if of == 0 {
		if used == 0 {
			return "-"
		}
		return unit(used) + " of none"
	}
	return fmt.Sprintf("%s/%s %d%%", unit(used), unit(of), used*100/of)
}

func plain(n int64) string { return fmt.Sprint(n) }

func cores(milli int64) string {
	if milli%1000 == 0 {
		return fmt.Sprint(milli / 1000)
	}
	return fmt.Sprintf("%.1f", float64(milli)/1000)
}

func bytesOf(n int64) string {
	const kibi = 1024
	for _, unit := range []string{"", "Ki", "Mi"} {
		if n < kibi || n%kibi != 0 && n < 10*kibi {
			return fmt.Sprintf("%d%s", n, unit)
		}
		if unit == "Mi" {
			break
		}
		n /= kibi
	}
	return fmt.Sprintf("%.1fGi", float64(n)/kibi)
}

// explain shows what every node was to a pod: the best first, then those that do not fit.
func (p *page) explain(pod Pod, seed int64) {
	fmt.Fprintf(p.w, "%s: %s\n", pod.FullName(), pod.choice(seed))
	plugins := pod.scoring()
	head := []string{"  NODE", "TOTAL"}
	for _, plugin := range plugins {
		head = append(head, fmt.Sprintf("%s ×%d", plugin, pod.Weights[plugin]))
	}
	p.row(head...)
	nodes := slices.Clone(pod.Nodes)
	slices.SortStableFunc(nodes, func(a, b NodeVerdict) int { return cmp.Compare(rank(b), rank(a)) })
	for _, node := range nodes {
		cells := []string{"  " + node.Name}
		switch {
		case node.Filter != nil:
			cells = append(cells, "-", strings.TrimSpace(node.Filter.Plugin+": "+node.Filter.Message))
		case node.Total == nil:
			cells = append(cells, "fits")
		default:
			cells = append(cells, fmt.Sprint(*node.Total))
			for _, plugin := range plugins {
				cells = append(cells, scoreText(node.Scores[plugin]))
			}
		}
		p.row(cells...)
	}
	p.w.Flush()
	for _, line := range pod.Tipping() {
		fmt.Fprintln(p.w, " ", line)
	}
	p.row()
	p.w.Flush()
}

// scoreText is a weighted score, and how it came about where that is not plain.
func scoreText(s Score) string {
	if s.Raw == s.Normalized {
		return fmt.Sprintf("%d (%d)", s.Weighted, s.Raw)
	}
	return fmt.Sprintf("%d (%d from %d)", s.Weighted, s.Normalized, s.Raw)
}

func rank(n NodeVerdict) int64 {
	switch {
	case n.Total != nil:
		return *n.Total + 1
	case n.Filter == nil:
		return 0
	}
	return -1
}

// choice says why the pod is where it is.
func (p Pod) choice(seed int64) string {
	switch {
	case p.Node == nil && p.Message != nil:
		return *p.Message
	case p.Node == nil:
		return string(p.Outcome)
	case p.Ties > 1:
		return fmt.Sprintf("%s, one of %d with the best total, chosen by seed %d", *p.Node, p.Ties, seed)
	case p.Ties == 1:
		return *p.Node + ", the best total"
	}
	return *p.Node + ", the only node that was needed"
}

// scoring are the plugins that gave some node a score, by name.
func (p Pod) scoring() []string {
	names := map[string]bool{}
	for _, node := range p.Nodes {
		for plugin, score := range node.Scores {
			if score.Weighted != 0 || score.Raw != 0 {
				names[plugin] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Tipping says for each plugin which weight would make another node the best: the nearest to the weight of
// today. It is empty where nothing was scored, or where no weight of one plugin changes the winner.
func (p Pod) Tipping() []string {
	if p.Node == nil {
		return nil
	}
	at := slices.IndexFunc(p.Nodes, func(n NodeVerdict) bool { return n.Name == *p.Node })
	if at < 0 || p.Nodes[at].Total == nil {
		return nil
	}
	var lines []string
	for _, plugin := range p.scoring() {
		if weight, rival, ok := p.tip(plugin, p.Nodes[at]); ok {
			lines = append(lines, fmt.Sprintf("with weight %d of %s (now %d), %s would win", weight, plugin, p.Weights[plugin], rival))
		}
	}
	return lines
}

// tip is the weight of a plugin nearest to that of today with which a node has more than the winner.
func (p Pod) tip(plugin string, winner NodeVerdict) (weight int64, rival string, ok bool) {
	now := p.Weights[plugin]
	for _, node := range p.Nodes {
		if node.Total == nil || node.Name == winner.Name {
			continue
		}
		behind := *winner.Total - *node.Total
		gain := node.Scores[plugin].Normalized - winner.Scores[plugin].Normalized
		if gain == 0 {
			continue
		}
		// The rival is ahead once gain·(weight−now) > behind.
		at := now + floorDiv(behind, gain) + 1
		if gain < 0 {
			at = now + ceilDiv(behind, gain) - 1
		}
		if at < 1 {
			continue // a weight is 1 at least
		}
		if !ok || abs(at-now) < abs(weight-now) {
			weight, rival, ok = at, node.Name, true
		}
	}
	return weight, rival, ok
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func ceilDiv(a, b int64) int64 { return -floorDiv(-a, b) }

func abs(n int64) int64 { return max(n, -n) }

func (p *page) problems(r *Report) {
	for _, problem := range r.Problems {
		fmt.Fprintln(p.w, problem)
	}
	for _, mark := range r.Marks {
		fmt.Fprintln(p.w, "note:", mark)
	}
}

// String is a problem on a line, as a compiler writes it.
func (p Problem) String() string {
	text := p.File
	if p.Line > 0 {
		text += fmt.Sprintf(":%d", p.Line)
	}
	if p.Object != "" {
		text += ": " + p.Object
	}
	return text + ": " + p.Message
}

// Counts are how many pods came to each outcome.
func (r *Report) Counts() map[Outcome]int {
	counts := map[Outcome]int{}
	for _, pod := range r.Pods {
		counts[pod.Outcome]++
	}
	return counts
}

func (p *page) summary(r *Report) {
	counts := r.Counts()
	var parts []string
	for _, outcome := range []Outcome{Placed, Pending, Gated, Unhandled, Evicted, Unknown} {
		if n := counts[outcome]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, outcome))
		}
	}
	text := fmt.Sprintf("%d pods", len(r.Pods))
	if len(r.Pods) == 1 {
		text = "1 pod"
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	if len(r.Problems) > 0 {
		text += fmt.Sprintf("; %d objects are wrong", len(r.Problems))
	}
	var skipped int
	for _, n := range r.Skipped {
		skipped += n
	}
	if skipped > 0 {
		text += fmt.Sprintf("; %d objects of kinds that scheduling does not look at are passed over", skipped)
	}
	if r.Partial {
		text += "; the run was cut off, so this is not all"
	}
	fmt.Fprintf(p.w, "%s (Kubernetes %s, seed %d)\n", text, r.Engine.Kubernetes, r.Engine.Seed)
}
