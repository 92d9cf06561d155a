// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"runtime"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/apis/scheduling"
	"k8s.io/kubernetes/pkg/scheduler/framework/parallelize"
)

// oneByOne is where the order in which goroutines come shows in a result: in the search for nodes, which
// ends when there are enough, and in preemption, which ends when there are enough candidates.
const oneByOne = 1

// Parallelizer is that of the search for nodes. Plugins have their own.
func (o *observed) Parallelizer() fwk.Parallelizer { return parallelize.NewParallelizer(oneByOne) }

// choose says how many goroutines plugins may use. It is all cores, unless some pod might preempt another.
func (r *run) choose(cluster, workload []item) int {
	classes := priorityClassesOf(cluster, workload)
	lowest, highest := int32(scheduling.HighestUserDefinablePriority), int32(-scheduling.HighestUserDefinablePriority)
	note := func(spec *corev1.PodSpec, waits bool) {
		priority := classes.of(spec)
		lowest = min(lowest, priority)
		if waits {
			highest = max(highest, priority)
		}
	}
	moves := len(r.request.WhatIf.Drain) > 0 || len(r.request.WhatIf.RemoveNodes) > 0
	for _, it := range cluster {
		if p, ok := it.obj.(*corev1.Pod); ok {
			note(&p.Spec, moves || p.Spec.NodeName == "")
		}
	}
	for _, it := range workload {
		if spec := podSpec(it.obj); spec != nil {
			note(spec, true)
		}
	}
	if highest > lowest {
		return oneByOne
	}
	return runtime.GOMAXPROCS(0)
}

// priorityClasses are the priorities of PriorityClasses by name. That of the empty name is the default.
type priorityClasses map[string]int32

func priorityClassesOf(lists ...[]item) priorityClasses {
	known := priorityClasses{
		scheduling.SystemNodeCritical:    scheduling.SystemCriticalPriority + 1000,
		scheduling.SystemClusterCritical: scheduling.SystemCriticalPriority,
	}
	for _, list := range lists {
		for _, it := range list {
			if class, ok := it.obj.(*schedulingv1.PriorityClass); ok {
				known[class.Name] = class.Value
				if class.GlobalDefault {
					known[""] = class.Value
				}
			}
		}
	}
	return known
}

func (c priorityClasses) of(spec *corev1.PodSpec) int32 {
	if spec.Priority != nil {
		return *spec.Priority
	}
	return c[spec.PriorityClassName]
}

// podSpec is that of a pod or of what makes pods; nil for anything else.
func podSpec(obj object) *corev1.PodSpec {
	switch o := obj.(type) {
	case *corev1.Pod:
		return &o.Spec
	case *corev1.PodTemplate:
		return &o.Template.Spec
	case *corev1.ReplicationController:
		if o.Spec.Template != nil {
			return &o.Spec.Template.Spec
		}
	case *appsv1.Deployment:
		return &o.Spec.Template.Spec
	case *appsv1.ReplicaSet:
		return &o.Spec.Template.Spec
	case *appsv1.StatefulSet:
		return &o.Spec.Template.Spec
	case *appsv1.DaemonSet:
		return &o.Spec.Template.Spec
	case *batchv1.Job:
		return &o.Spec.Template.Spec
	case *batchv1.CronJob:
		return &o.Spec.JobTemplate.Spec.Template.Spec
	}
	return nil
}
