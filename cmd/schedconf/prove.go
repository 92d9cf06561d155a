// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	stdcontext "context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/dryrun"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source"
)

func proofFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "prove", Usage: "place a workload under the input and the result, and say what goes elsewhere; needs the engine of dryrun"},
		&cli.StringSliceFlag{Name: "cluster", DefaultText: "a bundled one", Usage: "`FILE` or folder with the cluster of --prove; repeatable"},
		&cli.StringSliceFlag{Name: "workload", DefaultText: "a bundled one, under each profile", Usage: "`FILE` or folder with what --prove places; repeatable"},
		engineFlag(),
	}
}

// proof is what became of a workload under the input and under the result.
type proof struct {
	// Kubernetes is the release that placed the pods, under both.
	Kubernetes string `json:"kubernetes"`
	// Left are parts of the input or the result that this release cannot do, so that nothing is proven of them.
	Left []string       `json:"left"`
	Runs []profileProof `json:"runs"`
}

// profileProof is about one profile, or about the profiles that the pods name if it has no name.
type profileProof struct {
	Profile string                    `json:"profile,omitempty"`
	Pods    int                       `json:"pods"`
	Placed  int                       `json:"placed"`
	Moves   []dryrun.Move             `json:"moves"`
	Victims []dryrun.PreemptionChange `json:"victims"`
}

func (p *proof) differs() bool {
	return slices.ContainsFunc(p.Runs, func(r profileProof) bool { return len(r.Moves)+len(r.Victims) > 0 })
}

// prove places the same pods under the input and under the result. Both are carried to the release of the
// engine with all that they say.
func (m *migration) prove(words []string) error {
	engine, err := dryrun.Find(m.c.String("engine"))
	if err != nil {
		return inputError{err}
	}
	request := dryrun.Request{ExplainAll: true, Stream: true}
	request.Cluster, request.Workload = dryrun.Sample()
	sources := &sources{program: m.program, c: m.c}
	if m.c.IsSet("cluster") {
		if request.Cluster, err = sources.read("cluster"); err != nil {
			return err
		}
	}
	if m.c.IsSet("workload") {
		if request.Workload, err = sources.read("workload"); err != nil {
			return err
		}
	}
	input := &migration{startup: startup{program: m.program, c: m.c}, name: m.name, data: m.data, sourceRelease: m.release, targetRelease: newestRelease(), faithful: true}
	result := &migration{startup: startup{program: m.program, c: m.c}, name: m.title() + " (migrated)", data: m.text, sourceRelease: m.to.Scheme.Release, targetRelease: newestRelease(), faithful: true}
	result.only = source.Split(result.name, result.data)[0]
	m.proof = &proof{Kubernetes: newestRelease().Observed, Left: []string{}, Runs: []profileProof{}}
	for _, side := range []*migration{input, result} {
		given := words
		if side == result {
			given = nil // the command line belongs to the input
		}
		if err := side.run(given); err != nil {
			return err
		}
		if side.text == nil || side.refused {
			return inputError{fmt.Errorf("prove: %s cannot be carried to Kubernetes %s, which the engine is", side.title(), newestRelease().Name)}
		}
		for _, item := range side.items {
			if (item.Outcome == scheme.Approximate || item.Outcome == scheme.Impossible) && !aside(item.Path) {
				m.proof.Left = append(m.proof.Left, fmt.Sprintf("%s: %s %s", side.title(), side.label(item), item.Why))
			}
		}
	}
	profiles := []string{""}
	if !m.c.IsSet("workload") {
		if profiles, err = result.profileNames(); err != nil {
			return err
		}
	}
	ctx, stop := signal.NotifyContext(stdcontext.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	for _, profile := range profiles {
		request.AsProfile = profile
		run, err := proveRun(ctx, engine, request, string(input.text), string(result.text))
		if err != nil {
			return inputError{fmt.Errorf("prove: %w", err)}
		}
		run.Profile = profile
		m.proof.Runs = append(m.proof.Runs, *run)
	}
	return nil
}

// profileNames are those of the result.
func (m *migration) profileNames() ([]string, error) {
	value, _, err := scheme.ReadValue(m.text)
	if err != nil {
		return nil, err
	}
	root, _ := value.(map[string]any)
	profiles, _ := root["profiles"].([]any)
	if len(profiles) == 0 {
		return []string{defaultScheduler}, nil
	}
	var names []string
	for _, profile := range profiles {
		fields, _ := profile.(map[string]any)
		name, _ := fields["schedulerName"].(string)
		names = append(names, cmp.Or(name, defaultScheduler))
	}
	return names, nil
}

// defaultScheduler is the name of a profile that has none (v1.DefaultSchedulerName of k8s.io/api/core/v1).
const defaultScheduler = "default-scheduler"

func proveRun(ctx stdcontext.Context, engine string, request dryrun.Request, before, after string) (_ *profileProof, err error) {
	var reports []*dryrun.Report
	for _, text := range []string{before, after} {
		request.Config = text
		report, err := dryrun.Ask(ctx, engine, request, nil)
		if err != nil {
			return nil, err
		}
		if report.Partial != "" {
			return nil, fmt.Errorf("the run ended early: %s", report.Partial)
		}
		reports = append(reports, report)
		defer func() { err = errors.Join(err, report.Close()) }()
	}
	compared, err := dryrun.Compare(reports[0], reports[1])
	if err != nil {
		return nil, err
	}
	out := &profileProof{Pods: len(reports[1].Pods), Moves: compared.Moves, Victims: compared.Preemptions}
	for _, p := range reports[1].Pods {
		if p.Node != nil {
			out.Placed++
		}
	}
	return out, nil
}

// reportProof prints the proof to standard error.
func (m *migration) reportProof() {
	if m.proof == nil || m.c.Bool("quiet") {
		return
	}
	for _, run := range m.proof.Runs {
		under := ""
		if run.Profile != "" {
			under = " with the profile " + printable(run.Profile)
		}
		if len(run.Moves)+len(run.Victims) == 0 {
			fmt.Fprintf(m.stderr, "proof: %s%s (%d placed) go where the input puts them, on Kubernetes %s\n", number(run.Pods, "pod"), under, run.Placed, m.proof.Kubernetes)
			continue
		}
		fmt.Fprintf(m.stderr, "proof: %d of %s%s go elsewhere, on Kubernetes %s\n", len(run.Moves), number(run.Pods, "pod"), under, m.proof.Kubernetes)
		for _, move := range run.Moves {
			fmt.Fprintf(m.stderr, "  %s: %s to %s: %s\n", printable(move.Pod), nodeOr(move.From), nodeOr(move.To), printable(move.Why))
		}
		for _, victims := range run.Victims {
			fmt.Fprintf(m.stderr, "  %s preempts other pods\n", printable(victims.Pod))
		}
	}
	for _, left := range m.proof.Left {
		fmt.Fprintf(m.stderr, "proof: nothing is shown for %s\n", printable(left))
	}
}

func nodeOr(name *string) string {
	if name == nil {
		return "no node"
	}
	return printable(*name)
}
