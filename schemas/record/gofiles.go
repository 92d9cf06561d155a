// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// goFiles holds the declarations of a package that this program looks at.
type goFiles struct {
	files    []*ast.File
	types    map[string]declaredType
	values   map[string]declaredValue // package-level constants and variables
	decoders map[string]bool          // types with an UnmarshalJSON method
}

// declaredType is a type declaration and the imports of its file.
type declaredType struct {
	spec    *ast.TypeSpec
	imports map[string]string
}

// declaredValue is what a constant or variable is set to and the imports of its file.
type declaredValue struct {
	expr    ast.Expr
	imports map[string]string
}

// parseFolder parses the Go files of a folder, tests aside.
func parseFolder(dir string) (*goFiles, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	parsed := &goFiles{types: map[string]declaredType{}, values: map[string]declaredValue{}, decoders: map[string]bool{}}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("Go file: %w", err)
		}
		parsed.add(file)
	}
	return parsed, nil
}

// add notes the types, values and decoders of a file.
func (g *goFiles) add(file *ast.File) {
	g.files = append(g.files, file)
	imports := importNames(file)
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				g.addSpec(spec, imports)
			}
		case *ast.FuncDecl:
			if decl.Name.Name == "UnmarshalJSON" {
				g.decoders[receiver(decl)] = true
			}
		}
	}
}

// addSpec notes one type or one line of constants or variables.
func (g *goFiles) addSpec(spec ast.Spec, imports map[string]string) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		g.types[spec.Name.Name] = declaredType{spec, imports}
	case *ast.ValueSpec:
		for i, name := range spec.Names {
			if i < len(spec.Values) {
				g.values[name.Name] = declaredValue{spec.Values[i], imports}
			}
		}
	}
}

// receiver returns the name of the type that a method belongs to.
func receiver(method *ast.FuncDecl) string {
	if method.Recv == nil || len(method.Recv.List) == 0 {
		return ""
	}
	expr := method.Recv.List[0].Type
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	if ident, ok := expr.(*ast.Ident); ok {
		return ident.Name
	}
	return ""
}

// calls returns every call in the package of a method with this name, such as x.AddToScheme(…).
func (g *goFiles) calls(method string) []*ast.CallExpr {
	var found []*ast.CallExpr
	for _, file := range g.files {
		ast.Inspect(file, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			if selector, ok := call.Fun.(*ast.SelectorExpr); ok && selector.Sel.Name == method {
				found = append(found, call)
			}
			return true
		})
	}
	return found
}

// entry is a key and a value of a map literal, and the imports of its file.
type entry struct {
	key, value ast.Expr
	imports    map[string]string
}

// entries returns the entries of every map literal in the package whose type is wanted.
func (g *goFiles) entries(wanted func(ast.Expr) bool) []entry {
	var found []entry
	for _, file := range g.files {
		imports := importNames(file)
		ast.Inspect(file, func(node ast.Node) bool {
			literal, ok := node.(*ast.CompositeLit)
			if !ok || !wanted(literal.Type) {
				return true
			}
			for _, element := range literal.Elts {
				if pair, ok := element.(*ast.KeyValueExpr); ok {
					found = append(found, entry{pair.Key, pair.Value, imports})
				}
			}
			return true
		})
	}
	return found
}
