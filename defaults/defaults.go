// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/schedconf/schedconf/schemas"
)

// apply fills in the fields of obj, a pointer to a struct with JSON tags, row by row.
func apply(obj any, rows []schemas.Default, gates schemas.Gates) error {
	root := reflect.ValueOf(obj).Elem()
	for _, row := range rows {
		if !gates.Match(row.Gates) || row.When != "" && !isSet(root, row.When) || row.Unless != "" && isSet(root, row.Unless) {
			continue
		}
		if err := fill(root, row.Field, row); err != nil {
			return fmt.Errorf("default of %s: %w", row.Field, err)
		}
	}
	return nil
}

// fill descends to the field and sets it where it is not set. An object on the way that is absent
// ends the descent, since its own row decides whether it exists.
func fill(v reflect.Value, path string, row schemas.Default) error {
	step, rest, descend := strings.Cut(path, ".")
	name, each := strings.CutSuffix(step, "[]")
	field, err := member(v, name)
	if err != nil {
		return err
	}
	if !descend {
		if !unset(field, row) {
			return nil
		}
		return assign(field, row.Value)
	}
	if each {
		for i := range field.Len() {
			if err := fill(field.Index(i), rest, row); err != nil {
				return err
			}
		}
		return nil
	}
	if field.Kind() == reflect.Pointer {
		// A provider is chosen inside algorithmSource even when nothing else is there; only
		// pointers stand for objects that may be absent.
		if field.IsNil() {
			return nil
		}
		field = field.Elem()
	}
	return fill(field, rest, row)
}

// values holds decoded default values by type and JSON text, since the same few are used over and
// over.
var values sync.Map

type valueKey struct {
	of   reflect.Type
	text string
}

// assign gives the field a copy of its own of the value.
func assign(field reflect.Value, text json.RawMessage) error {
	key := valueKey{field.Type(), string(text)}
	cached, ok := values.Load(key)
	if !ok {
		value := reflect.New(field.Type())
		if err := json.Unmarshal(text, value.Interface()); err != nil {
			return err
		}
		cached, _ = values.LoadOrStore(key, value.Elem())
	}
	field.Set(copied(cached.(reflect.Value)))
	return nil
}

// copied copies a value as deep as default values go: lists of plain structs, and pointers to
// scalars or structs of these.
func copied(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(copied(v.Elem()))
		return out
	case reflect.Slice:
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(copied(v.Index(i)))
		}
		return out
	case reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		for i := range v.NumField() {
			if field := v.Field(i); field.Kind() == reflect.Pointer || field.Kind() == reflect.Slice {
				out.Field(i).Set(copied(field))
			}
		}
		return out
	}
	return v
}

func unset(field reflect.Value, row schemas.Default) bool {
	switch field.Kind() {
	case reflect.Pointer:
		return field.IsNil() || row.ZeroIsUnset && field.Elem().IsZero()
	case reflect.Slice:
		return field.IsNil() || !row.NullOnly && field.Len() == 0
	}
	return field.IsZero()
}

// isSet reports whether the field at path holds anything but nil, zero, or a pointer to zero.
func isSet(v reflect.Value, path string) bool {
	for _, name := range strings.Split(path, ".") {
		for v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return false
			}
			v = v.Elem()
		}
		var err error
		if v, err = member(v, name); err != nil {
			return false
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		return !v.IsNil() && (v.Elem().Kind() == reflect.Struct || !v.Elem().IsZero())
	case reflect.Slice:
		return v.Len() > 0
	}
	return !v.IsZero()
}

var members sync.Map // of reflect.Type to map[string][]int

// member returns the field with the JSON name, embedded structs included.
func member(v reflect.Value, name string) (reflect.Value, error) {
	cached, ok := members.Load(v.Type())
	if !ok {
		index := map[string][]int{}
		for _, f := range reflect.VisibleFields(v.Type()) {
			if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag != "" {
				index[tag] = f.Index
			}
		}
		cached, _ = members.LoadOrStore(v.Type(), index)
	}
	index, ok := cached.(map[string][]int)[name]
	if !ok {
		return reflect.Value{}, fmt.Errorf("%s has no field %q", v.Type(), name)
	}
	return v.FieldByIndex(index), nil
}
