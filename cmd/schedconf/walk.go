// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

// file is a file to look at.
type file struct {
	// name is how the user called it, or the folder it was found in, with the way from there.
	name string
	// path opens it.
	path string
	// named is true for a file that the user named, as opposed to one that was found.
	named bool
	// special is true for what is found and no file, such as a socket.
	special bool
}

// each yields the files that an operand stands for: a file as it is, a folder as the YAML and JSON
// files below it. A file or folder that cannot be looked at comes with its error. A file
// that is an operand counts as named only if it is explicit.
func each(operand string, explicit bool, yield func(file, error) bool) {
	info, err := os.Stat(operand)
	if operand == stdinName || err != nil || !info.IsDir() {
		yield(file{name: operand, path: operand, named: explicit}, nil)
		return
	}
	w := walker{yield: yield}
	w.enter(operand)
}

// skippedFolders hold the files of others.
var skippedFolders = []string{"vendor", "node_modules"}

// walker goes through a folder in the order of names. Links to folders are not followed, so it comes to an
// end; a link to a file is a file, since that is how a mounted ConfigMap looks.
type walker struct {
	yield func(file, error) bool
}

// folder is where a walker is.
type folder struct {
	name, path string
	// below are the names of the folders that lead here from where the patterns start.
	below []string
	// ignored are the patterns of all files that say what Git ignores here, the strongest last.
	ignored []gitignore.Pattern
}

func (w *walker) enter(operand string) {
	at := folder{name: strings.TrimSuffix(operand, "/"), path: operand}
	if absolute, err := filepath.Abs(operand); err == nil {
		at.below, at.ignored = ignoredAbove(absolute)
	}
	if gitignore.NewMatcher(at.ignored).Match(at.below, true) {
		// Whoever names a folder that Git ignores wants it looked at.
		at.ignored = nil
	}
	w.walk(at)
}

// walk returns false when nothing more is wanted.
func (w *walker) walk(at folder) bool {
	entries, err := os.ReadDir(at.path)
	if err != nil && !w.yield(file{name: at.name, path: at.path}, err) {
		return false
	}
	if i, ok := slices.BinarySearchFunc(entries, ".gitignore", func(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) }); ok && !entries[i].IsDir() {
		at.ignored = append(slices.Clip(at.ignored), patterns(filepath.Join(at.path, ".gitignore"), at.below)...)
	}
	matcher := gitignore.NewMatcher(at.ignored)
	for _, entry := range entries {
		name := entry.Name()
		isFolder := entry.IsDir()
		if strings.HasPrefix(name, ".") || isFolder && slices.Contains(skippedFolders, name) || !isFolder && !isCandidate(name) {
			continue
		}
		below := append(slices.Clip(at.below), name)
		if len(at.ignored) > 0 && matcher.Match(below, isFolder) {
			continue
		}
		inside := folder{name: at.name + "/" + name, path: filepath.Join(at.path, name), below: below, ignored: at.ignored}
		if isFolder {
			if !w.walk(inside) {
				return false
			}
			continue
		}
		found := file{name: inside.name, path: inside.path, special: !entry.Type().IsRegular()}
		if entry.Type()&fs.ModeSymlink != 0 {
			info, err := os.Stat(found.path)
			if err == nil && info.IsDir() {
				continue
			}
			found.special = err == nil && !info.Mode().IsRegular()
		}
		if !w.yield(found, nil) {
			return false
		}
	}
	return true
}

var (
	// fileEndings are those of files that hold configurations and manifests.
	fileEndings = []string{".yaml", ".yml", ".json", ".manifest"}
	// templateEndings stand behind them where a file has to be rendered first.
	templateEndings = []string{".tpl", ".tmpl", ".gotmpl", ".template", ".j2", ".jinja", ".jinja2", ".erb", ".in"}
)

func isCandidate(name string) bool {
	ending := path.Ext(name)
	if slices.Contains(templateEndings, ending) {
		ending = path.Ext(strings.TrimSuffix(name, ending))
	}
	return slices.Contains(fileEndings, ending)
}

// ignoredAbove returns the patterns of a folder's repository that stand above the folder, and the way to it
// from the root of the repository. Without a repository there are none.
func ignoredAbove(absolute string) (below []string, ignored []gitignore.Pattern) {
	root := absolute
	for {
		if _, err := os.Lstat(filepath.Join(root, ".git")); err == nil {
			break
		}
		above := filepath.Dir(root)
		if above == root {
			return nil, nil
		}
		root = above
	}
	relative, err := filepath.Rel(root, absolute)
	if err != nil {
		return nil, nil
	}
	ignored = patterns(filepath.Join(root, ".git", "info", "exclude"), nil)
	if relative == "." {
		return nil, ignored
	}
	at := root
	for _, name := range strings.Split(filepath.ToSlash(relative), "/") {
		ignored = append(ignored, patterns(filepath.Join(at, ".gitignore"), slices.Clone(below))...)
		below, at = append(below, name), filepath.Join(at, name)
	}
	return below, ignored
}

// patterns reads a file that says what Git ignores; there is nothing in one that cannot be read.
func patterns(name string, below []string) []gitignore.Pattern {
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var list []gitignore.Pattern
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		if text := lines.Text(); strings.TrimSpace(text) != "" && !strings.HasPrefix(text, "#") {
			list = append(list, gitignore.ParsePattern(text, below))
		}
	}
	return list
}
