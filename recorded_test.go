// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Package schedconf_test holds what concerns the whole house: the recorded verdicts and bytes of the
// real kube-schedulers, and who may import whom.
package schedconf_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/validation"
)

// verdict is what one kube-scheduler did with one case.
type verdict struct {
	Minor    string   `json:"minor"`
	Case     string   `json:"case"`
	Accepted bool     `json:"accepted"`
	Stage    string   `json:"stage"`
	Warnings []string `json:"warnings"`
	Written  string   `json:"written"`
}

// exception is a recorded verdict that we do not share, and why.
type exception struct {
	Minor, Case, Reason string
}

const maxExceptions = 10

func readJSON[T any](t testing.TB, name string) T {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var value T
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return value
}

func recordedCases(t testing.TB) map[string]string {
	t.Helper()
	return readJSON[map[string]string](t, "testdata/recorded/cases.json")
}

// recordedVerdicts returns the verdicts by minor, without those that hang on the recording machine.
func recordedVerdicts(t testing.TB) map[string][]verdict {
	t.Helper()
	file, err := os.Open("testdata/recorded/verdicts.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	byMinor := map[string][]verdict{}
	for decoder := json.NewDecoder(packed); ; {
		var v verdict
		if err := decoder.Decode(&v); errors.Is(err, io.EOF) {
			return byMinor
		} else if err != nil {
			t.Fatal(err)
		}
		if v.Stage != "environment" {
			byMinor[v.Minor] = append(byMinor[v.Minor], v)
		}
	}
}

// newScheme builds the scheme of a release with its default gates.
func newScheme(t testing.TB, minor schemas.Minor) *scheme.Scheme {
	t.Helper()
	release := schemas.For(minor)
	gates, err := release.NewGates(nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scheme.New(release, gates)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRecordedVerdicts holds that we accept what every release accepted, refuse what it refused, and
// at the stage at which it refused. With -v it prints a row per minor.
func TestRecordedVerdicts(t *testing.T) {
	cases, verdicts := recordedCases(t), recordedVerdicts(t)
	known := readJSON[[]exception](t, "testdata/recorded/known.json")
	if len(known) > maxExceptions {
		t.Errorf("known.json has %d exceptions, %d are allowed", len(known), maxExceptions)
	}
	total, same := 0, 0
	for _, minor := range schemas.Minors() {
		rows := verdicts[minor.String()]
		if len(rows) == 0 {
			t.Errorf("%s: no recorded verdicts", minor)
		}
		checker := validation.New(newScheme(t, minor))
		equal := 0
		for _, want := range rows {
			result, err := checker.Check(source.Split(want.Case, []byte(cases[want.Case]))[0])
			if err != nil {
				t.Errorf("%s %s: %v", minor, want.Case, err)
				continue
			}
			accepted, stage := result.Findings.Verdict()
			agrees := accepted == want.Accepted && string(stage) == want.Stage
			excepted := isKnown(known, want.Minor, want.Case)
			switch {
			case agrees && excepted:
				t.Errorf("%s %s agrees with the recording: take it out of known.json", minor, want.Case)
			case !agrees && !excepted:
				t.Errorf("%s %s: got %s, recorded %s\n%s", minor, want.Case, describe(accepted, string(stage)), describe(want.Accepted, want.Stage), list(result.Findings))
			default:
				equal++
			}
		}
		t.Logf("%s verdicts %d/%d", minor, equal, len(rows))
		total, same = total+len(rows), same+equal
	}
	t.Logf("verdicts: %d/%d, known exceptions %d", same, total, len(known))
}

func isKnown(known []exception, minor, name string) bool {
	return slices.ContainsFunc(known, func(e exception) bool { return e.Minor == minor && e.Case == name })
}

func describe(accepted bool, stage string) string {
	if accepted {
		return "accepted"
	}
	return "refused at " + stage
}

func list(findings diag.List) string {
	var b strings.Builder
	for _, d := range findings {
		fmt.Fprintf(&b, "    %s %s %s: %s [%s]\n", d.Pos, d.Severity, d.Path, d.Message, d.Rule)
	}
	return b.String()
}

// TestRecordedBytes holds that what we write for an accepted case is what the release wrote.
func TestRecordedBytes(t *testing.T) {
	cases, verdicts := recordedCases(t), recordedVerdicts(t)
	total, same := 0, 0
	for _, minor := range schemas.Minors() {
		s := newScheme(t, minor)
		checker := validation.New(s)
		equal, rows := 0, 0
		for _, want := range verdicts[minor.String()] {
			if want.Written == "" {
				continue
			}
			rows++
			result, err := checker.Check(source.Split(want.Case, []byte(cases[want.Case]))[0])
			if err != nil || result.Built == nil {
				t.Errorf("%s %s: not built: %v\n%s", minor, want.Case, err, list(result.Findings))
				continue
			}
			got, err := s.Write(result.Built, result.API)
			if err != nil {
				t.Errorf("%s %s: %v", minor, want.Case, err)
				continue
			}
			if diff := cmp.Diff(want.Written, string(got)); diff != "" {
				t.Errorf("%s %s: written differs (-recorded +ours):\n%s", minor, want.Case, diff)
				continue
			}
			equal++
		}
		if rows == 0 {
			t.Errorf("%s: nothing was written", minor)
		}
		t.Logf("%s bytes %d/%d", minor, equal, rows)
		total, same = total+rows, same+equal
	}
	t.Logf("bytes: %d/%d", same, total)
}
