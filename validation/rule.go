// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/policyv1"
	"github.com/schedconf/schedconf/scheme/source"
)

// Rule is one thing that can be wrong with a configuration.
type Rule struct {
	// ID is the stable slug, subject first. It is never renamed and never reused.
	ID string
	// Summary says in one line what the rule finds.
	Summary string
	// Doc explains it at length, for `schedconf explain`.
	Doc string
	// Bad and Good are configurations for Doc, or command lines for a rule of flags: the rule finds
	// something in the first and nothing in the second. They may be empty.
	Bad, Good string
	// Otherwise is the severity where the release does not enforce the rule; zero is silent.
	Otherwise diag.Severity
	// Check reports findings. It is nil for rules of the decoder, whose findings come from
	// reading the document.
	Check func(*Pass)
}

// Rules lists every rule, by the stage that most releases enforce it at.
var Rules = slices.Concat(decodeRules, fieldRules, leaderElectionRules, profileRules, pluginRules, argsRules, extenderRules, constructRules, changeRules, flagRules, adviceRules, policyRules, CrossRules, argsSchemaRules, suppressionRules)

// Lookup returns the rule with the id.
func Lookup(id string) (Rule, bool) {
	i := slices.IndexFunc(Rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return Rules[i], true
}

// Pass is one rule looking at one configuration.
type Pass struct {
	// Scheme is the release.
	Scheme *scheme.Scheme
	// API is the apiVersion of the document.
	API *schemas.API
	// Config is the defaulted configuration in hub form.
	Config *config.KubeSchedulerConfiguration
	// Built is what the release makes of it.
	Built *scheme.Built

	// policy and builtPolicy are there for a Policy alone. Config and Built are what it comes to.
	policy      *policyv1.Policy
	builtPolicy *scheme.BuiltPolicy

	doc       *source.Document
	rule      string
	severity  diag.Severity
	stage     diag.Stage
	findings  *diag.List
	remedies  map[findingKey]remedy
	argsPaths map[[2]int]diag.Path
	written   []config.Plugins
	nodes     int
}

// Report adds a finding. The path is in hub terms; hint may be empty.
func (p *Pass) Report(path diag.Path, hint, format string, args ...any) {
	*p.findings = append(*p.findings, diag.Diagnostic{
		Rule: p.rule, Severity: p.severity, Stage: p.stage, Message: fmt.Sprintf(format, args...), Hint: hint, Path: p.asWritten(path),
	})
}

// asWritten turns a path of the hub into the path that the document has: v1alpha1 is one profile
// without a list, and calls preScore postFilter.
func (p *Pass) asWritten(path diag.Path) diag.Path {
	if p.policy != nil {
		return p.inPolicy(path)
	}
	if p.API == nil || !strings.HasSuffix(p.API.APIVersion, "/v1alpha1") || len(path) < 2 || path[0] != "profiles" {
		return path
	}
	path = slices.Clone(path[2:])
	if len(path) > 1 && path[0] == "plugins" && path[1] == string(config.PreScore) {
		path[1] = string(config.PostFilter)
	}
	return path
}

// argsPath is the path of an entry's args in hub terms. Many rules look at the same few args, so the
// paths are made once.
func (p *Pass) argsPath(profile, entry int) diag.Path {
	key := [2]int{profile, entry}
	path, ok := p.argsPaths[key]
	if !ok {
		if p.argsPaths == nil {
			p.argsPaths = map[[2]int]diag.Path{}
		}
		path = diag.Path{"profiles", strconv.Itoa(profile), "pluginConfig", strconv.Itoa(entry), "args"}
		p.argsPaths[key] = path
	}
	return path
}

// profilePath is the path of a profile in hub terms.
func profilePath(i int) diag.Path { return diag.Path{"profiles"}.Index(i) }

// pluginPath is the path of the name of a plugin that the document enables at a point of a profile,
// or of the point where it enables none of that name. Merging moves plugins, so the index in the
// hub is not the one in the document.
func (p *Pass) pluginPath(point diag.Path, name string) diag.Path {
	enabled := p.asWritten(point.Child("enabled"))
	// The last of several is the one that is too many.
	for k := p.doc.Len(enabled) - 1; k >= 0; k-- {
		entry := enabled.Child(strconv.Itoa(k), "name")
		if text, _ := p.doc.Scalar(entry); text == name {
			return point.Child("enabled", strconv.Itoa(k), "name")
		}
	}
	return point
}

// eachArgs calls check for the args of a plugin in every profile, with the path of the args. Args
// that a rule of the construct stage looks at count only where the plugin is in use, since nobody
// else reads them.
func eachArgs[T any](p *Pass, plugin string, check func(path diag.Path, args *T)) {
	for i, profile := range p.Config.Profiles {
		for j, entry := range profile.PluginConfig {
			if entry.Name != plugin || p.stage != diag.Validate && !p.used(i, plugin) {
				continue
			}
			args, ok := any(p.typed(entry.Args)).(*T)
			if !ok {
				continue
			}
			check(p.argsPath(i, j), args)
		}
		if p.stage == diag.Construct && !given(profile, plugin) && p.used(i, plugin) {
			// No args at all: the plugin still has to start without.
			if args, ok := any(p.absent(i, plugin)).(*T); ok {
				check(profilePath(i).Child("plugins"), args)
			}
		}
	}
}

func given(profile config.KubeSchedulerProfile, plugin string) bool {
	return slices.ContainsFunc(profile.PluginConfig, func(c config.PluginConfig) bool { return c.Name == plugin })
}

func (p *Pass) used(profile int, plugin string) bool {
	return profile < len(p.Built.Frameworks) && p.Built.Frameworks[profile].Used[plugin]
}

// absent returns what a plugin in use gets where the document gives it nothing.
func (p *Pass) absent(profile int, plugin string) runtime.Object {
	if args, ok := p.Built.Frameworks[profile].Args[plugin]; ok {
		return p.typed(args)
	}
	if p.API.Behaviour.Args == "raw" && slices.Contains(p.API.RawArgs, plugin) {
		return config.NewArgs(plugin + "Args")
	}
	return nil
}

// typed reads raw args as the plugin would; args of plugins that read none, and args that cannot be
// read, come back as they are.
func (p *Pass) typed(args runtime.Object) runtime.Object {
	raw, ok := args.(*runtime.Unknown)
	if !ok {
		return args
	}
	return args2hub(raw, p.rawKind(raw))
}

func (p *Pass) rawKind(raw *runtime.Unknown) string {
	for _, profile := range p.Config.Profiles {
		for _, entry := range profile.PluginConfig {
			if entry.Args == runtime.Object(raw) && slices.Contains(p.API.RawArgs, entry.Name) {
				return entry.Name + "Args"
			}
		}
	}
	return ""
}

func args2hub(raw *runtime.Unknown, kind string) runtime.Object {
	hub := config.NewArgs(kind)
	if hub == nil || scheme.RawArgs(raw, hub) != nil {
		return raw
	}
	return hub
}
