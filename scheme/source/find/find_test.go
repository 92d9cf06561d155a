// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package find

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/source"
)

const samples = "../../../testdata/find"

// describe prints what is found in a file, a line for each thing.
func describe(name string, data []byte) string {
	var b strings.Builder
	found, skipped := In(name, source.Split(name, data))
	at := func(p diag.Position) string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }
	for _, f := range found {
		fmt.Fprintf(&b, "%s %d %s %s", f.Kind, f.Pos.Document, at(f.Pos), f.Path)
		for _, text := range []string{f.Carrier, f.Key, f.Target, f.File} {
			fmt.Fprintf(&b, " | %s", text)
		}
		if f.Target != "" {
			fmt.Fprintf(&b, " %s", at(f.TargetPos))
		}
		b.WriteByte('\n')
		if c := f.Command; c != nil {
			describeCommand(&b, c, at)
		}
	}
	for _, s := range skipped {
		fmt.Fprintf(&b, "skipped %d %s: %s %s\n", s.Pos.Document, at(s.Pos), s.Reason, s.What)
	}
	return b.String()
}

func describeCommand(b *strings.Builder, c *Command, at func(diag.Position) string) {
	fmt.Fprintf(b, "  mounted %t, static %t, image %q, account %q, replicas %d\n", c.Mounted, c.Static, c.Image, c.ServiceAccount, c.Replicas)
	for _, flag := range c.Flags {
		fmt.Fprintf(b, "  --%s %q at %s and %s\n", flag.Name, flag.Value, at(flag.Pos), at(flag.ValuePos))
	}
	for _, m := range c.Mounts {
		fmt.Fprintf(b, "  mount %s of %s %q at %s:", m.Path, m.Volume, m.SubPath, at(m.Pos))
		for _, s := range m.Sources {
			fmt.Fprintf(b, " %q %q", s.HostPath, s.ConfigMap)
			for _, item := range s.Items {
				fmt.Fprintf(b, " %s=%s", item.Key, item.Path)
			}
		}
		b.WriteByte('\n')
	}
}

func TestIn(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(samples, "*.*"))
	if err != nil || len(files) != len(want) {
		t.Fatalf("%d samples, %d are described: %v", len(files), len(want), err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !MayHold(data) {
				t.Error("MayHold passes it over")
			}
			if diff := cmp.Diff(strings.TrimLeft(want[name], "\n"), describe(name, data)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			// With other line ends the same stands at the same places.
			crlf := []byte(strings.ReplaceAll(string(data), "\n", "\r\n"))
			if diff := cmp.Diff(strings.TrimLeft(want[name], "\n"), describe(name, crlf)); diff != "" {
				t.Errorf("with carriage returns, -want +got:\n%s", diff)
			}
			for _, text := range [][]byte{data, crlf} {
				checkMarks(t, name, text)
			}
		})
	}
}

// checkMarks holds that the names in the configurations stand where the file has the word HERE, or
// the quote before it, and that none is left out.
func checkMarks(t *testing.T, name string, data []byte) {
	t.Helper()
	lines := strings.Split(string(data), "\n")
	marks := strings.Count(string(data), "HERE") - strings.Count(string(data), "/HERE")
	found, _ := In(name, source.Split(name, data))
	for _, f := range found {
		for _, path := range []string{"profiles[0].schedulerName", "predicates[0].name"} {
			if f.Kind == Flags || f.Kind == Reference || !f.Doc.Has(diag.ParsePath(path)) {
				continue
			}
			marks--
			p := f.Doc.ValuePosition(diag.ParsePath(path))
			rest := lines[p.Line-1][p.Column-1:]
			for _, quote := range []string{`\`, `"`, "{{ "} {
				rest = strings.TrimPrefix(rest, quote)
			}
			if !strings.HasPrefix(rest, "HERE") {
				t.Errorf("%s: %s is at %v, where there is %q", f.Path, path, p, lines[p.Line-1][p.Column-1:])
			}
		}
	}
	if marks != 0 {
		t.Errorf("%d names are not found", marks)
	}
}

// want is what describe says about the samples: kind, document, place and path, then carrier, key,
// target with its place, and file. The places were counted by hand.
var want = map[string]string{
	"capi.yaml": `
flags 0 10:7 spec.kubeadmConfigSpec.clusterConfiguration.scheduler | KubeadmControlPlane clusters/control-plane |  | 1.28 |  7:12
  mounted true, static true, image "", account "", replicas 0
  --config "/etc/kubernetes/scheduler/config.yaml" at 11:21 and 11:29
  mount /etc/kubernetes/scheduler.conf of kubeconfig "" at 0:0: "/etc/kubernetes/scheduler.conf" ""
  mount /etc/kubernetes/scheduler of d "" at 12:82: "/etc/kubernetes/scheduler" ""
config 0 16:9 spec.kubeadmConfigSpec.files[0].content | KubeadmControlPlane clusters/control-plane | /etc/kubernetes/scheduler/config.yaml | 1.28 |  7:12
config 0 21:7 spec.kubeadmConfigSpec.files[1].content | KubeadmControlPlane clusters/control-plane | /etc/kubernetes/scheduler/packed.yaml | 1.28 |  7:12
`,
	"configmap.yaml": `
config 1 15:5 data["scheduler.yaml"] | ConfigMap kube-system/scheduler-config | scheduler.yaml |  | 
config 1 20:7 data["indented.yaml"] | ConfigMap kube-system/scheduler-config | indented.yaml |  | 
config 1 24:5 data["folded.yaml"] | ConfigMap kube-system/scheduler-config | folded.yaml |  | 
config 1 30:17 data["quoted.json"] | ConfigMap kube-system/scheduler-config | quoted.json |  | 
config 1 31:17 data["single.yaml"] | ConfigMap kube-system/scheduler-config | single.yaml |  | 
config 1 34:5 data["untyped.yaml"] | ConfigMap kube-system/scheduler-config | untyped.yaml |  | 
policy 1 37:5 data["policy.cfg"] | ConfigMap kube-system/scheduler-config | policy.cfg |  | 
config 1 39:3 binaryData["packed.yaml"] | ConfigMap kube-system/scheduler-config | packed.yaml |  | 
`,
	"deployment.yaml": `
flags 0 14:9 spec.template.spec.containers[1] | Deployment scheduling/my-scheduler |  | 1.31 |  15:16
  mounted true, static false, image "registry.k8s.io/scheduler-plugins/kube-scheduler:v0.31.8", account "my-scheduler", replicas 2
  --config "/etc/scheduler/config.yaml" at 18:11 and 18:20
  --v "4" at 19:12 and 20:12
  --secure-port "0" at 21:11 and 21:25
  mount /etc/scheduler of config "" at 23:37: "" "my-config" a.yaml=config.yaml
  mount /all/of/it of all "sub" at 24:34: "" "b" "" ""
flags 0 25:9 spec.template.spec.containers[2] | Deployment scheduling/my-scheduler |  | 1.30 |  26:16
  mounted true, static false, image "registry:5000/kube-scheduler:v1.30.2@sha256:00", account "my-scheduler", replicas 2
  --leader-elect "false" at 31:31 and 31:46
  --config "/x" at 32:13 and 32:22
`,
	"k3s.yaml": `
flags 0 4:1 kube-scheduler-arg | k3s or RKE2 configuration |  |  | 
  mounted true, static true, image "", account "", replicas 0
  --config "/etc/rancher/scheduler.yaml" at 5:5 and 5:12
  --v "2" at 6:6 and 6:10
  mount /etc/rancher of  "" at 7:30: "/etc/rancher" ""
`,
	"kind.yaml": `
flags 0 11:3 kubeadmConfigPatches[0].scheduler | kubeadm ClusterConfiguration |  | 1.30 |  7:10
  mounted true, static true, image "", account "", replicas 0
  --config "/etc/kubernetes/HERE.yaml" at 13:7 and 13:15
  mount /etc/kubernetes/scheduler.conf of kubeconfig "" at 0:0: "/etc/kubernetes/scheduler.conf" ""
`,
	"kops.yaml": `
flags 0 8:3 spec.kubeScheduler | kOps Cluster example.com |  | 1.21 |  7:22
  mounted false, static false, image "", account "", replicas 0
  --policy-configmap "scheduler-policy" at 9:5 and 9:25
  --v "4" at 10:5 and 10:15
  --feature-gates "A=true,B=false" at 11:5 and 11:19
  --leader-elect "false" at 12:22 and 12:35
config 1 14:1  | kOps Cluster example.com |  | 1.21 |  7:22
`,
	"kubeadm.yaml": `
flags 0 6:1 scheduler | kubeadm ClusterConfiguration |  | 1.27 |  5:20
  mounted true, static true, image "", account "", replicas 0
  --config "/etc/kubernetes/scheduler-config.yaml" at 8:5 and 8:13
  --v "2" at 9:5 and 9:8
  mount /etc/kubernetes/scheduler.conf of kubeconfig "" at 0:0: "/etc/kubernetes/scheduler.conf" ""
  mount /etc/kubernetes/scheduler-config.yaml of config "" at 13:16: "/srv/scheduler-config.yaml" ""
flags 1 18:1 scheduler | kubeadm ClusterConfiguration |  | 1.32 |  17:20
  mounted true, static true, image "", account "", replicas 0
  --config "/etc/kubernetes/scheduler-config.yaml" at 20:5 and 21:12
  --v "2" at 22:5 and 22:22
  mount /etc/kubernetes/scheduler.conf of kubeconfig "" at 0:0: "/etc/kubernetes/scheduler.conf" ""
`,
	"kustomization.yaml": `
reference 0 7:5 configMapGenerator[0].files[0] | kustomization | config.yaml |  | files/scheduler.yaml
reference 0 8:5 configMapGenerator[0].files[1] | kustomization | other.yaml |  | files/other.yaml
config 0 10:18 configMapGenerator[0].literals[0] | kustomization | inline.yaml |  | 
`,
	"kwok.yaml": `
reference 0 6:24 options.kubeSchedulerConfig | KwokctlConfiguration |  |  | files/scheduler.yaml
`,
	"list.json": `
config 0 3:9 items[0].data.x | ConfigMap a | x |  | 
object 0 4:2 items[1] | List |  |  | 
`,
	"staticpod.yaml": `
flags 0 9:5 spec.containers[0] | static pod kube-system/kube-scheduler |  | 1.29 |  10:12
  mounted true, static true, image "registry.k8s.io/kube-scheduler-amd64:v1.29.4", account "", replicas 0
  --config "/etc/kubernetes/sched/a.yaml" at 9:31 and 9:40
  mount /etc/kubernetes/sched of d "" at 11:32: "/srv/sched" ""
`,
	"talos.yaml": `
flags 0 8:3 cluster.scheduler | Talos machine configuration |  | 1.35 |  9:12
  mounted true, static true, image "registry.k8s.io/kube-scheduler:v1.35.4", account "", replicas 0
  --v "2" at 10:17 and 10:20
  --feature-gates "A=true" at 10:23 and 10:39
  --feature-gates "B=true" at 10:23 and 10:47
object 0 11:5 cluster.scheduler.config | Talos machine configuration |  | 1.35 |  6:12
`,
	"template.yaml": `
config 1 16:5 data["b.yaml"] | ConfigMap inner | b.yaml |  | 
skipped 0 3:1: template 
skipped 1 12:5: template ConfigMap inner
skipped 2 20:1: other object Deployment web
`,
	"values.yaml": `
config 0 5:5 scheduler.config | Helm values |  |  | 
object 0 8:3 scheduler.object | Helm values |  |  | 
`,
}
