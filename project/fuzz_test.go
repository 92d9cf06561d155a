// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package project

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/validation"
)

// FuzzComments holds that every finding is either kept or counted as passed over, and that what is said about
// comments stands in the file.
func FuzzComments(f *testing.F) {
	for _, text := range []string{
		"a: 1 # schedconf:ignore parallelism-range why\n", "# schedconf:ignore parallelism-range why\n---\na: 1\n",
		"a: |\n  # schedconf:ignore document-ignored why\n  b\nc: d\n", "#schedconf:ignore", "\r\n# schedconf:ignore x,y z\r", "\ufeff%YAML\n# schedconf:ignore parallelism-range\n",
	} {
		f.Add(text, 1)
	}
	f.Fuzz(func(t *testing.T, text string, line int) {
		list := findings("parallelism-range error 1", "document-ignored warning 2", "parallelism-range error 3")
		list[0].Pos.Line, list[0].Message = line, "another"
		kept, suppressed := Apply("f.yaml", []byte(text), list, nil, nil)
		own := 0
		lines := strings.Count(text, "\n") + 1
		for _, d := range kept {
			if d.Rule == validation.RuleSuppressionUnused || d.Rule == validation.RuleSuppressionMalformed {
				own++
				if d.Pos.Line < 1 || d.Pos.Line > lines || d.Pos.Column < 1 {
					t.Errorf("%v is not in the file", d.Pos)
				}
			}
		}
		if len(kept)-own+suppressed != len(list) {
			t.Errorf("%d kept, %d passed over, of %d", len(kept)-own, suppressed, len(list))
		}
	})
}

// FuzzSettings holds that settings are read or refused with a place.
func FuzzSettings(f *testing.F) {
	for _, text := range []string{
		"target: '1.30'\nignore: [{rule: '*', path: '**', reason: x}]\n", "severities: {a: &a off, b: *a}\n", "- x\n", "ignore: [{<<: &x {rule: a}}]\n", "{}", "a: b: c\n",
	} {
		f.Add(text)
	}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		name := filepath.Join(folder, "s.yaml")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		settings, err := ReadSettings(name)
		var fault *SettingsError
		if err != nil && (!errors.As(err, &fault) || fault.Pos.File != name || fault.Pos.Line < 1) {
			t.Fatalf("%v has no place", err)
		}
		if err == nil {
			Apply(filepath.Join(folder, "f.yaml"), nil, diag.List{{Rule: "a", Severity: diag.Warning}}, settings, nil)
		}
	})
}
