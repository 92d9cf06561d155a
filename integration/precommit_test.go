// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

//go:build integration

package integration

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	goodFile    = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	badFile     = goodFile + "parallelism: many\n"
	fixableFile = goodFile + "Parallelism: 8\n"
	fixedFile   = goodFile + "parallelism: 8\n"
	serviceFile = "apiVersion: v1\nkind: Service\nmetadata: {name: kube}\n"
)

// TestPreCommit runs the hooks by the real pre-commit, from a clone of this repository with what is not
// committed yet.
func TestPreCommit(t *testing.T) {
	if _, err := exec.LookPath("pre-commit"); err != nil {
		t.Fatal("pre-commit is not installed: hack/pre-commit installs it where apt-get does")
	}
	h := newHooks(t)
	scratch := func(t *testing.T) *repository { return h.scratch(t) }

	t.Run("only the small programs are installed", func(t *testing.T) {
		scratch(t).must("pre-commit", "install-hooks")
		programs, err := filepath.Glob(filepath.Join(h.home, "*", "golangenv-*", "bin", "*"))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, program := range programs {
			names = append(names, filepath.Base(program))
		}
		// pre-commit installs every program of the module; the engine is in another one.
		if !slices.Contains(names, "schedconf") || slices.Contains(names, "engine") || slices.Contains(names, "schedconf-engine") {
			t.Fatalf("installed are %q", names)
		}
		for _, program := range programs {
			deps, err := exec.Command("go", "version", "-m", program).Output()
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(deps), "\tk8s.io/kubernetes\t") {
				t.Errorf("%s links k8s.io/kubernetes", filepath.Base(program))
			}
		}
	})
	t.Run("commits", func(t *testing.T) {
		r := scratch(t)
		r.must("pre-commit", "install")
		r.write("sched.yaml", goodFile)
		r.must("git", "add", ".")
		r.must("git", "commit", "-qm", "good")
		r.write("sched.yaml", badFile)
		r.must("git", "add", ".")
		r.fails("sched.yaml:3:14: error: parallelism takes a whole number, this is text [field-type]", "git", "commit", "-qm", "bad")
		if log := r.must("git", "log", "--format=%s"); strings.TrimSpace(log) != "good" {
			t.Errorf("committed is %q", log)
		}
	})
	t.Run("unrelated files", func(t *testing.T) {
		r := scratch(t)
		r.must("pre-commit", "install")
		r.write("a b.yaml", serviceFile)
		r.write("package.json", "{}")
		r.write(`$(touch ran)'";.yaml`, serviceFile)
		r.write("new\nline.yaml", serviceFile)
		r.must("git", "add", ".")
		r.must("git", "commit", "-qm", "unrelated")
		r.write("main.go", "package main\n")
		r.must("git", "add", ".")
		if out := r.must("git", "commit", "-qm", "no YAML"); !strings.Contains(out, "(no files to check)Skipped") {
			t.Errorf("hooks did not skip a file that is not YAML:\n%s", out)
		}
		if _, err := os.Stat(filepath.Join(r.folder, "ran")); err == nil {
			t.Error("the name of a file was run")
		}
	})
	t.Run("fix", func(t *testing.T) {
		r := scratch(t)
		r.write("sched.yaml", fixableFile)
		r.write("service.yaml", serviceFile)
		r.must("git", "add", ".")
		r.fails("files were modified by this hook", "pre-commit", "run", "--hook-stage", "manual", "schedconf-fix")
		if got := r.read("sched.yaml"); got != fixedFile {
			t.Errorf("fixed is %q", got)
		}
		if got := r.read("service.yaml"); got != serviceFile {
			t.Errorf("an unrelated file is %q", got)
		}
		r.must("git", "add", ".")
		r.must("pre-commit", "run", "--hook-stage", "manual", "schedconf-fix")
	})
	t.Run("many files in several processes", func(t *testing.T) {
		r := scratch(t)
		for i := range 400 {
			r.write(fmt.Sprintf("service%d.yaml", i), serviceFile)
			r.write(fmt.Sprintf("sched%d.yaml", i), goodFile)
		}
		r.must("git", "add", ".")
		r.must("pre-commit", "run", "schedconf-validate", "--all-files")
		r.write("sched123.yaml", badFile)
		r.must("git", "add", ".")
		r.fails("sched123.yaml:3:14: error", "pre-commit", "run", "schedconf-validate", "--all-files")
	})
	t.Run("two commits at once", func(t *testing.T) {
		var running sync.WaitGroup
		for _, text := range []string{goodFile, badFile} {
			r := scratch(t)
			r.must("pre-commit", "install")
			r.write("sched.yaml", text)
			r.must("git", "add", ".")
			running.Go(func() {
				out, err := r.run("git", "commit", "-qm", "x")
				if (err == nil) != (text == goodFile) {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
		running.Wait()
	})
	t.Run("dry run", func(t *testing.T) {
		r := scratch(t)
		r.write("sched.yaml", goodFile)
		r.write("cluster.yaml", "")
		r.must("git", "add", ".")
		r.env = append(r.env, "SCHEDCONF_ENGINE=")
		r.fails("make engine", "pre-commit", "run", "--hook-stage", "manual", "schedconf-dryrun")
		// What an engine says is tested beside it; here it is asked, and answers.
		r.write("engine", "#!/bin/sh\ncat >request\nprintf '{\"protocol\":1,\"pods\":[]}'\n")
		if err := os.Chmod(filepath.Join(r.folder, "engine"), 0o755); err != nil {
			t.Fatal(err)
		}
		r.env = append(r.env, "SCHEDCONF_ENGINE=./engine")
		r.must("pre-commit", "run", "--hook-stage", "manual", "schedconf-dryrun")
		if request := r.read("request"); !strings.Contains(request, "KubeSchedulerConfiguration") {
			t.Errorf("the engine was asked %q", request)
		}
	})
}

// hooks are a clone with the hooks, and the folder that pre-commit keeps what it has built in.
type hooks struct {
	clone, revision, home string
	env                   []string
}

func newHooks(t *testing.T) *hooks {
	t.Helper()
	folder := t.TempDir()
	h := &hooks{clone: filepath.Join(folder, "schedconf"), home: filepath.Join(folder, "home")}
	modules, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	// pre-commit gives Go a folder of its own for modules; with that of the machine nothing is downloaded.
	// A commit from within a hook sets GIT_ variables, which would lead git into another repository.
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "GIT_") {
			h.env = append(h.env, variable)
		}
	}
	h.env = append(h.env, "PRE_COMMIT_HOME="+h.home, "GOMODCACHE="+strings.TrimSpace(string(modules)), "GOPROXY=off", "GOTOOLCHAIN=local",
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	from := &repository{t: t, folder: root, env: h.env}
	from.must("git", "clone", "-q", "--no-hardlinks", root, h.clone)
	clone := &repository{t: t, folder: h.clone, env: h.env}
	for _, name := range strings.Split(strings.TrimRight(from.must("git", "ls-files", "-zmo", "--exclude-standard"), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			continue // none is listed, or it is deleted
		}
		clone.write(name, string(data))
	}
	clone.must("git", "add", ".")
	clone.must("git", "commit", "-q", "--allow-empty", "-m", "what is tested")
	h.revision = strings.TrimSpace(clone.must("git", "rev-parse", "HEAD"))
	return h
}

// scratch makes a repository that uses the hooks.
func (h *hooks) scratch(t *testing.T) *repository {
	t.Helper()
	r := &repository{t: t, folder: t.TempDir(), env: h.env}
	r.must("git", "init", "-q")
	r.write(".pre-commit-config.yaml", fmt.Sprintf(`repos:
- repo: file://%s
  rev: %s
  hooks:
  - id: schedconf-validate
    args: [--target, "1.37"]
  - id: schedconf-fix
    args: [--target, "1.37"]
    stages: [manual]
  - id: schedconf-dryrun
    args: [--config, sched.yaml, --cluster, cluster.yaml, --workload, cluster.yaml]
    stages: [manual]
`, h.clone, h.revision))
	return r
}

// repository is a folder to run commands in.
type repository struct {
	t      *testing.T
	folder string
	env    []string
}

func (r *repository) run(name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(r.t.Context(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Env = r.folder, r.env
	out, err := command.CombinedOutput()
	return string(out), err
}

func (r *repository) must(name string, args ...string) string {
	r.t.Helper()
	out, err := r.run(name, args...)
	if err != nil {
		r.t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return out
}

// fails runs a command that has to fail, and to say something.
func (r *repository) fails(says, name string, args ...string) {
	r.t.Helper()
	out, err := r.run(name, args...)
	if err == nil || !strings.Contains(out, says) {
		r.t.Fatalf("%s %q: error is %v, want one that says %q\n%s", name, args, err, says, out)
	}
}

func (r *repository) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repository) read(name string) string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.folder, name))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(data)
}
