// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	apiconversion "k8s.io/apimachinery/pkg/conversion"

	"github.com/schedconf/schedconf/diag"
)

// The rules of the findings that conversions report.
const (
	RuleFieldDropped    = "conversion-field-dropped"
	RulePointDropped    = "point-dropped"
	RuleArgsDropped     = "args-dropped"
	RuleProfilesDropped = "profiles-dropped"
)

// The behaviours of a release that conversions ask for, by key of Context.Behaviour.
const (
	// BehaviourHardPodAffinityWeight says where hardPodAffinitySymmetricWeight of v1alpha1 ends up.
	BehaviourHardPodAffinityWeight = "hardPodAffinityWeight"
	// HardPodAffinityWeightPluginConfig turns it into args of the plugin InterPodAffinity. Any other
	// value keeps it as a field.
	HardPodAffinityWeightPluginConfig = "pluginConfig"
)

// Context travels through runtime.Scheme.Convert as its third argument and reaches every conversion
// function as scope.Meta().Context.
type Context struct {
	// Behaviour holds named behaviours of the release.
	Behaviour map[string]string
	// Consume means that nobody uses the input afterwards, so that the result may share its memory.
	Consume bool
	// Losses are warnings about what could not be converted, with the path of the hub's field as
	// users know it.
	Losses diag.List
}

// Lose reports something that has no place in the target.
func (c *Context) Lose(path diag.Path, rule, message, hint string) {
	c.Losses = append(c.Losses, diag.Diagnostic{
		Rule: rule, Severity: diag.Warning, Message: message, Hint: hint, Path: path,
	})
}

// ContextOf returns the context of the conversion that is going on. A caller of Scheme.Convert who
// passes none gets the release-independent behaviour and no report of losses, rather than a panic.
func ContextOf(s apiconversion.Scope) *Context {
	if meta := s.Meta(); meta != nil {
		if c, ok := meta.Context.(*Context); ok && c != nil {
			return c
		}
	}
	return &Context{}
}

// Error is a configuration that contradicts itself, so that it cannot be converted.
type Error struct {
	// Path leads to the field that makes no sense.
	Path diag.Path
	// Message says why, without the path.
	Message string
}

// Error returns path and message.
func (e *Error) Error() string { return e.Path.String() + ": " + e.Message }
