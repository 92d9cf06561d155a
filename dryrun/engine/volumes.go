// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	volumehelpers "k8s.io/component-helpers/storage/volume"
)

// controlVolumes is the part of the volume controller and of the provisioners that the scheduler waits for:
// a volume that it has chosen for a claim is bound to it, and a claim for which it has chosen a node gets a
// volume (pkg/controller/volume/persistentvolume/pv_controller.go).
func (c *cluster) controlVolumes(object runtime.Object) {
	switch o := object.(type) {
	case *v1.PersistentVolume:
		if ref := o.Spec.ClaimRef; ref != nil {
			if claim, ok := c.stores["persistentvolumeclaims"].get(ref.Namespace, ref.Name).(*v1.PersistentVolumeClaim); ok && claim.Spec.VolumeName == "" {
				c.bindClaim(claim, o)
			}
		}
	case *v1.PersistentVolumeClaim:
		node := o.Annotations[volumehelpers.AnnSelectedNode]
		if o.Spec.VolumeName != "" || node == "" {
			return
		}
		volume := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pvc-" + o.Namespace + "-" + o.Name, UID: types.UID("pv/" + o.Namespace + "/" + o.Name)}}
		volume.Spec.Capacity = v1.ResourceList{v1.ResourceStorage: o.Spec.Resources.Requests[v1.ResourceStorage]}
		volume.Spec.AccessModes = o.Spec.AccessModes
		volume.Spec.ClaimRef = &v1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: o.Namespace, Name: o.Name, UID: o.UID}
		if o.Spec.StorageClassName != nil {
			volume.Spec.StorageClassName = *o.Spec.StorageClassName
		}
		c.stores["persistentvolumes"].write(volume)
		c.bindClaim(o, volume)
	}
}

// bindClaim gives a claim its volume.
func (c *cluster) bindClaim(claim *v1.PersistentVolumeClaim, volume *v1.PersistentVolume) {
	bound := claim.DeepCopy()
	bound.Spec.VolumeName = volume.Name
	metav1.SetMetaDataAnnotation(&bound.ObjectMeta, volumehelpers.AnnBindCompleted, "yes")
	bound.Status.Phase = v1.ClaimBound
	c.stores["persistentvolumeclaims"].write(bound)
	taken := volume.DeepCopy()
	taken.Status.Phase = v1.VolumeBound
	c.stores["persistentvolumes"].write(taken)
}
