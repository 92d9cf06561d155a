// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedconf/schedconf/diag"
)

// findings makes a list of "rule severity line"; an error is one of a release.
func findings(lines ...string) diag.List {
	var list diag.List
	for _, line := range lines {
		var rule, severity string
		d := diag.Diagnostic{Pos: diag.Position{File: "f.yaml", Column: 1}, Message: "m"}
		if _, err := fmt.Sscan(line, &rule, &severity, &d.Pos.Line); err != nil {
			panic(err)
		}
		d.Rule, d.Severity = rule, severityWords[severity]
		if d.Severity == diag.Error {
			d.Stage = diag.Validate
		}
		list = append(list, d)
	}
	return list
}

func describe(list diag.List) []string {
	lines := []string{}
	for _, d := range list {
		lines = append(lines, fmt.Sprintf("%s %s %d", d.Rule, d.Severity, d.Pos.Line))
	}
	return lines
}

// TestComments says for each text which findings stay.
func TestComments(t *testing.T) {
	const a, b = "parallelism-range error", "document-ignored warning"
	for name, test := range map[string]struct {
		text       string
		given      diag.List
		want       []string
		suppressed int
	}{
		"same line":   {"x: 1\ny: 2 # schedconf:ignore parallelism-range why\nz: 3\n", findings(a+" 2", b+" 2", a+" 3"), []string{b + " 2", a + " 3"}, 1},
		"line above":  {"x: 1\n# schedconf:ignore parallelism-range why\n\n# more\ny: 2\nz: 3\n", findings(a+" 5", a+" 6"), []string{a + " 6"}, 1},
		"two rules":   {"x: 1\n#schedconf:ignore parallelism-range,document-ignored why\ny: 2\n", findings(a+" 3", b+" 3"), []string{}, 2},
		"head":        {"\ufeff# hello\n# schedconf:ignore parallelism-range why\n---\ny: 2\nz: 3\n", findings(a+" 4", a+" 5", b+" 5"), []string{b + " 5"}, 2},
		"block":       {"a:\n  b: |  # text\n    # schedconf:ignore parallelism-range why\n    y: 2\n\n    z: 3\n  c: 1\n", findings(a+" 4", a+" 6", a+" 7"), []string{a + " 7"}, 2},
		"carriage":    {"x: 1\r\ny: 2 # schedconf:ignore parallelism-range why\r\n", findings(a + " 2"), []string{}, 1},
		"unused":      {"x: 1\ny: 2 # schedconf:ignore parallelism-range,document-ignored why\n", findings(a + " 2"), []string{"suppression-unused warning 2"}, 1},
		"no reason":   {"x: 1\ny: 2 # schedconf:ignore parallelism-range\n", findings(a + " 2"), []string{a + " 2", "suppression-malformed warning 2"}, 0},
		"no rule":     {"x: 1\ny: 2 # schedconf:ignore\n", findings(a + " 2"), []string{a + " 2", "suppression-malformed warning 2"}, 0},
		"all rules":   {"x: 1\ny: 2 # schedconf:ignore * why\n", findings(a + " 2"), []string{a + " 2", "suppression-malformed warning 2"}, 0},
		"other rule":  {"x: 1\ny: 2 # schedconf:ignore paralelism-range why\n", findings(a + " 2"), []string{a + " 2", "suppression-malformed warning 2"}, 0},
		"other word":  {"x: 1\ny: 2 # schedconf:ignored parallelism-range why\n", findings(a + " 2"), []string{a + " 2"}, 0},
		"no comment":  {"x: 1\ny: 2# schedconf:ignore parallelism-range why\n", findings(a + " 2"), []string{a + " 2"}, 0},
		"at the end":  {"x: 1\n# schedconf:ignore parallelism-range why", nil, []string{"suppression-unused warning 2"}, 0},
		"only itself": {"# schedconf:ignore parallelism-range why", nil, []string{"suppression-unused warning 1"}, 0},
	} {
		got, n := Apply("f.yaml", []byte(test.text), test.given, nil, nil)
		if diff := cmp.Diff(test.want, describe(got)); diff != "" || n != test.suppressed {
			t.Errorf("%s: %d suppressed, want %d, -want +got:\n%s", name, n, test.suppressed, diff)
		}
	}
}

// TestCommentDocument holds that a comment has the document that it stands in.
func TestCommentDocument(t *testing.T) {
	got, _ := Apply("f.yaml", []byte("a: 1\n---\nb: 2\n---\nc: 3 # schedconf:ignore x\n"), nil, nil, nil)
	if len(got) != 1 || got[0].Pos != (diag.Position{File: "f.yaml", Document: 2, Line: 5, Column: 6}) {
		t.Errorf("%+v", got)
	}
}

// TestIgnores holds that settings pass over what they name, and over what a release refuses only where they
// name the rule.
func TestIgnores(t *testing.T) {
	list := findings("parallelism-range error 1", "document-ignored warning 2", "api-version-deprecated warning 3", "flag-overrides info 4")
	all := describe(list)
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"named":           {"ignore: [{rule: parallelism-range, reason: x}]", all[1:]},
		"pattern":         {"ignore: [{rule: '*-*', reason: x}]", all[:1]},
		"path alone":      {"ignore: [{path: '**', reason: x}]", all[:1]},
		"path":            {"ignore: [{path: 'sub/*.yaml', rule: document-ignored, reason: x}]", []string{all[0], all[2], all[3]}},
		"other path":      {"ignore: [{path: '*.yaml', rule: document-ignored, reason: x}]", all},
		"severity":        {"severities: {document-ignored: info, flag-overrides: 'off', api-version-deprecated: error}", []string{all[0], "document-ignored info 2", "api-version-deprecated error 3"}},
		"severity of one": {"severities: {parallelism-range: 'off'}", all},
	} {
		folder := t.TempDir()
		settings, err := ReadSettings(write(t, filepath.Join(folder, SettingsFile), test.text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, n := Apply(filepath.Join(folder, "sub", "f.yaml"), nil, list, settings, nil)
		if diff := cmp.Diff(test.want, describe(got)); diff != "" || n != len(list)-len(got) {
			t.Errorf("%s: %d suppressed, -want +got:\n%s", name, n, diff)
		}
		settings.Met(filepath.Join(folder, "sub", "f.yaml"))
		if got := settings.Unused(); len(got) > 0 {
			t.Errorf("%s: %v are unused", name, got)
		}
	}
}

// TestUnusedIgnores holds that an entry is missed only where it could have been used.
func TestUnusedIgnores(t *testing.T) {
	folder := t.TempDir()
	settings, err := ReadSettings(write(t, filepath.Join(folder, SettingsFile),
		"ignore:\n- {rule: plugin-unknown, path: 'a/*', reason: x}\n- {rule: plugin-unknown, path: 'b/*', reason: x}\n- {rule: parallelism-range, reason: x}\n"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "b", "f.yaml")
	settings.Met(file)
	Apply(file, nil, findings("parallelism-range error 1"), settings, nil)
	if diff := cmp.Diff([]string{"suppression-unused warning 3"}, describe(settings.Unused())); diff != "" {
		t.Error(diff)
	}
}

// TestBaseline writes a baseline, reads it, and holds later findings against it.
func TestBaseline(t *testing.T) {
	name := filepath.Join(t.TempDir(), "baseline.json")
	file := filepath.Join(filepath.Dir(name), "sub", "f.yaml")
	made, err := NewBaseline(name)
	if err != nil {
		t.Fatal(err)
	}
	made.Add(file, findings("parallelism-range error 1", "document-ignored warning 2", "document-ignored warning 9", "flag-overrides info 4"))
	text, err := made.Text()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "parallelism-range") || !strings.Contains(string(text), `"file": "sub/f.yaml"`) || !strings.Contains(string(text), `"count": 2`) {
		t.Errorf("%s", text)
	}
	write(t, name, string(text))
	read := func() *Baseline {
		b, err := ReadBaseline(name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	b := read()
	got, n := Apply(file, nil, findings("parallelism-range error 1", "document-ignored warning 20", "document-ignored warning 21", "document-ignored warning 22", "flag-overrides info 5"), nil, b)
	if diff := cmp.Diff([]string{"parallelism-range error 1", "document-ignored warning 22"}, describe(got)); diff != "" || n != 3 {
		t.Errorf("%d suppressed, -want +got:\n%s", n, diff)
	}
	if got := b.Unused(); len(got) > 0 {
		t.Errorf("%v", got)
	}
	b = read()
	Apply(file, nil, findings("document-ignored warning 20"), nil, b)
	if got := b.Unused(); len(got) != 1 || !strings.HasSuffix(got[0].Message, ": 2") {
		t.Errorf("%v", got)
	}
	b = read()
	b.Met(filepath.Join(filepath.Dir(name), "other.yaml"))
	if got := b.Unused(); len(got) > 0 {
		t.Errorf("%v of a file that was not judged", got)
	}
	for _, text := range []string{"", "{}", `{"baseline": 2}`, `{"baseline": 1, "nonsense": 1}`, "[]"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadBaseline(name); err == nil {
			t.Errorf("%q is taken for a baseline", text)
		}
	}
}
