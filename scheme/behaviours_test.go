// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package scheme

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/schedconf/schedconf/schemas"
)

// TestBehaviours holds that every way of weighing and of expanding multiPoint that a release names is
// implemented, and that every one that is implemented is the way of some release.
func TestBehaviours(t *testing.T) {
	usedWeights, usedArrange := map[string]bool{}, map[string]bool{}
	for _, minor := range schemas.Minors() {
		behaviour := schemas.For(minor).Behaviour
		if usedWeights[behaviour.Weights] = true; weightsOf[behaviour.Weights] == nil {
			t.Errorf("%s: no code for weights %q", minor, behaviour.Weights)
		}
		// Empty is no expansion at all.
		if usedArrange[behaviour.MultiPoint] = true; behaviour.MultiPoint != "" && arrange[behaviour.MultiPoint] == nil {
			t.Errorf("%s: no code for multiPoint %q", minor, behaviour.MultiPoint)
		}
	}
	for name := range weightsOf {
		if !usedWeights[name] {
			t.Errorf("no release finds weights by %q", name)
		}
	}
	for name := range arrange {
		if !usedArrange[name] {
			t.Errorf("no release expands multiPoint by %q", name)
		}
	}
}

// TestServed holds that New registers what the release serves and nothing else: types, args kinds
// and shapes.
func TestServed(t *testing.T) {
	served := map[schema.GroupVersion]bool{}
	for _, minor := range schemas.Minors() {
		s := newScheme(t, minor)
		for gv := range versions {
			api, ok := s.Release.API(gv.String())
			if recognized := s.types.Recognizes(gv.WithKind("KubeSchedulerConfiguration")); recognized != ok {
				t.Errorf("%s: %s is registered: %t, served: %t", minor, gv, recognized, ok)
			}
			if !ok {
				continue
			}
			served[gv] = true
			if _, err := s.Shape(api); err != nil {
				t.Errorf("%s: %v", minor, err)
			}
			for _, kind := range api.Args {
				if args := s.args(api, kind); args == nil || args.GetObjectKind().GroupVersionKind() != gv.WithKind(kind) {
					t.Errorf("%s: args of kind %s are %T", minor, kind, args)
				}
			}
			if api.Behaviour.MergeAt == "default" && versions[gv].plugins == nil {
				t.Errorf("%s: %s merges while defaulting, but has no conversion of plugins", minor, gv)
			}
		}
	}
	for gv := range versions {
		if !served[gv] {
			t.Errorf("no release serves %s", gv)
		}
	}
}

// TestTypes holds that the types have every field that some release has: a document that gives all of
// them is decoded without objection, and written with all of them.
func TestTypes(t *testing.T) {
	for _, minor := range schemas.Minors() {
		s := newScheme(t, minor)
		for i := range s.Release.APIs {
			api := &s.Release.APIs[i]
			shape, err := s.Shape(api)
			if err != nil {
				t.Fatal(err)
			}
			want := fullest(shape, "")
			value, err := json.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			decoded, err := s.Decode(value, api)
			if err != nil {
				t.Fatal(err)
			}
			if decoded.Refused != nil || len(decoded.Misfits) > 0 {
				t.Errorf("%s %s: %v %+v", minor, api.APIVersion, decoded.Refused, decoded.Misfits)
				continue
			}
			text, err := s.Encode(decoded.Object, api)
			if err != nil {
				t.Fatal(err)
			}
			var got any
			if err := yaml.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(roundTripped(t, want), got); diff != "" {
				t.Errorf("%s %s: written is not all that was there (-there +written):\n%s", minor, api.APIVersion, diff)
			}
		}
	}
}

// fullest makes a value of the shape with every field, none of them empty. Args are those of the
// plugin, and a list has one entry of each plugin with args.
func fullest(s *Shape, plugin string) any {
	switch {
	case s.kinds == anything && s.fields == nil:
		return map[string]any{"key": "value"}
	case s.kinds&object != 0:
		object := map[string]any{}
		for name, field := range s.fields {
			object[name] = fullest(field, "")
		}
		if s.values != nil {
			object["key"] = fullest(s.values, "")
		}
		if plugin != "" {
			object["name"], object["args"] = plugin, fullest(s.argsByName[plugin], "")
		}
		return object
	case s.kinds&array != 0:
		list := []any{fullest(s.items, "")}
		for _, plugin := range slices.Sorted(maps.Keys(s.items.argsByName)) {
			list = append(list, fullest(s.items, plugin))
		}
		return list
	case s.allowed != nil:
		return s.allowed[len(s.allowed)-1]
	case s.format == "go-duration":
		return "1s"
	case s.format == "base64":
		return "eA=="
	case s.kinds&text != 0:
		return "x"
	case s.kinds&boolean != 0:
		return true
	}
	return 1
}

func roundTripped(t *testing.T, value any) any {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var again any
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	return again
}

// newScheme builds the scheme of a release with its default gates.
func newScheme(t testing.TB, minor schemas.Minor) *Scheme {
	t.Helper()
	release := schemas.For(minor)
	gates, err := release.NewGates(nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(release, gates)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
