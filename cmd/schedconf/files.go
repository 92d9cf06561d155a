// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import "fmt"

// stdinName stands for standard input on the command line and in findings.
const stdinName = "-"

// unreadable is the error of a file that cannot be read, by the name that the user knows.
func unreadable(name string, err error) error {
	if name == stdinName {
		return inputError{fmt.Errorf("read standard input: %w", reason(err))}
	}
	return inputError{fmt.Errorf("read %q: %w", name, reason(err))}
}
