// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/source"
)

// Hop is what a file runs into on the way from one minor to the next.
type Hop struct {
	From, To *schemas.Release
	// Refusals are the reasons for which the next minor does not load the file.
	Refusals diag.List
	// Changes are what the file means otherwise there. They are those of the file as it is, so there are
	// none where it does not load and no apiVersion of the next minor can take its place.
	Changes diag.List
	// Missed are plugins that the next minor is the first to run by default and that the file keeps from
	// running, by profile.
	Missed map[string][]string
	// Defects are faults of the next minor that the file triggers.
	Defects []schemas.Defect
	// Deprecated is a reminder that the apiVersion is on its way out; empty if it is not.
	Deprecated string
}

// Loads reports whether the next minor takes the file as it is.
func (h *Hop) Loads() bool { return len(h.Refusals) == 0 }

// Step compares what a file is to one release and to the next. An error means that the tool could not do
// its job.
func Step(doc *source.Document, from, to *scheme.Scheme) (*Hop, error) {
	hop := &Hop{From: from.Release, To: to.Release, Missed: map[string][]string{}}
	before, err := NewVerdict(from).Check(doc)
	if err != nil {
		return nil, err
	}
	after, err := NewVerdict(to).Check(doc)
	if err != nil {
		return nil, err
	}
	for _, d := range after.Findings {
		switch {
		case d.Severity == diag.Error:
			hop.Refusals = append(hop.Refusals, d)
		case d.Rule == ruleDeprecated:
			hop.Deprecated = d.Message
		}
	}
	if before.Config == nil || before.API == nil {
		return hop, nil
	}
	api := after.API
	if api == nil {
		api = &to.Release.APIs[0]
	}
	decoded, err := from.Decode(before.Value, before.API)
	if err != nil || decoded.Object == nil {
		return hop, err
	}
	translation, err := scheme.Translate(decoded.Object, scheme.Side{Scheme: from, API: before.API}, scheme.Side{Scheme: to, API: api}, false)
	if errors.Is(err, scheme.ErrPolicy) {
		return hop, nil
	}
	if err != nil {
		return nil, err
	}
	for _, change := range translation.Changes {
		change.Pos = doc.Position(change.Path)
		hop.Changes = append(hop.Changes, change)
	}
	if err := hop.missed(from, to, api, before, translation); err != nil {
		return nil, err
	}
	result := after
	if result.Built == nil {
		result = &Result{Config: before.Config, Built: before.Built}
	}
	for _, defect := range to.Release.Defects() {
		if triggers[defect.Trigger] != nil && triggers[defect.Trigger](doc, result) {
			hop.Defects = append(hop.Defects, defect)
		}
	}
	return hop, nil
}

// missed finds the plugins that are new among the defaults and that a profile does not run.
func (h *Hop) missed(from, to *scheme.Scheme, api *schemas.API, before *Result, translation *scheme.Translation) error {
	old, err := from.DefaultPlugins(before.API)
	if err != nil {
		return err
	}
	fresh, err := to.DefaultPlugins(api)
	if err != nil {
		return err
	}
	for _, f := range translation.After {
		for _, name := range fresh {
			if slices.Contains(old, name) || slices.ContainsFunc(slices.Collect(maps.Values(f.Points)), func(list []config.Plugin) bool {
				return slices.ContainsFunc(list, func(p config.Plugin) bool { return p.Name == name })
			}) {
				continue
			}
			h.Missed[f.SchedulerName] = append(h.Missed[f.SchedulerName], name)
		}
	}
	return nil
}

// triggers tell whether a file runs into a defect. Those of flags are not about a file.
var triggers = map[string]func(doc *source.Document, r *Result) bool{
	"disabled": func(doc *source.Document, _ *Result) bool {
		return eachSetOf(doc, func(set diag.Path) bool { return doc.Len(set.Child("disabled")) > 0 })
	},
	"weightLost": func(_ *source.Document, r *Result) bool {
		for i, profile := range r.Config.Profiles {
			for _, plugin := range profile.Plugins[config.Score].Enabled {
				if weight := ptr.Deref(plugin.Weight, 0); weight > 0 && i < len(r.Built.Frameworks) {
					for _, built := range r.Built.Frameworks[i].Points[config.Score] {
						if built.Name == plugin.Name && ptr.Deref(built.Weight, 0) != weight {
							return true
						}
					}
				}
			}
		}
		return false
	},
	"overrides": func(_ *source.Document, r *Result) bool {
		return slices.ContainsFunc(r.Config.Profiles, scheme.Shifts)
	},
	"ratioWithoutShape": func(_ *source.Document, r *Result) bool {
		for _, profile := range r.Config.Profiles {
			for _, entry := range profile.PluginConfig {
				args, ok := entry.Args.(*config.NodeResourcesFitArgs)
				if ok && args.ScoringStrategy != nil && args.ScoringStrategy.Type == ratio && args.ScoringStrategy.RequestedToCapacityRatio == nil {
					return true
				}
			}
		}
		return false
	},
}

// eachSetOf visits what a document says about the points of its profiles, until visit reports true.
func eachSetOf(doc *source.Document, visit func(set diag.Path) bool) bool {
	profiles := []diag.Path{nil}
	if n := doc.Len(diag.Path{"profiles"}); n > 0 {
		profiles = nil
		for i := range n {
			profiles = append(profiles, diag.Path{"profiles"}.Index(i))
		}
	}
	for _, profile := range profiles {
		plugins := profile.Child("plugins")
		for _, point := range doc.Keys(plugins) {
			if visit(plugins.Child(point)) {
				return true
			}
		}
	}
	return false
}

// FlagDefect reports whether a defect is about a flag with a value, as a command line gives it.
func FlagDefect(defect schemas.Defect, flags *Flags) bool {
	name, value, ok := strings.Cut(strings.TrimPrefix(defect.Trigger, "flag:"), "=")
	if !ok || !strings.HasPrefix(defect.Trigger, "flag:") || flags == nil {
		return false
	}
	given, ok := flags.Last(name)
	return ok && given.Value == value
}
