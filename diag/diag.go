// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package diag

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Severity says what a finding means for the verdict. The zero value is invalid, so that a finding
// that nobody graded shows up in tests.
type Severity int

const (
	// Error means that the release refuses the configuration.
	Error Severity = iota + 1
	// Warning means that the release loads it, and that it probably does not do what was meant.
	Warning
	// Info is worth knowing and needs no action.
	Info
)

// String returns the word that JSON and text output use.
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	case Info:
		return "info"
	}
	return fmt.Sprintf("severity(%d)", int(s))
}

// MarshalText writes the word of String.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Stage is where a release refuses a configuration. It is empty for anything but an error.
type Stage string

// The stages, in the order in which kube-scheduler reaches them.
const (
	// Decode covers reading the bytes: syntax, kinds, unknown fields, types, conversion.
	Decode Stage = "decode"
	// Validate covers the field validation of the loaded configuration.
	Validate Stage = "validate"
	// Construct covers building profiles, plugins, extenders and the resource lock.
	Construct Stage = "construct"
)

// Stages lists the stages in the order in which kube-scheduler reaches them.
var Stages = []Stage{Decode, Validate, Construct}

// Before reports whether s is reached before t. Unknown stages come last.
func (s Stage) Before(t Stage) bool { return s.rank() < t.rank() }

func (s Stage) rank() int {
	if i := slices.Index(Stages, s); i >= 0 {
		return i
	}
	return len(Stages)
}

// Path leads to a field, in steps: field names, map keys and decimal list indexes.
type Path []string

// Child returns the path extended by steps; the receiver is not changed.
func (p Path) Child(steps ...string) Path {
	child := make(Path, len(p)+len(steps))
	copy(child[copy(child, p):], steps)
	return child
}

// Equal reports whether two paths have the same steps.
func (p Path) Equal(q Path) bool { return slices.Equal(p, q) }

// Index returns the path extended by a list index.
func (p Path) Index(i int) Path { return p.Child(strconv.Itoa(i)) }

// String prints the path the way Kubernetes does: profiles[0].plugins.score. A key that would not
// be read back as one step is quoted in brackets.
func (p Path) String() string {
	var b strings.Builder
	for _, step := range p {
		switch {
		case isIndex(step):
			b.WriteString("[" + step + "]")
		case strings.ContainsAny(step, ".[]\"") || step == "":
			b.WriteString("[" + strconv.Quote(step) + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(step)
		}
	}
	return b.String()
}

// Pointer prints the path as a JSON Pointer (RFC 6901).
func (p Path) Pointer() string {
	var b strings.Builder
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	for _, step := range p {
		b.WriteByte('/')
		b.WriteString(escape.Replace(step))
	}
	return b.String()
}

// MarshalText writes the form of String.
func (p Path) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

func isIndex(step string) bool {
	if step == "" {
		return false
	}
	for _, r := range step {
		if r < '0' || r > '9' {
			return false
		}
	}
	return true
}

// ParsePath reads the form that Path.String and apimachinery's field paths print. Anything it
// cannot split stays one step, so that no path is ever lost.
func ParsePath(text string) Path {
	var path Path
	for text != "" {
		switch text[0] {
		case '.':
			text = text[1:]
		case '[':
			if quoted, err := strconv.QuotedPrefix(text[1:]); err == nil && strings.HasPrefix(text[1+len(quoted):], "]") {
				step, _ := strconv.Unquote(quoted)
				path, text = append(path, step), text[len(quoted)+2:]
				continue
			}
			end := strings.IndexByte(text, ']')
			if end < 0 {
				return append(path, text)
			}
			path, text = append(path, text[1:end]), text[end+1:]
		default:
			end := strings.IndexAny(text, ".[")
			if end < 0 {
				end = len(text)
			}
			path, text = append(path, text[:end]), text[end:]
		}
	}
	return path
}

// Position is where a path is found in a file.
type Position struct {
	// File is the name as the user gave it; "-" is standard input.
	File string
	// Document is the 0-based YAML document in File.
	Document int
	// Line starts at 1; 0 means unknown.
	Line int
	// Column starts at 1 and counts bytes.
	Column int
}

// String prints file:line:column, leaving out what is unknown.
func (p Position) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Compare orders positions by file, document, line and column.
func (p Position) Compare(q Position) int {
	return cmp.Or(
		cmp.Compare(p.File, q.File),
		cmp.Compare(p.Document, q.Document),
		cmp.Compare(p.Line, q.Line),
		cmp.Compare(p.Column, q.Column),
	)
}

// Place is another spot that a finding is about, such as the first definition of a duplicate.
type Place struct {
	Path    Path
	Pos     Position
	Message string
}

// Diagnostic is one finding.
type Diagnostic struct {
	// Rule is the stable kebab-case id of the rule that made the finding.
	Rule string
	// Severity grades it.
	Severity Severity
	// Stage is where the release refuses; set for errors only.
	Stage Stage
	// Message says in one line what is wrong, with the offending value unless it may be secret.
	Message string
	// Hint says what to write instead; may be empty.
	Hint string
	// Path leads to the field.
	Path Path
	// Pos is where the field stands; filled in by package validation, never by a rule.
	Pos Position
	// Related lists further places.
	Related []Place
	// Fix takes the finding away; nil if only its author can.
	Fix *Fix
}

// Fix is a change of the file that takes a finding away, and changes nothing else that the file means.
type Fix struct {
	// Message says what it does, in the imperative.
	Message string
	// Edits are in file order and do not overlap.
	Edits []Edit
}

// Edit replaces the bytes of a file from one offset to another, which counts from 0 and is not among them.
type Edit struct {
	From, To int
	Text     string
}

// Fingerprint names the finding in a way that stays the same when it moves to another line. Findings
// that say the same about the same path of a file have the same one.
func (d Diagnostic) Fingerprint() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{d.Rule, path.Clean(d.Pos.File), d.Path.String(), d.Message}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// List is a set of findings.
type List []Diagnostic

// Sort orders the list by file, document, line, column, path, rule and message, and removes
// findings that say the same at the same place.
func (l *List) Sort() {
	slices.SortStableFunc(*l, func(a, b Diagnostic) int {
		return cmp.Or(
			a.Pos.Compare(b.Pos),
			slices.Compare(a.Path, b.Path),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Message, b.Message),
		)
	})
	*l = slices.CompactFunc(*l, func(a, b Diagnostic) bool {
		return a.Rule == b.Rule && a.Message == b.Message && a.Pos == b.Pos && slices.Equal(a.Path, b.Path)
	})
}

// Count returns how many findings have the severity.
func (l List) Count(s Severity) int {
	n := 0
	for _, d := range l {
		if d.Severity == s {
			n++
		}
	}
	return n
}

// Verdict says whether the release accepts, and if not, the first stage at which it refuses.
func (l List) Verdict() (accepted bool, stage Stage) {
	accepted = true
	for _, d := range l {
		if d.Severity != Error {
			continue
		}
		if accepted || d.Stage.Before(stage) {
			stage = d.Stage
		}
		accepted = false
	}
	return accepted, stage
}

// Err returns nil unless some finding is an error. A List is not itself an error, so that a list
// of warnings is never mistaken for a failure.
func (l List) Err() error {
	for _, d := range l {
		if d.Severity == Error {
			return fmt.Errorf("%s: %s [%s] (%d errors)", d.Pos, d.Message, d.Rule, l.Count(Error))
		}
	}
	return nil
}
