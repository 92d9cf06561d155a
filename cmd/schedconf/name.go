// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"strings"
)

const (
	// programName is what the program is called on its own.
	programName = "schedconf"
	// pluginFile is the file name by which kubectl finds the program, and pluginName how it is called then.
	pluginFile = "kubectl-schedconf"
	pluginName = "kubectl schedconf"
)

// calledAs is how a user called the program whose first argument this is.
func calledAs(path string) string {
	if strings.TrimSuffix(filepath.Base(path), ".exe") == pluginFile {
		return pluginName
	}
	return programName
}

// asCalled puts the name that the program was called by into the examples of a help text.
func (p *program) asCalled(description string) string {
	if p.name == programName {
		return description
	}
	lines := strings.Split(description, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "   ") {
			lines[i] = strings.ReplaceAll(line, programName+" ", p.name+" ")
		}
	}
	return strings.Join(lines, "\n")
}
