// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/scheme/source/find"
	"github.com/schedconf/schedconf/validation"
)

func targetFlag() cli.Flag {
	return &cli.StringFlag{Name: "target", Value: "latest", Usage: "Kubernetes minor or release to ask, as in 1.30 or v1.30.2"}
}

// schemeFlags choose the kube-scheduler that a file is for.
func schemeFlags() []cli.Flag {
	return []cli.Flag{
		targetFlag(),
		&cli.StringSliceFlag{Name: "feature-gates", Usage: "feature gates as given to kube-scheduler, as in A=true,B=false; repeatable"},
		&cli.StringSliceFlag{Name: "plugin", Usage: "out-of-tree plugin that the scheduler is built with, as in NAME or NAME=filter,score, or a registry file of several; repeatable"},
		&cli.StringSliceFlag{Name: "plugin-registry", Usage: "plugins of a known build of the scheduler, scheduler-plugins, or of a registry file; repeatable"},
	}
}

func documentFlag() cli.Flag {
	return &cli.IntFlag{Name: "document", Value: -1, DefaultText: "the only configuration", Usage: "take document `N` of the file, counted from 0"}
}

// usage makes a usage error of the running command.
func usage(c *cli.Context, format string, args ...any) error {
	return usageError{command: c.Command.HelpName, message: fmt.Sprintf(format, args...)}
}

// target returns the release that --target names.
func target(c *cli.Context) (*schemas.Release, error) {
	minor, err := schemas.ParseMinor(c.String("target"))
	if err != nil {
		return nil, usage(c, "%s", err)
	}
	return schemas.For(minor), nil
}

// newScheme builds the scheme that the flags ask for.
func newScheme(c *cli.Context) (*scheme.Scheme, error) {
	release, err := target(c)
	if err != nil {
		return nil, err
	}
	return schemeOf(c, release)
}

// schemeOf builds the scheme of a release with the gates and plugins that the flags ask for.
func schemeOf(c *cli.Context, release *schemas.Release) (*scheme.Scheme, error) {
	overrides, err := schemas.ParseGates(strings.Join(c.StringSlice("feature-gates"), ","))
	if err != nil {
		return nil, usage(c, "%s", err)
	}
	return schemeWith(c, release, overrides)
}

// schemeWith builds the scheme of a release with gates, and with the plugins that the flags ask for.
func schemeWith(c *cli.Context, release *schemas.Release, overrides map[string]bool) (*scheme.Scheme, error) {
	s, err := stockScheme(c, release, overrides)
	if err != nil {
		return nil, err
	}
	registries, err := registries(c)
	if err != nil {
		return nil, err
	}
	return s, declareAll(c, s, registries)
}

// stockScheme builds the scheme of a release with gates.
func stockScheme(c *cli.Context, release *schemas.Release, overrides map[string]bool) (*scheme.Scheme, error) {
	gates, err := release.NewGates(overrides)
	if err != nil {
		return nil, usage(c, "%s%s", err, gateSuggestion(release, overrides))
	}
	return scheme.New(release, gates)
}

// gateSuggestion names a gate that may have been meant by the first unknown one.
func gateSuggestion(release *schemas.Release, overrides map[string]bool) string {
	var known []string
	for _, gate := range release.Gates {
		known = append(known, gate.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(overrides)) {
		if _, ok := release.Gate(name); ok || name == "AllAlpha" || name == "AllBeta" {
			continue
		}
		if _, elsewhere := schemas.GateSpan(name); elsewhere {
			return ""
		}
		if near, ok := scheme.Nearest(name, known); ok {
			return fmt.Sprintf(", did you mean %q?", near)
		}
		return ""
	}
	return ""
}

func declare(c *cli.Context, s *scheme.Scheme, declaration string) error {
	name, list, hasPoints := strings.Cut(declaration, "=")
	if name == "" || hasPoints && list == "" {
		return usage(c, "--plugin %q: write NAME or NAME=point,point", declaration)
	}
	var points []string
	if hasPoints {
		points = strings.Split(list, ",")
	}
	for _, point := range points {
		if !slices.Contains(s.Release.Points, point) {
			return usage(c, "--plugin %q: Kubernetes %s has no point %q that a plugin can implement: known are %s",
				declaration, s.Release.Name, point, strings.Join(s.Release.Points, ", "))
		}
	}
	s.Declare(name, points...)
	return nil
}

// choose takes the configuration of a file that is meant: the one that --document names, the only
// one, or what kube-scheduler would read. The warnings are about those that are left aside.
func choose(c *cli.Context, name string, data []byte) (*source.Document, diag.List, error) {
	documents := source.Split(name, data)
	if n := c.Int("document"); c.IsSet("document") {
		if n < 0 || n >= len(documents) {
			return nil, nil, usage(c, "--document %d: %q has the documents 0 to %d", n, name, len(documents)-1)
		}
		return documents[n], nil, nil
	}
	configurations := validation.Configurations(documents)
	chosen := documents[0]
	switch {
	case len(configurations) == 0 || configurations[0] == chosen:
	case len(configurations) == 1:
		chosen = configurations[0]
	default:
		return nil, nil, usage(c, "%q holds %d configurations, and its first document is none: choose with --document %s",
			name, len(configurations), indexes(configurations))
	}
	var warnings diag.List
	for _, doc := range configurations {
		if doc.Index > 0 {
			warnings = append(warnings, validation.Ignored(doc))
		}
	}
	return chosen, warnings, nil
}

// chooseAnywhere is choose for a configuration that may also lie inside an object of the file, such as a
// ConfigMap.
func chooseAnywhere(c *cli.Context, name string, data []byte) (*source.Document, diag.List, error) {
	chosen, warnings, err := choose(c, name, data)
	if err != nil || len(validation.Configurations([]*source.Document{chosen})) > 0 {
		return chosen, warnings, err
	}
	index := -1
	if c.IsSet("document") {
		index = chosen.Index
	}
	if inside, err := carried(c, name, source.Split(name, data), index); inside != nil || err != nil {
		return inside, nil, err
	}
	return chosen, warnings, nil
}

// carried returns the only configuration inside the objects of a file, or of one document of it; nil if
// there is none.
func carried(c *cli.Context, name string, documents []*source.Document, index int) (*source.Document, error) {
	found, _ := find.In(name, documents)
	var inside []*source.Document
	var outer []string
	for _, f := range found {
		if (f.Kind == find.Config || f.Kind == find.ConfigObject) && f.Carrier != "" && f.Doc.Index == 0 && (index < 0 || f.Outer.Index == index) {
			inside = append(inside, f.Doc)
			outer = append(outer, fmt.Sprintf("%d (%s)", f.Outer.Index, strings.TrimSpace(f.Carrier+" "+f.Key)))
		}
	}
	switch {
	case len(inside) == 0:
		return nil, nil
	case len(inside) == 1:
		return inside[0], nil
	case index >= 0:
		return nil, usage(c, "document %d of %q holds %d configurations: put the one that is meant into a file of its own", index, name, len(inside))
	}
	return nil, usage(c, "%q holds %d configurations: choose a document with --document: %s", name, len(inside), strings.Join(outer, ", "))
}

func indexes(documents []*source.Document) string {
	var list []string
	for _, doc := range documents {
		list = append(list, fmt.Sprint(doc.Index))
	}
	return strings.Join(list, ", ")
}
