// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/scheme/source/find"
)

// remedy is what takes a finding away, before it is known which bytes of a file that changes.
type remedy struct {
	message string
	// old and new are what a key or a value is to be replaced by.
	old, new string
	// remove takes the field out, and unrepeat all keys that stand twice.
	remove, unrepeat bool
}

// findingKey tells the findings about one document apart.
type findingKey struct{ rule, path, message string }

func keyOfFinding(d diag.Diagnostic) findingKey {
	return findingKey{d.Rule, d.Path.String(), d.Message}
}

// remedy says what takes the last finding away.
func (p *Pass) remedy(r remedy) {
	if p.remedies != nil && len(*p.findings) > 0 {
		p.remedies[keyOfFinding((*p.findings)[len(*p.findings)-1])] = r
	}
}

// instead replaces what stands at the place of the last finding.
func (p *Pass) instead(old, new string) {
	p.remedy(remedy{message: fmt.Sprintf("write %s instead of %s", new, old), old: old, new: new})
}

// spelled replaces a word by the known one that differs in upper and lower case only, if the release
// refuses it.
func (p *Pass) spelled(word string, known []string) {
	if meant, ok := sameLetters(word, known); ok && p.severity == diag.Error {
		p.instead(word, meant)
	}
}

func sameLetters(word string, known []string) (string, bool) {
	meant := ""
	for _, candidate := range known {
		if strings.EqualFold(candidate, word) {
			if meant != "" {
				return "", false
			}
			meant = candidate
		}
	}
	return meant, meant != "" && meant != word
}

// deadFields are those of a configuration that are gone without a successor: nothing else can be meant but
// to take them out.
var deadFields = []string{"healthzBindAddress", "metricsBindAddress", "metadata"}

// unknownRemedy is for a field that the release does not know: the one that differs in upper and lower case
// only, or none where it does nothing.
func (p *Pass) unknownRemedy(m scheme.Misfit) {
	name, parent := m.Path[len(m.Path)-1], m.Path[:len(m.Path)-1]
	meant, ok := sameLetters(name, m.Known)
	_, moved := movedFields[name]
	switch {
	case ok && p.severity == diag.Error && !p.doc.Has(parent.Child(meant)):
		p.instead(name, meant)
	case ok:
	case p.severity == diag.Error && len(m.Path) == 1 && slices.Contains(deadFields, name), p.severity != diag.Error && moved:
		p.remedy(remedy{message: "take out " + name + ", which does nothing", remove: true})
	}
}

// maxTypo is how many letters of a kind or an apiVersion may be wrong for it to be certain what was meant.
const maxTypo = 2

// meantAPIVersion returns the apiVersion that one with a typo stands for, if that is certain: no other is as
// close, the digits agree, and the release reads it.
func meantAPIVersion(release *schemas.Release, apiVersion string) (string, bool) {
	known := knownAPIVersions()
	if slices.Contains(known, apiVersion) {
		return "", false
	}
	meant, ok := scheme.Closest(apiVersion, known, maxTypo)
	if _, served := release.API(meant); !ok || !served || digits(meant) != digits(apiVersion) {
		return "", false
	}
	return meant, true
}

// knownAPIVersions are those that any release reads.
var knownAPIVersions = sync.OnceValue(func() []string {
	var known []string
	for _, minor := range schemas.Minors() {
		for _, api := range schemas.For(minor).APIs {
			if !slices.Contains(known, api.APIVersion) {
				known = append(known, api.APIVersion)
			}
		}
	}
	return known
})

func digits(text string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, text)
}

// fixer finds the bytes of a file that remedies change.
type fixer struct {
	file  *File
	found *find.Found
}

// fix turns a remedy into edits; nil if the bytes cannot be told for certain.
func (x fixer) fix(d diag.Diagnostic, r remedy) *diag.Fix {
	var edit diag.Edit
	var ok bool
	switch {
	case r.new != "":
		edit, ok = x.replaced(d, r)
	case r.unrepeat && x.found.Kind != find.ConfigObject:
		text, lost, err := x.found.Doc.Unrepeated(scheme.ReadValue)
		edit, ok = x.rewritten(text, lost, err)
	case r.remove:
		edit, ok = x.removed(d.Path)
	}
	if !ok {
		return nil
	}
	return &diag.Fix{Message: r.message, Edits: []diag.Edit{edit}}
}

// replaced finds the word at the place of a finding.
func (x fixer) replaced(d diag.Diagnostic, r remedy) (diag.Edit, bool) {
	at, ok := source.OffsetAt(x.file.Data, d.Pos)
	if !ok {
		return diag.Edit{}, false
	}
	text := x.file.Data[at:]
	quote := ""
	for _, q := range []string{`\"`, `"`, `'`} {
		if bytes.HasPrefix(text, []byte(q)) {
			quote = q
			break
		}
	}
	if !bytes.HasPrefix(text, []byte(quote+r.old+quote)) || !isPlainWord(r.old) || !isPlainWord(r.new) {
		return diag.Edit{}, false
	}
	if after := text[len(quote+r.old+quote):]; quote == "" && len(after) > 0 && bytes.IndexByte([]byte(" \t\r\n:,]}\"'\\"), after[0]) < 0 {
		return diag.Edit{}, false
	}
	from := at + len(quote)
	return diag.Edit{From: from, To: from + len(r.old), Text: r.new}, true
}

// isPlainWord reports whether a word is written the same in every style.
func isPlainWord(word string) bool {
	return word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./_-") == ""
}

// removed takes the field at a path out of the document.
func (x fixer) removed(path diag.Path) (diag.Edit, bool) {
	value, repeated, err := scheme.ReadValue(x.found.Doc.Bytes())
	object, ok := value.(map[string]any)
	if err != nil || repeated != nil || !ok {
		return diag.Edit{}, false
	}
	for _, step := range path[:len(path)-1] {
		// Below lists nothing is taken out.
		if object, ok = object[step].(map[string]any); !ok {
			return diag.Edit{}, false
		}
	}
	delete(object, path[len(path)-1])
	return x.rewritten(x.found.Doc.Rewrite(value, scheme.ReadValue))
}

// rewritten is the edit that makes the text of the document another. What would cost a comment or a style
// is not made.
func (x fixer) rewritten(text []byte, lost []source.Loss, err error) (diag.Edit, bool) {
	before := x.found.Doc.Bytes()
	index := x.found.Outer.Index
	if err == nil && len(lost) == 0 && len(x.found.Path) > 0 {
		text, lost, err = source.RewriteNested(x.found.Doc, x.found.Path, text, scheme.ReadValue)
		before = x.found.Outer.Bytes()
	}
	if err != nil || len(lost) > 0 {
		return diag.Edit{}, false
	}
	from := 0
	for from < min(len(before), len(text)) && before[from] == text[from] {
		from++
	}
	end := 0
	for end < min(len(before), len(text))-from && before[len(before)-1-end] == text[len(text)-1-end] {
		end++
	}
	at := source.OffsetOf(x.file.Data, x.file.documents, index)
	return diag.Edit{From: at + from, To: at + len(before) - end, Text: string(text[from : len(text)-end])}, from < len(before)-end || from < len(text)-end
}

// maxRounds is how often the fixes of a file are looked for again after some were made.
const maxRounds = 100

// Fixed returns the text of a file with its fixes made, and what they are. Whatever a release accepts
// afterwards means what it did, unless it was refused before. keep says which findings are to be fixed.
func (r *Run) Fixed(f *File, keep func(data []byte, list diag.List) diag.List) (data []byte, made []*diag.Fix, err error) {
	aims := make([][]Aim, len(f.Found))
	for i := range f.Found {
		if found := &r.found[r.from[f]+i]; isJudged(found.Kind) {
			if aims[i], err = r.aims(found); err != nil {
				return nil, nil, err
			}
		}
	}
	now, state, err := r.state(f, aims)
	if err != nil {
		return nil, nil, err
	}
	for range maxRounds {
		fixes := fixesOf(keep(now.Data, slices.Clone(state.findings)))
		if len(fixes) == 0 {
			break
		}
		// All at once is what there mostly is to do. If that is wrong, it is tried one by one.
		next, nextState, ok, err := r.try(f, now, state, aims, fixes)
		if err != nil {
			return nil, nil, err
		}
		for i := 0; i < len(fixes) && !ok; i++ {
			if next, nextState, ok, err = r.try(f, now, state, aims, fixes[i:i+1]); err != nil {
				return nil, nil, err
			}
			if ok {
				fixes = fixes[i : i+1]
			}
		}
		if !ok {
			break
		}
		now, state = next, nextState
		made = append(made, fixes...)
	}
	return now.Data, made, nil
}

func isJudged(kind find.Kind) bool {
	return kind == find.Config || kind == find.ConfigObject || kind == find.Policy
}

// state is what is known of a file while it is fixed.
type state struct {
	findings diag.List
	// results are those of each configuration for each of its aims.
	results [][]*Result
}

// state judges the configurations of a file, and finds the fixes.
func (r *Run) state(f *File, aims [][]Aim) (*File, state, error) {
	var s state
	for i := range f.Found {
		var results []*Result
		for _, aim := range aims[i] {
			checker, err := r.checker(aim)
			if err != nil {
				return nil, s, err
			}
			one, err := checker.Check(f.Found[i].Doc)
			if err != nil {
				return nil, s, err
			}
			withFixes(f, &f.Found[i], one)
			results = append(results, one)
			s.findings = append(s.findings, one.Findings...)
		}
		s.results = append(s.results, results)
	}
	s.findings.Sort()
	return f, s, nil
}

// withFixes adds the fixes to the findings about a document of a file.
func withFixes(f *File, found *find.Found, result *Result) {
	for i := range result.Findings {
		d := &result.Findings[i]
		if r, ok := result.remedies[keyOfFinding(*d)]; ok {
			d.Fix = fixer{f, found}.fix(*d, r)
		}
	}
}

// fixesOf are the fixes of findings, in file order, without those that touch what another one changes.
func fixesOf(list diag.List) []*diag.Fix {
	var fixes []*diag.Fix
	for _, d := range list {
		if d.Fix != nil {
			fixes = append(fixes, d.Fix)
		}
	}
	slices.SortStableFunc(fixes, func(a, b *diag.Fix) int { return a.Edits[0].From - b.Edits[0].From })
	end := -1
	return slices.DeleteFunc(fixes, func(fix *diag.Fix) bool {
		if fix.Edits[0].From < end {
			return true
		}
		end = max(end, fix.Edits[len(fix.Edits)-1].To, fix.Edits[0].From+1)
		return false
	})
}

// try makes fixes, and reports whether they do what they are to do.
func (r *Run) try(f, now *File, before state, aims [][]Aim, fixes []*diag.Fix) (*File, state, bool, error) {
	var data []byte
	at := 0
	for _, fix := range fixes {
		for _, edit := range fix.Edits {
			data = append(data, now.Data[at:edit.From]...)
			data = append(data, edit.Text...)
			at = edit.To
		}
	}
	data = append(data, now.Data[at:]...)
	next := Open(f.Name, data, f.Named)
	if len(next.Found) != len(now.Found) {
		return nil, state{}, false, nil
	}
	_, after, err := r.state(next, aims)
	if err != nil {
		return nil, state{}, false, err
	}
	better := false
	for i := range before.results {
		if next.Found[i].Kind != now.Found[i].Kind || !next.Found[i].Path.Equal(now.Found[i].Path) {
			return nil, state{}, false, nil
		}
		for k, old := range before.results[i] {
			ok, isBetter := improves(old, after.results[i][k])
			if !ok {
				return nil, state{}, false, nil
			}
			better = better || isBetter
		}
	}
	return next, after, better, nil
}

// improves reports whether a result may take the place of another one, and whether it is worth it. What was
// accepted has to mean the same; what was refused can only become better.
func improves(old, new *Result) (ok, better bool) {
	if accepted, _ := old.Findings.Verdict(); !accepted {
		return true, true
	}
	if still, _ := new.Findings.Verdict(); !still || old.Built == nil || new.Built == nil {
		return bytes.Equal(old.Value, new.Value), false
	}
	a, b := scheme.EffectivePair(old.Built, new.Built)
	return reflect.DeepEqual(a, b), len(new.Findings) < len(old.Findings)
}
