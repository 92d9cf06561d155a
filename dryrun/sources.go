// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Sources are the texts that paths lead to: a file, the YAML and JSON files of a folder and those below it
// (hidden ones are passed over), or standard input for "-".
func Sources(paths []string, stdin io.Reader) ([]Source, error) {
	list := []Source{}
	for _, path := range paths {
		if path == "-" {
			text, err := io.ReadAll(stdin)
			if err != nil {
				return nil, fmt.Errorf("read standard input: %w", err)
			}
			list = append(list, Source{Name: "standard input", Text: string(text)})
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("read %q: %w", path, err)
		}
		if !info.IsDir() {
			absolute, err := filepath.Abs(path)
			if err != nil {
				return nil, fmt.Errorf("read %q: %w", path, err)
			}
			list = append(list, Source{Name: path, Path: absolute})
			continue
		}
		found, err := inFolder(path)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("read %q: the folder has no .yaml, .yml or .json file", path)
		}
		list = append(list, found...)
	}
	return list, nil
}

func inFolder(root string) ([]Source, error) {
	var list []Source
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != root && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case !entry.Type().IsRegular() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)):
			return nil
		}
		absolute, err := filepath.Abs(path)
		list = append(list, Source{Name: path, Path: absolute})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", root, err)
	}
	return list, nil
}
