// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/validation"
)

func (p *program) flags() *cli.Command {
	return &cli.Command{
		Name:      "flags",
		Usage:     "say whether kube-scheduler takes a command line, or list its flags",
		ArgsUsage: "[FILE|- | -- kube-scheduler FLAG…]",
		Description: `FILE is a manifest that starts kube-scheduler: a static pod, a Deployment, or the configuration of an
installer that sets its flags. Without --target it is judged for the release of its image. With neither a
file nor a command line the flags of the target are listed, and what becomes of each beside --config.

EXAMPLES:
   schedconf flags --target 1.23
   schedconf flags --target 1.23 -- kube-scheduler --config=sched.yaml --port=0
`,
		Flags: slices.Concat([]cli.Flag{targetFlag()}, findingFlags(), []cli.Flag{outputFlag(formats)}),
		Action: func(c *cli.Context) error {
			files, words := splitCommandLine(c.Args().Slice())
			switch {
			case len(files) > 1:
				return usage(c, "one file is taken, %d are given", len(files))
			case len(files) == 1 && len(words) > 0:
				return usage(c, "give a file or a command line, not both")
			case len(files) == 1:
				return p.manifestFlags(c, files[0])
			}
			release, err := target(c)
			if err != nil {
				return err
			}
			if len(words) == 0 {
				return p.listFlags(c, release)
			}
			findings, flags := validation.CheckFlags(release, words, inCommandLine(words))
			findings = append(findings, flags.CheckFiles(os.ReadFile)...)
			findings.Sort()
			return p.flagReport(c, release, findings, counts{Configurations: 1})
		},
	}
}

// splitCommandLine takes operands apart: files, and the command line that begins with the name of the
// program or with a flag.
func splitCommandLine(operands []string) (files, words []string) {
	begins := func(operand string) bool {
		return len(operand) > 1 && operand[0] == '-' || slices.Contains([]string{"kube-scheduler", "hyperkube"}, path.Base(operand))
	}
	if i := slices.IndexFunc(operands, begins); i >= 0 {
		return operands[:i], operands[i:]
	}
	return operands, nil
}

// inCommandLine places words as if they stood on one line.
func inCommandLine(words []string) func(i int) diag.Position {
	return func(i int) diag.Position {
		column := 1
		for _, word := range words[:i] {
			column += len(word) + 1
		}
		return diag.Position{File: "command line", Line: 1, Column: column}
	}
}

// manifestFlags judges every command line in a manifest, all for one release.
func (p *program) manifestFlags(c *cli.Context, name string) error {
	release, lines, err := p.commandLines(c, name)
	if err != nil {
		return err
	}
	var findings diag.List
	for _, line := range lines {
		found, _ := validation.CheckFlags(release, line.Args, line.At)
		findings = append(findings, found...)
	}
	findings.Sort()
	return p.flagReport(c, release, findings, counts{Files: 1, Configurations: len(lines)})
}

// commandLines reads a manifest, and finds the release that it is for.
func (p *program) commandLines(c *cli.Context, name string) (*schemas.Release, []validation.CommandLine, error) {
	release, err := target(c)
	if err != nil {
		return nil, nil, err
	}
	data, err := p.read(name)
	if err != nil {
		return nil, nil, unreadable(name, err)
	}
	if finding, ok := validation.TooLarge(name, data); ok {
		return nil, nil, inputError{fmt.Errorf("read %q: %s", name, finding.Message)}
	}
	lines := validation.CommandLines(name, data)
	if len(lines) == 0 {
		return nil, nil, inputError{fmt.Errorf("read %q: nothing in it starts kube-scheduler", name)}
	}
	if suggested, ok := suggestedTarget(c, lines); ok {
		release = suggested
		fmt.Fprintf(p.stderr, "target is Kubernetes %s, as the manifest has it; --target chooses another\n", release.Name)
	}
	return release, lines, nil
}

// suggestedTarget is the release of the first image that has one, if the user named none.
func suggestedTarget(c *cli.Context, lines []validation.CommandLine) (*schemas.Release, bool) {
	if c.IsSet("target") {
		return nil, false
	}
	for _, line := range lines {
		if minor, err := schemas.ParseMinor(line.Target); err == nil {
			return schemas.For(minor), true
		}
	}
	return nil, false
}

// flagReport prints findings as validate does.
func (p *program) flagReport(c *cli.Context, release *schemas.Release, findings diag.List, total counts) error {
	total.Errors, total.Warnings = findings.Count(diag.Error), findings.Count(diag.Warning)
	if c.String("output") == "json" {
		out := jsonPrinter{p.stdout}
		out.header(release)
		out.findings(findings)
		out.summary(total)
	} else {
		newText(c, p.stdout, p.stderr).findings(findings)
		if len(findings) > 0 && !c.Bool("quiet") {
			flush(p.stdout)
			fmt.Fprintf(p.stderr, "%s for Kubernetes %s: %s, %s\n", number(total.Configurations, "command line"), release.Name, number(total.Errors, "error"), number(total.Warnings, "warning"))
		}
	}
	return ended(verdict(c, findings))
}

// flagRow is a flag with the minors that have it.
type flagRow struct {
	schemas.Flag
	Minors string `json:"minors"`
}

func (p *program) listFlags(c *cli.Context, release *schemas.Release) error {
	rows := []flagRow{}
	for _, flag := range release.Flags() {
		span, _ := schemas.FlagSpan(flag.Name)
		rows = append(rows, flagRow{flag, span.String()})
	}
	if c.String("output") == "json" {
		return writeJSON(p.stdout, rows, "  ")
	}
	return printFlags(p.stdout, rows)
}

// besideConfig says in words what becomes of a flag when --config is given.
var besideConfig = map[string]string{
	"honoured": "counts", "ignored": "ignored", "overrides": "overrides the file", "appliedOnTop": "applied to the file",
	"replacesProfiles": "replaces profiles", "none": "no effect", "": "-",
}

func printFlags(w io.Writer, rows []flagRow) error {
	var padded bytes.Buffer
	table := tabwriter.NewWriter(&padded, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "FLAG\tTYPE\tDEFAULT\tBESIDE --config\tMINORS\tDEPRECATED")
	section := ""
	for _, r := range rows {
		if r.Section != section {
			section = r.Section
			fmt.Fprintf(table, "%s:\t\t\t\t\t\n", section)
		}
		value, deprecated := r.Default, r.Deprecated
		if value == "" {
			value = `""`
		}
		if deprecated == "" {
			deprecated = "-"
		}
		fmt.Fprintf(table, "  --%s\t%s\t%s\t%s\t%s\t%s\n", r.Name, r.Type, value, besideConfig[r.WithConfig], r.Minors, deprecated)
	}
	_ = table.Flush()
	for line := range bytes.Lines(padded.Bytes()) {
		if _, err := fmt.Fprintf(w, "%s\n", bytes.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}
