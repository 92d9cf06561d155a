// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package scheme

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

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
