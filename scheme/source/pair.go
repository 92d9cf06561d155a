// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package source

import (
	"slices"
	"sort"
)

// pair finds for each new item of a list the old one that it comes from, or -1. Objects with a name
// are told apart by it, others by their whole value; what is left over is taken in order, unless both
// have a name.
func pair(old, want []any) []int {
	from := make([]int, len(want))
	for i := range from {
		from[i] = -1
	}
	used := make([]bool, len(old))
	match := func(key func(any) string) {
		waiting := map[string][]int{}
		for o, item := range old {
			if k := key(item); !used[o] && k != "" {
				waiting[k] = append(waiting[k], o)
			}
		}
		for i, item := range want {
			if list := waiting[key(item)]; from[i] < 0 && len(list) > 0 {
				from[i], used[list[0]] = list[0], true
				waiting[key(item)] = list[1:]
			}
		}
	}
	// An item that stays as it is comes first, so that one that is repeated keeps its place.
	match(compact)
	match(identity)
	rest := slices.DeleteFunc(indexes(old), func(o int) bool { return used[o] })
	for i, item := range want {
		if from[i] >= 0 || kindOf(item) == "" {
			continue
		}
		k := slices.IndexFunc(rest, func(o int) bool {
			return kindOf(old[o]) == kindOf(item) && (identity(old[o]) == "" || identity(item) == "")
		})
		if k >= 0 {
			from[i] = rest[k]
			rest = slices.Delete(rest, k, k+1)
		}
	}
	return from
}

// identity is the name of an object, or nothing.
func identity(item any) string {
	object, ok := item.(map[string]any)
	if !ok {
		return ""
	}
	for _, field := range []string{"name", "schedulerName"} {
		if name, ok := object[field].(string); ok {
			return field + "=" + name
		}
	}
	return ""
}

// kindOf is the kind of a collection; nothing for a scalar.
func kindOf(item any) string {
	switch item.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "list"
	}
	return ""
}

// rising marks a longest run of old items that keep their order; the others move. Items that have no
// old one are in no run.
func rising(from []int) []bool {
	var ends []int // index of the smallest last item of a run of each length
	previous := make([]int, len(from))
	for i, o := range from {
		if o < 0 {
			continue
		}
		n := sort.Search(len(ends), func(k int) bool { return from[ends[k]] >= o })
		previous[i] = -1
		if n > 0 {
			previous[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	in := make([]bool, len(from))
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = previous[i] {
			in[i] = true
		}
	}
	return in
}
