// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"maps"
	"slices"

	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/config"
)

// Plugins returns the plugins that a release enables when nobody says anything, by point.
func Plugins(api *schemas.API, gates schemas.Gates) config.Plugins {
	plugins := config.Plugins{}
	for point, list := range api.DefaultPlugins {
		var set config.PluginSet
		for _, p := range list {
			set.Enabled = append(set.Enabled, config.Plugin{Name: p.Name, Weight: p.Weight})
		}
		plugins[config.Point(point)] = set
	}
	for _, gated := range api.GatedPlugins {
		if gates[gated.Gate] != gated.On {
			continue
		}
		point := config.Point(gated.Point)
		set := plugins[point]
		at := slices.IndexFunc(set.Enabled, func(p config.Plugin) bool { return p.Name == gated.Before })
		if at < 0 {
			at = len(set.Enabled)
		}
		set.Enabled = slices.Insert(set.Enabled, at, config.Plugin{Name: gated.Name, Weight: gated.Weight})
		plugins[point] = set
	}
	return plugins
}

// merges are the named ways in which a profile's plugins join the defaults.
var merges = map[string]func(defaults, custom config.PluginSet) config.PluginSet{
	"never":                func(_, custom config.PluginSet) config.PluginSet { return custom },
	"appendAlways":         mergeAppendAlways,
	"append":               mergeAppend,
	"override":             mergeOverride,
	"overrideKeepDisabled": mergeOverrideKeepDisabled,
}

// Merge returns the plugins of a profile after the defaults joined in, as the release does it.
// Points at which the release does not merge keep the defaults alone; a profile that says nothing
// gets the defaults. Lists are shared with the arguments and must not be changed.
func Merge(api *schemas.API, standard, custom config.Plugins) config.Plugins {
	if api.Behaviour.MergePlugins == "never" {
		return custom
	}
	merged := maps.Clone(standard)
	if custom == nil {
		return merged
	}
	merge := merges[api.Behaviour.MergePlugins]
	for _, name := range api.MergedPoints {
		point := config.Point(name)
		set := merge(merged[point], custom[point])
		if _, given := custom[point]; given || len(set.Enabled)+len(set.Disabled) > 0 || len(merged[point].Enabled) > 0 {
			merged[point] = set
		}
	}
	return merged
}

// mergeAppendAlways adds to the defaults and has no use for disabled (1.17).
func mergeAppendAlways(defaults, custom config.PluginSet) config.PluginSet {
	return config.PluginSet{Enabled: slices.Concat(defaults.Enabled, custom.Enabled)}
}

// mergeAppend takes the disabled ones out of the defaults and adds the enabled ones at the end,
// whether or not the defaults have them still (1.18 to 1.21, and v1beta1 in 1.22).
func mergeAppend(defaults, custom config.PluginSet) config.PluginSet {
	return config.PluginSet{Enabled: slices.Concat(remaining(defaults, custom.Disabled), custom.Enabled)}
}

// mergeOverride is mergeAppend, but an enabled plugin that the defaults still have takes its place
// there (v1beta2).
func mergeOverride(defaults, custom config.PluginSet) config.PluginSet {
	if len(custom.Enabled) == 0 {
		return config.PluginSet{Enabled: remaining(defaults, custom.Disabled)}
	}
	last := map[string]int{}
	for i, p := range custom.Enabled {
		last[p.Name] = i
	}
	replaced := map[int]bool{}
	var enabled []config.Plugin
	for _, p := range remaining(defaults, custom.Disabled) {
		if i, ok := last[p.Name]; ok {
			p = custom.Enabled[i]
			replaced[i] = true
		}
		enabled = append(enabled, p)
	}
	for i, p := range custom.Enabled {
		if !replaced[i] {
			enabled = append(enabled, p)
		}
	}
	return config.PluginSet{Enabled: enabled}
}

// mergeOverrideKeepDisabled keeps the disabled names besides, since multiPoint must not bring them
// back (v1beta3 and v1). Only names are kept.
func mergeOverrideKeepDisabled(defaults, custom config.PluginSet) config.PluginSet {
	set := mergeOverride(defaults, custom)
	for _, p := range custom.Disabled {
		set.Disabled = append(set.Disabled, config.Plugin{Name: p.Name})
	}
	return set
}

func remaining(defaults config.PluginSet, disabled []config.Plugin) []config.Plugin {
	if len(disabled) == 0 {
		return defaults.Enabled
	}
	off := map[string]bool{}
	for _, p := range disabled {
		off[p.Name] = true
	}
	if off["*"] {
		return nil
	}
	var kept []config.Plugin
	for _, p := range defaults.Enabled {
		if !off[p.Name] {
			kept = append(kept, p)
		}
	}
	return kept
}
