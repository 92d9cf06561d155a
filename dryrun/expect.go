// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// Expectations are what somebody holds a report against. The file is YAML or JSON.
type Expectations struct {
	Expect []Expectation `json:"expect"`
}

// Expectation is one thing that has to hold: for all pods that it selects, or for the nodes.
type Expectation struct {
	// Name says in a word or two what it is for.
	Name string `json:"name,omitempty"`
	// Pods selects pods. Without it, all are meant.
	Pods *Selector `json:"pods,omitempty"`
	// Placed is true where each pod has to be placed, and false where none may be.
	Placed *bool `json:"placed,omitempty"`
	// OnNodes and InZones are where each pod may be.
	OnNodes []string `json:"onNodes,omitempty"`
	InZones []string `json:"inZones,omitempty"`
	// Spread limits how uneven the pods are spread over a label of the nodes.
	Spread *SpreadLimit `json:"spread,omitempty"`
	// Because is part of the message of each pod, none of which may be placed.
	Because string `json:"because,omitempty"`
	// Preempts is how many pods have to go for the selected ones in all.
	Preempts *int `json:"preempts,omitempty"`
	// NodesUsedAtMost is how many nodes may have one of the pods.
	NodesUsedAtMost *int `json:"nodesUsedAtMost,omitempty"`
	// ImbalanceAtMost limits the standard deviation, over nodes and in percent, of each resource.
	ImbalanceAtMost map[string]float64 `json:"imbalanceAtMost,omitempty"`
}

// Selector selects pods that fit all that it says.
type Selector struct {
	Name      string            `json:"name,omitempty"`
	Namespace string            `json:"namespace,omitempty"`
	Workload  string            `json:"workload,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
}

// SpreadLimit is the largest difference between the number of pods in two domains of a label.
type SpreadLimit struct {
	Key     string `json:"key"`
	MaxSkew int    `json:"maxSkew"`
}

// Check is an expectation or a limit, and how it went.
type Check struct {
	Name   string `json:"name"`
	Passed bool   `json:"passed"`
	// Failures say what is wrong, one sentence each.
	Failures []string `json:"failures"`
	// Pods are those that fail, by their full name.
	Pods []string `json:"pods"`
}

// ReadExpectations reads a file of expectations. An error says what is wrong in it.
func ReadExpectations(data []byte) (*Expectations, error) {
	var e Expectations
	if err := yaml.UnmarshalStrict(data, &e); err != nil {
		return nil, err
	}
	if len(e.Expect) == 0 {
		return nil, fmt.Errorf("the list expect is empty, so nothing would be checked")
	}
	for i, one := range e.Expect {
		if one.empty() {
			return nil, fmt.Errorf("expect[%d] expects nothing: say placed, onNodes, inZones, spread, because, preempts, nodesUsedAtMost or imbalanceAtMost", i)
		}
		if one.Spread != nil && (one.Spread.Key == "" || one.Spread.MaxSkew < 0) {
			return nil, fmt.Errorf("expect[%d].spread needs a key, and a maxSkew that is not negative", i)
		}
	}
	return &e, nil
}

func (e *Expectation) empty() bool {
	return e.Placed == nil && len(e.OnNodes) == 0 && len(e.InZones) == 0 && e.Spread == nil && e.Because == "" && e.Preempts == nil &&
		e.NodesUsedAtMost == nil && len(e.ImbalanceAtMost) == 0
}

func (s *Selector) selects(p *Pod) bool {
	if s == nil {
		return true
	}
	for key, value := range s.Labels {
		if p.Labels[key] != value {
			return false
		}
	}
	return (s.Name == "" || s.Name == p.Name) && (s.Namespace == "" || s.Namespace == p.Namespace) && (s.Workload == "" || s.Workload == p.Workload)
}

// Check holds the report against the expectations, in their order.
func (e *Expectations) Check(r *Report) []Check {
	nodes := map[string]*Node{}
	for i := range r.Nodes {
		nodes[r.Nodes[i].Name] = &r.Nodes[i]
	}
	var checks []Check
	for i := range e.Expect {
		one := &e.Expect[i]
		c := &checker{report: r, nodes: nodes, Check: Check{Name: one.Name, Failures: []string{}, Pods: []string{}}}
		if c.Name == "" {
			c.Name = fmt.Sprintf("expect[%d]", i)
		}
		c.check(one)
		c.Passed = len(c.Failures) == 0
		checks = append(checks, c.Check)
	}
	return checks
}

type checker struct {
	Check
	report *Report
	nodes  map[string]*Node
}

func (c *checker) fail(p *Pod, format string, args ...any) {
	sentence := fmt.Sprintf(format, args...)
	if p != nil {
		sentence = p.FullName() + " " + sentence
		if !slices.Contains(c.Pods, p.FullName()) {
			c.Pods = append(c.Pods, p.FullName())
		}
	}
	c.Failures = append(c.Failures, sentence)
}

func (c *checker) check(e *Expectation) {
	var selected []*Pod
	for i := range c.report.Pods {
		if p := &c.report.Pods[i]; e.Pods.selects(p) {
			selected = append(selected, p)
		}
	}
	if len(selected) == 0 {
		c.fail(nil, "no pod is selected, so nothing can be expected of it")
		return
	}
	victims := 0
	for _, p := range selected {
		victims += len(p.Preempted)
		c.checkPod(e, p)
	}
	if e.Preempts != nil && victims != *e.Preempts {
		c.fail(nil, "%d pods have to go, expected %d", victims, *e.Preempts)
	}
	if e.Spread != nil {
		c.checkSpread(e.Spread, selected)
	}
	if e.NodesUsedAtMost != nil {
		used := map[string]bool{}
		for _, p := range selected {
			if p.Node != nil {
				used[*p.Node] = true
			}
		}
		if len(used) > *e.NodesUsedAtMost {
			c.fail(nil, "%d nodes are used, expected %d at most: %s", len(used), *e.NodesUsedAtMost, strings.Join(slices.Sorted(maps.Keys(used)), ", "))
		}
	}
	c.checkImbalance(e.ImbalanceAtMost)
}

func (c *checker) checkPod(e *Expectation, p *Pod) {
	where := fmt.Sprintf("is %s", p.Outcome)
	zone := ""
	if p.Node != nil {
		where = "is on " + *p.Node
		if node := c.nodes[*p.Node]; node != nil {
			zone = node.Labels[zoneLabel]
		}
	} else if p.Message != nil {
		where += ": " + *p.Message
	}
	switch {
	case e.Placed != nil && *e.Placed && p.Node == nil:
		c.fail(p, "%s, expected to be placed", where)
	case e.Placed != nil && !*e.Placed && p.Node != nil:
		c.fail(p, "%s, expected not to be placed", where)
	case len(e.OnNodes) > 0 && !slices.Contains(e.OnNodes, value(p.Node)):
		c.fail(p, "%s, expected on %s", where, strings.Join(e.OnNodes, " or "))
	case len(e.InZones) > 0 && !slices.Contains(e.InZones, zone):
		c.fail(p, "%s in zone %q, expected in %s", where, zone, strings.Join(e.InZones, " or "))
	case e.Because != "" && (p.Node != nil || !strings.Contains(value(p.Message), e.Because)):
		c.fail(p, "%s, expected not to be placed because of %q", where, e.Because)
	}
}

// checkSpread counts the pods in each domain, those without one included.
func (c *checker) checkSpread(limit *SpreadLimit, selected []*Pod) {
	counts := map[string]int{}
	for _, node := range c.report.Nodes {
		if domain, ok := node.Labels[limit.Key]; ok {
			counts[domain] += 0
		}
	}
	for _, p := range selected {
		if p.Node == nil {
			continue
		}
		domain, ok := "", false
		if node := c.nodes[*p.Node]; node != nil {
			domain, ok = node.Labels[limit.Key]
		}
		if !ok {
			c.fail(p, "is on %s, which has no label %s to be spread over", *p.Node, limit.Key)
			continue
		}
		counts[domain]++
	}
	if len(counts) == 0 {
		c.fail(nil, "no node has the label %s", limit.Key)
		return
	}
	least, most := slices.Min(slices.Collect(maps.Values(counts))), slices.Max(slices.Collect(maps.Values(counts)))
	if most-least > limit.MaxSkew {
		var list []string
		for _, domain := range slices.Sorted(maps.Keys(counts)) {
			list = append(list, fmt.Sprintf("%s %d", domain, counts[domain]))
		}
		c.fail(nil, "the pods are spread with skew %d over %s, expected %d at most: %s", most-least, limit.Key, limit.MaxSkew, strings.Join(list, ", "))
	}
}

func (c *checker) checkImbalance(limits map[string]float64) {
	have := map[string]Spread{}
	for _, imbalance := range c.report.Imbalances() {
		have[imbalance.Resource] = imbalance.Nodes
	}
	for _, resource := range slices.Sorted(maps.Keys(limits)) {
		spread, ok := have[resource]
		switch {
		case !ok:
			c.fail(nil, "nothing requests %s", resource)
		case spread.Stddev > limits[resource]:
			c.fail(nil, "the requests of %s have a standard deviation of %v over the nodes, expected %v at most", resource, spread.Stddev, limits[resource])
		}
	}
}

// Limit is a comparison that a report must not meet, as in pending>0.
type Limit struct {
	text, what, operator string
	number               int
}

var limitForm = regexp.MustCompile(`^\s*([a-z]+)\s*(>=|<=|==|!=|>|<)\s*(\d+)\s*$`)

// limitWords are what can be counted: the outcomes, the victims, and the moves of all comparisons.
var limitWords = []string{string(Placed), string(Pending), string(Gated), string(Unhandled), string(Refused), string(Preempted), string(Unknown), "victims", "moved"}

// ParseLimit reads a limit.
func ParseLimit(text string) (Limit, error) {
	parts := limitForm.FindStringSubmatch(text)
	if parts == nil || !slices.Contains(limitWords, parts[1]) {
		return Limit{}, fmt.Errorf("%q is not a limit: write a count, a comparison and a number, as in pending>0; counts are %s", text, strings.Join(limitWords, ", "))
	}
	number, err := strconv.Atoi(parts[3])
	if err != nil {
		return Limit{}, fmt.Errorf("%q: %s is too large", text, parts[3])
	}
	return Limit{strings.TrimSpace(text), parts[1], parts[2], number}, nil
}

// Check holds an answer against the limit.
func (l Limit) Check(a *Answer) Check {
	count := 0
	c := Check{Name: "not " + l.text, Failures: []string{}, Pods: []string{}}
	for i := range a.Pods {
		p := &a.Pods[i]
		switch {
		case l.what == "victims":
			count += len(p.Preempted)
		case string(p.Outcome) == l.what:
			count++
			c.Pods = append(c.Pods, p.FullName())
		}
	}
	if l.what == "moved" {
		for _, comparison := range a.Comparisons {
			count += len(comparison.Moves)
		}
	}
	met := map[string]bool{
		">": count > l.number, "<": count < l.number, ">=": count >= l.number, "<=": count <= l.number, "==": count == l.number, "!=": count != l.number,
	}[l.operator]
	if met {
		c.Failures = append(c.Failures, fmt.Sprintf("%s is %d", l.what, count))
	} else {
		c.Passed, c.Pods = true, []string{}
	}
	return c
}

// WriteChecks renders the checks for people, with the scores of the pods that fail.
func WriteChecks(w io.Writer, a *Answer) error {
	var out bytes.Buffer
	failed := 0
	for _, check := range a.Checks {
		if check.Passed {
			continue
		}
		failed++
		fmt.Fprintf(&out, "\nFAILED %s\n", clean(check.Name))
		for _, failure := range check.Failures {
			fmt.Fprintf(&out, "  %s\n", clean(failure))
		}
		if err := writeFailing(&out, a, &check); err != nil {
			return err
		}
	}
	fmt.Fprintf(&out, "\n%d of %s hold\n", len(a.Checks)-failed, count(len(a.Checks), "expectation"))
	_, err := out.WriteTo(w)
	return err
}

// mostTables is how many pods of a check are shown with their scores: the others fail alike.
const mostTables = 3

func writeFailing(w io.Writer, a *Answer, check *Check) error {
	shown := 0
	for i := range a.Pods {
		p := a.Pods[i]
		if !slices.Contains(check.Pods, p.FullName()) {
			continue
		}
		if shown == mostTables {
			fmt.Fprintf(w, "\nand %s more\n", count(len(check.Pods)-shown, "pod"))
			return nil
		}
		if err := a.Report.Explain(&p); err != nil {
			return err
		}
		if len(p.Nodes) > 0 {
			writeExplained(w, a.Report, &p)
			shown++
		}
	}
	return nil
}
