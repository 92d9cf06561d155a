// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"io"
	"maps"
	"slices"
	"strconv"
)

const (
	pluginsPath  = "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	featuresPath = "k8s.io/kubernetes/pkg/features"
)

// facts are what the sources of a minor say apart from field sets.
type facts struct {
	Minor      string     `json:"minor"`
	Kubernetes string     `json:"kubernetes"`
	Plugins    []string   `json:"plugins"` // names in the registry of built-in plugins, sorted
	Gates      []gate     `json:"gates"`   // gates that k8s.io/kubernetes declares, sorted
	Flags      []flagFact `json:"flags,omitempty"`
}

// gate is a feature gate as a release has it.
type gate struct {
	Name    string `json:"name"`
	Default bool   `json:"default"`
	Stage   string `json:"stage"`
	Locked  bool   `json:"locked,omitempty"`
}

// printFacts writes the facts of a minor as JSON, with flags if it is given a program to ask.
func printFacts(w io.Writer, minor, binary string) error {
	src, err := openSources(minor)
	if err != nil {
		return err
	}
	found := facts{Minor: minor, Kubernetes: src.versions.Kubernetes}
	if found.Plugins, err = src.plugins(); err != nil {
		return fmt.Errorf("plugin registry: %w", err)
	}
	if found.Gates, err = src.gates(); err != nil {
		return fmt.Errorf("feature gates: %w", err)
	}
	if binary != "" {
		if found.Flags, err = flagsOf(binary); err != nil {
			return fmt.Errorf("flags: %w", err)
		}
	}
	text, err := encode(found)
	if err != nil {
		return fmt.Errorf("encoding: %w", err)
	}
	_, err = w.Write(text)
	return err
}

// plugins returns the names under which the release registers its built-in plugins.
func (s *sources) plugins() ([]string, error) {
	files, err := s.load(pluginsPath)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, entry := range files.entries(isRegistry) {
		name, err := s.text(pluginsPath, entry.imports, entry.key)
		if err != nil {
			return nil, err
		}
		names[name] = true
	}
	return append([]string{}, slices.Sorted(maps.Keys(names))...), nil
}

// isRegistry recognises runtime.Registry, which is a map from names to plugin factories.
func isRegistry(expr ast.Expr) bool {
	selector, ok := expr.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == "Registry"
}

// gates returns the feature gates that the release declares, as they are in this minor.
func (s *sources) gates() ([]gate, error) {
	files, err := s.load(featuresPath)
	if err != nil {
		return nil, err
	}
	found := map[string]gate{}
	for _, entry := range files.entries(isGateTable) {
		name, err := s.text(featuresPath, entry.imports, entry.key)
		if err != nil {
			return nil, err
		}
		spec, err := specOf(entry.value, s.minor)
		if err != nil {
			return nil, fmt.Errorf("gate %s: %w", name, err)
		}
		if spec == nil {
			continue
		}
		if found[name], err = gateOf(name, spec); err != nil {
			return nil, fmt.Errorf("gate %s: %w", name, err)
		}
	}
	names := slices.Sorted(maps.Keys(found))
	gates := make([]gate, len(names))
	for i, name := range names {
		gates[i] = found[name]
	}
	return gates, nil
}

// isGateTable recognises a map from features to their specifications.
func isGateTable(expr ast.Expr) bool {
	table, ok := expr.(*ast.MapType)
	if !ok {
		return false
	}
	selector, ok := table.Value.(*ast.SelectorExpr)
	return ok && (selector.Sel.Name == "FeatureSpec" || selector.Sel.Name == "VersionedSpecs")
}

// specOf returns the specification of a gate that holds in a minor: the only one, or of a list by
// version the newest that is not newer than the minor. It is nil where there is none yet.
func specOf(expr ast.Expr, minor string) (*ast.CompositeLit, error) {
	literal, ok := expr.(*ast.CompositeLit)
	if !ok {
		return nil, fmt.Errorf("unsupported expression %T", expr)
	}
	if len(literal.Elts) == 0 || member(literal, "Default") != nil || member(literal, "PreRelease") != nil {
		return literal, nil
	}
	var newest *ast.CompositeLit
	var newestVersion string
	for _, element := range literal.Elts {
		spec, ok := element.(*ast.CompositeLit)
		if !ok {
			return nil, fmt.Errorf("unsupported expression %T", element)
		}
		version, err := versionOf(member(spec, "Version"))
		if err != nil {
			return nil, err
		}
		if compareVersions(version, minor) <= 0 && (newest == nil || compareVersions(version, newestVersion) >= 0) {
			newest, newestVersion = spec, version
		}
	}
	return newest, nil
}

// versionOf returns the text in a call such as version.MustParse("1.33").
func versionOf(expr ast.Expr) (string, error) {
	call, ok := expr.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return "", fmt.Errorf("version is not a call with one argument but %T", expr)
	}
	literal, ok := call.Args[0].(*ast.BasicLit)
	if !ok {
		return "", fmt.Errorf("version is not a literal but %T", call.Args[0])
	}
	return strconv.Unquote(literal.Value)
}

// gateOf reads a specification. One that names no stage is GA, which is the empty stage in Go.
func gateOf(name string, spec *ast.CompositeLit) (gate, error) {
	found := gate{Name: name, Stage: "GA"}
	var err error
	if found.Default, err = boolOf(member(spec, "Default")); err != nil {
		return gate{}, fmt.Errorf("default: %w", err)
	}
	if found.Locked, err = boolOf(member(spec, "LockToDefault")); err != nil {
		return gate{}, fmt.Errorf("lock: %w", err)
	}
	switch stage := member(spec, "PreRelease").(type) {
	case nil:
	case *ast.SelectorExpr:
		found.Stage = stage.Sel.Name
	default:
		return gate{}, fmt.Errorf("stage: unsupported expression %T", stage)
	}
	return found, nil
}

// boolOf returns the value of true, false or nothing.
func boolOf(expr ast.Expr) (bool, error) {
	if expr == nil {
		return false, nil
	}
	ident, ok := expr.(*ast.Ident)
	if !ok || ident.Name != "true" && ident.Name != "false" {
		return false, fmt.Errorf("unsupported expression %T", expr)
	}
	return ident.Name == "true", nil
}

// member returns the value of a field in a struct literal, or nil.
func member(literal *ast.CompositeLit, name string) ast.Expr {
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if key, ok := pair.Key.(*ast.Ident); ok && key.Name == name {
			return pair.Value
		}
	}
	return nil
}
