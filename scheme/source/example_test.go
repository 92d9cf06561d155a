// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package source_test

import (
	"fmt"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/source"
)

func Example() {
	text := `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
---
kind: Pod
`
	for _, d := range source.Split("scheduler.yaml", []byte(text)) {
		_, kind, _ := d.Sniff()
		fmt.Println(kind, d.Position(diag.Path{"profiles", "0", "schedulerName"}))
	}
	// Output:
	// KubeSchedulerConfiguration scheduler.yaml:4:3
	// Pod scheduler.yaml:6:1
}
