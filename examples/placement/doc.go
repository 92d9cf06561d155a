// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Package placement shows a test that holds a configuration to where it puts pods. Its files are in testdata:
// a cluster, a workload, the configuration, and what is expected of them.
package placement
