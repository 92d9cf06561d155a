// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// macro is a line of the language that the pages may use.
var macro = regexp.MustCompile(`^\.(TH|SH|TP|PP|EX|EE)\b`)

// TestMan holds that there is a page for the program and for every command that help lists, and that a page
// says all that the help of its command does.
func TestMan(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "share", "man1")
	if code, stdout, stderr := call("", "man", folder); code != exitYes || stdout+stderr != "" {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	want := map[string]string{"schedconf.1": ""}
	app := (&program{name: programName}).app()
	for _, command := range app.VisibleCommands() {
		want["schedconf-"+command.Name+".1"] = command.Name
	}
	if names := slices.Sorted(maps.Keys(want)); !slices.Equal(got, names) {
		t.Fatalf("pages %q, want %q", got, names)
	}
	for page, command := range want {
		text, err := os.ReadFile(filepath.Join(folder, page))
		if err != nil {
			t.Fatal(err)
		}
		said := words(string(text))
		_, help, _ := call("", strings.Fields(command+" --help")...)
		if command == "" {
			_, help, _ = call("", "help")
			help, _, _ = strings.Cut(help, "GLOBAL OPTIONS") // --help, which every command has
		}
		for line := range strings.Lines(help) {
			for _, word := range strings.Fields(line) {
				if word != strings.ToUpper(word) && !strings.HasSuffix(word, ",") && !slices.Contains(said, word) && !slices.Contains(said, word+"(1)") && !slices.Contains(said, "schedconf-"+word+"(1)") {
					t.Errorf("%s lacks %q of the line %q", page, word, line)
				}
			}
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !macro.MatchString(line) {
				t.Errorf("%s has a line that is not text: %q", page, line)
			}
		}
	}
	if code, _, stderr := call("", "man"); code != exitWrongQuestion || !strings.Contains(stderr, "name one folder") {
		t.Errorf("without a folder: exit code %d: %s", code, stderr)
	}
	file := write(t, filepath.Join(t.TempDir(), "file"), "")
	if code, _, stderr := call("", "man", file); code != exitWrongQuestion || !strings.Contains(stderr, file) {
		t.Errorf("into a file: exit code %d: %s", code, stderr)
	}
}

// words reads a page as man would, as far as escapes go.
func words(page string) []string {
	plain := strings.NewReplacer(`\fB`, "", `\fR`, "", `\&`, "", `\-`, "-", `\(aq`, "'", `\(ga`, "`", `\(ha`, "^", `\(ti`, "~", `\e`, `\`)
	return strings.Fields(plain.Replace(page))
}
