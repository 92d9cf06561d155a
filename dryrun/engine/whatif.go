// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedconf/schedconf/dryrun"
)

// suppose makes of the objects of the cluster those that the question is about. An error is a node that is
// not there.
func (r *run) suppose(items []item) ([]item, error) {
	w := r.request.WhatIf
	for _, nodes := range w.AddNodes {
		added, err := r.newNodes(nodes)
		if err != nil {
			return nil, err
		}
		items = append(items, added...)
	}
	for _, name := range slices.Concat(w.Drain, w.RemoveNodes) {
		if !slices.ContainsFunc(items, func(it item) bool { return isNode(it, name) }) {
			return nil, fmt.Errorf("the cluster has no node %q: there are %s", name, nodeNames(items))
		}
	}
	for _, name := range w.Drain {
		for _, it := range items {
			if isNode(it, name) {
				it.obj.(*corev1.Node).Spec.Unschedulable = true
			}
		}
		items = r.moveFrom(items, name, false)
	}
	for _, name := range w.RemoveNodes {
		items = slices.DeleteFunc(items, func(it item) bool { return isNode(it, name) })
		items = r.moveFrom(items, name, true)
	}
	return items, nil
}

func isNode(it item, name string) bool {
	node, ok := it.obj.(*corev1.Node)
	return ok && node.Name == name
}

// nodeNames names a few of the nodes.
func nodeNames(items []item) string {
	const most = 8
	var names []string
	for _, it := range items {
		if node, ok := it.obj.(*corev1.Node); ok {
			names = append(names, node.Name)
		}
	}
	slices.Sort(names)
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > most:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// newNodes makes nodes like the one of a source.
func (r *run) newNodes(nodes dryrun.NewNodes) ([]item, error) {
	l := &loader{run: r, counts: map[string]int{}}
	if err := l.read([]dryrun.Source{nodes.Like}); err != nil {
		return nil, err
	}
	l.items = slices.DeleteFunc(l.items, func(it item) bool { return kindOf(it.obj) != "Node" })
	if len(l.items) != 1 {
		return nil, fmt.Errorf("%q has %d nodes, and one is wanted to make others like it", nodes.Like.Name, len(l.items))
	}
	var list []item
	for i := range nodes.Count {
		it := l.items[0]
		node := it.obj.(*corev1.Node).DeepCopy()
		node.Name = fmt.Sprintf("%s-%d", node.Name, i)
		if _, labelled := node.Labels[corev1.LabelHostname]; labelled {
			node.Labels[corev1.LabelHostname] = node.Name
		}
		node.UID = uidOf("Node", node)
		it.obj = node
		list = append(list, it)
	}
	r.report.Input.Cluster["Node"] += nodes.Count
	return list, nil
}

// moveFrom makes pods that run on a node pods that wait, ahead of all others. Pods that belong to the node
// stay with it, or go with it.
func (r *run) moveFrom(items []item, node string, gone bool) []item {
	return slices.DeleteFunc(items, func(it item) bool {
		p, ok := it.obj.(*corev1.Pod)
		if !ok || p.Spec.NodeName != node || p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
			return false
		}
		controller := metav1.GetControllerOf(p)
		if controller != nil && controller.Kind == "DaemonSet" || p.Annotations[corev1.MirrorPodAnnotationKey] != "" {
			return gone
		}
		p.Spec.NodeName, p.Status, p.DeletionTimestamp = "", corev1.PodStatus{}, nil
		moved := &pod{namespace: p.Namespace, name: p.Name, spec: p, fromCluster: true}
		if controller != nil {
			moved.workload = controller.Kind + "/" + controller.Name
		}
		r.moved = append(r.moved, moved)
		return true
	})
}

// enqueueMoved puts the pods of drained nodes into the queue, ahead of the workload.
func (r *run) enqueueMoved(ctx context.Context) {
	for _, p := range r.moved {
		if err := r.admit.resolvePriority(ctx, p.spec); err != nil {
			r.find("warning", "no-priority", "", 0, describe(p.spec), "the pod counts with priority 0: %s", err)
		}
		r.ensureNamespace(p.namespace)
		r.enqueue(p, p.spec)
	}
}

// restrict adds the node selector of the question to a pod.
func (r *run) restrict(p *corev1.Pod) {
	if len(r.request.WhatIf.NodeSelector) == 0 {
		return
	}
	p.Spec.NodeSelector = maps.Clone(p.Spec.NodeSelector)
	if p.Spec.NodeSelector == nil {
		p.Spec.NodeSelector = map[string]string{}
	}
	maps.Copy(p.Spec.NodeSelector, r.request.WhatIf.NodeSelector)
}

// fillUp goes on with copies of the last pod of the workload until one stays pending.
func (r *run) fillUp(ctx context.Context) {
	w := r.request.WhatIf
	at := len(r.order) - 1
	for at >= 0 && (r.order[at].fromCluster || r.order[at].refused != "") {
		at--
	}
	if !w.UntilFull || at < 0 {
		return
	}
	like := r.order[at]
	last := like
	for i := 0; (w.Most == 0 || i < w.Most) && r.report.Partial == ""; i++ {
		if now := r.api.pod(last.namespace, last.name); now == nil || now.Spec.NodeName == "" {
			return
		}
		p := like.spec.DeepCopy()
		p.Name = fmt.Sprintf("%s-copy-%d", like.name, i+1)
		p.UID = uidOf("Pod", p)
		p.Spec.NodeName, p.Status = "", corev1.PodStatus{}
		r.claimDevices(p)
		last = &pod{namespace: p.Namespace, name: p.Name, workload: like.workload, spec: p}
		r.enqueue(last, p)
		r.schedule(ctx)
	}
}
