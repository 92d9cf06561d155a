// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Command schedconf-engine answers where pods would go, with the kube-scheduler of one Kubernetes
// release inside. It is not meant to be called by hand: schedconf does, with the messages that
// package dryrun documents. "run" reads a request from standard input and writes a report to
// standard output; "snapshot" takes a live cluster; "version" says which release it is.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"k8s.io/klog/v2"

	"github.com/schedconf/schedconf/dryrun"
)

func main() {
	os.Exit(command(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// gcPercent lets the heap grow, yet not beyond what the loop of kube-scheduler takes for the same work (make bench-engine).
const gcPercent = 300

func command(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	silence()
	switch {
	case len(args) == 1 && args[0] == "version":
		return write(stdout, stderr, &dryrun.Report{Protocol: dryrun.Protocol, Engine: dryrun.Engine{Kubernetes: kubernetesVersion()}})
	case len(args) > 0 && args[0] == "snapshot":
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		return snapshot(ctx, args[1:], stdout, stderr)
	case len(args) == 1 && args[0] == "run":
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		progress, explained := json.NewEncoder(stderr), json.NewEncoder(stdout)
		explained.SetEscapeHTML(false)
		// A pipe that nobody reads any more fails the report after it as well.
		return write(stdout, stderr, serve(ctx, stdin, func(p dryrun.Progress) { _ = progress.Encode(p) }, func(e *dryrun.Explained) { _ = explained.Encode(e) }))
	}
	fmt.Fprintln(stderr, "usage: schedconf-engine run <request.json >report.json, schedconf-engine snapshot, or schedconf-engine version")
	return 2
}

// silence keeps the scheduler's log off standard error: what it has to say is in the report.
func silence() {
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	for name, value := range map[string]string{"logtostderr": "false", "alsologtostderr": "false", "stderrthreshold": "FATAL"} {
		_ = flags.Set(name, value)
	}
	klog.SetOutput(io.Discard)
	// Loggers with names cost a twentieth of a run, and nobody reads them.
	klog.EnableContextualLogging(false)
}

func write(stdout, stderr io.Writer, report *dryrun.Report) int {
	encoder := json.NewEncoder(stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(report); err != nil {
		fmt.Fprintln(stderr, "schedconf-engine:", err)
		return 2
	}
	if report.Error != "" {
		return 2
	}
	return 0
}

// serve answers one request.
func serve(ctx context.Context, in io.Reader, progress func(dryrun.Progress), stream func(*dryrun.Explained)) *dryrun.Report {
	refused := func(err error) *dryrun.Report {
		return &dryrun.Report{Protocol: dryrun.Protocol, Engine: dryrun.Engine{Kubernetes: kubernetesVersion()}, Error: err.Error()}
	}
	var request dryrun.Request
	if err := json.NewDecoder(in).Decode(&request); err != nil {
		return refused(fmt.Errorf("request: %w", err))
	}
	if request.Protocol != dryrun.Protocol {
		return refused(fmt.Errorf("the request is of protocol %d, and this engine speaks %d", request.Protocol, dryrun.Protocol))
	}
	if request.TimeoutSeconds > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, time.Duration(request.TimeoutSeconds*float64(time.Second)), errTime)
		defer cancel()
	}
	report, err := answer(ctx, &request, progress, stream)
	if err != nil {
		return refused(err)
	}
	return report
}

var errTime = errors.New("the time was up")

// kubernetesVersion is the release of the scheduler that is linked.
func kubernetesVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, module := range info.Deps {
		if module.Path == "k8s.io/kubernetes" {
			return module.Version
		}
	}
	return "unknown"
}
