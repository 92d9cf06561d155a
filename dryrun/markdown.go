// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// mostRows is how many rows a table of a comment has at most: what is longer is not read.
const mostRows = 50

// WriteMarkdown renders an answer for a comment on a pull request: what fails, what moves, what is
// not placed, and how evenly the nodes are used.
func WriteMarkdown(out io.Writer, a *Answer) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "### schedconf dry run\n\nkube-scheduler %s, seed %d: %s\n", clean(a.Engine.Kubernetes), a.Engine.Seed, a.Summary())
	if a.Partial != "" {
		fmt.Fprintf(w, "\n**Partial:** %s\n", MarkdownText(a.Partial))
	}
	for _, mark := range a.Marks {
		fmt.Fprintf(w, "\n> %s\n", MarkdownText(mark))
	}
	writeMarkdownChecks(w, a)
	for i := range a.Comparisons {
		writeMarkdownComparison(w, &a.Comparisons[i])
	}
	var rows [][]string
	for i := range a.Pods {
		if p := &a.Pods[i]; p.Node == nil {
			rows = append(rows, []string{p.FullName(), string(p.Outcome), value(p.Message)})
		}
	}
	writeMarkdownTable(w, "Not placed", []string{"pod", "outcome", "why"}, rows)
	return w.Flush()
}

func writeMarkdownChecks(w io.Writer, a *Answer) {
	var rows [][]string
	failed := 0
	for _, check := range a.Checks {
		for _, failure := range check.Failures {
			rows = append(rows, []string{check.Name, failure})
		}
		if !check.Passed {
			failed++
		}
	}
	if len(a.Checks) > 0 {
		fmt.Fprintf(w, "\n%d of %s hold.\n", len(a.Checks)-failed, count(len(a.Checks), "expectation"))
	}
	writeMarkdownTable(w, "Failed", []string{"expectation", "what is wrong"}, rows)
}

func writeMarkdownComparison(w io.Writer, c *Comparison) {
	name := "the other configuration"
	if c.Report.Config != nil {
		name = c.Report.Config.File
	}
	fmt.Fprintf(w, "\n**%s:** %s, %s\n", MarkdownText(name), c.Report.Summary(), wasWere(len(c.Moves), "pod")+" placed elsewhere")
	var rows [][]string
	for _, m := range c.Moves {
		rows = append(rows, []string{m.Pod, orDash(m.From), orDash(m.To), m.Why})
	}
	writeMarkdownTable(w, "Moves", []string{"pod", "from", "to", "why"}, rows)
	rows = nil
	for i, before := range c.Before {
		after := c.After[min(i, len(c.After)-1)]
		rows = append(rows, []string{before.Resource, arrow(before.Nodes.Min, after.Nodes.Min, "%"), arrow(before.Nodes.Max, after.Nodes.Max, "%"), arrow(before.Nodes.Stddev, after.Nodes.Stddev, "")})
	}
	writeMarkdownTable(w, "Requests over the nodes", []string{"resource", "min", "max", "standard deviation"}, rows)
}

func writeMarkdownTable(w io.Writer, title string, header []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "\n#### %s\n\n| %s |\n|%s\n", title, strings.Join(header, " | "), strings.Repeat("---|", len(header)))
	for i, row := range rows {
		if i == mostRows {
			fmt.Fprintf(w, "\n… and %d more\n", len(rows)-mostRows)
			break
		}
		for j := range row {
			row[j] = MarkdownText(row[j])
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | "))
	}
}

// MarkdownText is text that means nothing to Markdown, and calls nobody and nothing of GitHub and GitLab.
func MarkdownText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "&", "&amp;", "#", "#\u200b", "~", `\~`, "|", `\|`, "<", "&lt;", ">", "&gt;", "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "@", "@\u200b").Replace(clean(strings.ReplaceAll(s, " -> ", " → ")))
}
