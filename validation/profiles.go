// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"strconv"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
)

var profileRules = []Rule{{
	ID:      "profile-name-required",
	Summary: "a profile has no schedulerName",
	Doc:     "Pods choose a profile by schedulerName. Only a single profile gets default-scheduler when it says nothing; an empty text is refused in any case.",
	Check: func(p *Pass) {
		for i, profile := range p.Config.Profiles {
			if ptr.Deref(profile.SchedulerName, "") == "" {
				p.Report(profilePath(i).Child("schedulerName"), "give each profile a schedulerName; default-scheduler is what pods ask for that say nothing",
					"profile %d has no schedulerName", i)
			}
		}
	},
}, {
	ID:      "profile-name-duplicate",
	Summary: "two profiles have the same schedulerName",
	Doc:     "A pod's schedulerName must lead to one profile.",
	Check: func(p *Pass) {
		first := map[string]int{}
		for i, profile := range p.Config.Profiles {
			// An empty name counts too: kube-scheduler compares before it looks whether there is one.
			name := ptr.Deref(profile.SchedulerName, "")
			if j, seen := first[name]; seen {
				hint := "rename one of the profiles"
				if equality.Semantic.DeepEqual(p.Config.Profiles[j], profile) {
					hint = "the two are the same, as when lists are merged: take one of them out"
				}
				p.Report(profilePath(i).Child("schedulerName"), hint, "schedulerName %q is that of profile %d already", name, j)
				continue
			}
			first[name] = i
		}
	},
}, {
	ID:      "queue-sort-differs",
	Summary: "profiles sort the scheduling queue differently",
	Doc:     "All profiles share one queue, so plugins.queueSort must say the same in each, what it disables included.",
	Check: func(p *Pass) {
		for i := 1; i < len(p.Config.Profiles); i++ {
			if !equality.Semantic.DeepEqual(queueSort(p, 0), queueSort(p, i)) {
				p.Report(profilePath(i).Child("plugins", "queueSort"), "write the same queueSort in every profile",
					"queueSort is not what the first profile has; there is one queue for all profiles")
			}
		}
	},
}, {
	ID:      "queue-sort-several",
	Summary: "more than one queueSort plugin is enabled",
	Doc:     "Only one plugin can sort the queue. PrioritySort is enabled by default and has to be disabled to use another.",
	Check: func(p *Pass) {
		if n := len(queueSort(p, 0).Enabled); n > 1 {
			p.Report(profilePath(0).Child("plugins", "queueSort"), "disable PrioritySort at queueSort when you enable another",
				"%d plugins are enabled at queueSort, one is possible", n)
		}
	},
}, {
	ID:      "queue-sort-args-differ",
	Summary: "profiles give the queueSort plugin different args",
	Doc:     "All profiles share one queue, so the args of its plugin must be the same in each.",
	Check: func(p *Pass) {
		enabled := queueSort(p, 0).Enabled
		if len(enabled) == 0 {
			return
		}
		name := enabled[0].Name
		var first runtime.Object
		for _, entry := range p.Config.Profiles[0].PluginConfig {
			if entry.Name == name {
				first = entry.Args
			}
		}
		for i := 1; i < len(p.Config.Profiles); i++ {
			for j, entry := range p.Config.Profiles[i].PluginConfig {
				if entry.Name == name && !equality.Semantic.DeepEqual(first, entry.Args) {
					p.Report(profilePath(i).Child("pluginConfig", strconv.Itoa(j), "args"), "give the plugin the same args in every profile",
						"the args of queueSort plugin %q are not those of the first profile", name)
				}
			}
		}
	},
}, {
	ID:      "plugin-config-duplicate",
	Summary: "the args of a plugin are given twice in one profile",
	Doc:     "pluginConfig has one entry per plugin.",
	Check: func(p *Pass) {
		for i, profile := range p.Config.Profiles {
			first := map[string]int{}
			for j, entry := range profile.PluginConfig {
				k, seen := first[entry.Name]
				if !seen {
					first[entry.Name] = j
					continue
				}
				p.Report(profilePath(i).Child("pluginConfig", strconv.Itoa(j), "name"), "put all args of the plugin into one entry",
					"plugin %q has args in entry %d already", entry.Name, k)
			}
		}
	},
}}

func queueSort(p *Pass, profile int) config.PluginSet {
	if len(p.Config.Profiles) <= profile {
		return config.PluginSet{}
	}
	return p.Config.Profiles[profile].Plugins[config.QueueSort]
}

var pluginRules = []Rule{{
	ID:      "plugin-invalid",
	Summary: "a plugin is enabled or configured that this apiVersion refuses by name",
	Doc: "Some plugins are refused by name because something else replaced them, though the program may still have them. " +
		"kube-scheduler looks at enabled and pluginConfig, not at disabled and not at multiPoint.",
	Check: func(p *Pass) {
		invalid := map[string]bool{}
		for _, name := range p.API.InvalidPlugins {
			invalid[name] = true
		}
		for i, profile := range p.Config.Profiles {
			for _, point := range p.API.InvalidPluginPoints {
				for _, plugin := range profile.Plugins[config.Point(point)].Enabled {
					if invalid[plugin.Name] {
						p.Report(p.pluginPath(profilePath(i).Child("plugins", point), plugin.Name), p.Scheme.PluginHint(plugin.Name),
							"plugin %q cannot be used with %s on Kubernetes %s", plugin.Name, p.API.APIVersion, p.Scheme.Release.Name)
					}
				}
			}
			for j, entry := range profile.PluginConfig {
				if invalid[entry.Name] {
					p.Report(profilePath(i).Child("pluginConfig", strconv.Itoa(j), "name"), p.Scheme.PluginHint(entry.Name),
						"plugin %q cannot be configured with %s on Kubernetes %s", entry.Name, p.API.APIVersion, p.Scheme.Release.Name)
				}
			}
		}
	},
}, {
	ID:      "scorer-conflict",
	Summary: "NodeResourcesFit scores beside a plugin that it replaces",
	Doc:     "In 1.22 v1beta1 has both NodeResourcesFit with a scoring strategy and the plugins it replaces. Enabling both would count the same thing twice.",
	Check: func(p *Pass) {
		for i, profile := range p.Config.Profiles {
			enabled := map[string]bool{}
			for _, plugin := range profile.Plugins[config.Score].Enabled {
				enabled[plugin.Name] = true
			}
			for _, plugin := range profile.Plugins[config.Score].Enabled {
				for _, other := range p.API.ConflictingScorers[plugin.Name] {
					if enabled[other] {
						p.Report(p.pluginPath(profilePath(i).Child("plugins", "score"), plugin.Name), "disable "+other+" at score",
							"%q scores like %q, and both are enabled", plugin.Name, other)
					}
				}
			}
		}
	},
}}

// refusals reports what building the profiles brought up under the rule of this pass.
func refusals(p *Pass) {
	for _, r := range p.Built.Refusals {
		if r.Rule != p.rule {
			continue
		}
		path := r.Path
		if r.Plugin != "" && len(path) > 2 && path[2] == "plugins" {
			path = p.pluginPath(path, r.Plugin)
		}
		p.Report(path, r.Hint, "%s", r.Message)
		if r.Rule == scheme.RulePluginUnknown {
			p.spelled(r.Plugin, p.Scheme.PluginNames())
		}
	}
}
