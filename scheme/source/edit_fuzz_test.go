// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func recordedTexts(t testing.TB) []string {
	t.Helper()
	data, err := os.ReadFile("../../testdata/recorded/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string]string
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatal("no recorded cases")
	}
	return slices.Sorted(maps.Values(cases))
}

// layouts are texts that say things in unusual ways.
var layouts = []string{
	"# head\na: &x # anchor\n  p: 1 # one\n  # about q\n  q: [1, 2]\nb:\n  <<: *x\n  r: 3\nc: *x\nd: [*x, {e: *x}]\n",
	"a:\n  - name: n1 # first\n    v: 'x'\n\n  # second\n  - name: n2\n    v: \"y\"\n  -\n    name: n3\n  - # comment\n    name: n4\nb: {c: 1, 'd': [ 1, {e: f} ], \"g\": h}\n",
	"a: |\n  text # none\n\n  more\nb: >-\n  folded\n  text\nc: plain\n  on two lines\nd:\n- - 1\n  - 2\n-\n  - 3\ne:\nf: ~\n",
	"{\n  \"a\": [1, 2, {\"name\": \"x\"}],\n  \"b\": {\"c\": null, \"d\": \"#\"},\n  \"e\": []\n}\n", `{"a":{"b":[{"name":"x"},{"name":"y"}]},"c":1.50}`,
	"---\na:\n    - b: [\n        1, # one\n        2\n      ]\n      c: {\n        d: e, # d\n        # about f\n        f: g,\n      }\n...\n",
}

// mutate changes a value at random.
func mutate(r *rand.Rand, value any) any {
	fresh := func() any {
		list := []any{1, "x", "on", "1.5", true, nil, "a: b", "# c", object{}, []any{}, object{"name": "new", "w": 1}, []any{"p", object{"name": "q"}}, "two\nlines\n", -0.5, "*", " x"}
		return list[r.IntN(len(list))]
	}
	switch v := value.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		if len(names) == 0 || r.IntN(5) == 0 {
			v[fmt.Sprintf("new%d", r.IntN(3))] = fresh()
			return v
		}
		name := names[r.IntN(len(names))]
		switch r.IntN(6) {
		case 0:
			delete(v, name)
		default:
			v[name] = mutate(r, v[name])
		}
		return v
	case []any:
		switch i := r.IntN(max(1, len(v))); {
		case len(v) == 0 || r.IntN(6) == 0:
			return slices.Insert(v, r.IntN(len(v)+1), fresh())
		case r.IntN(5) == 0:
			return slices.Delete(v, i, i+1)
		case r.IntN(5) == 0:
			r.Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] })
			return v
		default:
			v[i] = mutate(r, v[i])
			return v
		}
	}
	return fresh()
}

// disturb puts comments and empty lines into a text, in such places that it reads as before.
func disturb(r *rand.Rand, text string) string {
	if strings.Contains(text, "\r") {
		return text
	}
	before, _, err := readText([]byte(text))
	if err != nil || Split("", []byte(text))[0].JSON() {
		return text
	}
	for i := range 1 + r.IntN(8) {
		list := strings.SplitAfter(text, "\n")
		at := r.IntN(len(list))
		indent := list[at][:indentation([]byte(list[at]))]
		switch r.IntN(3) {
		case 0:
			list = slices.Insert(list, at, fmt.Sprintf("%s# comment %d\n", indent, i))
		case 1:
			list = slices.Insert(list, at, "\n")
		default:
			list[at] = strings.TrimSuffix(list[at], "\n") + fmt.Sprintf(" # beside %d\n", i)
		}
		changed := strings.Join(list, "")
		if after, _, err := readText([]byte(changed)); err == nil && compact(after) == compact(before) {
			text = changed
		}
	}
	if r.IntN(4) == 0 {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// comments lists the comments of a text.
func comments(d *Document) []string {
	var list []string
	if d.json {
		return nil
	}
	e := newEditor(d, readText)
	for i := 0; i < len(e.masked); i++ {
		if e.isComment(i) {
			list = append(list, strings.TrimRight(string(e.text[i:e.lineEnd(i)]), " \r\n"))
			i = e.lineEnd(i)
		}
	}
	return list
}

// checkRewrite changes a document at random. It returns whether an edit had to be tried again, and
// whether there was anything to do.
func checkRewrite(t *testing.T, r *rand.Rand, text string) (again, done bool) {
	t.Helper()
	d := Split("f.yaml", []byte(text))[0]
	value, repeated, err := readText(d.Bytes())
	if err != nil {
		return false, false
	}
	same, lost, err := d.Rewrite(value, readText)
	if err != nil || len(lost) > 0 || !bytes.Equal(same, d.Bytes()) {
		t.Fatalf("the same value changes %q: %v", text, err)
	}
	for range 1 + r.IntN(3) {
		value = mutate(r, value)
	}
	want, err := normal(value)
	if err != nil {
		t.Fatal(err)
	}
	if e := newEditor(d, readText); !equal(mustRead(t, d.Bytes()), want) {
		e.whole, e.unique = map[string]bool{}, repeated != nil
		if result, _, ok := e.rewrite(mustRead(t, d.Bytes()), want); !ok {
			again = true
			t.Logf("tried again:\n%s\n--- to %s\n--- wrong:\n%s", text, compact(want), result)
		}
	}
	got, lost, err := d.Rewrite(value, readText)
	if err != nil {
		t.Fatalf("%q to %s: %v", text, compact(want), err)
	}
	if !equal(mustRead(t, got), want) {
		t.Fatalf("%q reads as %s, want %s", got, compact(mustRead(t, got)), compact(want))
	}
	checkComments(t, d, got, lost)
	return again, true
}

// checkComments holds that every comment is still there or reported.
func checkComments(t *testing.T, d *Document, got []byte, lost []Loss) {
	t.Helper()
	reported := 0
	for _, l := range lost {
		if l.Kind == LostComment {
			reported++
		}
	}
	before, after := comments(d), comments(Split("f.yaml", got)[0])
	if len(before)-reported != len(after) {
		t.Errorf("%d comments were there, %d are, %d are reported lost:\n%s\n---\n%s", len(before), len(after), reported, d.Bytes(), got)
	}
}

func mustRead(t *testing.T, text []byte) any {
	t.Helper()
	value, _, err := readText(text)
	if err == nil {
		value, err = normal(value)
	}
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// TestRewriteRandom changes recorded configurations at random, between comments and empty lines.
func TestRewriteRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	texts := recordedTexts(t)
	for range 40 {
		texts = append(texts, layouts...)
	}
	total, repeated := 0, 0
	for _, text := range texts {
		again, done := checkRewrite(t, r, disturb(r, text))
		if done {
			total++
		}
		if again {
			repeated++
		}
	}
	t.Logf("%d changes, %d of them not at the first attempt", total, repeated)
	if total < 500 || repeated > total/50 {
		t.Errorf("%d of %d edits were wrong at first", repeated, total)
	}
}

func FuzzRewrite(f *testing.F) {
	for i, text := range recordedTexts(f) {
		if i%10 == 0 {
			f.Add([]byte(text), uint64(i))
		}
	}
	for i, text := range append(slices.Clone(layouts), seeds...) {
		f.Add([]byte(text), uint64(i))
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		if bytes.IndexByte(data, '%') >= 0 || isUTF16(data) || len(data) > 1<<16 {
			return
		}
		d := Split("f.yaml", data)[0]
		if _, _, broken := d.Syntax(); broken || d.tree().root == nil || hasOddities(d.tree().root) {
			return
		}
		checkRewrite(t, rand.New(rand.NewPCG(seed, 0)), string(d.Bytes()))
	})
}

// hasOddities reports aliases of nothing, and keys that are no strings for one of the parsers: two of
// them may be the same key in JSON, and which one counts then is chance.
func hasOddities(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode && n.Alias == nil {
		return true
	}
	for i, child := range n.Content {
		isKey := n.Kind == yaml.MappingNode && i%2 == 0 && !isMerge(child)
		if isKey && (child.Kind != yaml.ScalarNode || child.ShortTag() != "!!str" || len(child.Value) < 4) && !strings.Contains("abcdef", child.Value) {
			return true
		}
		if hasOddities(child) {
			return true
		}
	}
	return false
}
