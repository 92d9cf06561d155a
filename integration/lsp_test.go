// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

//go:build integration

package integration

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestEditor holds with the client library of VS Code that 1,000 random edits leave the server with the text of
// the editor, in both encodings, and that it answers in time.
func TestEditor(t *testing.T) {
	program, err := filepath.Abs("../bin/schedconf")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "node", "lsp.mjs", program).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}
