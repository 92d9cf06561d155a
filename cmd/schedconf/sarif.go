// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/validation"
)

// home is where the project and its documentation are.
const home = "https://github.com/schedconf/schedconf"

// sarifPrinter prints one log in the Static Analysis Results Interchange Format, version 2.1.0.
type sarifPrinter struct {
	w        io.Writer
	texts    texts
	release  *schemas.Release
	rules    []sarifRule
	results  []sarifResult
	troubles []sarifNotification
}

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Invocations []sarifInvocation `json:"invocations"`
	ColumnKind  string            `json:"columnKind"`
	Results     []sarifResult     `json:"results"`
	Properties  map[string]string `json:"properties"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	Version        string      `json:"version"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID                   string             `json:"id"`
	ShortDescription     sarifText          `json:"shortDescription"`
	FullDescription      sarifText          `json:"fullDescription"`
	HelpURI              string             `json:"helpUri"`
	DefaultConfiguration sarifConfiguration `json:"defaultConfiguration"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifConfiguration struct {
	Level string `json:"level"`
}

type sarifInvocation struct {
	ExecutionSuccessful bool                `json:"executionSuccessful"`
	Notifications       []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level   string    `json:"level"`
	Message sarifText `json:"message"`
}

type sarifResult struct {
	RuleID              string            `json:"ruleId"`
	RuleIndex           int               `json:"ruleIndex"`
	Level               string            `json:"level"`
	Message             sarifText         `json:"message"`
	Locations           []sarifLocation   `json:"locations"`
	RelatedLocations    []sarifLocation   `json:"relatedLocations,omitempty"`
	PartialFingerprints map[string]string `json:"partialFingerprints"`
	Fixes               []sarifFix        `json:"fixes,omitempty"`
	Properties          map[string]any    `json:"properties,omitempty"`
}

type sarifLocation struct {
	ID       *int          `json:"id,omitempty"`
	Message  *sarifText    `json:"message,omitempty"`
	Physical sarifPhysical `json:"physicalLocation"`
	Logical  []sarifName   `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

type sarifName struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
}

type sarifFix struct {
	Description sarifText     `json:"description"`
	Changes     []sarifChange `json:"artifactChanges"`
}

type sarifChange struct {
	Artifact     sarifArtifact      `json:"artifactLocation"`
	Replacements []sarifReplacement `json:"replacements"`
}

type sarifReplacement struct {
	Deleted  sarifRegion `json:"deletedRegion"`
	Inserted sarifText   `json:"insertedContent"`
}

func (s *sarifPrinter) header(release *schemas.Release) { s.release = release }

var sarifLevels = map[diag.Severity]string{diag.Error: "error", diag.Warning: "warning", diag.Info: "note"}

func (s *sarifPrinter) file(_ string, list diag.List) {
	for _, d := range list {
		s.results = append(s.results, s.result(d))
	}
}

func (s *sarifPrinter) result(d diag.Diagnostic) sarifResult {
	location := sarifLocation{Physical: s.physical(d.Pos)}
	if len(d.Path) > 0 {
		location.Logical = []sarifName{{printable(d.Path.String())}}
	}
	r := sarifResult{
		RuleID: d.Rule, RuleIndex: s.rule(d.Rule), Level: sarifLevels[d.Severity], Message: sarifText{messageOf(d)},
		Locations: []sarifLocation{location}, PartialFingerprints: map[string]string{"schedconf/v1": d.Fingerprint()},
		Properties: map[string]any{"document": d.Pos.Document},
	}
	if d.Stage != "" {
		r.Properties["stage"] = d.Stage
	}
	for i, place := range d.Related {
		r.RelatedLocations = append(r.RelatedLocations, sarifLocation{ID: &i, Message: &sarifText{printable(place.Message)}, Physical: s.physical(place.Pos)})
	}
	if d.Fix != nil {
		r.Fixes = []sarifFix{s.fix(d.Pos.File, d.Fix)}
	}
	return r
}

// rule returns the index of a rule among those of the log.
func (s *sarifPrinter) rule(id string) int {
	if i := slices.IndexFunc(s.rules, func(r sarifRule) bool { return r.ID == id }); i >= 0 {
		return i
	}
	rule, _ := validation.Lookup(id)
	level := "error" // where a release refuses, which is what most rules are for
	if rule.Otherwise != 0 {
		level = sarifLevels[rule.Otherwise]
	}
	s.rules = append(s.rules, sarifRule{
		ID: id, ShortDescription: sarifText{rule.Summary}, FullDescription: sarifText{rule.Doc},
		HelpURI: home + "/blob/main/docs/rules.md#" + id, DefaultConfiguration: sarifConfiguration{level},
	})
	return len(s.rules) - 1
}

func (s *sarifPrinter) physical(pos diag.Position) sarifPhysical {
	p := sarifPhysical{Artifact: artifact(pos.File)}
	if pos.Line > 0 {
		p.Region = &sarifRegion{StartLine: pos.Line, StartColumn: s.texts.column(pos)}
	}
	return p
}

// artifact is a file as a URI reference.
func artifact(name string) sarifArtifact {
	name = nearName(name)
	u := url.URL{Path: name}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
	}
	return sarifArtifact{u.String()}
}

func (s *sarifPrinter) fix(file string, fix *diag.Fix) sarifFix {
	change := sarifChange{Artifact: artifact(file)}
	text := s.texts.source(file)
	for _, edit := range fix.Edits {
		from, to := source.PositionAt(text, edit.From), source.PositionAt(text, edit.To)
		from.File, to.File = file, file
		change.Replacements = append(change.Replacements, sarifReplacement{
			Deleted: sarifRegion{from.Line, s.texts.column(from), to.Line, s.texts.column(to)}, Inserted: sarifText{edit.Text},
		})
	}
	return sarifFix{sarifText{fix.Message}, []sarifChange{change}}
}

// column is a column in UTF-16 code units, as editors count; bytes where the line is not at hand.
func (t *texts) column(pos diag.Position) int {
	lines := t.upTo(pos)
	if lines == nil {
		return max(1, pos.Column)
	}
	units := 1
	for before := lines[len(lines)-1][:pos.Column-1]; len(before) > 0; {
		r, size := utf8.DecodeRune(before)
		before = before[size:]
		units += utf16.RuneLen(r)
	}
	return units
}

func (s *sarifPrinter) trouble(message string) {
	s.troubles = append(s.troubles, sarifNotification{"error", sarifText{message}})
}

func (s *sarifPrinter) aims([]takenAim) {}

func (s *sarifPrinter) summary(counts) {
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{"schedconf", buildVersion(), home, s.rules}},
		Invocations: []sarifInvocation{{len(s.troubles) == 0, s.troubles}},
		ColumnKind:  "utf16CodeUnits", Results: s.results,
		Properties: map[string]string{"target": s.release.Name, "observed": s.release.Observed},
	}
	// An absent list would say that nothing was looked at.
	if run.Results == nil {
		run.Results = []sarifResult{}
	}
	if run.Tool.Driver.Rules == nil {
		run.Tool.Driver.Rules = []sarifRule{}
	}
	_ = writeJSON(s.w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}, "  ")
}
