// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	_ "embed" // defects.json
	"encoding/json"
	"fmt"
	"sync"
)

// Defect is a fault of some releases that a file can run into, as defects.json holds it.
type Defect struct {
	// ID is the stable slug.
	ID string `json:"id"`
	// First and Last are the minors that have it.
	First string `json:"first"`
	Last  string `json:"last"`
	// FixedIn is the patch release from which on the last minors are without it; empty if all of them have it.
	FixedIn string `json:"fixedIn,omitempty"`
	// Trigger names what a file has to have: "disabled" plugins, "weightLost" between points, "overrides"
	// of several plugins of multiPoint at one point, "ratioWithoutShape", or "flag:NAME=VALUE".
	Trigger string `json:"trigger"`
	Summary string `json:"summary"`
}

//go:embed defects.json
var defectsFile []byte

var defects = sync.OnceValue(func() []Defect {
	var list []Defect
	if err := json.Unmarshal(defectsFile, &list); err != nil {
		panic(fmt.Sprintf("embedded schemas: defects.json: %v", err))
	}
	return list
})

// Defects are those that the release has.
func (r *Release) Defects() []Defect {
	var list []Defect
	for _, d := range defects() {
		first, last := Minor{d.First}, Minor{d.Last}
		if ordinal(first) <= ordinal(r.Minor()) && ordinal(r.Minor()) <= ordinal(last) {
			list = append(list, d)
		}
	}
	return list
}

// AllDefects are those of every release.
func AllDefects() []Defect { return defects() }
