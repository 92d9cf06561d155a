// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"context"
	"strings"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/schedconf/schedconf/explain"
	"github.com/schedconf/schedconf/validation"
)

// hover explains the field, the plugin or the findings at a position, in the words of schedconf explain.
func (s *server) hover(_ context.Context, doc *document, params *protocol.HoverParams) (any, error) {
	offset := doc.text.offset(params.Position)
	var parts []string
	var at protocol.Range
	err := s.lookups.use(func(tool Tool) error {
		spot, err := spotAt(tool, doc.path, doc.text.string, offset)
		if err != nil || spot == nil {
			return err
		}
		at = doc.text.span(spot.from, spot.to)
		e, err := spot.explain()
		if e == nil || err != nil {
			return err
		}
		var b strings.Builder
		if err := e.Text(&b); err != nil {
			return err
		}
		parts = append(parts, s.fenced(strings.TrimSpace(b.String())))
		return nil
	})
	if err != nil {
		return nil, err
	}
	// Findings that are not there yet are not waited for.
	if findings, ok := s.known(doc); ok {
		for _, d := range diagnostics(doc, findings) {
			if !inside(params.Position, d.Range) {
				continue
			}
			if at == (protocol.Range{}) {
				at = d.Range
			}
			if rule, ok := validation.Lookup(d.Code.Value.(string)); ok {
				parts = append(parts, s.emphasised(rule.ID)+": "+rule.Summary)
			}
		}
	}
	if len(parts) == 0 {
		return nil, nil
	}
	kind := protocol.MarkupKindPlainText
	if s.readsMarkdown() {
		kind = protocol.MarkupKindMarkdown
	}
	return protocol.Hover{Contents: protocol.MarkupContent{Kind: kind, Value: strings.Join(parts, "\n\n")}, Range: &at}, nil
}

// explain says what is known about a spot; nil if it is nothing that has a name of its own.
func (s *spot) explain() (explain.Explanation, error) {
	if _, ok := s.plugin(s.path); ok && !s.isKey {
		if name := s.node(s.path).Text(); s.isBuiltIn(name) {
			return explain.OfPlugin(s.scheme, name)
		}
		return nil, nil
	}
	return explain.OfField(s.scheme.Release, s.api, s.fieldPath(s.path))
}

func inside(p protocol.Position, r protocol.Range) bool {
	return !before(p, r.Start) && !before(r.End, p)
}

func before(a, b protocol.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}

func (s *server) readsMarkdown() bool {
	for _, format := range s.client.TextDocument.Hover.ContentFormat {
		if format == protocol.MarkupKindMarkdown {
			return true
		}
	}
	return false
}

func (s *server) fenced(text string) string {
	if !s.readsMarkdown() {
		return text
	}
	return "```text\n" + strings.ReplaceAll(text, "```", "'''") + "\n```"
}

func (s *server) emphasised(text string) string {
	if !s.readsMarkdown() {
		return text
	}
	return "**" + text + "**"
}
