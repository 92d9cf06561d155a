// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Package integration holds the tests that drive programs of others, which are installed for them
// first: make integration. Without the build tag of that name it is empty.
package integration
