// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package find

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/source"
)

const minimal = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

func indent(text string, n int) string {
	return strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+strings.Repeat(" ", n))
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// TestBadInput holds that what cannot be looked at comes to one finding or one skip, soon.
func TestBadInput(t *testing.T) {
	aliases := func(n int, format string) string {
		var b strings.Builder
		b.WriteString("a0: &a0 {kind: List, apiVersion: v1, items: [" + `{kind: KubeSchedulerConfiguration}` + "]}\n")
		for i := range n {
			fmt.Fprintf(&b, format, i+1, i+1, i, i)
		}
		return b.String()
	}
	nested := minimal
	for range maxLevel + 1 {
		nested = "apiVersion: v1\nkind: ConfigMap\ndata:\n  x: |\n    " + indent(nested, 4) + "\n"
	}
	tests := []struct {
		name, text     string
		found, skipped int
		reason         Reason
	}{
		{"empty", "", 0, 0, ""},
		{"nothing to do with it", "kind: Pod\n", 0, 0, ""},
		{"invalid UTF-8", "x: kube-scheduler\ny: \xff\n", 0, 1, Binary},
		{"invalid UTF-8 in a configuration", minimal + "y: \xff\n", 1, 0, ""},
		{"a program", "\x7fELF\x00" + minimal, 0, 1, Binary},
		{"UTF-16", "\xff\xfe" + strings.Join(strings.Split(minimal, ""), "\x00"), 0, 0, ""},
		{"syntax", "kind: ConfigMap\ndata: [\nx: kube-scheduler\n", 0, 1, Syntax},
		{"template", "{{- range .x }}\n" + minimal + "{{- end }}\n", 0, 1, Template},
		{"Jinja", "{% if x %}\n" + minimal + "{% endif %}\n", 0, 1, Template},
		{"template of a value", "x: kube-scheduler\nreplicas: {{ .x }}\n", 0, 1, Template},
		{"ConfigMap in a List in a template", "{{ if x }}\nkind: List\napiVersion: v1\nitems:\n- kind: ConfigMap\n  data:\n    x: |\n      " + indent(minimal, 6) + "\n{{ end }}\n", 0, 1, Template},
		{"template in a ConfigMap in a List", "kind: List\napiVersion: v1\nitems:\n- kind: ConfigMap\n  apiVersion: v1\n  data:\n    x: |\n      " + indent(minimal, 6) + "\n      {{ .x }}\n", 0, 1, Template},
		{"aliases", aliases(60, "a%d: &a%d {kind: List, apiVersion: v1, items: [*a%d, *a%d]}\n"), 1, 0, ""},
		{"merges", aliases(60, "a%d: &a%d {<<: [*a%d, *a%d]}\n"), 1, 0, ""},
		{"object of aliases", aliases(60, "a%d: &a%d [*a%d, *a%d]\n") + "x: {kind: KubeSchedulerConfiguration, y: *a60}\n", 1, 1, Excess},
		{"an anchor in itself", "a: &a {kind: ConfigMap, apiVersion: v1, metadata: *a, data: {x: kube-scheduler, y: *a}, containers: [*a]}\n", 0, 1, Other},
		{"texts in texts", nested, 0, 1, Excess},
		{"deep", "x: kube-scheduler\ny: " + strings.Repeat("[", 900) + strings.Repeat("]", 900) + "\n", 0, 1, Excess},
		{"too deep", "x: kube-scheduler\ny: " + strings.Repeat("[", 100_000) + "\n", 0, 1, Syntax},
		{"too deep JSON", `{"x": "kube-scheduler", "y": ` + strings.Repeat(`{"y":`, 100_000), 0, 1, Syntax},
		{"10000 documents", strings.Repeat("---\nkind: Pod\n", 10_000) + "---\n" + minimal, 1, 0, ""},
		{"10000 configurations", strings.Repeat("---\n"+minimal, 10_000), 10_000, 0, ""},
		{"10000 keys", "apiVersion: v1\nkind: ConfigMap\ndata:\n" + strings.Repeat("  x: |\n    "+indent(minimal, 4)+"\n", 10_000), 10_000, 0, ""},
		{"a gzip bomb", "kind: ConfigMap\napiVersion: v1\nbinaryData:\n  x: " + packed(t, strings.Repeat("kube-scheduler ", 2<<20)) + "\n", 0, 1, Excess},
		{"broken gzip", "kind: ConfigMap\napiVersion: v1\nbinaryData:\n  x: H4sIAAAAAAAAA2tub3Q=\n  y: '*'\n  z: kube-scheduler\n", 0, 1, Other},
		{"aliases of arguments", "a: &a [" + strings.Repeat("--config=/x,", 20_000) + "]\nkube-scheduler: 1\nspecs:\n" +
			strings.Repeat("- {containers: [{image: kube-scheduler, args: *a}]}\n", 20_000), -1, 1, Excess},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			start := time.Now()
			documents := source.Split("x.yaml", []byte(test.text))
			found, skipped := In("x.yaml", documents)
			Beside(documents)
			if len(found) != test.found && test.found >= 0 || len(skipped) != test.skipped {
				t.Fatalf("%d found, %d skipped: %.300v", len(found), len(skipped), skipped)
			}
			if len(skipped) > 0 && (skipped[0].Reason != test.reason || skipped[0].Pos.Line == 0) {
				t.Errorf("skipped %+v, want %s", skipped[0], test.reason)
			}
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestMayHold(t *testing.T) {
	for text, want := range map[string]bool{
		"":                       false,
		"kind: NetworkPolicy\n":  false,
		"schedulerName: x\n":     false,
		minimal:                  true,
		"kube-scheduler-arg: []": true,
		"cluster:\n  scheduler:\n    config: {}\n":               true,
		"spec: {kubeScheduler: {}}":                              true,
		"configMapGenerator: []":                                 true,
		"binaryData: {}":                                         true,
		"profiles: [{schedulerName: x}]":                         true,
		`{"kind": "Policy", "priorities": []}`:                   true,
		"args: [--config=/x]\nimage: my-scheduler":               true,
		"apiVersion: componentconfig/v1alpha1\nkind: Scheduler2": false,
	} {
		if got := MayHold([]byte(text)); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// TestMentions compares the search with a plain one, at every place of a text.
func TestMentions(t *testing.T) {
	for _, word := range words {
		if len(word) != wordLength {
			t.Errorf("%q is of another length", word)
		}
		for before := range 20 {
			text := strings.Repeat("Policyche", 3)[:before] + word
			if !mentions([]byte(text)) || !mentions([]byte(text+": x")) {
				t.Errorf("%q is not found in %q", word, text)
			}
			if mentions([]byte(text[:len(text)-1] + "-")) {
				t.Errorf("%q is found in %q", word, text[:len(text)-1])
			}
		}
	}
}

func TestBeside(t *testing.T) {
	const text = `apiVersion: v1
kind: List
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web, namespace: shop}
  spec: {template: {spec: {schedulerName: my-scheduler, containers: [{name: a}]}}}
- apiVersion: rbac.authorization.k8s.io/v1
  kind: Role
  metadata: {name: r, namespace: shop}
  rules:
  - {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [create]}
  - {apiGroups: [coordination.k8s.io], resources: [leases], resourceNames: [x], verbs: [get, create]}
- apiVersion: rbac.authorization.k8s.io/v1
  kind: RoleBinding
  metadata: {name: b, namespace: shop}
  roleRef: {kind: Role, name: r}
  subjects: [{kind: ServiceAccount, name: s, namespace: shop}]
`
	o := Beside(source.Split("x.yaml", []byte(text)))
	if len(o.Pods) != 1 || len(o.Roles) != 1 || len(o.Bindings) != 1 || len(o.Nodes)+len(o.Servers)+len(o.Applied) > 0 {
		t.Fatalf("%+v", o)
	}
	if pod := o.Pods[0]; pod.SchedulerName != "my-scheduler" || pod.Pos.String() != "x.yaml:7:43" || pod.Object.String() != "Deployment shop/web" || pod.Path.String() != "items[0].spec.template.spec.schedulerName" {
		t.Errorf("%+v", pod)
	}
	role := o.Roles[0]
	for _, test := range []struct {
		name, verb string
		want       bool
	}{{"x", "get", true}, {"y", "get", false}, {"x", "create", true}, {"x", "update", false}} {
		if got := role.Allows("coordination.k8s.io", "leases", test.name, test.verb); got != test.want {
			t.Errorf("%s %s: %t", test.verb, test.name, got)
		}
	}
	binding := o.Bindings[0]
	if !binding.Binds("shop", "s") || binding.Binds("other", "s") || binding.Binds("shop", "t") {
		t.Errorf("%+v", binding)
	}
}

// TestBesideClusters is about what tells of a cluster, with near misses.
func TestBesideClusters(t *testing.T) {
	const kubernetes = `apiVersion: v1
kind: List
items:
- kind: Node
  apiVersion: v1
  metadata: {name: a}
  status: {nodeInfo: {kubeletVersion: v1.30.2}}
- {apiVersion: v1, kind: NodeClaim, metadata: {name: b}, status: {nodeInfo: {}}}
- {apiVersion: node.example.com/v1, kind: Node, metadata: {name: c}, status: {nodeInfo: {}}}
- {apiVersion: v1, kind: Node, metadata: {name: d}}
- apiVersion: v1
  kind: Pod
  metadata: {name: s}
  spec:
    containers:
    - image: registry.k8s.io/kube-apiserver:v1.30.2
    - image: registry.k8s.io/kube-apiserver-proxy:v1.29.0
    - image: example.com/kube-apiserver:latest
`
	o := Beside(source.Split("x.yaml", []byte(kubernetes)))
	if len(o.Nodes) != 1 || o.Nodes[0].Name != "a" || o.Nodes[0].Pos.String() != "x.yaml:4:3" {
		t.Errorf("nodes: %+v", o.Nodes)
	}
	if len(o.Servers) != 1 || o.Servers[0].Minor != "1.30" || o.Servers[0].Pos.String() != "x.yaml:16:14" {
		t.Errorf("servers: %+v", o.Servers)
	}
	for text, want := range map[string]string{
		"kind: Kustomization\nresources: [a.yaml]\nbases: [../b]\ncomponents: [c]\n": "[a.yaml x.yaml:2:13] [../b x.yaml:3:9]",
		"kind: Other # no Kustomization\nresources: [a.yaml]\n":                      "",
		"spec: {kind: Kustomization}\nresources: [a.yaml]\n":                         "",
		`{"kind": "Node", "apiVersion": "v1"}`:                                       "",
	} {
		var got []string
		for _, applied := range Beside(source.Split("x.yaml", []byte(text))).Applied {
			got = append(got, fmt.Sprintf("[%s %s]", applied.File, applied.Pos))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	for text, want := range map[string]bool{
		"kind: Node\nstatus: {nodeInfo: {}}\n": true, "- {kind: Node, status: {nodeInfo: {}}}\r\n": true, `{"kind": "Node", "status": {"nodeInfo": {}}}`: true,
		"kind: NodePool\nnodeInfo: {}\n": false, "kind: Nodes\nnodeInfo: {}\n": false, "kind: Node\n": false,
		"image: kube-apiserver:v1.30.0\n": true, "name: kube-apiserver\n": false,
	} {
		if got := MayStandBeside([]byte(text)); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// FuzzIn holds that no input makes it fail, and that every position is in the file.
func FuzzIn(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join(samples, "*.*"))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n")
		inside := func(p diag.Position) {
			if p.Line < 1 || p.Line > len(lines) || p.Column < 1 || p.Column > len(lines[p.Line-1])+1 {
				t.Errorf("%v is outside of %q", p, data)
			}
		}
		documents := source.Split("values.yaml", data)
		found, skipped := In("values.yaml", documents)
		if len(found) > 0 && !MayHold(data) {
			t.Errorf("MayHold passes over %q", data)
		}
		for _, found := range found {
			inside(found.Pos)
			if found.Target != "" {
				inside(found.TargetPos)
			}
			if found.Doc != nil {
				found.Doc.Duplicates()
				inside(found.Doc.Position(diag.Path{"profiles", "0"}))
				inside(found.Doc.ValuePosition(diag.Path{"kind"}))
			}
			if c := found.Command; c != nil {
				for _, flag := range c.Flags {
					inside(flag.Pos)
					inside(flag.ValuePos)
				}
			}
		}
		for _, skipped := range skipped {
			inside(skipped.Pos)
		}
		beside := Beside(documents)
		for _, pod := range beside.Pods {
			inside(pod.Pos)
		}
		for _, node := range beside.Nodes {
			inside(node.Pos)
		}
		for _, server := range beside.Servers {
			inside(server.Pos)
		}
		for _, applied := range beside.Applied {
			inside(applied.Pos)
		}
	})
}
