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
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestSettings reads settings that say everything.
func TestSettings(t *testing.T) {
	name := write(t, filepath.Join(t.TempDir(), SettingsFile), `# of the project
target: "1.30"
featureGates: {A: true, B: false}
plugins: [Mine, Yours=filter]
pluginRegistries: [scheduler-plugins]
argsSchemas: {Mine: mine.json}
severities: {document-ignored: error, api-version-deprecated: 'off'}
ignore:
- {rule: plugin-unknown, path: "deploy/**", reason: ours}
`)
	s, err := ReadSettings(name)
	if err != nil {
		t.Fatal(err)
	}
	if s.Target != "1.30" || s.TargetPos.Line != 2 || s.TargetPos.Column != 9 || !s.FeatureGates["A"] || s.FeatureGates["B"] || len(s.FeatureGates) != 2 {
		t.Errorf("%+v", s)
	}
	if len(s.Plugins) != 2 || s.Plugins[1].Text != "Yours=filter" || s.Registries[0].Text != "scheduler-plugins" || s.ArgsSchemas["Mine"].Text != "mine.json" {
		t.Errorf("%+v", s)
	}
	if s.Severities["document-ignored"] != diag.Error || s.Severities["api-version-deprecated"] != 0 || len(s.Severities) != 2 {
		t.Errorf("%+v", s.Severities)
	}
	if i := s.Ignores[0]; i.Rule != "plugin-unknown" || i.Path != "deploy/**" || i.Reason != "ours" || i.Pos.Line != 9 {
		t.Errorf("%+v", i)
	}
}

// TestSettingsFaults holds that whatever is wrong is said with its place.
func TestSettingsFaults(t *testing.T) {
	for text, want := range map[string]string{
		"tragets: x\n":                     `1:1: the settings have no key "tragets": did you mean "target"?`,
		"a\n":                              "1:1: the settings have to be a mapping",
		"target: [\n":                      "file-syntax",
		"target: '1.30'\ntarget: '1.31'\n": `2:1: the key "target" stands twice`,
		"target: {}\n":                     "1:9: a text is needed here",
		"plugins: Mine\n":                  "1:10: a list is needed here",
		"plugins: [{}]\n":                  "1:11: a text is needed here",
		"featureGates: [A]\n":              "1:15: feature gates have to be a mapping",
		"featureGates:\n  A: maybe\n":      "2:6: the feature gate A takes true or false",
		"argsSchemas: x\n":                 "1:14: args schemas have to be a mapping",
		"severities:\n  document-ignord: error\n": `2:3: no rule is called "document-ignord", did you mean "document-ignored"?`,
		"severities: {document-ignored: bad}\n":   "1:32: the choices are error, warning, info and off",
		"severities: {document-ignored: false}\n": "1:32: YAML reads this as false",
		"ignore: {}\n":                              "1:9: a list is needed here",
		"ignore: [{rule: plugin-unknown}]\n":        "1:10: give a reason",
		"ignore: [{reason: x}]\n":                   "1:10: name a rule, a path, or both",
		"ignore: [{rule: nonsense, reason: x}]\n":   `1:17: no rule is called "nonsense"`,
		"ignore: [{path: '[', reason: x}]\n":        `1:17: the pattern "[" cannot be read`,
		"ignore: [{path: a, file: b, reason: x}]\n": `1:20: entries of ignore have no key "file"`,
		"ignore: [a]\n":                             "1:10: entries of ignore have to be a mapping",
	} {
		_, err := ReadSettings(write(t, filepath.Join(t.TempDir(), "s.yaml"), text))
		var fault *SettingsError
		if !errors.As(err, &fault) {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if want == "file-syntax" {
			if fault.Pos.Line == 0 {
				t.Errorf("%q: %v has no place", text, err)
			}
			continue
		}
		if !strings.Contains(err.Error(), "s.yaml:"+want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"", "# nothing\n", "{}\n"} {
		if _, err := ReadSettings(write(t, filepath.Join(t.TempDir(), "s.yaml"), text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestFinder holds that the nearest settings count, and none from beyond a repository.
func TestFinder(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, SettingsFile), "target: 'outer'\n")
	write(t, filepath.Join(root, "a", SettingsFile), "target: 'inner'\n")
	write(t, filepath.Join(root, "a", "b", "c", "x.yaml"), "")
	write(t, filepath.Join(root, "repo", ".git", "HEAD"), "")
	write(t, filepath.Join(root, "repo", "below", "x.yaml"), "")
	write(t, filepath.Join(root, "bad", SettingsFile), "- x\n")
	var f Finder
	for name, want := range map[string]string{"x.yaml": "outer", "a/b/c/x.yaml": "inner", "repo/below/x.yaml": ""} {
		s, err := f.For(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if s != nil {
			got = s.Target
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if _, err := f.For(filepath.Join(root, "bad", "x.yaml")); err == nil {
		t.Error("settings that cannot be read are passed over")
	}
	f.Given = &Settings{Target: "given"}
	if s, _ := f.For(filepath.Join(root, "a", "x.yaml")); s.Target != "given" {
		t.Errorf("%+v", s)
	}
}
