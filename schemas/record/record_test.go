// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go/ast"
	"go/parser"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"
)

// TestDurationPattern holds the pattern to what Go parses.
func TestDurationPattern(t *testing.T) {
	pattern := regexp.MustCompile(durationPattern)
	for _, text := range []string{
		"0", "+0", "-0", "5s", "1h2m3.5s", ".5s", "5.s", "-1.5h", "1us", "1µs", "1μs", "7ns7ms",
		"", "5", "00", "s", ".s", "5S", "1d", "1 s", "s5", "1h-2m", "--1s", "1.2.3s",
	} {
		_, err := time.ParseDuration(text)
		if got := pattern.MatchString(text); got != (err == nil) {
			t.Errorf("%q: pattern says %v, Go says %v", text, got, err)
		}
	}
}

// fake is a small release: one kind with embedded and nested types, and one args kind.
var fake = map[string]string{
	"kubernetes/pkg/scheduler/apis/config/scheme/scheme.go": `package scheme
import configv1 "k8s.io/kubernetes/pkg/scheduler/apis/config/v1"
func AddToScheme(s *Scheme) { configv1.AddToScheme(s) }`,
	"kube-scheduler/config/v1/register.go": `package v1
var SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: "v1"}
func addKnownTypes(s *Scheme) { s.AddKnownTypes(SchemeGroupVersion, &Policy{}, &BindingArgs{}) }`,
	"kube-scheduler/config/v1/types.go": `package v1
import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)
type Policy struct {
	metav1.TypeMeta
	Common ` + "`json:\"\"`" + `
	Timeout *metav1.Duration ` + "`json:\"timeout,omitempty\"`" + `
	Config []PluginConfig ` + "`json:\"config\"`" + `
	Extender Extender ` + "`json:\"extender\"`" + `
}
type Common struct { Mode Mode ` + "`json:\"mode\"`" + ` }
type Mode string
type PluginConfig struct {
	Name string ` + "`json:\"name\"`" + `
	Args runtime.RawExtension ` + "`json:\"args\"`" + `
}
type BindingArgs struct { metav1.TypeMeta }
type Extender struct { Data []byte ` + "`json:\"data\"`" + ` }
func (e *Extender) UnmarshalJSON(b []byte) error { return nil }`,
}

// fakeSources writes the files of a fake release to a folder.
func fakeSources(t *testing.T, files map[string]string) *sources {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dirs := map[string]string{}
	for _, module := range []string{"kubernetes", "kube-scheduler", "client-go", "apiserver"} {
		dirs["k8s.io/"+module] = filepath.Join(folder, module)
	}
	return &sources{minor: "1.99", versions: versions{Kubernetes: "v1.99.0"}, dirs: dirs, packages: map[string]*goFiles{}}
}

func TestBuildSchema(t *testing.T) {
	src := fakeSources(t, fake)
	roots, err := src.roots()
	if err != nil {
		t.Fatal(err)
	}
	if len(roots) != 1 || roots[0].file() != "v1.Policy.schema.json" || !slices.Equal(roots[0].args, []string{"BindingArgs"}) {
		t.Fatalf("roots %+v", roots)
	}
	described := descriptions{}
	for _, key := range []string{
		"TypeMeta.apiVersion", "TypeMeta.kind", "Policy", "Common.mode", "Policy.timeout", "Policy.config", "Policy.extender",
		"PluginConfig", "PluginConfig.name", "PluginConfig.args", "BindingArgs", "Extender", "Extender.data",
	} {
		described[key] = key
	}
	got, err := buildSchema(src, roots[0], described)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, property := range got.Defs["Policy"].Properties {
		names = append(names, property.name)
	}
	if want := []string{"apiVersion", "kind", "mode", "timeout", "config", "extender"}; !slices.Equal(names, want) {
		t.Errorf("properties %v, want %v", names, want)
	}
	if nullable := got.Defs["Policy"].Properties[3].schema.Type; !reflect.DeepEqual(nullable, []string{"string", "null"}) {
		t.Errorf("a duration behind a pointer has type %v", nullable)
	}
	if got.Defs["Extender"].AdditionalProperties != true || got.Defs["PluginConfig"].AdditionalProperties != false {
		t.Error("only the type with a decoder of its own lets unknown keys pass")
	}
	if len(got.Defs["PluginConfig"].AllOf) != 1 || got.Defs["BindingArgs"] == nil {
		t.Error("args of the plugin Binding are not described")
	}

	delete(described, "Common.mode")
	if _, err := buildSchema(src, roots[0], described); err == nil {
		t.Error("a field without description is not an error")
	}
}

func TestSpecOf(t *testing.T) {
	const versioned = `VersionedSpecs{
		{Version: version.MustParse("1.9"), Default: false, PreRelease: featuregate.Alpha},
		{Version: version.MustParse("1.10"), Default: true, PreRelease: featuregate.GA, LockToDefault: true},
	}`
	for _, test := range []struct {
		text, minor string
		want        gate
	}{
		{`FeatureSpec{Default: true, PreRelease: featuregate.Beta}`, "1.9", gate{Name: "X", Default: true, Stage: "Beta"}},
		{versioned, "1.9", gate{Name: "X", Stage: "Alpha"}},
		{versioned, "1.11", gate{Name: "X", Default: true, Stage: "GA", Locked: true}},
	} {
		expr, err := parser.ParseExpr(test.text)
		if err != nil {
			t.Fatal(err)
		}
		spec, err := specOf(expr.(*ast.CompositeLit), test.minor)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := gateOf("X", spec, &goFiles{}); err != nil || got != test.want {
			t.Errorf("%s: got %+v, %v; want %+v", test.minor, got, err, test.want)
		}
	}
}

func TestParseHelp(t *testing.T) {
	got := parseHelp(`Usage:
  kube-scheduler [flags]

Misc flags:

      --config string            The path to the configuration file.
      --version version[=true]   --version, --version=raw prints version information

Deprecated flags:

      --kube-api-qps float32     DEPRECATED: QPS to use (see docs)
                                 when talking. (default 50)
  -h, --profiling                enable (default true)
      --lock string              name (default "leases")
`)
	want := []flagFact{
		{Section: "misc", Name: "config", Type: "string"},
		{Section: "misc", Name: "version", Type: "version[=true]"},
		{Section: "deprecated", Name: "kube-api-qps", Type: "float32", Default: "50", Deprecated: true},
		{Section: "deprecated", Name: "profiling", Type: "bool", Default: "true"},
		{Section: "deprecated", Name: "lock", Type: "string", Default: "leases"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestCompareVersions(t *testing.T) {
	if compareVersions("v1.9.10", "v1.10.2") >= 0 || compareVersions("1.30", "1.30") != 0 || compareVersions("v1.30.14", "v1.30.9") <= 0 {
		t.Error("versions are not compared as numbers")
	}
}
