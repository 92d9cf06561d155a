// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Record writes the JSON Schemas of a Kubernetes minor from that release's own sources:
//
//	go run ./schemas/record 1.37        # one minor
//	go run ./schemas/record all         # every minor of versions.json
//	go run ./schemas/record -facts 1.37 # print what else its sources say, as JSON
//
// It reads Go types and compiles nothing: a field is in the schema because the struct that the
// release decodes into has it. What it says about a field comes from descriptions.yaml, and a field
// that is not described there is an error, so a new minor cannot pass unnoticed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

// run records every minor that the arguments name and reports all that failed.
func run(args []string) error {
	flags := flag.NewFlagSet("record", flag.ContinueOnError)
	out := flags.String("out", "schemas", "folder that holds one folder per minor")
	facts := flags.Bool("facts", false, "write no schema; print the plugins and feature gates of the minor as JSON")
	binary := flags.String("binary", "", "with -facts, a kube-scheduler of the minor whose flags are printed too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	minors, err := expand(flags.Args())
	if err != nil {
		return err
	}
	var failures []error
	for _, minor := range minors {
		if *facts {
			err = printFacts(os.Stdout, minor, *binary)
		} else {
			err = record(minor, *out)
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("minor %s: %w", minor, err))
		}
	}
	return errors.Join(failures...)
}

// expand replaces the word "all" by the recorded minors.
func expand(args []string) ([]string, error) {
	if len(args) == 0 {
		return nil, errors.New("name a minor such as 1.37, or all")
	}
	if len(args) == 1 && args[0] == "all" {
		return recordedMinors()
	}
	return args, nil
}

// record writes the schemas of one minor below out.
func record(minor, out string) error {
	src, err := openSources(minor)
	if err != nil {
		return err
	}
	descriptions, err := loadDescriptions()
	if err != nil {
		return err
	}
	roots, err := src.roots()
	if err != nil {
		return fmt.Errorf("served kinds: %w", err)
	}
	var failures []error
	for _, root := range roots {
		if err := writeSchema(src, root, descriptions, filepath.Join(out, minor)); err != nil {
			failures = append(failures, fmt.Errorf("%s.%s: %w", root.version, root.kind, err))
		}
	}
	return errors.Join(failures...)
}

// writeSchema derives the schema of one kind and writes it to its file in folder.
func writeSchema(src *sources, root root, descriptions descriptions, folder string) error {
	schema, err := buildSchema(src, root, descriptions)
	if err != nil {
		return err
	}
	text, err := encode(schema)
	if err != nil {
		return fmt.Errorf("encoding: %w", err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, root.file()), text, 0o644)
}
