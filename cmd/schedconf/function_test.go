// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// listOf is a ResourceList with a functionConfig, and an item in front of a ConfigMap that holds a configuration.
func listOf(config, configuration string) string {
	return "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: " + config + `
items:
# a service
- {apiVersion: v1, kind: Service, metadata: {name: other}} # beside
# the scheduler
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: sched
    namespace: kube-system
    annotations: {internal.config.kubernetes.io/path: a/b.yaml, internal.config.kubernetes.io/index: '2'}
  data:
    sched.yaml: |
` + "      " + strings.ReplaceAll(strings.TrimSpace(configuration), "\n", "\n      ") + "\n"
}

func dataConfig(words string) string {
	return "{apiVersion: v1, kind: ConfigMap, data: {" + words + "}}"
}

type listed struct {
	APIVersion, Kind string
	Items            []map[string]any
	Results          []fnResult
}

func callFunction(t *testing.T, input string) (int, listed, string) {
	t.Helper()
	code, stdout, stderr := call(input, "fn")
	var out struct {
		APIVersion string           `yaml:"apiVersion"`
		Kind       string           `yaml:"kind"`
		Items      []map[string]any `yaml:"items"`
		Results    []fnResult       `yaml:"results"`
	}
	if err := yaml.Unmarshal([]byte(stdout), &out); err != nil && !strings.Contains(err.Error(), "cannot unmarshal") {
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	if out.Kind != "ResourceList" {
		t.Fatalf("standard output is no ResourceList:\n%s%s", stdout, stderr)
	}
	return code, listed{out.APIVersion, out.Kind, out.Items, out.Results}, stdout
}

// TestFunctionResults holds that a finding is a result with all that the specification of KRM functions has.
func TestFunctionResults(t *testing.T) {
	code, list, stdout := callFunction(t, listOf(dataConfig("target: '1.30'"), minimal+"parallelism: 0 # none"))
	if code != exitNo || len(list.Results) != 1 {
		t.Fatalf("exit code %d\n%s", code, stdout)
	}
	r := list.Results[0]
	if r.Severity != "error" || r.Tags["rule"] != "parallelism-range" || r.Message == "" ||
		*r.ResourceRef != (fnRef{"v1", "ConfigMap", "kube-system", "sched"}) || *r.File != (fnFile{"a/b.yaml", 2}) || r.Field.Path != `data["sched.yaml"].parallelism` {
		t.Errorf("%+v %+v %+v %+v", r, r.ResourceRef, r.File, r.Field)
	}
	for _, comment := range []string{"# a service", "# beside", "# the scheduler", "# none"} {
		if strings.Count(stdout, comment) != 1 {
			t.Errorf("%q is there %d times:\n%s", comment, strings.Count(stdout, comment), stdout)
		}
	}
	// Results of an earlier run go, and the older annotations count where the newer ones are missing.
	old := strings.ReplaceAll(listOf(dataConfig(""), minimal+"parallelism: 0"), "internal.config.", "config.") + "results: [{message: old}]\n"
	for _, version := range listVersions {
		code, list, stdout := callFunction(t, strings.Replace(old, listVersions[0], version, 1))
		if code != exitNo || len(list.Results) != 1 || list.APIVersion != version || *list.Results[0].File != (fnFile{"a/b.yaml", 2}) {
			t.Errorf("%s: exit code %d\n%s", version, code, stdout)
		}
	}
}

// TestFunctionActions holds what each action makes of the configuration in a ConfigMap, and that all else stays.
func TestFunctionActions(t *testing.T) {
	for name, test := range map[string]struct {
		config, configuration, want string
		code                        int
		rules                       []string
	}{
		"nothing":    {"null", minimal, minimal, exitYes, nil},
		"own kind":   {"{apiVersion: schedconf.github.io/v1alpha1, kind: Schedconf, spec: {strict: true, plugins: [Mine]}}", minimal + "profiles: [{plugins: {score: {enabled: [{name: Mine}]}}}]\n", "Mine", exitYes, nil},
		"unknown":    {"null", minimal + "profiles: [{plugins: {score: {enabled: [{name: Mine}]}}}]\n", "Mine", exitNo, []string{"plugin-unknown"}},
		"deprecated": {dataConfig("target: '1.28'"), strings.ReplaceAll(minimal, "/v1", "/v1beta3"), "v1beta3", exitYes, []string{"api-version-deprecated"}},
		"strict":     {dataConfig("target: '1.28', strict: 'true'"), strings.ReplaceAll(minimal, "/v1", "/v1beta3"), "v1beta3", exitNo, []string{"api-version-deprecated"}},
		"ignore":     {dataConfig("target: '1.28', strict: 'true', ignore: api-version-deprecated"), strings.ReplaceAll(minimal, "/v1", "/v1beta3"), "v1beta3", exitYes, nil},
		"fix":        {dataConfig("action: fix"), minimal + "Parallelism: 3 # few\n", "parallelism: 3 # few", exitYes, nil},
		"convert":    {dataConfig("action: convert, to: v1, target: '1.28'"), strings.ReplaceAll(minimal, "/v1", "/v1beta3") + "parallelism: 3 # few\n", minimal + "parallelism: 3 # few", exitYes, []string{"*"}},
		"migrate":    {dataConfig("action: migrate, target: '1.30'"), strings.ReplaceAll(minimal, "/v1", "/v1beta3") + "parallelism: 3\n", "config.k8s.io/v1\n", exitYes, []string{"*"}},
		"default":    {dataConfig("action: default, target: '1.30'"), minimal + "parallelism: 3\n", "podMaxBackoffSeconds: 10", exitYes, nil},
		"refused":    {dataConfig("action: default, target: '1.30'"), minimal + "parallelism: 0\n", minimal + "parallelism: 0\n", exitNo, []string{"parallelism-range"}},
	} {
		t.Run(name, func(t *testing.T) {
			code, list, stdout := callFunction(t, listOf(test.config, test.configuration))
			if len(list.Items) != 2 || list.Items[0]["kind"] != "Service" {
				t.Fatalf("the items are others:\n%s", stdout)
			}
			got := list.Items[1]["data"].(map[string]any)["sched.yaml"].(string)
			var rules []string
			for _, r := range list.Results {
				rules = append(rules, r.Tags["rule"])
			}
			if code != test.code || !strings.Contains(got, test.want) || !slices.Equal(test.rules, []string{"*"}) && !slices.Equal(rules, test.rules) {
				t.Errorf("exit code %d, %q, the configuration is\n%s", code, rules, got)
			}
			for _, comment := range []string{"# a service", "# beside", "# the scheduler"} {
				if strings.Count(stdout, comment) != 1 {
					t.Errorf("%q is there %d times:\n%s", comment, strings.Count(stdout, comment), stdout)
				}
			}
		})
	}
}

// TestFunctionBadInput holds that whatever comes in, a ResourceList comes out, and says what is wrong.
func TestFunctionBadInput(t *testing.T) {
	head := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
	for input, want := range map[string]string{
		"":                        "is no ResourceList",
		"[]":                      "is no ResourceList",
		"a: [":                    "cannot be read as YAML",
		"\x00\xff":                "cannot be read as YAML",
		"kind: ResourceList":      "the apiVersions known are",
		"apiVersion: v1\nkind: L": "the apiVersions known are",
		strings.Replace(head, "/v1", "/v2", 1) + "items: []": "the apiVersions known are",
		head:                                  "has no items",
		head + "items: null":                  "has no items",
		head + "items: {}":                    "is no list",
		head + "items: [3]":                   "items[0] of the ResourceList is no object",
		head + "items: []\nitems: []":         "\"items\" twice",
		head + "items: []\nfunctionConfig: 3": "functionConfig is no object",
		head + "items: []\nfunctionConfig: {kind: ConfigMap}":                                         "it has to be Schedconf",
		head + "items: []\nfunctionConfig: {apiVersion: v1, kind: ConfigMap, binaryData: {}}":         "unknown field \"binaryData\"",
		head + "items: []\nfunctionConfig: " + dataConfig("targte: 1.30"):                             "unknown field \"data.targte\"",
		head + "items: []\nfunctionConfig: " + dataConfig("target: '9.9'"):                            "9.9",
		head + "items: []\nfunctionConfig: " + dataConfig("target: [a]"):                              "data.target is no text",
		head + "items: []\nfunctionConfig: " + dataConfig("target: a, target: b"):                     "data.target is there twice",
		head + "items: []\nfunctionConfig: " + dataConfig("strict: maybe"):                            "neither true nor false",
		head + "items: []\nfunctionConfig: " + dataConfig("plugins: {}"):                              "is no list",
		head + "items: []\nfunctionConfig: " + dataConfig("action: dance"):                            "the choices are validate, fix",
		head + "items: []\nfunctionConfig: " + dataConfig("action: convert"):                          "convert needs data.to",
		head + "items: []\nfunctionConfig: " + dataConfig("to: v1"):                                   "goes with convert only",
		head + "items: []\nfunctionConfig: " + dataConfig("ignore: dance"):                            "no rule is called",
		head + "items: []\nfunctionConfig: " + dataConfig("target: '1.30', featureGates: 'Foo=true'"): "Foo",
		head + "items: []\nfunctionConfig: " + dataConfig("pluginRegistries: nowhere"):                "nowhere",
		listOf(dataConfig("action: convert, to: v9"), minimal):                                        "v9",
		strings.Repeat("a: &a [*a]\n", 3) + head + "items: []":                                        "twice",
		head + "items:\n- &a {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: *a}\n":      "contains itself",
		head + "items:\n- {<<: 3}\n":                                                                  "",
		head + "items:\n- {? [a]: b, kind: [x], metadata: 3}\n":                                       "",
		strings.Repeat("[", 20_000):                                                                   "cannot be read as YAML",
		head + "items: []\n" + strings.Repeat(" ", maxList):                                           "more than 64 MiB",
	} {
		shown := input[:min(len(input), 120)]
		code, list, stdout := callFunction(t, input)
		if code == exitBug {
			t.Errorf("%q: a bug:\n%s", shown, stdout)
		}
		if want == "" {
			continue
		}
		if code != exitWrongQuestion || len(list.Results) != 1 || list.Results[0].Severity != "error" || !strings.Contains(list.Results[0].Message, want) {
			t.Errorf("%q: want %q: exit code %d\n%.2000s", shown, want, code, stdout)
		}
	}
	if code, _, stderr := call("", "fn", "file"); code != exitWrongQuestion || !strings.Contains(stderr, "no file is taken") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// TestFunctionLarge holds that a list of 10 MB is judged whole.
func TestFunctionLarge(t *testing.T) {
	text := listOf("null", minimal+"parallelism: 0")
	var more strings.Builder
	for i := range 200 {
		fmt.Fprintf(&more, "- {apiVersion: v1, kind: ConfigMap, metadata: {name: m%d}, data: {text: %q}}\n", i, strings.Repeat("x", 50_000))
	}
	code, list, _ := callFunction(t, text+more.String())
	if code != exitNo || len(list.Items) != 202 || len(list.Results) != 1 {
		t.Errorf("exit code %d, %d items, %d results", code, len(list.Items), len(list.Results))
	}
}

// TestFunctionName holds that the program is a function by its name.
func TestFunctionName(t *testing.T) {
	var out strings.Builder
	if code := run([]string{"/somewhere/schedconf-fn"}, strings.NewReader(listOf("null", minimal)), &out, &out); code != exitYes || !strings.Contains(out.String(), "kind: ResourceList") {
		t.Errorf("exit code %d:\n%s", code, out.String())
	}
}
