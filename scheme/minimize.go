// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package scheme

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/config"
)

// Minimize drops everything from a configuration that its release makes no difference of: values that
// equal the default, plugins that run anyway, args of plugins that are not in use. What goes is tried
// out one by one, the largest first, and goes only if the effective configuration is the same without
// it, the order of plugins included. It returns a new object and the paths of what was dropped, as
// they were when it was their turn. What the release refuses to build is returned as it is.
func Minimize(side Side, obj runtime.Object) (runtime.Object, []string, error) {
	value, err := side.Scheme.GivenValue(obj, side.API)
	if err != nil {
		return nil, nil, err
	}
	if value, err = normalized(value); err != nil {
		return nil, nil, err
	}
	if side, err = probe(side, value); err != nil {
		return nil, nil, err
	}
	m := &minimizer{side: side, value: value}
	_, built, err := side.effective(obj)
	if err != nil {
		return nil, nil, err
	}
	m.meaning = built.plainEffective()
	_, meaning, ok := m.means(value)
	if !ok || !reflect.DeepEqual(meaning, m.meaning) {
		return obj, nil, nil
	}
	for again := true; again; { // one drop can make room for another
		before := len(m.dropped)
		m.visit(nil, m.value)
		again = len(m.dropped) > before
	}
	if len(m.dropped) == 0 {
		return obj, nil, nil
	}
	return m.result, m.dropped, nil
}

// counted are the points that take one plugin, which multiPoint therefore gives none that is not known.
var counted = []config.Point{config.QueueSort, config.PlacementGenerate, config.MultiPoint}

// probe is the side with every plugin that was declared without points at all of them, so that what
// is said of it counts in the meaning, and so does its place among the others.
func probe(side Side, value any) (Side, error) {
	s, err := New(side.Scheme.Release, side.Scheme.Gates)
	if err != nil {
		return Side{}, err
	}
	for _, name := range slices.Sorted(maps.Keys(side.Scheme.declared)) {
		points := side.Scheme.declared[name]
		if len(points) == 0 {
			named := pointsNaming(value, name)
			for _, point := range s.Release.Points {
				if !slices.Contains(counted, config.Point(point)) || named[point] {
					points = append(points, point)
				}
			}
		}
		s.Declare(name, points...)
	}
	return Side{s, side.API}, nil
}

// pointsNaming are the points at which a configuration enables a plugin by name.
func pointsNaming(value any, plugin string) map[string]bool {
	points := map[string]bool{}
	var walk func(value any, path diag.Path)
	walk = func(value any, path diag.Path) {
		switch v := value.(type) {
		case map[string]any:
			if n := len(path); n >= 3 && path[n-2] == "enabled" && v["name"] == any(plugin) {
				points[path[n-3]] = true
			}
			for name, child := range v {
				walk(child, path.Child(name))
			}
		case []any:
			for i, child := range v {
				walk(child, path.Index(i))
			}
		}
	}
	walk(value, nil)
	delete(points, string(config.MultiPoint))
	return points
}

type minimizer struct {
	side    Side
	value   any
	meaning Effective
	result  runtime.Object
	dropped []string
}

// means returns the object that a value reads as, and what it means; false if the release does not
// run it.
func (m *minimizer) means(value any) (runtime.Object, Effective, bool) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, nil, false
	}
	decoded, err := m.side.Scheme.Decode(data, m.side.API)
	if err != nil || decoded.Refused != nil || len(decoded.Misfits) > 0 {
		return nil, nil, false
	}
	cfg, built, err := m.side.effective(decoded.Object)
	if err != nil || len(built.Refusals) > 0 || cfg.AlgorithmSource.Policy != nil {
		return nil, nil, false
	}
	return decoded.Object, built.plainEffective(), true
}

// visit drops what is at a path, or else what it can below.
func (m *minimizer) visit(path diag.Path, value any) {
	if len(path) > 0 && m.drop(path) {
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if len(path) > 0 || name != "apiVersion" && name != "kind" {
				m.visit(path.Child(name), v[name])
			}
		}
	case []any:
		for i := len(v) - 1; i >= 0; i-- { // the indexes of those before stay
			m.visit(path.Index(i), v[i])
		}
	}
}

func (m *minimizer) drop(path diag.Path) bool {
	value := dropped(m.value, path)
	obj, meaning, ok := m.means(value)
	if !ok || !reflect.DeepEqual(meaning, m.meaning) {
		return false
	}
	m.value, m.result = value, obj
	m.dropped = append(m.dropped, path.String())
	return true
}

// dropped is a copy of the value without what is at path.
func dropped(value any, path diag.Path) any {
	switch v := value.(type) {
	case map[string]any:
		out := maps.Clone(v)
		if len(path) == 1 {
			delete(out, path[0])
		} else {
			out[path[0]] = dropped(v[path[0]], path[1:])
		}
		return out
	case []any:
		i, err := strconv.Atoi(path[0])
		if err != nil || i >= len(v) {
			return value
		}
		if len(path) == 1 {
			return slices.Delete(slices.Clone(v), i, i+1)
		}
		out := slices.Clone(v)
		out[i] = dropped(v[i], path[1:])
		return out
	}
	return value
}
