// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// anonymizer gives other names to what people have named. The same name gets the same other one wherever it
// stands, and names of one sort are in the same order as before, so that the structure stays. Names of
// Kubernetes itself, of resources, drivers and schedulers stay as they are: a configuration speaks of them.
type anonymizer struct {
	items []map[string]any
	// names are by sort, and then by what was there.
	names map[string]map[string]string
	// learning is true while names are collected.
	learning bool
}

// sorts say which names a field holds, wherever it stands.
var sorts = map[string]string{
	"nodeName": "node", "nominatedNodeName": "node", "namespace": "namespace", "namespaces": "namespace",
	"claimName": "claim", "volumeName": "volume", "persistentVolumeName": "volume", "volumeHandle": "handle",
	"storageClassName": "class", "runtimeClassName": "runtime", "handler": "runtime", "deviceClassName": "device-class",
	"resourceClaimName": "device-claim", "resourceClaimTemplateName": "device-template", "podGroupName": "group",
	"image": "image", "uid": "uid", "topologyKey": "key", "topologyKeys": "key", "matchLabelKeys": "key", "mismatchLabelKeys": "key",
	"serviceName": "service", "priorityClassName": "priority", "path": "path", "pdName": "disk", "volumeID": "disk", "diskName": "disk", "diskURI": "disk",
}

// sortOfKind is the sort of the names of the objects of a kind.
var sortOfKind = map[string]string{
	"Node": "node", "Namespace": "namespace", "Pod": "pod", "PersistentVolume": "volume", "PersistentVolumeClaim": "claim", "StorageClass": "class",
	"RuntimeClass": "runtime", "PriorityClass": "priority", "ResourceClaim": "device-claim", "ResourceClaimTemplate": "device-template", "DeviceClass": "device-class",
	"PodGroup": "group", "CSINode": "node", "Service": "service",
}

func newAnonymizer(items []map[string]any) *anonymizer {
	return &anonymizer{items: items, names: map[string]map[string]string{}}
}

// all renames everything.
func (a *anonymizer) all() {
	a.learning = true
	a.each()
	for sort, names := range a.names {
		for i, name := range slices.Sorted(maps.Keys(names)) {
			names[name] = fmt.Sprintf("%s-%06d", sort, i+1)
			if sort == "image" {
				names[name] += ":1" // one without a tag would be another
			}
		}
	}
	a.learning = false
	a.each()
}

func (a *anonymizer) each() {
	for _, object := range a.items {
		kind, _ := object["kind"].(string)
		if meta, ok := object["metadata"].(map[string]any); ok {
			if sort := sortOfKind[kind]; sort != "" {
				a.field(meta, "name", sort)
			} else if kind != "CSIDriver" {
				a.field(meta, "name", "object")
			}
		}
		a.walk(kind, object)
	}
}

// name is the other name of one, which is kept while names are collected.
func (a *anonymizer) name(sort, name string) string {
	if name == "" || stays(sort, name) {
		return name
	}
	if a.names[sort] == nil {
		a.names[sort] = map[string]string{}
	}
	if a.learning {
		a.names[sort][name] = ""
		return name
	}
	if other, known := a.names[sort][name]; known {
		return other
	}
	return name
}

// stays reports whether a name is one of Kubernetes itself, or a number that something is compared with.
func stays(sort, name string) bool {
	switch sort {
	case "namespace":
		return name == "default" || strings.HasPrefix(name, "kube-")
	case "priority":
		return strings.HasPrefix(name, "system-")
	case "key":
		domain, _, ok := strings.Cut(name, "/")
		return ok && (domain == "kubernetes.io" || domain == "k8s.io" || strings.HasSuffix(domain, ".kubernetes.io") || strings.HasSuffix(domain, ".k8s.io"))
	case "value":
		_, err := strconv.ParseFloat(name, 64)
		return err == nil || name == "true" || name == "false"
	}
	return false
}

func (a *anonymizer) field(object map[string]any, field, sort string) {
	switch value := object[field].(type) {
	case string:
		object[field] = a.name(sort, value)
	case []any:
		for i, item := range value {
			if text, ok := item.(string); ok {
				value[i] = a.name(sort, text)
			}
		}
	}
}

// value is the other value of a label: that of a node's name is the node's other name.
func (a *anonymizer) value(key, value string) string {
	switch key {
	case "kubernetes.io/hostname":
		return a.name("node", value)
	case "kubernetes.io/metadata.name":
		return a.name("namespace", value)
	}
	return a.name("value", value)
}

// labels renames the keys and the values of a map of labels.
func (a *anonymizer) labels(labels map[string]any) {
	renamed := map[string]any{}
	for key, value := range labels {
		if text, ok := value.(string); ok {
			value = a.value(key, text)
		}
		renamed[a.name("key", key)] = value
	}
	clear(labels)
	maps.Copy(labels, renamed)
}

func (a *anonymizer) walk(kind string, value any) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			a.walk(kind, item)
		}
	case map[string]any:
		a.object(kind, v)
	}
}

func (a *anonymizer) object(kind string, object map[string]any) {
	key, _ := object["key"].(string)
	if _, ok := object["operator"].(string); ok || object["effect"] != nil {
		// A requirement of a selector, a taint or a toleration.
		a.requirement(key, object)
	}
	for field, inner := range object {
		switch field {
		case "labels", "matchLabels", "nodeSelector", "selector":
			labels, ok := inner.(map[string]any)
			if _, nested := labels["matchExpressions"]; !ok || nested || labels["matchLabels"] != nil || labels["nodeSelectorTerms"] != nil {
				a.walk(kind, inner)
				continue
			}
			a.labels(labels)
		case "annotations":
			if known, ok := inner.(map[string]any); ok {
				a.field(known, "volume.kubernetes.io/selected-node", "node")
			}
		case "hard", "used":
			if amounts, ok := inner.(map[string]any); ok {
				a.quota(amounts)
			}
		case "requests", "limits", "allocatable", "capacity", "podFixed", "allocatedResources":
			// Names of resources and amounts.
		case "ownerReferences":
			for _, item := range objectsIn(inner) {
				sort := sortOfKind[stringOf(item["kind"])]
				if sort == "" {
					sort = "object"
				}
				a.field(item, "name", sort)
				a.field(item, "uid", "uid")
			}
		case "claimRef":
			if ref, ok := inner.(map[string]any); ok {
				a.field(ref, "name", "claim")
				a.field(ref, "namespace", "namespace")
				a.field(ref, "uid", "uid")
			}
		case "images":
			for _, item := range objectsIn(inner) {
				a.field(item, "names", "image")
			}
		case "containers", "initContainers", "volumes", "containerStatuses":
			for _, item := range objectsIn(inner) {
				a.field(item, "name", "part")
			}
			a.walk(kind, inner)
		case "pool":
			if pool, ok := inner.(map[string]any); ok {
				a.poolName(pool, "name")
			} else {
				a.poolName(object, "pool")
			}
		default:
			if sort := sorts[field]; sort != "" {
				a.field(object, field, sort)
				continue
			}
			a.walk(kind, inner)
		}
	}
	if kind == "CSINode" {
		for _, driver := range objectsIn(object["drivers"]) {
			a.field(driver, "nodeID", "node-id")
		}
	}
}

// quota renames the classes in the names of resources that a quota limits.
func (a *anonymizer) quota(amounts map[string]any) {
	for resource, amount := range maps.Clone(amounts) {
		for suffix, sort := range map[string]string{".storageclass.storage.k8s.io/": "class", ".deviceclass.resource.k8s.io/": "device-class"} {
			if class, rest, ok := strings.Cut(resource, suffix); ok {
				delete(amounts, resource)
				amounts[a.name(sort, class)+suffix+rest] = amount
			}
		}
	}
}

// poolName renames a pool of devices, which is often called like its node.
func (a *anonymizer) poolName(object map[string]any, field string) {
	name := stringOf(object[field])
	if _, isNode := a.names["node"][name]; isNode {
		object[field] = a.name("node", name)
		return
	}
	a.field(object, field, "pool")
}

func (a *anonymizer) requirement(key string, object map[string]any) {
	switch {
	case key == "metadata.name":
		a.field(object, "values", "node")
		return
	case object["scopeName"] == "PriorityClass":
		a.field(object, "values", "priority")
		return
	}
	if key != "" {
		object["key"] = a.name("key", key)
	}
	if value, ok := object["value"].(string); ok {
		object["value"] = a.value(key, value)
	}
	values, _ := object["values"].([]any)
	for i, item := range values {
		if text, ok := item.(string); ok {
			values[i] = a.value(key, text)
		}
	}
}

// objectsIn are the objects of a list.
func objectsIn(value any) []map[string]any {
	items, _ := value.([]any)
	var list []map[string]any
	for _, item := range items {
		if object, ok := item.(map[string]any); ok {
			list = append(list, object)
		}
	}
	return list
}

func stringOf(value any) string {
	text, _ := value.(string)
	return text
}
