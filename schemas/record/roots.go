// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
)

const (
	group      = "kubescheduler.config.k8s.io"
	schemePath = "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	servedPath = "k8s.io/kubernetes/pkg/scheduler/apis/config/"
	configPath = "k8s.io/kube-scheduler/config/"
	oldestPath = "k8s.io/kubernetes/pkg/scheduler/api/v1" // the Policy of 1.16
	argsSuffix = "Args"
)

// root is a kind that a configuration file can be.
type root struct {
	version     string // v1beta3
	kind        string // KubeSchedulerConfiguration or Policy
	path        string // import path of the package with the type
	apiVersions []string
	args        []string // args kinds of the same group and version, sorted
	lenient     bool     // unknown keys pass
}

// file is the name of the root's schema file.
func (r root) file() string {
	return r.version + "." + r.kind + ".schema.json"
}

// roots returns the kinds that the minor serves, in the order in which its scheme adds them.
func (s *sources) roots() ([]root, error) {
	paths, err := s.servedPackages()
	if err != nil {
		return nil, err
	}
	var roots []root
	for _, importPath := range paths {
		kinds, err := s.kinds(importPath)
		if err != nil {
			return nil, err
		}
		roots = append(roots, s.rootsOf(importPath, kinds)...)
	}
	return roots, nil
}

// servedPackages returns the packages of wire types that the scheduler's scheme adds.
func (s *sources) servedPackages() ([]string, error) {
	files, err := s.load(schemePath)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, file := range files.files {
		for _, importPath := range importNames(file) {
			if version, ok := strings.CutPrefix(importPath, servedPath); ok {
				paths = append(paths, configPath+version)
			}
		}
	}
	slices.Sort(paths)
	oldest, err := s.load(oldestPath)
	if err != nil {
		return nil, err
	}
	if len(oldest.files) > 0 {
		paths = append(paths, oldestPath)
	}
	return paths, nil
}

// rootsOf splits the kinds of one package into roots and their args.
func (s *sources) rootsOf(importPath string, kinds map[string][]string) []root {
	var roots []root
	var args []string
	for kind, apiVersions := range kinds {
		if strings.HasSuffix(kind, argsSuffix) {
			args = append(args, kind)
			continue
		}
		version := path.Base(importPath)
		roots = append(roots, root{
			version: version, kind: kind, path: importPath, apiVersions: apiVersions,
			lenient: slices.Contains(s.versions.Lenient, version+"."+kind),
		})
	}
	slices.Sort(args)
	for i := range roots {
		roots[i].args = args
	}
	return roots
}

// kinds returns what a package registers: each kind with the apiVersions it is registered for.
func (s *sources) kinds(importPath string) (map[string][]string, error) {
	files, err := s.load(importPath)
	if err != nil {
		return nil, err
	}
	kinds := map[string][]string{}
	for _, call := range files.calls("AddKnownTypes") {
		apiVersion := path.Join(group, path.Base(importPath))
		if legacyGroup(files, call.Args[0]) {
			apiVersion = path.Base(importPath)
		}
		for _, argument := range call.Args[1:] {
			if kind := pointerTo(argument); kind != "" {
				kinds[kind] = append(kinds[kind], apiVersion)
			}
		}
	}
	if len(kinds) == 0 {
		return nil, fmt.Errorf("package %s registers nothing", importPath)
	}
	for _, apiVersions := range kinds {
		slices.SortFunc(apiVersions, func(a, b string) int { return len(a) - len(b) })
	}
	return kinds, nil
}

// legacyGroup reports whether a group version expression has the empty group, either as a literal or
// as the package's SchemeGroupVersion.
func legacyGroup(files *goFiles, expr ast.Expr) bool {
	if ident, ok := expr.(*ast.Ident); ok {
		expr = files.values[ident.Name].expr
	}
	literal, ok := expr.(*ast.CompositeLit)
	if !ok {
		return false
	}
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if key, ok := pair.Key.(*ast.Ident); ok && key.Name == "Group" {
			literal, ok := pair.Value.(*ast.BasicLit)
			return ok && literal.Value == `""`
		}
	}
	return false
}

// pointerTo returns T for the expression &T{}.
func pointerTo(expr ast.Expr) string {
	unary, ok := expr.(*ast.UnaryExpr)
	if !ok || unary.Op != token.AND {
		return ""
	}
	literal, ok := unary.X.(*ast.CompositeLit)
	if !ok {
		return ""
	}
	if ident, ok := literal.Type.(*ast.Ident); ok {
		return ident.Name
	}
	return ""
}
