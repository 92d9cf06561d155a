// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

//go:build integration

package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// question is a file that the page is asked about, and what the command says of it.
type question struct {
	Name     string `json:"name"`
	Text     string `json:"text"`
	Target   string `json:"target"`
	Findings string `json:"findings"`
}

// playground is what the script holds the page to.
type playground struct {
	Questions []question `json:"questions"`
	// Outputs are what other commands print about Old, and diff about Old and New.
	Old     question          `json:"old"`
	New     question          `json:"new"`
	Outputs map[string]string `json:"outputs"`
	// Fixable becomes Fixed by validate --fix.
	Fixable string `json:"fixable"`
	Fixed   string `json:"fixed"`
}

// onFiles runs bin/schedconf in a folder that holds the files alone, and returns standard output and that folder.
func onFiles(t *testing.T, files map[string]string, args ...string) (string, string) {
	t.Helper()
	program, err := filepath.Abs("../bin/schedconf")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.CommandContext(t.Context(), program, args...)
	run.Dir = folder
	var stderr bytes.Buffer
	run.Stderr = &stderr
	out, err := run.Output()
	if run.ProcessState == nil || run.ProcessState.ExitCode() > 1 {
		t.Fatalf("schedconf %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out), folder
}

// questions are fifty files of every kind, for releases from 1.18 to 1.37 and for the one that the file says.
func questions(t *testing.T) []question {
	t.Helper()
	var list []question
	add := func(name, text string) {
		q := question{Name: fmt.Sprintf("%02d-%s", len(list), filepath.Base(name)), Text: text}
		q.Target = []string{"", "1.37", "1.27", "1.22", "1.18"}[len(list)%5]
		args := []string{"validate", "-o", "json", q.Name}
		if q.Target != "" {
			args = append(args, "--target", q.Target)
		}
		q.Findings, _ = onFiles(t, map[string]string{q.Name: text}, args...)
		list = append(list, q)
	}
	for _, pattern := range []string{"demo/*.yaml", "good/*.yaml", "find/*", "advice/[a-e]*.yaml"} {
		paths, err := filepath.Glob("../testdata/" + pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("no files %s (%v)", pattern, err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			add(path, string(data))
		}
	}
	for name, every := range map[string]int{"policies.json": 6, "cases.json": 40} {
		data, err := os.ReadFile("../testdata/recorded/" + name)
		if err != nil {
			t.Fatal(err)
		}
		var recorded map[string]string
		if err := json.Unmarshal(data, &recorded); err != nil {
			t.Fatal(err)
		}
		for i, key := range slices.Sorted(maps.Keys(recorded)) {
			if i%every == 0 {
				add(key, recorded[key])
			}
		}
	}
	if len(list) < 50 {
		t.Fatalf("only %d files", len(list))
	}
	return list
}

// TestPlayground holds in Chromium, from a file and without network, that the page says what the command says,
// soon, to those who use a keyboard, a phone, or dark colours, and that it lives through bad input.
func TestPlayground(t *testing.T) {
	page, err := filepath.Abs("../playground/dist/index.html")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(page); err != nil {
		t.Fatalf("%v: make playground builds it", err)
	}
	read := func(name string) string {
		data, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	p := playground{
		Questions: questions(t),
		Old:       question{Name: "old.yaml", Text: read("testdata/demo/scheduler.yaml")},
		New:       question{Name: "new.yaml", Text: read("playground/samples/good.yaml")},
		Outputs:   map[string]string{},
		Fixable:   "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nParallelism: 8\n",
	}
	for _, args := range [][]string{{"effective"}, {"default"}, {"convert", "--to", "v1"}, {"migrate"}} {
		p.Outputs[args[0]], _ = onFiles(t, map[string]string{p.Old.Name: p.Old.Text}, append(args, "--target", "1.27", p.Old.Name)...)
	}
	p.Outputs["diff"], _ = onFiles(t, map[string]string{p.Old.Name: p.Old.Text, p.New.Name: p.New.Text}, "diff", "--target", "1.27", p.Old.Name, p.New.Name)
	_, folder := onFiles(t, map[string]string{"fix.yaml": p.Fixable}, "validate", "--fix", "fix.yaml")
	fixed, err := os.ReadFile(filepath.Join(folder, "fix.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if p.Fixed = string(fixed); p.Fixed == p.Fixable {
		t.Fatal("the command has fixed nothing")
	}
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	asked := filepath.Join(t.TempDir(), "playground.json")
	if err := os.WriteFile(asked, data, 0o600); err != nil {
		t.Fatal(err)
	}
	browser(t, "playground.mjs", page, asked)
}
