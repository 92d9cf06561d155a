// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Command files writes distinct small configurations that Kubernetes 1.37 accepts and that nobody has
// anything against, for measuring: a finding costs another parse, for its line.
//
//	files DIR COUNT
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
)

const text = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
parallelism: %d
leaderElection:
  leaderElect: true
  resourceName: scheduler-%d
podMaxBackoffSeconds: %d
profiles:
- schedulerName: default-scheduler
- schedulerName: profile-%d
  plugins:
    score:
      disabled:
      - name: NodeResourcesBalancedAllocation
      - name: PodTopologySpread
      enabled:
      - name: ImageLocality
        weight: %d
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
        resources:
        - name: cpu
          weight: %d
        - name: memory
          weight: 1
`

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: files DIR COUNT")
	}
	count, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	if err := os.MkdirAll(os.Args[1], 0o755); err != nil {
		log.Fatal(err)
	}
	for i := range count {
		data := fmt.Sprintf(text, 1+i%64, i, 10+i%101, i, 2+i%98, 1+i%100)
		if err := os.WriteFile(filepath.Join(os.Args[1], fmt.Sprintf("%04d.yaml", i)), []byte(data), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
