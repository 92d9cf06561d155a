// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"context"
	"errors"
	"strings"
	"sync"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/source"
)

// Documentation is the page that has a heading for every rule.
const Documentation = "https://github.com/schedconf/schedconf/blob/main/docs/rules.md"

// check returns the findings about a version of a file, which are made once.
func (s *server) check(doc *document) (diag.List, error) {
	doc.once.Do(func() {
		defer doc.checked.Store(true)
		defer survive(&doc.err)
		doc.err = s.checks.use(func(tool Tool) error {
			// While it waited, somebody may have typed on.
			if now, ok := s.docs.get(doc.uri); !ok || now != doc {
				return errOutdated
			}
			var err error
			doc.findings, err = tool.Check(doc.path)
			return err
		})
	})
	return doc.findings, doc.err
}

// known returns the findings about a version of a file if they are there.
func (s *server) known(doc *document) (diag.List, bool) {
	if !doc.checked.Load() || doc.err != nil {
		return nil, false
	}
	return doc.findings, true
}

// publisher checks texts in the background, one after the other, the newest version of each alone: what
// becomes outdated meanwhile is dropped.
type publisher struct {
	server *server
	signal chan struct{}
	done   chan struct{}

	lock    sync.Mutex
	queue   []protocol.DocumentUri
	trouble string
	// sending keeps findings from arriving after those of a newer version, or after the file is closed.
	sending sync.Mutex
}

func newPublisher(s *server) *publisher {
	p := &publisher{server: s, signal: make(chan struct{}, 1), done: make(chan struct{})}
	go p.run()
	return p
}

func (p *publisher) stop() { close(p.done) }

// wake has a file checked.
func (p *publisher) wake(uri protocol.DocumentUri) {
	p.lock.Lock()
	waits := false
	for _, other := range p.queue {
		waits = waits || other == uri
	}
	if !waits {
		p.queue = append(p.queue, uri)
	}
	p.lock.Unlock()
	select {
	case p.signal <- struct{}{}:
	default:
	}
}

func (p *publisher) next() (protocol.DocumentUri, bool) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if len(p.queue) == 0 {
		return "", false
	}
	uri := p.queue[0]
	p.queue = p.queue[1:]
	return uri, true
}

func (p *publisher) run() {
	for {
		select {
		case <-p.done:
			return
		case <-p.signal:
		}
		for uri, ok := p.next(); ok; uri, ok = p.next() {
			if doc, open := p.server.docs.get(uri); open {
				p.complain(p.publish(doc))
			}
		}
	}
}

// publish sends the findings about a version of a file. What keeps it from being checked is returned; there are
// no findings then.
func (p *publisher) publish(doc *document) (err error) {
	defer survive(&err)
	findings, err := p.server.check(doc)
	if errors.Is(err, errOutdated) {
		return nil
	}
	version := protocol.UInteger(max(0, doc.version))
	params := protocol.PublishDiagnosticsParams{URI: doc.uri, Version: &version, Diagnostics: diagnostics(doc, findings)}
	p.sending.Lock()
	defer p.sending.Unlock()
	// An edit that comes in between a wake and its check is checked then, and again at its own.
	if now, open := p.server.docs.get(doc.uri); open && now == doc && !doc.told {
		doc.told = true
		_ = p.server.rpc.Notify(context.Background(), "textDocument/publishDiagnostics", params)
	}
	return err
}

// complain says what keeps files from being checked, such as an unknown target; not again for each of them.
func (p *publisher) complain(err error) {
	message := ""
	if err != nil {
		message = words(err)
	}
	p.lock.Lock()
	known := message == p.trouble
	p.trouble = message
	p.lock.Unlock()
	if !known && message != "" {
		p.server.tell(protocol.MessageTypeError, message)
	}
}

// clear takes the findings of a closed file out of the editor.
func (p *publisher) clear(uri protocol.DocumentUri) {
	p.sending.Lock()
	defer p.sending.Unlock()
	if _, open := p.server.docs.get(uri); !open {
		_ = p.server.rpc.Notify(context.Background(), "textDocument/publishDiagnostics", protocol.PublishDiagnosticsParams{URI: uri, Diagnostics: []protocol.Diagnostic{}})
	}
}

var severities = map[diag.Severity]protocol.DiagnosticSeverity{
	diag.Error: protocol.DiagnosticSeverityError, diag.Warning: protocol.DiagnosticSeverityWarning, diag.Info: protocol.DiagnosticSeverityInformation,
}

// diagnostics are findings as editors show them.
func diagnostics(doc *document, findings diag.List) []protocol.Diagnostic {
	list := []protocol.Diagnostic{}
	for _, d := range findings {
		list = append(list, diagnostic(doc, d))
	}
	return list
}

func diagnostic(doc *document, d diag.Diagnostic) protocol.Diagnostic {
	severity, name := severities[d.Severity], "schedconf"
	message := d.Message
	if d.Hint != "" {
		message += "\n" + d.Hint
	}
	out := protocol.Diagnostic{
		Range: rangeOf(doc, d.Pos), Severity: &severity, Source: &name, Message: message,
		Code: &protocol.IntegerOrString{Value: d.Rule}, CodeDescription: &protocol.CodeDescription{HRef: Documentation + "#" + d.Rule},
		Tags: tags[d.Rule],
	}
	for _, place := range d.Related {
		location := protocol.Location{URI: uriOf(place.Pos.File)}
		if place.Pos.File == doc.path {
			location = protocol.Location{URI: doc.uri, Range: rangeOf(doc, place.Pos)}
		} else if place.Pos.Line > 0 {
			// The text of another file is not at hand, so its column counts bytes.
			at := protocol.Position{Line: protocol.UInteger(place.Pos.Line - 1), Character: protocol.UInteger(max(0, place.Pos.Column-1))}
			location.Range = protocol.Range{Start: at, End: at}
		}
		out.RelatedInformation = append(out.RelatedInformation, protocol.DiagnosticRelatedInformation{Location: location, Message: place.Message})
	}
	return out
}

// rangeOf is the word at a position, or the rest of the line where there is none.
func rangeOf(doc *document, pos diag.Position) protocol.Range {
	at, ok := source.OffsetAt([]byte(doc.text.string), pos)
	if !ok {
		at = 0
	}
	return doc.text.span(at, wordEnd(doc.text.string, at))
}

// wordEnd is where the key or the value ends that starts at an offset.
func wordEnd(text string, at int) int {
	if strings.HasPrefix(text[at:], "- ") {
		at += len("- ") // an item of a list starts at its dash
	}
	rest, _, _ := strings.Cut(text[at:], "\n")
	rest = strings.TrimRight(rest, "\r ")
	if rest == "" {
		return at
	}
	if quote := rest[0]; quote == '"' || quote == '\'' {
		if end := strings.IndexByte(rest[1:], quote); end >= 0 {
			return at + end + 2
		}
		return at + len(rest)
	}
	if end := strings.IndexAny(rest[1:], " ,]}#"); end >= 0 {
		rest = rest[:end+1]
	}
	return at + len(strings.TrimSuffix(rest, ":"))
}

// tags say of rules whose findings are always of that kind that the place is outdated, or of no use.
var tags = tagged(map[protocol.DiagnosticTag][]string{
	protocol.DiagnosticTagDeprecated: {"api-version-deprecated"},
	protocol.DiagnosticTagUnnecessary: {
		"args-fit-ratio-unused", "args-unused", "disabled-idle", "disabled-ignored", "document-ignored", "extender-idle", "extender-tls-unused",
		"percentage-idle", "plugin-repeats-default", "point-ignored", "policy-argument-ignored", "profile-percentage-same", "weight-unused",
	},
})

func tagged(rules map[protocol.DiagnosticTag][]string) map[string][]protocol.DiagnosticTag {
	byRule := map[string][]protocol.DiagnosticTag{}
	for tag, list := range rules {
		for _, rule := range list {
			byRule[rule] = append(byRule[rule], tag)
		}
	}
	return byRule
}

func (s *server) didOpen(params *protocol.DidOpenTextDocumentParams) error {
	item := params.TextDocument
	s.docs.put(&document{uri: item.URI, path: pathOf(item.URI), version: item.Version, text: newText(item.Text, negotiate(s.client.General.PositionEncodings))})
	s.publisher.wake(item.URI)
	return nil
}

func (s *server) didChange(params *protocol.DidChangeTextDocumentParams) error {
	if err := s.docs.change(params); err != nil {
		return err
	}
	s.publisher.wake(params.TextDocument.URI)
	return nil
}

func (s *server) didClose(params *protocol.DidCloseTextDocumentParams) error {
	if !s.docs.close(params.TextDocument.URI) {
		return errNotOpen
	}
	s.publisher.clear(params.TextDocument.URI)
	return nil
}
