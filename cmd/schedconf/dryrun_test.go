// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/schedconf/schedconf/dryrun"
)

// standIn is an engine for the tests that are about the way to one and back. ENGINE says how it behaves; the
// scheduler itself is tested in dryrun/engine and, through the command, by the scripts in testdata/engine.
func standIn() {
	var request dryrun.Request
	if err := json.NewDecoder(os.Stdin).Decode(&request); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	report := dryrun.Report{Protocol: dryrun.Protocol, Engine: dryrun.Engine{Kubernetes: "v1.37.2", Seed: request.Seed}, Pods: []dryrun.Pod{}}
	switch os.Getenv("ENGINE") {
	case "crash":
		panic("the engine has a fault")
	case "old":
		report.Protocol--
	case "words":
		fmt.Println("this is no report")
		return
	case "refuse":
		report.Error = "no objects"
	case "echo":
		fmt.Fprintln(os.Stderr, request.Configuration)
		message, node := request.Configuration, "one"
		report.Pods = append(report.Pods, dryrun.Pod{Name: "p", Namespace: "default", Outcome: dryrun.Pending, Message: &message}, dryrun.Pod{Name: "q", Namespace: "other", Outcome: dryrun.Placed, Node: &node})
	}
	if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
		os.Exit(3)
	}
}
