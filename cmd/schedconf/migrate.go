// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/scheme/source/find"
	"github.com/schedconf/schedconf/validation"
)

func (p *program) migrate() *cli.Command {
	return &cli.Command{
		Name:      "migrate",
		Usage:     "make a configuration of today of a Policy, a provider, flags or an old file",
		ArgsUsage: "[FILE…|-] [-- kube-scheduler FLAG…]",
		Description: `A FILE is a Policy, a configuration of any apiVersion, the ConfigMap that holds one, or a manifest that
starts kube-scheduler; what it names is read from beside it. The result is in the apiVersion that the
target prefers. It goes to standard output, and a report that accounts for every part of the input to
standard error: exact, approximate, dropped or impossible.

A Policy that does what a provider of its release does becomes the default profile of the target;
--preserve writes its plugins and weights out. With --strict the exit code is 1 unless all is exact.
With --prove a bundled or a given workload is placed under the input and under the result, and the exit
code is 1 where a pod goes elsewhere.

EXAMPLES:
   schedconf migrate policy.json --from 1.16 --target 1.37
   schedconf migrate --target 1.30 -- kube-scheduler --leader-elect=false --algorithm-provider=DefaultProvider
`,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "from", DefaultText: "the newest that reads the input, up to the target", Usage: "Kubernetes minor that the input is for"},
			targetFlag(),
			&cli.BoolFlag{Name: "to-provider", Usage: "name the algorithm provider that does the same, for a target that has providers"},
			&cli.BoolFlag{Name: "with-defaults", Usage: "run also what the target runs by default and the input does not"},
			&cli.BoolFlag{Name: "minimize", Usage: "leave out what the target does by default; the effective configuration stays the same"},
			&cli.BoolFlag{Name: "preserve", Usage: "write out what a Policy says even where it equals a provider"},
			documentFlag(), outputFlag([]string{"text", "json"}),
		}, proofFlags(), rewriteFlags(), gateFlags(), findingFlags()),
		Action: func(c *cli.Context) error {
			files, words := splitCommandLine(c.Args().Slice())
			if err := checkMigrate(c, files, words); err != nil {
				return err
			}
			if len(words) > 0 && len(files) == 0 {
				code, err := p.migrateOne(&migration{startup: startup{program: p, c: c}}, words)
				if err != nil {
					return err
				}
				return ended(code)
			}
			return p.eachFile(files, func(name string, data []byte) (int, error) {
				return p.migrateOne(&migration{startup: startup{program: p, c: c}, name: name, data: data}, words)
			})
		},
	}
}

// checkMigrate refuses flags that contradict each other or the operands.
func checkMigrate(c *cli.Context, files, words []string) error {
	switch {
	case len(files) == 0 && len(words) == 0:
		return usage(c, "no file and no command line is given")
	case len(files) == 0 && (c.Bool("write") || c.Bool("diff")):
		return usage(c, "--write and --diff need a file")
	case len(files) > 1 && len(words) > 0:
		return usage(c, "one file at most is taken beside a command line, %d are given", len(files))
	case len(files) > 1 && c.String("output") != "json" && !c.Bool("write") && !c.Bool("diff"):
		return usage(c, "one file is taken without --write, --diff or -o json, %d are given", len(files))
	case len(files) == 0:
		return nil
	}
	if c.String("output") == "json" && len(files) > 1 {
		return nil
	}
	for _, name := range files {
		if name == stdinName && c.Bool("write") {
			return usage(c, "--write cannot change standard input")
		}
	}
	if c.Bool("write") && c.Bool("diff") {
		return usage(c, "--write and --diff exclude each other")
	}
	return nil
}

// migration is one input on its way to the target.
type migration struct {
	startup
	name string
	data []byte
	// sourceRelease and targetRelease are chosen already; nil leaves them to the flags.
	sourceRelease, targetRelease *schemas.Release
	// faithful carries everything over as it is, whatever the flags say; only is the document that is meant.
	faithful bool
	only     *source.Document
	// found is where the configuration or the Policy lies, if that is inside an object.
	found *find.Found
	to    scheme.Side

	items    []scheme.Item
	provider string
	notRun   []string
	// text is the configuration; nil where there is none.
	text    []byte
	refused bool
	proof   *proof
}

func (p *program) migrateOne(m *migration, words []string) (int, error) {
	if err := m.run(words); err != nil {
		return exitYes, err
	}
	m.findings = slices.DeleteFunc(m.findings, func(d diag.Diagnostic) bool { return d.Rule == validation.RulePolicyRemoved })
	m.findings.Sort()
	code := verdict(m.c, m.findings)
	if m.c.Bool("prove") && m.text != nil && !m.refused {
		if err := m.prove(words); err != nil {
			return exitYes, err
		}
		if m.proof.differs() {
			code = max(code, exitNo)
		}
	}
	if m.c.Bool("strict") && slices.ContainsFunc(m.items, func(i scheme.Item) bool { return i.Outcome != scheme.Exact }) {
		code = max(code, exitNo)
	}
	if m.refused || m.text == nil {
		code = max(code, exitNo)
	}
	if m.c.String("output") == "json" {
		return code, writeJSON(p.stdout, m.json(), "  ")
	}
	newText(m.c, p.stderr, p.stderr).findings(m.findings)
	m.report()
	m.reportProof()
	if m.text == nil {
		return code, nil
	}
	if m.refused {
		fmt.Fprintf(p.stderr, "nothing is written, since Kubernetes %s would refuse it; -o json shows it\n", m.to.Scheme.Release.Name)
		return code, nil
	}
	return m.finish(code)
}

// run makes the configuration. It stops without one where the source release cannot read the input.
func (m *migration) run(words []string) error {
	target, err := m.target()
	if err != nil {
		return err
	}
	s, err := schemeOf(m.c, target)
	if err != nil {
		return err
	}
	m.to = scheme.Side{Scheme: s, API: &target.APIs[0]}
	if finding, ok := validation.TooLarge(m.name, m.data); ok {
		m.findings = diag.List{finding}
		return nil
	}
	line, err := m.identify(words)
	if err != nil {
		return err
	}
	if m.release, err = m.source(line, words); err != nil {
		return err
	}
	switch {
	case line != nil:
		m.command = line.Command
		m.check(line.Args, line.At)
		m.policyDoc = firstOf(m.policyDoc, line.Policy)
	default:
		m.check(words, inCommandLine(words))
	}
	if m.doc == nil {
		if err := m.namedConfiguration(line); err != nil {
			return err
		}
	}
	resolved, err := m.resolve()
	if err != nil || resolved == nil {
		return err
	}
	if err := m.translate(resolved); err != nil {
		return err
	}
	return m.judge()
}

func (m *migration) target() (*schemas.Release, error) {
	if m.targetRelease != nil {
		return m.targetRelease, nil
	}
	return target(m.c)
}

func firstOf(docs ...*source.Document) *source.Document {
	for _, doc := range docs {
		if doc != nil {
			return doc
		}
	}
	return nil
}

// identify says what a file is: a Policy, a configuration, or a manifest that starts kube-scheduler.
func (m *migration) identify(words []string) (*validation.CommandLine, error) {
	if m.name == "" {
		return nil, nil
	}
	documents := source.Split(m.name, m.data)
	m.files = append(m.files, documents)
	doc, warnings, err := m.chosen()
	if err != nil {
		return nil, err
	}
	value, _, err := scheme.Value(doc)
	if err == nil && scheme.IsPolicy(value) {
		m.policyDoc = doc
		return nil, nil
	}
	if apiVersion, kind, metaErr := scheme.TypeMeta(value); err == nil && metaErr == nil && (kind == config.Kind || strings.HasPrefix(apiVersion, config.GroupName+"/")) {
		m.doc, m.findings = ofGroup(doc, apiVersion), warnings
		return nil, nil
	}
	found, _ := find.In(m.name, documents)
	if lines := validation.CommandLines(m.name, m.data); len(lines) == 1 && len(words) == 0 {
		m.place(found, lines[0].Config)
		return &lines[0], nil
	} else if len(lines) > 1 {
		return nil, usage(m.c, "%q starts %d schedulers: give a file that starts one", m.name, len(lines))
	}
	m.place(found, nil)
	if m.doc == nil && m.policyDoc == nil {
		m.doc = doc // the release says what is wrong with it
	}
	return nil, nil
}

// chosen is the document that is meant.
func (m *migration) chosen() (*source.Document, diag.List, error) {
	if m.only != nil {
		return m.only, nil, nil
	}
	return choose(m.c, m.name, m.data)
}

// wants reports whether a flag about how to write the result counts.
func (m *migration) wants(flag string) bool {
	if m.faithful {
		return flag == "preserve"
	}
	return m.c.Bool(flag)
}

// place takes the only configuration that lies in an object, or the one that a command line leads to, or
// else the only Policy.
func (m *migration) place(found []find.Found, config *source.Document) {
	for _, kinds := range [][]find.Kind{{find.Config, find.ConfigObject}, {find.Policy}} {
		var of []*find.Found
		for i := range found {
			if slices.Contains(kinds, found[i].Kind) && (config == nil || found[i].Doc.Position(nil) == config.Position(nil)) {
				of = append(of, &found[i])
			}
		}
		if len(of) != 1 {
			continue
		}
		m.found = of[0]
		if of[0].Kind == find.Policy {
			m.policyDoc = of[0].Doc
			return
		}
		m.doc = of[0].Doc
		if value, _, err := scheme.Value(m.doc); err == nil {
			if apiVersion, _, err := scheme.TypeMeta(value); err == nil {
				m.doc = ofGroup(m.doc, apiVersion)
			}
		}
		return
	}
}

// oldGroup is the apiVersion up to 1.12. It differs from v1alpha1 of the group of today in its name, and
// in fields that 1.16 reads past.
const oldGroup = "componentconfig/v1alpha1"

// ofGroup is a document of the old group as one of the group of today. All else stays where it is.
func ofGroup(doc *source.Document, apiVersion string) *source.Document {
	if apiVersion != oldGroup {
		return doc
	}
	renamed := bytes.Replace(doc.Bytes(), []byte(oldGroup), []byte(config.GroupName+"/v1alpha1"), 1)
	again := source.Split(doc.File, renamed)[0]
	again.Index = doc.Index
	return again
}

// source is the release that the input is for: the one that is named, the one that the image suggests, or
// the newest that reads it, up to the target.
func (m *migration) source(line *validation.CommandLine, words []string) (*schemas.Release, error) {
	named := m.sourceRelease
	if named == nil && m.c.IsSet("from") {
		minor, err := schemas.ParseMinor(m.c.String("from"))
		if err != nil {
			return nil, usage(m.c, "--from: %s", err)
		}
		named = schemas.For(minor)
	}
	reads, what := m.reads(line, words)
	if named != nil && (reads == nil || reads(named)) {
		return named, nil
	}
	if line != nil && named == nil {
		if minor, err := schemas.ParseMinor(line.Target); err == nil && (reads == nil || reads(schemas.For(minor))) {
			return schemas.For(minor), nil
		}
	}
	release := newestReading(reads, m.to.Scheme.Release)
	if named != nil {
		m.findings = append(m.findings, diag.Diagnostic{
			Rule: ruleSourceChosen, Severity: diag.Info, Pos: diag.Position{File: m.name, Line: 1, Column: 1},
			Message: fmt.Sprintf("Kubernetes %s does not read %s; the input is taken as one of %s", named.Name, what, release.Name),
		})
	}
	return release, nil
}

// ruleSourceChosen is the rule of an input that the release named by --from cannot read.
const ruleSourceChosen = "source-chosen"

// reads reports whether a release reads the input, as far as that can be told; what names it.
func (m *migration) reads(line *validation.CommandLine, words []string) (reads func(*schemas.Release) bool, what string) {
	switch {
	case m.policyDoc != nil:
		return func(r *schemas.Release) bool { return len(r.Policies) > 0 }, "a Policy"
	case m.doc != nil:
		value, _, err := scheme.Value(m.doc)
		if err != nil {
			return nil, ""
		}
		apiVersion, _, _ := scheme.TypeMeta(value)
		if _, served := schemas.Newest(apiVersion); !served {
			return nil, ""
		}
		return func(r *schemas.Release) bool { _, ok := r.API(apiVersion); return ok }, apiVersion
	case line != nil:
		words = line.Args
	}
	return func(r *schemas.Release) bool {
		flags := validation.ParseFlags(r, words, inCommandLine(words))
		return !slices.ContainsFunc(flags.Given, func(g validation.GivenFlag) bool { return g.Flag == nil })
	}, "one of the flags"
}

// newestReading is the newest release that reads something, up to one that should, or else the newest of
// all that do.
func newestReading(reads func(*schemas.Release) bool, most *schemas.Release) *schemas.Release {
	var before, any *schemas.Release
	upTo := true
	for _, minor := range schemas.Minors() {
		release := schemas.For(minor)
		if reads == nil || reads(release) {
			any = release
			if upTo {
				before = release
			}
		}
		if release == most {
			upTo = false
		}
	}
	for _, release := range []*schemas.Release{before, any} {
		if release != nil {
			return release
		}
	}
	return most
}

// namedConfiguration reads the file that --config names. It may lie beside the file with the flag.
func (m *migration) namedConfiguration(line *validation.CommandLine) error {
	given, ok := m.flags.Last("config")
	if !ok || given.Value == "" {
		return nil
	}
	if line != nil && line.Config != nil {
		m.doc = line.Config
		return nil
	}
	by := given.Word.Pos.File
	if line == nil {
		by = ""
	}
	doc, tried := m.beside(by, given.Value)
	if doc == nil {
		m.findings = append(m.findings, diag.Diagnostic{
			Rule: ruleConfigNotFound, Severity: diag.Warning, Pos: given.Word.Pos, Message: fmt.Sprintf("the configuration %q is not here, so that the flags alone are migrated", given.Value),
			Hint: "give its file as well; looked for " + strings.Join(tried, " and "),
		})
		return nil
	}
	m.doc = doc
	return nil
}

// ruleConfigNotFound is the rule of a configuration that a flag names and that is not there.
const ruleConfigNotFound = "config-not-found"

// translate carries what the source release runs with to the target.
func (m *migration) translate(resolved *scheme.Resolved) error {
	from := scheme.Side{Scheme: m.made, API: resolved.API}
	var object runtime.Object
	var err error
	switch {
	case m.wants("to-provider") && resolved.Policy == nil:
		return usage(m.c, "--to-provider is for a Policy")
	case resolved.Policy != nil:
		object, err = m.translatePolicy(from, resolved)
	default:
		if resolved.Config.AlgorithmSource.Policy != nil {
			m.withoutPolicy(resolved)
		}
		var translation *scheme.Translation
		translation, err = scheme.TranslateLoaded(resolved.Given, resolved.Config, from, m.to, m.wants("with-defaults"))
		if err == nil {
			object = translation.Object
			m.notRun, err = scheme.NotRun(m.to, translation.After)
			m.itemsOfDocument(translation.Changes)
		}
	}
	if err != nil || object == nil {
		return err
	}
	m.itemsOfFlags()
	return m.write(from, object)
}

// withoutPolicy goes on with the provider where the Policy is missing; that has been said.
func (m *migration) withoutPolicy(resolved *scheme.Resolved) {
	path := diag.Path{"algorithmSource", "policy"}
	m.items = append(m.items, scheme.Item{Path: path, Name: "policy", Outcome: scheme.Impossible, Why: "the Policy is not here: give its file, and migrate again"})
	resolved.Given.AlgorithmSource, resolved.Config.AlgorithmSource = config.AlgorithmSource{}, config.AlgorithmSource{}
}

func (m *migration) translatePolicy(from scheme.Side, resolved *scheme.Resolved) (runtime.Object, error) {
	ask := scheme.PolicyMigration{
		Policy: m.policy, Built: resolved.Policy, From: from, To: m.to,
		WithDefaults: m.wants("with-defaults"), Preserve: m.wants("preserve"),
	}
	if m.doc != nil || len(m.flags.Given) > 0 {
		ask.Given, ask.Beside = resolved.Given, resolved.Config
	}
	done, err := scheme.MigratePolicy(ask)
	if err != nil {
		return nil, err
	}
	m.provider, m.notRun = done.Provider, done.NotRun
	if m.doc != nil {
		m.itemsOfDocument(done.Changes)
	}
	m.items = append(m.items, done.Items...)
	if m.wants("to-provider") {
		return m.asProvider(done)
	}
	return done.Object, nil
}

// asProvider is the configuration that names a provider.
func (m *migration) asProvider(done *scheme.Migration) (runtime.Object, error) {
	release := m.to.Scheme.Release
	switch {
	case done.Provider == "":
		m.findings = append(m.findings, diag.Diagnostic{
			Rule: ruleProvider, Severity: diag.Error, Pos: m.policyDoc.Position(nil), Message: fmt.Sprintf("the Policy does what no algorithm provider of Kubernetes %s does", m.release.Name),
			Hint: "leave --to-provider out, and its plugins become a profile",
		})
		return nil, nil
	case len(release.Providers) == 0:
		m.findings = append(m.findings, diag.Diagnostic{
			Rule: ruleProvider, Severity: diag.Error, Pos: m.policyDoc.Position(nil), Message: fmt.Sprintf("a configuration of Kubernetes %s names no algorithm provider", release.Name),
			Hint: "leave --to-provider out, or choose a --target up to 1.18",
		})
		return nil, nil
	}
	at := slices.IndexFunc(release.APIs, func(api schemas.API) bool { return strings.HasSuffix(api.APIVersion, "/v1alpha1") })
	m.to.API = &release.APIs[at]
	hub := &config.KubeSchedulerConfiguration{AlgorithmSource: config.AlgorithmSource{Provider: &done.Provider}}
	object, _, err := m.to.Scheme.FromHub(hub, m.to.API)
	return object, err
}

// ruleProvider is the rule of a Policy that cannot become a provider.
const ruleProvider = "provider-impossible"

// write makes the text: that of the document with what has changed, or a new one.
func (m *migration) write(from scheme.Side, object runtime.Object) error {
	doc := m.doc
	if doc == nil {
		// What a Policy or flags become has no text before it.
		doc = source.Split("", fmt.Appendf(nil, "apiVersion: %s\nkind: %s\n", m.to.API.APIVersion, config.Kind))[0]
		from = m.to
	}
	terse := m.wants("minimize")
	if terse {
		var err error
		if object, _, err = scheme.Minimize(m.to, object); err != nil {
			return err
		}
	}
	text, lost, err := scheme.Rewrite(scheme.Rewriting{Document: doc, From: from, To: m.to, Object: object, Terse: terse})
	if err != nil {
		return err
	}
	m.text = text
	m.findings = append(m.findings, lossFindings(lost)...)
	return nil
}

// judge adds what the target refuses in the result; line and column are those of the result.
func (m *migration) judge() error {
	if m.text == nil {
		return nil
	}
	// Translating has declared plugins that no release has; here only those of --plugin count.
	s, err := schemeOf(m.c, m.to.Scheme.Release)
	if err != nil {
		return err
	}
	judged, err := validation.NewVerdict(s).Check(source.Split(m.title()+" (migrated)", m.text)[0])
	if err != nil {
		return err
	}
	for _, d := range judged.Findings {
		if d.Severity == diag.Error {
			m.findings = append(m.findings, d)
			m.refused = true
		}
	}
	return nil
}

// title names the input.
func (m *migration) title() string {
	if m.name == "" {
		return "command line"
	}
	return m.name
}

// finish prints the configuration, writes it where the input was, or prints the difference.
func (m *migration) finish(code int) (int, error) {
	doc := firstOf(m.doc, m.policyDoc)
	if (m.c.Bool("write") || m.c.Bool("diff")) && (doc == nil || doc.File != m.name) {
		return max(code, exitNo), inputError{fmt.Errorf("change %q: it holds no configuration that could be replaced; leave out --write and --diff to get a new one", m.name)}
	}
	return m.deliver(m.c, &rewritten{m.name, m.data, doc, m.found, m.text, m.refused}, code)
}
