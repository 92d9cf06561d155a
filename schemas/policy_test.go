// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schemas_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/schedconf/schedconf/schemas"
)

// TestPolicyFiles holds that what a policy.json names exists: names among names, plugins among those of
// the release or of a later one for what it runs itself, points and gates.
func TestPolicyFiles(t *testing.T) {
	if n := len(schemas.PolicyReleases()); n != 7 {
		t.Fatalf("%d releases read a Policy, want 1.16 to 1.22", n)
	}
	for _, release := range schemas.PolicyReleases() {
		facts, ok := release.Policy()
		if !ok {
			t.Fatalf("%s has no policy.json", release.Name)
		}
		for _, name := range slices.Concat(facts.Predicates, facts.Priorities) {
			for gate := range name.Gates {
				knowsGate(t, release, gate)
			}
			for point, plugins := range name.Points {
				for _, plugin := range plugins {
					checkPolicyPlugin(t, release, facts.Behaviour.Runs != "plugins", name.Name, point, plugin)
				}
			}
		}
		var known []string
		for _, name := range facts.Predicates {
			known = append(known, name.Name)
		}
		within(t, release.Name+": order", facts.Order, known)
		for _, d := range slices.Concat(facts.Mandatory, facts.DefaultPredicates) {
			within(t, release.Name+": predicates", []string{d.Name}, known)
			for gate := range d.Gates {
				knowsGate(t, release, gate)
			}
		}
		known = nil
		for _, name := range facts.Priorities {
			known = append(known, name.Name)
		}
		for _, d := range facts.DefaultPriorities {
			within(t, release.Name+": priorities", []string{d.Name}, known)
			if d.Weight < 1 {
				t.Errorf("%s: the default weight of %s is %d", release.Name, d.Name, d.Weight)
			}
		}
		for point, plugins := range facts.Always {
			for _, plugin := range plugins {
				checkPolicyPlugin(t, release, false, "always", point, plugin)
			}
		}
		for _, apiVersion := range release.Policies {
			if api := release.PolicyAPI(apiVersion); api == nil || !maps.EqualFunc(api.Checks, facts.Checks, slices.Equal[[]string]) {
				t.Errorf("%s: a Policy of %s has other checks than those of the file", release.Name, apiVersion)
			}
		}
	}
	if facts, ok := release(t, "1.23").Policy(); ok {
		t.Errorf("1.23 reads a Policy: %v", facts)
	}
}

// checkPolicyPlugin holds that a plugin implements a point, in the release or where it is native in a
// later one.
func checkPolicyPlugin(t *testing.T, release *schemas.Release, native bool, name, point, plugin string) {
	t.Helper()
	if facts, ok := release.Plugin(plugin); ok && slices.Contains(facts.Points, point) {
		return
	}
	for _, later := range schemas.PolicyReleases() {
		if facts, ok := later.Plugin(plugin); native && ok && slices.Contains(facts.Points, point) {
			return
		}
	}
	t.Errorf("%s: %s: no plugin %q implements %s", release.Name, name, plugin, point)
}

// TestPolicyNames holds aliases, gates and spans (1.16 to 1.22, legacy_registry.go and
// register_predicates.go).
func TestPolicyNames(t *testing.T) {
	facts, _ := release(t, "1.22").Policy()
	if name, ok := facts.Predicate("PodFitsPorts", nil); !ok || name.Name != "PodFitsHostPorts" {
		t.Errorf("PodFitsPorts stands for %v", name)
	}
	for state, plugin := range map[bool]string{true: "PodTopologySpread", false: "SelectorSpread"} {
		name, ok := facts.Priority("SelectorSpreadPriority", schemas.Gates{"DefaultPodTopologySpread": state})
		if !ok || !slices.Equal(name.Points["score"], []string{plugin}) {
			t.Errorf("DefaultPodTopologySpread=%t: SelectorSpreadPriority is %v", state, name)
		}
	}
	for name, want := range map[string]string{"CheckNodeCondition": "only in 1.16", "ResourceLimitsPriority": "1.16 to 1.18", "HostName": "1.16 to 1.22"} {
		if span, ok := schemas.PolicySpan(name); !ok || span.String() != want {
			t.Errorf("%s is known %s, want %s", name, span, want)
		}
	}
	if _, ok := schemas.PolicySpan("NoSuchPredicate"); ok {
		t.Error("a predicate has a span that does not exist")
	}
}
