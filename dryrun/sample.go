// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package dryrun

import _ "embed"

//go:embed sample/cluster.yaml
var sampleCluster string

//go:embed sample/workload.yaml
var sampleWorkload string

// Sample is a made-up cluster of a common size, and pods that touch most of what a scheduler looks at: zones,
// taints, affinity, spread, volumes, extended resources and priorities.
func Sample() (cluster, workload []Source) {
	return []Source{{Name: "the sample cluster", Text: sampleCluster}}, []Source{{Name: "the sample workload", Text: sampleWorkload}}
}
