// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os/exec"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/dryrun"
)

func (p *program) snapshot() *cli.Command {
	return &cli.Command{
		Name:  "snapshot",
		Usage: "take what scheduling looks at from a live cluster, for dry runs",
		Description: `Nodes, pods, volumes and the like are listed through a kubeconfig, page by page; nothing is written to the
cluster. What a scheduler does not look at, such as environment variables, commands and most annotations,
is left out, and Secrets and ConfigMaps are not asked for. The result is what dryrun takes as --cluster.

--anonymize gives namespaces, pods, nodes, labels, images and the like other names, the same ones wherever
they stand, so that a dry run comes to the same scores. Names of resources, drivers and schedulers stay.

The work is done by schedconf-engine, which "make engine" builds. The exit code is 1 where some kind could
not be listed.

EXAMPLES:
   schedconf snapshot --output cluster.json
   schedconf snapshot --context production --anonymize --output dump/
`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "kubeconfig", DefaultText: "$KUBECONFIG, or ~/.kube/config", Usage: "`FILE` with the way to the cluster"},
			&cli.StringFlag{Name: "context", DefaultText: "the current one", Usage: "`NAME` of the context of the kubeconfig"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "-", Usage: "`FILE` that ends in .json, .yaml or .yml, a folder that ends in /, or - for standard output"},
			&cli.BoolFlag{Name: "anonymize", Usage: "give everything other names, and keep what hangs together"},
			&cli.StringFlag{Name: "engine", DefaultText: "$SCHEDCONF_ENGINE, or schedconf-engine beside this program or in $PATH", Usage: "`FILE` of the engine"},
		},
		Action: func(c *cli.Context) error {
			if err := noOperands(c); err != nil {
				return err
			}
			engine, err := dryrun.Find(c.String("engine"))
			if err != nil {
				return inputError{err}
			}
			args := []string{"snapshot", "-output=" + c.String("output")}
			for _, flag := range []string{"kubeconfig", "context"} {
				if value := c.String(flag); value != "" {
					args = append(args, "-"+flag+"="+value)
				}
			}
			if c.Bool("anonymize") {
				args = append(args, "-anonymize")
			}
			command := exec.CommandContext(c.Context, engine, args...)
			command.Stdout, command.Stderr = p.stdout, p.stderr
			err = command.Run()
			var exit *exec.ExitError
			switch {
			case errors.As(err, &exit) && exit.ExitCode() > 0:
				return exitCode(exit.ExitCode())
			case err != nil:
				return inputError{fmt.Errorf("run the engine %q: %w", engine, err)}
			}
			return nil
		},
	}
}
