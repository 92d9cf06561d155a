// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

const (
	pluginsPath  = "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	featuresPath = "k8s.io/kubernetes/pkg/features"
	// genericFeaturesPath is linked with every server.
	genericFeaturesPath = "k8s.io/apiserver/pkg/features"
	schedulerPath       = "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// facts are what the sources of a minor say apart from field sets.
type facts struct {
	Minor      string     `json:"minor"`
	Kubernetes string     `json:"kubernetes"`
	Plugins    []string   `json:"plugins"` // names in the registry of built-in plugins, sorted
	Gates      []gate     `json:"gates"`   // gates that kube-scheduler knows, sorted
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

// gates returns the feature gates that kube-scheduler knows, as they are in this minor.
func (s *sources) gates() ([]gate, error) {
	paths, err := s.gatePackages()
	if err != nil {
		return nil, err
	}
	found := map[string]gate{}
	for _, importPath := range paths {
		if err := s.addGates(importPath, found); err != nil {
			return nil, err
		}
	}
	names := slices.Sorted(maps.Keys(found))
	gates := make([]gate, len(names))
	for i, name := range names {
		gates[i] = found[name]
	}
	return gates, nil
}

// gatePackages returns the packages that declare the gates of kube-scheduler: that of Kubernetes, that
// of apiserver, which adds its own when it is linked, and those of which one of the two, or the
// program, calls a function such as AddFeatureGates.
func (s *sources) gatePackages() ([]string, error) {
	paths := []string{featuresPath, genericFeaturesPath}
	for _, importPath := range []string{featuresPath, schedulerPath} {
		files, err := s.load(importPath)
		if err != nil {
			return nil, err
		}
		for _, file := range files.files {
			imports := importNames(file)
			ast.Inspect(file, func(node ast.Node) bool {
				selector, ok := node.(*ast.SelectorExpr)
				if !ok || !addsGates.MatchString(selector.Sel.Name) {
					return true
				}
				if alias, ok := selector.X.(*ast.Ident); ok && imports[alias.Name] != "" && !slices.Contains(paths, imports[alias.Name]) {
					paths = append(paths, imports[alias.Name])
				}
				return true
			})
		}
	}
	return paths, nil
}

var addsGates = regexp.MustCompile(`^Add\w*FeatureGates$`)

// addGates adds the gates that a package declares. Of a gate that several packages list, Kubernetes
// makes sure that they agree.
func (s *sources) addGates(importPath string, found map[string]gate) error {
	files, err := s.load(importPath)
	if err != nil {
		return err
	}
	for _, entry := range files.entries(isGateTable) {
		name, err := s.text(importPath, entry.imports, entry.key)
		if err != nil {
			return err
		}
		spec, err := specOf(entry.value, s.minor)
		if err != nil {
			return fmt.Errorf("gate %s: %w", name, err)
		}
		if spec == nil {
			continue
		}
		if found[name], err = gateOf(name, spec, files); err != nil {
			return fmt.Errorf("gate %s: %w", name, err)
		}
	}
	return nil
}

// isGateTable recognises a map from features to their specifications.
func isGateTable(expr ast.Expr) bool {
	table, ok := expr.(*ast.MapType)
	if !ok {
		return false
	}
	var name string
	switch value := table.Value.(type) {
	case *ast.SelectorExpr:
		name = value.Sel.Name
	case *ast.Ident: // in client-go, which has types of its own
		name = value.Name
	}
	return name == "FeatureSpec" || name == "VersionedSpecs"
}

// specOf returns the specification of a gate that holds in a minor: the only one, or of a list by
// version the newest that is not newer than the minor. It is nil where there is none yet. A program
// minds to be compatible with the minor before it, so one that asks for more does not hold.
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
		compatible := true
		if expr := member(spec, "MinCompatibilityVersion"); expr != nil {
			wanted, err := versionOf(expr)
			if err != nil {
				return nil, err
			}
			compatible = compareVersions(wanted, minor) < 0
		}
		if compatible && compareVersions(version, minor) <= 0 && (newest == nil || compareVersions(version, newestVersion) >= 0) {
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
func gateOf(name string, spec *ast.CompositeLit, files *goFiles) (gate, error) {
	found := gate{Name: name, Stage: "GA"}
	var err error
	if found.Default, err = boolOf(member(spec, "Default"), files); err != nil {
		return gate{}, fmt.Errorf("default: %w", err)
	}
	if found.Locked, err = boolOf(member(spec, "LockToDefault"), files); err != nil {
		return gate{}, fmt.Errorf("lock: %w", err)
	}
	switch stage := member(spec, "PreRelease").(type) {
	case nil:
	case *ast.SelectorExpr:
		found.Stage = stage.Sel.Name
	case *ast.Ident:
		found.Stage = stage.Name
	default:
		return gate{}, fmt.Errorf("stage: unsupported expression %T", stage)
	}
	return found, nil
}

// boolOf returns the value of true, false or nothing, or of a constant of the package.
func boolOf(expr ast.Expr, files *goFiles) (bool, error) {
	if expr == nil {
		return false, nil
	}
	ident, ok := expr.(*ast.Ident)
	if ok {
		if constant, known := files.values[ident.Name]; known {
			return boolOf(constant.expr, files)
		}
	}
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
