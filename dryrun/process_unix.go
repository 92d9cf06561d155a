// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package dryrun

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps the interrupt of a terminal from the engine: it is told to end in the order of things.
func ownGroup(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
