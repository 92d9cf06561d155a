// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schemas_test

import (
	"testing"

	"github.com/schedconf/schedconf/schemas"
)

// TestOlderWeight: v1beta3 raised three weights of v1beta2 (pkg/scheduler/apis/config/v1beta2 and v1beta3,
// default_plugins.go).
func TestOlderWeight(t *testing.T) {
	for _, test := range []struct {
		apiVersion, plugin string
		weight             int32
		want               string
	}{
		{group + "v1", "TaintToleration", 1, group + "v1beta2"},
		{group + "v1beta3", "InterPodAffinity", 1, group + "v1beta2"},
		{group + "v1", "TaintToleration", 2, ""},
		{group + "v1beta2", "TaintToleration", 3, ""},
		{group + "v1beta2", "NodeAffinity", 1, group + "v1beta1"},
		{group + "v1", "NoSuchPlugin", 1, ""},
	} {
		if got, ok := schemas.OlderWeight(test.apiVersion, test.plugin, test.weight); got != test.want || ok != (test.want != "") {
			t.Errorf("%s of %s: weight %d is of %q, want %q", test.plugin, test.apiVersion, test.weight, got, test.want)
		}
	}
}
