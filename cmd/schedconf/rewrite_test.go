// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/source"
)

// TestWriteBytes holds that a byte order mark, line breaks and other documents stay.
func TestWriteBytes(t *testing.T) {
	for name, text := range map[string]string{
		"CRLF":          "# head\r\napiVersion: kubescheduler.config.k8s.io/v1beta3 # old\r\nkind: KubeSchedulerConfiguration\r\n\r\nparallelism: 8\r\n",
		"mark":          "\ufeffapiVersion: \"kubescheduler.config.k8s.io/v1beta3\"\nkind: KubeSchedulerConfiguration\nparallelism: 8\n",
		"documents":     "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\nparallelism: 8\n---\na:   [ 1 ]\t# x\n...\n---\n\n",
		"no break":      "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\nparallelism: 8",
		"flow style":    "--- # flow\n{apiVersion: kubescheduler.config.k8s.io/v1beta3,\n kind: KubeSchedulerConfiguration, # which\n parallelism: 8}\n",
		"compact JSON":  `{"apiVersion":"kubescheduler.config.k8s.io/v1beta3","kind":"KubeSchedulerConfiguration","parallelism":8}`,
		"anchors":       "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\nparallelism: &n 8\npodMaxBackoffSeconds: *n\n",
		"indented keys": "  apiVersion: kubescheduler.config.k8s.io/v1beta3\n  kind: KubeSchedulerConfiguration\n  parallelism: 8\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, filepath.Join(t.TempDir(), "sched.yaml"), text)
			want := strings.Replace(text, "v1beta3", "v1", 1)
			for range 2 {
				code, stdout, stderr := call("", "convert", "--to", "v1", "--write", path)
				if code != exitYes || stdout != "" {
					t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
				}
				if got, err := os.ReadFile(path); err != nil || string(got) != want {
					t.Errorf("got %q, want %q", got, want)
				}
			}
		})
	}
}

func TestFileDiff(t *testing.T) {
	got := fileDiff("a\nb", "a\nc", "f")
	if want := "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLossFindings(t *testing.T) {
	path, pos := diag.Path{"a"}, diag.Position{File: "f", Line: 2, Column: 3}
	list := lossFindings([]source.Loss{
		{Kind: source.LostComment, Path: path, Pos: pos}, {Kind: source.LostComment, Path: path},
		{Kind: source.LostAlias, Path: path}, {Kind: source.LostStyle, Path: diag.Path{"b"}},
	})
	if len(list) != 3 || list[0].Message != "2 comments go with what they are about" || list[0].Pos != pos || list[1].Severity != diag.Info {
		t.Errorf("got %+v", list)
	}
}
