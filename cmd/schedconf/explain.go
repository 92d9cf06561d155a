// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/explain"
)

func (p *program) explain() *cli.Command {
	return &cli.Command{
		Name:      "explain",
		Usage:     "explain a rule, a plugin, or a field of a configuration",
		ArgsUsage: "RULE|PLUGIN|FIELD",
		Description: `A field is a path such as leaderElection.resourceLock or profiles[0].schedulerName. Those of plugin args
start with the plugin: NodeResourcesFit.scoringStrategy.type.

EXAMPLES:
   schedconf explain plugin-unknown
   schedconf explain leaderElection.resourceLock --target 1.20
`,
		Flags: []cli.Flag{targetFlag(), outputFlag(formats)},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage(c, "give one rule, plugin, or field")
			}
			s, err := newScheme(c)
			if err != nil {
				return err
			}
			explanation, err := explain.LookUp(s, c.Args().First())
			if unknown := (*explain.UnknownError)(nil); errors.As(err, &unknown) {
				return usage(c, "%s", err)
			}
			if err != nil {
				return err
			}
			if c.String("output") == "json" {
				return writeJSON(p.stdout, explanation, "  ")
			}
			return explanation.Text(p.stdout)
		},
	}
}
