// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"context"
	"testing"
	"unicode/utf8"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/schedconf/schedconf/diag"
)

// FuzzQuestions asks about every kind of place in every kind of text: nothing panics, and what is offered replaces
// a part of the text that is there.
func FuzzQuestions(f *testing.F) {
	f.Add(configuration+"leaderElection:\n  leaderElect: \n", uint16(90))
	f.Add(`{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration","profiles":[{"plugins":{"score":{"enabled":[{"name":""}]}}}]}`, uint16(130))
	f.Add("apiVersion: v1\nkind: ConfigMap\ndata:\n  a.yaml: |\n    apiVersion: kubescheduler.config.k8s.io/v1\n    kind: KubeSchedulerConfiguration\n    profiles:\n    - pluginConfig:\n      - name: x\n        args:\n          \n", uint16(200))
	f.Add(configuration+"profiles: &a\n- {plugins: *a, pluginConfig: [{name: 5, args: {args: }}]}\n", uint16(120))
	f.Add("- 'a\"\r\n: {,", uint16(3))
	server := &server{lookups: &bench{tool: fake{check: func() (diag.List, error) { return nil, nil }, scheme: func() {}}}}
	f.Fuzz(func(t *testing.T, content string, offset uint16) {
		if !utf8.ValidString(content) {
			return
		}
		doc := &document{uri: "file:///a.yaml", path: "/a.yaml", text: newText(content, utf8Units)}
		where := protocol.TextDocumentPositionParams{Position: doc.text.position(int(offset))}
		if _, err := server.hover(context.Background(), doc, &protocol.HoverParams{TextDocumentPositionParams: where}); err != nil {
			t.Fatal(err)
		}
		list, err := server.completion(context.Background(), doc, &protocol.CompletionParams{TextDocumentPositionParams: where})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range list.(protocol.CompletionList).Items {
			r := item.TextEdit.(protocol.TextEdit).Range
			if before(r.End, r.Start) || before(where.Position, r.Start) || r.Start.Line != r.End.Line {
				t.Fatalf("%q at %v replaces %v", item.Label, where.Position, r)
			}
		}
		if _, err := server.codeLenses(context.Background(), doc, nil); err != nil {
			t.Fatal(err)
		}
	})
}
