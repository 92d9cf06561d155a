// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Package source reads configuration files as text: bytes become documents, and a path leads to a
// line and column. It never says what a value means; for that the bytes of a document are decoded
// the way kube-scheduler decodes them, which is a different parser with different rules.
package source
