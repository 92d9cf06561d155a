// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/schedconf/schedconf/diag"
)

// maxDepth bounds the nesting of a document, and so every recursion of this package. The YAML
// parser itself gives up at 10000 levels, so reaching it is cheap; a scan for brackets beforehand
// would take those within strings and comments for real ones.
const maxDepth = 1000

// tree is a parsed document: nodes, or what is wrong with the text.
type tree struct {
	root  *yaml.Node // nil if there is no content or no way to read it
	lines []textLine
	fault *fault
	last  struct{ line, column, offset int } // that offset was asked for
}

// textLine is a line as the YAML parser counts them, which is not always a line of the file.
type textLine struct {
	offset       int
	line, column int // in the file
}

// fault is a syntax error.
type fault struct {
	offset  int
	message string
}

func (d *Document) tree() *tree {
	if d.parsed == nil {
		d.parsed = d.parse()
	}
	return d.parsed
}

func (d *Document) parse() *tree {
	t := &tree{lines: d.textLines()}
	if d.json {
		t.fault = jsonFault(d.text)
	}
	if d.json && t.fault == nil {
		reader := jsonReader{text: d.text, decoder: json.NewDecoder(bytes.NewReader(d.text))}
		reader.decoder.UseNumber()
		t.root = reader.node(0)
	} else {
		root, err := parseYAML(d.text)
		t.root = root
		// For broken JSON the nodes are good for positions, but the verdict stands.
		if err != nil && t.fault == nil {
			t.fault = t.yamlFault(d, err)
		}
	}
	if deep := tooDeep(t.root, 0); deep != nil {
		t.fault = &fault{t.offset(d.text, deep), depthMessage}
		t.root = nil
	}
	return t
}

// parseYAML returns the root node of the first document. Errors and panics of the parser are both
// errors here.
func parseYAML(text []byte) (root *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, fmt.Errorf("%v", r)
		}
	}()
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil || len(document.Content) == 0 {
		return nil, err
	}
	return document.Content[0], nil
}

// tooDeep returns the first node that is nested too deep. It does not look through aliases.
func tooDeep(n *yaml.Node, depth int) *yaml.Node {
	if n == nil || n.Kind == yaml.ScalarNode || n.Kind == yaml.AliasNode {
		return nil
	}
	if depth == maxDepth {
		return n
	}
	for _, child := range n.Content {
		if deep := tooDeep(child, depth+1); deep != nil {
			return deep
		}
	}
	return nil
}

func (d *Document) textLines() []textLine {
	var table []textLine
	number, begin := d.line, 1-d.column
	for at := range lines(d.text) {
		if at > 0 && d.text[at-1] == '\n' {
			number, begin = number+1, at
		}
		table = append(table, textLine{offset: at, line: number, column: at - begin + 1})
	}
	return table
}

// lineOf returns the index of the line that holds the offset, 0 in an empty document.
func (t *tree) lineOf(offset int) int {
	return max(0, sort.Search(len(t.lines), func(i int) bool { return t.lines[i].offset > offset })-1)
}

// position converts an offset. It keeps inside the text, whatever a parser said.
func (d *Document) position(offset int) diag.Position {
	if d.origin != nil {
		return d.origin.position(max(0, min(offset, len(d.text)-1)))
	}
	p := diag.Position{File: d.File, Document: d.Index, Line: d.line, Column: d.column}
	offset = max(0, min(offset, len(d.text)-1))
	if d.parsed == nil {
		// Nobody has asked for more yet, so what stands before is counted and nothing is parsed.
		before := d.text[:offset]
		p.Column += offset
		if i := bytes.LastIndexByte(before, '\n'); i >= 0 {
			p.Line += bytes.Count(before, []byte("\n"))
			p.Column = offset - i
		}
		return p
	}
	if t := d.parsed; len(t.lines) > 0 {
		l := t.lines[t.lineOf(offset)]
		p.Line, p.Column = l.line, l.column+offset-l.offset
	}
	return p
}

// offset returns where the node starts. The YAML parser counts characters, not bytes. A node read
// from JSON has no line, and its column is the offset itself.
func (t *tree) offset(text []byte, n *yaml.Node) int {
	if n.Line == 0 {
		return n.Column
	}
	at, column := t.lines[min(n.Line, len(t.lines))-1].offset, 1
	if t.last.line == n.Line && t.last.column-n.Column < n.Column {
		at, column = t.last.offset, t.last.column // all nodes may stand on one line
	}
	for ; column > n.Column; column-- {
		_, size := utf8.DecodeLastRune(text[:at])
		at -= size
	}
	for ; column < n.Column && at < len(text); column++ {
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	t.last.line, t.last.column, t.last.offset = n.Line, column, at
	// An absent value stands behind the indicator that announces it: point at that.
	if n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 && n.Anchor == "" &&
		0 < at && at <= len(text) && bytes.IndexByte([]byte("-:?"), text[at-1]) >= 0 {
		at--
	}
	return at
}

// jsonReader builds the nodes of a valid JSON text. The YAML parser refuses some of these texts:
// it does not take tabs for white space, nor keys longer than 1024 characters.
type jsonReader struct {
	text    []byte
	decoder *json.Decoder
}

// next returns the next token and its offset. The decoder passes over commas and colons.
func (r *jsonReader) next() (json.Token, int) {
	at := int(r.decoder.InputOffset())
	for at < len(r.text) && bytes.IndexByte([]byte(" \t\r\n,:"), r.text[at]) >= 0 {
		at++
	}
	token, err := r.decoder.Token()
	if err != nil {
		return nil, at
	}
	return token, at
}

func (r *jsonReader) node(depth int) *yaml.Node {
	token, at := r.next()
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Column: at}
	switch token := token.(type) {
	case json.Delim:
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
		if token == '[' {
			n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		}
		for depth < maxDepth && r.decoder.More() {
			n.Content = append(n.Content, r.node(depth+1))
		}
		if depth < maxDepth {
			r.next()
		}
	case nil:
		n.Tag, n.Value = "!!null", "null"
	default:
		n.Value = fmt.Sprint(token)
		if _, ok := token.(string); !ok {
			n.Tag = ""
		}
	}
	return n
}
