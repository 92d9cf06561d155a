// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import "github.com/schedconf/schedconf/diag"

// The rules of what passes over findings. Their findings come from who applies it.
const (
	RuleSuppressionUnused    = "suppression-unused"
	RuleSuppressionMalformed = "suppression-malformed"
)

var suppressionRules = []Rule{{
	ID:      RuleSuppressionUnused,
	Summary: "what passes over a finding is not needed",
	Doc: `A comment, an entry of ignore in .schedconf.yaml, or a finding of a baseline has nothing to pass over: what it was for is gone. Left in, it would hide the next such finding.

Bad:

    parallelism: 16 # schedconf:ignore parallelism-range we know

Good:

    parallelism: 16

An entry of .schedconf.yaml is looked at only when files that it is for were judged.`,
	Otherwise: diag.Warning,
}, {
	ID:      RuleSuppressionMalformed,
	Summary: "a comment that is to pass over a finding cannot be read, and passes over nothing",
	Doc: `The comment names one or more rules, and a reason.

Bad:

    - name: MyPlugin # schedconf:ignore

Good:

    - name: MyPlugin # schedconf:ignore plugin-unknown our build has it

Behind something it covers its line, alone it covers the next line, and before all else in a file or in the text of a ConfigMap all of that.`,
	Otherwise: diag.Warning,
}}
