// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/schedconf/schedconf/dryrun"
)

// TestCommand asks the bundled questions with schedconf itself.
func TestCommand(t *testing.T) {
	program := filepath.Join(t.TempDir(), "schedconf")
	if out, err := exec.Command("go", "build", "-C", "../..", "-o", program, "./cmd/schedconf").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Setenv(asEngine, "1")
	t.Setenv(dryrun.EngineVariable, os.Args[0])
	ask := func(exit int, args ...string) (string, string) {
		t.Helper()
		command := exec.Command(program, append([]string{"dryrun", "--cluster", "../../../dryrun/sample/cluster.yaml", "--workload", "../../../dryrun/sample/workload.yaml"}, args...)...)
		command.Dir = "../../testdata/demo/dryrun"
		var out, complaints bytes.Buffer
		command.Stdout, command.Stderr = &out, &complaints
		err := command.Run()
		var ended *exec.ExitError
		if err != nil && !errors.As(err, &ended) {
			t.Fatal(err)
		}
		if got := command.ProcessState.ExitCode(); got != exit {
			t.Fatalf("%v: exit code %d, want %d: %s", args, got, exit, complaints.String())
		}
		return out.String(), complaints.String()
	}
	text, _ := ask(0, "--config", "spreading.yaml", "--compare", "packing.yaml", "--expect", "expect.yaml", "-o", "json")
	var answer struct {
		dryrun.Report
		Comparisons []dryrun.Comparison `json:"comparisons"`
		Checks      []dryrun.Check      `json:"checks"`
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Config == nil || answer.Config.APIVersion != "kubescheduler.config.k8s.io/v1beta3" || answer.Engine.Kubernetes != "v1.37.2" {
		t.Errorf("the report says %+v and %+v", answer.Config, answer.Engine)
	}
	placed := 0
	for _, p := range answer.Pods {
		if p.Outcome == dryrun.Placed {
			placed++
		}
		// Three nodes have the two GPUs that each of the four asks for.
		if p.Name == "train-3" && (p.Outcome != dryrun.Pending || !strings.Contains(says(p.Message), "Insufficient example.com/gpu")) {
			t.Errorf("train-3 is %s: %s", p.Outcome, says(p.Message))
		}
		if len(p.Nodes) > 0 {
			t.Errorf("%s is explained, and nobody has asked for it", p.Name)
		}
	}
	if placed != 18 || len(answer.Checks) != 5 || len(answer.Comparisons) != 1 {
		t.Errorf("%d pods are placed, %d checks, %d comparisons", placed, len(answer.Checks), len(answer.Comparisons))
	}
	if c := answer.Comparisons[0]; c.After[0].Nodes.Stddev <= c.Before[0].Nodes.Stddev || len(c.Moves) == 0 {
		t.Errorf("packing does not pack: %+v to %+v with %d moves", c.Before[0], c.After[0], len(c.Moves))
	}
	if text, _ := ask(1, "--fail-on", "pending>0"); !strings.Contains(text, "FAILED not pending>0") {
		t.Error(text)
	}
	if text, _ := ask(0, "--explain", "shop/db-0"); !strings.Contains(text, "shop/db-0 on ") {
		t.Error(text)
	}
	if _, complaints := ask(2, "--explain", "nobody"); !strings.Contains(complaints, `--explain "nobody": the workload has no pod of this name`) {
		t.Error(complaints)
	}
	file := filepath.Join(t.TempDir(), "report.xml")
	if text, _ := ask(0, "-o", "junit="+file); text != "" {
		t.Error(text)
	}
	if data, err := os.ReadFile(file); err != nil || !bytes.Contains(data, []byte(`tests="19" failures="1"`)) {
		t.Errorf("%v: %s", err, data)
	}
}

// TestInterrupt ends a run in its middle: what is known is reported as partial, and nothing stays on the disk.
func TestInterrupt(t *testing.T) {
	program := filepath.Join(t.TempDir(), "schedconf")
	if out, err := exec.Command("go", "build", "-C", "../..", "-o", program, "./cmd/schedconf").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	scratch := t.TempDir()
	t.Setenv("TMPDIR", scratch)
	t.Setenv(asEngine, "1")
	t.Setenv(dryrun.EngineVariable, os.Args[0])
	workload := filepath.Join(t.TempDir(), "workload.yaml")
	if err := os.WriteFile(workload, []byte("{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: r}, spec: {replicas: 5000, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}"), 0o644); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "dryrun", "--cluster", "../sample/cluster.yaml", "--workload", workload, "--explain-all", "-o", "json")
	var out, complaints bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaints
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	// The first pod is explained on the disk: the run is in its middle.
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		files, _ := filepath.Glob(filepath.Join(scratch, "schedconf-dryrun-*"))
		if len(files) == 1 {
			if info, err := os.Stat(files[0]); err == nil && info.Size() > 0 {
				break
			}
		}
		if time.Now().After(deadline) {
			_ = command.Process.Kill()
			t.Fatalf("nothing is explained: %s", complaints.String())
		}
	}
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait()
	var answer dryrun.Answer
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatalf("%v: %s", err, complaints.String())
	}
	placed, unknown, explained := 0, 0, 0
	for _, p := range answer.Pods {
		switch p.Outcome {
		case dryrun.Placed:
			placed++
		case dryrun.Unknown:
			unknown++
		}
		if len(p.Nodes) > 0 {
			explained++
		}
	}
	if command.ProcessState.ExitCode() != 1 || answer.Partial != "the run was interrupted" || placed == 0 || unknown == 0 || placed+unknown != 5000 || explained < placed {
		t.Errorf("exit code %d, partial %q, %d placed, %d unknown, %d explained", command.ProcessState.ExitCode(), answer.Partial, placed, unknown, explained)
	}
	if !strings.Contains(complaints.String(), "the report is not complete: the run was interrupted") {
		t.Errorf("said %q", complaints.String())
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("%v, left on the disk: %v", err, left)
	}
}

// TestProof holds that what a provider did until 1.18 is what its migration does, on the bundled cluster, and
// that defaults which the input does not have show.
func TestProof(t *testing.T) {
	program := filepath.Join(t.TempDir(), "schedconf")
	if out, err := exec.Command("go", "build", "-C", "../..", "-o", program, "./cmd/schedconf").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Setenv(asEngine, "1")
	t.Setenv(dryrun.EngineVariable, os.Args[0])
	policy := filepath.Join(t.TempDir(), "policy.json")
	text := `{"apiVersion": "v1", "kind": "Policy", "predicates": [{"name": "GeneralPredicates"}], "priorities": [{"name": "MostRequestedPriority", "weight": 5}]}`
	if err := os.WriteFile(policy, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args  string
		moves bool
	}{
		{"--from 1.18 --target 1.37 -- kube-scheduler --algorithm-provider=ClusterAutoscalerProvider", false},
		{"--from 1.18 --target 1.24 " + policy, false},
		{"--from 1.18 --target 1.37 --with-defaults " + policy, true},
	} {
		out, err := exec.Command(program, append([]string{"migrate", "--prove", "-o", "json"}, strings.Fields(test.args)...)...).Output()
		var report struct {
			Proof struct {
				Runs []struct {
					Pods, Placed int
					Moves        []dryrun.Move
				}
			}
		}
		if parsed := json.Unmarshal(out, &report); parsed != nil {
			t.Fatalf("%s: %v, %v: %s", test.args, err, parsed, out)
		}
		if len(report.Proof.Runs) != 1 || report.Proof.Runs[0].Pods != 19 || (len(report.Proof.Runs[0].Moves) > 0) != test.moves || (err != nil) != test.moves {
			t.Errorf("%s: %v, proof %+v", test.args, err, report.Proof)
		}
	}
}
