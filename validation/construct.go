// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
)

// What these rules find is found by scheme.Build, which does what the release does when it starts.
var constructRules = []Rule{{
	ID:      scheme.RulePluginUnknown,
	Summary: "an enabled plugin does not exist in this release",
	Doc:     "The stock kube-scheduler stops when it meets a plugin it was not built with. A plugin of your own build is declared with --plugin.",
	Check:   refusals,
}, {
	ID:      scheme.RulePluginPoint,
	Summary: "a plugin is enabled at a point that it does not implement",
	Doc:     "Every plugin implements certain extension points; enabling it at another stops the scheduler.",
	Check:   refusals,
}, {
	ID:      scheme.RulePluginTwice,
	Summary: "a plugin is enabled twice at one point",
	Doc: "A plugin can stand once at a point. Until 1.21, and for v1beta1 in 1.22, enabling a default plugin again means twice, " +
		"unless it is disabled as well.",
	Check: refusals,
}, {
	ID:      scheme.RulePluginConfigRepeated,
	Summary: "a plugin gets args twice when its profile is built",
	Doc: "pluginConfig has one entry per plugin. Until 1.21 an extender with ignoredByScheduler adds one for NodeResourcesFit, " +
		"and hardPodAffinitySymmetricWeight adds one for InterPodAffinity.",
	Check: refusals,
}, {
	ID:      scheme.RuleQueueSortCount,
	Summary: "a profile does not have exactly one queueSort plugin",
	Doc:     "The queue is sorted by one plugin. Disabling all defaults takes PrioritySort away as well.",
	Check:   refusals,
}, {
	ID:      scheme.RuleQueueSortBuiltDiffers,
	Summary: "the built profiles sort the queue differently",
	Doc:     "multiPoint can bring a queueSort plugin into one profile, or its args can differ; this shows when the profiles are built.",
	Check:   refusals,
}, {
	ID:      scheme.RuleBindMissing,
	Summary: "a profile has no bind plugin",
	Doc:     "A pod has to be bound by somebody. Disabling all defaults takes DefaultBinder away as well.",
	Check:   refusals,
}, {
	ID:      scheme.RulePlacementGenerateCount,
	Summary: "a profile has more than one placementGenerate plugin",
	Doc:     "Placements for pod groups come from one plugin at most; since 1.36.",
	Check:   refusals,
}, {
	ID:      scheme.RuleScoreOverflow,
	Summary: "the score weights of a profile overflow",
	Doc: "kube-scheduler adds up weight times 100 over all score plugins. A negative weight at the front of that list makes the room " +
		"that is left wrap around, and the next plugin is refused.",
	Check: refusals,
}, {
	ID:      scheme.RuleFitArgsMissing,
	Summary: "an extender ignores resources, but a profile has no NodeResourcesFit args to write them to",
	Doc:     "managedResources with ignoredByScheduler writes its resources into the args of NodeResourcesFit, which needs the plugin.",
	Check:   refusals,
}, {
	ID:      "args-raw-type",
	Summary: "a plugin cannot read its args",
	Doc:     "Until 1.18 plugins read their own args: unknown keys are ignored and case does not matter, but a value of a wrong type stops the scheduler.",
	Check: func(p *Pass) {
		for i, profile := range p.Config.Profiles {
			for j, entry := range profile.PluginConfig {
				raw, ok := entry.Args.(*runtime.Unknown)
				if !ok || !slices.Contains(p.API.RawArgs, entry.Name) || !p.used(i, entry.Name) {
					continue
				}
				if err := scheme.RawArgs(raw, config.NewArgs(entry.Name+"Args")); err != nil {
					p.Report(profilePath(i).Child("pluginConfig").Index(j).Child("args"), "look up the types with schedconf explain "+entry.Name,
						"plugin %q cannot read its args: a value has the wrong type", entry.Name)
				}
			}
		}
	},
}}
