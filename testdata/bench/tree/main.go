// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Command tree writes a source tree as large as that of Kubernetes, for measuring how fast it is looked
// through: 20,000 YAML files of 200 MB in 1,000 folders. 50 of them hold a configuration, and as many again
// mention a scheduler, or hold roles or pods that name one.
//
//	tree DIR
package main

import (
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

const (
	files   = 20_000
	folders = 1_000
	size    = 10_000
)

// words are those of manifests and of custom resource definitions.
var words = strings.Fields(`metadata spec template containers image name value replicas selector matchLabels app ports protocol
	containerPort resources limits requests cpu memory description type object properties string required status conditions
	namespace labels annotations volumeMounts volumes configMap secret emptyDir hostPath serviceAccountName nodeSelector tolerations
	affinity priorityClassName readinessProbe livenessProbe securityContext runAsUser capabilities items additionalProperties format
	integer boolean schema versions served storage scope plural singular shortNames group openAPIV3Schema x-kubernetes-preserve`)

const config = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: %d\nleaderElection: {leaderElect: true, resourceName: s%d}\n"

// heads start the files that are not like the others; the rest is a custom resource definition.
var heads = []func(i int) string{
	func(i int) string { return fmt.Sprintf(config, 1+i%64, i) },
	func(i int) string {
		return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d}\ndata:\n  config.yaml: |\n    %s", i,
			strings.ReplaceAll(strings.TrimSuffix(fmt.Sprintf(config, 1+i%64, i), "\n"), "\n", "\n    ")+"\n")
	},
	func(i int) string {
		return fmt.Sprintf("apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: r%d}\nrules: [{apiGroups: [''], resources: [pods], verbs: [get]}]\n", i)
	},
	func(i int) string {
		return fmt.Sprintf("apiVersion: v1\nkind: Pod\nmetadata: {name: p%d}\nspec: {schedulerName: default-scheduler, containers: [{name: a, image: a}]}\n", i)
	},
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: tree DIR")
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range folders {
		if err := os.MkdirAll(folder(i), 0o755); err != nil {
			log.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(os.Args[1], ".gitignore"), []byte("bin/\n_output/\n*.log\n*.tmp.yaml\n/hack/local-*\n"), 0o644); err != nil {
		log.Fatal(err)
	}
	var text []byte
	for i := range files {
		text = text[:0]
		isPlain := false
		if i%200 == 0 {
			kind := i / 200 % len(heads)
			text = append(text, heads[kind](i)...)
			isPlain = kind < 2
		} else {
			text = fmt.Appendf(text, "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: d%d}\nspec:\n", i)
		}
		for !isPlain && len(text) < size {
			depth := random.IntN(6)
			text = fmt.Appendf(text, "%*s%s: # %s %s %d\n", 2+2*depth, "", words[random.IntN(len(words))], words[random.IntN(len(words))], words[random.IntN(len(words))], random.IntN(100_000))
		}
		if err := os.WriteFile(filepath.Join(folder(i), fmt.Sprintf("%05d.yaml", i)), text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

func folder(i int) string {
	return filepath.Join(os.Args[1], fmt.Sprintf("%02d", i%40), fmt.Sprintf("%02d", i/40%25))
}
