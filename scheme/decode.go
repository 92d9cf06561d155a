// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package scheme

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/source"
)

// ErrNotObject is the error of a document whose value is not an object.
var ErrNotObject = errors.New("the document is not an object")

// Value returns a document as JSON, read as kube-scheduler reads it: YAML 1.1 through
// sigs.k8s.io/yaml unless the text starts like JSON. Repeated is what strict reading objects to when
// a mapping repeats a key, be it through a merge; the last one counts then. The value of an empty
// document is null.
func Value(doc *source.Document) (value []byte, repeated, err error) {
	text := bytes.TrimPrefix(doc.Bytes(), []byte("\xef\xbb\xbf"))
	if doc.JSON() {
		if err := validJSON(text); err != nil {
			return nil, nil, err
		}
		return text, nil, nil
	}
	value, err = yaml.YAMLToJSONStrict(text)
	if err == nil {
		return value, nil, nil
	}
	if value, lenient := yaml.YAMLToJSON(text); lenient == nil {
		return value, err, nil
	}
	return nil, nil, err
}

// validJSON explains what is wrong with JSON text, data after the object included.
func validJSON(text []byte) error {
	if json.Valid(text) {
		return nil
	}
	var value any
	return json.Unmarshal(text, &value)
}

// TypeMeta returns apiVersion and kind of a JSON value.
func TypeMeta(value []byte) (apiVersion, kind string, err error) {
	if first := bytes.TrimLeft(value, " \t\r\n"); len(first) == 0 || first[0] != '{' {
		return "", "", ErrNotObject
	}
	w := walker{data: value}
	w.space()
	if apiVersion, kind = w.peek("apiVersion"), w.peek("kind"); apiVersion != "" && kind != "" {
		return apiVersion, kind, nil
	}
	var meta struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(value, &meta); err != nil {
		return "", "", err
	}
	return meta.APIVersion, meta.Kind, nil
}

// Decoded is what came of decoding one document.
type Decoded struct {
	// API is the apiVersion that the document is of, as the release serves it.
	API *schemas.API
	// Object is the typed configuration, without the parts that are in Misfits.
	Object runtime.Object
	// Misfits are the places that do not fit what the release takes.
	Misfits []Misfit
	// Refused is what the typed decoder objects to beyond the misfits; nil is the rule.
	Refused error
}

// Decode reads a JSON value of the apiVersion into its type. What does not fit is left out and
// reported, so that the rest can be looked at too. An error is a fault in the embedded facts.
func (s *Scheme) Decode(value []byte, api *schemas.API) (*Decoded, error) {
	shape, err := s.Shape(api)
	if err != nil {
		return nil, err
	}
	d := &Decoded{API: api, Misfits: shape.Fit(value)}
	if blocking(d.Misfits) {
		if value, err = cut(value, d.Misfits, WrongType, WrongKind); err != nil {
			return nil, err
		}
	}
	obj, err := s.types.New(schema.FromAPIVersionAndKind(api.APIVersion, api.Kind))
	if err != nil {
		return nil, err
	}
	strict, err := kjson.UnmarshalStrict(value, obj)
	switch {
	case err != nil:
		d.Refused = err
		return d, nil
	case len(strict) > 0 && len(d.Misfits) == 0:
		d.Refused = errors.Join(strict...)
	}
	d.Object = obj
	if api.Behaviour.Args == "typed" {
		d.Refused = errors.Join(d.Refused, s.decodeArgs(obj, api, len(d.Misfits) == 0))
	}
	return d, nil
}

// blocking reports whether a typed decoder would stop at one of the misfits.
func blocking(misfits []Misfit) bool {
	for _, m := range misfits {
		if m.Trouble == WrongType || m.Trouble == WrongKind {
			return true
		}
	}
	return false
}

// decodeArgs reads the args of plugins whose kind the apiVersion has; those of others stay raw.
func (s *Scheme) decodeArgs(obj runtime.Object, api *schemas.API, strictly bool) error {
	profiles := reflect.ValueOf(obj).Elem().FieldByName("Profiles")
	for i := range profiles.Len() {
		list := profiles.Index(i).FieldByName("PluginConfig")
		for j := range list.Len() {
			raw := list.Index(j).FieldByName("Args").Addr().Interface().(*runtime.RawExtension)
			args := s.args(api, list.Index(j).FieldByName("Name").String()+"Args")
			if args == nil {
				if len(raw.Raw) > 0 && string(raw.Raw) != "null" {
					raw.Object = &runtime.Unknown{Raw: raw.Raw, ContentType: runtime.ContentTypeJSON}
				}
				continue
			}
			gvk := args.GetObjectKind().GroupVersionKind()
			if len(raw.Raw) > 0 {
				strict, err := kjson.UnmarshalStrict(raw.Raw, args)
				if err == nil && strictly {
					err = errors.Join(strict...)
				}
				if err != nil {
					return fmt.Errorf("profiles[%d].pluginConfig[%d].args: %w", i, j, err)
				}
			}
			args.GetObjectKind().SetGroupVersionKind(gvk)
			*raw = runtime.RawExtension{Object: args}
		}
	}
	return nil
}

// cut removes the misfits with certain troubles from a JSON value.
func cut(value []byte, misfits []Misfit, troubles ...Trouble) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	var root any
	if err := decoder.Decode(&root); err != nil {
		return nil, err
	}
	for _, m := range misfits {
		if slices.Contains(troubles, m.Trouble) {
			root = without(root, m.Path)
		}
	}
	return json.Marshal(root)
}

// without blanks the value at path. A list item becomes null instead of going away, so that the
// paths of its neighbours stay right; a list item that must be an object is read as an empty one.
func without(value any, path diag.Path) any {
	if len(path) == 0 {
		return map[string]any{}
	}
	switch v := value.(type) {
	case map[string]any:
		if len(path) == 1 {
			delete(v, path[0])
		} else if child, ok := v[path[0]]; ok {
			v[path[0]] = without(child, path[1:])
		}
	case []any:
		i, err := strconv.Atoi(path[0])
		if err != nil || i >= len(v) {
			return value
		}
		if len(path) == 1 {
			v[i] = nil
		} else {
			v[i] = without(v[i], path[1:])
		}
	}
	return value
}

// Count returns how many profiles or extenders a configuration has, whichever are more, and which.
func Count(obj runtime.Object) (what string, n int) {
	v := reflect.ValueOf(obj).Elem()
	for _, name := range []string{"Profiles", "Extenders"} {
		if field := v.FieldByName(name); field.IsValid() && field.Len() > n {
			what, n = strings.ToLower(name), field.Len()
		}
	}
	return what, n
}
