// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schemas_test

import (
	"cmp"
	"slices"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/schedconf/schedconf/schemas"
)

// TestOldWeights holds the list of weights that changed against the defaults of every apiVersion.
func TestOldWeights(t *testing.T) {
	var versions []string // the oldest first
	weights := map[string]map[string]int32{}
	for _, minor := range schemas.Minors() {
		release := schemas.For(minor)
		for _, api := range slices.Backward(release.APIs) {
			if weights[api.APIVersion] == nil {
				versions = append(versions, api.APIVersion)
			}
			weights[api.APIVersion] = map[string]int32{}
			for _, list := range api.DefaultPlugins {
				for _, plugin := range list {
					if plugin.Weight != nil && *plugin.Weight > 0 {
						weights[api.APIVersion][plugin.Name] = *plugin.Weight
					}
				}
			}
		}
	}
	var want []schemas.OldWeight
	for i, older := range versions {
		for plugin, weight := range weights[older] {
			for _, newer := range versions[i+1:] {
				if now, ok := weights[newer][plugin]; ok && now != weight {
					want = slices.DeleteFunc(want, func(old schemas.OldWeight) bool { return old.Plugin == plugin && old.Weight == weight })
					want = append(want, schemas.OldWeight{Plugin: plugin, Weight: weight, UpTo: older})
				}
			}
		}
	}
	slices.SortFunc(want, func(a, b schemas.OldWeight) int {
		return cmp.Or(cmp.Compare(a.Plugin, b.Plugin), cmp.Compare(a.Weight, b.Weight))
	})
	if found := diff.Diff(want, schemas.OldWeights()); found != "" {
		t.Errorf("-of the releases +of weights.json:\n%s", found)
	}
}
