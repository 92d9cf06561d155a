// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	// EngineName is the file name of the engine.
	EngineName = "schedconf-engine"
	// EngineVariable is the environment variable that names an engine.
	EngineVariable = "SCHEDCONF_ENGINE"
	// buildEngine is what a user without an engine has to do.
	buildEngine = `build it with "make engine" in the sources of schedconf`
)

// ErrNoEngine is the error of Find where there is no engine. Its text says how to get one.
var ErrNoEngine = errors.New("no " + EngineName + " beside this program or in $PATH: " + buildEngine + ", or name one with --engine or $" + EngineVariable)

// Find returns the path of the engine: the one that is named, that of $SCHEDCONF_ENGINE, the one beside
// the running executable, or the one in $PATH.
func Find(named string) (string, error) {
	source, path := "--engine", named
	if path == "" {
		source, path = "$"+EngineVariable, os.Getenv(EngineVariable)
	}
	if path != "" {
		info, err := os.Stat(path)
		var pathError *fs.PathError
		switch {
		case errors.As(err, &pathError):
			err = pathError.Err
		case err == nil && info.IsDir():
			err = errors.New("it is a folder")
		}
		if err != nil {
			return "", fmt.Errorf("%s names the engine %q: %w; %s", source, path, err, buildEngine)
		}
		return path, nil
	}
	if own, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(own); err == nil {
			own = real
		}
		beside := filepath.Join(filepath.Dir(own), EngineName)
		if info, err := os.Stat(beside); err == nil && !info.IsDir() {
			return beside, nil
		}
	}
	if path, err := exec.LookPath(EngineName); err == nil {
		return path, nil
	}
	return "", ErrNoEngine
}

// patience is how long an engine may take to end after it was asked to.
const patience = 10 * time.Second

// EngineError is an engine that did not answer: it is missing, old, or it crashed. Refused is true
// where it did answer, and the answer is that the request makes no sense.
type EngineError struct {
	Refused bool
	text    string
}

func (e *EngineError) Error() string { return e.text }

// Ask runs the engine at path and returns its report. When ctx is done the engine is interrupted, and
// the report says that it is partial. progress is told how far it is; it may be nil. An error is an
// *EngineError, or one of the operating system. The caller closes the report.
func Ask(ctx context.Context, path string, request Request, progress func(Progress)) (*Report, error) {
	request.Protocol = Protocol
	question, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, path, "run")
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = patience
	answer := answerReader{}
	if request.Stream {
		if answer.spool, err = newSpool(); err != nil {
			return nil, err
		}
	}
	report, err := answer.ask(ctx, command, question, progress)
	if err != nil && answer.spool != nil {
		return nil, errors.Join(err, answer.spool.close())
	}
	return report, err
}

// ask runs the engine. The report has the spool.
func (a *answerReader) ask(ctx context.Context, command *exec.Cmd, question []byte, progress func(Progress)) (*Report, error) {
	path := command.Path
	complaint := complaints{progress: progress}
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(question), a.lines(), &lines{each: complaint.take}
	ended := command.Run()
	if a.failed != nil {
		return nil, fmt.Errorf("keep what the engine explains: %w", a.failed)
	}
	var exit *exec.ExitError
	if ended != nil && !errors.As(ended, &exit) && !errors.Is(ended, ctx.Err()) {
		return nil, fmt.Errorf("start the engine %q: %w", path, ended)
	}
	report, err := a.parse()
	if err != nil {
		return nil, &EngineError{text: fmt.Sprintf("the engine %q ended without a report%s", path, lastWords(ended, complaint.text.String()))}
	}
	switch {
	case report.Protocol != Protocol:
		return nil, &EngineError{text: fmt.Sprintf("the engine %q speaks protocol %d, and this program %d: %s", path, report.Protocol, Protocol, buildEngine)}
	case report.Error != "":
		return nil, &EngineError{Refused: true, text: report.Error}
	case exit != nil:
		return nil, &EngineError{text: fmt.Sprintf("the engine %q failed%s", path, lastWords(ended, complaint.text.String()))}
	}
	report.spool = a.spool
	return report, nil
}

// lines hands on what is written to it line by line, without the line ends.
type lines struct {
	each func(line []byte) error
	// rest is the line that has not ended yet.
	rest []byte
}

// Write implements io.Writer.
func (l *lines) Write(data []byte) (int, error) {
	for after := data; len(after) > 0; {
		part, left, whole := bytes.Cut(after, []byte("\n"))
		l.rest = append(l.rest, part...)
		after = left
		if !whole {
			break
		}
		if err := l.each(l.rest); err != nil {
			return 0, err
		}
		l.rest = l.rest[:0]
	}
	return len(data), nil
}

// mostComplaints is how much of what an engine says is kept: the first line of it counts.
const mostComplaints = 1 << 16

// complaints takes standard error apart: lines that tell of progress, and what an engine has to say
// before it dies.
type complaints struct {
	progress func(Progress)
	text     bytes.Buffer
}

func (c *complaints) take(line []byte) error {
	var progress Progress
	if err := json.Unmarshal(line, &progress); err == nil {
		if c.progress != nil {
			c.progress(progress)
		}
	} else if c.text.Len() < mostComplaints {
		c.text.Write(line)
		c.text.WriteByte('\n')
	}
	return nil
}

// lastWords are how a process ended and the first line of what it said, which is that of a panic.
func lastWords(ended error, complaint string) string {
	words := ""
	if ended != nil {
		words = ": " + ended.Error()
	}
	if line, _, _ := strings.Cut(strings.TrimSpace(complaint), "\n"); line != "" {
		words += ": " + line
	}
	return words
}
