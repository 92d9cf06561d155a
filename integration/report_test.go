// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

//go:build integration

package integration

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/schedconf/schedconf/dryrun"
)

// readAnswer is what the engine said about the bundled cluster and two configurations.
func readAnswer(t *testing.T) *dryrun.Answer {
	t.Helper()
	file, err := os.Open("../testdata/dryrun/answer.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var answer dryrun.Answer
	if err := json.NewDecoder(unzipped).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return &answer
}

// TestReportPage holds in Chromium that the page of a dry run loads without a word, without network, light and
// dark; that it filters, and opens a pod by keyboard; and that its numbers are those of the JSON.
func TestReportPage(t *testing.T) {
	hostile := readAnswer(t)
	for i := range hostile.Pods {
		hostile.Pods[i].Name += `</script><script>ran=1</script><img src=x onerror="ran=1">`
	}
	hostile.Comparisons = nil
	alone := readAnswer(t)
	alone.Comparisons, alone.Checks = nil, nil
	for name, answer := range map[string]*dryrun.Answer{"two configurations": readAnswer(t), "one": alone, "names that are markup": hostile} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			page, err := os.Create(filepath.Join(folder, "report.html"))
			if err != nil {
				t.Fatal(err)
			}
			if err := dryrun.WriteHTML(page, answer); err != nil {
				t.Fatal(err)
			}
			if err := page.Close(); err != nil {
				t.Fatal(err)
			}
			data, err := json.Marshal(answer)
			if err != nil {
				t.Fatal(err)
			}
			text := filepath.Join(folder, "answer.json")
			if err := os.WriteFile(text, data, 0o600); err != nil {
				t.Fatal(err)
			}
			browser(t, "report.mjs", page.Name(), text)
		})
	}
}

// browser runs a script that drives Chromium. It exits with 1 if something is wrong.
func browser(t *testing.T, script string, args ...string) {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("chromium is not installed: hack/chromium installs it where apt-get does")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "node", append([]string{script}, append(args, chromium)...)...).CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", script, err, out)
	}
	t.Log(string(out))
}
