// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"github.com/schedconf/schedconf/conversion"
	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme"
)

// RuleCommentsDropped is the rule of comments that a rewritten file does not have.
const RuleCommentsDropped = "comments-dropped"

// changeRules are about converting: what they say is found by package conversion and by
// scheme.Translate, and no release enforces any of it.
var changeRules = []Rule{{
	ID:        conversion.RuleFieldDropped,
	Summary:   "a field is lost, since the target has no place for it",
	Doc:       "The field was set, and the apiVersion converted to cannot hold it. The hint says where its meaning went, if anywhere.",
	Otherwise: diag.Warning,
}, {
	ID:        conversion.RulePointDropped,
	Summary:   "the plugins of a point are lost, since the target does not have the point",
	Doc:       "Extension points come with apiVersions and minors. The plugins that stood at one that the target lacks are left out there.",
	Otherwise: diag.Warning,
}, {
	ID:        conversion.RuleArgsDropped,
	Summary:   "the args of a plugin are lost, since the target has none for it",
	Doc:       "The target does not know the args of the plugin, or not the plugin.",
	Otherwise: diag.Warning,
}, {
	ID:        conversion.RuleProfilesDropped,
	Summary:   "all profiles but the first are lost, since v1alpha1 is one profile",
	Doc:       "v1alpha1 has the fields of a profile at its top level. Choose a later apiVersion for several.",
	Otherwise: diag.Warning,
}, {
	ID:        scheme.RuleArgsUnread,
	Summary:   "args are left out that the source release did not read",
	Doc:       "Until 1.18 some plugins ignored their args, and args of a plugin that is not in use are ignored by every release. Writing them where they are read would change something.",
	Otherwise: diag.Warning,
}, {
	ID:        scheme.RulePointUnread,
	Summary:   "plugins are left out that the source release did not read",
	Doc:       "v1beta2 has the fields multiPoint and preEnqueue, and v1beta3 has preEnqueue, but what stands there is dropped when the defaults join in. Carrying it on would change something.",
	Otherwise: diag.Warning,
}, {
	ID:        scheme.RulePluginDropped,
	Summary:   "a plugin is lost, since the target does not have it",
	Doc:       "The plugin was removed, or came later. The hint says what comes closest. It is a warning where the file enables the plugin, and information where it was a default.",
	Otherwise: diag.Warning,
}, {
	ID:        scheme.RulePluginFolded,
	Summary:   "another plugin took over what this one did",
	Doc:       "NodeResourcesFit took over three scoring plugins in 1.22, and PodTopologySpread what SelectorSpread did.",
	Otherwise: diag.Info,
}, {
	ID:        scheme.RulePluginNew,
	Summary:   "the target runs a plugin by default that the source could not run",
	Doc:       "There was nothing for it to do before: the source release did not have it, or had it behind a feature gate that was off.",
	Otherwise: diag.Info,
}, {
	ID:        scheme.RulePluginWritten,
	Summary:   "a plugin is written out, since the target's default is another",
	Doc:       "Enabling, disabling or weighing it keeps the profile as it was. --no-preserve leaves it to the new default.",
	Otherwise: diag.Info,
}, {
	ID:        scheme.RuleArgsWritten,
	Summary:   "an args field is written out, since the target's default is another",
	Doc:       "The value is what the source release filled in. --no-preserve leaves it to the new default.",
	Otherwise: diag.Info,
}, {
	ID:        scheme.RuleValueWritten,
	Summary:   "a field is written out, since the target's default is another",
	Doc:       "The value is what the source release filled in. --no-preserve leaves it to the new default.",
	Otherwise: diag.Info,
}, {
	ID:        scheme.RuleFieldMoved,
	Summary:   "a field moved to where the target has it",
	Doc:       "Nothing is lost: the same is said in another place.",
	Otherwise: diag.Info,
}, {
	ID:        scheme.RuleMeaningChanged,
	Summary:   "something means or does another thing on the target",
	Doc:       "Either the target cannot do what the source did, or --no-preserve lets its defaults apply.",
	Otherwise: diag.Warning,
}, {
	ID:        scheme.RulePolicyElsewhere,
	Summary:   "the plugins come from a Policy",
	Doc:       "algorithmSource.policy of v1alpha1 points to another document, which decides about the plugins. No later apiVersion has that.",
	Otherwise: diag.Warning,
}, {
	ID:        RuleCommentsDropped,
	Summary:   "a comment of the file is not in the result",
	Doc:       "The text is edited where values change, and comments stay; one that belonged to what was removed or had to be written anew is lost.",
	Otherwise: diag.Warning,
}, {
	ID:        "layout-changed",
	Summary:   "a part of the text could not keep its layout",
	Doc:       "An alias was written out because the value under it changed, or a text became a literal block because its style could not hold the new value.",
	Otherwise: diag.Info,
}, {
	ID:        "source-chosen",
	Summary:   "the release that was named does not read the input, and another is taken",
	Doc:       "migrate reads the input as the release that --from names. Where that one has never read such a file, the newest that does stands in for it.",
	Otherwise: diag.Info,
}, {
	ID:        "config-not-found",
	Summary:   "a configuration that a flag names is not there",
	Doc:       "--config names a file of the machine that the scheduler runs on. It is looked for in the manifest and beside the file that names it; without it the flags alone are migrated.",
	Otherwise: diag.Warning,
}, {
	ID:        "provider-impossible",
	Summary:   "a Policy cannot become an algorithm provider",
	Doc:       "--to-provider is for a Policy that runs what a provider of its release runs, and for a target up to 1.18, whose v1alpha1 names a provider.",
	Otherwise: diag.Error,
}}
