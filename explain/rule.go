// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"io"
	"path"
	"strings"
	"text/tabwriter"

	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/validation"
)

// RuleExplanation is a rule, and where it is enforced.
type RuleExplanation struct {
	Rule    string `json:"rule"`
	Summary string `json:"summary"`
	Doc     string `json:"doc"`
	// Bad and Good are configurations in which the rule finds something and nothing; they may be empty.
	Bad  string `json:"bad"`
	Good string `json:"good"`
	// Enforced is where a finding is an error, and at which stage.
	Enforced []Presence `json:"enforced"`
	// Otherwise is the severity everywhere else; empty where the rule is silent.
	Otherwise string `json:"otherwise"`
}

func explainRule(rule validation.Rule) Explanation {
	e := RuleExplanation{Rule: rule.ID, Summary: rule.Summary, Doc: rule.Doc, Bad: rule.Bad, Good: rule.Good}
	e.Enforced = presences(func(_ *schemas.Release, api *schemas.API) (string, bool) {
		stage := api.Stage(rule.ID)
		return stage, stage != ""
	})
	if rule.Otherwise != 0 {
		e.Otherwise = rule.Otherwise.String()
	}
	return e
}

// Text writes the explanation for people to read.
func (e RuleExplanation) Text(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s\n\n%s\n\n", e.Rule, e.Summary, e.Doc)
	for _, example := range []struct{ title, text string }{{"Bad", e.Bad}, {"Good", e.Good}} {
		if example.text != "" {
			fmt.Fprintf(w, "%s:\n\n%s\n", example.title, indented(example.text))
		}
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(e.Enforced) > 0 {
		fmt.Fprintln(table, "API VERSION\tMINORS\tREFUSED AT")
	}
	for _, p := range e.Enforced {
		fmt.Fprintf(table, "%s\t%s\t%s\n", path.Base(p.APIVersion), p.minors(), p.Stage)
	}
	where := "elsewhere"
	if len(e.Enforced) == 0 {
		where = "everywhere"
	}
	if e.Otherwise == "" {
		fmt.Fprintf(table, "%s nothing is said\n", where)
	} else {
		fmt.Fprintf(table, "%s it is of severity %s\n", where, e.Otherwise)
	}
	return table.Flush()
}

// indented sets a text off by four blanks.
func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ") + "\n"
}
