// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"

	"github.com/schedconf/schedconf/dryrun"
)

// versions are the forms in which the scheduler wants objects, by group; those of a kind that is not in the
// version stay as they are.
var versions = map[string]schema.GroupVersion{
	"": {Version: "v1"}, "apps": {Group: "apps", Version: "v1"}, "batch": {Group: "batch", Version: "v1"},
	"storage.k8s.io": {Group: "storage.k8s.io", Version: "v1"}, "scheduling.k8s.io": {Group: "scheduling.k8s.io", Version: "v1"},
	"policy": {Group: "policy", Version: "v1"}, "resource.k8s.io": {Group: "resource.k8s.io", Version: "v1"}, "node.k8s.io": {Group: "node.k8s.io", Version: "v1"},
}

// watched are the kinds that scheduling looks at, or that make pods.
var watched = map[string]bool{
	"Node": true, "Pod": true, "PersistentVolume": true, "PersistentVolumeClaim": true, "StorageClass": true, "CSINode": true, "CSIDriver": true,
	"CSIStorageCapacity": true, "VolumeAttachment": true, "PriorityClass": true, "PodDisruptionBudget": true, "Namespace": true, "Service": true,
	"ReplicationController": true, "ReplicaSet": true, "StatefulSet": true, "ResourceSlice": true, "ResourceClaim": true, "ResourceClaimTemplate": true,
	"DeviceClass": true, "RuntimeClass": true, "LimitRange": true, "ResourceQuota": true, "PodGroup": true, "Workload": true,
	"Deployment": true, "DaemonSet": true, "Job": true, "CronJob": true, "PodTemplate": true,
}

// entry is an object with its place.
type entry struct {
	object   runtime.Object
	file     string
	line     int
	workload bool
	owner    string
}

// objects are what was read.
type objects struct {
	entries  []entry
	problems []dryrun.Problem
	skipped  map[string]int
	counts   map[string]int
	seen     map[string]entry
}

func newObjects() *objects {
	return &objects{skipped: map[string]int{}, counts: map[string]int{}, seen: map[string]entry{}, problems: []dryrun.Problem{}}
}

func (o *objects) problem(e entry, object, format string, args ...any) {
	o.problems = append(o.problems, dryrun.Problem{File: e.file, Line: e.line, Object: object, Message: fmt.Sprintf(format, args...), Refused: true})
}

// read takes the objects of a source. What is wrong with one is a problem; an error is a source that cannot
// be read at all.
func (o *objects) read(source dryrun.Source, workload bool) error {
	text := []byte(source.Text)
	if source.Path != "" {
		var err error
		if text, err = os.ReadFile(source.Path); err != nil {
			return fmt.Errorf("read %q: %w", source.Name, err)
		}
	}
	if first := bytes.TrimLeft(text, " \t\r\n\ufeff"); len(first) > 0 && first[0] == '{' {
		o.readJSON(source.Name, text, workload)
		return nil
	}
	reader, line := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))), 1
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			o.problem(entry{file: source.Name, line: line}, "", "the text cannot be read: %v", err)
			return nil
		}
		at := line + blankLines(document)
		line += bytes.Count(document, []byte("\n")) + 1
		if len(bytes.TrimSpace(document)) == 0 {
			continue
		}
		value, err := yaml.YAMLToJSON(document)
		if err != nil {
			o.problem(entry{file: source.Name, line: at}, "", "the document is no YAML: %v", err)
			continue
		}
		o.take(value, entry{file: source.Name, line: at, workload: workload})
	}
}

// blankLines are the lines of a document before its first word.
func blankLines(document []byte) int {
	n := 0
	for line := range bytes.Lines(document) {
		if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 && trimmed[0] != '#' {
			break
		}
		n++
	}
	return n
}

// readJSON takes one or more JSON values. The items of a List have their own lines.
func (o *objects) readJSON(name string, text []byte, workload bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	counted, lines := int64(0), 1
	for {
		var value json.RawMessage
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) {
			return
		}
		end := decoder.InputOffset()
		lines += bytes.Count(text[counted:max(counted, end-int64(len(value)))], []byte("\n"))
		e := entry{file: name, line: lines, workload: workload}
		if err != nil {
			o.problem(e, "", "the text is no JSON: %v", err)
			return
		}
		o.take(value, e)
		lines += bytes.Count(value, []byte("\n"))
		counted = end
	}
}

// take takes an object, or the items of a List.
func (o *objects) take(value []byte, e entry) {
	var head struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Items             []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(value, &head); err != nil {
		o.problem(e, "", "this is no object: %v", err)
		return
	}
	if strings.HasSuffix(head.Kind, "List") && head.Items != nil {
		at := 0
		for _, item := range head.Items {
			one := e
			if found := bytes.Index(value[at:], item); found >= 0 {
				one.line = e.line + bytes.Count(value[:at+found], []byte("\n"))
				at += found + len(item)
			}
			o.take(item, one)
		}
		return
	}
	name := describe(head.Kind, head.Namespace, cmp.Or(head.Name, head.GenerateName))
	switch {
	case head.Kind == "" || head.APIVersion == "":
		o.problem(e, name, "the object has no apiVersion or no kind")
		return
	case !watched[head.Kind]:
		o.skipped[head.Kind]++
		return
	}
	object, gvk, err := legacyscheme.Codecs.UniversalDeserializer().Decode(value, nil, nil)
	if runtime.IsNotRegisteredError(err) {
		if _, known := versions[schema.FromAPIVersionAndKind(head.APIVersion, head.Kind).Group]; known {
			o.problem(e, name, "Kubernetes %s has no %s of %s", release, head.Kind, head.APIVersion)
		} else {
			o.skipped[head.Kind+" of "+head.APIVersion]++
		}
		return
	}
	if err != nil {
		o.problem(e, name, "the object cannot be read: %v", err)
		return
	}
	legacyscheme.Scheme.Default(object)
	if e.object, err = inVersion(object, *gvk); err != nil {
		o.problem(e, name, "the object cannot be converted: %v", err)
		return
	}
	o.add(e, head.Kind)
}

// inVersion is an object in the form that the scheduler wants.
func inVersion(object runtime.Object, gvk schema.GroupVersionKind) (runtime.Object, error) {
	want, ok := versions[gvk.Group]
	if !ok || gvk.GroupVersion() == want || !legacyscheme.Scheme.Recognizes(want.WithKind(gvk.Kind)) {
		return object, nil
	}
	internal, err := legacyscheme.Scheme.ConvertToVersion(object, schema.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal})
	if err != nil {
		return nil, err
	}
	out, err := legacyscheme.Scheme.ConvertToVersion(internal, want)
	if err != nil {
		return nil, err
	}
	legacyscheme.Scheme.Default(out)
	return out, nil
}

// add keeps an object under its name, which may be there once.
func (o *objects) add(e entry, kind string) {
	access, err := meta.Accessor(e.object)
	if err != nil {
		o.problem(e, kind, "the object has no metadata: %v", err)
		return
	}
	if access.GetNamespace() == "" && namespaced(kind) {
		access.SetNamespace(metav1.NamespaceDefault)
	}
	name := describe(kind, access.GetNamespace(), cmp.Or(access.GetName(), access.GetGenerateName()))
	if access.GetName() == "" && !(e.workload && access.GetGenerateName() != "") {
		o.problem(e, name, "the object has no name")
		return
	}
	if first, twice := o.seen[name]; twice {
		o.problem(e, name, "the object is there already, from %s:%d", first.file, first.line)
		return
	}
	o.seen[name] = e
	o.counts[kind]++
	o.entries = append(o.entries, e)
}

func describe(kind, namespace, name string) string {
	return strings.TrimSpace(kind + " " + strings.Trim(namespace+"/"+name, "/"))
}

// namespaced reports whether objects of a kind belong to a namespace.
func namespaced(kind string) bool {
	return !slices.Contains([]string{"Node", "PersistentVolume", "StorageClass", "CSINode", "CSIDriver", "VolumeAttachment", "PriorityClass", "Namespace", "ResourceSlice", "DeviceClass", "RuntimeClass"}, kind)
}

// of lists the objects of a type.
func of[T runtime.Object](o *objects) []T {
	var list []T
	for _, e := range o.entries {
		if object, ok := e.object.(T); ok {
			list = append(list, object)
		}
	}
	return list
}

// running reports whether a pod of the cluster holds something on a node.
func running(pod *v1.Pod) bool {
	return pod.Status.Phase != v1.PodSucceeded && pod.Status.Phase != v1.PodFailed
}
