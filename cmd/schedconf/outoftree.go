// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"sigs.k8s.io/yaml"

	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/validation"
)

// declareAll declares the plugins of a build besides those of the stock kube-scheduler: those of registries,
// then those that --plugin names.
func declareAll(c *cli.Context, s *scheme.Scheme, registries []*schemas.Registry) error {
	for _, r := range registries {
		if err := declarePlugins(s, r); err != nil {
			return usage(c, "%s", err)
		}
	}
	for _, declaration := range c.StringSlice("plugin") {
		if isRegistryFile(declaration) {
			continue // it is among the registries
		}
		if err := declare(c, s, declaration); err != nil {
			return err
		}
	}
	return nil
}

// registries are those that the flags name.
func registries(c *cli.Context) ([]*schemas.Registry, error) {
	var list []*schemas.Registry
	add := func(flag, name string) error {
		r, err := registry(name)
		if err != nil {
			return usage(c, "--%s %q: %s", flag, name, err)
		}
		list = append(list, r)
		return nil
	}
	for _, name := range c.StringSlice("plugin-registry") {
		if err := add("plugin-registry", name); err != nil {
			return nil, err
		}
	}
	for _, declaration := range c.StringSlice("plugin") {
		if isRegistryFile(declaration) {
			if err := add("plugin", declaration); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

func isRegistryFile(declaration string) bool {
	return !strings.Contains(declaration, "=") && (strings.Contains(declaration, "/") || slices.Contains(fileEndings, path.Ext(declaration)))
}

// registry is one that comes with the program, or one in a file.
func registry(name string) (*schemas.Registry, error) {
	var names []string
	for _, r := range schemas.Registries() {
		if r.Name == name {
			return r, nil
		}
		names = append(names, r.Name)
	}
	if !isRegistryFile(name) {
		return nil, fmt.Errorf("there is no such registry: known are %s, and files with a path or an ending", strings.Join(names, ", "))
	}
	data, err := readJSON(name)
	if err != nil {
		return nil, err
	}
	return schemas.ParseRegistry(data)
}

// readJSON reads a file of YAML or JSON as JSON.
func readJSON(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, reason(err)
	}
	if len(data) > validation.MaxFileSize {
		return nil, fmt.Errorf("it has more than %d MiB", validation.MaxFileSize>>20)
	}
	return yaml.YAMLToJSONStrict(data)
}

// declarePlugins declares the plugins of a registry at the points that the release has.
func declarePlugins(s *scheme.Scheme, r *schemas.Registry) error {
	for _, plugin := range r.Plugins(s.Release) {
		var points []string
		for _, point := range plugin.Points {
			if !slices.Contains(config.Points, config.Point(point)) {
				return fmt.Errorf("%s is at the point %q, which no release has", plugin.Name, point)
			}
			if slices.Contains(s.Release.Points, point) {
				points = append(points, point)
			}
		}
		s.Declare(plugin.Name, points...)
	}
	return nil
}

// describeArgs gives a checker the schemas of the args of a registry's plugins.
func describeArgs(checker *validation.Checker, r *schemas.Registry, release *schemas.Release) error {
	for _, plugin := range r.Plugins(release) {
		if plugin.Args == nil {
			continue
		}
		schema, err := validation.CompileArgs(plugin.Args)
		if err != nil {
			return fmt.Errorf("args of %s: %w", plugin.Name, err)
		}
		checker.DescribeArgs(plugin.Name, schema)
	}
	return nil
}

// argsSchemas reads the files that --args-schema names.
func argsSchemas(c *cli.Context) (map[string]*validation.ArgsSchema, error) {
	compiled := map[string]*validation.ArgsSchema{}
	for _, value := range c.StringSlice("args-schema") {
		plugin, file, ok := strings.Cut(value, "=")
		if !ok || plugin == "" || file == "" {
			return nil, usage(c, "--args-schema %q: write PLUGIN=FILE", value)
		}
		schema, err := argsSchema(file)
		if err != nil {
			return nil, usage(c, "--args-schema %q: %s", value, err)
		}
		compiled[plugin] = schema
	}
	return compiled, nil
}

func argsSchema(file string) (*validation.ArgsSchema, error) {
	data, err := readJSON(file)
	if err != nil {
		return nil, err
	}
	return validation.CompileArgs(data)
}

// described gives a checker all schemas of args, those of files last, since they count.
func described(checker *validation.Checker, release *schemas.Release, registries []*schemas.Registry, files map[string]*validation.ArgsSchema) error {
	for _, r := range registries {
		if err := describeArgs(checker, r, release); err != nil {
			return err
		}
	}
	for _, plugin := range slices.Sorted(maps.Keys(files)) {
		checker.DescribeArgs(plugin, files[plugin])
	}
	return nil
}
