// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package diag_test

import (
	"testing"

	"github.com/schedconf/schedconf/diag"
)

// TestPositionString leaves out what is unknown, as editors and terminals read file:line:column.
func TestPositionString(t *testing.T) {
	for want, p := range map[string]diag.Position{
		"":       {},
		"a.yaml": {File: "a.yaml", Column: 3},
		"a:4":    {File: "a", Line: 4},
		"a:4:2":  {File: "a", Line: 4, Column: 2},
	} {
		if got := p.String(); got != want {
			t.Errorf("%+v is %q, want %q", p, got, want)
		}
	}
}
