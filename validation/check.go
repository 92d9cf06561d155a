// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedconf/schedconf/conversion"
	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/policyv1"
	"github.com/schedconf/schedconf/scheme/source"
)

// maxEntries is how many profiles or extenders are judged at most. Each profile comes to a dozen
// kilobytes, and no configuration has hundreds.
const maxEntries = 10_000

// Checker judges documents as one release would. It is not safe for concurrent use.
type Checker struct {
	scheme *scheme.Scheme
	// verdictOnly leaves advice out.
	verdictOnly bool
	// Nodes is how many nodes the cluster has, for what that decides about; 0 if nobody knows.
	Nodes int
	plans map[*schemas.API][]step

	// argsSchemas are those of out-of-tree plugins.
	argsSchemas map[string]*ArgsSchema
}

// step is a rule with the severity and stage that the release gives it.
type step struct {
	rule     *Rule
	severity diag.Severity
	stage    diag.Stage
}

// New returns a checker for the release of the scheme.
func New(s *scheme.Scheme) *Checker {
	return &Checker{scheme: s, plans: map[*schemas.API][]step{}}
}

// Scheme is the release that the checker judges for.
func (c *Checker) Scheme() *scheme.Scheme { return c.scheme }

// NewVerdict returns a checker that gives no advice: what it finds is what the release says, or what it
// would have done so in another release.
func NewVerdict(s *scheme.Scheme) *Checker {
	c := New(s)
	c.verdictOnly = true
	return c
}

// Result is a judged document.
type Result struct {
	// Findings are sorted and have their positions.
	Findings diag.List
	// API is the apiVersion of the document; nil where it is none that the release reads.
	API *schemas.API
	// Policy is the document where it is a Policy that the release reads; Config and Built are nil then.
	Policy *policyv1.Policy
	// Config is the defaulted configuration in hub form; nil where decoding did not get that far.
	Config *config.KubeSchedulerConfiguration
	// Built is what the release makes of it when it starts; nil with Config.
	Built *scheme.Built
	// Value is the document as JSON; nil where it cannot be read.
	Value []byte

	remedies map[findingKey]remedy
}

// plan grades every rule for an apiVersion, once.
func (c *Checker) plan(api *schemas.API) []step {
	if plan, ok := c.plans[api]; ok {
		return plan
	}
	var plan []step
	for i := range Rules {
		rule := &Rules[i]
		if api.Kind == scheme.PolicyKind && !judgesPolicies(api, rule) || api.Kind != scheme.PolicyKind && isPolicyRule(rule) {
			continue
		}
		if c.verdictOnly && isAdvice(rule) {
			continue
		}
		if severity, stage := grade(api, rule); severity != 0 && rule.Check != nil {
			plan = append(plan, step{rule, severity, stage})
		}
	}
	c.plans[api] = plan
	return plan
}

// grade is Error at its stage where the release enforces the rule, and the rule's own severity
// elsewhere.
func grade(api *schemas.API, rule *Rule) (diag.Severity, diag.Stage) {
	if stage := api.Stage(rule.ID); stage != "" {
		return diag.Error, diag.Stage(stage)
	}
	return rule.Otherwise, ""
}

// Check judges one document as if it were the only one of its file. An error means that the tool
// could not do its job; what is wrong with the document is in the findings.
func (c *Checker) Check(doc *source.Document) (*Result, error) {
	r := &Result{remedies: map[findingKey]remedy{}}
	pass := &Pass{Scheme: c.scheme, doc: doc, findings: &r.Findings, remedies: r.remedies, nodes: c.Nodes}
	err := c.check(pass, r)
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Pos.Line == 0 {
			f.Pos = place(doc, f)
		}
	}
	r.Findings.Sort()
	return r, err
}

// place points at the value where a value is wrong, and at the key where the field is.
func place(doc *source.Document, f *diag.Diagnostic) diag.Position {
	switch f.Rule {
	case ruleFieldUnknown, ruleKeyDuplicate:
		return doc.Position(f.Path)
	}
	if doc.Has(f.Path) {
		return doc.ValuePosition(f.Path)
	}
	return doc.Position(f.Path)
}

func (c *Checker) check(p *Pass, r *Result) error {
	value, repeated, err := scheme.Value(p.doc)
	if err != nil {
		reportSyntax(p, err)
		return nil
	}
	r.Value = value
	if len(c.scheme.Release.Policies) > 0 && scheme.IsPolicy(value) {
		return c.checkPolicy(p, r, repeated)
	}
	api := c.identify(p, value)
	if api == nil {
		return nil
	}
	r.API, p.API = api, api
	decoded, err := c.scheme.Decode(value, api)
	if err != nil {
		return err
	}
	reportMisfits(p, decoded)
	c.checkArgsSchemas(p, value)
	if repeated != nil {
		reportRepeated(p, repeated)
	}
	if api.DeprecatedSince != "" {
		reportDeprecated(p)
	}
	if decoded.Object == nil {
		return nil
	}
	if what, n := scheme.Count(decoded.Object); n > maxEntries {
		p.enter(ruleTooLarge)
		p.Report(diag.Path{what}, "split the file, or take out what was generated by mistake", "the configuration has %d %s, more than %d are not judged", n, what, maxEntries)
		return nil
	}
	hub, err := c.scheme.Load(decoded.Object, api)
	if err != nil {
		var contradiction *conversion.Error
		if !errors.As(err, &contradiction) {
			return err
		}
		p.enter(ruleContradiction)
		p.Report(contradiction.Path, "keep one of the two fields", "%s", contradiction.Message)
		return nil
	}
	r.Config, r.Built = hub, c.scheme.Build(hub, api)
	p.Config, p.Built = r.Config, r.Built
	for _, step := range c.plan(api) {
		p.rule, p.severity, p.stage = step.rule.ID, step.severity, step.stage
		step.rule.Check(p)
	}
	return nil
}

// enter makes the findings that follow those of a rule of the decoder.
func (p *Pass) enter(id string) {
	rule, ok := Lookup(id)
	if !ok {
		panic(fmt.Sprintf("no rule %q", id))
	}
	p.rule, p.severity, p.stage = id, diag.Error, diag.Decode
	if p.API != nil {
		p.severity, p.stage = grade(p.API, &rule)
	}
}

func (p *Pass) reportAt(pos diag.Position, hint, format string, args ...any) {
	*p.findings = append(*p.findings, diag.Diagnostic{
		Rule: p.rule, Severity: p.severity, Stage: p.stage, Message: fmt.Sprintf(format, args...), Hint: hint, Pos: pos,
	})
}

// identify finds the apiVersion that the document is of, or says why the release reads none here.
func (c *Checker) identify(p *Pass, value []byte) *schemas.API {
	if string(value) == "null" {
		c.anonymous(p, ruleEmpty, "the document is empty")
		return nil
	}
	apiVersion, kind, err := scheme.TypeMeta(value)
	if err != nil {
		p.enter(ruleFieldType)
		p.Report(nil, "a configuration is an object with apiVersion and kind", "%s", describeNonObject(err))
		return nil
	}
	release := c.scheme.Release
	switch {
	case kind == "" && release.Behaviour.TypeMeta == "required":
		c.anonymous(p, ruleKindMissing, "the document has no kind")
		return nil
	case apiVersion == "":
		c.anonymous(p, ruleAPIVersionMissing, "the document has no apiVersion")
		return nil
	case kind == "":
		// Where the kind may be missing, it is that of a configuration.
		kind = config.Kind
	}
	if kind != config.Kind {
		p.enter(ruleKindWrong)
		p.Report(diag.Path{"kind"}, kindHint(apiVersion, kind), "%s", DescribeKind(apiVersion, kind))
		if meant, ok := scheme.Closest(kind, []string{config.Kind}, maxTypo); ok {
			p.instead(kind, meant)
		}
		return nil
	}
	if apiVersion == internalVersion {
		c.internal(p)
		return nil
	}
	api, ok := release.API(apiVersion)
	if !ok {
		p.enter(ruleAPIVersionUnknown)
		p.Report(diag.Path{"apiVersion"}, apiVersionHint(release, apiVersion)+alphaHint(p.doc, apiVersion), "Kubernetes %s does not read %q", release.Name, apiVersion)
		if meant, ok := meantAPIVersion(release, apiVersion); ok {
			p.instead(apiVersion, meant)
		}
		return nil
	}
	return api
}

// alphaHint says that the fields of a document are those of v1alpha1, whatever it calls itself.
func alphaHint(doc *source.Document, apiVersion string) string {
	if strings.HasSuffix(apiVersion, "/v1alpha1") {
		return ""
	}
	for _, key := range doc.Keys(nil) {
		if slices.Contains([]string{"algorithmSource", "hardPodAffinitySymmetricWeight", "plugins", "pluginConfig", "schedulerName"}, key) {
			return fmt.Sprintf("; the field %q stands at the top level in v1alpha1 alone", key)
		}
	}
	return ""
}

// anonymous reports a document without type. Where the release reads such a document as its
// internal version, that has no defaults, and fails at a later stage.
func (c *Checker) anonymous(p *Pass, rule, message string) {
	p.enter(rule)
	if stage := c.scheme.Release.APIs[0].Stage(rule); stage != "" {
		p.stage = diag.Stage(stage)
	}
	p.Report(nil, fmt.Sprintf("start with apiVersion: %s and kind: %s", c.scheme.Release.APIs[0].APIVersion, config.Kind), "%s", message)
}

const internalVersion = config.GroupName + "/" + runtime.APIVersionInternal

// internal reports a document of the internal version. Its keys are Go names; where unknown keys are
// refused, the names that files use are such keys.
func (c *Checker) internal(p *Pass) {
	newest := &c.scheme.Release.APIs[0]
	for _, key := range p.doc.Keys(nil) {
		if c.lenient() == nil && key != "apiVersion" && key != "kind" && unicode.IsLower(rune(key[0])) {
			p.enter(ruleFieldUnknown)
			p.Report(diag.Path{key}, "write apiVersion: "+newest.APIVersion, "the internal version has no field %q", key)
		}
	}
	c.anonymous(p, ruleInternal, "the document is of the internal version, which is not for files")
}

// lenient returns the apiVersion that is read again without strictness when strict reading fails, if
// the release has one; the internal version is read with it then.
func (c *Checker) lenient() *schemas.API {
	for i := range c.scheme.Release.APIs {
		if c.scheme.Release.APIs[i].Behaviour.UnknownKeys != "reject" {
			return &c.scheme.Release.APIs[i]
		}
	}
	return nil
}

func describeNonObject(err error) string {
	if errors.Is(err, scheme.ErrNotObject) {
		return "the document is a list or a scalar, not an object"
	}
	return "apiVersion and kind have to be text"
}

func reportMisfits(p *Pass, decoded *scheme.Decoded) {
	for _, m := range decoded.Misfits {
		switch m.Trouble {
		case scheme.UnknownField:
			p.enter(ruleFieldUnknown)
			if m.Ignored {
				p.severity, p.stage = diag.Warning, ""
			}
			p.reportMisfit(m, unknownHint(p, m), "%s has no field %q on Kubernetes %s%s", owner(p.API, m.Path), m.Path[len(m.Path)-1], p.Scheme.Release.Name,
				passedOver[p.API.Behaviour.UnknownKeys])
			p.unknownRemedy(m)
		case scheme.RepeatedField:
			p.enter(ruleKeyDuplicate)
			p.reportMisfit(m, "keep one of the two", "the key %q stands twice", m.Path[len(m.Path)-1])
		case scheme.WrongType:
			p.enter(ruleFieldType)
			p.reportMisfit(m, typeHint(m), "%s takes %s, this is %s", fieldName(m.Path), m.Want, m.Got)
		case scheme.WrongKind:
			p.enter(ruleArgsKind)
			p.reportMisfit(m, "write "+m.Want+", or take the line out", "%s has to be %s here, not %s", fieldName(m.Path), m.Want, m.Got)
		}
	}
	if decoded.Refused != nil && len(decoded.Misfits) == 0 {
		p.enter(ruleDecode)
		p.Report(nil, "", "the decoder refuses the document: %s", decoded.Refused)
	}
}

// passedOver says what a release that takes unknown keys does with one.
var passedOver = map[string]string{"ignore": ", which ignores it", "warn": ", which logs a warning and ignores it"}

// reportMisfit is Report with a path that is the document's already.
func (p *Pass) reportMisfit(m scheme.Misfit, hint, format string, args ...any) {
	*p.findings = append(*p.findings, diag.Diagnostic{
		Rule: p.rule, Severity: p.severity, Stage: p.stage, Message: fmt.Sprintf(format, args...), Hint: hint, Path: m.Path,
	})
}

func owner(api *schemas.API, path diag.Path) string {
	if len(path) == 1 && api.Kind == scheme.PolicyKind {
		return "a Policy"
	}
	if len(path) == 1 {
		return strings.TrimPrefix(api.APIVersion, config.GroupName+"/")
	}
	return fieldName(path[:len(path)-1])
}

// fieldName is the last step of a path that is no list index, with the index.
func fieldName(path diag.Path) string {
	for i := len(path) - 1; i >= 0; i-- {
		if strings.Trim(path[i], "0123456789") != "" {
			return path[i:].String()
		}
	}
	return "the document"
}

func unknownHint(p *Pass, m scheme.Misfit) string {
	name := m.Path[len(m.Path)-1]
	slices.Sort(m.Known)
	for _, hints := range []map[string]string{movedFields, misplacedFields} {
		if hint, ok := hints[name]; ok {
			return hint
		}
	}
	if span, ok := schemas.PointSpan(name); ok && len(m.Path) > 1 && m.Path[len(m.Path)-2] == "plugins" {
		return fmt.Sprintf("the point %s exists %s; take it out for this release", name, span)
	}
	if near, ok := scheme.Nearest(name, m.Known); ok && near != name {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "known here are " + strings.Join(m.Known, ", ")
}

// typeHint says what to write instead of a value of the wrong type.
func typeHint(m scheme.Misfit) string {
	if m.Want == "a list" && m.Got == "an object" {
		return "write a list: put \"- \" in front of the first field, and indent the others"
	}
	return "write " + m.Want
}

// Moved says where a field that another apiVersion has went.
func Moved(field string) (string, bool) {
	hint, ok := movedFields[field]
	return hint, ok
}

// misplacedFields say where a field stands that people look for in profiles.
var misplacedFields = map[string]string{
	"extenders":                "extenders stand at the top level, and are for all profiles",
	"percentageOfNodesToScore": "profiles of v1 have it since 1.26; the one at the top level is for all profiles",
}

// movedFields say where a field of another apiVersion went.
var movedFields = map[string]string{
	"algorithmSource":                "since v1alpha2 plugins are listed in profiles; schedconf convert does it",
	"bindTimeoutSeconds":             "since v1beta1 it stands in the args of the plugin VolumeBinding",
	"extenderConfigs":                "the key is extenders in every release",
	"disablePreemption":              "since v1beta1 preemption is the plugin DefaultPreemption at postFilter, which can be disabled",
	"hardPodAffinitySymmetricWeight": "since v1alpha2 it is hardPodAffinityWeight in the args of the plugin InterPodAffinity",
	"healthzBindAddress":             "since v1beta3 health is served on the secure port only (--secure-port)",
	"metricsBindAddress":             "since v1beta3 metrics are served on the secure port only (--secure-port)",
	"lockObjectName":                 "since v1alpha2 it is resourceName",
	"lockObjectNamespace":            "since v1alpha2 it is resourceNamespace",
	"multiPoint":                     "multiPoint exists since 1.23; list the plugin at each of its points",
	"plugins":                        "plugins stand in profiles[]",
	"pluginConfig":                   "pluginConfig stands in profiles[]",
	"schedulerName":                  "schedulerName stands in profiles[]",
	"unreserve":                      "v1alpha1 and v1alpha2 have it; since v1beta1 reserve plugins undo their own reservations: list the plugin at reserve",
	"failureDomains":                 "it was dropped before 1.16, and nothing took its place",
	"metadata":                       "a configuration file has no metadata; take it out",
}

func reportRepeated(p *Pass, objection error) {
	p.enter(ruleKeyDuplicate)
	duplicates := p.doc.Duplicates()
	if len(duplicates) == 0 {
		// A merge that brings a key in again leaves no two keys to point at.
		for _, match := range setAlready.FindAllStringSubmatch(objection.Error(), -1) {
			p.reportAt(p.doc.Position(nil), "take the key out of the object or out of what is merged into it", "the key %s is set twice, once by a merge (<<)", match[1])
		}
	}
	for _, d := range duplicates {
		*p.findings = append(*p.findings, diag.Diagnostic{
			Rule: p.rule, Severity: p.severity, Stage: p.stage, Path: d.Path, Pos: d.Again,
			Message: fmt.Sprintf("the key %q stands twice", d.Path[len(d.Path)-1]),
			Hint:    "keep one of the two; the second would win",
			Related: []diag.Place{{Path: d.Path, Pos: d.First, Message: "it stands here first"}},
		})
		if !slices.ContainsFunc(duplicates, func(d source.Duplicate) bool { return !d.Same }) {
			p.remedy(remedy{message: "take out the first of two keys with the same value", unrepeat: true})
		}
	}
}

var setAlready = regexp.MustCompile(`key (".*?") already set in map`)

func reportDeprecated(p *Pass) {
	p.enter(ruleDeprecated)
	hint := ""
	if span, ok := schemas.APISpan(p.API.APIVersion); ok {
		hint = fmt.Sprintf("it is read %s; schedconf convert --to %s rewrites the file", span, p.Scheme.Release.APIs[0].APIVersion)
	}
	p.Report(diag.Path{"apiVersion"}, hint, "%s is deprecated since Kubernetes %s", p.API.APIVersion, p.API.DeprecatedSince)
}
