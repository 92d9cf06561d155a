// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Command dockerfile reads a Dockerfile from standard input as BuildKit does, and prints its stages as JSON. What
// BuildKit's linter has to say goes to standard error, and makes the exit code 1. It is a module of its own, since
// nothing else needs what it links.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// stage is one FROM with what follows it.
type stage struct {
	Name     string   `json:"name"`
	Base     string   `json:"base"`
	Commands []string `json:"commands"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	read, err := parser.Parse(os.Stdin)
	if err != nil {
		return err
	}
	warnings := len(read.Warnings)
	for _, warning := range read.Warnings {
		fmt.Fprintln(os.Stderr, warning.Short)
	}
	lint := linter.New(&linter.Config{Warn: func(name, _, _, message string, _ []parser.Range) {
		fmt.Fprintf(os.Stderr, "%s: %s\n", name, message)
		warnings++
	}})
	list, _, err := instructions.Parse(read.AST, lint)
	if err != nil {
		return err
	}
	var stages []stage
	for _, from := range list {
		s := stage{Name: from.Name, Base: from.BaseName}
		for _, command := range from.Commands {
			s.Commands = append(s.Commands, fmt.Sprint(command))
		}
		stages = append(stages, s)
	}
	if warnings > 0 {
		return fmt.Errorf("%d warnings", warnings)
	}
	return json.NewEncoder(os.Stdout).Encode(stages)
}
