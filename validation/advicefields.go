// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme"
)

// fewestNodes is how many fitting nodes the scheduler looks for at least, and leastPercentage the
// share that it does not go below by itself (pkg/scheduler, numFeasibleNodesToFind).
const (
	fewestNodes     = 100
	leastPercentage = 5
)

// jitter is what the elector multiplies retryPeriod by (client-go/tools/leaderelection, JitterFactor).
const jitter = 1.2

var fieldAdvice = []Rule{{
	ID:      "profile-default-missing",
	Summary: "no profile is called default-scheduler, but the lock is the default one",
	Doc: "Pods that say nothing ask for default-scheduler. A scheduler without that profile is meant to run beside the main one, and then it needs a lock of its own: " +
		"both would take turns otherwise, and one of them always waits. If it is the main one, pods without schedulerName stay pending.",
	Bad:       exampleHead + "profiles:\n- schedulerName: batch # bad\n",
	Good:      exampleHead + "leaderElection:\n  resourceName: batch-scheduler\nprofiles:\n- schedulerName: batch\n",
	Otherwise: diag.Warning,
	Check: func(p *Pass) {
		for _, profile := range p.Config.Profiles {
			if name := ptr.Deref(profile.SchedulerName, ""); name == "default-scheduler" || name == "" {
				return
			}
		}
		e := p.Config.LeaderElection
		if len(p.Config.Profiles) == 0 || !ptr.Deref(e.LeaderElect, false) || !p.isDefault(e.ResourceName, "resourceName", "lockObjectName") ||
			!p.isDefault(e.ResourceNamespace, "resourceNamespace", "lockObjectNamespace") {
			return
		}
		p.Report(profilePath(0).Child("schedulerName"), "a second scheduler needs a leaderElection.resourceName of its own; the main one needs a profile default-scheduler",
			"no profile is called default-scheduler, but the lock is %s/%s, that of the main scheduler", e.ResourceNamespace, e.ResourceName)
	},
}, {
	ID:      "leader-election-retry-long",
	Summary: "renewDeadline is not longer than 1.2 times retryPeriod",
	Doc: "A leader tries to renew every retryPeriod, with up to a fifth on top, and has to succeed before renewDeadline. " +
		"The election refuses such durations when it starts, after the file was taken for valid.",
	Bad:       exampleHead + "leaderElection:\n  renewDeadline: 10s\n  retryPeriod: 9s # bad\n",
	Good:      exampleHead + "leaderElection:\n  renewDeadline: 10s\n  retryPeriod: 2s\n",
	Otherwise: diag.Warning,
	Check: electing(func(p *Pass) {
		e := p.Config.LeaderElection
		least := time.Duration(jitter * float64(e.RetryPeriod.Duration))
		if e.RetryPeriod.Duration > 0 && e.RenewDeadline.Duration > 0 && e.RenewDeadline.Duration <= least {
			p.Report(diag.Path{"leaderElection", "retryPeriod"}, "make renewDeadline several times retryPeriod, as in 10s and 2s",
				"renewDeadline is %s, and has to be longer than 1.2 times retryPeriod, which is %s: the scheduler stops when the election starts", e.RenewDeadline.Duration, least)
		}
	}),
}, {
	ID:      "percentage-meaning",
	Summary: "what percentageOfNodesToScore comes to",
	Doc: "The search for nodes ends when this share of all nodes is found to fit, and only those are scored. It never ends before 100 nodes are found, so below 100 nodes the field does nothing. " +
		"0, the default, is 50 % for small clusters and less for larger ones, down to 5 % from 5,625 nodes on; a value that is given has no such floor.",
	Bad:       exampleHead + "percentageOfNodesToScore: 2 # bad\n",
	Good:      exampleHead + "percentageOfNodesToScore: 0\n",
	Otherwise: diag.Info,
	Check: func(p *Pass) {
		p.explainPercentage(diag.Path{"percentageOfNodesToScore"}, ptr.Deref(p.Config.PercentageOfNodesToScore, 0))
		for i, profile := range p.Config.Profiles {
			if n := profile.PercentageOfNodesToScore; n != nil {
				p.explainPercentage(profilePath(i).Child("percentageOfNodesToScore"), *n)
			}
		}
	},
}, {
	ID:        "profile-percentage-same",
	Summary:   "a profile's percentageOfNodesToScore is the global one",
	Doc:       "Profiles without the field have the global value.",
	Bad:       exampleHead + "percentageOfNodesToScore: 40\nprofiles:\n- percentageOfNodesToScore: 40 # bad\n",
	Good:      exampleHead + "percentageOfNodesToScore: 40\nprofiles:\n- percentageOfNodesToScore: 80\n",
	Otherwise: diag.Info,
	Check: func(p *Pass) {
		global := ptr.Deref(p.Config.PercentageOfNodesToScore, 0)
		for i, profile := range p.Config.Profiles {
			if n := profile.PercentageOfNodesToScore; n != nil && *n == global {
				p.Report(profilePath(i).Child("percentageOfNodesToScore"), "take it out", "percentageOfNodesToScore is %d, as it is for all profiles", *n)
			}
		}
	},
}}

// isDefault reports whether a text of leaderElection is what one of the fields has by default.
func (p *Pass) isDefault(value string, fields ...string) bool {
	for _, d := range p.API.Defaults {
		for _, field := range fields {
			var text string
			if d.Field == "leaderElection."+field && json.Unmarshal(d.Value, &text) == nil && text == value {
				return true
			}
		}
	}
	return false
}

func (p *Pass) explainPercentage(path diag.Path, n int32) {
	if n <= 0 || n >= 100 {
		return
	}
	if nodes := p.nodes; nodes > 0 {
		found := nodes
		if nodes >= fewestNodes {
			found = min(nodes, max(fewestNodes, nodes*int(n)/100))
		}
		if found == nodes {
			p.Report(path, "take it out; if pods are placed unevenly, there is another reason", "%d %%: of %d nodes all are looked at and scored, so it does nothing", n, nodes)
		} else {
			p.Report(path, "leave it out to let it adapt to the size of the cluster", "%d %%: of %d nodes the search ends at %d fitting ones", n, nodes, found)
		}
		return
	}
	// From here on the share is more than the least number.
	from := (fewestNodes*100 + int(n) - 1) / int(n)
	floor := ""
	if n < leastPercentage {
		floor = fmt.Sprintf("; left out, it would not go below %d %%", leastPercentage)
	}
	p.Report(path, "leave it out to let it adapt to the size of the cluster",
		"%d %%: the search ends at %d fitting nodes in clusters of up to %d, at %d of %d nodes, and never early below %d nodes%s",
		n, fewestNodes, from, 2*from*int(n)/100, 2*from, fewestNodes, floor)
}

var secretAdvice = []Rule{{
	ID:      "secret-in-file",
	Summary: "a secret seems to stand in the file",
	Doc: "Configurations lie in ConfigMaps and repositories, and are pasted into reports. A token, password or key belongs into a Secret that is mounted, " +
		"and the file should name its path. The value is not shown.",
	Bad: exampleHead + "profiles:\n- pluginConfig:\n  - name: TargetLoadPacking\n    args:\n      metricProvider:\n        type: Prometheus\n        token: eyJhbGciOi # bad\n",
	Good: exampleHead + "extenders:\n- urlPrefix: https://extender.example.com\n  filterVerb: filter\n  httpTimeout: 500ms\n  enableHTTPS: true\n" +
		"  tlsConfig:\n    caFile: /etc/extender/ca.crt\n    certFile: /etc/extender/tls.crt\n    keyFile: /etc/extender/tls.key\n",
	Otherwise: diag.Warning,
	Check: func(p *Pass) {
		for i, profile := range p.Config.Profiles {
			for j, entry := range profile.PluginConfig {
				if raw, ok := entry.Args.(*runtime.Unknown); ok && raw != nil && scheme.IsSecretName(string(raw.Raw)) {
					var value any
					if json.Unmarshal(raw.Raw, &value) == nil {
						p.findSecrets(p.argsPath(i, j), value)
					}
				}
			}
		}
		for i, e := range p.Config.Extenders {
			path := diag.Path{"extenders"}.Index(i)
			if scheme.RedactURL(e.URLPrefix) != e.URLPrefix {
				p.reportSecret(path.Child("urlPrefix"), "urlPrefix has a password")
			}
			if e.TLSConfig != nil && len(e.TLSConfig.KeyData) > 0 {
				p.reportSecret(path.Child("tlsConfig", "keyData"), "keyData is a private key")
			}
		}
	},
}}

func (p *Pass) reportSecret(path diag.Path, message string) {
	p.Report(path, "mount it from a Secret and name the file", "%s", message)
}

// findSecrets reports texts under names that tell of secrets.
func (p *Pass) findSecrets(path diag.Path, value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, child := range v {
			if text, ok := child.(string); ok && scheme.IsSecretName(key) && !namesSecret(key) && isSecretValue(text) {
				p.reportSecret(path.Child(key), fmt.Sprintf("%q seems to be a secret", key))
			} else {
				p.findSecrets(path.Child(key), child)
			}
		}
	case []any:
		for i, child := range v {
			p.findSecrets(path.Index(i), child)
		}
	}
}

// namesSecret reports whether a key says where a secret is, or what it is like.
func namesSecret(key string) bool {
	key = strings.ToLower(key)
	for _, suffix := range []string{"file", "path", "ref", "name", "namespace", "type", "dir", "env", "url"} {
		if strings.HasSuffix(key, suffix) {
			return true
		}
	}
	return false
}

// isSecretValue leaves out paths and what a template will replace.
func isSecretValue(text string) bool {
	return text != "" && text != scheme.Redacted && !strings.ContainsAny(text[:1], "/.$<{%")
}
