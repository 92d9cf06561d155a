// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"strings"
)

// requestFile holds the arguments of the next run, each behind the other with a zero byte between them.
const requestFile = "/request"

// answer is one run for a host that keeps the program in memory, as a page in a browser does: built with
// -buildmode=c-shared the runtime starts once, and answers as often as it is asked. Streams and files are
// those of WASI; the result is the exit code.
//
//go:wasmexport answer
func answer() int32 {
	request, err := os.ReadFile(requestFile)
	if err != nil {
		return int32(report(os.Stderr, err))
	}
	return int32(run(strings.Split(string(request), "\x00"), os.Stdin, os.Stdout, os.Stderr))
}
