// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/config"
)

// pointField is the field of a wire Plugins struct that holds a point.
type pointField struct {
	index int
	point config.Point
}

// pointFields reads the points off the JSON names of a Plugins struct; renamed has the exceptions.
func pointFields(plugins reflect.Type, renamed map[string]config.Point) []pointField {
	fields := make([]pointField, plugins.NumField())
	for i := range fields {
		name, _, _ := strings.Cut(plugins.Field(i).Tag.Get("json"), ",")
		mustLookAlike(plugins.Field(i).Type)
		point, found := renamed[name]
		if !found {
			point = config.Point(name)
		}
		fields[i] = pointField{index: i, point: point}
	}
	return fields
}

// mustLookAlike panics when the plugins of a set do not have the layout of the hub's, which plugins
// relies on.
func mustLookAlike(set reflect.Type) {
	if set.Kind() == reflect.Pointer {
		set = set.Elem()
	}
	enabled, _ := set.FieldByName("Enabled")
	if wire := enabled.Type.Elem(); !wire.ConvertibleTo(reflect.TypeFor[config.Plugin]()) {
		panic(fmt.Sprintf("%s is not a plugin of the hub with other tags", wire))
	}
}

// PluginsToHub converts what wire, a pointer to the apiVersion's Plugins struct, points to. A set
// that the wire holds by value counts as given when it has a list, be it an empty one.
func (v *APIVersion) PluginsToHub(wire any) config.Plugins {
	in := reflect.ValueOf(wire).Elem()
	out := config.Plugins{}
	for _, f := range v.points {
		field := in.Field(f.index)
		if field.IsZero() {
			continue
		}
		set := reflect.Indirect(field)
		out[f.point] = config.PluginSet{
			Enabled:  convertList[[]config.Plugin](set.FieldByName("Enabled")),
			Disabled: convertList[[]config.Plugin](set.FieldByName("Disabled")),
		}
	}
	return out
}

// PluginsFromHub is the way back. Points that the apiVersion does not have are left to Fit.
func (v *APIVersion) PluginsFromHub(in config.Plugins, wire any) {
	out := reflect.ValueOf(wire).Elem()
	for _, f := range v.points {
		set, found := in[f.point]
		if !found {
			continue
		}
		field := out.Field(f.index)
		if field.Kind() == reflect.Pointer {
			field.Set(reflect.New(field.Type().Elem()))
			field = field.Elem()
		}
		setList(field.FieldByName("Enabled"), reflect.ValueOf(set.Enabled))
		setList(field.FieldByName("Disabled"), reflect.ValueOf(set.Disabled))
	}
}

// fitPlugins takes out the points that the apiVersion does not have.
func (v *APIVersion) fitPlugins(plugins config.Plugins, path diag.Path, c *Context) {
	for _, point := range slices.Sorted(maps.Keys(plugins)) {
		if slices.ContainsFunc(v.points, func(f pointField) bool { return f.point == point }) {
			continue
		}
		if set := plugins[point]; len(set.Enabled) > 0 || len(set.Disabled) > 0 {
			c.Lose(path.Child(string(point)), RulePointDropped, fmt.Sprintf("%s has no point %q", v.groupVersion, point), "")
		}
		delete(plugins, point)
	}
}

// convertList and setList convert between the plugin lists of the hub and those of the wire, whose
// structs differ in their tags at most, which pointFields has made sure of. Nil stays nil, which an
// empty list is not.
func convertList[L any](in reflect.Value) L {
	var out L
	setList(reflect.ValueOf(&out).Elem(), in)
	return out
}

func setList(out, in reflect.Value) {
	if in.IsNil() {
		out.SetZero()
		return
	}
	out.Set(reflect.MakeSlice(out.Type(), in.Len(), in.Len()))
	copy(plugins(out), plugins(in))
}

// plugins looks at a list of any apiVersion's Plugin struct as at one of the hub's. Converting
// through reflection would allocate for every entry, and every profile has dozens.
func plugins(list reflect.Value) []config.Plugin {
	return unsafe.Slice((*config.Plugin)(list.UnsafePointer()), list.Len())
}
