// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/lsp"
	"github.com/schedconf/schedconf/project"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source/find"
	"github.com/schedconf/schedconf/validation"
)

func (p *program) lsp() *cli.Command {
	return &cli.Command{
		Name:  "lsp",
		Usage: "serve an editor over standard input and output, by the Language Server Protocol",
		Description: `Editors start it themselves. It gives the findings of validate while somebody types, explains fields and
plugins, completes them, and offers fixes and the effective configuration. Settings that the editor sends count
like the flags, and the .schedconf.yaml of a project for all that they do not say.

EXAMPLES:
   schedconf lsp < /dev/null
   schedconf lsp --target 1.30 < /dev/null
`,
		// Some clients add --stdio to whatever they start.
		Flags: slices.Concat(schemeFlags(), []cli.Flag{&cli.BoolFlag{Name: "stdio", Usage: "use standard input and output, which is what it does anyway"}}),
		Action: func(c *cli.Context) error {
			if err := noOperands(c); err != nil {
				return err
			}
			settings, err := settingsOf(c)
			if err != nil {
				return err
			}
			debug.SetGCPercent(100) // it runs for days
			err = lsp.Serve(p.stdin, p.stdout, buildVersion(), settings, p.newEditorTool)
			if errors.Is(err, lsp.ErrNotShutDown) {
				return ended(exitNo)
			}
			if err != nil {
				return inputError{fmt.Errorf("read standard input: %w", err)}
			}
			return nil
		},
	}
}

// settingsOf are the settings of an editor that sends none.
func settingsOf(c *cli.Context) (lsp.Settings, error) {
	gates, err := overrides(c)
	if err != nil {
		return lsp.Settings{}, err
	}
	settings := lsp.Settings{FeatureGates: gates, Plugins: c.StringSlice("plugin"), Registries: c.StringSlice("plugin-registry")}
	if c.IsSet("target") {
		settings.Target = c.String("target")
	}
	return settings, nil
}

// editorTool is what an editor asks. Each of its questions is what a command answers.
type editorTool struct {
	*program
	settings lsp.Settings
	judges   *judges
}

func (p *program) newEditorTool(settings lsp.Settings, unsaved lsp.Open) (lsp.Tool, error) {
	quiet := &program{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, unsaved: unsaved}
	t := &editorTool{program: quiet, settings: settings}
	c, err := t.flags(schemeFlags())
	if err != nil {
		return nil, plain(err)
	}
	t.judges = &judges{c: c, made: map[string]*validation.Checker{}, schemas: map[string]*validation.ArgsSchema{}, taking: map[string]bool{}}
	if t.judges.registries, err = registries(c); err != nil {
		return nil, plain(err)
	}
	if t.judges.release, err = target(c); err != nil {
		return nil, plain(err)
	}
	// What is wrong with gates and plugins is said at once.
	_, err = newScheme(c)
	return t, plain(err)
}

// flags are the settings as the flags of a command, with more of them.
func (t *editorTool) flags(list []cli.Flag, more ...string) (*cli.Context, error) {
	set := flag.NewFlagSet("settings", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	for _, f := range list {
		if err := f.Apply(set); err != nil {
			return nil, err
		}
	}
	var args []string
	if t.settings.Target != "" {
		args = append(args, "--target="+t.settings.Target)
	}
	for _, gate := range slices.Sorted(maps.Keys(t.settings.FeatureGates)) {
		args = append(args, fmt.Sprintf("--feature-gates=%s=%t", gate, t.settings.FeatureGates[gate]))
	}
	for _, plugin := range t.settings.Plugins {
		args = append(args, "--plugin="+plugin)
	}
	for _, registry := range t.settings.Registries {
		args = append(args, "--plugin-registry="+registry)
	}
	if err := set.Parse(append(args, more...)); err != nil {
		return nil, err
	}
	// As the program has it, a comma within a value does not cut it.
	c := cli.NewContext(&cli.App{Name: "schedconf", DisableSliceFlagSeparator: true}, set, nil)
	c.Command = &cli.Command{Name: "lsp", HelpName: "schedconf lsp"}
	return c, nil
}

// plain takes off what says that a command line was wrong: here it is a setting.
func plain(err error) error {
	var wrong usageError
	if errors.As(err, &wrong) {
		return errors.New(wrong.message)
	}
	return err
}

// open reads a file and those that it refers to.
func (t *editorTool) open(path string) (*validator, *validation.Run, *validation.File, error) {
	data, err := t.read(path)
	if err != nil {
		return nil, nil, nil, unreadable(path, err)
	}
	v := &validator{program: t.program, c: t.judges.c, judges: t.judges, done: map[string]bool{}}
	f := validation.Open(path, data, false)
	v.hold(f, path, true)
	v.follow()
	return v, validation.NewRun(v.batch.files, v.beside(), releaseOf, t.judges.checker), f, nil
}

func (t *editorTool) Check(path string) (diag.List, error) {
	defer t.judges.taken() // nobody is told of them, and they would pile up
	_, run, f, err := t.open(path)
	if err != nil {
		return nil, plain(err)
	}
	data := f.Data
	result, err := run.Check(f)
	if err != nil {
		return nil, plain(err)
	}
	settings, err := t.judges.settingsFor(path)
	if err != nil {
		return nil, plain(err)
	}
	findings, _ := project.Apply(path, data, result.Findings, settings, nil)
	return findings, nil
}

func (t *editorTool) Fixed(path string) ([]byte, error) {
	_, run, f, err := t.open(path)
	if err != nil {
		return nil, plain(err)
	}
	settings, err := t.judges.settingsFor(path)
	if err != nil {
		return nil, plain(err)
	}
	data, _, err := run.Fixed(f, func(data []byte, list diag.List) diag.List {
		kept, _ := project.Apply(path, data, list, settings, nil)
		return kept
	})
	return data, plain(err)
}

func (t *editorTool) Scheme(file *validation.File, index int) (*scheme.Scheme, error) {
	defer t.judges.taken()
	aim := validation.Aim{File: file.Name}
	if index >= 0 {
		aims, err := validation.NewRun([]*validation.File{file}, find.Objects{}, releaseOf, t.judges.checker).Aims(file, index)
		if err != nil {
			return nil, plain(err)
		}
		aim = aims[0]
	}
	checker, err := t.judges.checker(aim)
	if err != nil {
		return nil, plain(err)
	}
	return checker.Scheme(), nil
}

func (t *editorTool) Effective(path string, release *schemas.Release, document int) (string, error) {
	more := []string{"--target=" + release.Name}
	if document >= 0 {
		more = append(more, fmt.Sprintf("--document=%d", document))
	}
	settings, err := t.judges.settingsFor(path)
	if err != nil {
		return "", plain(err)
	}
	if settings != nil {
		for gate, on := range settings.FeatureGates {
			if _, set := t.settings.FeatureGates[gate]; !set {
				more = append(more, fmt.Sprintf("--feature-gates=%s=%t", gate, on))
			}
		}
		for _, plugin := range settings.Plugins {
			more = append(more, "--plugin="+plugin.Text)
		}
		for _, registry := range settings.Registries {
			more = append(more, "--plugin-registry="+settings.Path(registry.Text))
		}
	}
	c, err := t.flags(append(schemeFlags(), documentFlag()), append(more, "--", path)...)
	if err != nil {
		return "", plain(err)
	}
	s := startup{program: t.program, c: c}
	if err := s.read(); err != nil {
		return "", plain(err)
	}
	resolved, err := s.resolve()
	if err != nil {
		return "", plain(err)
	}
	if resolved == nil {
		return "", fmt.Errorf("Kubernetes %s does not load it: its findings say why", s.release.Name)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "Kubernetes %s\n\n", s.release.Name)
	if err := printEffective(&b, "text", s.release, resolved); err != nil {
		return "", err
	}
	return b.String(), nil
}
