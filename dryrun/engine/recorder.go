// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
)

// recorder reads the events of the scheduler: that of a victim says who it has to make room for.
type recorder struct{ run *run }

// WithLogger implements events.EventRecorderLogger.
func (r recorder) WithLogger(klog.Logger) events.EventRecorderLogger { return r }

// Eventf implements events.EventRecorder.
func (r recorder) Eventf(regarding, related runtime.Object, _, reason, _, _ string, _ ...any) {
	victim, isPod := regarding.(*corev1.Pod)
	if reason != "Preempted" || !isPod || related == nil {
		return
	}
	preemptor, err := meta.Accessor(related)
	if err != nil {
		return
	}
	r.run.mu.Lock()
	defer r.run.mu.Unlock()
	if p := r.run.pods[preemptor.GetUID()]; p != nil {
		p.preempt(victim)
	} else if _, isPod := related.(*corev1.Pod); !isPod {
		for _, p := range r.run.order {
			group := p.spec.Spec.SchedulingGroup
			if group != nil && group.PodGroupName != nil && *group.PodGroupName == preemptor.GetName() && p.namespace == preemptor.GetNamespace() {
				p.preempt(victim)
			}
		}
	}
	if p := r.run.pods[victim.UID]; p != nil {
		p.preemptedBy = preemptor.GetNamespace() + "/" + preemptor.GetName()
	}
}

func (p *pod) preempt(victim *corev1.Pod) {
	name := victim.Name
	if victim.Namespace != p.namespace {
		name = victim.Namespace + "/" + name
	}
	p.preempted = append(p.preempted, name)
}
