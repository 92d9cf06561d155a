// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/schedconf/schedconf/dryrun"
)

// standIn is an engine without a scheduler, for the examples of help, which run where no engine was built.
// What a real one says is tested in dryrun/engine.
func standIn() {
	if len(os.Args) > 1 && os.Args[1] == "snapshot" {
		fmt.Println(`{"apiVersion":"v1","kind":"List","items":[]}`)
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "version" {
		fmt.Println(`{"protocol":1,"engine":{"kubernetes":"v1.37.2"}}`)
		return
	}
	var request dryrun.Request
	if err := json.NewDecoder(os.Stdin).Decode(&request); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	report := dryrun.Report{Protocol: dryrun.Protocol, Engine: dryrun.Engine{Kubernetes: "v1.37.2", Seed: request.Seed}}
	for _, name := range request.Explain {
		report.Pods = append(report.Pods, dryrun.Pod{Name: name, Namespace: "default", Outcome: dryrun.Pending})
	}
	if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
		os.Exit(2)
	}
}
