// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	_ "embed" // phases.json
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// Phase is a point at which a plugin cannot do without another point of its own. Each was read from
// pkg/scheduler/framework/plugins of every minor: at Point the plugin returns an error where the state
// is missing that it makes at Needs. Plugins that work the state out again are not there. preBind is
// needed in another way: without it nothing fails, and what was reserved is never bound.
type Phase struct {
	Plugin string `json:"plugin"`
	Point  string `json:"point"`
	Needs  string `json:"needs"`
	// First is the minor from which on it is so; it ends with the plugin.
	First string `json:"first"`
}

//go:embed phases.json
var phasesFile []byte

var phases = sync.OnceValue(func() []Phase {
	var list []Phase
	if err := json.Unmarshal(phasesFile, &list); err != nil {
		panic(fmt.Sprintf("embedded schemas: phases.json: %v", err))
	}
	return list
})

var phasesOf sync.Map // of the releases that were asked

// Phases are those of the plugins that the release has.
func (r *Release) Phases() []Phase {
	if list, ok := phasesOf.Load(r.Name); ok {
		return list.([]Phase)
	}
	var list []Phase
	for _, phase := range phases() {
		_, exists := r.Plugin(phase.Plugin)
		if exists && ordinal(Minor{phase.First}) <= ordinal(r.Minor()) {
			list = append(list, phase)
		}
	}
	phasesOf.Store(r.Name, slices.Clip(list))
	return list
}
