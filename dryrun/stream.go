// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// Explained is a line of JSON that an engine writes before its report for each scheduling cycle, where
// Request.Stream asks for it. What it says stays true unless the pod has a later one.
type Explained struct {
	// Pod is NAMESPACE/NAME.
	Pod     string           `json:"explained"`
	Weights map[string]int64 `json:"weights"`
	Nodes   []NodeVerdict    `json:"nodes"`
}

// explainedLine is how a line of that kind starts: the rest of it is read only when it is wanted.
var explainedLine = []byte(`{"explained":"`)

// spool holds what was explained, packed, in a file that is gone after close: one verdict of one node is some
// two hundred bytes, and there may be millions.
type spool struct {
	file *os.File
	end  int64
	at   map[string]extent
}

type extent struct{ start, length int64 }

func newSpool() (*spool, error) {
	file, err := os.CreateTemp("", "schedconf-dryrun-")
	if err != nil {
		return nil, err
	}
	return &spool{file: file, at: map[string]extent{}}, nil
}

func (s *spool) close() error {
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}

// add keeps a line.
func (s *spool) add(line []byte) error {
	var name string
	head := json.NewDecoder(bytes.NewReader(line))
	for range 3 { // the brace, the key, and the name
		token, err := head.Token()
		if err != nil {
			return err
		}
		name, _ = token.(string)
	}
	var packed bytes.Buffer
	packer, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		return err
	}
	if _, err := packer.Write(line); err != nil {
		return err
	}
	if err := packer.Close(); err != nil {
		return err
	}
	if _, err := s.file.Write(packed.Bytes()); err != nil {
		return err
	}
	s.at[name] = extent{s.end, int64(packed.Len())}
	s.end += int64(packed.Len())
	return nil
}

// get reads what is known of a pod; nil is nothing.
func (s *spool) get(pod string) (*Explained, error) {
	at, known := s.at[pod]
	if !known {
		return nil, nil
	}
	var e Explained
	if err := json.NewDecoder(flate.NewReader(io.NewSectionReader(s.file, at.start, at.length))).Decode(&e); err != nil {
		return nil, fmt.Errorf("read what was explained of %s: %w", pod, err)
	}
	return &e, nil
}

// answerReader takes the output of an engine apart: lines that explain go to the spool, and the report is kept.
type answerReader struct {
	spool  *spool
	output lines
	report []byte
	// failed is why the spool could not take a line.
	failed error
}

func (a *answerReader) lines() io.Writer {
	a.output.each = func(line []byte) error {
		if a.spool == nil || !bytes.HasPrefix(line, explainedLine) {
			a.report = append(a.report, line...)
			return nil
		}
		a.failed = a.spool.add(line)
		return a.failed
	}
	return &a.output
}

// parse reads the report, whose line need not have ended.
func (a *answerReader) parse() (*Report, error) {
	var report Report
	if err := json.Unmarshal(append(a.report, a.output.rest...), &report); err != nil {
		return nil, err
	}
	if report.Protocol == 0 {
		return nil, errors.New("no report")
	}
	return &report, nil
}

// Explain fills in the verdicts on nodes of a pod of this report, if they were streamed. They stay in memory as
// long as the pod has them.
func (r *Report) Explain(p *Pod) error {
	if r.spool == nil || p.Nodes != nil {
		return nil
	}
	e, err := r.spool.get(p.FullName())
	if err != nil || e == nil {
		return err
	}
	p.Weights, p.Nodes = e.Weights, e.Nodes
	return nil
}

// Close removes what was streamed.
func (r *Report) Close() error {
	if r.spool == nil {
		return nil
	}
	defer func() { r.spool = nil }()
	return r.spool.close()
}

// reports are that of the answer, and those it is compared with.
func (a *Answer) reports() []*Report {
	list := []*Report{a.Report}
	for _, c := range a.Comparisons {
		list = append(list, c.Report)
	}
	return list
}

// Close removes what was streamed for all reports of the answer.
func (a *Answer) Close() error {
	var all []error
	for _, r := range a.reports() {
		all = append(all, r.Close())
	}
	return errors.Join(all...)
}

// Explain fills in the verdicts on nodes of the pods that somebody asked about, and of the first whose checks
// fail.
func (a *Answer) Explain(asked func(*Pod) bool) error {
	failing := map[string]bool{}
	for _, check := range a.Checks {
		if !check.Passed {
			for _, name := range check.Pods[:min(len(check.Pods), mostTables)] {
				failing[name] = true
			}
		}
	}
	for _, r := range a.reports() {
		for i := range r.Pods {
			p := &r.Pods[i]
			if asked(p) || failing[p.FullName()] && r == a.Report {
				if err := r.Explain(p); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// ExplainSome fills in the verdicts on nodes as long as there are at most limit of them in the answer: pods that
// move come first, then all others in their order.
func (a *Answer) ExplainSome(limit int) error {
	moves := map[string]bool{}
	for _, c := range a.Comparisons {
		for _, m := range c.Moves {
			moves[m.Pod] = true
		}
	}
	for _, moved := range []bool{true, false} {
		for i := range a.Pods {
			name := a.Pods[i].FullName()
			if moves[name] != moved {
				continue
			}
			for _, r := range a.reports() {
				limit -= len(r.Nodes)
			}
			if limit < 0 {
				return nil
			}
			for _, r := range a.reports() {
				at := i // most often they have the same pods
				if at >= len(r.Pods) || r.Pods[at].FullName() != name {
					at = slices.IndexFunc(r.Pods, func(p Pod) bool { return p.FullName() == name })
				}
				if at < 0 {
					continue
				}
				if err := r.Explain(&r.Pods[at]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// WriteJSON writes the answer as one JSON object. With everyPod the verdicts on nodes of all pods are in it; those
// that were streamed are read one pod after the other, so that they are never all in memory.
func WriteJSON(out io.Writer, a *Answer, everyPod bool) error {
	if !everyPod {
		text, err := marshal(a)
		if err != nil {
			return err
		}
		_, err = out.Write(append(text, '\n'))
		return err
	}
	// All but the pods is encoded with one in their place that no cluster has.
	const nobody = "\x00"
	all := a.reports()
	pods := make([][]Pod, len(all))
	for i, r := range all {
		pods[i], r.Pods = r.Pods, []Pod{{Name: nobody}}
	}
	frame, err := marshal(a)
	for i, r := range all {
		r.Pods = pods[i]
	}
	if err != nil {
		return err
	}
	place, err := marshal(Pod{Name: nobody})
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	for i, part := range bytes.Split(frame, place) {
		if i > 0 {
			if err := all[i-1].writePods(w); err != nil {
				return err
			}
		}
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	if err := w.WriteByte('\n'); err != nil {
		return err
	}
	return w.Flush()
}

func (r *Report) writePods(w *bufio.Writer) error {
	for i, p := range r.Pods {
		if err := r.Explain(&p); err != nil {
			return err
		}
		text, err := marshal(p)
		if err != nil {
			return err
		}
		if i > 0 {
			if err := w.WriteByte(','); err != nil {
				return err
			}
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// marshal leaves the arrows and the like in messages as they are.
func marshal(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}
