// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// replaceFile writes a file as a whole: it is written beside the old one, which is replaced when all
// is on disk, and keeps its mode. A link stays, and the file behind it is replaced. What is no plain
// file, such as a pipe, is written to directly.
func replaceFile(name string, data []byte) error {
	if err := replace(name, data); err != nil {
		return inputError{fmt.Errorf("write %q: %w", name, reason(err))}
	}
	return nil
}

func replace(name string, data []byte) error {
	path, err := behindLinks(name)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return errors.New("it is a folder")
	case err == nil && !info.Mode().IsRegular():
		return writeThrough(path, data)
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	beside, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(beside.Name()) // gone already when all went well
	if _, err = beside.Write(data); err == nil {
		err = beside.Chmod(mode)
	}
	if err == nil {
		err = beside.Sync()
	}
	if err := errors.Join(err, beside.Close()); err != nil {
		return err
	}
	return os.Rename(beside.Name(), path)
}

func writeThrough(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// behindLinks follows links, also to a file that is not there yet.
func behindLinks(name string) (string, error) {
	for range 40 {
		to, err := os.Readlink(name)
		if err != nil {
			return name, nil
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	return "", errors.New("too many links")
}
