// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package scheme

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/schedconf/schedconf/diag"
)

// Shape is what a release's decoder takes at one place: a JSON Schema in the dialect of
// schemas/record, with its references resolved.
type Shape struct {
	kinds  kind
	null   bool
	format string
	// allowed are the only strings that are taken; nil means any.
	allowed []string
	// fields of an object; open objects take further keys, of shape values if it is not nil.
	fields map[string]*Shape
	open   bool
	values *Shape
	// foldCase objects match the keys they know without regard to case.
	foldCase bool
	items    *Shape
	// argsByName gives the shape of the field args by the value of the field name.
	argsByName map[string]*Shape
}

type kind uint8

const (
	object kind = 1 << iota
	array
	text
	integer
	number
	boolean
	anything = object | array | text | integer | number | boolean
)

// schemaNode is the part of a JSON Schema that a shape needs.
type schemaNode struct {
	Ref        string                 `json:"$ref"`
	Defs       map[string]*schemaNode `json:"$defs"`
	Type       json.RawMessage        `json:"type"`
	Format     string                 `json:"format"`
	Encoding   string                 `json:"contentEncoding"`
	Const      *string                `json:"const"`
	Enum       []*string              `json:"enum"`
	Properties map[string]*schemaNode `json:"properties"`
	Additional json.RawMessage        `json:"additionalProperties"`
	Items      *schemaNode            `json:"items"`
	FoldCase   bool                   `json:"x-foldCase"`
	AllOf      []struct {
		If   *schemaNode `json:"if"`
		Then *schemaNode `json:"then"`
	} `json:"allOf"`
}

// parseShape reads a schema file of package schemas.
func parseShape(data []byte) (*Shape, error) {
	var root schemaNode
	if err := json.Unmarshal(data, &root); err != nil {
		return nil, fmt.Errorf("JSON Schema: %w", err)
	}
	r := resolver{defs: root.Defs, done: map[string]*Shape{}}
	return r.shape(&root)
}

type resolver struct {
	defs map[string]*schemaNode
	done map[string]*Shape
}

func (r resolver) shape(n *schemaNode) (*Shape, error) {
	if n.Ref != "" {
		return r.reference(strings.TrimPrefix(n.Ref, "#/$defs/"))
	}
	s := &Shape{format: n.Format}
	return s, r.fill(s, n)
}

func (r resolver) reference(name string) (*Shape, error) {
	if s, ok := r.done[name]; ok {
		return s, nil
	}
	n, ok := r.defs[name]
	if !ok {
		return nil, fmt.Errorf("JSON Schema: no definition %q", name)
	}
	s := &Shape{format: n.Format}
	r.done[name] = s
	return s, r.fill(s, n)
}

func (r resolver) fill(s *Shape, n *schemaNode) error {
	if err := s.setKinds(n); err != nil {
		return err
	}
	if n.Encoding == "base64" {
		s.format = "base64"
	}
	s.foldCase = n.FoldCase
	if n.Const != nil {
		s.allowed = []string{*n.Const}
	}
	for _, value := range n.Enum {
		if value != nil {
			s.allowed = append(s.allowed, *value)
		}
	}
	var err error
	if len(n.Properties) > 0 {
		s.fields = make(map[string]*Shape, len(n.Properties))
		for name, child := range n.Properties {
			if s.fields[name], err = r.shape(child); err != nil {
				return err
			}
		}
	}
	if n.Items != nil {
		if s.items, err = r.shape(n.Items); err != nil {
			return err
		}
	}
	switch string(n.Additional) {
	case "", "true":
		s.open = true
	case "false":
	default:
		var child schemaNode
		if err := json.Unmarshal(n.Additional, &child); err != nil {
			return fmt.Errorf("JSON Schema: additionalProperties: %w", err)
		}
		s.open = true
		if s.values, err = r.shape(&child); err != nil {
			return err
		}
	}
	for _, rule := range n.AllOf {
		name := rule.If.Properties["name"].Const
		if s.argsByName == nil {
			s.argsByName = make(map[string]*Shape, len(n.AllOf))
		}
		if s.argsByName[*name], err = r.shape(rule.Then.Properties["args"]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Shape) setKinds(n *schemaNode) error {
	var names []string
	if len(n.Type) > 0 && n.Type[0] == '"' {
		names = []string{""}
		if err := json.Unmarshal(n.Type, &names[0]); err != nil {
			return fmt.Errorf("JSON Schema: type: %w", err)
		}
	} else if len(n.Type) > 0 {
		if err := json.Unmarshal(n.Type, &names); err != nil {
			return fmt.Errorf("JSON Schema: type: %w", err)
		}
	}
	if len(names) == 0 {
		s.kinds, s.null = anything, true
		return nil
	}
	for _, name := range names {
		switch name {
		case "object":
			s.kinds |= object
		case "array":
			s.kinds |= array
		case "string":
			s.kinds |= text
		case "integer":
			s.kinds |= integer
		case "number":
			s.kinds |= number
		case "boolean":
			s.kinds |= boolean
		case "null":
			s.null = true
		default:
			return fmt.Errorf("JSON Schema: unknown type %q", name)
		}
	}
	return nil
}

// want says in words what the shape takes.
func (s *Shape) want() string {
	switch {
	case s.format == "go-duration":
		return "a duration such as 15s or 1m30s"
	case s.format == "base64":
		return "base64 text"
	case len(s.allowed) > 0:
		return strconv.Quote(s.allowed[len(s.allowed)-1])
	case s.kinds&object != 0:
		return "an object"
	case s.kinds&array != 0:
		return "a list"
	case s.kinds&boolean != 0:
		return "true or false"
	case s.kinds&integer != 0:
		return "a whole number"
	case s.kinds&number != 0:
		return "a number"
	}
	return "text"
}

// Trouble is how a value fails to fit.
type Trouble int

const (
	// UnknownField is a key that the shape has no field for.
	UnknownField Trouble = iota + 1
	// RepeatedField is a key that stands twice in one object.
	RepeatedField
	// WrongType is a value that the decoder cannot read into the field.
	WrongType
	// WrongKind is the kind or apiVersion of another object.
	WrongKind
)

// Misfit is one place where a value does not fit its shape.
type Misfit struct {
	Trouble Trouble
	Path    diag.Path
	// Want and Got say in words what is taken and what stands there; empty for fields.
	Want, Got string
	// Ignored is true for an unknown field that the decoder passes over.
	Ignored bool
	// Known are the names of the fields that would be taken; for UnknownField only.
	Known []string
}

// Fit walks a JSON value, which must be valid JSON, and reports every misfit in document order.
func (s *Shape) Fit(value []byte) []Misfit {
	w := walker{data: value}
	w.value(s)
	return w.misfits
}

// walker goes over JSON text once, without building values, since most files have no misfit.
type walker struct {
	data    []byte
	at      int
	path    []string
	misfits []Misfit
}

func (w *walker) report(trouble Trouble, want, got string) {
	w.misfits = append(w.misfits, Misfit{Trouble: trouble, Path: append(diag.Path(nil), w.path...), Want: want, Got: got})
}

func (w *walker) space() {
	for w.at < len(w.data) {
		switch w.data[w.at] {
		case ' ', '\t', '\n', '\r':
			w.at++
		default:
			return
		}
	}
}

// token returns the text of the string, number or word at the cursor and moves behind it.
func (w *walker) token() []byte {
	start := w.at
	if w.data[w.at] == '"' {
		for w.at++; w.data[w.at] != '"'; w.at++ {
			if w.data[w.at] == '\\' {
				w.at++
			}
		}
		w.at++
		return w.data[start:w.at]
	}
	for w.at < len(w.data) && !strings.ContainsRune(",]} \t\r\n", rune(w.data[w.at])) {
		w.at++
	}
	return w.data[start:w.at]
}

func unquote(token []byte) string {
	inner := token[1 : len(token)-1]
	for _, c := range inner {
		if c == '\\' || c >= 0x80 {
			var s string
			if err := json.Unmarshal(token, &s); err != nil {
				return string(inner)
			}
			return s
		}
	}
	return string(inner)
}

// skip moves behind the value at the cursor.
func (w *walker) skip() {
	w.space()
	if c := w.data[w.at]; c != '{' && c != '[' {
		w.token()
		return
	}
	for depth := 0; ; {
		switch w.data[w.at] {
		case '{', '[':
			depth++
			w.at++
		case '}', ']':
			depth--
			w.at++
			if depth == 0 {
				return
			}
		case '"':
			w.token()
		default:
			w.at++
		}
	}
}

func (w *walker) value(s *Shape) {
	w.space()
	switch c := w.data[w.at]; {
	case s.kinds == anything && s.fields == nil:
		w.skip()
	case c == '{':
		if s.kinds&object == 0 {
			w.report(WrongType, s.want(), "an object")
			w.skip()
			return
		}
		w.object(s)
	case c == '[':
		if s.kinds&array == 0 {
			w.report(WrongType, s.want(), "a list")
			w.skip()
			return
		}
		w.list(s)
	default:
		w.scalar(s)
	}
}

func (w *walker) list(s *Shape) {
	w.at++
	for i := 0; ; i++ {
		w.space()
		if w.data[w.at] == ']' {
			w.at++
			return
		}
		w.path = append(w.path, strconv.Itoa(i))
		w.value(s.items)
		w.path = w.path[:len(w.path)-1]
		w.space()
		if w.data[w.at] == ',' {
			w.at++
		}
	}
}

func (w *walker) object(s *Shape) {
	var args *Shape
	if s.argsByName != nil {
		args = s.argsByName[w.peek("name")]
	}
	var seen []string
	w.at++
	for {
		w.space()
		if w.data[w.at] == '}' {
			w.at++
			return
		}
		name := unquote(w.token())
		w.space()
		w.at++ // the colon
		w.path = append(w.path, name)
		for _, other := range seen {
			if other == name {
				w.report(RepeatedField, "", "")
				break
			}
		}
		seen = append(seen, name)
		w.field(s, name, args)
		w.path = w.path[:len(w.path)-1]
		w.space()
		if w.data[w.at] == ',' {
			w.at++
		}
	}
}

func (w *walker) field(s *Shape, name string, args *Shape) {
	child, ok := s.fields[name]
	if !ok && s.foldCase {
		child, ok = foldedField(s, name)
	}
	switch {
	case ok && name == "args" && args != nil:
		w.value(args)
	case ok:
		w.value(child)
	case s.values != nil:
		w.value(s.values)
	default:
		// A map without declared fields takes any key; a struct that is open still has no use for it.
		if s.fields != nil {
			w.report(UnknownField, "", "")
			m := &w.misfits[len(w.misfits)-1]
			m.Known, m.Ignored = fieldNames(s), s.open
		}
		w.skip()
	}
}

func foldedField(s *Shape, name string) (*Shape, bool) {
	for known, child := range s.fields {
		if strings.EqualFold(known, name) {
			return child, true
		}
	}
	return nil, false
}

func fieldNames(s *Shape) []string {
	names := make([]string, 0, len(s.fields))
	for name := range s.fields {
		names = append(names, name)
	}
	return names
}

// peek returns the text of a direct string member of the object at the cursor, without moving.
func (w *walker) peek(member string) string {
	saved := w.at
	defer func() { w.at = saved }()
	for w.at++; ; {
		w.space()
		if w.data[w.at] == '}' {
			return ""
		}
		name := unquote(w.token())
		w.space()
		w.at++
		w.space()
		if name == member && w.data[w.at] == '"' {
			return unquote(w.token())
		}
		w.skip()
		w.space()
		if w.data[w.at] == ',' {
			w.at++
		}
	}
}

func (w *walker) scalar(s *Shape) {
	token := w.token()
	switch token[0] {
	case 'n':
		if !s.null {
			w.report(WrongType, s.want(), "null")
		}
	case 't', 'f':
		if s.kinds&boolean == 0 {
			w.report(WrongType, s.want(), "a boolean")
		}
	case '"':
		w.text(s, token)
	default:
		w.number(s, string(token))
	}
}

func (w *walker) text(s *Shape, token []byte) {
	if s.kinds&text == 0 {
		w.report(WrongType, s.want(), "text")
		return
	}
	switch {
	case s.format == "go-duration":
		if _, err := time.ParseDuration(unquote(token)); err != nil {
			w.report(WrongType, s.want(), "text that is none")
		}
	case s.format == "base64":
		if _, err := base64.StdEncoding.DecodeString(unquote(token)); err != nil {
			w.report(WrongType, s.want(), "text that is none")
		}
	case s.allowed != nil:
		got := unquote(token)
		for _, value := range s.allowed {
			if got == value {
				return
			}
		}
		w.report(WrongKind, s.want(), strconv.Quote(got))
	}
}

func (w *walker) number(s *Shape, token string) {
	switch {
	case s.kinds&integer != 0:
		bits := 64
		if s.format == "int32" {
			bits = 32
		}
		if _, err := strconv.ParseInt(token, 10, bits); err != nil {
			got := "the number " + token
			if strings.ContainsAny(token, ".eE") {
				got = "a number that is not whole"
			} else if len(token) > 20 {
				got = "a number out of range"
			}
			w.report(WrongType, fmt.Sprintf("a whole number of %d bits", bits), got)
		}
	case s.kinds&number != 0:
		if f, err := strconv.ParseFloat(token, 64); err != nil || math.Abs(f) > math.MaxFloat32 {
			w.report(WrongType, "a number", "a number out of range")
		}
	default:
		w.report(WrongType, s.want(), "a number")
	}
}

// Prune removes from a decoded JSON value every field that the shape does not have.
func (s *Shape) Prune(value any) {
	switch v := value.(type) {
	case map[string]any:
		s.pruneObject(v)
	case []any:
		for _, item := range v {
			if s.items != nil {
				s.items.Prune(item)
			}
		}
	}
}

func (s *Shape) pruneObject(v map[string]any) {
	if s.fields == nil {
		return
	}
	name, _ := v["name"].(string)
	for key, child := range v {
		field, ok := s.fields[key]
		switch {
		case !ok:
			delete(v, key)
		case key == "args" && s.argsByName[name] != nil:
			s.argsByName[name].Prune(child)
		default:
			field.Prune(child)
		}
	}
}
