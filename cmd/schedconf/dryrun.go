// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	stdcontext "context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/dryrun"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/source"
)

func (p *program) dryrun() *cli.Command {
	return &cli.Command{
		Name:  "dryrun",
		Usage: "place sample workloads with the real scheduling cycle, from files alone",
		Description: `The cluster is what kubectl get -o yaml or -o json, or kubectl cluster-info dump, have written: nodes,
running pods, volumes and the like. The workload is pods, or what has pods, expanded with its replicas.
The configuration may be of any apiVersion, a Policy, or inside a manifest; it is carried to v1 with its
behaviour kept. What cannot be kept is refused, or with --approximate noted on the report. Without
--config kube-scheduler's defaults apply.

The work is done by schedconf-engine, a program with kube-scheduler inside that "make engine" builds.

EXAMPLES:
   schedconf dryrun --config sched.yaml --cluster dump/ --workload deployment.yaml
   schedconf dryrun --config sched.yaml --cluster nodes.yaml --cluster pods.yaml --workload web.yaml --explain web-0
   schedconf dryrun --cluster dump/ --workload web.yaml --drain node-7 --until-full
   schedconf dryrun --config old.yaml --compare new.yaml --cluster dump/ --workload web.yaml --expect expect.yaml -o junit=dryrun.xml
`,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "config", Usage: "configuration of kube-scheduler: `FILE`, or - for standard input"},
			&cli.StringSliceFlag{Name: "cluster", Usage: "`FILE` or folder with the objects of the cluster, or -; repeatable"},
			&cli.StringSliceFlag{Name: "workload", Usage: "`FILE` or folder with what is to be placed, or -; repeatable"},
			&cli.StringFlag{Name: "from", DefaultText: "the newest that reads the file", Usage: "Kubernetes minor that the configuration is for"},
			documentFlag(),
			&cli.BoolFlag{Name: "approximate", Usage: "go on although parts of the configuration cannot be kept, and note it on the report"},
			&cli.StringFlag{Name: "as-profile", Usage: "schedule the whole workload with the profile of this `NAME`"},
			&cli.StringFlag{Name: "extenders", Value: dryrun.ExtendersSkip, Usage: "skip or call the extenders of the configuration, or stub=`FILE` with what they answer"},
			&cli.StringFlag{Name: "unmodelled", Value: "refuse", Usage: "refuse a configuration with plugins that the engine does not have, or skip them", Action: oneOf("unmodelled", []string{"refuse", "skip"})},
			&cli.Int64Flag{Name: "seed", Usage: "`NUMBER` that decides which of several equal nodes is taken"},
			&cli.StringSliceFlag{Name: "explain", Usage: "show all nodes and scores of a `POD`, as NAME or NAMESPACE/NAME; repeatable"},
			&cli.BoolFlag{Name: "explain-all", Usage: "show them for every pod"},
			&cli.IntFlag{Name: "seeds", Usage: "try this `NUMBER` of seeds, and say which placements depend on chance"},
			&cli.BoolFlag{Name: "until-full", Usage: "add copies of the workload's first pod until one does not fit"},
			&cli.StringSliceFlag{Name: "drain", Usage: "cordon a `NODE`, and place its pods anew; repeatable"},
			&cli.StringSliceFlag{Name: "remove-node", Usage: "leave out a `NODE` with its pods; repeatable"},
			&cli.StringSliceFlag{Name: "add-node", Usage: "add copies of the node in a file, as in `FILE=3`; repeatable"},
			&cli.StringFlag{Name: "node-selector", Usage: "leave out nodes without these labels, as in `pool=large`"},
			&cli.DurationFlag{Name: "timeout", Usage: "end with what is known after this time, as in 30s; 0 is never"},
			engineFlag(),
			&cli.StringSliceFlag{Name: "compare", Usage: "say what is different under the configuration of this `FILE`; repeatable"},
			&cli.StringFlag{Name: "expect", Usage: "hold the placements against the expectations in this `FILE`; exit 1 if one fails"},
			&cli.StringSliceFlag{Name: "fail-on", Usage: "exit 1 if a `LIMIT` is met, as in 'pending>0'; repeatable"},
			&cli.StringSliceFlag{Name: "output", Aliases: []string{"o", "format"}, DefaultText: "text", Usage: "form of the output: text, json, junit, markdown or html, and =`FILE` to write it there; repeatable"},
		}, gateFlags(), findingFlags()),
		Action: func(c *cli.Context) error {
			if err := noOperands(c); err != nil {
				return err
			}
			return p.runDry(c)
		},
	}
}

func engineFlag() cli.Flag {
	return &cli.StringFlag{Name: "engine", DefaultText: "$SCHEDCONF_ENGINE, or schedconf-engine beside this program or in $PATH", Usage: "`FILE` of the engine"}
}

func (p *program) runDry(c *cli.Context) (err error) {
	outputs, err := dryOutputs(c)
	if err != nil {
		return err
	}
	var limits []dryrun.Limit
	for _, text := range c.StringSlice("fail-on") {
		limit, err := dryrun.ParseLimit(text)
		if err != nil {
			return usage(c, "--fail-on %s", err)
		}
		limits = append(limits, limit)
	}
	engine, err := dryrun.Find(c.String("engine"))
	if err != nil {
		return inputError{err}
	}
	isPage := func(o dryOutput) bool { return o.form == "html" }
	sources := &sources{program: p, c: c, wantsPage: slices.ContainsFunc(outputs, isPage)}
	request, err := sources.request()
	if err != nil {
		return err
	}
	expectations, err := sources.expectations()
	if err != nil {
		return err
	}
	reports, chance, code, err := sources.ask(engine, *request)
	defer func() {
		for _, report := range reports {
			err = errors.Join(err, report.Close())
		}
	}()
	if err != nil || code != exitYes {
		return errors.Join(err, ended(code))
	}
	answer := &dryrun.Answer{Report: reports[0], Chance: chance}
	for _, pod := range c.StringSlice("explain") {
		if !slices.ContainsFunc(answer.Pods, func(known dryrun.Pod) bool { return known.Named(pod) }) {
			return usage(c, "--explain %q: the workload has no pod of this name", pod)
		}
	}
	for _, other := range reports[1:] {
		compared, err := dryrun.Compare(reports[0], other)
		if err != nil {
			return err
		}
		answer.Comparisons = append(answer.Comparisons, compared)
	}
	if expectations != nil {
		answer.Checks = expectations.Check(answer.Report)
	}
	for _, limit := range limits {
		answer.Checks = append(answer.Checks, limit.Check(answer))
	}
	asked := func(pod *dryrun.Pod) bool { return slices.ContainsFunc(c.StringSlice("explain"), pod.Named) }
	if err := answer.Explain(asked); err != nil {
		return err
	}
	// The page comes last, as it has more pods explained than were asked for.
	slices.SortStableFunc(outputs, func(a, b dryOutput) int {
		return cmp.Compare(strings.Count(a.form, "html"), strings.Count(b.form, "html"))
	})
	if err := p.deliverAnswer(c, outputs, answer); err != nil {
		return err
	}
	flush(p.stdout)
	code = reportFindings(c, p.stderr, answer.Report)
	for _, report := range reports {
		if report.Partial != "" {
			fmt.Fprintf(p.stderr, "schedconf: the report is not complete: %s\n", report.Partial)
			code = max(code, exitNo)
		}
	}
	if slices.ContainsFunc(answer.Checks, func(check dryrun.Check) bool { return !check.Passed }) {
		code = max(code, exitNo)
	}
	return ended(code)
}

// dryOutput is a form of the answer, and the file that it goes to; standard output has no name.
type dryOutput struct{ form, file string }

func dryOutputs(c *cli.Context) ([]dryOutput, error) {
	var list []dryOutput
	onStdout := 0
	for _, text := range c.StringSlice("output") {
		form, file, named := strings.Cut(text, "=")
		if _, known := dryForms[form]; !known || named && file == "" {
			return nil, usage(c, "--output %q: write one of %s, and =FILE to have it in a file", text, strings.Join(slices.Sorted(maps.Keys(dryForms)), ", "))
		}
		if file == "" {
			onStdout++
		}
		list = append(list, dryOutput{form, file})
	}
	if onStdout > 1 {
		return nil, usage(c, "--output: one form at most goes to standard output, write =FILE behind the others")
	}
	if len(list) == 0 {
		list = []dryOutput{{form: "text"}}
	}
	return list, nil
}

// dryForms are the forms of an answer.
var dryForms = map[string]func(*cli.Context, io.Writer, *dryrun.Answer) error{
	"text": writeAnswer,
	"json": func(c *cli.Context, w io.Writer, a *dryrun.Answer) error {
		return dryrun.WriteJSON(w, a, c.Bool("explain-all"))
	},
	"junit":    func(_ *cli.Context, w io.Writer, a *dryrun.Answer) error { return dryrun.WriteJUnit(w, a) },
	"html":     writePage,
	"markdown": func(_ *cli.Context, w io.Writer, a *dryrun.Answer) error { return dryrun.WriteMarkdown(w, a) },
}

// mostOnPage is how many verdicts, one for each pod, node and configuration, a page holds at most: some two hundred
// bytes each.
const mostOnPage = 50_000

func writePage(_ *cli.Context, w io.Writer, a *dryrun.Answer) error {
	if err := a.ExplainSome(mostOnPage); err != nil {
		return err
	}
	return dryrun.WriteHTML(w, a)
}

func writeAnswer(c *cli.Context, w io.Writer, a *dryrun.Answer) error {
	asked := func(p *dryrun.Pod) bool {
		return c.Bool("explain-all") || slices.ContainsFunc(c.StringSlice("explain"), p.Named)
	}
	if err := dryrun.WriteText(w, a.Report, asked); err != nil {
		return err
	}
	for i := range a.Comparisons {
		if err := dryrun.WriteComparison(w, &a.Comparisons[i]); err != nil {
			return err
		}
	}
	if a.Chance != nil {
		if err := dryrun.WriteChance(w, a.Chance); err != nil {
			return err
		}
	}
	if len(a.Checks) == 0 {
		return nil
	}
	return dryrun.WriteChecks(w, a)
}

func (p *program) deliverAnswer(c *cli.Context, outputs []dryOutput, answer *dryrun.Answer) error {
	for _, output := range outputs {
		write := func(w io.Writer, a *dryrun.Answer) error { return dryForms[output.form](c, w, a) }
		if output.file == "" {
			if err := write(p.stdout, answer); err != nil {
				return err
			}
			continue
		}
		var text bytes.Buffer
		if err := write(&text, answer); err != nil {
			return err
		}
		if err := os.WriteFile(output.file, text.Bytes(), 0o644); err != nil {
			return inputError{fmt.Errorf("write %q: %w", output.file, reason(err))}
		}
	}
	return nil
}

// reportFindings prints what is wrong with the input, and returns the exit code for it.
func reportFindings(c *cli.Context, w io.Writer, report *dryrun.Report) int {
	var findings diag.List
	for _, f := range report.Findings {
		d := diag.Diagnostic{Rule: f.Rule, Severity: severities[f.Severity], Message: f.Message, Pos: diag.Position{File: f.File, Line: f.Line}}
		if f.Object != "" {
			d.Message = f.Object + ": " + f.Message
		}
		findings = append(findings, d)
	}
	newText(c, w, w).findings(findings)
	for _, kind := range slices.Sorted(maps.Keys(report.Input.Skipped)) {
		if !c.Bool("quiet") {
			fmt.Fprintf(w, "skipped: %d of kind %s, which has no say in scheduling\n", report.Input.Skipped[kind], printable(kind))
		}
	}
	return verdict(c, findings)
}

var severities = map[string]diag.Severity{"error": diag.Error, "warning": diag.Warning, "info": diag.Info}

// sources reads what a dry run is about.
type sources struct {
	*program
	c *cli.Context
	// wantsPage is true where an HTML page is to be written.
	wantsPage bool
	stdin     string // the flag that has taken standard input
}

// take makes standard input the source of one flag.
func (s *sources) take(flag string) error {
	if s.stdin != "" {
		return usage(s.c, "--%s and --%s cannot both read standard input", s.stdin, flag)
	}
	s.stdin = flag
	return nil
}

func (s *sources) request() (*dryrun.Request, error) {
	gates, err := overrides(s.c)
	if err != nil {
		return nil, err
	}
	request := &dryrun.Request{
		FeatureGates: gates, Seed: s.c.Int64("seed"), Explain: s.c.StringSlice("explain"), ExplainAll: s.c.Bool("explain-all"),
		AsProfile: s.c.String("as-profile"), TimeoutSeconds: s.c.Duration("timeout").Seconds(),
	}
	if request.Extenders, request.Stubs, err = s.extenders(); err != nil {
		return nil, err
	}
	if request.TimeoutSeconds < 0 {
		return nil, usage(s.c, "--timeout %s: a time cannot be negative", s.c.Duration("timeout"))
	}
	if request.WhatIf, err = s.whatIf(); err != nil {
		return nil, err
	}
	if request.Cluster, err = s.read("cluster"); err != nil {
		return nil, err
	}
	request.Workload, err = s.read("workload")
	return request, err
}

func (s *sources) whatIf() (dryrun.WhatIf, error) {
	ask := dryrun.WhatIf{
		RemoveNodes: s.c.StringSlice("remove-node"), Drain: s.c.StringSlice("drain"), NodeSelector: s.c.String("node-selector"), UntilFull: s.c.Bool("until-full"),
	}
	for _, text := range s.c.StringSlice("add-node") {
		at := strings.LastIndex(text, "=")
		count, err := strconv.Atoi(text[at+1:])
		if at <= 0 || err != nil || count < 1 {
			return ask, usage(s.c, "--add-node %q: write FILE=N with a number of nodes", text)
		}
		name := text[:at]
		if _, err := os.Stat(name); err != nil {
			return ask, unreadable(name, err)
		}
		ask.AddNodes = append(ask.AddNodes, dryrun.AddNode{Source: dryrun.Source{Name: name, Path: name}, Count: count})
	}
	return ask, nil
}

func (s *sources) expectations() (*dryrun.Expectations, error) {
	name := s.c.String("expect")
	if name == "" {
		return nil, nil
	}
	if name == stdinName {
		if err := s.take("expect"); err != nil {
			return nil, err
		}
	}
	data, err := s.program.read(name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	expectations, err := dryrun.ReadExpectations(data)
	if err != nil {
		return nil, inputError{fmt.Errorf("read %q: %w", name, err)}
	}
	return expectations, nil
}

// ask asks the engine about the configuration, with several seeds if that is wanted, and then about
// those to compare it with. The exit code is not exitYes where one of them cannot be run. The caller closes the
// reports, also those that come with an error.
func (s *sources) ask(engine string, request dryrun.Request) ([]*dryrun.Report, *dryrun.Chance, int, error) {
	var all []*configured
	for _, name := range append([]string{s.c.String("config")}, s.c.StringSlice("compare")...) {
		configured, code, err := s.configure(name)
		if err != nil || code != exitYes {
			return nil, nil, code, err
		}
		all = append(all, configured)
	}
	if len(all) > 1 || s.c.String("expect") != "" || s.wantsPage {
		// Moves, failures and the page are explained by the scores of the pods.
		request.ExplainAll = true
	}
	request.Stream = request.ExplainAll
	ctx, stop := signal.NotifyContext(stdcontext.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	show := newProgress(s.stderr, "pods", false)
	defer show.end()
	tell := func(p dryrun.Progress) { show.reached(p.Done, p.Of) }
	var reports []*dryrun.Report
	for _, configured := range all {
		report, err := configured.ask(ctx, engine, request, tell)
		if err != nil {
			return reports, nil, exitYes, err
		}
		reports = append(reports, report)
	}
	if s.c.Int("seeds") < 1 {
		return reports, nil, exitYes, nil
	}
	seeded := reports[:1:1]
	request.ExplainAll, request.Stream, request.Explain = false, false, nil
	for range s.c.Int("seeds") - 1 {
		request.Seed++
		report, err := all[0].ask(ctx, engine, request, tell)
		if err != nil {
			return reports, nil, exitYes, err
		}
		seeded = append(seeded, report)
	}
	return reports, dryrun.ByChance(seeded), exitYes, nil
}

// read makes the sources of a flag. Files are left to the engine; here it is only seen that they are
// there, so that a wrong name is the same mistake as everywhere else.
func (s *sources) read(flag string) ([]dryrun.Source, error) {
	names := s.c.StringSlice(flag)
	if len(names) == 0 {
		return nil, usage(s.c, "--%s is needed", flag)
	}
	var list []dryrun.Source
	for _, name := range names {
		if name == stdinName {
			if err := s.take(flag); err != nil {
				return nil, err
			}
			data, err := io.ReadAll(s.program.stdin)
			if err != nil {
				return nil, unreadable(name, err)
			}
			list = append(list, dryrun.Source{Name: "standard input", Text: string(data)})
			continue
		}
		if _, err := os.Stat(name); err != nil {
			return nil, unreadable(name, err)
		}
		list = append(list, dryrun.Source{Name: name, Path: name})
	}
	return list, nil
}

// configured is a configuration in the form of the engine.
type configured struct {
	text  string
	from  *dryrun.Config
	marks []string
	// unmodelled are plugins that the engine does not have.
	unmodelled []string
}

// configure carries a configuration to v1. Where that is impossible, the findings are printed and the
// exit code is not exitYes.
func (s *sources) configure(name string) (*configured, int, error) {
	if name == "" {
		return &configured{text: "apiVersion: " + fullVersion("v1") + "\nkind: " + config.Kind + "\n"}, exitYes, nil
	}
	if name == stdinName {
		if err := s.take("config"); err != nil {
			return nil, exitYes, err
		}
	}
	data, err := s.program.read(name)
	if err != nil {
		return nil, exitYes, unreadable(name, err)
	}
	if err := s.declareUnmodelled(name, data); err != nil {
		return nil, exitYes, err
	}
	m := &migration{startup: startup{program: s.program, c: s.c}, name: name, data: data, targetRelease: newestRelease()}
	if err := m.run(nil); err != nil {
		return nil, exitYes, err
	}
	text := newText(s.c, s.stderr, s.stderr)
	if m.text == nil || m.refused || m.findings.Count(diag.Error) > 0 {
		text.findings(m.findings)
		return nil, exitNo, nil
	}
	out := &configured{text: string(m.text), from: &dryrun.Config{File: name, APIVersion: "Policy", Kubernetes: m.release.Name, Checked: newestRelease().Observed, Changes: []dryrun.Finding{}}}
	if m.doc != nil {
		if value, _, err := scheme.Value(m.doc); err == nil {
			out.from.APIVersion, _, _ = scheme.TypeMeta(value)
		}
	}
	out.unmodelled = unmodelled(pluginsEnabled(source.Split(name, m.text)))
	if len(out.unmodelled) > 0 && s.c.String("unmodelled") != "skip" {
		fmt.Fprintf(s.stderr, "%s: error: the engine does not have %s\n--unmodelled skip runs without, and says so on the report\n", printable(name), printable(strings.Join(out.unmodelled, ", ")))
		return nil, exitNo, nil
	}
	for _, item := range m.items {
		if item.Outcome == scheme.Exact || item.Outcome == scheme.Dropped || aside(item.Path) {
			continue
		}
		out.from.Changes = append(out.from.Changes, dryrun.Finding{
			Severity: "warning", Rule: string(item.Outcome), Message: strings.TrimSuffix(item.Name+" is "+string(item.Outcome)+": "+item.Why, ": "), File: name,
		})
	}
	if len(out.from.Changes) == 0 {
		return out, exitYes, nil
	}
	if s.c.Bool("approximate") {
		out.marks = append(out.marks, "parts of the configuration could not be kept, so every result is approximate")
		return out, exitYes, nil
	}
	for _, change := range out.from.Changes {
		fmt.Fprintf(s.stderr, "%s: error: %s [%s]\n", printable(name), printable(change.Message), change.Rule)
	}
	fmt.Fprintln(s.stderr, "the engine cannot run this configuration as it was meant; --approximate runs what is left of it")
	return nil, exitNo, nil
}

// aside reports whether a field of a configuration has no say in where a pod goes.
func aside(path diag.Path) bool {
	return len(path) > 0 && slices.Contains([]string{
		"leaderElection", "clientConnection", "healthzBindAddress", "metricsBindAddress", "enableProfiling", "enableContentionProfiling",
		"parallelism", "delayCacheUntilActive", "podInitialBackoffSeconds", "podMaxBackoffSeconds", "lockObjectName", "lockObjectNamespace",
	}, path[0])
}

// ask asks the engine. When ctx is done it ends with what it knows.
func (f *configured) ask(ctx stdcontext.Context, engine string, request dryrun.Request, progress func(dryrun.Progress)) (*dryrun.Report, error) {
	request.Config, request.Unmodelled = f.text, f.unmodelled
	report, err := dryrun.Ask(ctx, engine, request, progress)
	if err != nil {
		return nil, inputError{err}
	}
	report.Config = f.from
	report.Marks = append(report.Marks, f.marks...)
	return report, nil
}
