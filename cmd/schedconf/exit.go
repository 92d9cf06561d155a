// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
)

// The exit codes are the same for every command and every output format. Over many files the
// highest one counts.
const (
	// exitYes is for a configuration that the release loads, and for an artefact that was written.
	exitYes = 0
	// exitNo is for a finding of severity error, and with --strict for a warning.
	exitNo = 1
	// exitWrongQuestion is for a command line, a file, a target or a gate that makes no sense.
	exitWrongQuestion = 2
	// exitBug is for what should not happen.
	exitBug = 3
)

const exitCodes = `EXIT CODES:
   0  yes
   1  no: there is an error, or with --strict a warning
   2  the question was wrong: usage, a file that cannot be read, an unknown target or feature gate
   3  a bug in schedconf
`

// exitCode ends a command that has already said all there is to say.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// ended is nil for exitYes, since nothing went wrong then.
func ended(code int) error {
	if code == exitYes {
		return nil
	}
	return exitCode(code)
}

func failed(err error) bool {
	var code exitCode
	return err != nil && (!errors.As(err, &code) || code > exitNo)
}

// usageError is a command line that makes no sense.
type usageError struct {
	// command is the command as it is called; empty for the program itself.
	command string
	message string
}

func (e usageError) Error() string { return e.message }

func (e usageError) program() string {
	if e.command == "" {
		return "schedconf"
	}
	return e.command
}

// inputError is a file that cannot be read or written. The command line itself was all right.
type inputError struct{ error }

func (e inputError) Unwrap() error { return e.error }

// reason takes the operation and the path off an error of the file system: who reports it has
// named both.
func reason(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}

// guard turns a panic into an error that says where it happened. It does not say more than that
// about values, since they may come from the user's file.
func guard(do func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			what := "panic"
			if fault, ok := cause.(runtime.Error); ok {
				what = fault.Error()
			}
			err = errors.New(what + " in " + origin())
		}
	}()
	return do()
}

// origin names the function that panicked: the first one above the runtime.
func origin() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		frame, more := frames.Next()
		if frame.Function != "" && !strings.HasPrefix(frame.Function, "runtime.") {
			return fmt.Sprintf("%s (%s:%d)", filepath.Base(frame.Function), filepath.Base(frame.File), frame.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}
