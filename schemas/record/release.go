// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const releaseFile = "release.json"

// sourceOfFacts are the files that facts rest on which this program copies and does not read. Where
// one of them changed, somebody has to look what that means.
var sourceOfFacts = []struct{ file, facts string }{
	{"k8s.io/kubernetes/pkg/scheduler/apis/config/v1/default_plugins.go", "gatedPlugins, mergedPoints, behaviour.mergePlugins"},
	{"k8s.io/kubernetes/pkg/scheduler/apis/config/v1/defaults.go", "defaults, argsDefaults, argsPoints"},
	{"k8s.io/kubernetes/pkg/scheduler/apis/config/validation/validation.go", "checks at validate, invalidPlugins, invalidPluginPoints"},
	{"k8s.io/kubernetes/pkg/scheduler/apis/config/validation/validation_pluginargs.go", "checks of args"},
	{"k8s.io/kubernetes/pkg/scheduler/framework/runtime/framework.go", "points, checks at construct, behaviour.weights, multiPoint, absentArgs"},
	{"k8s.io/kubernetes/pkg/scheduler/profile/profile.go", "checks at construct"},
	{"k8s.io/kubernetes/pkg/scheduler/scheduler.go", "behaviour.ignoredByScheduler, checks at construct"},
	{"k8s.io/kubernetes/pkg/scheduler/extender.go", "extenderTimeout, checks of extenders"},
	{"k8s.io/kubernetes/cmd/kube-scheduler/app/options/configfile.go", "deprecatedSince, behaviour.typeMeta, unknownKeys, writeConfig"},
	{"k8s.io/client-go/tools/leaderelection/resourcelock/interface.go", "resourceLocks"},
	{"k8s.io/component-base/config/validation/validation.go", "checks of clientConnection and leaderElection"},
}

// writeRelease writes release.json of a minor: what the sources say, and the rest as it was, in the
// file that is there already or else in that of the minor before. What needs a look goes to notes.
func writeRelease(minor, out string, notes io.Writer) error {
	src, err := openSources(minor)
	if err != nil {
		return err
	}
	base, release, err := baseRelease(minor, out)
	if err != nil {
		return err
	}
	if err := src.refresh(release, notes); err != nil {
		return err
	}
	if base != minor {
		if err := src.compareWith(base, notes); err != nil {
			return fmt.Errorf("comparison with %s: %w", base, err)
		}
	}
	if err := os.MkdirAll(filepath.Join(out, minor), 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, minor, releaseFile), formatOrdered(release), 0o644)
}

// refresh brings the facts up to date with the sources.
func (s *sources) refresh(release *object, notes io.Writer) error {
	release.set("minor", s.minor)
	release.set("observed", s.versions.Kubernetes)
	if err := s.refreshAPIs(release, notes); err != nil {
		return err
	}
	if err := s.refreshPlugins(release, notes); err != nil {
		return fmt.Errorf("plugins: %w", err)
	}
	gates, err := s.gates()
	if err != nil {
		return fmt.Errorf("feature gates: %w", err)
	}
	release.set("gates", gateObjects(gates))
	return nil
}

// baseRelease reads the facts of the newest minor that has some and is not newer than the minor.
func baseRelease(minor, out string) (base string, release *object, err error) {
	folders, err := os.ReadDir(out)
	if err != nil {
		return "", nil, err
	}
	for _, folder := range folders {
		name := folder.Name()
		_, statErr := os.Stat(filepath.Join(out, name, releaseFile))
		if statErr == nil && compareVersions(name, minor) <= 0 && (base == "" || compareVersions(name, base) > 0) {
			base = name
		}
	}
	if base == "" {
		return "", nil, fmt.Errorf("no minor up to %s has a %s", minor, releaseFile)
	}
	text, err := os.ReadFile(filepath.Join(out, base, releaseFile))
	if err != nil {
		return "", nil, err
	}
	value, err := parseOrdered(text)
	if err != nil {
		return "", nil, fmt.Errorf("%s of %s: %w", releaseFile, base, err)
	}
	release, ok := value.(*object)
	if !ok {
		return "", nil, fmt.Errorf("%s of %s is no object", releaseFile, base)
	}
	return base, release, nil
}

// refreshAPIs keeps the facts of the apiVersions that the minor serves, and updates what the sources
// say of them: args kinds and default plugins.
func (s *sources) refreshAPIs(release *object, notes io.Writer) error {
	roots, err := s.roots()
	if err != nil {
		return fmt.Errorf("served kinds: %w", err)
	}
	served := map[string]root{}
	for _, root := range roots {
		if root.kind != "Policy" {
			served[group+"/"+root.version] = root
		}
	}
	var apis []any
	old, _ := release.get("apis").([]any)
	for _, item := range old {
		api, ok := item.(*object)
		if !ok {
			return errors.New("apis: an item is no object")
		}
		apiVersion, _ := api.get("apiVersion").(string)
		root, ok := served[apiVersion]
		if !ok {
			fmt.Fprintf(notes, "%s is no longer served: taken out\n", apiVersion)
			continue
		}
		delete(served, apiVersion)
		if err := s.refreshAPI(api, root, notes); err != nil {
			return fmt.Errorf("%s: %w", apiVersion, err)
		}
		if err := s.compareGates(api, root, notes); err != nil {
			return fmt.Errorf("%s: %w", apiVersion, err)
		}
		apis = append(apis, api)
	}
	for apiVersion := range served {
		fmt.Fprintf(notes, "%s is new: add it to apis\n", apiVersion)
	}
	release.set("apis", apis)
	return s.refreshPoints(release, roots, notes)
}

// refreshPoints adds the points that the minor has a field for and that were not known.
func (s *sources) refreshPoints(release *object, roots []root, notes io.Writer) error {
	points := textsOf(release.get("points"))
	order, err := s.pluginFields(roots)
	if err != nil {
		return err
	}
	for _, point := range order {
		// v1alpha1 calls preScore postFilter.
		if point != "multiPoint" && !slices.Contains(points, point) && !slices.Contains(points, "unreserve") {
			fmt.Fprintf(notes, "point %s is new: put it in its place in points, mergedPoints, argsPoints and invalidPluginPoints\n", point)
			points = append(points, point)
		}
	}
	release.set("points", stringList(points))
	return nil
}

// pluginFields returns the JSON names of the fields of Plugins, in the order of the newest apiVersion.
func (s *sources) pluginFields(roots []root) ([]string, error) {
	for _, root := range roots {
		if root.kind == "Policy" {
			continue
		}
		declared, err := s.lookup(root.path, "Plugins")
		if err != nil {
			return nil, err
		}
		fields, ok := declared.expr.(*ast.StructType)
		if !ok {
			return nil, fmt.Errorf("type %s.Plugins is not a struct", root.path)
		}
		var names []string
		for _, field := range fields.Fields.List {
			names = append(names, jsonName(field))
		}
		return names, nil
	}
	return nil, errors.New("no configuration is served")
}

func (s *sources) refreshAPI(api *object, root root, notes io.Writer) error {
	if len(root.args) > 0 {
		api.set("args", stringList(root.args))
	}
	plugins, err := s.defaultPlugins(root.version)
	if err != nil {
		return fmt.Errorf("default plugins: %w", err)
	}
	if plugins == nil {
		fmt.Fprintf(notes, "%s: no default plugins were found in the sources: they stay as they were\n", root.version)
		return nil
	}
	old, _ := api.get("defaultPlugins").(*object)
	if old == nil {
		old = &object{}
	}
	for _, point := range slices.Clone(old.names) {
		if plugins.get(point) == nil {
			old.drop(point)
		}
	}
	for _, point := range plugins.names {
		old.set(point, plugins.get(point))
	}
	api.set("defaultPlugins", old)
	return nil
}

// compareGates notes the feature gates that defaulting asks for and that no fact depends on, and those
// that facts depend on and that it does not ask for.
func (s *sources) compareGates(api *object, root root, notes io.Writer) error {
	files, err := s.load(servedPath + root.version)
	if err != nil {
		return err
	}
	asked := map[string]bool{}
	for _, call := range files.calls("Enabled") {
		if len(call.Args) != 1 {
			continue
		}
		if gate, ok := call.Args[0].(*ast.SelectorExpr); ok {
			asked[gate.Sel.Name] = true
		}
	}
	used := map[string]bool{}
	for _, name := range []string{"gatedPlugins", "defaults", "argsDefaults"} {
		gatesIn(api.get(name), used)
	}
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		if !used[name] {
			fmt.Fprintf(notes, "%s: defaults depend on the feature gate %s: say so in gatedPlugins, defaults or argsDefaults\n", root.version, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if !asked[name] && len(asked) > 0 {
			fmt.Fprintf(notes, "%s: no default depends on the feature gate %s any more\n", root.version, name)
		}
	}
	return nil
}

// gatesIn collects the feature gates of rows: the text of a member gate, or the names in a member gates.
func gatesIn(value any, found map[string]bool) {
	switch value := value.(type) {
	case *object:
		if gate, ok := value.get("gate").(string); ok {
			found[gate] = true
		}
		if gates, ok := value.get("gates").(*object); ok {
			for _, name := range gates.names {
				found[name] = true
			}
		}
		for _, name := range value.names {
			gatesIn(value.get(name), found)
		}
	case []any:
		for _, item := range value {
			gatesIn(item, found)
		}
	}
}

// defaultPlugins reads the literal in getDefaultPlugins; nil where the release has none.
func (s *sources) defaultPlugins(version string) (*object, error) {
	importPath := servedPath + version
	files, err := s.load(importPath)
	if err != nil {
		return nil, err
	}
	for _, file := range files.files {
		for _, decl := range file.Decls {
			function, ok := decl.(*ast.FuncDecl)
			if !ok || function.Name.Name != "getDefaultPlugins" {
				continue
			}
			if literal := firstLiteral(function.Body); literal != nil {
				return s.pluginSets(importPath, importNames(file), literal)
			}
		}
	}
	return nil, nil
}

func firstLiteral(root ast.Node) *ast.CompositeLit {
	var first *ast.CompositeLit
	ast.Inspect(root, func(node ast.Node) bool {
		if literal, ok := node.(*ast.CompositeLit); ok && first == nil {
			first = literal
		}
		return first == nil
	})
	return first
}

// pluginSets reads a literal of Plugins: one set of enabled plugins by point.
func (s *sources) pluginSets(importPath string, imports map[string]string, literal *ast.CompositeLit) (*object, error) {
	sets := &object{}
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			return nil, fmt.Errorf("unsupported expression %T", element)
		}
		set := firstLiteral(pair.Value)
		if set == nil {
			return nil, fmt.Errorf("unsupported expression %T", pair.Value)
		}
		enabled, ok := member(set, "Enabled").(*ast.CompositeLit)
		if !ok {
			continue
		}
		var list []any
		for _, item := range enabled.Elts {
			plugin, err := s.defaultPlugin(importPath, imports, item)
			if err != nil {
				return nil, err
			}
			list = append(list, plugin)
		}
		sets.set(lowerFirst(pair.Key.(*ast.Ident).Name), list)
	}
	return sets, nil
}

func (s *sources) defaultPlugin(importPath string, imports map[string]string, expr ast.Expr) (*object, error) {
	literal, ok := expr.(*ast.CompositeLit)
	if !ok {
		return nil, fmt.Errorf("unsupported expression %T", expr)
	}
	name, err := s.text(importPath, imports, member(literal, "Name"))
	if err != nil {
		return nil, err
	}
	plugin := objectOf("name", name)
	// The weight is behind a pointer that a function makes.
	if call, ok := member(literal, "Weight").(*ast.CallExpr); ok && len(call.Args) == 1 {
		number, ok := call.Args[0].(*ast.BasicLit)
		if !ok {
			return nil, fmt.Errorf("weight of %s: unsupported expression %T", name, call.Args[0])
		}
		plugin.set("weight", json.Number(number.Value))
	}
	return plugin, nil
}

// refreshPlugins lists the plugins of the registry with the points that their types are for. A type can
// hide that from a reader, so points that a plugin had before stay, with a note.
func (s *sources) refreshPlugins(release *object, notes io.Writer) error {
	names, err := s.plugins()
	if err != nil {
		return err
	}
	implemented, err := s.implementedPoints()
	if err != nil {
		return err
	}
	roots, err := s.roots()
	if err != nil {
		return err
	}
	order, err := s.pluginFields(roots)
	if err != nil {
		return err
	}
	points := textsOf(release.get("points"))
	known := map[string][]string{}
	old, _ := release.get("plugins").([]any)
	for _, item := range old {
		if plugin, ok := item.(*object); ok {
			name, _ := plugin.get("name").(string)
			known[name] = textsOf(plugin.get("points"))
		}
	}
	list := []any{}
	for _, name := range names {
		had := known[name]
		has := slices.Clone(had)
		for _, point := range order {
			if slices.Contains(implemented[name], point) && slices.Contains(points, point) && !slices.Contains(has, point) {
				fmt.Fprintf(notes, "plugin %s implements %s now\n", name, point)
				has = append(has, point)
				slices.SortFunc(has, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
			}
		}
		for _, point := range had {
			if !slices.Contains(implemented[name], point) {
				fmt.Fprintf(notes, "plugin %s: nothing in the sources says that it implements %s\n", name, point)
			}
		}
		list = append(list, objectOf("name", name, "points", stringList(has)))
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if !slices.Contains(names, name) {
			fmt.Fprintf(notes, "plugin %s is gone\n", name)
		}
	}
	release.set("plugins", list)
	return nil
}

// implementedPoints reads which points the types of the registered plugins are for: by lines such as
// "var _ fwk.FilterPlugin = &Fit{}", and by methods that are called as a point is. The method Name of
// a type says which plugin it is.
func (s *sources) implementedPoints() (map[string][]string, error) {
	registry, err := s.load(pluginsPath)
	if err != nil {
		return nil, err
	}
	points := map[string][]string{}
	done := map[string]bool{}
	for _, entry := range registry.entries(isRegistry) {
		selector, ok := entry.key.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		alias, ok := selector.X.(*ast.Ident)
		if !ok || done[entry.imports[alias.Name]] {
			continue
		}
		importPath := entry.imports[alias.Name]
		done[importPath] = true
		files, err := s.load(importPath)
		if err != nil {
			return nil, err
		}
		for typeName, found := range files.implementations() {
			if name := s.pluginName(importPath, files, typeName); name != "" {
				points[name] = append(points[name], found...)
			}
		}
	}
	return points, nil
}

// implementations returns by type the points of the plugin interfaces that it is said to implement,
// and the names of its methods.
func (g *goFiles) implementations() map[string][]string {
	points := map[string][]string{}
	for _, file := range g.files {
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.ValueSpec:
				wanted, ok := node.Type.(*ast.SelectorExpr)
				if !ok || len(node.Names) != 1 || node.Names[0].Name != "_" || len(node.Values) != 1 {
					return true
				}
				point, ok := strings.CutSuffix(wanted.Sel.Name, "Plugin")
				if typeName := pointerTo(node.Values[0]); ok && typeName != "" {
					points[typeName] = append(points[typeName], lowerFirst(point))
				}
			case *ast.FuncDecl:
				if typeName := receiver(node); typeName != "" {
					points[typeName] = append(points[typeName], lowerFirst(node.Name.Name))
				}
				return false
			}
			return true
		})
	}
	return points
}

// pluginName returns what the method Name of a type returns; nothing where that is computed.
func (s *sources) pluginName(importPath string, files *goFiles, typeName string) string {
	for _, file := range files.files {
		for _, decl := range file.Decls {
			method, ok := decl.(*ast.FuncDecl)
			if !ok || method.Name.Name != "Name" || receiver(method) != typeName || len(method.Body.List) != 1 {
				continue
			}
			if answer, ok := method.Body.List[0].(*ast.ReturnStmt); ok && len(answer.Results) == 1 {
				name, err := s.text(importPath, importNames(file), answer.Results[0])
				if err == nil {
					return name
				}
			}
		}
	}
	return ""
}

// compareWith notes the files that copied facts rest on and that are not those of the base.
func (s *sources) compareWith(base string, notes io.Writer) error {
	old, err := openSources(base)
	if err != nil {
		return err
	}
	for _, source := range sourceOfFacts {
		before, err := old.readFile(source.file)
		if err != nil {
			return err
		}
		after, err := s.readFile(source.file)
		if err != nil {
			return err
		}
		if !bytes.Equal(before, after) {
			fmt.Fprintf(notes, "%s is not as in %s: review %s\n", source.file, base, source.facts)
		}
	}
	return nil
}

// readFile reads a file by the import path of its package and its name; nil where there is none.
func (s *sources) readFile(file string) ([]byte, error) {
	folder, err := s.folder(path.Dir(file))
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(folder, path.Base(file)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

func gateObjects(gates []gate) []any {
	list := make([]any, len(gates))
	for i, g := range gates {
		o := objectOf("name", g.Name, "default", g.Default, "stage", strings.ToLower(g.Stage))
		if g.Locked {
			o.set("locked", true)
		}
		list[i] = o
	}
	return list
}

func stringList(texts []string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}

func textsOf(value any) []string {
	list, _ := value.([]any)
	var texts []string
	for _, item := range list {
		if text, ok := item.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

func lowerFirst(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToLower(first)) + text[size:]
}
