// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Package dryrun asks where pods would go under a configuration. The answer comes from an engine, a
// program of its own that embeds the scheduler of one Kubernetes release; this package speaks with it,
// compares its answers, and shows them. It does not link the scheduler.
package dryrun

// Protocol is the number of the form of Request and Report. It changes when a reader has to, and an engine
// answers requests of its own number only.
const Protocol = 1

// Request is what an engine gets on its standard input, as one JSON object.
type Request struct {
	Protocol int `json:"protocol"`
	// Configuration is a KubeSchedulerConfiguration of the apiVersion v1, in YAML or JSON.
	Configuration string `json:"configuration"`
	// FeatureGates are states of feature gates that differ from the defaults of the engine's release.
	FeatureGates map[string]bool `json:"featureGates,omitempty"`
	// Cluster are the objects that are there: nodes, running pods and what they hang on.
	Cluster []Source `json:"cluster"`
	// Workload are the pods to place, and objects that make pods. Objects of other kinds belong to the
	// cluster.
	Workload []Source `json:"workload"`
	// Seed decides between nodes with equal scores.
	Seed int64 `json:"seed"`
	// AsProfile schedules every pod of the workload with the profile of this name; empty leaves them theirs.
	AsProfile string `json:"asProfile,omitempty"`
	// Explain names the pods, as NAMESPACE/NAME or NAME, for which nodes and scores are kept.
	Explain []string `json:"explain,omitempty"`
	// ExplainAll keeps them for every pod.
	ExplainAll bool `json:"explainAll,omitempty"`
	// CallExtenders asks the extenders of the configuration; else they have no say, and Marks says so.
	CallExtenders bool `json:"callExtenders,omitempty"`
	// Timeout ends the run with what is known by then, as a Go duration; empty is none.
	Timeout string `json:"timeout,omitempty"`
}

// Source is a text with Kubernetes objects: YAML documents, JSON, or a List.
type Source struct {
	// Name is what problems call it.
	Name string `json:"name"`
	// Path is the file to read; empty if Text has the text.
	Path string `json:"path,omitempty"`
	Text string `json:"text,omitempty"`
}

// Report is what an engine writes to its standard output, as one JSON object.
type Report struct {
	Protocol int    `json:"protocol"`
	Engine   Engine `json:"engine"`
	// Marks are what holds for every result: what was not done as the cluster would.
	Marks []string `json:"marks"`
	// Pods are those of the workload, in the order in which they were given.
	Pods []Pod `json:"pods"`
	// Nodes are those of the cluster by name, as they are afterwards.
	Nodes []Node `json:"nodes"`
	// Problems are what is wrong with the objects. Those that are refused are not part of the run.
	Problems []Problem `json:"problems"`
	// Skipped counts the objects of kinds that scheduling does not look at.
	Skipped map[string]int `json:"skipped"`
	// Objects counts those that are part of the run, by kind.
	Objects map[string]int `json:"objects"`
	// Partial is true if the run ended before every pod was placed or known not to fit.
	Partial bool `json:"partial"`
	// Sampled is true if nodes were left out of the search, as percentageOfNodesToScore has it.
	Sampled bool `json:"sampled"`
	// Error is why there is no result; empty if there is one.
	Error string `json:"error,omitempty"`
}

// Engine says which engine has answered.
type Engine struct {
	// Kubernetes is the release, such as v1.37.2.
	Kubernetes string `json:"kubernetes"`
	// Parallelism is how many goroutines filter and score.
	Parallelism int `json:"parallelism"`
	// Seed is that of the request.
	Seed int64 `json:"seed"`
}

// Pod is what became of a pod.
type Pod struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	// Owner is the object of the workload that has made the pod, as KIND/NAME; empty for a pod.
	Owner string `json:"owner,omitempty"`
	// Scheduler is its schedulerName, and Priority the priority that counts.
	Scheduler string `json:"scheduler"`
	Priority  int32  `json:"priority"`
	// Outcome is what became of it.
	Outcome Outcome `json:"outcome"`
	// Node is where it goes; nil if it stays pending.
	Node *string `json:"node"`
	// Message is the scheduler's own reason for which it did not fit at first; nil if it never failed.
	Message *string `json:"message"`
	// Nominated is the node on which room was made for it; nil if none was.
	Nominated *string `json:"nominated"`
	// Preempted are the pods that were evicted for it.
	Preempted []string `json:"preempted"`
	// Evicted names the pod for which this one was evicted after it had been placed; empty if it was not.
	Evicted string `json:"evicted,omitempty"`
	// Ties is how many nodes shared the best score; the seed decided among them. 0 if nothing was scored.
	Ties int `json:"ties"`
	// Weights are those of the score plugins of its profile, for a pod that is explained.
	Weights map[string]int64 `json:"weights,omitempty"`
	// Nodes are there for pods that are explained: every node, by name.
	Nodes []NodeVerdict `json:"nodes,omitempty"`
}

// Outcome is what became of a pod.
type Outcome string

const (
	// Placed is a pod that has a node.
	Placed Outcome = "placed"
	// Pending is one that no node takes.
	Pending Outcome = "pending"
	// Gated is one that is not tried, as its scheduling gates have it.
	Gated Outcome = "gated"
	// Unhandled is one whose schedulerName no profile has.
	Unhandled Outcome = "unhandled"
	// Evicted is one that was placed and made room for another.
	Evicted Outcome = "evicted"
	// Unknown is one that was not decided when the run ended.
	Unknown Outcome = "unknown"
)

// NodeVerdict is what one node was to one pod, in the cycle that placed it or found it not to fit.
type NodeVerdict struct {
	Name string `json:"name"`
	// Filter is the plugin that ruled the node out, and its message; nil if none did.
	Filter *Filter `json:"filter"`
	// Scores are by plugin; none if nothing was scored.
	Scores map[string]Score `json:"scores,omitempty"`
	// Total is their sum; nil if the node was not scored.
	Total *int64 `json:"total,omitempty"`
}

// Filter is a plugin that ruled a node out.
type Filter struct {
	Plugin  string `json:"plugin"`
	Message string `json:"message"`
}

// Score is what a plugin gave a node: as it came, from 0 to 100, and times the weight.
type Score struct {
	Raw        int64 `json:"raw"`
	Normalized int64 `json:"normalized"`
	Weighted   int64 `json:"weighted"`
}

// Node is how full a node is.
type Node struct {
	Name string `json:"name"`
	// Pods is how many pods are on it.
	Pods int `json:"pods"`
	// Requested and Allocatable are by resource: millicores for cpu, bytes for memory, whole numbers else.
	Requested   map[string]int64 `json:"requested"`
	Allocatable map[string]int64 `json:"allocatable"`
}

// Problem is something wrong with an object or a text.
type Problem struct {
	// File is the name of the source, and Line the line of the object in it, from 1; 0 if it is not known.
	File string `json:"file"`
	Line int    `json:"line"`
	// Object is KIND NAMESPACE/NAME as far as they are known.
	Object  string `json:"object"`
	Message string `json:"message"`
	// Refused is true if the object is not part of the run.
	Refused bool `json:"refused"`
}
