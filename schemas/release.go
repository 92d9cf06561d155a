// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Release is the facts of one minor, as release.json holds them.
type Release struct {
	// Name is the minor in text form; Minor returns it typed.
	Name string `json:"minor"`
	// Observed is the patch release that the facts were read from.
	Observed string `json:"observed"`
	// Behaviour maps a question to the named behaviour that answers it; see the constants.
	Behaviour Behaviour `json:"behaviour"`
	// ExtenderTimeout is what building an extender sets where no timeout is given.
	ExtenderTimeout string `json:"extenderTimeout,omitempty"`
	// ResourceLocks are the lock types that leader election can be built with.
	ResourceLocks []string `json:"resourceLocks"`
	// Points are the extension points in the order in which profiles are built.
	Points []string `json:"points"`
	// Providers are the algorithm providers that a file can name.
	Providers []string `json:"providers,omitempty"`
	// APIs are the configuration kinds that the release reads, the preferred one first.
	APIs []API `json:"apis"`
	// Policies are the apiVersions under which the release reads a Policy.
	Policies []string `json:"policies,omitempty"`
	// Plugins are the plugins that the program is built with, by name.
	Plugins []Plugin `json:"plugins"`
	// Gates are the feature gates that the release knows, by name.
	Gates []Gate `json:"gates"`
}

// Behaviour names how a release does what other releases do differently. Every name is implemented
// by code and every question has a constant; a test holds both to that.
type Behaviour struct {
	// TypeMeta is "required", or "internal" where a file without apiVersion is read as the
	// internal version, which has no defaults.
	TypeMeta string `json:"typeMeta"`
	// Framework is how profiles are built: "bare" without built-in plugins, "framework" beside
	// predicates and priorities, or "profiles".
	Framework string `json:"framework"`
	// Weights is where a score weight comes from: "anyPoint" the last mention of the plugin at any
	// point, "score" that point alone, or "scoreThenMultiPoint".
	Weights string `json:"weights"`
	// MultiPoint is how multiPoint is expanded: "" not at all, "shifting" with the list that shifts
	// while it is walked, or "expand".
	MultiPoint string `json:"multiPoint,omitempty"`
	// IgnoredByScheduler is what a managed resource with that flag does to NodeResourcesFit args:
	// "none", "append" a second entry, or "overwrite" the list of the first.
	IgnoredByScheduler string `json:"ignoredByScheduler"`
	// WriteConfig is when --write-config-to is written: "loaded" after defaulting, "constructed"
	// after the profiles were built, or "completed" with the built profiles in it.
	WriteConfig string `json:"writeConfig"`
	// AbsentArgs says whether a plugin in use without args gets defaults when it is built:
	// "default" or "none".
	AbsentArgs string `json:"absentArgs"`
}

// API is one configuration kind as a release reads it.
type API struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// DeprecatedSince is the minor from which loading it logs a deprecation.
	DeprecatedSince string `json:"deprecatedSince,omitempty"`
	// Behaviour is what differs between apiVersions of one release.
	Behaviour APIBehaviour `json:"behaviour"`
	// Writes is the apiVersion that --write-config-to uses for a file of this one.
	Writes string `json:"writes"`
	// DefaultPlugins are the plugins by point before gates and the user's choice.
	DefaultPlugins map[string][]DefaultPlugin `json:"defaultPlugins"`
	// GatedPlugins are added to DefaultPlugins by feature gates, in this order.
	GatedPlugins []GatedPlugin `json:"gatedPlugins,omitempty"`
	// MergedPoints are the points at which the user's plugins are merged with the defaults; at any
	// other the user's are dropped.
	MergedPoints []string `json:"mergedPoints,omitempty"`
	// ArgsPoints are the points whose plugins get default args.
	ArgsPoints []string `json:"argsPoints,omitempty"`
	// Defaults fill in top-level fields, in this order.
	Defaults []Default `json:"defaults"`
	// Args are the kinds of typed plugin args.
	Args []string `json:"args,omitempty"`
	// ArgsDefaults fill in plugin args by kind, in this order.
	ArgsDefaults map[string][]Default `json:"argsDefaults,omitempty"`
	// RawArgs are the plugins that read args themselves where args are raw.
	RawArgs []string `json:"rawArgs,omitempty"`
	// InvalidPlugins are refused at InvalidPluginPoints and in pluginConfig, though the program
	// may have them.
	InvalidPlugins      []string `json:"invalidPlugins,omitempty"`
	InvalidPluginPoints []string `json:"invalidPluginPoints,omitempty"`
	// ConflictingScorers maps a score plugin to those it may not be enabled with.
	ConflictingScorers map[string][]string `json:"conflictingScorers,omitempty"`
	// Checks lists by stage the rules that the release enforces.
	Checks map[string][]string `json:"checks"`
}

// APIBehaviour names what differs between apiVersions.
type APIBehaviour struct {
	// UnknownKeys is "ignore", "warn" or "reject"; repeated keys are treated alike.
	UnknownKeys string `json:"unknownKeys"`
	// Args is "raw" where plugins read their own args, or "typed".
	Args string `json:"args"`
	// HardPodAffinityWeight is "field", or "pluginConfig" where the field becomes plugin args.
	HardPodAffinityWeight string `json:"hardPodAffinityWeight,omitempty"`
	// MergePlugins is how plugins join the defaults: "never", "appendAlways" with disabled ignored,
	// "append", "override" in place, or "overrideKeepDisabled".
	MergePlugins string `json:"mergePlugins"`
	// MergeAt is when they do: "default" or "construct".
	MergeAt string `json:"mergeAt"`
	// UnsetWeights is what is written for a plugin without weight: "zero" or "omit".
	UnsetWeights string `json:"unsetWeights"`
	// Addresses is how bind addresses are filled in: "strict", "lenient", "keepInvalid" or "none".
	Addresses string `json:"addresses"`
}

// DefaultPlugin is a plugin that is enabled by default.
type DefaultPlugin struct {
	Name   string `json:"name"`
	Weight *int32 `json:"weight,omitempty"`
}

// GatedPlugin is a plugin that a feature gate adds to the defaults.
type GatedPlugin struct {
	Gate string `json:"gate"`
	// On is the state of the gate that adds the plugin.
	On    bool   `json:"on"`
	Point string `json:"point"`
	Name  string `json:"name"`
	// Weight is nil when the default has none.
	Weight *int32 `json:"weight,omitempty"`
	// Before is the plugin in front of which it goes; empty or absent means at the end.
	Before string `json:"before,omitempty"`
}

// Default is a value that a release fills in where a field is not set.
type Default struct {
	// Field is the path in JSON names; "[]" after a list means each of its items. A path through
	// an object that is not set does nothing.
	Field string          `json:"field"`
	Value json.RawMessage `json:"value"`
	// ZeroIsUnset counts a given zero value as not set, for fields behind a pointer.
	ZeroIsUnset bool `json:"zeroIsUnset,omitempty"`
	// NullOnly keeps an empty list that was given.
	NullOnly bool `json:"nullOnly,omitempty"`
	// When and Unless name a field that must, or must not, be set to a non-zero value.
	When   string `json:"when,omitempty"`
	Unless string `json:"unless,omitempty"`
	// Gates are the feature gate states that it takes.
	Gates map[string]bool `json:"gates,omitempty"`
}

// Plugin is a plugin that a release is built with.
type Plugin struct {
	Name string `json:"name"`
	// Points are the extension points it implements.
	Points []string `json:"points"`
}

// Gate is a feature gate of a release.
type Gate struct {
	Name    string `json:"name"`
	Default bool   `json:"default"`
	// Stage is alpha, beta, ga or deprecated.
	Stage string `json:"stage"`
	// Locked gates refuse the other value.
	Locked bool `json:"locked,omitempty"`
}

// Minor returns the minor that the release is of.
func (r *Release) Minor() Minor { return Minor{r.Name} }

// API returns the facts of an apiVersion of KubeSchedulerConfiguration.
func (r *Release) API(apiVersion string) (*API, bool) {
	for i := range r.APIs {
		if r.APIs[i].APIVersion == apiVersion {
			return &r.APIs[i], true
		}
	}
	return nil, false
}

// Plugin returns the facts of a plugin.
func (r *Release) Plugin(name string) (*Plugin, bool) {
	i, found := slices.BinarySearchFunc(r.Plugins, name, func(p Plugin, name string) int { return strings.Compare(p.Name, name) })
	if !found {
		return nil, false
	}
	return &r.Plugins[i], true
}

// Gate returns the facts of a feature gate.
func (r *Release) Gate(name string) (*Gate, bool) {
	i, found := slices.BinarySearchFunc(r.Gates, name, func(g Gate, name string) int { return strings.Compare(g.Name, name) })
	if !found {
		return nil, false
	}
	return &r.Gates[i], true
}

// Stage returns the stage at which the release enforces a rule for the apiVersion, or "".
func (a *API) Stage(rule string) string {
	for stage, rules := range a.Checks {
		if slices.Contains(rules, rule) {
			return stage
		}
	}
	return ""
}

// Gates is the state of every feature gate of a release.
type Gates map[string]bool

// NewGates returns the defaults of the release with the given states on top. The error names the
// first gate that the release does not know, or that is locked to the other state.
func (r *Release) NewGates(overrides map[string]bool) (Gates, error) {
	gates := make(Gates, len(r.Gates))
	for _, g := range r.Gates {
		gates[g.Name] = g.Default
	}
	all, setAll := overrides["AllAlpha"]
	beta, setBeta := overrides["AllBeta"]
	for _, g := range r.Gates {
		if _, given := overrides[g.Name]; given || g.Locked {
			continue
		}
		if setAll && g.Stage == "alpha" {
			gates[g.Name] = all
		}
		if setBeta && g.Stage == "beta" {
			gates[g.Name] = beta
		}
	}
	for _, name := range slices.Sorted(maps.Keys(overrides)) {
		if name == "AllAlpha" || name == "AllBeta" {
			continue
		}
		g, ok := r.Gate(name)
		if !ok {
			return nil, fmt.Errorf("feature gate %q is not known to Kubernetes %s%s", name, r.Name, gateHistory(name))
		}
		if g.Locked && g.Default != overrides[name] {
			return nil, fmt.Errorf("feature gate %q is locked to %t in Kubernetes %s", name, g.Default, r.Name)
		}
		gates[name] = overrides[name]
	}
	return gates, nil
}

// ParseGates reads the form of --feature-gates: A=true,B=false.
func ParseGates(text string) (map[string]bool, error) {
	gates := map[string]bool{}
	for _, item := range strings.Split(text, ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		name, value, ok := strings.Cut(item, "=")
		if !ok {
			return nil, fmt.Errorf("feature gate %q has no value: write %s=true or %s=false", item, item, item)
		}
		switch strings.ToLower(strings.TrimSpace(value)) {
		case "true", "t", "1":
			gates[strings.TrimSpace(name)] = true
		case "false", "f", "0":
			gates[strings.TrimSpace(name)] = false
		default:
			return nil, fmt.Errorf("feature gate %s has the value %q: true or false is allowed", name, value)
		}
	}
	return gates, nil
}

// Match reports whether every gate has the state that want asks for.
func (g Gates) Match(want map[string]bool) bool {
	for name, state := range want {
		if g[name] != state {
			return false
		}
	}
	return true
}
