// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Package conversion holds what the conversions of all apiVersions share. The packages below it turn
// the wire types of one apiVersion into the hub and back. Towards the hub nothing is lost. Towards
// the wire, what the apiVersion has no place for is left out and reported, never dropped in silence.
package conversion
