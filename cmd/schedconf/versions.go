// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"path"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/explain"
	"github.com/schedconf/schedconf/schemas"
)

func (p *program) versions() *cli.Command {
	return &cli.Command{
		Name:  "versions",
		Usage: "list which apiVersions the kube-scheduler of each Kubernetes minor reads",
		Description: `The preferred apiVersion is the one to write new files in. A deprecated one is read with a warning.

EXAMPLES:
   schedconf versions
   schedconf versions -o json
`,
		Flags: []cli.Flag{outputFlag(formats)},
		Action: func(c *cli.Context) error {
			if err := noOperands(c); err != nil {
				return err
			}
			if c.String("output") == "json" {
				return writeJSON(p.stdout, versionRows(), "  ")
			}
			return printVersions(p.stdout, versionRows())
		},
	}
}

// versionRow is what one minor reads.
type versionRow struct {
	Minor    string       `json:"minor"`
	Observed string       `json:"observed"`
	APIs     []apiVersion `json:"apiVersions"`
	// Policies are the apiVersions of a Policy.
	Policies []string `json:"policies"`
}

type apiVersion struct {
	APIVersion      string `json:"apiVersion"`
	Preferred       bool   `json:"preferred"`
	DeprecatedSince string `json:"deprecatedSince,omitempty"`
}

func versionRows() []versionRow {
	var rows []versionRow
	for _, minor := range schemas.Minors() {
		release := schemas.For(minor)
		row := versionRow{Minor: release.Name, Observed: release.Observed, Policies: append([]string{}, release.Policies...)}
		for i, api := range release.APIs {
			row.APIs = append(row.APIs, apiVersion{api.APIVersion, i == 0, api.DeprecatedSince})
		}
		rows = append(rows, row)
	}
	return rows
}

func printVersions(w io.Writer, rows []versionRow) error {
	columns := explain.APIVersions()
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "MINOR\tOBSERVED")
	for _, column := range columns {
		fmt.Fprintf(table, "\t%s", path.Base(column))
	}
	fmt.Fprintln(table, "\tPOLICY")
	for _, row := range rows {
		fmt.Fprintf(table, "%s\t%s", row.Minor, row.Observed)
		for _, column := range columns {
			fmt.Fprintf(table, "\t%s", row.cell(column))
		}
		policies := strings.Join(row.Policies, ", ")
		if policies == "" {
			policies = "-"
		}
		fmt.Fprintf(table, "\t%s\n", policies)
	}
	return table.Flush()
}

func (r versionRow) cell(column string) string {
	for _, api := range r.APIs {
		switch {
		case api.APIVersion != column:
		case api.DeprecatedSince != "":
			return "deprecated"
		case api.Preferred:
			return "preferred"
		default:
			return "yes"
		}
	}
	return "-"
}
