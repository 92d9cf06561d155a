// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/schedconf/schedconf/diag"
)

var seeds = []string{
	"", "# nothing\n", header, "---\n" + header, "\ufeff" + header, sample,
	"apiVersion: kubescheduler.config.k8s.io/v1\r\nkind: KubeSchedulerConfiguration\r\nparallelism: 8\r\n",
	`{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration","parallelism":8,}`,
	`{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration","parallelism":8}`,
	"- apiVersion: kubescheduler.config.k8s.io/v1\n  kind: KubeSchedulerConfiguration\n",
	"apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\n---\n---\na: &a [*a, {<<: &b {<<: *b}}]\n...\n# c\n",
	"a: \"b # c\nkind: d\"\ne: |\n # f\ng: [\n'h']\n", "a:\n\tb\n", "%YAML 1.1\n--- !!map\nä: &x 'y'\nz: *x\n",
	"{\n\t\"a\": [1,\t2, {\"b\": null}],\n\t\"a\": \"\\u00e4\"\n}\n", "a: 1\r---\rb: 2\u2028c: 3\u0085...\n",
}

func FuzzSplit(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		documents := Split("f.yaml", data)
		text := bytes.TrimPrefix(data, byteOrderMark)
		var joined []byte
		for i, d := range documents {
			start := bytes.LastIndexByte(joined, '\n') + 1
			if d.Index != i || d.line != bytes.Count(joined, []byte("\n"))+1 || d.column != len(joined)-start+1 {
				t.Errorf("document %d is %d at %d:%d", i, d.Index, d.line, d.column)
			}
			joined = append(joined, d.Bytes()...)
			checkSniff(t, d)
		}
		if !bytes.Equal(joined, text) {
			t.Errorf("the documents make %q of %q", joined, text)
		}
		// A directive counts anywhere for the decoder, and may change the tags of later documents.
		if bytes.IndexByte(data, '%') < 0 && !bytes.Contains(text, byteOrderMark) && !isUTF16(data) {
			checkStream(t, data)
		}
	})
}

func isUTF16(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff"))
}

// checkSniff compares with what the parser finds.
func checkSniff(t *testing.T, d *Document) {
	apiVersion, kind, ok := d.Sniff()
	if _, _, broken := d.Syntax(); !ok || broken {
		return
	}
	for name, got := range map[string]string{"apiVersion": apiVersion, "kind": kind} {
		if want, _ := d.Scalar(diag.Path{name}); got != want {
			t.Errorf("Sniff of %q: %s is %q, want %q", d.Bytes(), name, got, want)
		}
	}
}

func FuzzPosition(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed), "profiles[0].plugins")
	}
	f.Fuzz(func(t *testing.T, data []byte, path string) {
		fileLines := strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n")
		inside := func(p diag.Position) bool {
			if p.Line < 1 || p.Line > len(fileLines) || p.Column < 1 {
				return false
			}
			// The break is the last column of a line; an empty last line has a first column.
			return p.Column <= len(fileLines[p.Line-1])+1
		}
		for _, d := range Split("f.yaml", data) {
			for _, p := range exercise(d, diag.ParsePath(path)) {
				if !inside(p) || p.Document != d.Index {
					t.Errorf("%+v is outside of %q", p, data)
				}
			}
			if root := d.tree().root; root != nil && !isUTF16(data) {
				checkNodes(t, d, root, nil, inside)
			}
		}
	})
}

// checkNodes looks up every node by its path, and compares what stands there.
func checkNodes(t *testing.T, d *Document, n *yaml.Node, path diag.Path, inside func(diag.Position) bool) {
	key, value := d.Position(path), d.ValuePosition(path)
	if !inside(key) || !inside(value) || !d.Has(path) {
		t.Errorf("%q: %v is at %v and %v", d.Bytes(), path, key, value)
	}
	if n.Kind == yaml.ScalarNode && n.Style == 0 && n.Anchor == "" && n.Value != "" && n.Line > 0 {
		if rest := d.text[d.tree().offset(d.text, n):]; rest[0] != n.Value[0] && rest[0] != '!' {
			t.Errorf("%q: %v is %q, but at %v there is %.10q", d.Bytes(), path, n.Value, value, rest)
		}
	}
	switch n.Kind {
	case yaml.SequenceNode:
		for i, item := range n.Content {
			checkNodes(t, d, item, path.Index(i), inside)
		}
	case yaml.MappingNode:
		for entry := range slices.Chunk(n.Content, 2) {
			if name, ok := keyName(entry[0]); ok && lastOf(d, path, name) == entry[0] {
				checkNodes(t, d, entry[1], path.Child(name), inside)
			}
		}
	}
	if n.Kind == yaml.SequenceNode && d.Len(path) != len(n.Content) {
		t.Errorf("%q: Len(%v) = %s", d.Bytes(), path, strconv.Itoa(d.Len(path)))
	}
}

func lastOf(d *Document, path diag.Path, name string) *yaml.Node {
	key, _, _ := d.find(path.Child(name))
	return key
}
