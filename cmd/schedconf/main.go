// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Command schedconf works with the configuration files of kube-scheduler: it says whether the
// release of a minor loads them and what is wrong with them, and writes what they come to. Every
// command is a file of its own that reads flags, calls the library, and prints.
package main

import (
	"os"
	"runtime/debug"
)

// gcPercent lets the heap grow to a few times what is alive, some 30 MB over thousands of files,
// before it is swept: the program is short-lived, and sweeping was a fifth of its time.
const gcPercent = 400

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}

	os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr))
}
