// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package v1alpha2

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	basev1alpha1 "k8s.io/component-base/config/v1alpha1"

	"github.com/schedconf/schedconf/scheme/policyv1"
)

// SchemeGroupVersion is the apiVersion of every object here.
var SchemeGroupVersion = schema.GroupVersion{Group: "kubescheduler.config.k8s.io", Version: "v1alpha2"}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// KubeSchedulerConfiguration is the whole of a configuration file.
type KubeSchedulerConfiguration struct {
	metav1.TypeMeta `json:",inline"`

	// LeaderElection is how replicas agree on the active one.
	LeaderElection KubeSchedulerLeaderElectionConfiguration `json:"leaderElection"`
	// ClientConnection is how the API server is reached.
	ClientConnection basev1alpha1.ClientConnectionConfiguration `json:"clientConnection"`
	// HealthzBindAddress is host:port of the insecure health endpoint; empty or port 0 closes it.
	HealthzBindAddress *string `json:"healthzBindAddress,omitempty"`
	// MetricsBindAddress is host:port of the insecure metrics endpoint; empty or port 0 closes it.
	MetricsBindAddress *string `json:"metricsBindAddress,omitempty"`
	// DebuggingConfiguration switches profiling on and off.
	basev1alpha1.DebuggingConfiguration `json:",inline"`
	// DisablePreemption keeps pods from being evicted for more important ones.
	DisablePreemption *bool `json:"disablePreemption,omitempty"`
	// PercentageOfNodesToScore stops the search once so many percent of the nodes are feasible; 0 adapts
	// to the size of the cluster.
	PercentageOfNodesToScore *int32 `json:"percentageOfNodesToScore,omitempty"`
	// BindTimeoutSeconds is how long to wait for volumes before a pod is tried again.
	BindTimeoutSeconds *int64 `json:"bindTimeoutSeconds"`
	// PodInitialBackoffSeconds is the first pause of a pod that found no node.
	PodInitialBackoffSeconds *int64 `json:"podInitialBackoffSeconds"`
	// PodMaxBackoffSeconds is the longest such pause.
	PodMaxBackoffSeconds *int64 `json:"podMaxBackoffSeconds"`
	// Profiles are served side by side, each under a name of its own.
	Profiles []KubeSchedulerProfile `json:"profiles"`
	// Extenders are shared by all profiles.
	Extenders []policyv1.Extender `json:"extenders"`
}

// KubeSchedulerProfile is a set of plugins that serves pods of one scheduler name.
type KubeSchedulerProfile struct {
	// SchedulerName is what pods put into spec.schedulerName to be served.
	SchedulerName *string `json:"schedulerName,omitempty"`
	// Plugins changes which plugins run; nil leaves the defaults.
	Plugins *Plugins `json:"plugins,omitempty"`
	// PluginConfig holds arguments, one entry per plugin.
	PluginConfig []PluginConfig `json:"pluginConfig,omitempty"`
}

// KubeSchedulerLeaderElectionConfiguration adds nothing to what all components share.
type KubeSchedulerLeaderElectionConfiguration struct {
	basev1alpha1.LeaderElectionConfiguration `json:",inline"`
}

// Plugins lists what is switched on and off at every point.
type Plugins struct {
	// QueueSort orders waiting pods; exactly one plugin may do so.
	QueueSort *PluginSet `json:"queueSort,omitempty"`
	// PreFilter computes and checks what depends on the pod alone.
	PreFilter *PluginSet `json:"preFilter,omitempty"`
	// Filter rules out nodes.
	Filter *PluginSet `json:"filter,omitempty"`
	// PreScore computes what scoring needs.
	PreScore *PluginSet `json:"preScore,omitempty"`
	// Score ranks the nodes that are left.
	Score *PluginSet `json:"score,omitempty"`
	// Reserve books what the pod will use.
	Reserve *PluginSet `json:"reserve,omitempty"`
	// Permit lets a pod pass, wait or fail.
	Permit *PluginSet `json:"permit,omitempty"`
	// PreBind prepares the node, such as its volumes.
	PreBind *PluginSet `json:"preBind,omitempty"`
	// Bind binds; the first plugin that takes the pod ends it.
	Bind *PluginSet `json:"bind,omitempty"`
	// PostBind learns of bound pods.
	PostBind *PluginSet `json:"postBind,omitempty"`
	// Unreserve undoes Reserve.
	Unreserve *PluginSet `json:"unreserve,omitempty"`
}

// PluginSet changes the default plugins of a point.
type PluginSet struct {
	// Enabled is added after the defaults.
	Enabled []Plugin `json:"enabled,omitempty"`
	// Disabled is taken from the defaults; the name * takes all.
	Disabled []Plugin `json:"disabled,omitempty"`
}

// Plugin names a plugin and, where it scores, weighs it.
type Plugin struct {
	Name string `json:"name"`
	// Weight multiplies the score; 1 where it is not given.
	Weight *int32 `json:"weight,omitempty"`
}

// PluginConfig hands arguments to a plugin.
type PluginConfig struct {
	Name string `json:"name"`
	// Args is kept as it was written; the plugin reads it.
	Args runtime.Unknown `json:"args,omitempty"`
}
