// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Command schedconf works with the configuration files of kube-scheduler: it says whether the
// release of a minor loads them and what is wrong with them, and writes what they come to. Every
// command is a file of its own that reads flags, calls the library, and prints.
package main

import "os"

func main() {
	os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr))
}
