// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// InterPodAffinityArgs tunes scoring by pod affinity.
type InterPodAffinityArgs struct {
	metav1.TypeMeta `json:",inline"`

	// HardPodAffinityWeight is how much a required affinity of a running pod draws a new one, 0-100.
	HardPodAffinityWeight *int32 `json:"hardPodAffinityWeight,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeLabelArgs filters and scores nodes by which labels they carry.
type NodeLabelArgs struct {
	metav1.TypeMeta `json:",inline"`

	// PresentLabels and AbsentLabels filter.
	PresentLabels []string `json:"presentLabels,omitempty"`
	AbsentLabels  []string `json:"absentLabels,omitempty"`
	// PresentLabelsPreference and AbsentLabelsPreference score.
	PresentLabelsPreference []string `json:"presentLabelsPreference,omitempty"`
	AbsentLabelsPreference  []string `json:"absentLabelsPreference,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeResourcesFitArgs says which resources do not count, and how nodes that fit are scored.
type NodeResourcesFitArgs struct {
	metav1.TypeMeta `json:",inline"`

	// IgnoredResources are extended resources by name.
	IgnoredResources []string `json:"ignoredResources,omitempty"`
	// IgnoredResourceGroups are extended resources by what stands before the slash.
	IgnoredResourceGroups []string         `json:"ignoredResourceGroups,omitempty"`
	ScoringStrategy       *ScoringStrategy `json:"scoringStrategy,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// PodTopologySpreadArgs spreads pods that bring no constraints of their own.
type PodTopologySpreadArgs struct {
	metav1.TypeMeta `json:",inline"`

	// DefaultConstraints may have no labelSelector: that of the service or owner is used.
	DefaultConstraints []corev1.TopologySpreadConstraint      `json:"defaultConstraints,omitempty"`
	DefaultingType     PodTopologySpreadConstraintsDefaulting `json:"defaultingType,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// RequestedToCapacityRatioArgs scores by a function of how full a node would be.
type RequestedToCapacityRatioArgs struct {
	metav1.TypeMeta `json:",inline"`

	Shape     []UtilizationShapePoint `json:"shape"`
	Resources []ResourceSpec          `json:"resources,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeResourcesLeastAllocatedArgs says which resources speak for an emptier node.
type NodeResourcesLeastAllocatedArgs struct {
	metav1.TypeMeta `json:",inline"`

	Resources []ResourceSpec `json:"resources,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeResourcesMostAllocatedArgs says which resources speak for a fuller node.
type NodeResourcesMostAllocatedArgs struct {
	metav1.TypeMeta `json:",inline"`

	Resources []ResourceSpec `json:"resources,omitempty"`
}

// UtilizationShapePoint is a corner of the function from utilization to score.
type UtilizationShapePoint struct {
	// Utilization is in percent.
	Utilization int32 `json:"utilization"`
	// Score is 0-10.
	Score int32 `json:"score"`
}

// ResourceSpec is how much a resource counts among others.
type ResourceSpec struct {
	Name   string `json:"name"`
	Weight int64  `json:"weight,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// ServiceAffinityArgs keeps the pods of a service together, or apart, by node labels.
type ServiceAffinityArgs struct {
	metav1.TypeMeta `json:",inline"`

	// AffinityLabels must have equal values on all nodes of a service.
	AffinityLabels []string `json:"affinityLabels,omitempty"`
	// AntiAffinityLabelsPreference should have different ones.
	AntiAffinityLabelsPreference []string `json:"antiAffinityLabelsPreference,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// VolumeBindingArgs bounds the wait for volumes and scores by storage capacity.
type VolumeBindingArgs struct {
	metav1.TypeMeta `json:",inline"`

	// BindTimeoutSeconds is how long binding waits.
	BindTimeoutSeconds *int64 `json:"bindTimeoutSeconds,omitempty"`
	// Shape scores by used storage capacity.
	Shape []UtilizationShapePoint `json:"shape,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// DefaultPreemptionArgs bounds how many nodes a preemption tries out.
type DefaultPreemptionArgs struct {
	metav1.TypeMeta `json:",inline"`

	// MinCandidateNodesPercentage is a share of all nodes; the greater of the two limits counts.
	MinCandidateNodesPercentage *int32 `json:"minCandidateNodesPercentage,omitempty"`
	// MinCandidateNodesAbsolute is a number of nodes.
	MinCandidateNodesAbsolute *int32 `json:"minCandidateNodesAbsolute,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeAffinityArgs adds an affinity to all pods of the profile.
type NodeAffinityArgs struct {
	metav1.TypeMeta `json:",inline"`

	AddedAffinity *corev1.NodeAffinity `json:"addedAffinity,omitempty"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// NodeResourcesBalancedAllocationArgs says which resources should be used in equal parts.
type NodeResourcesBalancedAllocationArgs struct {
	metav1.TypeMeta `json:",inline"`

	Resources []ResourceSpec `json:"resources,omitempty"`
}

// ScoringStrategy is how NodeResourcesFit scores.
type ScoringStrategy struct {
	Type      ScoringStrategyType `json:"type,omitempty"`
	Resources []ResourceSpec      `json:"resources,omitempty"`
	// RequestedToCapacityRatio is for the strategy of that name.
	RequestedToCapacityRatio *RequestedToCapacityRatioParam `json:"requestedToCapacityRatio,omitempty"`
}

// RequestedToCapacityRatioParam is the function of a RequestedToCapacityRatio strategy.
type RequestedToCapacityRatioParam struct {
	Shape []UtilizationShapePoint `json:"shape,omitempty"`
}

// PodTopologySpreadConstraintsDefaulting says whose default constraints apply.
type PodTopologySpreadConstraintsDefaulting string

const (
	// SystemDefaulting means those that Kubernetes brings.
	SystemDefaulting PodTopologySpreadConstraintsDefaulting = "System"
	// ListDefaulting means those of the args.
	ListDefaulting PodTopologySpreadConstraintsDefaulting = "List"
)

// ScoringStrategyType names a scoring strategy.
type ScoringStrategyType string

const (
	// LeastAllocated favours emptier nodes.
	LeastAllocated ScoringStrategyType = "LeastAllocated"
	// MostAllocated favours fuller nodes.
	MostAllocated ScoringStrategyType = "MostAllocated"
	// RequestedToCapacityRatio favours by a function of its own.
	RequestedToCapacityRatio ScoringStrategyType = "RequestedToCapacityRatio"
)
