// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package project_test

import (
	"fmt"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/project"
)

// A comment in the file passes over the finding of a rule on the next line.
func ExampleApply() {
	file := []byte("# schedconf:ignore percentage-meaning we know\npercentageOfNodesToScore: 100\nparallelism: 0\n")
	findings := diag.List{
		{Rule: "percentage-meaning", Severity: diag.Warning, Pos: diag.Position{File: "sched.yaml", Line: 2, Column: 1}},
		{Rule: "parallelism-range", Severity: diag.Error, Stage: diag.Validate, Pos: diag.Position{File: "sched.yaml", Line: 3, Column: 14}},
	}
	left, passed := project.Apply("sched.yaml", file, findings, nil, nil)
	for _, finding := range left {
		fmt.Println(finding.Pos, finding.Rule)
	}
	fmt.Println(passed, "passed over")
	// Output:
	// sched.yaml:3:14 parallelism-range
	// 1 passed over
}
