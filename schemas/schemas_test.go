// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schemas_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/schedconf/schedconf/schemas"
)

const group = "kubescheduler.config.k8s.io/"

// The first and the last minor that the product promises.
const firstMinor, lastMinor = 16, 37

func TestMinors(t *testing.T) {
	var want, got []string
	for second := firstMinor; second <= lastMinor; second++ {
		want = append(want, fmt.Sprintf("1.%d", second))
	}
	for _, minor := range schemas.Minors() {
		got = append(got, minor.String())
		if release := schemas.For(minor); release.Minor() != minor {
			t.Errorf("the release of %s says that it is %s", minor, release.Minor())
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("minors are %v, want %v", got, want)
	}
}

// TestReleaseFiles holds that a release.json has no name that nothing reads, which a typo would be.
func TestReleaseFiles(t *testing.T) {
	for _, minor := range schemas.Minors() {
		decoder := json.NewDecoder(bytes.NewReader(readFile(t, filepath.Join(minor.String(), "release.json"))))
		decoder.DisallowUnknownFields()
		var release schemas.Release
		if err := decoder.Decode(&release); err != nil {
			t.Errorf("%s/release.json: %v", minor, err)
		}
		if decoder.More() {
			t.Errorf("%s/release.json: something follows the object", minor)
		}
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestSchemas holds that every schema file compiles and belongs to a kind that its release serves,
// and that every kind has one.
func TestSchemas(t *testing.T) {
	for _, minor := range schemas.Minors() {
		release := schemas.For(minor)
		var want []string
		for _, api := range release.APIs {
			want = append(want, schemas.SchemaFile(api.APIVersion, api.Kind))
		}
		if len(release.Policies) > 0 {
			want = append(want, schemas.SchemaFile("v1", "Policy"))
		}
		got, err := filepath.Glob(filepath.Join(minor.String(), "*.schema.json"))
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range got {
			compileSchema(t, name)
			got[i] = filepath.Base(name)
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s has the schemas %v, its release.json wants %v", minor, got, want)
		}
	}
}

func compileSchema(t *testing.T, name string) {
	t.Helper()
	data := readFile(t, name)
	var head struct {
		Dialect string `json:"$schema"`
		ID      string `json:"$id"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if head.Dialect != jsonschema.Draft2020.URL() {
		t.Errorf("%s is of %q, not of draft 2020-12", name, head.Dialect)
	}
	if !strings.HasSuffix(head.ID, "/"+filepath.ToSlash(name)) {
		t.Errorf("%s calls itself %q", name, head.ID)
	}
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft2020
	// Whatever a schema refers to has to be inside it.
	compiler.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("the schema refers to %s", url)
	}
	if err := compiler.AddResource(head.ID, bytes.NewReader(data)); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if _, err := compiler.Compile(head.ID); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// TestObserved holds that facts and schemas were read from the same patch release.
func TestObserved(t *testing.T) {
	var recorded map[string]struct {
		Kubernetes string `json:"kubernetes"`
	}
	if err := json.Unmarshal(readFile(t, "record/versions.json"), &recorded); err != nil {
		t.Fatal(err)
	}
	for _, minor := range schemas.Minors() {
		if got, want := schemas.For(minor).Observed, recorded[minor.String()].Kubernetes; got != want {
			t.Errorf("%s: release.json was observed on %q, versions.json says %q", minor, got, want)
		}
	}
	if len(recorded) != len(schemas.Minors()) {
		t.Errorf("versions.json has %d minors, there are %d folders", len(recorded), len(schemas.Minors()))
	}
}

// behaviourNames reads the names that the comments of a struct in a file document, by field. A
// field that may be left out has the empty name too.
func behaviourNames(t *testing.T, fileName, typeName string) map[string][]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), fileName, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	quoted := regexp.MustCompile(`"([a-zA-Z]*)"`)
	names := map[string][]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.TypeSpec)
		if !ok || spec.Name.Name != typeName {
			return true
		}
		for _, field := range spec.Type.(*ast.StructType).Fields.List {
			name := field.Names[0].Name
			for _, match := range quoted.FindAllStringSubmatch(field.Doc.Text(), -1) {
				names[name] = append(names[name], match[1])
			}
			if strings.Contains(field.Tag.Value, "omitempty") && !slices.Contains(names[name], "") {
				names[name] = append(names[name], "")
			}
		}
		return true
	})
	if len(names) == 0 {
		t.Fatalf("%s documents no name of %s", fileName, typeName)
	}
	return names
}

// TestBehaviours holds that every behaviour that a release names is documented, and that every
// documented one is the behaviour of some release.
func TestBehaviours(t *testing.T) {
	for _, test := range []struct {
		fileName, typeName string
		values             func(*schemas.Release) []any
	}{
		{"release.go", "Behaviour", func(r *schemas.Release) []any { return []any{r.Behaviour} }},
		{"release.go", "APIBehaviour", func(r *schemas.Release) []any {
			var values []any
			for _, api := range r.APIs {
				values = append(values, api.Behaviour)
			}
			return values
		}},
		{"policy.go", "PolicyBehaviour", func(r *schemas.Release) []any {
			if facts, ok := r.Policy(); ok {
				return []any{facts.Behaviour}
			}
			return nil
		}},
	} {
		documented := behaviourNames(t, test.fileName, test.typeName)
		used := map[string]bool{}
		for _, minor := range schemas.Minors() {
			for _, value := range test.values(schemas.For(minor)) {
				v := reflect.ValueOf(value)
				for i := range v.NumField() {
					field, name := v.Type().Field(i).Name, v.Field(i).String()
					used[field+" "+name] = true
					if !slices.Contains(documented[field], name) {
						t.Errorf("%s: %s.%s is %q, documented are %q", minor, test.typeName, field, name, documented[field])
					}
				}
			}
		}
		for field, names := range documented {
			for _, name := range names {
				if !used[field+" "+name] {
					t.Errorf("%s.%s: no release has the behaviour %q", test.typeName, field, name)
				}
			}
		}
	}
}

// TestNames holds that what a release.json names exists where it looks for it.
func TestNames(t *testing.T) {
	for _, minor := range schemas.Minors() {
		release := schemas.For(minor)
		isSorted(t, minor, "plugins", release.Plugins, func(p schemas.Plugin) string { return p.Name })
		isSorted(t, minor, "gates", release.Gates, func(g schemas.Gate) string { return g.Name })
		for _, plugin := range release.Plugins {
			if len(plugin.Points) == 0 {
				t.Errorf("%s: plugin %s has no point", minor, plugin.Name)
			}
			within(t, fmt.Sprintf("%s: points of %s", minor, plugin.Name), plugin.Points, release.Points)
		}
		for _, gate := range release.Gates {
			within(t, fmt.Sprintf("%s: stage of %s", minor, gate.Name), []string{gate.Stage}, []string{"alpha", "beta", "ga", "deprecated"})
		}
		if len(release.APIs) == 0 || len(release.ResourceLocks) == 0 {
			t.Errorf("%s: no apiVersion or no resource lock", minor)
		}
		if text := release.ExtenderTimeout; text != "" {
			if _, err := time.ParseDuration(text); err != nil {
				t.Errorf("%s: extenderTimeout: %v", minor, err)
			}
		}
		for _, api := range release.APIs {
			t.Run(minor.String()+"/"+strings.TrimPrefix(api.APIVersion, group), func(t *testing.T) { checkNames(t, release, &api) })
		}
	}
}

func checkNames(t *testing.T, release *schemas.Release, api *schemas.API) {
	if target, ok := release.API(api.Writes); !ok {
		t.Errorf("it writes %s, which the release does not read", api.Writes)
	} else if target.Behaviour.UnsetWeights != api.Behaviour.UnsetWeights {
		t.Errorf("it writes %s, but unset weights differ", api.Writes)
	}
	if since := api.DeprecatedSince; since != "" {
		if _, err := schemas.ParseMinor(since); err != nil {
			t.Errorf("deprecatedSince: %v", err)
		}
	}
	definitions := definitionsOf(t, release, api)

	// What decodes itself is open in every release.
	open := api.Behaviour.UnknownKeys != "reject"
	for name, d := range definitions {
		if d.Properties != nil && d.Additional != (open || d.FoldCase) {
			t.Errorf("unknownKeys is %q, but further fields of %s: %v", api.Behaviour.UnknownKeys, name, d.Additional)
		}
	}
	checkPoints(t, release, api, definitions["Plugins"])
	points := slices.Concat(release.Points, []string{"multiPoint"})
	within(t, "mergedPoints", api.MergedPoints, points)
	// Older apiVersions drop what stands at points that came after them; the preferred one does not.
	if api.APIVersion == release.APIs[0].APIVersion && api.Behaviour.MergePlugins != "never" {
		within(t, "points", release.Points, api.MergedPoints)
	}
	within(t, "argsPoints", api.ArgsPoints, points)
	within(t, "invalidPluginPoints", api.InvalidPluginPoints, points)
	for point, list := range api.DefaultPlugins {
		for _, plugin := range list {
			checkDefault(t, release, plugin.Name, point)
		}
		within(t, "mergedPoints", []string{point}, api.MergedPoints)
	}
	for _, gated := range api.GatedPlugins {
		checkDefault(t, release, gated.Name, gated.Point)
		knowsGate(t, release, gated.Gate)
		if gated.Before == "" {
			continue
		}
		if !slices.ContainsFunc(api.DefaultPlugins[gated.Point], func(p schemas.DefaultPlugin) bool { return p.Name == gated.Before }) {
			t.Errorf("gated plugin %s goes before %s, which is no default at %s", gated.Name, gated.Before, gated.Point)
		}
	}
	for scorer, others := range api.ConflictingScorers {
		for _, name := range append(slices.Clone(others), scorer) {
			checkDefault(t, release, name, "score")
		}
	}
	for _, name := range api.RawArgs {
		if _, ok := release.Plugin(name); !ok {
			t.Errorf("rawArgs: the release has no plugin %s", name)
		}
	}
	for _, name := range api.InvalidPlugins {
		if _, ok := schemas.PluginSpan(name); !ok {
			t.Errorf("invalidPlugins: no release has a plugin %s", name)
		}
	}

	for _, kind := range api.Args {
		if _, ok := definitions[kind]; !ok {
			t.Errorf("the schema does not define %s", kind)
		}
		if _, ok := release.Plugin(strings.TrimSuffix(kind, "Args")); !ok {
			t.Errorf("there is no plugin for %s", kind)
		}
	}
	for kind := range definitions {
		if strings.HasSuffix(kind, "Args") && !slices.Contains(api.Args, kind) {
			t.Errorf("the schema defines %s, release.json does not list it", kind)
		}
	}
	checkDefaults(t, release, definitions, api.Kind, api.Defaults)
	for kind, rows := range api.ArgsDefaults {
		within(t, "argsDefaults", []string{kind}, api.Args)
		checkDefaults(t, release, definitions, kind, rows)
	}
	checkStages(t, api)
}

// checkPoints holds that the points of the release are those that a file has a field for.
func checkPoints(t *testing.T, release *schemas.Release, api *schemas.API, plugins *definition) {
	t.Helper()
	if plugins == nil {
		t.Error("the schema does not define Plugins")
		return
	}
	var fields []string
	for name := range plugins.Properties {
		switch {
		case name == "multiPoint":
			continue
		case name == "postFilter" && api.APIVersion == group+"v1alpha1":
			name = "preScore" // as it is called from v1alpha2 on
		}
		fields = append(fields, name)
	}
	points := slices.Clone(release.Points)
	slices.Sort(fields)
	slices.Sort(points)
	if !slices.Equal(fields, points) {
		t.Errorf("Plugins has the fields %v, the points are %v", fields, points)
	}
}

// checkDefault holds that the release has the plugin, and that it implements the point. multiPoint
// takes every plugin.
func checkDefault(t *testing.T, release *schemas.Release, name, point string) {
	t.Helper()
	plugin, ok := release.Plugin(name)
	switch {
	case !ok:
		t.Errorf("the release has no plugin %s", name)
	case point != "multiPoint" && !slices.Contains(plugin.Points, point):
		t.Errorf("plugin %s does not implement %s", name, point)
	}
}

func knowsGate(t *testing.T, release *schemas.Release, name string) {
	t.Helper()
	if _, ok := release.Gate(name); !ok {
		t.Errorf("the release has no feature gate %s", name)
	}
}

// definition is the part of a schema that field paths go through.
type definition struct {
	Ref        string                 `json:"$ref"`
	Type       any                    `json:"type"`
	Items      *definition            `json:"items"`
	Properties map[string]*definition `json:"properties"`
	Additional any                    `json:"additionalProperties"`
	FoldCase   bool                   `json:"x-foldCase"`
}

func definitionsOf(t *testing.T, release *schemas.Release, api *schemas.API) map[string]*definition {
	t.Helper()
	data, err := release.Schema(api.APIVersion, api.Kind)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs map[string]*definition `json:"$defs"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	return schema.Defs
}

// checkDefaults holds that the fields which the rows name are fields of the kind.
func checkDefaults(t *testing.T, release *schemas.Release, definitions map[string]*definition, kind string, rows []schemas.Default) {
	t.Helper()
	for _, row := range rows {
		for _, path := range []string{row.Field, row.When, row.Unless} {
			if path != "" && !hasField(definitions, definitions[kind], strings.Split(path, ".")) {
				t.Errorf("%s has no field %s", kind, path)
			}
		}
		for gate := range row.Gates {
			knowsGate(t, release, gate)
		}
		if !json.Valid(row.Value) {
			t.Errorf("the default of %s has no value", row.Field)
		}
	}
}

func hasField(definitions map[string]*definition, from *definition, steps []string) bool {
	for _, step := range steps {
		name, each := strings.CutSuffix(step, "[]")
		if from = resolve(definitions, from); from == nil {
			return false
		}
		if from = from.Properties[name]; from == nil {
			return false
		}
		if each {
			from = from.Items
		}
	}
	return from != nil
}

func resolve(definitions map[string]*definition, d *definition) *definition {
	if d != nil && d.Ref != "" {
		return definitions[strings.TrimPrefix(d.Ref, "#/$defs/")]
	}
	return d
}

// checkStages holds that the stages are those of the verdicts, and that no rule is at two of them.
func checkStages(t *testing.T, api *schemas.API) {
	t.Helper()
	seen := map[string]string{}
	for stage, rules := range api.Checks {
		within(t, "checks", []string{stage}, []string{"decode", "validate", "construct"})
		for _, rule := range rules {
			if other, ok := seen[rule]; ok {
				t.Errorf("rule %s is enforced at %s and at %s", rule, other, stage)
			}
			seen[rule] = stage
			if api.Stage(rule) != stage {
				t.Errorf("Stage(%s) is %q, want %q", rule, api.Stage(rule), stage)
			}
		}
	}
	if len(seen) == 0 {
		t.Error("no rule is enforced")
	}
}

func within(t *testing.T, what string, names, known []string) {
	t.Helper()
	for _, name := range names {
		if !slices.Contains(known, name) {
			t.Errorf("%s: %q is none of %v", what, name, known)
		}
	}
}

// isSorted holds what looking names up by binary search relies on.
func isSorted[T any](t *testing.T, minor schemas.Minor, what string, list []T, name func(T) string) {
	t.Helper()
	for i := 1; i < len(list); i++ {
		if name(list[i-1]) >= name(list[i]) {
			t.Errorf("%s: %s: %s stands before %s", minor, what, name(list[i-1]), name(list[i]))
		}
	}
}

var newest = fmt.Sprintf("1.%d", lastMinor)

func TestParseMinor(t *testing.T) {
	for text, want := range map[string]string{
		"1.16": "1.16", "1.30": "1.30", "v1.30": "1.30", "v1.30.2": "1.30", "1.30.14": "1.30",
		"v1.31.4-gke.1183000": "1.31", "v1.33.1+k3s1": "1.33", "latest": newest,
	} {
		if got, err := schemas.ParseMinor(text); err != nil || got.String() != want {
			t.Errorf("%q: got %s, %v; want %s", text, got, err, want)
		}
	}
	next := fmt.Sprintf("1.%d", lastMinor+1)
	for _, text := range []string{"", "1", "1.", "1.15", next, "1.300", "2.0", "30", "1.30.x", "1.3", "Latest", " 1.30"} {
		got, err := schemas.ParseMinor(text)
		if err == nil {
			t.Errorf("%q is taken for %s", text, got)
			continue
		}
		for _, known := range []string{"1.16", newest, "latest", strconv.Quote(text)} {
			if !strings.Contains(err.Error(), known) {
				t.Errorf("%q: the error does not mention %s: %v", text, known, err)
			}
		}
	}
}

// TestSpans takes its values from the sources of every release, as they were read before there was
// a release.json.
func TestSpans(t *testing.T) {
	for _, test := range []struct {
		name string
		span func(string) (schemas.Span, bool)
		want string
	}{
		// pkg/scheduler/apis/config/scheme/scheme.go
		{group + "v1alpha1", schemas.APISpan, "1.16 to 1.18"},
		{group + "v1alpha2", schemas.APISpan, "only in 1.18"},
		{group + "v1beta1", schemas.APISpan, "1.19 to 1.22"},
		{group + "v1beta2", schemas.APISpan, "1.22 to 1.27"},
		{group + "v1beta3", schemas.APISpan, "1.23 to 1.28"},
		{group + "v1", schemas.APISpan, "since 1.25"},
		{group + "v2", schemas.APISpan, ""},
		// pkg/scheduler/framework/plugins/registry.go; default_registry.go in 1.17
		{"ImageLocality", schemas.PluginSpan, "since 1.17"},
		{"DefaultPodTopologySpread", schemas.PluginSpan, "1.17 to 1.18"},
		{"NodeResourceLimits", schemas.PluginSpan, "only in 1.18"},
		{"SelectorSpread", schemas.PluginSpan, "1.19 to 1.28"},
		{"EBSLimits", schemas.PluginSpan, "1.17 to 1.31"},
		{"NodeLabel", schemas.PluginSpan, "1.17 to 1.22"},
		{"DeferredPodScheduling", schemas.PluginSpan, "since 1.37"},
		{"Coscheduling", schemas.PluginSpan, ""},
		// pkg/features/kube_features.go
		{"PodPriority", schemas.GateSpan, "1.16 to 1.17"},
		{"TaintNodesByCondition", schemas.GateSpan, "1.16 to 1.17"},
		{"VolumeCapacityPriority", schemas.GateSpan, "1.21 to 1.32"},
		{"StorageCapacityScoring", schemas.GateSpan, "since 1.33"},
		{"DRAControlPlaneController", schemas.GateSpan, "only in 1.31"},
		// 1.16 pkg/features/kube_features.go:594, and still there
		{"APIResponseCompression", schemas.GateSpan, "every known minor"},
		{"NoSuchGate", schemas.GateSpan, ""},
	} {
		got, ok := test.span(test.name)
		if ok != (test.want != "") || ok && got.String() != test.want {
			t.Errorf("%s: got %q, %t; want %q", test.name, got, ok, test.want)
		}
	}
	names := schemas.PluginNames()
	if !slices.IsSorted(names) || !slices.Contains(names, "NodeResourceLimits") || !slices.Contains(names, "GangScheduling") {
		t.Errorf("plugin names are %v", names)
	}
}

func TestNewest(t *testing.T) {
	for apiVersion, want := range map[string]string{"v1alpha2": "1.18", "v1beta1": "1.22", "v1beta3": "1.28", "v1": newest} {
		if release, ok := schemas.Newest(group + apiVersion); !ok || release.Name != want {
			t.Errorf("newest of %s: got %+v, want %s", apiVersion, release, want)
		}
	}
	if release, ok := schemas.Newest(group + "v2"); ok {
		t.Errorf("%s serves v2", release.Name)
	}
}

func TestParseGates(t *testing.T) {
	// component-base/cli/flag/map_string_bool.go: pairs with commas between, white space around names
	// and values, and the values of strconv.ParseBool.
	for text, want := range map[string]map[string]bool{
		"":                        {},
		"A=true":                  {"A": true},
		"A=true,B=false":          {"A": true, "B": false},
		" A = T , B=0,, C=FALSE":  {"A": true, "B": false, "C": false},
		"A=false,A=1":             {"A": true},
		"AllAlpha=true,AllBeta=f": {"AllAlpha": true, "AllBeta": false},
	} {
		if got, err := schemas.ParseGates(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"A":            `"A" has no value`,
		"A=true,B":     `"B" has no value`,
		"A=":           `A has the value ""`,
		"A=yes":        `A has the value "yes"`,
		"A=true=false": `A has the value "true=false"`,
	} {
		if got, err := schemas.ParseGates(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, %v; want an error with %s", text, got, err, want)
		}
	}
}

// TestNewGates takes the states of the gates from pkg/features/kube_features.go of the releases
// (versioned_kube_features.go in 1.32), and what AllAlpha and AllBeta mean from component-base,
// featuregate/feature_gate.go: a gate that is named keeps its own state.
func TestNewGates(t *testing.T) {
	for _, test := range []struct {
		minor     string
		overrides map[string]bool
		want      map[string]bool
	}{
		{"1.18", nil, map[string]bool{"EvenPodsSpread": true, "ResourceLimitsPriorityFunction": false}},
		{"1.32", nil, map[string]bool{"DynamicResourceAllocation": false, "VolumeCapacityPriority": false}},
		{"1.34", nil, map[string]bool{"DynamicResourceAllocation": true, "StorageCapacityScoring": false}},
		{"1.37", nil, map[string]bool{"StorageCapacityScoring": true, "TopologyAwareWorkloadScheduling": false, "NodeDeclaredFeatures": true}},
		{"1.34", map[string]bool{"DynamicResourceAllocation": false}, map[string]bool{"DynamicResourceAllocation": false}},
		// Locked to true, and asked for true.
		{"1.37", map[string]bool{"DynamicResourceAllocation": true}, map[string]bool{"DynamicResourceAllocation": true}},
		// Alpha gates that nobody named follow AllAlpha; beta gates do not, and GA ones neither.
		{"1.37", map[string]bool{"AllAlpha": true, "SchedulerPreQueueingHints": false}, map[string]bool{
			"TopologyAwareWorkloadScheduling": true, "InPlacePodVerticalScalingSchedulerPreemption": true,
			"SchedulerPreQueueingHints": false, "GenericWorkload": false,
		}},
		{"1.37", map[string]bool{"AllBeta": false, "DRASchedulerFilterTimeout": true}, map[string]bool{
			"StorageCapacityScoring": false, "DRASchedulerFilterTimeout": true, "DynamicResourceAllocation": true, "TopologyAwareWorkloadScheduling": false,
		}},
		{"1.37", map[string]bool{"AllBeta": true}, map[string]bool{"GenericWorkload": true, "TopologyAwareWorkloadScheduling": false}},
		{"1.37", map[string]bool{"AllAlpha": false, "TopologyAwareWorkloadScheduling": true}, map[string]bool{"TopologyAwareWorkloadScheduling": true}},
	} {
		gates, err := release(t, test.minor).NewGates(test.overrides)
		if err != nil {
			t.Errorf("%s %v: %v", test.minor, test.overrides, err)
			continue
		}
		if !gates.Match(test.want) {
			t.Errorf("%s %v: not all of %v", test.minor, test.overrides, test.want)
		}
	}
	for _, test := range []struct {
		minor, gate string
		state       bool
		want        []string
	}{
		{"1.35", "DynamicResourceAllocation", false, []string{"locked to true", "1.35"}},
		{"1.37", "VolumeCapacityPriority", true, []string{"not known to Kubernetes 1.37", "1.21 to 1.32"}},
		{"1.20", "StorageCapacityScoring", true, []string{"not known to Kubernetes 1.20", "since 1.33"}},
		{"1.30", "NoSuchGate", true, []string{`"NoSuchGate" is not known to Kubernetes 1.30`}},
	} {
		_, err := release(t, test.minor).NewGates(map[string]bool{test.gate: test.state})
		for _, want := range test.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %s=%t: got %v, want an error with %q", test.minor, test.gate, test.state, err, want)
			}
		}
	}
	// The first of several by name, so that the message does not change from run to run.
	_, err := release(t, "1.30").NewGates(map[string]bool{"Zzz": true, "Aaa": true, "Mmm": true})
	if err == nil || !strings.Contains(err.Error(), `"Aaa"`) {
		t.Errorf("got %v, want the first unknown gate", err)
	}
}

func TestMatch(t *testing.T) {
	gates := schemas.Gates{"A": true, "B": false}
	for _, test := range []struct {
		want map[string]bool
		ok   bool
	}{
		{nil, true},
		{map[string]bool{"A": true, "B": false}, true},
		{map[string]bool{"A": true, "B": true}, false},
		{map[string]bool{"C": true}, false},
	} {
		if gates.Match(test.want) != test.ok {
			t.Errorf("Match(%v) is %t", test.want, !test.ok)
		}
	}
}

func release(t *testing.T, minor string) *schemas.Release {
	t.Helper()
	m, err := schemas.ParseMinor(minor)
	if err != nil {
		t.Fatal(err)
	}
	return schemas.For(m)
}
