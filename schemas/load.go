// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed 1.*
var files embed.FS

type entry struct {
	minor Minor
	load  func() *Release
}

// entries reads the folder names alone; a release is parsed when it is asked for.
var entries = sync.OnceValue(func() []entry {
	dirs, err := files.ReadDir(".")
	if err != nil {
		panic(fmt.Sprintf("embedded schemas: %v", err))
	}
	list := make([]entry, 0, len(dirs))
	for _, dir := range dirs {
		name := dir.Name()
		list = append(list, entry{Minor{name}, sync.OnceValue(func() *Release { return parse(name) })})
	}
	slices.SortFunc(list, func(a, b entry) int { return ordinal(a.minor) - ordinal(b.minor) })
	return list
})

func ordinal(m Minor) int {
	_, second, _ := strings.Cut(m.text, ".")
	n, err := strconv.Atoi(second)
	if err != nil {
		panic(fmt.Sprintf("embedded schemas: folder %q is not a minor", m.text))
	}
	return n
}

func parse(name string) *Release {
	data, err := files.ReadFile(path.Join(name, "release.json"))
	if err != nil {
		panic(fmt.Sprintf("embedded schemas: %v", err))
	}
	release := &Release{}
	if err := json.Unmarshal(data, release); err != nil {
		panic(fmt.Sprintf("embedded schemas: %s/release.json: %v", name, err))
	}
	return release
}

// Minors lists the known minors from the oldest to the newest.
func Minors() []Minor {
	minors := make([]Minor, 0, len(entries()))
	for _, e := range entries() {
		minors = append(minors, e.minor)
	}
	return minors
}

// For returns the facts of a minor. The result is shared and must not be changed.
func For(minor Minor) *Release {
	for _, e := range entries() {
		if e.minor == minor {
			return e.load()
		}
	}
	panic(fmt.Sprintf("no facts for minor %q: minors come from ParseMinor and Minors", minor.text))
}

// Newest returns the newest release that serves the apiVersion.
func Newest(apiVersion string) (*Release, bool) {
	list := entries()
	for i := len(list) - 1; i >= 0; i-- {
		if release := list[i].load(); release.serves(apiVersion) {
			return release, true
		}
	}
	return nil, false
}

func (r *Release) serves(apiVersion string) bool {
	_, ok := r.API(apiVersion)
	return ok
}

// Schema returns the JSON Schema (draft 2020-12) of a kind that the release serves.
func (r *Release) Schema(apiVersion, kind string) ([]byte, error) {
	data, err := files.ReadFile(path.Join(r.Name, SchemaFile(apiVersion, kind)))
	if err != nil {
		return nil, fmt.Errorf("Kubernetes %s serves no %s %s", r.Name, apiVersion, kind)
	}
	return data, nil
}

// SchemaFile is the name of a schema file in the folder of a minor.
func SchemaFile(apiVersion, kind string) string {
	return path.Base(apiVersion) + "." + kind + ".schema.json"
}
