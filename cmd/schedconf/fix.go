// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/project"
	"github.com/schedconf/schedconf/validation"
)

// checkFix refuses flags that contradict each other or the operands.
func checkFix(c *cli.Context, operands []string) error {
	switch {
	case c.Bool("diff") && !c.Bool("fix"):
		return usage(c, "--diff goes with --fix")
	case c.Bool("fix") && !c.Bool("diff") && slices.Contains(operands, stdinName):
		return usage(c, "--fix cannot change standard input")
	}
	return nil
}

// fix makes the fixes of all files of the batch, or prints them. It reports whether files are others now.
func (v *validator) fix(run *validation.Run) (changed bool) {
	for i, f := range v.batch.files {
		v.attempt(true, func() error {
			settings, err := v.judges.settingsFor(f.Name)
			if err != nil {
				return err
			}
			data, made, err := run.Fixed(f, func(data []byte, list diag.List) diag.List {
				kept, _ := project.Apply(f.Name, data, list, settings, nil)
				return kept
			})
			if err != nil || bytes.Equal(data, f.Data) {
				return err
			}
			if v.c.Bool("diff") {
				v.code = max(v.code, exitNo)
				_, err := v.stdout.Write([]byte(fileDiff(string(f.Data), string(data), f.Name)))
				return err
			}
			if err := replaceFile(v.batch.paths[f], data); err != nil {
				return err
			}
			v.total.Fixed += len(made)
			v.replace(i, validation.Open(f.Name, data, f.Named))
			changed = true
			return nil
		})
	}
	return changed
}

// replace puts a file that was changed into the batch.
func (v *validator) replace(i int, now *validation.File) {
	old := v.batch.files[i]
	now.Refers = old.Refers
	v.batch.files[i] = now
	v.batch.paths[now] = v.batch.paths[old]
	for _, f := range v.batch.files {
		for k := range f.Refers {
			if f.Refers[k].File == old {
				f.Refers[k].File = now
			}
		}
	}
}
