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
	"k8s.io/utils/ptr"

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

// TestConvertSameMinor holds that between two apiVersions of one release the meaning stays exactly
// the same, the order of plugins that depend on no order aside.
func TestConvertSameMinor(t *testing.T) {
	cases, verdicts := recordedCases(t), recordedVerdicts(t)
	total, good := 0, 0
	reasons := map[string]int{}
	for _, minor := range schemas.Minors() {
		release := schemas.For(minor)
		for _, row := range verdicts[minor.String()] {
			version, _, _ := strings.Cut(row.Case, "/")
			source_, served := release.API(config.GroupName + "/" + version)
			if !served || !row.Accepted || len(release.APIs) < 2 {
				continue
			}
			doc := source.Split(row.Case, []byte(cases[row.Case]))[0]
			for i := range release.APIs {
				if &release.APIs[i] == source_ {
					continue
				}
				total++
				from := scheme.Side{Scheme: newScheme(t, minor), API: source_}
				to := scheme.Side{Scheme: newScheme(t, minor), API: &release.APIs[i]}
				if why := convertOne(t, doc, from, to); why != "" {
					reasons[to.API.APIVersion+" "+why]++
					t.Logf("%s %s to %s: %s", minor, row.Case, to.API.APIVersion, why)
					continue
				}
				good++
			}
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
	text, err := to.Scheme.EncodeGiven(translation.Object, to.API)
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
	before, err := validation.New(from.Scheme).Check(doc)
	if err != nil {
		t.Fatal(err)
	}
	if len(before.Built.Frameworks) != len(result.Built.Frameworks) {
		return "profiles lost"
	}
	for i := range before.Built.Frameworks {
		if why := compareFrameworks(t, before.Built.Frameworks[i], result.Built.Frameworks[i], from, to); why != "" {
			return why
		}
	}
	return ""
}

// folded are plugins that another one took over, and aliases ones that changed their name.
var (
	folded  = []string{"NodeResourcesLeastAllocated", "NodeResourcesMostAllocated", "RequestedToCapacityRatio"}
	aliases = map[string]string{"DefaultPodTopologySpread": "SelectorSpread", "SelectorSpread": "DefaultPodTopologySpread"}
)

// asTarget is the list of a point with the names and plugins that the target has.
func asTarget(list []config.Plugin, point string, to scheme.Side) map[string]int32 {
	has := func(name string) bool {
		plugin, ok := to.Scheme.Release.Plugin(name)
		return ok && slices.Contains(plugin.Points, point) && !slices.Contains(to.API.InvalidPlugins, name)
	}
	out := map[string]int32{}
	for _, plugin := range list {
		switch {
		case has(plugin.Name):
			out[plugin.Name] = ptr.Deref(plugin.Weight, 0)
		case has(aliases[plugin.Name]):
			out[aliases[plugin.Name]] = ptr.Deref(plugin.Weight, 0)
		case slices.Contains(folded, plugin.Name) && has("NodeResourcesFit"):
			out["NodeResourcesFit"] = ptr.Deref(plugin.Weight, 0)
		}
	}
	return out
}

// couldNotRun are plugins of the target that the source had no use for: it did not know them, or
// their feature gate was off.
func couldNotRun(from scheme.Side, plugin string) bool {
	_, known := from.Scheme.Release.Plugin(plugin)
	for _, api := range from.Scheme.Release.APIs {
		for _, gated := range api.GatedPlugins {
			if gated.Name == plugin && gated.Point != "score" && from.Scheme.Gates[gated.Gate] != gated.On {
				return true
			}
		}
	}
	_, alias := from.Scheme.Release.Plugin(aliases[plugin])
	return !known && !alias && !schemas.PluginBefore(plugin, from.Scheme.Release.Minor())
}

// compareFrameworks compares what both releases can run: plugins, weights, and the args of plugins
// whose args both type.
func compareFrameworks(t *testing.T, before, after scheme.Framework, from, to scheme.Side) string {
	for _, name := range to.Scheme.Release.Points {
		if !slices.Contains(from.Scheme.Release.Points, name) {
			continue
		}
		point := config.Point(name)
		a, b := asTarget(before.Points[point], name, to), asTarget(after.Points[point], name, to)
		for plugin := range b {
			source, known := from.Scheme.Release.Plugin(plugin)
			notYet := known && !slices.Contains(source.Points, name) && before.Used[plugin]
			if _, wanted := a[plugin]; !wanted && (notYet || couldNotRun(from, plugin)) {
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
			field := differingField(plugin, args, got)
			if field == "ScoringStrategy" && asTarget(before.Points[config.Score], "score", from)[plugin] == 0 {
				// Until it scores, the plugin has no use for its strategy.
				continue
			}
			if field != "" {
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
