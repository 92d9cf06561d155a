// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"maps"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/validation"
)

// judges are what the files of a run are judged by: one for each release and set of feature gates.
type judges struct {
	c *cli.Context
	// release is the one that is asked where nothing says another.
	release *schemas.Release
	made    map[string]*validation.Checker
	// aims are those that a release was taken from, since somebody asked last.
	aims []takenAim
}

// takenAim is a configuration that is judged for the release that its surroundings say.
type takenAim struct {
	validation.Aim
	release *schemas.Release
}

func newJudges(c *cli.Context) (*judges, error) {
	release, err := target(c)
	if err != nil {
		return nil, err
	}
	j := &judges{c: c, release: release, made: map[string]*validation.Checker{}}
	if _, err := overrides(c); err != nil {
		return nil, err
	}
	if c.IsSet("target") {
		// What is wrong with the flags is wrong with all files.
		_, err = j.checker(validation.Aim{})
	}
	return j, err
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
	release := j.release
	if suggested := releaseOf(aim.Target); suggested != nil && !j.c.IsSet("target") {
		if release = suggested; release != j.release {
			j.take(takenAim{aim, release})
		}
	}
	key := fmt.Sprint(release.Name, aim.Gates)
	if made, ok := j.made[key]; ok {
		return made, nil
	}
	gates, err := overrides(j.c)
	if err != nil {
		return nil, err
	}
	// The command line of a manifest counts less than the one that is typed.
	merged := maps.Clone(aim.Gates)
	if merged == nil {
		merged = map[string]bool{}
	}
	maps.Copy(merged, gates)
	s, err := schemeWith(j.c, release, merged)
	var wrong usageError
	if errors.As(err, &wrong) && release != j.release {
		return nil, usage(j.c, "%s, which %s is judged for", wrong.message, aim.At)
	}
	if err != nil {
		return nil, err
	}
	made := validation.New(s)
	j.made[key] = made
	return made, nil
}

func (j *judges) take(aim takenAim) {
	for _, known := range j.aims {
		if known.At == aim.At && known.release == aim.release {
			return
		}
	}
	j.aims = append(j.aims, aim)
}

// taken returns the aims that a release was taken from since the last call.
func (j *judges) taken() []takenAim {
	aims := j.aims
	j.aims = nil
	return aims
}
