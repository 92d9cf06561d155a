// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"testing"

	"github.com/schedconf/schedconf/schemas"
)

// TestBehaviours holds that every way of merging and of filling in addresses that a release names is
// implemented, and that every one that is implemented is the way of some release.
func TestBehaviours(t *testing.T) {
	usedMerges, usedAddresses := map[string]bool{}, map[string]bool{}
	for _, minor := range schemas.Minors() {
		for _, api := range schemas.For(minor).APIs {
			name := api.Behaviour.MergePlugins
			if usedMerges[name] = true; merges[name] == nil {
				t.Errorf("%s %s: no code for mergePlugins %q", minor, api.APIVersion, name)
			}
			name = api.Behaviour.Addresses
			if usedAddresses[name] = true; addresses[name] == nil {
				t.Errorf("%s %s: no code for addresses %q", minor, api.APIVersion, name)
			}
		}
	}
	for name := range merges {
		if !usedMerges[name] {
			t.Errorf("no release merges plugins by %q", name)
		}
	}
	for name := range addresses {
		if !usedAddresses[name] {
			t.Errorf("no release fills in addresses by %q", name)
		}
	}
}
