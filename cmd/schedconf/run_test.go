// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const minimal = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

// call runs a command line in this process.
func call(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(append([]string{"schedconf"}, args...), strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestHelp holds that the help of every command has examples that run, two at least, and the exit codes.
func TestHelp(t *testing.T) {
	engine, err := exec.LookPath("engine-without-scheduler")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("SCHEDCONF_ENGINE", engine)
	p := &program{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}
	for _, command := range p.commands() {
		t.Run(command.Name, func(t *testing.T) {
			code, help, _ := call("", command.Name, "--help")
			if code != exitYes || !strings.Contains(help, "EXIT CODES:") || !strings.Contains(help, command.Usage) {
				t.Fatalf("exit code %d, help:\n%s", code, help)
			}
			_, text, _ := strings.Cut(help, "EXAMPLES:\n")
			text, _, _ = strings.Cut(text, "\n\n")
			examples := strings.Split(text, "\n")
			if len(examples) < 2 {
				t.Fatalf("%d examples, want 2 at least:\n%s", len(examples), help)
			}
			for _, example := range examples {
				folder := t.TempDir()
				for _, name := range []string{"sched.yaml", "old.yaml", "new.yaml"} {
					write(t, filepath.Join(folder, name), minimal)
				}
				for _, name := range []string{"dump/nodes.yaml", "nodes.yaml", "pods.yaml", "deployment.yaml", "web.yaml"} {
					write(t, filepath.Join(folder, name), "apiVersion: v1\nkind: List\nitems: []\n")
				}
				write(t, filepath.Join(folder, "expect.yaml"), "expect: [{name: all are placed, placed: true}]\n")
				write(t, filepath.Join(folder, "policy.json"), `{"apiVersion": "v1", "kind": "Policy"}`)
				shell := exec.Command("sh", "-c", example)
				shell.Dir = folder
				// A difference is an answer too.
				if out, err := shell.CombinedOutput(); shell.ProcessState.ExitCode() > exitNo {
					t.Errorf("%s: %v\n%s", strings.TrimSpace(example), err, out)
				}
			}
		})
	}
}

// TestDeterminism holds that a folder with every kind of finding is reported the same thirty times.
func TestDeterminism(t *testing.T) {
	folder := t.TempDir()
	for i, text := range []string{
		minimal + "leaderElection: {resourceLock: x, leaseDuration: 1s}\nzzz: 1\naaa: 2\nparallelism: -1\npercentageOfNodesToScore: -1\n",
		minimal + "profiles:\n- plugins: {score: {enabled: [{name: A}, {name: B}]}, filter: {enabled: [{name: A}]}, queueSort: {disabled: [{name: '*'}]}}\n",
		minimal + "parallelism: 1\nparallelism: 2\n---\n" + minimal,
		"{",
		strings.ReplaceAll(minimal, "/v1", "/v1beta9"),
	} {
		write(t, filepath.Join(folder, fmt.Sprintf("%d.yaml", i)), text)
	}
	for _, known := range reportFormats {
		format := known.name
		_, want, _ := call("", "validate", "-o", format, folder)
		if n := strings.Count(want, "\n"); n < 13 {
			t.Fatalf("%s: only %d lines:\n%s", format, n, want)
		}
		for range 30 {
			if _, got, _ := call("", "validate", "-o", format, folder); got != want {
				t.Fatalf("%s: two runs differ:\n%s", format, cmp.Diff(want, got))
			}
		}
	}
	_, want, _ := call("", "explain", "NodeResourcesFit", "-o", "json")
	for range 20 {
		if _, got, _ := call("", "explain", "NodeResourcesFit", "-o", "json"); got != want {
			t.Fatalf("explain: two runs differ:\n%s", cmp.Diff(want, got))
		}
	}
}

// TestPanic holds that a panic becomes one line and exit code 3, and does not say what it was about.
func TestPanic(t *testing.T) {
	list, index := []string{}, 3
	for name, fail := range map[string]func() error{
		"value": func() error { panic("hunter2") },
		"index": func() error { return fmt.Errorf("%s", list[index]) },
	} {
		var errs bytes.Buffer
		if code := report(&errs, guard(fail)); code != exitBug {
			t.Errorf("%s: exit code %d", name, code)
		}
		got := errs.String()
		if strings.Count(got, "\n") != 1 || !strings.Contains(got, "this is a bug in schedconf") || !strings.Contains(got, "run_test.go:") || strings.Contains(got, "hunter2") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestLarge holds that a file of any size costs bounded memory.
func TestLarge(t *testing.T) {
	name := write(t, filepath.Join(t.TempDir(), "large.yaml"), minimal)
	if err := os.Truncate(name, 100<<20); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"validate", name}, {"validate", filepath.Dir(name)}, {"default", name}} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		code, stdout, stderr := call("", args...)
		runtime.ReadMemStats(&after)
		if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 64 {
			t.Errorf("%v: %d MiB were allocated", args[0], used)
		}
		if code != exitNo || !strings.Contains(stdout+stderr, name+":1:1: error: the file has more than 16 MiB") {
			t.Errorf("%v: exit code %d\n%s%s", args[0], code, stdout, stderr)
		}
	}
	code, stdout, _ := call(minimal+strings.Repeat("#", 17<<20), "validate", "-")
	if code != exitNo || !strings.Contains(stdout, "-:1:1: error: the file has more than 16 MiB") {
		t.Errorf("standard input: exit code %d\n%s", code, stdout)
	}
}

// TestDeep holds that nesting ends in a finding.
func TestDeep(t *testing.T) {
	for name, text := range map[string]string{
		"flow.yaml":  minimal + "profiles: " + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000),
		"deep.json":  `{"profiles":` + strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000) + "}",
		"block.yaml": minimal + "profiles:\n" + strings.Repeat("- ", 20_000) + "a\n",
	} {
		code, stdout, _ := call("", "validate", write(t, filepath.Join(t.TempDir(), name), text))
		if code != exitNo || strings.Count(stdout, "error: ") != 1 || len(stdout) > 1000 {
			t.Errorf("%s: exit code %d, %d bytes: %.300s", name, code, len(stdout), stdout)
		}
	}
}

// unprivileged runs the program as somebody who has only the rights that folder's modes give: a test
// that root runs is lent to the user nobody, since root can read and write everywhere. Folder is to
// be a new one inside t.TempDir().
func unprivileged(t *testing.T, folder string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	binary, err := exec.LookPath("schedconf")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	outer := filepath.Dir(folder)
	copied := write(t, filepath.Join(outer, "schedconf"), string(program))
	for _, name := range []string{copied, outer, filepath.Dir(outer)} {
		if err := os.Chmod(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command(copied, args...)
	command.Dir = "/"
	if os.Geteuid() == 0 {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	var out, errs strings.Builder
	command.Stdout, command.Stderr = &out, &errs
	var failed *exec.ExitError
	if err := command.Run(); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return command.ProcessState.ExitCode(), out.String(), errs.String()
}

// TestWriteReadOnly holds that a folder that cannot be written to keeps its file, and gets no other.
func TestWriteReadOnly(t *testing.T) {
	text := strings.ReplaceAll(minimal, "/v1", "/v1beta3")
	for _, args := range [][]string{
		{"default", "--write-config-to"},
		{"convert", "--to", "v1", "--write"},
	} {
		folder := filepath.Join(t.TempDir(), "folder")
		path := write(t, filepath.Join(folder, "sched.yaml"), text)
		if err := os.Chmod(folder, 0o555); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := unprivileged(t, folder, append(args, path)...)
		if code != exitWrongQuestion || stdout != "" {
			t.Errorf("%v: exit code %d\n%s", args, code, stdout)
		}
		if want := fmt.Sprintf("schedconf: write %q: permission denied\n", path); !strings.HasSuffix(stderr, want) {
			t.Errorf("%v: got %q, want %q at its end", args, stderr, want)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%v: the old file is %q: %v", args, got, err)
		}
		if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
			t.Errorf("%v: %v are left: %v", args, entries, err)
		}
	}
}

// TestArrange holds that putting flags first loses no argument.
func TestArrange(t *testing.T) {
	app := (&program{}).app()
	for _, test := range []struct{ given, want string }{
		{"validate a --strict b", "validate --strict -- a b"},
		{"validate a --target 1.30 b", "validate --target=1.30 -- a b"},
		{"validate -o=json a -", "validate --o=json -- a -"},
		{"validate -ojson a", "validate --o=json -- a"},
		{"validate --target -- a", "validate --target=-- -- a"},
		{"validate a -- --strict -- b", "validate -- a --strict -- b"},
		{"validate a --help b", "validate --help"},
		{"nonsense a --strict", "nonsense a --strict"},
	} {
		got, err := arrange(app, strings.Fields("schedconf "+test.given))
		if err != nil {
			t.Errorf("%s: %v", test.given, err)
		}
		if want := strings.Fields("schedconf " + test.want); !cmp.Equal(want, got) {
			t.Errorf("%s: %s", test.given, cmp.Diff(want, got))
		}
	}
}

// TestUnreadable holds that a file that cannot be read does not keep the others from being judged.
func TestUnreadable(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "folder")
	secret := write(t, filepath.Join(folder, "a.yaml"), minimal)
	write(t, filepath.Join(folder, "b.yaml"), minimal+"parallelism: 0\n")
	if err := os.Chmod(secret, 0); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := unprivileged(t, folder, "validate", folder)
	if code != exitWrongQuestion || !strings.Contains(stdout, "parallelism-range") || !strings.Contains(stderr, "permission denied") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestProgress holds that a long run tells how far it has come on a line of its own, which is gone before
// anything else is said.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	p := &progress{w: &out, what: "files looked at", stop: make(chan struct{})}
	p.add()
	p.hide()
	if out.Len() > 0 {
		t.Errorf("%q is said at once", out.String())
	}
	p.add()
	p.show()
	p.show()
	p.hide()
	p.hide()
	p.end()
	p.show()
	if want := "\r2 files looked at\r2 files looked at\r\x1b[K"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	out.Reset()
	p = &progress{w: &out, what: "pods", stop: make(chan struct{})}
	p.reached(6000, 6000)
	p.show()
	p.reached(1, 6000)
	p.show()
	p.end()
	if want := "\r6000 of 6000 pods\x1b[K\r1 of 6000 pods\x1b[K\r\x1b[K"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	out.Reset()
	p = &progress{w: &out, what: "files looked at", stop: make(chan struct{})}
	told := make(chan struct{})
	go func() { defer close(told); p.tell(time.Millisecond) }()
	time.Sleep(50 * time.Millisecond)
	p.end()
	<-told
	if !strings.Contains(out.String(), "\r0 files looked at") || !strings.HasSuffix(out.String(), "\r\x1b[K") {
		t.Errorf("%q", out.String())
	}
}
