// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Package explain says what a rule, a plugin or a field is about, and since when it is there: it reads the
// facts and JSON Schemas of the releases, and holds nothing of its own.
package explain
