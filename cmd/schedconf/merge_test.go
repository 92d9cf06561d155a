// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fleet is a folder of clusters: with findings that need several files, some that cannot be read, files that
// are passed over, and settings and a baseline of which a part is needed for nothing.
func fleet(t *testing.T) (folder, baseline string) {
	t.Helper()
	folder = flawed(t)
	for i := range 9 {
		cluster := filepath.Join(folder, fmt.Sprint("cluster", i))
		write(t, filepath.Join(cluster, "map.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: sched, namespace: kube-system}\ndata:\n  sched.yaml: |\n    apiVersion: kubescheduler.config.k8s.io/v1beta3\n    kind: KubeSchedulerConfiguration\n    parallelism: "+fmt.Sprint(i%2)+"\n    \"a.b[c\": 1\n")
		write(t, filepath.Join(cluster, "deployment.yaml"), deploymentOf(fmt.Sprint("v1.2", i%5+4, ".0")))
		write(t, filepath.Join(cluster, "pod.yaml"), "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {schedulerName: nobody, containers: [{name: a, image: b}]}\n")
	}
	write(t, filepath.Join(folder, "kustomize", "kustomization.yaml"), "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nconfigMapGenerator:\n- name: s\n  files: [sched.yaml=conf.txt]\n")
	write(t, filepath.Join(folder, "kustomize", "conf.txt"), minimal+"parallelism: 0\n")
	write(t, filepath.Join(folder, ".schedconf.yaml"), "ignore:\n- {rule: field-unknown, path: cluster3/**, reason: known}\n- {rule: hard-weight-range, reason: old}\n- {rule: api-version-deprecated, path: one.yaml, reason: known}\n- {rule: flag-removed, path: cluster5/**, reason: old}\n- {rule: field-type, path: none/**, reason: old}\n")
	if err := os.Symlink("nowhere", filepath.Join(folder, "broken.yaml")); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		write(t, filepath.Join(folder, fmt.Sprint("twice", i, ".yaml")), minimal+"---\n"+minimal)
	}
	baseline = filepath.Join(t.TempDir(), "baseline.json")
	call("", "validate", "--write-baseline", baseline, folder)
	for i := range 3 {
		write(t, filepath.Join(folder, fmt.Sprint("twice", i, ".yaml")), minimal)
	}
	return folder, baseline
}

func deploymentOf(version string) string {
	return `apiVersion: apps/v1
kind: Deployment
metadata: {name: sched, namespace: kube-system}
spec:
  replicas: 2
  template:
    spec:
      containers:
      - name: s
        image: registry.k8s.io/kube-scheduler:` + version + `
        command: [kube-scheduler, --config=/etc/sched/sched.yaml, --leader-elect=false, --leader-elec=x]
        volumeMounts: [{name: c, mountPath: /etc/sched}]
      volumes: [{name: c, configMap: {name: sched}}]
`
}

// shards runs validate for each of n shards, and returns the names of their reports.
func shards(t *testing.T, n int, args ...string) []string {
	t.Helper()
	folder := t.TempDir()
	var names []string
	for i := range n {
		name := filepath.Join(folder, fmt.Sprint(i))
		code, _, stderr := call("", append([]string{"validate", "--shard", fmt.Sprint(i, "/", n), "-o", "json=" + name}, args...)...)
		if code > exitWrongQuestion {
			t.Fatalf("shard %d of %d: exit code %d:\n%s", i, n, code, stderr)
		}
		if _, err := os.Stat(name); err != nil {
			t.Fatalf("shard %d of %d has no report: exit code %d:\n%s", i, n, code, stderr)
		}
		names = append([]string{name}, names...) // merge takes any order
	}
	return names
}

// TestMerge holds that shards come to the report, the files and the exit code of a run that is not dealt out.
func TestMerge(t *testing.T) {
	folder, baseline := fleet(t)
	empty := t.TempDir()
	for name, args := range map[string][]string{
		"fleet":         {folder},
		"unreadable":    {folder, filepath.Join(folder, "missing.yaml"), filepath.Join(folder, "gone")},
		"target":        {"--target", "1.28", folder, filepath.Join(folder, "one.yaml")},
		"baseline":      {"--baseline", baseline, folder},
		"strict":        {"--strict", filepath.Join(folder, "two.yaml")},
		"warnings":      {filepath.Join(folder, "two.yaml")},
		"good":          {filepath.Join(folder, "good.yaml")},
		"nothing":       {empty},
		"require":       {"--require-match", empty},
		"require, good": {"--require-match", filepath.Join(folder, "good.yaml")},
		"wrong gate":    {"--feature-gates", "Foo=true", folder},
	} {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{1, 2, 3, 7, 64} {
				files := shards(t, n, args...)
				for _, format := range reportFormats {
					wantCode, want, wantErrors := call("", append([]string{"validate", "-o", format.name}, args...)...)
					gotCode, got, gotErrors := call("", append([]string{"merge", "-o", format.name}, files...)...)
					if format.name == "sarif" {
						want, got = withoutFixes(want), withoutFixes(got)
					}
					if gotCode != wantCode || got != want {
						t.Fatalf("%d shards, %s: exit code %d, want %d\n%s", n, format.name, gotCode, wantCode, cmp.Diff(want, got))
					}
					if format.name == "json" && gotErrors != wantErrors && name != "wrong gate" { // which validate shows as usage
						t.Errorf("%d shards: standard error: %s", n, cmp.Diff(wantErrors, gotErrors))
					}
				}
			}
		})
	}
	_, report, _ := call("", "validate", "--baseline", baseline, folder)
	for _, want := range []string{"[suppression-unused]", "gone: "} {
		if !strings.Contains(report, want) {
			t.Errorf("the fleet shows no %q:\n%s", want, report)
		}
	}
}

// withoutFixes takes the fixes out of a log, which JSON does not carry.
func withoutFixes(log string) string {
	for {
		before, rest, ok := strings.Cut(log, "          \"fixes\": [\n")
		if !ok {
			return log
		}
		_, after, _ := strings.Cut(rest, "\n          ],\n")
		log = before + after
	}
}

// TestMergeRefuses holds that a set of reports which is not one of each shard of one run is refused.
func TestMergeRefuses(t *testing.T) {
	folder, _ := fleet(t)
	three, two := shards(t, 3, folder), shards(t, 2, folder)
	target, strict := shards(t, 3, "--target", "1.28", folder), shards(t, 3, "--strict", folder)
	read := func(name string) string {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	good := read(three[0])
	whole := filepath.Join(t.TempDir(), "whole")
	call("", "validate", "-o", "json="+whole, folder)
	cut := write(t, filepath.Join(t.TempDir(), "cut"), good[:strings.LastIndex(strings.TrimSpace(good), "\n")+1])
	older := write(t, filepath.Join(t.TempDir(), "older"), strings.Replace(good, `"schedconf":"`, `"schedconf":"x`, 1))
	wild := write(t, filepath.Join(t.TempDir(), "wild"), strings.Replace(good, `"index":2`, `"index":3`, 1))
	text := write(t, filepath.Join(t.TempDir(), "text"), "sched.yaml:1:1: error\n")
	severity := write(t, filepath.Join(t.TempDir(), "severity"), strings.ReplaceAll(good, `"severity":"`, `"severity":"x`))
	write(t, filepath.Join(folder, "good.yaml"), minimal+"# changed\n")
	changed := shards(t, 3, folder)
	for want, files := range map[string][]string{
		"is missing: 2 of 3":                 three[:2],
		"is there twice":                     {three[0], three[1], three[1], three[2]},
		"does not go with one of 3 shards":   {three[0], two[0]},
		"is for Kubernetes 1.28":             {three[0], three[1], target[2]},
		"had other flags or operands":        {three[0], three[1], strict[2]},
		"saw other files":                    {three[0], three[1], changed[2]},
		"ends before its end":                {cut, three[1], three[2]},
		"use the same for all":               {older, three[1], three[2]},
		"there is no such shard":             {wild, three[1], three[2]},
		"line 1: this is no report of":       {text},
		"this is no report of":               {severity},
		`whole": line 1: this is no report`:  {whole},
		"no such file or directory":          {three[0], "missing"},
		"there is no report in it":           {os.DevNull},
		"give the reports of the shards":     nil,
		"standard input (-) is given twice":  {"-", "-"},
		"read \"-\": there is no report in ": {"-"},
	} {
		code, stdout, stderr := call("", append([]string{"merge"}, files...)...)
		if code != exitWrongQuestion || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("want %q: exit code %d\n%s%s", want, code, stdout, stderr)
		}
	}
	var all string
	for _, name := range three {
		all += read(name)
	}
	if code, stdout, stderr := call(all, "merge", "-o", "json", "-"); code != exitWrongQuestion || !strings.HasSuffix(stdout, "}\n") {
		t.Errorf("one file of all shards: exit code %d\n%s", code, stderr)
	}
	for value, want := range map[string]string{
		"3/3": "counted from 0 to 2", "-1/3": "counted from 0 to 2", "0/0": "1 to 100000 shards", "1/0": "1 to 100000 shards",
		"1": "write I/N", "a/b": "write I/N", "0/999999999": "1 to 100000 shards", "0/99999999999999999999999": "write I/N", "": "write I/N",
	} {
		code, _, stderr := call("", "validate", "-o", "json", "--shard="+value, folder)
		if code != exitWrongQuestion || !strings.Contains(stderr, want) {
			t.Errorf("--shard=%s: exit code %d: %s", value, code, stderr)
		}
	}
	for want, args := range map[string][]string{
		"write -o json": {folder}, "neither --fix": {"-o", "json", "--fix", folder}, "standard input": {"-o", "json", "-"},
	} {
		if code, _, stderr := call("", append([]string{"validate", "--shard", "0/2"}, args...)...); code != exitWrongQuestion || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit code %d: %s", args, code, stderr)
		}
	}
	// Whether a configuration has to be found is for the whole to say.
	for i, name := range shards(t, 2, "--require-match", filepath.Join(folder, "good.yaml")) {
		if code, _, stderr := call("", "validate", "--require-match", "--shard", fmt.Sprint(i, "/2"), "-o", "json", filepath.Join(folder, "good.yaml")); code != exitYes {
			t.Errorf("%s: exit code %d: %s", name, code, stderr)
		}
	}
}
