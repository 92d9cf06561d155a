// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source/find"
)

// judged runs the files of an archive, and says for each what was judged for which minor, with the feature
// gates that a command line brought, and what was found.
func judged(t *testing.T, archive string) string {
	t.Helper()
	release := func(minor string) *schemas.Release {
		m, err := schemas.ParseMinor(minor)
		if err != nil {
			return nil
		}
		return schemas.For(m)
	}
	var files []*File
	var beside find.Objects
	for _, file := range txtar.Parse([]byte(archive)).Files {
		f := Open(file.Name, file.Data, false)
		beside.Add(f.Beside())
		files = append(files, f)
	}
	checker := func(aim Aim) (*Checker, error) {
		r := release(aim.Target)
		if r == nil {
			r = release("latest")
		}
		gates, err := r.NewGates(maps.Clone(aim.Gates))
		if err != nil {
			return nil, err
		}
		s, err := scheme.New(r, gates)
		return New(s), err
	}
	run := NewRun(files, beside, release, checker)
	var b strings.Builder
	for _, f := range files {
		result, err := run.Check(f)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s: %d configurations, %d command lines", f.Name, result.Configurations, result.CommandLines)
		for _, target := range result.Targets {
			fmt.Fprintf(&b, " %s", target.Name)
		}
		b.WriteByte('\n')
		for _, d := range result.Findings {
			fmt.Fprintf(&b, "  %d:%d %s %s\n", d.Pos.Line, d.Pos.Column, d.Severity, d.Rule)
		}
	}
	return b.String()
}

const aPolicy = "kind: ConfigMap\napiVersion: v1\nmetadata: {name: old, namespace: kube-system}\ndata:\n  policy.cfg: |\n    {\"kind\": \"Policy\", \"apiVersion\": \"v1\", \"predicates\": [{\"name\": \"Nonsense\"}]}\n"

// TestRun says what is judged for which minor, and where what is wrong stands.
func TestRun(t *testing.T) {
	const deployment = "kind: Deployment\napiVersion: apps/v1\nmetadata: {name: d, namespace: kube-system}\nspec:\n  template:\n    spec:\n      containers:\n      - image: registry.k8s.io/kube-scheduler:v%s\n        command: [kube-scheduler, %s]\n        volumeMounts: [{name: c, mountPath: /etc/sched}]\n      volumes: [{name: c, configMap: {name: %s}}]\n"
	const configMap = "kind: ConfigMap\napiVersion: v1\nmetadata: {name: c, namespace: kube-system}\ndata:\n  c.yaml: |\n    apiVersion: kubescheduler.config.k8s.io/%s\n    kind: KubeSchedulerConfiguration\n"
	for name, test := range map[string]struct{ archive, want string }{
		"a Policy by name": {
			"-- a.yaml --\n" + aPolicy + "-- b.yaml --\n" + fmt.Sprintf(deployment, "1.20.1", "--policy-configmap=old", "old"),
			"a.yaml: 1 configurations, 0 command lines 1.20\n  6:14 info policy-removed-later\n  6:68 error policy-name-unknown\nb.yaml: 0 configurations, 1 command lines 1.20\n  9:35 warning flag-deprecated\n",
		},
		"a Policy by mount": {
			"-- b.yaml --\n" + fmt.Sprintf(deployment, "1.19.1", "--policy-config-file=/etc/sched/policy.cfg", "old") + "---\n" + aPolicy,
			"b.yaml: 1 configurations, 1 command lines 1.19 1.19\n  9:35 warning flag-deprecated\n  18:14 info policy-removed-later\n  18:68 error policy-name-unknown\n",
		},
		"two images": {
			"-- a.yaml --\n" + fmt.Sprintf(configMap, "v1beta3") + "-- b.yaml --\n" + fmt.Sprintf(deployment, "1.25.0", "--config=/etc/sched/c.yaml", "c") + "---\n" + strings.Replace(fmt.Sprintf(deployment, "1.29.0", "--config=/etc/sched/c.yaml", "c"), "name: d", "name: e", 1),
			"a.yaml: 1 configurations, 0 command lines 1.25 1.29\n  6:17 error api-version-unknown\nb.yaml: 0 configurations, 2 command lines 1.25 1.29\n  5:3 info config-not-reloaded\n  17:3 info config-not-reloaded\n",
		},
		"kOps": {
			"-- k.yaml --\nkind: Cluster\napiVersion: kops.k8s.io/v1alpha2\nmetadata: {name: k}\nspec: {kubernetesVersion: 1.24.3}\n---\napiVersion: kubescheduler.config.k8s.io/v1beta1\nkind: KubeSchedulerConfiguration\n",
			"k.yaml: 1 configurations, 0 command lines 1.24\n  6:13 error api-version-unknown\n",
		},
		"Talos": {
			"-- t.yaml --\nmachine: {kubelet: {image: 'ghcr.io/siderolabs/kubelet:v1.33.0'}}\ncluster:\n  scheduler:\n    config: {parallelism: 0}\n",
			"t.yaml: 1 configurations, 0 command lines 1.33\n  4:27 error parallelism-range\n",
		},
		"kubeadm": {
			"-- k.yaml --\nkind: ClusterConfiguration\napiVersion: kubeadm.k8s.io/v1beta4\nkubernetesVersion: v1.34.1\nscheduler:\n  extraArgs: [{name: port, value: '0'}]\n",
			"k.yaml: 0 configurations, 1 command lines 1.34\n  5:15 error flag-removed\n",
		},
		"a program of its own": {
			"-- p.yaml --\nkind: Pod\napiVersion: v1\nmetadata: {name: p}\nspec: {containers: [{image: my-scheduler, command: [my-scheduler, --config=/c, --my-flag=1, --port=x]}]}\n",
			"p.yaml: 0 configurations, 1 command lines 1.37\n  4:76 warning mount-missing\n",
		},
		"one that is another's": {
			"-- p.yaml --\nkind: Pod\napiVersion: v1\nmetadata: {name: p}\nspec: {containers: [{image: x, command: [kube-scheduler, --config=/c, --my-flag=1]}]}\n",
			"p.yaml: 0 configurations, 1 command lines 1.37\n  4:67 warning mount-missing\n  4:71 error flag-unknown\n",
		},
	} {
		if diff := cmp.Diff(test.want, judged(t, test.archive)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}
