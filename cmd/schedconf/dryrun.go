// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/dryrun"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
)

func (p *program) dryrun() *cli.Command {
	return &cli.Command{
		Name:  "dryrun",
		Usage: "show where pods would go under a configuration, and why",
		Description: `The scheduler of one Kubernetes release runs over the objects of files: nodes and running pods from
--cluster, pods and what makes pods from --workload, as 'kubectl get -o yaml' has them. A configuration of
an older release, a Policy or one inside a manifest is carried to that release first. Nothing is sent
anywhere. The exit code is 1 where the configuration is refused, or a limit of --fail-on is passed.

The scheduler is a program of its own, schedconf-engine, built with 'make engine'.

EXAMPLES:
   schedconf dryrun --config sched.yaml --cluster cluster/ --workload deploy.yaml
   schedconf dryrun --cluster nodes.yaml --workload web.yaml --explain web-0 --fail-on 'pending>0'
`,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "config", Aliases: []string{"c"}, DefaultText: "the default configuration", Usage: "`FILE` of the configuration; - is standard input"},
			&cli.StringFlag{Name: "from", DefaultText: "the newest that reads the configuration", Usage: "Kubernetes minor that the configuration is for"},
			&cli.BoolFlag{Name: "approximate", Usage: "go on where the engine cannot do exactly what the configuration says"},
			&cli.StringSliceFlag{Name: "cluster", Usage: "`FILE` or folder with what is there; repeatable"},
			&cli.StringSliceFlag{Name: "workload", Aliases: []string{"w"}, Usage: "`FILE` or folder with what is to be placed; repeatable"},
			&cli.StringSliceFlag{Name: "explain", Usage: "show what every node is to the `POD`; repeatable"},
			&cli.BoolFlag{Name: "explain-all", Usage: "show it for all pods"},
			&cli.StringFlag{Name: "as-profile", Usage: "place all pods with the profile of this `NAME`, whatever their schedulerName"},
			&cli.StringFlag{Name: "extenders", Value: "skip", Usage: "call or skip the extenders of the configuration", Action: oneOf("extenders", []string{"call", "skip"})},
			&cli.Int64Flag{Name: "seed", Usage: "decides between nodes of one total"},
			&cli.DurationFlag{Name: "timeout", DefaultText: "none", Usage: "end with what is known after this time"},
			&cli.StringSliceFlag{Name: "fail-on", Usage: "exit with 1 where a count passes a limit, as in pending>0; repeatable"},
			&cli.StringFlag{Name: "engine", DefaultText: "schedconf-engine beside this program or in PATH", Usage: "`FILE` of the engine"},
			documentFlag(), outputFlag([]string{"text", "json"}),
		}, gateFlags(), findingFlags()),
		Action: p.runDryrun,
	}
}

func (p *program) runDryrun(c *cli.Context) error {
	if c.Args().Present() {
		return usage(c, "%q is no flag: the files are given with --config, --cluster and --workload", c.Args().First())
	}
	limits, err := parseLimits(c)
	if err != nil {
		return err
	}
	engine, err := dryrun.Find(c.String("engine"))
	if err != nil {
		return inputError{err}
	}
	request, marks, err := p.dryrunRequest(c)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	report, err := dryrun.Run(ctx, engine, *request)
	if err != nil {
		return inputError{err}
	}
	report.Marks = append(marks, report.Marks...)
	if c.String("output") == "json" {
		err = writeJSON(p.stdout, report, "  ")
	} else {
		err = report.WriteText(p.stdout)
	}
	if err != nil {
		return err
	}
	return ended(p.judgeDryrun(report, limits))
}

// dryrunRequest makes the request. The marks say what of the configuration the engine does differently.
func (p *program) dryrunRequest(c *cli.Context) (*dryrun.Request, []string, error) {
	cluster, err := dryrun.Sources(c.StringSlice("cluster"), p.stdin)
	if err != nil {
		return nil, nil, inputError{err}
	}
	workload, err := dryrun.Sources(c.StringSlice("workload"), p.stdin)
	if err != nil {
		return nil, nil, inputError{err}
	}
	gates, err := overrides(c)
	if err != nil {
		return nil, nil, err
	}
	text, marks, err := p.engineConfiguration(c, c.String("config"))
	if err != nil {
		return nil, nil, err
	}
	request := &dryrun.Request{
		Configuration: text, FeatureGates: gates, Cluster: cluster, Workload: workload, Seed: c.Int64("seed"), AsProfile: c.String("as-profile"),
		Explain: c.StringSlice("explain"), ExplainAll: c.Bool("explain-all"), CallExtenders: c.String("extenders") == "call",
	}
	if limit := c.Duration("timeout"); limit > 0 {
		request.Timeout = limit.String()
	}
	return request, marks, nil
}

// engineRelease is the release of the engine: the newest.
func engineRelease() *schemas.Release {
	minors := schemas.Minors()
	return schemas.For(minors[len(minors)-1])
}

// engineConfiguration is the configuration of a file in the form of the engine's release.
func (p *program) engineConfiguration(c *cli.Context, name string) (text string, marks []string, err error) {
	if name == "" {
		return fmt.Sprintf("apiVersion: %s\nkind: %s\n", engineRelease().APIs[0].APIVersion, config.Kind), nil, nil
	}
	data, err := p.read(name)
	if err != nil {
		return "", nil, unreadable(name, err)
	}
	m := &migration{startup: startup{program: p, c: c}, name: name, data: data, targetRelease: engineRelease()}
	if err := m.run(nil); err != nil {
		return "", nil, err
	}
	m.findings.Sort()
	if m.refused || m.text == nil {
		newText(c, p.stderr, p.stderr).findings(m.findings)
		return "", nil, exitCode(exitNo)
	}
	if m.isOf(engineRelease().APIs[0].APIVersion) {
		return string(m.doc.Bytes()), nil, nil
	}
	marks = append(marks, fmt.Sprintf("%s was carried from %s of Kubernetes %s to Kubernetes %s", name, m.form(), m.release.Name, engineRelease().Name))
	var differs []string
	for _, item := range m.items {
		if item.Outcome == scheme.Approximate || item.Outcome == scheme.Impossible {
			differs = append(differs, fmt.Sprintf("%s is %s: %s", item.Name, item.Outcome, item.Why))
		}
	}
	if len(differs) > 0 && !c.Bool("approximate") {
		return "", nil, inputError{fmt.Errorf("%q cannot be run as it is meant by Kubernetes %s: %s; --approximate runs it all the same", name, engineRelease().Name, strings.Join(differs, "; "))}
	}
	return string(m.text), append(marks, differs...), nil
}

// isOf reports whether the input is a configuration of an apiVersion and nothing else.
func (m *migration) isOf(apiVersion string) bool {
	return m.doc != nil && m.policyDoc == nil && m.command == nil && m.form() == apiVersion
}

// form is the apiVersion of the input.
func (m *migration) form() string {
	doc := firstOf(m.policyDoc, m.doc)
	if doc == nil {
		return "flags"
	}
	value, _, err := scheme.Value(doc)
	if err != nil {
		return ""
	}
	apiVersion, kind, _ := scheme.TypeMeta(value)
	if m.policyDoc != nil {
		return "a " + kind
	}
	return apiVersion
}

// limit is a count that must not pass a number.
type limit struct {
	text    string
	outcome dryrun.Outcome
	over    func(n int) bool
}

func parseLimits(c *cli.Context) ([]limit, error) {
	known := map[string]dryrun.Outcome{"pending": dryrun.Pending, "gated": dryrun.Gated, "unhandled": dryrun.Unhandled, "evicted": dryrun.Evicted, "placed": dryrun.Placed, "unknown": dryrun.Unknown}
	var list []limit
	for _, text := range c.StringSlice("fail-on") {
		at := strings.IndexAny(text, "<>=")
		var bound int
		var comparison string
		if at > 0 {
			rest := strings.TrimLeft(text[at:], "<>=")
			comparison = text[at : len(text)-len(rest)]
			if _, err := fmt.Sscanf(strings.TrimSpace(rest), "%d", &bound); err != nil {
				at = -1
			}
		}
		over, ok := map[string]func(n int) bool{
			">": func(n int) bool { return n > bound }, ">=": func(n int) bool { return n >= bound },
			"<": func(n int) bool { return n < bound }, "<=": func(n int) bool { return n <= bound },
			"=": func(n int) bool { return n == bound }, "==": func(n int) bool { return n == bound },
		}[comparison]
		if at <= 0 || !ok {
			return nil, usage(c, "--fail-on %q: write COUNT, a comparison and a number, as in pending>0", text)
		}
		outcome, ok := known[strings.TrimSpace(text[:at])]
		if !ok {
			return nil, usage(c, "--fail-on %q: there is no count %q: known are %s", text, text[:at], strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		list = append(list, limit{text, outcome, over})
	}
	return list, nil
}

// judgeDryrun is the exit code of a report. What it fails for is said.
func (p *program) judgeDryrun(report *dryrun.Report, limits []limit) int {
	code := exitYes
	counts := report.Counts()
	for _, l := range limits {
		if n := counts[l.outcome]; l.over(n) {
			fmt.Fprintf(p.stderr, "--fail-on %s: %s\n", l.text, number(n, "pod"))
			code = exitNo
		}
	}
	for _, problem := range report.Problems {
		if problem.Refused {
			code = exitNo
		}
	}
	if report.Partial {
		code = exitNo
	}
	return code
}
