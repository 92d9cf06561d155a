// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/config"
)

const constraintExample = exampleHead + "profiles:\n- pluginConfig:\n  - name: PodTopologySpread\n    args:\n      defaultingType: List\n      defaultConstraints:\n      - maxSkew: 1\n        topologyKey: topology.kubernetes.io/zone\n        whenUnsatisfiable: "

var spreadAdvice = []Rule{{
	ID:      "spread-type-inferred",
	Summary: "defaultConstraints without defaultingType, which later apiVersions refuse",
	Doc:     "v1beta1 takes defaultingType: List from the constraints. Since v1beta2 the default is System whatever else is there, and constraints beside it are refused.",
	Bad: exampleV1beta1 + "profiles:\n- pluginConfig:\n  - name: PodTopologySpread\n    args:\n      defaultConstraints:\n" +
		"      - maxSkew: 1 # bad\n        topologyKey: topology.kubernetes.io/zone\n        whenUnsatisfiable: ScheduleAnyway\n",
	Good: exampleV1beta1 + "profiles:\n- pluginConfig:\n  - name: PodTopologySpread\n    args:\n      defaultingType: List\n      defaultConstraints:\n" +
		"      - maxSkew: 1\n        topologyKey: topology.kubernetes.io/zone\n        whenUnsatisfiable: ScheduleAnyway\n",
	Otherwise: diag.Warning,
	Check: eachSpread(func(p *Pass, path diag.Path, args *config.PodTopologySpreadArgs) {
		if len(args.DefaultConstraints) > 0 && args.DefaultingType == "List" && p.infersList() && p.doc.Has(path.Child("defaultConstraints")) && !p.doc.Has(path.Child("defaultingType")) {
			p.Report(path.Child("defaultConstraints"), "add defaultingType: List", "defaultingType is taken from the constraints here; v1beta2 and later refuse constraints without it")
		}
	}),
}, {
	ID:      "spread-constraint-unchecked",
	Summary: "a default constraint has a field or value that is not checked, and makes no sense",
	Doc: "Of a default constraint only some fields are checked. minDomains needs DoNotSchedule and a positive number, the two policies are Honor or Ignore, " +
		"and matchLabelKeys belongs to constraints of pods. A later release may refuse what this one lets pass.",
	Bad:       constraintExample + "ScheduleAnyway\n        minDomains: 3 # bad\n",
	Good:      constraintExample + "ScheduleAnyway\n",
	Otherwise: diag.Warning,
	Check: eachSpread(func(p *Pass, path diag.Path, args *config.PodTopologySpreadArgs) {
		for i, c := range args.DefaultConstraints {
			item := path.Child("defaultConstraints").Index(i)
			switch {
			case c.MinDomains != nil && *c.MinDomains <= 0:
				p.Report(item.Child("minDomains"), "write 1 or more, or leave the field out", "minDomains is %d, which is not positive", *c.MinDomains)
			case c.MinDomains != nil && c.WhenUnsatisfiable != corev1.DoNotSchedule:
				p.Report(item.Child("minDomains"), "take minDomains out, or write whenUnsatisfiable: DoNotSchedule", "minDomains does nothing with %s", c.WhenUnsatisfiable)
			}
			for _, policy := range []struct {
				name  string
				value *corev1.NodeInclusionPolicy
			}{{"nodeAffinityPolicy", c.NodeAffinityPolicy}, {"nodeTaintsPolicy", c.NodeTaintsPolicy}} {
				if policy.value != nil && *policy.value != corev1.NodeInclusionPolicyHonor && *policy.value != corev1.NodeInclusionPolicyIgnore {
					p.Report(item.Child(policy.name), "write Honor or Ignore", "%s is %q", policy.name, *policy.value)
				}
			}
			if len(c.MatchLabelKeys) > 0 {
				p.Report(item.Child("matchLabelKeys"), "take it out; the selector is deduced for each pod", "matchLabelKeys means nothing in a default constraint")
			}
		}
	}),
}, {
	ID:      "spread-hard-default",
	Summary: "a default constraint keeps pods pending",
	Doc: "With DoNotSchedule every pod of a service that says nothing itself stays pending rather than break the constraint. " +
		"Tools that add nodes do not know the file of the scheduler: they may take such pods for ones that fit, and add none.",
	Bad:       constraintExample + "DoNotSchedule # bad\n",
	Good:      constraintExample + "ScheduleAnyway\n",
	Otherwise: diag.Info,
	Check: eachSpread(func(p *Pass, path diag.Path, args *config.PodTopologySpreadArgs) {
		for i, c := range args.DefaultConstraints {
			if c.WhenUnsatisfiable == corev1.DoNotSchedule {
				p.Report(path.Child("defaultConstraints").Index(i).Child("whenUnsatisfiable"), "write ScheduleAnyway where spreading is a wish",
					"pods without constraints of their own stay pending when they cannot be spread over %s; autoscalers may not know", c.TopologyKey)
			}
		}
	}),
}}

// infersList reports whether the apiVersion takes defaultingType from the constraints.
func (p *Pass) infersList() bool {
	return slices.ContainsFunc(p.API.ArgsDefaults["PodTopologySpreadArgs"], func(d schemas.Default) bool {
		return d.Field == "defaultingType" && d.When == "defaultConstraints"
	})
}
