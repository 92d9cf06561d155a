// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schedconf_test

import (
	"os"
	"strings"
	"testing"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/validation"
)

// TestQuiet holds that recorded configurations that do nothing unusual bring no warning up. The list
// was made by hand: a configuration is on it if nobody could mean anything but what it says.
func TestQuiet(t *testing.T) {
	list, err := os.ReadFile("testdata/recorded/quiet.txt")
	if err != nil {
		t.Fatal(err)
	}
	cases := recordedCases(t)
	names := strings.Fields(string(list))
	if len(names) < 40 {
		t.Fatalf("the list has %d configurations", len(names))
	}
	minors := schemas.Minors()
	for _, name := range names {
		text, ok := cases[name]
		if !ok {
			t.Errorf("%s is not recorded", name)
			continue
		}
		result, err := validation.New(newScheme(t, minors[len(minors)-1])).Check(source.Split(name, []byte(text))[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range result.Findings {
			if d.Severity != diag.Info {
				t.Errorf("%s: %s [%s]", d.Pos, d.Message, d.Rule)
			}
		}
	}
}
