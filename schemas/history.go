// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"fmt"
	"maps"
	"slices"
)

// Span is the minors in which something exists, for hints. It is derived from the releases, so it
// cannot contradict them.
type Span struct {
	// First and Last are the oldest and newest minor that has it.
	First, Last Minor
	// Always is true when every known minor has it.
	Always bool
	// Current is true when the newest known minor has it.
	Current bool
}

// String says the span in words: "1.26 to 1.28", "since 1.26".
func (s Span) String() string {
	switch {
	case s.Always:
		return "every known minor"
	case s.Current:
		return "since " + s.First.String()
	case s.First == s.Last:
		return "only in " + s.First.String()
	}
	return s.First.String() + " to " + s.Last.String()
}

// span walks the releases and reports where has is true.
func span(has func(*Release) bool) (Span, bool) {
	var s Span
	found, all := false, true
	for _, e := range entries() {
		if !has(e.load()) {
			all = false
			continue
		}
		if !found {
			s.First = e.minor
		}
		s.Last, found = e.minor, true
	}
	list := entries()
	s.Always = all
	s.Current = found && s.Last == list[len(list)-1].minor
	return s, found
}

// PluginSpan says in which minors kube-scheduler has the plugin.
func PluginSpan(name string) (Span, bool) {
	return span(func(r *Release) bool { _, ok := r.Plugin(name); return ok })
}

// APISpan says in which minors kube-scheduler reads the apiVersion.
func APISpan(apiVersion string) (Span, bool) {
	return span(func(r *Release) bool { return r.serves(apiVersion) })
}

// PointSpan says in which minors plugins can be listed at an extension point.
func PointSpan(point string) (Span, bool) {
	return span(func(r *Release) bool { return slices.Contains(r.Points, point) })
}

// GateSpan says in which minors a feature gate exists.
func GateSpan(name string) (Span, bool) {
	return span(func(r *Release) bool { _, ok := r.Gate(name); return ok })
}

func gateHistory(name string) string {
	if s, ok := GateSpan(name); ok {
		return fmt.Sprintf(" (it exists %s)", s)
	}
	return ""
}

// PluginNames returns the name of every plugin that some minor has, sorted.
func PluginNames() []string {
	names := map[string]bool{}
	for _, e := range entries() {
		for _, p := range e.load().Plugins {
			names[p.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// PluginBefore reports whether some minor older than the given one had the plugin.
func PluginBefore(name string, minor Minor) bool {
	for _, e := range entries() {
		if e.minor == minor {
			return false
		}
		if _, ok := e.load().Plugin(name); ok {
			return true
		}
	}
	return false
}
