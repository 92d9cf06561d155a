// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/daemon"
	daemonutil "k8s.io/kubernetes/pkg/controller/daemon/util"
	"k8s.io/utils/ptr"
)

// expansion is what the controllers of a cluster would create for a workload.
type expansion struct {
	pods []*corev1.Pod
	// others come before the pods: replica sets that own them, and their claims.
	others []object
	// note says why there are no pods, or fewer than one would think.
	note string
}

// expand does the work of the workload controllers. ok is false for a kind that has no pods.
func expand(obj object, nodes []*corev1.Node) (out expansion, ok bool, err error) {
	switch obj := obj.(type) {
	case *corev1.Pod:
		out.pods = []*corev1.Pod{obj}
	case *corev1.PodTemplate:
		err = out.replicate(&obj.Template, obj, corev1.SchemeGroupVersion.WithKind("PodTemplate"), 1)
		for _, p := range out.pods {
			p.OwnerReferences = nil // nothing controls it
		}
	case *corev1.ReplicationController:
		if obj.Spec.Template != nil {
			err = out.replicate(obj.Spec.Template, obj, corev1.SchemeGroupVersion.WithKind("ReplicationController"), ptr.Deref(obj.Spec.Replicas, 1))
		}
	case *appsv1.ReplicaSet:
		err = out.replicate(&obj.Spec.Template, obj, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"), ptr.Deref(obj.Spec.Replicas, 1))
	case *appsv1.Deployment:
		err = out.deployment(obj)
	case *appsv1.StatefulSet:
		err = out.statefulSet(obj)
	case *appsv1.DaemonSet:
		err = out.daemonSet(obj, nodes)
	case *batchv1.Job:
		err = out.job(obj)
	case *batchv1.CronJob:
		job := &batchv1.Job{ObjectMeta: *obj.Spec.JobTemplate.ObjectMeta.DeepCopy(), Spec: *obj.Spec.JobTemplate.Spec.DeepCopy()}
		job.Namespace, job.Name = obj.Namespace, obj.Name+"-0"
		job.UID = uidOf("Job", job)
		out.others = append(out.others, job)
		err = out.job(job)
		if ptr.Deref(obj.Spec.Suspend, false) {
			out.note = "it is suspended; the pods are those of one run"
		}
	default:
		return out, false, nil
	}
	return out, true, err
}

// replicate makes pods from a template, named like their owner with a number instead of the random
// letters of a cluster.
func (e *expansion) replicate(template *corev1.PodTemplateSpec, owner object, kind schema.GroupVersionKind, count int32) error {
	for i := range count {
		p, err := controller.GetPodFromTemplate(template, owner.(runtime.Object), metav1.NewControllerRef(owner, kind))
		if err != nil {
			return err
		}
		p.GenerateName = ""
		p.Namespace, p.Name = owner.GetNamespace(), fmt.Sprintf("%s-%d", owner.GetName(), i)
		e.pods = append(e.pods, p)
	}
	return nil
}

func (e *expansion) deployment(d *appsv1.Deployment) error {
	hash := controller.ComputeHash(&d.Spec.Template, d.Status.CollisionCount)
	set := &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: d.Namespace, Name: d.Name + "-" + hash, Labels: maps.Clone(d.Spec.Template.Labels),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(d, appsv1.SchemeGroupVersion.WithKind("Deployment"))},
		},
		Spec: appsv1.ReplicaSetSpec{Replicas: d.Spec.Replicas, MinReadySeconds: d.Spec.MinReadySeconds, Selector: d.Spec.Selector.DeepCopy(), Template: *d.Spec.Template.DeepCopy()},
	}
	for _, labels := range []*map[string]string{&set.Labels, &set.Spec.Selector.MatchLabels, &set.Spec.Template.Labels} {
		if *labels == nil {
			*labels = map[string]string{}
		}
		(*labels)[appsv1.DefaultDeploymentUniqueLabelKey] = hash
	}
	set.UID = uidOf("ReplicaSet", set)
	e.others = append(e.others, set)
	return e.replicate(&set.Spec.Template, set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"), ptr.Deref(d.Spec.Replicas, 1))
}

func (e *expansion) statefulSet(s *appsv1.StatefulSet) error {
	if err := e.replicate(&s.Spec.Template, s, appsv1.SchemeGroupVersion.WithKind("StatefulSet"), ptr.Deref(s.Spec.Replicas, 1)); err != nil {
		return err
	}
	start := int32(0)
	if s.Spec.Ordinals != nil {
		start = s.Spec.Ordinals.Start
	}
	for i, p := range e.pods {
		ordinal := strconv.Itoa(int(start) + i)
		p.Name = s.Name + "-" + ordinal
		p.Spec.Hostname, p.Spec.Subdomain = p.Name, s.Spec.ServiceName
		label(p, appsv1.StatefulSetPodNameLabel, p.Name)
		label(p, appsv1.PodIndexLabel, ordinal)
		for _, template := range s.Spec.VolumeClaimTemplates {
			claim := template.DeepCopy()
			claim.Namespace, claim.Name = s.Namespace, template.Name+"-"+p.Name
			claim.Labels = maps.Clone(claim.Labels)
			e.others = append(e.others, claim)
			volume := corev1.Volume{Name: template.Name, VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name},
			}}
			if at := slices.IndexFunc(p.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == template.Name }); at >= 0 {
				p.Spec.Volumes[at] = volume
			} else {
				p.Spec.Volumes = append(p.Spec.Volumes, volume)
			}
		}
	}
	return nil
}

func (e *expansion) daemonSet(d *appsv1.DaemonSet, nodes []*corev1.Node) error {
	template := daemonutil.CreatePodTemplate(d.Spec.Template, nil, controller.ComputeHash(&d.Spec.Template, d.Status.CollisionCount))
	for _, node := range nodes {
		if should, _ := daemon.NodeShouldRunDaemonPod(klog.Background(), node, d); !should {
			continue
		}
		p, err := controller.GetPodFromTemplate(&template, d, metav1.NewControllerRef(d, appsv1.SchemeGroupVersion.WithKind("DaemonSet")))
		if err != nil {
			return err
		}
		p.GenerateName = ""
		p.Namespace, p.Name = d.Namespace, d.Name+"-"+node.Name
		p.Spec.Affinity = daemonutil.ReplaceDaemonSetPodNodeNameNodeAffinity(p.Spec.Affinity, node.Name)
		e.pods = append(e.pods, p)
	}
	if len(e.pods) == 0 {
		e.note = "no node of the cluster matches its node selector, affinity and tolerations"
	}
	return nil
}

func (e *expansion) job(j *batchv1.Job) error {
	count := ptr.Deref(j.Spec.Parallelism, 1)
	if j.Spec.Completions != nil {
		count = min(count, *j.Spec.Completions)
	}
	if ptr.Deref(j.Spec.Suspend, false) {
		e.note = "it is suspended, so it has no pods"
		return nil
	}
	if err := e.replicate(&j.Spec.Template, j, batchv1.SchemeGroupVersion.WithKind("Job"), count); err != nil {
		return err
	}
	for i, p := range e.pods {
		label(p, batchv1.JobNameLabel, j.Name)
		if j.Spec.CompletionMode != nil && *j.Spec.CompletionMode == batchv1.IndexedCompletion {
			label(p, batchv1.JobCompletionIndexAnnotation, strconv.Itoa(i))
			p.Spec.Hostname = p.Name
		}
	}
	return nil
}

func label(p *corev1.Pod, key, value string) {
	p.Labels = maps.Clone(p.Labels)
	if p.Labels == nil {
		p.Labels = map[string]string{}
	}
	p.Labels[key] = value
}

// claimDevices creates the resource claims of a pod that it has templates for, as the controller of
// resource claims does.
func (r *run) claimDevices(p *corev1.Pod) {
	for _, claim := range p.Spec.ResourceClaims {
		if claim.ResourceClaimTemplateName == nil {
			continue
		}
		template, ok := r.api.get(resourcev1.SchemeGroupVersion.WithResource("resourceclaimtemplates"), p.Namespace, *claim.ResourceClaimTemplateName).(*resourcev1.ResourceClaimTemplate)
		if !ok {
			continue // The scheduler says what is missing.
		}
		name := p.Name + "-" + claim.Name
		r.api.put(&resourcev1.ResourceClaim{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: p.Namespace, Name: name, Labels: maps.Clone(template.Spec.Labels), Annotations: maps.Clone(template.Spec.Annotations),
				OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(p, corev1.SchemeGroupVersion.WithKind("Pod"))},
			},
			Spec: *template.Spec.Spec.DeepCopy(),
		})
		p.Status.ResourceClaimStatuses = append(p.Status.ResourceClaimStatuses, corev1.PodResourceClaimStatus{Name: claim.Name, ResourceClaimName: &name})
	}
}
