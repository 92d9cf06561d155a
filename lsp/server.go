// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	protocol "github.com/tliron/glsp/protocol_3_16"
)

// The errors of the protocol that JSON-RPC does not have.
const (
	notInitialized   jrpc2.Code = -32002
	requestCancelled jrpc2.Code = -32800
)

// ErrNotShutDown is the end of a session that the editor did not announce.
var ErrNotShutDown = errors.New("the editor ended the session without a shutdown request")

// server is one session with an editor.
type server struct {
	version  string
	newTool  NewTool
	rpc      *jrpc2.Server
	docs     documents
	exit     chan struct{}
	exitOnce sync.Once

	// state is guarded by lock.
	lock     sync.Mutex
	state    state
	settings Settings
	client   client

	// checks judges texts in the background, and lookups answers what somebody waits for, so that a large
	// text that is checked does not hold up another.
	checks, lookups *bench
	publisher       *publisher
}

type state int

const (
	fresh state = iota
	running
	shutDown
)

// bench is a tool and who may use it: one at a time. It is made anew when settings change.
type bench struct {
	make func() (Tool, error)
	lock sync.Mutex
	tool Tool
}

func (b *bench) use(do func(Tool) error) error {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.tool == nil {
		tool, err := b.make()
		if err != nil {
			return err
		}
		b.tool = tool
	}
	return do(b.tool)
}

func (b *bench) reset() {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.tool = nil
}

// Serve talks with an editor until it says goodbye, or its stream ends. Version is that of the program. An error means
// that the stream is none of the protocol, or ErrNotShutDown.
func Serve(in io.Reader, out io.Writer, version string, settings Settings, newTool NewTool) error {
	s := &server{
		version: version, newTool: newTool, settings: settings, exit: make(chan struct{}),
		docs: documents{open: map[protocol.DocumentUri]*document{}},
	}
	s.checks, s.lookups = &bench{make: s.makeTool}, &bench{make: s.makeTool}
	s.publisher = newPublisher(s)
	defer s.publisher.stop()
	s.rpc = jrpc2.NewServer(&order{methods: s.methods()}, &jrpc2.ServerOptions{
		AllowPush: true, DisableBuiltin: true, Concurrency: maxRequests,
	})
	s.rpc.Start(&guarded{channel.Header("")(bufio.NewReaderSize(in, 1<<16), writer{out})})
	ended := make(chan error, 1)
	go func() { ended <- s.rpc.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return err
		}
	case <-s.exit:
		// Who reads the input cannot be woken, and need not be.
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.state == running {
		return ErrNotShutDown
	}
	return nil
}

// maxRequests is how many requests wait at a time. Those that wait for an earlier one have to be among them.
const maxRequests = 1 << 20

// writer is standard output, which nobody but the protocol writes to.
type writer struct{ io.Writer }

func (writer) Close() error { return nil }

// Write sends a message at once.
func (w writer) Write(data []byte) (int, error) {
	n, err := w.Writer.Write(data)
	if buffered, ok := w.Writer.(interface{ Flush() error }); ok && err == nil {
		err = buffered.Flush()
	}
	return n, err
}

// guarded is a channel that takes any content type, since there is one, and survives a length which no message
// has.
type guarded struct{ channel.Channel }

func (g *guarded) Recv() (message []byte, err error) {
	defer func() {
		if recover() != nil {
			message, err = nil, errors.New("a message says that it is longer than memory")
		}
	}()
	message, err = g.Channel.Recv()
	if other := (*channel.ContentTypeMismatchError)(nil); errors.As(err, &other) {
		err = nil
	}
	return message, err
}

// methods are what the server understands. What is not there is answered as unknown.
func (s *server) methods() map[string]method {
	return map[string]method{
		"initialize":                          call(s, fresh, s.initialize),
		"initialized":                         note(s, s.initialized),
		"shutdown":                            call(s, running, s.shutdown),
		"exit":                                s.leave,
		"$/cancelRequest":                     note(s, s.cancel),
		"$/setTrace":                          note(s, func(*struct{}) error { return nil }),
		"textDocument/didOpen":                note(s, s.didOpen),
		"textDocument/didChange":              note(s, s.didChange),
		"textDocument/didSave":                note(s, s.didSave),
		"textDocument/didClose":               note(s, s.didClose),
		"workspace/didChangeConfiguration":    note(s, s.didChangeConfiguration),
		"workspace/didChangeWatchedFiles":     note(s, s.didChangeWatchedFiles),
		"workspace/didChangeWorkspaceFolders": note(s, func(*struct{}) error { return nil }),
		"textDocument/hover":                  about(s, s.hover),
		"textDocument/completion":             about(s, s.completion),
		"textDocument/codeAction":             about(s, s.codeActions),
		"textDocument/codeLens":               about(s, s.codeLenses),
		"workspace/executeCommand":            call(s, running, s.executeCommand),
	}
}

// call makes a method of a request that is answered in one state of the session alone.
func call[P any](s *server, in state, do func(context.Context, *P) (any, error)) method {
	return func(ctx context.Context, request *jrpc2.Request, begin func()) (result any, err error) {
		defer survive(&err)
		if err := s.expect(in); err != nil {
			return nil, err
		}
		params := new(P)
		if err := read(request, params); err != nil {
			return nil, err
		}
		// A request that changes the state of the session is over before the next one begins.
		if in == running && request.Method() != "shutdown" {
			begin()
		}
		return do(ctx, params)
	}
}

// note makes a method of a notification. Nobody waits for an answer, so what is wrong is told as a message.
func note[P any](s *server, do func(*P) error) method {
	return func(_ context.Context, request *jrpc2.Request, _ func()) (result any, err error) {
		defer func() {
			if err != nil {
				s.tell(protocol.MessageTypeWarning, request.Method()+": "+words(err))
			}
		}()
		defer survive(&err)
		if s.expect(running) != nil {
			return nil, nil // it is to be dropped, says the protocol
		}
		params := new(P)
		if err := read(request, params); err != nil {
			return nil, err
		}
		return nil, do(params)
	}
}

// about makes a method of a request about an open file, which is answered for the text that it has when its
// turn comes.
func about[P any](s *server, do func(context.Context, *document, *P) (any, error)) method {
	return func(ctx context.Context, request *jrpc2.Request, begin func()) (result any, err error) {
		defer survive(&err)
		if err := s.expect(running); err != nil {
			return nil, err
		}
		var where struct {
			TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
		}
		params := new(P)
		if err := errors.Join(read(request, &where), read(request, params)); err != nil {
			return nil, invalid("%s", err)
		}
		doc, ok := s.docs.get(where.TextDocument.URI)
		if !ok {
			return nil, invalid("%q is not open: send textDocument/didOpen first", where.TextDocument.URI)
		}
		begin()
		result, err = do(ctx, doc, params)
		if ctx.Err() != nil {
			return nil, &jrpc2.Error{Code: requestCancelled, Message: "cancelled"}
		}
		return result, err
	}
}

// expect says what is wrong with a message that comes at the wrong time.
func (s *server) expect(want state) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	switch {
	case s.state == want:
		return nil
	case s.state == fresh:
		return &jrpc2.Error{Code: notInitialized, Message: "send initialize first"}
	case s.state == shutDown:
		return &jrpc2.Error{Code: jrpc2.InvalidRequest, Message: "the session was shut down: send exit, and start a new one"}
	}
	return &jrpc2.Error{Code: jrpc2.InvalidRequest, Message: "the session is initialized already"}
}

func invalid(format string, args ...any) error {
	return &jrpc2.Error{Code: jrpc2.InvalidParams, Message: fmt.Sprintf(format, args...)}
}

// read reads parameters. More than is known of them is what newer clients send.
func read(request *jrpc2.Request, params any) error {
	if !request.HasParams() {
		return nil
	}
	if err := json.Unmarshal([]byte(request.ParamString()), params); err != nil {
		return invalid("the parameters of %s: %s", request.Method(), err)
	}
	return nil
}

// survive, deferred, turns a panic into an error that says where it happened, and nothing of the text that it was about.
func survive(err *error) {
	if recover() == nil {
		return
	}
	*err = &jrpc2.Error{Code: jrpc2.InternalError, Message: "a bug in schedconf at " + origin() + ", please report it"}
}

// origin is where a panic came from: the first function above the runtime.
func origin() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		frame, more := frames.Next()
		if frame.Function != "" && !strings.HasPrefix(frame.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}

// words are those of an error, without the code that the protocol has for it.
func words(err error) string {
	var fault *jrpc2.Error
	if errors.As(err, &fault) {
		return fault.Message
	}
	return err.Error()
}

// tell shows a message to whoever sits in front of the editor.
func (s *server) tell(kind protocol.MessageType, message string) {
	_ = s.rpc.Notify(context.Background(), "window/showMessage", protocol.ShowMessageParams{Type: kind, Message: "schedconf: " + message})
}

func (s *server) cancel(params *struct {
	ID json.RawMessage `json:"id"`
}) error {
	s.rpc.CancelRequest(string(params.ID))
	return nil
}

func (s *server) shutdown(context.Context, *struct{}) (any, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.state = shutDown
	return nil, nil
}

// leave ends the session, whatever its state is. What is being answered has a moment to be sent.
func (s *server) leave(context.Context, *jrpc2.Request, func()) (any, error) {
	s.exitOnce.Do(func() { time.AfterFunc(10*time.Millisecond, func() { close(s.exit) }) })
	return nil, nil
}
