// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import "strings"

// metadata is what stays of the metadata of every object.
var metadata = []string{"metadata.name", "metadata.namespace", "metadata.labels", "metadata.uid", "metadata.creationTimestamp", "metadata.deletionTimestamp", "metadata.ownerReferences[]"}

// annotations are those that the scheduler, admission or the volume controllers read.
var annotations = []string{
	"kubernetes.io/config.mirror", "volume.kubernetes.io/selected-node", "pv.kubernetes.io/bind-completed", "pv.kubernetes.io/bound-by-controller",
	"pv.kubernetes.io/provisioned-by", "storageclass.kubernetes.io/is-default-class", "volume.kubernetes.io/storage-provisioner", "pv.kubernetes.io/migrated-to",
	"storage.alpha.kubernetes.io/migrated-plugins",
}

// container is what stays of a container, behind its place.
var container = []string{"name", "image", "resources", "restartPolicy", "ports[].hostPort", "ports[].hostIP", "ports[].containerPort", "ports[].protocol"}

// kept is what stays of each kind besides its metadata: what kube-scheduler, and what stands in for the API
// server and controllers, look at. [] stands for every item of a list.
var kept = map[string][]string{
	"Pod": append(within(container, "spec.containers[].", "spec.initContainers[]."),
		"spec.nodeName", "spec.nodeSelector", "spec.affinity", "spec.tolerations", "spec.schedulerName", "spec.priority", "spec.priorityClassName",
		"spec.preemptionPolicy", "spec.topologySpreadConstraints", "spec.schedulingGates", "spec.resourceClaims", "spec.overhead", "spec.resources",
		"spec.runtimeClassName", "spec.hostNetwork", "spec.restartPolicy", "spec.terminationGracePeriodSeconds", "spec.schedulingGroup", "spec.os",
		"spec.volumes[].name", "spec.volumes[].persistentVolumeClaim", "spec.volumes[].ephemeral.volumeClaimTemplate.spec", "spec.volumes[].csi.driver",
		"spec.volumes[].gcePersistentDisk", "spec.volumes[].awsElasticBlockStore", "spec.volumes[].iscsi.targetPortal", "spec.volumes[].iscsi.iqn", "spec.volumes[].iscsi.lun",
		"spec.volumes[].rbd.monitors", "spec.volumes[].rbd.image", "spec.volumes[].rbd.pool", "spec.volumes[].azureDisk", "spec.volumes[].cinder.volumeID",
		"status.phase", "status.startTime", "status.nominatedNodeName", "status.resourceClaimStatuses", "status.extendedResourceClaimStatus",
		"status.conditions[].type", "status.conditions[].status", "status.conditions[].reason",
		"status.containerStatuses[].name", "status.containerStatuses[].allocatedResources", "status.containerStatuses[].resources"),
	"Node": {"spec.taints", "spec.unschedulable", "status.allocatable", "status.capacity", "status.images", "status.declaredFeatures",
		"status.conditions[].type", "status.conditions[].status"},
	"Namespace":             {},
	"PersistentVolumeClaim": {"spec", "status.phase", "status.capacity", "status.accessModes"},
	"PersistentVolume": {"spec.capacity", "spec.accessModes", "spec.claimRef", "spec.storageClassName", "spec.volumeMode", "spec.nodeAffinity", "spec.persistentVolumeReclaimPolicy",
		"spec.csi.driver", "spec.csi.volumeHandle", "spec.local", "spec.hostPath", "spec.gcePersistentDisk", "spec.awsElasticBlockStore", "spec.azureDisk", "spec.cinder.volumeID", "status.phase"},
	"Service":               {"spec.selector"},
	"ReplicationController": {"spec.selector", "spec.replicas"},
	"ReplicaSet":            {"spec.selector", "spec.replicas"},
	"StatefulSet":           {"spec.selector", "spec.replicas", "spec.serviceName"},
	"LimitRange":            {"spec"},
	"ResourceQuota":         {"spec", "status"},
	"StorageClass":          {"provisioner", "volumeBindingMode", "allowedTopologies", "reclaimPolicy"},
	"CSINode":               {"spec"},
	"CSIDriver":             {"spec"},
	"CSIStorageCapacity":    {"storageClassName", "capacity", "maximumVolumeSize", "nodeTopology"},
	"VolumeAttachment":      {"spec.attacher", "spec.nodeName", "spec.source.persistentVolumeName", "status.attached"},
	"PriorityClass":         {"value", "globalDefault", "preemptionPolicy"},
	"PodDisruptionBudget":   {"spec", "status"},
	"RuntimeClass":          {"handler", "overhead", "scheduling"},
	"PodGroup":              {"spec", "status.phase"},
	"ResourceSlice":         {"spec"},
	"ResourceClaim":         {"spec", "status"},
	"ResourceClaimTemplate": {"spec.spec"},
	"DeviceClass":           {"spec.selectors", "spec.extendedResourceName"},
}

func within(paths []string, places ...string) []string {
	var list []string
	for _, place := range places {
		for _, path := range paths {
			list = append(list, place+path)
		}
	}
	return list
}

// reduced is what of an object has a say in scheduling.
func reduced(kind string, object map[string]any) map[string]any {
	out := map[string]any{"apiVersion": object["apiVersion"], "kind": kind}
	for _, path := range append(metadata, kept[kind]...) {
		copyPath(out, object, strings.Split(path, "."))
	}
	given, _ := object["metadata"].(map[string]any)
	all, _ := given["annotations"].(map[string]any)
	some := map[string]any{}
	for _, key := range annotations {
		if value, ok := all[key]; ok {
			some[key] = value
		}
	}
	if meta, ok := out["metadata"].(map[string]any); ok && len(some) > 0 {
		meta["annotations"] = some
	}
	return out
}

// copyPath copies what a path leads to, and makes the way there.
func copyPath(to, from map[string]any, path []string) {
	name, isList := strings.CutSuffix(path[0], "[]")
	value, ok := from[name]
	if !ok {
		return
	}
	if len(path) == 1 {
		to[name] = value
		return
	}
	if !isList {
		inner, ok := value.(map[string]any)
		if !ok {
			return
		}
		next, ok := to[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			to[name] = next
		}
		copyPath(next, inner, path[1:])
		return
	}
	items, ok := value.([]any)
	if !ok {
		return
	}
	made, ok := to[name].([]any)
	if !ok {
		made = make([]any, len(items))
		for i := range made {
			made[i] = map[string]any{}
		}
		to[name] = made
	}
	for i, item := range items {
		if object, ok := item.(map[string]any); ok {
			copyPath(made[i].(map[string]any), object, path[1:])
		}
	}
}
