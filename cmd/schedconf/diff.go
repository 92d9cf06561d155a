// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/validation"
)

func (p *program) diff() *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "compare what two configurations mean, or one on two releases",
		ArgsUsage: "FILE [FILE]",
		Description: `Both sides are defaulted and built as their release does it, and their meaning is compared: values, and for
each profile the plugins of every point in running order, weights and args. The order of plugins counts,
the order of keys does not. A side may be a manifest that holds one configuration, as a ConfigMap does.
Secrets are not shown. Equal meaning exits 0, and prints nothing but with -o markdown, which is for comments
on pull requests.

EXAMPLES:
   schedconf diff old.yaml new.yaml --target 1.30
   schedconf diff sched.yaml --from-target 1.28 --to-target 1.37
`,
		Flags: slices.Concat([]cli.Flag{
			targetFlag(),
			&cli.StringFlag{Name: "from-target", DefaultText: "--target", Usage: "Kubernetes minor of the first side"},
			&cli.StringFlag{Name: "to-target", DefaultText: "--target", Usage: "Kubernetes minor of the second side"},
			outputFlag([]string{"text", "json", "markdown"}),
			documentFlag(),
		}, gateFlags(), findingFlags()),
		Action: func(c *cli.Context) error {
			left, right, err := p.sides(c)
			if err != nil {
				return err
			}
			text := newText(c, p.stderr, p.stderr)
			text.findings(left.findings)
			text.findings(right.findings)
			if left.built == nil || right.built == nil {
				if c.String("output") == "markdown" {
					p.refusedMarkdown(left, right)
				}
				return exitCode(exitNo)
			}
			left.meaning, right.meaning = scheme.EffectivePair(left.built, right.built)
			equal := reflect.DeepEqual(left.meaning, right.meaning)
			switch form := c.String("output"); {
			case form == "json":
				err = p.diffJSON(left, right)
			case form == "markdown":
				err = p.diffMarkdown(left, right)
			case !equal:
				err = p.diffText(c, left, right)
			}
			if err != nil {
				return err
			}
			if !equal {
				return exitCode(exitNo)
			}
			return nil
		},
	}
}

// meant is one side: a file, the release that reads it, and what it means there.
type meant struct {
	name     string
	release  *schemas.Release
	findings diag.List
	// built is nil where the release refuses the file before it builds it.
	built   *scheme.Built
	meaning scheme.Effective
}

func (p *program) sides(c *cli.Context) (left, right *meant, err error) {
	names := c.Args().Slice()
	switch {
	case len(names) == 1 && (c.IsSet("from-target") || c.IsSet("to-target")):
		names = append(names, names[0])
	case len(names) == 1:
		return nil, nil, usage(c, "one file needs --from-target or --to-target to be compared with itself")
	case len(names) != 2:
		return nil, nil, usage(c, "one or two files are taken, %d are given", len(names))
	case names[0] == stdinName && names[1] == stdinName:
		return nil, nil, usage(c, "standard input can be one of the two files only")
	}
	var data [2][]byte
	for i, name := range names {
		if i == 1 && name == names[0] {
			data[1] = data[0]
			continue
		}
		if data[i], err = p.read(name); err != nil {
			return nil, nil, unreadable(name, err)
		}
	}
	if left, err = meaning(c, "from-target", names[0], data[0]); err != nil {
		return nil, nil, err
	}
	right, err = meaning(c, "to-target", names[1], data[1])
	return left, right, err
}

// meaning reads one side. Where the release refuses the file before it builds it, there is none.
func meaning(c *cli.Context, flag, name string, data []byte) (*meant, error) {
	if !c.IsSet(flag) {
		flag = "target"
	}
	minor, err := schemas.ParseMinor(c.String(flag))
	if err != nil {
		return nil, usage(c, "--%s: %s", flag, err)
	}
	side := &meant{name: name, release: schemas.For(minor)}
	if finding, ok := validation.TooLarge(name, data); ok {
		side.findings = diag.List{finding}
		return side, nil
	}
	doc, findings, err := chooseAnywhere(c, name, data)
	if err != nil {
		return nil, err
	}
	s, err := schemeOf(c, side.release)
	if err != nil {
		return nil, err
	}
	result, err := validation.NewVerdict(s).Check(doc)
	if err != nil {
		return nil, err
	}
	side.findings = append(findings, result.Findings...)
	if _, stage := result.Findings.Verdict(); result.Built != nil && stage != diag.Decode {
		side.built = result.Built
	}
	return side, nil
}

func (m *meant) label() string { return printable(m.name) + "\tKubernetes " + m.release.Name }

// unifiedMeaning is what two sides mean differently, as a unified diff.
func unifiedMeaning(left, right *meant) (string, error) {
	a, err := left.meaning.YAML()
	if err != nil {
		return "", err
	}
	b, err := right.meaning.YAML()
	return unified(string(a), string(b), left.label(), right.label()), err
}

func (p *program) diffText(c *cli.Context, left, right *meant) error {
	lines, err := unifiedMeaning(left, right)
	if err != nil {
		return err
	}
	text := newText(c, p.stdout, p.stderr)
	for _, l := range strings.SplitAfter(lines, "\n") {
		if l == "" {
			continue
		}
		bare := strings.TrimSuffix(l, "\n")
		if code := lineColour(l); code != "" {
			bare = text.paint(code, bare)
		}
		if _, err := fmt.Fprintln(p.stdout, bare); err != nil {
			return err
		}
	}
	return nil
}

func lineColour(l string) string {
	switch {
	case strings.HasPrefix(l, "---"), strings.HasPrefix(l, "+++"):
		return "1"
	case strings.HasPrefix(l, "@@"):
		return "36"
	case strings.HasPrefix(l, "-"):
		return "31"
	case strings.HasPrefix(l, "+"):
		return "32"
	}
	return ""
}

type jsonSide struct {
	File     string `json:"file"`
	Target   string `json:"target"`
	Observed string `json:"observed"`
}

type jsonChange struct {
	Path  string `json:"path"`
	Left  any    `json:"left"`
	Right any    `json:"right"`
}

func (p *program) diffJSON(left, right *meant) error {
	changes := []jsonChange{}
	compare(nil, map[string]any(left.meaning), map[string]any(right.meaning), &changes)
	encoder := json.NewEncoder(p.stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(struct {
		Schedconf string       `json:"schedconf"`
		Schema    int          `json:"schema"`
		Left      jsonSide     `json:"left"`
		Right     jsonSide     `json:"right"`
		Equal     bool         `json:"equal"`
		Changes   []jsonChange `json:"changes"`
	}{
		buildVersion(), protocol,
		jsonSide{left.name, left.release.Name, left.release.Observed},
		jsonSide{right.name, right.release.Name, right.release.Observed},
		len(changes) == 0, changes,
	})
}

// compare lists the places at which two meanings differ; null stands for what one side lacks.
func compare(path diag.Path, left, right any, changes *[]jsonChange) {
	a, leftObject := left.(map[string]any)
	b, rightObject := right.(map[string]any)
	if leftObject && rightObject {
		names := maps.Clone(a)
		maps.Copy(names, b)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			compare(path.Child(name), a[name], b[name], changes)
		}
		return
	}
	l, leftList := left.([]any)
	r, rightList := right.([]any)
	if leftList && rightList && len(l) == len(r) {
		for i := range l {
			compare(path.Index(i), l[i], r[i], changes)
		}
		return
	}
	if !reflect.DeepEqual(left, right) {
		*changes = append(*changes, jsonChange{path.String(), left, right})
	}
}
