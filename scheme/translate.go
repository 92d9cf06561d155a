// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package scheme

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/schedconf/schedconf/conversion"
	"github.com/schedconf/schedconf/defaults"
	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/config"
)

// Side is an apiVersion as one release reads it.
type Side struct {
	Scheme *Scheme
	API    *schemas.API
}

// Translation is a configuration carried from one apiVersion and release to another.
type Translation struct {
	// Object is the configuration in the apiVersion of the target, without defaults.
	Object runtime.Object
	// Changes are what is lost, moved, written out, or different on the target.
	Changes diag.List
	// Before and After are the frameworks on either side, Before as far as the target can have it.
	Before, After []Framework
}

// The rules of changes.
const (
	RuleFieldMoved      = "field-moved"
	RuleValueWritten    = "value-written"
	RulePluginDropped   = "plugin-dropped"
	RulePluginFolded    = "plugin-folded"
	RulePluginWritten   = "plugin-written"
	RulePluginNew       = "plugin-new"
	RuleArgsWritten     = "args-written"
	RuleArgsUnread      = "args-unread"
	RulePointUnread     = "point-unread"
	RuleMeaningChanged  = "meaning-changed"
	RulePolicyElsewhere = "policy-elsewhere"
)

// ErrPolicy is the error of a configuration whose plugins come from a Policy, which only an
// apiVersion with algorithmSource can point to.
var ErrPolicy = errors.New("the plugins come from a Policy, which is another document")

// Translate carries a configuration to another apiVersion and release. What the apiVersion lacks is
// reported. With preserve, what the source release did by default and the target does not is
// written out, so that the profiles come out the same as far as the target has their plugins;
// without, the target's defaults apply and what they change is reported.
func Translate(obj runtime.Object, from, to Side, preserve bool) (*Translation, error) {
	given, _, err := from.Scheme.ToHub(obj, from.API)
	if err != nil {
		return nil, err
	}
	if given.AlgorithmSource.Policy != nil && !strings.HasSuffix(to.API.APIVersion, "/v1alpha1") {
		return nil, ErrPolicy
	}
	t := &translator{from: from, to: to, preserve: preserve}
	if t.source, t.built, err = from.effective(obj); err != nil {
		return nil, err
	}
	t.declare()
	t.built = from.Scheme.Build(t.source, from.API)
	if t.built.Frameworks, err = from.Scheme.withProvider(t.source, from.API, t.built.Frameworks); err != nil {
		return nil, err
	}
	return t.translate(given)
}

// TranslateLoaded is Translate for a configuration with flags: given is what both say, and source the
// same with defaults. With keepDefaults, plugins that the target runs by default stay although the source
// did not run them.
func TranslateLoaded(given, source *config.KubeSchedulerConfiguration, from, to Side, keepDefaults bool) (*Translation, error) {
	t := &translator{from: from, to: to, preserve: true, keepDefaults: keepDefaults, source: source}
	t.declare()
	t.built = from.Scheme.Build(source, from.API)
	var err error
	if t.built.Frameworks, err = from.Scheme.withProvider(source, from.API, t.built.Frameworks); err != nil {
		return nil, err
	}
	return t.translate(given)
}

func (t *translator) translate(given *config.KubeSchedulerConfiguration) (*Translation, error) {
	t.out = given.DeepCopy()
	if len(t.out.Profiles) == 0 {
		// The profile that defaulting adds is there to be written to.
		t.out.Profiles = make([]config.KubeSchedulerProfile, 1)
	}
	t.restructure()
	if err := t.settle(); err != nil {
		return nil, err
	}
	if len(given.Profiles) == 0 && reflect.ValueOf(t.out.Profiles[0]).IsZero() {
		t.out.Profiles = nil
	}
	result, losses, err := t.to.Scheme.FromHub(t.out, t.to.API)
	if err != nil {
		return nil, err
	}
	_, after, err := t.to.effective(result.DeepCopyObject())
	if err != nil {
		return nil, err
	}
	changes := append(t.changes, losses...)
	changes.Sort()
	return &Translation{Object: result, Changes: changes, Before: t.want, After: after.Frameworks}, nil
}

// effective defaults a copy of the object and builds it.
func (s Side) effective(obj runtime.Object) (*config.KubeSchedulerConfiguration, *Built, error) {
	obj = obj.DeepCopyObject()
	s.Scheme.Default(obj)
	hub, _, err := s.Scheme.ToHub(obj, s.API)
	if err != nil {
		return nil, nil, err
	}
	return hub, s.Scheme.Build(hub, s.API), nil
}

type translator struct {
	from, to Side
	preserve bool
	// keepDefaults leaves plugins in that only the target runs.
	keepDefaults bool
	// source and built are what the source release makes of the configuration.
	source *config.KubeSchedulerConfiguration
	built  *Built
	// want are the frameworks that the target should come to.
	want    []Framework
	out     *config.KubeSchedulerConfiguration
	changes diag.List
}

func (t *translator) report(rule string, severity diag.Severity, path diag.Path, hint, format string, args ...any) {
	d := diag.Diagnostic{Rule: rule, Severity: severity, Path: path, Message: fmt.Sprintf(format, args...), Hint: hint}
	// Once is enough for a plugin, however many profiles and points it had.
	depth := len(path)
	if rule == RulePluginDropped || rule == RulePluginNew {
		depth = 0
	}
	if !slices.ContainsFunc(t.changes, func(o diag.Diagnostic) bool {
		return o.Rule == d.Rule && o.Message == d.Message && len(o.Path) >= depth && slices.Equal(o.Path[:depth], path[:depth])
	}) {
		t.changes = append(t.changes, d)
	}
}

// declare makes plugins that no release has known on both sides, since somebody's build has them.
func (t *translator) declare() {
	for _, profile := range t.source.Profiles {
		for _, set := range profile.Plugins {
			for _, plugin := range set.Enabled {
				if _, known := schemas.PluginSpan(plugin.Name); known || plugin.Name == "" {
					continue
				}
				for _, side := range []Side{t.from, t.to} {
					if _, declared := side.Scheme.declared[plugin.Name]; !declared {
						side.Scheme.Declare(plugin.Name)
					}
				}
			}
		}
	}
}

// has reports whether the target reads the field with the JSON name at the top level.
func (t *translator) has(name string) bool {
	shape, err := t.to.Scheme.Shape(t.to.API)
	if err != nil {
		return false
	}
	_, ok := shape.fields[name]
	return ok
}

// restructure moves what stands at different places in different apiVersions.
func (t *translator) restructure() {
	t.moveProvider()
	t.movePreemption()
	t.moveBindTimeout()
	t.moveHardWeight()
	t.dropAddresses()
	for i := range t.out.Profiles {
		profile := &t.out.Profiles[i]
		path := diag.Path{"profiles"}.Index(i)
		t.moveUnreserve(profile, path)
		t.moveArgs(i, profile, path)
		t.movePlugins(profile, path)
	}
	t.dropIgnored()
	t.want = make([]Framework, len(t.built.Frameworks))
	for i, f := range t.built.Frameworks {
		t.want[i] = t.wanted(f, diag.Path{"profiles"}.Index(i))
	}
}

func (t *translator) moveProvider() {
	provider := ptr.Deref(t.out.AlgorithmSource.Provider, "")
	if provider == "" || t.has("algorithmSource") {
		return
	}
	// The provider's plugins are in the built profiles, and settle writes out what differs.
	t.out.AlgorithmSource.Provider = nil
	if provider != "DefaultProvider" {
		t.report(RuleFieldMoved, diag.Info, diag.Path{"algorithmSource", "provider"}, "", "the plugins of provider %q are written into the profile", provider)
	}
}

const preemption = "DefaultPreemption"

func (t *translator) movePreemption() {
	if t.has("disablePreemption") {
		if _, isPlugin := t.from.Scheme.Release.Plugin(preemption); !isPlugin {
			return
		}
		without := 0
		for _, f := range t.built.Frameworks {
			if !runs(f, config.PostFilter, preemption) {
				without++
			}
		}
		if without > 0 && without < len(t.built.Frameworks) {
			t.report(RuleMeaningChanged, diag.Warning, diag.Path{"profiles"}, "", "preemption is off in some profiles only, which %s cannot say", t.to.API.APIVersion)
		} else if without > 0 {
			t.out.DisablePreemption = ptr.To(true)
			t.report(RuleFieldMoved, diag.Info, diag.Path{"profiles"}, "", "the disabled plugin %s becomes disablePreemption", preemption)
		}
		return
	}
	if ptr.Deref(t.out.DisablePreemption, false) {
		for i := range t.out.Profiles {
			addTo(&t.out.Profiles[i], config.PostFilter, nil, []config.Plugin{{Name: preemption}})
			for p := range t.built.Frameworks[i].Points {
				t.built.Frameworks[i].Points[p] = slices.DeleteFunc(t.built.Frameworks[i].Points[p], named(preemption))
			}
		}
		t.report(RuleFieldMoved, diag.Info, diag.Path{"disablePreemption"}, "", "disablePreemption becomes the plugin %s, disabled at postFilter", preemption)
	} else if _, isPlugin := t.from.Scheme.Release.Plugin(preemption); !isPlugin {
		for i := range t.built.Frameworks {
			t.built.Frameworks[i].Points[config.PostFilter] = []config.Plugin{{Name: preemption}}
			t.built.Frameworks[i].Used[preemption] = true
		}
	}
	t.out.DisablePreemption = nil
}

const volumeBinding = "VolumeBinding"

func (t *translator) moveBindTimeout() {
	const standard = 600
	if t.has("bindTimeoutSeconds") {
		for i, f := range t.built.Frameworks {
			args, ok := f.Args[volumeBinding].(*config.VolumeBindingArgs)
			if !ok || ptr.Deref(args.BindTimeoutSeconds, standard) == standard {
				continue
			}
			if i == 0 || ptr.Deref(t.out.BindTimeoutSeconds, standard) == *args.BindTimeoutSeconds {
				t.out.BindTimeoutSeconds = args.BindTimeoutSeconds
				t.report(RuleFieldMoved, diag.Info, diag.Path{"bindTimeoutSeconds"}, "", "bindTimeoutSeconds of %s moves to the top level", volumeBinding)
				continue
			}
			t.report(RuleMeaningChanged, diag.Warning, diag.Path{"profiles"}.Index(i), "", "profiles wait for volumes for different times, which %s cannot say", t.to.API.APIVersion)
		}
		return
	}
	if seconds := ptr.Deref(t.source.BindTimeoutSeconds, standard); seconds != standard {
		for i := range t.out.Profiles {
			setArgs(&t.out.Profiles[i], volumeBinding, &config.VolumeBindingArgs{BindTimeoutSeconds: ptr.To(seconds)})
		}
		t.report(RuleFieldMoved, diag.Info, diag.Path{"bindTimeoutSeconds"}, "", "bindTimeoutSeconds moves into the args of %s", volumeBinding)
	}
	t.out.BindTimeoutSeconds = nil
}

const interPodAffinity = "InterPodAffinity"

func (t *translator) moveHardWeight() {
	weight := t.out.HardPodAffinitySymmetricWeight
	if weight == nil || t.to.API.Behaviour.HardPodAffinityWeight == "field" {
		return
	}
	t.out.HardPodAffinitySymmetricWeight = nil
	for i := range t.out.Profiles {
		setArgs(&t.out.Profiles[i], interPodAffinity, &config.InterPodAffinityArgs{HardPodAffinityWeight: weight})
	}
	t.report(RuleFieldMoved, diag.Info, diag.Path{"hardPodAffinitySymmetricWeight"}, "", "hardPodAffinitySymmetricWeight moves into the args of %s", interPodAffinity)
}

// dropAddresses takes out bind addresses that the target reads and refuses.
func (t *translator) dropAddresses() {
	if t.to.API.Stage("address-port") == "" {
		return
	}
	for name, address := range map[string]**string{"healthzBindAddress": &t.out.HealthzBindAddress, "metricsBindAddress": &t.out.MetricsBindAddress} {
		if ptr.Deref(*address, "") != "" && !strings.HasSuffix(**address, ":0") {
			t.report(conversion.RuleFieldDropped, diag.Warning, diag.Path{name}, "health and metrics are served on the secure port (--secure-port)",
				"Kubernetes %s has no insecure port", t.to.Scheme.Release.Name)
			*address = nil
		}
	}
}

// dropIgnored takes out NodeResourcesFit args where the target adds its own for what extenders manage.
func (t *translator) dropIgnored() {
	if t.to.Scheme.Release.Behaviour.IgnoredByScheduler != "append" || !slices.ContainsFunc(t.out.Extenders, func(e config.Extender) bool {
		return slices.ContainsFunc(e.ManagedResources, func(r config.ExtenderManagedResource) bool { return r.IgnoredByScheduler })
	}) {
		return
	}
	for i := range t.out.Profiles {
		list := &t.out.Profiles[i].PluginConfig
		if slices.ContainsFunc(*list, func(c config.PluginConfig) bool { return c.Name == fitPlugin }) {
			t.report(conversion.RuleArgsDropped, diag.Warning, diag.Path{"profiles"}.Index(i).Child("pluginConfig"), "",
				"Kubernetes %s writes the args of %s itself when an extender has ignoredByScheduler", t.to.Scheme.Release.Name, fitPlugin)
			*list = slices.DeleteFunc(*list, func(c config.PluginConfig) bool { return c.Name == fitPlugin })
		}
	}
}

func (t *translator) moveUnreserve(profile *config.KubeSchedulerProfile, path diag.Path) {
	set, given := profile.Plugins[config.Unreserve]
	if !given || slices.Contains(t.to.Scheme.Release.Points, string(config.Unreserve)) {
		return
	}
	delete(profile.Plugins, config.Unreserve)
	if len(set.Enabled)+len(set.Disabled) == 0 {
		return
	}
	addTo(profile, config.Reserve, set.Enabled, set.Disabled)
	t.report(RuleFieldMoved, diag.Info, path.Child("plugins", "unreserve"), "", "the plugins of unreserve move to reserve, which undoes its own reservations since 1.19")
}

// renamed are plugins that changed their name and nothing else (1.19 framework/plugins/registry.go).
var renamed = map[string]string{"DefaultPodTopologySpread": "SelectorSpread", "SelectorSpread": "DefaultPodTopologySpread"}

// movePlugins takes out plugins that the target does not have.
func (t *translator) movePlugins(profile *config.KubeSchedulerProfile, path diag.Path) {
	for _, point := range slices.Sorted(maps.Keys(profile.Plugins)) {
		set := profile.Plugins[point]
		if unread(t.from, point) {
			delete(profile.Plugins, point)
			if len(set.Enabled)+len(set.Disabled) > 0 {
				t.report(RulePointUnread, diag.Warning, path.Child("plugins", string(point)), "",
					"Kubernetes %s does not read %s in %s, so it is left out", t.from.Scheme.Release.Name, point, t.from.API.APIVersion)
			}
			continue
		}
		if unread(t.to, point) {
			// What it comes to is written out at the points that the target reads.
			delete(profile.Plugins, point)
			if len(set.Enabled)+len(set.Disabled) > 0 {
				t.report(conversion.RulePointDropped, diag.Warning, path.Child("plugins", string(point)), "",
					"Kubernetes %s does not read %s in %s", t.to.Scheme.Release.Name, point, t.to.API.APIVersion)
			}
			continue
		}
		set.Enabled = t.available(set.Enabled, path.Child("plugins", string(point), "enabled"), true)
		set.Disabled = t.available(set.Disabled, path.Child("plugins", string(point), "disabled"), false)
		if t.to.API.Behaviour.MergePlugins == "append" {
			set = t.disableDefaults(point, set)
		}
		profile.Plugins[point] = set
	}
}

// unread reports whether a release has the field of a point and drops what stands there.
func unread(side Side, point config.Point) bool {
	return side.API.Behaviour.MergePlugins != "never" && !slices.Contains(side.API.MergedPoints, string(point)) &&
		(point == config.MultiPoint && side.Scheme.Release.Behaviour.MultiPoint != "" || slices.Contains(side.Scheme.Release.Points, string(point)))
}

// disableDefaults disables what is enabled again, since the target appends to its defaults.
func (t *translator) disableDefaults(point config.Point, set config.PluginSet) config.PluginSet {
	standard := defaults.Plugins(t.to.API, t.to.Scheme.Gates)[point].Enabled
	for _, plugin := range set.Enabled {
		if slices.ContainsFunc(standard, named(plugin.Name)) && !slices.ContainsFunc(set.Disabled, func(p config.Plugin) bool { return p.Name == plugin.Name || p.Name == "*" }) {
			set.Disabled = append(slices.Clone(set.Disabled), config.Plugin{Name: plugin.Name})
		}
	}
	return set
}

func (t *translator) available(list []config.Plugin, path diag.Path, enabled bool) []config.Plugin {
	var kept []config.Plugin
	for _, plugin := range list {
		if name := t.nameOf(plugin.Name); name != "" {
			plugin.Name = name
			kept = append(kept, plugin)
			continue
		}
		if _, folds := scorers[plugin.Name]; enabled && !folds {
			t.report(RulePluginDropped, diag.Warning, path, t.to.Scheme.PluginHint(plugin.Name),
				"plugin %q does not exist in Kubernetes %s", plugin.Name, t.to.Scheme.Release.Name)
		}
	}
	return kept
}

// nameOf is the name that the target has for a plugin, or nothing where it cannot have it.
func (t *translator) nameOf(name string) string {
	if name == "*" {
		return name
	}
	for _, candidate := range []string{name, renamed[name]} {
		if candidate == "" || slices.Contains(t.to.API.InvalidPlugins, candidate) {
			continue
		}
		if _, known := t.to.Scheme.points(candidate); known {
			return candidate
		}
	}
	return ""
}

// moveArgs turns args of one kind of typing into the other.
func (t *translator) moveArgs(i int, profile *config.KubeSchedulerProfile, path diag.Path) {
	kept := profile.PluginConfig[:0]
	for j, entry := range profile.PluginConfig {
		where := path.Child("pluginConfig").Index(j)
		if t.nameOf(entry.Name) == "" {
			if _, inTree := schemas.PluginSpan(entry.Name); inTree {
				if _, folds := scorers[entry.Name]; !folds {
					t.report(conversion.RuleArgsDropped, diag.Warning, where, "", "the args of plugin %q are dropped with it", entry.Name)
				}
				continue
			}
		} else {
			entry.Name = t.nameOf(entry.Name)
		}
		if raw, ok := entry.Args.(*runtime.Unknown); ok {
			if entry.Args = t.typedArgs(i, entry.Name, raw, where); entry.Args == nil {
				continue
			}
		} else if entry.Args != nil && t.to.API.Behaviour.Args == "raw" && !slices.Contains(t.to.API.RawArgs, entry.Name) {
			if entry.Name != volumeBinding {
				t.report(conversion.RuleArgsDropped, diag.Warning, where, "", "Kubernetes %s has no args for plugin %q", t.to.Scheme.Release.Name, entry.Name)
			}
			continue
		}
		t.dropGated(&entry, where)
		kept = append(kept, entry)
	}
	profile.PluginConfig = kept
}

// dropGated takes out args fields that need a feature gate which is off on the target.
func (t *translator) dropGated(entry *config.PluginConfig, where diag.Path) {
	if _, raw := entry.Args.(*runtime.Unknown); raw || entry.Args == nil || t.to.API.Behaviour.Args == "raw" {
		return
	}
	args := entry.Args.DeepCopyObject()
	for i := range reflect.ValueOf(args).Elem().NumField() {
		field, name := reflect.ValueOf(args).Elem().Field(i), reflect.TypeOf(args).Elem().Field(i).Name
		if name != "TypeMeta" && !field.IsZero() && !t.gateOn(entry.Name, name) {
			field.SetZero()
			t.report(conversion.RuleFieldDropped, diag.Warning, where.Child("args", lowerCamel(name)), "", "the feature gate of %s is off in Kubernetes %s", lowerCamel(name), t.to.Scheme.Release.Name)
		}
	}
	entry.Args = args
}

// typedArgs reads raw args into the type that the target has for them.
func (t *translator) typedArgs(i int, name string, raw *runtime.Unknown, where diag.Path) runtime.Object {
	if t.to.API.Behaviour.Args == "raw" || !slices.Contains(t.to.API.Args, name+"Args") {
		return raw
	}
	if t.from.API.Behaviour.Args == "raw" && !slices.Contains(t.from.API.RawArgs, name) || !t.built.Frameworks[i].Used[name] {
		t.report(RuleArgsUnread, diag.Warning, where, "", "Kubernetes %s did not read the args of plugin %q, so they are left out", t.from.Scheme.Release.Name, name)
		return nil
	}
	args := config.NewArgs(name + "Args")
	if err := RawArgs(raw, args); err != nil {
		t.report(conversion.RuleArgsDropped, diag.Warning, where, "", "the args of plugin %q cannot be read", name)
		return nil
	}
	return args
}

// scorers are the plugins that NodeResourcesFit took over with its scoring strategies (1.22).
var scorers = map[string]func(args runtime.Object) *config.ScoringStrategy{
	"NodeResourcesLeastAllocated": func(args runtime.Object) *config.ScoringStrategy {
		s := &config.ScoringStrategy{Type: "LeastAllocated"}
		if typed, ok := args.(*config.NodeResourcesLeastAllocatedArgs); ok {
			s.Resources = typed.Resources
		}
		return s
	},
	"NodeResourcesMostAllocated": func(args runtime.Object) *config.ScoringStrategy {
		s := &config.ScoringStrategy{Type: "MostAllocated"}
		if typed, ok := args.(*config.NodeResourcesMostAllocatedArgs); ok {
			s.Resources = typed.Resources
		}
		return s
	},
	"RequestedToCapacityRatio": func(args runtime.Object) *config.ScoringStrategy {
		s := &config.ScoringStrategy{Type: "RequestedToCapacityRatio", RequestedToCapacityRatio: &config.RequestedToCapacityRatioParam{}}
		if typed, ok := args.(*config.RequestedToCapacityRatioArgs); ok {
			s.Resources = typed.Resources
			s.RequestedToCapacityRatio.Shape = typed.Shape
		}
		return s
	},
}

var cpuAndMemory = []config.ResourceSpec{{Name: "cpu", Weight: 1}, {Name: "memory", Weight: 1}}

// wanted is the framework of the source as far as the target can have it.
func (t *translator) wanted(f Framework, path diag.Path) Framework {
	out := Framework{SchedulerName: f.SchedulerName, Points: map[config.Point][]config.Plugin{}, Used: map[string]bool{}, Args: maps.Clone(f.Args)}
	for name, args := range f.Args {
		if raw, ok := args.(*runtime.Unknown); ok && slices.Contains(t.from.API.RawArgs, name) {
			if typed := config.NewArgs(name + "Args"); typed != nil && RawArgs(raw, typed) == nil {
				out.Args[name] = typed
			}
		}
	}
	for name := range f.Used {
		if target := t.nameOf(name); target != "" {
			out.Used[target] = true
		}
	}
	for point, list := range f.Points {
		if point == config.Unreserve {
			point = config.Reserve
		}
		for _, plugin := range list {
			if spreads[plugin.Name] && slices.ContainsFunc(list, named(topologySpread)) && t.nameOf(plugin.Name) == "" {
				continue // the weight of PodTopologySpread itself counts
			}
			folded, ok := t.fold(plugin, out, path)
			if !ok || slices.ContainsFunc(out.Points[point], named(folded.Name)) {
				continue
			}
			if points, known := t.to.Scheme.points(folded.Name); known && points.has(point) && slices.Contains(t.to.Scheme.Release.Points, string(point)) {
				out.Points[point] = append(out.Points[point], folded)
				out.Used[folded.Name] = true
			}
		}
	}
	t.foldSpread(f, out, path)
	return out
}

// gravity is how much it matters that a plugin is gone: less where nobody asked for it.
func (t *translator) gravity(name string) diag.Severity {
	for _, set := range t.from.Scheme.facts(t.from.API).Plugins {
		if slices.ContainsFunc(set.Enabled, named(name)) {
			return diag.Info
		}
	}
	return diag.Warning
}

// fold is the plugin under the name and with the args that the target has for it.
func (t *translator) fold(plugin config.Plugin, out Framework, path diag.Path) (config.Plugin, bool) {
	if name := t.nameOf(plugin.Name); name != "" {
		plugin.Name = name
		return plugin, true
	}
	if spreads[plugin.Name] && t.nameOf(topologySpread) != "" && !unread(t.to, config.Score) {
		return config.Plugin{Name: topologySpread, Weight: plugin.Weight}, true
	}
	strategy, folds := scorers[plugin.Name]
	if !folds || t.to.Scheme.Release.Behaviour.Weights == "anyPoint" {
		if plugin.Name != "" {
			t.report(RulePluginDropped, t.gravity(plugin.Name), path.Child("plugins"), t.to.Scheme.PluginHint(plugin.Name),
				"plugin %q does not exist in Kubernetes %s", plugin.Name, t.to.Scheme.Release.Name)
		}
		return plugin, false
	}
	args, _ := out.Args[fitPlugin].(*config.NodeResourcesFitArgs)
	if args == nil {
		args = &config.NodeResourcesFitArgs{}
	}
	args = args.DeepCopy()
	if slices.ContainsFunc(out.Points[config.Score], named(fitPlugin)) {
		t.report(RulePluginDropped, diag.Warning, path.Child("plugins", "score"), "", "%q scores beside another plugin that %s took over; it can only follow one of them", plugin.Name, fitPlugin)
		return plugin, false
	}
	args.ScoringStrategy = strategy(out.Args[plugin.Name])
	if len(args.ScoringStrategy.Resources) == 0 {
		args.ScoringStrategy.Resources = slices.Clone(cpuAndMemory)
	}
	for i := range args.ScoringStrategy.Resources {
		if args.ScoringStrategy.Resources[i].Weight == 0 {
			args.ScoringStrategy.Resources[i].Weight = 1
		}
	}
	out.Args[fitPlugin] = args
	t.report(RulePluginFolded, diag.Info, path.Child("plugins", "score"), "", "%q becomes %s with scoringStrategy.type %s", plugin.Name, fitPlugin, args.ScoringStrategy.Type)
	return config.Plugin{Name: fitPlugin, Weight: plugin.Weight}, true
}

const topologySpread = "PodTopologySpread"

// spreads are the plugins that PodTopologySpread took over with its built-in constraints (1.20
// framework/plugins/legacy_registry.go, SelectorSpreadPriority).
var spreads = map[string]bool{"SelectorSpread": true, "DefaultPodTopologySpread": true}

// foldSpread says how pods without constraints of their own are spread: by the built-in constraints
// where SelectorSpread did it and is gone, by the list alone where no built-in ones existed.
func (t *translator) foldSpread(f Framework, out Framework, path diag.Path) {
	if !out.Used[topologySpread] {
		if _, target := t.to.Scheme.points(topologySpread); target && t.isNew(topologySpread) {
			// Pods with constraints of their own are new too; those without were not spread.
			out.Args[topologySpread] = &config.PodTopologySpreadArgs{DefaultingType: "List"}
		}
		return
	}
	args, _ := out.Args[topologySpread].(*config.PodTopologySpreadArgs)
	if args == nil {
		args = &config.PodTopologySpreadArgs{}
	}
	if args.DefaultingType != "" {
		return
	}
	args = args.DeepCopy()
	args.DefaultingType = "List"
	for _, name := range slices.Sorted(maps.Keys(spreads)) {
		if runs(f, config.Score, name) && t.nameOf(name) == "" && len(args.DefaultConstraints) == 0 {
			args.DefaultingType = "System"
			t.report(RulePluginFolded, diag.Info, path.Child("plugins", "score"), "", "%q becomes %s with its built-in constraints, which spread alike but not equally", name, topologySpread)
		}
	}
	out.Args[topologySpread] = args
}

// settle compares what the target makes of the result with what is wanted, and writes out the
// difference until there is none, or none that the target can say.
func (t *translator) settle() error {
	const rounds = 4
	for range rounds {
		obj, _, err := t.to.Scheme.FromHub(t.out, t.to.API)
		if err != nil {
			return err
		}
		hub, built, err := t.to.effective(obj)
		if err != nil {
			return err
		}
		changed := t.settleFields(hub)
		for i := range t.out.Profiles {
			if i < len(built.Frameworks) && i < len(t.want) {
				changed = t.settleProfile(i, built.Frameworks[i]) || changed
			}
		}
		if !changed || !t.preserve {
			return nil
		}
	}
	return nil
}

// settleFields writes out top-level values whose defaults differ.
func (t *translator) settleFields(got *config.KubeSchedulerConfiguration) bool {
	changed := false
	for _, f := range preservedFields {
		want, have, out := f.of(t.source), f.of(got), f.of(t.out)
		if f.name == "leaderElection.resourceLock" && t.changeLock(want.String(), out) {
			changed = true
			continue
		}
		if reflect.DeepEqual(want.Interface(), have.Interface()) || want.Kind() == reflect.Pointer && want.IsNil() {
			continue
		}
		path := diag.ParsePath(f.name)
		if f.name == "leaderElection.resourceLock" && !slices.Contains(t.to.Scheme.Release.ResourceLocks, want.String()) {
			continue
		}
		if len(path) == 1 && !t.has(path[0]) {
			continue
		}
		if !t.preserve {
			t.report(RuleMeaningChanged, diag.Warning, path, "", "%s was %s by default and is %s now", f.name, show(want), show(have))
			continue
		}
		out.Set(want)
		changed = true
		t.report(RuleValueWritten, diag.Info, path, "", "%s: %s is written out, since the default is another", f.name, show(want))
	}
	return changed
}

// changeLock takes out a lock that the target does not have. It reports whether it changed anything.
func (t *translator) changeLock(want string, out reflect.Value) bool {
	if slices.Contains(t.to.Scheme.Release.ResourceLocks, want) || !ptr.Deref(t.source.LeaderElection.LeaderElect, false) {
		return false
	}
	t.report(RuleMeaningChanged, diag.Warning, diag.Path{"leaderElection", "resourceLock"},
		"replicas with different locks do not see each other: go through endpointsleases or configmapsleases, or stop one before you start the other",
		"the lock %q does not exist in Kubernetes %s", want, t.to.Scheme.Release.Name)
	changed := out.String() != ""
	out.SetString("")
	return changed
}

func show(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "not set"
		}
		v = v.Elem()
	}
	return fmt.Sprintf("%v", v.Interface())
}

// preservedFields are the top-level fields that every apiVersion understands alike and whose
// defaults differ between releases.
var preservedFields = []struct {
	name string
	of   func(*config.KubeSchedulerConfiguration) reflect.Value
}{
	{"parallelism", func(c *config.KubeSchedulerConfiguration) reflect.Value {
		return reflect.ValueOf(&c.Parallelism).Elem()
	}},
	{"percentageOfNodesToScore", func(c *config.KubeSchedulerConfiguration) reflect.Value {
		return reflect.ValueOf(&c.PercentageOfNodesToScore).Elem()
	}},
	{"podInitialBackoffSeconds", func(c *config.KubeSchedulerConfiguration) reflect.Value {
		return reflect.ValueOf(&c.PodInitialBackoffSeconds).Elem()
	}},
	{"podMaxBackoffSeconds", func(c *config.KubeSchedulerConfiguration) reflect.Value {
		return reflect.ValueOf(&c.PodMaxBackoffSeconds).Elem()
	}},
	{"enableProfiling", func(c *config.KubeSchedulerConfiguration) reflect.Value {
		return reflect.ValueOf(&c.EnableProfiling).Elem()
	}},
	{"enableContentionProfiling", func(c *config.KubeSchedulerConfiguration) reflect.Value {
		return reflect.ValueOf(&c.EnableContentionProfiling).Elem()
	}},
	{"leaderElection.resourceLock", func(c *config.KubeSchedulerConfiguration) reflect.Value {
		return reflect.ValueOf(&c.LeaderElection.ResourceLock).Elem()
	}},
}

// settleProfile writes out what the target would run differently in one profile.
func (t *translator) settleProfile(i int, got Framework) bool {
	changed := false
	profile, path := &t.out.Profiles[i], diag.Path{"profiles"}.Index(i)
	if t.preserve && !t.keepDefaults && t.disableEverywhere(i, got, profile, path) {
		return true
	}
	for _, name := range t.to.Scheme.Release.Points {
		point := config.Point(name)
		want := t.wantedAt(i, point, got)
		for _, plugin := range got.Points[point] {
			if slices.ContainsFunc(want, named(plugin.Name)) {
				continue
			}
			if t.isNew(plugin.Name) {
				t.report(RulePluginNew, diag.Info, path.Child("plugins", name), "", "Kubernetes %s runs %q by default, which Kubernetes %s did not",
					t.to.Scheme.Release.Name, plugin.Name, t.from.Scheme.Release.Name)
				continue
			}
			if !t.preserve || t.keepDefaults {
				t.report(RuleMeaningChanged, diag.Warning, path.Child("plugins", name), "", "%q runs at %s now, which it did not", plugin.Name, name)
				continue
			}
			if t.disable(profile, point, plugin.Name) {
				changed = true
				t.report(RulePluginWritten, diag.Info, path.Child("plugins", name), "", "%q is disabled at %s, where it did not run", plugin.Name, name)
			}
		}
		for _, plugin := range want {
			at := slices.IndexFunc(got.Points[point], named(plugin.Name))
			if at >= 0 && ptr.Equal(got.Points[point][at].Weight, plugin.Weight) {
				continue
			}
			if !t.preserve {
				t.report(RuleMeaningChanged, diag.Warning, path.Child("plugins", name), "", "%s", differs(plugin, got.Points[point], at, name))
				continue
			}
			if t.enable(profile, point, plugin, at >= 0) {
				changed = true
				t.report(RulePluginWritten, diag.Info, path.Child("plugins", name), "", "%q is written out at %s%s, since the default is another", plugin.Name, name, withWeight(plugin))
			}
		}
	}
	return t.settleArgs(i, got, profile, path) || changed
}

// isNew reports whether the source release could not run the plugin yet: it did not have it, or had
// it behind a feature gate that was off, so that there was nothing for it to do.
func (t *translator) isNew(name string) bool {
	for _, api := range t.from.Scheme.Release.APIs {
		for _, gated := range api.GatedPlugins {
			if gated.Name == name && t.from.Scheme.Gates[gated.Gate] != gated.On && !scoresAlone(gated) {
				return true
			}
		}
	}
	for _, candidate := range []string{name, renamed[name]} {
		if _, known := t.sourcePoints(candidate); known {
			return false
		}
	}
	return !schemas.PluginBefore(name, t.from.Scheme.Release.Minor())
}

// sourcePoints are the points of a plugin in the source release, or those at which it did what the
// plugin does later.
func (t *translator) sourcePoints(name string) (pointSet, bool) {
	if points, known := t.from.Scheme.points(name); known {
		return points, true
	}
	return t.from.Scheme.nativePoints(name)
}

// scoresAlone holds for a gate that adds a plugin of old to the scoring ones.
func scoresAlone(gated schemas.GatedPlugin) bool { return gated.Point == string(config.Score) }

func differs(want config.Plugin, got []config.Plugin, at int, point string) string {
	if at < 0 {
		return fmt.Sprintf("%q does not run at %s any more", want.Name, point)
	}
	return fmt.Sprintf("the weight of %q at %s was %d and is %d now", want.Name, point, *want.Weight, *got[at].Weight)
}

func withWeight(plugin config.Plugin) string {
	if plugin.Weight == nil {
		return ""
	}
	return fmt.Sprintf(" with weight %d", *plugin.Weight)
}

// wantedAt is what should run at a point of the target. A plugin in use that the source release
// could not have run there, since it did not implement the point yet, runs where the target puts it.
func (t *translator) wantedAt(i int, point config.Point, got Framework) []config.Plugin {
	want := slices.Clone(t.want[i].Points[point])
	for _, plugin := range got.Points[point] {
		if slices.ContainsFunc(want, named(plugin.Name)) || !t.want[i].Used[plugin.Name] {
			continue
		}
		source, known := t.sourcePoints(plugin.Name)
		if !known {
			source, known = t.sourcePoints(renamed[plugin.Name])
		}
		if known && !source.has(point) {
			want = append(want, plugin)
		}
	}
	return want
}

// disableEverywhere takes plugins out of multiPoint that should not run at any point.
func (t *translator) disableEverywhere(i int, got Framework, profile *config.KubeSchedulerProfile, path diag.Path) bool {
	if !slices.Contains(t.to.API.MergedPoints, string(config.MultiPoint)) {
		return false
	}
	changed := false
	for _, plugin := range t.to.Scheme.facts(t.to.API).Plugins[config.MultiPoint].Enabled {
		unwanted := runsAnywhere(got, plugin.Name) && !t.isNew(plugin.Name)
		for point := range got.Points {
			if runs(got, point, plugin.Name) && slices.ContainsFunc(t.wantedAt(i, point, got), named(plugin.Name)) {
				unwanted = false
			}
		}
		if unwanted && t.disable(profile, config.MultiPoint, plugin.Name) {
			changed = true
			t.report(RulePluginWritten, diag.Info, path.Child("plugins", "multiPoint"), "", "%q is disabled, since it did not run", plugin.Name)
		}
	}
	return changed
}

// disable takes a plugin from a point. It reports whether that changed anything.
func (t *translator) disable(profile *config.KubeSchedulerProfile, point config.Point, name string) bool {
	set := profile.Plugins[point]
	enabled := len(set.Enabled)
	set.Enabled = slices.DeleteFunc(slices.Clone(set.Enabled), named(name))
	if slices.ContainsFunc(set.Disabled, named(name)) && len(set.Enabled) == enabled {
		return false
	}
	if !slices.ContainsFunc(set.Disabled, named(name)) && !slices.ContainsFunc(set.Disabled, named("*")) {
		set.Disabled = append(slices.Clone(set.Disabled), config.Plugin{Name: name})
	}
	put(profile, point, set)
	return true
}

// enable adds a plugin to a point, or gives it another weight there.
func (t *translator) enable(profile *config.KubeSchedulerProfile, point config.Point, plugin config.Plugin, running bool) bool {
	if !slices.Contains(t.to.API.MergedPoints, string(point)) {
		// The release drops what the file says at this point; multiPoint is another way there.
		if !slices.Contains(t.to.API.MergedPoints, string(config.MultiPoint)) || slices.ContainsFunc(profile.Plugins[config.MultiPoint].Enabled, named(plugin.Name)) {
			return false
		}
		addTo(profile, config.MultiPoint, []config.Plugin{{Name: plugin.Name}}, nil)
		return true
	}
	set := profile.Plugins[point]
	set.Enabled, set.Disabled = slices.Clone(set.Enabled), slices.Clone(set.Disabled)
	at := slices.IndexFunc(set.Enabled, named(plugin.Name))
	if at >= 0 && ptr.Equal(set.Enabled[at].Weight, plugin.Weight) {
		if !running && slices.ContainsFunc(set.Disabled, named(plugin.Name)) {
			return false
		}
		// Where the defaults are appended to, a plugin that they have must leave them first.
		if strings.HasPrefix(t.to.API.Behaviour.MergePlugins, "append") && !slices.ContainsFunc(set.Disabled, named(plugin.Name)) {
			set.Disabled = append(set.Disabled, config.Plugin{Name: plugin.Name})
			put(profile, point, set)
			return true
		}
		return false
	}
	if at >= 0 {
		set.Enabled[at] = plugin
	} else {
		set.Enabled = append(set.Enabled, plugin)
	}
	if running && strings.HasPrefix(t.to.API.Behaviour.MergePlugins, "append") && !slices.ContainsFunc(set.Disabled, named(plugin.Name)) {
		set.Disabled = append(set.Disabled, config.Plugin{Name: plugin.Name})
	}
	put(profile, point, set)
	return true
}

// settleArgs writes out args whose defaults differ.
func (t *translator) settleArgs(i int, got Framework, profile *config.KubeSchedulerProfile, path diag.Path) bool {
	if t.to.API.Behaviour.Args == "raw" {
		return false
	}
	changed := false
	for _, name := range slices.Sorted(maps.Keys(got.Args)) {
		want, have := t.want[i].Args[name], got.Args[name]
		if want == nil || reflect.TypeOf(want) != reflect.TypeOf(have) {
			continue
		}
		for _, field := range differing(want, have) {
			if !t.known(name, field) || !t.gateOn(name, field) {
				continue
			}
			if !t.preserve {
				t.report(RuleMeaningChanged, diag.Warning, path.Child("pluginConfig"), "", "%s of %s has another default now", lowerCamel(field), name)
				continue
			}
			if writeField(profile, name, field, want) {
				changed = true
				t.report(RuleArgsWritten, diag.Info, path.Child("pluginConfig"), "", "%s of %s is written out, since the default is another", lowerCamel(field), name)
			}
		}
	}
	return changed
}

// ShapeGate is the feature gate that VolumeBinding's shape needs in a release.
func ShapeGate(release *schemas.Release) string {
	if _, ok := release.Gate("StorageCapacityScoring"); ok {
		return "StorageCapacityScoring"
	}
	return "VolumeCapacityPriority"
}

// gateOn reports whether the target would take the args field, which may need a feature gate.
func (t *translator) gateOn(plugin, field string) bool {
	switch plugin + "." + field {
	case "VolumeBinding.Shape":
		return t.to.Scheme.Gates[ShapeGate(t.to.Scheme.Release)]
	case "DynamicResources.FilterTimeout":
		return t.to.Scheme.Gates["DRASchedulerFilterTimeout"]
	case "DynamicResources.BindingTimeout":
		return t.to.Scheme.Gates["DRADeviceBindingConditions"] && t.to.Scheme.Gates["DRAResourceClaimDeviceStatus"]
	}
	return true
}

// known reports whether the target has the args field at all.
func (t *translator) known(plugin, field string) bool {
	shape, err := t.to.Scheme.Shape(t.to.API)
	if err != nil {
		return false
	}
	args, ok := shape.fields["profiles"].items.fields["pluginConfig"].items.argsByName[plugin]
	if !ok {
		return false
	}
	_, ok = args.fields[lowerCamel(field)]
	return ok
}

// differing lists the fields in which two args objects of one type differ, an unset field of the
// wanted one aside: it had no meaning in the source.
func differing(want, have runtime.Object) []string {
	a, b := reflect.ValueOf(want).Elem(), reflect.ValueOf(have).Elem()
	var fields []string
	for i := range a.NumField() {
		name := a.Type().Field(i).Name
		if name == "TypeMeta" || a.Field(i).IsZero() && a.Field(i).Kind() != reflect.Slice && a.Field(i).Kind() != reflect.Bool {
			continue
		}
		if a.Field(i).Kind() == reflect.Slice && a.Field(i).Len() == 0 && b.Field(i).Len() == 0 {
			continue
		}
		if !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			fields = append(fields, name)
		}
	}
	return fields
}

// writeField sets one field of the args that the profile gives a plugin.
func writeField(profile *config.KubeSchedulerProfile, plugin, field string, want runtime.Object) bool {
	var args runtime.Object
	at := slices.IndexFunc(profile.PluginConfig, func(c config.PluginConfig) bool { return c.Name == plugin })
	if at >= 0 {
		args = profile.PluginConfig[at].Args
	}
	if args == nil || reflect.TypeOf(args) != reflect.TypeOf(want) {
		args = config.NewArgs(plugin + "Args")
	} else {
		args = args.DeepCopyObject()
	}
	out := reflect.ValueOf(args).Elem().FieldByName(field)
	value := reflect.ValueOf(want).Elem().FieldByName(field)
	if reflect.DeepEqual(out.Interface(), value.Interface()) {
		return false
	}
	out.Set(value)
	if at < 0 {
		profile.PluginConfig = append(profile.PluginConfig, config.PluginConfig{Name: plugin})
		at = len(profile.PluginConfig) - 1
	}
	profile.PluginConfig[at].Args = args
	return true
}

func setArgs(profile *config.KubeSchedulerProfile, plugin string, args runtime.Object) {
	for i := range reflect.ValueOf(args).Elem().NumField() {
		field := reflect.TypeOf(args).Elem().Field(i)
		if field.Name != "TypeMeta" && !reflect.ValueOf(args).Elem().Field(i).IsZero() {
			writeField(profile, plugin, field.Name, args)
		}
	}
}

func addTo(profile *config.KubeSchedulerProfile, point config.Point, enabled, disabled []config.Plugin) {
	set := profile.Plugins[point]
	for _, plugin := range enabled {
		if !slices.ContainsFunc(set.Enabled, named(plugin.Name)) {
			set.Enabled = append(slices.Clone(set.Enabled), plugin)
		}
	}
	for _, plugin := range disabled {
		if !slices.ContainsFunc(set.Disabled, named(plugin.Name)) {
			set.Disabled = append(slices.Clone(set.Disabled), plugin)
		}
	}
	put(profile, point, set)
}

func put(profile *config.KubeSchedulerProfile, point config.Point, set config.PluginSet) {
	if profile.Plugins == nil {
		profile.Plugins = config.Plugins{}
	}
	profile.Plugins[point] = set
}

func named(name string) func(config.Plugin) bool {
	return func(p config.Plugin) bool { return p.Name == name }
}

func runs(f Framework, point config.Point, name string) bool {
	return slices.ContainsFunc(f.Points[point], named(name))
}

func lowerCamel(name string) string { return strings.ToLower(name[:1]) + name[1:] }
