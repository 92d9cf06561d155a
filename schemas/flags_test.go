// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// recordedFlag is a line of what the real programs printed with --help. Hidden flags were found by
// asking for them.
type recordedFlag struct {
	Minor, Section, Name, Type string
	Default                    *string
	Deprecated, Hidden         bool
}

func recordedFlags(t *testing.T) []recordedFlag {
	t.Helper()
	file, err := os.Open("../testdata/recorded/flags.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []recordedFlag
	for decoder := json.NewDecoder(packed); ; {
		var f recordedFlag
		if err := decoder.Decode(&f); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
}

// recordedTypes are the words of --help that differ from ours: some releases name a value instead
// of its type.
var recordedTypes = map[string]string{
	"endpoints": "string", "version[=true]": "version", "pattern=N,...": "moduleSpec", "Level": "int32",
	"mapStringBool": "featureGates", "colonSeparatedMultimapStringString": "componentGates",
}

// unrecorded are flags that the recorded programs lack, since the main function of the real one adds
// them, and the minors in which they are.
var unrecorded = map[string]Span{
	"add-dir-header": {First: Minor{"1.21"}, Last: Minor{"1.25"}}, "log-backtrace-at": {First: Minor{"1.21"}, Last: Minor{"1.25"}},
	"log-dir": {First: Minor{"1.21"}, Last: Minor{"1.25"}}, "log-file": {First: Minor{"1.21"}, Last: Minor{"1.25"}},
	"log-file-max-size": {First: Minor{"1.21"}, Last: Minor{"1.25"}}, "one-output": {First: Minor{"1.21"}, Last: Minor{"1.25"}},
	"skip-headers": {First: Minor{"1.21"}, Last: Minor{"1.25"}}, "skip-log-headers": {First: Minor{"1.21"}, Last: Minor{"1.25"}},
	"log-json-info-buffer-size": {First: Minor{"1.23"}, Last: Minor{"1.37"}}, "log-json-split-stream": {First: Minor{"1.23"}, Last: Minor{"1.37"}},
}

// TestRecordedFlags holds that every release has the flags that its program has, and no other, as
// the program shows them.
func TestRecordedFlags(t *testing.T) {
	recorded := map[string]map[string]bool{}
	for _, want := range recordedFlags(t) {
		minor, err := ParseMinor(want.Minor)
		if err != nil {
			t.Fatal(err)
		}
		if recorded[want.Minor] == nil {
			recorded[want.Minor] = map[string]bool{}
		}
		recorded[want.Minor][want.Name] = true
		got, ok := For(minor).Flag(want.Name)
		if !ok {
			t.Errorf("%s: --%s is missing", want.Minor, want.Name)
			continue
		}
		if got.Hidden != want.Hidden {
			t.Errorf("%s: --%s is hidden: %t", want.Minor, want.Name, got.Hidden)
		}
		if want.Hidden {
			continue
		}
		if word, ok := recordedTypes[want.Type]; ok {
			want.Type = word
		}
		if got.Section != want.Section || got.Type != want.Type || (got.Deprecated != "") != want.Deprecated {
			t.Errorf("%s: --%s: got %+v, want %+v", want.Minor, want.Name, got, want)
		}
		zero := []string{"", "false", "0", "[]"}
		// The format json and with it the default is added by the main function.
		if want.Default == nil && !slices.Contains(zero, got.Default) && want.Name != "logging-format" || want.Default != nil && *want.Default != got.Default {
			t.Errorf("%s: --%s: default %q, want %v", want.Minor, want.Name, got.Default, want.Default)
		}
	}
	for _, minor := range Minors() {
		if len(recorded[minor.String()]) < 50 {
			t.Errorf("%s: only %d flags are recorded", minor, len(recorded[minor.String()]))
		}
		for _, flag := range For(minor).Flags() {
			s, added := unrecorded[flag.Name]
			added = added && ordinal(s.First) <= ordinal(minor) && ordinal(minor) <= ordinal(s.Last)
			if added == recorded[minor.String()][flag.Name] {
				t.Errorf("%s: --%s: recorded %t, added by main %t", minor, flag.Name, !added, added)
			}
		}
	}
}

// TestFlagFiles holds that a flags.json has no name that nothing reads, and only known words.
func TestFlagFiles(t *testing.T) {
	words := map[string][]string{
		"withConfig": {"", "honoured", "ignored", "overrides", "appliedOnTop", "replacesProfiles", "none"},
		"type": {"bool", "int", "int32", "uint", "float32", "duration", "ip", "string", "strings", "int32Slice", "stringToString", "featureGates", "componentGates",
			"namedCertKey", "quantity", "severity", "traceLocation", "moduleSpec", "version"},
		"operands":   {"reported", "refused"},
		"lockObject": {"", "last", "leaderElectResource"},
	}
	known := func(minor Minor, kind, word string) {
		if !slices.Contains(words[kind], word) {
			t.Errorf("%s: unknown %s %q", minor, kind, word)
		}
	}
	for _, minor := range Minors() {
		release := For(minor)
		data, err := files.ReadFile(minor.text + "/flags.json")
		if err != nil {
			t.Fatal(err)
		}
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&flagFile{}); err != nil {
			t.Errorf("%s: %v", minor, err)
		}
		behaviour := release.FlagBehaviour()
		known(minor, "operands", behaviour.Operands)
		known(minor, "lockObject", behaviour.LockObject)
		if _, ok := release.Flag("lock-object-name"); ok != (behaviour.LockObject != "") {
			t.Errorf("%s: lockObject is %q", minor, behaviour.LockObject)
		}
		seen := map[string]bool{}
		for _, flag := range release.Flags() {
			known(minor, "type", flag.Type)
			known(minor, "withConfig", flag.WithConfig)
			if seen[flag.Name] || strings.ContainsAny(flag.Name, "_ =") {
				t.Errorf("%s: bad or repeated name %q", minor, flag.Name)
			}
			seen[flag.Name] = true
			if own := ComponentsWith(flag.Name); len(own) > 0 {
				t.Errorf("%s: --%s is listed as a flag of %v", minor, flag.Name, own)
			}
		}
	}
}

// TestFlagSpan takes its values from the table of removed flags in the release notes.
func TestFlagSpan(t *testing.T) {
	for name, want := range map[string]string{
		"config": "every known minor", "algorithm-provider": "1.16 to 1.21", "scheduler-name": "1.16 to 1.21",
		"policy-configmap": "1.16 to 1.22", "port": "1.16 to 1.23", "experimental-logging-sanitization": "1.20 to 1.23",
		"alsologtostderr": "1.16 to 1.25", "lock-object-name": "1.16 to 1.27", "pod-max-in-unschedulable-pods-duration": "since 1.24",
		"emulated-version": "since 1.31", "tls-curve-preferences": "since 1.36",
	} {
		if got, ok := FlagSpan(name); !ok || got.String() != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if _, ok := FlagSpan("etcd-servers"); ok {
		t.Error("etcd-servers is no flag of kube-scheduler")
	}
	flag, in, ok := FlagBefore("policy-configmap", Minor{"1.30"})
	if !ok || in.text != "1.22" || !strings.Contains(flag.Deprecated, "profiles") {
		t.Errorf("policy-configmap before 1.30: %+v in %s", flag, in)
	}
}
