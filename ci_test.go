// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schedconf_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

func readYAML(t *testing.T, name string, into any) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return string(data)
}

// TestAction holds that nothing from outside is pasted into what the action runs, that every input is used and
// every used one is there, and that the scripts it and the template name can be run.
func TestAction(t *testing.T) {
	var action struct {
		Inputs map[string]struct{ Description string }
		Runs   struct {
			Steps []struct{ Run, Uses, Shell string }
		}
	}
	text := readYAML(t, "action.yml", &action)
	scripts := 0
	for _, step := range action.Runs.Steps {
		if strings.Contains(step.Run, "${{") {
			t.Errorf("an expression is pasted into a script: %s", step.Run)
		}
		if (step.Run == "") == (step.Uses == "") || step.Run != "" && step.Shell == "" {
			t.Errorf("a step is not complete: %+v", step)
		}
		scripts += strings.Count(step.Run, "/ci/")
	}
	if scripts != 3 {
		t.Errorf("%d scripts are run, want check, compose and comment", scripts)
	}
	used := map[string]bool{}
	for _, match := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(text, -1) {
		used[match[1]] = true
	}
	if got, want := slices.Sorted(maps.Keys(used)), slices.Sorted(maps.Keys(action.Inputs)); !slices.Equal(got, want) {
		t.Errorf("inputs used are %q, those there are %q", got, want)
	}
	var template map[string]any
	text += readYAML(t, "ci/gitlab/schedconf.yml", &template)
	for _, match := range regexp.MustCompile(`/(ci/[a-z]+)\b`).FindAllStringSubmatch(text, -1) {
		if info, err := os.Stat(match[1]); err != nil || info.Mode().Perm()&0o111 == 0 {
			t.Errorf("%s is named and cannot be run: %v", match[1], err)
		}
	}
}
