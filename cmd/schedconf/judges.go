// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/project"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/validation"
)

// judges are what the files of a run are judged by: one for each release and set of feature gates, as the
// flags, the settings and the files themselves have it, in this order.
type judges struct {
	c *cli.Context
	// settings finds the settings for a file.
	settings project.Finder
	// release is the one that is asked where nothing says another.
	release *schemas.Release
	made    map[string]*validation.Checker
	// registries are those that the flags name, and schemas those of --args-schema.
	registries []*schemas.Registry
	schemas    map[string]*validation.ArgsSchema
	// aims are those that a release was taken from, since somebody asked last; taking has what they are about.
	aims   []takenAim
	taking map[string]bool
}

// takenAim is a configuration that is judged for the release that its surroundings say.
type takenAim struct {
	validation.Aim
	release *schemas.Release
	// built are the registries of the build that the image is of.
	built []*schemas.Registry
}

// text says which kube-scheduler that is.
func (a takenAim) text() string {
	text := "Kubernetes " + a.release.Name
	for _, r := range a.built {
		text += " with " + r.Name
	}
	return text
}

// newJudges finds out for which release the first of the operands is, if nothing in it says another.
func newJudges(c *cli.Context, operands []string) (*judges, error) {
	j := &judges{c: c, made: map[string]*validation.Checker{}, taking: map[string]bool{}}
	if name := c.String("config-file"); name != "" {
		given, err := project.ReadSettings(name)
		if err != nil {
			return nil, settingsFault(name, err)
		}
		j.settings.Given = given
	}
	var err error
	if _, err = overrides(c); err != nil {
		return nil, err
	}
	if j.schemas, err = argsSchemas(c); err != nil {
		return nil, err
	}
	if j.registries, err = registries(c); err != nil {
		return nil, err
	}
	first := operands[0]
	if info, err := os.Stat(first); err == nil && info.IsDir() {
		first = filepath.Join(first, project.SettingsFile)
	}
	settings, err := j.settingsFor(first)
	if err != nil {
		return nil, err
	}
	if j.release, _, err = j.releaseFor(settings, ""); err != nil {
		return nil, err
	}
	if c.IsSet("target") {
		// What is wrong with the flags is wrong with all files.
		_, err = j.checker(validation.Aim{File: first})
	}
	return j, err
}

// settingsFor returns the settings for a file, nil if there are none. Those of the working folder are for
// standard input.
func (j *judges) settingsFor(file string) (*project.Settings, error) {
	settings, err := j.settings.For(file)
	if err != nil {
		return nil, settingsFault(project.SettingsFile, err)
	}
	return settings, nil
}

func settingsFault(name string, err error) error {
	var fault *project.SettingsError
	if errors.As(err, &fault) {
		return inputError{err}
	}
	return unreadable(name, err)
}

// releaseFor returns the release that something is judged for, and whether that is the one that its
// surroundings suggest.
func (j *judges) releaseFor(settings *project.Settings, suggested string) (release *schemas.Release, taken bool, err error) {
	if !j.c.IsSet("target") && settings != nil && settings.Target != "" {
		minor, err := schemas.ParseMinor(settings.Target)
		if err != nil {
			return nil, false, inputError{&project.SettingsError{Pos: settings.TargetPos, Message: err.Error()}}
		}
		return schemas.For(minor), false, nil
	}
	if !j.c.IsSet("target") {
		if release := releaseOf(suggested); release != nil {
			return release, release != j.release, nil
		}
	}
	release, err = target(j.c)
	return release, false, err
}

// releaseOf returns the facts of a minor, nil if there are none.
func releaseOf(name string) *schemas.Release {
	minor, err := schemas.ParseMinor(name)
	if err != nil {
		return nil
	}
	return schemas.For(minor)
}

// checker returns the judge for an aim.
func (j *judges) checker(aim validation.Aim) (*validation.Checker, error) {
	settings, err := j.settingsFor(aim.File)
	if err != nil {
		return nil, err
	}
	release, taken, err := j.releaseFor(settings, aim.Target)
	if err != nil {
		return nil, err
	}
	built := slices.DeleteFunc(slices.Clone(schemas.Registries()), func(r *schemas.Registry) bool { return !r.IsImage(aim.Image) })
	if taken {
		j.take(takenAim{aim, release, built})
	}
	key := fmt.Sprintf("%p %s %v %d", settings, release.Name, aim.Gates, len(built))
	if made, ok := j.made[key]; ok {
		return made, nil
	}
	all, err := j.allRegistries(settings, built)
	if err != nil {
		return nil, err
	}
	s, err := j.scheme(settings, release, aim, all)
	if err != nil {
		return nil, err
	}
	made := validation.New(s)
	made.Nodes = j.c.Int("nodes")
	j.made[key] = made
	return made, j.describe(made, settings, release, all)
}

// scheme makes the scheme of a release with the feature gates and plugins that the flags, the settings and
// the command line of a manifest name. The first of them counts.
func (j *judges) scheme(settings *project.Settings, release *schemas.Release, aim validation.Aim, registries []*schemas.Registry) (*scheme.Scheme, error) {
	gates := map[string]bool{}
	maps.Copy(gates, aim.Gates)
	if settings != nil {
		maps.Copy(gates, settings.FeatureGates)
	}
	typed, err := overrides(j.c)
	if err != nil {
		return nil, err
	}
	maps.Copy(gates, typed)
	s, err := stockScheme(j.c, release, gates)
	var wrong usageError
	if errors.As(err, &wrong) && release != j.release {
		return nil, usage(j.c, "%s, which %s is judged for", wrong.message, aim.At)
	}
	if err != nil {
		return nil, err
	}
	return s, j.declare(s, settings, registries)
}

// allRegistries are those of the image, of the settings and of the flags; the last of them count.
func (j *judges) allRegistries(settings *project.Settings, built []*schemas.Registry) ([]*schemas.Registry, error) {
	all := built
	if settings != nil {
		for _, name := range settings.Registries {
			r, err := registry(settings.Path(name.Text))
			if err != nil {
				return nil, inputError{&project.SettingsError{Pos: name.Pos, Message: fmt.Sprintf("%s: %s", name.Text, err)}}
			}
			all = append(all, r)
		}
	}
	return append(all, j.registries...), nil
}

// declare declares the plugins of registries, of the settings, and of the flags.
func (j *judges) declare(s *scheme.Scheme, settings *project.Settings, all []*schemas.Registry) error {
	if settings != nil {
		for _, plugin := range settings.Plugins {
			var wrong usageError
			if err := declare(j.c, s, plugin.Text); errors.As(err, &wrong) {
				return inputError{&project.SettingsError{Pos: plugin.Pos, Message: wrong.message}}
			}
		}
	}
	return declareAll(j.c, s, all)
}

// describe gives a judge the schemas of args: those of registries, of the settings, and of the flags.
func (j *judges) describe(made *validation.Checker, settings *project.Settings, release *schemas.Release, all []*schemas.Registry) error {
	files := map[string]*validation.ArgsSchema{}
	if settings != nil {
		for plugin, file := range settings.ArgsSchemas {
			schema, err := argsSchema(settings.Path(file.Text))
			if err != nil {
				return inputError{&project.SettingsError{Pos: file.Pos, Message: fmt.Sprintf("%s: %s", file.Text, err)}}
			}
			files[plugin] = schema
		}
	}
	maps.Copy(files, j.schemas)
	return described(made, release, all, files)
}

func (j *judges) take(aim takenAim) {
	key := fmt.Sprint(aim.At, aim.release.Name)
	if !j.taking[key] {
		j.taking[key] = true
		j.aims = append(j.aims, aim)
	}
}

// taken returns the aims that a release was taken from since the last call.
func (j *judges) taken() []takenAim {
	aims := j.aims
	j.aims = nil
	clear(j.taking)
	return aims
}
