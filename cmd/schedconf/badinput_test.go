// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// bomb is an anchor that doubles n times.
func bomb(n int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x]\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d, *a%d]\n", i, i, i-1, i-1)
	}
	return b.String()
}

func inBlock(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    ") + "\n"
}

// TestBadInput holds that whatever lies in a folder comes to a finding or to a clean skip in bounded time,
// and that nothing passes that could not be read.
func TestBadInput(t *testing.T) {
	inMap := func(text string) string { return "kind: ConfigMap\napiVersion: v1\ndata:\n  x: |\n" + inBlock(text) }
	stream := strings.Repeat("---\n"+minimal, 10_000)
	for name, test := range map[string]struct {
		text string
		// code is the exit code, found and named what stands in the output for a folder and for the file itself.
		code  int
		found string
		// namedCode and named are for the file itself.
		namedCode int
		named     string
	}{
		"binary":              {"\x7fELF\x00\x01 kube-scheduler \x00\xff", 0, "1 binary", 1, "[file-syntax]"},
		"binary with a kind":  {"\x00kind: KubeSchedulerConfiguration\x00", 0, "1 binary", 1, "[file-syntax]"},
		"invalid UTF-8":       {minimal + "x: \xff\xfe\n", 1, "[file-syntax]", 1, "[file-syntax]"},
		"invalid and other":   {"image: kube-scheduler\nx: \xff\n", 0, "1 binary", 1, "[file-syntax]"},
		"UTF-16":              {utf16le(minimal + "parallelism: 0\n"), 1, "[parallelism-range]", 1, "[parallelism-range]"},
		"bomb":                {minimal + bomb(40), 1, "error: ", 1, "error: "},
		"bomb around one":     {bomb(40) + "scheduler:\n  config:\n" + inBlock(minimal), 0, "1 configuration", 0, "1 configuration"},
		"bomb in a ConfigMap": {inMap(minimal + bomb(40)), 1, "error: ", 1, "error: "},
		"bomb of itself":      {minimal + "x: &x [*x]\n", 1, "error: ", 1, "error: "},
		"deep":                {"scheduler: " + strings.Repeat("{a: ", 100) + "kube-scheduler" + strings.Repeat("}", 100), 1, "[file-too-complex]", 1, "[file-too-complex]"},
		"texts in texts":      {inMap(inMap(inMap(inMap(inMap(inMap(minimal)))))), 1, "[file-too-complex]", 1, "[file-too-complex]"},
		"stream":              {stream, 0, "10000 configurations", 0, "10000 configurations"},
		"stream of maps":      {strings.Repeat("---\n"+inMap(minimal), 10_000), 0, "10000 configurations", 0, "10000 configurations"},
		"stream of others":    {strings.Repeat("---\nkind: Pod\nspec: {schedulerName: x}\n", 10_000), 0, "1 without a configuration", 1, "[api-version-missing]"},
		"empty":               {"", 0, "1 without a configuration", 1, "[document-empty]"},
		"List in a template":  {"kind: List\nitems:\n{{- range .x }}\n- " + strings.TrimPrefix(inBlock(inMap(minimal)), "    ") + "{{- end }}\n", 0, "1 to be rendered first", 1, "[template-unrendered]"},
		"braces in a value":   {inMap(minimal + "profiles: [{schedulerName: '{{ x }}'}]\n"), 0, "1 configuration", 0, "1 configuration"},
		"one wide line":       {"x: [" + strings.Repeat("kube-scheduler, ", 200_000) + "x]\n", 0, "1 without a configuration", 1, "[kind-missing]"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			file := write(t, filepath.Join(folder, "x.yaml"), test.text)
			for _, given := range []struct {
				operand, want string
				code          int
			}{{folder, test.found, test.code}, {file, test.named, test.namedCode}} {
				start := time.Now()
				code, stdout, stderr := call("", "validate", "--target", "1.30", given.operand)
				if took := time.Since(start); took > 30*time.Second {
					t.Errorf("%s took %v", given.operand, took)
				}
				if code != given.code || !strings.Contains(stdout+stderr, given.want) {
					t.Errorf("%s: exit code %d, want %d and %q\n%.600s%.600s", given.operand, code, given.code, given.want, stdout, stderr)
				}
			}
		})
	}
}

func utf16le(text string) string {
	out := []byte("\xff\xfe")
	for i := range len(text) {
		out = append(out, text[i], 0)
	}
	return string(out)
}

// TestSpecialFiles holds that what is no file is passed over in a folder, that links which lead nowhere are
// told, and that links to folders are not followed.
func TestSpecialFiles(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "good.yaml"), minimal)
	short, err := os.MkdirTemp("", "s") // the name of a socket may not be long
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(short)
	socket, err := net.Listen("unix", filepath.Join(short, "socket.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := os.Symlink(filepath.Join(short, "socket.yaml"), filepath.Join(folder, "socket.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(folder, "pipe.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("..", filepath.Join(folder, "up.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".", filepath.Join(folder, "here")); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := call("", "validate", folder)
	if code != exitYes || !strings.Contains(stderr, "1 configuration in 3 files for Kubernetes 1.37: 0 errors, 0 warnings; skipped 2 files: 2 no file") {
		t.Errorf("exit code %d:\n%s%s", code, stdout, stderr)
	}
	if code, _, stderr := call("", "validate", filepath.Join(folder, "socket.yaml")); code != exitWrongQuestion || !strings.Contains(stderr, "socket.yaml") {
		t.Errorf("a socket: exit code %d: %s", code, stderr)
	}
	for _, link := range []string{"self.yaml", "gone.yaml"} {
		to := link
		if link == "gone.yaml" {
			to = "nowhere"
		}
		if err := os.Symlink(to, filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
		for _, operand := range []string{folder, filepath.Join(folder, link)} {
			if code, _, stderr := call("", "validate", operand); code != exitWrongQuestion || !strings.Contains(stderr, link) {
				t.Errorf("%s of %s: exit code %d: %s", link, operand, code, stderr)
			}
		}
		if err := os.Remove(filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUnreadableFolder holds that a folder without rights is told, and the rest is judged.
func TestUnreadableFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "folder")
	write(t, filepath.Join(folder, "closed", "a.yaml"), minimal)
	write(t, filepath.Join(folder, "open", "b.yaml"), minimal)
	if err := os.Chmod(filepath.Join(folder, "closed"), 0); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := unprivileged(t, folder, "validate", folder)
	if err := os.Chmod(filepath.Join(folder, "closed"), 0o755); err != nil {
		t.Fatal(err)
	}
	if code != exitWrongQuestion || !strings.Contains(stderr, `/closed": permission denied`) || !strings.Contains(stderr, "1 configuration in ") {
		t.Errorf("exit code %d:\n%s%s", code, stdout, stderr)
	}
}

// TestHeld holds that a run over many files keeps few of them: what is found in one counts for others within
// what is held at a time, and the findings are the same.
func TestHeld(t *testing.T) {
	folder := t.TempDir()
	filler := "# " + strings.Repeat("x", 1<<20) + "\n"
	for i := range 40 {
		write(t, filepath.Join(folder, fmt.Sprintf("%02d.yaml", i)), minimal+"parallelism: 0\n"+filler)
	}
	code, stdout, stderr := call("", "validate", "--quiet", folder)
	if n := strings.Count(stdout, "parallelism-range"); code != exitNo || n != 40 {
		t.Errorf("exit code %d, %d findings: %s", code, n, stderr)
	}
}
