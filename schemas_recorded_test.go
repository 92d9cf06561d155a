// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schedconf_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v5"
	"sigs.k8s.io/yaml"

	"github.com/schedconf/schedconf/defaults"
	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/validation"
)

// compiledSchema returns the published JSON Schema of an apiVersion, ready to validate.
func compiledSchema(t *testing.T, release *schemas.Release, api *schemas.API) *jsonschema.Schema {
	t.Helper()
	data, err := release.Schema(api.APIVersion, api.Kind)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.CompileString(schemas.SchemaFile(api.APIVersion, api.Kind), string(data))
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// object reads JSON as the validator wants it, with numbers as they stand.
func object(t *testing.T, value []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestRecordedSchemas holds that the JSON Schemas take what the release took, and refuse what it
// refused for an unknown field or a wrong type. The recordings give the stage alone, so what was
// refused for such a reason is what our rules about shape find in a case refused at decode.
func TestRecordedSchemas(t *testing.T) {
	cases, verdicts := recordedCases(t), recordedVerdicts(t)
	shape := []string{"field-unknown", "field-type", "args-kind"}
	taken, refused := 0, 0
	for _, minor := range schemas.Minors() {
		s := newScheme(t, minor)
		checker := validation.New(s)
		compiled := map[string]*jsonschema.Schema{}
		for i := range s.Release.APIs {
			api := &s.Release.APIs[i]
			compiled[api.APIVersion] = compiledSchema(t, s.Release, api)
		}
		for _, want := range verdicts[minor.String()] {
			result, err := checker.Check(source.Split(want.Case, []byte(cases[want.Case]))[0])
			if err != nil || result.API == nil || result.Value == nil {
				continue
			}
			misshapen := slices.ContainsFunc(result.Findings, func(d diag.Diagnostic) bool {
				return d.Severity == diag.Error && slices.Contains(shape, d.Rule)
			})
			err = compiled[result.API.APIVersion].Validate(object(t, result.Value))
			switch {
			case want.Accepted:
				taken++
				if err != nil {
					t.Errorf("%s %s: the release takes it, the schema does not: %#v", minor, want.Case, err)
				}
			case want.Stage == string(diag.Decode) && misshapen:
				refused++
				if err == nil {
					t.Errorf("%s %s: the release refuses its shape, the schema takes it\n%s", minor, want.Case, list(result.Findings))
				}
			}
		}
	}
	t.Logf("schemas take %d accepted cases and refuse %d misshapen ones", taken, refused)
	if taken == 0 || refused == 0 {
		t.Error("nothing was judged")
	}
}

// written is a recorded configuration as the release wrote it.
type written struct {
	verdict
	api   *schemas.API
	value map[string]any
}

const minimal = "/minimal.yaml"

// minimalOnes returns what every release wrote for a file with nothing but apiVersion and kind.
func minimalOnes(t *testing.T) map[schemas.Minor][]written {
	t.Helper()
	verdicts := recordedVerdicts(t)
	byMinor := map[schemas.Minor][]written{}
	for _, minor := range schemas.Minors() {
		release := schemas.For(minor)
		for _, v := range verdicts[minor.String()] {
			if !strings.HasSuffix(v.Case, minimal) || !v.Accepted {
				continue
			}
			w := written{verdict: v, value: map[string]any{}}
			w.api, _ = release.API(config.GroupName + "/" + path.Dir(v.Case))
			if err := yaml.Unmarshal([]byte(v.Written), &w.value, useNumber); err != nil {
				t.Fatal(err)
			}
			byMinor[minor] = append(byMinor[minor], w)
		}
	}
	return byMinor
}

func useNumber(d *json.Decoder) *json.Decoder {
	d.UseNumber()
	return d
}

// TestRecordedAPIs holds that release.json lists the apiVersions that the release read, and the one
// that it wrote for each.
func TestRecordedAPIs(t *testing.T) {
	ones := minimalOnes(t)
	for _, minor := range schemas.Minors() {
		want, got := map[string]string{}, map[string]string{}
		for _, w := range ones[minor] {
			apiVersion, _ := w.value["apiVersion"].(string)
			want[config.GroupName+"/"+path.Dir(w.Case)] = apiVersion
		}
		for _, api := range schemas.For(minor).APIs {
			got[api.APIVersion] = api.Writes
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: apiVersions and what is written for them (-recorded +release.json):\n%s", minor, diff)
		}
	}
}

// TestRecordedDefaults holds the defaults of release.json against a file that says nothing: every
// field written has the default that release.json gives, or is empty, and no default is missing.
func TestRecordedDefaults(t *testing.T) {
	judged := 0
	for minor, ones := range minimalOnes(t) {
		release := schemas.For(minor)
		for _, w := range ones {
			if w.api == nil {
				continue // TestRecordedAPIs says so.
			}
			name := minor.String() + " " + w.Case
			fields := maps.Clone(w.value)
			for _, field := range []string{"apiVersion", "kind", "profiles"} {
				delete(fields, field)
			}
			gates, err := release.NewGates(nil)
			if err != nil {
				t.Fatal(err)
			}
			// A default of a field that the written apiVersion does not have cannot be seen.
			compareDefaults(t, name, fields, w.api.Defaults, gates, w.api.Writes == w.api.APIVersion)
			judged++
		}
	}
	if judged != countAPIs() {
		t.Errorf("%d apiVersions were judged, there are %d", judged, countAPIs())
	}
}

func countAPIs() int {
	n := 0
	for _, minor := range schemas.Minors() {
		n += len(schemas.For(minor).APIs)
	}
	return n
}

// compareDefaults compares an object that was written for an empty one with the defaults of its
// fields. With all, every default has to be there.
func compareDefaults(t *testing.T, name string, fields map[string]any, rows []schemas.Default, gates schemas.Gates, all bool) {
	t.Helper()
	explained := map[string]bool{}
	for _, row := range rows {
		// The file was empty, so a field is set when a row before set it.
		skipped := !gates.Match(row.Gates) ||
			row.When != "" && !explained[row.When] || row.Unless != "" && explained[row.Unless] ||
			// Rows for items and for inner fields complete what a user gives in part. The value of the
			// whole object is a row of its own, which comes first; without one it stays absent.
			strings.Contains(row.Field, "[]") || under(explained, row.Field) || !hasParent(fields, row.Field)
		if skipped {
			continue
		}
		want, got := object(t, row.Value), lookup(fields, row.Field)
		switch {
		case got == nil && (isEmpty(want) || !all):
		case !reflect.DeepEqual(got, want):
			t.Errorf("%s: %s was written as %v, release.json says %v", name, row.Field, got, want)
		}
		explained[row.Field] = true
	}
	eachLeaf(fields, nil, func(steps []string, value any) {
		field := strings.Join(steps, ".")
		// Bind addresses have a named behaviour instead of a row.
		if explained[field] || under(explained, field) || isEmpty(value) || strings.HasSuffix(field, "BindAddress") {
			return
		}
		if other := renamed[field]; explained[other] {
			// v1alpha1 has two names for it, and defaults one of them.
			if twin := lookup(fields, other); twin != nil && twin != value {
				t.Errorf("%s: %s was written as %v, %s as %v", name, field, value, other, twin)
			}
			return
		}
		t.Errorf("%s: %s was written as %v, release.json has no default for it", name, field, value)
	})
}

var renamed = map[string]string{
	"leaderElection.resourceName":      "leaderElection.lockObjectName",
	"leaderElection.resourceNamespace": "leaderElection.lockObjectNamespace",
}

func hasParent(object map[string]any, field string) bool {
	i := strings.LastIndexByte(field, '.')
	return i < 0 || lookup(object, field[:i]) != nil
}

// under reports whether the field lies in an object that is explained as a whole.
func under(explained map[string]bool, field string) bool {
	for i, c := range field {
		if c == '.' && explained[field[:i]] {
			return true
		}
	}
	return false
}

func lookup(object map[string]any, field string) any {
	var value any = object
	for _, step := range strings.Split(field, ".") {
		inner, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = inner[step]
	}
	return value
}

func eachLeaf(object map[string]any, steps []string, visit func([]string, any)) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		at := append(slices.Clone(steps), name)
		if inner, ok := object[name].(map[string]any); ok {
			eachLeaf(inner, at, visit)
			continue
		}
		visit(at, object[name])
	}
}

func isEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == ""
	case json.Number:
		return v == "0"
	case []any:
		return len(v) == 0
	}
	return false
}

// writtenProfile is a profile as --write-config-to prints it.
type writtenProfile struct {
	SchedulerName string
	Plugins       map[string]struct{ Enabled, Disabled []config.Plugin }
	PluginConfig  []struct {
		Name string
		Args map[string]any
	}
}

// completed returns the profile that a release built from nothing, where it writes built profiles.
func completed(t *testing.T, w written) writtenProfile {
	t.Helper()
	var cfg struct{ Profiles []writtenProfile }
	if err := yaml.Unmarshal([]byte(w.Written), &cfg, useNumber); err != nil {
		t.Fatal(err)
	}
	if len(cfg.Profiles) != 1 || len(cfg.Profiles[0].Plugins) == 0 {
		t.Fatalf("%s %s: not one profile with plugins was written", w.Minor, w.Case)
	}
	return cfg.Profiles[0]
}

// eachCompleted calls check for every apiVersion whose built profiles were recorded: 1.20 and later.
func eachCompleted(t *testing.T, check func(t *testing.T, release *schemas.Release, gates schemas.Gates, w written)) {
	t.Helper()
	ones := minimalOnes(t)
	judged := 0
	for _, minor := range schemas.Minors() {
		release := schemas.For(minor)
		if release.Behaviour.WriteConfig != "completed" {
			continue
		}
		gates, err := release.NewGates(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range ones[minor] {
			judged++
			t.Run(minor.String()+"/"+path.Dir(w.Case), func(t *testing.T) { check(t, release, gates, w) })
		}
	}
	if judged == 0 {
		t.Error("no recorded profile")
	}
}

// TestRecordedDefaultPlugins holds that the default plugins of release.json, with those that the
// default feature gates add, are those of the profile that the release built, in order and weight.
func TestRecordedDefaultPlugins(t *testing.T) {
	eachCompleted(t, func(t *testing.T, release *schemas.Release, gates schemas.Gates, w written) {
		want, got := map[string][]string{}, map[string][]string{}
		for point, set := range completed(t, w).Plugins {
			for _, plugin := range set.Enabled {
				want[point] = append(want[point], describePlugin(plugin))
			}
		}
		for point, set := range defaults.Plugins(w.api, gates) {
			for _, plugin := range set.Enabled {
				got[string(point)] = append(got[string(point)], describePlugin(plugin))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("default plugins (-recorded +release.json):\n%s", diff)
		}
	})
}

func describePlugin(plugin config.Plugin) string {
	if plugin.Weight == nil || *plugin.Weight == 0 {
		return plugin.Name
	}
	return fmt.Sprintf("%s weight %d", plugin.Name, *plugin.Weight)
}

// TestRecordedDefaultArgs holds that release.json knows the kinds of the args that the release wrote
// for its default plugins, and their values.
func TestRecordedDefaultArgs(t *testing.T) {
	eachCompleted(t, func(t *testing.T, release *schemas.Release, gates schemas.Gates, w written) {
		profile := completed(t, w)
		inUse := map[string]bool{}
		for _, set := range profile.Plugins {
			for _, plugin := range set.Enabled {
				inUse[plugin.Name] = true
			}
		}
		seen := map[string]bool{}
		for _, entry := range profile.PluginConfig {
			kind, _ := entry.Args["kind"].(string)
			if kind != entry.Name+"Args" || entry.Args["apiVersion"] != w.api.APIVersion {
				t.Errorf("args of %s are of %v %s", entry.Name, entry.Args["apiVersion"], kind)
			}
			if !slices.Contains(w.api.Args, kind) {
				t.Errorf("release.json does not list the kind %s", kind)
			}
			seen[kind] = true
			fields := maps.Clone(entry.Args)
			delete(fields, "apiVersion")
			delete(fields, "kind")
			compareDefaults(t, kind, fields, w.api.ArgsDefaults[kind], gates, true)
		}
		for _, kind := range w.api.Args {
			if inUse[strings.TrimSuffix(kind, "Args")] && !seen[kind] {
				t.Errorf("no %s were written, though the plugin is in use", kind)
			}
		}
	})
}

// TestRecordedPoints holds that release.json lists the points of the profiles that the release built.
func TestRecordedPoints(t *testing.T) {
	eachCompleted(t, func(t *testing.T, release *schemas.Release, _ schemas.Gates, w written) {
		for point := range completed(t, w).Plugins {
			if point != string(config.MultiPoint) && !slices.Contains(release.Points, point) {
				t.Errorf("point %s was written, release.json does not list it", point)
			}
		}
	})
}

// TestRecordedLocks holds that the resource locks of release.json are those with which the release
// started, as far as it was asked.
func TestRecordedLocks(t *testing.T) {
	cases, verdicts, ones := recordedCases(t), recordedVerdicts(t), minimalOnes(t)
	judged := 0
	for _, minor := range schemas.Minors() {
		release := schemas.For(minor)
		for _, v := range verdicts[minor.String()] {
			name := path.Base(v.Case)
			if !strings.HasPrefix(name, "leader-election-") || !strings.HasSuffix(name, "-lock.yaml") {
				continue
			}
			value, _, err := scheme.Value(source.Split(v.Case, []byte(cases[v.Case]))[0])
			if err != nil {
				t.Fatal(err)
			}
			lock, _ := lookup(object(t, value).(map[string]any), "leaderElection.resourceLock").(string)
			if lock == "" {
				t.Fatalf("%s names no lock", v.Case)
			}
			judged++
			if listed := slices.Contains(release.ResourceLocks, lock); listed != v.Accepted {
				t.Errorf("%s: lock %s was accepted: %t, release.json lists it: %t", minor, lock, v.Accepted, listed)
			}
		}
		for _, w := range ones[minor] {
			if lock := lookup(w.value, "leaderElection.resourceLock"); !slices.Contains(release.ResourceLocks, fmt.Sprint(lock)) {
				t.Errorf("%s: the default lock %v is not listed", minor, lock)
			}
		}
	}
	if judged == 0 {
		t.Error("no recorded case names a lock")
	}
}
