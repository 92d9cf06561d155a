// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schedconf_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"
)

const module = "github.com/schedconf/schedconf"

// mayImport says who may import whom. A package has the row of its own name, or that of its folder
// with a star. What is not there is forbidden, and so is a package without a row. The standard
// library is open to all, and so is to a test what it needs.
var mayImport = map[string]struct{ ours, theirs []string }{
	"diag":    {},
	"schemas": {},
	// A program of its own, which reads sources; nothing of it is linked into the tool.
	"schemas/record":     {theirs: []string{"go.yaml.in/yaml/v3"}},
	"scheme/source":      {ours: []string{"diag"}, theirs: []string{"go.yaml.in/yaml/v3"}},
	"scheme/source/find": {ours: []string{"diag", "scheme/source"}, theirs: []string{"go.yaml.in/yaml/v3"}},
	// Wire types never import the hub; v1alpha2 has the extenders of the Policy.
	"scheme/config":   {theirs: apiTypes},
	"scheme/v1alpha1": {theirs: apiTypes},
	"scheme/v1alpha2": {ours: []string{"scheme/policyv1"}, theirs: apiTypes},
	"scheme/v1beta1":  {theirs: apiTypes},
	"scheme/v1beta2":  {theirs: apiTypes},
	"scheme/v1beta3":  {theirs: apiTypes},
	"scheme/policyv1": {theirs: apiTypes},
	"conversion":      {ours: []string{"diag", "schemas", "scheme/config", wire}, theirs: apiTypes},
	"conversion/*":    {ours: []string{"diag", "schemas", "scheme/config", "conversion", "conversion/*", wire}, theirs: apiTypes},
	// Defaulting merges plugins in the form of the hub.
	"defaults": {ours: []string{"schemas", "conversion", "scheme/config", wire}, theirs: apiTypes},
	"scheme": {
		ours:   []string{"diag", "schemas", "conversion", "conversion/*", "defaults", "scheme/source", "scheme/config", wire},
		theirs: append(apiTypes, "sigs.k8s.io/json", "sigs.k8s.io/yaml"),
	},
	"validation": {
		// A Policy has no form in the hub: there is one version of it.
		ours:   []string{"diag", "schemas", "conversion", "scheme", "scheme/source", "scheme/source/find", "scheme/config", "scheme/policyv1"},
		theirs: append(apiTypes, "k8s.io/component-helpers", "github.com/santhosh-tekuri/jsonschema/v5"),
	},
	// Editors. It asks the command through an interface.
	"lsp": {
		ours:   []string{"diag", "schemas", "scheme", "scheme/source", "scheme/source/find", "scheme/config", "validation", "project", "explain"},
		theirs: append(apiTypes, "github.com/creachadair/jrpc2", "github.com/tliron/glsp/protocol_3_16"),
	},
	// What is known of rules, plugins and fields, in words.
	"explain": {ours: []string{"diag", "schemas", "scheme", "scheme/source", "scheme/config", "validation"}},
	"project": {
		ours:   []string{"diag", "scheme", "scheme/source", "validation"},
		theirs: []string{"github.com/bmatcuk/doublestar/v4"},
	},
	// The protocol with an engine, and what is made of its answers. An engine is a module of its own.
	"dryrun": {theirs: []string{"sigs.k8s.io/yaml"}},
	// Tests alone, of programs and not of packages.
	"integration": {},
	"cmd/schedconf": {
		ours:   []string{"*"},
		theirs: append(apiTypes, "github.com/urfave/cli/v2", "github.com/sergi/go-diff", "github.com/go-git/go-git/v5/plumbing/format/gitignore", "sigs.k8s.io/yaml", "go.yaml.in/yaml/v3"),
	},
}

// wire stands for the packages of wire types.
const wire = "scheme/v*"

// apiTypes are the modules that API types and their machinery come from.
var apiTypes = []string{"k8s.io/api", "k8s.io/apimachinery", "k8s.io/component-base/config", "k8s.io/kube-scheduler/config/v1", "k8s.io/utils"}

var load = sync.OnceValues(func() ([]*packages.Package, error) {
	return packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo,
	}, "./...")
})

// loaded are the packages of this module with their types, tests aside.
func loaded(t *testing.T) []*packages.Package {
	t.Helper()
	all, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(all) > 0 {
		t.Fatal("packages have errors")
	}
	var list []*packages.Package
	for _, p := range all {
		if p.PkgPath != module {
			list = append(list, p)
		}
	}
	if len(list) < len(mayImport) {
		t.Fatalf("%d packages were loaded, %d have a row", len(list), len(mayImport))
	}
	return list
}

func TestImports(t *testing.T) {
	for _, p := range loaded(t) {
		name := strings.TrimPrefix(p.PkgPath, module+"/")
		row, ok := mayImport[name]
		if !ok {
			row, ok = mayImport[filepath.Dir(name)+"/*"]
		}
		if !ok {
			t.Errorf("%s: say in mayImport what it may import", name)
			continue
		}
		for _, imported := range slices.Sorted(maps.Keys(p.Imports)) {
			if ours, ok := strings.CutPrefix(imported, module+"/"); ok {
				if !matches(ours, row.ours) || strings.HasPrefix(ours, "cmd/") {
					t.Errorf("%s must not import %s", name, ours)
				}
				continue
			}
			if !isStandard(imported) && !within(imported, row.theirs) {
				t.Errorf("%s must not import %s", name, imported)
			}
		}
	}
}

func matches(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, _ := filepath.Match(pattern, name)
		return ok || pattern == "*" || pattern == wire && name == "scheme/policyv1"
	})
}

func within(path string, modules []string) bool {
	return slices.ContainsFunc(modules, func(m string) bool { return path == m || strings.HasPrefix(path, m+"/") })
}

func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// TestDependencies looks at all that is linked, tests included: k8s.io/kubernetes is for the engine
// alone, which is a module of its own, and what diag and schemas need comes with Go.
func TestDependencies(t *testing.T) {
	for _, path := range dependencies(t, "-test", "./...") {
		if within(path, []string{"k8s.io/kubernetes"}) {
			t.Errorf("%s is linked", path)
		}
	}
	for _, path := range dependencies(t, "./diag", "./schemas") {
		if !isStandard(path) && !within(path, []string{module}) {
			t.Errorf("diag or schemas need %s", path)
		}
	}
}

func dependencies(t *testing.T, args ...string) []string {
	t.Helper()
	list, err := exec.Command("go", append([]string{"list", "-deps", "-f", "{{.ImportPath}}"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	paths := strings.Fields(string(list))
	if len(paths) == 0 {
		t.Fatal("go list lists nothing")
	}
	return paths
}

// minorText is a minor as a string in code, which somebody wants to compare with.
var minorText = regexp.MustCompile(`^"v?1\.\d\d(\.\d+)?"$`)

// TestMinors holds that what differs between minors is a fact of a release: outside of package
// schemas nobody asks which minor it is.
func TestMinors(t *testing.T) {
	for _, p := range loaded(t) {
		name := strings.TrimPrefix(p.PkgPath, module+"/")
		if name == "schemas" || name == "schemas/record" {
			continue
		}
		for _, file := range p.Syntax {
			walk(file, func(node ast.Node, parents []ast.Node) {
				if problem := minorProblem(p.TypesInfo, node, parents, strings.HasPrefix(name, "cmd/")); problem != "" {
					t.Errorf("%s: %s", p.Fset.Position(node.Pos()), problem)
				}
			})
		}
	}
}

// walk calls visit for every node with its parents, the nearest last.
func walk(root ast.Node, visit func(node ast.Node, parents []ast.Node)) {
	var parents []ast.Node
	ast.Inspect(root, func(node ast.Node) bool {
		if node == nil {
			parents = parents[:len(parents)-1]
			return true
		}
		visit(node, parents)
		parents = append(parents, node)
		return true
	})
}

func minorProblem(info *types.Info, node ast.Node, parents []ast.Node, isCommand bool) string {
	switch node := node.(type) {
	case *ast.BasicLit:
		if node.Kind == token.STRING && minorText.MatchString(node.Value) {
			return fmt.Sprintf("%s looks like a minor: make it a fact of the release", node.Value)
		}
	case *ast.SelectorExpr:
		used := info.Uses[node.Sel]
		if used == nil || used.Pkg() == nil || used.Pkg().Path() != module+"/schemas" {
			return ""
		}
		if used.Name() == "ParseMinor" && !isCommand {
			return "the minor is resolved at the edge, by cmd: take a *schemas.Release"
		}
		if saysMinor(info, node, used) && compares(info, parents) {
			return "a minor is compared: make it a fact of the release"
		}
	}
	return ""
}

// saysMinor reports whether the selector is text that stands for a minor.
func saysMinor(info *types.Info, node *ast.SelectorExpr, used types.Object) bool {
	selection := info.Selections[node]
	if selection == nil {
		return false
	}
	owner := types.TypeString(selection.Recv(), func(*types.Package) string { return "" })
	switch strings.TrimPrefix(owner, "*") + "." + used.Name() {
	case "Minor.String", "Minor.MarshalText", "Release.Name", "Release.Observed", "API.DeprecatedSince":
		return true
	}
	return false
}

// compares reports whether the value of a selector, called or not, goes into a comparison.
func compares(info *types.Info, parents []ast.Node) bool {
	at := len(parents) - 1
	inner := ast.Node(nil)
	if call, ok := parents[at].(*ast.CallExpr); ok && len(call.Args) == 0 {
		inner = call
		at--
	}
	switch parent := parents[at].(type) {
	case *ast.BinaryExpr:
		// That it is there at all may be asked.
		return isComparison(parent.Op) && !isEmptyText(parent.X) && !isEmptyText(parent.Y)
	case *ast.SwitchStmt:
		return true
	case *ast.IndexExpr:
		return parent.X != inner
	case *ast.CallExpr:
		selector, ok := parent.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		called := info.Uses[selector.Sel]
		return called != nil && called.Pkg() != nil && slices.Contains([]string{"strings", "slices", "cmp", "strconv", "regexp", "maps"}, called.Pkg().Path())
	}
	return false
}

func isEmptyText(expr ast.Expr) bool {
	literal, ok := expr.(*ast.BasicLit)
	return ok && literal.Value == `""`
}

func isComparison(op token.Token) bool {
	return slices.Contains([]token.Token{token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ}, op)
}

// TestSchemeBuilder holds that the types of v1 are used, and never what upstream registers with them:
// a program that links kube-scheduler adds the defaults of its own minor to that builder.
func TestSchemeBuilder(t *testing.T) {
	for _, p := range loaded(t) {
		for ident, used := range p.TypesInfo.Uses {
			if used.Pkg() == nil || used.Pkg().Path() != "k8s.io/kube-scheduler/config/v1" {
				continue
			}
			if used.Name() == "AddToScheme" || used.Name() == "SchemeBuilder" {
				t.Errorf("%s: %s of kube-scheduler is used", p.Fset.Position(ident.Pos()), used.Name())
			}
		}
	}
}
