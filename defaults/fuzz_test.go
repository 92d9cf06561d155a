// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package defaults_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source"
)

// seeds are the recorded cases and every other configuration among the test data.
func seeds(t testing.TB) []string {
	t.Helper()
	var recorded map[string]string
	data, err := os.ReadFile("../testdata/recorded/cases.json")
	if err == nil {
		err = json.Unmarshal(data, &recorded)
	}
	if err != nil || len(recorded) == 0 {
		t.Fatalf("no recorded cases: %v", err)
	}
	texts := slices.Sorted(maps.Values(recorded))
	for _, depth := range []string{"*", "*/*", "*/*/*"} {
		names, _ := filepath.Glob("../testdata/" + depth + ".yaml")
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(data))
		}
	}
	return texts
}

// schemes returns the scheme of every release, with its feature gates at their defaults and with those
// of alpha stage switched on.
func schemes(t testing.TB) []*scheme.Scheme {
	t.Helper()
	var all []*scheme.Scheme
	for _, minor := range schemas.Minors() {
		release := schemas.For(minor)
		for _, alpha := range []bool{false, true} {
			gates, err := release.NewGates(map[string]bool{"AllAlpha": alpha})
			if err != nil {
				t.Fatal(err)
			}
			s, err := scheme.New(release, gates)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
	}
	return all
}

// FuzzSet holds that a configuration with defaults gets no others.
func FuzzSet(f *testing.F) {
	all := schemes(f)
	for _, seed := range seeds(f) {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		value, _, err := scheme.Value(source.Split("f.yaml", data)[0])
		if err != nil {
			return
		}
		apiVersion, kind, err := scheme.TypeMeta(value)
		if err != nil {
			return
		}
		for _, s := range all {
			api, ok := s.Release.API(apiVersion)
			if !ok || kind != api.Kind {
				continue
			}
			decoded, err := s.Decode(value, api)
			if err != nil {
				t.Fatal(err)
			}
			if decoded.Object != nil {
				checkSet(t, s, api, decoded.Object)
			}
		}
	})
}

func checkSet(t *testing.T, s *scheme.Scheme, api *schemas.API, obj runtime.Object) {
	t.Helper()
	s.Default(obj)
	once := obj.DeepCopyObject()
	s.Default(obj)
	if api.Behaviour.MergeAt == "default" && mergesAgain(api, once) {
		forgetPlugins(once, obj)
	}
	if !reflect.DeepEqual(once, obj) {
		t.Errorf("%s: a second time sets more (-once +twice):\n%s", s.Release.Name, cmp.Diff(once, obj))
	}
}

// mergesAgain reports whether merged plugins would be merged with the defaults once more. Up to
// v1beta2 they would, as in kube-scheduler: what was disabled is no longer named, and what is enabled
// counts as an addition. A plugin that stands twice at a point, which is refused later, changes places.
func mergesAgain(api *schemas.API, obj runtime.Object) bool {
	if api.Behaviour.MergePlugins != "overrideKeepDisabled" {
		return true
	}
	found := false
	eachPluginSet(obj, func(set reflect.Value) {
		seen := map[string]bool{}
		enabled := set.FieldByName("Enabled")
		for i := range enabled.Len() {
			name := enabled.Index(i).FieldByName("Name").String()
			found = found || seen[name]
			seen[name] = true
		}
	})
	return found
}

func eachPluginSet(obj runtime.Object, visit func(set reflect.Value)) {
	profiles := reflect.ValueOf(obj).Elem().FieldByName("Profiles")
	for i := range profiles.Len() {
		plugins := reflect.Indirect(profiles.Index(i).FieldByName("Plugins"))
		for j := range plugins.NumField() {
			visit(plugins.Field(j))
		}
	}
}

// forgetPlugins takes the plugins out, and the args that only those of the second time brought.
func forgetPlugins(once, twice runtime.Object) {
	first, second := reflect.ValueOf(once).Elem().FieldByName("Profiles"), reflect.ValueOf(twice).Elem().FieldByName("Profiles")
	for i := range min(first.Len(), second.Len()) {
		first.Index(i).FieldByName("Plugins").SetZero()
		second.Index(i).FieldByName("Plugins").SetZero()
		args := second.Index(i).FieldByName("PluginConfig")
		args.Set(args.Slice(0, min(args.Len(), first.Index(i).FieldByName("PluginConfig").Len())))
	}
}
