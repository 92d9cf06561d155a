// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"net/url"
	"time"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
)

// extenderTimeout is what every release gives an extender without one, some of them while they write
// their configuration (pkg/scheduler/extender.go, DefaultExtenderTimeout).
const extenderTimeout = 5 * time.Second

const extenderExample = exampleHead + "extenders:\n- urlPrefix: http://127.0.0.1:8888\n"

var extenderAdvice = []Rule{{
	ID:      "extender-slow",
	Summary: "every pod may wait long for an extender",
	Doc: "Pods are scheduled one by one, and their extenders filter one after the other. One without managedResources is called for every pod, " +
		"so that a pod waits for it as long as httpTimeout when it hangs, and so do all pods behind. The default is 5s.",
	Bad:       extenderExample + "  filterVerb: filter\n  httpTimeout: 30s # bad\n",
	Good:      extenderExample + "  filterVerb: filter\n  httpTimeout: 500ms\n",
	Otherwise: diag.Warning,
	Check: eachExtender(func(p *Pass, path diag.Path, e config.Extender) {
		if blocks(e) && e.HTTPTimeout.Duration > extenderTimeout {
			p.Report(path.Child("httpTimeout"), "write a short httpTimeout, or name the managedResources of the pods that need the extender",
				"every pod waits for this extender, up to %s when it hangs", e.HTTPTimeout.Duration)
		}
	}),
}, {
	ID:      "extender-required",
	Summary: "no pod is scheduled while an extender is away",
	Doc: "An extender without managedResources is called for every pod. Unless it is ignorable, a pod is not scheduled when filtering or binding fails or takes longer than httpTimeout, " +
		"which is 5s where nothing is said. When prioritizing fails, the pod is scheduled without it.",
	Bad:       exampleHead + "extenders:\n- urlPrefix: http://127.0.0.1:8888 # bad\n  filterVerb: filter\n",
	Good:      extenderExample + "  filterVerb: filter\n  httpTimeout: 500ms\n  ignorable: true\n",
	Otherwise: diag.Info,
	Check: eachExtender(func(p *Pass, path diag.Path, e config.Extender) {
		if blocks(e) && (e.FilterVerb != "" || e.BindVerb != "") && !e.Ignorable && e.HTTPTimeout.Duration == 0 {
			p.Report(path, "write ignorable: true where pods may be scheduled without it, and an httpTimeout",
				"every pod needs this extender, and waits for it up to %s", extenderTimeout)
		}
	}),
}, {
	ID:        "extender-bind-timeout",
	Summary:   "an extender binds with the default timeout",
	Doc:       "Binding may take longer than filtering. When the extender still works on it as httpTimeout ends, the scheduler takes the pod for not bound and tries again. The default is 5s.",
	Bad:       extenderExample + "  bindVerb: bind # bad\n  managedResources:\n  - name: example.com/gpu\n",
	Good:      extenderExample + "  bindVerb: bind\n  httpTimeout: 20s\n  managedResources:\n  - name: example.com/gpu\n",
	Otherwise: diag.Info,
	Check: eachExtender(func(p *Pass, path diag.Path, e config.Extender) {
		if e.BindVerb != "" && e.HTTPTimeout.Duration == 0 {
			p.Report(path.Child("bindVerb"), "write the httpTimeout that binding takes at most", "the extender binds, with a timeout of %s by default", extenderTimeout)
		}
	}),
}, {
	ID:      "extender-idle",
	Summary: "an extender has no verb",
	Doc: "An extender is called for filterVerb, prioritizeVerb, preemptVerb and bindVerb, each unless it is empty. Without any it is never called. " +
		"It can still be of use: its managedResources with ignoredByScheduler keep NodeResourcesFit from looking at them.",
	Bad:       exampleHead + "extenders:\n- urlPrefix: http://127.0.0.1:8888 # bad\n",
	Good:      extenderExample + "  filterVerb: filter\n  httpTimeout: 500ms\n",
	Otherwise: diag.Warning,
	Check: eachExtender(func(p *Pass, path diag.Path, e config.Extender) {
		if e.FilterVerb != "" || e.PrioritizeVerb != "" || e.PreemptVerb != "" || e.BindVerb != "" {
			return
		}
		for _, resource := range e.ManagedResources {
			if resource.IgnoredByScheduler {
				return
			}
		}
		p.Report(path, "add filterVerb, prioritizeVerb, preemptVerb or bindVerb", "the extender has no verb, so it is never called")
	}),
}, {
	ID:        "extender-url",
	Summary:   "urlPrefix of an extender is no URL of http or https",
	Doc:       "urlPrefix is not looked at before the extender is called; every call fails then.",
	Bad:       exampleHead + "extenders:\n- urlPrefix: 127.0.0.1:8888/scheduler # bad\n  filterVerb: filter\n",
	Good:      exampleHead + "extenders:\n- urlPrefix: http://127.0.0.1:8888/scheduler\n  filterVerb: filter\n  httpTimeout: 500ms\n",
	Otherwise: diag.Warning,
	Check: eachExtender(func(p *Pass, path diag.Path, e config.Extender) {
		if parsed, err := url.Parse(e.URLPrefix); err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
			p.Report(path.Child("urlPrefix"), "write it as in http://127.0.0.1:8888/scheduler", "%q is no URL of http or https", scheme.RedactURL(e.URLPrefix))
		}
	}),
}, {
	ID:        "extender-tls-unused",
	Summary:   "an extender has TLS settings, but its URL is http",
	Doc:       "Whether TLS is spoken is up to the scheme of urlPrefix. With http:// neither enableHTTPS nor tlsConfig does anything, and what is sent can be read on the way.",
	Bad:       extenderExample + "  filterVerb: filter\n  httpTimeout: 500ms\n  enableHTTPS: true # bad\n",
	Good:      exampleHead + "extenders:\n- urlPrefix: https://127.0.0.1:8888\n  filterVerb: filter\n  httpTimeout: 500ms\n  enableHTTPS: true\n",
	Otherwise: diag.Warning,
	Check: eachExtender(func(p *Pass, path diag.Path, e config.Extender) {
		parsed, err := url.Parse(e.URLPrefix)
		if err != nil || parsed.Scheme != "http" {
			return
		}
		switch {
		case e.TLSConfig != nil:
			p.Report(path.Child("tlsConfig"), "write https:// in urlPrefix, or take the settings out", "tlsConfig is not used: urlPrefix is http")
		case e.EnableHTTPS:
			p.Report(path.Child("enableHTTPS"), "write https:// in urlPrefix, or take enableHTTPS out", "enableHTTPS does nothing: urlPrefix is http")
		}
	}),
}}

// blocks reports whether an extender is called while every pod is scheduled.
func blocks(e config.Extender) bool {
	return len(e.ManagedResources) == 0 && (e.FilterVerb != "" || e.PrioritizeVerb != "" || e.BindVerb != "")
}
