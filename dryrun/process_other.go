// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package dryrun

import "os/exec"

// ownGroup does nothing where programs have no groups.
func ownGroup(*exec.Cmd) {}
