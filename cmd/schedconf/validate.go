// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/project"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/source/find"
	"github.com/schedconf/schedconf/validation"
)

func (p *program) validate() *cli.Command {
	return &cli.Command{
		Name:      "validate",
		Usage:     "say whether kube-scheduler loads a configuration, and all that is wrong with it",
		ArgsUsage: "FILE|DIR|-…",
		Description: `Configurations and command lines of kube-scheduler are judged wherever they lie: in files of their own, in
ConfigMaps, Lists and the files of a kustomization, in static pods and Deployments, and in what kubeadm, kind,
k3s, RKE2, kOps, Talos, Cluster API and Helm values hold. In a folder all YAML and JSON files are looked into,
but what is hidden, ignored by Git, or in vendor and node_modules. Without --target each is judged for the
minor that the image or the installer's version beside it says, and for the latest one where nothing does.
Findings go to standard output, and what was looked at to standard error.

EXAMPLES:
   schedconf validate sched.yaml
   schedconf validate --target 1.30 -o json sched.yaml
`,
		Flags: slices.Concat(schemeFlags(), findingFlags(), []cli.Flag{
			&cli.StringSliceFlag{Name: "args-schema", Usage: "JSON Schema of the args of an out-of-tree plugin, as in NAME=`FILE`; repeatable"},
			&cli.IntFlag{Name: "nodes", DefaultText: "unknown", Usage: "how many nodes the cluster has, for what depends on that"},
			&cli.BoolFlag{Name: "require-match", Usage: "exit with 1 if no configuration is found"},
			&cli.StringFlag{Name: "shard", Usage: "judge the files of shard `I/N` of N, counted from 0, as in 0/8; the report is for merge"},
			&cli.BoolFlag{Name: "skip-unrelated", Usage: "pass over files that hold no configuration, as in a folder; for callers that name every file"},
			&cli.StringFlag{Name: "config-file", DefaultText: "the nearest " + project.SettingsFile, Usage: "take the settings of the project from `FILE`"},
			&cli.StringFlag{Name: "baseline", Usage: "pass over the findings in `FILE`, which were there before"},
			&cli.StringFlag{Name: "write-baseline", Usage: "write the findings into `FILE`, but what the target refuses"},
			&cli.BoolFlag{Name: "fix", Usage: "change the files in place where only one answer is right, and nothing that is loaded changes its meaning"},
			&cli.BoolFlag{Name: "diff", Aliases: []string{"d"}, Usage: "with --fix: print what would change in the files, and exit with 1 if anything would; findings go to standard error"},
			reportFlag(),
		}),
		Action: func(c *cli.Context) error {
			operands := c.Args().Slice()
			if len(operands) == 0 {
				return usage(c, "give a file, a folder, or - for standard input")
			}
			if i := slices.Index(operands, stdinName); i >= 0 && slices.Contains(operands[i+1:], stdinName) {
				return usage(c, "standard input (-) is given twice, and can be read once")
			}
			if n := c.Int("nodes"); c.IsSet("nodes") && n < 1 {
				return usage(c, "--nodes %d: a cluster has at least one", n)
			}
			if err := checkFix(c, operands); err != nil {
				return err
			}
			part, err := newPart(c, operands)
			if err != nil {
				return err
			}
			j, err := newJudges(c, operands)
			if err != nil {
				return err
			}
			v := &validator{program: p, c: c, judges: j, done: map[string]bool{}, wrong: map[string]bool{}, targets: map[*schemas.Release]int{}, part: part}
			if err := v.baselines(); err != nil {
				return err
			}
			var finish func() error
			if v.out, finish, err = p.reports(c, v.source, part); err != nil {
				return err
			}
			err = v.run(operands)
			if unwritten := finish(); unwritten != nil {
				return unwritten
			}
			return err
		},
	}
}

// validator goes from file to file. What goes wrong with one of them does not keep it from the next.
type validator struct {
	*program
	c      *cli.Context
	judges *judges
	out    printer
	total  counts
	code   int
	shown  *progress
	// part is the shard that is judged; nil for all there is.
	part *partPrinter
	// targets say how much was judged for which release.
	targets map[*schemas.Release]int

	batch batch
	// baseline has findings to be passed over, and written those that are to be written; both may be nil.
	baseline, written *project.Baseline
	// settings are those of the files that were judged.
	settings []*project.Settings
	// wrong are the messages about the command line and the settings that have been said.
	wrong map[string]bool
	// done are the paths of files that another one named, and that are judged with it.
	done map[string]bool
}

// batch is what is held at a time: files that something was found in. What one of them says counts for the
// others, so they are judged when all are known, or when they come to more than maxHeld.
type batch struct {
	files []*validation.File
	size  int
	// paths lead to the files, which may have other names.
	paths map[*validation.File]string
	// others are files that another shard judges.
	others map[*validation.File]bool
	// beside are files that may have something which the configurations have to fit, and texts what is in
	// those of them that something was found in.
	beside []file
	texts  map[string][]byte
}

// maxHeld is how many bytes of files are held at a time.
const maxHeld = validation.MaxFileSize

func (v *validator) run(operands []string) error {
	v.out.header(v.judges.release)
	v.shown = newProgress(v.stderr, "files looked at", v.c.Bool("quiet"))
	for looked := range v.scan(operands, !v.c.Bool("skip-unrelated")) {
		v.shown.add()
		if v.done[filepath.Clean(looked.path)] && !looked.named {
			continue
		}
		mine := v.part.next()
		v.part.saw(looked.name)
		if mine {
			v.total.Files++
		}
		v.attempt(mine, func() error { return v.add(looked, mine) })
		if v.batch.size > maxHeld {
			v.flush()
		}
	}
	v.shown.end()
	v.flush()
	v.unused()
	if n := v.targets[v.judges.release]; n == 0 || len(v.targets) > 1 || v.part != nil {
		for release, n := range v.targets {
			v.total.judged(release.Name, n)
		}
	}
	if v.part != nil {
		v.code = max(v.code, v.total.verdict(v.c))
		v.part.end(v.code)
	}
	v.out.summary(v.total)
	if v.part != nil {
		return ended(v.code)
	}
	return ended(max(v.code, v.missed(v.c.Bool("require-match"), v.total), v.total.verdict(v.c)))
}

// missed is exitNo where a configuration has to be found, and none was.
func (p *program) missed(required bool, total counts) int {
	if !required || total.Configurations > 0 {
		return exitYes
	}
	flush(p.stdout)
	fmt.Fprintln(p.stderr, "schedconf: no configuration was found, and --require-match asks for one")
	return exitNo
}

// attempt does something for one file, and says what went wrong with it, unless another shard does.
func (v *validator) attempt(mine bool, do func() error) {
	err := guard(do)
	if !mine {
		return
	}
	once := false
	var wrong usageError
	var settings *project.SettingsError
	if errors.As(err, &wrong) || errors.As(err, &settings) {
		if v.wrong[err.Error()] {
			return // it is wrong for all files, and has been said
		}
		v.wrong[err.Error()], once = true, true
	}
	if err != nil {
		v.shown.hide()
		flush(v.stdout)
		code := report(v.stderr, err)
		v.code = max(v.code, code)
		v.part.met(code, once)
		v.out.trouble(err.Error())
	}
}

// add takes a file into the batch, or counts it as skipped.
func (v *validator) add(l *looked, mine bool) error {
	skip := func(reason find.Reason) {
		if mine {
			v.total.skip(reason)
		}
	}
	switch {
	case l.err != nil:
		return l.err
	case l.special:
		skip(reasonSpecial)
		return nil
	case l.large && l.holds:
		v.hold(validation.Large(l.name, l.named, l.mentioned), l.path, mine)
		return nil
	case l.large:
		skip(find.Excess)
		return nil
	case !l.holds:
		if l.beside {
			v.batch.beside = append(v.batch.beside, l.file)
		}
		skip(find.Other)
		return nil
	}
	data := l.data
	if data == nil {
		var err error
		if data, err = v.read(l.path); err != nil {
			return unreadable(l.name, err)
		}
	}
	v.hold(validation.Open(l.name, data, l.named), l.path, mine)
	return nil
}

func (v *validator) hold(f *validation.File, path string, mine bool) {
	if v.batch.paths == nil {
		v.batch.paths, v.batch.others = map[*validation.File]string{}, map[*validation.File]bool{}
	}
	v.batch.files = append(v.batch.files, f)
	v.batch.paths[f] = path
	v.batch.others[f] = !mine
	v.part.read(f.Data)
	v.batch.size += len(f.Data)
}

// flush judges the files of the batch.
func (v *validator) flush() {
	v.shown.hide()
	v.follow()
	beside := v.beside()
	run := validation.NewRun(v.batch.files, beside, releaseOf, v.judges.checker)
	if v.c.Bool("fix") && v.fix(run) {
		run = validation.NewRun(v.batch.files, beside, releaseOf, v.judges.checker)
	}
	for _, f := range v.batch.files {
		v.part.next()
		if !v.batch.others[f] {
			v.attempt(true, func() error { return v.judge(run, f) })
		}
	}
	v.elsewhere(run.Elsewhere())
	v.batch = batch{}
}

func (v *validator) judge(run *validation.Run, f *validation.File) error {
	result, err := run.Check(f)
	if err != nil {
		return fmt.Errorf("%q: %w", f.Name, err)
	}
	if result.Skipped != "" {
		v.total.skip(result.Skipped)
	}
	v.total.Configurations += result.Configurations
	v.total.CommandLines += result.CommandLines
	for _, target := range result.Targets {
		v.targets[target]++
	}
	settings, err := v.judges.settingsFor(f.Name)
	if err != nil {
		return err
	}
	findings := v.passOver(f.Name, f.Data, settings, result.Findings)
	if result.Skipped == "" {
		v.met(f.Name, settings)
	}
	v.count(findings)
	if result.Skipped == "" || len(findings) > 0 {
		v.out.file(f.Name, findings)
	}
	v.out.aims(v.judges.taken())
	return nil
}

func (v *validator) count(findings diag.List) {
	v.total.Errors += findings.Count(diag.Error)
	v.total.Warnings += findings.Count(diag.Warning)
}

// passOver takes out of the findings what comments, settings and the baseline have.
func (v *validator) passOver(name string, data []byte, settings *project.Settings, list diag.List) diag.List {
	findings, n := project.Apply(name, data, list, settings, v.baseline)
	v.total.Suppressed += n
	if v.written != nil {
		v.written.Add(name, findings)
	}
	return findings
}

// met notes that a file was judged, so that what passes over nothing in it is told.
func (v *validator) met(name string, settings *project.Settings) {
	v.baseline.Met(name)
	settings.Met(name)
	if settings != nil && !slices.Contains(v.settings, settings) {
		v.part.first(settings.File)
		v.settings = append(v.settings, settings)
	}
}

// baselines reads the baseline that is given, and starts the one that is to be written.
func (v *validator) baselines() (err error) {
	given, written := v.c.String("baseline"), v.c.String("write-baseline")
	switch {
	case given != "" && written != "":
		return usage(v.c, "--baseline and --write-baseline exclude each other")
	case given != "":
		if v.baseline, err = project.ReadBaseline(given); err != nil {
			return inputError{fmt.Errorf("read %q: %w", given, reason(err))}
		}
	case written != "":
		v.written, err = project.NewBaseline(written)
	}
	return err
}

// unused tells what of the settings and the baseline was for nothing, and writes the new baseline.
func (v *validator) unused() {
	if v.part != nil {
		v.part.unused(v.settings, v.baseline, v.c.String("baseline"))
		return
	}
	for _, settings := range v.settings {
		if findings := settings.Unused(); len(findings) > 0 {
			v.count(findings)
			v.out.file(settings.File, findings)
		}
	}
	if findings := v.baseline.Unused(); len(findings) > 0 {
		v.count(findings)
		v.out.file(v.c.String("baseline"), findings)
	}
	if v.written != nil {
		v.attempt(true, func() error {
			text, err := v.written.Text()
			if err != nil {
				return err
			}
			return replaceFile(v.c.String("write-baseline"), text)
		})
	}
}

// elsewhere tells what was found in files that hold nothing to judge themselves.
func (v *validator) elsewhere(list diag.List) {
	of := map[string]diag.List{}
	for _, d := range list {
		of[d.Pos.File] = append(of[d.Pos.File], d)
	}
	for _, f := range v.batch.beside {
		if of[f.name] == nil {
			continue
		}
		mine := v.part.next()
		v.attempt(mine, func() error {
			if !mine {
				return nil
			}
			data, err := v.read(f.path)
			if err != nil {
				return unreadable(f.name, err)
			}
			settings, err := v.judges.settingsFor(f.name)
			if err != nil {
				return err
			}
			v.batch.texts = map[string][]byte{f.name: data}
			findings := v.passOver(f.name, data, settings, of[f.name])
			v.count(findings)
			v.out.file(f.name, findings)
			return nil
		})
	}
}

// source is the text of a file of the batch.
func (v *validator) source(name string) []byte {
	if text, ok := v.batch.texts[name]; ok {
		return text
	}
	for _, f := range v.batch.files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// beside returns what the configurations of the batch have to fit. Few files have any of it, and it is
// looked for only where there is something to fit it.
func (v *validator) beside() find.Objects {
	var objects find.Objects
	wanted := slices.ContainsFunc(v.batch.files, (*validation.File).Holds)
	for _, f := range v.batch.files {
		if find.MayStandBeside(f.Data) {
			objects.Add(f.Beside())
		}
	}
	for _, f := range v.batch.beside {
		if !wanted || len(objects.Pods)+len(objects.Roles)+len(objects.Bindings)+len(objects.Nodes)+len(objects.Applied) > maxBeside {
			break
		}
		v.attempt(v.part.next(), func() error {
			data, err := v.read(f.path)
			if err != nil {
				return unreadable(f.name, err)
			}
			v.part.read(data)
			objects.Add(validation.Open(f.name, data, false).Beside())
			return nil
		})
	}
	return objects
}

// maxBeside bounds how many objects are held beside configurations.
const maxBeside = 100_000

// follow reads the files that those of the batch refer to, unless they are in it already.
func (v *validator) follow() {
	known := map[string]*validation.File{}
	for _, f := range v.batch.files {
		known[filepath.Clean(v.batch.paths[f])] = f
	}
	for _, f := range slices.Clone(v.batch.files) {
		for _, found := range f.Found {
			if found.Kind != find.Reference || f.Name == stdinName {
				continue
			}
			path := filepath.Join(filepath.Dir(v.batch.paths[f]), filepath.FromSlash(found.File))
			to, ok := known[path]
			if !ok {
				// What is not there is generated, or missed by whoever uses it.
				data, err := v.read(path)
				if err != nil || !find.MayHold(data) {
					continue
				}
				to = validation.Open(filepath.ToSlash(filepath.Join(filepath.Dir(f.Name), found.File)), data, false)
				known[path], v.done[path] = to, true
				mine := v.part.next()
				if mine {
					v.total.Files++
				}
				v.part.saw(to.Name)
				v.hold(to, path, mine)
			}
			f.Refers = append(f.Refers, validation.Referred{By: found, File: to})
		}
	}
}
