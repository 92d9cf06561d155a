// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Package lsp serves editors over the Language Server Protocol: findings while somebody types, explanations,
// completion, quick fixes, and the configuration that a text comes to. What it knows of configurations it
// asks a Tool, packages explain and schemas; here is what has to do with texts that change.
//
// JSON-RPC is that of github.com/creachadair/jrpc2, and the messages are those of github.com/tliron/glsp,
// but for position encodings, which are younger.
package lsp
