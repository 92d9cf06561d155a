// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

//go:build integration

package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// kustomizeVersion is the newest that builds with the Go of go.mod.
const kustomizeVersion = "v5.8.2"

// TestKustomize runs the example for kustomize, and a folder of functions, with the real program.
func TestKustomize(t *testing.T) {
	bin := t.TempDir()
	install := exec.Command("go", "install", "sigs.k8s.io/kustomize/kustomize/v5@"+kustomizeVersion)
	install.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=-mod=mod", "CGO_ENABLED=0")
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ours, err := filepath.Abs("../bin/schedconf")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("../examples/gitops/kustomize")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(ours, filepath.Join(folder, "schedconf-fn")); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, error) {
		command := exec.Command(filepath.Join(bin, "kustomize"), args...)
		command.Dir = folder
		out, err := command.CombinedOutput()
		return string(out), err
	}
	scheduler := filepath.Join(folder, "scheduler.yaml")
	good, err := os.ReadFile(scheduler)
	if err != nil {
		t.Fatal(err)
	}
	put := func(text string) {
		if err := os.WriteFile(scheduler, []byte(strings.Replace(string(good), "parallelism: 8", text, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := []string{"build", "--enable-alpha-plugins", "--enable-exec", "."}
	if out, err := run(build...); err != nil || !strings.Contains(out, "parallelism: 8 # a small control plane") {
		t.Errorf("good: %v\n%s", err, out)
	}
	put("Parallelism: 8")
	if out, err := run(build...); err != nil || !strings.Contains(out, "    parallelism: 8 # a small control plane") {
		t.Errorf("the transformer does not fix: %v\n%s", err, out)
	}
	put("parallelism: 0")
	if out, err := run(build...); err == nil || !strings.Contains(out, "[parallelism-range]") || !strings.Contains(out, `data["sched.yaml"].parallelism`) {
		t.Errorf("the validator lets pass: %v\n%s", err, out)
	}
	put("Parallelism: 8")
	for _, name := range []string{"kustomization.yaml", "validate.yaml"} {
		if err := os.Remove(filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := run("fn", "run", "--enable-exec", "."); err != nil {
		t.Errorf("fn run: %v\n%s", err, out)
	}
	fixed, err := os.ReadFile(scheduler)
	if err != nil || !strings.Contains(string(fixed), "    parallelism: 8 # a small control plane") {
		t.Errorf("fn run does not fix: %v\n%s", err, fixed)
	}
	put("parallelism: 0")
	if out, err := run("fn", "run", "--enable-exec", "."); err == nil || !strings.Contains(out, "[parallelism-range]") {
		t.Errorf("fn run lets pass: %v\n%s", err, out)
	}
}
