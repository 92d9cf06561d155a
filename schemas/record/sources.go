// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// sources are the modules of one minor, downloaded when they are asked for, with the packages that
// were parsed so far.
type sources struct {
	minor    string
	versions versions
	dirs     map[string]string   // module path to folder
	packages map[string]*goFiles // import path to its declarations
}

// openSources returns the sources of a minor.
func openSources(minor string) (*sources, error) {
	versions, err := versionsOf(minor)
	if err != nil {
		return nil, err
	}
	return &sources{minor: minor, versions: versions, dirs: map[string]string{}, packages: map[string]*goFiles{}}, nil
}

// module returns the folder of a module such as k8s.io/api.
func (s *sources) module(name string) (string, error) {
	if dir, ok := s.dirs[name]; ok {
		return dir, nil
	}
	version := s.versions.Staging
	if name == "k8s.io/kubernetes" {
		version = s.versions.Kubernetes
	}
	dir, err := download(name + "@" + version)
	if err != nil {
		return "", fmt.Errorf("module download: %w", err)
	}
	s.dirs[name] = dir
	return dir, nil
}

// download fetches a module into the module cache and returns its folder.
func download(module string) (string, error) {
	text, cmdErr := goCommand("mod", "download", "-json", module)
	var answer struct{ Dir, Error string }
	if err := json.Unmarshal(text, &answer); err != nil {
		return "", errors.Join(cmdErr, fmt.Errorf("answer of go mod download: %w", err))
	}
	if answer.Error != "" {
		return "", errors.New(answer.Error)
	}
	return answer.Dir, cmdErr
}

// goCommand runs the go command outside any module, so that no go.mod is read or changed.
func goCommand(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = os.TempDir()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return text, fmt.Errorf("go %s: %w: %s", strings.Join(args[:2], " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return text, nil
}

// folder returns where a package of Kubernetes lies.
func (s *sources) folder(importPath string) (string, error) {
	parts := strings.SplitN(importPath, "/", 3)
	if len(parts) < 3 || parts[0] != "k8s.io" {
		return "", fmt.Errorf("package %s is not part of Kubernetes", importPath)
	}
	dir, err := s.module(parts[0] + "/" + parts[1])
	return filepath.Join(dir, filepath.FromSlash(parts[2])), err
}

// load parses a package once. A package that the minor does not have is empty.
func (s *sources) load(importPath string) (*goFiles, error) {
	if known, ok := s.packages[importPath]; ok {
		return known, nil
	}
	dir, err := s.folder(importPath)
	if err != nil {
		return nil, err
	}
	parsed, err := parseFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", importPath, err)
	}
	s.packages[importPath] = parsed
	return parsed, nil
}

// named is a type of a package, with what is needed to follow the names it uses.
type named struct {
	path, name string
	expr       ast.Expr
	imports    map[string]string // name in the file to import path
	decodes    bool              // has an UnmarshalJSON method of its own
}

// lookup finds a type by import path and name.
func (s *sources) lookup(importPath, name string) (named, error) {
	files, err := s.load(importPath)
	if err != nil {
		return named{}, err
	}
	declared, ok := files.types[name]
	if !ok {
		return named{}, fmt.Errorf("package %s has no type %s", importPath, name)
	}
	return named{
		path: importPath, name: name, expr: declared.spec.Type,
		imports: declared.imports, decodes: files.decoders[name],
	}, nil
}

// resolve returns the import path and the name that a type expression means inside of in.
func (in named) resolve(expr ast.Expr) (importPath, name string, err error) {
	switch expr := expr.(type) {
	case *ast.Ident:
		return in.path, expr.Name, nil
	case *ast.SelectorExpr:
		alias, ok := expr.X.(*ast.Ident)
		if !ok || in.imports[alias.Name] == "" {
			return "", "", fmt.Errorf("type %s.%s: unknown package", in.path, in.name)
		}
		return in.imports[alias.Name], expr.Sel.Name, nil
	}
	return "", "", fmt.Errorf("type %s.%s: unsupported expression %T", in.path, in.name, expr)
}

// importNames returns the names under which a file knows its imports.
func importNames(file *ast.File) map[string]string {
	names := map[string]string{}
	for _, spec := range file.Imports {
		importPath := strings.Trim(spec.Path.Value, `"`)
		name := path.Base(importPath)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = importPath
	}
	return names
}

// text returns the string that an expression in a package stands for: a literal, or a constant that
// comes down to one, in this package or in another.
func (s *sources) text(importPath string, imports map[string]string, expr ast.Expr) (string, error) {
	switch expr := expr.(type) {
	case *ast.BasicLit:
		return strconv.Unquote(expr.Value)
	case *ast.Ident:
		return s.constant(importPath, expr.Name)
	case *ast.SelectorExpr:
		if alias, ok := expr.X.(*ast.Ident); ok && imports[alias.Name] != "" {
			return s.constant(imports[alias.Name], expr.Sel.Name)
		}
	case *ast.CallExpr: // a conversion such as featuregate.Feature("X")
		if len(expr.Args) == 1 {
			return s.text(importPath, imports, expr.Args[0])
		}
	}
	return "", fmt.Errorf("package %s: unsupported expression %T for a name", importPath, expr)
}

// constant returns the value of a string constant of a package.
func (s *sources) constant(importPath, name string) (string, error) {
	files, err := s.load(importPath)
	if err != nil {
		return "", err
	}
	value, ok := files.values[name]
	if !ok {
		return "", fmt.Errorf("package %s has no value %s", importPath, name)
	}
	return s.text(importPath, value.imports, value.expr)
}
