// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/scheme/source/find"
)

// crossInput reads an archive of files.
func crossInput(archive string) Input {
	in := Input{Release: func(minor string) *schemas.Release {
		m, err := schemas.ParseMinor(minor)
		if err != nil {
			return nil
		}
		return schemas.For(m)
	}}
	for _, file := range txtar.Parse([]byte(archive)).Files {
		documents := source.Split(file.Name, file.Data)
		found, _ := find.In(file.Name, documents)
		in.Found = append(in.Found, found...)
		in.Beside.Add(find.Beside(documents))
	}
	return in
}

// staticPod is a static pod; the volume holds /etc/kubernetes/sched.
const staticPod = `apiVersion: v1
kind: Pod
metadata: {name: kube-scheduler, namespace: kube-system}
spec:
  hostNetwork: true
  containers:
  - command: [kube-scheduler, --config=/etc/kubernetes/sched/a.yaml]
    image: registry.k8s.io/kube-scheduler:v1.30.0
    volumeMounts: [{mountPath: /etc/kubernetes/sched, name: d}]
  volumes: [{name: d, hostPath: {path: /srv/sched}}]
`

// second is a second scheduler: %s are the data key, the text of the configuration below its kind,
// the number of replicas, the image, the path and the items of the volume.
const second = `apiVersion: v1
kind: ConfigMap
metadata: {name: my-config, namespace: scheduling}
data:
  %s: |
    apiVersion: kubescheduler.config.k8s.io/v1
    kind: KubeSchedulerConfiguration
    profiles: [{schedulerName: my-scheduler}]
    leaderElection: {%s}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: my-scheduler, namespace: scheduling}
spec:
  replicas: %s
  template:
    spec:
      serviceAccountName: my-account
      containers:
      - image: registry.k8s.io/kube-scheduler:%s
        command: [kube-scheduler, --config=%s]
        volumeMounts: [{mountPath: /etc/scheduler, name: c}]
      volumes: [{name: c, configMap: {name: my-config%s}}]
`

func deployment(key, election, replicas, tag, path, items string) string {
	return fmt.Sprintf(second, key, election, replicas, tag, path, items)
}

var goodDeployment = deployment("c.yaml", "resourceName: mine", "2", "v1.30.0", "/etc/scheduler/c.yaml", "")

const (
	goodConfig = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nclientConnection: {kubeconfig: /etc/kubernetes/scheduler.conf}\n"
	bareConfig = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nclientConnection: {qps: 5}\n"
	roles      = `---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: my-role}
rules:
- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [create]}
- {apiGroups: [coordination.k8s.io], resources: [leases], resourceNames: [%s], verbs: [get, update]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: %s
metadata: {name: my-binding, namespace: scheduling}
roleRef: {kind: ClusterRole, name: %s}
subjects: [{kind: ServiceAccount, name: my-account, namespace: scheduling}]
`
	pods = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {schedulerName: %s, containers: [{name: a}]}\n"
)

// kubeadmConfig is a ClusterConfiguration: %s are the version and the path of the configuration.
const kubeadmConfig = "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\nkubernetesVersion: %s\nscheduler:\n  extraArgs: [{name: config, value: %s}]\n  extraVolumes: [{name: c, hostPath: /srv/c.yaml, mountPath: /etc/kubernetes/c.yaml}]\n"

func TestCrossCheck(t *testing.T) {
	const kubeadm = kubeadmConfig
	const loose = "---\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: %s}\ndata:\n  x: |\n    {kind: KubeSchedulerConfiguration, profiles: [{schedulerName: %s}]}\n"
	tests := []struct{ name, archive, want string }{
		{"nothing", "", ""},
		{"a static pod that is right", "-- pod.yaml --\n" + staticPod + "-- a.yaml --\n" + goodConfig, ""},
		{"a second scheduler that is right", "-- x.yaml --\n" + goodDeployment + fmt.Sprintf(roles, "mine", "ClusterRoleBinding", "my-role") + "---\n" + fmt.Sprintf(pods, "my-scheduler"), ""},

		{"nothing is mounted", "-- x.yaml --\n" + deployment("c.yaml", "", "1", "v1.30.0", "/etc/other/c.yaml", ""), "x.yaml:21:44 mount-missing"},
		{"a neighbour is mounted", "-- x.yaml --\n" + deployment("c.yaml", "", "1", "v1.30.0", "/etc/schedulers/c.yaml", ""), "x.yaml:21:44 mount-missing"},
		{"a variable", "-- x.yaml --\n" + deployment("c.yaml", "", "1", "v1.30.0", "$(CONFIG)", ""), ""},
		{"a relative path", "-- x.yaml --\n" + deployment("c.yaml", "", "1", "v1.30.0", "c.yaml", ""), ""},
		{"kubeadm without a volume", "-- x.yaml --\n" + fmt.Sprintf(kubeadm, "v1.30.0", "/etc/kubernetes/other.yaml"), "x.yaml:5:37 mount-missing"},
		{"kubeadm with a volume", "-- x.yaml --\n" + fmt.Sprintf(kubeadm, "v1.30.0", "/etc/kubernetes/c.yaml"), ""},
		{"kubeadm's own file", "-- x.yaml --\n" + fmt.Sprintf(kubeadm, "v1.30.0", "/etc/kubernetes/scheduler.conf"), ""},
		{"k3s has no mounts", "-- x.yaml --\nkube-scheduler-arg: [config=/etc/c.yaml]\n", ""},
		{"a Policy without a mount", "-- x.yaml --\n" + strings.ReplaceAll(staticPod, "--config=/etc/kubernetes/sched/a.yaml", "--policy-config-file=/p.json"), "x.yaml:7:52 mount-missing"},

		{"another key", "-- x.yaml --\n" + deployment("d.yaml", "", "1", "v1.30.0", "/etc/scheduler/c.yaml", ""), "x.yaml:21:44 mount-key-missing"},
		{"an item", "-- x.yaml --\n" + deployment("d.yaml", "resourceName: mine", "1", "v1.30.0", "/etc/scheduler/c.yaml", ", items: [{key: d.yaml, path: c.yaml}]"), ""},
		{"an item of another key", "-- x.yaml --\n" + deployment("d.yaml", "", "1", "v1.30.0", "/etc/scheduler/c.yaml", ", items: [{key: c.yaml, path: c.yaml}]"), "x.yaml:21:44 mount-key-missing"},
		{"an item of another path", "-- x.yaml --\n" + deployment("d.yaml", "", "1", "v1.30.0", "/etc/scheduler/d.yaml", ", items: [{key: d.yaml, path: c.yaml}]"), "x.yaml:21:44 mount-key-missing"},
		{"another namespace", "-- x.yaml --\n" + strings.Replace(deployment("d.yaml", "", "1", "v1.30.0", "/etc/scheduler/c.yaml", ""), "my-config, namespace: scheduling", "my-config, namespace: other", 1), ""},
		{"a generated ConfigMap", "-- kustomization.yaml --\nconfigMapGenerator: [{name: my-config, files: [d.yaml]}]\n-- x.yaml --\n" + strings.Replace(goodDeployment, "kind: ConfigMap", "kind: Other", 1), "x.yaml:21:44 mount-key-missing"},

		{"no kubeconfig", "-- pod.yaml --\n" + staticPod + "-- a.yaml --\n" + bareConfig, "a.yaml:3:1 static-pod-kubeconfig"},
		{"kubeadm and no kubeconfig", "-- x.yaml --\n" + fmt.Sprintf(kubeadm, "v1.30.0", "/etc/kubernetes/c.yaml") + "-- c.yaml --\n" + bareConfig, "c.yaml:3:1 static-pod-kubeconfig"},
		{"a file of another name", "-- pod.yaml --\n" + staticPod + "-- b.yaml --\n" + bareConfig, ""},
		{"a file in a folder", "-- m/pod.yaml --\n" + staticPod + "-- m/files/a.yaml --\n" + bareConfig, "m/files/a.yaml:3:1 static-pod-kubeconfig"},
		{"a file elsewhere", "-- m/pod.yaml --\n" + staticPod + "-- n/a.yaml --\n" + bareConfig, ""},
		{"two files of that name", "-- pod.yaml --\n" + staticPod + "-- a/a.yaml --\n" + bareConfig + "-- b/a.yaml --\n" + bareConfig, ""},
		{"a pod with a service account", "-- pod.yaml --\n" + strings.Replace(staticPod, "hostNetwork: true", "serviceAccountName: x", 1) + "-- a.yaml --\n" + bareConfig, ""},

		{"one lease", "-- pod.yaml --\n" + staticPod + "-- a.yaml --\n" + goodConfig + "-- x.yaml --\n" + deployment("c.yaml", "leaseDuration: 15s", "1", "v1.30.0", "/etc/scheduler/c.yaml", ""), "x.yaml:9:5 lease-shared"},
		{"two leases", "-- pod.yaml --\n" + staticPod + "-- a.yaml --\n" + goodConfig + "-- x.yaml --\n" + goodDeployment, ""},
		{"two namespaces", "-- pod.yaml --\n" + staticPod + "-- a.yaml --\n" + goodConfig + "-- x.yaml --\n" + deployment("c.yaml", "resourceNamespace: scheduling", "1", "v1.30.0", "/etc/scheduler/c.yaml", ""), ""},
		{"one does not elect", "-- pod.yaml --\n" + staticPod + "-- a.yaml --\n" + goodConfig + "-- x.yaml --\n" + deployment("c.yaml", "leaderElect: false", "1", "v1.30.0", "/etc/scheduler/c.yaml", ""), ""},
		{"one lease in another folder", "-- a/pod.yaml --\n" + staticPod + "-- a/a.yaml --\n" + goodConfig + "-- b/x.yaml --\n" + deployment("c.yaml", "", "1", "v1.30.0", "/etc/scheduler/c.yaml", ""), ""},
		{"one lease and the same profiles", "-- x.yaml --\n" + goodDeployment + "-- y.yaml --\n" + strings.ReplaceAll(goodDeployment, "my-config", "my-other"), ""},
		{"two ConfigMaps of one file", "-- x.yaml --\n" + fmt.Sprintf(loose, "a", "a") + fmt.Sprintf(loose, "b", "b"), "x.yaml:14:5 lease-shared"},
		{"two ConfigMaps with one profile", "-- x.yaml --\n" + fmt.Sprintf(loose, "a", "a") + fmt.Sprintf(loose, "b", "a"), ""},
		{"two keys of one ConfigMap", "-- x.yaml --\n" + fmt.Sprintf(loose, "a", "a") + fmt.Sprintf(loose, "a", "b"), ""},

		{"replicas without election", "-- x.yaml --\n" + deployment("c.yaml", "leaderElect: false", "3", "v1.30.0", "/etc/scheduler/c.yaml", ""), "x.yaml:15:13 replicas-without-election"},
		{"replicas with a flag", "-- x.yaml --\n" + deployment("c.yaml", "leaderElect: false", "3", "v1.30.0", "/etc/scheduler/c.yaml, --leader-elect=true", ""), ""},
		{"a flag turns election off", "-- x.yaml --\n" + deployment("c.yaml", "", "3", "v1.30.0", "/etc/scheduler/c.yaml, --leader-elect=false", ""), "x.yaml:15:13 replicas-without-election"},
		{"one replica", "-- x.yaml --\n" + deployment("c.yaml", "leaderElect: false", "1", "v1.30.0", "/etc/scheduler/c.yaml", ""), ""},
		{"a DaemonSet", "-- x.yaml --\n" + strings.Replace(deployment("c.yaml", "leaderElect: false", "1", "v1.30.0", "/etc/scheduler/c.yaml", ""), "kind: Deployment", "kind: DaemonSet", 1), "x.yaml:20:9 replicas-without-election"},

		{"the lease of another", "-- x.yaml --\n" + goodDeployment + fmt.Sprintf(roles, "kube-scheduler", "ClusterRoleBinding", "my-role"), "x.yaml:18:27 rbac-lease"},
		{"a role of another namespace", "-- x.yaml --\n" + goodDeployment + fmt.Sprintf(roles, "mine", "RoleBinding", "my-role"), "x.yaml:18:27 rbac-lease"},
		{"the role of the scheduler", "-- x.yaml --\n" + goodDeployment + fmt.Sprintf(roles, "mine", "ClusterRoleBinding", "system:kube-scheduler"), "x.yaml:18:27 rbac-lease"},
		{"the role of the scheduler and its lease", "-- x.yaml --\n" + deployment("c.yaml", "", "1", "v1.30.0", "/etc/scheduler/c.yaml", "") + fmt.Sprintf(roles, "mine", "ClusterRoleBinding", "system:kube-scheduler"), ""},
		{"an unknown role", "-- x.yaml --\n" + goodDeployment + fmt.Sprintf(roles, "mine", "ClusterRoleBinding", "elsewhere"), ""},
		{"no election, no role", "-- x.yaml --\n" + deployment("c.yaml", "leaderElect: false", "1", "v1.30.0", "/etc/scheduler/c.yaml", "") + fmt.Sprintf(roles, "x", "ClusterRoleBinding", "my-role"), ""},

		{"a misspelt scheduler", "-- x.yaml --\n" + goodDeployment + "-- p.yaml --\n" + fmt.Sprintf(pods, "my-shceduler"), "p.yaml:4:23 pod-scheduler-name"},
		{"another kind of scheduler", "-- x.yaml --\n" + goodDeployment + "-- p.yaml --\n" + fmt.Sprintf(pods, "volcano"), ""},
		{"no configuration", "-- p.yaml --\n" + fmt.Sprintf(pods, "my-shceduler"), ""},

		{"an older image", "-- x.yaml --\n" + deployment("c.yaml", "resourceName: mine", "1", "v1.24.0", "/etc/scheduler/c.yaml", ""), "x.yaml:6:17 image-minor"},
		{"an older kubeadm", "-- x.yaml --\n" + fmt.Sprintf(kubeadm, "v1.24.0", "/etc/kubernetes/c.yaml") + "-- c.yaml --\n" + goodConfig, "c.yaml:1:13 image-minor"},
		{"an image without a version", "-- x.yaml --\n" + deployment("c.yaml", "resourceName: mine", "1", "latest", "/etc/scheduler/c.yaml", ""), ""},
		{"an image that nobody knows", "-- x.yaml --\n" + deployment("c.yaml", "resourceName: mine", "1", "v1.99.0", "/etc/scheduler/c.yaml", ""), ""},
	}
	fired := map[string]bool{}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, f := range CrossCheck(crossInput(test.archive)) {
				if slices.ContainsFunc(crossAdvice, func(r crossRule) bool { return r.ID == f.Rule }) {
					continue // TestCrossAdvice is about it
				}
				got = append(got, fmt.Sprintf("%s %s", f.Pos, f.Rule))
				fired[f.Rule] = true
				if f.Severity != diag.Warning || f.Stage != "" || f.Message == "" || f.Hint == "" {
					t.Errorf("%+v", f)
				}
				for _, place := range f.Related {
					if place.Pos.Line == 0 || place.Message == "" {
						t.Errorf("related: %+v", place)
					}
				}
			}
			if diff := cmp.Diff(test.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	for _, rule := range crossRules[:len(crossRules)-len(crossAdvice)] {
		if !fired[rule.ID] {
			t.Errorf("rule %s has no test", rule.ID)
		}
	}
}

func TestCrossRules(t *testing.T) {
	ids := map[string]bool{}
	for _, rule := range CrossRules {
		if found, ok := Lookup(rule.ID); !ok || found.Summary != rule.Summary || ids[rule.ID] {
			t.Errorf("rule %q is not one of all rules, or stands twice", rule.ID)
		}
		ids[rule.ID] = true
		for _, part := range []string{"\nBad:\n\n    ", "\nGood:\n\n    "} {
			if !strings.Contains(rule.Doc, part) {
				t.Errorf("rule %s has no example of what is %s", rule.ID, strings.TrimSpace(part))
			}
		}
		if rule.Otherwise != diag.Warning && rule.Otherwise != diag.Info || rule.Summary == "" || strings.HasSuffix(rule.Summary, ".") || !strings.HasSuffix(rule.Doc, ".") {
			t.Errorf("rule %s: %+v", rule.ID, rule)
		}
	}
}

// TestCrossCheckIsStable holds that the order of the findings comes from the input alone.
func TestCrossCheckIsStable(t *testing.T) {
	archive := "-- pod.yaml --\n" + staticPod + "-- a.yaml --\n" + bareConfig + "-- x.yaml --\n" +
		deployment("d.yaml", "leaderElect: true", "3", "v1.24.0", "/etc/scheduler/d.yaml", "") + fmt.Sprintf(roles, "x", "RoleBinding", "my-role") + "---\n" + fmt.Sprintf(pods, "my-shceduler")
	first := fmt.Sprint(CrossCheck(crossInput(archive)))
	if strings.Count(first, "static-pod-kubeconfig")+strings.Count(first, "image-minor")+strings.Count(first, "rbac-lease") != 3 {
		t.Fatal(first)
	}
	for range 20 {
		if again := fmt.Sprint(CrossCheck(crossInput(archive))); again != first {
			t.Fatalf("%s\n%s", first, again)
		}
	}
}

// TestCrossCheckOfSamples holds that the samples of package find have no faults but these.
func TestCrossCheckOfSamples(t *testing.T) {
	files, err := filepath.Glob("../testdata/find/*.*")
	if err != nil || len(files) == 0 {
		t.Fatal("no samples", err)
	}
	rules := map[string]int{}
	for _, file := range files {
		for _, f := range CrossCheck(crossInput("-- " + file + " --\n" + readText(t, file))) {
			rules[f.Rule]++
		}
	}
	if diff := cmp.Diff([]string{"config-applied", "mount-missing", "pod-scheduler-name", "replicas-without-election", "static-pod-kubeconfig"}, slices.Sorted(maps.Keys(rules))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func readText(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
