// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/project"
	"github.com/schedconf/schedconf/validation"
)

func (p *program) merge() *cli.Command {
	return &cli.Command{
		Name:      "merge",
		Usage:     "make one report of those of all shards, the same as that of a run that was not dealt out",
		ArgsUsage: "FILE|-…",
		Description: `The reports are those of validate --shard. All shards of one run are needed, each once, in any order and in
any number of files. Report and exit code are those that validate would have without --shard. The lines of
files are shown where the files can be read. SARIF comes without fixes, which reports in JSON do not have.

EXAMPLES:
   schedconf validate --shard 0/1 -o json=0.json sched.yaml && schedconf merge 0.json
   schedconf validate --shard 0/1 -o json sched.yaml | schedconf merge -o junit -
`,
		Flags: append(findingFlags(), reportFlag()),
		Action: func(c *cli.Context) error {
			names := c.Args().Slice()
			if len(names) == 0 {
				return usage(c, "give the reports of the shards, or - for standard input")
			}
			var parts []*part
			for i, name := range names {
				if name == stdinName && slices.Contains(names[i+1:], name) {
					return usage(c, "standard input (-) is given twice, and can be read once")
				}
				read, err := p.parts(name)
				if err != nil {
					return err
				}
				parts = append(parts, read...)
			}
			if err := complete(parts); err != nil {
				return inputError{err}
			}
			return p.replay(c, parts)
		},
	}
}

// part is the report of a shard.
type part struct {
	// from is the file that it was in.
	from   string
	header struct {
		jsonHeader
		Shard *partHeader `json:"shard"`
	}
	blocks []*block
	end    *partEnd
}

// block is what a shard says about one file.
type block struct {
	partLine
	findings diag.List
}

// parts reads the reports in a file.
func (p *program) parts(name string) ([]*part, error) {
	reader := p.stdin
	if name != stdinName {
		file, err := os.Open(name)
		if err != nil {
			return nil, unreadable(name, err)
		}
		defer file.Close()
		reader = file
	}
	var list []*part
	lines := bufio.NewReaderSize(reader, 1<<16)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, unreadable(name, err)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if wrong := readPart(&list, name, line); wrong != nil {
				return nil, inputError{fmt.Errorf("read %q: line %d: %w", name, number, wrong)}
			}
		}
		if err != nil {
			break
		}
	}
	if len(list) == 0 {
		return nil, inputError{fmt.Errorf("read %q: there is no report in it", name)}
	}
	return list, nil
}

var errNotPart = errors.New("this is no report of validate --shard I/N -o json")

// readPart takes one line of a report in.
func readPart(list *[]*part, name string, line []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return errNotPart
	}
	has := func(field string) bool { return fields[field] != nil }
	if has("schedconf") {
		read := &part{from: name}
		if json.Unmarshal(line, &read.header) != nil || read.header.Shard == nil {
			return errNotPart
		}
		*list = append(*list, read)
		return nil
	}
	if len(*list) == 0 || (*list)[len(*list)-1].end != nil {
		return errNotPart
	}
	now := (*list)[len(*list)-1]
	switch {
	case has("at"):
		read := &block{}
		if json.Unmarshal(line, &read.partLine) != nil || read.At < 0 {
			return errNotPart
		}
		now.blocks = append(now.blocks, read)
	case has("inputs"):
		now.end = &partEnd{}
		if json.Unmarshal(line, now.end) != nil {
			return errNotPart
		}
	case has("rule") && len(now.blocks) > 0:
		finding, err := readFinding(line)
		if err != nil {
			return err
		}
		last := now.blocks[len(now.blocks)-1]
		last.findings = append(last.findings, finding)
	default:
		return errNotPart
	}
	return nil
}

// readFinding is the opposite of newJSONFinding.
func readFinding(line []byte) (diag.Diagnostic, error) {
	var read struct {
		jsonFinding
		Severity string `json:"severity"`
	}
	if json.Unmarshal(line, &read) != nil {
		return diag.Diagnostic{}, errNotPart
	}
	d := diag.Diagnostic{
		Rule: read.Rule, Stage: read.Stage, Message: read.Message, Hint: read.Hint, Path: diag.ParsePath(read.Path),
		Pos: diag.Position{File: read.File, Document: read.Document, Line: read.Line, Column: read.Column},
	}
	for _, severity := range []diag.Severity{diag.Error, diag.Warning, diag.Info} {
		if severity.String() == read.Severity {
			d.Severity = severity
		}
	}
	if d.Severity == 0 || d.Pos.Line < 0 || d.Pos.Column < 0 {
		return d, errNotPart
	}
	for _, place := range read.Related {
		pos := diag.Position{File: place.File, Document: place.Document, Line: place.Line, Column: place.Column}
		d.Related = append(d.Related, diag.Place{Message: place.Message, Path: diag.ParsePath(place.Path), Pos: pos})
	}
	return d, nil
}

// complete refuses reports that are not those of all shards of one run, each once.
func complete(parts []*part) error {
	first := parts[0]
	asked := first.header.Shard
	seen := map[int]*part{}
	for _, one := range parts {
		shard := one.header.Shard
		name := fmt.Sprintf("shard %d/%d in %q", shard.Index, shard.Of, one.from)
		switch other := seen[shard.Index]; {
		case one.header.Schema != protocol || one.header.Schedconf != buildVersion():
			return fmt.Errorf("%s was made by schedconf %s, and this is %s: use the same for all", name, one.header.Schedconf, buildVersion())
		case shard.Of < 1 || shard.Of > maxShards || shard.Index < 0 || shard.Index >= shard.Of:
			return fmt.Errorf("%s: there is no such shard", name)
		case one.end == nil:
			return fmt.Errorf("%s ends before its end: run that shard again", name)
		case shard.Of != asked.Of:
			return fmt.Errorf("%s does not go with one of %d shards in %q", name, asked.Of, first.from)
		case one.header.Target != first.header.Target:
			return fmt.Errorf("%s is for Kubernetes %s, and shard %d in %q for %s", name, one.header.Target, asked.Index, first.from, first.header.Target)
		case shard.Question != asked.Question:
			return fmt.Errorf("%s had other flags or operands than shard %d in %q", name, asked.Index, first.from)
		case one.end.Inputs != first.end.Inputs:
			return fmt.Errorf("%s saw other files than shard %d in %q: they changed between the runs", name, asked.Index, first.from)
		case other != nil:
			return fmt.Errorf("%s is there twice, also in %q", name, other.from)
		}
		seen[shard.Index] = one
	}
	for i := range asked.Of {
		if seen[i] == nil {
			return fmt.Errorf("shard %d/%d is missing: %d of %d are given", i, asked.Of, len(seen), asked.Of)
		}
	}
	return nil
}

// replay tells the printers what the shards say, in the order in which one run would have said it.
func (p *program) replay(c *cli.Context, parts []*part) error {
	header := parts[0].header
	release := releaseOf(header.Target)
	if release == nil {
		return inputError{fmt.Errorf("read %q: %s is no known release", parts[0].from, header.Target)}
	}
	if header.Shard.Strict {
		if err := c.Set("strict", "true"); err != nil {
			return err
		}
	}
	var files, settings []*block
	var total counts
	gone, baseline, code := 0, "", exitYes
	for _, one := range parts {
		total.add(one.end.counts)
		code = max(code, one.end.Exit)
		for _, b := range one.blocks {
			switch {
			case b.Settings:
				settings = append(settings, b)
			case b.Gone > 0:
				gone, baseline = gone+b.Gone, b.File
			default:
				files = append(files, b)
			}
		}
	}
	shown := map[string]bool{} // lines of settings and baselines are not, as in validate
	for _, b := range files {
		shown[b.File] = true
	}
	out, finish, err := p.reports(c, p.textOf(shown), nil)
	if err != nil {
		return err
	}
	out.header(release)
	said := map[string]bool{}
	byStep := func(a, b *block) int { return cmp.Compare(a.At, b.At) }
	slices.SortStableFunc(files, byStep)
	for _, b := range files {
		if b.Trouble == "" {
			out.file(b.File, b.findings)
			continue
		}
		if b.Once && said[b.Trouble] {
			continue
		}
		said[b.Trouble] = true
		flush(p.stdout)
		fmt.Fprintf(p.stderr, "schedconf: %s\n", printable(b.Trouble))
		out.trouble(b.Trouble)
	}
	slices.SortStableFunc(settings, byStep)
	for _, b := range mergeSettings(settings) {
		total.Warnings += b.findings.Count(diag.Warning)
		out.file(b.File, b.findings)
	}
	if findings := project.GoneFrom(baseline, gone); findings != nil {
		total.Warnings++
		out.file(baseline, findings)
	}
	if _, named := total.Targets[header.Target]; len(total.Targets) == 0 || len(total.Targets) == 1 && named {
		total.Targets = nil
	}
	out.summary(total)
	if err := finish(); err != nil {
		return err
	}
	return ended(max(code, p.missed(header.Shard.RequireMatch, total), total.verdict(c)))
}

// mergeSettings leaves the entries of settings that no shard needed. Blocks without any are left out.
func mergeSettings(blocks []*block) []*block {
	used := map[diag.Position]bool{}
	var list []*block
	of := map[string]*block{}
	for _, b := range blocks {
		for _, pos := range b.Used {
			used[pos] = true
		}
		if of[b.File] == nil {
			of[b.File] = &block{partLine: b.partLine}
			list = append(list, of[b.File])
		}
		of[b.File].findings = append(of[b.File].findings, b.findings...)
	}
	for _, b := range list {
		b.findings.Sort()
		b.findings = slices.DeleteFunc(b.findings, func(d diag.Diagnostic) bool { return used[d.Pos] })
	}
	return slices.DeleteFunc(list, func(b *block) bool { return len(b.findings) == 0 })
}

// textOf returns what reads the files that are shown, as far as they are at hand. It keeps the last one.
func (p *program) textOf(shown map[string]bool) func(name string) []byte {
	last, text := "", []byte(nil)
	return func(name string) []byte {
		if name == stdinName || !shown[name] {
			return nil
		}
		if name != last {
			data, err := p.read(name)
			if err != nil || len(data) > validation.MaxFileSize {
				data = nil // the finding is shown without its line
			}
			last, text = name, data
		}
		return text
	}
}
