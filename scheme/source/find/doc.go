// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Package find looks for kube-scheduler configurations where they lie: in a file of their own, and
// inside ConfigMaps, machine configurations, cluster specifications and whatever else holds one. What
// it finds is a source.Document, whose positions are those in the file that a person edits.
//
// It looks at names and kinds alone, and judges nothing. A file that mentions no scheduler is never
// parsed.
package find
