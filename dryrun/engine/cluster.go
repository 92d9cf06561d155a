// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	schedulingapi "k8s.io/kubernetes/pkg/apis/scheduling/v1"
)

var (
	namespaces = corev1.SchemeGroupVersion.WithResource("namespaces")
	nodes      = corev1.SchemeGroupVersion.WithResource("nodes")
)

// load reads the cluster. Pods that wait in it are tried after those of the workload.
func (r *run) load(ctx context.Context, read []item) error {
	var podItems []item
	items, err := r.whatIf(r.distinct(read))
	if err != nil {
		return err
	}
	for _, it := range items {
		switch obj := it.obj.(type) {
		case *corev1.Pod:
			podItems = append(podItems, it)
			continue
		case *corev1.Node:
			if len(obj.Status.Allocatable) == 0 {
				r.find("warning", "no-allocatable", it.file, it.line, describe(obj), "the node has no status.allocatable, so no pod fits on it")
			}
		}
		makeAvailable(it.obj)
		r.api.put(it.obj)
	}
	r.complete()
	r.pump(false)
	// As an API server lists them: which of several equal pods is preempted depends on their order.
	slices.SortStableFunc(podItems, func(a, b item) int {
		return cmp.Or(strings.Compare(a.obj.GetNamespace(), b.obj.GetNamespace()), strings.Compare(a.obj.GetName(), b.obj.GetName()))
	})
	var waiting []*corev1.Pod
	for _, it := range podItems {
		p := it.obj.(*corev1.Pod)
		if p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
			continue // It does not count any more.
		}
		if err := r.admit.resolvePriority(ctx, p); err != nil {
			r.find("warning", "no-priority", it.file, it.line, describe(p), "the pod counts with priority 0: %s", err)
		}
		if p.Spec.NodeName == "" {
			waiting = append(waiting, p)
			continue
		}
		if r.api.get(nodes, "", p.Spec.NodeName) == nil {
			r.find("warning", "unknown-node", it.file, it.line, describe(p), "the pod runs on node %q, which is not in the cluster", p.Spec.NodeName)
		}
		r.api.put(p)
	}
	r.pump(false)
	r.bindVolumes()
	r.checkClaims()
	r.pump(false)
	if len(r.api.list(nodes, "")) == 0 {
		r.find("warning", "no-nodes", "", 0, "", "the cluster has no nodes, so no pod can be placed")
	}
	r.pendingPods = waiting
	return r.admit.quotas.measure()
}

// makeAvailable does to a volume that nobody has claimed what its controller would.
func makeAvailable(obj object) {
	if v, ok := obj.(*corev1.PersistentVolume); ok && v.Spec.ClaimRef == nil && (v.Status.Phase == "" || v.Status.Phase == corev1.VolumePending) {
		v.Status.Phase = corev1.VolumeAvailable
	}
}

// distinct leaves out objects that have the name of one before.
func (r *run) distinct(items []item) []item {
	seen := map[string]item{}
	var list []item
	for _, it := range items {
		scopeNamespace(it.obj)
		name := describe(it.obj)
		if first, again := seen[name]; again {
			r.find("error", "duplicate", it.file, it.line, name, "left out, since the one in %s:%d has the same name", first.file, first.line)
			continue
		}
		seen[name] = it
		list = append(list, it)
	}
	r.checkOwners(list)
	return list
}

// checkOwners reports objects that own each other.
func (r *run) checkOwners(items []item) {
	owner := map[string]string{}
	for _, it := range items {
		if ref := metav1.GetControllerOf(it.obj); ref != nil {
			owner[describe(it.obj)] = ref.Kind + " " + strings.TrimPrefix(it.obj.GetNamespace()+"/"+ref.Name, "/")
		}
	}
	known := map[string]bool{}
	for _, it := range items {
		name := describe(it.obj)
		path := map[string]bool{}
		for at := name; at != "" && !known[at]; at = owner[at] {
			if path[at] {
				if at == name {
					r.find("warning", "cyclic-owners", it.file, it.line, name, "the object is owned by itself in the end")
				}
				break
			}
			path[at] = true
		}
		for at := range path {
			known[at] = true
		}
	}
}

// namespaced are the kinds that live in a namespace.
func namespaced(obj object) bool {
	switch kindOf(obj) {
	case "Node", "Namespace", "PersistentVolume", "RuntimeClass", "PriorityClass", "StorageClass", "CSINode", "CSIDriver", "VolumeAttachment", "ResourceSlice", "DeviceClass":
		return false
	}
	return true
}

// scopeNamespace gives an object the namespace that kubectl would.
func scopeNamespace(obj object) {
	switch {
	case !namespaced(obj):
		obj.SetNamespace("")
	case obj.GetNamespace() == "":
		obj.SetNamespace(metav1.NamespaceDefault)
	}
}

// kindOf is the kind of an object, whose type has its name.
func kindOf(obj object) string { return reflect.TypeOf(obj).Elem().Name() }

// describe names an object in findings.
func describe(obj object) string {
	return kindOf(obj) + " " + strings.TrimPrefix(obj.GetNamespace()+"/"+obj.GetName(), "/")
}

// complete adds what every cluster has.
func (r *run) complete() {
	for _, class := range schedulingapi.SystemPriorityClasses() {
		if r.api.get(schedulingv1.SchemeGroupVersion.WithResource("priorityclasses"), "", class.Name) == nil {
			r.api.put(class.DeepCopy())
		}
	}
}

func (r *run) ensureNamespace(name string) {
	if name != "" && r.api.get(namespaces, "", name) == nil {
		r.api.put(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelMetadataName: name}}})
	}
}

// create creates the workload as the API server and the controllers would. What is wrong with it is
// in the report.
func (r *run) create(ctx context.Context, read []item) error {
	items := r.distinct(read)
	for _, it := range r.api.list(pods, "") {
		r.ensureNamespace(it.GetNamespace())
	}
	var clusterNodes []*corev1.Node
	for _, obj := range r.api.list(nodes, "") {
		clusterNodes = append(clusterNodes, obj.(*corev1.Node))
	}
	for _, p := range r.drained {
		if err := r.admit.resolvePriority(ctx, p); err != nil {
			r.find("warning", "no-priority", "", 0, describe(p), "the pod counts with priority 0: %s", err)
		}
		r.enqueue(&pod{namespace: p.Namespace, name: p.Name, spec: p, fromCluster: true}, p)
	}
	type workload struct {
		item
		expansion
	}
	var workloads []workload
	for _, it := range items {
		r.ensureNamespace(it.obj.GetNamespace())
		it.obj.SetUID(uidOf(kindOf(it.obj), it.obj))
		expanded, hasPods, err := expand(it.obj, clusterNodes)
		if err != nil {
			r.find("error", "refused", it.file, it.line, describe(it.obj), "%s", err)
			continue
		}
		if hasPods {
			workloads = append(workloads, workload{it, expanded})
			continue
		}
		r.createOne(ctx, it)
	}
	if err := r.admit.quotas.measure(); err != nil {
		return err
	}
	r.pump(false)
	for _, w := range workloads {
		if w.note != "" {
			r.find("info", "no-pods", w.file, w.line, describe(w.obj), "%s", w.note)
		}
		if _, isPod := w.obj.(*corev1.Pod); !isPod && !r.createOne(ctx, w.item) {
			continue
		}
		for _, other := range w.others {
			legacyscheme.Scheme.Default(other)
			r.createOne(ctx, item{other, w.file, w.line})
		}
		r.pump(false)
		for _, p := range w.pods {
			r.createPod(ctx, p, w.item)
		}
	}
	// Those of the workload come first in the report, whatever else there is.
	r.order = append(r.order[len(r.drained):], r.order[:len(r.drained)]...)
	for _, p := range r.pendingPods {
		r.ensureNamespace(p.Namespace)
		r.enqueue(&pod{namespace: p.Namespace, name: p.Name, spec: p, fromCluster: true}, p)
	}
	if len(r.order) == 0 {
		r.find("error", "no-pods", "", 0, "", "the workload has no pods")
	}
	r.pump(false)
	return nil
}

// createOne creates what is not a pod, and reports whether the API server would.
func (r *run) createOne(ctx context.Context, it item) bool {
	if r.api.get(resourceOf(it.obj), it.obj.GetNamespace(), it.obj.GetName()) != nil {
		switch kindOf(it.obj) {
		case "PersistentVolumeClaim", "Namespace", "ReplicaSet":
			return true // A stateful set finds the claim that it had before.
		}
	}
	makeAvailable(it.obj)
	created, err := r.admit.create(ctx, it.obj)
	if err != nil {
		r.find("error", "refused", it.file, it.line, describe(it.obj), "%s", err)
		return false
	}
	r.api.put(created)
	return true
}

func (r *run) createPod(ctx context.Context, p *corev1.Pod, from item) {
	entry := &pod{namespace: p.Namespace, name: p.Name, spec: p}
	if from.obj != object(p) {
		entry.workload = kindOf(from.obj) + "/" + from.obj.GetName()
	}
	legacyscheme.Scheme.Default(p)
	if r.request.AsProfile != "" {
		p.Spec.SchedulerName = r.request.AsProfile
	}
	p.Spec.NodeName = r.nodeNameOf(p, from)
	created, err := r.admit.create(ctx, p)
	switch {
	case err != nil:
		entry.refused = strings.ReplaceAll(err.Error(), "\n", "; ")
	case r.api.pod(p.Namespace, p.Name) != nil:
		entry.refused = fmt.Sprintf("pods %q already exists", p.Name)
	}
	if entry.refused != "" {
		r.find("error", "refused", from.file, from.line, describe(p), "%s", entry.refused)
		r.order = append(r.order, entry)
		return
	}
	entry.spec = created.(*corev1.Pod)
	r.claimDevices(entry.spec)
	r.enqueue(entry, entry.spec)
}

// nodeNameOf is where a pod of the workload says that it runs already: such a pod is placed anew.
func (r *run) nodeNameOf(p *corev1.Pod, from item) string {
	if p.Spec.NodeName != "" {
		r.find("info", "node-name-ignored", from.file, from.line, describe(p), "spec.nodeName %q is left out, since the pod is to be placed", p.Spec.NodeName)
	}
	return ""
}

func (r *run) enqueue(entry *pod, p *corev1.Pod) {
	r.order = append(r.order, entry)
	if r.api.pod(p.Namespace, p.Name) != nil {
		return
	}
	r.api.put(p)
	entry.uid = p.UID
	r.pods[p.UID] = entry
}
