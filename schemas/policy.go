// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"sync"
)

// PolicyFacts are how a release reads and runs a Policy, as policy.json holds it. They come from
// pkg/scheduler/factory.go, pkg/scheduler/framework/plugins/legacy_registry.go (1.18 to 1.22),
// default_registry.go and algorithmprovider/defaults (1.16 and 1.17).
type PolicyFacts struct {
	Behaviour PolicyBehaviour `json:"behaviour"`
	// Predicates and Priorities are the names that a Policy can give. A name stands several times
	// where feature gates decide what it means.
	Predicates []PolicyName `json:"predicates"`
	Priorities []PolicyName `json:"priorities"`
	// Order is that in which predicates run; those that are not in it follow by name.
	Order []string `json:"order"`
	// Mandatory are predicates that run whatever the Policy says.
	Mandatory []PolicyDefault `json:"mandatory"`
	// DefaultPredicates and DefaultPriorities are those of a Policy that does not have the list.
	DefaultPredicates []PolicyDefault `json:"defaultPredicates"`
	DefaultPriorities []PolicyDefault `json:"defaultPriorities"`
	// Always are plugins that run by point, whatever the Policy says.
	Always map[string][]string `json:"always,omitempty"`
	// Checks lists by stage the rules that the release enforces.
	Checks map[string][]string `json:"checks"`

	apis []API
}

// PolicyBehaviour names how a release does with a Policy what other releases do differently.
type PolicyBehaviour struct {
	// UnknownKeys is "ignore" or "reject"; repeated keys are treated alike.
	UnknownKeys string `json:"unknownKeys"`
	// Runs is what predicates and priorities run as: "native", "mixed" for plugins where there are
	// some, or "plugins".
	Runs string `json:"runs"`
	// KnownName is what counts where an entry has both a known name and an argument: the "argument"
	// or the "name".
	KnownName string `json:"knownName"`
	// CustomNames is what becomes of the names of entries with an argument: "kept", and then they
	// have a syntax, or "merged" into one entry for all arguments of a kind.
	CustomNames string `json:"customNames"`
	// SharedWeight is the weight of a plugin that several entries with arguments share: their "sum",
	// the "product" of the last weight and the number of labels, or the "own" of each.
	SharedWeight string `json:"sharedWeight"`
	// Repeated is a plugin that several names bring in: "kept", and then the framework refuses it, or
	// taken "once".
	Repeated string `json:"repeated"`
	// AbsentArgs are those of a plugin to which the Policy gives none: "none" in the profile, the
	// "default" when it is built, or the default "written" into the profile.
	AbsentArgs string `json:"absentArgs"`
	// RatioResources are those of requestedToCapacityRatioArguments without any: the "default" of cpu
	// and memory, or "none" at all.
	RatioResources string `json:"ratioResources"`
	// Beside is what becomes of the plugins of a configuration beside a Policy: "kept", "refused",
	// "replaced" in every profile, or replaced by a "single" profile.
	Beside string `json:"beside"`
}

// PolicyName is a predicate or a priority.
type PolicyName struct {
	Name string `json:"name"`
	// Alias is the name that this one stands for.
	Alias string `json:"alias,omitempty"`
	// Points are the plugins that it comes to, by point. For a native one they are those that did
	// the same later.
	Points map[string][]string `json:"points,omitempty"`
	// Native means that the release runs it itself although it runs others as plugins.
	Native bool `json:"native,omitempty"`
	// Gates are the feature gate states that it takes.
	Gates map[string]bool `json:"gates,omitempty"`
	// Argument is the kind of argument that comes to it under whatever name.
	Argument string `json:"argument,omitempty"`
	// Unnamed ones are reached by their argument alone; the name itself is unknown.
	Unnamed bool `json:"unnamed,omitempty"`
	// ArgsRequired means that its plugin cannot start without args.
	ArgsRequired bool `json:"argsRequired,omitempty"`
	// Args are given to plugins, ArgsIfNone to those that have none yet.
	Args       map[string]json.RawMessage `json:"args,omitempty"`
	ArgsIfNone map[string]json.RawMessage `json:"argsIfNone,omitempty"`
	// HardWeight is the plugin that gets hardPodAffinitySymmetricWeight.
	HardWeight string `json:"hardWeight,omitempty"`
	// NoEffect ones are accepted and change nothing.
	NoEffect bool `json:"noEffect,omitempty"`
}

// PolicyDefault is a predicate or a priority that nobody has to name.
type PolicyDefault struct {
	Name   string          `json:"name"`
	Weight int64           `json:"weight,omitempty"`
	Gates  map[string]bool `json:"gates,omitempty"`
}

var policyFiles = sync.OnceValue(func() map[string]*PolicyFacts {
	all := map[string]*PolicyFacts{}
	for _, e := range entries() {
		data, err := files.ReadFile(path.Join(e.minor.text, "policy.json"))
		if err != nil {
			continue
		}
		facts := &PolicyFacts{}
		if err := json.Unmarshal(data, facts); err != nil {
			panic(fmt.Sprintf("embedded schemas: %s/policy.json: %v", e.minor.text, err))
		}
		for _, apiVersion := range e.load().Policies {
			facts.apis = append(facts.apis, API{
				APIVersion: apiVersion, Kind: "Policy", Checks: facts.Checks,
				Behaviour: APIBehaviour{UnknownKeys: facts.Behaviour.UnknownKeys, Args: "typed"},
			})
		}
		all[e.minor.text] = facts
	}
	return all
})

// Policy returns how the release reads a Policy; false for one that reads none.
func (r *Release) Policy() (*PolicyFacts, bool) {
	facts, ok := policyFiles()[r.Name]
	return facts, ok
}

// PolicyAPI is the Policy as a kind of configuration that the release reads; nil if it reads none
// of the apiVersion.
func (r *Release) PolicyAPI(apiVersion string) *API {
	facts, ok := r.Policy()
	if !ok {
		return nil
	}
	i := slices.IndexFunc(facts.apis, func(a API) bool { return a.APIVersion == apiVersion })
	if i < 0 {
		return nil
	}
	return &facts.apis[i]
}

// Predicate returns what a name means with the gates.
func (f *PolicyFacts) Predicate(name string, gates Gates) (*PolicyName, bool) {
	return lookup(f.Predicates, name, gates)
}

// Priority returns what a name means with the gates.
func (f *PolicyFacts) Priority(name string, gates Gates) (*PolicyName, bool) {
	return lookup(f.Priorities, name, gates)
}

func lookup(list []PolicyName, name string, gates Gates) (*PolicyName, bool) {
	i := slices.IndexFunc(list, func(n PolicyName) bool { return n.Name == name && gates.Match(n.Gates) })
	if i < 0 {
		return nil, false
	}
	if alias := list[i].Alias; alias != "" {
		return lookup(list, alias, gates)
	}
	return &list[i], true
}

// PolicySpan says which minors know a predicate or a priority, with whatever gates.
func PolicySpan(name string) (Span, bool) {
	return span(func(r *Release) bool {
		facts, ok := r.Policy()
		return ok && slices.ContainsFunc(slices.Concat(facts.Predicates, facts.Priorities), func(n PolicyName) bool { return n.Name == name && !n.Unnamed })
	})
}

// PolicyReleases are the releases that read a Policy, from the oldest to the newest.
func PolicyReleases() []*Release {
	var list []*Release
	for _, e := range entries() {
		if release := e.load(); len(release.Policies) > 0 {
			list = append(list, release)
		}
	}
	return list
}
