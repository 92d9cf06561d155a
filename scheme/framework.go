// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package scheme

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/schedconf/schedconf/defaults"
	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/config"
)

// Built is what a release makes of a configuration when it starts.
type Built struct {
	// Frameworks are the built profiles, in the order of the profiles.
	Frameworks []Framework
	// Refusals are the reasons for which the release does not start, in the order of the profiles.
	Refusals []Refusal

	scheme   *Scheme
	loaded   *config.KubeSchedulerConfiguration
	profiles []config.KubeSchedulerProfile
}

// Framework is one profile as it runs.
type Framework struct {
	SchedulerName string
	// Points holds the plugins of each point in running order, with the weights that count.
	Points map[config.Point][]config.Plugin
	// Used are the names of all plugins that are built.
	Used map[string]bool
	// Args are the arguments that the plugins in use are built with.
	Args map[string]runtime.Object
}

// Refusal is a reason not to start that only building the profiles brings up. Path leads to the
// point in the profile, and Plugin names the entry there where there is one.
type Refusal struct {
	Rule    string
	Path    diag.Path
	Plugin  string
	Message string
	Hint    string
}

// The rules of refusals.
const (
	RulePluginUnknown          = "plugin-unknown"
	RulePluginPoint            = "plugin-point"
	RulePluginTwice            = "plugin-twice"
	RulePluginConfigRepeated   = "plugin-config-repeated"
	RuleQueueSortCount         = "queue-sort-count"
	RuleQueueSortBuiltDiffers  = "queue-sort-built-differs"
	RuleBindMissing            = "bind-missing"
	RulePlacementGenerateCount = "placement-generate-count"
	RuleScoreOverflow          = "score-overflow"
	RuleFitArgsMissing         = "fit-args-missing"
)

const fitPlugin = "NodeResourcesFit"

// Build does what the release does between reading its configuration and running: it merges the
// plugins where that has not happened yet, gives plugins their args, expands multiPoint, and counts
// weights. It goes on after a refusal, so that all are found. The configuration is not changed, and
// must not be while the result is in use.
func (s *Scheme) Build(cfg *config.KubeSchedulerConfiguration, api *schemas.API) *Built {
	if cfg.AlgorithmSource.Policy != nil {
		// The plugins come from the Policy, which is another document.
		return &Built{scheme: s, loaded: cfg}
	}
	if api.Behaviour.MergeAt != "construct" {
		return s.buildProfiles(cfg, api, s.Release.Behaviour.AbsentArgs == "default")
	}
	merged := *cfg
	merged.Profiles = slices.Clone(cfg.Profiles)
	for i := range merged.Profiles {
		merged.Profiles[i].Plugins = s.mergeProvider(api, cfg, merged.Profiles[i].Plugins)
	}
	b := s.buildProfiles(&merged, api, s.Release.Behaviour.AbsentArgs == "default")
	b.loaded = cfg
	return b
}

// buildProfiles builds profiles that have all their plugins. With defaultArgs, plugins in use without
// args get the defaults.
func (s *Scheme) buildProfiles(cfg *config.KubeSchedulerConfiguration, api *schemas.API, defaultArgs bool) *Built {
	b := &Built{scheme: s, loaded: cfg, profiles: slices.Clone(cfg.Profiles)}
	b.Refusals = append(b.Refusals, s.ignoreResources(b.profiles, cfg.Extenders)...)
	for i := range b.profiles {
		if known, ok := s.isUnsaid(api, &b.profiles[i]); ok {
			framework := known.framework
			framework.SchedulerName = ptr.Deref(b.profiles[i].SchedulerName, "")
			b.Frameworks = append(b.Frameworks, framework)
			continue
		}
		p := profile{scheme: s, api: api, path: diag.Path{"profiles"}.Index(i), in: &b.profiles[i], defaultArgs: defaultArgs}
		p.build()
		b.Frameworks = append(b.Frameworks, p.out)
		b.Refusals = append(b.Refusals, p.refusals...)
	}
	if s.Release.Behaviour.Framework == "profiles" {
		b.Refusals = append(b.Refusals, compareQueueSort(b.profiles, b.Frameworks)...)
	}
	return b
}

// Config is the configuration as --write-config-to sees it: as it was loaded, or with what building
// it has changed.
func (b *Built) Config() *config.KubeSchedulerConfiguration {
	cfg := b.loaded.DeepCopy()
	if b.scheme.Release.Behaviour.WriteConfig == "loaded" {
		return cfg
	}
	b.scheme.setExtenderTimeouts(cfg)
	if b.scheme.Release.Behaviour.WriteConfig == "completed" {
		for i := range b.profiles {
			cfg.Profiles[i] = b.scheme.complete(b.profiles[i], b.Frameworks[i])
		}
	}
	return cfg
}

func (s *Scheme) setExtenderTimeouts(cfg *config.KubeSchedulerConfiguration) {
	if s.Release.ExtenderTimeout == "" {
		return
	}
	timeout, err := time.ParseDuration(s.Release.ExtenderTimeout)
	if err != nil {
		panic(fmt.Sprintf("facts of Kubernetes %s: extenderTimeout: %v", s.Release.Name, err))
	}
	for i := range cfg.Extenders {
		if cfg.Extenders[i].HTTPTimeout.Duration == 0 {
			cfg.Extenders[i].HTTPTimeout = metav1.Duration{Duration: timeout}
		}
	}
}

// mergeProvider merges the plugins into those of the algorithm provider. ClusterAutoscalerProvider
// packs nodes instead of spreading over them (1.16 to 1.21, pkg/scheduler/algorithmprovider).
func (s *Scheme) mergeProvider(api *schemas.API, cfg *config.KubeSchedulerConfiguration, custom config.Plugins) config.Plugins {
	if provider := cfg.AlgorithmSource.Provider; provider == nil || *provider != "ClusterAutoscalerProvider" {
		return defaults.Merge(api, s.facts(api).Plugins, custom)
	}
	packing := *api
	packing.DefaultPlugins = maps.Clone(api.DefaultPlugins)
	score := slices.Clone(api.DefaultPlugins["score"])
	for i := range score {
		if score[i].Name == "NodeResourcesLeastAllocated" {
			score[i].Name = "NodeResourcesMostAllocated"
		}
	}
	packing.DefaultPlugins["score"] = score
	return defaults.Merge(&packing, defaults.Plugins(&packing, s.Gates), custom)
}

// ignoreResources tells NodeResourcesFit which resources extenders manage alone.
func (s *Scheme) ignoreResources(profiles []config.KubeSchedulerProfile, extenders []config.Extender) []Refusal {
	var ignored []string
	for _, e := range extenders {
		for _, r := range e.ManagedResources {
			if r.IgnoredByScheduler {
				ignored = append(ignored, r.Name)
			}
		}
	}
	if len(ignored) == 0 {
		return nil
	}
	var refusals []Refusal
	for i := range profiles {
		list := &profiles[i].PluginConfig
		*list = slices.Clone(*list)
		switch s.Release.Behaviour.IgnoredByScheduler {
		case "append":
			*list = append(*list, config.PluginConfig{Name: fitPlugin, Args: &config.NodeResourcesFitArgs{IgnoredResources: ignored}})
		case "overwrite":
			at := slices.IndexFunc(*list, func(c config.PluginConfig) bool { return c.Name == fitPlugin })
			if at >= 0 {
				if args, ok := (*list)[at].Args.(*config.NodeResourcesFitArgs); ok {
					args = args.DeepCopy()
					args.IgnoredResources = slices.Clone(ignored)
					(*list)[at].Args = args
					continue
				}
			}
			refusals = append(refusals, Refusal{
				Rule:    RuleFitArgsMissing,
				Path:    diag.Path{"profiles"}.Index(i),
				Message: "an extender has a resource with ignoredByScheduler, but this profile does not run NodeResourcesFit",
				Hint:    "enable NodeResourcesFit, or take ignoredByScheduler out",
			})
		}
	}
	return refusals
}

// profile is the building of one profile.
type profile struct {
	scheme *Scheme
	api    *schemas.API
	path   diag.Path
	in     *config.KubeSchedulerProfile
	// defaultArgs are given to plugins in use without args.
	defaultArgs bool
	out         Framework
	refusals    []Refusal
}

func (p *profile) refuse(rule string, point config.Point, plugin, hint, format string, args ...any) {
	path := p.path
	if point != "" {
		path = path.Child("plugins", string(point))
	}
	p.refusals = append(p.refusals, Refusal{Rule: rule, Path: path, Plugin: plugin, Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (p *profile) build() {
	p.out = Framework{Points: map[config.Point][]config.Plugin{}, Used: map[string]bool{}, Args: map[string]runtime.Object{}}
	if p.in.SchedulerName != nil {
		p.out.SchedulerName = *p.in.SchedulerName
	}
	p.useArgs()
	for _, name := range p.scheme.Release.Points {
		p.list(config.Point(name))
	}
	p.expand()
	if p.scheme.Release.Behaviour.Framework == "profiles" {
		p.count()
	}
	p.weigh()
}

// useArgs finds the plugins in use and the args they get.
func (p *profile) useArgs() {
	for _, point := range p.scheme.Release.Points {
		p.use(config.Point(point))
	}
	p.use(config.MultiPoint)
	seen := map[string]bool{}
	for j, c := range p.in.PluginConfig {
		if seen[c.Name] {
			p.refusals = append(p.refusals, Refusal{
				Rule:    RulePluginConfigRepeated,
				Path:    p.path.Child("pluginConfig").Index(min(j, len(p.in.PluginConfig)-1)),
				Message: fmt.Sprintf("the args of plugin %q are given twice", c.Name),
				Hint:    "put all args of the plugin into one entry of pluginConfig",
			})
			continue
		}
		seen[c.Name] = true
		if p.out.Used[c.Name] && c.Args != nil {
			p.out.Args[c.Name] = c.Args
		}
	}
	if !p.defaultArgs {
		return
	}
	for name := range p.out.Used {
		if seen[name] {
			continue
		}
		if args := p.scheme.defaultHubArgs(p.api, name); args != nil {
			p.out.Args[name] = args
		}
	}
}

func (p *profile) use(point config.Point) {
	for _, plugin := range p.in.Plugins[point].Enabled {
		if _, ok := p.scheme.points(plugin.Name); ok {
			p.out.Used[plugin.Name] = true
		}
	}
}

// list takes the plugins that a point names.
func (p *profile) list(point config.Point) {
	enabled := p.in.Plugins[point].Enabled
	if len(enabled) == 0 {
		return
	}
	seen := make(map[string]bool, len(enabled))
	for _, plugin := range enabled {
		points, known := p.scheme.points(plugin.Name)
		switch {
		case !known:
			p.unknown(point, plugin.Name)
		case !points.has(point):
			p.refuse(RulePluginPoint, point, plugin.Name, pointHint(points),
				"plugin %q has nothing to do at the point %s", plugin.Name, point)
		case seen[plugin.Name] && p.scheme.Release.Behaviour.Framework != "bare":
			p.refuse(RulePluginTwice, point, plugin.Name, p.twiceHint(plugin.Name),
				"plugin %q is enabled twice at the point %s", plugin.Name, point)
		default:
			p.out.Points[point] = append(p.out.Points[point], plugin)
		}
		seen[plugin.Name] = true
	}
}

func (p *profile) unknown(point config.Point, name string) {
	if name == "" {
		p.refuse(RulePluginUnknown, point, name, "give the plugin a name", "an enabled plugin has no name")
		return
	}
	p.refuse(RulePluginUnknown, point, name, p.scheme.PluginHint(name), "plugin %q does not exist in Kubernetes %s", name, p.scheme.Release.Name)
}

func (p *profile) twiceHint(name string) string {
	if p.api.Behaviour.MergePlugins != "append" && p.api.Behaviour.MergePlugins != "appendAlways" {
		return "list it once"
	}
	return fmt.Sprintf("%s is enabled by default and stays so: add it to disabled as well, or do not list it", name)
}

// expand adds the plugins of multiPoint to the points they implement.
func (p *profile) expand() {
	multi := p.in.Plugins[config.MultiPoint].Enabled
	if p.scheme.Release.Behaviour.MultiPoint == "" || len(multi) == 0 {
		return
	}
	candidates := make([]candidate, 0, len(multi))
	seen := make(map[string]bool, len(multi))
	for _, plugin := range multi {
		points, known := p.scheme.points(plugin.Name)
		if known {
			candidates = append(candidates, candidate{plugin, points, seen[plugin.Name]})
		} else if !seen[plugin.Name] {
			p.unknown(config.MultiPoint, plugin.Name)
		}
		seen[plugin.Name] = true
	}
	twice := map[string]bool{} // reported once, not at every point
	for _, name := range p.scheme.Release.Points {
		p.expandPoint(config.Point(name), candidates, twice)
	}
}

// candidate is a plugin that multiPoint adds where it belongs.
type candidate struct {
	plugin   config.Plugin
	points   pointSet
	repeated bool
}

func (p *profile) expandPoint(point config.Point, multi []candidate, twice map[string]bool) {
	set := p.in.Plugins[point]
	if slices.ContainsFunc(set.Disabled, named("*")) {
		return
	}
	bit, room := bitOf(point), 0
	for _, c := range multi {
		if c.points.bits&bit != 0 {
			room++
		}
	}
	if room == 0 {
		return
	}
	var overrides map[string]bool
	added := make([]config.Plugin, 0, room)
	for _, c := range multi {
		switch {
		// A declared plugin without points is added nowhere: nobody knows where it belongs.
		case c.points.bits&bit == 0 || slices.ContainsFunc(set.Disabled, named(c.plugin.Name)):
		case slices.ContainsFunc(set.Enabled, named(c.plugin.Name)):
			if overrides == nil {
				overrides = map[string]bool{}
			}
			overrides[c.plugin.Name] = true
		case c.repeated:
			if !twice[c.plugin.Name] {
				twice[c.plugin.Name] = true
				p.refuse(RulePluginTwice, config.MultiPoint, c.plugin.Name, "list it once", "plugin %q is enabled twice by multiPoint", c.plugin.Name)
			}
		default:
			added = append(added, c.plugin)
		}
	}
	p.out.Points[point] = arrange[p.scheme.Release.Behaviour.MultiPoint](p.out.Points[point], added, overrides)
}

// arrange are the named ways to order a point: what overrides multiPoint first, then what
// multiPoint adds, then the rest.
var arrange = map[string]func(own, added []config.Plugin, overrides map[string]bool) []config.Plugin{
	"expand": func(own, added []config.Plugin, overrides map[string]bool) []config.Plugin {
		if len(own) == 0 {
			return added
		}
		var first, rest []config.Plugin
		for _, plugin := range own {
			if overrides[plugin.Name] {
				first = append(first, plugin)
			} else {
				rest = append(rest, plugin)
			}
		}
		return slices.Concat(first, added, rest)
	},
	// 1.23 to 1.25 delete from the list they walk, so that an entry behind the first override is
	// passed over and another is seen twice (pkg/scheduler/framework/runtime/framework.go).
	"shifting": func(own, added []config.Plugin, overrides map[string]bool) []config.Plugin {
		if len(own) == 0 {
			return added
		}
		walked := slices.Clone(own)
		position := map[string]int{}
		for i, plugin := range own {
			position[plugin.Name] = i
		}
		left, deleted := len(own), 0
		var first []config.Plugin
		for i := range own {
			plugin := walked[i]
			if !overrides[plugin.Name] {
				continue
			}
			first = append(first, plugin)
			at, found := position[plugin.Name]
			if !found {
				continue
			}
			delete(position, plugin.Name)
			copy(walked[at-deleted:left-1], walked[at-deleted+1:left])
			left--
			deleted++
		}
		return slices.Concat(first, added, walked[:left])
	},
}

// count checks what every profile needs.
func (p *profile) count() {
	if n := len(p.out.Points[config.QueueSort]); n != 1 {
		p.refuse(RuleQueueSortCount, config.QueueSort, "", "enable PrioritySort, and no other at queueSort",
			"a profile needs exactly one queueSort plugin, this one has %d", n)
	}
	if len(p.out.Points[config.Bind]) == 0 {
		p.refuse(RuleBindMissing, config.Bind, "", "enable DefaultBinder at bind", "a profile needs a bind plugin, this one has none")
	}
	if n := len(p.out.Points[config.PlacementGenerate]); n > 1 {
		p.refuse(RulePlacementGenerateCount, config.PlacementGenerate, "", "keep one of them",
			"a profile takes one placementGenerate plugin at most, this one has %d", n)
	}
}

// weigh sets the weights of the scoring points.
func (p *profile) weigh() {
	for _, point := range []config.Point{config.Score, config.PlacementScore} {
		if len(p.out.Points[point]) == 0 && len(p.in.Plugins[point].Enabled) == 0 {
			continue
		}
		weights := weightsOf[p.scheme.Release.Behaviour.Weights](p, point)
		if overflows(weights) {
			p.refuse(RuleScoreOverflow, point, "", "use positive weights; kube-scheduler adds them up and a negative one wraps the sum",
				"the sum of the weights overflows")
		}
		for i := range p.out.Points[point] {
			plugin := &p.out.Points[point][i]
			if at := lastIndex(weights, plugin.Name); at >= 0 {
				plugin.Weight = weights[at].Weight
			} else {
				plugin.Weight = new(int32)
			}
		}
	}
	// At any other point a weight means nothing. The lists are the framework's own.
	for point, list := range p.out.Points {
		if point != config.Score && point != config.PlacementScore {
			for i := range list {
				list[i].Weight = nil
			}
		}
	}
}

// weightsOf are the named ways to find the weights of a scoring point, in the order in which the
// release adds them up.
var weightsOf = map[string]func(*profile, config.Point) []config.Plugin{
	"anyPoint": func(p *profile, point config.Point) []config.Plugin {
		last := map[string]config.Plugin{}
		for _, name := range p.scheme.Release.Points {
			for _, plugin := range p.in.Plugins[config.Point(name)].Enabled {
				last[plugin.Name] = plugin
			}
		}
		var list []config.Plugin
		for _, plugin := range p.out.Points[point] {
			list = append(list, weighed(last[plugin.Name]))
		}
		return list
	},
	"score": func(p *profile, point config.Point) []config.Plugin {
		var list []config.Plugin
		for _, plugin := range p.in.Plugins[point].Enabled {
			list = append(list, weighed(plugin))
		}
		return list
	},
	"scoreThenMultiPoint": func(p *profile, point config.Point) []config.Plugin {
		var list []config.Plugin
		for _, set := range [][]config.Plugin{p.in.Plugins[point].Enabled, p.in.Plugins[config.MultiPoint].Enabled} {
			for _, plugin := range set {
				if points, known := p.scheme.points(plugin.Name); known && points.has(point) && lastIndex(list, plugin.Name) < 0 {
					list = append(list, weighed(plugin))
				}
			}
		}
		return list
	},
}

// lastIndex finds a plugin by name; -1 where there is none. The lists are short.
func lastIndex(list []config.Plugin, name string) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Name == name {
			return i
		}
	}
	return -1
}

// weighed gives a plugin the weight that counts: none and 0 are 1.
func weighed(plugin config.Plugin) config.Plugin {
	if plugin.Weight != nil && *plugin.Weight != 0 {
		return plugin
	}
	weight := int32(1)
	return config.Plugin{Name: plugin.Name, Weight: &weight}
}

// overflows adds up as the release does, in 64 bits that wrap. A sum that went negative makes the
// room that is left wrap too, and whatever comes next is refused.
func overflows(weights []config.Plugin) bool {
	const maxNodeScore = 100
	var total int64
	for _, w := range weights {
		score := int64(*w.Weight) * maxNodeScore
		if room := math.MaxInt64 - total; score > room {
			return true
		}
		total += score
	}
	return false
}

// complete is the profile as 1.20 and later write it: plugins merged, args of the plugins in use.
func (s *Scheme) complete(in config.KubeSchedulerProfile, f Framework) config.KubeSchedulerProfile {
	out := config.KubeSchedulerProfile{
		SchedulerName:            in.SchedulerName,
		PercentageOfNodesToScore: in.PercentageOfNodesToScore,
		Plugins:                  maps.Clone(in.Plugins),
	}
	for _, point := range s.Release.Points {
		if _, ok := out.Plugins[config.Point(point)]; !ok && out.Plugins != nil {
			out.Plugins[config.Point(point)] = config.PluginSet{}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Args)) {
		out.PluginConfig = append(out.PluginConfig, config.PluginConfig{Name: name, Args: f.Args[name]})
	}
	return out
}

// compareQueueSort holds that all profiles sort the one queue alike.
func compareQueueSort(profiles []config.KubeSchedulerProfile, frameworks []Framework) []Refusal {
	var refusals []Refusal
	first, firstArgs, found := "", runtime.Object(nil), false
	for i, f := range frameworks {
		if len(f.Points[config.QueueSort]) != 1 {
			continue
		}
		name := f.Points[config.QueueSort][0].Name
		var args runtime.Object
		for _, c := range profiles[i].PluginConfig {
			if c.Name == name {
				args = c.Args
				break
			}
		}
		if !found {
			first, firstArgs, found = name, args, true
			continue
		}
		path := diag.Path{"profiles"}.Index(i)
		switch {
		case name != first:
			refusals = append(refusals, Refusal{
				Rule: RuleQueueSortBuiltDiffers, Path: path, Plugin: name,
				Message: fmt.Sprintf("this profile sorts the queue by %q, the first one by %q; there is one queue for all", name, first),
				Hint:    "enable the same queueSort plugin in all profiles",
			})
		case !reflect.DeepEqual(args, firstArgs):
			refusals = append(refusals, Refusal{
				Rule: RuleQueueSortBuiltDiffers, Path: path.Child("pluginConfig"), Plugin: name,
				Message: fmt.Sprintf("the args of queueSort plugin %q are not those of the first profile; there is one queue for all", name),
				Hint:    "give the plugin the same args in all profiles",
			})
		}
	}
	return refusals
}

// pointSet is what a plugin implements. A declared plugin without points fits wherever it is named.
type pointSet struct {
	points []string
	// bits has the bit of every point: expanding multiPoint asks for each plugin at each point.
	bits uint32
}

func newPointSet(points []string) pointSet {
	set := pointSet{points: points}
	for _, point := range points {
		set.bits |= bitOf(config.Point(point))
	}
	return set
}

// bitOf is the bit of a point, by its place among all points.
func bitOf(point config.Point) uint32 { return 1 << slices.Index(config.Points, point) }

func (s pointSet) has(point config.Point) bool { return len(s.points) == 0 || s.bits&bitOf(point) != 0 }

func pointHint(s pointSet) string {
	if len(s.points) == 0 {
		return ""
	}
	return "its points are " + strings.Join(s.points, ", ")
}

// points returns what the plugin implements; false when the release does not have it.
func (s *Scheme) points(name string) (pointSet, bool) {
	set, ok := s.implements[name]
	return set, ok
}

// Declare adds a plugin that the program under test is built with and the stock one is not. Without
// points it fits wherever it is named.
func (s *Scheme) Declare(name string, points ...string) {
	s.declared[name] = points
	s.implements[name] = newPointSet(points)
}

// defaultHubArgs returns the args that the release gives a plugin without any, or nil.
func (s *Scheme) defaultHubArgs(api *schemas.API, plugin string) runtime.Object {
	wire := s.defaultWireArgs(api, plugin)
	if wire == nil {
		return nil
	}
	hub := config.NewArgs(plugin + "Args")
	if err := s.types.Convert(wire, hub, context(api)); err != nil {
		panic(fmt.Sprintf("args of %s: %v", plugin, err))
	}
	return hub
}

// RawArgs reads args that a release leaves to its plugins, as those do: unknown keys are ignored and
// case does not matter. The target is one of the hub's args types.
func RawArgs(raw *runtime.Unknown, target runtime.Object) error {
	return json.Unmarshal(raw.Raw, target)
}

// DefaultPlugins are the names of the plugins that a profile runs that says nothing, sorted.
func (s *Scheme) DefaultPlugins(api *schemas.API) ([]string, error) {
	standard, err := s.unsaidProfile(api)
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range standard.framework.Used {
		if runsAnywhere(standard.framework, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Shifts reports whether a profile enables plugins at a point again that multiPoint brings in, so that it
// trips the loop of releases that delete from the list that they walk.
func Shifts(profile config.KubeSchedulerProfile) bool {
	overrides := map[string]bool{}
	for _, plugin := range profile.Plugins[config.MultiPoint].Enabled {
		overrides[plugin.Name] = true
	}
	for point, set := range profile.Plugins {
		if point == config.MultiPoint {
			continue
		}
		got, want := arrange["shifting"](set.Enabled, nil, overrides), arrange["expand"](set.Enabled, nil, overrides)
		if !slices.EqualFunc(got, want, func(a, b config.Plugin) bool { return a.Name == b.Name }) {
			return true
		}
	}
	return false
}
