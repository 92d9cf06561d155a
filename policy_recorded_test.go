// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schedconf_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/validation"
)

// policyVerdict is what one kube-scheduler did with one Policy.
type policyVerdict struct {
	Minor    string   `json:"minor"`
	Case     string   `json:"case"`
	Accepted bool     `json:"accepted"`
	Errors   []string `json:"errors"`
	// Profile is what it built, under the names of its internal types.
	Profile *struct {
		SchedulerName string
		Plugins       map[string]struct {
			Enabled []struct {
				Name   string
				Weight int32
			}
		}
		PluginConfig []struct {
			Name string
			Args map[string]any
		}
	} `json:"profile"`
}

func recordedPolicies(t *testing.T) []policyVerdict {
	t.Helper()
	file, err := os.Open("testdata/recorded/policies.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []policyVerdict
	for decoder := json.NewDecoder(packed); ; {
		var v policyVerdict
		if err := decoder.Decode(&v); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
}

// shownProfile is a profile as it can be compared.
type shownProfile struct {
	SchedulerName string
	Plugins       map[string][]shownPlugin
	Args          map[string]any
}

type shownPlugin struct {
	Name   string
	Weight int32 // 0 where it means nothing
}

// TestRecordedPolicies holds that every Policy is accepted by the releases that did, refused by the
// others, and built into the very profile: plugins in order, weights and args.
func TestRecordedPolicies(t *testing.T) {
	texts := readJSON[map[string]string](t, "testdata/recorded/policies.json")
	verdicts, profiles := 0, 0
	for _, v := range recordedPolicies(t) {
		minor, err := schemas.ParseMinor(v.Minor)
		if err != nil {
			t.Fatal(err)
		}
		s := newScheme(t, minor)
		doc := source.Split(v.Case, []byte(texts[v.Case]))[0]
		result, err := validation.New(s).Check(doc)
		if err != nil {
			t.Fatal(err)
		}
		verdicts++
		if accepted, _ := result.Findings.Verdict(); accepted != v.Accepted {
			t.Errorf("%s %s: accepted %t, the program %t: %s", v.Minor, v.Case, accepted, v.Accepted, strings.Join(v.Errors, "; "))
			continue
		}
		if v.Profile == nil {
			continue
		}
		resolved, err := s.Resolve(scheme.Start{Policy: result.Policy, PolicyDoc: doc})
		if err != nil {
			t.Fatal(err)
		}
		profiles++
		want := shownProfile{v.Profile.SchedulerName, map[string][]shownPlugin{}, map[string]any{}}
		for point, set := range v.Profile.Plugins {
			for _, plugin := range set.Enabled {
				want.Plugins[jsonName(point)] = append(want.Plugins[jsonName(point)], shownPlugin(plugin))
			}
		}
		for _, entry := range v.Profile.PluginConfig {
			if args := jsonNames(entry.Args).(map[string]any); len(args) > 0 {
				want.Args[entry.Name] = args
			}
		}
		if diff := cmp.Diff(want, shown(t, resolved.Profiles[0])); diff != "" {
			t.Errorf("%s %s (-program +schedconf):\n%s", v.Minor, v.Case, diff)
		}
	}
	if verdicts != 200 || profiles != 90 {
		t.Errorf("%d verdicts and %d profiles were compared, want 200 and 90", verdicts, profiles)
	}
	t.Logf("policies: %d verdicts and %d profiles", verdicts, profiles)
}

func shown(t *testing.T, profile scheme.Profile) shownProfile {
	t.Helper()
	out := shownProfile{profile.SchedulerName, map[string][]shownPlugin{}, map[string]any{}}
	for point, list := range profile.Plugins {
		for _, plugin := range list {
			entry := shownPlugin{Name: plugin.Name}
			if plugin.Weight != nil {
				entry.Weight = *plugin.Weight
			}
			out.Plugins[point] = append(out.Plugins[point], entry)
		}
	}
	text, err := json.Marshal(profile.Args)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &out.Args); err != nil {
		t.Fatal(err)
	}
	return out
}

// jsonName is the JSON name of a Go field, of which only the first letter differs.
func jsonName(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// jsonNames renames the fields in a value, and takes out what is null: files cannot say it either.
func jsonNames(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, child := range v {
			if child != nil {
				out[jsonName(name)] = jsonNames(child)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, child := range v {
			out[i] = jsonNames(child)
		}
		return out
	}
	return value
}
