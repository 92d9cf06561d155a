// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package scheme

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/policyv1"
	"github.com/schedconf/schedconf/scheme/source"
)

// Start is what a kube-scheduler is started with.
type Start struct {
	// Doc is the configuration file; nil without --config.
	Doc *source.Document
	// Flags are those of the command line, in order.
	Flags []FlagValue
	// Gates are the feature gates that somebody set. The scheme has their states already; here they
	// only tell a gate from a default.
	Gates map[string]bool
	// Policy is the Policy that the plugins come from, and PolicyDoc the document that it was read
	// from. Without it a configuration that names a Policy has no profiles here.
	Policy    *policyv1.Policy
	PolicyDoc *source.Document
}

// Resolved is what a release runs with, and where each part of it is from.
type Resolved struct {
	// Fields are the values by path, in the order of paths. Of a list of objects each field has a
	// path; any other list is one value. Args stand under profiles[0].args.PLUGIN.
	Fields   []Field
	Profiles []Profile
	// Refusals are the reasons not to start that only building the profiles brings up.
	Refusals []Refusal
	// Built is what the release makes of the configuration.
	Built *Built
	// Policy is what it makes of the Policy; nil without one.
	Policy *BuiltPolicy
	// Config is the configuration with the flags that count, before anything was built.
	Config *config.KubeSchedulerConfiguration
	// Given is the same without defaults: what the file and the flags say.
	Given *config.KubeSchedulerConfiguration
	// API is the apiVersion of the configuration.
	API *schemas.API
}

// Origin says where a part is from.
type Origin string

// The origins of fields and plugins. OfMultiPoint, OfProvider and OfPolicy are those of plugins alone.
const (
	OfDefault    Origin = "default"
	OfFile       Origin = "file"
	OfFlag       Origin = "flag"
	OfGate       Origin = "gate"
	OfMultiPoint Origin = "multiPoint"
	OfProvider   Origin = "provider"
	OfPolicy     Origin = "policy"
)

// Source is an origin with its details.
type Source struct {
	Origin Origin
	// Name is the flag or the feature gate.
	Name string
	// Pos is the place in the file or on the command line; without a line for a default.
	Pos diag.Position
}

// Field is a value that counts. What may be a secret is redacted.
type Field struct {
	Path   string
	Value  any
	Source Source
}

// Profile is one profile as it runs.
type Profile struct {
	SchedulerName string
	// Plugins are those of each point in running order; a point without plugins is left out.
	Plugins map[string][]ProfilePlugin
	// Args are those of the plugins in use, by plugin. What may be a secret is redacted.
	Args map[string]any
}

// ProfilePlugin is a plugin at a point.
type ProfilePlugin struct {
	Name string
	// Weight is nil at points that do not score.
	Weight *int32
	Source Source
}

// Resolve says what the release runs with: the file, or the defaults without one, with the flags that
// count beside it and the defaults of the release. The document has to be one that the release takes.
func (s *Scheme) Resolve(start Start) (*Resolved, error) {
	r := resolution{scheme: s, start: start, flags: map[string]FlagValue{}}
	if err := r.load(); err != nil {
		return nil, err
	}
	r.applyFlags()
	built, err := r.build()
	if err != nil {
		return nil, err
	}
	out := &Resolved{Built: built, Refusals: append(r.refusals, built.Refusals...), Policy: r.builtPolicy, Config: r.cfg, Given: r.given, API: r.api}
	effective := built.Effective()
	profiles, _ := effective["profiles"].([]any)
	delete(effective, "profiles")
	// Profiles that a Policy would replace are not what runs.
	profiles = profiles[:min(len(profiles), len(built.Frameworks))]
	if provider := r.cfg.AlgorithmSource.Provider; provider != nil {
		effective["algorithmSource"] = map[string]any{"provider": *provider}
	}
	r.addPolicy(effective)
	r.collect(nil, map[string]any(effective), &out.Fields)
	for i, entry := range profiles {
		profile := entry.(map[string]any)
		out.Profiles = append(out.Profiles, r.profile(i, built.Frameworks[i], profile))
		delete(profile, "plugins")
		r.collect(diag.Path{"profiles"}.Index(i), profile, &out.Fields)
	}
	return out, nil
}

type resolution struct {
	scheme   *Scheme
	start    Start
	api      *schemas.API
	cfg      *config.KubeSchedulerConfiguration
	given    *config.KubeSchedulerConfiguration // without defaults
	flags    map[string]FlagValue               // by the field that they set
	refusals []Refusal

	builtPolicy   *BuiltPolicy
	policySources map[string]Source // by the start of a path
}

// load reads the file, or the shortest configuration of the apiVersion that the release prefers: that
// is what it starts with when it gets none.
func (r *resolution) load() error {
	release := r.scheme.Release
	api := &release.APIs[0]
	value := fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q}`, api.APIVersion, api.Kind)
	if r.start.Doc != nil {
		var err error
		if value, _, err = Value(r.start.Doc); err != nil {
			return err
		}
		apiVersion, _, err := TypeMeta(value)
		if err != nil {
			return err
		}
		served, ok := release.API(apiVersion)
		if !ok {
			return fmt.Errorf("Kubernetes %s does not read %q", release.Name, apiVersion)
		}
		api = served
	}
	decoded, err := r.scheme.Decode(value, api)
	switch {
	case err != nil:
		return err
	case decoded.Object == nil:
		return decoded.Refused
	}
	if r.given, _, err = r.scheme.ToHub(decoded.Object.DeepCopyObject(), api); err != nil {
		return err
	}
	cfg, err := r.scheme.Load(decoded.Object, api)
	if err != nil {
		return err
	}
	// What Load returns is shared, and flags change it.
	r.api, r.cfg = api, cfg.DeepCopy()
	return nil
}

func (r *resolution) build() (*Built, error) {
	if r.start.Policy == nil {
		return r.scheme.Build(r.cfg, r.api), nil
	}
	built, err := r.scheme.BuildPolicy(r.start.Policy, r.cfg, r.api)
	if err != nil {
		return nil, err
	}
	r.builtPolicy = built
	return built.Built, nil
}

// addPolicy adds what a Policy says that is no plugin, and where everything in it is from.
func (r *resolution) addPolicy(effective Effective) {
	if r.builtPolicy == nil {
		return
	}
	r.policySources = map[string]Source{"extenders": r.inPolicy(diag.Path{"extenders"})}
	for list, entries := range map[string][]PolicyEntry{"predicates": r.builtPolicy.Predicates, "priorities": r.builtPolicy.Priorities} {
		shown := make([]any, len(entries))
		for i, entry := range entries {
			value := map[string]any{"name": entry.Name}
			if list == "priorities" {
				value["weight"] = entry.Weight
			}
			shown[i] = value
			r.policySources[diag.Path{list}.Index(i).String()] = r.entrySource(entry)
		}
		if len(shown) > 0 {
			effective[list] = shown
		}
	}
	if r.start.Policy.AlwaysCheckAllPredicates {
		effective["alwaysCheckAllPredicates"] = true
		r.policySources["alwaysCheckAllPredicates"] = r.inPolicy(diag.Path{"alwaysCheckAllPredicates"})
	}
	if weight := r.start.Policy.HardPodAffinitySymmetricWeight; weight != 0 {
		effective["hardPodAffinitySymmetricWeight"] = weight
		r.policySources["hardPodAffinitySymmetricWeight"] = r.inPolicy(diag.Path{"hardPodAffinitySymmetricWeight"})
	}
}

func (r *resolution) inPolicy(path diag.Path) Source {
	if r.start.PolicyDoc == nil {
		return Source{Origin: OfPolicy}
	}
	return Source{Origin: OfPolicy, Pos: r.start.PolicyDoc.Position(path)}
}

// entrySource says why a predicate or a priority runs.
func (r *resolution) entrySource(entry PolicyEntry) Source {
	switch {
	case len(entry.Given) > 0:
		return r.inPolicy(entry.Given[len(entry.Given)-1])
	case entry.Mandatory:
		return Source{Origin: OfPolicy, Name: "mandatory"}
	}
	return Source{Origin: OfDefault}
}

// policyPluginSource says which entry of a Policy a plugin comes from.
func (r *resolution) policyPluginSource(name string) Source {
	for _, entry := range slices.Concat(r.builtPolicy.Predicates, r.builtPolicy.Priorities) {
		if slices.Contains(entry.Plugins, name) {
			return r.entrySource(entry)
		}
	}
	return Source{Origin: OfDefault}
}

// collect flattens values into fields.
func (r *resolution) collect(path diag.Path, value any, fields *[]Field) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			r.collect(path.Child(name), v[name], fields)
		}
		return
	case []any:
		if len(v) > 0 && isObject(v[0]) {
			for i, item := range v {
				r.collect(path.Index(i), item, fields)
			}
			return
		}
	}
	*fields = append(*fields, Field{Path: path.String(), Value: value, Source: r.sourceOf(path)})
}

func isObject(value any) bool {
	_, ok := value.(map[string]any)
	return ok
}

// sourceOf finds out where the value of a field is from.
func (r *resolution) sourceOf(path diag.Path) Source {
	if len(path) > 0 && r.policySources != nil {
		for _, start := range []diag.Path{path[:1], path[:min(2, len(path))]} {
			if source, ok := r.policySources[start.String()]; ok {
				return source
			}
		}
	}
	if flag, ok := r.flags[path.String()]; ok {
		return Source{Origin: OfFlag, Name: "--" + flag.Flag.Name, Pos: flag.Pos}
	}
	for _, written := range r.written(path) {
		if r.isGiven(written) {
			return Source{Origin: OfFile, Pos: r.start.Doc.Position(written)}
		}
	}
	if gate, ok := r.gateOf(path); ok {
		return Source{Origin: OfGate, Name: gate}
	}
	return Source{Origin: OfDefault}
}

// isGiven reports whether the file has a value at a path; null is none.
func (r *resolution) isGiven(path diag.Path) bool {
	if r.start.Doc == nil || !r.start.Doc.Has(path) {
		return false
	}
	text, scalar := r.start.Doc.Scalar(path)
	return !scalar || text != "null" && text != "~"
}

// written lists the paths under which a file can have what stands at a path of the meaning.
func (r *resolution) written(path diag.Path) []diag.Path {
	if len(path) > 3 && path[0] == "profiles" && path[2] == "args" {
		return r.writtenArgs(path)
	}
	if len(path) > 2 && path[0] == "profiles" {
		return []diag.Path{r.inProfile(path[1], path[2:]...)}
	}
	paths := []diag.Path{path}
	if old, ok := oldNames[path.String()]; ok {
		paths = append(paths, diag.ParsePath(old))
	}
	return paths
}

// oldNames are what v1alpha1 called fields that have another name since.
var oldNames = map[string]string{
	"leaderElection.resourceName":      "leaderElection.lockObjectName",
	"leaderElection.resourceNamespace": "leaderElection.lockObjectNamespace",
}

// writtenArgs finds the entries of pluginConfig that are about a plugin.
func (r *resolution) writtenArgs(path diag.Path) []diag.Path {
	var paths []diag.Path
	for _, entry := range r.argsEntries(path[1], path[3]) {
		paths = append(paths, entry.Child("args").Child(path[4:]...))
	}
	if path[3] == "InterPodAffinity" && slices.Equal(path[4:], []string{"hardPodAffinityWeight"}) {
		paths = append(paths, diag.Path{"hardPodAffinitySymmetricWeight"})
	}
	return paths
}

func (r *resolution) argsEntries(profile, plugin string) []diag.Path {
	var paths []diag.Path
	if r.start.Doc == nil {
		return nil
	}
	list := r.inProfile(profile, "pluginConfig")
	for i := range r.start.Doc.Len(list) {
		if name, _ := r.start.Doc.Scalar(list.Index(i).Child("name")); name == plugin {
			paths = append(paths, list.Index(i))
		}
	}
	return paths
}

// inProfile leads into a profile; v1alpha1 is one profile without a list, and calls preScore
// postFilter.
func (r *resolution) inProfile(profile string, steps ...string) diag.Path {
	if !strings.HasSuffix(r.api.APIVersion, "/v1alpha1") {
		return diag.Path{"profiles", profile}.Child(steps...)
	}
	path := diag.Path{}.Child(steps...)
	if len(path) > 1 && path[0] == "plugins" && path[1] == string(config.PreScore) {
		path[1] = string(config.PostFilter)
	}
	return path
}

// gateOf names the gate that somebody set and that decides the default of a field.
func (r *resolution) gateOf(path diag.Path) (string, bool) {
	list, field := r.api.Defaults, path.String()
	if len(path) > 4 && path[0] == "profiles" && path[2] == "args" {
		list, field = r.api.ArgsDefaults[path[3]+"Args"], path[4:].String()
	}
	for _, d := range list {
		if d.Field != field && !strings.HasPrefix(field, d.Field+".") || len(d.Gates) == 0 || !r.scheme.Gates.Match(d.Gates) {
			continue
		}
		for _, gate := range slices.Sorted(maps.Keys(d.Gates)) {
			if _, set := r.start.Gates[gate]; set {
				return gate, true
			}
		}
	}
	return "", false
}

// profile lists the plugins of a profile with their sources.
func (r *resolution) profile(i int, f Framework, shown map[string]any) Profile {
	p := Profile{SchedulerName: f.SchedulerName, Plugins: map[string][]ProfilePlugin{}, Args: map[string]any{}}
	if args, ok := shown["args"].(map[string]any); ok {
		p.Args = args
	}
	for point, list := range f.Points {
		for _, plugin := range list {
			p.Plugins[string(point)] = append(p.Plugins[string(point)], ProfilePlugin{plugin.Name, plugin.Weight, r.pluginSource(i, point, plugin.Name)})
		}
	}
	return p
}

// pluginSource finds out why a plugin runs at a point.
func (r *resolution) pluginSource(profile int, point config.Point, name string) Source {
	if r.builtPolicy != nil {
		return r.policyPluginSource(name)
	}
	if pos, ok := r.enabled(profile, point, name); ok {
		return Source{Origin: OfFile, Pos: pos}
	}
	if r.scheme.Release.Behaviour.MultiPoint != "" && r.merged(config.MultiPoint) {
		if pos, ok := r.enabled(profile, config.MultiPoint, name); ok {
			return Source{Origin: OfMultiPoint, Pos: pos}
		}
	}
	if gate, ok := r.pluginGate(point, name); ok {
		return Source{Origin: OfGate, Name: gate}
	}
	if r.cfg.AlgorithmSource.Provider != nil {
		if source := r.sourceOf(diag.Path{"algorithmSource", "provider"}); source.Origin != OfDefault {
			return Source{Origin: OfProvider, Name: *r.cfg.AlgorithmSource.Provider, Pos: source.Pos}
		}
	}
	return Source{Origin: OfDefault}
}

// merged reports whether what a file has at a point survives the defaults.
func (r *resolution) merged(point config.Point) bool {
	return len(r.api.MergedPoints) == 0 || slices.Contains(r.api.MergedPoints, string(point))
}

// enabled finds a plugin in what the file enables at a point.
func (r *resolution) enabled(profile int, point config.Point, name string) (diag.Position, bool) {
	if r.start.Doc == nil {
		return diag.Position{}, false
	}
	list := r.inProfile(fmt.Sprint(profile), "plugins", string(point), "enabled")
	for i := range r.start.Doc.Len(list) {
		entry := list.Index(i).Child("name")
		if text, _ := r.start.Doc.Scalar(entry); text == name {
			return r.start.Doc.ValuePosition(entry), true
		}
	}
	return diag.Position{}, false
}

// pluginGate names the gate that adds a plugin to the defaults of a point.
func (r *resolution) pluginGate(point config.Point, name string) (string, bool) {
	for _, at := range []config.Point{point, config.MultiPoint} {
		if slices.ContainsFunc(r.api.DefaultPlugins[string(at)], func(d schemas.DefaultPlugin) bool { return d.Name == name }) {
			return "", false
		}
	}
	for _, g := range r.api.GatedPlugins {
		if g.Name == name && (g.Point == string(point) || g.Point == string(config.MultiPoint)) && r.scheme.Gates[g.Gate] == g.On {
			return g.Gate, true
		}
	}
	return "", false
}
