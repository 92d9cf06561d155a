// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schedconf/schedconf/validation"
)

// stdinName stands for standard input on the command line and in findings.
const stdinName = "-"

// file is a file to look at.
type file struct {
	// name is how the user called it, or the folder it was found in, with the way from there.
	name string
	// path opens it.
	path string
	// named is true for a file that the user named, as opposed to one that was found.
	named bool
}

// each yields the files that an operand stands for: a file as it is, a folder as the YAML and JSON
// files below it. A file that cannot be looked at comes with its error.
func each(operand string) iter.Seq2[file, error] {
	return func(yield func(file, error) bool) {
		info, err := os.Stat(operand)
		if operand == stdinName || err != nil || !info.IsDir() {
			yield(file{operand, operand, true}, nil)
			return
		}
		walk(operand, yield)
	}
}

// skippedFolders hold the files of others.
var skippedFolders = []string{"vendor", "node_modules"}

func walk(folder string, yield func(file, error) bool) {
	_ = fs.WalkDir(os.DirFS(folder), ".", func(below string, entry fs.DirEntry, err error) error {
		found := file{name: strings.TrimSuffix(folder, "/") + "/" + below, path: filepath.Join(folder, filepath.FromSlash(below))}
		hidden := below != "." && strings.HasPrefix(path.Base(below), ".")
		switch {
		case hidden && entry != nil && entry.IsDir(), below != "." && entry != nil && entry.IsDir() && slices.Contains(skippedFolders, entry.Name()):
			return fs.SkipDir
		case err != nil:
			if !yield(found, err) {
				return fs.SkipAll
			}
			return nil
		case hidden || entry.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(below)):
			return nil
		}
		// A link to a file is a file: that is how a mounted ConfigMap looks.
		if info, err := os.Stat(found.path); err == nil && !info.Mode().IsRegular() {
			return nil
		}
		if !yield(found, nil) {
			return fs.SkipAll
		}
		return nil
	})
}

// read returns the content of a file, up to one byte more than a configuration may have.
func (p *program) read(name string) ([]byte, error) {
	reader := p.stdin
	var buffer bytes.Buffer
	if name != stdinName {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			buffer.Grow(int(min(info.Size(), validation.MaxFileSize)) + bytes.MinRead)
		}
		reader = f
	}
	if _, err := buffer.ReadFrom(io.LimitReader(reader, validation.MaxFileSize+1)); err != nil {
		return nil, err
	}
	return buffer.Bytes(), nil
}

// unreadable is the error of a file that cannot be read, by the name that the user knows.
func unreadable(name string, err error) error {
	if name == stdinName {
		return inputError{fmt.Errorf("read standard input: %w", reason(err))}
	}
	return inputError{fmt.Errorf("read %q: %w", name, reason(err))}
}
