// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	_ "embed" // weights.json
	"encoding/json"
	"fmt"
	"sync"
)

// OldWeight is a weight that a plugin had by default, and has no more.
type OldWeight struct {
	Plugin string `json:"plugin"`
	Weight int32  `json:"weight"`
	// UpTo is the newest apiVersion with it.
	UpTo string `json:"upTo"`
}

// weightsFile repeats what the releases say, so that asking does not read all of them; a test compares.
//
//go:embed weights.json
var weightsFile []byte

var oldWeights = sync.OnceValue(func() []OldWeight {
	var list []OldWeight
	if err := json.Unmarshal(weightsFile, &list); err != nil {
		panic(fmt.Sprintf("embedded schemas: weights.json: %v", err))
	}
	return list
})

// OldWeights are the weights that default plugins had before they were changed.
func OldWeights() []OldWeight { return oldWeights() }
