// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/schedconf/schedconf/diag"
)

// readText reads a document as kube-scheduler does.
func readText(text []byte) (value any, repeated, err error) {
	data := text
	if !Split("", text)[0].JSON() {
		if data, repeated = yaml.YAMLToJSONStrict(text); repeated != nil {
			if data, err = yaml.YAMLToJSON(text); err != nil {
				return nil, nil, err
			}
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, nil, err
	}
	if decoder.More() {
		return nil, nil, errors.New("more than one value")
	}
	return value, repeated, nil
}

// set returns a value with another one at a path; "-" at its end takes the last step away.
func set(value any, path string, to any) any {
	steps := diag.ParsePath(path)
	var walk func(value any, steps diag.Path) any
	walk = func(value any, steps diag.Path) any {
		if len(steps) == 0 {
			return to
		}
		switch v := value.(type) {
		case map[string]any:
			if steps[0] == "" {
				return to
			}
			if len(steps) == 1 && to == gone {
				delete(v, steps[0])
				return v
			}
			v[steps[0]] = walk(v[steps[0]], steps[1:])
			return v
		case []any:
			var i int
			fmt.Sscan(steps[0], &i)
			switch {
			case len(steps) == 1 && to == gone:
				return slices.Delete(v, i, i+1)
			case i == len(v):
				return append(v, walk(nil, steps[1:]))
			}
			v[i] = walk(v[i], steps[1:])
			return v
		}
		return walk(map[string]any{}, steps)
	}
	return walk(value, steps)
}

type nothing struct{}

// gone as a value takes a key or item away.
var gone any = nothing{}

type object = map[string]any

func TestRewrite(t *testing.T) {
	type change struct {
		path string
		to   any
	}
	tests := []struct {
		name, text, want string
		changes          []change
		lost             []string
	}{
		{"comments stay", "# head\n\na: 1 # one\n# about b\nb: 2 # two\n# foot\n", "# head\n\na: 3 # one\n# about b\nb: 2 # two\n# foot\n", []change{{"a", 3}}, nil},
		{"a removed key takes its comments along", "a: 1\n\n# section\n\n# about b\n# more\nb: 2 # two\nc: 3\n", "a: 1\n\n# section\n\nc: 3\n",
			[]change{{"b", gone}}, []string{"comment b 5:1", "comment b 6:1", "comment b 7:6"}},
		{"comments below a removed key", "a:\n  x: 1\n  # commented: out\n# about b\nb: 2\n", "# about b\nb: 2\n", []change{{"a", gone}}, []string{"comment a 3:3"}},
		{"one gap of two", "a: 1\n\nb: 2\n\nc: 3\n", "a: 1\n\nc: 3\n", []change{{"b", gone}}, nil},
		{"the last key", "a: 1\nb: 2\n", "a: 1\n", []change{{"b", gone}}, nil},
		{"key order and new keys", "z: 1\na: 2\n# end\n", "z: 1\na: 2\nb: x\nk: true\n# end\n", []change{{"b", "x"}, {"k", true}}, nil},
		{"no break at the end", "z: 1\na: 2", "z: 1\na: 2\nb: x", []change{{"b", "x"}}, nil},
		{"quotes", "a: 'x'\nb: \"k\"\nc: z\n", "a: 'it''s'\nb: \"k\\tz\"\nc: w\n", []change{{"a", "it's"}, {"b", "k\tz"}, {"c", "w"}}, nil},
		{"quotes that are needed", "a: x\nb: k\nc: z\nd: w\ne: v\n", "a: \"true\"\nb: \"on\"\nc: '*'\nd: \"12\"\ne: 'a: b'\n",
			[]change{{"a", "true"}, {"b", "on"}, {"c", "*"}, {"d", "12"}, {"e", "a: b"}}, nil},
		{"the quotes of the file", "a: 'x'\nb: k\n", "a: 'x'\nb: 'yes'\nc: 'no'\n", []change{{"b", "yes"}, {"c", "no"}}, nil},
		{"a scalar of another type", "a: \"1\" # c\nb: 'x'\n", "a: 1 # c\nb: null\n", []change{{"a", 1}, {"b", nil}}, nil},
		{"left out values", "a: # c\nb:\n", "a: 1 # c\nb: x\n", []change{{"a", 1}, {"b", "x"}}, nil},
		{"a scalar becomes a mapping", "a:\n  b: 1 # c\n  d: 2\n", "a:\n  b: # c\n    x: 1\n  d: 2\n", []change{{"a.b", object{"x": 1}}}, nil},
		{"a mapping becomes a scalar", "a: # c\n  b: 1\nd: 2\n", "a: 3 # c\nd: 2\n", []change{{"a", 3}}, nil},
		{"a mapping becomes empty", "a: # c\n  b: 1\nd: 2\n", "a: {} # c\nd: 2\n", []change{{"a.b", gone}}, nil},
		{"a list becomes empty", "a:\n- 1 # one\nd: 2\n", "a: []\nd: 2\n", []change{{"a[0]", gone}}, []string{"comment a 2:5"}},
		{"an empty list fills", "a: [] # c\nd:\n  - e\n", "a: # c\n  - name: x\n    k: 1\nd:\n  - e\n", []change{{"a[0]", object{"name": "x", "k": 1}}}, nil},
		{"indentation of four, lists indented", "a:\n    b:\n        - x: 1\n", "a:\n    b:\n        - x: 1\n          k:\n              z: 2\nc:\n    d:\n        - 1\n",
			[]change{{"a.b[0].k", object{"z": 2}}, {"c", object{"d": []any{1}}}}, nil},
		{"lists not indented", "a:\n- x: 1\n", "a:\n- x: 1\nc:\n  d:\n  - 1\n", []change{{"c", object{"d": []any{1}}}}, nil},
		{"wide dashes", "a:\n-   x: 1\n", "a:\n-   x: 1\n-   k: 3\n    x: 2\n", []change{{"a[1]", object{"x": 2, "k": 3}}}, nil},
		{"a new item", "a:\n# one\n- name: x\n  # w\n# next\nb: 1\n", "a:\n# one\n- name: x\n  # w\n- name: k\n# next\nb: 1\n", []change{{"a[1]", object{"name": "k"}}}, nil},
		{"an item goes", "a:\n# one\n- name: x\n# two\n- name: k # end\n# three\n- name: z\n", "a:\n# one\n- name: x\n# three\n- name: z\n",
			[]change{{"a[1]", gone}}, []string{"comment a 4:1", "comment a 5:11"}},
		{"items change places", "a:\n# one\n- name: x\n  v: 1\n# two\n- name: k # end\n- name: z\n", "a:\n# two\n- name: k # end\n- name: z\n# one\n- name: x\n  v: 2\n",
			[]change{{"a", []any{object{"name": "k"}, object{"name": "z"}, object{"name": "x", "v": 2}}}}, nil},
		{"an item in front", "a:\n- 2 # two\n- 3\n", "a:\n- 1\n- 2 # two\n- 3\n", []change{{"a", []any{1, 2, 3}}}, nil},
		{"items without a name", "a:\n- x: 1 # one\n- x: 2 # two\n", "a:\n- x: 1 # one\n- x: 3 # two\n", []change{{"a[1].x", 3}}, nil},
		{"the first key of an item", "a:\n- x: 1\n  k: 2\n  # about z\n  z: 3\n", "a:\n- k: 2\n  # about z\n  z: 3\n", []change{{"a[0].x", gone}}, nil},
		{"the first keys of an item, before a comment", "a:\n- x: 1\n  k: 2\n  # about z\n  z: 3\n", "a:\n-\n  # about z\n  z: 3\n", []change{{"a[0].x", gone}, {"a[0].k", gone}}, nil},
		{"lists in lists", "a:\n- - 1\n  - 2\n- - 3\n", "a:\n- - 1\n  - 4\n- - 3\n  - 5\n", []change{{"a[0][1]", 4}, {"a[1][1]", 5}}, nil},
		{"flow style", "a: {x: 1, k: [1, 2]} # c\n", "a: {x: 2, k: [1, 2, 3], z: \"on\"} # c\n", []change{{"a.x", 2}, {"a.k[2]", 3}, {"a.z", "on"}}, nil},
		{"flow style, less", "a: {x: 1, k: 2, z: [ 1, 2 ]}\n", "a: {k: 2, z: [ 2 ]}\n", []change{{"a.x", gone}, {"a.z[0]", gone}}, nil},
		{"flow style, last", "a: {x: 1, k: 2}\nb: [1]\n", "a: {x: 1}\nb: []\n", []change{{"a.k", gone}, {"b[0]", gone}}, nil},
		{"flow style on several lines", "a: [\n  1, # one\n  # about two\n  2, # two\n  3 # three\n]\n", "a: [\n  1, # one\n  3, # three\n  4\n]\n",
			[]change{{"a[1]", gone}, {"a[2]", 4}}, []string{"comment a 3:3", "comment a 4:6"}},
		{"flow style with an object", "a: [{name: x, v: 1}, {name: k}]\n", "a: [{name: k}, {name: x, v: 2}, {name: z, w: [1]}]\n",
			[]change{{"a", []any{object{"name": "k"}, object{"name": "x", "v": 2}, object{"name": "z", "w": []any{1}}}}}, nil},
		{"an alias stays", "a: &x {p: 1}\nb: *x\nc: 1\n", "a: &x {p: 1}\nb: *x\nc: 2\n", []change{{"c", 2}}, nil},
		{"an alias that changes alike", "a: &x\n  p: 1\nb: *x\n", "a: &x\n  p: 2\nb: *x\n", []change{{"a.p", 2}, {"b.p", 2}}, nil},
		{"an alias is written out", "a: &x\n  p: 1\nb: *x # c\n", "a: &x\n  p: 1\nb: # c\n  p: 2\n", []change{{"b.p", 2}}, []string{"alias b 3:4"}},
		{"an anchor changes", "a: &x\n  p: 1\nb: *x\n", "a: &x\n  p: 2\nb:\n  p: 1\n", []change{{"a.p", 2}}, []string{"alias b 3:4"}},
		{"an anchor goes", "a: &x [1]\nb: [*x, 2]\nc: *x\n", "b: [[1], 2]\nc:\n- 1\n", []change{{"a", gone}}, []string{"alias b[0] 2:5", "alias c 3:4"}},
		{"an anchored scalar", "a: &x 1\nb: *x\n", "a: &x 2\nb: *x\n", []change{{"a", 2}, {"b", 2}}, nil},
		{"a merge stays", "a: &x\n  p: 1\nb:\n  <<: *x\n  q: 2\n", "a: &x\n  p: 1\nb:\n  <<: *x\n  q: 3\n", []change{{"b.q", 3}}, nil},
		{"a merge that changes alike", "a: &x\n  p: 1\nb:\n  <<: *x\n  q: 2\n", "a: &x\n  p: 5\nb:\n  <<: *x\n  q: 2\n", []change{{"a.p", 5}, {"b.p", 5}}, nil},
		{"a merge is written out", "a: &x\n  p: 1\n  r: 1\nb:\n  <<: *x\n  q: 2\n", "a: &x\n  p: 1\n  r: 1\nb:\n  q: 2\n  p: 5\n  r: 1\n", []change{{"b.p", 5}}, []string{"alias b 5:3"}},
		{"repeated keys go", "a: 1\nb: 2 # x\nb: 3\n", "a: 2\nb: 3\n", []change{{"a", 2}}, []string{"comment b 2:6"}},
		{"CRLF", "a: 1 # c\r\nb:\r\n- x\r\n", "a: 2 # c\r\nb:\r\n- x\r\n- k: 1\r\n  z: 2\r\n", []change{{"a", 2}, {"b[1]", object{"k": 1, "z": 2}}}, nil},
		{"markers", "%YAML 1.1\n---\n# c\na: 1\n...\n# end\n", "%YAML 1.1\n---\n# c\na: 1\nb: 2\n...\n# end\n", []change{{"b", 2}}, nil},
		{"nothing but comments", "# c\n", "# c\na: 1\n", []change{{"", object{"a": 1}}}, nil},
		{"scalars on several lines", "a: b\n  c\n\n  d\nb: \"x\n  k\"\nc: 1\n", "a: e\nb: \"z\"\nc: 2\n", []change{{"a", "e"}, {"b", "z"}, {"c", 2}}, nil},
		{"block scalars stay", "a: |\n  # no comment\n\n  x\n\nb: 1\nc: >-\n  k\n  z\nd: 2\n", "a: |\n  # no comment\n\n  x\n\nb: 2\nc: >-\n  k\n  z\n", []change{{"b", 2}, {"d", gone}}, nil},
		{"block scalars change", "a: |- # c\n    x\n    k\nb: 1\n", "a: |- # c\n    x\n    z\nb: 1\n", []change{{"a", "x\nz"}}, nil},
		{"tags", "a: !!str 1\nb: &x !!int 3\nc: *x\n", "a: \"2\"\nb: &x 4\nc: *x\n", []change{{"a", "2"}, {"b", 4}, {"c", 4}}, nil},
		{"JSON", "{\n    \"a\": 1,\n    \"b\": [\n        {\"name\": \"x\"}\n    ]\n}\n", "{\n    \"a\": 2,\n    \"b\": [\n        {\"name\": \"x\"},\n        {\"name\": \"k\"}\n    ],\n    \"c\": {\n        \"d\": [\n            1\n        ]\n    }\n}\n",
			[]change{{"a", 2}, {"b[1]", object{"name": "k"}}, {"c", object{"d": []any{1}}}}, nil},
		{"JSON on one line", `{"a":1,"b":{"c":[1,2]}}`, `{"b":{"c":[2,{"x":"<"}]},"d":{}}`, []change{{"a", gone}, {"b.c", []any{2, object{"x": "<"}}}, {"d", object{}}}, nil},
		{"JSON, last", "{\n\t\"a\": 1,\n\t\"b\": 2\n}\n", "{\n\t\"a\": 1\n}\n", []change{{"b", gone}}, nil},
		{"JSON, empty", "{\n  \"a\": []\n}", "{\n  \"a\": [\n    1\n  ]\n}", []change{{"a[0]", 1}}, nil},
		{"keys with question marks", "? a\n: 1\n? b\n: 2\n", "a: 1\nb: 3\n", []change{{"b", 3}}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := one(t, test.text)
			value, _, err := readText(d.Bytes())
			if err != nil && test.text != "# c\n" {
				t.Fatal(err)
			}
			for _, c := range test.changes {
				value = set(value, c.path, c.to)
			}
			got, lost, err := d.Rewrite(value, readText)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, got)
			}
			var words []string
			for _, l := range lost {
				kind := map[LossKind]string{LostComment: "comment", LostAlias: "alias", LostStyle: "style"}[l.Kind]
				words = append(words, fmt.Sprintf("%s %s %d:%d", kind, l.Path, l.Pos.Line, l.Pos.Column))
			}
			if diff := cmp.Diff(test.lost, words); diff != "" {
				t.Errorf("lost (-want +got):\n%s", diff)
			}
			again, lost, err := one(t, string(got)).Rewrite(value, readText)
			if err != nil || len(lost) > 0 || !bytes.Equal(again, got) {
				t.Errorf("again: %v %v\n%s", err, lost, again)
			}
		})
	}
}

func TestReplace(t *testing.T) {
	file := []byte("\ufeff# first\na: 1\n---\nb: 1\r\n---\nc: 1\n")
	docs := Split("f.yaml", file)
	text, _, err := docs[1].Rewrite(object{"b": 2}, readText)
	if err != nil {
		t.Fatal(err)
	}
	want := "\ufeff# first\na: 1\n---\nb: 2\r\n---\nc: 1\n"
	if got := string(Replace(file, docs, 1, text)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Replace(file, docs, 0, docs[0].Bytes()); !bytes.Equal(got, file) {
		t.Errorf("got %q", got)
	}
}

func TestRewriteBlock(t *testing.T) {
	const inner = "kind: A\n\nparallelism: 16\n"
	tests := []struct{ name, text, want, lost string }{
		{"literal", "data:\n  c.yaml: |\n    kind: A\n  \n    parallelism: 8\n  other: x # c\n", "data:\n  c.yaml: |\n    kind: A\n  \n    parallelism: 16\n  other: x # c\n", ""},
		{"stripped", "data:\n  c.yaml: |-\n    kind: A\n\n    parallelism: 8\n", "data:\n  c.yaml: |\n    kind: A\n\n    parallelism: 16\n", ""},
		{"kept", "data:\n  c.yaml: |+\n      kind: A\n\n      parallelism: 8\nx: 1\n", "data:\n  c.yaml: |+\n      kind: A\n\n      parallelism: 16\nx: 1\n", ""},
		{"indicator", "data:\n  c.yaml: |2\n    kind: A\nx: 1\n", "data:\n  c.yaml: |2\n    kind: A\n\n    parallelism: 16\nx: 1\n", ""},
		{"folded", "data:\n  c.yaml: >\n    kind: A\n\n    parallelism: 8\nx: 1\n", "data:\n  c.yaml: |\n    kind: A\n\n    parallelism: 16\nx: 1\n", "style"},
		{"double quotes", "data:\n  c.yaml: \"kind: A\\n\"\n", "data:\n  c.yaml: \"kind: A\\n\\nparallelism: 16\\n\"\n", ""},
		{"single quotes", "data:\n  c.yaml: 'kind: A\n\n\n    parallelism: 8'\nx: 1\n", "data:\n  c.yaml: |\n    kind: A\n\n    parallelism: 16\nx: 1\n", "style"},
		{"CRLF", "data:\r\n  c.yaml: |\r\n    kind: A\r\n\r\n    parallelism: 8\r\n", "data:\r\n  c.yaml: |\r\n    kind: A\r\n\r\n    parallelism: 16\r\n", ""},
		{"JSON", "{\"data\": {\"c.yaml\": \"kind: A\\n\"}}", "{\"data\": {\"c.yaml\": \"kind: A\\n\\nparallelism: 16\\n\"}}", ""},
		{"flow style", "data: {c.yaml: 'x'}\n", "data: {c.yaml: \"kind: A\\n\\nparallelism: 16\\n\"}\n", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, lost, err := RewriteBlock(one(t, test.text), diag.Path{"data", "c.yaml"}, []byte(inner), readText)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if (len(lost) > 0) != (test.lost != "") {
				t.Errorf("lost %v", lost)
			}
		})
	}
	if _, _, err := RewriteBlock(one(t, "a: 1\n"), diag.Path{"data", "x"}, nil, readText); err == nil || !strings.Contains(err.Error(), "data.x: nothing is there") {
		t.Errorf("got %v", err)
	}
}

func TestRewriteNested(t *testing.T) {
	const text = "# map\ndata:\n  c.yaml: | # configuration\n    # head\n    a: 1 # one\n    ---\n    b: 1\nobject: {a: 1} # taken out\n"
	outer := one(t, text)
	nested := outer.Root().Field("data", "c.yaml").Documents(0)
	part, err := outer.Root().Field("object").Document()
	if err != nil || len(nested) != 2 {
		t.Fatal(err, nested)
	}
	for _, test := range []struct {
		d        *Document
		path     diag.Path
		old, new string
	}{
		{nested[0], diag.Path{"data", "c.yaml"}, "a: 1 # one", "a: 2 # one"},
		{nested[1], diag.Path{"data", "c.yaml"}, "b: 1", "b: 2"},
		{part, diag.Path{"object"}, "{a: 1}", "{a: 2}"},
	} {
		name := test.old[strings.IndexAny(test.old, "ab"):][:1]
		inner, lost, err := test.d.Rewrite(object{name: 2}, readText)
		if err != nil || len(lost) > 0 {
			t.Fatal(err, lost)
		}
		got, lost, err := RewriteNested(test.d, test.path, inner, readText)
		if err != nil || len(lost) > 0 {
			t.Fatal(err, lost)
		}
		if want := strings.Replace(text, test.old, test.new, 1); string(got) != want {
			t.Errorf("(-want +got):\n%s", cmp.Diff(want, string(got)))
		}
	}
	decoded := outer.Root().Field("data").Decoded([]byte("a: 1\n"))[0]
	if _, _, err := RewriteNested(decoded, diag.Path{"data", "c.yaml"}, nil, readText); err == nil {
		t.Error("an encoded text is rewritten")
	}
}
