// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schemas_test

import (
	"slices"
	"testing"

	"github.com/schedconf/schedconf/schemas"
)

// TestPhases holds that a plugin has the points that one is said to need the other of, from the minor on
// that is named and in every later one that has the plugin at both points.
func TestPhases(t *testing.T) {
	newest := map[schemas.Phase]bool{}
	for _, minor := range schemas.Minors() {
		release := schemas.For(minor)
		for _, phase := range release.Phases() {
			plugin, _ := release.Plugin(phase.Plugin)
			both := slices.Contains(plugin.Points, phase.Point) && slices.Contains(plugin.Points, phase.Needs)
			if !both && (phase.First == release.Name || newest[phase]) {
				t.Errorf("%s: %s does not have both %s and %s, but %v", release.Name, phase.Plugin, phase.Point, phase.Needs, plugin.Points)
			}
			newest[phase] = both
		}
	}
	if len(newest) < 20 {
		t.Errorf("the releases have %d phases", len(newest))
	}
	if old := schemas.For(schemas.Minors()[0]).Phases(); len(old) > 0 {
		t.Errorf("1.16 has no points that prepare others, and %v", old)
	}
}
