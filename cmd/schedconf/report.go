// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
)

// printer renders a report: a header, the findings file by file, and the counts.
type printer interface {
	header(release *schemas.Release)
	// file tells of a file that was judged; the list may be empty.
	file(name string, list diag.List)
	// trouble tells of something that could not be judged.
	trouble(message string)
	// aims tells for which releases the findings were made, where the files themselves say so.
	aims(list []takenAim)
	summary(total counts)
}

// reportFormats make the printers of a report. The first is the default.
var reportFormats = []struct {
	name string
	make func(r request) printer
}{
	{"text", func(r request) printer {
		text := newText(r.c, r.w, r.notes)
		text.texts = r.texts
		return text
	}},
	{"json", func(r request) printer {
		if r.part != nil {
			r.part.jsonPrinter = jsonPrinter{r.w}
			return r.part
		}
		return jsonPrinter{r.w}
	}},
	{"sarif", func(r request) printer { return &sarifPrinter{w: r.w, texts: r.texts} }},
	{"junit", func(r request) printer { return &junitPrinter{w: r.w, strict: r.c.Bool("strict")} }},
	{"github", func(r request) printer { return &githubPrinter{w: r.w, texts: r.texts} }},
	{"gitlab", func(r request) printer { return &gitlabPrinter{w: r.w} }},
}

// request is what a printer is made of: where the report goes, and where what is said beside it.
type request struct {
	c        *cli.Context
	w, notes io.Writer
	texts    texts
	// part is the printer of a shard; nil for a whole report.
	part *partPrinter
}

func reportFlag() cli.Flag {
	var names []string
	for _, format := range reportFormats {
		names = append(names, format.name)
	}
	return &cli.StringSliceFlag{
		Name: "output", Aliases: []string{"o", "format"}, DefaultText: names[0],
		Usage: "form of the report: " + strings.Join(names, ", ") + "; with =`FILE` it goes to a file, and several can be asked for",
		Action: func(c *cli.Context, values []string) error {
			used := map[string]bool{}
			for _, value := range values {
				name, file, hasFile := strings.Cut(value, "=")
				switch {
				case !slices.Contains(names, name):
					return usage(c, "--output %q: the choices are %s", value, strings.Join(names, ", "))
				case hasFile && file == "":
					return usage(c, "--output %q: name a file behind the =", value)
				case used[file] && file == "":
					return usage(c, "--output is given twice for standard output: write FORMAT=FILE for all but one")
				case used[file]:
					return usage(c, "--output is given twice for %q", file)
				}
				used[file] = true
			}
			return nil
		},
	}
}

// reports makes the printers that --output asks for. What they write to files is there when finish returns,
// and whole.
func (p *program) reports(c *cli.Context, source func(name string) []byte, part *partPrinter) (all printer, finish func() error, err error) {
	values := c.StringSlice("output")
	if len(values) == 0 {
		values = []string{reportFormats[0].name}
	}
	stdout := p.stdout
	if c.Bool("diff") {
		stdout = p.stderr // the difference is what standard output is for
	}
	var list printers
	files := map[string]*bytes.Buffer{}
	noted := false
	for _, value := range values {
		name, file, hasFile := strings.Cut(value, "=")
		i := slices.IndexFunc(reportFormats, func(f struct {
			name string
			make func(r request) printer
		}) bool {
			return f.name == name
		})
		r := request{c: c, w: stdout, notes: p.stderr, texts: texts{source: source}, part: part}
		if hasFile {
			buffer := &bytes.Buffer{}
			files[file] = buffer
			r.w, r.notes = buffer, buffer
		} else {
			// JSON has the counts, and what reads it needs nothing beside it.
			noted = name == "text" || name == "json"
		}
		list = append(list, reportFormats[i].make(r))
	}
	if !noted {
		list = append(list, newText(c, io.Discard, p.stderr))
	}
	finish = func() error {
		for _, value := range values {
			if _, file, ok := strings.Cut(value, "="); ok {
				if err := replaceFile(file, files[file].Bytes()); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return list, finish, nil
}

// printers are several that get the same.
type printers []printer

func (p printers) header(release *schemas.Release) {
	for _, one := range p {
		one.header(release)
	}
}

func (p printers) file(name string, list diag.List) {
	for _, one := range p {
		one.file(name, list)
	}
}

func (p printers) trouble(message string) {
	for _, one := range p {
		one.trouble(message)
	}
}

func (p printers) aims(list []takenAim) {
	for _, one := range p {
		one.aims(list)
	}
}

func (p printers) summary(total counts) {
	for _, one := range p {
		one.summary(total)
	}
}

// messageOf is a finding in words, with what to do about it.
func messageOf(d diag.Diagnostic) string {
	if d.Hint == "" {
		return printable(d.Message)
	}
	return fmt.Sprintf("%s (%s)", printable(d.Message), printable(d.Hint))
}
