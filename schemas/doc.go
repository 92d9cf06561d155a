// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Package schemas holds what each Kubernetes minor is: one folder per minor with release.json, the
// facts that code asks for, and one JSON Schema per kind that the release serves. A complete
// snapshot per minor can be recorded again from the release, and a diff of two folders is the
// change between two minors. Code never compares minors: it asks a Release, or runs the behaviour
// that a Release names.
//
// docs/adding-a-minor.md says how a new minor gets its folder.
package schemas
