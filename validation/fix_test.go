// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source/find"
)

func checkerFor(t testing.TB, minor string) *Checker {
	t.Helper()
	m, err := schemas.ParseMinor(minor)
	if err != nil {
		t.Fatal(err)
	}
	release := schemas.For(m)
	gates, err := release.NewGates(nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scheme.New(release, gates)
	if err != nil {
		t.Fatal(err)
	}
	return New(s)
}

func everything(_ []byte, list diag.List) diag.List { return list }

// fixed makes the fixes of a file for a release, and judges what comes out.
func fixed(t testing.TB, checker *Checker, text string) (after string, made int, left diag.List) {
	t.Helper()
	f := Open("f.yaml", []byte(text), true)
	run := NewRun([]*File{f}, find.Objects{}, nil, func(Aim) (*Checker, error) { return checker, nil })
	data, fixes, err := run.Fixed(f, everything)
	if err != nil {
		t.Fatal(err)
	}
	result, err := checker.CheckFile("f.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	return string(data), len(fixes), result.Findings
}

// TestFix says for each text what becomes of it; a text without an answer has no certain one.
func TestFix(t *testing.T) {
	const head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	const v1alpha1 = "apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: KubeSchedulerConfiguration\n"
	for name, test := range map[string]struct{ minor, text, want string }{
		"field":               {"1.30", head + "Parallelism: 3 # many\n", head + "parallelism: 3 # many\n"},
		"quoted field":        {"1.30", head + "\"Parallelism\": 3\n", head + "\"parallelism\": 3\n"},
		"deep field":          {"1.30", head + "profiles:\n- schedulername: a\n  Plugins: {Score: {Enabled: [{Name: ImageLocality}]}}\n", head + "profiles:\n- schedulerName: a\n  plugins: {score: {enabled: [{name: ImageLocality}]}}\n"},
		"both fields":         {"1.30", head + "Parallelism: 3\nparallelism: 4\n", ""},
		"near, not same":      {"1.30", head + "paralelism: 3\n", ""},
		"plugin":              {"1.30", head + "profiles: [{plugins: {score: {enabled: [{name: imageLocality}]}}}]\n", head + "profiles: [{plugins: {score: {enabled: [{name: ImageLocality}]}}}]\n"},
		"plugin typo":         {"1.30", head + "profiles: [{plugins: {score: {enabled: [{name: ImageLocalty}]}}}]\n", ""},
		"plugin twice":        {"1.30", head + "profiles: [{plugins: {score: {enabled: [{name: ImageLocality}, {name: imageLocality}]}}}]\n", head + "profiles: [{plugins: {score: {enabled: [{name: ImageLocality}, {name: ImageLocality}]}}}]\n"},
		"strategy":            {"1.30", head + "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: mostAllocated}}}]}]\n", head + "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated}}}]}]\n"},
		"defaulting":          {"1.30", head + "profiles: [{pluginConfig: [{name: PodTopologySpread, args: {defaultingType: list}}]}]\n", head + "profiles: [{pluginConfig: [{name: PodTopologySpread, args: {defaultingType: List}}]}]\n"},
		"lock":                {"1.30", head + "leaderElection: {resourceLock: Leases}\n", head + "leaderElection: {resourceLock: leases}\n"},
		"api version":         {"1.30", strings.ReplaceAll(head, "k8s.io/v1", "k8.io/V1"), head},
		"api version 2":       {"1.30", strings.ReplaceAll(head, "/v1", "/v2"), ""},
		"api version near":    {"1.24", strings.ReplaceAll(head, "/v1", "/v1beta"), ""},
		"not served":          {"1.30", strings.ReplaceAll(head, "/v1", "/v1bta3"), ""},
		"served":              {"1.27", strings.ReplaceAll(head, "/v1", "/v1bta3"), strings.ReplaceAll(head, "/v1", "/v1beta3")},
		"kind":                {"1.30", strings.ReplaceAll(head, "KubeScheduler", "Kubescheduler"), head},
		"address":             {"1.30", head + "# first\nhealthzBindAddress: 0.0.0.0:10251\nparallelism: 3\n", ""},
		"address alone":       {"1.30", head + "parallelism: 3\nhealthzBindAddress: 0.0.0.0:10251\nmetricsBindAddress: x\n", head + "parallelism: 3\n"},
		"metadata":            {"1.30", head + "metadata:\n  name: x\nparallelism: 3\n", head + "parallelism: 3\n"},
		"ignored":             {"1.18", v1alpha1 + "lockObjectNam: x\nfoo: y\n", ""},
		"of no use for long":  {"1.18", v1alpha1 + "failureDomains: y\n", v1alpha1},
		"passed over":         {"1.16", v1alpha1 + "unreserve: {}\n", v1alpha1},
		"wrong case, ignored": {"1.16", v1alpha1 + "disablepreemptio: true\n", ""},
		"repeated":            {"1.30", head + "parallelism: 3\nleaderElection: {leaderElect: true}\nparallelism: 3\n", head + "leaderElection: {leaderElect: true}\nparallelism: 3\n"},
		"repeated, differs":   {"1.30", head + "parallelism: 3\nparallelism: 4\n", ""},
		"repeated comment":    {"1.30", head + "parallelism: 3 # why\nparallelism: 3\n", ""},
		"config map": {"1.30", "kind: ConfigMap\napiVersion: v1\ndata:\n  a: |\n    " + strings.ReplaceAll(strings.TrimSuffix(head, "\n")+"\nParallelism: 3\nmetadata: {name: x}\n", "\n", "\n    ") + "\n  b: c\n",
			"kind: ConfigMap\napiVersion: v1\ndata:\n  a: |\n    " + strings.ReplaceAll(strings.TrimSuffix(head, "\n")+"\nparallelism: 3\n", "\n", "\n    ") + "\n  b: c\n"},
		"JSON string": {"1.30", `{"kind": "ConfigMap", "apiVersion": "v1", "data": {"a": "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n\"Parallelism\": 3\n"}}`,
			`{"kind": "ConfigMap", "apiVersion": "v1", "data": {"a": "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n\"parallelism\": 3\n"}}`},
		"object":           {"1.30", "scheduler:\n  config:\n    " + strings.ReplaceAll(head, "\n", "\n    ") + "Parallelism: 3\n    metadata: {name: x}\n", "scheduler:\n  config:\n    " + strings.ReplaceAll(head, "\n", "\n    ") + "parallelism: 3\n"},
		"second document":  {"1.30", head + "---\n" + head + "Parallelism: 3\n", head + "---\n" + head + "parallelism: 3\n"},
		"carriage returns": {"1.30", strings.ReplaceAll(head+"metadata: {name: x}\nParallelism: 3\n", "\n", "\r\n"), strings.ReplaceAll(head+"parallelism: 3\n", "\n", "\r\n")},
		"byte order mark":  {"1.30", "\ufeff" + head + "metadata: {name: x}\nParallelism: 3\n", "\ufeff" + head + "parallelism: 3\n"},
	} {
		t.Run(name, func(t *testing.T) {
			checker := checkerFor(t, test.minor)
			got, made, _ := fixed(t, checker, test.text)
			want := test.want
			if want == "" {
				want = test.text
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if made > 0 != (got != test.text) {
				t.Errorf("%d fixes are told", made)
			}
			if again, _, _ := fixed(t, checker, got); again != got {
				t.Errorf("a second time it becomes:\n%s", again)
			}
		})
	}
}

// TestFixKeep holds that what is passed over is not fixed.
func TestFixKeep(t *testing.T) {
	checker := checkerFor(t, "1.30")
	f := Open("f.yaml", []byte(goodFile+"Parallelism: 3\n"), true)
	run := NewRun([]*File{f}, find.Objects{}, nil, func(Aim) (*Checker, error) { return checker, nil })
	data, made, err := run.Fixed(f, func([]byte, diag.List) diag.List { return nil })
	if err != nil || len(made) > 0 || !bytes.Equal(data, f.Data) {
		t.Errorf("%d fixes, %v:\n%s", len(made), err, data)
	}
}

// TestFixIsSafe holds over all recorded configurations and releases that nothing is fixed which a release
// accepts, unless it means the same afterwards.
func TestFixIsSafe(t *testing.T) {
	data, err := os.ReadFile("../testdata/recorded/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string]string
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	changed := 0
	for _, minor := range []string{"1.16", "1.18", "1.22", "1.37"} {
		checker := checkerFor(t, minor)
		for name, text := range cases {
			if checkFixed(t, checker, minor+" "+name, text) {
				changed++
			}
		}
	}
	if changed < 10 {
		t.Errorf("only %d texts of %d are fixed", changed, len(cases))
	}
}

// checkFixed holds a text and what its fixes make of it against each other, and reports whether they differ.
func checkFixed(t testing.TB, checker *Checker, name, text string) bool {
	t.Helper()
	after, _, left := fixed(t, checker, text)
	if slices.ContainsFunc(left, func(d diag.Diagnostic) bool { return d.Fix != nil && d.Severity == diag.Error }) {
		t.Logf("%s: fixes are left in\n%s", name, after)
	}
	if again, _, _ := fixed(t, checker, after); again != after {
		t.Errorf("%s: a second time the fixes change\n%s\nto\n%s", name, after, again)
	}
	old, new := Open("f.yaml", []byte(text), true).Found, Open("f.yaml", []byte(after), true).Found
	if len(old) != len(new) {
		t.Fatalf("%s: %d become %d\n%s", name, len(old), len(new), after)
	}
	for i := range old {
		if !isJudged(old[i].Kind) {
			continue
		}
		a, err := checker.Check(old[i].Doc)
		if err != nil {
			t.Fatal(err)
		}
		b, err := checker.Check(new[i].Doc)
		if err != nil {
			t.Fatal(err)
		}
		if accepted, _ := a.Findings.Verdict(); !accepted || a.Built == nil {
			continue
		}
		x, y := scheme.EffectivePair(a.Built, b.Built)
		if !reflect.DeepEqual(x, y) {
			t.Errorf("%s: an accepted file means something else\n%s\n->\n%s", name, text, after)
		}
	}
	return after != text
}

// FuzzFix holds that fixes are safe, come to an end, and are made once.
func FuzzFix(f *testing.F) {
	const head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	for _, text := range []string{
		head + "Parallelism: 3\nparallelism: 3\nparallelism: 3\n", head + "profiles: [{Plugins: {score: {enabled: [{name: imageLocality}]}}}]\n",
		"kind: ConfigMap\ndata:\n  a: |\n    apiVersion: kubescheduler.config.k8s.io/V1\n    kind: KubeSchedulerConfiguration\n    metadata: {name: x}\n",
		`{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "kubeschedulerconfiguration", "metadata": {}, "parallelism": 1, "parallelism": 1}`,
		head + "metadata: &a {name: x}\nleaderElection: {LeaderElect: *a}\n",
	} {
		f.Add(text)
	}
	checkers := []*Checker{checkerFor(f, "1.16"), checkerFor(f, "1.18"), checkerFor(f, "1.37")}
	f.Fuzz(func(t *testing.T, text string) {
		for _, checker := range checkers {
			checkFixed(t, checker, "fuzzed", text)
		}
	})
}
