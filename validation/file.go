// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/scheme/source/find"
)

// MaxFileSize is the most bytes that a file may have. Who reads a file stops one byte behind it.
const MaxFileSize = 16 << 20

// FileResult is a judged file.
type FileResult struct {
	// Findings are those of all its documents, sorted.
	Findings diag.List
	// Configurations is how many configurations it holds, whatever is wrong with them, and CommandLines how
	// many schedulers it starts.
	Configurations, CommandLines int
	// Targets are the releases that each of them was judged for.
	Targets []*schemas.Release
	// Skipped says why there is nothing to judge in it; empty if there is.
	Skipped find.Reason
}

// CheckFile judges a file that somebody named, alone. Every configuration in it is judged on its own, and
// all but the first document get a warning, since kube-scheduler reads no further. For the same
// reason a first document that is no configuration is an error. An error means that the tool could
// not do its job.
func (c *Checker) CheckFile(name string, data []byte) (*FileResult, error) {
	return c.alone(Open(name, data, true))
}

// CheckFound is CheckFile for a file that was come across in a folder. Without a configuration it
// is none of our business: the result then says why it was skipped.
func (c *Checker) CheckFound(name string, data []byte) (*FileResult, error) {
	return c.alone(Open(name, data, false))
}

func (c *Checker) alone(f *File) (*FileResult, error) {
	run := NewRun([]*File{f}, find.Objects{}, nil, func(Aim) (*Checker, error) { return c, nil })
	return run.Check(f)
}

// readsPolicy reports whether a value is a Policy that the release reads.
func (c *Checker) readsPolicy(value []byte) bool {
	return len(value) > 0 && len(c.scheme.Release.Policies) > 0 && scheme.IsPolicy(value) && !isConfigurationValue(value)
}

func isConfigurationValue(value []byte) bool {
	apiVersion, kind, err := scheme.TypeMeta(value)
	return err == nil && (kind == config.Kind || strings.HasPrefix(apiVersion, config.GroupName+"/"))
}

// Configurations returns the documents that are configurations, by kind or by group. One that
// cannot be read counts when it says so in its text.
func Configurations(documents []*source.Document) []*source.Document {
	var found []*source.Document
	for _, doc := range documents {
		if isConfiguration(doc) {
			found = append(found, doc)
		}
	}
	return found
}

// looksLike matches the lines of a text that make it a configuration, for texts that cannot be read.
// A line that is indented belongs to something else, unless its key is quoted as in JSON.
var looksLike = regexp.MustCompile(`(?m)^(?:\{[ \t]*|[{ \t]*["'])?(?:kind["']?[ \t]*:[ \t]*["']?` + config.Kind + `\b|apiVersion["']?[ \t]*:[ \t]*["']?` + regexp.QuoteMeta(config.GroupName) + `/)`)

func isConfiguration(doc *source.Document) bool {
	apiVersion, kind, ok := doc.Sniff()
	// What starts like JSON and is none, such as flow style, has no names to be seen either.
	if !ok || doc.JSON() && apiVersion == "" && kind == "" {
		text := doc.Bytes()
		// Neither word can come out of a text that has neither, unless it is written in escapes or in UTF-16.
		if !bytes.Contains(text, []byte(config.Kind)) && !bytes.Contains(text, []byte(config.GroupName)) && !bytes.ContainsAny(text, "\\!\x00") {
			return false
		}
		value, _, err := scheme.Value(doc)
		if err != nil {
			return looksLike.Match(text)
		}
		if apiVersion, kind, err = scheme.TypeMeta(value); err != nil {
			return false
		}
	}
	return kind == config.Kind || strings.HasPrefix(apiVersion, config.GroupName+"/")
}

// Mentioned reports whether a text names a configuration by its kind or its group.
func Mentioned(text []byte) bool {
	return bytes.Contains(text, []byte(config.Kind)) || bytes.Contains(text, []byte(config.GroupName+"/"))
}

// Ignored is the warning about a configuration that is not the first document of its file.
func Ignored(doc *source.Document) diag.Diagnostic {
	return diag.Diagnostic{
		Rule:     ruleIgnored,
		Severity: diag.Warning,
		Message:  "kube-scheduler ignores this document: it reads the first of a file and no other",
		Hint:     "put the configuration into a file of its own",
		Pos:      doc.Position(nil),
	}
}

// TooLarge is the error about a file with more than MaxFileSize bytes; false if it has not.
func TooLarge(name string, data []byte) (diag.Diagnostic, bool) {
	if len(data) <= MaxFileSize {
		return diag.Diagnostic{}, false
	}
	return tooLarge(name), true
}

func tooLarge(name string) diag.Diagnostic {
	return diag.Diagnostic{
		Rule:     ruleTooLarge,
		Severity: diag.Error,
		Stage:    diag.Decode,
		Message:  fmt.Sprintf("the file has more than %d MiB, which no configuration needs", MaxFileSize>>20),
		Hint:     "give the file that kube-scheduler gets with --config",
		Pos:      diag.Position{File: name, Line: 1, Column: 1},
	}
}
