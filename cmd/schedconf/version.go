// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/dryrun"
	"github.com/schedconf/schedconf/schemas"
)

// What a release build is linked with: -X main.stamped=v1.2.3 -X main.stampedCommit=0123abc. Two builds of
// one commit are the same file, with the sources from a repository or from an archive.
var stamped, stampedCommit string

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
		return cmp.Or(stampedCommit, "unknown")
	}
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	commit := cmp.Or(stampedCommit, settings["vcs.revision"], "unknown")
	if settings["vcs.modified"] == "true" {
		commit += " (modified)"
	}
	return commit
}

// versionReport is what the command version prints.
type versionReport struct {
	Schedconf string `json:"schedconf"`
	Commit    string `json:"commit"`
	Go        string `json:"go"`
	// Oldest and Newest are the minors that are known, and Observed is the release that the newest was read from.
	Oldest   string `json:"oldest"`
	Newest   string `json:"newest"`
	Observed string `json:"observed"`
	// Engines are those that a dry run would find.
	Engines []foundEngine `json:"engines"`
}

// foundEngine is an engine, or why there is none.
type foundEngine struct {
	Path string `json:"path,omitempty"`
	// Minor is that of the kube-scheduler inside, and Kubernetes its release.
	Minor      string `json:"minor,omitempty"`
	Kubernetes string `json:"kubernetes,omitempty"`
	// Error is why a dry run would fail with it.
	Error string `json:"error,omitempty"`
}

func (p *program) version() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print which schedconf this is, and which Kubernetes minors it and its engine know",
		Description: `The engine is the one that "schedconf dryrun" finds. That there is none is no failure.

EXAMPLES:
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
			report := versionReport{buildVersion(), buildCommit(), runtime.Version(), oldest.String(), newest.Name, newest.Observed, engines(c.Context)}
			if c.String("output") == "json" {
				return writeJSON(p.stdout, report, "")
			}
			return report.print(p.stdout)
		},
	}
}

func (r versionReport) print(w io.Writer) error {
	fmt.Fprintf(w, "schedconf %s\ncommit %s\n%s\nKubernetes %s to %s (%s)\n", r.Schedconf, r.Commit, r.Go, r.Oldest, r.Newest, r.Observed)
	if len(r.Engines) == 0 {
		fmt.Fprintln(w, "no engine for dry runs")
	}
	for _, engine := range r.Engines {
		if engine.Error != "" {
			fmt.Fprintf(w, "engine of no use: %s\n", printable(engine.Error))
			continue
		}
		fmt.Fprintf(w, "engine for Kubernetes %s (%s): %s\n", engine.Minor, engine.Kubernetes, printable(engine.Path))
	}
	return nil
}

// engineTimeout is how long an engine may take to say what it is. A real one takes 50 ms.
const engineTimeout = 10 * time.Second

// engines are those that a dry run would find: none, or one.
func engines(ctx context.Context) []foundEngine {
	path, err := dryrun.Find("")
	if errors.Is(err, dryrun.ErrNoEngine) {
		return []foundEngine{}
	}
	if err != nil {
		return []foundEngine{{Error: err.Error()}}
	}
	ctx, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	engine, err := dryrun.About(ctx, path)
	if err != nil {
		return []foundEngine{{Path: path, Error: err.Error()}}
	}
	minor, err := schemas.ParseMinor(engine.Kubernetes)
	if err != nil {
		return []foundEngine{{Path: path, Kubernetes: engine.Kubernetes, Error: fmt.Sprintf("the engine %q has a Kubernetes that is not known here: %s", path, err)}}
	}
	return []foundEngine{{Path: path, Minor: minor.String(), Kubernetes: engine.Kubernetes}}
}

// noOperands refuses what a command has no use for.
func noOperands(c *cli.Context) error {
	if c.NArg() > 0 {
		return usage(c, "%q is not expected: the command takes flags only", c.Args().First())
	}
	return nil
}
