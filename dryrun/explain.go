// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Remedy is the smallest change of one weight that takes the pod from the node that it was given.
type Remedy struct {
	Plugin string `json:"plugin"`
	// From and To are the weights. A plugin of weight 0 is one that is disabled at score.
	From int64 `json:"from"`
	To   int64 `json:"to"`
	// Winners are the nodes with the highest total then.
	Winners []string `json:"winners"`
}

// Remedies lists for each score plugin of the profile what weight would have given the pod another
// node, all else equal. Plugins that cannot change the winner are left out. The pod has to be
// explained.
func (p *Pod) Remedies() []Remedy {
	var chosen *NodeVerdict
	for i := range p.Nodes {
		if p.Node != nil && p.Nodes[i].Name == *p.Node && p.Nodes[i].Total != nil {
			chosen = &p.Nodes[i]
		}
	}
	if chosen == nil {
		return nil
	}
	var list []Remedy
	for _, plugin := range slices.Sorted(maps.Keys(p.Weights)) {
		if remedy, ok := p.remedy(plugin, chosen); ok {
			list = append(list, remedy)
		}
	}
	return list
}

func (p *Pod) remedy(plugin string, chosen *NodeVerdict) (Remedy, bool) {
	from := p.Weights[plugin]
	best, found := int64(0), false
	for _, node := range p.Nodes {
		if node.Total == nil || node.Name == chosen.Name {
			continue
		}
		behind := *chosen.Total - *node.Total
		gain := node.Scores[plugin].Normalized - chosen.Scores[plugin].Normalized
		if gain == 0 {
			continue
		}
		// The first whole number at which behind < (to-from)*gain.
		to := from + behind/abs(gain) + 1
		if gain < 0 {
			to = from - behind/abs(gain) - 1
		}
		if to >= 0 && (!found || abs(to-from) < abs(best-from)) {
			best, found = to, true
		}
	}
	if !found {
		return Remedy{}, false
	}
	remedy := Remedy{Plugin: plugin, From: from, To: best}
	highest := int64(-1)
	for _, node := range p.Nodes {
		if node.Total == nil {
			continue
		}
		total := *node.Total + (best-from)*node.Scores[plugin].Normalized
		if total > highest {
			highest, remedy.Winners = total, nil
		}
		if total == highest {
			remedy.Winners = append(remedy.Winners, node.Name)
		}
	}
	return remedy, true
}

func abs(n int64) int64 { return max(n, -n) }

// Decision says in one sentence why the pod is where it is. It needs no explanation in the report.
func (p *Pod) Decision(seed int64) string {
	switch {
	case p.Outcome != Placed:
		return ""
	case len(p.Preempted) > 0:
		return fmt.Sprintf("after %s had to go: %s", count(len(p.Preempted), "pod"), strings.Join(p.Preempted, ", "))
	case p.Hinted:
		return "next best node of the equal pod before"
	case p.Feasible == 1:
		return "the only node that fits"
	case p.Ties > 1:
		return fmt.Sprintf("one of %d with the highest score, chosen by seed %d", p.Ties, seed)
	case p.Ties == 1:
		return fmt.Sprintf("the highest score of %d nodes that fit", p.Feasible)
	}
	return fmt.Sprintf("one of %d that fit, none is scored", p.Feasible)
}

// plugins are those that score a node of the pod, in an order that is the same for all nodes.
func (p *Pod) plugins() []string {
	known := map[string]bool{}
	for _, node := range p.Nodes {
		for plugin := range node.Scores {
			known[plugin] = true
		}
	}
	return slices.Sorted(maps.Keys(known))
}

// deciding are the plugins that do not give every node the same, and equal the others with what they
// give.
func (p *Pod) deciding() (deciding, equal []string) {
	for _, plugin := range p.plugins() {
		var first *Score
		same := true
		for _, node := range p.Nodes {
			if node.Total == nil {
				continue
			}
			score := node.Scores[plugin]
			if first == nil {
				first = &score
			}
			same = same && *first == score
		}
		if same && first != nil {
			equal = append(equal, fmt.Sprintf("%s %d", plugin, first.Weighted))
		} else {
			deciding = append(deciding, plugin)
		}
	}
	return deciding, equal
}

// ranked are the verdicts of the pod, the best first, and then the nodes where it does not fit.
func (p *Pod) ranked() []NodeVerdict {
	list := slices.Clone(p.Nodes)
	slices.SortStableFunc(list, func(a, b NodeVerdict) int { return cmp.Compare(rank(b), rank(a)) })
	return list
}

func rank(v NodeVerdict) int64 {
	switch {
	case v.Filter != nil:
		return -2
	case v.Total == nil:
		return -1
	}
	return *v.Total
}

// FullName is NAMESPACE/NAME.
func (p *Pod) FullName() string { return p.Namespace + "/" + p.Name }

// Named reports whether a name of a request stands for the pod.
func (p *Pod) Named(name string) bool { return name == p.Name || name == p.FullName() }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
