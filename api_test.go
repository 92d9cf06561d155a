// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schedconf_test

import (
	"bytes"
	"compress/gzip"
	"flag"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/exp/apidiff"
	"golang.org/x/tools/go/gcexportdata"
)

var renewAPI = flag.Bool("renew-api", false, "record what the packages export now")

// apiRecord holds what every package exported when it was renewed last, in the form in which compilers
// keep it: that has the types, which a text would have to be parsed for.
const apiRecord = "testdata/api/exports.gz"

// TestAPI holds that no program that uses the packages stops compiling by accident. With -renew-api it
// prints what is different, and records the packages as they are.
func TestAPI(t *testing.T) {
	var public []*types.Package
	for _, p := range loaded(t) {
		if p.Name != "main" && !strings.Contains(p.PkgPath, "/internal") && !strings.HasSuffix(p.PkgPath, "/integration") {
			public = append(public, p.Types)
		}
	}
	recorded, err := readAPI(apiRecord)
	if err != nil && !*renewAPI {
		t.Fatal(err)
	}
	report := apiChanges(recorded, public)
	if *renewAPI {
		if err := writeAPI(apiRecord, public); err != nil {
			t.Fatal(err)
		}
		t.Logf("recorded %d packages; changes:\n%s", len(public), strings.Join(report.all(), "\n"))
		return
	}
	if len(recorded) < 20 {
		t.Fatalf("%d packages are recorded", len(recorded))
	}
	for _, change := range report.incompatible {
		t.Errorf("programs that use this stop compiling: %s\nif that is meant, \"make api\" records it, and CHANGELOG.md says what to write instead", change)
	}
}

// apiReport is what is different between two states of the packages, in order.
type apiReport struct{ incompatible, compatible []string }

func (r apiReport) all() []string {
	lines := []string{"incompatible:"}
	lines = append(lines, r.incompatible...)
	return append(append(lines, "compatible:"), r.compatible...)
}

func apiChanges(before, after []*types.Package) apiReport {
	var r apiReport
	report := apidiff.ModuleChanges(&apidiff.Module{Path: module, Packages: before}, &apidiff.Module{Path: module, Packages: after})
	for _, change := range report.Changes {
		if change.Compatible {
			r.compatible = append(r.compatible, change.Message)
		} else {
			r.incompatible = append(r.incompatible, change.Message)
		}
	}
	slices.Sort(r.incompatible)
	slices.Sort(r.compatible)
	return r
}

func writeAPI(name string, list []*types.Package) error {
	var text bytes.Buffer
	packed, err := gzip.NewWriterLevel(&text, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := gcexportdata.WriteBundle(packed, token.NewFileSet(), list); err != nil {
		return err
	}
	if err := packed.Close(); err != nil {
		return err
	}
	return os.WriteFile(name, text.Bytes(), 0o644)
}

func readAPI(name string) ([]*types.Package, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, err
	}
	return gcexportdata.ReadBundle(bytes.NewReader(text), token.NewFileSet(), map[string]*types.Package{})
}

// TestAPIChanges holds that the comparison behind TestAPI sees what breaks a program, and that only, once
// the older state has been on disk.
func TestAPIChanges(t *testing.T) {
	const before = `package p
type T struct{ A int; B string }
type I interface{ M() }
func F(t T) error { return nil }
const C = 1`
	for name, test := range map[string]struct{ after, incompatible, compatible string }{
		"nothing":              {after: before},
		"a body and a comment": {after: strings.Replace(before, "return nil", "panic(t) /* or so */", 1)},
		"more":                 {after: before + "\nfunc G() {}", compatible: "./p.G: added"},
		"a field more":         {after: strings.Replace(before, "A int;", "A int; D int;", 1), compatible: "./p.T.D: added"},
		"a function less":      {after: strings.Replace(before, "func F(", "func f(", 1), incompatible: "./p.F: removed"},
		"a parameter more":     {after: strings.Replace(before, "t T)", "t T, n int)", 1), incompatible: "./p.F: changed from func(T) error to func(T, int) error"},
		"a field less":         {after: strings.Replace(before, "B string", "", 1), incompatible: "./p.T.B: removed"},
		"another type":         {after: strings.Replace(before, "A int", "A int64", 1), incompatible: "./p.T.A: changed from int to int64"},
		"a method to have":     {after: strings.Replace(before, "M()", "M(); N()", 1), incompatible: "./p.I.N: added"},
		"another value":        {after: strings.Replace(before, "C = 1", "C = 2", 1), incompatible: "./p.C: value changed from 1 to 2"},
	} {
		t.Run(name, func(t *testing.T) {
			record := t.TempDir() + "/exports.gz"
			if err := writeAPI(record, []*types.Package{compiled(t, before)}); err != nil {
				t.Fatal(err)
			}
			recorded, err := readAPI(record)
			if err != nil {
				t.Fatal(err)
			}
			got := apiChanges(recorded, []*types.Package{compiled(t, test.after)})
			if incompatible := strings.Join(got.incompatible, "\n"); incompatible != test.incompatible {
				t.Errorf("incompatible: %q, want %q", incompatible, test.incompatible)
			}
			if compatible := strings.Join(got.compatible, "\n"); compatible != test.compatible {
				t.Errorf("compatible: %q, want %q", compatible, test.compatible)
			}
		})
	}
	all := []*types.Package{compiled(t, before)}
	if got := apiChanges(all, nil).incompatible; !slices.Equal(got, []string{"package " + module + "/p: removed"}) {
		t.Errorf("a package less: %q", got)
	}
}

func compiled(t *testing.T, text string) *types.Package {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Importer: importer.Default()}
	p, err := config.Check(module+"/p", files, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
