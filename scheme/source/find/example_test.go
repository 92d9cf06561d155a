// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package find_test

import (
	"fmt"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/scheme/source/find"
)

func ExampleIn() {
	text := `apiVersion: v1
kind: ConfigMap
metadata: {name: scheduler-config, namespace: kube-system}
data:
  scheduler.yaml: |
    apiVersion: kubescheduler.config.k8s.io/v1
    kind: KubeSchedulerConfiguration
    parallelism: 8
`
	found, _ := find.In("cm.yaml", source.Split("cm.yaml", []byte(text)))
	for _, f := range found {
		fmt.Println(f.Carrier, f.Path, f.Doc.ValuePosition(diag.Path{"parallelism"}))
	}
	// Output: ConfigMap kube-system/scheduler-config data["scheduler.yaml"] cm.yaml:8:18
}
