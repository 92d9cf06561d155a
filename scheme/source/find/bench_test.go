// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package find

import (
	"strings"
	"testing"
)

// BenchmarkMayHold is about files that are none of our business, as almost all of a large tree are.
func BenchmarkMayHold(b *testing.B) {
	data := []byte(strings.Repeat("apiVersion: v1\nkind: Pod\nspec:\n  restartPolicy: Always\n  containers:\n  - image: registry.example.com/app:1\n    command: [run]\n", 80))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if MayHold(data) {
			b.Fatal("it has a scheduler")
		}
	}
}
