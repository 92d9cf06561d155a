// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/schemas"
)

// stamped is the version that a release build is linked with: -X main.stamped=v1.2.3.
var stamped string

// buildVersion is the version of this program, as far as the build knows it.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return cmp.Or(stamped, "(devel)")
	}
	return cmp.Or(stamped, info.Main.Version, "(devel)")
}

func buildCommit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	commit := cmp.Or(settings["vcs.revision"], "unknown")
	if settings["vcs.modified"] == "true" {
		commit += " (modified)"
	}
	return commit
}

func (p *program) version() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print which schedconf this is and which Kubernetes minors it knows",
		Description: `EXAMPLES:
   schedconf version
   schedconf version -o json
`,
		Flags: []cli.Flag{outputFlag(formats)},
		Action: func(c *cli.Context) error {
			if err := noOperands(c); err != nil {
				return err
			}
			minors := schemas.Minors()
			oldest, newest := minors[0], schemas.For(minors[len(minors)-1])
			if c.String("output") == "json" {
				return writeJSON(p.stdout, struct {
					Schedconf string `json:"schedconf"`
					Commit    string `json:"commit"`
					Go        string `json:"go"`
					Oldest    string `json:"oldest"`
					Newest    string `json:"newest"`
					Observed  string `json:"observed"`
				}{buildVersion(), buildCommit(), runtime.Version(), oldest.String(), newest.Name, newest.Observed}, "")
			}
			_, err := fmt.Fprintf(p.stdout, "schedconf %s\ncommit %s\n%s\nKubernetes %s to %s (%s)\n",
				buildVersion(), buildCommit(), runtime.Version(), oldest, newest.Name, newest.Observed)
			return err
		},
	}
}

// noOperands refuses what a command has no use for.
func noOperands(c *cli.Context) error {
	if c.NArg() > 0 {
		return usage(c, "%q is not expected: the command takes flags only", c.Args().First())
	}
	return nil
}
