// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package source

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/schedconf/schedconf/diag"
)

// TestNestedPositions holds where a word of an inner text stands in the file. The word is "HERE",
// which the file has once; the path leads to its value in document number doc of the inner text.
func TestNestedPositions(t *testing.T) {
	tests := []struct {
		name, text string
		outer      diag.Path
		doc        int
		inner      diag.Path
	}{
		{"literal", "data:\n  x: |\n    a: 1\n    b:\n      c: HERE\n", diag.Path{"data", "x"}, 0, diag.Path{"b", "c"}},
		{"literal, stripped", "data:\n  x: |-\n    a: 1\n    b: HERE", diag.Path{"data", "x"}, 0, diag.Path{"b"}},
		{"literal, kept", "data:\n  x: |+\n    a: HERE\n\n\n  y: 1\n", diag.Path{"data", "x"}, 0, diag.Path{"a"}},
		{"indentation indicator", "data:\n  x: |2\n      a:\n        b: HERE\n      c: 1\n", diag.Path{"data", "x"}, 0, diag.Path{"a", "b"}},
		{"indicators and a comment", "x: |-1 # c\n  a:\n   b: HERE\n", diag.Path{"x"}, 0, diag.Path{"a", "b"}},
		{"empty lines before", "x: |\n\n   \n    a: 1\n\n    b: HERE\n", diag.Path{"x"}, 0, diag.Path{"b"}},
		{"carriage returns", "data:\r\n  x: |\r\n    a: 1\r\n\r\n    b:\r\n      c: HERE\r\n", diag.Path{"data", "x"}, 0, diag.Path{"b", "c"}},
		{"characters of several bytes", "ä: &o |\n  ü: ß\n  ñ: {é: 'ç', x: HERE}\n", diag.Path{"ä"}, 0, diag.Path{"ñ", "x"}},
		{"tag and anchor", "x: !!str &a\n  |\n   a: HERE\n", diag.Path{"x"}, 0, diag.Path{"a"}},
		{"in a list", "- 1\n- |\n  a: HERE\n", diag.Path{"1"}, 0, diag.Path{"a"}},
		{"folded, further indented", "x: >\n  a:\n    b: 1\n    c: HERE\n", diag.Path{"x"}, 0, diag.Path{"a", "c"}},
		{"folded, lines joined", "x: >\n  {a: 1,\n  b: [2,\n  3], c:\n  HERE}\n", diag.Path{"x"}, 0, diag.Path{"c"}},
		{"folded, empty lines", "x: >-\n\n  a: 1\n\n  b: 2\n\n\n  c: HERE\n", diag.Path{"x"}, 0, diag.Path{"c"}},
		{"folded, carriage returns", "x: >\r\n  {a: 1,\r\n  c: HERE}\r\n", diag.Path{"x"}, 0, diag.Path{"c"}},
		{"double-quoted", `x: "a: 1\nb: \"q\"\n\u00e4: \t\nc: HERE"`, diag.Path{"x"}, 0, diag.Path{"c"}},
		{"double-quoted over lines", "x: \"a: 1\\n\\\n   b: 2\\n\\\n\n   c:\n\n   d: HERE\"\n", diag.Path{"x"}, 0, diag.Path{"d"}},
		{"double-quoted, folded", "x: \"{a: 1,  \n    b: HERE}\"\n", diag.Path{"x"}, 0, diag.Path{"b"}},
		{"single-quoted", "x: '{a: ''q'',\n  b: ''s'' , c: HERE}'\n", diag.Path{"x"}, 0, diag.Path{"c"}},
		{"single-quoted with an empty line", "x: 'a: 1\n\n  b: HERE'\n", diag.Path{"x"}, 0, diag.Path{"b"}},
		{"JSON", `{"data": {"x": "a: 1\nb: \"q\"\n\u00e4\ud83d\ude00:\n  c: \u0048ERE"}}`, diag.Path{"data", "x"}, 0, diag.Path{"ä😀", "c"}},
		{"JSON within", `{"x": "{\"a\":\t1,\n\"b\":\"HERE\"}"}`, diag.Path{"x"}, 0, diag.Path{"b"}},
		{"second document within", "x: |\n  a: 1\n  ---\n  b: HERE\n", diag.Path{"x"}, 1, diag.Path{"b"}},
		{"byte order mark within", "x: \"\ufeffa: 1\\n---\\nb: HERE\"\n", diag.Path{"x"}, 1, diag.Path{"b"}},
		{"behind an alias", "y: &a |\n  a: HERE\nx: *a\n", diag.Path{"x"}, 0, diag.Path{"a"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := "first: document\n---\n" + test.text
			number := 1
			if strings.HasPrefix(test.text, "{") {
				file, number = test.text, 0
			}
			outer := Split("f.yaml", []byte(file))[number]
			documents := outer.Root().Field(test.outer[:1]...).Field(test.outer[1:]...)
			if outer.Root().IsList() {
				for item := range outer.Root().Items() {
					documents = item
				}
			}
			inner := documents.Documents(0)
			if test.doc >= len(inner) {
				t.Fatalf("%d documents in %q", len(inner), documents.Text())
			}
			d := inner[test.doc]
			if text, _ := d.Scalar(test.inner); text != "HERE" {
				t.Fatalf("%v is %q in %q", test.inner, text, d.Bytes())
			}
			at := strings.Index(file, "HERE")
			if at < 0 {
				at = strings.Index(file, `\u0048ERE`)
			}
			want := diag.Position{File: "f.yaml", Document: number, Line: strings.Count(file[:at], "\n") + 1, Column: at - strings.LastIndex(file[:at], "\n")}
			got := d.ValuePosition(test.inner)
			if strings.Contains(test.text, `\"HERE`) {
				want.Column -= 2 // the quote before it
			}
			if got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestNestedSyntax(t *testing.T) {
	outer := one(t, "data:\n  x: |\n    a: 1\n    b: [1\n    c: 2\n  y: |\n    \n  z: \"\"\n")
	d := outer.Root().Field("data", "x").Documents(0)[0]
	pos, _, ok := d.Syntax()
	want, _, _ := one(t, "a: 1\nb: [1\nc: 2\n").Syntax()
	want.Line, want.Column = want.Line+2, want.Column+4
	if !ok || pos != want {
		t.Errorf("got %v, want %v", pos, want)
	}
	for name, want := range map[string]string{"y": "f.yaml:7:5", "z": "f.yaml:8:6"} {
		d := outer.Root().Field("data", name).Documents(0)[0]
		if got := d.Position(nil).String(); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// TestNestedTwice looks into a text within a text.
func TestNestedTwice(t *testing.T) {
	outer := one(t, "files:\n- content: |\n    data:\n      x: |\n        a:\n          b: 1\n")
	var content *Node
	for item := range outer.Root().Field("files").Items() {
		content = item.Field("content")
	}
	middle := content.Documents(0)[0]
	inner := middle.Root().Field("data", "x").Documents(0)[0]
	if got := inner.ValuePosition(diag.Path{"a", "b"}).String(); got != "f.yaml:6:14" {
		t.Error(got)
	}
	if got := content.Path().String(); got != "files[0].content" {
		t.Error(got)
	}
}

func TestDecoded(t *testing.T) {
	outer := one(t, "binaryData:\n  x: YTogMQo=\n")
	d := outer.Root().Field("binaryData", "x").Decoded([]byte("a: 1\nb:\n  c: 2\n"))[0]
	if got := d.Position(diag.Path{"b", "c"}).String(); got != "f.yaml:2:3" {
		t.Error(got)
	}
}

func TestPlaces(t *testing.T) {
	outer := one(t, "c: x  y\n  z\n\n  --a\na: --config=/x\nb: \"\\u0041bc\"\n")
	for _, test := range []struct {
		name string
		at   int
		want string
	}{{"c", 3, "f.yaml:1:7"}, {"c", 5, "f.yaml:2:3"}, {"c", 7, "f.yaml:4:3"}, {"a", 9, "f.yaml:5:13"}, {"b", 0, "f.yaml:6:5"}, {"b", 1, "f.yaml:6:11"}} {
		if got := outer.Root().Field(test.name).Places()(test.at).String(); got != test.want {
			t.Errorf("%s %d: got %s, want %s", test.name, test.at, got, test.want)
		}
	}
}

func TestObject(t *testing.T) {
	outer := one(t, "x: &x\n  - 'yes' # c\n  - yes\n  - 0x10\n  - \"1\"\n  - ~\n  - |\n    a\n    b\nbase: &b {k: 1}\nconfig:\n  kind: K\n  list: *x\n  <<: *b\n  sub:\n    deep: |2-\n        z\n")
	d, err := outer.Root().Field("config").Document()
	if err != nil {
		t.Fatal(err)
	}
	const want = "kind: K\nlist:\n    - 'yes'\n    - yes\n    - 0x10\n    - \"1\"\n    - ~\n    - |\n      a\n      b\n<<: {k: 1}\nsub:\n    deep: |4-\n          z\n"
	if got := string(d.Bytes()); got != want {
		t.Errorf("got %q", got)
	}
	for path, want := range map[string]string{
		"": "f.yaml:12:3", "kind": "f.yaml:12:3", "list": "f.yaml:13:3", "list[2]": "f.yaml:4:5", "k": "f.yaml:10:11", "sub.deep": "f.yaml:16:5", "sub.none": "f.yaml:15:3",
	} {
		if got := d.Position(diag.ParsePath(path)).String(); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	exercise(d, diag.Path{"list", "1"})

	json := one(t, `{"a": {"b": "yes", "c": [1, 2.50, null, true, "1", "a\nb"]}}`)
	d, err = json.Root().Field("a").Document()
	if err != nil {
		t.Fatal(err)
	}
	if got := string(d.Bytes()); got != "\"b\": \"yes\"\n\"c\":\n    - 1\n    - 2.50\n    - null\n    - true\n    - \"1\"\n    - \"a\\nb\"\n" {
		t.Errorf("got %q", got)
	}
	if got := d.Position(diag.Path{"c", "1"}).String(); got != "f.yaml:1:29" {
		t.Error(got)
	}
}

func TestObjectOfAliases(t *testing.T) {
	var text strings.Builder
	text.WriteString("a0: &a0 {x: 1}\n")
	for i := range 40 {
		fmt.Fprintf(&text, "a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	d := one(t, "self: &s [*s]\n")
	if _, err := d.Root().Field("self").Document(); err == nil {
		t.Error("an anchor that holds itself has no end")
	}
	d = one(t, text.String())
	last := d.Root()
	for _, child := range d.Root().Fields() {
		last = child
	}
	if _, err := last.Document(); err == nil {
		t.Error("the aliases grow without bound")
	}
}

// FuzzNested looks into every scalar, and holds that what it says stands within the file.
func FuzzNested(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Add([]byte("x: |2\n    a: 1\n\n   b\ny: >-\n  a\n  b\n\n   c\n  d\nz: \"a \\\n  b\\u0041\\x41 \n\n c\"\nw: 'it''s\n  b'\n"))
	f.Add([]byte(`{"x": "a\u00e4\ud83d\ude00\"\\\/\b\f\n\r\tb"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, d := range Split("f.yaml", data) {
			root := d.Root()
			if root == nil || isUTF16(data) {
				continue
			}
			lines := strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n")
			inside := func(p diag.Position) {
				if p.Line < 1 || p.Line > len(lines) || p.Column < 1 || p.Column > len(lines[p.Line-1])+1 {
					t.Errorf("%v is outside of %q", p, data)
				}
			}
			visit(root, func(n *Node) {
				text := n.Text()
				inside(n.Places()(0))
				if text == "" {
					return
				}
				if (n.value.Line == 0 || n.value.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0) && strings.TrimSpace(text) != "" && n.spans() == nil && d.text[max(0, d.tree().offset(d.text, n.value))] != 0 && !strings.Contains(text, "\ufffd") && n.value.ShortTag() != "!!binary" {
					t.Errorf("%q of %q is not followed", text, d.text)
				}
				inside(n.Places()(len(text) - 1))
				for _, inner := range n.Documents(0) {
					for _, p := range exercise(inner, nil) {
						inside(p)
					}
				}
			})
			if object, err := root.Document(); err == nil {
				for _, p := range exercise(object, diag.Path{"a"}) {
					inside(p)
				}
			}
		}
	})
}

func visit(n *Node, do func(*Node)) {
	do(n)
	for item := range n.Items() {
		visit(item, do)
	}
	for _, child := range n.Fields() {
		visit(child, do)
	}
}
