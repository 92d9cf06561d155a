// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// Answer is a report, and what other configurations make of the same cluster and workload. In JSON
// the fields of the report stand at the top.
type Answer struct {
	*Report
	// Comparisons are in the order in which the configurations were named.
	Comparisons []Comparison `json:"comparisons,omitempty"`
	// Chance says which placements the seed decides, where that was asked.
	Chance *Chance `json:"chance,omitempty"`
	// Checks are the expectations and limits that the answer was held against.
	Checks []Check `json:"checks,omitempty"`
}

// Comparison is what is different under another configuration.
type Comparison struct {
	// Moves are the pods that go to another node, that are placed only now, and that are no longer.
	Moves []Move `json:"moves"`
	// Preemptions are the pods that others have to go for.
	Preemptions []PreemptionChange `json:"preemptions"`
	// Before and After say how evenly the nodes are used.
	Before []Imbalance `json:"before"`
	After  []Imbalance `json:"after"`
	// Report is the whole report under the other configuration.
	Report *Report `json:"report"`
}

// Move is a pod that goes elsewhere. A node is null where the pod is not placed.
type Move struct {
	Pod  string  `json:"pod"`
	From *string `json:"from"`
	To   *string `json:"to"`
	// Plugin is the one that decided, as far as one did; Why says how, in a sentence.
	Plugin string `json:"plugin,omitempty"`
	Why    string `json:"why"`
}

// PreemptionChange is a pod that has other victims than before.
type PreemptionChange struct {
	Pod    string   `json:"pod"`
	Before []string `json:"before"`
	After  []string `json:"after"`
}

// Imbalance says how evenly a resource is requested.
type Imbalance struct {
	// Resource is cpu, memory, or an extended resource that something requests.
	Resource string `json:"resource"`
	Nodes    Spread `json:"nodes"`
	// Zones is over the zones of the label topology.kubernetes.io/zone; all 0 where no node has it.
	Zones Spread `json:"zones"`
}

// Spread is over parts of a cluster: requests in percent of what can be allocated.
type Spread struct {
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	Stddev float64 `json:"stddev"`
	// LargestFree is the largest amount that is free in one part, in the unit of the resource.
	LargestFree int64 `json:"largestFree"`
}

const zoneLabel = "topology.kubernetes.io/zone"

// Imbalances are those after the run, cpu and memory first.
func (r *Report) Imbalances() []Imbalance {
	used := map[string]bool{}
	for _, n := range r.Nodes {
		for resource, amount := range n.After {
			used[resource] = used[resource] || amount > 0 && n.Allocatable[resource] > 0
		}
	}
	delete(used, "pods")
	resources := []string{"cpu", "memory"}
	for _, resource := range slices.Sorted(maps.Keys(used)) {
		if used[resource] && !slices.Contains(resources, resource) {
			resources = append(resources, resource)
		}
	}
	var list []Imbalance
	for _, resource := range resources {
		var nodes, zones []part
		byZone := map[string]*part{}
		for _, n := range r.Nodes {
			p := part{n.After[resource], n.Allocatable[resource]}
			nodes = append(nodes, p)
			if zone, ok := n.Labels[zoneLabel]; ok {
				if byZone[zone] == nil {
					byZone[zone] = &part{}
				}
				byZone[zone].used += p.used
				byZone[zone].total += p.total
			}
		}
		for _, zone := range slices.Sorted(maps.Keys(byZone)) {
			zones = append(zones, *byZone[zone])
		}
		list = append(list, Imbalance{resource, spread(nodes), spread(zones)})
	}
	return list
}

type part struct{ used, total int64 }

// spread is that of the parts that have the resource at all.
func spread(parts []part) Spread {
	var s Spread
	var shares []float64
	sum := 0.0
	for _, p := range parts {
		if p.total == 0 {
			continue
		}
		share := 100 * float64(p.used) / float64(p.total)
		shares = append(shares, share)
		sum += share
		s.LargestFree = max(s.LargestFree, p.total-p.used)
	}
	if len(shares) == 0 {
		return s
	}
	mean := sum / float64(len(shares))
	variance := 0.0
	for _, share := range shares {
		variance += (share - mean) * (share - mean)
	}
	s.Min, s.Max = rounded(slices.Min(shares)), rounded(slices.Max(shares))
	s.Stddev = rounded(math.Sqrt(variance / float64(len(shares))))
	return s
}

// rounded keeps two digits, so that a report does not differ in what a machine makes of the last ones.
func rounded(x float64) float64 { return math.Round(100*x) / 100 }

// Compare says what is different in after. Both reports have to explain every pod, or the reasons of
// moves are missing. An error is one of reading what was streamed.
func Compare(before, after *Report) (Comparison, error) {
	c := Comparison{Moves: []Move{}, Preemptions: []PreemptionChange{}, Before: before.Imbalances(), After: after.Imbalances(), Report: after}
	old := map[string]*Pod{}
	for i := range before.Pods {
		old[before.Pods[i].FullName()] = &before.Pods[i]
	}
	for i := range after.Pods {
		p := &after.Pods[i]
		was := old[p.FullName()]
		if was == nil {
			continue
		}
		if value(was.Node) != value(p.Node) {
			// What is explained is not kept: all may move.
			from, to := *was, *p
			if err := errors.Join(before.Explain(&from), after.Explain(&to)); err != nil {
				return c, err
			}
			c.Moves = append(c.Moves, move(&from, &to))
		}
		if !slices.Equal(slices.Sorted(slices.Values(was.Preempted)), slices.Sorted(slices.Values(p.Preempted))) {
			c.Preemptions = append(c.Preemptions, PreemptionChange{p.FullName(), was.Preempted, p.Preempted})
		}
	}
	return c, nil
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func move(was, is *Pod) Move {
	m := Move{Pod: is.FullName(), From: was.Node, To: is.Node}
	switch {
	case is.Node == nil:
		m.Why = fmt.Sprintf("%s: %s", is.Outcome, value(is.Message))
		if rejected := is.verdict(value(was.Node)); rejected != nil && rejected.Filter != nil {
			m.Plugin = rejected.Filter.Plugin
		}
	case was.Node == nil:
		m.Why = fmt.Sprintf("was %s before: %s", was.Outcome, value(was.Message))
		if rejected := was.verdict(value(is.Node)); rejected != nil && rejected.Filter != nil {
			m.Plugin = rejected.Filter.Plugin
		}
	default:
		m.Plugin, m.Why = decided(was, is)
	}
	return m
}

func (p *Pod) verdict(node string) *NodeVerdict {
	for i := range p.Nodes {
		if p.Nodes[i].Name == node {
			return &p.Nodes[i]
		}
	}
	return nil
}

// decided says which plugin took a pod from one node to another: a filter that has changed its mind,
// or else the score that has gained most for the new node over the old one.
func decided(was, is *Pod) (plugin, why string) {
	from, to := *was.Node, *is.Node
	oldFrom, oldTo, newFrom, newTo := was.verdict(from), was.verdict(to), is.verdict(from), is.verdict(to)
	switch {
	case newFrom == nil || newTo == nil || oldFrom == nil || oldTo == nil:
		return "", "not explained"
	case newFrom.Filter != nil:
		return newFrom.Filter.Plugin, fmt.Sprintf("%s does not fit any more: %s", from, newFrom.Filter.Message)
	case oldTo.Filter != nil:
		return oldTo.Filter.Plugin, fmt.Sprintf("%s did not fit before: %s", to, oldTo.Filter.Message)
	case newFrom.Total == nil || newTo.Total == nil:
		return "", "nodes that fit are not scored"
	case *newFrom.Total == *newTo.Total:
		return "", "both nodes are equal, and the seed decides"
	}
	plugins := map[string]bool{}
	for _, v := range []*NodeVerdict{oldFrom, oldTo, newFrom, newTo} {
		for name := range v.Scores {
			plugins[name] = true
		}
	}
	best := int64(0)
	for _, name := range slices.Sorted(maps.Keys(plugins)) {
		before := oldTo.Scores[name].Weighted - oldFrom.Scores[name].Weighted
		after := newTo.Scores[name].Weighted - newFrom.Scores[name].Weighted
		if gain := after - before; gain > best {
			best, plugin = gain, name
			why = fmt.Sprintf("%s gives %s %d and %s %d", name, to, newTo.Scores[name].Weighted, from, newFrom.Scores[name].Weighted)
		}
	}
	if plugin == "" {
		return "", "both are scored as before: the pods before it went elsewhere"
	}
	return plugin, why
}

// WriteComparison renders what is different for people.
func WriteComparison(w io.Writer, c *Comparison) error {
	name := "the other configuration"
	if c.Report.Config != nil {
		name = clean(c.Report.Config.File)
	}
	fmt.Fprintf(w, "\nunder %s: %s\n", name, c.Report.Summary())
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, m := range c.Moves {
		fmt.Fprintf(table, "%s\t%s -> %s\t%s\n", clean(m.Pod), clean(orDash(m.From)), clean(orDash(m.To)), clean(m.Why))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if len(c.Moves) == 0 {
		fmt.Fprintln(w, "every pod stays where it is")
	}
	for _, p := range c.Preemptions {
		fmt.Fprintf(w, "%s preempts %s instead of %s\n", clean(p.Pod), clean(names(p.After)), clean(names(p.Before)))
	}
	fmt.Fprintln(table, "\nREQUESTED\tOVER\tMIN\tMAX\tSTDDEV\tLARGEST FREE")
	for i, before := range c.Before {
		after := c.After[min(i, len(c.After)-1)]
		for _, over := range []struct {
			what        string
			before, now Spread
		}{{"nodes", before.Nodes, after.Nodes}, {"zones", before.Zones, after.Zones}} {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", clean(before.Resource), over.what, arrow(over.before.Min, over.now.Min, "%"), arrow(over.before.Max, over.now.Max, "%"),
				arrow(over.before.Stddev, over.now.Stddev, ""), arrow(over.before.LargestFree, over.now.LargestFree, ""))
		}
	}
	return table.Flush()
}

func orDash(s *string) string {
	if s == nil {
		return "-"
	}
	return *s
}

func names(list []string) string {
	if len(list) == 0 {
		return "no pod"
	}
	return strings.Join(list, ", ")
}

func arrow[T comparable](before, after T, unit string) string {
	if before == after {
		return fmt.Sprintf("%v%s", after, unit)
	}
	return fmt.Sprintf("%v%s -> %v%s", before, unit, after, unit)
}
