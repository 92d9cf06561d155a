// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/source"
)

// The rules of command lines. What they find is an error where kube-scheduler does not start.
const (
	RuleFlagUnknown    = "flag-unknown"
	RuleFlagRemoved    = "flag-removed"
	RuleFlagComponent  = "flag-component"
	RuleFlagSyntax     = "flag-syntax"
	RuleFlagOperand    = "flag-operand"
	RuleFlagValue      = "flag-value"
	RuleFlagMissing    = "flag-missing"
	RuleFlagDeprecated = "flag-deprecated"
	RuleFlagIgnored    = "flag-ignored"
	RuleFlagOverrides  = "flag-overrides"
	RuleFlagRepeated   = "flag-repeated"
	RuleFlagConflict   = "flag-conflict"
	RuleFlagSwapped    = "flag-swapped"
	RuleFlagGate       = "flag-gate"
	RuleFlagGateIdle   = "flag-gate-idle"
)

var flagRules = []Rule{{
	ID:        RuleFlagUnknown,
	Summary:   "kube-scheduler has no such flag in this release",
	Doc:       "kube-scheduler stops at the first flag that it does not know. Dashes and underscores in names mean the same; upper case does not.",
	Bad:       "kube-scheduler --leader-elekt=false\n",
	Good:      "kube-scheduler --leader-elect=false\n",
	Otherwise: diag.Error,
}, {
	ID:        RuleFlagRemoved,
	Summary:   "the flag was removed before this release",
	Doc:       "An earlier release had the flag. To this one it is unknown, and kube-scheduler does not start. The hint says what to use instead.",
	Bad:       "kube-scheduler --scheduler-name=mine\n",
	Good:      "kube-scheduler --config=/etc/kubernetes/sched.yaml\n",
	Otherwise: diag.Error,
}, {
	ID:        RuleFlagComponent,
	Summary:   "the flag belongs to another component",
	Doc:       "kube-apiserver, kube-controller-manager, kube-proxy or the kubelet has a flag of this name, and kube-scheduler has none in any release.",
	Bad:       "kube-scheduler --allocate-node-cidrs\n",
	Good:      "kube-scheduler --leader-elect=false\n",
	Otherwise: diag.Error,
}, {
	ID:        RuleFlagSyntax,
	Summary:   "a word cannot be read as a flag",
	Doc:       "Names go with two dashes; one dash is for flags of one letter, of which there are -v and -h. All flags but switches need a value.",
	Bad:       "kube-scheduler -config=/etc/kubernetes/sched.yaml\n",
	Good:      "kube-scheduler --config=/etc/kubernetes/sched.yaml\n",
	Otherwise: diag.Error,
}, {
	ID:        RuleFlagOperand,
	Summary:   "a word is neither a flag nor the value of one",
	Doc:       "kube-scheduler takes no arguments. From 1.19 it does not start with one; before it says so and goes on. The usual reason is a switch with its value behind a space: --leader-elect false turns it on.",
	Bad:       "kube-scheduler --leader-elect false\n",
	Good:      "kube-scheduler --leader-elect=false\n",
	Otherwise: diag.Error,
}, {
	ID:        RuleFlagValue,
	Summary:   "the value of a flag has the wrong type or is out of range",
	Doc:       "kube-scheduler does not start with a value that it cannot read or does not take.",
	Bad:       "kube-scheduler --leader-elect-lease-duration=15\n",
	Good:      "kube-scheduler --leader-elect-lease-duration=15s\n",
	Otherwise: diag.Error,
}, {
	ID:        RuleFlagMissing,
	Summary:   "a flag is given without another one that it needs",
	Doc:       "--use-legacy-policy-config needs --policy-config-file, and --policy-configmap a namespace.",
	Bad:       "kube-scheduler --use-legacy-policy-config\n",
	Good:      "kube-scheduler --use-legacy-policy-config --policy-config-file=/etc/kubernetes/policy.json\n",
	Otherwise: diag.Error,
}, {
	ID:        RuleFlagDeprecated,
	Summary:   "the flag is deprecated in this release",
	Doc:       "It still counts, and a later release may not have it.",
	Bad:       "kube-scheduler --port=0\n",
	Good:      "kube-scheduler --secure-port=10259\n",
	Otherwise: diag.Warning,
}, {
	ID:        RuleFlagIgnored,
	Summary:   "the flag has no effect",
	Doc:       "With --config most flags that stand for a field of the configuration are ignored, and the field of the file or its default counts, whatever --help says. From 1.22 leader election flags are an exception.",
	Bad:       "kube-scheduler --config=/etc/kubernetes/sched.yaml --kube-api-qps=100\n",
	Good:      "kube-scheduler --config=/etc/kubernetes/sched.yaml\n",
	Otherwise: diag.Warning,
}, {
	ID:        RuleFlagOverrides,
	Summary:   "the flag counts instead of what the configuration file says",
	Doc:       "From 1.22 leader election flags that are given replace the values of the file. From 1.19 to 1.21 --algorithm-provider and the policy flags are applied to a file whose profiles say nothing, and in 1.22 the policy flags replace its profiles.",
	Bad:       "kube-scheduler --config=/etc/kubernetes/sched.yaml --leader-elect=false\n",
	Good:      "kube-scheduler --config=/etc/kubernetes/sched.yaml\n",
	Otherwise: diag.Info,
}, {
	ID:        RuleFlagRepeated,
	Summary:   "a flag is given twice, and the last one counts",
	Doc:       "Flags that are lists collect their values; of all others the last one counts.",
	Bad:       "kube-scheduler --v=2 --v=4\n",
	Good:      "kube-scheduler --v=4\n",
	Otherwise: diag.Warning,
}, {
	ID:        RuleFlagConflict,
	Summary:   "two flags say the same thing, and one of them does not count",
	Doc:       "--lock-object-name and --leader-elect-resource-name set one field, and so do the two for the namespace: until 1.21 the last one counts, then the latter. Of the policy flags --policy-configmap counts before --policy-config-file, unless --use-legacy-policy-config is given.",
	Bad:       "kube-scheduler --lock-object-name=a --leader-elect-resource-name=b\n",
	Good:      "kube-scheduler --leader-elect-resource-name=b\n",
	Otherwise: diag.Warning,
}, {
	ID:        RuleFlagSwapped,
	Summary:   "--config and --kubeconfig look swapped",
	Doc:       "--config takes a KubeSchedulerConfiguration, --kubeconfig the address and the credentials of the API server. It is an error where the files have been looked at, and a warning where only their names are known.",
	Bad:       "kube-scheduler --config=/etc/kubernetes/scheduler.conf\n",
	Good:      "kube-scheduler --kubeconfig=/etc/kubernetes/scheduler.conf\n",
	Otherwise: diag.Warning,
}, {
	ID:        RuleFlagGate,
	Summary:   "a feature gate is unknown or locked, or has no state",
	Doc:       "kube-scheduler does not start with a feature gate that its release does not know, or that is locked to the other state. Gates are removed some releases after they were locked.",
	Bad:       "kube-scheduler --feature-gates=NoSuchFeature=true\n",
	Good:      "kube-scheduler --feature-gates=AllAlpha=false\n",
	Otherwise: diag.Error,
}, {
	ID:        RuleFlagGateIdle,
	Summary:   "a feature gate is set to the only state that it has left",
	Doc:       "The gate is locked. A later release will not know it, and not start with it.",
	Bad:       "kube-scheduler --feature-gates=DefaultPodTopologySpread=true\n",
	Good:      "kube-scheduler --feature-gates=AllAlpha=false\n",
	Otherwise: diag.Info,
}, {
	ID:        scheme.RulePolicyAndProfiles,
	Summary:   "a Policy is named beside a configuration with plugins",
	Doc:       "From 1.19 to 1.21 the policy flags count beside --config, but kube-scheduler does not start if the profiles of the file have plugins or args: it would not know which of the two is meant.",
	Otherwise: diag.Error,
}}

// CheckFlags reads a command line of kube-scheduler, with or without the name of the program in front,
// and says what is wrong with it for a release. at says where an argument stands.
func CheckFlags(release *schemas.Release, args []string, at func(i int) diag.Position) (diag.List, *Flags) {
	p := flagPass{Flags: ParseFlags(release, args, at)}
	p.Gates = map[string]bool{}
	for _, fault := range p.faults {
		p.report(RuleFlagSyntax, fault.word.Pos, fault.hint, "%q: %s", fault.word.Text, fault.message)
	}
	p.operands()
	for i := range p.Given {
		given := &p.Given[i]
		if given.Flag == nil {
			p.unknown(given)
			continue
		}
		p.value(given)
		p.effect(given)
		p.repeated(i)
	}
	p.conflicts()
	p.swapped()
	p.findings.Sort()
	return p.findings, p.Flags
}

// flagPass collects the findings about a command line.
type flagPass struct {
	*Flags
	findings diag.List
}

func (p *flagPass) report(id string, pos diag.Position, hint, format string, args ...any) {
	rule, ok := Lookup(id)
	if !ok {
		panic(fmt.Sprintf("no rule %q", id))
	}
	p.grade(id, rule.Otherwise, pos, hint, fmt.Sprintf(format, args...))
}

func (p *flagPass) grade(id string, severity diag.Severity, pos diag.Position, hint, message string) {
	d := diag.Diagnostic{Rule: id, Severity: severity, Message: message, Hint: hint, Pos: pos}
	if severity == diag.Error {
		d.Stage = diag.Decode
	}
	p.findings = append(p.findings, d)
}

func (p *flagPass) operands() {
	severity := diag.Error
	if p.Release.FlagBehaviour().Operands != "refused" {
		severity = diag.Warning
	}
	for _, word := range p.Operands {
		if word.Text == "" {
			continue // it is passed over
		}
		hint := "take it out"
		if given, ok := p.switchBefore(word); ok {
			hint = fmt.Sprintf("write --%s=%s: behind a space it is not the value of a switch", given.Name, word.Text)
		}
		p.grade(RuleFlagOperand, severity, word.Pos, hint, fmt.Sprintf("kube-scheduler takes no arguments, and %q is one", word.Text))
	}
}

// switchBefore finds the switch that a word was meant to be the value of.
func (p *flagPass) switchBefore(word Word) (*GivenFlag, bool) {
	if _, err := strconv.ParseBool(word.Text); err != nil {
		return nil, false
	}
	for i, given := range p.Given {
		if given.Word.Index == word.Index-1 && given.Flag != nil && given.Flag.Type == "bool" && !strings.Contains(given.Word.Text, "=") {
			return &p.Given[i], true
		}
	}
	return nil, false
}

func (p *flagPass) unknown(given *GivenFlag) {
	name, minor := given.Name, p.Release.Name
	if old, last, ok := schemas.FlagBefore(name, p.Release.Minor()); ok {
		hint := "take it out"
		if old.Deprecated != "" {
			hint = old.Deprecated
		}
		p.report(RuleFlagRemoved, given.Word.Pos, hint, "Kubernetes %s has no flag --%s, it was removed after %s", minor, name, last)
		return
	}
	if span, ok := schemas.FlagSpan(name); ok {
		p.report(RuleFlagUnknown, given.Word.Pos, fmt.Sprintf("--%s exists %s", name, span), "Kubernetes %s has no flag --%s yet", minor, name)
		return
	}
	if owners := schemas.ComponentsWith(name); len(owners) > 0 {
		p.report(RuleFlagComponent, given.Word.Pos, "take it out, or put it where "+owners[0]+" is started", "--%s is a flag of %s, not of kube-scheduler", name, strings.Join(owners, " and "))
		return
	}
	hint := ""
	if near, ok := scheme.Nearest(name, p.Release.FlagNames()); ok && len(near) > 1 {
		hint = fmt.Sprintf("did you mean --%s?", near)
	}
	p.report(RuleFlagUnknown, given.Word.Pos, hint, "kube-scheduler has no flag %q", "--"+name)
}

func (p *flagPass) value(given *GivenFlag) {
	if given.Flag.Type == "featureGates" || given.Flag.Type == "componentGates" {
		p.gates(given)
		return
	}
	if wants := valueFault(given.Flag, given.Value); wants != "" {
		p.report(RuleFlagValue, given.ValueWord.Pos, "", "--%s %s, not %q", given.Name, wants, scheme.RedactURL(given.Value))
	}
}

func (p *flagPass) effect(given *GivenFlag) {
	flag, pos := given.Flag, given.Word.Pos
	inFile := ""
	if len(flag.ConfigFields) > 0 {
		inFile = "set " + strings.Join(flag.ConfigFields, " and ") + " in the file"
	}
	file := p.Config() != ""
	switch {
	case flag.WithConfig == "none":
		p.report(RuleFlagIgnored, pos, flag.Deprecated, "--%s has no effect in Kubernetes %s", given.Name, p.Release.Name)
		return
	case !file && flag.Deprecated != "":
		p.report(RuleFlagDeprecated, pos, flag.Deprecated, "--%s is deprecated in Kubernetes %s", given.Name, p.Release.Name)
	case !file:
	case flag.WithConfig == "ignored":
		p.report(RuleFlagIgnored, pos, inFile, "--%s is ignored by Kubernetes %s beside --config", given.Name, p.Release.Name)
		return
	case flag.WithConfig == "overrides":
		p.report(RuleFlagOverrides, pos, "", "--%s counts instead of %s in the file", given.Name, strings.Join(flag.ConfigFields, " and "))
	case flag.WithConfig == "appliedOnTop":
		p.report(RuleFlagOverrides, pos, flag.Deprecated, "--%s counts beside --config, and the profiles of the file must not have plugins or args beside a Policy", given.Name)
	case flag.WithConfig == "replacesProfiles":
		p.report(RuleFlagOverrides, pos, flag.Deprecated, "--%s counts beside --config, and the profiles of the file do not", given.Name)
	case flag.Deprecated != "":
		p.report(RuleFlagDeprecated, pos, flag.Deprecated, "--%s is deprecated in Kubernetes %s", given.Name, p.Release.Name)
	}
}

func (p *flagPass) repeated(i int) {
	given := p.Given[i]
	if given.Flag.Collects() {
		return
	}
	for _, later := range p.Given[i+1:] {
		if later.Name == given.Name {
			p.report(RuleFlagRepeated, given.Word.Pos, "keep one of the two", "--%s is given again, and the last one counts", given.Name)
			p.findings[len(p.findings)-1].Related = []diag.Place{{Pos: later.Word.Pos, Message: "it is given again here"}}
			return
		}
	}
}

// gates judges every gate on its own, so that one bad gate does not hide the next.
func (p *flagPass) gates(given *GivenFlag) {
	for item := range strings.SplitSeq(given.Value, ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		if _, gate, ok := strings.Cut(item, ":"); ok && given.Flag.Type == "componentGates" {
			if component, _, _ := strings.Cut(item, ":"); component != "kube" {
				p.report(RuleFlagGate, given.ValueWord.Pos, "write kube:"+gate, "kube-scheduler has no feature gates of a component %q", component)
				continue
			}
			item = strings.TrimSpace(gate)
		}
		name, text, _ := strings.Cut(item, "=")
		name = strings.TrimSpace(name)
		state, err := strconv.ParseBool(strings.TrimSpace(text))
		if err != nil {
			p.report(RuleFlagGate, given.ValueWord.Pos, fmt.Sprintf("write %s=true or %s=false", name, name), "feature gate %q has no state: true or false is needed", name)
			continue
		}
		p.gate(given, name, state)
	}
}

func (p *flagPass) gate(given *GivenFlag, name string, state bool) {
	if _, err := p.Release.NewGates(map[string]bool{name: state}); err != nil {
		p.report(RuleFlagGate, given.ValueWord.Pos, p.gateHint(name), "%s", err)
		return
	}
	if gate, ok := p.Release.Gate(name); ok && gate.Locked {
		hint := "take it out"
		if span, ok := schemas.GateSpan(name); ok && !span.Current {
			hint += "; the gate is known " + span.String()
		}
		p.report(RuleFlagGateIdle, given.ValueWord.Pos, hint, "feature gate %q is locked to %t in Kubernetes %s anyway", name, gate.Default, p.Release.Name)
	}
	if before, again := p.Gates[name]; again && before != state {
		p.report(RuleFlagRepeated, given.ValueWord.Pos, "keep one of the two", "feature gate %q is set twice, and the last state counts", name)
	}
	p.Gates[name] = state
}

func (p *flagPass) gateHint(name string) string {
	if gate, ok := p.Release.Gate(name); ok {
		return fmt.Sprintf("take it out: it is %t", gate.Default)
	}
	if _, ok := schemas.GateSpan(name); ok {
		return "take it out"
	}
	var known []string
	for _, gate := range p.Release.Gates {
		known = append(known, gate.Name)
	}
	if near, ok := scheme.Nearest(name, known); ok {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

// conflicts are about flags that set one thing together.
func (p *flagPass) conflicts() {
	p.lockObject("lock-object-name", "leader-elect-resource-name")
	p.lockObject("lock-object-namespace", "leader-elect-resource-namespace")
	file, hasFile := p.known("policy-config-file")
	configMap, hasConfigMap := p.known("policy-configmap")
	legacy, hasLegacy := p.known("use-legacy-policy-config")
	fromFile := hasLegacy && isTrue(legacy.Value)
	switch {
	case fromFile && (!hasFile || file.Value == ""):
		p.report(RuleFlagMissing, legacy.Word.Pos, "add --policy-config-file, or take --use-legacy-policy-config out", "--use-legacy-policy-config needs --policy-config-file")
	case hasFile && hasConfigMap && fromFile:
		p.report(RuleFlagConflict, configMap.Word.Pos, "take one of the two out", "--policy-configmap does not count beside --use-legacy-policy-config")
	case hasFile && hasConfigMap:
		p.report(RuleFlagConflict, file.Word.Pos, "take one of the two out", "--policy-config-file does not count beside --policy-configmap")
	}
	if namespace, ok := p.known("policy-configmap-namespace"); ok && hasConfigMap && namespace.Value == "" {
		// 1.22 pkg/scheduler/scheduler.go, initPolicyFromConfigMap: no ConfigMap is read without a namespace.
		p.report(RuleFlagMissing, namespace.Word.Pos, "name the namespace, or leave the flag out for kube-system", "--policy-configmap needs a namespace")
	}
	if provider, ok := p.known("algorithm-provider"); ok && provider.Value != "" && (hasFile || hasConfigMap) {
		p.report(RuleFlagConflict, provider.Word.Pos, "take one of the two out", "--algorithm-provider does not count beside a Policy")
	}
}

// known is Last for a flag that the release has.
func (p *flagPass) known(name string) (*GivenFlag, bool) {
	given, ok := p.Last(name)
	return given, ok && given.Flag != nil
}

func (p *flagPass) lockObject(old, current string) {
	a, hasOld := p.known(old)
	b, hasCurrent := p.known(current)
	if !hasOld || !hasCurrent || p.Config() != "" && b.Flag.WithConfig == "ignored" {
		return
	}
	loser, winner := a, b
	if p.Release.FlagBehaviour().LockObject == "last" && a.Word.Index > b.Word.Index {
		loser, winner = b, a
	}
	p.report(RuleFlagConflict, loser.Word.Pos, "keep --"+current, "--%s and --%s set the same field, and --%s counts", old, current, winner.Name)
}

func isTrue(text string) bool {
	value, err := strconv.ParseBool(text)
	return err == nil && value
}

// The shapes of names that say what a file is.
var (
	kubeconfigName = regexp.MustCompile(`(?i)kubeconfig|^(scheduler|admin|super-admin|controller-manager|kubelet)\.conf$`)
	configName     = regexp.MustCompile(`(?i)(config|scheduler|profile).*\.(ya?ml|json)$`)
)

func (p *flagPass) swapped() {
	file, hasFile := p.known("config")
	kubeconfig, hasKubeconfig := p.known("kubeconfig")
	switch {
	case hasFile && kubeconfigName.MatchString(path.Base(file.Value)):
		p.report(RuleFlagSwapped, file.ValueWord.Pos, "give it as --kubeconfig, or as clientConnection.kubeconfig in the file", "--config %q has the name of a kubeconfig", file.Value)
	case hasKubeconfig && !kubeconfigName.MatchString(path.Base(kubeconfig.Value)) && configName.MatchString(path.Base(kubeconfig.Value)):
		p.report(RuleFlagSwapped, kubeconfig.ValueWord.Pos, "give it as --config", "--kubeconfig %q has the name of a configuration", kubeconfig.Value)
	}
}

// CheckFiles looks into the files that --config and --kubeconfig name, as far as read can read them,
// and says if one holds what belongs to the other.
func (f *Flags) CheckFiles(read func(name string) ([]byte, error)) diag.List {
	p := flagPass{Flags: f}
	for _, flag := range []string{"config", "kubeconfig"} {
		given, ok := p.known(flag)
		if !ok || given.Value == "" {
			continue
		}
		data, err := read(given.Value)
		if err != nil || len(data) > MaxFileSize {
			continue
		}
		kind, _ := source.Split(given.Value, data)[0].Scalar(diag.Path{"kind"})
		switch {
		case flag == "config" && kind == "Config":
			p.grade(RuleFlagSwapped, diag.Error, given.ValueWord.Pos, "give it as --kubeconfig", fmt.Sprintf("--config %q is a kubeconfig", given.Value))
		case flag == "kubeconfig" && slices.Contains([]string{config.Kind, "Policy"}, kind):
			p.grade(RuleFlagSwapped, diag.Error, given.ValueWord.Pos, "give it as --config", fmt.Sprintf("--kubeconfig %q is a %s", given.Value, kind))
		}
	}
	return p.findings
}
