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

	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/validation"
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
			rows, err := pluginRows(s, api)
			if err != nil {
				return err
			}
			if c.String("output") == "json" {
				return writeJSON(p.stdout, struct {
					Target     string      `json:"target"`
					Observed   string      `json:"observed"`
					APIVersion string      `json:"apiVersion"`
					Plugins    []pluginRow `json:"plugins"`
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

// pluginRow is a plugin as it is when a file says nothing.
type pluginRow struct {
	Name string `json:"name"`
	// Points are those that it implements.
	Points []string `json:"points"`
	// Enabled are those of the points at which it is enabled by default.
	Enabled []string `json:"enabled"`
	// Weight is its default weight; 0 for a plugin that does not score by default.
	Weight int32 `json:"weight"`
	// Args is the kind of its args; empty for a plugin that takes none.
	Args string `json:"args"`
}

func pluginRows(s *scheme.Scheme, api *schemas.API) ([]pluginRow, error) {
	minimal := fmt.Appendf(nil, "apiVersion: %s\nkind: %s\n", api.APIVersion, api.Kind)
	result, err := validation.New(s).Check(source.Split(stdinName, minimal)[0])
	if err != nil {
		return nil, err
	}
	rows := []pluginRow{}
	for _, plugin := range s.Release.Plugins {
		row := pluginRow{Name: plugin.Name, Points: plugin.Points, Enabled: []string{}}
		if args := plugin.Name + "Args"; slices.Contains(api.Args, args) || slices.Contains(api.RawArgs, plugin.Name) {
			row.Args = args
		}
		for _, framework := range result.Built.Frameworks {
			row.enable(s.Release.Points, framework)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (r *pluginRow) enable(points []string, framework scheme.Framework) {
	for _, point := range points {
		for _, plugin := range framework.Points[config.Point(point)] {
			if plugin.Name != r.Name {
				continue
			}
			r.Enabled = append(r.Enabled, point)
			if point == string(config.Score) && plugin.Weight != nil {
				r.Weight = *plugin.Weight
			}
		}
	}
}

func (r *pluginRow) enabled() string {
	switch {
	case len(r.Enabled) == 0:
		return "no"
	case len(r.Enabled) == len(r.Points):
		return "yes"
	}
	return "at " + strings.Join(r.Enabled, ",")
}

func (r *pluginRow) weight() string {
	if r.Weight == 0 {
		return "-"
	}
	return fmt.Sprint(r.Weight)
}

func printPlugins(w io.Writer, rows []pluginRow) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tDEFAULT\tWEIGHT\tARGS\tPOINTS")
	for _, r := range rows {
		args := r.Args
		if args == "" {
			args = "-"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", r.Name, r.enabled(), r.weight(), args, strings.Join(r.Points, ","))
	}
	return table.Flush()
}
