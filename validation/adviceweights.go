// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"bytes"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/config"
)

var weightAdvice = []Rule{{
	ID:      "weight-unused",
	Summary: "a weight stands where nothing is weighed",
	Doc: "Weights count at score and placementScore, and at multiPoint for plugins that score. Anywhere else they are read and mean nothing. " +
		"Until 1.21 a weight at any point sets the weight of the plugin's score, if it has one.",
	Bad:       exampleHead + "profiles:\n- plugins:\n    reserve:\n      enabled:\n      - name: VolumeBinding\n        weight: 5 # bad\n",
	Good:      exampleHead + "profiles:\n- plugins:\n    score:\n      enabled:\n      - name: NodeAffinity\n        weight: 5\n",
	Otherwise: diag.Warning,
	Check: func(p *Pass) {
		p.lists(func(profile int, point config.Point, set config.PluginSet) {
			for _, plugin := range set.Enabled {
				if ptr.Deref(plugin.Weight, 0) == 0 || scores(point) {
					continue
				}
				points, _ := p.Scheme.Implements(plugin.Name)
				anyPoint := point == config.MultiPoint || p.Scheme.Release.Behaviour.Weights == "anyPoint"
				if anyPoint && (len(points) == 0 || slices.ContainsFunc(points, func(name string) bool { return scores(config.Point(name)) })) {
					continue
				}
				p.Report(p.weightPath(profile, point, plugin.Name), "take the weight out", "the weight of %q at %s means nothing: %s", plugin.Name, point, unweighed(point))
			}
		})
	},
}, {
	ID:      "weight-reset",
	Summary: "a default plugin is listed without its weight, which makes it 1",
	Doc: "Listing a default plugin replaces its entry. Without a weight the entry has the weight 1, whatever the default was: " +
		"in v1 that is 3 for TaintToleration, and 2 for NodeAffinity, PodTopologySpread and InterPodAffinity.",
	Bad:       exampleHead + "profiles:\n- plugins:\n    score:\n      enabled:\n      - name: TaintToleration # bad\n",
	Good:      exampleHead + "profiles:\n- plugins:\n    score:\n      enabled:\n      - name: TaintToleration\n        weight: 3\n",
	Otherwise: diag.Warning,
	Check: func(p *Pass) {
		p.lists(func(profile int, point config.Point, set config.PluginSet) {
			if !scores(point) && point != config.MultiPoint {
				return
			}
			for _, plugin := range set.Enabled {
				if plugin.Weight != nil {
					continue
				}
				weight, ok := p.standard(plugin.Name, point)
				if !ok || ptr.Deref(weight, 1) == 1 || p.runningWeight(profile, plugin.Name) != 1 {
					continue
				}
				p.Report(p.pluginPath(pointPath(profile, point), plugin.Name), "write the weight, if the default is meant", "%q is listed without weight, which makes it 1 instead of %d", plugin.Name, *weight)
			}
		})
	},
}, {
	ID:      "weight-outdated",
	Summary: "a default plugin has the weight that it had by default in an older apiVersion",
	Doc: "Lists of default plugins go from file to file longer than the defaults that they were copied from: v1beta3 has raised TaintToleration from 1 to 3, and NodeAffinity and InterPodAffinity from 1 to 2. " +
		"The finding means that the weight is an old default; it is right where it was written to keep what was.",
	Bad:       exampleHead + "profiles:\n- plugins:\n    score:\n      enabled:\n      - name: InterPodAffinity\n        weight: 1 # bad\n",
	Good:      exampleHead + "profiles:\n- plugins:\n    score:\n      enabled:\n      - name: InterPodAffinity\n        weight: 5\n",
	Otherwise: diag.Info,
	Check: func(p *Pass) {
		p.eachWeight(func(profile int, point config.Point, plugin config.Plugin) {
			standard, ok := p.standard(plugin.Name, point)
			if !ok || *plugin.Weight == ptr.Deref(standard, 1) {
				return
			}
			for _, old := range schemas.OldWeights() {
				if old.Plugin == plugin.Name && old.Weight == *plugin.Weight {
					p.Report(p.weightPath(profile, point, plugin.Name), "take the plugin out of the list, unless the weight is meant",
						"%d is the weight that %q had by default up to %s; here it is %d", old.Weight, plugin.Name, old.UpTo, ptr.Deref(standard, 1))
				}
			}
		})
	},
}, {
	ID:        "weight-zero",
	Summary:   "a score plugin has the weight 0, which counts as 1",
	Doc:       "A weight of 0 is taken for one that is not set. A plugin that is not to score has to be disabled at score.",
	Bad:       exampleHead + "profiles:\n- plugins:\n    score:\n      enabled:\n      - name: ImageLocality\n        weight: 0 # bad\n",
	Good:      exampleHead + "profiles:\n- plugins:\n    score:\n      disabled:\n      - name: ImageLocality\n",
	Otherwise: diag.Warning,
	Check: func(p *Pass) {
		p.eachWeight(func(profile int, point config.Point, plugin config.Plugin) {
			if *plugin.Weight == 0 {
				p.Report(p.weightPath(profile, point, plugin.Name), "disable the plugin at score, or give it a weight of 1 or more", "the weight of %q is 0, which counts as 1", plugin.Name)
			}
		})
	},
}, {
	ID:        "weight-negative",
	Summary:   "a score plugin has a negative weight",
	Doc:       "Weights are not checked. A negative one turns the plugin around: the nodes that it likes least win.",
	Bad:       exampleHead + "profiles:\n- plugins:\n    multiPoint:\n      enabled:\n      - name: ImageLocality\n        weight: -1 # bad\n",
	Good:      exampleHead + "profiles:\n- plugins:\n    score:\n      enabled:\n      - name: ImageLocality\n        weight: 4\n",
	Otherwise: diag.Warning,
	Check: func(p *Pass) {
		p.eachWeight(func(profile int, point config.Point, plugin config.Plugin) {
			if *plugin.Weight < 0 {
				p.Report(p.weightPath(profile, point, plugin.Name), "use weights of 1 or more", "the weight of %q is %d: the nodes that it likes least win", plugin.Name, *plugin.Weight)
			}
		})
	},
}, {
	ID:      "weight-overridden",
	Summary: "the weight of a score plugin is taken from another point",
	Doc: "Until 1.21 the last mention of a plugin at any point says its weight, and a mention without one says 1. " +
		"A plugin that scores and also stands at preBind, postBind or permit, be it by default, has to have its weight there as well.",
	Bad: exampleV1beta1 + "profiles:\n- plugins:\n    score:\n      enabled:\n      - name: VolumeBinding\n        weight: 6 # bad\n",
	Good: exampleV1beta1 + "profiles:\n- plugins:\n    score:\n      enabled:\n      - name: VolumeBinding\n        weight: 6\n" +
		"    preBind:\n      disabled:\n      - name: VolumeBinding\n      enabled:\n      - name: VolumeBinding\n        weight: 6\n",
	Otherwise: diag.Warning,
	Check: func(p *Pass) {
		if p.Scheme.Release.Behaviour.Weights != "anyPoint" {
			return
		}
		p.eachWeight(func(profile int, point config.Point, plugin config.Plugin) {
			counts := p.runningWeight(profile, plugin.Name)
			if *plugin.Weight != 0 && counts != 0 && counts != *plugin.Weight {
				p.Report(p.weightPath(profile, point, plugin.Name), "write the same weight at every point that lists the plugin",
					"the weight of %q at score is %d, but it counts as %d: the last point that lists the plugin decides", plugin.Name, *plugin.Weight, counts)
			}
		})
	},
}, {
	ID:      "point-shifted",
	Summary: "a plugin runs twice at a point, by a bug of this release",
	Doc: "1.23 to 1.25 lose count when a profile overrides several plugins of multiPoint at one point: a plugin is run twice and another not at all, " +
		"and scores leave the range from 0 to 100. Listing the overrides first, in the order of multiPoint, avoids it; 1.26 mends it.",
	Bad: "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n" +
		"profiles:\n- plugins:\n    score:\n      enabled:\n      - name: ImageLocality\n        weight: 4\n      - name: NodeAffinity\n        weight: 4\n      - name: TaintToleration # bad\n        weight: 4\n",
	Good: "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n" +
		"profiles:\n- plugins:\n    score:\n      enabled:\n      - name: ImageLocality\n        weight: 4\n",
	Otherwise: diag.Warning,
	Check: func(p *Pass) {
		if p.Scheme.Release.Behaviour.MultiPoint != "shifting" {
			return
		}
		for i, framework := range p.Built.Frameworks {
			for point, list := range framework.Points {
				for k, plugin := range list {
					if hasPlugin(list[:k], plugin.Name) {
						p.Report(p.pluginPath(pointPath(i, point), plugin.Name), "override one plugin of multiPoint at a point, or list them all",
							"%q runs twice at %s: Kubernetes %s expands multiPoint wrongly here", plugin.Name, point, p.Scheme.Release.Name)
					}
				}
			}
		}
	},
}}

// weightPath is the path of the weight that the document gives a plugin, or of the plugin without one.
func (p *Pass) weightPath(profile int, point config.Point, name string) diag.Path {
	path := p.pluginPath(pointPath(profile, point), name)
	if path[len(path)-1] != "name" {
		return path
	}
	weight := slices.Clone(path)
	weight[len(weight)-1] = "weight"
	if !p.doc.Has(p.asWritten(weight)) {
		return path
	}
	return weight
}

func unweighed(point config.Point) string {
	if point == config.MultiPoint {
		return "it does not score"
	}
	return "weights count at score"
}

// eachWeight calls visit for every weight that the document gives a plugin that scores.
func (p *Pass) eachWeight(visit func(profile int, point config.Point, plugin config.Plugin)) {
	p.lists(func(profile int, point config.Point, set config.PluginSet) {
		for _, plugin := range set.Enabled {
			if plugin.Weight != nil && (scores(point) || point == config.MultiPoint && p.implements(plugin.Name, config.Score)) {
				visit(profile, point, plugin)
			}
		}
	})
}

// runningWeight is the weight with which a plugin scores nodes or placements; 0 where it does not.
func (p *Pass) runningWeight(profile int, name string) int32 {
	if weight := p.scoreWeight(profile, name); weight != 0 {
		return weight
	}
	return weightIn(p.running(profile, config.PlacementScore), name)
}

// scoreWeight is the weight with which a plugin scores nodes; 0 where it does not.
func (p *Pass) scoreWeight(profile int, name string) int32 {
	return weightIn(p.running(profile, config.Score), name)
}

func weightIn(list []config.Plugin, name string) int32 {
	if at := slices.IndexFunc(list, func(plugin config.Plugin) bool { return plugin.Name == name }); at >= 0 {
		return ptr.Deref(list[at].Weight, 0)
	}
	return 0
}

// checkIgnoredPoints looks into the document, since the hub has lost these points.
func checkIgnoredPoints(p *Pass) {
	if p.API.Behaviour.MergeAt != "default" || !bytes.Contains(p.doc.Bytes(), []byte("plugins")) {
		return
	}
	for _, point := range config.Points {
		name := string(point)
		if slices.Contains(p.API.MergedPoints, name) || !bytes.Contains(p.doc.Bytes(), []byte(name)) {
			continue
		}
		for i := range p.Config.Profiles {
			path := pointPath(i, point)
			refused := slices.ContainsFunc(*p.findings, func(d diag.Diagnostic) bool { return slices.Equal(d.Path, path) })
			enabled, disabled := p.readList(path.Child("enabled")), p.readList(path.Child("disabled"))
			// What is the default anyway, as in a file that the release has written, is not missed.
			same := len(disabled) == 0 && !slices.ContainsFunc(enabled, func(plugin config.Plugin) bool { _, ok := p.standard(plugin.Name, point); return !ok })
			if !refused && !same {
				p.Report(path, "list the plugins at the points that they implement", "%s drops what stands at %s on Kubernetes %s", p.API.APIVersion, point, p.Scheme.Release.Name)
			}
		}
	}
}
