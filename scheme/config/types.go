// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	basev1alpha1 "k8s.io/component-base/config/v1alpha1"
)

// GroupName is the API group of every KubeSchedulerConfiguration.
const GroupName = "kubescheduler.config.k8s.io"

// Kind is the kind of every kube-scheduler configuration file.
const Kind = "KubeSchedulerConfiguration"

// SchemeGroupVersion is the hub's own version. A file that names it is read with Go field names
// and gets no defaults; nobody should write one.
var SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: runtime.APIVersionInternal}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// KubeSchedulerConfiguration is everything a kube-scheduler can be told by file.
type KubeSchedulerConfiguration struct {
	metav1.TypeMeta

	// Parallelism is how many goroutines the scheduling algorithms use; 1.20 and later.
	Parallelism *int32
	// AlgorithmSource names a provider or a policy; v1alpha1 only.
	AlgorithmSource AlgorithmSource
	// HardPodAffinitySymmetricWeight weighs the implied affinity towards pods with a required one,
	// 0-100; v1alpha1 only, until 1.17 kept apart from the plugin args.
	HardPodAffinitySymmetricWeight *int32
	// LeaderElection says whether and how replicas elect the active one.
	LeaderElection basev1alpha1.LeaderElectionConfiguration
	// ClientConnection is how the scheduler reaches the API server.
	ClientConnection basev1alpha1.ClientConnectionConfiguration
	// HealthzBindAddress and MetricsBindAddress are host:port of the insecure ports; until v1beta2.
	HealthzBindAddress *string
	MetricsBindAddress *string
	// DebuggingConfiguration switches profiling on and off.
	basev1alpha1.DebuggingConfiguration
	// DisablePreemption stops preemption altogether; v1alpha1 and v1alpha2.
	DisablePreemption *bool
	// PercentageOfNodesToScore ends the search for feasible nodes early; 0 adapts to cluster size.
	PercentageOfNodesToScore *int32
	// BindTimeoutSeconds is how long binding waits for volumes; v1alpha1 and v1alpha2.
	BindTimeoutSeconds *int64
	// PodInitialBackoffSeconds and PodMaxBackoffSeconds bound the back-off of unschedulable pods.
	PodInitialBackoffSeconds *int64
	PodMaxBackoffSeconds     *int64
	// Profiles are the scheduling profiles that one process serves.
	Profiles []KubeSchedulerProfile
	// Extenders are HTTP services that take part in scheduling every pod.
	Extenders []Extender
	// DelayCacheUntilActive makes a standby replica start its caches only when it leads; 1.28 and later.
	DelayCacheUntilActive bool
}

// AlgorithmSource is where v1alpha1 takes its algorithm from.
type AlgorithmSource struct {
	// Provider is the name of a built-in set of predicates and priorities, or of plugins.
	Provider *string
	// Policy points to a legacy Policy document.
	Policy *PolicySource
}

// PolicySource points to a Policy document by file or by ConfigMap.
type PolicySource struct {
	File      *PolicyFile
	ConfigMap *PolicyConfigMap
}

// PolicyFile is a Policy document in a file.
type PolicyFile struct{ Path string }

// PolicyConfigMap is a Policy document under the key policy.cfg of a ConfigMap.
type PolicyConfigMap struct{ Namespace, Name string }

// KubeSchedulerProfile is one set of plugins under one scheduler name.
type KubeSchedulerProfile struct {
	// SchedulerName is matched against a pod's spec.schedulerName.
	SchedulerName *string
	// PercentageOfNodesToScore overrides the global value; 1.26 and later.
	PercentageOfNodesToScore *int32
	// Plugins says per extension point what is enabled and disabled; nil means not given.
	Plugins Plugins
	// PluginConfig holds the arguments of plugins.
	PluginConfig []PluginConfig
}

// Point is an extension point, or multiPoint.
type Point string

// Every point that some apiVersion has. In which order a release goes through them, and which it
// has, are facts of the release.
const (
	MultiPoint         Point = "multiPoint"
	PreEnqueue         Point = "preEnqueue"
	QueueSort          Point = "queueSort"
	PreFilter          Point = "preFilter"
	Filter             Point = "filter"
	PostFilter         Point = "postFilter"
	PodGroupPostFilter Point = "podGroupPostFilter"
	PreScore           Point = "preScore"
	Score              Point = "score"
	Reserve            Point = "reserve"
	Permit             Point = "permit"
	PreBind            Point = "preBind"
	Bind               Point = "bind"
	PostBind           Point = "postBind"
	Unreserve          Point = "unreserve"
	PlacementGenerate  Point = "placementGenerate"
	PlacementScore     Point = "placementScore"
)

// Points lists every point, multiPoint included.
var Points = []Point{
	MultiPoint, PreEnqueue, QueueSort, PreFilter, Filter, PostFilter, PodGroupPostFilter, PreScore, Score, Reserve, Permit,
	PreBind, Bind, PostBind, Unreserve, PlacementGenerate, PlacementScore,
}

// Plugins holds the plugin sets by point. A missing key means that the point was not given, which
// an empty set does not.
type Plugins map[Point]PluginSet

// PluginSet says what is added to and taken from the defaults of a point.
type PluginSet struct {
	Enabled  []Plugin
	Disabled []Plugin
}

// Plugin is a plugin by name, with a weight where it scores.
type Plugin struct {
	Name string
	// Weight is nil when not given; kube-scheduler then uses 1, and so it does for 0.
	Weight *int32
}

// PluginConfig is the arguments of one plugin.
type PluginConfig struct {
	Name string
	// Args is a typed args object of this package, or *runtime.Unknown with raw JSON for plugins
	// and apiVersions whose args the release does not type. Nil means not given.
	Args runtime.Object
}

// Extender is an HTTP service that takes part in scheduling.
type Extender struct {
	URLPrefix        string
	FilterVerb       string
	PreemptVerb      string
	PrioritizeVerb   string
	Weight           int64
	BindVerb         string
	EnableHTTPS      bool
	TLSConfig        *ExtenderTLSConfig
	HTTPTimeout      metav1.Duration
	NodeCacheCapable bool
	ManagedResources []ExtenderManagedResource
	Ignorable        bool
}

// ExtenderManagedResource is an extended resource that an extender manages.
type ExtenderManagedResource struct {
	Name               string
	IgnoredByScheduler bool
}

// ExtenderTLSConfig is how an extender is reached over TLS.
type ExtenderTLSConfig struct {
	Insecure                  bool
	ServerName                string
	CertFile, KeyFile, CAFile string
	CertData, KeyData, CAData []byte
}
