// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedconf/schedconf/validation"
)

// TestReadSettings holds the forms in which editors send settings: bare, under the name of the section, or none.
func TestReadSettings(t *testing.T) {
	start := Settings{Target: "1.20", Plugins: []string{"Mine"}}
	for data, want := range map[string]Settings{
		``:                        start,
		`null`:                    start,
		`{}`:                      start,
		`{"schedconf": null}`:     start,
		`{"yaml": {"target": 5}}`: start,
		`{"target": "1.30"}`:      {Target: "1.30", Plugins: []string{"Mine"}},
		`{"schedconf": {"target": "1.30", "featureGates": {"A": false}, "plugins": []}}`: {Target: "1.30", FeatureGates: map[string]bool{"A": false}, Plugins: []string{}},
	} {
		got := start
		if err := readSettings(json.RawMessage(data), &got); err != nil || !cmp.Equal(want, got) {
			t.Errorf("%s: %v\n%s", data, err, cmp.Diff(want, got))
		}
	}
	for _, data := range []string{`5`, `[]`, `{"target": 1.30}`, `{"schedconf": 7}`} {
		got := start
		if err := readSettings(json.RawMessage(data), &got); err == nil || !cmp.Equal(start, got) {
			t.Errorf("%s: %v, %v", data, err, got)
		}
	}
}

// TestTags holds that what is tagged is a rule.
func TestTags(t *testing.T) {
	for rule := range tags {
		if _, ok := validation.Lookup(rule); !ok {
			t.Errorf("there is no rule %q", rule)
		}
	}
}

// TestPaths holds that a file is found by what editors send, which is not always written the same.
func TestPaths(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///a/b.yaml": "/a/b.yaml", "file:///a%20b/%C3%A4.yaml": "/a b/ä.yaml", "untitled:Untitled-1": "untitled:Untitled-1", "%zz": "%zz",
	} {
		if got := pathOf(uri); got != want {
			t.Errorf("%s: %s, want %s", uri, got, want)
		}
	}
	if got := uriOf("/a b/ä.yaml"); got != "file:///a%20b/%C3%A4.yaml" {
		t.Error(got)
	}
}

// TestWordEnd holds what is marked in the text for a finding that is at the start of it.
func TestWordEnd(t *testing.T) {
	for text, want := range map[string]string{
		"key: value\n": "key", "value # why": "value", `"a b": 1`: `"a b"`, "'a b'\r\n": "'a b'", "- name: x": "- name", "{a: 1}": "{a",
		"a,b": "a", "\n": "", "": "", `"open`: `"open`, "http://x:1/ ": "http://x:1/", "[": "[",
	} {
		if got := text[:wordEnd(text, 0)]; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
