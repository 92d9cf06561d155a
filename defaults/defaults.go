// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Package defaults fills in what a configuration leaves out, as a release does it. Values are facts
// of the release: this package finds the fields, asks whether they are set, and writes the value.
// Set is pure but for the object it is given, and idempotent.
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
		if err := fill(root, strings.Split(row.Field, "."), row); err != nil {
			return fmt.Errorf("default of %s: %w", row.Field, err)
		}
	}
	return nil
}

// fill descends to the field and sets it where it is not set. An object on the way that is absent
// ends the descent, since its own row decides whether it exists.
func fill(v reflect.Value, steps []string, row schemas.Default) error {
	name, each := strings.CutSuffix(steps[0], "[]")
	field, err := member(v, name)
	if err != nil {
		return err
	}
	if len(steps) == 1 {
		if !unset(field, row) {
			return nil
		}
		return json.Unmarshal(row.Value, field.Addr().Interface())
	}
	if each {
		for i := range field.Len() {
			if err := fill(field.Index(i), steps[1:], row); err != nil {
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
	return fill(field, steps[1:], row)
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
