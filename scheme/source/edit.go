// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/schedconf/schedconf/diag"
)

// Reader reads the text of a document the way its user does. It says what is repeated where a mapping
// repeats a key, be it through a merge; the last one counts then.
type Reader func(text []byte) (value any, repeated, err error)

// LossKind is what a rewrite could not keep.
type LossKind int

const (
	// LostComment is a comment of something that is gone.
	LostComment LossKind = iota + 1
	// LostAlias is an alias or merge key whose value had to be written out.
	LostAlias
	// LostStyle is a value that had to change its style.
	LostStyle
)

// Loss is something that a rewrite could not keep. Pos is where it stood.
type Loss struct {
	Kind LossKind
	Path diag.Path
	Pos  diag.Position
}

// maxAttempts bounds how often Rewrite tries again with larger parts written anew.
const maxAttempts = 64

// Rewrite returns the document's text changed so that it reads as value, which is anything that can be
// written as JSON. What does not change keeps its bytes: comments, blank lines, the order of keys,
// quotes, indentation, anchors, line breaks, and block or flow style. The result is read again to prove
// that it is right; where an edit is not, ever larger parts are written anew. If the document has the
// value already, its text is returned as it is. Otherwise keys that it repeats are gone afterwards,
// since the next reader may refuse them.
func (d *Document) Rewrite(value any, read Reader) (text []byte, lost []Loss, err error) {
	if d.origin != nil && d.origin.object != nil {
		// It has been taken out of another document, and its nodes are not those of its text. The
		// marker keeps flow style from being taken for JSON.
		d = Split(d.File, append([]byte("---\n"), d.text...))[0]
	}
	want, err := normal(value)
	if err != nil {
		return nil, nil, err
	}
	old, repeated, err := read(d.text)
	if err != nil {
		return nil, nil, err
	}
	if old, err = normal(old); err != nil {
		return nil, nil, err
	}
	if equal(old, want) {
		return d.text, nil, nil
	}
	whole := map[string]bool{}
	for range maxAttempts {
		e := newEditor(d, read)
		e.whole, e.unique = whole, repeated != nil
		text, culprit, ok := e.rewrite(old, want)
		if ok {
			return text, e.sortedLosses(), nil
		}
		if whole[""] {
			break
		}
		for whole[culprit.String()] && len(culprit) > 0 {
			culprit = culprit[:len(culprit)-1]
		}
		whole[culprit.String()] = true
	}
	e := newEditor(d, read)
	e.lose(0, len(e.text), nil)
	text = []byte(strings.Join(e.block(want, 0), e.nl) + e.nl)
	if _, ok := e.prove(text, want); ok {
		return text, e.sortedLosses(), nil
	}
	return nil, nil, errors.New("the document cannot be rewritten")
}

// Unrepeated returns the document's text without the keys that it repeats: the last of several stays, which is
// the one that counts. It is the document's own text if nothing is repeated.
func (d *Document) Unrepeated(read Reader) (text []byte, lost []Loss, err error) {
	value, repeated, err := read(d.text)
	if err != nil || repeated == nil {
		return d.text, nil, err
	}
	if value, err = normal(value); err != nil {
		return nil, nil, err
	}
	e := newEditor(d, read)
	e.unique = true
	text, _, ok := e.rewrite(value, value)
	if !ok {
		return nil, nil, errors.New("the repeated keys cannot be taken out")
	}
	return text, e.sortedLosses(), nil
}

// Replace puts the new text of a document into its file. The other documents, and a byte order mark,
// stay byte for byte.
func Replace(file []byte, docs []*Document, index int, text []byte) []byte {
	var out []byte
	if bytes.HasPrefix(file, byteOrderMark) {
		out = append(out, byteOrderMark...)
	}
	for i, d := range docs {
		if i != index {
			out = append(out, d.text...)
			continue
		}
		out = append(out, text...)
		if i+1 < len(docs) && len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
			out = append(out, '\n')
		}
	}
	return out
}

// editor collects the edits that turn a document into another.
type editor struct {
	doc  *Document
	text []byte // that of the document, with a break at its end
	nl   string
	read Reader
	*layout
	style style

	whole  map[string]bool // paths in the new value that are written anew
	unique bool            // repeated keys have to go
	// anchors holds what each anchored node will read as; one that is gone, or that did not come yet,
	// is not there.
	anchors map[*yaml.Node]any
	edits   []edit
	losses  []Loss
}

// edit replaces a part of the text.
type edit struct {
	from, to int
	text     string
	path     diag.Path
}

func newEditor(d *Document, read Reader) *editor {
	e := &editor{doc: d, text: d.text, nl: "\n", read: read, anchors: map[*yaml.Node]any{}}
	if end, next := lineBreak(d.text, 0); string(d.text[end:next]) == "\r\n" {
		e.nl = "\r\n"
	}
	if n := len(d.text); n > 0 && d.text[n-1] != '\n' && !d.json {
		e.text = append(slices.Clone(d.text), e.nl...)
	}
	e.layout = measure(d.tree(), e.text)
	e.style = e.findStyle()
	return e
}

// rewrite makes the edits and proves them. If they are not right, it returns the path to blame.
func (e *editor) rewrite(old, want any) (text []byte, culprit diag.Path, ok bool) {
	root := e.doc.tree().root
	switch {
	case root == nil:
		e.edit(len(e.text), len(e.text), strings.Join(e.block(want, 0), e.nl)+e.nl, nil)
	case e.broken || e.whole[""]:
		e.anew(root, want)
	default:
		e.value(slot{node: root, from: e.spans[root].start, column: -1, inFlow: e.isFlow(root), root: true}, old, want, nil)
	}
	text = apply(e.text, 0, len(e.text), e.edits)
	if bare := bytes.TrimSuffix(text, []byte(e.nl)); len(e.text) > len(e.doc.text) {
		if _, ok := e.prove(bare, want); ok {
			return bare, nil, true
		}
	}
	culprit, ok = e.prove(text, want)
	return text, culprit, ok
}

// anew writes the whole document; what stands before and after its value stays.
func (e *editor) anew(root *yaml.Node, want any) {
	from, _ := e.doc.content()
	to := len(e.text)
	if s, ok := e.spans[root]; ok && !e.broken {
		to = s.end
	}
	if e.doc.json {
		e.lose(from, to, nil)
		e.edit(from, to, e.json(want, "", true), nil)
		return
	}
	to = e.lineEnd(to)
	text := strings.Join(e.block(want, 0), e.nl)
	if from > e.lineStart(from) { // behind a marker
		text = e.nl + text
	}
	e.lose(from, to, nil)
	if to == len(e.text) {
		text += e.nl
	}
	e.edit(from, to, text, nil)
}

func (e *editor) edit(from, to int, text string, path diag.Path) {
	e.edits = append(e.edits, edit{from, to, text, path})
}

// captured returns the text from one offset to another with the edits that do makes there.
func (e *editor) captured(from, to int, do func()) string {
	before := e.edits
	e.edits = nil
	do()
	text := apply(e.text, from, to, e.edits)
	e.edits = before
	return string(text)
}

// apply makes edits within a part of a text. What is put in within something that goes away stays.
func apply(text []byte, from, to int, edits []edit) []byte {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b edit) int {
		if c := cmp.Compare(a.from, b.from); c != 0 {
			return c
		}
		// What is put in comes before what goes away.
		return cmp.Compare(min(1, a.to-a.from), min(1, b.to-b.from))
	})
	var out []byte
	at := from
	for _, e := range edits {
		out = append(out, text[at:max(at, e.from)]...)
		out = append(out, e.text...)
		at = max(at, e.from, e.to)
	}
	return append(out, text[min(at, to):to]...)
}

// prove reads a result. If it is not what is wanted, it returns the path to blame.
func (e *editor) prove(text []byte, want any) (diag.Path, bool) {
	got, ok := e.reads(text)
	if !ok {
		return e.blame(), false
	}
	return difference(got, want, nil)
}

func (e *editor) reads(text []byte) (any, bool) {
	if len(Split(e.doc.File, text)) != 1 {
		return nil, false
	}
	got, repeated, err := e.read(text)
	if err != nil || repeated != nil {
		return nil, false
	}
	got, err = normal(got)
	return got, err == nil
}

// blame finds the place whose edits alone make the text unreadable.
func (e *editor) blame() diag.Path {
	tried := map[string]bool{}
	for _, one := range e.edits {
		if key := one.path.String(); !tried[key] && !e.whole[key] {
			tried[key] = true
			same := slices.DeleteFunc(slices.Clone(e.edits), func(o edit) bool { return o.path.String() != key })
			if _, _, err := e.read(apply(e.text, 0, len(e.text), same)); err != nil {
				return one.path
			}
		}
	}
	return nil
}

// difference returns the path of the first difference, or true if there is none.
func difference(got, want any, path diag.Path) (diag.Path, bool) {
	if equal(got, want) {
		return nil, true
	}
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok || len(got) != len(want) {
			return path, false
		}
		for _, name := range ordered(want) {
			value, ok := got[name]
			if !ok {
				return path, false
			}
			if p, same := difference(value, want[name], path.Child(name)); !same {
				return p, false
			}
		}
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			return path, false
		}
		for i := range want {
			if p, same := difference(got[i], want[i], path.Index(i)); !same {
				return p, false
			}
		}
	}
	return path, false
}

// lose reports the comments from one offset to another.
func (e *editor) lose(from, to int, path diag.Path) {
	for i := from; i < min(to, len(e.masked)); i++ {
		if e.isComment(i) {
			e.loss(LostComment, i, path)
			i = e.lineEnd(i)
		}
	}
}

func (e *editor) loss(kind LossKind, at int, path diag.Path) {
	e.losses = append(e.losses, Loss{kind, path, e.doc.position(at)})
}

func (e *editor) sortedLosses() []Loss {
	slices.SortStableFunc(e.losses, func(a, b Loss) int {
		return cmp.Or(a.Pos.Compare(b.Pos), cmp.Compare(a.Kind, b.Kind))
	})
	return slices.CompactFunc(e.losses, func(a, b Loss) bool { return a.Kind == b.Kind && a.Pos == b.Pos })
}

// normal turns a value into what JSON makes of it, with numbers as they are written.
func normal(value any) (any, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var out any
	err = decoder.Decode(&out)
	return out, err
}

// equal compares normal values; numbers are equal if they mean the same.
func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, value := range a {
			if other, ok := b[name]; !ok || !equal(value, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || sameNumber(a.String(), b.String()))
	}
	return a == b
}

func sameNumber(a, b string) bool {
	x, errX := strconv.ParseInt(a, 10, 64)
	y, errY := strconv.ParseInt(b, 10, 64)
	if errX == nil && errY == nil {
		return x == y
	}
	f, errF := strconv.ParseFloat(a, 64)
	g, errG := strconv.ParseFloat(b, 64)
	return errF == nil && errG == nil && f == g
}

// named are the keys by which people tell the items of a list apart; a mapping starts with them.
var named = []string{"apiVersion", "kind", "name", "schedulerName"}

// ordered returns the keys of a new mapping in the order in which they are written.
func ordered(mapping map[string]any) []string {
	var names []string
	for name := range mapping {
		names = append(names, name)
	}
	rank := func(name string) int {
		if i := slices.Index(named, name); i >= 0 {
			return i
		}
		return len(named)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)) })
	return names
}

func compact(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(data)
}
