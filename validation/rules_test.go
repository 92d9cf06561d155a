// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
)

var slug = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// TestRules holds what a table of rules relies on: ids of the one form, each once, each explained.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, rule := range Rules {
		if !slug.MatchString(rule.ID) {
			t.Errorf("rule %q is no slug", rule.ID)
		}
		if seen[rule.ID] {
			t.Errorf("rule %s stands twice", rule.ID)
		}
		seen[rule.ID] = true
		if rule.Summary == "" || strings.HasSuffix(rule.Summary, ".") || strings.Contains(rule.Summary, "\n") {
			t.Errorf("rule %s: the summary is not one line without a full stop: %q", rule.ID, rule.Summary)
		}
		if !strings.HasSuffix(rule.Doc, ".") {
			t.Errorf("rule %s is not explained in sentences: %q", rule.ID, rule.Doc)
		}
		if found, ok := Lookup(rule.ID); !ok || found.Summary != rule.Summary {
			t.Errorf("rule %s is not found", rule.ID)
		}
	}
	if _, ok := Lookup("no-such-rule"); ok {
		t.Error("a rule is found that does not exist")
	}
}

// TestChecks holds that every rule that a release enforces exists, and that every rule is either
// enforced by some release or is advice.
func TestChecks(t *testing.T) {
	enforced := map[string]bool{}
	for _, minor := range schemas.Minors() {
		release := schemas.For(minor)
		apis := slices.Clone(release.APIs)
		for _, apiVersion := range release.Policies {
			apis = append(apis, *release.PolicyAPI(apiVersion))
		}
		for _, api := range apis {
			for stage, ids := range api.Checks {
				for _, id := range ids {
					enforced[id] = true
					rule, ok := Lookup(id)
					switch {
					case !ok:
						t.Errorf("%s %s: no rule %q", minor, api.APIVersion, id)
					case rule.Check == nil && !slices.ContainsFunc(decodeRules, func(r Rule) bool { return r.ID == id }):
						t.Errorf("%s %s: rule %q checks nothing", minor, api.APIVersion, id)
					case rule.Check != nil && stage == string(diag.Decode):
						// The checks look at what came of decoding.
						t.Errorf("%s %s: rule %q cannot be enforced at decode", minor, api.APIVersion, id)
					}
				}
			}
		}
	}
	for _, rule := range Rules {
		if !enforced[rule.ID] && rule.Otherwise == 0 {
			t.Errorf("rule %s is enforced by no release and no advice either", rule.ID)
		}
	}
}

// TestUnknownKeys holds that the behaviour that a release names for unknown keys is what its rules do.
func TestUnknownKeys(t *testing.T) {
	for _, minor := range schemas.Minors() {
		for _, api := range schemas.For(minor).APIs {
			rejects := api.Behaviour.UnknownKeys == "reject"
			for _, id := range []string{ruleFieldUnknown, ruleKeyDuplicate} {
				if enforces := api.Stage(id) == string(diag.Decode); enforces != rejects {
					t.Errorf("%s %s: unknownKeys is %q, but %s is enforced: %t", minor, api.APIVersion, api.Behaviour.UnknownKeys, id, enforces)
				}
			}
		}
	}
}
