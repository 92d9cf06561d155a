// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/source/find"
)

// counts ends a report. What is left out is not worth mentioning.
type counts struct {
	Files          int `json:"files"`
	Configurations int `json:"configurations"`
	Skipped        int `json:"skipped"`
	Errors         int `json:"errors"`
	Warnings       int `json:"warnings"`
	CommandLines   int `json:"commandLines,omitempty"`
	Suppressed     int `json:"suppressed,omitempty"`
	Fixed          int `json:"fixed,omitempty"`
	// Reasons say how many files were skipped for what.
	Reasons map[find.Reason]int `json:"reasons,omitempty"`
	// Targets say how many configurations and command lines were judged for which release, if it is not
	// that of the header for all.
	Targets map[string]int `json:"targets,omitempty"`
}

// skip counts a file as skipped.
func (c *counts) skip(reason find.Reason) {
	if c.Reasons == nil {
		c.Reasons = map[find.Reason]int{}
	}
	c.Skipped++
	c.Reasons[reason]++
}

// verdict is the exit code that the findings come to.
func (c counts) verdict(flags *cli.Context) int {
	if c.Errors > 0 || flags.Bool("strict") && c.Warnings > 0 {
		return exitNo
	}
	return exitYes
}

// add takes the counts of another part of the same run in.
func (c *counts) add(other counts) {
	c.Files += other.Files
	c.Configurations += other.Configurations
	c.Errors += other.Errors
	c.Warnings += other.Warnings
	c.CommandLines += other.CommandLines
	c.Suppressed += other.Suppressed
	for reason, n := range other.Reasons {
		for range n {
			c.skip(reason)
		}
	}
	for release, n := range other.Targets {
		c.judged(release, n)
	}
}

// judged counts what was judged for a release.
func (c *counts) judged(release string, n int) {
	if c.Targets == nil {
		c.Targets = map[string]int{}
	}
	c.Targets[release] += n
}

// formats are the choices of --output; the first one is the default.
var formats = []string{"text", "json"}

func outputFlag(choices []string) cli.Flag {
	return &cli.StringFlag{
		Name: "output", Aliases: []string{"o", "format"}, Value: choices[0], Usage: "form of the output: " + strings.Join(choices, " or "),
		Action: oneOf("output", choices),
	}
}

// oneOf makes the check of a flag that takes certain words only.
func oneOf(name string, choices []string) func(*cli.Context, string) error {
	return func(c *cli.Context, value string) error {
		for _, choice := range choices {
			if value == choice {
				return nil
			}
		}
		return usage(c, "--%s %q: the choices are %s", name, value, strings.Join(choices, ", "))
	}
}

// findingFlags choose which findings are shown, how, and what they count.
func findingFlags() []cli.Flag {
	choices := []string{"auto", "always", "never"}
	return []cli.Flag{
		&cli.BoolFlag{Name: "strict", Usage: "let warnings count like errors"},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print nothing but errors; with --strict also warnings"},
		&cli.StringFlag{Name: "color", Value: choices[0], Usage: "colour the text: auto, always or never; auto is on a terminal, unless NO_COLOR is set", Action: oneOf("color", choices)},
	}
}

// newText returns the text printer for a stream, as the flags have it. The summary goes to notes,
// so that the stream holds findings alone.
func newText(c *cli.Context, w, notes io.Writer) *textPrinter {
	colour := c.String("color") == "always" || c.String("color") == "auto" && os.Getenv("NO_COLOR") == "" && isTerminal(w)
	return &textPrinter{w: w, notes: notes, colour: colour, quiet: c.Bool("quiet"), strict: c.Bool("strict")}
}

func isTerminal(w io.Writer) bool {
	if out, ok := w.(*output); ok {
		w = out.file
	}
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && info.Mode()&os.ModeDevice != 0 && f.Name() != os.DevNull
}

// textPrinter prints a finding as file:line:column: severity: message [rule], with the line of the file,
// its path and its hint below.
type textPrinter struct {
	w, notes              io.Writer
	colour, quiet, strict bool
	release               *schemas.Release
	texts                 texts
	cuts                  map[place]int
}

func (t *textPrinter) header(release *schemas.Release) { t.release = release }

func (t *textPrinter) file(_ string, list diag.List) { t.findings(list) }

func (t *textPrinter) trouble(string) {} // it is on standard error already

var colours = map[diag.Severity]string{diag.Error: "31", diag.Warning: "33", diag.Info: "36"}

func (t *textPrinter) findings(list diag.List) {
	t.cuts = t.cutsOf(list)
	for _, d := range list {
		if t.quiet && d.Severity != diag.Error && !(t.strict && d.Severity == diag.Warning) {
			continue
		}
		place := printable(d.Pos.String())
		if place != "" {
			place += ": "
		}
		fmt.Fprintf(t.w, "%s%s: %s [%s]\n", place, t.paint(colours[d.Severity], d.Severity.String()), printable(d.Message), d.Rule)
		t.excerpt(d)
		if len(d.Path) > 0 {
			fmt.Fprintf(t.w, "    %s\n", printable(d.Path.String()))
		}
		if d.Hint != "" {
			fmt.Fprintf(t.w, "    %s %s\n", t.paint("1", "hint:"), printable(d.Hint))
		}
		for _, place := range d.Related {
			fmt.Fprintf(t.w, "    %s: %s\n", printable(place.Pos.String()), printable(place.Message))
		}
	}
}

func (t *textPrinter) paint(code, text string) string {
	if !t.colour {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (t *textPrinter) aims(list []takenAim) {
	if t.quiet || len(list) == 0 {
		return
	}
	flush(t.w)
	for _, aim := range list {
		fmt.Fprintf(t.notes, "%s: judged for %s, as %s says\n", printable(aim.At.String()), aim.text(), printable(aim.TargetPos.String()))
	}
}

func (t *textPrinter) summary(total counts) {
	if t.quiet {
		return
	}
	flush(t.w)
	fmt.Fprintln(t.notes, total.text(t.release))
}

// text sums up a run in one line.
func (c counts) text(release *schemas.Release) string {
	var b strings.Builder
	b.WriteString(number(c.Configurations, "configuration"))
	if c.CommandLines > 0 {
		b.WriteString(" and " + number(c.CommandLines, "command line"))
	}
	targets := slices.Sorted(maps.Keys(c.Targets))
	if len(targets) == 0 {
		targets = []string{release.Name}
	}
	fmt.Fprintf(&b, " in %s for Kubernetes %s: %s, %s", number(c.Files, "file"), strings.Join(targets, ", "), number(c.Errors, "error"), number(c.Warnings, "warning"))
	if c.Suppressed > 0 {
		fmt.Fprintf(&b, ", %d suppressed", c.Suppressed)
	}
	if c.Fixed > 0 {
		fmt.Fprintf(&b, ", %d fixed", c.Fixed)
	}
	if c.Skipped == 0 {
		return b.String()
	}
	fmt.Fprintf(&b, "; skipped %s:", number(c.Skipped, "file"))
	separator := " "
	for _, reason := range slices.Sorted(maps.Keys(c.Reasons)) {
		fmt.Fprintf(&b, "%s%d %s", separator, c.Reasons[reason], skipWords[reason])
		separator = ", "
	}
	return b.String()
}

// reasonSpecial is the reason for skipping what is no file, such as a socket.
const reasonSpecial find.Reason = "no file"

var skipWords = map[find.Reason]string{
	find.Other: "without a configuration", find.Template: "to be rendered first", find.Binary: "binary", find.Syntax: "not readable as YAML",
	find.Excess: "too large", reasonSpecial: "no file",
}

func number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// maxText is how many characters of a message or path are shown as text.
const maxText = 400

// printable shows what a terminal would act on instead of showing it, and cuts what would flood it.
func printable(text string) string {
	plain := func(r rune) bool { return unicode.IsPrint(r) && r != unicode.ReplacementChar }
	if len(text) <= maxText && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	var b strings.Builder
	shown := 0
	for _, r := range text {
		if shown++; shown > maxText {
			return b.String() + "…"
		}
		if plain(r) {
			b.WriteRune(r)
		} else {
			quoted := fmt.Sprintf("%+q", r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}

// jsonPrinter prints one JSON object a line.
type jsonPrinter struct{ w io.Writer }

// protocol is the number of the form that the JSON has; it changes when a reader has to.
const protocol = 1

type jsonHeader struct {
	Schedconf string `json:"schedconf"`
	Schema    int    `json:"schema"`
	Target    string `json:"target"`
	Observed  string `json:"observed"`
}

func newHeader(release *schemas.Release) jsonHeader {
	return jsonHeader{buildVersion(), protocol, release.Name, release.Observed}
}

type jsonPlace struct {
	Message  string `json:"message"`
	Path     string `json:"path"`
	File     string `json:"file"`
	Document int    `json:"document"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
}

type jsonFinding struct {
	Rule     string        `json:"rule"`
	Severity diag.Severity `json:"severity"`
	Stage    diag.Stage    `json:"stage"`
	Message  string        `json:"message"`
	Hint     string        `json:"hint"`
	Path     string        `json:"path"`
	File     string        `json:"file"`
	Document int           `json:"document"`
	Line     int           `json:"line"`
	Column   int           `json:"column"`
	Related  []jsonPlace   `json:"related"`
}

func (j jsonPrinter) header(release *schemas.Release) { j.line(newHeader(release)) }

func (j jsonPrinter) findings(list diag.List) {
	for _, d := range list {
		j.line(newJSONFinding(d))
	}
}

func newJSONFinding(d diag.Diagnostic) jsonFinding {
	related := []jsonPlace{}
	for _, place := range d.Related {
		related = append(related, jsonPlace{place.Message, place.Path.String(), place.Pos.File, place.Pos.Document, place.Pos.Line, place.Pos.Column})
	}
	return jsonFinding{
		d.Rule, d.Severity, d.Stage, d.Message, d.Hint, d.Path.String(), d.Pos.File, d.Pos.Document, d.Pos.Line, d.Pos.Column, related,
	}
}

func (j jsonPrinter) file(_ string, list diag.List) { j.findings(list) }

func (j jsonPrinter) trouble(string) {}

func (j jsonPrinter) aims([]takenAim) {}

func (j jsonPrinter) summary(total counts) { j.line(total) }

func (j jsonPrinter) line(value any) { _ = writeJSON(j.w, value, "") }

// writeJSON writes a value and a line break.
func writeJSON(w io.Writer, value any, indent string) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	return encoder.Encode(value)
}
