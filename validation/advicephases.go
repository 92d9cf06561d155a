// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/config"
)

// phase is a point that cannot do without another one of the same plugin.
type phase struct {
	point, needs config.Point
	// plugins are those that fail without; others look for themselves what they miss
	// (pkg/scheduler/framework/plugins: who returns an error where the cycle state is missing).
	plugins []string
	// consequence is what happens.
	consequence string
}

var phases = []phase{{
	point: config.Filter, needs: config.PreFilter,
	plugins: []string{
		"DynamicResources", "InterPodAffinity", "NodeDeclaredFeatures", "NodePorts", "NodeResourcesFit", "PodTopologySpread", "ServiceAffinity",
		"VolumeBinding", "VolumeRestrictions",
	},
	consequence: "its filter fails for every pod",
}, {
	point: config.Score, needs: config.PreScore,
	plugins:     []string{"DefaultPodTopologySpread", "InterPodAffinity", "PodTopologySpread", "SelectorSpread", "TaintToleration"},
	consequence: "its score fails for every pod",
}, {
	point: config.Reserve, needs: config.PreBind,
	plugins:     []string{"DynamicResources", "VolumeBinding"},
	consequence: "what it reserves is never bound",
}}

var phaseAdvice = []Rule{{
	ID:      "plugin-phase-missing",
	Summary: "a plugin runs at a point without the point that prepares it",
	Doc: "Many filters use what the plugin has worked out at preFilter, and many scores what it has at preScore. Without that they fail for every pod, and no pod is scheduled. " +
		"NodeAffinity, VolumeZone and the resource scores can do without; a plugin of your own build that has both points is taken to need both.",
	Bad:       exampleHead + "profiles:\n- plugins:\n    preFilter:\n      disabled:\n      - name: PodTopologySpread\n",
	Good:      exampleHead + "profiles:\n- plugins:\n    preFilter:\n      disabled:\n      - name: PodTopologySpread\n    filter:\n      disabled:\n      - name: PodTopologySpread\n",
	Otherwise: diag.Warning,
	Check: func(p *Pass) {
		if !profiled(p.Scheme.Release) {
			return
		}
		for i := range p.Built.Frameworks {
			for _, phase := range phases {
				if !p.touches(i, phase.point, phase.needs, config.MultiPoint) {
					continue
				}
				for _, plugin := range p.running(i, phase.point) {
					if !p.needs(plugin.Name, phase) || hasPlugin(p.running(i, phase.needs), plugin.Name) {
						continue
					}
					path := pointPath(i, phase.needs)
					if !p.doc.Has(p.asWritten(path)) {
						path = p.pluginPath(pointPath(i, phase.point), plugin.Name)
					}
					p.Report(path, "enable it at both points, or disable it at both", "%q runs at %s and not at %s: %s", plugin.Name, phase.point, phase.needs, phase.consequence)
				}
			}
		}
	},
}}

// touches reports whether the document says something about the plugins of one of the points.
func (p *Pass) touches(profile int, points ...config.Point) bool {
	plugins := p.plugins(profile)
	return len(plugins) > 0 && slices.ContainsFunc(points, func(point config.Point) bool { _, ok := plugins[point]; return ok })
}

// needs reports whether a plugin implements the point that prepares another, and fails without.
func (p *Pass) needs(name string, phase phase) bool {
	if !p.implements(name, phase.needs) {
		return false
	}
	if _, ours := p.Scheme.Release.Plugin(name); !ours {
		return phase.point != config.Reserve
	}
	return slices.Contains(phase.plugins, name)
}

var argsAdvice = []Rule{{
	ID:      "args-unused",
	Summary: "args are given for a plugin that the profile does not run",
	Doc: "Args of a plugin that is not enabled are not looked at, and neither is its name: a misspelt one goes unnoticed, and so does a plugin of another build. " +
		"Enable the plugin, or take its args out.",
	Bad:       exampleHead + "profiles:\n- pluginConfig:\n  - name: NodeResourceFit\n    args:\n      scoringStrategy:\n        type: MostAllocated\n",
	Good:      exampleHead + "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      ignoredResources:\n      - example.com/gpu\n",
	Otherwise: diag.Warning,
	Check: func(p *Pass) {
		for i, profile := range p.Config.Profiles {
			if i >= len(p.Built.Frameworks) {
				return
			}
			for j, entry := range profile.PluginConfig {
				if entry.Name == "" || emptyArgs(entry.Args) || p.used(i, entry.Name) || p.listed(i, entry.Name) {
					continue
				}
				hint := "enable the plugin, or take its args out"
				if _, known := p.Scheme.Implements(entry.Name); !known {
					hint = p.Scheme.PluginHint(entry.Name)
				}
				p.Report(profilePath(i).Child("pluginConfig", strconv.Itoa(j), "name"), hint, "the args of %q are not read: the profile does not run it", entry.Name)
			}
		}
	},
}, {
	ID:      "args-unnamed",
	Summary: "an entry of pluginConfig has args and no name",
	Doc:     "Args without the name of a plugin are read by nobody. Often a dash too many splits one entry into two.",
	Bad:     exampleHead + "profiles:\n- pluginConfig:\n  - name: InterPodAffinity\n  - args:\n      hardPodAffinityWeight: 5\n",
	Good:    exampleHead + "profiles:\n- pluginConfig:\n  - name: InterPodAffinity\n    args:\n      hardPodAffinityWeight: 5\n",
	Check: func(p *Pass) {
		for i, profile := range p.Config.Profiles {
			for j, entry := range profile.PluginConfig {
				if entry.Name != "" || emptyArgs(entry.Args) {
					continue
				}
				hint := "give the entry the name of a plugin"
				if j > 0 && emptyArgs(profile.PluginConfig[j-1].Args) || j > 0 && p.doc.Len(p.asWritten(profilePath(i).Child("pluginConfig"))) > j &&
					!p.doc.Has(p.asWritten(profilePath(i).Child("pluginConfig", strconv.Itoa(j-1), "args"))) {
					hint = "it looks like the args of the entry before: take the dash in front of args out"
				}
				p.Report(profilePath(i).Child("pluginConfig").Index(j), hint, "the entry has args and no name, so nobody reads them")
			}
		}
	},
	Otherwise: diag.Warning,
}, {
	ID:      "ignored-resources-overwritten",
	Summary: "ignoredResources of NodeResourcesFit is replaced by what extenders ignore",
	Doc:     "A managed resource with ignoredByScheduler is written into ignoredResources of NodeResourcesFit in every profile, in place of what stands there.",
	Bad: exampleHead + "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      ignoredResources:\n      - example.com/license\n" +
		"extenders:\n- urlPrefix: http://127.0.0.1:8888\n  filterVerb: filter\n  managedResources:\n  - name: example.com/gpu\n    ignoredByScheduler: true\n",
	Good: exampleHead + "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      ignoredResources:\n      - example.com/license\n" +
		"extenders:\n- urlPrefix: http://127.0.0.1:8888\n  filterVerb: filter\n  managedResources:\n  - name: example.com/gpu\n",
	Otherwise: diag.Warning,
	Check: func(p *Pass) {
		if len(p.Config.Extenders) == 0 || p.Scheme.Release.Behaviour.IgnoredByScheduler != "overwrite" {
			return
		}
		ignored := map[string]bool{}
		for _, extender := range p.Config.Extenders {
			for _, resource := range extender.ManagedResources {
				if resource.IgnoredByScheduler {
					ignored[resource.Name] = true
				}
			}
		}
		if len(ignored) == 0 {
			return
		}
		eachArgs(p, fit, func(path diag.Path, args *config.NodeResourcesFitArgs) {
			for k, name := range args.IgnoredResources {
				if !ignored[name] {
					p.Report(path.Child("ignoredResources").Index(k), "let an extender manage it with ignoredByScheduler as well, or use ignoredResourceGroups",
						"%q is not ignored: the resources that extenders ignore replace this list", name)
				}
			}
		})
	},
}, {
	ID:      "fit-resources-partial",
	Summary: "the scoring strategy leaves cpu or memory out",
	Doc: "resources of scoringStrategy replaces its default, which is cpu and memory with the weight 1. What is not in the list is not scored; " +
		"whether it fits is looked at in any case.",
	Bad: exampleHead + "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      scoringStrategy:\n        type: LeastAllocated\n        resources:\n        - name: example.com/gpu\n          weight: 5\n",
	Good: exampleHead + "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      scoringStrategy:\n        type: LeastAllocated\n        resources:\n        - name: example.com/gpu\n          weight: 5\n" +
		"        - name: cpu\n          weight: 1\n        - name: memory\n          weight: 1\n",
	Otherwise: diag.Info,
	Check: eachStrategy(func(p *Pass, path diag.Path, s *config.ScoringStrategy) {
		var names []string
		for _, name := range []string{"cpu", "memory"} {
			if !slices.ContainsFunc(s.Resources, func(r config.ResourceSpec) bool { return r.Name == name }) {
				names = append(names, name)
			}
		}
		if len(s.Resources) == 0 || len(names) == 0 {
			return
		}
		p.Report(path.Child("resources"), "add what is to be scored as well", "%s %s not scored: the list replaces the default", words(names), isOrAre(len(names)))
	}),
}}

// emptyArgs reports whether there are no args at all.
func emptyArgs(args runtime.Object) bool {
	raw, isRaw := args.(*runtime.Unknown)
	return args == nil || isRaw && (raw == nil || len(raw.Raw) == 0 || string(raw.Raw) == "null" || string(raw.Raw) == "{}")
}

// listed reports whether the profile enables a plugin, be it one that the release does not have.
func (p *Pass) listed(profile int, name string) bool {
	for _, set := range p.Config.Profiles[profile].Plugins {
		if hasPlugin(set.Enabled, name) {
			return true
		}
	}
	return false
}
