// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	stdcontext "context"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/dryrun"
)

// whatIfFlags make the cluster and the workload of a dry run differ from those of the files.
func whatIfFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "add-node", Usage: "add nodes like the one of a file, as in `FILE=3`; repeatable"},
		&cli.StringSliceFlag{Name: "drain", Usage: "take a `NODE` out of service and place again what runs there; repeatable"},
		&cli.StringSliceFlag{Name: "remove-node", Usage: "take a `NODE` away and place again what runs there; repeatable"},
		&cli.StringFlag{Name: "node-selector", Usage: "let the pods of the workload go only to nodes with these labels, as in `KEY=VALUE,…`"},
		&cli.BoolFlag{Name: "until-full", Usage: "go on with copies of the last pod until one does not fit, and say why"},
		&cli.IntFlag{Name: "most", DefaultText: "no limit", Usage: "with --until-full, end after this many copies"},
	}
}

func (s *sources) whatIf() (dryrun.WhatIf, error) {
	w := dryrun.WhatIf{
		Drain: s.c.StringSlice("drain"), RemoveNodes: s.c.StringSlice("remove-node"), UntilFull: s.c.Bool("until-full"), Most: s.c.Int("most"),
	}
	if w.Most < 0 || w.Most > 0 && !w.UntilFull {
		return w, usage(s.c, "--most is a number of copies from 1, and needs --until-full")
	}
	for _, text := range s.c.StringSlice("add-node") {
		at := strings.LastIndexByte(text, '=')
		count, err := strconv.Atoi(text[at+1:])
		if at <= 0 || err != nil || count < 1 {
			return w, usage(s.c, "--add-node %q: write FILE=COUNT, with a count from 1", text)
		}
		if _, err := os.Stat(text[:at]); err != nil {
			return w, unreadable(text[:at], err)
		}
		w.AddNodes = append(w.AddNodes, dryrun.NewNodes{Like: dryrun.Source{Name: text[:at], Path: text[:at]}, Count: count})
	}
	for label := range strings.SplitSeq(s.c.String("node-selector"), ",") {
		if label == "" {
			continue
		}
		key, value, ok := strings.Cut(label, "=")
		if !ok || key == "" {
			return w, usage(s.c, "--node-selector %q: write KEY=VALUE,KEY=VALUE", s.c.String("node-selector"))
		}
		if w.NodeSelector == nil {
			w.NodeSelector = map[string]string{}
		}
		w.NodeSelector[key] = value
	}
	return w, nil
}

// withOtherSeeds asks the engine again with the seeds that --seeds names, about the configuration of first,
// which is the report for the first of them.
func (s *sources) withOtherSeeds(engine string, request dryrun.Request, first *dryrun.Report) ([]*dryrun.Report, error) {
	n := s.c.Int("seeds")
	if n < 1 {
		return nil, usage(s.c, "--seeds %d: one is the least", n)
	}
	reports := []*dryrun.Report{first}
	if n == 1 {
		return reports, nil
	}
	configured := s.first
	ctx, stop := signal.NotifyContext(stdcontext.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	request.Explain, request.ExplainAll = nil, false
	for range n - 1 {
		request.Seed++
		report, err := configured.ask(ctx, engine, request)
		if err != nil {
			return nil, err
		}
		reports = append(reports, report)
	}
	return reports, nil
}
