// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package scheme

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedconf/schedconf/schemas"
)

// replacements say what to use instead of a plugin that is gone
// (1.19 framework/plugins/registry.go, 1.22 and 1.31 apis/config/validation).
var replacements = map[string]string{
	"AzureDiskLimits":             "NodeVolumeLimits counts CSI volumes of every driver",
	"CinderLimits":                "NodeVolumeLimits counts CSI volumes of every driver",
	"EBSLimits":                   "NodeVolumeLimits counts CSI volumes of every driver",
	"GCEPDLimits":                 "NodeVolumeLimits counts CSI volumes of every driver",
	"DefaultPodTopologySpread":    "PodTopologySpread with defaultingType: System spreads the pods of a service",
	"SelectorSpread":              "PodTopologySpread with defaultingType: System spreads the pods of a service",
	"NodeLabel":                   "use NodeAffinity with addedAffinity",
	"NodePreferAvoidPods":         "use taints and TaintToleration",
	"NodeResourceLimits":          "there is no replacement",
	"NodeResourcesLeastAllocated": "use NodeResourcesFit with scoringStrategy.type: LeastAllocated",
	"NodeResourcesMostAllocated":  "use NodeResourcesFit with scoringStrategy.type: MostAllocated",
	"RequestedToCapacityRatio":    "use NodeResourcesFit with scoringStrategy.type: RequestedToCapacityRatio",
	"ServiceAffinity":             "use InterPodAffinity or topology spread constraints",
}

// PluginHint says what to write instead of a plugin that the release does not have.
func (s *Scheme) PluginHint(name string) string {
	if span, ok := schemas.PluginSpan(name); ok {
		hint := fmt.Sprintf("%s exists %s", name, span)
		if replacement, ok := replacements[name]; ok {
			hint += "; " + replacement
		}
		return hint
	}
	if r, has := schemas.RegistryWith(name, s.Release); r != nil {
		if !has {
			return fmt.Sprintf("it is a plugin of %s, but not in its build for Kubernetes %s", r.Name, s.Release.Name)
		}
		image := r.ImageFor(s.Release)
		return fmt.Sprintf("it is a plugin of %s, which %s is built with; --plugin-registry %s declares its plugins", r.Name, image, r.Name)
	}
	if near, ok := Nearest(name, s.PluginNames()); ok {
		return fmt.Sprintf("did you mean %q? A plugin of your own build is declared with --plugin %s", near, name)
	}
	return fmt.Sprintf("if your kube-scheduler is built with it, declare it with --plugin %s", name)
}

// Implements returns the points of a plugin that the program is built with. A declared plugin may have
// none that are known.
func (s *Scheme) Implements(name string) (points []string, known bool) {
	set, known := s.implements[name]
	return set.points, known
}

// IsSecretName reports whether people keep secrets under such a name. Values there are not shown.
func IsSecretName(name string) bool {
	lower := strings.ToLower(name)
	return slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(lower, word) })
}

// Nearest returns the known word that differs least from the given one, if it differs little.
func Nearest(word string, known []string) (string, bool) {
	best, bestDistance := "", len(word)/3+2
	for _, candidate := range known {
		if d := distance(word, candidate, bestDistance+1); d < bestDistance || d == bestDistance && best != "" && candidate < best {
			best, bestDistance = candidate, d
		}
	}
	return best, best != ""
}

// PluginNames are the plugins of the release.
func (s *Scheme) PluginNames() []string {
	var names []string
	for _, p := range s.Release.Plugins {
		names = append(names, p.Name)
	}
	return names
}

// Closest returns the known word that differs least from the given one, if it differs in no more than some
// letters, and no other known word is as close. Upper and lower case count as the same.
func Closest(word string, known []string, most int) (string, bool) {
	best, bestDistance, several := "", most+1, false
	for _, candidate := range known {
		switch d := distance(word, candidate, most+1); {
		case d < bestDistance:
			best, bestDistance, several = candidate, d, false
		case d == bestDistance && d <= most && candidate != best:
			several = true
		}
	}
	return best, best != "" && !several
}

// distance is the Levenshtein distance without regard to case, or limit when it is at least that.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	lower := func(c byte) byte {
		if 'A' <= c && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}
	previous := make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if lower(a[i]) == lower(b[j]) {
				cost = 0
			}
			row[j+1] = min(previous[j]+cost, previous[j+1]+1, row[j]+1)
		}
		previous = row
	}
	return min(previous[len(b)], limit)
}
