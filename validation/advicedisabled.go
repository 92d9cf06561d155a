// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/config"
)

// livesOn says where what a plugin did is done since it is gone, so that disabling it has to go there.
var livesOn = map[string]string{
	"NodeResourcesLeastAllocated": "its scoring is part of NodeResourcesFit now: disable that at score",
	"NodeResourcesMostAllocated":  "its scoring is part of NodeResourcesFit now: disable that at score",
	"RequestedToCapacityRatio":    "its scoring is part of NodeResourcesFit now: disable that at score",
	"SelectorSpread":              "PodTopologySpread spreads the pods of a service now: disable that, or give it defaultingType: List",
	"DefaultPodTopologySpread":    "PodTopologySpread spreads the pods of a service now: disable that, or give it defaultingType: List",
}

var disabledAdvice = []Rule{{
	ID:      "disabled-unknown",
	Summary: "a name in disabled is that of no plugin of this release",
	Doc: "No release looks at the names in disabled. A misspelt one, or one of a plugin that was removed, disables nothing, " +
		"and nobody says so. Where another plugin took over the work of a removed one, that goes on.",
	Bad:       exampleHead + "profiles:\n- plugins:\n    filter:\n      disabled:\n      - name: NodeUnschedulabel # bad\n",
	Good:      exampleHead + "profiles:\n- plugins:\n    filter:\n      disabled:\n      - name: NodeUnschedulable\n",
	Otherwise: diag.Warning,
	Check: func(p *Pass) {
		p.eachDisabled(func(profile int, point config.Point, entry int, name string) {
			if _, known := p.Scheme.Implements(name); known {
				return
			}
			hint, ok := livesOn[name]
			if !ok {
				hint = p.Scheme.PluginHint(name)
			}
			p.Report(disabledPath(profile, point, entry), hint, "disabling %q does nothing: Kubernetes %s has no such plugin", name, p.Scheme.Release.Name)
		})
	},
}, {
	ID:      "disabled-idle",
	Summary: "a plugin is disabled at a point where it is not enabled",
	Doc: "disabled takes plugins away that are enabled by default, at this point or by multiPoint. A plugin that does not run there " +
		"is not affected: it may implement other points, or it may be off anyway.",
	Bad:       exampleHead + "profiles:\n- plugins:\n    filter:\n      disabled:\n      - name: ImageLocality # bad\n",
	Good:      exampleHead + "profiles:\n- plugins:\n    score:\n      disabled:\n      - name: ImageLocality\n",
	Otherwise: diag.Warning,
	Check: func(p *Pass) {
		p.eachDisabled(func(profile int, point config.Point, entry int, name string) {
			points, known := p.Scheme.Implements(name)
			if !known || len(points) == 0 {
				return
			}
			if _, ok := p.standard(name, point); ok {
				return
			}
			if point != config.MultiPoint && p.implements(name, point) && hasPlugin(p.Config.Profiles[profile].Plugins[config.MultiPoint].Enabled, name) {
				return
			}
			why := "it is not enabled there"
			if point != config.MultiPoint && !slices.Contains(points, string(point)) {
				why = "its points are " + words(points)
			}
			p.Report(disabledPath(profile, point, entry), "take it out, or disable it where it runs", "disabling %q at %s does nothing: %s", name, point, why)
		})
	},
}, {
	ID:      "disabled-ignored",
	Summary: "plugins are disabled, but this release does not read disabled",
	Doc:     "Until 1.17 only enabled was read. Predicates and priorities were chosen by a Policy.",
	Bad: "apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: KubeSchedulerConfiguration\n" +
		"plugins:\n  score:\n    disabled:\n    - name: ImageLocality # bad\n",
	Good: exampleV1alpha2 + "profiles:\n- plugins:\n    score:\n      disabled:\n      - name: ImageLocality\n",
	Check: func(p *Pass) {
		if p.readsDisabled() {
			return
		}
		p.lists(func(profile int, point config.Point, set config.PluginSet) {
			if len(set.Disabled) > 0 {
				p.Report(pointPath(profile, point).Child("disabled"), "take it out, or choose a later target", "Kubernetes %s does not read disabled", p.Scheme.Release.Name)
			}
		})
	},
	Otherwise: diag.Warning,
}, {
	ID:      "filter-none",
	Summary: "a profile has no filter plugin left",
	Doc: "Filters keep pods from nodes that have no room, that are cordoned, whose taints they do not tolerate, or that their volumes cannot reach. " +
		"Without any, every node fits every pod, and the kubelet refuses what the scheduler sends.",
	Bad:       exampleHead + "profiles:\n- plugins:\n    filter:\n      disabled:\n      - name: '*' # bad\n",
	Good:      exampleHead + "profiles:\n- plugins:\n    filter:\n      disabled:\n      - name: '*'\n      enabled:\n      - name: NodeResourcesFit\n      - name: TaintToleration\n",
	Otherwise: diag.Warning,
	Check: func(p *Pass) {
		if !profiled(p.Scheme.Release) {
			return
		}
		for i := range p.Built.Frameworks {
			if !p.touches(i, config.Filter, config.MultiPoint) || len(p.running(i, config.Filter)) > 0 {
				continue
			}
			path := pointPath(i, config.Filter)
			if !p.doc.Has(p.asWritten(path)) {
				path = pointPath(i, config.MultiPoint)
			}
			for _, point := range []config.Point{config.MultiPoint, config.Filter} {
				if at, ok := p.disabling(i, point, "*"); ok {
					path = at
				}
			}
			p.Report(path, "enable at least NodeResourcesFit, NodeUnschedulable and TaintToleration at filter",
				"no filter is left: pods go to nodes that are full, cordoned or tainted, or that their volumes cannot reach")
		}
	},
}, {
	ID:      "defaults-disabled",
	Summary: "multiPoint disables every default plugin",
	Doc: "With '*' at multiPoint a profile runs what it enables itself and nothing else, at any point. The finding lists the default plugins that it does without. " +
		"Plugins that later releases add to the defaults will not be there either.",
	Bad: exampleHead + "profiles:\n- plugins:\n    multiPoint:\n      disabled:\n      - name: '*' # bad\n      enabled:\n" +
		"      - name: PrioritySort\n      - name: NodeResourcesFit\n      - name: DefaultBinder\n",
	Good:      exampleHead + "profiles:\n- plugins:\n    multiPoint:\n      disabled:\n      - name: ImageLocality\n",
	Otherwise: diag.Info,
	Check: func(p *Pass) {
		p.lists(func(profile int, point config.Point, set config.PluginSet) {
			if point != config.MultiPoint || profile >= len(p.Built.Frameworks) {
				return
			}
			at := slices.IndexFunc(set.Disabled, func(plugin config.Plugin) bool { return plugin.Name == "*" })
			if at < 0 {
				return
			}
			var lost []string
			for _, plugin := range p.API.DefaultPlugins[string(config.MultiPoint)] {
				if !p.used(profile, plugin.Name) {
					lost = append(lost, plugin.Name)
				}
			}
			if len(lost) > 0 {
				p.Report(disabledPath(profile, point, at), "name the plugins to disable, so that the others stay",
					"all defaults are disabled, and %s not enabled again: %s", isOrAre(len(lost)), words(lost))
			}
		})
	},
}, {
	ID:      "plugin-repeats-default",
	Summary: "a plugin is listed where it runs by default, with the same weight",
	Doc: "Since v1beta2 default plugins stay enabled. Listing one again with the weight that it has moves it to the front of its point, and changes nothing else. " +
		"It is kept when a later release changes the default.",
	Bad:       exampleHead + "profiles:\n- plugins:\n    score:\n      enabled:\n      - name: NodeAffinity # bad\n        weight: 2\n",
	Good:      exampleHead + "profiles:\n- plugins:\n    score:\n      enabled:\n      - name: NodeAffinity\n        weight: 5\n",
	Otherwise: diag.Info,
	Check: func(p *Pass) {
		if !strings.HasPrefix(p.API.Behaviour.MergePlugins, "override") {
			return
		}
		p.lists(func(profile int, point config.Point, set config.PluginSet) {
			if point == config.MultiPoint || len(set.Enabled) == 0 || profile >= len(p.Built.Frameworks) {
				return
			}
			disabled := slices.Concat(set.Disabled, p.Config.Profiles[profile].Plugins[config.MultiPoint].Disabled)
			var same []string
			for _, plugin := range set.Enabled {
				weight, ok := p.standard(plugin.Name, point)
				if !ok || hasPlugin(disabled, plugin.Name) || hasPlugin(disabled, "*") {
					continue
				}
				if scores(point) && max(ptr.Deref(plugin.Weight, 1), 1) != ptr.Deref(weight, 1) {
					continue
				}
				same = append(same, plugin.Name)
			}
			if len(same) > 0 {
				p.Report(pointPath(profile, point).Child("enabled"), "take out what the default has, so that later defaults apply",
					"%s %s at %s by default like this", words(same), runOrRuns(len(same)), point)
			}
		})
	},
}, {
	ID:      "plugin-gated",
	Summary: "a plugin is enabled by name while its feature gate is off",
	Doc: "The plugin of a feature gate does nothing while the gate is off, and while the feature is alpha it may go away with the next minor, which then refuses the file. " +
		"Where the gate is on, the default has the plugin anyway.",
	Bad:       exampleHead + "profiles:\n- plugins:\n    multiPoint:\n      enabled:\n      - name: TopologyPlacementGenerator # bad\n",
	Good:      exampleHead + "profiles:\n- schedulerName: default-scheduler\n",
	Otherwise: diag.Info,
	Check: func(p *Pass) {
		p.lists(func(profile int, point config.Point, set config.PluginSet) {
			for _, plugin := range set.Enabled {
				if gate := p.gateOf(plugin.Name); p.isIdle(plugin.Name) {
					p.Report(p.pluginPath(pointPath(profile, point), plugin.Name), fmt.Sprintf("leave it to the default, which has it with --feature-gates %s=true", gate.Name),
						"plugin %q belongs to the feature gate %s, which is %s and off", plugin.Name, gate.Name, gate.Stage)
				}
			}
		})
	},
}, {
	ID:      "point-ignored",
	Summary: "plugins stand at a point that this release reads and drops",
	Doc: "v1beta2 has the fields multiPoint and preEnqueue, and v1beta3 has preEnqueue, since the types were shared. " +
		"What stands there is lost when the defaults join in, and nothing says so.",
	Bad: "apiVersion: kubescheduler.config.k8s.io/v1beta2\nkind: KubeSchedulerConfiguration\n" +
		"profiles:\n- plugins:\n    multiPoint:\n      disabled: # bad\n      - name: ImageLocality\n",
	Good: "apiVersion: kubescheduler.config.k8s.io/v1beta2\nkind: KubeSchedulerConfiguration\n" +
		"profiles:\n- plugins:\n    score:\n      disabled:\n      - name: ImageLocality\n",
	Otherwise: diag.Warning,
	Check:     checkIgnoredPoints,
}}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func runOrRuns(n int) string {
	if n == 1 {
		return "runs"
	}
	return "run"
}

// disabling is the path of the name by which the document disables a plugin at a point.
func (p *Pass) disabling(profile int, point config.Point, name string) (diag.Path, bool) {
	at := slices.IndexFunc(p.plugins(profile)[point].Disabled, func(plugin config.Plugin) bool { return plugin.Name == name || plugin.Name == "*" })
	if at < 0 {
		return nil, false
	}
	return disabledPath(profile, point, at), true
}

// readsDisabled reports whether the release takes disabled plugins away.
func (p *Pass) readsDisabled() bool {
	merge := p.API.Behaviour.MergePlugins
	return merge != "never" && merge != "appendAlways"
}

// eachDisabled calls visit for every name in disabled that the release looks at.
func (p *Pass) eachDisabled(visit func(profile int, point config.Point, entry int, name string)) {
	if !p.readsDisabled() {
		return
	}
	p.lists(func(profile int, point config.Point, set config.PluginSet) {
		if !slices.Contains(p.API.MergedPoints, string(point)) {
			return
		}
		for k, plugin := range set.Disabled {
			if plugin.Name != "" && plugin.Name != "*" {
				visit(profile, point, k, plugin.Name)
			}
		}
	})
}

// gateOf returns the feature gate without which a plugin is not among the defaults, or nil.
func (p *Pass) gateOf(name string) *schemas.Gate {
	for _, gated := range p.API.GatedPlugins {
		if gated.Name != name || !gated.On {
			continue
		}
		if p.isStandard(name) {
			return nil
		}
		gate, _ := p.Scheme.Release.Gate(gated.Gate)
		return gate
	}
	return nil
}

// isStandard reports whether a plugin is enabled by default at some point, whatever the feature gates.
func (p *Pass) isStandard(name string) bool {
	for _, list := range p.API.DefaultPlugins {
		if slices.ContainsFunc(list, func(plugin schemas.DefaultPlugin) bool { return plugin.Name == name }) {
			return true
		}
	}
	return false
}
