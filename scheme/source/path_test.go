// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package source

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/schedconf/schedconf/diag"
)

const sample = `# comment
---
apiVersion: kubescheduler.config.k8s.io/v1
kind: "KubeSchedulerConfiguration"
profiles:
- schedulerName: ä
  pluginConfig: [{name: ä, args: {x: 1}}, b]
  plugins:
    score:
      disabled:
        - name: "*"
        -
  empty:
parallelism: yes
`

func TestPosition(t *testing.T) {
	tests := []struct {
		text, path   string
		line, column int // of the key
		atLine, at   int // of the value
	}{
		{sample, "", 3, 1, 3, 1},
		{sample, "kind", 4, 1, 4, 7},
		{sample, "profiles", 5, 1, 6, 1},
		{sample, "profiles[0]", 6, 3, 6, 3},
		{sample, "profiles[0].schedulerName", 6, 3, 6, 18},
		{sample, "profiles[0].pluginConfig", 7, 3, 7, 17},
		{sample, "profiles[0].pluginConfig[0]", 7, 18, 7, 18},
		{sample, "profiles[0].pluginConfig[0].args", 7, 29, 7, 35},
		{sample, "profiles[0].pluginConfig[0].args.x", 7, 36, 7, 39},
		{sample, "profiles[0].pluginConfig[1]", 7, 44, 7, 44},
		{sample, "profiles[0].plugins.score.disabled[0].name", 11, 11, 11, 17},
		{sample, "profiles[0].plugins.score.disabled[1]", 12, 9, 12, 9},
		{sample, "profiles[0].empty", 13, 3, 13, 8},
		{sample, "parallelism", 14, 1, 14, 14},
		{sample, "profiles[1].schedulerName", 5, 1, 5, 1},
		{sample, "profiles[0].plugins.filter.enabled[0]", 8, 3, 8, 3},
		{sample, "missing.too", 3, 1, 3, 1},
		{sample, "kind.none", 4, 1, 4, 1},

		{"", "a", 1, 1, 1, 1},
		{"\n# c\n", "a", 1, 1, 1, 1},
		{"\n--- # c\n", "a", 2, 1, 2, 1},
		{"--- {a: b}\n", "", 1, 5, 1, 5},
		{"--- {a: b}\n", "a", 1, 6, 1, 9},
		{"\ufeffa: b\r\nc:\r\n  d: e\r\n", "a", 1, 1, 1, 4},
		{"\ufeffa: b\r\nc:\r\n  d: e\r\n", "c.d", 3, 3, 3, 6},
		{"a:", "a", 1, 1, 1, 2},
		{"a: &x !!str\n  b\n", "a", 1, 1, 1, 4},
		{"a: b\u2028c: d\re: f\n", "e", 1, 13, 1, 16}, // only LF ends a line of the file
		{"a: [\n", "a", 1, 1, 1, 1},
		{"? a\n: b\n", "a", 1, 3, 2, 3},
		{"a: |\n  text\n", "a", 1, 1, 1, 4},
		{"a: 1\nb: 2\na: 3\n", "a", 3, 1, 3, 4}, // the value that counts

		// Aliases and merge keys.
		{"x: &x\n  k: 1\ny: *x\n", "y", 3, 1, 3, 4},
		{"x: &x\n  k: 1\ny: *x\n", "y.k", 2, 3, 2, 6},
		{"x: &x {k: 1}\ny:\n- *x\n", "y[0]", 3, 3, 3, 3},
		{"x: &x {k: 1}\ny:\n- *x\n", "y[0].k", 1, 8, 1, 11},
		{"x: &x\n  k: 1\ny:\n  <<: *x\n  l: 2\n", "y.k", 2, 3, 2, 6},
		{"x: &x\n  k: 1\ny:\n  <<: *x\n  l: 2\n", "y.l", 5, 3, 5, 6},
		{"x: &x\n  k: 1\ny:\n  <<: *x\n  k: 2\n", "y.k", 5, 3, 5, 6},
		{"x: &x {k: 1}\nz: &z {k: 2, m: 3}\ny:\n  <<: [*x, *z]\n", "y.k", 1, 8, 1, 11},
		{"x: &x {k: 1}\nz: &z {k: 2, m: 3}\ny:\n  <<: [*x, *z]\n", "y.m", 2, 14, 2, 17},
		{"y:\n  '<<': {k: 1}\n", "y.k", 1, 1, 1, 1},
		{"a: &a\n- *a\n- b\n", "a[0][0][1]", 3, 3, 3, 3},

		// JSON.
		{`{"a": {"ä": 1, "c": [2, {"d": null}]}}`, "a.ä", 1, 8, 1, 14},
		{`{"a": {"ä": 1, "c": [2, {"d": null}]}}`, "a.c[1].d", 1, 27, 1, 32},
		{"{\n\t\"a\":\t[\n\t\t1,\n\t\t{\"b\" :\t2}\n\t]\n}", "a", 2, 2, 2, 7},
		{"{\n\t\"a\":\t[\n\t\t1,\n\t\t{\"b\" :\t2}\n\t]\n}", "a[1].b", 4, 4, 4, 10},
		{"\ufeff{\"a\":1}", "a", 1, 2, 1, 6},
		{"{\"a\":1,\n\"b\":2,}", "b", 2, 1, 2, 5}, // broken, read as YAML
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%.12q/%s", test.text, test.path), func(t *testing.T) {
			d, path := one(t, test.text), diag.ParsePath(test.path)
			want := diag.Position{File: "f.yaml", Line: test.line, Column: test.column}
			if got := d.Position(path); got != want {
				t.Errorf("Position is %v, want %v", got, want)
			}
			want.Line, want.Column = test.atLine, test.at
			if got := d.ValuePosition(path); got != want {
				t.Errorf("ValuePosition is %v, want %v", got, want)
			}
		})
	}
}

func TestPositionInLaterDocuments(t *testing.T) {
	documents := Split("-", []byte("\ufeffa: 1\r\n---\r\n# c\r\nb:\r\n  c: 2\r\n--- {d: e}\r\n"))
	if got := Split("-", []byte("a: 1\r---\rb: 2\r---\rc: 3\n"))[2].Position(diag.Path{"c"}); got.Line != 1 || got.Column != 19 {
		t.Errorf("behind lone carriage returns: got %v", got)
	}
	for i, want := range []diag.Position{
		{File: "-", Document: 0, Line: 1, Column: 1},
		{File: "-", Document: 1, Line: 5, Column: 3},
		{File: "-", Document: 2, Line: 6, Column: 6},
	} {
		path := []diag.Path{{"a"}, {"b", "c"}, {"d"}}[i]
		if got := documents[i].Position(path); got != want {
			t.Errorf("document %d: got %+v, want %+v", i, got, want)
		}
	}
}

func TestValues(t *testing.T) {
	d := one(t, "a: yes # c\nb: 'x''y'\nc: [1, 0x1F, *n]\nn: &n\n  <<: {k: 1, l: 2}\n  k: 3\n  k: 4\ne:\n")
	if d.Has(diag.Path{"a"}) {
		t.Error("an anchor that comes later is an error")
	}
	d = one(t, "n: &n\n  <<: {k: 1, l: 2}\n  k: 3\n  k: 4\na: yes # c\nb: 'x''y'\nc: [1, 0x1F, *n]\ne:\n? [complex]\n: f\n")
	for path, want := range map[string]string{
		"a": "yes", "b": "x'y", "c[1]": "0x1F", "c[2].k": "4", "c[2].l": "2", "e": "",
	} {
		if got, ok := d.Scalar(diag.ParsePath(path)); !ok || got != want {
			t.Errorf("Scalar(%s) = %q, %v, want %q", path, got, ok, want)
		}
	}
	for _, path := range []string{"c", "n", "missing", "c[3]", "c[-1]", "a.b", "n.<<"} {
		if got, ok := d.Scalar(diag.ParsePath(path)); ok {
			t.Errorf("Scalar(%s) = %q", path, got)
		}
	}
	if got, want := d.Keys(nil), []string{"n", "a", "b", "c", "e"}; !slices.Equal(got, want) {
		t.Errorf("Keys of the root are %q, want %q", got, want)
	}
	if got, want := d.Keys(diag.Path{"c", "2"}), []string{"l", "k", "k"}; !slices.Equal(got, want) {
		t.Errorf("Keys through an alias are %q, want %q", got, want)
	}
	if got := d.Keys(diag.Path{"c"}); got != nil {
		t.Errorf("Keys of a list are %q", got)
	}
	if got := d.Len(diag.Path{"c"}); got != 3 {
		t.Errorf("Len = %d, want 3", got)
	}
	if got := d.Len(diag.Path{"a"}); got != 0 {
		t.Errorf("Len of a scalar = %d", got)
	}
	json := one(t, `{"s":"a\u00e4\"","n":1.50,"t":true,"z":null,"<<":{"k":1}}`)
	for path, want := range map[string]string{"s": `aä"`, "n": "1.50", "t": "true", "z": "null", "<<.k": "1"} {
		if got, ok := json.Scalar(diag.ParsePath(path)); !ok || got != want {
			t.Errorf("JSON Scalar(%s) = %q, %v, want %q", path, got, ok, want)
		}
	}
}

func TestDuplicates(t *testing.T) {
	at := func(line, column int) diag.Position {
		return diag.Position{File: "f.yaml", Line: line, Column: column}
	}
	tests := []struct {
		name, text string
		want       []Duplicate
	}{
		{"none", sample, nil},
		{"thrice", "a: 1\na: 2\n\"a\": 3\n", []Duplicate{
			{diag.Path{"a"}, at(1, 1), at(2, 1), false}, {diag.Path{"a"}, at(1, 1), at(3, 1), false},
		}},
		{"file order", "a:\n- b: 1\n  b: {c: 1, c: 2}\na: 2\n", []Duplicate{
			{diag.Path{"a", "0", "b"}, at(2, 3), at(3, 3), false},
			{diag.Path{"a", "0", "b", "c"}, at(3, 7), at(3, 13), false},
			{diag.Path{"a"}, at(1, 1), at(4, 1), false},
		}},
		{"anchor used twice", "a: &a {k: 1, k: 2}\nb: *a\nc: *a\n", []Duplicate{{diag.Path{"a", "k"}, at(1, 8), at(1, 14), false}}},
		{"the same", "a: {b: [1, x], c: 2}\na:\n  b: [1, 'x']\n  c: 2\n", []Duplicate{{diag.Path{"a"}, at(1, 1), at(2, 1), true}}},
		{"another type", "a: 1\na: '1'\n", []Duplicate{{diag.Path{"a"}, at(1, 1), at(2, 1), false}}},
		{"the same through an alias", "x: &x 1\na: 1\na: *x\n", []Duplicate{{diag.Path{"a"}, at(2, 1), at(3, 1), false}}},
		{"merge keys", "a: &a {k: 1}\nb: {<<: *a, <<: *a, k: 2}\n", nil},
		{"JSON", "{\"a\":1,\n \"a\":2}", []Duplicate{{diag.Path{"a"}, at(1, 2), at(2, 2), false}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := one(t, test.text).Duplicates(); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got  %v\nwant %v", got, test.want)
			}
		})
	}
}

func TestComments(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "a: 1\n": false, "a: b#c\n": false, "a: \"b # c\"\n": false, "a: '''b'' # c'\n": false,
		"a: &x !y 'b # c'\n": false, "a: |\n  # b\n  c\n\n   # d\n": false, "a: >2\n    # b\n": false,
		"a: \"b\n  # c\\\" # d\"\n": false, `{"a": "b # c"}`: false, "a: \"\"\n": false,
		"# c": true, "a: 1 # c\n": true, "a: |\n  b\n# c\n": true, "a: | # c\n  b\n": true, "--- # c\n": true,
		"a: [b, # c\n]": true, "a: 'b' # c\n": true, "a: [ # c\n": true, "- |\n  a\n - # c\n": true,
	} {
		if got := one(t, text).Comments(); got != want {
			t.Errorf("%q: Comments() = %v", text, got)
		}
	}
}
