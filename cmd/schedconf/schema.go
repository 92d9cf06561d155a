// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
)

func (p *program) schema() *cli.Command {
	return &cli.Command{
		Name:      "schema",
		Usage:     "print the JSON Schema of a configuration, as open as the decoder of the target is",
		ArgsUsage: "[--layout FORM DIR]",
		Description: `It is draft 2020-12, with plugin args typed by plugin name. Without --target it is that of the newest
minor that reads the apiVersion. With --layout the schemas of all minors are written into a folder: for
-schema-location of kubeconform, or as a catalog of SchemaStore with what it leads to.

EXAMPLES:
   schedconf schema --api-version v1 > kube-scheduler.schema.json
   schedconf schema --api-version kubescheduler.config.k8s.io/v1beta3 --target 1.25
   schedconf schema --layout kubeconform schemas
`,
		Flags: []cli.Flag{
			apiVersionFlag("apiVersion of the file, as in v1 or kubescheduler.config.k8s.io/v1beta3"),
			&cli.StringFlag{Name: "kind", Value: config.Kind, Usage: "kind of the file: " + config.Kind + " or Policy"},
			&cli.StringFlag{Name: "target", DefaultText: "the newest that reads it", Usage: "Kubernetes minor or release to ask, as in 1.30 or v1.30.2"},
			&cli.StringFlag{Name: "layout", Usage: "write the schemas of all minors, or of --target, into a folder, in the `FORM` kubeconform or schemastore"},
			&cli.StringFlag{Name: "base-url", Value: schemaStore, Usage: "with --layout schemastore: `URL` that the folder is served at"},
		},
		Action: func(c *cli.Context) error {
			if c.IsSet("layout") {
				return writeLayout(c)
			}
			if err := noOperands(c); err != nil {
				return err
			}
			if c.IsSet("base-url") {
				return usage(c, "--base-url goes with --layout schemastore")
			}
			data, err := findSchema(c)
			if err != nil {
				return err
			}
			_, err = p.stdout.Write(data)
			return err
		},
	}
}

func apiVersionFlag(help string) cli.Flag {
	return &cli.StringFlag{Name: "api-version", DefaultText: "the preferred one of the target", Usage: help}
}

// fullAPIVersion puts the group in front of a bare v1.
func fullAPIVersion(text string) string {
	if text == "" || strings.Contains(text, "/") {
		return text
	}
	return config.GroupName + "/" + text
}

func findSchema(c *cli.Context) ([]byte, error) {
	apiVersion, kind := fullAPIVersion(c.String("api-version")), c.String("kind")
	minors := schemas.Minors()
	slices.Reverse(minors)
	if c.IsSet("target") {
		release, err := target(c)
		if err != nil {
			return nil, err
		}
		minors = []schemas.Minor{release.Minor()}
	}
	for _, minor := range minors {
		release := schemas.For(minor)
		wanted := apiVersion
		if wanted == "" && kind == config.Kind {
			wanted = release.APIs[0].APIVersion
		} else if wanted == "" && len(release.Policies) > 0 {
			wanted = release.Policies[0]
		}
		if data, err := release.Schema(wanted, kind); err == nil && served(release, wanted, kind) {
			return data, nil
		}
	}
	return nil, usage(c, "%s", notServed(apiVersion, kind, minors))
}

func served(release *schemas.Release, apiVersion, kind string) bool {
	if kind == config.Kind {
		_, ok := release.API(apiVersion)
		return ok
	}
	return slices.Contains(release.Policies, apiVersion) || slices.Contains(release.Policies, strings.TrimPrefix(apiVersion, config.GroupName+"/"))
}

func notServed(apiVersion, kind string, minors []schemas.Minor) string {
	message := fmt.Sprintf("no known Kubernetes minor reads a %s %s", apiVersion, kind)
	if len(minors) == 1 {
		message = fmt.Sprintf("Kubernetes %s reads no %s %s", minors[0], apiVersion, kind)
	}
	if span, ok := schemas.APISpan(apiVersion); ok && kind == config.Kind {
		return message + fmt.Sprintf(": it is read %s", span)
	}
	if near, ok := scheme.Nearest(kind, []string{config.Kind, "Policy"}); ok && near != kind {
		return message + fmt.Sprintf(", did you mean --kind %s?", near)
	}
	return message + "; schedconf versions lists what each minor reads"
}
