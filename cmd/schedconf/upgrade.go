// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/validation"
)

func (p *program) upgrade() *cli.Command {
	return &cli.Command{
		Name:      "upgrade",
		Usage:     "say minor by minor what a file runs into on the way to another release",
		ArgsUsage: "FILE…|-",
		Description: `For each hop: what stops loading, what means something else, plugins that come by default or that the file
keeps out, feature gates that go, and known defects that the file triggers. Where a minor does not load
the file, it goes on with what schedconf migrate makes of it. The report goes to standard error, and the
file for the last minor to standard output; with -o markdown, for comments on pull requests, the report
does, and the file is not printed. The exit code is 1 if the file has to change on the way.

EXAMPLES:
   schedconf upgrade old.yaml --from 1.25 --to 1.30
   schedconf upgrade policy.json --from 1.22 --to 1.37 -o json
`,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "from", DefaultText: "the newest that reads the file", Usage: "Kubernetes minor that the file is for"},
			&cli.StringFlag{Name: "to", Value: "latest", Usage: "Kubernetes minor to go to"},
			&cli.BoolFlag{Name: "with-defaults", Usage: "run also what the last minor runs by default and the file does not", Hidden: true},
			&cli.BoolFlag{Name: "preserve", Hidden: true}, &cli.BoolFlag{Name: "minimize", Hidden: true}, &cli.BoolFlag{Name: "to-provider", Hidden: true},
			documentFlag(), outputFlag([]string{"text", "json", "markdown"}),
		}, gateFlags(), findingFlags()),
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return usage(c, "no file is given")
			}
			if c.NArg() > 1 && c.String("output") != "json" {
				return usage(c, "one file is taken without -o json, %d are given", c.NArg())
			}
			return p.eachFile(c.Args().Slice(), func(name string, data []byte) (int, error) {
				return p.upgradeOne(&journey{migration: migration{startup: startup{program: p, c: c}, name: name, data: data}})
			})
		},
	}
}

// journey is one file on its way through minors.
type journey struct {
	migration
	hops []hop
	// gates are what becomes of the feature gates that were given.
	gates []string
}

// hop is one step of it.
type hop struct {
	*validation.Hop
	// Input is what the file is in this step.
	input string
	// converted says that the file had to be migrated for the next step.
	converted bool
	// stopped says that nothing could be made of it.
	stopped bool
	gates   []string
}

func (p *program) upgradeOne(j *journey) (int, error) {
	releases, err := j.route()
	if err != nil {
		return exitYes, err
	}
	if err := j.travel(releases); err != nil {
		return exitYes, err
	}
	code := exitYes
	for _, h := range j.hops {
		if !h.Loads() {
			code = exitNo
		}
	}
	final := migration{startup: startup{program: p, c: j.c}, name: j.name, data: j.data, sourceRelease: releases[0], targetRelease: releases[len(releases)-1]}
	if err := final.run(nil); err != nil {
		return code, err
	}
	if final.text == nil || final.refused {
		code = exitNo
	}
	if j.c.String("output") == "json" {
		return code, writeJSON(p.stdout, j.json(releases, &final), "  ")
	}
	if j.c.String("output") == "markdown" {
		return code, j.markdown(releases, &final)
	}
	j.print(releases)
	if final.text == nil || final.refused {
		newText(j.c, p.stderr, p.stderr).findings(final.findings)
		fmt.Fprintf(p.stderr, "there is no file for Kubernetes %s\n", releases[len(releases)-1].Name)
		return code, nil
	}
	_, err = p.stdout.Write(final.text)
	return code, err
}

// route lists the releases from the first to the last.
func (j *journey) route() ([]*schemas.Release, error) {
	last, err := schemas.ParseMinor(j.c.String("to"))
	if err != nil {
		return nil, usage(j.c, "--to: %s", err)
	}
	j.targetRelease = schemas.For(last)
	s, err := schemeOf(j.c, newestRelease())
	if err != nil {
		return nil, err
	}
	j.to = scheme.Side{Scheme: s, API: &newestRelease().APIs[0]}
	line, err := j.identify(nil)
	if err != nil {
		return nil, err
	}
	first, err := j.source(line, nil)
	if err != nil {
		return nil, err
	}
	var releases []*schemas.Release
	for _, minor := range schemas.Minors() {
		release := schemas.For(minor)
		if release == first || len(releases) > 0 {
			releases = append(releases, release)
		}
		if release == j.targetRelease {
			break
		}
	}
	if len(releases) < 2 || releases[len(releases)-1] != j.targetRelease {
		return nil, usage(j.c, "there is no way up from Kubernetes %s to %s: choose --from and --to", first.Name, j.targetRelease.Name)
	}
	return releases, nil
}

// travel goes from release to release with the file as it is, and with what migrating makes of it where one
// does not load it.
func (j *journey) travel(releases []*schemas.Release) error {
	doc := firstOf(j.doc, j.policyDoc)
	for i := 1; i < len(releases) && doc != nil; i++ {
		from, err := j.schemeFor(releases[i-1])
		if err != nil {
			return err
		}
		to, err := j.schemeFor(releases[i])
		if err != nil {
			return err
		}
		step, err := validation.Step(doc, from, to)
		if err != nil {
			return err
		}
		h := hop{Hop: step, input: inputOf(doc), gates: j.goneGates(releases[i-1], releases[i])}
		if !step.Loads() {
			h.converted = true
			m := migration{startup: startup{program: j.program, c: j.c}, name: doc.File, data: doc.Bytes(), sourceRelease: releases[i-1], targetRelease: releases[i]}
			if err := m.run(nil); err != nil {
				return err
			}
			doc = nil
			if m.text != nil && !m.refused {
				doc = source.Split(m.title()+" (migrated)", m.text)[0]
			}
			h.stopped = doc == nil
		}
		j.hops = append(j.hops, h)
	}
	return nil
}

// schemeFor is the scheme of a release with the gates that it knows and can take.
func (j *journey) schemeFor(release *schemas.Release) (*scheme.Scheme, error) {
	asked, err := overrides(j.c)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(asked, func(name string, state bool) bool { return refusesGate(release, name, state) })
	return schemeWith(j.c, release, asked)
}

func refusesGate(release *schemas.Release, name string, state bool) bool {
	if name == "AllAlpha" || name == "AllBeta" {
		return false
	}
	gate, ok := release.Gate(name)
	return !ok || gate.Locked && gate.Default != state
}

// goneGates are the gates that were given and that a release takes no more.
func (j *journey) goneGates(before, after *schemas.Release) []string {
	asked, err := overrides(j.c)
	if err != nil {
		return nil
	}
	var gone []string
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		if refusesGate(before, name, asked[name]) || !refusesGate(after, name, asked[name]) {
			continue
		}
		what := "is unknown"
		if _, known := after.Gate(name); known {
			what = fmt.Sprintf("is locked to %t", !asked[name])
		}
		gone = append(gone, fmt.Sprintf("feature gate %s %s", name, what))
	}
	return gone
}

func inputOf(doc *source.Document) string {
	value, _, err := scheme.Value(doc)
	if err != nil {
		return "a file"
	}
	if scheme.IsPolicy(value) {
		return scheme.PolicyKind
	}
	apiVersion, _, _ := scheme.TypeMeta(value)
	return apiVersion
}

// told are the changes that a report of a hop is about: what is different there, not what was written out.
var told = []string{
	scheme.RuleMeaningChanged, scheme.RulePluginNew, scheme.RulePluginDropped, scheme.RulePluginFolded, scheme.RuleArgsUnread,
	"conversion-field-dropped", "conversion-args-dropped", "conversion-point-dropped",
}

func (h hop) changes() diag.List {
	var list diag.List
	for _, d := range h.Changes {
		if slices.Contains(told, d.Rule) {
			list = append(list, d)
		}
	}
	return list
}

// print reports the hops to standard error.
func (j *journey) print(releases []*schemas.Release) {
	w := j.stderr
	fmt.Fprintf(w, "%s: Kubernetes %s to %s\n", printable(j.title()), releases[0].Name, releases[len(releases)-1].Name)
	failed := ""
	for _, h := range j.hops {
		if !h.Loads() && failed == "" {
			failed = h.To.Name
		}
		h.print(w)
	}
	if failed == "" {
		fmt.Fprintf(w, "every minor loads the file\n")
		return
	}
	fmt.Fprintf(w, "the first minor that does not load the file is %s\n", failed)
}

func (h hop) print(w io.Writer) {
	verdict := "loads"
	if !h.Loads() {
		verdict = "does not load"
	}
	fmt.Fprintf(w, "%s → %s: %s %s\n", h.From.Name, h.To.Name, verdict, h.input)
	for _, n := range h.notes() {
		fmt.Fprintf(w, "  %-8s %s\n", n.kind, n.text)
	}
}

// note is something that a file runs into in a hop.
type note struct{ kind, text string }

func (h hop) notes() (list []note) {
	add := func(kind, format string, args ...any) {
		list = append(list, note{kind, fmt.Sprintf(format, args...)})
	}
	for _, d := range h.Refusals {
		add("stops", "%s: %s [%s]", printable(d.Pos.String()), printable(d.Message), d.Rule)
	}
	for _, d := range h.changes() {
		add("changes", "%s", printable(d.Message))
	}
	for _, profile := range slices.Sorted(maps.Keys(h.Missed)) {
		add("misses", "profile %q does not run %s, which Kubernetes %s is the first to run by default", printable(profile), strings.Join(h.Missed[profile], ", "), h.To.Name)
	}
	for _, gate := range h.gates {
		add("gates", "%s", gate)
	}
	for _, defect := range h.Defects {
		add("defect", "%s: %s%s", defect.ID, defect.Summary, fixed(defect))
	}
	if h.Deprecated != "" {
		add("note", "%s", h.Deprecated)
	}
	if h.converted && !h.stopped {
		add("goes on", "with what schedconf migrate makes of it")
	}
	return list
}

func fixed(defect schemas.Defect) string {
	if defect.FixedIn == "" {
		return ""
	}
	return ", fixed in " + defect.FixedIn
}

type journeyReport struct {
	File string      `json:"file"`
	From string      `json:"from"`
	To   string      `json:"to"`
	Hops []hopReport `json:"hops"`
	// FirstFailing is the first minor that does not load the file; empty if all do.
	FirstFailing string `json:"firstFailing"`
	// Configuration is the file for the last minor; null where there is none.
	Configuration *string `json:"configuration"`
}

type hopReport struct {
	From     string              `json:"from"`
	To       string              `json:"to"`
	Input    string              `json:"input"`
	Loads    bool                `json:"loads"`
	Stops    []jsonFinding       `json:"stops"`
	Changes  []jsonFinding       `json:"changes"`
	Missed   map[string][]string `json:"missed"`
	Gates    []string            `json:"gates"`
	Defects  []schemas.Defect    `json:"defects"`
	Migrated bool                `json:"migrated"`
}

func (j *journey) json(releases []*schemas.Release, final *migration) journeyReport {
	out := journeyReport{File: j.name, From: releases[0].Name, To: releases[len(releases)-1].Name, Hops: []hopReport{}}
	for _, h := range j.hops {
		if !h.Loads() && out.FirstFailing == "" {
			out.FirstFailing = h.To.Name
		}
		report := hopReport{
			From: h.From.Name, To: h.To.Name, Input: h.input, Loads: h.Loads(), Stops: []jsonFinding{}, Changes: []jsonFinding{},
			Missed: h.Missed, Gates: append([]string{}, h.gates...), Defects: append([]schemas.Defect{}, h.Defects...), Migrated: h.converted && !h.stopped,
		}
		for _, d := range h.Refusals {
			report.Stops = append(report.Stops, newJSONFinding(d))
		}
		for _, d := range h.changes() {
			report.Changes = append(report.Changes, newJSONFinding(d))
		}
		out.Hops = append(out.Hops, report)
	}
	if final.text != nil && !final.refused {
		text := string(final.text)
		out.Configuration = &text
	}
	return out
}
