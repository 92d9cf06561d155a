// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/xml"
	"fmt"
	"io"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
)

// junitPrinter prints the XML that test runners write: a suite for each file that was judged, in it a failed
// test for each error, and a passed one where there is none.
type junitPrinter struct {
	w       io.Writer
	strict  bool
	release *schemas.Release
	suites  junitSuites
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string       `xml:"name,attr"`
	Class   string       `xml:"classname,attr"`
	Failure *junitResult `xml:"failure"`
	Error   *junitResult `xml:"error"`
	Output  string       `xml:"system-out,omitempty"`
}

type junitResult struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

func (j *junitPrinter) header(release *schemas.Release) { j.release = release }

func (j *junitPrinter) file(name string, list diag.List) {
	suite := junitSuite{Name: printable(name)}
	passed := junitCase{Name: "judged", Class: suite.Name}
	for _, d := range list {
		text := fmt.Sprintf("%s: %s: %s [%s]", printable(d.Pos.String()), d.Severity, messageOf(d), d.Rule)
		if d.Severity != diag.Error && !(j.strict && d.Severity == diag.Warning) {
			passed.Output += text + "\n"
			continue
		}
		suite.Cases = append(suite.Cases, junitCase{
			Name: fmt.Sprintf("%s at %d:%d", d.Rule, d.Pos.Line, d.Pos.Column), Class: suite.Name,
			Failure: &junitResult{printable(d.Message), d.Rule, text},
		})
	}
	suite.Failures = len(suite.Cases)
	if suite.Failures == 0 || passed.Output != "" {
		suite.Cases = append(suite.Cases, passed)
	}
	suite.Tests = len(suite.Cases)
	j.suites.Tests += suite.Tests
	j.suites.Failures += suite.Failures
	j.suites.Suites = append(j.suites.Suites, suite)
}

func (j *junitPrinter) trouble(message string) {
	message = printable(message)
	j.suites.Tests++
	j.suites.Errors++
	j.suites.Suites = append(j.suites.Suites, junitSuite{
		Name: "schedconf", Tests: 1, Errors: 1,
		Cases: []junitCase{{Name: "readable", Class: "schedconf", Error: &junitResult{message, "unreadable", message}}},
	})
}

func (j *junitPrinter) aims([]takenAim) {}

func (j *junitPrinter) summary(counts) {
	j.suites.Name = "schedconf for Kubernetes " + j.release.Name
	encoder := xml.NewEncoder(j.w)
	encoder.Indent("", "  ")
	fmt.Fprint(j.w, xml.Header)
	_ = encoder.Encode(j.suites)
	fmt.Fprintln(j.w)
}
