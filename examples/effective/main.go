// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Command effective prints what a configuration comes to on a release, once every default is filled in: all
// plugins in running order, with the weights that count. Secrets are left out.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/validation"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: effective MINOR <sched.yaml")
		os.Exit(2)
	}
	data, err := io.ReadAll(os.Stdin)
	if err == nil {
		var text []byte
		if text, err = effective(os.Args[1], data); err == nil {
			_, err = os.Stdout.Write(text)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func effective(target string, data []byte) ([]byte, error) {
	minor, err := schemas.ParseMinor(target)
	if err != nil {
		return nil, err
	}
	release := schemas.For(minor)
	gates, err := release.NewGates(nil)
	if err != nil {
		return nil, err
	}
	s, err := scheme.New(release, gates)
	if err != nil {
		return nil, err
	}
	result, err := validation.NewVerdict(s).Check(source.Split("standard input", data)[0])
	if err != nil {
		return nil, err
	}
	if err := result.Findings.Err(); err != nil {
		return nil, err
	}
	if result.Built == nil {
		return nil, fmt.Errorf("standard input is not a configuration with profiles")
	}
	return result.Built.Effective().YAML()
}
