// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/dryrun"
	"github.com/schedconf/schedconf/schemas"
)

// markdownText is text from elsewhere that is only text in Markdown.
func markdownText(s string) string { return dryrun.MarkdownText(printable(s)) }

// markdownBlock puts text into a block of code that nothing in the text ends.
func markdownBlock(w io.Writer, language, text string) error {
	longest, run := 2, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	_, err := fmt.Fprintf(w, "%s%s\n%s\n%s\n", fence, language, strings.TrimSuffix(text, "\n"), fence)
	return err
}

func markdownFindings(w io.Writer, list diag.List) {
	for _, d := range list {
		fmt.Fprintf(w, "- **%s** %s: %s (%s)\n", d.Severity, markdownText(d.Pos.String()), markdownText(d.Message), markdownText(d.Rule))
	}
}

func (p *program) diffMarkdown(left, right *meant) error {
	text, err := unifiedMeaning(left, right)
	if err != nil {
		return err
	}
	p.diffTitle(left, right)
	if text == "" {
		_, err := fmt.Fprintln(p.stdout, "They mean the same.")
		return err
	}
	fmt.Fprint(p.stdout, "They mean something else:\n\n")
	return markdownBlock(p.stdout, "diff", text)
}

func (p *program) diffTitle(left, right *meant) {
	fmt.Fprintf(p.stdout, "### schedconf diff\n\n%s on Kubernetes %s, and %s on Kubernetes %s. ", markdownText(left.name), left.release.Name, markdownText(right.name), right.release.Name)
}

// refusedMarkdown says which side cannot be compared, and why.
func (p *program) refusedMarkdown(left, right *meant) {
	p.diffTitle(left, right)
	fmt.Fprintln(p.stdout, "They cannot be compared:")
	for _, side := range []*meant{left, right} {
		if side.built == nil {
			fmt.Fprintf(p.stdout, "\nKubernetes %s does not load %s:\n\n", side.release.Name, markdownText(side.name))
			markdownFindings(p.stdout, side.findings)
		}
	}
}

// markdown reports the hops to standard output.
func (j *journey) markdown(releases []*schemas.Release, final *migration) error {
	w := j.stdout
	fmt.Fprintf(w, "### schedconf upgrade\n\n%s, from Kubernetes %s to %s\n\n| hop | the file | to know |\n|---|---|---|\n", markdownText(j.title()), releases[0].Name, releases[len(releases)-1].Name)
	for _, h := range j.hops {
		verdict := "loads"
		if !h.Loads() {
			verdict = "**does not load**"
		}
		var notes []string
		for _, n := range h.notes() {
			notes = append(notes, n.kind+": "+markdownText(n.text))
		}
		fmt.Fprintf(w, "| %s → %s | %s | %s |\n", h.From.Name, h.To.Name, verdict, strings.Join(notes, "<br>"))
	}
	if final.text != nil && !final.refused {
		return nil
	}
	fmt.Fprintf(w, "\nThere is no file for Kubernetes %s:\n\n", releases[len(releases)-1].Name)
	markdownFindings(w, final.findings)
	return nil
}
