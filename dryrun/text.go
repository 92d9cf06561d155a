// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
)

// WriteText renders a report for people: where each pod goes, what stays pending and why, and how full
// the nodes are. Explained pods of which explain is true follow with a table of nodes and plugins each.
func WriteText(out io.Writer, r *Report, explain func(*Pod) bool) error {
	w := bufio.NewWriter(out)
	writeHead(w, r)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "POD\tNODE\tWHY")
	for i := range r.Pods {
		p := &r.Pods[i]
		node, why := "-", string(p.Outcome)
		if p.Node != nil {
			node, why = *p.Node, p.Decision(r.Engine.Seed)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", clean(p.FullName()), clean(node), clean(why))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for i := range r.Pods {
		if p := &r.Pods[i]; p.Node == nil && p.Message != nil {
			fmt.Fprintf(w, "\n%s is %s: %s\n", clean(p.FullName()), p.Outcome, clean(*p.Message))
		}
	}
	writeNodes(w, r)
	if u := r.UntilFull; u != nil {
		fmt.Fprintf(w, "\n%d more of %s fit; the next one does not: %s\n", u.Count, clean(u.Pod), clean(u.Stopped))
	}
	for i := range r.Pods {
		p := r.Pods[i] // a copy, so that only one is explained at a time
		if !explain(&p) {
			continue
		}
		if err := r.Explain(&p); err != nil {
			return err
		}
		if len(p.Nodes) > 0 {
			writeExplained(w, r, &p)
		}
	}
	fmt.Fprintf(w, "\n%s\n", r.Summary())
	return w.Flush()
}

// Summary counts the outcomes.
func (r *Report) Summary() string {
	counts := map[Outcome]int{}
	victims := 0
	for _, p := range r.Pods {
		counts[p.Outcome]++
		victims += len(p.Preempted)
	}
	words := []string{fmt.Sprintf("%s: %d placed, %d pending", count(len(r.Pods), "pod"), counts[Placed], counts[Pending])}
	for _, outcome := range []Outcome{Gated, Unhandled, Refused, Preempted, Unknown} {
		if counts[outcome] > 0 {
			words = append(words, fmt.Sprintf("%d %s", counts[outcome], outcome))
		}
	}
	if victims > 0 {
		words = append(words, count(victims, "pod")+" had to go")
	}
	return strings.Join(words, ", ")
}

func writeHead(w io.Writer, r *Report) {
	fmt.Fprintf(w, "kube-scheduler %s, seed %d\n", clean(r.Engine.Kubernetes), r.Engine.Seed)
	if c := r.Config; c != nil {
		fmt.Fprintf(w, "%s: %s of Kubernetes %s, judged by %s\n", clean(c.File), clean(c.APIVersion), clean(c.Kubernetes), clean(c.Checked))
		for _, change := range c.Changes {
			fmt.Fprintf(w, "%s: not as before: %s\n", change.Severity, clean(change.Message))
		}
	}
	if r.Partial != "" {
		fmt.Fprintf(w, "PARTIAL: %s\n", clean(r.Partial))
	}
	if r.Engine.Sampled > 0 {
		fmt.Fprintf(w, "%s placed without a look at every node, since percentageOfNodesToScore was reached\n", wasWere(r.Engine.Sampled, "pod"))
	}
	for _, mark := range r.Marks {
		fmt.Fprintf(w, "note: %s\n", clean(mark))
	}
	fmt.Fprintln(w)
}

func wasWere(n int, what string) string {
	if n == 1 {
		return "1 " + what + " was"
	}
	return fmt.Sprintf("%d %ss were", n, what)
}

func writeNodes(w io.Writer, r *Report) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w)
	fmt.Fprintln(table, "NODE\tCPU\tMEMORY\tPODS")
	for _, n := range r.Nodes {
		fmt.Fprintf(table, "%s\t%s\t%s\t%d of %d\n", clean(n.Name), n.share("cpu"), n.share("memory"), n.After["pods"], n.Allocatable["pods"])
	}
	_ = table.Flush() // It goes to a buffer.
}

// share is how much of a resource is requested, before and after, in percent of what there is.
func (n *Node) share(resource string) string {
	before, after := n.percent(n.Before, resource), n.percent(n.After, resource)
	if before == after {
		return fmt.Sprintf("%.0f%%", after)
	}
	return fmt.Sprintf("%.0f%% -> %.0f%%", before, after)
}

// percent is the part of a resource that used takes; 0 of a resource that the node does not have.
func (n *Node) percent(used map[string]int64, resource string) float64 {
	if n.Allocatable[resource] == 0 {
		return 0
	}
	return 100 * float64(used[resource]) / float64(n.Allocatable[resource])
}

func writeExplained(w io.Writer, r *Report, p *Pod) {
	fmt.Fprintf(w, "\n%s", clean(p.FullName()))
	if p.Node != nil {
		fmt.Fprintf(w, " on %s: %s", clean(*p.Node), clean(p.Decision(r.Engine.Seed)))
	}
	fmt.Fprint(w, "\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	plugins, equal := p.deciding()
	header := "NODE"
	for _, plugin := range plugins {
		header += fmt.Sprintf("\t%s x%d", plugin, p.Weights[plugin])
	}
	if len(plugins)+len(equal) > 0 {
		header += "\tTOTAL"
	}
	fmt.Fprintln(table, header)
	var rejected []NodeVerdict
	for _, v := range p.ranked() {
		if v.Filter != nil {
			rejected = append(rejected, v)
			continue
		}
		row := clean(v.Name)
		for _, plugin := range plugins {
			row += "\t-"
			if score, ok := v.Scores[plugin]; ok {
				row = strings.TrimSuffix(row, "-") + fmt.Sprintf("%d > %d = %d", score.Raw, score.Normalized, score.Weighted)
			}
		}
		switch {
		case v.Total != nil:
			row += fmt.Sprintf("\t%d", *v.Total)
		case v.Unasked:
			row += "\tfits, not looked at"
		}
		fmt.Fprintln(table, row)
	}
	_ = table.Flush()
	for _, v := range rejected {
		fmt.Fprintf(w, "%s: %s: %s\n", clean(v.Name), clean(v.Filter.Plugin), clean(v.Filter.Message))
	}
	if len(plugins) > 0 {
		fmt.Fprintln(w, "(score > normalized = weighted)")
	}
	if len(equal) > 0 {
		fmt.Fprintf(w, "the same on every node: %s\n", strings.Join(equal, ", "))
	}
	for _, remedy := range p.Remedies() {
		weight := fmt.Sprintf("weight %d of %s instead of %d", remedy.To, remedy.Plugin, remedy.From)
		if remedy.To == 0 {
			weight = remedy.Plugin + " disabled at score"
		}
		fmt.Fprintf(w, "with %s: %s\n", weight, clean(strings.Join(remedy.Winners, " or ")))
	}
}

// clean keeps text from others on one line and free of what a terminal would act on.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, s)
}
