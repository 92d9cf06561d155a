// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"
)

const (
	casesFile    = "cases.json"
	verdictsFile = "verdicts.jsonl.gz"
)

// verdict is what a kube-scheduler did with a case, as the recordings have it.
type verdict struct {
	Accepted bool    `json:"accepted"`
	Case     string  `json:"case"`
	Minor    string  `json:"minor"`
	Stage    *string `json:"stage"`
	Written  string  `json:"written,omitempty"`
}

// recordVerdicts asks a kube-scheduler of the minor for its verdict on every case that concerns it, and
// replaces the rows of the minor in the recordings.
func recordVerdicts(minor, out, recorded, binary string) error {
	if binary == "" {
		return errors.New("name the kube-scheduler to ask with -binary")
	}
	binary, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	cases, err := casesOf(minor, out, recorded)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "record")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	var rows bytes.Buffer
	encoder := json.NewEncoder(&rows)
	encoder.SetEscapeHTML(false)
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		v, err := ask(binary, work, cases[name])
		if err != nil {
			return fmt.Errorf("case %s: %w", name, err)
		}
		v.Case, v.Minor = name, minor
		if err := encoder.Encode(v); err != nil {
			return err
		}
	}
	return replaceRows(filepath.Join(recorded, verdictsFile), minor, rows.Bytes())
}

// casesOf returns the cases that a minor is asked: those of the apiVersions that it reads, those that
// are of none, and the smallest of every other.
func casesOf(minor, out, recorded string) (map[string]string, error) {
	var release struct {
		APIs []struct {
			APIVersion string `json:"apiVersion"`
		} `json:"apis"`
	}
	var cases map[string]string
	for name, value := range map[string]any{filepath.Join(out, minor, releaseFile): &release, filepath.Join(recorded, casesFile): &cases} {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, value); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	wanted := map[string]bool{"raw": true}
	for _, api := range release.APIs {
		wanted[path.Base(api.APIVersion)] = true
	}
	maps.DeleteFunc(cases, func(name, _ string) bool { return !wanted[path.Dir(name)] && path.Base(name) != "minimal.yaml" })
	return cases, nil
}

// patience is far more than a kube-scheduler needs to read and write a configuration.
const patience = 30 * time.Second

// ask starts kube-scheduler with a configuration and a server that does not exist. It ends when it has
// refused the configuration, or has built its profiles and written it.
func ask(binary, work, text string) (verdict, error) {
	in, written := filepath.Join(work, "in.yaml"), filepath.Join(work, "out.yaml")
	if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
		return verdict{}, err
	}
	if err := os.RemoveAll(written); err != nil {
		return verdict{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "--config", in, "--master", "http://127.0.0.1:1", "--write-config-to", written)
	cmd.Dir = work
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	switch failure := (*exec.ExitError)(nil); {
	case ctx.Err() != nil:
		return verdict{}, fmt.Errorf("%s did not end", binary)
	case errors.As(err, &failure):
		stage := stageOf(messageOf(stderr.String()))
		return verdict{Stage: &stage}, nil
	case err != nil:
		return verdict{}, err
	}
	answer, err := os.ReadFile(written)
	return verdict{Accepted: true, Written: string(answer)}, err
}

var failureText = regexp.MustCompile(`"command failed" err=("(?:[^"\\]|\\.)*")`)

// messageOf returns the reason in what a kube-scheduler printed.
func messageOf(stderr string) string {
	match := failureText.FindStringSubmatch(stderr)
	if match == nil {
		return stderr
	}
	message, err := strconv.Unquote(match[1])
	if err != nil {
		return match[1]
	}
	return message
}

var (
	environmentText = regexp.MustCompile(`: no such file or directory$`)
	constructText   = regexp.MustCompile(`^(initializing profiles|couldn't build extenders|couldn't create scheduler|couldn't create resource lock)|(?m)^panic: `)
	validateText    = regexp.MustCompile(`: (Invalid|Required|Unsupported|Duplicate) value|: Forbidden`)
)

// stageOf tells from the message at which stage a kube-scheduler refused.
func stageOf(message string) string {
	switch {
	case environmentText.MatchString(message):
		return "environment"
	case constructText.MatchString(message):
		return "construct"
	case validateText.MatchString(message):
		return "validate"
	}
	return "decode"
}

// replaceRows puts rows in the place of those that the file has for the minor, at its end. All others
// stay as they are.
func replaceRows(name, minor string, rows []byte) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var kept bytes.Buffer
	for reader := bufio.NewReader(packed); ; {
		line, err := reader.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var row verdict
			if err := json.Unmarshal(line, &row); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if row.Minor != minor {
				kept.Write(bytes.TrimSpace(line))
				kept.WriteByte('\n')
			}
		}
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	kept.Write(rows)
	var text bytes.Buffer
	writer, err := gzip.NewWriterLevel(&text, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := writer.Write(kept.Bytes()); err != nil {
		return err
	}
	if err := writer.Close(); err != nil {
		return err
	}
	return os.WriteFile(name, text.Bytes(), 0o644)
}
