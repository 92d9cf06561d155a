// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
)

const head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

func TestEffective(t *testing.T) {
	text, err := effective("1.37", []byte(head+"extenders:\n- urlPrefix: https://user:hunter2@extender.example/\n  filterVerb: filter\n"))
	if err != nil {
		t.Fatal(err)
	}
	// kube-scheduler 1.37, pkg/scheduler/apis/config/v1/default_plugins.go and defaults.go.
	for _, want := range []string{"parallelism: 16\n", "name: TaintToleration\n", "weight: 3\n", "schedulerName: default-scheduler\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "hunter2") {
		t.Error("a secret is printed")
	}
}

func TestEffectiveRefuses(t *testing.T) {
	for _, test := range []struct{ target, text, want string }{
		{"1.99", head, "1.99"},
		{"1.20", head, "kubescheduler.config.k8s.io/v1"},
		{"1.37", head + "parallelism: 0\n", "parallelism"},
		{"1.37", "", ""},
		{"1.20", "apiVersion: v1\nkind: Policy\n", ""},
	} {
		if text, err := effective(test.target, []byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s of %q: %v\n%s", test.target, test.text, err, text)
		}
	}
}
