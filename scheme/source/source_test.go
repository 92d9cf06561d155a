// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/schedconf/schedconf/diag"
)

const header = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

func one(t testing.TB, text string) *Document {
	t.Helper()
	documents := Split("f.yaml", []byte(text))
	if len(documents) != 1 {
		t.Fatalf("Split(%q) gives %d documents, want 1", text, len(documents))
	}
	return documents[0]
}

func TestSplit(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"empty", "", []string{""}},
		{"only a comment", "# nothing\n", []string{"# nothing\n"}},
		{"no separator", "a: 1\n", []string{"a: 1\n"}},
		{"leading separator", "---\na: 1\n", []string{"---\na: 1\n"}},
		{"comments before the leading separator", "# a\n\n---\n# b\na: 1\n", []string{"# a\n\n---\n# b\na: 1\n"}},
		{"two", "a: 1\n---\nb: 2\n", []string{"a: 1\n", "---\nb: 2\n"}},
		{"nothing between separators", "---\n---\n---\na: 1\n", []string{"---\n", "---\n", "---\na: 1\n"}},
		{"comment between separators", "---\n# c\n---\na: 1\n", []string{"---\n# c\n", "---\na: 1\n"}},
		{"separator at the end", "a: 1\n---\n", []string{"a: 1\n", "---\n"}},
		{"separator with a comment", "a: 1\n--- # c\nb: 2\n", []string{"a: 1\n", "--- # c\nb: 2\n"}},
		{"separator with content", "--- {a: b}\n---\t[c]\n", []string{"--- {a: b}\n", "---\t[c]\n"}},
		{"no separator but text", "---a: 1\n----\n ---\n", []string{"---a: 1\n----\n ---\n"}},
		{"end marker", "a: 1\n...\n", []string{"a: 1\n...\n"}},
		{"end marker and a comment", "a: 1\n...\n# c\n...\n", []string{"a: 1\n...\n# c\n...\n"}},
		{"end marker and another", "a: 1\n...\n# c\n---\nb: 2\n", []string{"a: 1\n...\n", "# c\n---\nb: 2\n"}},
		{"directives", "%YAML 1.1\n---\na: 1\n...\n%YAML 1.1\n---\nb: 2\n", []string{"%YAML 1.1\n---\na: 1\n...\n", "%YAML 1.1\n---\nb: 2\n"}},
		{"percent within a scalar", "--- a\n%b\n---\nc\n", []string{"--- a\n%b\n", "---\nc\n"}},
		{"block scalar", "a: |\n  ---\n---\nb: 2\n", []string{"a: |\n  ---\n", "---\nb: 2\n"}},
		{"CRLF", "---\r\na: 1\r\n---\r\nb: 2\r\n", []string{"---\r\na: 1\r\n", "---\r\nb: 2\r\n"}},
		{"byte order mark", "\ufeff---\na: 1\n---\nb: 2\n", []string{"---\na: 1\n", "---\nb: 2\n"}},
		{"JSON", "\ufeff \n{\"a\":\n1}\n---\nb: 2\n", []string{" \n{\"a\":\n1}\n---\nb: 2\n"}},
		{"other line breaks", "a: 1\r---\rb: 2\u0085---\u2028c: 3", []string{"a: 1\r", "---\rb: 2\u0085", "---\u2028c: 3"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for i, d := range Split("f.yaml", []byte(test.text)) {
				got = append(got, string(d.Bytes()))
				if d.Index != i || d.File != "f.yaml" {
					t.Errorf("document %d says %s %d", i, d.File, d.Index)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			checkStream(t, []byte(test.text))
		})
	}
}

// checkStream compares the documents with those of the YAML decoder. It has nothing to say about a
// stream that the decoder does not read to its end.
func checkStream(t *testing.T, data []byte) {
	t.Helper()
	documents := Split("f.yaml", data)
	if documents[0].JSON() {
		return
	}
	var want []yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var n yaml.Node
		err := decoder.Decode(&n)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return
		}
		want = append(want, n)
	}
	if len(want) == 0 {
		if len(documents) != 1 || !documents[0].Empty() {
			t.Errorf("%q: %d documents, want an empty one", data, len(documents))
		}
		return
	}
	if len(documents) != len(want) {
		t.Fatalf("%q: %d documents, the decoder has %d", data, len(documents), len(want))
	}
	for i, d := range documents {
		if root, _ := parseYAML(d.Bytes()); root == nil || !sameNode(root, want[i].Content[0]) {
			t.Errorf("%q: document %d is %q, which is not what the decoder has", data, i, d.Bytes())
		}
	}
}

func sameNode(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Tag == b.Tag && a.Value == b.Value && slices.EqualFunc(a.Content, b.Content, sameNode)
}

func TestEmpty(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "\n \t\n": true, "# c\n  # d\n": true, "---\n": true, "--- # c\n": true, "%YAML 1.1\n---\n...\n": true,
		"a": false, "---\n{}\n": false, "--- a\n": false, "null\n": false, "{}": false,
	} {
		if got := one(t, text).Empty(); got != want {
			t.Errorf("%q: Empty() = %v", text, got)
		}
	}
}

func TestSniff(t *testing.T) {
	const group, kind = "kubescheduler.config.k8s.io/v1", "KubeSchedulerConfiguration"
	tests := []struct {
		text             string
		apiVersion, kind string
		ok               bool
	}{
		{header, group, kind, true},
		{"# c\n---\n" + header + "parallelism: 8\n", group, kind, true},
		{strings.ReplaceAll(header, "\n", "\r\n"), group, kind, true},
		{"kind: 'Pod' # c\nspec:\n  kind: \"no\"\n- a: []\napiVersion:\tv1", "v1", "Pod", true},
		{"a: |\n  it's {\"\nkind: Pod\n", "", "", false},
		{"a: 1\n", "", "", true},
		{"", "", "", true},
		{"kind: Pod\n", "", "Pod", true},
		{"- kind: Pod\n", "", "", false},
		{"  kind: Pod\n", "", "", false},
		{"--- {kind: Pod}\n", "", "", false},
		{"kind: Pod\n  and more\n", "", "", false},
		{"kind: Pod\nkind: Job\n", "", "", false},
		{"kind: &a Pod\n", "", "", false},
		{"kind:\n  Pod\n", "", "", false},
		{"\"kind\": Pod\n", "", "", false},
		{"<<: *a\nkind: Pod\n", "", "", false},
		{"a: \"b\nkind: Pod\n\"\n", "", "", false},
		{"a: {\nkind: Pod\n}\n", "", "", false},
		{`{"apiVersion": "v1", "kind":"Pod"}`, "v1", "Pod", true},
		{`{"x": {"kind": "no"}, "y": ["kind", "\"}"], "kind":"Pod"}`, "", "Pod", true},
		{`{"kind":1}`, "", "", false},
		{`{"kind":"a\u0062"}`, "", "", false},
		{`{"kind":"Pod"`, "", "", false},
		{`{"kind":"a","kind":"b"}`, "", "", false},
	}
	for _, test := range tests {
		apiVersion, kind, ok := one(t, test.text).Sniff()
		if ok != test.ok || ok && (apiVersion != test.apiVersion || kind != test.kind) {
			t.Errorf("%q: got %q, %q, %v", test.text, apiVersion, kind, ok)
		}
	}
}

func TestSniffAllocatesNothingPerLine(t *testing.T) {
	measure := func(lines int) float64 {
		d := one(t, strings.Repeat("a:\n- b: 'c'\n  d: []\n", lines)+header)
		return testing.AllocsPerRun(10, func() { d.Sniff() })
	}
	if small, big := measure(1), measure(1000); big > small {
		t.Errorf("%v allocations for a small document, %v for a big one", small, big)
	}
	json := one(t, `{"a":[`+strings.Repeat(`"kind",`, 1000)+`1],"kind":"Pod"}`)
	if n := testing.AllocsPerRun(10, func() { json.Sniff() }); n > 5 {
		t.Errorf("%v allocations for JSON", n)
	}
}

func TestSyntax(t *testing.T) {
	tests := []struct {
		name, text   string
		line, column int
		message      string
	}{
		{"tab", "a:\n\tb: 1\n", 2, 1, tabMessage},
		{"tab after spaces", "x: 1\na:\n  b: 1\n  \tc: 2\n", 4, 3, tabMessage},
		{"tab in a later line", "a:\n  b: 1\n\tc: 2\n", 3, 1, tabMessage},
		{"tab in a block scalar", "a: |\n\tx\n", 2, 1, tabMessage},
		{"colon in a value", "foo: bar: baz\n", 1, 1, "mapping values are not allowed in this context"},
		{"deeper entry", "a: 1\n  b: 2\n", 2, 3, "mapping values are not allowed in this context"},
		{"shallower entry", "a:\n  - x\n b: 1\nc: 2\n", 3, 2, "did not find expected key"},
		{"text behind a quote", "a: 1\nb: 'it's'\nc: 3\n", 2, 1, "did not find expected key"},
		{"item in a mapping", "a: b\n- c\nd: 3\n", 2, 1, "did not find expected key"},
		{"bracket left open", "x: 1\na: [1, 2\nc: 3\n", 2, 1, "did not find expected ',' or ']'"},
		{"comma missing", "{\n" + `a: {"b": 1,` + "\n" + `c: [1 2], d: "e" "f"}}`, 2, 1, "invalid character 'a' looking for beginning of object key string"},
		{"quote left open in line 1", "a: \"foo\nb: 1\n", 1, 1, "found unexpected end of stream"},
		{"quote left open", "x: 1\na: \"foo\nb: 1\n", 2, 1, "found unexpected end of stream"},
		{"key without a colon", "a: 1\nb\nc: 2\n", 2, 1, "could not find expected ':'"},
		{"unknown anchor", "x: 1\na: *x\n", 2, 1, "unknown anchor 'x' referenced"},
		{"control character", "x: 1\na: ä\x01\n", 2, 6, "control characters are not allowed"},
		{"not UTF-8", "x: 1\na: \xff\n", 2, 4, "invalid leading UTF-8 octet"},
		{"JSON trailing comma", "{\"a\":8,\n}", 2, 1, "invalid character '}' looking for beginning of object key string"},
		{"JSON end", "{\"a\":8", 1, 6, "unexpected end of JSON input"},
		{"JSON and more", "{\"a\":8}\n---\n", 2, 1, "invalid character '-' after top-level value"},
		{"YAML that starts with a brace", "{a: b}", 1, 2, "invalid character 'a' looking for beginning of object key string"},
		{"deep", strings.Repeat("[", 1001) + strings.Repeat("]", 1001), 1, 1001, depthMessage},
		{"very deep", "a:\n  " + strings.Repeat("[", 100000), 2, 3, depthMessage},
		{"very deep blocks", strings.Repeat("- ", 100000), 1, 1, depthMessage},
		{"deep JSON", `{"a":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + "}", 1, 1005, depthMessage},
		{"very deep JSON", `{"a":` + strings.Repeat("[", 100000), 1, 10005, depthMessage},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := one(t, test.text)
			pos, message, ok := d.Syntax()
			want := diag.Position{File: "f.yaml", Line: test.line, Column: test.column}
			if !ok || pos != want || message != test.message {
				t.Errorf("got %v %q %v, want %v %q", pos, message, ok, want, test.message)
			}
		})
	}
	for _, text := range []string{
		"", header, "\ufeff" + header, "---\n", "{\t\"a\":\n\t1}", "%YAML 1.1\n---\na: 1\n",
		strings.Repeat("[", 1000) + strings.Repeat("]", 1000), `a: "` + strings.Repeat("[", 5000) + `"`,
	} {
		if pos, message, ok := one(t, text).Syntax(); ok {
			t.Errorf("%.60q: unexpected %v %s", text, pos, message)
		}
	}
}

func TestSyntaxOfALaterDocument(t *testing.T) {
	documents := Split("f.yaml", []byte("\ufeffa: 1\r\n---\r\nb: 2\r\nc: [\r\n"))
	if _, _, ok := documents[0].Syntax(); ok {
		t.Error("document 0 has no error")
	}
	pos, _, ok := documents[1].Syntax()
	if want := (diag.Position{File: "f.yaml", Document: 1, Line: 4, Column: 1}); !ok || pos != want {
		t.Errorf("got %v, want %v", pos, want)
	}
}

// No method may take longer than a document is large, whatever its aliases would grow to.
func TestBounded(t *testing.T) {
	var aliases, merges strings.Builder
	for i := range 60 {
		fmt.Fprintf(&aliases, "a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
		fmt.Fprintf(&merges, "a%d: &a%d {<<: [*a%d, *a%d]}\n", i+1, i+1, i, i)
	}
	for name, text := range map[string]string{
		"aliases":  "a0: &a0 {x: 1}\n" + aliases.String(),
		"merges":   "a0: &a0 {x: 1}\n" + merges.String(),
		"itself":   "a: &a [*a, &b {<<: *b, c: *a}]\nd: &d\n  <<: [*d, *d]\n  e: *d\n",
		"brackets": strings.Repeat("[", 1_000_000),
		"braces":   `{"a":` + strings.Repeat(`{"a":`, 1_000_000),
		"one line": "[" + strings.Repeat("'ä', ", 100_000) + "# c\n]",
		"error":    strings.Repeat("a: 1\n", 100_000) + "b\n",
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			d := one(t, text)
			exercise(d, diag.Path{"a", "0", "0", "1", "c", "missing"})
			exercise(d, diag.Path{"d", "missing"})
			exercise(d, diag.Path{"a60", "missing"})
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// exercise calls every method.
func exercise(d *Document, path diag.Path) []diag.Position {
	positions := []diag.Position{d.Position(path), d.ValuePosition(path)}
	if pos, _, ok := d.Syntax(); ok {
		positions = append(positions, pos)
	}
	for _, duplicate := range d.Duplicates() {
		positions = append(positions, duplicate.First, duplicate.Again)
	}
	d.Has(path)
	d.Keys(path)
	d.Len(path)
	d.Scalar(path)
	d.Comments()
	d.Empty()
	d.Sniff()
	return positions
}
