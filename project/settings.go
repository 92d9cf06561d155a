// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/validation"
)

// SettingsFile is the name of the file with the settings of a project. It counts for its folder and all
// below.
const SettingsFile = ".schedconf.yaml"

// maxSettings is how many bytes a settings file may have.
const maxSettings = 1 << 20

// Settings are what a settings file says. Names of files in it are relative to its folder.
type Settings struct {
	// File is its path, and Folder the folder that it counts for.
	File, Folder string
	// Target is the Kubernetes minor as it is written, and TargetPos the place; empty if nothing is said.
	Target    string
	TargetPos diag.Position
	// FeatureGates are those of the scheduler.
	FeatureGates map[string]bool
	// Plugins are declarations as --plugin has them, and Registries what --plugin-registry names.
	Plugins, Registries []Text
	// ArgsSchemas are the files with JSON Schemas for args of plugins.
	ArgsSchemas map[string]Text
	// Severities are those of findings that no release refuses; zero leaves them out.
	Severities map[string]diag.Severity
	// Ignores pass over findings.
	Ignores []*Ignore
}

// Ignore passes over findings by rule and file.
type Ignore struct {
	// Rule is a rule or a pattern; empty for all.
	Rule string
	// Path is a pattern of files, relative to the folder of the settings; empty for all.
	Path string
	// Reason says why.
	Reason string
	Pos    diag.Position

	met, used bool
}

// Text is a text of the settings, and its place.
type Text struct {
	Text string
	Pos  diag.Position
}

// SettingsError says what is wrong with a settings file, and where.
type SettingsError struct {
	Pos     diag.Position
	Message string
}

func (e *SettingsError) Error() string { return fmt.Sprintf("%s: %s", e.Pos, e.Message) }

// ReadSettings reads a settings file. What is wrong with it is a *SettingsError.
func ReadSettings(name string) (*Settings, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode().IsRegular() && info.Size() > maxSettings {
		return nil, &SettingsError{diag.Position{File: name}, "the file is too large for settings"}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	s := &Settings{File: name, Folder: folder}
	return s, s.parse(data)
}

func (s *Settings) parse(data []byte) error {
	doc := source.Split(s.File, data)[0]
	if pos, message, broken := doc.Syntax(); broken {
		return &SettingsError{pos, message}
	}
	root := doc.Root()
	if root == nil || root.IsNull() {
		return nil
	}
	if duplicates := doc.Duplicates(); len(duplicates) > 0 {
		d := duplicates[0]
		return &SettingsError{d.Again, fmt.Sprintf("the key %q stands twice", d.Path[len(d.Path)-1])}
	}
	return fields(root, "the settings", map[string]func(*source.Node) error{
		"target": s.target, "featureGates": s.featureGates,
		"plugins":          texts(&s.Plugins),
		"pluginRegistries": texts(&s.Registries),
		"argsSchemas":      s.argsSchemas, "severities": s.severities, "ignore": s.ignores,
	})
}

// fields reads the fields of a mapping, and knows no others.
func fields(n *source.Node, what string, known map[string]func(*source.Node) error) error {
	if !n.IsMapping() {
		return wrong(n, "%s have to be a mapping", what)
	}
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	for name, value := range n.Fields() {
		read, ok := known[name]
		if !ok {
			hint := "known are " + strings.Join(names, ", ")
			if near, ok := scheme.Nearest(name, names); ok {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			return &SettingsError{value.Position(), fmt.Sprintf("%s have no key %q: %s", what, name, hint)}
		}
		if err := read(value); err != nil {
			return err
		}
	}
	return nil
}

func wrong(n *source.Node, format string, args ...any) error {
	return &SettingsError{n.ValuePosition(), fmt.Sprintf(format, args...)}
}

func text(n *source.Node) (string, error) {
	if n.IsMapping() || n.IsList() || n.IsNull() || n.Text() == "" {
		return "", wrong(n, "a text is needed here")
	}
	return n.Text(), nil
}

func texts(to *[]Text) func(*source.Node) error {
	return func(n *source.Node) error {
		if !n.IsList() {
			return wrong(n, "a list is needed here")
		}
		for item := range n.Items() {
			value, err := text(item)
			if err != nil {
				return err
			}
			*to = append(*to, Text{value, item.ValuePosition()})
		}
		return nil
	}
}

func (s *Settings) target(n *source.Node) (err error) {
	s.TargetPos = n.ValuePosition()
	s.Target, err = text(n)
	return err
}

func (s *Settings) featureGates(n *source.Node) error {
	if !n.IsMapping() {
		return wrong(n, "feature gates have to be a mapping of names to true or false")
	}
	s.FeatureGates = map[string]bool{}
	for name, value := range n.Fields() {
		if t := value.Text(); t != "true" && t != "false" {
			return wrong(value, "the feature gate %s takes true or false", name)
		}
		s.FeatureGates[name] = value.Text() == "true"
	}
	return nil
}

func (s *Settings) argsSchemas(n *source.Node) error {
	if !n.IsMapping() {
		return wrong(n, "args schemas have to be a mapping of plugins to files")
	}
	s.ArgsSchemas = map[string]Text{}
	for name, value := range n.Fields() {
		file, err := text(value)
		if err != nil {
			return err
		}
		s.ArgsSchemas[name] = Text{file, value.ValuePosition()}
	}
	return nil
}

// severityWords are the choices for a rule.
var severityWords = map[string]diag.Severity{"error": diag.Error, "warning": diag.Warning, "info": diag.Info, "off": 0}

func (s *Settings) severities(n *source.Node) error {
	if !n.IsMapping() {
		return wrong(n, "severities have to be a mapping of rules to error, warning, info or off")
	}
	s.Severities = map[string]diag.Severity{}
	for name, value := range n.Fields() {
		if message := unknownRule(name); message != "" {
			return &SettingsError{value.Position(), message}
		}
		severity, ok := severityWords[value.Text()]
		if !ok && value.Text() == "false" {
			return wrong(value, "YAML reads this as false: write 'off' in quotes")
		}
		if !ok {
			return wrong(value, "the choices are error, warning, info and off")
		}
		s.Severities[name] = severity
	}
	return nil
}

// unknownRule says what is wrong with the name of a rule; empty if nothing is.
func unknownRule(name string) string {
	if _, ok := validation.Lookup(name); ok {
		return ""
	}
	var names []string
	for _, rule := range validation.Rules {
		names = append(names, rule.ID)
	}
	message := fmt.Sprintf("no rule is called %q", name)
	if near, ok := scheme.Nearest(name, names); ok {
		message += fmt.Sprintf(", did you mean %q?", near)
	}
	return message
}

func (s *Settings) ignores(n *source.Node) error {
	if !n.IsList() {
		return wrong(n, "a list is needed here, of rule, path and reason")
	}
	for item := range n.Items() {
		ignore := &Ignore{Pos: item.Position()}
		take := func(to *string) func(*source.Node) error {
			return func(n *source.Node) (err error) {
				*to, err = text(n)
				return err
			}
		}
		err := fields(item, "entries of ignore", map[string]func(*source.Node) error{
			"rule": take(&ignore.Rule), "path": take(&ignore.Path), "reason": take(&ignore.Reason),
		})
		if err != nil {
			return err
		}
		isPattern := strings.ContainsAny(ignore.Rule, "*?[{")
		switch message := unknownRule(ignore.Rule); {
		case ignore.Rule == "" && ignore.Path == "":
			return wrong(item, "name a rule, a path, or both")
		case ignore.Reason == "":
			return wrong(item, "give a reason")
		case ignore.Rule != "" && !isPattern && message != "":
			return wrong(item.Field("rule"), "%s", message)
		case isPattern && !doublestar.ValidatePattern(ignore.Rule):
			return wrong(item.Field("rule"), "the pattern %q cannot be read", ignore.Rule)
		case !doublestar.ValidatePattern(ignore.Path):
			return wrong(item.Field("path"), "the pattern %q cannot be read", ignore.Path)
		}
		s.Ignores = append(s.Ignores, ignore)
	}
	return nil
}

// Path is the path of a file that the settings name; what is no path stays as it is.
func (s *Settings) Path(name string) string {
	if filepath.IsAbs(name) || !strings.Contains(name, "/") && filepath.Ext(name) == "" {
		return name
	}
	return nearName(filepath.Join(s.Folder, filepath.FromSlash(name)))
}

// Finder finds the settings for files. The zero value is ready.
type Finder struct {
	// Given are used for all files, if they are there.
	Given *Settings

	folders map[string]found
}

type found struct {
	settings *Settings
	err      error
}

// For returns the settings for a file: those in its folder, or in the nearest one above that has some, up to
// the root of its repository. It is nil if there are none.
func (f *Finder) For(file string) (*Settings, error) {
	if f.Given != nil {
		return f.Given, nil
	}
	folder, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	result := f.in(folder)
	return result.settings, result.err
}

func (f *Finder) in(folder string) found {
	if known, ok := f.folders[folder]; ok {
		return known
	}
	if f.folders == nil {
		f.folders = map[string]found{}
	}
	var result found
	result.settings, result.err = ReadSettings(nearName(filepath.Join(folder, SettingsFile)))
	if errors.Is(result.err, fs.ErrNotExist) || errors.Is(result.err, fs.ErrPermission) {
		result = found{}
		_, err := os.Lstat(filepath.Join(folder, ".git"))
		if above := filepath.Dir(folder); err != nil && above != folder {
			result = f.in(above)
		}
	}
	f.folders[folder] = result
	return result
}

// nearName is a path relative to the working folder if it lies below.
func nearName(absolute string) string {
	here, err := os.Getwd()
	if err != nil {
		return absolute
	}
	if relative, err := filepath.Rel(here, absolute); err == nil && !strings.HasPrefix(relative, "..") {
		return relative
	}
	return absolute
}
