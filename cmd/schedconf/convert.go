// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/scheme/source/find"
	"github.com/schedconf/schedconf/validation"
)

func (p *program) convert() *cli.Command {
	return &cli.Command{
		Name:      "convert",
		Usage:     "rewrite a configuration in another apiVersion, with its behaviour kept",
		ArgsUsage: "FILE…|-",
		Description: `What the old release did by default and the new one does not is written out, so that pods go where they
went; --no-preserve lets the new defaults apply and lists what they change. What the apiVersion has no
place for is reported. The result goes to standard output, everything else to standard error.

Comments, empty lines, the order of keys, quotes, indentation, anchors and the other documents of a file
stay as they are where nothing changes; comments that go with what they are about are reported. So does
the rest of a manifest, such as a ConfigMap, that holds the configuration.

EXAMPLES:
   schedconf convert --to v1 --from 1.25 --target 1.30 old.yaml
   schedconf convert --to v1 --write old.yaml sched.yaml
`,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "to", Usage: "apiVersion to write, as in v1", Required: true},
			&cli.StringFlag{Name: "from", DefaultText: "the newest that reads the file", Usage: "Kubernetes minor that the file is for"},
			&cli.StringFlag{Name: "target", DefaultText: "the newest that reads --to", Usage: "Kubernetes minor that the result is for"},
			&cli.BoolFlag{Name: "no-preserve", Usage: "let the defaults of the target apply"},
			&cli.BoolFlag{Name: "minimize", Usage: "leave out what the target does by default; the effective configuration stays the same"},
			documentFlag(),
		}, rewriteFlags(), gateFlags(), findingFlags()),
		Action: func(c *cli.Context) error {
			if err := checkRewrite(c); err != nil {
				return err
			}
			return p.eachFile(c.Args().Slice(), func(name string, data []byte) (int, error) {
				result, err := convertFile(c, name, data)
				if err != nil {
					return exitYes, err
				}
				newText(c, p.stderr, p.stderr).findings(result.findings)
				if result.text == nil {
					return verdict(c, result.findings), nil
				}
				code, err := p.deliver(c, &rewritten{name, data, result.doc, result.found, result.text, result.refused}, verdict(c, result.findings))
				if err == nil {
					fmt.Fprintf(p.stderr, "%s: %s of Kubernetes %s to %s of Kubernetes %s\n", printable(name),
						result.from.API.APIVersion, result.from.Scheme.Release.Name, result.to.API.APIVersion, result.to.Scheme.Release.Name)
				}
				return code, err
			})
		},
	}
}

// gateFlags are those of a scheme without the target.
func gateFlags() []cli.Flag { return schemeFlags()[1:] }

type converted struct {
	from, to scheme.Side
	findings diag.List
	doc      *source.Document
	found    *find.Found // where the document lies, if that is inside an object
	// text is what the document becomes; nil where it cannot be converted. refused is true if the target
	// does not take it.
	text    []byte
	refused bool
}

// convertFile converts the configuration of a file. It is refused where its own release cannot read
// it; what that release refuses later is reported, and the result written all the same.
func convertFile(c *cli.Context, name string, data []byte) (*converted, error) {
	if finding, ok := validation.TooLarge(name, data); ok {
		return &converted{findings: diag.List{finding}}, nil
	}
	doc, findings, err := choose(c, name, data)
	if err != nil {
		return nil, err
	}
	result := &converted{findings: findings, doc: doc}
	if found, ok := nested(name, data); ok && !c.IsSet("document") {
		doc, result.doc, result.found = found.Doc, found.Doc, found
	}
	if result.to, err = side(c, "target", fullVersion(c.String("to")), "--to"); err != nil {
		return nil, err
	}
	value, _, err := scheme.Value(doc)
	version := ""
	if err == nil {
		version, _, _ = scheme.TypeMeta(value)
	}
	if _, served := schemas.Newest(version); err != nil || !served {
		// Whatever is wrong with the file, the newest release says it.
		s, err := schemeOf(c, newestRelease())
		if err != nil {
			return nil, err
		}
		judged, err := validation.NewVerdict(s).Check(doc)
		if err != nil {
			return nil, err
		}
		result.findings = append(result.findings, judged.Findings...)
		return result, nil
	}
	if result.from, err = side(c, "from", version, "the file"); err != nil {
		return nil, err
	}
	return result, result.translate(c, doc, value)
}

func (r *converted) translate(c *cli.Context, doc *source.Document, value []byte) error {
	judged, err := validation.NewVerdict(r.from.Scheme).Check(doc)
	if err != nil {
		return err
	}
	r.findings = append(r.findings, judged.Findings...)
	if accepted, stage := r.findings.Verdict(); !accepted && stage == diag.Decode || judged.Config == nil {
		return nil
	}
	decoded, err := r.from.Scheme.Decode(value, r.from.API)
	if err != nil {
		return err
	}
	translation, err := scheme.Translate(decoded.Object, r.from, r.to, !c.Bool("no-preserve"))
	if errors.Is(err, scheme.ErrPolicy) {
		r.add(doc, diag.Diagnostic{
			Rule: scheme.RulePolicyElsewhere, Severity: diag.Error, Stage: diag.Decode, Path: diag.Path{"algorithmSource", "policy"},
			Message: err.Error(), Hint: "write the plugins of the Policy as a profile",
		})
		return nil
	}
	if err != nil {
		return err
	}
	for _, change := range translation.Changes {
		r.add(doc, change)
	}
	object := translation.Object
	if c.Bool("minimize") {
		if object, _, err = scheme.Minimize(r.to, object); err != nil {
			return err
		}
	}
	text, lost, err := scheme.Rewrite(scheme.Rewriting{Document: doc, From: r.from, To: r.to, Object: object, Terse: c.Bool("minimize")})
	if err != nil {
		return err
	}
	r.text = text
	r.findings = append(r.findings, lossFindings(lost)...)
	return r.judge(doc.File)
}

func (r *converted) add(doc *source.Document, d diag.Diagnostic) {
	d.Pos = doc.Position(d.Path)
	r.findings = append(r.findings, d)
}

// judge adds what the target refuses in the result; line and column are those of the result.
func (r *converted) judge(name string) error {
	judged, err := validation.NewVerdict(r.to.Scheme).Check(source.Split(name+" (converted)", r.text)[0])
	if err != nil {
		return err
	}
	for _, d := range judged.Findings {
		if d.Severity == diag.Error {
			r.findings = append(r.findings, d)
			r.refused = true
		}
	}
	return nil
}

// side is an apiVersion as the release reads it that a flag names, or else the newest that does.
func side(c *cli.Context, flag, version, whose string) (scheme.Side, error) {
	release, known := schemas.Newest(version)
	if !known {
		return scheme.Side{}, usage(c, "%s: no release reads %q%s", whose, version, versionSuggestion(version))
	}
	if c.IsSet(flag) {
		minor, err := schemas.ParseMinor(c.String(flag))
		if err != nil {
			return scheme.Side{}, usage(c, "--%s: %s", flag, err)
		}
		release = schemas.For(minor)
	}
	api, ok := release.API(version)
	if !ok {
		span, _ := schemas.APISpan(version)
		return scheme.Side{}, usage(c, "Kubernetes %s does not read %s, which is read %s: choose another --%s", release.Name, version, span, flag)
	}
	s, err := schemeOf(c, release)
	return scheme.Side{Scheme: s, API: api}, err
}

// fullVersion completes v1 to the whole apiVersion.
func fullVersion(version string) string {
	if strings.Contains(version, "/") {
		return version
	}
	return config.GroupName + "/" + version
}

func versionSuggestion(version string) string {
	var known []string
	for _, minor := range schemas.Minors() {
		for _, api := range schemas.For(minor).APIs {
			if !slices.Contains(known, api.APIVersion) {
				known = append(known, api.APIVersion)
			}
		}
	}
	if near, ok := scheme.Nearest(version, known); ok {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return ": known are " + strings.Join(known, ", ")
}

func newestRelease() *schemas.Release {
	minors := schemas.Minors()
	return schemas.For(minors[len(minors)-1])
}
