// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package scheme_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/policyv1"
	"github.com/schedconf/schedconf/scheme/source"
)

func newScheme(t testing.TB, name string, gates map[string]bool) *scheme.Scheme {
	t.Helper()
	minor, err := schemas.ParseMinor(name)
	if err != nil {
		t.Fatal(err)
	}
	states, err := schemas.For(minor).NewGates(gates)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scheme.New(schemas.For(minor), states)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// given makes the flags of a command line; each stands at the column of its number.
func given(t testing.TB, s *scheme.Scheme, words ...string) []scheme.FlagValue {
	t.Helper()
	var flags []scheme.FlagValue
	for i, word := range words {
		name, value, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		flag, ok := s.Release.Flag(name)
		if !ok {
			t.Fatalf("Kubernetes %s has no flag %s", s.Release.Name, word)
		}
		flags = append(flags, scheme.FlagValue{Flag: flag, Value: value, Pos: diag.Position{File: "args", Line: 1, Column: i + 1}})
	}
	return flags
}

func header(s *scheme.Scheme, i int) string {
	return fmt.Sprintf("apiVersion: %s\nkind: KubeSchedulerConfiguration\n", s.Release.APIs[i].APIVersion)
}

func field(r *scheme.Resolved, path string) string {
	for _, f := range r.Fields {
		if f.Path == path {
			return fmt.Sprintf("%v %s %s:%d", f.Value, f.Source.Origin, f.Source.Pos.File, f.Source.Pos.Line)
		}
	}
	return "none"
}

// TestResolveFlags has its answers from cmd/kube-scheduler/app/options of the releases: ApplyTo decides
// which flags count beside a file.
func TestResolveFlags(t *testing.T) {
	const file = "leaderElection:\n  leaderElect: true\n  resourceName: mine\nclientConnection:\n  qps: 7\n"
	for _, test := range []struct {
		minor, file, flags, path, want string
	}{
		// Without a file every flag counts.
		{"1.16", "", "--leader-elect=false", "leaderElection.leaderElect", "false flag args:1"},
		{"1.37", "", "--leader-elect=false", "leaderElection.leaderElect", "false flag args:1"},
		{"1.37", "", "", "leaderElection.leaderElect", "true default :0"},
		{"1.37", "", "--kube-api-qps=3", "clientConnection.qps", "3 flag args:1"},
		{"1.37", "", "--kubeconfig=/k", "clientConnection.kubeconfig", "/k flag args:1"},
		{"1.17", "", "--scheduler-name=x", "profiles[0].schedulerName", "x flag args:1"},
		{"1.21", "", "--scheduler-name=x", "profiles[0].schedulerName", "x flag args:1"},
		{"1.18", "", "--hard-pod-affinity-symmetric-weight=7", "profiles[0].args.InterPodAffinity.hardPodAffinityWeight", "7 flag args:1"},
		{"1.21", "", "--hard-pod-affinity-symmetric-weight=7", "profiles[0].args.InterPodAffinity.hardPodAffinityWeight", "7 flag args:1"},
		{"1.22", "", "--port=8000", "healthzBindAddress", "0.0.0.0:8000 flag args:1"},
		{"1.22", "", "--port=8000 --address=127.0.0.1", "metricsBindAddress", "127.0.0.1:8000 flag args:1"},
		{"1.22", "", "--leader-elect-lease-duration=1m", "leaderElection.leaseDuration", "1m0s flag args:1"},
		// With one the leader election flags do from 1.22, and all others never.
		{"1.18", file, "--leader-elect=false", "leaderElection.leaderElect", "true file x.yaml:4"},
		{"1.21", file, "--leader-elect=false", "leaderElection.leaderElect", "true file x.yaml:4"},
		{"1.22", file, "--leader-elect=false", "leaderElection.leaderElect", "false flag args:1"},
		{"1.37", file, "--leader-elect=false", "leaderElection.leaderElect", "false flag args:1"},
		{"1.37", file, "--kube-api-qps=3", "clientConnection.qps", "7 file x.yaml:7"},
		{"1.37", file, "--kubeconfig=/k", "clientConnection.kubeconfig", "none"},
		{"1.37", file, "", "leaderElection.retryPeriod", "2s default :0"},
		{"1.22", file, "--port=8000", "healthzBindAddress", "0.0.0.0:10251 default :0"},
		// Two flags for one field: until 1.21 the last one counts.
		{"1.21", "", "--leader-elect-resource-name=a --lock-object-name=b", "leaderElection.resourceName", "b flag args:1"},
		{"1.22", "", "--leader-elect-resource-name=a --lock-object-name=b", "leaderElection.resourceName", "a flag args:1"},
		{"1.22", file, "--lock-object-name=b", "leaderElection.resourceName", "mine file x.yaml:5"},
		// Provider and Policy.
		{"1.18", file, "--algorithm-provider=ClusterAutoscalerProvider", "algorithmSource.provider", "none"},
		{"1.19", file, "--algorithm-provider=ClusterAutoscalerProvider", "algorithmSource.provider", "ClusterAutoscalerProvider flag args:1"},
		{"1.22", file, "--policy-configmap=p", "algorithmSource.policy.configMap.namespace", "kube-system default :0"},
		{"1.22", file, "--policy-configmap=p --policy-config-file=/f", "algorithmSource.policy.configMap.name", "p flag args:1"},
		{"1.22", file, "--policy-configmap=p --policy-config-file=/f --use-legacy-policy-config=true", "algorithmSource.policy.file.path", "/f flag args:1"},
	} {
		t.Run(test.minor+" "+test.flags, func(t *testing.T) {
			s := newScheme(t, test.minor, nil)
			start := scheme.Start{Flags: given(t, s, strings.Fields(test.flags)...)}
			if test.file != "" {
				start.Doc = source.Split("x.yaml", []byte(header(s, 0)+test.file))[0]
			}
			r, err := s.Resolve(start)
			if err != nil {
				t.Fatal(err)
			}
			if got := field(r, test.path); got != test.want {
				t.Errorf("%s is %s, want %s", test.path, got, test.want)
			}
		})
	}
}

// TestResolvePolicyAndProfiles holds what 1.19 to 1.21 refuse, and 1.22 does not.
func TestResolvePolicyAndProfiles(t *testing.T) {
	for minor, want := range map[string]int{"1.18": 0, "1.19": 1, "1.21": 1, "1.22": 0} {
		s := newScheme(t, minor, nil)
		text := header(s, 0) + "profiles:\n- pluginConfig:\n  - name: VolumeBinding\n    args: {bindTimeoutSeconds: 5}\n"
		if minor == "1.18" {
			text = header(s, 0) + "profiles:\n- plugins: {score: {disabled: [{name: '*'}]}}\n"
		}
		r, err := s.Resolve(scheme.Start{Doc: source.Split("x.yaml", []byte(text))[0], Flags: given(t, s, "--policy-config-file=/p")})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Refusals) != want {
			t.Errorf("%s: %+v", minor, r.Refusals)
		}
		if ignored := minor == "1.18"; ignored != (len(r.Profiles) == 1) {
			t.Errorf("%s: %d profiles", minor, len(r.Profiles))
		}
	}
}

// TestResolvePolicy holds that the plugins of a Policy come from its entries, and that the rest of the
// configuration stays.
func TestResolvePolicy(t *testing.T) {
	s := newScheme(t, "1.22", nil)
	doc := source.Split("p.yaml", []byte("apiVersion: v1\nkind: Policy\npredicates:\n- name: HostName\n"))[0]
	r, err := s.Resolve(scheme.Start{
		Flags:  given(t, s, "--policy-config-file=/p", "--leader-elect=false"),
		Policy: &policyv1.Policy{Predicates: []policyv1.PredicatePolicy{{Name: "HostName"}}}, PolicyDoc: doc,
	})
	if err != nil {
		t.Fatal(err)
	}
	for plugin, want := range map[string]string{"NodeName": "policy 4", "TaintToleration": "policy mandatory", "VolumeZone": "none"} {
		if got := source0(t, r, "filter", plugin); got != want {
			t.Errorf("%s: %s, want %s", plugin, got, want)
		}
	}
	if got := source0(t, r, "score", "PodTopologySpread"); got != "default x2" {
		t.Errorf("PodTopologySpread scores %s, want the default of 1.22", got)
	}
	if *r.Config.LeaderElection.LeaderElect {
		t.Error("--leader-elect=false is lost")
	}
}

func source0(t *testing.T, r *scheme.Resolved, point, plugin string) string {
	t.Helper()
	for _, p := range r.Profiles[0].Plugins[point] {
		if p.Name == plugin {
			text := string(p.Source.Origin)
			if p.Source.Name != "" {
				text += " " + p.Source.Name
			}
			if p.Source.Pos.Line > 0 {
				text += fmt.Sprintf(" %d", p.Source.Pos.Line)
			}
			if p.Weight != nil {
				text += fmt.Sprintf(" x%d", *p.Weight)
			}
			return text
		}
	}
	return "none"
}

// TestResolvePlugins holds why plugins run.
func TestResolvePlugins(t *testing.T) {
	const file = `profiles:
- plugins:
    score:
      enabled:
      - {name: ImageLocality, weight: 5}
    multiPoint:
      enabled:
      - {name: NodeResourcesFit, weight: 7}
`
	s := newScheme(t, "1.30", map[string]bool{"DynamicResourceAllocation": true})
	r, err := s.Resolve(scheme.Start{Doc: source.Split("x.yaml", []byte(header(s, 0)+file))[0], Gates: map[string]bool{"DynamicResourceAllocation": true}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range [][3]string{
		{"score", "ImageLocality", "file 7 x5"},
		{"score", "NodeResourcesFit", "multiPoint 10 x7"},
		{"filter", "NodeResourcesFit", "multiPoint 10"},
		{"filter", "DynamicResources", "gate DynamicResourceAllocation"},
		{"score", "TaintToleration", "default x3"},
		{"filter", "ImageLocality", "none"},
	} {
		if got := source0(t, r, test[0], test[1]); got != test[2] {
			t.Errorf("%s at %s: %s, want %s", test[1], test[0], got, test[2])
		}
	}
	old := newScheme(t, "1.21", nil)
	r, err = old.Resolve(scheme.Start{Flags: given(t, old, "--algorithm-provider=ClusterAutoscalerProvider")})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := source0(t, r, "score", "NodeResourcesMostAllocated"), "provider ClusterAutoscalerProvider 1 x1"; got != want {
		t.Errorf("the provider's plugin: %s, want %s", got, want)
	}
}

// TestResolveV1alpha1 holds that places are found where the file is one profile and calls things by old
// names.
func TestResolveV1alpha1(t *testing.T) {
	s := newScheme(t, "1.17", nil)
	const file = `schedulerName: mine
leaderElection:
  lockObjectName: lock
plugins:
  score:
    enabled: [{name: NodeLabel}]
pluginConfig:
- name: NodeLabel
  args: {presentLabels: [a]}
`
	r, err := s.Resolve(scheme.Start{Doc: source.Split("x.yaml", []byte(header(s, 0)+file))[0]})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"profiles[0].schedulerName":                "mine file x.yaml:3",
		"leaderElection.resourceName":              "lock file x.yaml:5",
		"profiles[0].args.NodeLabel.presentLabels": "[a] file x.yaml:11",
	} {
		if got := field(r, path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

// TestResolveRedacts holds that no secret is shown.
func TestResolveRedacts(t *testing.T) {
	s := newScheme(t, "1.30", nil)
	s.Declare("Mine", "score")
	const file = `extenders:
- urlPrefix: http://a:hunter2@b
  prioritizeVerb: p
  weight: 1
profiles:
- plugins: {score: {enabled: [{name: Mine}]}}
  pluginConfig: [{name: Mine, args: {token: hunter2}}]
`
	r, err := s.Resolve(scheme.Start{Doc: source.Split("x.yaml", []byte(header(s, 0)+file))[0]})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal([]any{r.Fields, r.Profiles}); err != nil || strings.Contains(string(text), "hunter2") || strings.Count(string(text), scheme.Redacted) != 3 {
		t.Errorf("%s (%v)", text, err)
	}
}

// TestResolveRecorded holds for every recorded case, as far as it is built, that resolving changes
// nothing about it, and that what is from the file is in the file.
func TestResolveRecorded(t *testing.T) {
	data, err := os.ReadFile("../testdata/recorded/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string]string
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	total, fromFile := 0, 0
	// One minor of each way to build profiles.
	for _, minor := range []string{"1.16", "1.18", "1.21", "1.22", "1.25", "1.37"} {
		s := newScheme(t, minor, nil)
		for i := range s.Release.APIs {
			api := &s.Release.APIs[i]
			for _, name := range slices.Sorted(maps.Keys(cases)) {
				if !strings.HasPrefix(name, path.Base(api.APIVersion)+"/") {
					continue
				}
				doc := source.Split(name, []byte(cases[name]))[0]
				built := build(s, api, doc)
				if built == nil {
					continue
				}
				total++
				r, err := s.Resolve(scheme.Start{Doc: doc})
				if err != nil {
					t.Errorf("%s %s: %v", minor, name, err)
					continue
				}
				if diff := cmp.Diff(lists(built.Frameworks), lists(r.Built.Frameworks)); diff != "" || len(r.Refusals) != len(built.Refusals) {
					t.Errorf("%s %s: %s", minor, name, diff)
				}
				for _, f := range r.Fields {
					if f.Source.Origin == scheme.OfFile {
						fromFile++
						if line := f.Source.Pos.Line; line < 1 || line > strings.Count(cases[name], "\n")+1 {
							t.Errorf("%s %s: %s stands in line %d", minor, name, f.Path, line)
						}
					}
				}
			}
		}
	}
	if total < 500 || fromFile < 500 {
		t.Errorf("only %d cases with %d fields from files", total, fromFile)
	}
}

// build returns nil for a document that does not get that far.
func build(s *scheme.Scheme, api *schemas.API, doc *source.Document) *scheme.Built {
	value, _, err := scheme.Value(doc)
	if err != nil {
		return nil
	}
	if apiVersion, _, err := scheme.TypeMeta(value); err != nil || apiVersion != api.APIVersion {
		return nil
	}
	decoded, err := s.Decode(value, api)
	if err != nil || decoded.Object == nil {
		return nil
	}
	cfg, err := s.Load(decoded.Object, api)
	if err != nil {
		return nil
	}
	return s.Build(cfg, api)
}

func lists(frameworks []scheme.Framework) []map[config.Point][]config.Plugin {
	var all []map[config.Point][]config.Plugin
	for _, f := range frameworks {
		all = append(all, f.Points)
	}
	return all
}
