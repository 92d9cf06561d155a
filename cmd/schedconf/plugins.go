// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/explain"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/config"
)

func (p *program) plugins() *cli.Command {
	return &cli.Command{
		Name:  "plugins",
		Usage: "list the plugins of the target, and what each does when a file says nothing",
		Description: `EXAMPLES:
   schedconf plugins --target 1.30
   schedconf plugins --feature-gates DynamicResourceAllocation=true --target 1.30 -o json
`,
		Flags: slices.Concat(schemeFlags(), []cli.Flag{apiVersionFlag("apiVersion whose defaults are meant"), outputFlag(formats)}),
		Action: func(c *cli.Context) error {
			if err := noOperands(c); err != nil {
				return err
			}
			s, err := newScheme(c)
			if err != nil {
				return err
			}
			api, err := pickAPI(c, s.Release)
			if err != nil {
				return err
			}
			rows, err := explain.Plugins(s, api)
			if err != nil {
				return err
			}
			if c.String("output") == "json" {
				return writeJSON(p.stdout, struct {
					Target     string           `json:"target"`
					Observed   string           `json:"observed"`
					APIVersion string           `json:"apiVersion"`
					Plugins    []explain.Plugin `json:"plugins"`
				}{s.Release.Name, s.Release.Observed, api.APIVersion, rows}, "  ")
			}
			return printPlugins(p.stdout, rows)
		},
	}
}

// pickAPI returns the apiVersion that --api-version names, or the preferred one.
func pickAPI(c *cli.Context, release *schemas.Release) (*schemas.API, error) {
	name := fullAPIVersion(c.String("api-version"))
	if name == "" {
		return &release.APIs[0], nil
	}
	api, ok := release.API(name)
	if !ok {
		return nil, usage(c, "%s", notServed(name, config.Kind, []schemas.Minor{release.Minor()}))
	}
	return api, nil
}

func printPlugins(w io.Writer, rows []explain.Plugin) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tDEFAULT\tWEIGHT\tARGS\tPOINTS")
	for _, r := range rows {
		args := r.Args
		if args == "" {
			args = "-"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", r.Name, r.EnabledInWords(), r.WeightInWords(), args, strings.Join(r.Points, ","))
	}
	return table.Flush()
}
