// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Chance says which placements depend on how ties are decided.
type Chance struct {
	// Seeds is how many were tried, from that of the report on.
	Seeds int `json:"seeds"`
	// Pods are those that do not always go to the same node, in the order of the report.
	Pods []ChancePod `json:"pods"`
}

// ChancePod says how often a pod goes where.
type ChancePod struct {
	Pod string `json:"pod"`
	// Nodes counts the seeds by node. The empty name is that of no node.
	Nodes map[string]int `json:"nodes"`
}

// ByChance compares reports of the same request with different seeds.
func ByChance(reports []*Report) *Chance {
	c := &Chance{Seeds: len(reports), Pods: []ChancePod{}}
	counts := map[string]map[string]int{}
	for _, r := range reports {
		for i := range r.Pods {
			p := &r.Pods[i]
			if counts[p.FullName()] == nil {
				counts[p.FullName()] = map[string]int{}
			}
			counts[p.FullName()][value(p.Node)]++
		}
	}
	for i := range reports[0].Pods {
		if name := reports[0].Pods[i].FullName(); len(counts[name]) > 1 {
			c.Pods = append(c.Pods, ChancePod{name, counts[name]})
		}
	}
	return c
}

// WriteChance renders it for people.
func WriteChance(w io.Writer, c *Chance) error {
	head := "these pods do not go to the same node with each of %d seeds:"
	if len(c.Pods) == 0 {
		head = "every pod goes to the same node with each of %d seeds"
	}
	_, err := fmt.Fprintf(w, "\n"+head+"\n", c.Seeds)
	for _, p := range c.Pods {
		var list []string
		for _, node := range slices.Sorted(maps.Keys(p.Nodes)) {
			name := node
			if name == "" {
				name = "not placed"
			}
			list = append(list, fmt.Sprintf("%s %d", clean(name), p.Nodes[node]))
		}
		if err == nil {
			_, err = fmt.Fprintf(w, "  %s: %s\n", clean(p.Pod), strings.Join(list, ", "))
		}
	}
	return err
}
