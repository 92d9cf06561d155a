// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schedconf_test

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// TestDocumented holds that every package says what it is for, and that everything it exports has a comment
// which begins with its name, as go doc shows it. Generated code is left out.
func TestDocumented(t *testing.T) {
	names := 0
	for _, p := range loaded(t) {
		pkg := strings.TrimPrefix(p.PkgPath, module+"/")
		described := 0
		for _, file := range p.Syntax {
			if ast.IsGenerated(file) {
				continue
			}
			if file.Doc != nil {
				described++
			}
			for _, decl := range file.Decls {
				for name, comment := range exported(decl) {
					names++
					if !documents(comment, name) {
						t.Errorf("%s: %s.%s has no comment that begins with its name: %q", p.Fset.Position(decl.Pos()), pkg, name, comment)
					}
				}
			}
		}
		if described != 1 {
			t.Errorf("%s has %d comments on the package", pkg, described)
		}
	}
	if names < 400 {
		t.Errorf("only %d names are exported", names)
	}
}

// exported are the exported names of a declaration with their comments.
func exported(decl ast.Decl) map[string]string {
	found := map[string]string{}
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Name.IsExported() && (decl.Recv == nil || isExported(decl.Recv.List[0].Type)) && !isStandardMethod(decl) {
			found[decl.Name.Name] = decl.Doc.Text()
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() {
					found[spec.Name.Name] = spec.Doc.Text()
					if !decl.Lparen.IsValid() {
						found[spec.Name.Name] = decl.Doc.Text()
					}
				}
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if !name.IsExported() {
						continue
					}
					found[name.Name] = spec.Doc.Text()
					if !decl.Lparen.IsValid() {
						found[name.Name] = decl.Doc.Text()
					} else if found[name.Name] == "" && decl.Doc != nil {
						found[name.Name] = name.Name + " is one of a group that has a comment."
					}
				}
			}
		}
	}
	return found
}

// isStandardMethod reports whether a method does what its name always means.
func isStandardMethod(decl *ast.FuncDecl) bool {
	return decl.Recv != nil && regexp.MustCompile(`^(Error|Unwrap|String|Len|Less|Swap|MarshalText|UnmarshalJSON|MarshalJSON)$`).MatchString(decl.Name.Name)
}

func isExported(receiver ast.Expr) bool {
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	if index, ok := receiver.(*ast.IndexExpr); ok {
		receiver = index.X
	}
	name, ok := receiver.(*ast.Ident)
	return ok && name.IsExported()
}

func documents(comment, name string) bool {
	for _, article := range []string{"", "A ", "An ", "The "} {
		if rest, ok := strings.CutPrefix(comment, article+name); ok && (rest == "" || !isLetter(rest[0])) {
			return true
		}
	}
	return false
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
