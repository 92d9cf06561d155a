// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
)

// githubPrinter prints workflow commands, which GitHub Actions shows at the lines of a pull request.
type githubPrinter struct {
	w     io.Writer
	texts texts
}

var githubCommands = map[diag.Severity]string{diag.Error: "error", diag.Warning: "warning", diag.Info: "notice"}

// What ends a command or one of its properties is written in percent.
var (
	githubMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func (g *githubPrinter) header(*schemas.Release) {}

func (g *githubPrinter) file(_ string, list diag.List) {
	for _, d := range list {
		place := "file=" + githubProperty.Replace(nearName(d.Pos.File))
		if d.Pos.Line > 0 {
			place += fmt.Sprintf(",line=%d,col=%d", d.Pos.Line, g.texts.column(d.Pos))
		}
		fmt.Fprintf(g.w, "::%s %s,title=%s::%s\n", githubCommands[d.Severity], place, githubProperty.Replace(d.Rule), githubMessage.Replace(messageOf(d)))
	}
}

func (g *githubPrinter) trouble(message string) {
	fmt.Fprintf(g.w, "::error::%s\n", githubMessage.Replace(printable(message)))
}

func (g *githubPrinter) aims([]takenAim) {}

func (g *githubPrinter) summary(counts) {}

// nearName is the path of a file from the working folder, which in CI is the root of the repository, without a
// dot in front; that of a file elsewhere stays as it is.
func nearName(name string) string {
	if filepath.IsAbs(name) {
		if here, err := os.Getwd(); err == nil {
			if relative, err := filepath.Rel(here, name); err == nil && filepath.IsLocal(relative) {
				name = relative
			}
		}
	}
	return path.Clean(filepath.ToSlash(name))
}

// gitlabPrinter prints a Code Quality report, which GitLab compares between the branches of a merge request
// by the fingerprints.
type gitlabPrinter struct {
	w      io.Writer
	issues []gitlabIssue
	// seen counts findings with the same fingerprint.
	seen map[string]int
}

type gitlabIssue struct {
	Description string         `json:"description"`
	CheckName   string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Location    gitlabLocation `json:"location"`
}

type gitlabLocation struct {
	Path  string      `json:"path"`
	Lines gitlabLines `json:"lines"`
}

type gitlabLines struct {
	Begin int `json:"begin"`
}

var gitlabSeverities = map[diag.Severity]string{diag.Error: "critical", diag.Warning: "minor", diag.Info: "info"}

func (g *gitlabPrinter) header(*schemas.Release) {
	g.issues, g.seen = []gitlabIssue{}, map[string]int{}
}

func (g *gitlabPrinter) file(_ string, list diag.List) {
	for _, d := range list {
		fingerprint := d.Fingerprint()
		if g.seen[fingerprint]++; g.seen[fingerprint] > 1 {
			fingerprint += fmt.Sprint("-", g.seen[fingerprint])
		}
		g.issues = append(g.issues, gitlabIssue{
			messageOf(d), d.Rule, fingerprint, gitlabSeverities[d.Severity],
			gitlabLocation{nearName(d.Pos.File), gitlabLines{max(1, d.Pos.Line)}},
		})
	}
}

func (g *gitlabPrinter) trouble(string) {}

func (g *gitlabPrinter) aims([]takenAim) {}

func (g *gitlabPrinter) summary(counts) { _ = writeJSON(g.w, g.issues, "  ") }
