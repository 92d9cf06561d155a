// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schedconf_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/validation"
)

// apiVersions are all that some release reads.
var apiVersions = []string{"v1alpha1", "v1alpha2", "v1beta1", "v1beta2", "v1beta3", "v1"}

// TestConvert holds that an accepted case converts to every other apiVersion: the release that serves
// it accepts the result, and its profiles come out as they were.
func TestConvert(t *testing.T) {
	cases, verdicts := recordedCases(t), recordedVerdicts(t)
	total, good := 0, 0
	reasons := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		version, _, _ := strings.Cut(name, "/")
		from, ok := newest(t, version)
		if !ok || !accepted(verdicts[from.Scheme.Release.Name], name) {
			continue
		}
		doc := source.Split(name, []byte(cases[name]))[0]
		for _, target := range apiVersions {
			if target == version {
				continue
			}
			total++
			// Schemes take up declared plugins, so every conversion gets its own.
			from, _ := newest(t, version)
			to, _ := newest(t, target)
			if why := convertOne(t, doc, from, to); why != "" {
				reasons[why]++
				t.Logf("%s to %s: %s", name, target, why)
				continue
			}
			good++
		}
	}
	for _, why := range slices.Sorted(maps.Keys(reasons)) {
		t.Logf("%4d %s", reasons[why], why)
	}
	t.Logf("converted: %d/%d = %.2f %%", good, total, 100*float64(good)/float64(total))
	if total == 0 || float64(good)/float64(total) < 0.95 {
		t.Errorf("%d of %d conversions are good, less than 95 %%", good, total)
	}
}

func newest(t testing.TB, version string) (scheme.Side, bool) {
	apiVersion := config.GroupName + "/" + version
	release, ok := schemas.Newest(apiVersion)
	if !ok {
		return scheme.Side{}, false
	}
	api, _ := release.API(apiVersion)
	return scheme.Side{Scheme: newScheme(t, release.Minor()), API: api}, true
}

func accepted(rows []verdict, name string) bool {
	return slices.ContainsFunc(rows, func(v verdict) bool { return v.Case == name && v.Accepted })
}

// convertOne says why a conversion is not good, or nothing.
func convertOne(t *testing.T, doc *source.Document, from, to scheme.Side) string {
	value, _, err := scheme.Value(doc)
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := from.Scheme.Decode(value, from.API)
	if err != nil {
		t.Fatal(err)
	}
	translation, err := scheme.Translate(decoded.Object, from, to, true)
	if errors.Is(err, scheme.ErrPolicy) {
		return "policy"
	}
	if err != nil {
		t.Fatalf("%s: %v", doc.File, err)
	}
	text, err := to.Scheme.Encode(translation.Object, to.API)
	if err != nil {
		t.Fatal(err)
	}
	result, err := validation.New(to.Scheme).Check(source.Split(doc.File, text)[0])
	if err != nil {
		t.Fatal(err)
	}
	if ok, _ := result.Findings.Verdict(); !ok {
		i := slices.IndexFunc(result.Findings, func(d diag.Diagnostic) bool { return d.Severity == diag.Error })
		return "the target refuses: " + result.Findings[i].Rule
	}
	if len(translation.Before) != len(translation.After) {
		return "profiles lost"
	}
	for i := range translation.Before {
		if why := compareFrameworks(t, translation.Before[i], translation.After[i], from, to); why != "" {
			return why
		}
	}
	return ""
}

// compareFrameworks compares what both releases can run: plugins, weights, and the args of plugins
// whose args both type.
func compareFrameworks(t *testing.T, before, after scheme.Framework, from, to scheme.Side) string {
	for _, name := range to.Scheme.Release.Points {
		if !slices.Contains(from.Scheme.Release.Points, name) {
			continue
		}
		point := config.Point(name)
		a, b := weights(before.Points[point]), weights(after.Points[point])
		for plugin := range b {
			source, ok := from.Scheme.Release.Plugin(plugin)
			_, wanted := a[plugin]
			if !wanted && (!ok || !slices.Contains(source.Points, name) && before.Used[plugin]) {
				delete(b, plugin)
			}
		}
		if !maps.Equal(a, b) {
			t.Logf("%s: want %v got %v", name, a, b)
			return fmt.Sprintf("%s differs", name)
		}
	}
	if from.API.Behaviour.Args == to.API.Behaviour.Args && to.API.Behaviour.Args == "typed" {
		for plugin, args := range before.Args {
			got, ok := after.Args[plugin]
			if !ok {
				continue
			}
			if reflect.TypeOf(args) != reflect.TypeOf(got) {
				return "args type of " + plugin
			}
			if field := differingField(plugin, args, got); field != "" {
				return "args " + plugin + "." + field
			}
		}
	}
	return ""
}

// onlySomeHave are args fields that not every release has, or that hang on a gate.
var onlySomeHave = []string{"VolumeBinding.Shape", "InterPodAffinity.IgnorePreferredTermsOfExistingPods", "DynamicResources.FilterTimeout", "DynamicResources.BindingTimeout"}

func differingField(plugin string, before, after runtime.Object) string {
	a, b := reflect.ValueOf(before).Elem(), reflect.ValueOf(after).Elem()
	for i := range a.NumField() {
		name := a.Type().Field(i).Name
		if name == "TypeMeta" || slices.Contains(onlySomeHave, plugin+"."+name) || a.Field(i).IsZero() {
			continue
		}
		if !equality.Semantic.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			return name
		}
	}
	return ""
}

func weights(list []config.Plugin) map[string]int32 {
	m := map[string]int32{}
	for _, plugin := range list {
		m[plugin.Name] = 0
		if plugin.Weight != nil {
			m[plugin.Name] = *plugin.Weight
		}
	}
	return m
}
