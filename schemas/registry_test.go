// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schemas_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/schedconf/schedconf/schemas"
)

func releaseOf(t *testing.T, minor string) *schemas.Release {
	t.Helper()
	m, err := schemas.ParseMinor(minor)
	if err != nil {
		t.Fatal(err)
	}
	return schemas.For(m)
}

// TestRegistries holds that what comes with the program can be used with every release: points exist, names
// stand once, and schemas compile.
func TestRegistries(t *testing.T) {
	if len(schemas.Registries()) == 0 {
		t.Fatal("no registry comes with the program")
	}
	for _, r := range schemas.Registries() {
		for _, minor := range schemas.Minors() {
			release := schemas.For(minor)
			seen := map[string]bool{}
			for _, p := range r.Plugins(release) {
				if seen[p.Name] {
					t.Errorf("%s %s: %s stands twice", r.Name, minor, p.Name)
				}
				seen[p.Name] = true
				for _, point := range p.Points {
					if !slices.Contains(release.Points, point) {
						t.Errorf("%s %s: %s is at %s, which the release does not have", r.Name, minor, p.Name, point)
					}
				}
				if _, ok := schemas.PluginSpan(p.Name); ok {
					t.Errorf("%s: %s is a plugin of kube-scheduler", r.Name, p.Name)
				}
				if p.Args == nil {
					continue
				}
				if _, err := jsonschema.CompileString("args.json", string(p.Args)); err != nil {
					t.Errorf("%s %s: args of %s: %v", r.Name, minor, p.Name, err)
				}
			}
		}
	}
}

// TestSchedulerPlugins holds facts of kubernetes-sigs/scheduler-plugins: README.md lists the releases, and
// cmd/scheduler/main.go of v0.27.8 the plugins.
func TestSchedulerPlugins(t *testing.T) {
	r := schemas.Registries()[0]
	var names []string
	for _, p := range r.Plugins(releaseOf(t, "1.27")) {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	want := "CapacityScheduling Coscheduling LoadVariationRiskBalancing LowRiskOverCommitment NetworkOverhead NodeResourceTopologyMatch " +
		"NodeResourcesAllocatable PodState PreemptionToleration QOSSort TargetLoadPacking TopologicalSort"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("1.27 has %s, want %s", got, want)
	}
	for minor, want := range map[string]string{
		"1.16": "", "1.18": "registry.k8s.io/scheduler-plugins/kube-scheduler:v0.18.9", "1.30": "registry.k8s.io/scheduler-plugins/kube-scheduler:v0.30.12",
		"1.37": "registry.k8s.io/scheduler-plugins/kube-scheduler:v0.35.7",
	} {
		if got := r.ImageFor(releaseOf(t, minor)); got != want {
			t.Errorf("%s: image %q, want %q", minor, got, want)
		}
	}
	for image, want := range map[string]bool{
		"registry.k8s.io/scheduler-plugins/kube-scheduler:v0.30.6": true, "example.com/mirror/scheduler-plugins/kube-scheduler:v1": true,
		"scheduler-plugins/kube-scheduler:x": true, "registry.k8s.io/kube-scheduler:v1.30.0": false, "my-scheduler-plugins/kube-scheduler:x": false,
		"scheduler-plugins/kube-scheduler-amd64:x": false,
	} {
		if got := r.IsImage(image); got != want {
			t.Errorf("IsImage(%q) = %t", image, got)
		}
	}
	for minor, want := range map[string]bool{"1.18": false, "1.28": true} {
		if found, has := schemas.RegistryWith("SySched", releaseOf(t, minor)); found != r || has != want {
			t.Errorf("%s: SySched is there: %t", minor, has)
		}
	}
	if found, _ := schemas.RegistryWith("Mine", releaseOf(t, "1.30")); found != nil {
		t.Error("a plugin is found that nobody has")
	}
}

// TestRegistryArgs holds that a property is in the minors of its span alone.
func TestRegistryArgs(t *testing.T) {
	for minor, want := range map[string]bool{"1.21": true, "1.22": false} {
		for _, p := range schemas.Registries()[0].Plugins(releaseOf(t, minor)) {
			if p.Name == "Coscheduling" && strings.Contains(string(p.Args), "kubeConfigPath") != want {
				t.Errorf("%s: kubeConfigPath is there: %t", minor, !want)
			}
		}
	}
}

// TestParseRegistry holds what is refused.
func TestParseRegistry(t *testing.T) {
	for text, want := range map[string]string{
		`{"registry": 1, "name": "mine", "plugins": [{"name": "A", "since": "1.99", "points": ["filter"]}, {"name": "B"}]}`: "",
		`{}`: "form 1", `{"registry": 2}`: "form 1", `[]`: "no registry", `{"registry": 1, "plugin": []}`: "no registry",
		`{"registry": 1, "plugins": [{"points": []}]}`: "plugins[0] has no name", `{"registry": 1, "plugins": [{"name": "A", "until": "v1"}]}`: `plugins[0]: "v1" is no minor`,
	} {
		r, err := schemas.ParseRegistry([]byte(text))
		if want == "" {
			if err != nil || len(r.Plugins(releaseOf(t, "1.30"))) != 1 {
				t.Errorf("%s: %v", text, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
