// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation_test

import (
	"fmt"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/validation"
)

func Example() {
	minor, err := schemas.ParseMinor("1.30")
	if err != nil {
		panic(err)
	}
	gates, err := schemas.For(minor).NewGates(nil)
	if err != nil {
		panic(err)
	}
	s, err := scheme.New(schemas.For(minor), gates)
	if err != nil {
		panic(err)
	}
	text := []byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: 0\npercentageOfNodeToScore: 50\n")
	result, err := validation.New(s).Check(source.Split("sched.yaml", text)[0])
	if err != nil {
		panic(err)
	}
	for _, finding := range result.Findings {
		fmt.Printf("%s: %s (%s)\n", finding.Pos, finding.Rule, finding.Stage)
	}
	// Output:
	// sched.yaml:3:14: parallelism-range (validate)
	// sched.yaml:4:1: field-unknown (decode)
}

// A command line is judged by the flags of the release.
func ExampleCheckFlags() {
	minor, err := schemas.ParseMinor("1.30")
	if err != nil {
		panic(err)
	}
	args := []string{"kube-scheduler", "--config=/etc/sched.yaml", "--policy-config-file=/etc/policy.json"}
	at := func(i int) diag.Position { return diag.Position{File: "command line", Line: 1, Column: i + 1} }
	findings, flags := validation.CheckFlags(schemas.For(minor), args, at)
	fmt.Println("configuration:", flags.Config())
	for _, finding := range findings {
		fmt.Printf("argument %d: %s: %s\n", finding.Pos.Column-1, finding.Severity, finding.Rule)
	}
	// Output:
	// configuration: /etc/sched.yaml
	// argument 2: error: flag-removed
}
