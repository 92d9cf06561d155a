// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"
	"sigs.k8s.io/yaml"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/policyv1"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/scheme/source/find"
	"github.com/schedconf/schedconf/validation"
)

func (p *program) effective() *cli.Command {
	return &cli.Command{
		Name:      "effective",
		Usage:     "show what kube-scheduler runs with, and whether a file, a flag or a default says so",
		ArgsUsage: "[FILE|-] [MANIFEST] [-- kube-scheduler FLAG…]",
		Description: `The configuration is FILE, or what --config of the command line names. The flags are those behind --, or
those of a manifest that starts kube-scheduler. Which of them count beside a file depends on the target.
A Policy is shown as the profile that the target builds from it. Secrets are not shown. Findings go to
standard error.

EXAMPLES:
   schedconf effective policy.json --target 1.22
   schedconf effective sched.yaml --target 1.30 -- kube-scheduler --leader-elect=false
`,
		Flags: slices.Concat(schemeFlags(), []cli.Flag{documentFlag(), outputFlag([]string{"text", "json", "yaml"})}, findingFlags()),
		Action: func(c *cli.Context) error {
			s := startup{program: p, c: c}
			if err := s.read(); err != nil {
				return err
			}
			resolved, err := s.resolve()
			if err != nil {
				return err
			}
			newText(c, p.stderr, p.stderr).findings(s.findings)
			if resolved != nil {
				if err := printEffective(p.stdout, c.String("output"), s.release, resolved); err != nil {
					return err
				}
			}
			return ended(verdict(c, s.findings))
		},
	}
}

// startup is what a kube-scheduler is started with, as far as it is known.
type startup struct {
	*program
	c       *cli.Context
	release *schemas.Release
	doc     *source.Document // nil without a file
	// policyDoc is the Policy that the plugins come from; policy what is in it.
	policyDoc *source.Document
	policy    *policyv1.Policy
	flags     *validation.Flags
	// files are the documents of the files that were given.
	files [][]*source.Document
	// command is how a manifest starts the scheduler; nil without one.
	command *find.Command
	// implied is the place of a --config that nobody gave; -1 without.
	implied int
	// made is the scheme of the release, with the gates of the command line.
	made     *scheme.Scheme
	findings diag.List
}

// read takes the operands apart: a configuration, a manifest, and a command line.
func (s *startup) read() error {
	files, words := splitCommandLine(s.c.Args().Slice())
	var err error
	if s.release, err = target(s.c); err != nil {
		return err
	}
	var line *validation.CommandLine
	for _, name := range files {
		data, err := s.program.read(name)
		if err != nil {
			return unreadable(name, err)
		}
		if finding, ok := validation.TooLarge(name, data); ok {
			s.findings = append(s.findings, finding)
			return nil
		}
		s.files = append(s.files, source.Split(name, data))
		lines := validation.CommandLines(name, data)
		switch {
		case len(lines) > 1:
			return usage(s.c, "%q starts %d schedulers: give a file that starts one", name, len(lines))
		case len(lines) == 1 && line != nil, len(lines) == 0 && s.doc != nil:
			return usage(s.c, "give one configuration and one manifest at most")
		case len(lines) == 1 && len(words) > 0:
			return usage(s.c, "give a manifest or a command line, not both")
		case len(lines) == 1:
			line = &lines[0]
		default:
			doc, warnings, err := chooseAnywhere(s.c, name, data)
			if err != nil {
				return err
			}
			if policy := policyIn(name, data, doc); policy != nil && s.policyDoc == nil {
				s.policyDoc = policy
				continue
			}
			s.doc, s.findings = doc, append(s.findings, warnings...)
		}
	}
	if line != nil {
		return s.fromManifest(*line)
	}
	return s.fromWords(words)
}

func (s *startup) fromManifest(line validation.CommandLine) error {
	s.command = line.Command
	if suggested, ok := suggestedTarget(s.c, []validation.CommandLine{line}); ok {
		s.release = suggested
	}
	s.check(line.Args, line.At)
	if s.doc == nil {
		s.doc = line.Config
	}
	if s.policyDoc == nil {
		s.policyDoc = line.Policy
	}
	if name := s.flags.Config(); s.doc == nil && name != "" {
		return inputError{fmt.Errorf("the configuration %q is not in the manifest: give its file as well", name)}
	}
	return nil
}

func (s *startup) fromWords(words []string) error {
	s.check(words, inCommandLine(words))
	name := s.flags.Config()
	if s.doc != nil || name == "" {
		return nil
	}
	data, err := s.program.read(name)
	if err != nil {
		return unreadable(name, err)
	}
	if finding, ok := validation.TooLarge(name, data); ok {
		s.findings = append(s.findings, finding)
		return nil
	}
	s.doc, _, err = chooseAnywhere(s.c, name, data)
	return err
}

// check judges the flags. A file that is given stands for the one that --config would name, and what
// has to be known of it is only that there is one.
func (s *startup) check(words []string, at func(i int) diag.Position) {
	flags := validation.ParseFlags(s.release, words, at)
	added := -1
	defer func() { s.implied = added }()
	if s.doc != nil && flags.Config() == "" {
		added = len(flags.Program)
		words = slices.Insert(slices.Clone(words), added, "--config=config.yaml")
	}
	findings, flags := validation.CheckFlags(s.release, words, func(i int) diag.Position {
		switch {
		case i == added:
			return s.doc.Position(nil)
		case added >= 0 && i > added:
			return at(i - 1)
		}
		return at(i)
	})
	s.findings, s.flags = append(s.findings, findings...), flags
}

// resolve is nil where the release refuses the file before it builds it.
func (s *startup) resolve() (*scheme.Resolved, error) {
	if s.flags == nil {
		return nil, nil
	}
	s.findPolicy()
	gates, err := overrides(s.c)
	if err != nil {
		return nil, err
	}
	maps.Copy(gates, s.flags.Gates)
	made, err := schemeWith(s.c, s.release, gates)
	if err != nil {
		return nil, err
	}
	s.made = made
	if s.doc != nil {
		result, err := validation.NewVerdict(made).Check(s.doc)
		if err != nil {
			return nil, err
		}
		s.findings = append(s.findings, result.Findings...)
		if _, stage := result.Findings.Verdict(); result.Built == nil || stage == diag.Decode {
			s.findings.Sort()
			return nil, nil
		}
	}
	if s.policyDoc != nil {
		result, err := validation.NewVerdict(made).Check(s.policyDoc)
		if err != nil {
			return nil, err
		}
		s.findings, s.policy = append(s.findings, result.Findings...), result.Policy
		if _, stage := result.Findings.Verdict(); s.policy == nil || stage == diag.Decode {
			s.findings.Sort()
			return nil, nil
		}
	}
	resolved, err := made.Resolve(scheme.Start{Doc: s.doc, Flags: s.flags.Values(), Gates: gates, Policy: s.policy, PolicyDoc: s.policyDoc})
	if err != nil {
		return nil, err
	}
	s.refusals(resolved)
	for _, d := range validation.NewVerdict(made).CheckLeaderElection(resolved.Config, resolved.API) {
		d.Pos = s.placeOf(d.Path)
		s.findings = append(s.findings, d)
	}
	s.findings.Sort()
	return resolved, nil
}

// placeOf is where a value that counts is from: the last flag that sets it, or the document.
func (s *startup) placeOf(path diag.Path) diag.Position {
	for _, given := range slices.Backward(s.flags.Given) {
		if given.Flag == nil || s.doc != nil && given.Flag.WithConfig == "ignored" {
			continue
		}
		if slices.Contains(append(addressFields[given.Name], given.Flag.ConfigFields...), path.String()) {
			return given.Word.Pos
		}
	}
	if s.doc != nil {
		return s.doc.Position(s.inDocument(path))
	}
	return diag.Position{File: "command line", Line: 1, Column: 1}
}

// addressFields are what the flags of the insecure port set together.
var addressFields = map[string][]string{"address": {"healthzBindAddress", "metricsBindAddress"}, "port": {"healthzBindAddress", "metricsBindAddress"}}

// inDocument turns a path of the hub into one of the document: v1alpha1 is one profile without a list.
func (s *startup) inDocument(path diag.Path) diag.Path {
	if len(path) > 2 && path[0] == "profiles" && !s.doc.Has(diag.Path{"profiles"}) {
		return path[2:]
	}
	return path
}

// refusals adds what the file alone does not bring up.
func (s *startup) refusals(resolved *scheme.Resolved) {
	for _, refusal := range resolved.Refusals {
		if (s.doc != nil || s.policyDoc != nil) && refusal.Rule != scheme.RulePolicyAndProfiles {
			continue
		}
		d := diag.Diagnostic{Rule: refusal.Rule, Severity: diag.Error, Stage: diag.Construct, Message: refusal.Message, Hint: refusal.Hint, Path: refusal.Path}
		if s.doc != nil {
			d.Pos = s.doc.Position(refusal.Path)
		}
		s.findings = append(s.findings, d)
	}
}

// findPolicy reads the Policy that the configuration or a flag names, if it lies beside the file that
// names it.
func (s *startup) findPolicy() {
	if s.policyDoc != nil {
		return
	}
	if configMap, at := s.namedConfigMap(); configMap != "" {
		s.findPolicyIn(configMap, at)
		return
	}
	name, by, at := s.namedPolicy()
	if name == "" {
		return
	}
	doc, tried := s.beside(by, name)
	if doc == nil {
		s.findings = append(s.findings, diag.Diagnostic{
			Rule: validation.RulePolicyNotFound, Severity: diag.Warning, Pos: at, Message: fmt.Sprintf("the Policy %q is not here, so that its plugins are unknown", name),
			Hint: "give its file as well; looked for " + strings.Join(tried, " and "),
		})
		return
	}
	s.policyDoc = doc
}

// namedConfigMap is the ConfigMap that holds the Policy, and the place that names it.
func (s *startup) namedConfigMap() (name string, at diag.Position) {
	if flag, ok := s.flags.Last("policy-configmap"); ok && s.countsBeside(flag) {
		return flag.Value, flag.Word.Pos
	}
	if s.doc == nil {
		return "", diag.Position{}
	}
	path := diag.Path{"algorithmSource", "policy", "configMap", "name"}
	name, _ = s.doc.Scalar(path)
	return name, s.doc.Position(path)
}

// countsBeside reports whether a flag of the release has an effect beside a file, if there is one.
func (s *startup) countsBeside(flag *validation.GivenFlag) bool {
	return flag.Flag != nil && (s.doc == nil || flag.Flag.WithConfig != "ignored")
}

// findPolicyIn takes the Policy of a ConfigMap in the files that were given.
func (s *startup) findPolicyIn(configMap string, at diag.Position) {
	for _, documents := range s.files {
		found, _ := find.In(documents[0].File, documents)
		for _, f := range found {
			if f.Kind == find.Policy && f.Object.Name == configMap {
				s.policyDoc = f.Doc
				return
			}
		}
	}
	s.findings = append(s.findings, diag.Diagnostic{
		Rule: validation.RulePolicyNotFound, Severity: diag.Warning, Pos: at, Message: fmt.Sprintf("the ConfigMap %q with the Policy is not here, so that its plugins are unknown", configMap),
		Hint: "give a file with the ConfigMap in it",
	})
}

// namedPolicy is the path of the file that holds the Policy, the file that names it, and the place there.
func (s *startup) namedPolicy() (name, by string, at diag.Position) {
	if flag, ok := s.flags.Last("policy-config-file"); ok && s.countsBeside(flag) {
		by := flag.Word.Pos.File
		if s.doc != nil {
			by = s.doc.File
		}
		return flag.Value, by, flag.Word.Pos
	}
	if s.doc == nil {
		return "", "", diag.Position{}
	}
	path := diag.Path{"algorithmSource", "policy", "file", "path"}
	name, _ = s.doc.Scalar(path)
	return name, s.doc.File, s.doc.Position(path)
}

// beside reads a document that a file names: relative to the file, or in its folder where the path is
// one of another machine.
func (s *startup) beside(by, name string) (doc *source.Document, tried []string) {
	candidates := []string{filepath.Join(filepath.Dir(by), name)}
	if filepath.IsAbs(name) {
		candidates = []string{filepath.Join(filepath.Dir(by), filepath.Base(name)), s.onHost(name)}
	}
	for _, candidate := range candidates {
		data, err := s.program.read(candidate)
		if err != nil {
			tried = append(tried, candidate)
			continue
		}
		return source.Split(candidate, data)[0], nil
	}
	return nil, tried
}

// onHost is the path on the host of a path in the container of a manifest.
func (s *startup) onHost(name string) string {
	if s.command == nil {
		return name
	}
	if mount, ok := s.command.MountOf(name); ok && len(mount.Sources) == 1 && mount.Sources[0].HostPath != "" {
		return filepath.Join(mount.Sources[0].HostPath, mount.SubPath, strings.TrimPrefix(name, mount.Path))
	}
	return name
}

// policyIn is the Policy of a file: the document that was chosen, or the only one that lies in an object
// such as a ConfigMap.
func policyIn(name string, data []byte, chosen *source.Document) *source.Document {
	if value, _, err := scheme.Value(chosen); err == nil && scheme.IsPolicy(value) {
		return chosen
	}
	found, _ := find.In(name, source.Split(name, data))
	var policies []*source.Document
	for _, f := range found {
		switch f.Kind {
		case find.Policy:
			policies = append(policies, f.Doc)
		case find.Config, find.ConfigObject:
			return nil
		}
	}
	if len(policies) != 1 {
		return nil
	}
	return policies[0]
}

type jsonEffective struct {
	Profiles []jsonProfile `json:"profiles"`
	Fields   []jsonField   `json:"fields"`
}

type jsonProfile struct {
	SchedulerName string                  `json:"schedulerName"`
	Plugins       map[string][]jsonPlugin `json:"plugins"`
	Args          map[string]any          `json:"args"`
}

type jsonPlugin struct {
	Name string `json:"name"`
	// Weight is there at scoring points alone.
	Weight *int32        `json:"weight,omitempty"`
	From   scheme.Origin `json:"from"`
}

type jsonField struct {
	Path   string        `json:"path"`
	Value  any           `json:"value"`
	Origin scheme.Origin `json:"origin"`
	File   string        `json:"file"`
	Line   int           `json:"line"`
}

func newJSONEffective(r *scheme.Resolved) jsonEffective {
	out := jsonEffective{Profiles: []jsonProfile{}, Fields: []jsonField{}}
	for _, profile := range r.Profiles {
		points := map[string][]jsonPlugin{}
		for point, list := range profile.Plugins {
			for _, plugin := range list {
				points[point] = append(points[point], jsonPlugin{plugin.Name, plugin.Weight, plugin.Source.Origin})
			}
		}
		out.Profiles = append(out.Profiles, jsonProfile{profile.SchedulerName, points, profile.Args})
	}
	for _, field := range r.Fields {
		out.Fields = append(out.Fields, jsonField{field.Path, field.Value, field.Source.Origin, field.Source.Pos.File, field.Source.Pos.Line})
	}
	return out
}

func printEffective(w io.Writer, format string, release *schemas.Release, r *scheme.Resolved) error {
	switch format {
	case "json":
		return writeJSON(w, newJSONEffective(r), "  ")
	case "yaml":
		text, err := yaml.Marshal(newJSONEffective(r))
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	}
	return printEffectiveText(w, release, r)
}

func printEffectiveText(w io.Writer, release *schemas.Release, r *scheme.Resolved) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "FIELD\tVALUE\tORIGIN")
	for _, field := range r.Fields {
		value, err := json.Marshal(field.Value)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", printable(field.Path), printable(string(value)), describeSource(field.Source))
	}
	for _, profile := range r.Profiles {
		if err := table.Flush(); err != nil {
			return err
		}
		fmt.Fprintf(w, "\nprofile %s\n", printable(profile.SchedulerName))
		fmt.Fprintln(table, "POINT\tPLUGIN\tWEIGHT\tFROM")
		for _, point := range release.Points {
			for _, plugin := range profile.Plugins[point] {
				weight := "-"
				if plugin.Weight != nil {
					weight = fmt.Sprint(*plugin.Weight)
				}
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", point, printable(plugin.Name), weight, describeSource(plugin.Source))
			}
		}
	}
	return table.Flush()
}

// describeSource says where something is from, in words and with its place.
func describeSource(source scheme.Source) string {
	words := string(source.Origin)
	if source.Name != "" {
		words += " " + source.Name
	}
	switch {
	case source.Pos.Line == 0:
		return printable(words)
	case source.Origin == scheme.OfFile:
		return printable(source.Pos.String())
	}
	return printable(words + " (" + source.Pos.String() + ")")
}

// overrides are the gates that the command line sets.
func overrides(c *cli.Context) (map[string]bool, error) {
	gates := map[string]bool{}
	for _, text := range c.StringSlice("feature-gates") {
		more, err := schemas.ParseGates(text)
		if err != nil {
			return nil, usage(c, "%s", err)
		}
		for name, state := range more {
			gates[name] = state
		}
	}
	return gates, nil
}
