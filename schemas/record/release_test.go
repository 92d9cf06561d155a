// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// newerFake is what a release adds to the fake one: default plugins, a registry and gates.
var newerFake = map[string]string{
	"kubernetes/pkg/scheduler/apis/config/v1/default_plugins.go": `package v1
import (
	"k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)
func getDefaultPlugins() *v1.Plugins {
	plugins := &v1.Plugins{MultiPoint: v1.PluginSet{Enabled: []v1.Plugin{
		{Name: names.Sort}, {Name: names.Fit, Weight: ptr.To[int32](3)},
	}}}
	if gate.Enabled(features.New) { plugins.MultiPoint = nil }
	return plugins
}`,
	"kubernetes/pkg/scheduler/framework/plugins/names/names.go": `package names
const (
	Sort = "PrioritySort"
	Fit = "NodeResourcesFit"
)`,
	"kubernetes/pkg/scheduler/framework/plugins/registry.go": `package plugins
import (
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/fit"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/sort"
)
var registry = runtime.Registry{fit.Name: fit.New, sort.Name: sort.New}`,
	"kubernetes/pkg/scheduler/framework/plugins/fit/fit.go": `package fit
import "k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
const Name = names.Fit
type Fit struct{}
var _ framework.FilterPlugin = &Fit{}
var _ framework.SignPlugin = &Fit{}
func (f *Fit) Name() string { return Name }
func (f *Fit) PlaceAll() {}`,
	"kubernetes/pkg/scheduler/framework/plugins/sort/sort.go": `package sort
import "k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
const Name = names.Sort
type Sort struct{}
var _ framework.QueueSortPlugin = &Sort{}
func (*Sort) Name() string { return Name }`,
	"kubernetes/pkg/features/features.go": `package features
import clientfeatures "k8s.io/client-go/features"
var gates = map[featuregate.Feature]featuregate.FeatureSpec{New: {Default: false, PreRelease: featuregate.Alpha}}
const New featuregate.Feature = "New"
func init() { clientfeatures.AddFeaturesToExistingFeatureGates(adapter) }`,
	"client-go/features/features.go": `package features
const WatchListClient Feature = "WatchListClient"
var gates = map[Feature]VersionedSpecs{WatchListClient: {{Version: version.MustParse("1.30"), Default: true, PreRelease: Beta}}}`,
	"apiserver/pkg/features/features.go": `package features
var gates = map[featuregate.Feature]featuregate.VersionedSpecs{"APIListChunking": {
	{Version: version.MustParse("1.99"), Default: false, PreRelease: featuregate.Beta},
	{Version: version.MustParse("1.99"), Default: true, PreRelease: featuregate.Beta, MinCompatibilityVersion: version.MustParse("1.99")},
}}`,
	"kube-scheduler/config/v1/types.go": `package v1
import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
type KubeSchedulerConfiguration struct { metav1.TypeMeta }
type BindingArgs struct { metav1.TypeMeta }
type Plugins struct {
	Filter PluginSet ` + "`json:\"filter,omitempty\"`" + `
	QueueSort PluginSet ` + "`json:\"queueSort,omitempty\"`" + `
	PlaceAll PluginSet ` + "`json:\"placeAll,omitempty\"`" + `
	MultiPoint PluginSet ` + "`json:\"multiPoint,omitempty\"`" + `
}`,
	"kube-scheduler/config/v1/register.go": `package v1
var SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: "v1"}
func addKnownTypes(s *Scheme) { s.AddKnownTypes(SchemeGroupVersion, &KubeSchedulerConfiguration{}, &BindingArgs{}) }`,
}

const oldRelease = `{
  "minor": "1.98",
  "observed": "v1.98.1",
  "points": ["queueSort", "filter"],
  "apis": [
    {"apiVersion": "kubescheduler.config.k8s.io/v1beta9", "defaultPlugins": {}},
    {
      "apiVersion": "kubescheduler.config.k8s.io/v1",
      "defaultPlugins": {"multiPoint": [{"name": "Gone"}]},
      "gatedPlugins": [{"gate": "Old", "on": true, "point": "multiPoint", "name": "Gone"}],
      "checks": {"decode": ["field-unknown"]}
    }
  ],
  "plugins": [{"name": "Gone", "points": ["filter"]}, {"name": "PrioritySort", "points": ["queueSort"]}],
  "gates": []
}`

// TestRefresh holds what is read from the sources, what stays as it was, and what is noted.
func TestRefresh(t *testing.T) {
	all := maps.Clone(fake)
	maps.Copy(all, newerFake)
	src := fakeSources(t, all)
	value, err := parseOrdered([]byte(oldRelease))
	if err != nil {
		t.Fatal(err)
	}
	release := value.(*object)
	var notes strings.Builder
	if err := src.refresh(release, &notes); err != nil {
		t.Fatal(err)
	}
	const want = `{
  "minor": "1.99",
  "observed": "v1.99.0",
  "points": ["queueSort", "filter", "placeAll"],
  "apis": [
    {
      "apiVersion": "kubescheduler.config.k8s.io/v1",
      "defaultPlugins": {"multiPoint": [{"name": "PrioritySort"}, {"name": "NodeResourcesFit", "weight": 3}]},
      "gatedPlugins": [{"gate": "Old", "on": true, "point": "multiPoint", "name": "Gone"}],
      "checks": {"decode": ["field-unknown"]},
      "args": ["BindingArgs"]
    }
  ],
  "plugins": [{"name": "NodeResourcesFit", "points": ["filter", "placeAll"]}, {"name": "PrioritySort", "points": ["queueSort"]}],
  "gates": [
    {"name": "APIListChunking", "default": false, "stage": "beta"},
    {"name": "New", "default": false, "stage": "alpha"},
    {"name": "WatchListClient", "default": true, "stage": "beta"}
  ]
}
`
	if got := string(formatOrdered(release)); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	for _, note := range []string{
		"v1beta9 is no longer served", "point placeAll is new", "plugin NodeResourcesFit implements filter now", "plugin Gone is gone",
		"depend on the feature gate New", "depends on the feature gate Old any more",
	} {
		if !strings.Contains(notes.String(), note) {
			t.Errorf("nothing is noted on %q in\n%s", note, notes.String())
		}
	}
}

// TestOrdered holds that reading and writing JSON changes nothing but its layout.
func TestOrdered(t *testing.T) {
	for _, text := range []string{`{}`, `[]`, `{"b":1.50,"a":[true,null,"<\"ä"],"c":{"z":{},"y":[]}}`, `"x"`} {
		value, err := parseOrdered([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := oneLine(value); strings.NewReplacer(", ", ",", ": ", ":").Replace(got) != text {
			t.Errorf("got %s, want %s", got, text)
		}
		again, err := parseOrdered(formatOrdered(value))
		if err != nil || !reflect.DeepEqual(again, value) {
			t.Errorf("%s is read back as %v, %v", text, again, err)
		}
	}
	if _, err := parseOrdered([]byte(`{"a": [1, }`)); err == nil {
		t.Error("broken JSON is read")
	}
}

// TestStageOf takes its messages from kube-schedulers of several minors.
func TestStageOf(t *testing.T) {
	for stderr, want := range map[string]string{
		`E1201 06:02:00.755850   31539 run.go:72] "command failed" err="strict decoding error: unknown field \"foo\""`:                                                           "decode",
		`E1201 1 run.go:72] "command failed" err="no kind \"X\" is registered for version \"v2\" in scheme \"pkg/runtime/scheme.go:100\""`:                                       "decode",
		`E1201 1 run.go:72] "command failed" err="parallelism: Invalid value: 0: should be an integer value greater than zero"`:                                                  "validate",
		`E1201 1 run.go:72] "command failed" err="profiles[0].schedulerName: Required value"`:                                                                                    "validate",
		`E1201 1 run.go:72] "command failed" err="initializing profiles: creating profile for scheduler name a: initializing plugin \"b\": shape: Required value: at least one"`: "construct",
		`E1201 1 run.go:72] "command failed" err="couldn't create resource lock: Invalid lock-type etcd"`:                                                                        "construct",
		"panic: runtime error: invalid memory address or nil pointer dereference\n\ngoroutine 1":                                                                                 "construct",
		`E1201 1 run.go:72] "command failed" err="couldn't build extenders: open /nonexistent/ca.pem: no such file or directory"`:                                                "environment",
	} {
		if got := stageOf(messageOf(stderr)); got != want {
			t.Errorf("%s: got %s, want %s", stderr, got, want)
		}
	}
}

func TestReplaceRows(t *testing.T) {
	name := filepath.Join(t.TempDir(), verdictsFile)
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	writer := gzip.NewWriter(file)
	if _, err := io.WriteString(writer, "{\"minor\": \"1.9\",  \"case\": \"a\"}\n{\"minor\":\"1.10\",\"case\":\"a\"}\n{\"minor\":\"1.11\",\"case\":\"a\"}"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(writer.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	if err := replaceRows(name, "1.10", []byte("{\"minor\":\"1.10\",\"case\":\"b\"}\n")); err != nil {
		t.Fatal(err)
	}
	text := unpacked(t, name)
	want := "{\"minor\": \"1.9\",  \"case\": \"a\"}\n{\"minor\":\"1.11\",\"case\":\"a\"}\n{\"minor\":\"1.10\",\"case\":\"b\"}\n"
	if text != want {
		t.Errorf("got %s\nwant %s", text, want)
	}
}

func unpacked(t *testing.T, name string) string {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
