// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package scheme

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/source"
)

// ReadValue reads the text of one document as kube-scheduler does. Repeated is what strict reading
// objects to. It is a source.Reader.
func ReadValue(text []byte) (value any, repeated, err error) {
	data, repeated, err := Value(source.Split("", text)[0])
	if err != nil {
		return nil, nil, err
	}
	value, err = decodeValue(data)
	return value, repeated, err
}

// decodeValue reads JSON with its numbers as they are written.
func decodeValue(data []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// Rewriting asks for a document with another configuration in it.
type Rewriting struct {
	Document *source.Document
	// From reads the document; without a scheme nothing of it is known, and it is not compared.
	From Side
	// To reads the result, which is Object.
	To     Side
	Object runtime.Object
	// Terse takes out what is written and says nothing, such as null, an empty list or a zero value,
	// which stays otherwise.
	Terse bool
}

// Rewrite returns the text of the document changed so that the target reads the object from it. What
// means the same before and after keeps its bytes, however it is spelled.
func Rewrite(r Rewriting) (text []byte, lost []source.Loss, err error) {
	value, err := r.To.Scheme.GivenValue(r.Object, r.To.API)
	if err != nil {
		return nil, nil, err
	}
	if value, err = normalized(value); err != nil {
		return nil, nil, err
	}
	if r.From.Scheme != nil {
		if value, err = r.spelled(value); err != nil {
			return nil, nil, err
		}
	}
	return r.Document.Rewrite(value, ReadValue)
}

func normalized(value any) (any, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return decodeValue(data)
}

// spelled is the value in the spelling of the document: what the typed configuration does not tell
// apart, such as 60s and 1m0s or null and nothing, is as it was. It is proven that the target reads
// the same from it.
func (r Rewriting) spelled(after any) (any, error) {
	data, _, err := Value(r.Document)
	if err != nil {
		return nil, err
	}
	raw, err := decodeValue(data)
	if err != nil {
		return nil, err
	}
	decoded, err := r.From.Scheme.Decode(data, r.From.API)
	if err != nil || decoded.Object == nil {
		return after, err
	}
	before, err := r.From.Scheme.GivenValue(decoded.Object, r.From.API)
	if err != nil {
		return nil, err
	}
	if before, err = normalized(before); err != nil {
		return nil, err
	}
	k := keeper{from: r.From.API.APIVersion, to: r.To.API.APIVersion, allowed: map[string]bool{}}
	k.keep(raw, before, after, nil)
	extras := slices.Sorted(maps.Keys(k.extras))
	if r.Terse {
		extras = nil
	}
	for _, name := range extras {
		k.allowed[name] = true
	}
	if value := k.keep(raw, before, after, nil); r.reads(value, after) {
		return value, nil
	}
	// Some of it the target does not take: find out which, unless that takes too long.
	clear(k.allowed)
	for _, name := range extras[:min(len(extras), maxExtras)] {
		k.allowed[name] = true
		if !r.reads(k.keep(raw, before, after, nil), after) {
			delete(k.allowed, name)
		}
	}
	if value := k.keep(raw, before, after, nil); r.reads(value, after) {
		return value, nil
	}
	return after, nil
}

// reads reports whether the target reads the same from a value as from another.
func (r Rewriting) reads(value, want any) bool {
	data, err := json.Marshal(value)
	if err != nil {
		return false
	}
	decoded, err := r.To.Scheme.Decode(data, r.To.API)
	if err != nil || decoded.Refused != nil || len(decoded.Misfits) > 0 {
		return false
	}
	got, err := r.To.Scheme.GivenValue(decoded.Object, r.To.API)
	if err != nil {
		return false
	}
	got, err = normalized(got)
	return err == nil && reflect.DeepEqual(got, want)
}

// maxExtras is how many fields that say nothing are tried out one by one.
const maxExtras = 200

// keeper merges a value as it is written with a change from one typed form to another.
type keeper struct {
	from, to string
	// extras are the fields that say nothing, and allowed those that stay.
	extras, allowed map[string]bool
}

func (k *keeper) keep(raw, before, after any, path diag.Path) any {
	switch after := after.(type) {
	case map[string]any:
		raw, isRaw := raw.(map[string]any)
		before, isBefore := before.(map[string]any)
		if isRaw && isBefore {
			return k.keepFields(raw, before, after, path)
		}
	case []any:
		raw, isRaw := raw.([]any)
		before, isBefore := before.([]any)
		if isRaw && isBefore && len(raw) == len(before) {
			return k.keepItems(raw, before, after, path)
		}
	default:
		if raw != nil && reflect.DeepEqual(before, after) {
			return raw
		}
	}
	return after
}

func (k *keeper) keepFields(raw, before, after map[string]any, path diag.Path) any {
	out := map[string]any{}
	for name, value := range after {
		old, was := raw[name]
		typed, known := before[name]
		if was && known {
			value = k.keep(old, typed, value, path.Child(name))
		}
		out[name] = value
	}
	for name, value := range raw {
		_, known := before[name]
		_, stays := after[name]
		if known || stays {
			continue
		}
		id := path.Child(name).String()
		if name == "apiVersion" || name == "kind" { // of args; one needs the other
			id = path.Child("kind").String()
		}
		if k.extras == nil {
			k.extras = map[string]bool{}
		}
		k.extras[id] = true
		if !k.allowed[id] {
			continue
		}
		if name == "apiVersion" && value == any(k.from) {
			value = k.to
		}
		out[name] = k.carried(value)
	}
	return out
}

// carried is an object with the apiVersion of the target.
func (k *keeper) carried(value any) any {
	object, ok := value.(map[string]any)
	if !ok || object["apiVersion"] != any(k.from) {
		return value
	}
	object = maps.Clone(object)
	object["apiVersion"] = k.to
	return object
}

// keepItems compares the items of a list by their names, or by their places if these are the same.
func (k *keeper) keepItems(raw, before, after []any, path diag.Path) any {
	byName := map[string][]int{}
	for i, item := range before {
		if name := nameOf(item); name != "" {
			byName[name] = append(byName[name], i)
		}
	}
	out := make([]any, len(after))
	for i, item := range after {
		at := -1
		switch same := byName[nameOf(item)]; {
		case len(same) > 0:
			at, byName[nameOf(item)] = same[0], same[1:]
		case len(before) == len(after) && (nameOf(item) == "" || nameOf(before[i]) == ""):
			at = i
		}
		out[i] = item
		if at >= 0 {
			out[i] = k.keep(raw[at], before[at], item, path.Index(i))
		}
	}
	return out
}

// nameOf is the name of an item of a list, if it has one.
func nameOf(item any) string {
	object, ok := item.(map[string]any)
	if !ok {
		return ""
	}
	for _, field := range []string{"name", "schedulerName"} {
		if name, ok := object[field].(string); ok {
			return name
		}
	}
	return ""
}
