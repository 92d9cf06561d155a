// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/validation"
)

// seeds are the recorded cases and every other configuration among the test data.
func seeds(t testing.TB) []string {
	t.Helper()
	var recorded map[string]string
	data, err := os.ReadFile("../testdata/recorded/cases.json")
	if err == nil {
		err = json.Unmarshal(data, &recorded)
	}
	if err != nil || len(recorded) == 0 {
		t.Fatalf("no recorded cases: %v", err)
	}
	texts := slices.Sorted(maps.Values(recorded))
	for _, depth := range []string{"*", "*/*", "*/*/*"} {
		names, _ := filepath.Glob("../testdata/" + depth + ".yaml")
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(data))
		}
	}
	return texts
}

// checkers are made once for every minor, with the feature gates at their defaults and with those of
// alpha stage switched on.
type checkers map[string]*validation.Checker

func (c checkers) of(t *testing.T, release *schemas.Release, alpha bool) *validation.Checker {
	key := release.Name + strconv.FormatBool(alpha)
	if c[key] == nil {
		gates, err := release.NewGates(map[string]bool{"AllAlpha": alpha})
		if err != nil {
			t.Fatal(err)
		}
		s, err := scheme.New(release, gates)
		if err != nil {
			t.Fatal(err)
		}
		c[key] = validation.New(s)
	}
	return c[key]
}

// choose returns one of the releases that read the document, or any if none does.
func choose(doc *source.Document, number uint8) *schemas.Release {
	var all, reading []*schemas.Release
	apiVersion := ""
	if value, _, err := scheme.Value(doc); err == nil {
		apiVersion, _, _ = scheme.TypeMeta(value)
	}
	for _, minor := range schemas.Minors() {
		release := schemas.For(minor)
		all = append(all, release)
		if _, ok := release.API(apiVersion); ok {
			reading = append(reading, release)
		}
	}
	if len(reading) == 0 {
		reading = all
	}
	return reading[int(number)%len(reading)]
}

// FuzzCheck holds what a verdict may not depend on: notation, comments, blank lines and the order of
// keys. Whatever the bytes, there is no panic, every position is inside of the file, and a rule
// explains what the decoder refuses.
//
// Few changes of bytes leave a configuration that decodes, so the edit puts an odd value somewhere:
// its number says which and where; 0 is none.
func FuzzCheck(f *testing.F) {
	for i, seed := range seeds(f) {
		f.Add([]byte(seed), uint16(0), uint8(i), i%2 == 0)
		f.Add([]byte(seed), uint16(i*37%(12*len(odd))), uint8(i), i%2 == 0)
	}
	known := checkers{}
	f.Fuzz(func(t *testing.T, data []byte, edit uint16, number uint8, alpha bool) {
		data = edited(data, int(edit))
		documents := source.Split("f.yaml", data)
		for _, doc := range documents {
			checker := known.of(t, choose(doc, number), alpha)
			result, err := checker.Check(doc)
			if err != nil {
				t.Fatal(err)
			}
			checkFindings(t, data, doc, result)
			if result.Value == nil {
				continue
			}
			// A comment would make YAML of JSON, and a byte order mark belongs at the very start.
			if len(documents) == 1 && !marked(data) {
				before := "# comment\n\n"
				if doc.JSON() {
					before = "\n \n"
				}
				same(t, "behind empty lines", result, checkText(t, checker, append([]byte(before), data...)))
			}
			checkNotations(t, checker, doc, result)
		}
	})
}

// marked reports whether the text starts with the byte order mark of an encoding that YAML knows.
func marked(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\ufeff")) || bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff"))
}

// odd are values that hardly any field takes.
var odd = []string{
	`null`, `{}`, `[]`, `""`, `0`, `-1`, `101`, `1.5`, `1e3`, `9999999999`, `99999999999999999999`, `true`, `"x"`, `"Score"`, `"*"`,
	`"1h"`, `"kubescheduler.config.k8s.io/v1"`, `[null]`, `[{}]`, `{"x": 1}`, `{"name": "NodeResourcesFit"}`, `[{"name": "NodeAffinity"}, {"name": "NodeAffinity"}]`,
}

// edited replaces one value in the first document by an odd one.
func edited(data []byte, edit int) []byte {
	if edit == 0 {
		return data
	}
	text, _, err := scheme.Value(source.Split("f.yaml", data)[0])
	if err != nil {
		return data
	}
	value := decoded(text)
	replacement := decoded([]byte(odd[edit%len(odd)]))
	left := edit / len(odd)
	if root := replace(value, replacement, &left); left < 0 && depth(root) <= 100 {
		return writeYAML(root, false, false)
	}
	return data
}

// replace puts the replacement where left comes down to nothing.
func replace(value, replacement any, left *int) any {
	if *left--; *left == -1 {
		return replacement
	}
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if *left >= 0 {
				value[name] = replace(value[name], replacement, left)
			}
		}
	case []any:
		for i := range value {
			if *left >= 0 {
				value[i] = replace(value[i], replacement, left)
			}
		}
	}
	return value
}

func depth(value any) int {
	deepest := 0
	switch value := value.(type) {
	case map[string]any:
		for _, inner := range value {
			deepest = max(deepest, depth(inner))
		}
	case []any:
		for _, inner := range value {
			deepest = max(deepest, depth(inner))
		}
	}
	return deepest + 1
}

// decoded reads JSON that is known to be right, with numbers as they stand.
func decoded(text []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		panic(err)
	}
	return value
}

func checkFindings(t *testing.T, data []byte, doc *source.Document, result *validation.Result) {
	lines := strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n")
	for _, d := range result.Findings {
		if d.Rule == "decode-error" {
			t.Errorf("no rule explains what the decoder refuses: %s", d.Message)
		}
		if _, ok := validation.Lookup(d.Rule); !ok || d.Severity == 0 || d.Message == "" || (d.Severity == diag.Error) != (d.Stage != "") {
			t.Errorf("incomplete finding %+v", d)
		}
		places := []diag.Position{d.Pos}
		for _, related := range d.Related {
			places = append(places, related.Pos)
		}
		for _, pos := range places {
			inside := pos.File == doc.File && pos.Document == doc.Index && pos.Line >= 1 && pos.Line <= len(lines) &&
				// The break is the last column of a line.
				pos.Column >= 1 && pos.Column <= len(lines[pos.Line-1])+1
			if !inside {
				t.Errorf("finding outside of the file: %+v", d)
			}
		}
	}
}

// checkNotations compares the verdict on the value as JSON, and as YAML in three forms of ours.
func checkNotations(t *testing.T, checker *validation.Checker, doc *source.Document, result *validation.Result) {
	value := decoded(result.Value)
	if _, ok := value.(map[string]any); !ok || depth(value) > 100 {
		return // As JSON it would not start with a brace; deep in, there is nothing but indentation.
	}
	if !doc.JSON() {
		same(t, "as JSON", result, checkText(t, checker, result.Value))
	}
	plain := checkText(t, checker, writeYAML(value, false, false))
	same(t, "with comments", plain, checkText(t, checker, writeYAML(value, true, false)))
	same(t, "with keys in another order", plain, checkText(t, checker, writeYAML(value, false, true)))
}

func checkText(t *testing.T, checker *validation.Checker, text []byte) *validation.Result {
	t.Helper()
	result, err := checker.Check(source.Split("f.yaml", text)[0])
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// same compares rules and paths. A repeated key is what a value does not say, and one rule reads comments.
func same(t *testing.T, how string, want, got *validation.Result) {
	t.Helper()
	if diff := cmp.Diff(rulesOf(want), rulesOf(got)); diff != "" {
		t.Errorf("the same configuration %s has other findings:\n%s", how, diff)
	}
}

func rulesOf(result *validation.Result) []string {
	var rules []string
	for _, d := range result.Findings {
		if d.Rule != "key-duplicate" && d.Rule != "strategy-contradicts-name" {
			rules = append(rules, d.Rule+" "+d.Severity.String()+" "+d.Path.String())
		}
	}
	slices.Sort(rules)
	return rules
}

// writeYAML writes a value in block style, with quoted texts, so that a line can stand between any
// two others.
func writeYAML(value any, comments, reversed bool) []byte {
	w := yamlWriter{comments: comments, reversed: reversed}
	w.value(value, 0)
	return w.text.Bytes()
}

type yamlWriter struct {
	text               bytes.Buffer
	comments, reversed bool
}

// value writes what stands behind a key, a dash, or at the start.
func (w *yamlWriter) value(value any, depth int) {
	switch value := value.(type) {
	case map[string]any:
		if len(value) == 0 {
			w.text.WriteString(" {}\n")
			return
		}
		w.open(depth)
		names := slices.Sorted(maps.Keys(value))
		if w.reversed {
			slices.Reverse(names)
		}
		for _, name := range names {
			w.line(depth, strconv.QuoteToASCII(name)+":")
			w.value(value[name], depth+1)
		}
	case []any:
		if len(value) == 0 {
			w.text.WriteString(" []\n")
			return
		}
		w.open(depth)
		for _, item := range value {
			w.line(depth, "-")
			w.value(item, depth+1)
		}
	case string:
		w.text.WriteString(" " + strconv.QuoteToASCII(value) + "\n")
	case json.Number:
		w.text.WriteString(" " + value.String() + "\n")
	case bool:
		w.text.WriteString(" " + strconv.FormatBool(value) + "\n")
	default:
		w.text.WriteString(" null\n")
	}
}

func (w *yamlWriter) open(depth int) {
	if depth == 0 {
		return
	}
	if w.comments {
		w.text.WriteString(" # comment")
	}
	w.text.WriteByte('\n')
}

func (w *yamlWriter) line(depth int, start string) {
	indent := strings.Repeat("  ", depth)
	if w.comments {
		w.text.WriteString("\n# comment\n" + indent + "#comment: true\n")
	}
	w.text.WriteString(indent + start)
}
