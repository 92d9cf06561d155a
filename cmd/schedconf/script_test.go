// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){programName: main, pluginFile: main, "engine-without-scheduler": standIn})
}

// TestScript runs the stories in testdata/script. With UPDATE=1 it rewrites what they compare.
func TestScript(t *testing.T) {
	recorded, err := filepath.Abs("../../testdata/recorded")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"recorded": func(ts *testscript.TestScript, _ bool, args []string) { unpack(ts, recorded, args) },
		},
	})
}

// exits runs a command and holds it to an exit code: exits 2 schedconf validate.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// unpack writes what a real kube-scheduler was given and what it wrote:
// recorded 1.30 v1/minimal.yaml given.yaml written.yaml.
func unpack(ts *testscript.TestScript, folder string, args []string) {
	minor, name, given, written := args[0], args[1], args[2], args[3]
	data, err := os.ReadFile(filepath.Join(folder, "cases.json"))
	ts.Check(err)
	var cases map[string]string
	ts.Check(json.Unmarshal(data, &cases))
	ts.Check(os.WriteFile(ts.MkAbs(given), []byte(cases[name]), 0o644))
	file, err := os.Open(filepath.Join(folder, "verdicts.jsonl.gz"))
	ts.Check(err)
	defer file.Close()
	packed, err := gzip.NewReader(file)
	ts.Check(err)
	for decoder := json.NewDecoder(packed); ; {
		var row struct{ Minor, Case, Written string }
		if err := decoder.Decode(&row); err != nil {
			ts.Fatalf("Kubernetes %s was not given %s: %v", minor, name, err)
		}
		if row.Minor == minor && row.Case == name {
			ts.Check(os.WriteFile(ts.MkAbs(written), []byte(row.Written), 0o644))
			return
		}
	}
}
