// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"k8s.io/kubernetes/pkg/api/legacyscheme"
	podapi "k8s.io/kubernetes/pkg/api/pod"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/scheduling"
)

// admit makes pods of what makes pods, and does to pods what the API server does: defaults, priority,
// overhead, limits, and the condition of a pod with gates. A pod that the API server would refuse is a
// problem.
func (o *objects) admit() {
	var made []entry
	for _, e := range o.entries {
		if e.workload {
			made = append(made, o.expand(e)...)
		}
	}
	o.entries = slices.DeleteFunc(append(o.entries, made...), func(e entry) bool {
		pod, ok := e.object.(*v1.Pod)
		if !ok {
			return false
		}
		return !o.admitPod(e, pod)
	})
	for _, e := range o.entries {
		if pod, ok := e.object.(*v1.Pod); ok && pod.UID == "" {
			pod.UID = types.UID(pod.Namespace + "/" + pod.Name)
		}
	}
}

// expand makes the pods of a workload.
func (o *objects) expand(e entry) []entry {
	switch w := e.object.(type) {
	case *appsv1.Deployment:
		// Topology spread and services look at the ReplicaSet that a Deployment would have made.
		set := &appsv1.ReplicaSet{
			ObjectMeta: metav1.ObjectMeta{Name: w.Name + "-dryrun", Namespace: w.Namespace, UID: types.UID("replicaset/" + w.Namespace + "/" + w.Name), Labels: w.Spec.Template.Labels},
			Spec:       appsv1.ReplicaSetSpec{Replicas: w.Spec.Replicas, Selector: w.Spec.Selector, Template: w.Spec.Template},
		}
		extra := entry{object: set, file: e.file, line: e.line}
		return append(o.pods(e, "Deployment", w.Name, set.Name, &w.Spec.Template, ptr.Deref(w.Spec.Replicas, 1), owner("apps/v1", "ReplicaSet", set.Name, set.UID)), extra)
	case *appsv1.ReplicaSet:
		return o.pods(e, "ReplicaSet", w.Name, w.Name, &w.Spec.Template, ptr.Deref(w.Spec.Replicas, 1), owner("apps/v1", "ReplicaSet", w.Name, w.UID))
	case *v1.ReplicationController:
		return o.pods(e, "ReplicationController", w.Name, w.Name, w.Spec.Template, ptr.Deref(w.Spec.Replicas, 1), owner("v1", "ReplicationController", w.Name, w.UID))
	case *appsv1.StatefulSet:
		pods := o.pods(e, "StatefulSet", w.Name, w.Name, &w.Spec.Template, ptr.Deref(w.Spec.Replicas, 1), owner("apps/v1", "StatefulSet", w.Name, w.UID))
		return append(pods, claims(e, w, pods)...)
	case *batchv1.Job:
		return o.pods(e, "Job", w.Name, w.Name, &w.Spec.Template, jobPods(&w.Spec), owner("batch/v1", "Job", w.Name, w.UID))
	case *batchv1.CronJob:
		return o.pods(e, "CronJob", w.Name, w.Name, &w.Spec.JobTemplate.Spec.Template, jobPods(&w.Spec.JobTemplate.Spec), owner("batch/v1", "Job", w.Name, w.UID))
	case *v1.PodTemplate:
		return o.pods(e, "PodTemplate", w.Name, w.Name, &w.Template, 1, metav1.OwnerReference{})
	case *appsv1.DaemonSet:
		return o.daemons(e, w)
	}
	return nil
}

// jobPods is how many pods of a job run at a time.
func jobPods(spec *batchv1.JobSpec) int32 {
	n := ptr.Deref(spec.Parallelism, 1)
	if spec.Completions != nil {
		n = min(n, *spec.Completions)
	}
	return n
}

func owner(apiVersion, kind, name string, uid types.UID) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: name, UID: types.UID(cmp.Or(string(uid), kind+"/"+name)), Controller: ptr.To(true)}
}

func (o *objects) pods(e entry, kind, name, base string, template *v1.PodTemplateSpec, n int32, by metav1.OwnerReference) []entry {
	if template == nil {
		return nil
	}
	var list []entry
	for i := range n {
		list = append(list, o.pod(e, kind, name, fmt.Sprintf("%s-%d", base, i), template, by))
	}
	return list
}

func (o *objects) pod(e entry, kind, name, podName string, template *v1.PodTemplateSpec, by metav1.OwnerReference) entry {
	namespace := metav1.NamespaceDefault
	if access, ok := e.object.(metav1.Object); ok {
		namespace = cmp.Or(access.GetNamespace(), namespace)
	}
	pod := &v1.Pod{ObjectMeta: *template.ObjectMeta.DeepCopy(), Spec: *template.Spec.DeepCopy()}
	pod.APIVersion, pod.Kind = "v1", "Pod"
	pod.Name, pod.Namespace = podName, namespace
	if by.Kind != "" {
		pod.OwnerReferences = []metav1.OwnerReference{by}
	}
	return entry{object: pod, file: e.file, line: e.line, workload: true, owner: kind + "/" + name}
}

// daemons makes one pod for every node, each with the affinity that the controller gives it.
func (o *objects) daemons(e entry, w *appsv1.DaemonSet) []entry {
	var list []entry
	for _, node := range of[*v1.Node](o) {
		one := o.pod(e, "DaemonSet", w.Name, w.Name+"-"+node.Name, &w.Spec.Template, owner("apps/v1", "DaemonSet", w.Name, w.UID))
		pod := one.object.(*v1.Pod)
		if pod.Spec.Affinity == nil {
			pod.Spec.Affinity = &v1.Affinity{}
		}
		if pod.Spec.Affinity.NodeAffinity == nil {
			pod.Spec.Affinity.NodeAffinity = &v1.NodeAffinity{}
		}
		pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
			MatchFields: []v1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{node.Name}}},
		}}}
		for _, key := range []string{v1.TaintNodeDiskPressure, v1.TaintNodeMemoryPressure, v1.TaintNodePIDPressure, v1.TaintNodeUnschedulable} {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{Key: key, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoSchedule})
		}
		list = append(list, one)
	}
	return list
}

// claims are those that a StatefulSet makes for its pods, which use them.
func claims(e entry, w *appsv1.StatefulSet, pods []entry) []entry {
	var list []entry
	for _, one := range pods {
		pod := one.object.(*v1.Pod)
		for _, template := range w.Spec.VolumeClaimTemplates {
			claim := template.DeepCopy()
			claim.Name, claim.Namespace = template.Name+"-"+pod.Name, pod.Namespace
			pod.Spec.Volumes = append(slices.DeleteFunc(pod.Spec.Volumes, func(v v1.Volume) bool { return v.Name == template.Name }), v1.Volume{
				Name: template.Name, VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name}},
			})
			list = append(list, entry{object: claim, file: e.file, line: e.line})
		}
	}
	return list
}

// admitPod does to a pod what the API server does, and reports whether it would take it.
func (o *objects) admitPod(e entry, pod *v1.Pod) bool {
	name := describe("Pod", pod.Namespace, cmp.Or(pod.Name, pod.GenerateName))
	if !e.workload && (pod.Spec.NodeName == "" && !running(pod) || !running(pod)) {
		return false // it is over
	}
	if pod.Name == "" {
		pod.Name = pod.GenerateName + "dryrun"
	}
	if err := o.prioritize(pod); err != nil {
		o.problem(e, name, "%v", err)
		return false
	}
	o.overhead(pod)
	if e.workload {
		o.limit(pod)
	}
	legacyscheme.Scheme.Default(pod)
	if !e.workload {
		return true
	}
	internal := &core.Pod{}
	if err := legacyscheme.Scheme.Convert(pod, internal, nil); err != nil {
		o.problem(e, name, "the pod cannot be converted: %v", err)
		return false
	}
	options := podapi.GetValidationOptionsFromPodSpecAndMeta(&internal.Spec, nil, &internal.ObjectMeta, nil)
	if errs := corevalidation.ValidatePodCreate(internal, options); len(errs) > 0 {
		var texts []string
		for _, err := range errs {
			texts = append(texts, err.Error())
		}
		o.problem(e, name, "the API server refuses the pod: %s", strings.Join(texts, "; "))
		return false
	}
	if len(pod.Spec.SchedulingGates) > 0 {
		// pkg/registry/core/pod/strategy.go, applySchedulingGatedCondition.
		podutil.UpdatePodCondition(&pod.Status, &v1.PodCondition{
			Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: v1.PodReasonSchedulingGated, Message: "Scheduling is blocked due to non-empty scheduling gates",
		})
	}
	return true
}

// prioritize resolves the priority as admission does (plugin/pkg/admission/priority).
func (o *objects) prioritize(pod *v1.Pod) error {
	class := pod.Spec.PriorityClassName
	if class == "" && pod.Spec.Priority != nil {
		return nil
	}
	var found *schedulingv1.PriorityClass
	for _, c := range slices.Concat(of[*schedulingv1.PriorityClass](o), systemClasses()) {
		if c.Name == class || class == "" && c.GlobalDefault && (found == nil || c.Value < found.Value) {
			found = c
		}
	}
	switch {
	case found != nil:
		pod.Spec.PriorityClassName, pod.Spec.Priority = found.Name, &found.Value
		if pod.Spec.PreemptionPolicy == nil {
			pod.Spec.PreemptionPolicy = found.PreemptionPolicy
		}
	case class != "" && pod.Spec.Priority == nil:
		return fmt.Errorf("no PriorityClass %q was found", class)
	case pod.Spec.Priority == nil:
		pod.Spec.Priority = ptr.To[int32](scheduling.DefaultPriorityWhenNoDefaultClassExists)
	}
	if pod.Spec.PreemptionPolicy == nil {
		pod.Spec.PreemptionPolicy = ptr.To(v1.PreemptLowerPriority)
	}
	return nil
}

func systemClasses() []*schedulingv1.PriorityClass {
	return []*schedulingv1.PriorityClass{
		{ObjectMeta: metav1.ObjectMeta{Name: scheduling.SystemNodeCritical}, Value: scheduling.SystemCriticalPriority + 1000},
		{ObjectMeta: metav1.ObjectMeta{Name: scheduling.SystemClusterCritical}, Value: scheduling.SystemCriticalPriority},
	}
}

// overhead adds that of the RuntimeClass.
func (o *objects) overhead(pod *v1.Pod) {
	if pod.Spec.RuntimeClassName == nil {
		return
	}
	for _, class := range of[*nodev1.RuntimeClass](o) {
		if class.Name != *pod.Spec.RuntimeClassName {
			continue
		}
		if class.Overhead != nil && pod.Spec.Overhead == nil {
			pod.Spec.Overhead = class.Overhead.PodFixed
		}
		if class.Scheduling != nil {
			if pod.Spec.NodeSelector == nil {
				pod.Spec.NodeSelector = map[string]string{}
			}
			for key, value := range class.Scheduling.NodeSelector {
				pod.Spec.NodeSelector[key] = value
			}
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, class.Scheduling.Tolerations...)
		}
	}
}

// limit gives containers the defaults of the LimitRanges of their namespace.
func (o *objects) limit(pod *v1.Pod) {
	for _, limits := range of[*v1.LimitRange](o) {
		if limits.Namespace != pod.Namespace {
			continue
		}
		for _, item := range limits.Spec.Limits {
			if item.Type != v1.LimitTypeContainer {
				continue
			}
			for _, containers := range [][]v1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
				for i := range containers {
					fill(&containers[i].Resources.Limits, item.Default)
					fill(&containers[i].Resources.Requests, item.DefaultRequest)
				}
			}
		}
	}
}

func fill(have *v1.ResourceList, defaults v1.ResourceList) {
	for name, quantity := range defaults {
		if _, ok := (*have)[name]; ok {
			continue
		}
		if *have == nil {
			*have = v1.ResourceList{}
		}
		(*have)[name] = quantity
	}
}

// workloadPods are the pods to place, in their order.
func (o *objects) workloadPods() []entry {
	var list []entry
	for _, e := range o.entries {
		if _, ok := e.object.(*v1.Pod); ok && e.workload {
			list = append(list, e)
		}
	}
	return list
}
