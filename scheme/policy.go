// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package scheme

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	kjson "sigs.k8s.io/json"

	conversionv1alpha2 "github.com/schedconf/schedconf/conversion/v1alpha2"
	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/policyv1"
)

// PolicyKind is the kind of a legacy description of the algorithm.
const PolicyKind = "Policy"

// The rules of refusals that a Policy alone brings up.
const (
	RulePolicyNameUnknown     = "policy-name-unknown"
	RulePolicyNameSyntax      = "policy-name-syntax"
	RulePolicyArgumentCount   = "policy-argument-count"
	RulePolicyArgumentMissing = "policy-argument-missing"
)

// DecodedPolicy is what came of decoding a Policy.
type DecodedPolicy struct {
	// Policy is the document without the parts that are in Misfits; nil where it cannot be read.
	Policy  *policyv1.Policy
	Misfits []Misfit
	// Refused is what the typed decoder objects to beyond the misfits; nil is the rule.
	Refused error
}

// DecodePolicy reads a JSON value as the Policy that api describes, see schemas.Release.PolicyAPI. An
// error is a fault in the embedded facts.
func (s *Scheme) DecodePolicy(value []byte, api *schemas.API) (*DecodedPolicy, error) {
	shape, err := s.policyShape()
	if err != nil {
		return nil, err
	}
	d := &DecodedPolicy{Misfits: shape.Fit(value)}
	if len(d.Misfits) > 0 {
		// Unknown keys go as well: Kubernetes 1.16 heeds the case of an extender's keys, and the type here
		// does not.
		if value, err = cut(value, d.Misfits, UnknownField, WrongType, WrongKind); err != nil {
			return nil, err
		}
	}
	policy := &policyv1.Policy{}
	strict, err := kjson.UnmarshalStrict(value, policy)
	switch {
	case err != nil:
		d.Refused = err
		return d, nil
	case len(strict) > 0 && len(d.Misfits) == 0:
		d.Refused = errors.Join(strict...)
	}
	d.Policy = policy
	return d, nil
}

// policyShape is that of every apiVersion of a Policy: they differ in name alone.
func (s *Scheme) policyShape() (*Shape, error) {
	if shape, ok := s.shapes[PolicyKind]; ok {
		return shape, nil
	}
	data, err := s.Release.Schema("v1", PolicyKind)
	if err != nil {
		return nil, err
	}
	shape, err := parseShape(data)
	if err != nil {
		return nil, fmt.Errorf("Policy of Kubernetes %s: %w", s.Release.Name, err)
	}
	s.shapes[PolicyKind] = shape
	return shape, nil
}

// IsPolicy reports whether a JSON value is a Policy: by its kind, or without one by lists that nothing
// else has.
func IsPolicy(value []byte) bool {
	_, kind, err := TypeMeta(value)
	if err != nil || kind != "" {
		return err == nil && kind == PolicyKind
	}
	var lists struct {
		Predicates json.RawMessage `json:"predicates"`
		Priorities json.RawMessage `json:"priorities"`
	}
	return kjson.UnmarshalCaseSensitivePreserveInts(value, &lists) == nil && len(lists.Predicates)+len(lists.Priorities) > 0
}

// Standard is the configuration that the release starts with when it gets none.
func (s *Scheme) Standard() (*config.KubeSchedulerConfiguration, *schemas.API, error) {
	api := &s.Release.APIs[0]
	decoded, err := s.Decode(fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q}`, api.APIVersion, api.Kind), api)
	if err != nil {
		return nil, nil, err
	}
	cfg, err := s.Load(decoded.Object, api)
	return cfg, api, err
}

// BuiltPolicy is what a release makes of a Policy.
type BuiltPolicy struct {
	// Loaded is the configuration with the plugins, the args and the extenders of the Policy.
	Loaded *config.KubeSchedulerConfiguration
	// Built is the profile that the release builds. One that runs predicates and priorities itself
	// builds none of them.
	*Built
	// Equivalent are the profiles as plugins, with those that did the same later for what the release
	// runs itself.
	Equivalent []Framework
	// Predicates and Priorities are what runs, in running order.
	Predicates, Priorities []PolicyEntry
	// IgnoredArguments are the paths of arguments that do not count, since the name of their entry
	// does.
	IgnoredArguments []diag.Path

	pluginEntries map[string]diag.Path
}

// PolicyEntry is a predicate or a priority that runs.
type PolicyEntry struct {
	// Name is the one that counts: that of the entry, or the one for all with its kind of argument.
	Name string
	// Weight is that of a priority. It is multiplied where entries share a plugin.
	Weight int64
	// Given are the paths of the entries of the Policy that it comes from; none for a default.
	Given []diag.Path
	// Mandatory ones run although the Policy has its own list without them.
	Mandatory bool
	// Native ones are run by the release itself.
	Native bool
	// Plugins are those that it comes to, or that did the same later, without repetition.
	Plugins []string

	fact *schemas.PolicyName
}

// EntryOf leads to the entry of the Policy that a plugin comes from; to the list of predicates for one
// that nobody asked for.
func (b *BuiltPolicy) EntryOf(plugin string) diag.Path {
	if path, ok := b.pluginEntries[plugin]; ok {
		return path
	}
	return diag.Path{"predicates"}
}

// BuildPolicy does what the release does with a Policy beside a configuration, of which everything but
// plugins and extenders counts. It goes on after a refusal, so that all are found. The paths of refusals
// are those of the Policy.
func (s *Scheme) BuildPolicy(policy *policyv1.Policy, cfg *config.KubeSchedulerConfiguration, api *schemas.API) (*BuiltPolicy, error) {
	facts, ok := s.Release.Policy()
	if !ok {
		return nil, fmt.Errorf("Kubernetes %s reads no Policy", s.Release.Name)
	}
	b := &policyBuilder{scheme: s, facts: facts, policy: policy, out: &BuiltPolicy{pluginEntries: map[string]diag.Path{}}, args: map[string]runtime.Object{}, ready: map[string]bool{}}
	b.predicates()
	b.priorities()
	b.requireArgs()
	loaded := cfg.DeepCopy()
	loaded.Extenders = hubExtenders(policy.Extenders)
	loaded.AlgorithmSource = config.AlgorithmSource{}
	for i := range loaded.Profiles {
		b.beside(loaded.Profiles[i], diag.Path{"profiles"}.Index(i))
	}
	switch {
	case facts.Behaviour.Beside == "single" || len(loaded.Profiles) == 0:
		loaded.Profiles = []config.KubeSchedulerProfile{{SchedulerName: ptr.To("default-scheduler")}}
	case facts.Behaviour.Runs != "plugins":
		loaded.Profiles = loaded.Profiles[:1]
	}
	plugins := b.plugins(repeats[facts.Behaviour.Repeated], func(e *PolicyEntry) bool { return !e.Native })
	for i := range loaded.Profiles {
		own := &loaded.Profiles[i]
		if facts.Behaviour.Beside == "kept" {
			own.Plugins = joined(plugins, own.Plugins)
			own.PluginConfig = append(b.pluginConfig(nil), own.PluginConfig...)
			continue
		}
		own.Plugins = plugins
		own.PluginConfig = b.pluginConfig(plugins)
	}
	b.out.Loaded = loaded
	b.out.Built = s.buildProfiles(loaded, api, facts.Behaviour.AbsentArgs == "default")
	for i := range b.out.Built.Refusals {
		refusal := &b.out.Built.Refusals[i]
		if refusal.Plugin != "" {
			refusal.Path = b.out.EntryOf(refusal.Plugin)
		} else {
			refusal.Path = policyList(refusal.Path)
		}
	}
	b.out.Built.Refusals = append(b.refusals, b.out.Built.Refusals...)
	b.equivalent(api)
	return b.out, nil
}

// policyList leads to the list of a Policy that a point of a profile comes from.
func policyList(path diag.Path) diag.Path {
	if slices.Contains(path, string(config.Score)) {
		return diag.Path{"priorities"}
	}
	return diag.Path{"predicates"}
}

func hubExtenders(extenders []policyv1.Extender) []config.Extender {
	var list []config.Extender
	for i := range extenders {
		var hub config.Extender
		// The conversion copies fields, and has no way to fail.
		_ = conversionv1alpha2.Convert_policyv1_Extender_To_config_Extender(&extenders[i], &hub, nil)
		list = append(list, hub)
	}
	return list
}

type policyBuilder struct {
	scheme   *Scheme
	facts    *schemas.PolicyFacts
	policy   *policyv1.Policy
	out      *BuiltPolicy
	args     map[string]runtime.Object // by plugin, as far as arguments give them
	ready    map[string]bool           // plugins whose args a name has put into the profile
	refusals []Refusal
}

func (b *policyBuilder) refuse(rule string, path diag.Path, hint, format string, args ...any) {
	b.refusals = append(b.refusals, Refusal{Rule: rule, Path: path, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// beside refuses the plugins of a profile where the release does.
func (b *policyBuilder) beside(profile config.KubeSchedulerProfile, path diag.Path) {
	if b.facts.Behaviour.Beside == "refused" && (profile.Plugins != nil || len(profile.PluginConfig) > 0) {
		b.refuse(RulePolicyAndProfiles, path, "take one of the two out", "the profile has plugins or args, and there is a Policy")
	}
}

func (b *policyBuilder) predicates() {
	if b.policy.Predicates == nil {
		for _, d := range b.facts.DefaultPredicates {
			if fact, ok := b.facts.Predicate(d.Name, b.scheme.Gates); ok && b.scheme.Gates.Match(d.Gates) {
				b.out.Predicates = append(b.out.Predicates, PolicyEntry{Name: d.Name, fact: fact})
			}
		}
	}
	for i, p := range b.policy.Predicates {
		path := diag.Path{"predicates"}.Index(i)
		var kinds []string
		if p.Argument != nil {
			kinds = namesOf(map[string]bool{"serviceAffinity": p.Argument.ServiceAffinity != nil, "labelsPresence": p.Argument.LabelsPresence != nil})
		}
		fact, custom := b.resolve("predicate", p.Name, p.Argument != nil, kinds, path, b.facts.Predicates)
		if fact == nil {
			continue
		}
		if custom {
			switch kinds[0] {
			case "serviceAffinity":
				args := argsOf[config.ServiceAffinityArgs](b, "ServiceAffinity")
				args.AffinityLabels = append(args.AffinityLabels, p.Argument.ServiceAffinity.Labels...)
			case "labelsPresence":
				args, labels := argsOf[config.NodeLabelArgs](b, "NodeLabel"), p.Argument.LabelsPresence
				if labels.Presence {
					args.PresentLabels = append(args.PresentLabels, labels.Labels...)
				} else {
					args.AbsentLabels = append(args.AbsentLabels, labels.Labels...)
				}
			}
		}
		b.out.Predicates = b.add(b.out.Predicates, PolicyEntry{Name: b.nameOf(fact, p.Name, custom), Given: []diag.Path{path}, fact: fact})
	}
	for _, d := range b.facts.Mandatory {
		if fact, ok := b.facts.Predicate(d.Name, b.scheme.Gates); ok && b.scheme.Gates.Match(d.Gates) {
			b.out.Predicates = b.add(b.out.Predicates, PolicyEntry{Name: d.Name, Mandatory: true, fact: fact})
		}
	}
	rank := func(e PolicyEntry) int {
		if i := slices.Index(b.facts.Order, e.fact.Name); i >= 0 {
			return i
		}
		return len(b.facts.Order)
	}
	slices.SortStableFunc(b.out.Predicates, func(x, y PolicyEntry) int {
		return cmp.Or(cmp.Compare(rank(x), rank(y)), strings.Compare(x.Name, y.Name))
	})
	b.complete(b.out.Predicates)
}

func (b *policyBuilder) priorities() {
	if b.policy.Priorities == nil {
		for _, d := range b.facts.DefaultPriorities {
			if fact, ok := b.facts.Priority(d.Name, b.scheme.Gates); ok && b.scheme.Gates.Match(d.Gates) {
				b.out.Priorities = append(b.out.Priorities, PolicyEntry{Name: d.Name, Weight: d.Weight, fact: fact})
			}
		}
	}
	for i, p := range b.policy.Priorities {
		path := diag.Path{"priorities"}.Index(i)
		if fact, ok := b.facts.Priority(p.Name, b.scheme.Gates); ok && fact.NoEffect && (p.Argument == nil || b.facts.Behaviour.Runs != "native") {
			continue
		}
		var kinds []string
		if p.Argument != nil {
			kinds = namesOf(map[string]bool{
				"serviceAntiAffinity": p.Argument.ServiceAntiAffinity != nil, "labelPreference": p.Argument.LabelPreference != nil,
				"requestedToCapacityRatioArguments": p.Argument.RequestedToCapacityRatioArguments != nil,
			})
		}
		fact, custom := b.resolve("priority", p.Name, p.Argument != nil, kinds, path, b.facts.Priorities)
		if fact == nil || fact.NoEffect {
			continue
		}
		entry := PolicyEntry{Name: b.nameOf(fact, p.Name, custom), Weight: p.Weight, Given: []diag.Path{path}, fact: fact}
		if custom {
			b.priorityArgs(p, kinds[0])
			if b.facts.Behaviour.SharedWeight == "sum" && kinds[0] != "requestedToCapacityRatioArguments" {
				if at := slices.IndexFunc(b.out.Priorities, func(e PolicyEntry) bool { return e.Name == entry.Name }); at >= 0 {
					entry.Weight += b.out.Priorities[at].Weight
				}
			}
		}
		b.out.Priorities = b.add(b.out.Priorities, entry)
	}
	slices.SortStableFunc(b.out.Priorities, func(x, y PolicyEntry) int { return strings.Compare(x.Name, y.Name) })
	b.complete(b.out.Priorities)
}

func (b *policyBuilder) priorityArgs(p policyv1.PriorityPolicy, kind string) {
	switch kind {
	case "serviceAntiAffinity":
		args := argsOf[config.ServiceAffinityArgs](b, "ServiceAffinity")
		args.AntiAffinityLabelsPreference = append(args.AntiAffinityLabelsPreference, p.Argument.ServiceAntiAffinity.Label)
	case "labelPreference":
		args, label := argsOf[config.NodeLabelArgs](b, "NodeLabel"), p.Argument.LabelPreference
		if label.Presence {
			args.PresentLabelsPreference = append(args.PresentLabelsPreference, label.Label)
		} else {
			args.AbsentLabelsPreference = append(args.AbsentLabelsPreference, label.Label)
		}
	case "requestedToCapacityRatioArguments":
		given, args := p.Argument.RequestedToCapacityRatioArguments, &config.RequestedToCapacityRatioArgs{Resources: []config.ResourceSpec{}}
		for _, point := range given.Shape {
			args.Shape = append(args.Shape, config.UtilizationShapePoint(point))
		}
		for _, resource := range given.Resources {
			if resource.Weight == 0 && b.facts.Behaviour.RatioResources == "default" {
				resource.Weight = 1
			}
			args.Resources = append(args.Resources, config.ResourceSpec(resource))
		}
		if len(given.Resources) == 0 && b.facts.Behaviour.RatioResources == "default" {
			args.Resources = slices.Clone(cpuAndMemory)
		}
		b.args["RequestedToCapacityRatio"] = args
	}
}

// argsOf are the args that the arguments of all entries add to.
func argsOf[T any, P interface {
	*T
	runtime.Object
}](b *policyBuilder, plugin string) P {
	args, ok := b.args[plugin].(P)
	if !ok {
		args = P(new(T))
		b.args[plugin] = args
	}
	return args
}

func namesOf(set map[string]bool) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if set[name] {
			names = append(names, name)
		}
	}
	return names
}

// customName is what a name has to look like where names of entries with arguments are kept
// (1.16 pkg/scheduler/factory/plugins.go, validateAlgorithmNameOrDie).
var customName = regexp.MustCompile(`^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])$`)

// resolve says what an entry means, and whether its argument does. It is nothing for an entry that the
// release refuses.
func (b *policyBuilder) resolve(what, name string, hasArgument bool, kinds []string, path diag.Path, list []schemas.PolicyName) (fact *schemas.PolicyName, custom bool) {
	if hasArgument && len(kinds) != 1 {
		b.refuse(RulePolicyArgumentCount, path.Child("argument"), "keep one argument, and give each of the others an entry of its own",
			"the %s %q has %d arguments; exactly one is possible", what, name, len(kinds))
		return nil, false
	}
	known, ok := b.facts.Predicate(name, b.scheme.Gates)
	if what == "priority" {
		known, ok = b.facts.Priority(name, b.scheme.Gates)
	}
	ok = ok && !known.Unnamed
	if ok && (!hasArgument || b.facts.Behaviour.KnownName == "name") {
		if hasArgument {
			b.out.IgnoredArguments = append(b.out.IgnoredArguments, path.Child("argument"))
		}
		return known, false
	}
	if !hasArgument {
		b.refuse(RulePolicyNameUnknown, path.Child("name"), b.nameHint(name, list), "Kubernetes %s has no %s %q", b.scheme.Release.Name, what, name)
		return nil, false
	}
	if b.facts.Behaviour.CustomNames == "kept" && !customName.MatchString(name) {
		b.refuse(RulePolicyNameSyntax, path.Child("name"), "use two or more letters, digits and dashes, with none of the latter at the ends",
			"Kubernetes %s refuses the name %q", b.scheme.Release.Name, name)
		return nil, false
	}
	i := slices.IndexFunc(list, func(n schemas.PolicyName) bool { return n.Argument == kinds[0] })
	return &list[i], true
}

// nameHint says what to write instead of an unknown name, or which releases know it.
func (b *policyBuilder) nameHint(name string, list []schemas.PolicyName) string {
	if instead, ok := replacedNames[name]; ok {
		return instead
	}
	if span, ok := schemas.PolicySpan(name); ok {
		return fmt.Sprintf("it is known %s", span)
	}
	var known []string
	for _, n := range list {
		if !n.Unnamed && b.scheme.Gates.Match(n.Gates) {
			known = append(known, n.Name)
		}
	}
	if near, ok := Nearest(name, known); ok {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "a name of your own needs an argument; known names are " + strings.Join(slices.Compact(known), ", ")
}

// replacedNames say what does the work of names that are gone.
var replacedNames = map[string]string{
	"CheckNodeCondition":                         "it was dropped in 1.17, and by the gate TaintNodesByCondition before: taints of the node and PodToleratesNodeTaints replace it",
	"CheckNodeMemoryPressure":                    "it was dropped in 1.17, and by the gate TaintNodesByCondition before: taints of the node and PodToleratesNodeTaints replace it",
	"CheckNodeDiskPressure":                      "it was dropped in 1.17, and by the gate TaintNodesByCondition before: taints of the node and PodToleratesNodeTaints replace it",
	"CheckNodePIDPressure":                       "it was dropped in 1.17, and by the gate TaintNodesByCondition before: taints of the node and PodToleratesNodeTaints replace it",
	"PodToleratesNodeNoExecuteTaints":            "PodToleratesNodeTaints heeds these taints as well",
	"NoVolumeNodeConflict":                       "CheckVolumeBinding replaced it in 1.11",
	"ImageLocality":                              `write "ImageLocalityPriority"`,
	"RequestedToCapacityRatioPriority":           "since 1.18 it needs an argument: requestedToCapacityRatioArguments",
	"ResourceLimitsPriority":                     "it needs the feature gate ResourceLimitsPriorityFunction, and was dropped in 1.19",
	"NodeLabelPriority":                          "give the entry an argument: labelPreference",
	"LabelsPresence":                             "give the entry an argument: labelsPresence",
	"ServiceAntiAffinityPriority":                "give the entry an argument: serviceAntiAffinity",
	"EvenPodsSpread":                             "it needs the feature gate EvenPodsSpread up to 1.18",
	"EvenPodsSpreadPriority":                     "it needs the feature gate EvenPodsSpread up to 1.18",
	"ClusterAutoscalerProvider":                  "this is a provider, which --algorithm-provider takes",
	"DefaultProvider":                            "this is a provider, which --algorithm-provider takes",
	"RequestedToCapacityRatioResourceAllocation": "give the entry an argument: requestedToCapacityRatioArguments",
}

func (b *policyBuilder) nameOf(fact *schemas.PolicyName, name string, custom bool) string {
	if custom && b.facts.Behaviour.CustomNames == "kept" {
		return name
	}
	return fact.Name
}

// add puts an entry into a list in which a name stands once: the last weight counts.
func (b *policyBuilder) add(list []PolicyEntry, entry PolicyEntry) []PolicyEntry {
	at := slices.IndexFunc(list, func(e PolicyEntry) bool { return e.Name == entry.Name })
	if at < 0 {
		return append(list, entry)
	}
	if entry.Mandatory {
		return list
	}
	list[at].Weight = entry.Weight
	list[at].Given = append(list[at].Given, entry.Given...)
	return list
}

// complete says what entries come to.
func (b *policyBuilder) complete(list []PolicyEntry) {
	for i := range list {
		e := &list[i]
		e.Native = e.fact.Native || b.facts.Behaviour.Runs == "native"
		for _, point := range slices.Sorted(maps.Keys(e.fact.Points)) {
			for _, plugin := range e.fact.Points[point] {
				if !slices.Contains(e.Plugins, plugin) {
					e.Plugins = append(e.Plugins, plugin)
				}
				if _, ok := b.out.pluginEntries[plugin]; len(e.Given) > 0 {
					// The last of several is the one that is too many.
					b.out.pluginEntries[plugin] = e.Given[len(e.Given)-1]
				} else if !ok {
					b.out.pluginEntries[plugin] = diag.Path{"predicates"}
				}
			}
		}
	}
}

// requireArgs refuses names whose plugin cannot start without args. Kubernetes 1.18 to 1.22 stop with a
// panic for some of them (framework/plugins/legacy_registry.go).
func (b *policyBuilder) requireArgs() {
	for _, e := range slices.Concat(b.out.Predicates, b.out.Priorities) {
		if !e.fact.ArgsRequired {
			continue
		}
		for _, plugin := range e.Plugins {
			if b.args[plugin] == nil {
				b.refuse(RulePolicyArgumentMissing, e.Given[0].Child("name"), "give the entry another name and the argument "+e.fact.Argument,
					"%q stands for all entries with the argument %s, and there is none", e.Name, e.fact.Argument)
			}
		}
	}
}

// repeats are the named ways to add a plugin to a point that has it already. They report whether they
// did without adding it again.
var repeats = map[string]func(had, added *config.Plugin) bool{
	"kept": func(*config.Plugin, *config.Plugin) bool { return false },
	"once": func(*config.Plugin, *config.Plugin) bool { return true },
}

// summed gives a plugin the weights of all that it stands for.
func summed(had, added *config.Plugin) bool {
	if had.Weight != nil && added.Weight != nil {
		had.Weight = ptr.To(*had.Weight + *added.Weight)
	}
	return true
}

// plugins are those that the entries come to, in running order.
func (b *policyBuilder) plugins(repeat func(had, added *config.Plugin) bool, counts func(*PolicyEntry) bool) config.Plugins {
	plugins := config.Plugins{}
	add := func(point, name string, weight *int32) {
		set, plugin := plugins[config.Point(point)], config.Plugin{Name: name, Weight: weight}
		if at := slices.IndexFunc(set.Enabled, named(name)); at >= 0 && repeat(&set.Enabled[at], &plugin) {
			return
		}
		set.Enabled = append(set.Enabled, plugin)
		plugins[config.Point(point)] = set
	}
	for point, names := range b.facts.Always {
		for _, name := range names {
			add(point, name, nil)
		}
	}
	for _, list := range [][]PolicyEntry{b.out.Predicates, b.out.Priorities} {
		for i := range list {
			if !counts(&list[i]) {
				continue
			}
			for point, names := range list[i].fact.Points {
				for _, name := range names {
					var weight *int32
					if point == string(config.Score) {
						// It is cut to 32 bits there (1.22 legacy_registry.go, AppendPriorityConfigs).
						weight = ptr.To(int32(list[i].Weight) * b.share(&list[i]))
					}
					add(point, name, weight)
				}
			}
		}
	}
	return plugins
}

// share is how many times the weight of an entry counts.
func (b *policyBuilder) share(e *PolicyEntry) int32 {
	if b.facts.Behaviour.SharedWeight != "product" {
		return 1
	}
	switch args := b.args[e.fact.Name].(type) {
	case *config.NodeLabelArgs:
		return int32(len(args.PresentLabelsPreference) + len(args.AbsentLabelsPreference))
	case *config.ServiceAffinityArgs:
		return int32(len(args.AntiAffinityLabelsPreference))
	}
	return 1
}

// pluginConfig are the args that the profile has; with plugins, those of all plugins that are in use
// where the release writes defaults.
func (b *policyBuilder) pluginConfig(plugins config.Plugins) []config.PluginConfig {
	args := map[string]runtime.Object{}
	for _, list := range [][]PolicyEntry{b.out.Predicates, b.out.Priorities} {
		for i := range list {
			b.entryArgs(&list[i], args)
		}
	}
	if b.facts.Behaviour.AbsentArgs == "written" {
		for _, set := range plugins {
			for _, plugin := range set.Enabled {
				if standard := b.scheme.defaultHubArgs(&b.scheme.Release.APIs[0], plugin.Name); args[plugin.Name] == nil && standard != nil {
					args[plugin.Name] = standard
				}
			}
		}
	}
	var entries []config.PluginConfig
	for _, name := range slices.Sorted(maps.Keys(args)) {
		entries = append(entries, config.PluginConfig{Name: name, Args: args[name]})
	}
	return entries
}

// entryArgs adds the args that a name brings with it.
func (b *policyBuilder) entryArgs(e *PolicyEntry, args map[string]runtime.Object) {
	for _, plugin := range e.Plugins {
		if given := b.args[plugin]; given != nil {
			args[plugin] = given
		}
	}
	for plugin, raw := range e.fact.Args {
		if b.args[plugin] == nil {
			args[plugin] = b.factArgs(plugin, raw)
		}
	}
	for plugin, raw := range e.fact.ArgsIfNone {
		if args[plugin] == nil {
			args[plugin] = b.factArgs(plugin, raw)
		}
	}
	if weight := b.policy.HardPodAffinitySymmetricWeight; e.fact.HardWeight != "" && weight != 0 {
		args[e.fact.HardWeight] = &config.InterPodAffinityArgs{HardPodAffinityWeight: &weight}
	}
}

func (b *policyBuilder) factArgs(plugin string, raw []byte) runtime.Object {
	args := config.NewArgs(plugin + "Args")
	if err := RawArgs(&runtime.Unknown{Raw: raw}, args); err != nil {
		panic(fmt.Sprintf("facts of Kubernetes %s: policy.json: args of %s: %v", b.scheme.Release.Name, plugin, err))
	}
	return args
}

// joined are the plugins of a Policy with those of a profile behind them.
func joined(first, second config.Plugins) config.Plugins {
	out := maps.Clone(first)
	for point, set := range second {
		mine := out[point]
		mine.Enabled = slices.Concat(mine.Enabled, set.Enabled)
		out[point] = mine
	}
	return out
}

// equivalent makes the profiles of plugins that do what the Policy says. Where the release builds them
// itself they are those.
func (b *policyBuilder) equivalent(api *schemas.API) {
	if b.facts.Behaviour.Runs == "plugins" {
		b.out.Equivalent = b.out.Built.Frameworks
		return
	}
	plugins := b.plugins(summed, func(*PolicyEntry) bool { return true })
	for _, own := range b.out.Built.profiles {
		f := Framework{SchedulerName: ptr.Deref(own.SchedulerName, ""), Points: map[config.Point][]config.Plugin{}, Used: map[string]bool{}, Args: map[string]runtime.Object{}}
		for point, set := range plugins {
			for _, plugin := range set.Enabled {
				if point == config.Score {
					plugin = weighed(plugin)
				}
				f.Points[point] = append(f.Points[point], plugin)
				f.Used[plugin.Name] = true
			}
		}
		for _, entry := range b.pluginConfig(nil) {
			if f.Used[entry.Name] {
				f.Args[entry.Name] = entry.Args
			}
		}
		b.out.Equivalent = append(b.out.Equivalent, f)
	}
}

// nativePoints are the points of a plugin at which a release that runs predicates and priorities itself
// did the same.
func (s *Scheme) nativePoints(plugin string) (pointSet, bool) {
	facts, ok := s.Release.Policy()
	if !ok || facts.Behaviour.Runs == "plugins" {
		return pointSet{}, false
	}
	var points []string
	for _, name := range slices.Concat(facts.Predicates, facts.Priorities) {
		for point, plugins := range name.Points {
			if s.Gates.Match(name.Gates) && slices.Contains(plugins, plugin) && !slices.Contains(points, point) {
				points = append(points, point)
			}
		}
	}
	return newPointSet(points), len(points) > 0
}

// autoscaler is the provider that fills nodes up instead of spreading over them.
const autoscaler = "ClusterAutoscalerProvider"

// providerPolicy is a Policy that says what an algorithm provider does.
func (s *Scheme) providerPolicy(provider string) *policyv1.Policy {
	policy := &policyv1.Policy{}
	if facts, ok := s.Release.Policy(); ok && provider == autoscaler {
		for _, d := range facts.DefaultPriorities {
			if !s.Gates.Match(d.Gates) {
				continue
			}
			if d.Name == "LeastRequestedPriority" {
				d.Name = "MostRequestedPriority"
			}
			policy.Priorities = append(policy.Priorities, policyv1.PriorityPolicy{Name: d.Name, Weight: d.Weight})
		}
	}
	return policy
}

// withProvider adds to built profiles, as plugins, what the provider of a configuration does where the
// release runs predicates and priorities itself.
func (s *Scheme) withProvider(cfg *config.KubeSchedulerConfiguration, api *schemas.API, frameworks []Framework) ([]Framework, error) {
	facts, ok := s.Release.Policy()
	if !ok || facts.Behaviour.Runs != "native" || cfg.AlgorithmSource.Policy != nil || len(frameworks) == 0 {
		return frameworks, nil
	}
	policy, err := s.BuildPolicy(s.providerPolicy(ptr.Deref(cfg.AlgorithmSource.Provider, "")), cfg, api)
	if err != nil {
		return nil, err
	}
	for i := range frameworks {
		f := policy.Equivalent[min(i, len(policy.Equivalent)-1)]
		f.SchedulerName = frameworks[i].SchedulerName
		for point, list := range frameworks[i].Points {
			f.Points[point] = append(f.Points[point], list...)
		}
		maps.Copy(f.Used, frameworks[i].Used)
		maps.Copy(f.Args, frameworks[i].Args)
		frameworks[i] = f
	}
	return frameworks, nil
}
