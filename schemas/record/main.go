// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Record writes the JSON Schemas of a Kubernetes minor from that release's own sources:
//
//	go run ./schemas/record 1.37          # one minor
//	go run ./schemas/record all           # every minor of versions.json
//	go run ./schemas/record -release 1.37 # its release.json, as far as the sources say it
//	go run ./schemas/record -facts 1.37   # print what else its sources say, as JSON
//	go run ./schemas/record -verdicts -binary kube-scheduler 1.37 # record what the program does
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
	release := flags.Bool("release", false, "write no schema but release.json; what the sources do not say stays as it was, or as in the minor before")
	facts := flags.Bool("facts", false, "write no schema; print the plugins and feature gates of the minor as JSON")
	verdicts := flags.Bool("verdicts", false, "write no schema; ask the program of -binary for its verdict on every recorded case")
	recorded := flags.String("recorded", "testdata/recorded", "with -verdicts, folder of the recordings")
	binary := flags.String("binary", "", "a kube-scheduler of the minor; with -facts its flags are printed too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	minors, err := expand(flags.Args())
	if err != nil {
		return err
	}
	var failures []error
	for _, minor := range minors {
		switch {
		case *facts:
			err = printFacts(os.Stdout, minor, *binary)
		case *verdicts:
			err = recordVerdicts(minor, *out, *recorded, *binary)
		case *release:
			err = writeRelease(minor, *out, os.Stderr)
		default:
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
