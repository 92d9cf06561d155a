// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package policyv1

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// SchemeGroupVersion is the apiVersion of the document. The apiVersion v1 of no group means the same.
var SchemeGroupVersion = schema.GroupVersion{Group: "kubescheduler.config.k8s.io", Version: "v1"}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// Policy is a legacy description of the algorithm: predicates, priorities and extenders.
type Policy struct {
	metav1.TypeMeta `json:",inline"`

	// Predicates are the defaults when the key is missing, and only the mandatory ones when it is empty.
	Predicates []PredicatePolicy `json:"predicates"`
	// Priorities are the defaults when the key is missing, and none when it is empty.
	Priorities []PriorityPolicy `json:"priorities"`
	// Extenders are consulted for every pod.
	Extenders []Extender `json:"extenders"`
	// HardPodAffinitySymmetricWeight is how much a required affinity of a running pod draws a new one,
	// 1-100; 0 means not given.
	HardPodAffinitySymmetricWeight int32 `json:"hardPodAffinitySymmetricWeight"`
	// AlwaysCheckAllPredicates goes on after the first predicate that fails.
	AlwaysCheckAllPredicates bool `json:"alwaysCheckAllPredicates"`
}

// PredicatePolicy switches on a predicate.
type PredicatePolicy struct {
	Name     string             `json:"name"`
	Argument *PredicateArgument `json:"argument"`
}

// PriorityPolicy switches on a priority with a weight.
type PriorityPolicy struct {
	Name     string            `json:"name"`
	Weight   int64             `json:"weight"`
	Argument *PriorityArgument `json:"argument"`
}

// PredicateArgument turns a predicate of any name into one of the two configurable ones.
type PredicateArgument struct {
	ServiceAffinity *ServiceAffinity `json:"serviceAffinity"`
	LabelsPresence  *LabelsPresence  `json:"labelsPresence"`
}

// PriorityArgument turns a priority of any name into one of the three configurable ones.
type PriorityArgument struct {
	ServiceAntiAffinity               *ServiceAntiAffinity               `json:"serviceAntiAffinity"`
	LabelPreference                   *LabelPreference                   `json:"labelPreference"`
	RequestedToCapacityRatioArguments *RequestedToCapacityRatioArguments `json:"requestedToCapacityRatioArguments"`
}

// ServiceAffinity keeps the pods of a service on nodes whose labels have equal values.
type ServiceAffinity struct {
	Labels []string `json:"labels"`
}

// LabelsPresence wants nodes that have, or lack, labels.
type LabelsPresence struct {
	Labels   []string `json:"labels"`
	Presence bool     `json:"presence"`
}

// ServiceAntiAffinity spreads the pods of a service over the values of a node label.
type ServiceAntiAffinity struct {
	Label string `json:"label"`
}

// LabelPreference prefers nodes that have, or lack, a label.
type LabelPreference struct {
	Label    string `json:"label"`
	Presence bool   `json:"presence"`
}

// RequestedToCapacityRatioArguments scores by a function of how full a node would be.
type RequestedToCapacityRatioArguments struct {
	Shape     []UtilizationShapePoint `json:"shape"`
	Resources []ResourceSpec          `json:"resources,omitempty"`
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

// ExtenderManagedResource is an extended resource that an extender takes care of.
type ExtenderManagedResource struct {
	Name string `json:"name"`
	// IgnoredByScheduler leaves the resource out of NodeResourcesFit.
	IgnoredByScheduler bool `json:"ignoredByScheduler,omitempty"`
}

// ExtenderTLSConfig is how TLS to an extender is set up. Data wins over the file of the same thing.
type ExtenderTLSConfig struct {
	// Insecure accepts any certificate.
	Insecure bool `json:"insecure,omitempty"`
	// ServerName is checked instead of the URL's host.
	ServerName string `json:"serverName,omitempty"`
	CertFile   string `json:"certFile,omitempty"`
	KeyFile    string `json:"keyFile,omitempty"`
	CAFile     string `json:"caFile,omitempty"`
	CertData   []byte `json:"certData,omitempty"`
	KeyData    []byte `json:"keyData,omitempty"`
	CAData     []byte `json:"caData,omitempty"`
}

// Extender is a service outside of the scheduler that it consults over HTTP.
type Extender struct {
	// URLPrefix comes before every verb.
	URLPrefix string `json:"urlPrefix"`
	// FilterVerb, PreemptVerb, PrioritizeVerb and BindVerb end the URL of a call; an empty one means that
	// the extender does not take part.
	FilterVerb     string `json:"filterVerb,omitempty"`
	PreemptVerb    string `json:"preemptVerb,omitempty"`
	PrioritizeVerb string `json:"prioritizeVerb,omitempty"`
	// Weight multiplies the scores of PrioritizeVerb.
	Weight   int64  `json:"weight,omitempty"`
	BindVerb string `json:"bindVerb,omitempty"`
	// EnableHTTPS chooses the protocol.
	EnableHTTPS bool               `json:"enableHttps,omitempty"`
	TLSConfig   *ExtenderTLSConfig `json:"tlsConfig,omitempty"`
	// HTTPTimeout is written as a number of nanoseconds.
	HTTPTimeout time.Duration `json:"httpTimeout,omitempty"`
	// NodeCacheCapable sends names instead of whole nodes.
	NodeCacheCapable bool `json:"nodeCacheCapable,omitempty"`
	// ManagedResources limits the calls to pods that ask for one of these.
	ManagedResources []ExtenderManagedResource `json:"managedResources,omitempty"`
	// Ignorable keeps scheduling going when the extender fails.
	Ignorable bool `json:"ignorable,omitempty"`
}
