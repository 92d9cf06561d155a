// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source"
)

// policyFindings are the findings about a Policy as "rule severity line", without the reminder that
// a Policy is not read any more in 1.23.
func policyFindings(t *testing.T, minor string, gates map[string]bool, text string) []string {
	t.Helper()
	parsed, err := schemas.ParseMinor(minor)
	if err != nil {
		t.Fatal(err)
	}
	release := schemas.For(parsed)
	states, err := release.NewGates(gates)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scheme.New(release, states)
	if err != nil {
		t.Fatal(err)
	}
	result, err := New(s).Check(source.Split("p", []byte(text))[0])
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, d := range result.Findings {
		if d.Rule != "policy-removed-later" {
			found = append(found, fmt.Sprintf("%s %s %d", d.Rule, d.Severity, d.Pos.Line))
		}
	}
	return found
}

// TestPolicyRules holds each rule with its near miss: the second text differs from the first by the
// least that flips the verdict.
func TestPolicyRules(t *testing.T) {
	const head = "apiVersion: v1\nkind: Policy\n"
	for name, test := range map[string]struct {
		minor, bad, want, good string
	}{
		"name": {"1.19", "predicates:\n- name: HostNam\n", "policy-name-unknown error 4", "predicates:\n- name: HostName\n"},
		"priority name": {
			"1.18", "priorities:\n- {name: RequestedToCapacityRatioPriority, weight: 1}\n", "policy-name-unknown error 4",
			"priorities:\n- {name: EqualPriority, weight: 1}\n",
		},
		"two arguments": {
			"1.20", "predicates:\n- name: A\n  argument:\n    serviceAffinity: {labels: [a]}\n    labelsPresence: {labels: [b]}\n", "policy-argument-count error 6",
			"predicates:\n- name: A\n  argument:\n    labelsPresence: {labels: [b]}\n",
		},
		"no argument": {"1.20", "predicates:\n- name: A\n  argument: {}\n", "policy-argument-count error 5", "predicates:\n- name: A\n  argument: {serviceAffinity: {labels: [a]}}\n"},
		"plugin name": {
			"1.20", "priorities:\n- {name: NodeLabel, weight: 1}\n", "policy-argument-missing error 4",
			"priorities:\n- {name: NodeLabel, weight: 1}\n- {name: A, weight: 1, argument: {labelPreference: {label: a}}}\n",
		},
		"predicate of the plugin in 1.22": {
			"1.22", "predicates:\n- name: CheckNodeLabelPresence\n", "policy-argument-missing error 4",
			"predicates:\n- name: CheckNodeLabelPresence\n- {name: A, argument: {labelsPresence: {labels: [a]}}}\n",
		},
		"custom name in 1.16": {
			"1.16", "predicates:\n- name: a_b\n  argument: {labelsPresence: {labels: [a]}}\n", "policy-name-syntax error 4",
			"predicates:\n- name: a-b\n  argument: {labelsPresence: {labels: [a]}}\n",
		},
		"weight": {"1.17", "priorities:\n- {name: LeastRequestedPriority, weight: 0}\n", "policy-weight-range error 4", "priorities:\n- {name: LeastRequestedPriority, weight: 1}\n"},
		"largest weight": {
			"1.22", "priorities:\n- {name: LeastRequestedPriority, weight: 922337203685477580}\n", "policy-weight-range error 4",
			"priorities:\n- {name: LeastRequestedPriority, weight: 2147483647}\n",
		},
		"weights of labels": {
			"1.17", "priorities:\n- {name: A, weight: 1, argument: {labelPreference: {label: a}}}\n- {name: B, weight: 2, argument: {labelPreference: {label: b}}}\n",
			"policy-weight-differs error 5",
			"priorities:\n- {name: A, weight: 2, argument: {labelPreference: {label: a}}}\n- {name: B, weight: 2, argument: {labelPreference: {label: b}}}\n",
		},
		"two shapes": {
			"1.21", "priorities:\n" + ratioPriority("A", 1) + ratioPriority("B", 1), "policy-ratio-repeated error 5", "priorities:\n" + ratioPriority("A", 1),
		},
		"weight of a resource": {"1.19", "priorities:\n" + ratioPriority("A", 0), "args-ratio-resource-weight error 4", "priorities:\n" + ratioPriority("A", 1)},
		"hard weight":          {"1.18", "hardPodAffinitySymmetricWeight: 101\n", "policy-hard-weight-range error 3", "hardPodAffinitySymmetricWeight: 100\n"},
		"labels that contradict": {
			"1.17", "predicates:\n- {name: A, argument: {labelsPresence: {labels: [a], presence: true}}}\n- {name: B, argument: {labelsPresence: {labels: [a]}}}\n",
			"args-node-label-conflict error 5",
			"predicates:\n- {name: A, argument: {labelsPresence: {labels: [a], presence: true}}}\n- {name: B, argument: {labelsPresence: {labels: [b]}}}\n",
		},
		"twice the same plugin": {
			"1.18", "predicates:\n- name: GeneralPredicates\n- name: HostName\n", "plugin-twice error 5", "predicates:\n- name: PodFitsResources\n- name: HostName\n",
		},
		"ignored resource": {
			"1.22", "predicates: []\nextenders:\n- {urlPrefix: 'http://e', managedResources: [{name: a.com/b, ignoredByScheduler: true}]}\n", "fit-args-missing error 3",
			"predicates: [{name: PodFitsResources}]\nextenders:\n- {urlPrefix: 'http://e', managedResources: [{name: a.com/b, ignoredByScheduler: true}]}\n",
		},
		"argument of a known name": {
			"1.18", "predicates:\n- name: HostName\n  argument: {labelsPresence: {labels: [a]}}\n", "policy-argument-ignored warning 5",
			"predicates:\n- name: Hostname\n  argument: {labelsPresence: {labels: [a]}}\n",
		},
		"repeated": {"1.20", "predicates:\n- name: HostName\n- name: HostName\n", "policy-entry-repeated warning 5", "predicates:\n- name: HostName\n"},
		"cut weight": {
			"1.17", "priorities:\n- {name: LeastRequestedPriority, weight: 2147483648}\n", "policy-weight-cut warning 4",
			"priorities:\n- {name: LeastRequestedPriority, weight: 2147483647}\n",
		},
		"spread twice": {
			"1.20", "priorities:\n- {name: EvenPodsSpreadPriority, weight: 1}\n- {name: SelectorSpreadPriority, weight: 2}\n", "policy-spread-weight warning 5",
			"priorities:\n- {name: EvenPodsSpreadPriority, weight: 2}\n- {name: SelectorSpreadPriority, weight: 2}\n",
		},
		"unknown key":  {"1.17", "predicate: []\n", "field-unknown error 3", "predicates: []\n"},
		"repeated key": {"1.17", "predicates: []\npredicates: []\n", "key-duplicate error 4", "predicates: []\n"},
		"text weight":  {"1.16", "priorities:\n- {name: LeastRequestedPriority, weight: '1'}\n", "field-type error 4", "priorities:\n- {name: LeastRequestedPriority, weight: 1}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := policyFindings(t, test.minor, nil, head+test.bad); !slices.Contains(got, test.want) {
				t.Errorf("%q, want %s", got, test.want)
			}
			if got := policyFindings(t, test.minor, nil, head+test.good); len(got) > 0 {
				t.Errorf("near miss: %q", got)
			}
		})
	}
}

func ratioPriority(name string, weight int) string {
	return fmt.Sprintf("- {name: %s, weight: 1, argument: {requestedToCapacityRatioArguments: {shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}], resources: [{name: cpu, weight: %d}]}}}\n", name, weight)
}

// TestPolicyBetweenReleases holds what one text is to different releases
// (facts of 1.16 to 1.22, pkg/scheduler/framework/plugins/legacy_registry.go).
func TestPolicyBetweenReleases(t *testing.T) {
	const ratio = "apiVersion: v1\nkind: Policy\npriorities:\n- {name: Ab, weight: 1, argument: {requestedToCapacityRatioArguments: {shape: [{utilization: 0, score: 0}]}}}\n"
	for _, test := range []struct {
		text  string
		gates map[string]bool
		want  map[string]string // by minor; empty is silence
	}{
		{"kind: Policy\npredicates: []\n", nil, map[string]string{"1.16": "policy-typeless warning 1", "1.17": "api-version-missing error 1", "1.23": "api-version-missing error 1"}},
		{"predicates: []\n", nil, map[string]string{"1.16": "policy-typeless warning 1", "1.22": "api-version-missing error 1", "1.23": "kind-missing error 1"}},
		{"kind: Policy\n", nil, map[string]string{"1.17": ""}},
		{"apiVersion: kubescheduler.config.k8s.io/v1\nkind: Policy\n", nil, map[string]string{"1.16": "api-version-unknown error 1", "1.17": "", "1.22": "", "1.25": "kind-wrong error 2"}},
		{"apiVersion: v1\nkind: Policy\npredicates: [{name: CheckNodeCondition}]\n", nil, map[string]string{"1.16": "policy-name-unknown error 3", "1.17": "policy-name-unknown error 3"}},
		{"apiVersion: v1\nkind: Policy\npredicates: [{name: CheckNodeCondition}]\n", map[string]bool{"TaintNodesByCondition": false}, map[string]string{"1.16": ""}},
		{"apiVersion: v1\nkind: Policy\npredicates: [{name: EvenPodsSpread}]\n", nil, map[string]string{"1.16": "policy-name-unknown error 3", "1.17": "policy-name-unknown error 3", "1.18": "", "1.19": ""}},
		{ratio, nil, map[string]string{"1.16": "", "1.18": "", "1.19": "policy-ratio-resources warning 4", "1.22": "policy-ratio-resources warning 4"}},
		{"apiVersion: v1\nkind: Policy\nextenders: [{urlPrefix: 'http://e', Nonsense: 1}]\n", nil, map[string]string{"1.16": "field-unknown warning 3", "1.17": "field-unknown warning 3", "1.22": "field-unknown warning 3"}},
		{"apiVersion: v1\nkind: Policy\nextenderConfigs: []\n", nil, map[string]string{"1.16": "field-unknown warning 3", "1.17": "field-unknown error 3", "1.22": "field-unknown error 3"}},
	} {
		for minor, want := range test.want {
			got := policyFindings(t, minor, test.gates, test.text)
			if want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
				t.Errorf("%s: %q, want %q for:\n%s", minor, got, want, test.text)
			}
		}
	}
}

// TestPolicyHints holds that what is gone is named with what replaced it.
func TestPolicyHints(t *testing.T) {
	for name, want := range map[string]string{
		"CheckNodeDiskPressure": "PodToleratesNodeTaints",
		"PodFitResources":       `did you mean "PodFitsResources"?`,
		"MyOwn":                 "needs an argument",
	} {
		minor, _ := schemas.ParseMinor("1.19")
		release := schemas.For(minor)
		gates, _ := release.NewGates(nil)
		s, err := scheme.New(release, gates)
		if err != nil {
			t.Fatal(err)
		}
		result, err := New(s).Check(source.Split("p", []byte("apiVersion: v1\nkind: Policy\npredicates: [{name: "+name+"}]\n"))[0])
		if err != nil {
			t.Fatal(err)
		}
		if i := slices.IndexFunc(result.Findings, func(d diag.Diagnostic) bool { return d.Rule == scheme.RulePolicyNameUnknown }); i < 0 || !strings.Contains(result.Findings[i].Hint, want) {
			t.Errorf("%s: %+v, want a hint with %q", name, result.Findings, want)
		}
	}
}
