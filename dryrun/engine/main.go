// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Schedconf-engine runs the kube-scheduler of one Kubernetes release over objects from files. It reads a
// dryrun.Request from standard input and writes a dryrun.Report to standard output. It exits with 0 when
// there is a report, whatever is in it, and with 3 when it failed.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/klog/v2"

	"github.com/schedconf/schedconf/dryrun"
)

// release is the release whose scheduler is embedded; go.mod pins it.
const release = "v1.37.2"

func main() {
	quiet()
	if len(os.Args) > 1 && os.Args[1] == "--version" {
		fmt.Println("schedconf-engine for Kubernetes", release, "protocol", dryrun.Protocol)
		return
	}
	os.Exit(serve(os.Stdin, os.Stdout, os.Stderr))
}

// quiet drops what the scheduler logs, which is for its operator; what it decides is in the report.
func quiet() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
}

// serve answers one request.
func serve(in io.Reader, out, errs io.Writer) int {
	var request dryrun.Request
	if err := json.NewDecoder(in).Decode(&request); err != nil {
		fmt.Fprintf(errs, "schedconf-engine: read the request: %v\n", err)
		return 3
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	report, err := answer(ctx, request)
	if err != nil {
		report = &dryrun.Report{Protocol: dryrun.Protocol, Engine: dryrun.Engine{Kubernetes: release}, Error: err.Error()}
	}
	if err := json.NewEncoder(out).Encode(report); err != nil {
		fmt.Fprintf(errs, "schedconf-engine: write the report: %v\n", err)
		return 3
	}
	return 0
}

// answer runs a request.
func answer(ctx context.Context, request dryrun.Request) (*dryrun.Report, error) {
	if request.Protocol != dryrun.Protocol {
		return nil, fmt.Errorf("the request is of protocol %d, this engine speaks %d", request.Protocol, dryrun.Protocol)
	}
	if err := setGates(request.FeatureGates); err != nil {
		return nil, err
	}
	cfg, err := loadConfiguration(request.Configuration)
	if err != nil {
		return nil, err
	}
	objects := newObjects()
	for _, source := range request.Cluster {
		if err := objects.read(source, false); err != nil {
			return nil, err
		}
	}
	for _, source := range request.Workload {
		if err := objects.read(source, true); err != nil {
			return nil, err
		}
	}
	objects.admit()
	return run(ctx, request, cfg, objects)
}
