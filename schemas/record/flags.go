// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
)

// flagFact is a command line flag as --help shows it.
type flagFact struct {
	Section    string `json:"section"`
	Name       string `json:"name"`
	Type       string `json:"type"`
	Default    string `json:"default,omitempty"`
	Deprecated bool   `json:"deprecated,omitempty"`
}

var (
	sectionLine = regexp.MustCompile(`^(\S.*) flags:$`)
	flagLine    = regexp.MustCompile(`^ +(?:-\w, )?--([\w-]+)(?: (\S+))? {2,}(\S.*)$`)
	defaultText = regexp.MustCompile(`\(default (?:"([^"]*)"|([^()]*))\)`)
)

// flagsOf asks a kube-scheduler for its flags.
func flagsOf(binary string) ([]flagFact, error) {
	help, err := exec.Command(binary, "--help").Output()
	if err != nil {
		return nil, fmt.Errorf("help of %s: %w", binary, err)
	}
	flags := parseHelp(string(help))
	if len(flags) == 0 {
		return nil, fmt.Errorf("help of %s shows no flag", binary)
	}
	return flags, nil
}

// parseHelp reads the flags in a help text, in its order. A usage may go on over several lines.
func parseHelp(help string) []flagFact {
	var flags []flagFact
	var usages []string
	var section string
	for line := range strings.Lines(help) {
		line = strings.TrimRight(line, "\n")
		if match := sectionLine.FindStringSubmatch(line); match != nil {
			section = strings.ToLower(match[1])
		} else if match := flagLine.FindStringSubmatch(line); match != nil && section != "" {
			flags = append(flags, flagFact{Section: section, Name: match[1], Type: match[2]})
			usages = append(usages, match[3])
		} else if strings.HasPrefix(line, " ") && len(usages) > 0 {
			usages[len(usages)-1] += " " + strings.TrimSpace(line)
		}
	}
	for i := range flags {
		flags[i].readUsage(usages[i])
	}
	return flags
}

// readUsage takes type, default and deprecation from the usage text of a flag.
func (f *flagFact) readUsage(usage string) {
	if f.Type == "" {
		f.Type = "bool"
	}
	if match := defaultText.FindAllStringSubmatch(usage, -1); match != nil {
		last := match[len(match)-1]
		f.Default = last[1] + last[2]
	}
	f.Deprecated = strings.Contains(usage, "DEPRECATED")
}
