// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// DefaultPreemptionArgs bounds how many nodes a preemption looks at.
type DefaultPreemptionArgs struct {
	metav1.TypeMeta

	MinCandidateNodesPercentage *int32
	MinCandidateNodesAbsolute   *int32
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// InterPodAffinityArgs tunes scoring by pod affinity.
type InterPodAffinityArgs struct {
	metav1.TypeMeta

	HardPodAffinityWeight              *int32
	IgnorePreferredTermsOfExistingPods bool
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeLabelArgs filters and scores by the presence of node labels; until 1.22.
type NodeLabelArgs struct {
	metav1.TypeMeta

	PresentLabels           []string
	AbsentLabels            []string
	PresentLabelsPreference []string
	AbsentLabelsPreference  []string
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeResourcesFitArgs says which resources are left out and how fitting nodes are scored.
type NodeResourcesFitArgs struct {
	metav1.TypeMeta

	IgnoredResources      []string
	IgnoredResourceGroups []string
	ScoringStrategy       *ScoringStrategy
}

// ScoringStrategy is how NodeResourcesFit scores.
type ScoringStrategy struct {
	// Type is LeastAllocated, MostAllocated or RequestedToCapacityRatio.
	Type                     string
	Resources                []ResourceSpec
	RequestedToCapacityRatio *RequestedToCapacityRatioParam
}

// RequestedToCapacityRatioParam is the shape of a RequestedToCapacityRatio strategy.
type RequestedToCapacityRatioParam struct {
	Shape []UtilizationShapePoint
}

// ResourceSpec is a resource and its weight among others.
type ResourceSpec struct {
	Name   string
	Weight int64
}

// UtilizationShapePoint maps a utilization in percent to a score of 0-10.
type UtilizationShapePoint struct {
	Utilization int32
	Score       int32
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// PodTopologySpreadArgs holds the constraints of pods that have none of their own.
type PodTopologySpreadArgs struct {
	metav1.TypeMeta

	DefaultConstraints []corev1.TopologySpreadConstraint
	// DefaultingType is System or List.
	DefaultingType string
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// RequestedToCapacityRatioArgs configures the plugin of that name; until 1.22.
type RequestedToCapacityRatioArgs struct {
	metav1.TypeMeta

	Shape     []UtilizationShapePoint
	Resources []ResourceSpec
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeResourcesLeastAllocatedArgs configures the plugin of that name; until 1.22.
type NodeResourcesLeastAllocatedArgs struct {
	metav1.TypeMeta

	Resources []ResourceSpec
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeResourcesMostAllocatedArgs configures the plugin of that name; until 1.22.
type NodeResourcesMostAllocatedArgs struct {
	metav1.TypeMeta

	Resources []ResourceSpec
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeResourcesBalancedAllocationArgs says which resources are balanced; 1.22 and later.
type NodeResourcesBalancedAllocationArgs struct {
	metav1.TypeMeta

	Resources []ResourceSpec
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ServiceAffinityArgs groups pods of a service by node labels; until 1.22.
type ServiceAffinityArgs struct {
	metav1.TypeMeta

	AffinityLabels               []string
	AntiAffinityLabelsPreference []string
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// VolumeBindingArgs bounds the wait for volumes and shapes scoring by storage capacity.
type VolumeBindingArgs struct {
	metav1.TypeMeta

	BindTimeoutSeconds *int64
	Shape              []UtilizationShapePoint
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeAffinityArgs adds an affinity to every pod of the profile; 1.20 and later.
type NodeAffinityArgs struct {
	metav1.TypeMeta

	AddedAffinity *corev1.NodeAffinity
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// DynamicResourcesArgs bounds the time that dynamic resource allocation takes; 1.34 and later.
type DynamicResourcesArgs struct {
	metav1.TypeMeta

	FilterTimeout  *metav1.Duration
	BindingTimeout *metav1.Duration
}

// NewArgs makes an empty args object of a kind such as "NodeResourcesFitArgs", or nil where no
// release types the args of that kind.
func NewArgs(kind string) runtime.Object {
	switch kind {
	case "DefaultPreemptionArgs":
		return &DefaultPreemptionArgs{}
	case "DynamicResourcesArgs":
		return &DynamicResourcesArgs{}
	case "InterPodAffinityArgs":
		return &InterPodAffinityArgs{}
	case "NodeAffinityArgs":
		return &NodeAffinityArgs{}
	case "NodeLabelArgs":
		return &NodeLabelArgs{}
	case "NodeResourcesBalancedAllocationArgs":
		return &NodeResourcesBalancedAllocationArgs{}
	case "NodeResourcesFitArgs":
		return &NodeResourcesFitArgs{}
	case "NodeResourcesLeastAllocatedArgs":
		return &NodeResourcesLeastAllocatedArgs{}
	case "NodeResourcesMostAllocatedArgs":
		return &NodeResourcesMostAllocatedArgs{}
	case "PodTopologySpreadArgs":
		return &PodTopologySpreadArgs{}
	case "RequestedToCapacityRatioArgs":
		return &RequestedToCapacityRatioArgs{}
	case "ServiceAffinityArgs":
		return &ServiceAffinityArgs{}
	case "VolumeBindingArgs":
		return &VolumeBindingArgs{}
	}
	return nil
}
