// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Chance is a pod that does not go to the same place with every seed.
type Chance struct {
	// Pod is NAMESPACE/NAME.
	Pod string `json:"pod"`
	// Nodes counts the seeds by where the pod went. The name of no node is empty.
	Nodes map[string]int `json:"nodes"`
}

// Chances compares the reports of one request with several seeds. Pods are in the order of the first.
func Chances(reports []*Report) []Chance {
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
	var list []Chance
	for i := range reports[0].Pods {
		if nodes := counts[reports[0].Pods[i].FullName()]; len(nodes) > 1 {
			list = append(list, Chance{reports[0].Pods[i].FullName(), nodes})
		}
	}
	return list
}

// WriteChances says which pods depend on chance: the most likely node first.
func WriteChances(out io.Writer, a *Answer) error {
	w := bufio.NewWriter(out)
	if len(a.Chances) == 0 {
		fmt.Fprintf(w, "\nwith %d seeds every pod goes to the same place\n", a.Seeds)
		return w.Flush()
	}
	fmt.Fprintf(w, "\nwith %d seeds %d of %s depend on chance:\n", a.Seeds, len(a.Chances), count(len(a.Pods), "pod"))
	for _, c := range a.Chances {
		names := slices.SortedFunc(maps.Keys(c.Nodes), func(x, y string) int {
			return cmp.Or(c.Nodes[y]-c.Nodes[x], strings.Compare(x, y))
		})
		var parts []string
		for _, name := range names {
			parts = append(parts, fmt.Sprintf("%s %d", cmp.Or(clean(name), "no node"), c.Nodes[name]))
		}
		fmt.Fprintf(w, "  %s: %s\n", clean(c.Pod), strings.Join(parts, ", "))
	}
	return w.Flush()
}
