// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package diag_test

import (
	"fmt"

	"github.com/schedconf/schedconf/diag"
)

func Example() {
	findings := diag.List{
		{Rule: "plugin-unknown", Severity: diag.Error, Stage: diag.Construct, Path: diag.ParsePath("profiles[0].plugins.score")},
		{Rule: "parallelism-range", Severity: diag.Error, Stage: diag.Validate, Path: diag.Path{"parallelism"}},
		{Rule: "document-ignored", Severity: diag.Warning},
	}
	accepted, stage := findings.Verdict()
	fmt.Println(accepted, stage, findings.Count(diag.Warning))
	fmt.Println(findings[0].Path.Pointer())
	// Output:
	// false validate 1
	// /profiles/0/plugins/score
}
