// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/validation"
)

func (p *program) defaults() *cli.Command {
	return &cli.Command{
		Name:      "default",
		Usage:     "write a configuration with every default filled in, as kube-scheduler --write-config-to does",
		ArgsUsage: "[FILE|-]",
		Description: `Without a file it is the configuration that the target runs with when it gets none. A manifest will do if it
holds one configuration, as a ConfigMap does. The result goes to standard output, findings go to standard
error. A file that is refused only when its profiles are built is written as far as it was filled in until
then, and the exit code is 1.

EXAMPLES:
   schedconf default --target 1.30
   schedconf default sched.yaml --write-config-to full.yaml
`,
		Flags: slices.Concat(schemeFlags(), []cli.Flag{
			documentFlag(),
			&cli.StringFlag{Name: "write-config-to", Usage: "write to `FILE` instead; it is replaced as a whole, and stays as it is when anything goes wrong"},
		}, findingFlags()),
		Action: func(c *cli.Context) error {
			s, err := newScheme(c)
			if err != nil {
				return err
			}
			name, data, err := p.input(c, s.Release)
			if err != nil {
				return err
			}
			artefact, findings, err := completed(c, s, name, data)
			if err != nil {
				return err
			}
			newText(c, p.stderr, p.stderr).findings(findings)
			code := verdict(c, findings)
			if to := c.String("write-config-to"); to == "" || to == stdinName {
				_, err = p.stdout.Write(artefact)
			} else if accepted, _ := findings.Verdict(); accepted {
				err = replaceFile(to, artefact)
			}
			if err != nil {
				return err
			}
			return ended(code)
		},
	}
}

// input reads the file that the command is given; without one it is the shortest configuration
// that the target reads.
func (p *program) input(c *cli.Context, release *schemas.Release) (name string, data []byte, err error) {
	switch c.NArg() {
	case 0:
		api := release.APIs[0]
		return stdinName, fmt.Appendf(nil, "apiVersion: %s\nkind: %s\n", api.APIVersion, api.Kind), nil
	case 1:
		name = c.Args().First()
		if data, err = p.read(name); err != nil {
			return "", nil, unreadable(name, err)
		}
		return name, data, nil
	}
	return "", nil, usage(c, "one file is taken, %d are given", c.NArg())
}

// completed is what a release makes of a file: nothing where it refuses it before the profiles are
// built, and the loaded configuration where it refuses it then.
func completed(c *cli.Context, s *scheme.Scheme, name string, data []byte) ([]byte, diag.List, error) {
	if finding, ok := validation.TooLarge(name, data); ok {
		return nil, diag.List{finding}, nil
	}
	doc, findings, err := chooseAnywhere(c, name, data)
	if err != nil {
		return nil, nil, err
	}
	result, err := validation.NewVerdict(s).Check(doc)
	if err != nil {
		return nil, nil, err
	}
	findings = append(findings, result.Findings...)
	findings.Sort()
	accepted, stage := findings.Verdict()
	if result.Built == nil || !accepted && stage != diag.Construct {
		return nil, findings, nil
	}
	write := func() ([]byte, error) { return s.Write(result.Built, result.API) }
	if !accepted {
		write = func() ([]byte, error) { return s.WriteDefaulted(result.Config, result.API) }
	}
	artefact, err := write()
	return artefact, findings, err
}

// verdict is the exit code that findings come to.
func verdict(c *cli.Context, findings diag.List) int {
	if findings.Count(diag.Error) > 0 || c.Bool("strict") && findings.Count(diag.Warning) > 0 {
		return exitNo
	}
	return exitYes
}
