// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Package diag describes findings about a configuration as values: which rule, how bad, at which
// path, and once it is known, at which line and column. Text, JSON and every other form are
// renderings of these values, so a message never contains a location.
package diag
