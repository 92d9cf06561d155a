// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Package defaults fills in what a configuration leaves out, as a release does it. Values are facts
// of the release: this package finds the fields, asks whether they are set, and writes the value.
// Set is pure but for the object it is given. It runs once, between decoding and converting: up to
// v1beta2 the result does not keep what was disabled, so that merging it again would not be the same.
package defaults
