// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// controlPlane is a static pod of the API server or the scheduler.
func controlPlane(program, minor string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Pod\nmetadata: {name: %[1]s, namespace: kube-system}\nspec:\n  hostNetwork: true\n  containers:\n  - image: registry.k8s.io/%[1]s:v%[2]s.1\n    command: [%[1]s, --config=/c.yaml]\n", program, minor)
}

// nodeList is a list of nodes.
func nodeList(n int) string {
	return "apiVersion: v1\nkind: List\nitems:\n" + strings.Repeat("- apiVersion: v1\n  kind: Node\n  metadata: {name: n}\n  status: {nodeInfo: {kubeletVersion: v1.30.0}}\n", n)
}

// listed makes the documents of a text the items of a List.
func listed(text string) string {
	list := "kind: List\napiVersion: v1\nitems:\n"
	for document := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n---\n") {
		list += "- " + strings.ReplaceAll(document, "\n", "\n  ") + "\n"
	}
	return list
}

func TestCrossAdvice(t *testing.T) {
	const kustomization = "-- %s --\nkind: Kustomization\nresources:\n- pod.yaml\n- %s\n"
	const list = "-- x.yaml --\napiVersion: v1\nkind: List\nitems:\n- apiVersion: kubescheduler.config.k8s.io/v1\n  kind: KubeSchedulerConfiguration\n"
	percentage := "-- a/c.yaml --\n" + goodConfig + "%s-- a/nodes.yaml --\n" + nodeList(10)
	right := deployment("c.yaml", "resourceName: mine, resourceNamespace: scheduling", "1", "v1.30.0", "/etc/scheduler/c.yaml", "")
	replaced := func(old, new string) string { return "-- x.yaml --\n" + strings.Replace(right, old, new, 1) }
	again := strings.NewReplacer("my-config", "other-config", "name: my-scheduler,", "name: other,", "resourceName: mine", "resourceName: other").Replace(right)
	tests := []struct{ rule, name, archive, want string }{
		{"config-applied", "a resource", fmt.Sprintf(kustomization, "d/kustomization.yaml", "c.yaml") + "-- d/c.yaml --\n" + goodConfig, "d/kustomization.yaml:4:3"},
		{"config-applied", "a resource above", fmt.Sprintf(kustomization, "d/kustomization.yaml", "../c.yaml") + "-- c.yaml --\n" + goodConfig, "d/kustomization.yaml:4:3"},
		{"config-applied", "a ConfigMap", fmt.Sprintf(kustomization, "d/kustomization.yaml", "c.yaml") + "-- d/c.yaml --\nkind: ConfigMap\napiVersion: v1\ndata:\n  c: |\n    " + strings.ReplaceAll(goodConfig, "\n", "\n    "), ""},
		{"config-applied", "a file of another folder", fmt.Sprintf(kustomization, "d/kustomization.yaml", "c.yaml") + "-- e/c.yaml --\n" + goodConfig, ""},
		{"config-applied", "a generated ConfigMap", "-- kustomization.yaml --\nkind: Kustomization\nconfigMapGenerator: [{name: x, files: [c.yaml]}]\n-- c.yaml --\n" + goodConfig, ""},
		{"config-applied", "an item", list, "x.yaml:4:3"},
		{"config-applied", "the object of an installer", "-- x.yaml --\napiVersion: example.com/v1\nkind: Cluster\nconfig:\n  apiVersion: kubescheduler.config.k8s.io/v1\n  kind: KubeSchedulerConfiguration\n", ""},

		{"scheduler-newer", "newer", "-- m/a.yaml --\n" + controlPlane("kube-apiserver", "1.30") + "-- m/s.yaml --\n" + controlPlane("kube-scheduler", "1.31"), "m/s.yaml:7:12"},
		{"scheduler-newer", "the same", "-- m/a.yaml --\n" + controlPlane("kube-apiserver", "1.30") + "-- m/s.yaml --\n" + controlPlane("kube-scheduler", "1.30"), ""},
		{"scheduler-newer", "older", "-- m/a.yaml --\n" + controlPlane("kube-apiserver", "1.31") + "-- m/s.yaml --\n" + controlPlane("kube-scheduler", "1.30"), ""},
		{"scheduler-newer", "older by number, not by text", "-- m/a.yaml --\n" + controlPlane("kube-apiserver", "1.99") + "-- m/s.yaml --\n" + controlPlane("kube-scheduler", "1.30"), ""},
		{"scheduler-newer", "of another cluster", "-- m/a.yaml --\n" + controlPlane("kube-apiserver", "1.30") + "-- n/s.yaml --\n" + controlPlane("kube-scheduler", "1.31"), ""},

		{"lease-split", "two leases for one profile", "-- x.yaml --\n" + right + "-- y.yaml --\n" + again, "y.yaml:9:36"},
		{"lease-split", "one lease", "-- x.yaml --\n" + right + "-- y.yaml --\n" + strings.Replace(again, "resourceName: other", "resourceName: mine", 1), ""},
		{"lease-split", "other profiles", "-- x.yaml --\n" + right + "-- y.yaml --\n" + strings.Replace(again, "schedulerName: my-scheduler", "schedulerName: other", 1), ""},
		{"lease-split", "another folder", "-- a/x.yaml --\n" + right + "-- b/y.yaml --\n" + again, ""},
		{"lease-split", "one does not elect", "-- x.yaml --\n" + right + "-- y.yaml --\n" + strings.Replace(again, "resourceName: other", "leaderElect: false", 1), ""},

		{"lease-elsewhere", "another namespace", replaced(", resourceNamespace: scheduling", ""), "x.yaml:9:5"},
		{"lease-elsewhere", "said", replaced("resourceNamespace: scheduling", "resourceNamespace: kube-system"), ""},
		{"lease-elsewhere", "the scheduler is there", "-- x.yaml --\n" + strings.ReplaceAll(strings.Replace(right, ", resourceNamespace: scheduling", "", 1), "namespace: scheduling", "namespace: kube-system"), ""},
		{"lease-elsewhere", "no election", replaced("resourceName: mine, resourceNamespace: scheduling", "leaderElect: false"), ""},
		{"lease-elsewhere", "a flag", replaced("/etc/scheduler/c.yaml]", "/etc/scheduler/c.yaml, --leader-elect-resource-namespace=kube-system]"), ""},

		{"config-not-reloaded", "no annotation", "-- x.yaml --\n" + right, "x.yaml:16:3"},
		{"config-not-reloaded", "another annotation", replaced("  template:\n", "  template:\n    metadata: {annotations: {a: b}}\n"), "x.yaml:17:16"},
		{"config-not-reloaded", "a checksum", replaced("  template:\n", "  template:\n    metadata: {annotations: {checksum/config: b}}\n"), ""},
		{"config-not-reloaded", "a controller", replaced("metadata: {name: my-scheduler,", "metadata: {annotations: {reloader.stakater.com/auto: 'true'}, name: my-scheduler,"), ""},
		{"config-not-reloaded", "a file of the host", "-- pod.yaml --\n" + staticPod + "-- a.yaml --\n" + goodConfig, ""},
		{"config-not-reloaded", "an item of a List", "-- x.yaml --\n" + listed(right), "x.yaml:18:5"},
		{"config-not-reloaded", "an item with a controller", "-- x.yaml --\n" + listed(strings.Replace(right, "metadata: {name: my-scheduler,", "metadata: {annotations: {configmap.reloader.stakater.com/reload: x}, name: my-scheduler,", 1)), ""},

		{"percentage-idle", "ten nodes", fmt.Sprintf(percentage, "percentageOfNodesToScore: 50\n"), "a/c.yaml:4:27"},
		{"percentage-idle", "of a profile", fmt.Sprintf(percentage, "profiles: [{percentageOfNodesToScore: 50}]\n"), "a/c.yaml:4:39"},
		{"percentage-idle", "all", fmt.Sprintf(percentage, "percentageOfNodesToScore: 100\n"), ""},
		{"percentage-idle", "a hundred nodes", fmt.Sprintf("-- a/c.yaml --\n"+goodConfig+"percentageOfNodesToScore: 50\n-- a/nodes.yaml --\n%s", nodeList(100)), ""},
		{"percentage-idle", "nodes elsewhere", strings.Replace(fmt.Sprintf(percentage, "percentageOfNodesToScore: 50\n"), "a/nodes", "b/nodes", 1), ""},
		{"percentage-idle", "no nodes", "-- a/c.yaml --\n" + goodConfig + "percentageOfNodesToScore: 50\n", ""},

		{"talos-config-flag", "extraArgs", "-- x.yaml --\nmachine: {}\ncluster:\n  scheduler:\n    extraArgs:\n      config: /c.yaml\n", "x.yaml:5:7"},
		{"talos-config-flag", "the configuration", "-- x.yaml --\nmachine: {}\ncluster:\n  scheduler:\n    extraArgs: {v: '2'}\n    config: {profiles: []}\n", ""},
		{"talos-config-flag", "kubeadm", "-- x.yaml --\n" + fmt.Sprintf(kubeadmConfig, "v1.30.0", "/etc/kubernetes/c.yaml"), ""},
	}
	cases := map[string]int{}
	for _, test := range tests {
		t.Run(test.rule+"/"+test.name, func(t *testing.T) {
			var got []string
			for _, d := range CrossCheck(crossInput(test.archive)) {
				if d.Rule == test.rule {
					got = append(got, d.Pos.String())
					if d.Message == "" || d.Hint == "" || d.Stage != "" {
						t.Errorf("%+v", d)
					}
				}
			}
			if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
		cases[fmt.Sprintf("%s %t", test.rule, test.want != "")]++
	}
	for _, rule := range crossAdvice {
		if cases[rule.ID+" true"] == 0 || cases[rule.ID+" false"] == 0 {
			t.Errorf("%s has no case in which it fires, or none in which it is silent", rule.ID)
		}
	}
}
