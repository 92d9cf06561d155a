// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/utils/ptr"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
)

const wholeShapeDoc = "A shape maps utilization in percent (0-100, strictly increasing) to a score (0-10); it has at least one point."

var argsRules = []Rule{{
	ID:      "args-preemption-range",
	Summary: "a bound of DefaultPreemption is out of range",
	Doc:     "minCandidateNodesPercentage is 0-100, minCandidateNodesAbsolute is 0 or more.",
	Check: func(p *Pass) {
		eachArgs(p, "DefaultPreemption", func(path diag.Path, args *config.DefaultPreemptionArgs) {
			if n := ptr.Deref(args.MinCandidateNodesPercentage, 0); n < 0 || n > 100 {
				p.Report(path.Child("minCandidateNodesPercentage"), "write a number from 0 to 100", "minCandidateNodesPercentage is %d, which is not between 0 and 100", n)
			}
			if n := ptr.Deref(args.MinCandidateNodesAbsolute, 0); n < 0 {
				p.Report(path.Child("minCandidateNodesAbsolute"), "write 0 or more", "minCandidateNodesAbsolute is %d, which is negative", n)
			}
		})
	},
}, {
	ID:      "args-preemption-both-zero",
	Summary: "both bounds of DefaultPreemption are zero",
	Doc:     "Preemption looks at the larger of the two numbers of nodes, and at one at least.",
	Check: func(p *Pass) {
		eachArgs(p, "DefaultPreemption", func(path diag.Path, args *config.DefaultPreemptionArgs) {
			if ptr.Deref(args.MinCandidateNodesPercentage, 0) == 0 && ptr.Deref(args.MinCandidateNodesAbsolute, 0) == 0 {
				p.Report(path.Child("minCandidateNodesAbsolute"), "give one of the two a positive value", "minCandidateNodesPercentage and minCandidateNodesAbsolute are both 0")
			}
		})
	},
}, {
	ID:      "args-inter-pod-affinity-weight",
	Summary: "hardPodAffinityWeight is not between 0 and 100",
	Doc:     "hardPodAffinityWeight weighs the implied preference for nodes whose pods require the new pod near them.",
	Check: func(p *Pass) {
		eachArgs(p, "InterPodAffinity", func(path diag.Path, args *config.InterPodAffinityArgs) {
			if n := ptr.Deref(args.HardPodAffinityWeight, 0); n < 0 || n > 100 {
				p.Report(path.Child("hardPodAffinityWeight"), "write a number from 0 to 100", "hardPodAffinityWeight is %d, which is not between 0 and 100", n)
			}
		})
	},
}, {
	ID:      "args-node-affinity",
	Summary: "addedAffinity of NodeAffinity cannot be used",
	Doc:     "addedAffinity is a node affinity as in a pod: selector terms with keys, operators and values, and weights from 1 to 100 for preferences.",
	Check: func(p *Pass) {
		eachArgs(p, "NodeAffinity", func(path diag.Path, args *config.NodeAffinityArgs) {
			for _, e := range addedAffinity(args.AddedAffinity) {
				p.Report(append(path.Child(), diag.ParsePath(e.Field)...), "write it as in a pod's nodeAffinity", "%s", describe(e))
			}
		})
	},
}, {
	ID:      "args-node-label-conflict",
	Summary: "NodeLabel wants a label to be both present and absent",
	Doc:     "No node can have and lack a label at once.",
	Check: func(p *Pass) {
		eachArgs(p, "NodeLabel", func(path diag.Path, args *config.NodeLabelArgs) {
			reportOverlap(p, path, "presentLabels", args.PresentLabels, "absentLabels", args.AbsentLabels)
			reportOverlap(p, path, "presentLabelsPreference", args.PresentLabelsPreference, "absentLabelsPreference", args.AbsentLabelsPreference)
		})
	},
}, {
	ID:      "args-balanced-resources",
	Summary: "resources of NodeResourcesBalancedAllocation are named twice or weighed",
	Doc:     "Every resource counts alike when allocation is balanced: the weight has to be 1, and each resource is named once.",
	Check: func(p *Pass) {
		eachArgs(p, "NodeResourcesBalancedAllocation", func(path diag.Path, args *config.NodeResourcesBalancedAllocationArgs) {
			seen := map[string]bool{}
			for i, r := range args.Resources {
				item := path.Child("resources").Index(i)
				if seen[r.Name] {
					p.Report(item.Child("name"), "name each resource once", "resource %q is named twice", r.Name)
				}
				seen[r.Name] = true
				if r.Weight != 1 {
					p.Report(item.Child("weight"), "write 1, or leave the weight out", "the weight of %q is %d, only 1 is possible", r.Name, r.Weight)
				}
			}
		})
	},
}, {
	ID:      "args-fit-resource-name",
	Summary: "an ignored resource or resource group of NodeResourcesFit has no valid name",
	Doc:     "ignoredResources takes names such as example.com/gpu, ignoredResourceGroups the part in front of the slash.",
	Check: func(p *Pass) {
		eachArgs(p, fit, func(path diag.Path, args *config.NodeResourcesFitArgs) {
			for i, name := range args.IgnoredResources {
				if errs := qualified(name); len(errs) > 0 {
					p.Report(path.Child("ignoredResources").Index(i), "write it as in example.com/gpu", "%q is not a resource name: %s", name, errs[0])
				}
			}
			for i, name := range args.IgnoredResourceGroups {
				item := path.Child("ignoredResourceGroups").Index(i)
				if strings.Contains(name, "/") {
					p.Report(item, "write the part in front of the slash", "resource group %q contains a slash", name)
				} else if errs := qualified(name); len(errs) > 0 {
					p.Report(item, "write it as in example.com", "%q is not a resource group: %s", name, errs[0])
				}
			}
		})
	},
}, {
	ID:      "args-fit-strategy-type",
	Summary: "scoringStrategy.type of NodeResourcesFit is missing or unknown",
	Doc:     "The type is LeastAllocated, MostAllocated or RequestedToCapacityRatio. It has a default only when scoringStrategy is left out as a whole.",
	Check: eachStrategy(func(p *Pass, path diag.Path, s *config.ScoringStrategy) {
		switch s.Type {
		case "LeastAllocated", "MostAllocated", ratio:
		default:
			p.Report(path.Child("type"), "write LeastAllocated, MostAllocated or RequestedToCapacityRatio", "scoring strategy %q does not exist", s.Type)
			p.spelled(string(s.Type), []string{"LeastAllocated", "MostAllocated", ratio})
		}
	}),
}, {
	ID:      "args-fit-resource-weight",
	Summary: "a resource weight of NodeResourcesFit is not between 1 and 100",
	Doc:     "The weights of scoringStrategy.resources are 1-100; a missing one or 0 becomes 1.",
	Check: eachStrategy(func(p *Pass, path diag.Path, s *config.ScoringStrategy) {
		reportWeights(p, path.Child("resources"), s.Resources, 100)
	}),
}, {
	ID:      "args-fit-shape",
	Summary: "the shape of NodeResourcesFit's RequestedToCapacityRatio is not one",
	Doc:     wholeShapeDoc,
	Check: eachStrategy(func(p *Pass, path diag.Path, s *config.ScoringStrategy) {
		if s.RequestedToCapacityRatio != nil && len(s.RequestedToCapacityRatio.Shape) > 0 {
			reportShape(p, path.Child("requestedToCapacityRatio", "shape"), s.RequestedToCapacityRatio.Shape)
		}
	}),
}, {
	ID:        "args-fit-shape-empty",
	Summary:   "requestedToCapacityRatio of NodeResourcesFit has no shape",
	Doc:       wholeShapeDoc + " 1.22 takes an empty one and scores every node 0.",
	Otherwise: diag.Warning,
	Check: eachStrategy(func(p *Pass, path diag.Path, s *config.ScoringStrategy) {
		if s.RequestedToCapacityRatio != nil && len(s.RequestedToCapacityRatio.Shape) == 0 {
			p.Report(path.Child("requestedToCapacityRatio", "shape"), "give the shape at least one point", "the shape has no points")
		}
	}),
}, {
	ID:      "args-fit-ratio-missing",
	Summary: "scoringStrategy is RequestedToCapacityRatio without requestedToCapacityRatio",
	Doc:     "The strategy needs a shape. Until 1.35 kube-scheduler does not check it and crashes with a nil pointer when it builds the plugin.",
	Check: eachStrategy(func(p *Pass, path diag.Path, s *config.ScoringStrategy) {
		if s.Type == ratio && s.RequestedToCapacityRatio == nil {
			p.Report(path.Child("requestedToCapacityRatio"), "add requestedToCapacityRatio with a shape", "the strategy RequestedToCapacityRatio has no shape")
		}
	}),
}, {
	ID:        "args-fit-ratio-unused",
	Summary:   "requestedToCapacityRatio is given, but scoringStrategy.type is another",
	Doc:       "Since 1.36 that is refused; before, the shape was ignored.",
	Otherwise: diag.Warning,
	Check: eachStrategy(func(p *Pass, path diag.Path, s *config.ScoringStrategy) {
		if s.Type != ratio && s.RequestedToCapacityRatio != nil {
			p.Report(path.Child("requestedToCapacityRatio"), "take it out, or write type: RequestedToCapacityRatio", "requestedToCapacityRatio is given with the type %q, which has no use for it", s.Type)
		}
	}),
}, {
	ID:      "args-scorer-resource-weight",
	Summary: "a resource weight of NodeResourcesLeastAllocated or NodeResourcesMostAllocated is not between 1 and 100",
	Doc:     "The weights are 1-100, and unlike elsewhere 0 does not become 1.",
	Check: func(p *Pass) {
		eachArgs(p, "NodeResourcesLeastAllocated", func(path diag.Path, args *config.NodeResourcesLeastAllocatedArgs) {
			reportWeights(p, path.Child("resources"), args.Resources, 100)
		})
		eachArgs(p, "NodeResourcesMostAllocated", func(path diag.Path, args *config.NodeResourcesMostAllocatedArgs) {
			reportWeights(p, path.Child("resources"), args.Resources, 100)
		})
	},
}, {
	ID:      "args-ratio-shape",
	Summary: "the shape of the plugin RequestedToCapacityRatio is not one",
	Doc:     wholeShapeDoc,
	Check: func(p *Pass) {
		eachArgs(p, ratio, func(path diag.Path, args *config.RequestedToCapacityRatioArgs) {
			reportShape(p, path.Child("shape"), args.Shape)
		})
	},
}, {
	ID:      "args-ratio-resource-weight",
	Summary: "a resource weight of the plugin RequestedToCapacityRatio is not positive",
	Doc:     "The weights are 1 or more. In 1.22 a missing one becomes 1; before, it is refused.",
	Check: func(p *Pass) {
		eachArgs(p, ratio, func(path diag.Path, args *config.RequestedToCapacityRatioArgs) {
			for i, r := range args.Resources {
				// In 1.22 defaulting turns 0 into 1. Before, the plugin would, but refuses it first
				// (1.19 pkg/scheduler/apis/config/validation/validation_pluginargs.go, validateResourcesNoMax).
				if r.Weight < 1 {
					p.Report(path.Child("resources").Index(i).Child("weight"), "write 1 or more", "the weight of %q is %d", r.Name, r.Weight)
				}
			}
		})
	},
}, {
	ID:      "args-spread-defaulting-type",
	Summary: "defaultingType of PodTopologySpread is neither System nor List",
	Doc:     "System means the built-in constraints, List those in defaultConstraints.",
	Check: eachSpread(func(p *Pass, path diag.Path, args *config.PodTopologySpreadArgs) {
		if args.DefaultingType != "System" && args.DefaultingType != "List" {
			p.Report(path.Child("defaultingType"), "write System or List", "defaultingType %q does not exist", args.DefaultingType)
			p.spelled(string(args.DefaultingType), []string{"System", "List"})
		}
	}),
}, {
	ID:      "args-spread-system-constraints",
	Summary: "PodTopologySpread has defaultConstraints without defaultingType: List",
	Doc:     "defaultConstraints need defaultingType: List. Its default is System, except for v1beta1, which infers List.",
	Check: eachSpread(func(p *Pass, path diag.Path, args *config.PodTopologySpreadArgs) {
		if args.DefaultingType == "System" && len(args.DefaultConstraints) > 0 {
			p.Report(path.Child("defaultingType"), "add defaultingType: List", "defaultConstraints are given, but defaultingType is System")
		}
	}),
}, {
	ID:      "args-spread-constraint",
	Summary: "a default constraint of PodTopologySpread is not one",
	Doc:     "A default constraint has a positive maxSkew, a topologyKey that is a label name, whenUnsatisfiable, and no labelSelector: that comes from the pods.",
	Check: eachSpread(func(p *Pass, path diag.Path, args *config.PodTopologySpreadArgs) {
		for i, c := range args.DefaultConstraints {
			reportConstraint(p, path.Child("defaultConstraints").Index(i), c)
		}
	}),
}, {
	ID:      "args-spread-duplicate",
	Summary: "two default constraints of PodTopologySpread have the same topologyKey and whenUnsatisfiable",
	Doc:     "Such a pair of constraints would contradict or repeat each other.",
	Check: eachSpread(func(p *Pass, path diag.Path, args *config.PodTopologySpreadArgs) {
		type pair struct {
			key    string
			action corev1.UnsatisfiableConstraintAction
		}
		seen := map[pair]int{}
		for i, c := range args.DefaultConstraints {
			this := pair{c.TopologyKey, c.WhenUnsatisfiable}
			if j, ok := seen[this]; ok {
				p.Report(path.Child("defaultConstraints").Index(i), "keep one of the two", "topologyKey and whenUnsatisfiable are those of constraint %d", j)
				continue
			}
			seen[this] = i
		}
	}),
}, {
	ID:      "args-volume-binding-timeout",
	Summary: "bindTimeoutSeconds of VolumeBinding is negative",
	Doc:     "bindTimeoutSeconds is how long binding waits for volumes; 0 does not wait.",
	Check: eachBinding(func(p *Pass, path diag.Path, args *config.VolumeBindingArgs) {
		if n := ptr.Deref(args.BindTimeoutSeconds, 0); n < 0 {
			p.Report(path.Child("bindTimeoutSeconds"), "write 0 or more, or leave the field out for 600", "bindTimeoutSeconds is %d, which is negative", n)
		}
	}),
}, {
	ID:      "args-volume-binding-timeout-zero",
	Summary: "bindTimeoutSeconds of VolumeBinding is 0, which 1.19 and 1.20 refuse",
	Doc:     "Since 1.21 a timeout of 0 is possible.",
	Check: eachBinding(func(p *Pass, path diag.Path, args *config.VolumeBindingArgs) {
		if n := args.BindTimeoutSeconds; n != nil && *n == 0 {
			p.Report(path.Child("bindTimeoutSeconds"), "write a positive number", "bindTimeoutSeconds is 0, which this release refuses")
		}
	}),
}, {
	ID:      "args-volume-binding-shape-gate",
	Summary: "VolumeBinding has a shape while its feature gate is off",
	Doc:     "shape needs the gate VolumeCapacityPriority until 1.32 and StorageCapacityScoring since 1.33, which is on since 1.37.",
	Check: eachBinding(func(p *Pass, path diag.Path, args *config.VolumeBindingArgs) {
		if gate := shapeGate(p); len(args.Shape) > 0 && !p.Scheme.Gates[gate] {
			p.Report(path.Child("shape"), "take the shape out, or switch the gate on with --feature-gates "+gate+"=true",
				"shape needs the feature gate %s, which is off", gate)
		}
	}),
}, {
	ID:      "args-volume-binding-shape",
	Summary: "the shape of VolumeBinding is not one",
	Doc:     wholeShapeDoc,
	Check: eachBinding(func(p *Pass, path diag.Path, args *config.VolumeBindingArgs) {
		if p.Scheme.Gates[shapeGate(p)] {
			reportShape(p, path.Child("shape"), args.Shape)
		}
	}),
}, {
	ID:      "args-dynamic-resources-timeout",
	Summary: "a timeout of DynamicResources is out of range",
	Doc:     "filterTimeout is 0 or more, where 0 means no limit; bindingTimeout is at least one second.",
	Check: func(p *Pass) {
		eachArgs(p, "DynamicResources", func(path diag.Path, args *config.DynamicResourcesArgs) {
			if d := args.FilterTimeout; d != nil && p.Scheme.Gates["DRASchedulerFilterTimeout"] && d.Duration < 0 {
				p.Report(path.Child("filterTimeout"), "write 0s or more", "filterTimeout is %s, which is negative", d.Duration)
			}
			if d := args.BindingTimeout; d != nil && bindingTimeoutGates(p) && d.Duration < time.Second {
				p.Report(path.Child("bindingTimeout"), "write 1s or more", "bindingTimeout is %s, which is below one second", d.Duration)
			}
		})
	},
}, {
	ID:      "args-dynamic-resources-gate",
	Summary: "a timeout of DynamicResources is given while its feature gate is off",
	Doc:     "filterTimeout needs DRASchedulerFilterTimeout; bindingTimeout needs DRADeviceBindingConditions and DRAResourceClaimDeviceStatus.",
	Check: func(p *Pass) {
		eachArgs(p, "DynamicResources", func(path diag.Path, args *config.DynamicResourcesArgs) {
			if args.FilterTimeout != nil && !p.Scheme.Gates["DRASchedulerFilterTimeout"] {
				p.Report(path.Child("filterTimeout"), "take it out, or switch DRASchedulerFilterTimeout on", "filterTimeout needs the feature gate DRASchedulerFilterTimeout, which is off")
			}
			if args.BindingTimeout != nil && !bindingTimeoutGates(p) {
				p.Report(path.Child("bindingTimeout"), "take it out, or switch both gates on",
					"bindingTimeout needs the feature gates DRADeviceBindingConditions and DRAResourceClaimDeviceStatus, which are not both on")
			}
		})
	},
}}

const (
	fit   = "NodeResourcesFit"
	ratio = "RequestedToCapacityRatio"
)

func eachStrategy(check func(*Pass, diag.Path, *config.ScoringStrategy)) func(*Pass) {
	return func(p *Pass) {
		eachArgs(p, fit, func(path diag.Path, args *config.NodeResourcesFitArgs) {
			if args.ScoringStrategy != nil {
				check(p, path.Child("scoringStrategy"), args.ScoringStrategy)
			}
		})
	}
}

func eachSpread(check func(*Pass, diag.Path, *config.PodTopologySpreadArgs)) func(*Pass) {
	return func(p *Pass) {
		eachArgs(p, "PodTopologySpread", func(path diag.Path, args *config.PodTopologySpreadArgs) { check(p, path, args) })
	}
}

func eachBinding(check func(*Pass, diag.Path, *config.VolumeBindingArgs)) func(*Pass) {
	return func(p *Pass) {
		eachArgs(p, "VolumeBinding", func(path diag.Path, args *config.VolumeBindingArgs) { check(p, path, args) })
	}
}

func shapeGate(p *Pass) string { return scheme.ShapeGate(p.Scheme.Release) }

func bindingTimeoutGates(p *Pass) bool {
	return p.Scheme.Gates["DRADeviceBindingConditions"] && p.Scheme.Gates["DRAResourceClaimDeviceStatus"]
}

func reportWeights(p *Pass, path diag.Path, resources []config.ResourceSpec, most int64) {
	for i, r := range resources {
		if r.Weight <= 0 || r.Weight > most {
			p.Report(path.Index(i).Child("weight"), "write a number from 1 to 100", "the weight of %q is %d, which is not between 1 and %d", r.Name, r.Weight, most)
		}
	}
}

func reportShape(p *Pass, path diag.Path, shape []config.UtilizationShapePoint) {
	if len(shape) == 0 {
		p.Report(path, "give the shape at least one point", "the shape has no points")
	}
	for i, point := range shape {
		item := path.Index(i)
		if i > 0 && point.Utilization <= shape[i-1].Utilization {
			p.Report(item.Child("utilization"), "sort the points by utilization, each once", "utilization %d does not come after %d", point.Utilization, shape[i-1].Utilization)
		}
		if point.Utilization < 0 || point.Utilization > 100 {
			p.Report(item.Child("utilization"), "write a number from 0 to 100", "utilization is %d, which is not between 0 and 100", point.Utilization)
		}
		if point.Score < 0 || point.Score > 10 {
			p.Report(item.Child("score"), "write a number from 0 to 10", "score is %d, which is not between 0 and 10", point.Score)
		}
	}
}

func reportConstraint(p *Pass, path diag.Path, c corev1.TopologySpreadConstraint) {
	if c.MaxSkew <= 0 {
		p.Report(path.Child("maxSkew"), "write 1 or more", "maxSkew is %d, which is not positive", c.MaxSkew)
	}
	if c.TopologyKey == "" {
		p.Report(path.Child("topologyKey"), "write a node label such as topology.kubernetes.io/zone", "topologyKey is empty")
	} else if errs := qualified(c.TopologyKey); len(errs) > 0 {
		p.Report(path.Child("topologyKey"), "write a node label such as topology.kubernetes.io/zone", "%q is not a label name: %s", c.TopologyKey, errs[0])
	}
	switch c.WhenUnsatisfiable {
	case corev1.DoNotSchedule, corev1.ScheduleAnyway:
	default:
		p.Report(path.Child("whenUnsatisfiable"), "write DoNotSchedule or ScheduleAnyway", "whenUnsatisfiable is %q", c.WhenUnsatisfiable)
		p.spelled(string(c.WhenUnsatisfiable), []string{string(corev1.DoNotSchedule), string(corev1.ScheduleAnyway)})
	}
	if c.LabelSelector != nil {
		p.Report(path.Child("labelSelector"), "take the selector out; it is deduced for each pod", "a default constraint has a labelSelector")
	}
}

func reportOverlap(p *Pass, path diag.Path, presentName string, present []string, absentName string, absent []string) {
	for i, label := range present {
		for _, other := range absent {
			if label == other {
				p.Report(path.Child(presentName).Index(i), "take the label out of one of the two lists", "label %q stands in %s too", label, absentName)
			}
		}
	}
}

// addedAffinity checks a node affinity with the code that kube-scheduler uses for it.
func addedAffinity(affinity *corev1.NodeAffinity) []*field.Error {
	if affinity == nil {
		return nil
	}
	var list []*field.Error
	collect := func(err error) {
		if err == nil {
			return
		}
		type many interface{ Errors() []error }
		errs := []error{err}
		if m, ok := err.(many); ok {
			errs = m.Errors()
		}
		for _, err := range errs {
			if e, ok := err.(*field.Error); ok {
				list = append(list, e)
			} else {
				list = append(list, field.Invalid(field.NewPath("addedAffinity"), "", err.Error()))
			}
		}
	}
	path := field.NewPath("addedAffinity")
	if required := affinity.RequiredDuringSchedulingIgnoredDuringExecution; required != nil {
		_, err := nodeaffinity.NewNodeSelector(required, field.WithPath(path.Child("requiredDuringSchedulingIgnoredDuringExecution")))
		collect(err)
	}
	if preferred := affinity.PreferredDuringSchedulingIgnoredDuringExecution; len(preferred) > 0 {
		_, err := nodeaffinity.NewPreferredSchedulingTerms(preferred, field.WithPath(path.Child("preferredDuringSchedulingIgnoredDuringExecution")))
		collect(err)
	}
	return list
}

// describe says in few words what is wrong with a field of a node affinity, without whole objects.
func describe(e *field.Error) string {
	name := e.Field[strings.LastIndexByte(e.Field, '.')+1:]
	switch e.Type {
	case field.ErrorTypeRequired:
		return name + " is missing"
	case field.ErrorTypeNotSupported:
		return name + " has a value that does not exist"
	case field.ErrorTypeForbidden:
		return name + " cannot be given here"
	}
	switch value := e.BadValue.(type) {
	case int32, int64, int:
		return fmt.Sprintf("%s is %d, which is not possible", name, value)
	case string:
		if name == "key" || name == "operator" {
			return fmt.Sprintf("%s %q is not one", name, value)
		}
	}
	return name + " has a value that is not possible"
}
