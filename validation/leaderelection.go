// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/config"
)

// Nothing of leaderElection is looked at unless leaderElect is true.
var leaderElectionRules = []Rule{{
	ID:      "leader-election-duration-range",
	Summary: "a duration of leaderElection is not positive",
	Doc:     "leaseDuration, renewDeadline and retryPeriod are durations such as 15s. Zero means the default, so only negative ones are refused.",
	Check: electing(func(p *Pass) {
		e := p.Config.LeaderElection
		for _, d := range []struct {
			name  string
			value int64
			text  string
		}{
			{"leaseDuration", int64(e.LeaseDuration.Duration), e.LeaseDuration.Duration.String()},
			{"renewDeadline", int64(e.RenewDeadline.Duration), e.RenewDeadline.Duration.String()},
			{"retryPeriod", int64(e.RetryPeriod.Duration), e.RetryPeriod.Duration.String()},
		} {
			if d.value <= 0 {
				p.Report(diag.Path{"leaderElection", d.name}, "write a positive duration such as 15s", "%s is %s, which is not positive", d.name, d.text)
			}
		}
	}),
}, {
	ID:      "leader-election-lease-below-renew",
	Summary: "leaseDuration is shorter than renewDeadline",
	Doc:     "A leader that cannot renew gives up after renewDeadline. If others may take over before that, two leaders schedule at once.",
	Check: electing(func(p *Pass) {
		if e := p.Config.LeaderElection; e.LeaseDuration.Duration < e.RenewDeadline.Duration {
			p.Report(diag.Path{"leaderElection", "leaseDuration"}, "make leaseDuration longer than renewDeadline",
				"leaseDuration %s is shorter than renewDeadline %s", e.LeaseDuration.Duration, e.RenewDeadline.Duration)
		}
	}),
}, {
	ID:        "leader-election-lease-equals-renew",
	Summary:   "leaseDuration equals renewDeadline",
	Doc:       "Since 1.26 leaseDuration has to be longer than renewDeadline. Older releases load equal values and fail when the election starts.",
	Otherwise: diag.Warning,
	Check: electing(func(p *Pass) {
		if e := p.Config.LeaderElection; e.LeaseDuration.Duration == e.RenewDeadline.Duration {
			p.Report(diag.Path{"leaderElection", "leaseDuration"}, "make leaseDuration longer than renewDeadline",
				"leaseDuration and renewDeadline are both %s", e.LeaseDuration.Duration)
		}
	}),
}, {
	ID:      "leader-election-name-required",
	Summary: "the lock of leaderElection has no name or namespace",
	Doc:     "resourceName and resourceNamespace name the lock object; both have defaults.",
	Check: electing(func(p *Pass) {
		e := p.Config.LeaderElection
		if e.ResourceName == "" {
			p.Report(diag.Path{"leaderElection", "resourceName"}, "leave the field out for kube-scheduler", "the lock object has no name")
		}
		if e.ResourceNamespace == "" {
			p.Report(diag.Path{"leaderElection", "resourceNamespace"}, "leave the field out for kube-system", "the lock object has no namespace")
		}
	}),
}, {
	ID:      "leader-election-lock-required",
	Summary: "leaderElection.resourceLock is empty",
	Doc:     "resourceLock is the kind of object that leaders lock.",
	Check: electing(func(p *Pass) {
		if p.Config.LeaderElection.ResourceLock == "" {
			p.Report(diag.Path{"leaderElection", "resourceLock"}, "write leases", "resourceLock is empty")
		}
	}),
}, {
	ID:      "leader-election-lock-removed",
	Summary: "leaderElection.resourceLock is not leases",
	Doc:     "Since 1.27 leases is the only lock. Older locks have to be left in two steps while several replicas run: first endpointsleases or configmapsleases, then leases.",
	Check: electing(func(p *Pass) {
		if lock := p.Config.LeaderElection.ResourceLock; lock != "leases" && lock != "" {
			p.Report(diag.Path{"leaderElection", "resourceLock"}, "write leases, or leave the field out", "resourceLock %q is not supported, only leases is", lock)
			p.spelled(lock, []string{"leases"})
		}
	}),
}, {
	ID:      "leader-election-lock-type",
	Summary: "leaderElection.resourceLock is a lock that this release cannot make",
	Doc:     "The lock is made when the scheduler starts; its type is not checked before.",
	Check: electing(func(p *Pass) {
		lock := p.Config.LeaderElection.ResourceLock
		if !slices.Contains(p.Scheme.Release.ResourceLocks, lock) {
			p.Report(diag.Path{"leaderElection", "resourceLock"}, "known are "+strings.Join(p.Scheme.Release.ResourceLocks, ", "),
				"kube-scheduler %s cannot make a lock of type %q", p.Scheme.Release.Name, lock)
			p.spelled(lock, p.Scheme.Release.ResourceLocks)
		}
	}),
}}

// CheckLeaderElection judges the leader election of a configuration with the flags that count, which no
// file alone shows. The findings have paths, and no positions.
func (c *Checker) CheckLeaderElection(cfg *config.KubeSchedulerConfiguration, api *schemas.API) diag.List {
	var findings diag.List
	p := &Pass{Scheme: c.scheme, API: api, Config: cfg, findings: &findings}
	for _, step := range c.plan(api) {
		if strings.HasPrefix(step.rule.ID, "leader-election-") {
			p.rule, p.severity, p.stage = step.rule.ID, step.severity, step.stage
			step.rule.Check(p)
		}
	}
	return findings
}

func electing(check func(*Pass)) func(*Pass) {
	return func(p *Pass) {
		if ptr.Deref(p.Config.LeaderElection.LeaderElect, false) {
			check(p)
		}
	}
}
