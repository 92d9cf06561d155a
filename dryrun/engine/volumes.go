// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/storage/volume"
)

var (
	claims     = corev1.SchemeGroupVersion.WithResource("persistentvolumeclaims")
	volumes    = corev1.SchemeGroupVersion.WithResource("persistentvolumes")
	classes    = storagev1.SchemeGroupVersion.WithResource("storageclasses")
	csiNodes   = storagev1.SchemeGroupVersion.WithResource("csinodes")
	csiDrivers = storagev1.SchemeGroupVersion.WithResource("csidrivers")
	capacities = storagev1.SchemeGroupVersion.WithResource("csistoragecapacities")
)

// controllers do what the controllers of volumes and the drivers would do about a claim or a volume
// that was written. The lock of the api is held.
func (a *api) controllers(obj object) {
	switch obj := obj.(type) {
	case *corev1.PersistentVolumeClaim:
		if obj.Spec.VolumeName == "" {
			a.serve(obj)
		}
	case *corev1.PersistentVolume:
		ref := obj.Spec.ClaimRef
		if ref == nil {
			return
		}
		claim, _ := a.objects[claims][types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}].(*corev1.PersistentVolumeClaim)
		if claim != nil && claim.Spec.VolumeName == "" && (ref.UID == "" || ref.UID == claim.UID) {
			a.bindClaim(claim, obj)
		}
	}
}

// serve binds or provisions a claim whose time has come: at once, or when the scheduler has chosen a
// node.
func (a *api) serve(claim *corev1.PersistentVolumeClaim) {
	name := ""
	if claim.Spec.StorageClassName != nil {
		name = *claim.Spec.StorageClassName
	}
	class, _ := a.objects[classes][types.NamespacedName{Name: name}].(*storagev1.StorageClass)
	delayed := class != nil && class.VolumeBindingMode != nil && *class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
	node := claim.Annotations[volume.AnnSelectedNode]
	if delayed && node == "" {
		return
	}
	if !delayed {
		var list []*corev1.PersistentVolume
		for _, obj := range a.listLocked(volumes, "") {
			list = append(list, obj.(*corev1.PersistentVolume))
		}
		// The volume that the controller of a cluster would take. An error is about a claim that
		// cannot be read, which the API server would have refused.
		if found, err := volume.FindMatchingVolume(claim, list, nil, nil, false, true); err == nil && found != nil {
			a.bindClaim(claim, found)
			return
		}
	}
	if class != nil && class.Provisioner != volume.NotSupportedProvisioner {
		a.provision(claim, class, node)
	}
}

// bindClaim makes a claim and a volume each other's.
func (a *api) bindClaim(claim *corev1.PersistentVolumeClaim, v *corev1.PersistentVolume) {
	claim, v = claim.DeepCopy(), v.DeepCopy()
	claim.Spec.VolumeName = v.Name
	claim.Annotations = maps.Clone(claim.Annotations)
	if claim.Annotations == nil {
		claim.Annotations = map[string]string{}
	}
	claim.Annotations[volume.AnnBindCompleted] = "yes"
	claim.Status.Phase = corev1.ClaimBound
	claim.Status.Capacity, claim.Status.AccessModes = v.Spec.Capacity, v.Spec.AccessModes
	v.Spec.ClaimRef = &corev1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID}
	v.Status.Phase = corev1.VolumeBound
	a.write(claims, claim)
	a.write(volumes, v)
}

// provision makes a volume where the class and the chosen node allow it. Without the capacity for it
// the choice of the node is taken back, as a provisioner does.
func (a *api) provision(claim *corev1.PersistentVolumeClaim, class *storagev1.StorageClass, node string) {
	size := claim.Spec.Resources.Requests[corev1.ResourceStorage]
	if node != "" && !a.takeCapacity(class, node, size) {
		claim = claim.DeepCopy()
		delete(claim.Annotations, volume.AnnSelectedNode)
		a.write(claims, claim)
		return
	}
	name := "pvc-" + string(claim.UID)
	v := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{volume.AnnDynamicallyProvisioned: class.Provisioner}},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: corev1.ResourceList{corev1.ResourceStorage: size}, AccessModes: claim.Spec.AccessModes, VolumeMode: claim.Spec.VolumeMode,
			StorageClassName:       class.Name,
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: class.Provisioner, VolumeHandle: name}},
			NodeAffinity:           a.reach(class, node),
		},
	}
	a.bindClaim(claim, v)
}

// reach says from which nodes a new volume can be used: those that share the node's topology, as far
// as the driver has one, or else those that the class allows.
func (a *api) reach(class *storagev1.StorageClass, node string) *corev1.VolumeNodeAffinity {
	var terms []corev1.NodeSelectorTerm
	chosen, _ := a.objects[nodes][types.NamespacedName{Name: node}].(*corev1.Node)
	info, _ := a.objects[csiNodes][types.NamespacedName{Name: node}].(*storagev1.CSINode)
	if chosen != nil && info != nil {
		at := slices.IndexFunc(info.Spec.Drivers, func(d storagev1.CSINodeDriver) bool { return d.Name == class.Provisioner })
		var term corev1.NodeSelectorTerm
		for i := 0; at >= 0 && i < len(info.Spec.Drivers[at].TopologyKeys); i++ {
			key := info.Spec.Drivers[at].TopologyKeys[i]
			term.MatchExpressions = append(term.MatchExpressions, corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{chosen.Labels[key]}})
		}
		if len(term.MatchExpressions) > 0 {
			terms = append(terms, term)
		}
	}
	if node == "" {
		for _, allowed := range class.AllowedTopologies {
			var term corev1.NodeSelectorTerm
			for _, e := range allowed.MatchLabelExpressions {
				term.MatchExpressions = append(term.MatchExpressions, corev1.NodeSelectorRequirement{Key: e.Key, Operator: corev1.NodeSelectorOpIn, Values: e.Values})
			}
			terms = append(terms, term)
		}
	}
	if len(terms) == 0 {
		return nil
	}
	return &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: terms}}
}

// takeCapacity takes the size from what the driver has for the class at the node. It is false where
// the driver says what it has, and that is too little.
func (a *api) takeCapacity(class *storagev1.StorageClass, node string, size resource.Quantity) bool {
	driver, _ := a.objects[csiDrivers][types.NamespacedName{Name: class.Provisioner}].(*storagev1.CSIDriver)
	chosen, _ := a.objects[nodes][types.NamespacedName{Name: node}].(*corev1.Node)
	if driver == nil || driver.Spec.StorageCapacity == nil || !*driver.Spec.StorageCapacity || chosen == nil {
		return true
	}
	for _, obj := range a.listLocked(capacities, "") {
		c := obj.(*storagev1.CSIStorageCapacity)
		if c.StorageClassName != class.Name || c.Capacity == nil || c.NodeTopology == nil {
			continue
		}
		selector, err := metav1.LabelSelectorAsSelector(c.NodeTopology)
		if err != nil || !selector.Matches(labels.Set(chosen.Labels)) || c.Capacity.Cmp(size) < 0 {
			continue
		}
		c = c.DeepCopy()
		c.Capacity.Sub(size)
		a.write(capacities, c)
		return true
	}
	return false
}

// bindVolumes does for the claims of a dump what the controller would have done by now.
func (r *run) bindVolumes() {
	r.api.mu.Lock()
	defer r.api.mu.Unlock()
	r.api.after = r.api.controllers
	for _, obj := range r.api.listLocked(claims, "") {
		if claim := obj.(*corev1.PersistentVolumeClaim); claim.Spec.VolumeName == "" {
			r.api.serve(claim)
		}
	}
}

// checkClaims reports claims that say they are bound to a volume that is not there.
func (r *run) checkClaims() {
	for _, obj := range r.api.list(claims, "") {
		claim := obj.(*corev1.PersistentVolumeClaim)
		if name := claim.Spec.VolumeName; name != "" && r.api.get(volumes, "", name) == nil {
			r.find("warning", "no-volume", "", 0, describe(claim), "the claim is bound to volume %q, which is not in the cluster: its pods cannot be placed", name)
		}
	}
}
