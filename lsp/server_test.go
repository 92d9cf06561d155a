// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/creachadair/jrpc2/channel"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/validation"
)

// fake is a tool whose answers a test decides about.
type fake struct {
	check  func() (diag.List, error)
	scheme func()
}

func (f fake) Check(string) (diag.List, error)                         { return f.check() }
func (f fake) Fixed(string) ([]byte, error)                            { return nil, io.ErrUnexpectedEOF }
func (f fake) Effective(string, *schemas.Release, int) (string, error) { panic("hunter2") }
func (f fake) Scheme(*validation.File, int) (*scheme.Scheme, error) {
	f.scheme()
	minors := schemas.Minors()
	release := schemas.For(minors[len(minors)-1])
	gates, err := release.NewGates(nil)
	if err != nil {
		return nil, err
	}
	return scheme.New(release, gates)
}

// wire is the editor's end of a session.
type wire struct {
	t *testing.T
	channel.Channel
}

func connect(t *testing.T, tool Tool) wire {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer out.Close()
		_ = Serve(in, out, "test", Settings{}, func(Settings, Open) (Tool, error) { return tool, nil })
	}()
	w := wire{t, channel.Header("")(fromServer, toServer)}
	t.Cleanup(func() { w.Close(); fromServer.Close(); <-ended })
	w.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{}}}`)
	w.receive(`"id":0`)
	return w
}

func (w wire) send(format string, args ...any) {
	w.t.Helper()
	if err := w.Send(fmt.Appendf(nil, format, args...)); err != nil {
		w.t.Fatal(err)
	}
}

// receive returns the first message with a part.
func (w wire) receive(part string) string {
	w.t.Helper()
	for {
		message, err := w.Recv()
		if err != nil {
			w.t.Fatalf("%v before %s", err, part)
		}
		if strings.Contains(string(message), part) {
			return string(message)
		}
	}
}

func (w wire) open(uri, text string) {
	w.t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		w.t.Fatal(err)
	}
	w.send(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":%q,"version":1,"text":%s}}}`, uri, quoted)
}

const configuration = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

// TestPanic holds that a bug costs one answer, and says nothing of the text.
func TestPanic(t *testing.T) {
	w := connect(t, fake{check: func() (diag.List, error) { panic("hunter2") }, scheme: func() {}})
	w.open("file:///a.yaml", configuration)
	if got := w.receive("window/showMessage"); !strings.Contains(got, "a bug in schedconf at server_test.go:") || strings.Contains(got, "hunter2") {
		t.Error(got)
	}
	w.send(`{"jsonrpc":"2.0","id":1,"method":"workspace/executeCommand","params":{"command":"schedconf.effective","arguments":["file:///a.yaml"]}}`)
	if got := w.receive(`"id":1`); !strings.Contains(got, "-32603") || strings.Contains(got, "hunter2") {
		t.Error(got)
	}
	w.send(`{"jsonrpc":"2.0","id":2,"method":"textDocument/codeLens","params":{"textDocument":{"uri":"file:///a.yaml"}}}`)
	if got := w.receive(`"id":2`); !strings.Contains(got, "schedconf.effective") {
		t.Error(got)
	}
}

// TestCancel holds that a request that was cancelled is answered as such.
func TestCancel(t *testing.T) {
	asked, release := make(chan struct{}), make(chan struct{})
	w := connect(t, fake{check: func() (diag.List, error) { return nil, nil }, scheme: func() { asked <- struct{}{}; <-release }})
	w.open("file:///a.yaml", configuration)
	w.receive("publishDiagnostics")
	w.send(`{"jsonrpc":"2.0","id":"x","method":"textDocument/codeLens","params":{"textDocument":{"uri":"file:///a.yaml"}}}`)
	<-asked
	w.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"x"}}`)
	w.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"unknown"}}`)
	w.send(`{"jsonrpc":"2.0","id":7,"method":"workspace/executeCommand","params":{"command":"none"}}`)
	w.receive(`"id":7`) // so that the notifications are through
	close(release)
	if got := w.receive(`"id":"x"`); !strings.Contains(got, "-32800") {
		t.Error(got)
	}
}

// TestOvertaking holds that a request is answered for the text before an edit that is sent right behind it.
func TestOvertaking(t *testing.T) {
	w := connect(t, fake{check: func() (diag.List, error) { return nil, nil }, scheme: func() {}})
	w.open("file:///a.yaml", configuration)
	w.receive("publishDiagnostics")
	quoted, err := json.Marshal(configuration)
	if err != nil {
		t.Fatal(err)
	}
	const rounds = 200
	go func() {
		for i := range rounds {
			w.send(`{"jsonrpc":"2.0","id":%d,"method":"textDocument/codeLens","params":{"textDocument":{"uri":"file:///a.yaml"}}}`, i+10)
			w.send(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a.yaml","version":%d},"contentChanges":[{"text":"a: 1"}]}}`, 2*i+2)
			w.send(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a.yaml","version":%d},"contentChanges":[{"text":%s}]}}`, 2*i+3, quoted)
		}
	}()
	for answers := 0; answers < rounds; answers++ {
		if got := w.receive(`"result":`); !strings.Contains(got, "schedconf.effective") {
			t.Fatalf("answer %d: %s", answers, got)
		}
	}
}

// TestOutdated holds that a text that changes while it is checked gets the findings of its newest version alone.
func TestOutdated(t *testing.T) {
	checking, release := make(chan struct{}, 10), make(chan struct{})
	w := connect(t, fake{check: func() (diag.List, error) { checking <- struct{}{}; <-release; return nil, nil }, scheme: func() {}})
	w.open("file:///a.yaml", configuration)
	<-checking
	for version := range 20 {
		w.send(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a.yaml","version":%d},"contentChanges":[{"text":"a: 1"}]}}`, version+2)
	}
	w.send(`{"jsonrpc":"2.0","id":1,"method":"workspace/executeCommand","params":{"command":"none"}}`)
	w.receive(`"id":1`)
	close(release)
	if got := w.receive("publishDiagnostics"); !strings.Contains(got, `"version":21`) {
		t.Error(got)
	}
	select {
	case <-checking:
	case <-time.After(time.Minute):
		t.Fatal("the newest version is not checked")
	}
	if n := len(checking); n != 0 {
		t.Errorf("%d more versions are checked", n)
	}
}
