// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"encoding/xml"
	"io"
	"strings"
)

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitMessage `xml:"failure"`
	Skipped *junitMessage `xml:"skipped"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",cdata"`
}

// WriteJUnit renders the checks as test cases; without checks each pod is one, which passes where the
// pod is placed. A pod that is not for this scheduler to place yet is skipped.
func WriteJUnit(w io.Writer, a *Answer) error {
	suite := junitSuite{Name: "schedconf dryrun"}
	add := func(class, name string, passed, skipped bool, message, text string) {
		c := junitCase{Class: class, Name: clean(name)}
		switch {
		case skipped:
			c.Skipped = &junitMessage{Message: clean(message)}
			suite.Skipped++
		case !passed:
			c.Failure = &junitMessage{clean(message), text}
			suite.Failures++
		}
		suite.Tests++
		suite.Cases = append(suite.Cases, c)
	}
	for _, check := range a.Checks {
		var tables strings.Builder
		for _, failure := range check.Failures {
			tables.WriteString(clean(failure) + "\n")
		}
		if err := writeFailing(&tables, a, &check); err != nil {
			return err
		}
		add("expectations", check.Name, check.Passed, false, strings.Join(check.Failures, "; "), tables.String())
	}
	for i := range a.Pods {
		if p := &a.Pods[i]; len(a.Checks) == 0 {
			add("pods", p.FullName(), p.Outcome == Placed, p.Outcome == Gated || p.Outcome == Unhandled, string(p.Outcome)+": "+value(p.Message), "")
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(suite); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
