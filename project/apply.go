// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package project

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/validation"
)

// Apply takes out of the findings about a file what its comments, the settings and the baseline pass over,
// and says what of the comments was not needed. Settings and baseline may be nil. It returns how many
// findings were taken out.
func Apply(file string, data []byte, list diag.List, settings *Settings, baseline *Baseline) (diag.List, int) {
	comments, kept := commentsIn(file, data)
	for _, d := range list {
		if !slices.ContainsFunc(comments, func(c *comment) bool { return c.covers(d) }) {
			kept = append(kept, d)
		}
	}
	for _, c := range comments {
		kept = append(kept, c.unused()...)
	}
	suppressed := len(list)
	for _, d := range kept {
		if d.Rule != validation.RuleSuppressionUnused && d.Rule != validation.RuleSuppressionMalformed {
			suppressed--
		}
	}
	before := len(kept)
	kept = slices.DeleteFunc(kept, func(d diag.Diagnostic) bool {
		return settings.passesOver(file, d) || baseline.has(file, d)
	})
	suppressed += before - len(kept)
	for i := range kept {
		if severity, ok := settings.severity(kept[i]); ok {
			kept[i].Severity = severity
		}
	}
	kept.Sort()
	return kept, suppressed
}

// isRefusal reports whether the release refuses the configuration for it.
func isRefusal(d diag.Diagnostic) bool { return d.Severity == diag.Error && d.Stage != "" }

func (s *Settings) severity(d diag.Diagnostic) (diag.Severity, bool) {
	if s == nil || isRefusal(d) {
		return 0, false
	}
	severity, ok := s.Severities[d.Rule]
	return severity, ok
}

// passesOver reports whether the settings take a finding out. What a release refuses stays, unless an entry
// names its rule.
func (s *Settings) passesOver(file string, d diag.Diagnostic) bool {
	if s == nil {
		return false
	}
	if severity, ok := s.severity(d); ok && severity == 0 {
		return true
	}
	for _, ignore := range s.Ignores {
		if s.matches(ignore, file) && (ignore.Rule == d.Rule || !isRefusal(d) && (ignore.Rule == "" || matched(ignore.Rule, d.Rule))) {
			ignore.used = true
			return true
		}
	}
	return false
}

// Met notes that a file was judged, so that an entry of the settings for it can be said to be needed or not.
func (s *Settings) Met(file string) {
	if s == nil {
		return
	}
	for _, ignore := range s.Ignores {
		ignore.met = ignore.met || s.matches(ignore, file)
	}
}

// Unused are the findings about entries for files that were judged, and of which nothing was passed over.
func (s *Settings) Unused() diag.List {
	var list diag.List
	for _, ignore := range s.Ignores {
		if ignore.met && !ignore.used {
			what := strings.TrimSpace(ignore.Rule + " " + ignore.Path)
			list = append(list, diag.Diagnostic{
				Rule: validation.RuleSuppressionUnused, Severity: diag.Warning, Pos: ignore.Pos,
				Message: fmt.Sprintf("no finding was passed over for %q", what), Hint: "take the entry out",
			})
		}
	}
	return list
}

// Used are the places of the entries that something was passed over for.
func (s *Settings) Used() []diag.Position {
	var list []diag.Position
	for _, ignore := range s.Ignores {
		if ignore.used {
			list = append(list, ignore.Pos)
		}
	}
	return list
}

func (s *Settings) matches(ignore *Ignore, file string) bool {
	if ignore.Path == "" {
		return true
	}
	relative, ok := within(s.Folder, file)
	return ok && matched(ignore.Path, relative)
}

func matched(pattern, name string) bool {
	ok, _ := doublestar.Match(pattern, name)
	return ok
}

// within is the way from a folder to a file, with slashes.
func within(folder, file string) (string, bool) {
	absolute, err := filepath.Abs(file)
	if err != nil {
		return "", false
	}
	relative, err := filepath.Rel(folder, absolute)
	return filepath.ToSlash(relative), err == nil
}
