// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/validation"
)

// Baseline are findings that were there before, and are passed over. It never holds what a release refuses.
type Baseline struct {
	file, folder string
	left         map[entry]int
	met          map[string]bool
}

// entry is a finding without its line, so that it is the same when lines move.
type entry struct {
	File    string `json:"file"`
	Rule    string `json:"rule"`
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
}

// counted is an entry and how often it is there.
type counted struct {
	entry
	Count int `json:"count"`
}

// baselineFile is the form of a baseline.
type baselineFile struct {
	Baseline int       `json:"baseline"`
	Findings []counted `json:"findings"`
}

// baselineForm is the number of that form.
const baselineForm = 1

// ReadBaseline reads a baseline. Files in it are relative to its folder.
func ReadBaseline(name string) (*Baseline, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var content baselineFile
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&content); err != nil {
		return nil, fmt.Errorf("it is no baseline: %w", err)
	}
	if content.Baseline != baselineForm {
		return nil, fmt.Errorf("it is no baseline of form %d", baselineForm)
	}
	b, err := NewBaseline(name)
	if err != nil {
		return nil, err
	}
	for _, one := range content.Findings {
		b.left[one.entry] += one.Count
	}
	return b, nil
}

// NewBaseline is one without findings, for a file that need not be there yet.
func NewBaseline(name string) (*Baseline, error) {
	folder, err := filepath.Abs(filepath.Dir(name))
	return &Baseline{file: name, folder: folder, left: map[entry]int{}, met: map[string]bool{}}, err
}

func (b *Baseline) entry(file string, d diag.Diagnostic) entry {
	name, ok := within(b.folder, file)
	if !ok {
		name = file
	}
	return entry{name, d.Rule, d.Path.String(), d.Message}
}

// has reports whether a finding was there before. Each counts as often as it was.
func (b *Baseline) has(file string, d diag.Diagnostic) bool {
	if b == nil || isRefusal(d) {
		return false
	}
	e := b.entry(file, d)
	b.met[e.File] = true
	if b.left[e] == 0 {
		return false
	}
	b.left[e]--
	return true
}

// Met notes that a file was judged.
func (b *Baseline) Met(file string) {
	if b != nil {
		b.met[b.entry(file, diag.Diagnostic{}).File] = true
	}
}

// Add takes findings into the baseline, but what a release refuses.
func (b *Baseline) Add(file string, list diag.List) {
	for _, d := range list {
		if !isRefusal(d) {
			b.left[b.entry(file, d)]++
		}
	}
}

// Text is the baseline as a file.
func (b *Baseline) Text() ([]byte, error) {
	content := baselineFile{Baseline: baselineForm, Findings: []counted{}}
	for e, n := range b.left {
		if n > 0 {
			content.Findings = append(content.Findings, counted{e, n})
		}
	}
	slices.SortFunc(content.Findings, func(x, y counted) int {
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Rule, y.Rule), cmp.Compare(x.Path, y.Path), cmp.Compare(x.Message, y.Message))
	})
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(content)
	return out.Bytes(), err
}

// Gone is how many findings of the baseline are gone, in files that were judged.
func (b *Baseline) Gone() int {
	if b == nil {
		return 0
	}
	gone := 0
	for e, n := range b.left {
		if b.met[e.File] {
			gone += n
		}
	}
	return gone
}

// Unused is the finding about them.
func (b *Baseline) Unused() diag.List {
	if b == nil {
		return nil
	}
	return GoneFrom(b.file, b.Gone())
}

// GoneFrom is the finding that so many findings of a baseline are gone; none if there are none.
func GoneFrom(file string, gone int) diag.List {
	if gone == 0 {
		return nil
	}
	return diag.List{{
		Rule: validation.RuleSuppressionUnused, Severity: diag.Warning, Pos: diag.Position{File: file, Line: 1, Column: 1},
		Message: fmt.Sprintf("the baseline has findings that are gone: %d", gone), Hint: "write it anew with --write-baseline",
	}}
}
