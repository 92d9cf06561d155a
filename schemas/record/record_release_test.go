// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

//go:build integration

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// again are minors whose sources are read again: the oldest with its Policy, one with several
// apiVersions, and the newest. Their modules are downloaded.
func again(t *testing.T) []string {
	t.Helper()
	all, err := recordedMinors()
	if err != nil {
		t.Fatal(err)
	}
	return []string{all[0], "1.22", all[len(all)-1]}
}

// TestSchemasAgain holds that the committed schemas are what the sources of the releases say.
func TestSchemasAgain(t *testing.T) {
	for _, minor := range again(t) {
		t.Run(minor, func(t *testing.T) {
			out := t.TempDir()
			if err := record(minor, out); err != nil {
				t.Fatal(err)
			}
			got, want := schemasIn(t, filepath.Join(out, minor)), schemasIn(t, filepath.Join("..", minor))
			if len(want) == 0 {
				t.Error("no schema is committed")
			}
			for name := range got {
				if want[name] == nil {
					t.Errorf("%s is not committed", name)
				}
			}
			for name, text := range want {
				if !bytes.Equal(got[name], text) {
					t.Errorf("%s differs from what the sources say", name)
				}
			}
		})
	}
}

// TestReleaseAgain holds that the plugins, points, default plugins, args kinds and feature gates of the
// committed release.json are what the sources say, whatever its layout.
func TestReleaseAgain(t *testing.T) {
	for _, minor := range again(t) {
		t.Run(minor, func(t *testing.T) {
			out := t.TempDir()
			committed, err := os.ReadFile(filepath.Join("..", minor, releaseFile))
			if err != nil {
				t.Fatal(err)
			}
			value, err := parseOrdered(committed)
			if err != nil {
				t.Fatal(err)
			}
			want := formatOrdered(value)
			if err := os.MkdirAll(filepath.Join(out, minor), 0o755); err != nil {
				t.Fatal(err)
			}
			name := filepath.Join(out, minor, releaseFile)
			if err := os.WriteFile(name, committed, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := writeRelease(minor, out, io.Discard); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(got)) {
				if !strings.Contains(string(want), line) {
					t.Errorf("the sources say %s", line)
				}
			}
			for line := range strings.Lines(string(want)) {
				if !strings.Contains(string(got), line) {
					t.Errorf("the sources do not say %s", line)
				}
			}
		})
	}
}

func schemasIn(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string][]byte{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(path)] = text
	}
	return texts
}
