// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

const old = `# Our scheduler.
apiVersion: kubescheduler.config.k8s.io/v1beta2
kind: KubeSchedulerConfiguration
parallelism: 8 # as many as there are cores
`

// v1 scores with other weights than v1beta2 did (TaintToleration 3 instead of 1, and so on), so they are written out.
const want = `# Our scheduler.
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
parallelism: 8 # as many as there are cores
profiles:
`

func TestToV1(t *testing.T) {
	text, changes, err := toV1([]byte(old))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), want) || !strings.Contains(string(text), "- name: TaintToleration\n        weight: 1\n") {
		t.Errorf("got:\n%s\nwant it to start with:\n%s", text, want)
	}
	if changes.Err() != nil || len(changes) == 0 {
		t.Errorf("changes: %v", changes)
	}
	again, changes, err := toV1(text)
	if err != nil {
		t.Fatal(err)
	}
	if string(again) != string(text) || len(changes) > 0 {
		t.Errorf("a file of v1 is changed, %v:\n%s", changes, again)
	}
}

func TestToV1Refuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":       "",
		"no YAML":       "a: [",
		"no such thing": "apiVersion: kubescheduler.config.k8s.io/v9\nkind: KubeSchedulerConfiguration\n",
		"a typo":        old + "paralelism: 3\n",
	} {
		if text, _, err := toV1([]byte(text)); err == nil {
			t.Errorf("%s became:\n%s", name, text)
		}
	}
}
