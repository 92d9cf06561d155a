// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"

	"github.com/schedconf/schedconf/dryrun"
)

// whatIf changes the objects of the cluster as the request has it.
func (r *run) whatIf(items []item) ([]item, error) {
	ask := r.request.WhatIf
	selector, err := labels.Parse(ask.NodeSelector)
	if err != nil {
		return nil, fmt.Errorf("node selector: %w", err)
	}
	gone, drained, known := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, it := range items {
		node, isNode := it.obj.(*corev1.Node)
		if !isNode {
			continue
		}
		known[node.Name] = true
		gone[node.Name] = slices.Contains(ask.RemoveNodes, node.Name) || !selector.Matches(labels.Set(node.Labels))
		if slices.Contains(ask.Drain, node.Name) {
			drained[node.Name] = true
			cordon(node)
		}
	}
	for _, name := range slices.Concat(ask.RemoveNodes, ask.Drain) {
		if !known[name] {
			return nil, fmt.Errorf("the cluster has no node %q", name)
		}
	}
	var left []item
	for _, it := range items {
		switch obj := it.obj.(type) {
		case *corev1.Node:
			if gone[obj.Name] {
				continue
			}
		case *corev1.Pod:
			if gone[obj.Spec.NodeName] {
				continue
			}
			if drained[obj.Spec.NodeName] && movable(obj) {
				r.drained = append(r.drained, evicted(obj))
				continue
			}
		}
		left = append(left, it)
	}
	added, err := r.addNodes(ask.AddNodes, known)
	return append(left, added...), err
}

// cordon does what kubectl cordon and the controller of nodes do.
func cordon(node *corev1.Node) {
	node.Spec.Unschedulable = true
	node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
}

// movable reports whether draining a node evicts the pod.
func movable(p *corev1.Pod) bool {
	owner := metav1.GetControllerOf(p)
	_, static := p.Annotations[corev1.MirrorPodAnnotationKey]
	finished := p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
	return !static && !finished && (owner == nil || owner.Kind != "DaemonSet")
}

// evicted is the pod as its controller makes it anew.
func evicted(p *corev1.Pod) *corev1.Pod {
	p = p.DeepCopy()
	p.Spec.NodeName = ""
	p.UID = uidOf("Pod", p)
	p.Status = corev1.PodStatus{Phase: corev1.PodPending}
	return p
}

func (r *run) addNodes(list []dryrun.AddNode, known map[string]bool) ([]item, error) {
	var items []item
	for _, add := range list {
		l := &loader{run: r, counts: map[string]int{}}
		if err := l.read([]dryrun.Source{add.Source}); err != nil {
			return nil, err
		}
		found := false
		for _, it := range l.items {
			node, isNode := it.obj.(*corev1.Node)
			if !isNode {
				continue
			}
			found = true
			for i := range add.Count {
				twin := node.DeepCopy()
				twin.Name, twin.UID = fmt.Sprintf("%s-%d", node.Name, i+1), ""
				if known[twin.Name] {
					return nil, fmt.Errorf("add nodes of %q: the cluster has a node %q already", add.Source.Name, twin.Name)
				}
				known[twin.Name] = true
				if host, ok := twin.Labels[corev1.LabelHostname]; ok && host == node.Name {
					twin.Labels[corev1.LabelHostname] = twin.Name
				}
				items = append(items, item{twin, it.file, it.line})
			}
		}
		if !found {
			return nil, fmt.Errorf("add nodes of %q: there is no node in it", add.Source.Name)
		}
	}
	return items, nil
}

// untilFull places copies of the first pod until one does not fit.
func (r *run) untilFull(ctx context.Context) {
	var first *pod
	for _, p := range r.order {
		if p.refused == "" && !p.fromCluster {
			first = p
			break
		}
	}
	if first == nil {
		return
	}
	full := &dryrun.UntilFull{Pod: first.namespace + "/" + first.name}
	r.report.UntilFull = full
	for ctx.Err() == nil {
		twin := first.spec.DeepCopy()
		twin.Name, twin.UID, twin.ResourceVersion = fmt.Sprintf("%s-more-%d", first.name, full.Count+1), "", ""
		twin.Spec.PreemptionPolicy = ptr.To(corev1.PreemptNever)
		twin.Status.ResourceClaimStatuses = nil
		if err := r.admit.chargePod(twin); err != nil {
			full.Stopped = err.Error()
			return
		}
		r.claimDevices(twin)
		r.api.put(twin)
		r.pods[twin.UID] = &pod{namespace: twin.Namespace, name: twin.Name, spec: twin, uid: twin.UID}
		r.active = 0
		r.schedule(ctx)
		placed := r.api.pod(twin.Namespace, twin.Name)
		if placed == nil || placed.Spec.NodeName == "" {
			out := dryrun.Pod{}
			r.decide(r.pods[twin.UID], &out)
			full.Stopped = string(out.Outcome)
			if out.Message != nil {
				full.Stopped = *out.Message
			}
			return
		}
		full.Count++
	}
	full.Stopped = r.report.Partial
}
