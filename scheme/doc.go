// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Package scheme reads, defaults, converts and writes kube-scheduler configurations the way one
// release does. New builds a runtime.Scheme for a release and its feature gates; nothing in this
// package is global, so two releases can be used side by side.
//
// # From bytes to what runs
//
// The bytes of a file become documents with [github.com/schedconf/schedconf/scheme/source.Split], and
//
//   - [Value] reads a document as JSON, the way kube-scheduler reads it,
//   - [Scheme.Decode] makes it an object of its apiVersion,
//   - [Scheme.Load] fills in defaults and converts it to the hub,
//   - [Scheme.Build] makes of it what the release runs, or says why it does not start,
//   - [Scheme.Write] writes that as --write-config-to would, and [Built.Effective] says what it means.
//
// Package validation does all of it, and says what is wrong on the way. [Translate] carries a configuration to
// another apiVersion or release with its behaviour kept, and [Rewrite] puts the result into the text that a person
// wrote. [Scheme.Resolve] adds a command line, and says where each value is from; [MigratePolicy] makes a
// configuration of a Policy.
//
// A Scheme keeps what it has worked out, and is not safe for concurrent use: each goroutine makes its own.
package scheme
