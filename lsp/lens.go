// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/creachadair/jrpc2"
	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/scheme/source/find"
	"github.com/schedconf/schedconf/validation"
)

// effectiveCommand returns the configuration that a document comes to, as text. Its arguments are the URI
// and the number of the document in the file.
const effectiveCommand = "schedconf.effective"

// codeLenses offers the effective view above every configuration.
func (s *server) codeLenses(_ context.Context, doc *document, _ *protocol.CodeLensParams) (any, error) {
	lenses := []protocol.CodeLens{}
	err := s.lookups.use(func(tool Tool) error {
		f := validation.Open(doc.path, []byte(doc.text.string), false)
		for i, found := range f.Found {
			if !isConfiguration(found) {
				continue
			}
			made, err := tool.Scheme(f, i)
			if err != nil {
				return nil // what is wrong with the settings is told already
			}
			at := 0
			if offset, ok := source.OffsetAt([]byte(doc.text.string), found.Pos); ok {
				at = offset
			}
			lenses = append(lenses, protocol.CodeLens{Range: doc.text.span(at, wordEnd(doc.text.string, at)), Command: &protocol.Command{
				Title: "effective configuration on Kubernetes " + made.Release.Name, Command: effectiveCommand, Arguments: []any{doc.uri, found.Outer.Index},
			}})
		}
		return nil
	})
	return lenses, err
}

// executeCommand runs the only command that there is.
func (s *server) executeCommand(_ context.Context, params *struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}) (any, error) {
	if params.Command != effectiveCommand {
		return nil, invalid("there is no command %q; %s is one", params.Command, effectiveCommand)
	}
	var uri protocol.DocumentUri
	document := -1
	if len(params.Arguments) < 1 || json.Unmarshal(params.Arguments[0], &uri) != nil {
		return nil, invalid("%s takes the URI of an open document, and the number of the document in it", effectiveCommand)
	}
	if len(params.Arguments) > 1 && json.Unmarshal(params.Arguments[1], &document) != nil {
		return nil, invalid("%s: %s is no number of a document", effectiveCommand, params.Arguments[1])
	}
	doc, ok := s.docs.get(uri)
	if !ok {
		return nil, invalid("%q is not open: send textDocument/didOpen first", uri)
	}
	var text string
	err := s.lookups.use(func(tool Tool) error {
		f := validation.Open(doc.path, []byte(doc.text.string), false)
		made, err := tool.Scheme(f, slices.IndexFunc(f.Found, func(found find.Found) bool {
			return isConfiguration(found) && (document < 0 || found.Outer.Index == document)
		}))
		if err != nil {
			return err
		}
		text, err = tool.Effective(doc.path, made.Release, document)
		return err
	})
	if err != nil {
		return nil, &jrpc2.Error{Code: requestFailed, Message: fmt.Sprint(err)}
	}
	return text, nil
}

// requestFailed is the error of a request that was right, and cannot be answered.
const requestFailed jrpc2.Code = -32803
