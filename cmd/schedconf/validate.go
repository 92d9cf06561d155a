// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/validation"
)

func (p *program) validate() *cli.Command {
	return &cli.Command{
		Name:      "validate",
		Usage:     "say whether kube-scheduler loads a configuration, and all that is wrong with it",
		ArgsUsage: "FILE|DIR|-…",
		Description: `In a folder, the YAML and JSON files that hold a configuration are judged and all others passed over.
Findings go to standard output. A single file without any is passed in silence.

EXAMPLES:
   schedconf validate sched.yaml
   schedconf validate --target 1.30 -o json sched.yaml
`,
		Flags: slices.Concat(schemeFlags(), findingFlags(), []cli.Flag{outputFlag(formats)}),
		Action: func(c *cli.Context) error {
			operands := c.Args().Slice()
			if len(operands) == 0 {
				return usage(c, "give a file, a folder, or - for standard input")
			}
			if i := slices.Index(operands, stdinName); i >= 0 && slices.Contains(operands[i+1:], stdinName) {
				return usage(c, "standard input (-) is given twice, and can be read once")
			}
			s, err := newScheme(c)
			if err != nil {
				return err
			}
			v := validator{program: p, checker: validation.New(s), out: jsonPrinter{p.stdout}}
			if c.String("output") == "text" {
				v.out = newText(c, p.stdout, p.stderr)
			}
			v.out.header(s.Release)
			for _, operand := range operands {
				for f, err := range each(operand) {
					v.judge(f, err)
				}
			}
			v.out.summary(v.total)
			if v.total.Errors > 0 || c.Bool("strict") && v.total.Warnings > 0 {
				v.code = max(v.code, exitNo)
			}
			return ended(v.code)
		},
	}
}

// validator goes from file to file. What goes wrong with one of them does not keep it from the next.
type validator struct {
	*program
	checker *validation.Checker
	out     printer
	total   counts
	code    int
}

func (v *validator) judge(f file, err error) {
	v.total.Files++
	if err == nil {
		err = guard(func() error { return v.check(f) })
	} else {
		err = unreadable(f.name, err)
	}
	if err != nil {
		flush(v.stdout)
		v.code = max(v.code, report(v.stderr, err))
	}
}

func (v *validator) check(f file) error {
	data, err := v.read(f.path)
	if err != nil {
		return unreadable(f.name, err)
	}
	check := v.checker.CheckFound
	if f.named {
		check = v.checker.CheckFile
	}
	result, err := check(f.name, data)
	if err != nil {
		return fmt.Errorf("%q: %w", f.name, err)
	}
	if !f.named && result.Configurations == 0 {
		v.total.Skipped++
		return nil
	}
	v.total.Configurations += result.Configurations
	v.total.Errors += result.Findings.Count(diag.Error)
	v.total.Warnings += result.Findings.Count(diag.Warning)
	v.out.findings(result.Findings)
	return nil
}
