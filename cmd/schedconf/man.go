// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

func (p *program) man() *cli.Command {
	return &cli.Command{
		Name:      "man",
		Usage:     "write the manual pages of the program and of every command, for packages",
		ArgsUsage: "FOLDER",
		Hidden:    true,
		Description: `The folder is made if it is not there.

EXAMPLES:
   schedconf man man1
   schedconf man share/man/man1
`,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage(c, "name one folder to write to")
			}
			folder := c.Args().First()
			for name, page := range manPages(c.App) {
				path := filepath.Join(folder, name)
				err := os.MkdirAll(folder, 0o755)
				if err == nil {
					err = os.WriteFile(path, []byte(page), 0o644)
				}
				if err != nil {
					return inputError{fmt.Errorf("write %q: %w", path, reason(err))}
				}
			}
			return nil
		},
	}
}

// manPages are the pages of section 1 by file name, made of what --help says. They bear no date: the same
// sources give the same pages.
func manPages(app *cli.App) map[string]string {
	overview := &manPage{title: app.Name, usage: app.Usage, synopsis: app.UsageText}
	overview.start(app.Version)
	overview.section("description")
	text, _, _ := strings.Cut(app.Description, exitCodes)
	overview.paragraphs(text)
	overview.section("commands")
	pages := map[string]string{}
	for _, command := range app.VisibleCommands() {
		page := &manPage{
			title:    app.Name + "-" + command.Name,
			usage:    command.Usage,
			synopsis: strings.TrimSpace(app.Name + " " + command.Name + " [flags] " + command.ArgsUsage),
		}
		page.start(app.Version)
		text, examples, _ := strings.Cut(command.Description, "EXAMPLES:\n")
		page.section("description")
		page.paragraphs(text)
		page.section("options")
		for _, flag := range command.VisibleFlags() {
			names, does, _ := strings.Cut(flag.String(), "\t")
			page.item(names, does)
		}
		page.item("--help, -h", "show help")
		page.section("examples")
		page.verbatim(examples)
		page.section("exit status")
		page.verbatim(strings.TrimPrefix(exitCodes, "EXIT CODES:\n"))
		page.section("see also")
		page.line(`\fB` + roff(app.Name) + `\fR(1)`)
		pages[page.title+".1"] = page.text.String()
		overview.item(page.title+"(1)", command.Usage)
	}
	overview.section("exit status")
	overview.verbatim(strings.TrimPrefix(exitCodes, "EXIT CODES:\n"))
	pages[app.Name+".1"] = overview.text.String()
	return pages
}

// manPage is a page in the language of man(7).
type manPage struct {
	title, usage, synopsis string
	text                   strings.Builder
}

func (m *manPage) line(text string) { m.text.WriteString(text + "\n") }

func (m *manPage) section(name string) { m.line(".SH " + strings.ToUpper(name)) }

func (m *manPage) start(version string) {
	m.line(fmt.Sprintf(`.TH %s 1 "" "schedconf %s" "User Commands"`, strings.ToUpper(roff(m.title)), roff(version)))
	m.section("name")
	m.line(roff(m.title) + ` \- ` + roff(m.usage))
	m.section("synopsis")
	m.line(roff(m.synopsis))
}

// paragraphs takes text apart at empty lines. What is indented keeps its lines.
func (m *manPage) paragraphs(text string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			m.line(".PP")
		}
		lines := strings.Split(paragraph, "\n")
		if slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "  ") }) {
			m.verbatim(paragraph)
			continue
		}
		for _, line := range lines {
			m.line(roff(line))
		}
	}
}

func (m *manPage) verbatim(text string) {
	m.line(".EX")
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		m.line(roff(strings.TrimRight(strings.TrimPrefix(line, "   "), "\n")))
	}
	m.line(".EE")
}

func (m *manPage) item(name, does string) {
	m.line(".TP")
	m.line(`\fB` + roff(name) + `\fR`)
	m.line(roff(strings.TrimSpace(does)))
}

// roff escapes what has a meaning in a manual page.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `'`, `\(aq`, "`", "\\(ga", `^`, `\(ha`, `~`, `\(ti`).Replace(text)
	if strings.HasPrefix(text, ".") {
		return `\&` + text
	}
	return text
}
