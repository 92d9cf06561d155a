// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// corpus is where files of public repositories lie beside the checkout. They are not ours to commit, so the
// test looks at them where they are; the samples of testdata are looked at everywhere.
const corpus = "../../../shared/corpus"

var quotedInMessage = regexp.MustCompile(`"([^"]+)"`)

// TestPlaces judges configurations wherever they lie, in our samples and in real people's files, and holds that
// what a finding quotes stands at its place, in whatever that is wrapped.
func TestPlaces(t *testing.T) {
	t.Run("samples", func(t *testing.T) {
		checked, nested, total := checkPlaces(t, "../../testdata/find")
		if checked < 1 || nested < 1 {
			t.Errorf("only %d findings were looked at, %d of them in files of another kind", checked, nested)
		}
		// A file for each kind of carrier.
		if total.Files != 14 || total.Configurations != 18 || total.CommandLines != 10 {
			t.Errorf("%+v", total)
		}
	})
	if _, err := os.Stat(corpus); errors.Is(err, fs.ErrNotExist) {
		return
	}
	t.Run("corpus", func(t *testing.T) {
		checked, nested, total := checkPlaces(t, corpus)
		if checked < 100 || nested < 30 {
			t.Errorf("only %d findings were looked at, %d of them in files of another kind", checked, nested)
		}
		// Every file of the corpus is either judged or skipped for a reason.
		if total.Files == 0 || total.Configurations < 150 || total.CommandLines < 25 || total.Skipped == 0 {
			t.Errorf("%+v", total)
		}
	})
}

// checkPlaces looks at the findings below a folder, and counts those that quote something: all, and those in files
// that are no configuration themselves.
func checkPlaces(t *testing.T, folder string) (checked, nested int, total counts) {
	t.Helper()
	code, stdout, stderr := call("", "validate", "-o", "json", folder)
	if code != exitNo || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	for _, line := range lines[1 : len(lines)-1] {
		var d jsonFindingRead
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(d.File)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Split(string(data), "\n")
		if d.Line < 1 || d.Line > len(text) || d.Column < 1 || d.Column > len(text[d.Line-1])+1 {
			t.Errorf("%s: %d:%d is not in the file", d.File, d.Line, d.Column)
			continue
		}
		quoted := quotedInMessage.FindStringSubmatch(d.Message)
		if quoted == nil || d.Rule != "api-version-unknown" && d.Rule != "plugin-unknown" && d.Rule != "field-unknown" {
			continue
		}
		at := strings.TrimLeft(text[d.Line-1][d.Column-1:], `\"'`)
		if d.Rule == "plugin-unknown" && !strings.HasSuffix(d.Path, "name") {
			continue // it is about a point
		}
		if !strings.HasPrefix(at, quoted[1]) {
			t.Errorf("%s:%d:%d: %s: there is %.60q", d.File, d.Line, d.Column, d.Message, at)
		}
		checked++
		if !strings.HasPrefix(string(data), "apiVersion: kubescheduler") {
			nested++
		}
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &total); err != nil {
		t.Fatal(err)
	}
	return checked, nested, total
}

// jsonFindingRead is what the test reads of a finding.
type jsonFindingRead struct {
	Rule, Message, Path, File string
	Line, Column              int
}
