// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/config"
)

var phaseAdvice = []Rule{{
	ID:      "plugin-phase-missing",
	Summary: "a plugin runs at a point without the point that prepares it",
	Doc: "Many filters use what the plugin has worked out at preFilter, and many scores what it has at preScore. Without that they fail for every pod, and no pod is scheduled. " +
		"NodeAffinity, VolumeZone and the resource scores can do without; a plugin of your own build that has both points is taken to need both.",
	Bad:       exampleHead + "profiles:\n- plugins:\n    preFilter:\n      disabled:\n      - name: PodTopologySpread # bad\n",
	Good:      exampleHead + "profiles:\n- plugins:\n    preFilter:\n      disabled:\n      - name: PodTopologySpread\n    filter:\n      disabled:\n      - name: PodTopologySpread\n",
	Otherwise: diag.Warning,
	Check: func(p *Pass) {
		if !profiled(p.Scheme.Release) {
			return
		}
		for i := range p.Built.Frameworks {
			if p.touches(i, config.MultiPoint, config.PreFilter, config.Filter, config.PreScore, config.Score, config.Reserve, config.PreBind) {
				p.checkPhases(i)
			}
		}
	},
}}

func (p *Pass) checkPhases(profile int) {
	phases := slices.Concat(p.Scheme.Release.Phases(), p.declaredPhases(profile))
	for k, phase := range phases {
		point, needs := config.Point(phase.Point), config.Point(phase.Needs)
		switch {
		case !hasPlugin(p.running(profile, point), phase.Plugin) || hasPlugin(p.running(profile, needs), phase.Plugin) || !p.implements(phase.Plugin, needs):
			continue
		case p.isIdle(phase.Plugin):
			continue
		// The first point that fails keeps the pod from the next.
		case slices.ContainsFunc(phases[:k], func(before schemas.Phase) bool {
			return before.Plugin == phase.Plugin && before.Needs == phase.Needs && hasPlugin(p.running(profile, config.Point(before.Point)), phase.Plugin)
		}):
			continue
		}
		path, ok := p.disabling(profile, needs, phase.Plugin)
		if !ok {
			path = p.pluginPath(pointPath(profile, point), phase.Plugin)
		}
		consequence := "its " + phase.Point + " fails for every pod"
		if needs == config.PreBind {
			consequence = "what it reserves is never bound"
		}
		p.Report(path, "enable it at both points, or disable it at both", "%q runs at %s and not at %s: %s", phase.Plugin, phase.Point, phase.Needs, consequence)
	}
}

// declaredPhases are those that plugins of another build are taken to have.
func (p *Pass) declaredPhases(profile int) []schemas.Phase {
	var list []schemas.Phase
	for _, pair := range [][2]config.Point{{config.Filter, config.PreFilter}, {config.Score, config.PreScore}} {
		for _, plugin := range p.running(profile, pair[0]) {
			if _, ours := p.Scheme.Release.Plugin(plugin.Name); !ours {
				list = append(list, schemas.Phase{Plugin: plugin.Name, Point: string(pair[0]), Needs: string(pair[1])})
			}
		}
	}
	return list
}

// isIdle reports whether a plugin does nothing, since its feature gate is off.
func (p *Pass) isIdle(name string) bool {
	gate := p.gateOf(name)
	return gate != nil && !p.Scheme.Gates[gate.Name]
}

// touches reports whether the document says something about the plugins of one of the points.
func (p *Pass) touches(profile int, points ...config.Point) bool {
	plugins := p.plugins(profile)
	return len(plugins) > 0 && slices.ContainsFunc(points, func(point config.Point) bool { _, ok := plugins[point]; return ok })
}

var argsAdvice = []Rule{{
	ID:      "args-unused",
	Summary: "args are given for a plugin that the profile does not run",
	Doc: "Args of a plugin that is not enabled are not looked at, and neither is its name: a misspelt one goes unnoticed, and so does a plugin of another build. " +
		"Enable the plugin, or take its args out. A plugin that the profile disables by name is left alone.",
	Bad:       exampleHead + "profiles:\n- pluginConfig:\n  - name: NodeResourceFit # bad\n    args:\n      scoringStrategy:\n        type: MostAllocated\n",
	Good:      exampleHead + "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      ignoredResources:\n      - example.com/gpu\n",
	Otherwise: diag.Warning,
	Check: func(p *Pass) {
		for i, profile := range p.Config.Profiles {
			if i >= len(p.Built.Frameworks) {
				return
			}
			for j, entry := range profile.PluginConfig {
				if entry.Name == "" || emptyArgs(entry.Args) || p.used(i, entry.Name) || p.listed(i, entry.Name) || p.turnedOff(i, entry.Name) {
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
	Bad:     exampleHead + "profiles:\n- pluginConfig:\n  - name: InterPodAffinity\n  - args: # bad\n      hardPodAffinityWeight: 5\n",
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
	Bad: exampleHead + "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      ignoredResources:\n      - example.com/license # bad\n" +
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
	Bad: exampleHead + "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      scoringStrategy:\n        type: LeastAllocated\n        resources:\n        - name: example.com/gpu # bad\n          weight: 5\n",
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

// turnedOff reports whether the profile disables a plugin of the release by name: who does that knows
// that its args are not read.
func (p *Pass) turnedOff(profile int, name string) bool {
	if _, known := p.Scheme.Implements(name); !known {
		return false
	}
	for _, set := range p.plugins(profile) {
		if hasPlugin(set.Disabled, name) {
			return true
		}
	}
	return false
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
