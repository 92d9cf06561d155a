// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// program is the name of the file that an engine is.
const program = "schedconf-engine"

// stopWait is how long an engine gets to write what it knows after it was told to end.
const stopWait = 5 * time.Second

// ErrNoEngine is what Find answers when there is none.
var ErrNoEngine = errors.New("the engine that a dry run needs is not here: build it with 'make engine', or name it with --engine or SCHEDCONF_ENGINE")

// Find is the path of the engine: the one that is named, the one of the variable SCHEDCONF_ENGINE, the one
// beside this program, or the one in PATH.
func Find(named string) (string, error) {
	for _, path := range []string{named, os.Getenv("SCHEDCONF_ENGINE")} {
		if path == "" {
			continue
		}
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("the engine %q cannot be run: %w; build one with 'make engine'", path, err)
		}
		return path, nil
	}
	if self, err := os.Executable(); err == nil {
		if beside := filepath.Join(filepath.Dir(self), program); executable(beside) {
			return beside, nil
		}
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", ErrNoEngine
	}
	return path, nil
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// Run asks an engine. When ctx is done the engine is told to end, and what it knows by then is the report,
// marked as partial. An error is an engine that has no answer, or none of this protocol.
func Run(ctx context.Context, engine string, request Request) (*Report, error) {
	request.Protocol = Protocol
	question, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("ask the engine: %w", err)
	}
	command := exec.CommandContext(ctx, engine)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = stopWait
	var out bytes.Buffer
	var errs head
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(question), &out, &errs
	ownGroup(command)
	failed := command.Run()
	if errors.Is(failed, context.Canceled) || errors.Is(failed, context.DeadlineExceeded) {
		failed = nil // it was told to end, and did
	}
	var report Report
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || failed != nil {
		return nil, fmt.Errorf("the engine %q has no result: %s", engine, reason(failed, err, errs.String()))
	}
	switch {
	case report.Protocol != Protocol:
		return nil, fmt.Errorf("the engine %q speaks protocol %d, and this schedconf %d: build it again with 'make engine'", engine, report.Protocol, Protocol)
	case report.Error != "":
		return nil, errors.New(report.Error)
	}
	return &report, nil
}

// reason is why an engine has no result: how it ended, and the last that it said.
func reason(failed, unread error, said string) string {
	text := "what it writes is no report"
	if failed != nil {
		text = failed.Error()
	} else if unread != nil && said == "" {
		text += ": " + unread.Error()
	}
	if said = strings.TrimSpace(said); said != "" {
		text += ": " + said
	}
	return text
}

// head keeps the first few lines of what is written: a crash says what it is first.
type head struct{ bytes.Buffer }

func (h *head) Write(p []byte) (int, error) {
	if room := 2000 - h.Len(); room > 0 {
		h.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
