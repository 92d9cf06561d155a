// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"context"
	"regexp"
	"strings"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/source"
)

// fixAll is the kind of the action that makes all certain fixes at once.
const fixAll protocol.CodeActionKind = protocol.CodeActionKindSource + ".fixAll"

// codeActions offers what takes findings away: the certain fixes, and what the hint of a finding suggests.
func (s *server) codeActions(ctx context.Context, doc *document, params *protocol.CodeActionParams) (any, error) {
	actions := []protocol.CodeAction{}
	findings, err := s.check(doc)
	if err != nil {
		return actions, nil // it is told already
	}
	fixable := false
	for _, d := range findings {
		fixable = fixable || d.Fix != nil
		shown := diagnostic(doc, d)
		if !wants(params.Context.Only, protocol.CodeActionKindQuickFix) || before(shown.Range.End, params.Range.Start) || before(params.Range.End, shown.Range.Start) {
			continue
		}
		fix := d.Fix
		if fix == nil {
			fix = suggested(doc.text.string, d)
		}
		if fix == nil {
			continue
		}
		certain := d.Fix != nil
		kind := protocol.CodeActionKindQuickFix
		actions = append(actions, protocol.CodeAction{
			Title: fix.Message, Kind: &kind, Diagnostics: []protocol.Diagnostic{shown}, IsPreferred: &certain, Edit: s.edit(doc, fix.Edits),
		})
	}
	if fixable && wants(params.Context.Only, fixAll) && ctx.Err() == nil {
		if action, ok := s.fixAll(doc); ok {
			actions = append(actions, action)
		}
	}
	return actions, nil
}

// wants reports whether a kind is among those that are asked for; a kind stands for all below it.
func wants(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	for _, asked := range only {
		if asked == "" || kind == asked || strings.HasPrefix(kind, asked+".") {
			return true
		}
	}
	return len(only) == 0
}

// fixAll is what validate --fix does.
func (s *server) fixAll(doc *document) (protocol.CodeAction, bool) {
	var fixed string
	err := s.lookups.use(func(tool Tool) error {
		if now, ok := s.docs.get(doc.uri); !ok || now != doc {
			return errOutdated
		}
		data, err := tool.Fixed(doc.path)
		fixed = string(data)
		return err
	})
	old := doc.text.string
	if err != nil || fixed == old {
		return protocol.CodeAction{}, false
	}
	from, end := 0, 0
	for from < min(len(old), len(fixed)) && old[from] == fixed[from] {
		from++
	}
	for end < min(len(old), len(fixed))-from && old[len(old)-1-end] == fixed[len(fixed)-1-end] {
		end++
	}
	// A character is not to be cut into two.
	for from > 0 && !startsCharacter(old, from) {
		from--
	}
	for end > 0 && !startsCharacter(old, len(old)-end) {
		end--
	}
	kind := fixAll
	return protocol.CodeAction{
		Title: "make all fixes that have one right answer", Kind: &kind,
		Edit: s.edit(doc, []diag.Edit{{From: from, To: len(old) - end, Text: fixed[from : len(fixed)-end]}}),
	}, true
}

func startsCharacter(text string, at int) bool {
	return at >= len(text) || text[at]&0xC0 != 0x80
}

// edit is for the version that was judged: an editor with another one refuses it.
func (s *server) edit(doc *document, edits []diag.Edit) *protocol.WorkspaceEdit {
	var list []protocol.TextEdit
	var versioned []any
	for _, e := range edits {
		edit := protocol.TextEdit{Range: doc.text.span(e.From, e.To), NewText: e.Text}
		list, versioned = append(list, edit), append(versioned, edit)
	}
	if !s.client.Workspace.WorkspaceEdit.DocumentChanges {
		return &protocol.WorkspaceEdit{Changes: map[protocol.DocumentUri][]protocol.TextEdit{doc.uri: list}}
	}
	of := protocol.OptionalVersionedTextDocumentIdentifier{TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: doc.uri}, Version: &doc.version}
	return &protocol.WorkspaceEdit{DocumentChanges: []any{protocol.TextDocumentEdit{TextDocument: of, Edits: versioned}}}
}

// meant is the word of a hint that may have been meant.
var meant = regexp.MustCompile(`did you mean "([A-Za-z0-9./_-]+)"\?`)

// suggested replaces the word that a finding is about by the one that its hint suggests. It is nil where the
// finding quotes another word than the one that stands there.
func suggested(text string, d diag.Diagnostic) *diag.Fix {
	match := meant.FindStringSubmatch(d.Hint)
	at, ok := source.OffsetAt([]byte(text), d.Pos)
	if match == nil || !ok {
		return nil
	}
	word := text[at:wordEnd(text, at)]
	inner := strings.Trim(word, `"'`)
	if inner == "" || !strings.Contains(d.Message, `"`+inner+`"`) {
		return nil
	}
	from := at + strings.Index(word, inner)
	return &diag.Fix{Message: "write " + match[1] + " instead of " + inner, Edits: []diag.Edit{{From: from, To: from + len(inner), Text: match[1]}}}
}
