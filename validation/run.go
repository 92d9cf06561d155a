// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/scheme/source/find"
)

// File is a file of a run, with what was found in it.
type File struct {
	Name string
	Data []byte
	// Named is true for a file that somebody named, as opposed to one that was come across in a folder.
	// It is expected to hold something.
	Named bool
	// Found are the configurations and command lines in it, in file order.
	Found []find.Found
	// Skipped are parts that mention a scheduler and that nothing was found in.
	Skipped []find.Skipped
	// Refers are the files that a reference in this one leads to.
	Refers []Referred

	documents        []*source.Document
	large, mentioned bool
}

// Referred is a file that another one names, as a kustomization names those of a ConfigMap.
type Referred struct {
	By   find.Found
	File *File
}

// Open looks for what is to be judged in a file. The data must not change afterwards.
func Open(name string, data []byte, named bool) *File {
	f := &File{Name: name, Data: data, Named: named}
	if len(data) > MaxFileSize {
		return Large(name, named, Mentioned(data))
	}
	f.documents = source.Split(name, data)
	f.Found, f.Skipped = find.In(name, f.documents)
	// Names that are written in escapes or in UTF-16 can only be read by a decoder.
	for i, doc := range Configurations(f.documents) {
		if !slices.ContainsFunc(f.Found, func(found find.Found) bool { return found.Doc == doc }) && !f.isTemplate(doc) {
			at := slices.IndexFunc(f.Found, func(found find.Found) bool { return found.Outer.Index >= doc.Index })
			if at < 0 {
				at = len(f.Found)
			}
			f.Found = slices.Insert(f.Found, max(at, i), find.Found{Kind: find.Config, Doc: doc, Outer: doc, Pos: doc.Position(nil)})
		}
	}
	return f
}

// Large is a file with more than MaxFileSize bytes, which nothing is looked for in. It counts as one with a
// configuration if somebody named it, or if it names a configuration.
func Large(name string, named, mentioned bool) *File {
	return &File{Name: name, Named: named, large: true, mentioned: mentioned}
}

func (f *File) isTemplate(doc *source.Document) bool {
	return slices.ContainsFunc(f.Skipped, func(s find.Skipped) bool { return s.Reason == find.Template && s.Pos.Document == doc.Index })
}

// Beside returns the objects in the file that configurations have to fit.
func (f *File) Beside() find.Objects { return find.Beside(f.documents) }

// Holds reports whether anything in the file is judged.
func (f *File) Holds() bool {
	return slices.ContainsFunc(f.Found, func(found find.Found) bool { return found.Kind != find.Reference })
}

// mentions reports whether the document of a position names a configuration, whatever else it is.
func (f *File) mentions(pos diag.Position) bool {
	if pos.Document >= len(f.documents) {
		return false
	}
	return Mentioned(f.documents[pos.Document].Bytes())
}

// Aim says what a configuration or a command line is meant for, as far as its surroundings do.
type Aim struct {
	// File is the file that it lies in, and At the place.
	File string
	At   diag.Position
	// Target is the minor, such as 1.30, and TargetPos the place that says so. It is empty if nothing does.
	Target    string
	TargetPos diag.Position
	// Image is the image that runs, if it is known.
	Image string
	// Gates are the feature gates of the command line that reads the configuration.
	Gates map[string]bool
}

// Run judges files that were given together: what one of them says counts for the others, such as the
// image of a scheduler for the ConfigMap that it mounts.
type Run struct {
	// checker returns what judges for an aim, or an error if nothing can.
	checker func(Aim) (*Checker, error)
	found   []find.Found
	from    map[*File]int
	readers map[*find.Found][]*find.Found
	cross   map[string]diag.List
}

// NewRun prepares a run. release returns the facts of a minor, nil if there are none; checker returns what
// judges for an aim.
func NewRun(files []*File, beside find.Objects, release func(minor string) *schemas.Release, checker func(Aim) (*Checker, error)) *Run {
	r := &Run{checker: checker, from: map[*File]int{}, readers: map[*find.Found][]*find.Found{}, cross: map[string]diag.List{}}
	for _, f := range files {
		r.from[f] = len(r.found)
		r.found = append(r.found, f.Found...)
	}
	for _, f := range files {
		for _, referred := range f.Refers {
			r.refer(referred)
		}
	}
	links := link(r.found)
	for i := range r.found {
		if to := links[&r.found[i]]; to != nil {
			r.readers[to] = append(r.readers[to], &r.found[i])
		}
	}
	r.policies()
	for _, d := range crossCheck(Input{Found: r.found, Beside: beside, Release: release}, links) {
		r.cross[d.Pos.File] = append(r.cross[d.Pos.File], d)
	}
	return r
}

// Elsewhere returns what was found in files that are not those of the run, such as a pod that names a scheduler
// which none of the configurations has.
func (r *Run) Elsewhere() diag.List {
	ours := map[string]bool{}
	for f := range r.from {
		ours[f.Name] = true
	}
	var list diag.List
	for name, findings := range r.cross {
		if !ours[name] {
			list = append(list, findings...)
		}
	}
	list.Sort()
	return list
}

// policies finds the Policy of each command line: by the name of the ConfigMap, or through a mount of one.
func (r *Run) policies() {
	named := map[[2]string][]*find.Found{}
	for i := range r.found {
		if f := &r.found[i]; f.Kind == find.Policy && f.Object.Kind == "ConfigMap" {
			for _, key := range []string{"", f.Key} {
				named[[2]string{f.Object.Name, key}] = append(named[[2]string{f.Object.Name, key}], f)
			}
		}
	}
	if len(named) == 0 {
		return
	}
	for i := range r.found {
		reader := &r.found[i]
		if reader.Kind != find.Flags {
			continue
		}
		var of []*find.Found
		if flag, ok := reader.Command.Flag("policy-configmap"); ok {
			of = named[[2]string{flag.Value, ""}]
		} else if flag, ok := reader.Command.Flag("policy-config-file"); ok {
			mount, _ := reader.Command.MountOf(flag.Value)
			for _, source := range mount.Sources {
				key, _ := keyOf(mount, source, flag.Value)
				of = append(of, named[[2]string{source.ConfigMap, key}]...)
			}
		}
		for _, policy := range of {
			r.readers[policy] = append(r.readers[policy], reader)
		}
	}
}

// refer makes the configuration in a file what the reference to it says: the key of a ConfigMap.
func (r *Run) refer(referred Referred) {
	from, ok := r.from[referred.File]
	if !ok {
		return
	}
	for i := range referred.File.Found {
		if f := &r.found[from+i]; f.Kind == find.Config && f.Carrier == "" {
			f.Carrier, f.Object, f.Key, f.Keys = referred.By.Carrier, referred.By.Object, referred.By.Key, referred.By.Keys
		}
	}
}

// Check judges one of the files of the run, once. An error means that the tool could not do its job.
func (r *Run) Check(f *File) (*FileResult, error) {
	result := &FileResult{Findings: slices.Clone(r.cross[f.Name])}
	if f.large {
		if f.Named || f.mentioned {
			result.Findings = append(result.Findings, tooLarge(f.Name))
			result.Configurations = bool2int(!f.Named)
		} else {
			result.Skipped = find.Excess
		}
		return result, nil
	}
	from := r.from[f]
	defer r.release(f)
	for i := range f.Found {
		if err := r.judge(f, &r.found[from+i], result); err != nil {
			return result, err
		}
	}
	if err := r.rest(f, result); err != nil {
		return result, err
	}
	result.Findings.Sort()
	// Judged for the image, a configuration is refused for what the image does not read.
	refused := map[diag.Position]bool{}
	for _, d := range result.Findings {
		refused[d.Pos] = refused[d.Pos] || d.Rule == ruleAPIVersionUnknown
	}
	result.Findings = slices.DeleteFunc(result.Findings, func(d diag.Diagnostic) bool { return d.Rule == ruleImageMinor && refused[d.Pos] })
	return result, nil
}

// release lets go of what is known of a file that was judged, but of command lines, which the configurations
// of others may be read by. What was parsed is many times as large as the text.
func (r *Run) release(f *File) {
	f.documents = nil
	for i := range f.Found {
		if r.found[r.from[f]+i].Kind != find.Flags {
			r.found[r.from[f]+i], f.Found[i] = find.Found{}, find.Found{Kind: f.Found[i].Kind}
		}
	}
}

func bool2int(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (r *Run) judge(f *File, found *find.Found, result *FileResult) error {
	switch found.Kind {
	case find.Reference:
		return nil
	case find.Flags:
		result.CommandLines++
		aim := aimOf(found)
		checker, err := r.checker(aim)
		if err != nil {
			return err
		}
		result.Targets = append(result.Targets, checker.scheme.Release)
		findings, _ := commandFindings(checker.scheme.Release, found)
		result.Findings = append(result.Findings, findings...)
		return nil
	}
	result.Configurations++
	aims, err := r.aims(found)
	if err != nil {
		return err
	}
	for _, aim := range aims {
		checker, err := r.checker(aim)
		if err != nil {
			return err
		}
		result.Targets = append(result.Targets, checker.scheme.Release)
		one, err := checker.Check(found.Doc)
		if err != nil {
			return fmt.Errorf("document %d: %w", found.Outer.Index, err)
		}
		withFixes(f, found, one)
		result.Findings = append(result.Findings, one.Findings...)
	}
	besideCluster := len(found.Path) == 0 && strings.HasPrefix(found.Carrier, "kOps")
	if found.Doc.Index > 0 && found.Kind != find.ConfigObject && !besideCluster {
		result.Findings = append(result.Findings, Ignored(found.Doc))
	}
	return nil
}

func aimOf(found *find.Found) Aim {
	aim := Aim{File: found.Pos.File, At: found.Pos, Target: found.Target, TargetPos: found.TargetPos}
	if found.Command != nil {
		aim.Image = found.Command.Image
	}
	return aim
}

// Aims are what the configuration at an index of File.Found is read by, one at least. It is asked before Check, which
// lets go of what was found.
func (r *Run) Aims(f *File, index int) ([]Aim, error) { return r.aims(&r.found[r.from[f]+index]) }

// aims are what a configuration is read by: the schedulers that take it, or what its own surroundings say.
func (r *Run) aims(found *find.Found) ([]Aim, error) {
	var aims []Aim
	known := map[string]bool{}
	for _, reader := range r.readers[found] {
		aim := aimOf(reader)
		aim.File, aim.At = found.Pos.File, found.Pos
		if aim.Target == "" {
			aim.Target, aim.TargetPos = found.Target, found.TargetPos
		}
		checker, err := r.checker(aim)
		if err != nil {
			return nil, err
		}
		_, flags := commandFindings(checker.scheme.Release, reader)
		aim.Gates = flags.Gates
		if id := checker.scheme.Release.Name + " " + gateText(flags.Gates); !known[id] {
			known[id] = true
			aims = append(aims, aim)
		}
	}
	if aims == nil {
		aims = []Aim{aimOf(found)}
	}
	return aims, nil
}

func gateText(gates map[string]bool) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(gates)) {
		list = append(list, fmt.Sprintf("%s=%t", name, gates[name]))
	}
	return strings.Join(list, ",")
}

// rest says what there is to say about the parts of a file that hold nothing.
func (r *Run) rest(f *File, result *FileResult) error {
	holds := f.Holds() || slices.ContainsFunc(f.Refers, func(to Referred) bool { return to.File.Holds() })
	refused, why := false, find.Other
	for _, s := range f.Skipped {
		if why == find.Other {
			why = s.Reason
		}
		switch {
		case s.Reason == find.Excess:
			result.Findings = append(result.Findings, tooComplex(s))
			refused = true
		case s.Reason == find.Template && f.mentions(s.Pos):
			d := unrendered(s)
			if f.Named && !holds {
				d.Severity, d.Stage = diag.Error, diag.Decode
				refused = true
			}
			result.Findings = append(result.Findings, d)
		case s.Reason == find.Syntax && f.mentions(s.Pos):
			if err := r.plain(f, f.documents[s.Pos.Document], result); err != nil {
				return err
			}
			refused = true
		}
	}
	switch {
	case holds && f.ignoresFirst(), !holds && !refused && f.Named:
		return r.plain(f, f.documents[0], result)
	case !holds && !refused:
		result.Skipped = why
	}
	return nil
}

func unrendered(s find.Skipped) diag.Diagnostic {
	return diag.Diagnostic{
		Rule: ruleTemplate, Severity: diag.Info, Pos: s.Pos, Message: "this is a template, which has to be rendered before it can be judged",
		Hint: "render it first, as in: helm template . | schedconf validate -",
	}
}

// ignoresFirst reports whether a file looks like one that kube-scheduler is given, and its first
// document, which is all that it reads, is no configuration.
func (f *File) ignoresFirst() bool {
	first := false
	for _, found := range f.Found {
		if found.Carrier != "" || found.Kind == find.Flags || found.Kind == find.Reference {
			return false
		}
		// An object that nothing carries is an item of a list, which is no configuration.
		first = first || found.Outer.Index == 0 && found.Kind != find.ConfigObject
	}
	return !first && len(f.Found) > 0
}

// plain judges a document of the file as if kube-scheduler were given it.
func (r *Run) plain(f *File, doc *source.Document, result *FileResult) error {
	checker, err := r.checker(Aim{File: f.Name, At: doc.Position(nil)})
	if err != nil {
		return err
	}
	one, err := checker.Check(doc)
	if err != nil {
		return fmt.Errorf("document %d: %w", doc.Index, err)
	}
	result.Findings = append(result.Findings, one.Findings...)
	if checker.readsPolicy(one.Value) {
		result.Configurations++
	}
	return nil
}

func tooComplex(s find.Skipped) diag.Diagnostic {
	return diag.Diagnostic{
		Rule: ruleTooComplex, Severity: diag.Error, Stage: diag.Decode, Pos: s.Pos,
		Message: "this mentions a scheduler, and repeats or nests too much to be looked through",
		Hint:    "give the configuration as a file of its own",
	}
}

// stockPrograms are the names of kube-scheduler as a program and as an image.
var stockPrograms = regexp.MustCompile(`^(?:kube-scheduler|hyperkube)(?:-(?:amd64|arm64|arm|ppc64le|s390x))?$`)

// commandFindings judges the command line of a scheduler. That of a program which only may be built on
// kube-scheduler may have flags of its own, and nobody has seen it refuse any.
func commandFindings(release *schemas.Release, found *find.Found) (diag.List, *Flags) {
	words, stock := commandWords(found)
	args := make([]string, len(words))
	for i, word := range words {
		args[i] = word.Text
	}
	findings, flags := CheckFlags(release, args, func(i int) diag.Position { return words[i].Pos })
	if stock {
		return findings, flags
	}
	findings = slices.DeleteFunc(findings, func(d diag.Diagnostic) bool {
		return slices.Contains([]string{RuleFlagUnknown, RuleFlagRemoved, RuleFlagComponent, RuleFlagOperand, RuleFlagSyntax}, d.Rule)
	})
	for i := range findings {
		if findings[i].Severity == diag.Error {
			findings[i].Severity, findings[i].Stage = diag.Warning, ""
		}
	}
	return findings, flags
}

// commandWords are the arguments of a scheduler, and whether it surely is kube-scheduler.
func commandWords(found *find.Found) ([]Word, bool) {
	image, _, _ := strings.Cut(path.Base(found.Command.Image), ":")
	stock := !inContainer(found) || stockPrograms.MatchString(image)
	if program, ok := found.Outer.Scalar(found.Path.Child("command", "0")); ok {
		stock = stock || stockPrograms.MatchString(path.Base(program))
	}
	if words, ok := containerWords(found.Outer, *found); ok {
		return words, stock
	}
	return flagWords(found.Command), stock
}
