// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	basev1alpha1 "k8s.io/component-base/config/v1alpha1"
)

// SchemeGroupVersion is the apiVersion of every object here.
var SchemeGroupVersion = schema.GroupVersion{Group: "kubescheduler.config.k8s.io", Version: "v1beta1"}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// KubeSchedulerConfiguration is the whole of a configuration file.
type KubeSchedulerConfiguration struct {
	metav1.TypeMeta `json:",inline"`

	// LeaderElection is how replicas agree on the active one.
	LeaderElection basev1alpha1.LeaderElectionConfiguration `json:"leaderElection"`
	// ClientConnection is how the API server is reached.
	ClientConnection basev1alpha1.ClientConnectionConfiguration `json:"clientConnection"`
	// HealthzBindAddress is host:port of the insecure health endpoint; empty or port 0 closes it.
	HealthzBindAddress *string `json:"healthzBindAddress,omitempty"`
	// MetricsBindAddress is host:port of the insecure metrics endpoint; empty or port 0 closes it.
	MetricsBindAddress *string `json:"metricsBindAddress,omitempty"`
	// DebuggingConfiguration switches profiling on and off.
	basev1alpha1.DebuggingConfiguration `json:",inline"`
	// PercentageOfNodesToScore stops the search once so many percent of the nodes are feasible; 0 adapts
	// to the size of the cluster.
	PercentageOfNodesToScore *int32 `json:"percentageOfNodesToScore,omitempty"`
	// PodInitialBackoffSeconds is the first pause of a pod that found no node.
	PodInitialBackoffSeconds *int64 `json:"podInitialBackoffSeconds,omitempty"`
	// PodMaxBackoffSeconds is the longest such pause.
	PodMaxBackoffSeconds *int64 `json:"podMaxBackoffSeconds,omitempty"`
	// Profiles are served side by side, each under a name of its own.
	Profiles []KubeSchedulerProfile `json:"profiles,omitempty"`
	// Extenders are shared by all profiles.
	Extenders []Extender `json:"extenders,omitempty"`
	// Parallelism is how many goroutines look at nodes at once.
	Parallelism *int32 `json:"parallelism,omitempty"`
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

// Plugins lists what is switched on and off at every point.
type Plugins struct {
	// QueueSort orders waiting pods; exactly one plugin may do so.
	QueueSort *PluginSet `json:"queueSort,omitempty"`
	// PreFilter computes and checks what depends on the pod alone.
	PreFilter *PluginSet `json:"preFilter,omitempty"`
	// Filter rules out nodes.
	Filter *PluginSet `json:"filter,omitempty"`
	// PostFilter runs when no node is left.
	PostFilter *PluginSet `json:"postFilter,omitempty"`
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
	// Args is an object of kind <name>Args of this apiVersion, or raw JSON where there is no such kind.
	Args runtime.RawExtension `json:"args,omitempty"`
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
	EnableHTTPS bool               `json:"enableHTTPS,omitempty"`
	TLSConfig   *ExtenderTLSConfig `json:"tlsConfig,omitempty"`
	// HTTPTimeout bounds every call.
	HTTPTimeout metav1.Duration `json:"httpTimeout,omitempty"`
	// NodeCacheCapable sends names instead of whole nodes.
	NodeCacheCapable bool `json:"nodeCacheCapable,omitempty"`
	// ManagedResources limits the calls to pods that ask for one of these.
	ManagedResources []ExtenderManagedResource `json:"managedResources,omitempty"`
	// Ignorable keeps scheduling going when the extender fails.
	Ignorable bool `json:"ignorable,omitempty"`
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
