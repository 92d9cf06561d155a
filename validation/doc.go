// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Package validation judges a configuration as a release would, and says all that is wrong at
// once: every finding with its place, its rule, and the stage at which the release refuses.
//
// A rule is data beside a small function. Whether its finding is an error is not the rule's
// opinion: it is one exactly when the release's facts list the rule for the apiVersion. A rule that
// they do not list is advice, or silent.
//
// # Where to start
//
// [New] makes a checker of a scheme. [Checker.Check] judges one document and returns, beside the findings, all
// that was made of it; [Checker.CheckFile] judges a file as kube-scheduler reads it. [NewRun] judges files that belong
// together, wherever a configuration lies in them, and [CheckFlags] a command line. [Step] says what a file runs
// into on the way to the next minor. What a finding is, and how to ask for the verdict, is in package diag.
package validation
