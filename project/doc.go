// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Package project is what the people of a project say about its files: the settings in .schedconf.yaml,
// comments that pass over a finding, and a baseline of findings that were there before.
//
// None of it changes a verdict by accident: what a release refuses is passed over only where its rule is
// named.
package project
