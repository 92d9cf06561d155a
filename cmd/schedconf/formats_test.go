// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/schedconf/schedconf/diag"
)

// flawed is a folder with findings of every severity, in names and texts that need escaping.
func flawed(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "a folder, 100% <ä>:b")
	write(t, filepath.Join(folder, "one.yaml"), strings.ReplaceAll(minimal, "/v1", "/v1beta3")+"clientConnection: {\"𝄞ä\": 1, qps: \"]]>&<\"}\nparallelism: 0\n")
	write(t, filepath.Join(folder, "two.yaml"), minimal+"---\n"+minimal)
	write(t, filepath.Join(folder, "template.yaml"), "{{ if x }}\n"+minimal+"{{ end }}\n")
	write(t, filepath.Join(folder, "good.yaml"), minimal)
	write(t, filepath.Join(folder, "other.yaml"), "kind: Pod\n")
	return folder
}

func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	data, err := os.ReadFile("../../testdata/formats/sarif-2.1.0.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.CompileString("sarif-2.1.0.schema.json", string(data))
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestSARIF holds a log against the schema of OASIS, and reads its places back.
func TestSARIF(t *testing.T) {
	schema := sarifSchema(t)
	folder := flawed(t)
	fixable := write(t, filepath.Join(t.TempDir(), "fixable.yaml"), minimal+"Parallelism: 3\nparallelism2: 3\nmetadata: {}\n")
	for name, args := range map[string][]string{
		"findings": {folder}, "fixes": {fixable}, "nothing": {filepath.Join(folder, "good.yaml")}, "unreadable": {filepath.Join(folder, "missing.yaml")},
	} {
		_, stdout, _ := call("", append([]string{"validate", "--target", "1.28", "-o", "sarif"}, args...)...)
		var value any
		if err := json.Unmarshal([]byte(stdout), &value); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %#v", name, err)
		}
		if fixes := strings.Count(stdout, `"fixes"`); name == "fixes" != (fixes == 2) {
			t.Errorf("%s: %d fixes", name, fixes)
		}
	}
	_, stdout, _ := call("", "validate", "--target", "1.28", "-o", "sarif", folder)
	var log sarifLog
	if err := json.Unmarshal([]byte(stdout), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	var got []string
	for _, r := range run.Results {
		rule := run.Tool.Driver.Rules[r.RuleIndex]
		if rule.ID != r.RuleID || rule.FullDescription.Text == "" || rule.ShortDescription.Text == "" {
			t.Errorf("rule %d of a result of %s is %+v", r.RuleIndex, r.RuleID, rule)
		}
		place := r.Locations[0].Physical
		if !strings.HasPrefix(place.Artifact.URI, "file:///") || !strings.Contains(place.Artifact.URI, "100%25%20%3C%C3%A4%3E") {
			t.Errorf("URI %s", place.Artifact.URI)
		}
		got = append(got, strings.Join([]string{r.Level, r.RuleID, filepath.Base(place.Artifact.URI), number(place.Region.StartLine, "line"), number(place.Region.StartColumn, "column")}, " "))
	}
	want := []string{
		"warning api-version-deprecated one.yaml 1 line 13 columns",
		"error field-unknown one.yaml 3 lines 20 columns",
		// Behind a character of two code units and one of one, in bytes it would be column 38.
		"error field-type one.yaml 3 lines 35 columns",
		"error parallelism-range one.yaml 4 lines 14 columns",
		"note template-unrendered template.yaml 1 line 1 column",
		"warning document-ignored two.yaml 4 lines 1 column",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestJUnit reads the XML back.
func TestJUnit(t *testing.T) {
	folder := flawed(t)
	code, stdout, _ := call("", "validate", "--target", "1.28", "-o", "junit", folder, filepath.Join(folder, "missing.yaml"))
	if code != exitWrongQuestion {
		t.Errorf("exit code %d", code)
	}
	var suites junitSuites
	if err := xml.Unmarshal([]byte(stdout), &suites); err != nil {
		t.Fatal(err)
	}
	if suites.Tests != 8 || suites.Failures != 3 || suites.Errors != 1 {
		t.Errorf("%d tests, %d failures, %d errors:\n%s", suites.Tests, suites.Failures, suites.Errors, stdout)
	}
	var names []string
	for _, suite := range suites.Suites {
		failures := 0
		for _, test := range suite.Cases {
			if test.Failure != nil {
				failures++
				names = append(names, test.Name)
			}
		}
		if failures != suite.Failures || len(suite.Cases) != suite.Tests {
			t.Errorf("suite %s: %d of %d failures, %d of %d tests", suite.Name, failures, suite.Failures, len(suite.Cases), suite.Tests)
		}
	}
	if want := []string{"field-unknown at 3:20", "field-type at 3:38", "parallelism-range at 4:14"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	_, stdout, _ = call("", "validate", "--target", "1.28", "--strict", "-o", "junit", folder)
	if !strings.Contains(stdout, `failures="5"`) {
		t.Errorf("with --strict warnings are no failures:\n%s", stdout)
	}
}

// TestGitHub holds that a command is one line, and that what ends one of its parts is escaped as GitHub's
// documentation of workflow commands has it.
func TestGitHub(t *testing.T) {
	var out strings.Builder
	g := &githubPrinter{w: &out}
	g.file("", diag.List{{
		Rule: "a-rule", Severity: diag.Warning, Message: "100%: a, b", Hint: "use ::c", Pos: diag.Position{File: "a:b,c%d.yaml", Line: 3, Column: 7},
	}, {Rule: "b-rule", Severity: diag.Error, Message: "m", Pos: diag.Position{File: "x"}}, {Rule: "c-rule", Severity: diag.Info, Message: "m", Pos: diag.Position{File: "x"}}})
	g.trouble("two\nlines")
	want := "::warning file=a%3Ab%2Cc%25d.yaml,line=3,col=7,title=a-rule::100%25: a, b (use ::c)\n" +
		"::error file=x,title=b-rule::m\n::notice file=x,title=c-rule::m\n" + `::error::two\nlines` + "\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestNearName holds that files below the working folder are named from there, as CI knows them.
func TestNearName(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"a.yaml": "a.yaml", "./a/b.yaml": "a/b.yaml", filepath.Join(here, "a.yaml"): "a.yaml", "/elsewhere/a.yaml": "/elsewhere/a.yaml", "../a.yaml": "../a.yaml", "-": "-",
	} {
		if got := nearName(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestGitLab holds that fingerprints name findings: they stay when lines are added above, and no two are
// the same.
func TestGitLab(t *testing.T) {
	name := filepath.Join(t.TempDir(), "one.yaml")
	report := func(text string) []gitlabIssue {
		t.Helper()
		_, stdout, _ := call("", "validate", "-o", "gitlab", write(t, name, text))
		var issues []gitlabIssue
		if err := json.Unmarshal([]byte(stdout), &issues); err != nil {
			t.Fatal(err)
		}
		return issues
	}
	body := "parallelism: 0\nnope: 1\n---\n" + minimal + "---\n" + minimal
	before, after := report(minimal+body), report("# a comment\n\n"+minimal+body)
	if len(before) != 4 || len(after) != 4 {
		t.Fatalf("%d and %d issues", len(before), len(after))
	}
	seen := map[string]bool{}
	for i := range before {
		if before[i].Fingerprint != after[i].Fingerprint || before[i].Location.Lines.Begin+2 != after[i].Location.Lines.Begin {
			t.Errorf("%+v became %+v", before[i], after[i])
		}
		if seen[before[i].Fingerprint] {
			t.Errorf("fingerprint %s stands twice", before[i].Fingerprint)
		}
		seen[before[i].Fingerprint] = true
	}
	if report(minimal) == nil {
		t.Error("no findings are null instead of an empty list")
	}
}

// TestSecretsInFormats holds that no form of a report shows a value that may be secret, in whatever way the
// file is wrong.
func TestSecretsInFormats(t *testing.T) {
	folder := t.TempDir()
	const secret = "hunter2"
	for i, text := range []string{
		"extenders: [{urlPrefix: 'https://me:hunter2@x', tlsConfig: {keyData: hunter2!, bearerToken: hunter2}}]\n",
		"extenders:\n- urlPrefix: x\n  tlsConfig:\n    keyData:\n    - hunter2\n    certData: |\n      hunter2!\n",
		"unheardOf: hunter2\nparallelism: hunter2\nleaderElection: {leaseDuration: 1s, nope: hunter2}\n",
		"profiles: [{pluginConfig: [{name: InterPodAffinity, args: {hardPodAffinityWeight: hunter2, apiKey: hunter2}}]}]\n",
		"password:\n  hunter2: *x\n", "password: [\n  hunter2\n", "token: !!int hunter2\n", "secret: 'hunter2' hunter2\n",
		"parallelism: 0 # the password is hunter2\n", "clientConnection: {qps: -1, burst: -1} # -----BEGIN KEY----- hunter2\n",
	} {
		write(t, filepath.Join(folder, string(rune('a'+i))+".yaml"), minimal+text)
	}
	for _, format := range reportFormats {
		code, stdout, stderr := call("", "validate", "-o", format.name, folder)
		if code != exitNo || strings.Contains(stdout+stderr, secret) {
			t.Errorf("%s: exit code %d:\n%s%s", format.name, code, stdout, stderr)
		}
	}
}

// TestExcerpt holds what is shown of a line, and where the caret stands.
func TestExcerpt(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, test := range []struct {
		line, at, want string
	}{
		{"parallelism: 0", "0", "parallelism: 0\n             ^"},
		{"\tä: 0 # 𝄞", "0", " ä: 0 # 𝄞\n    ^"},
		{"a: \"\x1b[31m\" 1", "m", "a: \"·[31m\" 1\n        ^"},
		{"a: " + long + " Y " + long, "Y", "…" + strings.Repeat("x", 79) + " Y " + strings.Repeat("x", 38) + "…\n" + strings.Repeat(" ", 81) + "^"},
		{"urlPrefix: https://me:pw@x", "h", "(not shown, it may hold a secret)"},
		{"x: aB3dE6gH9jK2mN5pQ8sT1vW4", "a", "(not shown, it may hold a secret)"},
		{"x: requiredDuringSchedulingIgnoredDuringExecution", "r", "x: requiredDuringSchedulingIgnoredDuringExecution\n   ^"},
	} {
		var out strings.Builder
		text := &textPrinter{w: &out, texts: texts{source: func(string) []byte { return []byte("first\n" + test.line + "\r\nlast\n") }}}
		text.excerpt(diag.Diagnostic{Severity: diag.Error, Pos: diag.Position{File: "f", Line: 2, Column: strings.Index(test.line, test.at) + 1}})
		var got []string
		for line := range strings.Lines(out.String()) {
			_, shown, _ := strings.Cut(line, "| ")
			got = append(got, strings.TrimSuffix(shown, "\n"))
		}
		if diff := cmp.Diff(test.want, strings.Join(got, "\n")); diff != "" {
			t.Errorf("%q -want +got:\n%s", test.line, diff)
		}
	}
}
