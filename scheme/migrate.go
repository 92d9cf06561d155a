// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package scheme

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/policyv1"
)

// Outcome says how well a part of the input is carried over.
type Outcome string

const (
	// Exact parts mean on the target what they meant.
	Exact Outcome = "exact"
	// Approximate parts come close; why says what can differ.
	Approximate Outcome = "approximate"
	// Dropped parts are gone; why says why nothing is lost by that.
	Dropped Outcome = "dropped"
	// Impossible parts cannot be said on the target; why says what to do instead.
	Impossible Outcome = "impossible"
)

// Item accounts for one part of the input.
type Item struct {
	// Path leads to the part in its document.
	Path diag.Path
	// Name is what the part is called there.
	Name    string
	Outcome Outcome
	// Becomes says what it is on the target; empty if it is nothing.
	Becomes string
	Why     string
}

// Migration is a Policy as a configuration of the target.
type Migration struct {
	// Object is the configuration, without defaults and without what the target does anyway.
	Object runtime.Object
	// Items account for everything in the Policy, in its order.
	Items []Item
	// Provider is the algorithm provider of the source release that does the same; empty if none does.
	Provider string
	// NotRun are the plugins that the target runs by default and that the result does not.
	NotRun []string
	// Changes are what has been said beside the Policy that is lost, moved or different.
	Changes diag.List
	// After are the profiles as the target builds them.
	After []Framework
}

// PolicyMigration asks for a Policy as a configuration.
type PolicyMigration struct {
	Policy *policyv1.Policy
	// Built is what the source release makes of it.
	Built *BuiltPolicy
	// Given is what is said beside the Policy, by a configuration or by flags, without defaults; nil
	// for a Policy alone. Beside is the same with the defaults of the source release.
	Given, Beside *config.KubeSchedulerConfiguration
	From, To      Side
	// WithDefaults adds what the target runs by default and the Policy does not run.
	WithDefaults bool
	// Preserve writes a Policy that equals a provider out, with its weights, instead of leaving it to
	// the defaults of the target.
	Preserve bool
}

// MigratePolicy makes a configuration of a Policy. One that equals the provider of its release becomes
// the default profile of the target, or its counterpart that packs. The Policy has to be one that the source release builds.
func MigratePolicy(m PolicyMigration) (*Migration, error) {
	source := m.Beside
	if source == nil {
		standard, _, err := m.To.Scheme.Standard()
		if err != nil {
			return nil, err
		}
		source = standard
	}
	source = source.DeepCopy()
	source.AlgorithmSource = config.AlgorithmSource{}
	given := &config.KubeSchedulerConfiguration{}
	if m.Given != nil {
		given = m.Given.DeepCopy()
	}
	given.AlgorithmSource = config.AlgorithmSource{}
	given.Extenders = hubExtenders(m.Policy.Extenders)
	source.Extenders = given.Extenders
	given.Profiles = profilesOf(given, m.Built.Loaded, m.Beside != nil)
	source.Profiles = slices.Clone(given.Profiles)
	out := &Migration{}
	equal, err := m.provider()
	if err != nil {
		return nil, err
	}
	out.Provider = equal
	frameworks := make([]Framework, len(given.Profiles))
	for i := range frameworks {
		frameworks[i] = m.framework(m.Built.Equivalent[min(i, len(m.Built.Equivalent)-1)])
		frameworks[i].SchedulerName = ptr.Deref(given.Profiles[i].SchedulerName, "default-scheduler")
	}
	leave := equal != "" && !m.Preserve
	t := &translator{from: m.From, to: m.To, preserve: !leave, keepDefaults: m.WithDefaults, source: source, built: &Built{Frameworks: frameworks}}
	translation, err := t.translate(given)
	if err != nil {
		return nil, err
	}
	out.Changes = translation.Changes
	if leave && equal == autoscaler {
		if translation.Object, err = m.packing(given); err != nil {
			return nil, err
		}
	}
	if out.Object, _, err = Minimize(m.To, translation.Object); err != nil {
		return nil, err
	}
	_, built, err := m.To.effective(out.Object)
	if err != nil {
		return nil, err
	}
	out.After = built.Frameworks
	if out.NotRun, err = NotRun(m.To, built.Frameworks); err != nil {
		return nil, err
	}
	out.Items = m.account(t, built.Frameworks[0], leave)
	return out, nil
}

// profilesOf are the profiles that a Policy decides about, by name.
func profilesOf(given, loaded *config.KubeSchedulerConfiguration, named bool) []config.KubeSchedulerProfile {
	profiles := make([]config.KubeSchedulerProfile, max(1, len(given.Profiles)))
	for i := range profiles {
		if i < len(given.Profiles) {
			profiles[i].SchedulerName = given.Profiles[i].SchedulerName
		} else if named && i < len(loaded.Profiles) && ptr.Deref(loaded.Profiles[i].SchedulerName, "") != "default-scheduler" {
			profiles[i].SchedulerName = loaded.Profiles[i].SchedulerName
		}
	}
	return profiles
}

// provider names the provider of the source release that runs the same plugins.
func (m PolicyMigration) provider() (string, error) {
	if len(m.Policy.Extenders) > 0 || len(m.Built.Equivalent) == 0 {
		return "", nil
	}
	for _, name := range []string{"DefaultProvider", autoscaler} {
		if len(m.From.Scheme.Release.Providers) > 0 && !slices.Contains(m.From.Scheme.Release.Providers, name) {
			continue
		}
		frameworks, err := m.From.Scheme.providerFrameworks(name)
		if err != nil {
			return "", err
		}
		for _, f := range frameworks {
			if sameFramework(m.Built.Equivalent[0], f) {
				return name, nil
			}
		}
	}
	return "", nil
}

// providerFrameworks are the profile of a provider as plugins, as each apiVersion has it.
func (s *Scheme) providerFrameworks(provider string) ([]Framework, error) {
	facts, ok := s.Release.Policy()
	if native := ok && facts.Behaviour.Runs != "plugins"; native {
		standard, api, err := s.Standard()
		if err != nil {
			return nil, err
		}
		built, err := s.BuildPolicy(s.providerPolicy(provider), standard, api)
		if err != nil {
			return nil, err
		}
		return built.Equivalent, nil
	}
	var frameworks []Framework
	for i := range s.Release.APIs {
		api := &s.Release.APIs[i]
		obj, err := s.types.New(schema.FromAPIVersionAndKind(api.APIVersion, api.Kind))
		if err != nil {
			return nil, err
		}
		cfg, err := s.Load(obj, api)
		if err != nil {
			return nil, err
		}
		if provider == autoscaler && api.Behaviour.MergeAt != "construct" {
			continue // there is no such provider any more
		}
		cfg = cfg.DeepCopy()
		cfg.AlgorithmSource = config.AlgorithmSource{Provider: &provider}
		frameworks = append(frameworks, s.Build(cfg, api).Frameworks[0])
	}
	return frameworks, nil
}

// sameFramework compares what two profiles run and with which weights. The order does not matter, since
// no plugin depends on another.
func sameFramework(a, b Framework) bool {
	for _, pair := range [][2]Framework{{a, b}, {b, a}} {
		for point, list := range pair[0].Points {
			if point == config.PreFilter || point == config.PreScore {
				continue // these prepare what other points do
			}
			for _, plugin := range list {
				at := slices.IndexFunc(pair[1].Points[point], func(p config.Plugin) bool { return sameScorer(p.Name) == sameScorer(plugin.Name) })
				if at < 0 || !ptr.Equal(pair[1].Points[point][at].Weight, plugin.Weight) {
					return false
				}
			}
		}
	}
	for name, args := range a.Args {
		if other, ok := b.Args[name]; ok && !reflect.DeepEqual(plain(reflect.ValueOf(args).Elem()), plain(reflect.ValueOf(other).Elem())) {
			return false
		}
	}
	return true
}

// sameScorer is one name for a plugin that has another in another apiVersion of the same release (1.22).
func sameScorer(name string) string {
	if name == "NodeResourcesLeastAllocated" {
		return fitPlugin
	}
	return name
}

// packing is the default profile of the target with the scoring of ClusterAutoscalerProvider.
func (m PolicyMigration) packing(given *config.KubeSchedulerConfiguration) (runtime.Object, error) {
	hub := given.DeepCopy()
	for i := range hub.Profiles {
		setArgs(&hub.Profiles[i], fitPlugin, &config.NodeResourcesFitArgs{ScoringStrategy: &config.ScoringStrategy{
			Type: "MostAllocated", Resources: slices.Clone(cpuAndMemory),
		}})
	}
	obj, _, err := m.To.Scheme.FromHub(hub, m.To.API)
	return obj, err
}

// NotRun are the plugins that the defaults of a side run and one of the given profiles does not, sorted.
func NotRun(side Side, frameworks []Framework) ([]string, error) {
	standard, err := side.Scheme.unsaidProfile(side.API)
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range standard.framework.Used {
		if slices.ContainsFunc(frameworks, func(f Framework) bool { return !runsAnywhere(f, name) }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

func runsAnywhere(f Framework, name string) bool {
	for point := range f.Points {
		if runs(f, point, name) {
			return true
		}
	}
	return false
}

const (
	nodeLabel       = "NodeLabel"
	nodeAffinity    = "NodeAffinity"
	serviceAffinity = "ServiceAffinity"
	ratioPlugin     = "RequestedToCapacityRatio"
	volumeLimits    = "NodeVolumeLimits"
)

// framework is a profile with plugins in place of those that the target does not have, where others can
// do the same with args.
func (m PolicyMigration) framework(f Framework) Framework {
	out := Framework{SchedulerName: f.SchedulerName, Points: map[config.Point][]config.Plugin{}, Used: maps.Clone(f.Used), Args: maps.Clone(f.Args)}
	for point, list := range f.Points {
		out.Points[point] = slices.Clone(list)
	}
	if ratio, ok := f.Args[ratioPlugin].(*config.RequestedToCapacityRatioArgs); ok && len(ratio.Resources) == 0 && ratio.Resources != nil {
		out.Points[config.Score] = slices.DeleteFunc(out.Points[config.Score], named(ratioPlugin))
	}
	if labels, ok := f.Args[nodeLabel].(*config.NodeLabelArgs); ok && m.labelsAsAffinity() {
		addAffinity(out, labels)
	}
	return out
}

// labelsAsAffinity reports whether NodeAffinity of the target has to do the work of NodeLabel.
func (m PolicyMigration) labelsAsAffinity() bool {
	t := translator{from: m.From, to: m.To}
	return t.nameOf(nodeLabel) == "" && t.known(nodeAffinity, "AddedAffinity")
}

// addAffinity says with affinity that the profile adds to every pod what NodeLabel says with labels.
func addAffinity(f Framework, labels *config.NodeLabelArgs) {
	affinity := &corev1.NodeAffinity{}
	expressions := labelExpressions(labels.PresentLabels, labels.AbsentLabels)
	if len(expressions) > 0 {
		affinity.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: expressions}}}
	}
	for _, e := range labelExpressions(labels.PresentLabelsPreference, labels.AbsentLabelsPreference) {
		affinity.PreferredDuringSchedulingIgnoredDuringExecution = append(affinity.PreferredDuringSchedulingIgnoredDuringExecution, corev1.PreferredSchedulingTerm{
			Weight: 1, Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{e}},
		})
	}
	f.Args[nodeAffinity] = &config.NodeAffinityArgs{AddedAffinity: affinity}
	delete(f.Args, nodeLabel)
	for point, prepares := range map[config.Point]config.Point{config.Filter: config.PreFilter, config.Score: config.PreScore} {
		at := slices.IndexFunc(f.Points[point], named(nodeLabel))
		if at < 0 {
			continue
		}
		if runs(f, point, nodeAffinity) {
			f.Points[point] = slices.Delete(f.Points[point], at, at+1)
			continue
		}
		f.Points[point][at].Name = nodeAffinity
		if !runs(f, prepares, nodeAffinity) {
			f.Points[prepares] = append(f.Points[prepares], config.Plugin{Name: nodeAffinity})
		}
	}
	f.Used[nodeAffinity] = true
	delete(f.Used, nodeLabel)
}

func labelExpressions(present, absent []string) []corev1.NodeSelectorRequirement {
	var list []corev1.NodeSelectorRequirement
	for _, label := range present {
		list = append(list, corev1.NodeSelectorRequirement{Key: label, Operator: corev1.NodeSelectorOpExists})
	}
	for _, label := range absent {
		list = append(list, corev1.NodeSelectorRequirement{Key: label, Operator: corev1.NodeSelectorOpDoesNotExist})
	}
	return list
}

// account says what became of every part of the Policy.
func (m PolicyMigration) account(t *translator, after Framework, leave bool) []Item {
	a := accountant{PolicyMigration: m, translator: t, after: after, leave: leave}
	if m.Policy.Predicates == nil {
		a.standard("predicates", m.Built.Predicates)
	}
	for i, p := range m.Policy.Predicates {
		a.entry(diag.Path{"predicates"}.Index(i), p.Name, config.Filter, m.Built.Predicates)
	}
	for _, e := range m.Built.Predicates {
		if e.Mandatory {
			a.mandatory(e)
		}
	}
	if m.Policy.Priorities == nil {
		a.standard("priorities", m.Built.Priorities)
	}
	for i, p := range m.Policy.Priorities {
		a.entry(diag.Path{"priorities"}.Index(i), p.Name, config.Score, m.Built.Priorities)
	}
	for _, path := range m.Built.IgnoredArguments {
		a.items = append(a.items, Item{Path: path, Name: "argument", Outcome: Dropped, Why: fmt.Sprintf("Kubernetes %s ignored it, since it knows the name of the entry", m.From.Scheme.Release.Name)})
	}
	for i, e := range m.Policy.Extenders {
		path := diag.Path{"extenders"}.Index(i)
		a.items = append(a.items, Item{Path: path, Name: RedactURL(e.URLPrefix), Outcome: Exact, Becomes: path.String()})
	}
	a.rest()
	return a.items
}

type accountant struct {
	PolicyMigration
	translator *translator
	after      Framework
	leave      bool
	items      []Item
}

// standard accounts for a list that the Policy leaves out, so that the defaults run.
func (a *accountant) standard(list string, entries []PolicyEntry) {
	point := config.Filter
	if list == "priorities" {
		point = config.Score
	}
	item := Item{Path: diag.Path{list}, Name: list, Outcome: Exact, Becomes: fmt.Sprintf("the defaults of Kubernetes %s", a.From.Scheme.Release.Name)}
	var whys []string
	for _, e := range entries {
		if e.Mandatory {
			continue
		}
		outcome, _, why := a.judge(e, point)
		if outcome != Exact && outcome != Dropped {
			item.Outcome = Approximate
			whys = append(whys, e.Name+": "+why)
		}
	}
	item.Why = strings.Join(slices.Compact(whys), "; ")
	a.items = append(a.items, item)
}

func (a *accountant) mandatory(e PolicyEntry) {
	outcome, becomes, why := a.judge(e, config.Filter)
	a.items = append(a.items, Item{Path: diag.Path{"predicates"}, Name: e.Name + " (mandatory)", Outcome: outcome, Becomes: becomes, Why: why})
}

// entry accounts for one entry of a list.
func (a *accountant) entry(path diag.Path, name string, point config.Point, entries []PolicyEntry) {
	item := Item{Path: path, Name: name}
	at := slices.IndexFunc(entries, func(e PolicyEntry) bool {
		return slices.ContainsFunc(e.Given, func(p diag.Path) bool { return slices.Equal(p, path) })
	})
	switch {
	case at < 0:
		item.Outcome, item.Why = Dropped, "every node gets the same score from it"
	case point == config.Score && entries[at].fact.Argument == "" && !slices.Equal(entries[at].Given[len(entries[at].Given)-1], path):
		item.Outcome, item.Why = Dropped, fmt.Sprintf("%s stands again, and the last weight counts", name)
	default:
		item.Outcome, item.Becomes, item.Why = a.judge(entries[at], point)
	}
	a.items = append(a.items, item)
}

// judge compares what an entry ran with what runs on the target.
func (a *accountant) judge(e PolicyEntry, point config.Point) (outcome Outcome, becomes, why string) {
	outcome = Exact
	var parts []string
	for _, plugin := range e.Plugins {
		one, part, reason := a.judgePlugin(e, plugin, point)
		if part != "" && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
		if worse(one, outcome) {
			outcome = one
		}
		if reason != "" && !strings.Contains(why, reason) {
			why = strings.TrimPrefix(why+"; "+reason, "; ")
		}
	}
	return outcome, strings.Join(parts, ", "), why
}

var outcomes = []Outcome{Exact, Dropped, Approximate, Impossible}

func worse(a, b Outcome) bool { return slices.Index(outcomes, a) > slices.Index(outcomes, b) }

// gone are the plugins that the target may lack, with what to do about it.
var gone = map[string]string{
	serviceAffinity:       "write topologySpreadConstraints or podAffinity into the pods of the service, with the label as topologyKey",
	"NodePreferAvoidPods": "taint the nodes with effect PreferNoSchedule instead of annotating them, and run TaintToleration at score",
	"NodeResourceLimits":  "nothing scores by limits any more: set requests as high as limits",
	nodeLabel:             "write nodeAffinity into the pods, or addedAffinity into the args of NodeAffinity",
}

func (a *accountant) judgePlugin(e PolicyEntry, plugin string, point config.Point) (outcome Outcome, becomes, why string) {
	facts, _ := a.From.Scheme.Release.Policy()
	if ratio, ok := a.Built.Equivalent[0].Args[ratioPlugin].(*config.RequestedToCapacityRatioArgs); plugin == ratioPlugin && ok && facts.Behaviour.RatioResources == "none" && len(ratio.Resources) == 0 {
		return Dropped, "", fmt.Sprintf("without resources Kubernetes %s gives every node the score 0", a.From.Scheme.Release.Name)
	}
	name := a.translator.nameOf(plugin)
	_, scorer := scorers[plugin]
	switch {
	case name != "":
	case plugin == nodeLabel && a.labelsAsAffinity():
		return a.judgeLabels(point)
	case spreads[plugin]:
		name = topologySpread
	case scorer:
		name = fitPlugin
		args, _ := a.after.Args[fitPlugin].(*config.NodeResourcesFitArgs)
		if args == nil || args.ScoringStrategy == nil || args.ScoringStrategy.Type != scorers[plugin](nil).Type {
			return Impossible, "", "NodeResourcesFit has one scoring strategy, and another priority has it: keep one of the two"
		}
	case strings.HasSuffix(plugin, "Limits") && plugin != "NodeResourceLimits":
		if runs(a.after, config.Filter, volumeLimits) {
			return Dropped, volumeLimits + " at filter", plugin + " counted volumes of a kind that CSI drivers have taken over, and " + volumeLimits + " counts those"
		}
		return Impossible, "", "enable " + volumeLimits + " at filter: it counts the CSI volumes that these volumes have become"
	default:
		return Impossible, "", gone[plugin]
	}
	at := slices.IndexFunc(a.after.Points[point], named(name))
	if at < 0 {
		return Impossible, "", fmt.Sprintf("Kubernetes %s does not run %s at %s", a.To.Scheme.Release.Name, name, point)
	}
	becomes = fmt.Sprintf("%s at %s", name, point)
	weight := a.after.Points[point][at].Weight
	if point == config.Score {
		becomes += fmt.Sprintf(" with weight %d", ptr.Deref(weight, 1))
	}
	if scorer && name == fitPlugin {
		becomes += ", scoringStrategy " + scorers[plugin](nil).Type
	}
	switch {
	case spreads[plugin] && name == topologySpread:
		return Approximate, becomes, "PodTopologySpread with its built-in constraints spreads the pods of services and controllers alike, but scores in another way"
	case e.Name == "ServiceSpreadingPriority" && facts.Behaviour.Runs != "plugins":
		return Approximate, becomes, "the pods of controllers are spread as well, not those of services alone"
	case point == config.Score && a.wanted(plugin) != ptr.Deref(weight, 1):
		return Approximate, becomes, fmt.Sprintf("its weight was %d", a.wanted(plugin))
	}
	return Exact, becomes, ""
}

// wanted is the weight that a plugin had in the source release.
func (a *accountant) wanted(plugin string) int32 {
	list := a.Built.Equivalent[0].Points[config.Score]
	if at := slices.IndexFunc(list, named(plugin)); at >= 0 {
		return ptr.Deref(list[at].Weight, 1)
	}
	return 0
}

// judgeLabels says how near affinity comes to labels.
func (a *accountant) judgeLabels(point config.Point) (Outcome, string, string) {
	becomes := fmt.Sprintf("addedAffinity of %s at %s", nodeAffinity, point)
	if point == config.Score {
		return Approximate, becomes, "preferences are added up with those of the pods, and have the weight of NodeAffinity"
	}
	if !runs(a.Built.Equivalent[0], config.Filter, nodeAffinity) {
		return Approximate, becomes, "NodeAffinity also heeds nodeSelector and nodeAffinity of the pods, which the Policy left to the kubelet"
	}
	return Exact, becomes, ""
}

// rest accounts for what is no list.
func (a *accountant) rest() {
	if weight := a.Policy.HardPodAffinitySymmetricWeight; weight != 0 {
		item := Item{Path: diag.Path{"hardPodAffinitySymmetricWeight"}, Name: fmt.Sprint(weight), Outcome: Exact, Becomes: "hardPodAffinityWeight in the args of " + interPodAffinity}
		if !runs(a.after, config.Score, interPodAffinity) {
			item.Outcome, item.Becomes, item.Why = Dropped, "", "InterPodAffinityPriority, which it is for, is not in the Policy"
		}
		a.items = append(a.items, item)
	}
	if a.Policy.AlwaysCheckAllPredicates {
		a.items = append(a.items, Item{
			Path: diag.Path{"alwaysCheckAllPredicates"}, Name: "true", Outcome: Dropped,
			Why: "it makes messages list every reason against a node, and places no pod elsewhere",
		})
	}
}
