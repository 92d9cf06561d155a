// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schedconf_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/validation"
)

// corpus is where files of public repositories lie beside the checkout. They are not ours to
// commit, so the test looks at them where they are and says so where they are not.
const corpus = "../shared"

// TestCorpus holds the verdicts and bytes of real people's files against the recordings.
func TestCorpus(t *testing.T) {
	file, err := os.Open(filepath.Join(corpus, "recorded", "corpus.jsonl.gz"))
	if errors.Is(err, os.ErrNotExist) {
		t.Log("no corpus beside the checkout; the recorded cases are judged by TestRecordedVerdicts")
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	known := readJSON[[]exception](t, "testdata/recorded/known.json")
	schemes, checkers := map[string]*scheme.Scheme{}, map[string]*validation.Checker{}
	judged := 0
	for decoder := json.NewDecoder(packed); ; {
		var want struct {
			verdict
			File string `json:"file"`
		}
		if err := decoder.Decode(&want); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if want.Stage == "environment" {
			continue
		}
		judged++
		if schemes[want.Minor] == nil {
			minor, err := schemas.ParseMinor(want.Minor)
			if err != nil {
				t.Fatal(err)
			}
			schemes[want.Minor] = newScheme(t, minor)
			checkers[want.Minor] = validation.New(schemes[want.Minor])
		}
		s := schemes[want.Minor]
		data, err := os.ReadFile(filepath.Join(corpus, "corpus", want.File))
		if err != nil {
			t.Fatal(err)
		}
		result, err := checkers[want.Minor].Check(source.Split(want.File, data)[0])
		if err != nil {
			t.Errorf("%s %s: %v", want.Minor, want.File, err)
			continue
		}
		accepted, stage := result.Findings.Verdict()
		agrees := accepted == want.Accepted && string(stage) == want.Stage
		if isKnown(known, want.Minor, want.File) {
			if agrees {
				t.Errorf("%s %s agrees with the recording: take it out of known.json", want.Minor, want.File)
			}
			continue
		}
		if !agrees {
			t.Errorf("%s %s: got %s, recorded %s\n%s", want.Minor, want.File, describe(accepted, string(stage)), describe(want.Accepted, want.Stage), list(result.Findings))
			continue
		}
		if want.Written == "" {
			continue
		}
		got, err := s.Write(result.Built, result.API)
		if err != nil {
			t.Errorf("%s %s: %v", want.Minor, want.File, err)
		} else if diff := cmp.Diff(want.Written, string(got)); diff != "" {
			t.Errorf("%s %s: written differs (-recorded +ours):\n%s", want.Minor, want.File, diff)
		}
	}
	if judged == 0 {
		t.Error("the corpus has no recorded verdicts")
	}
}
