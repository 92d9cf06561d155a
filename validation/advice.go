// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/config"
)

// adviceRules are about what every release loads and few people mean. None of them changes a verdict.
var adviceRules = slices.Concat(disabledAdvice, weightAdvice, phaseAdvice, argsAdvice, packingAdvice, spreadAdvice, extenderAdvice, fieldAdvice, secretAdvice)

func isAdvice(rule *Rule) bool { return slices.Contains(adviceIDs, rule.ID) }

var adviceIDs = idsOf(adviceRules)

func idsOf(rules []Rule) []string {
	ids := make([]string, len(rules))
	for i, rule := range rules {
		ids[i] = rule.ID
	}
	return ids
}

// exampleHead starts the examples of rules.
const exampleHead = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

// exampleV1beta1 and exampleV1alpha2 start examples of what only older releases do.
const (
	exampleV1beta1  = "apiVersion: kubescheduler.config.k8s.io/v1beta1\nkind: KubeSchedulerConfiguration\n"
	exampleV1alpha2 = "apiVersion: kubescheduler.config.k8s.io/v1alpha2\nkind: KubeSchedulerConfiguration\n"
)

// lists calls visit for every list of plugins that the document has. It looks past what defaulting has
// merged; entries of multiPoint that say what the default says may be missing.
func (p *Pass) lists(visit func(profile int, point config.Point, set config.PluginSet)) {
	for i := range p.Config.Profiles {
		for point, set := range p.plugins(i) {
			visit(i, point, set)
		}
	}
}

// plugins are the plugins of a profile as the document has them; none where it says nothing.
func (p *Pass) plugins(profile int) config.Plugins {
	if p.written == nil {
		p.written = make([]config.Plugins, len(p.Config.Profiles))
		for i := range p.written {
			p.written[i] = p.writtenPlugins(i)
		}
	}
	return p.written[profile]
}

// writtenPlugins are the plugins of a profile as the document has them.
func (p *Pass) writtenPlugins(profile int) config.Plugins {
	merged := p.Config.Profiles[profile].Plugins
	switch {
	case p.API.Behaviour.MergeAt != "default":
		return merged
	case p.API.Behaviour.MergePlugins != "overrideKeepDisabled":
		return p.readPlugins(profile)
	}
	// All default plugins of such an apiVersion stand at multiPoint, and what is disabled is kept.
	var written config.Plugins
	for point, set := range merged {
		if point == config.MultiPoint {
			set.Enabled = p.chosen(set.Enabled)
		}
		if len(set.Enabled)+len(set.Disabled) > 0 {
			if written == nil {
				written = config.Plugins{}
			}
			written[point] = set
		}
	}
	return written
}

// chosen are the entries of a merged multiPoint that are not the default's.
func (p *Pass) chosen(merged []config.Plugin) []config.Plugin {
	standard := p.API.DefaultPlugins[string(config.MultiPoint)]
	var list []config.Plugin
	at := 0
	for _, plugin := range merged {
		// The merged list keeps the order of the default.
		for k := at; k < len(standard); k++ {
			if standard[k].Name == plugin.Name {
				at = k
				break
			}
		}
		if at < len(standard) && standard[at].Name == plugin.Name && sameWeight(standard[at].Weight, plugin.Weight) {
			continue
		}
		if p.added(plugin) {
			continue
		}
		list = append(list, plugin)
	}
	return list
}

// added reports whether a feature gate has added the entry to multiPoint.
func (p *Pass) added(plugin config.Plugin) bool {
	return slices.ContainsFunc(p.API.GatedPlugins, func(gated schemas.GatedPlugin) bool {
		return gated.Name == plugin.Name && gated.Point == string(config.MultiPoint) && p.Scheme.Gates[gated.Gate] == gated.On && sameWeight(gated.Weight, plugin.Weight)
	})
}

// sameWeight takes 0 for a weight that is not given.
func sameWeight(a, b *int32) bool { return ptr.Deref(a, 0) == ptr.Deref(b, 0) }

// readPlugins reads the plugins of a profile from the document.
func (p *Pass) readPlugins(profile int) config.Plugins {
	if !bytes.Contains(p.doc.Bytes(), []byte("plugins")) {
		return nil
	}
	plugins := config.Plugins{}
	for _, point := range config.Points {
		path := profilePath(profile).Child("plugins", string(point))
		set := config.PluginSet{Enabled: p.readList(path.Child("enabled")), Disabled: p.readList(path.Child("disabled"))}
		if len(set.Enabled)+len(set.Disabled) > 0 {
			plugins[point] = set
		}
	}
	return plugins
}

func (p *Pass) readList(path diag.Path) []config.Plugin {
	n := p.doc.Len(path)
	if n == 0 {
		return nil
	}
	list := make([]config.Plugin, n)
	for k := range list {
		list[k].Name, _ = p.doc.Scalar(path.Index(k).Child("name"))
		text, _ := p.doc.Scalar(path.Index(k).Child("weight"))
		if weight, err := strconv.ParseInt(text, 0, 32); err == nil {
			number := int32(weight)
			list[k].Weight = &number
		}
	}
	return list
}

// pointPath is the path of a point of a profile in hub terms.
func pointPath(profile int, point config.Point) diag.Path {
	return profilePath(profile).Child("plugins", string(point))
}

// disabledPath is the path of the name of an entry of a disabled list.
func disabledPath(profile int, point config.Point, entry int) diag.Path {
	return pointPath(profile, point).Child("disabled", strconv.Itoa(entry), "name")
}

// implements reports whether a plugin is known to implement the point.
func (p *Pass) implements(name string, point config.Point) bool {
	points, _ := p.Scheme.Implements(name)
	return slices.Contains(points, string(point))
}

// standard returns the weight of a plugin that is enabled by default at the point, on its own or by
// multiPoint; nil is none. A plugin that some state of a feature gate enables counts too.
func (p *Pass) standard(name string, point config.Point) (weight *int32, ok bool) {
	for _, at := range []config.Point{point, config.MultiPoint} {
		if at != point && (p.Scheme.Release.Behaviour.MultiPoint == "" || !p.implements(name, point)) {
			break
		}
		for _, plugin := range p.API.DefaultPlugins[string(at)] {
			if plugin.Name == name {
				return plugin.Weight, true
			}
		}
		if weight, ok := p.gatedWeight(at, name); ok {
			return weight, true
		}
	}
	return nil, false
}

func (p *Pass) gatedWeight(point config.Point, name string) (*int32, bool) {
	for _, gated := range p.API.GatedPlugins {
		if gated.Name == name && gated.Point == string(point) {
			return gated.Weight, true
		}
	}
	return nil, false
}

// scores reports whether weights count at the point.
func scores(point config.Point) bool {
	return point == config.Score || point == config.PlacementScore
}

// running are the plugins of a point of a built profile; nil where there is no such profile.
func (p *Pass) running(profile int, point config.Point) []config.Plugin {
	if profile >= len(p.Built.Frameworks) {
		return nil
	}
	return p.Built.Frameworks[profile].Points[point]
}

func hasPlugin(list []config.Plugin, name string) bool {
	return slices.ContainsFunc(list, func(plugin config.Plugin) bool { return plugin.Name == name })
}

// profiled reports whether the release builds profiles of plugins alone, without predicates and
// priorities beside them.
func profiled(release *schemas.Release) bool { return release.Behaviour.Framework == "profiles" }

// words joins names for a sentence: a, b and c.
func words(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
