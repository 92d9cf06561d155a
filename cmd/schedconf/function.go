// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/project"
	"github.com/schedconf/schedconf/scheme/source/find"
	"github.com/schedconf/schedconf/validation"
)

// functionProgram is the name under which the program is a function without being told so: kustomize starts
// functions without arguments.
const functionProgram = "schedconf-fn"

// asFunction puts the command in where the name of the program says that it is a function.
func asFunction(args []string) []string {
	if len(args) > 0 && filepath.Base(args[0]) == functionProgram {
		return slices.Concat([]string{"schedconf", "fn"}, args[1:])
	}
	return args
}

// maxList is how many bytes a ResourceList may have.
const maxList = 64 << 20

func (p *program) function() *cli.Command {
	return &cli.Command{
		Name:  "fn",
		Usage: "be a KRM function, as kustomize and kpt run them: a ResourceList in, and the same out, with results",
		Description: `The ResourceList comes from standard input and goes to standard output, with a result for each finding. Its
functionConfig is a ConfigMap, or of kind Schedconf in schedconf.github.io/v1alpha1 with the same words in
spec. They are: action (validate, fix, default, convert or migrate), target, from, to, featureGates, plugins,
pluginRegistries, strict, minimize, and ignore (rules to pass over). A program called ` + functionProgram + ` needs no
arguments: link it to this one.

EXAMPLES:
   printf '{apiVersion: config.kubernetes.io/v1, kind: ResourceList, items: []}' | schedconf fn
   printf '{apiVersion: config.kubernetes.io/v1, kind: ResourceList, items: [], functionConfig: {apiVersion: v1, kind: ConfigMap, data: {target: "1.30"}}}' | schedconf fn
`,
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage(c, "no file is taken: the ResourceList comes from standard input")
			}
			data, err := io.ReadAll(io.LimitReader(p.stdin, maxList+1))
			if err != nil {
				return unreadable(stdinName, err)
			}
			list, err := readList(data)
			if err == nil {
				err = guard(func() error { return p.call(c, list) })
			}
			code := exitYes
			switch {
			case err != nil:
				code = exitWrongQuestion
				if !isInput(err) {
					code = exitBug
				}
				list.add(fnResult{Message: printable(err.Error()), Severity: diag.Error.String()})
			case list.failed:
				code = exitNo
			}
			for _, r := range list.results {
				if r.Severity != diag.Info.String() {
					fmt.Fprintln(p.stderr, r.text()) // kustomize shows this, and no results
				}
			}
			if err := list.write(p.stdout); err != nil {
				return err
			}
			return ended(code)
		},
	}
}

func isInput(err error) bool {
	var wrong usageError
	var input inputError
	return errors.As(err, &wrong) || errors.As(err, &input)
}

// call does what the functionConfig asks for with the items of a list.
func (p *program) call(parent *cli.Context, list *resourceList) error {
	asked, err := readFunctionConfig(list.config)
	if err != nil {
		return err
	}
	f := &function{program: p, list: list, asked: asked, settings: &project.Settings{}}
	for _, rule := range asked.Ignore {
		f.settings.Ignores = append(f.settings.Ignores, &project.Ignore{Rule: rule, Reason: "functionConfig"})
	}
	command := p.validate()
	switch asked.Action {
	case "default":
		command = p.defaults()
	case "convert":
		command = p.convert()
	case "migrate":
		command = p.migrate()
	}
	if f.c, err = contextOf(parent, command, asked); err != nil {
		return err
	}
	if asked.Action == "validate" || asked.Action == "fix" {
		return f.validate()
	}
	for i := range list.items {
		if err := f.transform(i); err != nil {
			return err
		}
	}
	return nil
}

// function is one call.
type function struct {
	*program
	c        *cli.Context
	list     *resourceList
	asked    *functionConfig
	settings *project.Settings
}

// validate judges all items together, as validate does with files.
func (f *function) validate() error {
	j := &judges{c: f.c, made: map[string]*validation.Checker{}, taking: map[string]bool{}}
	j.settings.Given = f.settings
	var err error
	if j.registries, err = registries(f.c); err != nil {
		return err
	}
	if j.release, err = target(f.c); err != nil {
		return err
	}
	if _, err := j.checker(validation.Aim{}); f.c.IsSet("target") && err != nil {
		return err
	}
	var files []*validation.File
	var beside find.Objects
	for i := range f.list.items {
		files = append(files, validation.Open(f.list.items[i].name, f.list.items[i].text, false))
		beside.Add(files[i].Beside())
	}
	run := validation.NewRun(files, beside, releaseOf, j.checker)
	if f.asked.Action == "fix" {
		for i, file := range files {
			data, _, err := run.Fixed(file, func(data []byte, list diag.List) diag.List {
				kept, _ := project.Apply(file.Name, data, list, f.settings, nil)
				return kept
			})
			if err != nil {
				return err
			}
			if !bytes.Equal(data, file.Data) {
				if err := f.list.items[i].replace(data); err != nil {
					return err
				}
				files[i] = validation.Open(file.Name, f.list.items[i].text, false)
			}
		}
		run = validation.NewRun(files, beside, releaseOf, j.checker)
	}
	for i, file := range files {
		result, err := run.Check(file)
		if err != nil {
			return err
		}
		f.report(i, result.Findings)
	}
	for _, d := range run.Elsewhere() {
		i := slices.IndexFunc(f.list.items, func(one *item) bool { return one.name == d.Pos.File })
		f.report(i, diag.List{d})
	}
	return nil
}

// transform rewrites the configuration in an item, if there is one.
func (f *function) transform(i int) error {
	one := f.list.items[i]
	file := validation.Open(one.name, one.text, false)
	if !file.Holds() {
		return nil
	}
	var findings diag.List
	var made *rewritten
	switch f.asked.Action {
	case "convert":
		result, err := convertFile(f.c, one.name, one.text)
		if err != nil {
			return err
		}
		findings = result.findings
		made = &rewritten{one.name, one.text, result.doc, result.found, result.text, result.refused}
	case "migrate":
		m := &migration{startup: startup{program: f.program, c: f.c}, name: one.name, data: one.text}
		if err := m.run(nil); err != nil {
			return err
		}
		findings = slices.DeleteFunc(m.findings, func(d diag.Diagnostic) bool { return d.Rule == validation.RulePolicyRemoved })
		if doc := firstOf(m.doc, m.policyDoc); doc != nil {
			made = &rewritten{one.name, one.text, doc, m.found, m.text, m.refused}
		}
	case "default":
		s, err := newScheme(f.c)
		if err != nil {
			return err
		}
		text, list, err := completed(f.c, s, one.name, one.text)
		if err != nil {
			return err
		}
		findings = list
		accepted, _ := list.Verdict()
		doc, _, err := choose(f.c, one.name, one.text)
		if err != nil {
			return err
		}
		made = &rewritten{one.name, one.text, doc, nil, text, !accepted}
		if found, ok := nested(one.name, one.text); ok {
			made.doc, made.found = found.Doc, found
		}
	}
	if made != nil && made.text != nil && !made.refused {
		text, lost, err := made.file()
		if err != nil {
			return err
		}
		findings = append(findings, lossFindings(lost)...)
		if err := one.replace(text); err != nil {
			return err
		}
	}
	f.report(i, findings)
	return nil
}

// report makes results of findings about an item; i is -1 where none of the items is meant.
func (f *function) report(i int, findings diag.List) {
	name, text := "", []byte(nil)
	if i >= 0 {
		name, text = f.list.items[i].name, f.list.items[i].text
	}
	kept, _ := project.Apply(name, text, findings, f.settings, nil)
	var found []find.Found
	if len(kept) > 0 && i >= 0 {
		found = validation.Open(name, text, false).Found // those of the run are gone once it was judged
	}
	for _, d := range kept {
		r := fnResult{Message: messageOf(d), Severity: d.Severity.String(), Tags: map[string]string{"rule": d.Rule}}
		switch {
		case len(d.Path) > 0 && i >= 0:
			r.Field = &fnField{printable(f.list.items[i].field(d, found).String())}
		case len(d.Path) > 0:
			r.Field = &fnField{printable(d.Path.String())}
		}
		if i >= 0 {
			r.ResourceRef, r.File = f.list.items[i].ref, f.list.items[i].file
		}
		f.list.add(r)
		f.list.failed = f.list.failed || d.Severity == diag.Error || f.asked.Strict && d.Severity == diag.Warning
	}
}

// fnResult is a result as the specification of KRM functions has it.
type fnResult struct {
	Message     string            `yaml:"message"`
	Severity    string            `yaml:"severity"`
	ResourceRef *fnRef            `yaml:"resourceRef,omitempty"`
	Field       *fnField          `yaml:"field,omitempty"`
	File        *fnFile           `yaml:"file,omitempty"`
	Tags        map[string]string `yaml:"tags,omitempty"`
}

type fnRef struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Namespace  string `yaml:"namespace,omitempty"`
	Name       string `yaml:"name"`
}

type fnField struct {
	Path string `yaml:"path"`
}

type fnFile struct {
	Path  string `yaml:"path"`
	Index int    `yaml:"index,omitempty"`
}

// text is the result in a line.
func (r fnResult) text() string {
	text := r.Severity + ": " + r.Message
	if r.Tags["rule"] != "" {
		text += " [" + r.Tags["rule"] + "]"
	}
	if r.Field != nil {
		text = r.Field.Path + ": " + text
	}
	if r.ResourceRef != nil {
		text = printable(r.ResourceRef.Kind+" "+r.ResourceRef.Name) + ": " + text
	}
	if r.File != nil {
		text = printable(r.File.Path) + ": " + text
	}
	return text
}
