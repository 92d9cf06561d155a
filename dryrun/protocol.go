// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package dryrun

// Protocol is the version of the two messages. It goes up when an engine or a caller that knows the
// older form would be misled; new fields alone do not raise it.
const Protocol = 1

// Request is what an engine is asked.
type Request struct {
	Protocol int `json:"protocol"`
	// Config is a KubeSchedulerConfiguration in the apiVersion kubescheduler.config.k8s.io/v1, as
	// YAML or JSON.
	Config string `json:"config"`
	// FeatureGates are set as with --feature-gates of kube-scheduler.
	FeatureGates map[string]bool `json:"featureGates,omitempty"`
	// Cluster is what is there before: nodes, running pods, volumes and the like.
	Cluster []Source `json:"cluster"`
	// Workload is what is to be placed: pods, and what is expanded to pods. Other objects in it are
	// created before the pods.
	Workload []Source `json:"workload"`
	// Seed decides ties. The same request with the same seed has the same report.
	Seed int64 `json:"seed"`
	// Explain names the pods, as NAME or NAMESPACE/NAME, whose nodes and scores are reported.
	Explain []string `json:"explain,omitempty"`
	// ExplainAll reports them for every pod of the workload.
	ExplainAll bool `json:"explainAll,omitempty"`
	// Stream has the engine write what it explains as lines of [Explained] before the report, which is
	// without it then. [Ask] keeps the lines on disk, and [Report.Explain] reads them.
	Stream bool `json:"stream,omitempty"`
	// AsProfile schedules every pod of the workload with the profile of this name.
	AsProfile string `json:"asProfile,omitempty"`
	// Extenders says whether extenders are called: ExtendersSkip, which is also the default,
	// ExtendersCall, or ExtendersStub.
	Extenders string `json:"extenders,omitempty"`
	// Stubs are what extenders answer with ExtendersStub.
	Stubs []Stub `json:"stubs,omitempty"`
	// Unmodelled are plugins of the configuration that the engine does not have, and runs without.
	Unmodelled []string `json:"unmodelled,omitempty"`
	// WhatIf changes the cluster first.
	WhatIf WhatIf `json:"whatIf,omitzero"`
	// TimeoutSeconds ends the run with what is known by then; 0 is no limit.
	TimeoutSeconds float64 `json:"timeoutSeconds,omitempty"`
}

// WhatIf changes the cluster before anything is placed.
type WhatIf struct {
	// AddNodes are nodes that are not there yet.
	AddNodes []AddNode `json:"addNodes,omitempty"`
	// RemoveNodes are nodes that are gone, with the pods on them.
	RemoveNodes []string `json:"removeNodes,omitempty"`
	// Drain are nodes that take no pods any more, and whose pods are to be placed anew before the
	// workload; those of daemon sets and static pods stay.
	Drain []string `json:"drain,omitempty"`
	// NodeSelector is a label selector: other nodes are gone, with the pods on them.
	NodeSelector string `json:"nodeSelector,omitempty"`
	// UntilFull adds copies of the workload's first pod until one is not placed. They do not preempt.
	UntilFull bool `json:"untilFull,omitempty"`
}

// AddNode adds copies of the nodes in a source. A copy has the name of its node with -1, -2 and so on.
type AddNode struct {
	Source Source `json:"source"`
	Count  int    `json:"count"`
}

// Progress is a line of JSON that an engine may write to standard error while it works. What is not
// one is a complaint.
type Progress struct {
	// Done is how many of the Of pods have been tried.
	Done int `json:"done"`
	Of   int `json:"of"`
}

// What becomes of the extenders of the configuration.
const (
	// ExtendersSkip schedules as if no extender answered for any pod. Resources that they manage and
	// that the scheduler is told to ignore stay ignored.
	ExtendersSkip = "skip"
	// ExtendersCall calls them.
	ExtendersCall = "call"
	// ExtendersStub gives the answers of the request for theirs. Those without a stub are skipped.
	ExtendersStub = "stub"
)

// Stub is what an extender answers for every pod that it is interested in.
type Stub struct {
	// URLPrefix is that of the extender in the configuration.
	URLPrefix string `json:"urlPrefix"`
	// Reject are the nodes that it does not want, with the reason.
	Reject map[string]string `json:"reject,omitempty"`
	// Scores are from 0 to 10 by node; the others have 0. The configuration has the weight.
	Scores map[string]int64 `json:"scores,omitempty"`
}

// Source is a file, a folder, or text that came another way.
type Source struct {
	// Name is what the user called it. It stands in findings.
	Name string `json:"name"`
	// Path is the file or folder to read. Of a folder all YAML and JSON files count.
	Path string `json:"path,omitempty"`
	// Text is the content where there is no path.
	Text string `json:"text,omitempty"`
}

// Report is what an engine answers.
type Report struct {
	Protocol int    `json:"protocol"`
	Engine   Engine `json:"engine"`
	// Error says why there is no answer. All that follows is empty then.
	Error string `json:"error,omitempty"`
	// Config says where the configuration is from. The caller of the engine fills it in.
	Config *Config `json:"config,omitempty"`
	// Partial says why the run ended before every pod was placed or known not to fit; else empty.
	Partial string `json:"partial,omitempty"`
	// Marks hold for every result: what the engine did not do as a cluster would.
	Marks []string `json:"marks"`
	// Pods are those of the workload, in its order, and then those that waited in the cluster.
	Pods []Pod `json:"pods"`
	// UntilFull says how many more of a pod fit, where that was asked.
	UntilFull *UntilFull `json:"untilFull,omitempty"`
	// Nodes are in the order of their names. What UntilFull has added is on them.
	Nodes    []Node    `json:"nodes"`
	Findings []Finding `json:"findings"`
	Input    Input     `json:"input"`

	spool *spool
}

// UntilFull says how many copies of a pod could be placed after all else, and what stops the next one.
type UntilFull struct {
	Pod     string `json:"pod"`
	Count   int    `json:"count"`
	Stopped string `json:"stopped"`
}

// Engine says who answered, and how.
type Engine struct {
	// Kubernetes is the release of the scheduler, as in v1.37.2.
	Kubernetes string `json:"kubernetes"`
	// Parallelism is how many nodes are looked at at a time. It does not change a result.
	Parallelism int   `json:"parallelism"`
	Seed        int64 `json:"seed"`
	// Sampled is how many pods were placed without a look at every node, since
	// percentageOfNodesToScore was reached.
	Sampled int `json:"sampled"`
}

// Config says what the configuration was before it was one of v1.
type Config struct {
	File       string `json:"file"`
	APIVersion string `json:"apiVersion"`
	// Kubernetes is the minor that the file was read as.
	Kubernetes string `json:"kubernetes"`
	// Checked is the release that the configuration was carried to and judged by.
	Checked string `json:"checked"`
	// Changes are what could not be kept on the way to v1.
	Changes []Finding `json:"changes"`
}

// Outcome is what became of a pod.
type Outcome string

// The outcomes.
const (
	// Placed is a pod that was bound.
	Placed Outcome = "placed"
	// Pending is a pod that the scheduler tried and did not place.
	Pending Outcome = "pending"
	// Gated is a pod that is not tried: a scheduling gate, or another preEnqueue plugin, holds it.
	Gated Outcome = "gated"
	// Unhandled is a pod whose schedulerName is that of no profile.
	Unhandled Outcome = "unhandled"
	// Refused is a pod that the API server would not create.
	Refused Outcome = "refused"
	// Preempted is a pod that was placed, and made room for a more important one.
	Preempted Outcome = "preempted"
	// Unknown is a pod that was not decided when the run ended.
	Unknown Outcome = "unknown"
)

// Pod is one pod of the workload.
type Pod struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	// Workload is what the pod was expanded from, as in Deployment/web; empty for a plain pod.
	Workload string `json:"workload,omitempty"`
	// FromCluster is true for a pod of the cluster that was not placed yet.
	FromCluster bool    `json:"fromCluster,omitempty"`
	Profile     string  `json:"profile"`
	Priority    int32   `json:"priority"`
	Outcome     Outcome `json:"outcome"`
	// Node is where the pod was bound; null where it was not.
	Node *string `json:"node"`
	// Message is the text of the condition PodScheduled, or why the pod was refused; null for a
	// placed pod.
	Message *string `json:"message"`
	// Nominated is the node that was cleared for the pod by preemption; null without.
	Nominated *string `json:"nominated"`
	// Preempted are the pods that had to go, by name; with namespace where it is another.
	Preempted []string `json:"preempted"`
	// PreemptedBy is the pod or pod group that took the place of this one.
	PreemptedBy string `json:"preemptedBy,omitempty"`
	// Attempts counts the scheduling cycles of the pod.
	Attempts int `json:"attempts"`
	// Labels are those of the pod, for selectors.
	Labels map[string]string `json:"labels,omitempty"`
	// Requests are what the pod counts for: cpu in millicores, all else in its unit.
	Requests map[string]int64 `json:"requests,omitempty"`
	// Feasible and Evaluated count the nodes of the last cycle that fit, and that were looked at.
	Feasible  int `json:"feasible"`
	Evaluated int `json:"evaluated"`
	// Ties is how many nodes shared the highest total, where nodes were scored.
	Ties int `json:"ties,omitempty"`
	// Hinted is true where the scheduler took the next best node of an equal pod before, without
	// another look at the others.
	Hinted bool `json:"hinted,omitempty"`
	// Weights are those of the score plugins of the profile. It is there where nodes are.
	Weights map[string]int64 `json:"weights,omitempty"`
	// Nodes are the verdicts of the last cycle, by name of the node, for a pod that is explained.
	Nodes []NodeVerdict `json:"nodes,omitempty"`
}

// NodeVerdict is what the scheduler thinks of a node for a pod.
type NodeVerdict struct {
	Name string `json:"name"`
	// Filter is who rejected the node; null where the pod fits.
	Filter *Rejection `json:"filter"`
	// Unasked is true for a node that the scheduler did not have to look at before it decided. The
	// filters were asked about it afterwards.
	Unasked bool `json:"unasked,omitempty"`
	// Scores are by plugin, for a node that was scored. Extenders are in it by their address.
	Scores map[string]Score `json:"scores,omitempty"`
	// Total is the sum of the weighted scores; absent where the node was not scored.
	Total *int64 `json:"total,omitempty"`
}

// Rejection says which plugin does not want a node, and why.
type Rejection struct {
	Plugin  string `json:"plugin"`
	Message string `json:"message"`
}

// Score is what a plugin gives a node: as it said it, on the scale from 0 to 100, and times its
// weight.
type Score struct {
	Raw        int64 `json:"raw"`
	Normalized int64 `json:"normalized"`
	Weighted   int64 `json:"weighted"`
}

// Node says what a node has and what is taken of it: cpu in millicores, all else in its unit.
type Node struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels,omitempty"`
	// Allocatable is what pods can have.
	Allocatable map[string]int64 `json:"allocatable"`
	// Before and After are the requests of the pods on the node.
	Before map[string]int64 `json:"before"`
	After  map[string]int64 `json:"after"`
}

// Finding is something to know about the input.
type Finding struct {
	// Severity is error, warning or info. With an error an object was left out.
	Severity string `json:"severity"`
	// Rule names the kind of finding.
	Rule    string `json:"rule"`
	Message string `json:"message"`
	// Object is KIND NAMESPACE/NAME, as far as it is known.
	Object string `json:"object,omitempty"`
	File   string `json:"file,omitempty"`
	// Line is where the object starts, from 1.
	Line int `json:"line,omitempty"`
}

// Input counts the objects that were read.
type Input struct {
	// Cluster and Workload count the objects by kind.
	Cluster  map[string]int `json:"cluster"`
	Workload map[string]int `json:"workload"`
	// Skipped counts objects that have no say in scheduling, by kind.
	Skipped map[string]int `json:"skipped"`
}
