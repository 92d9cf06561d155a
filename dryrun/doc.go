// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Package dryrun asks where pods would go under a configuration, and renders the answer. The
// question goes to an engine, a program of its own that links the kube-scheduler of one Kubernetes
// release: a [Request] as JSON on its standard input, a [Report] as JSON on its standard output.
//
// # Where to start
//
// [Find] finds an engine and [Ask] asks it. [ReadExpectations] reads what somebody expects of the answer, and
// [Expectations.Check] holds it against that; [Compare] says what is different under another configuration. The
// functions whose names begin with Write render an [Answer]. A request needs a configuration of v1: package scheme
// carries others there.
package dryrun
