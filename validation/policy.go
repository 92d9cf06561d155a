// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/policyv1"
	"github.com/schedconf/schedconf/scheme/source"
)

const rulePolicyTypeless = "policy-typeless"

// RulePolicyRemoved is the reminder that a Policy is of the past.
const RulePolicyRemoved = "policy-removed-later"

// RulePolicyNotFound is the rule of a Policy that is named and not there.
const RulePolicyNotFound = "policy-not-found"

// policyRules are those of a Policy alone. Some of what a configuration is held to holds for it too.
var policyRules = []Rule{{
	ID:        RulePolicyRemoved,
	Summary:   "the file is a Policy, which Kubernetes 1.23 does not read any more",
	Doc:       "A Policy lists predicates and priorities. Since 1.18 they run as plugins, and since 1.23 a profile is the only way to choose plugins.",
	Otherwise: diag.Info,
	Check: func(p *Pass) {
		p.Report(diag.Path{"kind"}, "schedconf migrate makes a configuration of it", "a Policy is read up to Kubernetes 1.22 only")
	},
}, {
	ID:      rulePolicyTypeless,
	Summary: "a Policy without apiVersion is read as an empty one",
	Doc: "Kubernetes 1.16 reads a Policy without apiVersion as its internal version, whose keys are Go names: none of the keys in the file matches, " +
		"so everything in it is ignored, and the defaults run. Later releases refuse the keys.",
	Otherwise: diag.Warning,
}, {
	ID:        RulePolicyNotFound,
	Summary:   "a Policy that a configuration or a flag names is not there",
	Doc:       "algorithmSource.policy.file.path and --policy-config-file name a file of the machine that the scheduler runs on. It is looked for beside the file that names it; without it nobody can say which plugins run.",
	Otherwise: diag.Warning,
}, {
	ID:      scheme.RulePolicyNameUnknown,
	Summary: "a predicate or a priority does not exist in this release",
	Doc:     "A name is one that the release knows, or any with an argument. An unknown one stops the scheduler.",
	Check:   refusals,
}, {
	ID:      scheme.RulePolicyNameSyntax,
	Summary: "a name that somebody chose has a wrong form",
	Doc:     "Kubernetes 1.16 keeps the names of predicates and priorities with an argument, and takes letters, digits and dashes, at least two. Later releases drop such names.",
	Check:   refusals,
}, {
	ID:      scheme.RulePolicyArgumentCount,
	Summary: "an argument of a predicate or a priority is empty, or there are several",
	Doc:     "An entry with argument has exactly one member in it.",
	Check:   refusals,
}, {
	ID:      scheme.RulePolicyArgumentMissing,
	Summary: "a name needs an argument that no entry gives",
	Doc:     "Since 1.18 NodeLabel, ServiceAffinity and RequestedToCapacityRatio are names of priorities that stand for all entries with their kind of argument. Without any the scheduler panics or cannot start the plugin; in 1.22 this holds for the predicates CheckNodeLabelPresence and CheckServiceAffinity as well.",
	Check:   refusals,
}, {
	ID:        "policy-argument-ignored",
	Summary:   "the argument of an entry with a known name does not count",
	Doc:       "Since 1.18 a known name wins over an argument, which is ignored in silence. In 1.16 and 1.17 the argument wins.",
	Otherwise: diag.Warning,
	Check: func(p *Pass) {
		for _, path := range p.builtPolicy.IgnoredArguments {
			p.Report(path, "give the entry a name of its own, or take the argument out", "the argument is ignored, since Kubernetes %s knows the name of the entry", p.Scheme.Release.Name)
		}
	},
}, {
	ID:        "policy-entry-repeated",
	Summary:   "a predicate or a priority stands twice",
	Doc:       "A name counts once. Of a priority that is given twice the last weight counts.",
	Otherwise: diag.Warning,
	Check: func(p *Pass) {
		names := map[string]int{}
		for i, entry := range p.policy.Predicates {
			if first, again := names[entry.Name]; again && entry.Argument == nil {
				p.Report(diag.Path{"predicates"}.Index(i).Child("name"), "take one of the two out", "predicates[%d] is %q already", first, entry.Name)
			}
			names[entry.Name] = i
		}
		clear(names)
		for i, entry := range p.policy.Priorities {
			if first, again := names[entry.Name]; again && entry.Argument == nil {
				p.Report(diag.Path{"priorities"}.Index(i).Child("name"), "take one of the two out",
					"priorities[%d] is %q already; the weight that counts is %d, the last one", first, entry.Name, entry.Weight)
			}
			names[entry.Name] = i
		}
	},
}, {
	ID:      "policy-weight-range",
	Summary: "the weight of a priority is not positive, or too large",
	Doc:     "A weight is at least 1 and less than a tenth of the largest 64-bit number. What of it counts is the lower 32 bits.",
	Check: func(p *Pass) {
		for i, entry := range p.policy.Priorities {
			path := diag.Path{"priorities"}.Index(i).Child("weight")
			if entry.Weight == 0 && p.doc.Has(path) && !isNumber(p.doc, path) {
				continue // that it is none has been said
			}
			if entry.Weight <= 0 || entry.Weight >= math.MaxInt64/10 {
				p.Report(path, "write a weight of 1 or more", "the weight of %q is %d", entry.Name, entry.Weight)
			}
		}
	},
}, {
	ID:        "policy-weight-cut",
	Summary:   "the weight of a priority has more than 31 bits",
	Doc:       "Since 1.17 the weight of a priority becomes that of a plugin, which has 32 bits; the others are cut off.",
	Otherwise: diag.Warning,
	Check: func(p *Pass) {
		facts, _ := p.Scheme.Release.Policy()
		for i, entry := range p.policy.Priorities {
			if facts.Behaviour.Runs != "native" && entry.Weight > math.MaxInt32 && entry.Weight < math.MaxInt64/10 {
				p.Report(diag.Path{"priorities"}.Index(i).Child("weight"), "write a smaller weight", "of the weight %d of %q the scheduler uses %d", entry.Weight, entry.Name, int32(entry.Weight))
			}
		}
	},
}, {
	ID:      "policy-weight-differs",
	Summary: "priorities with the same kind of argument have different weights",
	Doc:     "All priorities with labelPreference become one plugin, and so do those with serviceAntiAffinity; a plugin has one weight.",
	Check: func(p *Pass) {
		last := map[string]policyv1.PriorityPolicy{}
		for i, entry := range p.policy.Priorities {
			kind := ""
			switch {
			case entry.Argument == nil:
			case entry.Argument.LabelPreference != nil:
				kind = "labelPreference"
			case entry.Argument.ServiceAntiAffinity != nil:
				kind = "serviceAntiAffinity"
			}
			if kind == "" {
				continue
			}
			if before, ok := last[kind]; ok && before.Weight != entry.Weight {
				p.Report(diag.Path{"priorities"}.Index(i).Child("weight"), "give all of them one weight",
					"%q has weight %d, and %q, which has %s too, has %d", entry.Name, entry.Weight, before.Name, kind, before.Weight)
			}
			last[kind] = entry
		}
	},
}, {
	ID:      "policy-ratio-repeated",
	Summary: "two priorities have requestedToCapacityRatioArguments",
	Doc:     "There is one plugin RequestedToCapacityRatio, with one shape.",
	Check: func(p *Pass) {
		first := ""
		for i, entry := range p.policy.Priorities {
			a := entry.Argument
			if a == nil || a.RequestedToCapacityRatioArguments == nil || a.LabelPreference != nil || a.ServiceAntiAffinity != nil {
				continue
			}
			if first != "" {
				p.Report(diag.Path{"priorities"}.Index(i).Child("argument"), "keep one of them", "%q has requestedToCapacityRatioArguments already", first)
				continue
			}
			first = entry.Name
		}
	},
}, {
	ID:        "policy-ratio-resources",
	Summary:   "requestedToCapacityRatioArguments has no resources, so that it scores nothing",
	Doc:       "Up to 1.18 cpu and memory count where no resources are given. Since 1.19 none do: every node scores 0.",
	Otherwise: diag.Warning,
	Check: func(p *Pass) {
		facts, _ := p.Scheme.Release.Policy()
		for i, entry := range p.policy.Priorities {
			if a := entry.Argument; facts.Behaviour.RatioResources == "none" && a != nil && a.RequestedToCapacityRatioArguments != nil && len(a.RequestedToCapacityRatioArguments.Resources) == 0 {
				p.Report(diag.Path{"priorities"}.Index(i).Child("argument", "requestedToCapacityRatioArguments"), "add resources with their weights",
					"without resources %q gives every node the score 0 in Kubernetes %s", entry.Name, p.Scheme.Release.Name)
			}
		}
	},
}, {
	ID:        "policy-spread-weight",
	Summary:   "two priorities become PodTopologySpread, and the weight of one is lost",
	Doc:       "Since 1.20 SelectorSpreadPriority and EvenPodsSpreadPriority are the same plugin. The weight of EvenPodsSpreadPriority counts.",
	Otherwise: diag.Warning,
	Check: func(p *Pass) {
		var spread []scheme.PolicyEntry
		for _, entry := range p.builtPolicy.Priorities {
			if slices.Contains(entry.Plugins, "PodTopologySpread") && len(entry.Given) > 0 {
				spread = append(spread, entry)
			}
		}
		for i := 1; i < len(spread); i++ {
			if spread[i].Weight != spread[0].Weight {
				p.Report(spread[i].Given[0].Child("weight"), "give both the weight that you want", "the weight %d of %q does not count, since %q comes to the same plugin with weight %d",
					spread[i].Weight, spread[i].Name, spread[0].Name, spread[0].Weight)
			}
		}
	},
}, {
	ID:      "policy-hard-weight-range",
	Summary: "hardPodAffinitySymmetricWeight is not between 0 and 100",
	Doc:     "hardPodAffinitySymmetricWeight is 1 to 100. 0 is as good as none, and stands for 1.",
	Check: func(p *Pass) {
		if w := p.policy.HardPodAffinitySymmetricWeight; w < 0 || w > 100 {
			p.Report(diag.Path{"hardPodAffinitySymmetricWeight"}, "write a number from 1 to 100", "hardPodAffinitySymmetricWeight is %d", w)
		}
	},
}}

// isNumber reports whether a document has a whole number at a path.
func isNumber(doc *source.Document, path diag.Path) bool {
	value, _, err := scheme.ReadValue(doc.Bytes())
	for _, step := range path {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v) {
				return false
			}
			value = v[i]
		}
	}
	_, number := value.(json.Number)
	return err == nil && number
}

// checkPolicy judges a Policy as the release does that reads one.
func (c *Checker) checkPolicy(p *Pass, r *Result, repeated error) error {
	release := c.scheme.Release
	apiVersion, _, _ := scheme.TypeMeta(r.Value)
	facts, _ := release.Policy()
	if apiVersion == "" {
		apiVersion = release.Policies[0]
		p.API = release.PolicyAPI(apiVersion)
		if facts.Behaviour.UnknownKeys == "ignore" {
			p.enter(rulePolicyTypeless)
			p.Report(nil, "start with apiVersion: v1 and kind: Policy", "without apiVersion Kubernetes %s ignores everything in this Policy and runs the defaults", release.Name)
			r.Value = []byte("{}")
		} else if slices.ContainsFunc(p.doc.Keys(nil), func(key string) bool { return key != "kind" }) {
			p.enter(ruleAPIVersionMissing)
			p.Report(nil, "start with apiVersion: v1 and kind: Policy", "the Policy has no apiVersion, so that Kubernetes %s knows none of its keys", release.Name)
		}
	}
	api := release.PolicyAPI(apiVersion)
	if api == nil {
		p.API = release.PolicyAPI(release.Policies[0])
		p.enter(ruleAPIVersionUnknown)
		p.Report(diag.Path{"apiVersion"}, "write apiVersion: v1", "Kubernetes %s does not read a Policy of %q", release.Name, apiVersion)
		return nil
	}
	r.API, p.API = api, api
	decoded, err := c.scheme.DecodePolicy(r.Value, api)
	if err != nil {
		return err
	}
	reportMisfits(p, &scheme.Decoded{Misfits: decoded.Misfits, Refused: decoded.Refused})
	if repeated != nil {
		reportRepeated(p, repeated)
	}
	if decoded.Policy == nil {
		return nil
	}
	if n := max(len(decoded.Policy.Predicates), len(decoded.Policy.Priorities), len(decoded.Policy.Extenders)); n > maxEntries {
		p.enter(ruleTooLarge)
		p.Report(nil, "take out what was generated by mistake", "the Policy has lists of %d entries, more than %d are not judged", n, maxEntries)
		return nil
	}
	cfg, standard, err := c.scheme.Standard()
	if err != nil {
		return err
	}
	built, err := c.scheme.BuildPolicy(decoded.Policy, cfg, standard)
	if err != nil {
		return err
	}
	r.Policy = decoded.Policy
	p.policy, p.builtPolicy = decoded.Policy, built
	p.Config, p.Built = built.Loaded, &scheme.Built{Frameworks: built.Equivalent, Refusals: built.Refusals}
	for _, step := range c.plan(api) {
		p.rule, p.severity, p.stage = step.rule.ID, step.severity, step.stage
		step.rule.Check(p)
	}
	return nil
}

// judgesPolicies reports whether a rule is about policies, or enforced by the release for one.
func judgesPolicies(api *schemas.API, rule *Rule) bool {
	return api.Stage(rule.ID) != "" || isPolicyRule(rule)
}

func isPolicyRule(rule *Rule) bool {
	return slices.Contains(policyRuleIDs, rule.ID)
}

var policyRuleIDs = idsOf(policyRules)

// inPolicy leads to the place in a Policy that a place in the built profile comes from.
func (p *Pass) inPolicy(path diag.Path) diag.Path {
	if len(path) < 4 || path[0] != "profiles" || path[2] != "pluginConfig" {
		return path
	}
	for i, entry := range p.Config.Profiles[0].PluginConfig {
		if fmt.Sprint(i) != path[3] {
			continue
		}
		at := p.builtPolicy.EntryOf(entry.Name)
		if entry.Name == ratio && len(path) > 5 {
			return at.Child("argument", "requestedToCapacityRatioArguments").Child(path[5:]...)
		}
		return at.Child("argument")
	}
	return path
}
