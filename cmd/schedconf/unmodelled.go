// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/schedconf/schedconf/dryrun"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/scheme/source/find"
)

// extenders reads --extenders: skip, call, or stub=FILE.
func (s *sources) extenders() (string, []dryrun.Stub, error) {
	mode, file, named := strings.Cut(s.c.String("extenders"), "=")
	known := []string{dryrun.ExtendersSkip, dryrun.ExtendersCall, dryrun.ExtendersStub}
	if !slices.Contains(known, mode) || named != (mode == dryrun.ExtendersStub) || named && file == "" {
		return "", nil, usage(s.c, "--extenders %q: write skip, call or stub=FILE", s.c.String("extenders"))
	}
	if !named {
		return mode, nil, nil
	}
	data, err := s.program.read(file)
	if err != nil {
		return "", nil, unreadable(file, err)
	}
	stubs, err := dryrun.ReadStubs(data)
	if err != nil {
		return "", nil, inputError{fmt.Errorf("read %q: %w", file, err)}
	}
	return mode, stubs, nil
}

// declareUnmodelled declares the plugins of a file that no release has, if the engine is to run without them.
func (s *sources) declareUnmodelled(name string, data []byte) error {
	if s.c.String("unmodelled") != "skip" {
		return nil
	}
	documents := source.Split(name, data)
	found, _ := find.In(name, documents)
	for i := range found {
		if found[i].Doc != nil {
			documents = append(documents, found[i].Doc)
		}
	}
	declared := s.c.StringSlice("plugin")
	for _, plugin := range pluginsEnabled(documents) {
		if inSomeRelease(plugin) || slices.ContainsFunc(declared, func(d string) bool { return d == plugin || strings.HasPrefix(d, plugin+"=") }) {
			continue
		}
		if err := s.c.Set("plugin", plugin); err != nil {
			return err
		}
	}
	return nil
}

// pluginsEnabled are the names that profiles enable, each once.
func pluginsEnabled(documents []*source.Document) []string {
	names := map[string]bool{}
	var walk func(value any, enabled bool)
	walk = func(value any, enabled bool) {
		switch v := value.(type) {
		case map[string]any:
			if name, ok := v["name"].(string); ok && enabled {
				names[name] = true
			}
			for key, field := range v {
				walk(field, key == "enabled")
			}
		case []any:
			for _, item := range v {
				walk(item, enabled)
			}
		}
	}
	for _, doc := range documents {
		value, _, err := scheme.ReadValue(doc.Bytes())
		if err != nil {
			continue
		}
		if root, ok := value.(map[string]any); ok {
			walk(root["profiles"], false)
			walk(root["plugins"], false)
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// unmodelled are those of some plugins that the engine does not have.
func unmodelled(plugins []string) []string {
	return slices.DeleteFunc(plugins, func(name string) bool { _, ok := newestRelease().Plugin(name); return ok })
}

func inSomeRelease(plugin string) bool {
	return slices.ContainsFunc(schemas.Minors(), func(minor schemas.Minor) bool {
		_, ok := schemas.For(minor).Plugin(plugin)
		return ok
	})
}
