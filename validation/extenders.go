// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"strings"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/config"
)

var extenderRules = []Rule{{
	ID:      "extender-weight",
	Summary: "an extender that prioritizes has no positive weight",
	Doc:     "The scores of an extender with prioritizeVerb are multiplied by its weight, which has no default.",
	Check: eachExtender(func(p *Pass, path diag.Path, e config.Extender) {
		if e.PrioritizeVerb != "" && e.Weight <= 0 {
			p.Report(path.Child("weight"), "give the extender a weight of 1 or more, or take prioritizeVerb out", "the extender prioritizes with weight %d", e.Weight)
		}
	}),
}, {
	ID:      "extender-bind-count",
	Summary: "more than one extender binds",
	Doc:     "A pod is bound once, so one extender at most can have bindVerb.",
	Check: func(p *Pass) {
		first := -1
		for i, e := range p.Config.Extenders {
			if e.BindVerb == "" {
				continue
			}
			if first >= 0 {
				p.Report(diag.Path{"extenders"}.Index(i).Child("bindVerb"), "keep bindVerb in one extender", "extender %d binds already", first)
				continue
			}
			first = i
		}
	},
}, {
	ID:      "extender-resource-name",
	Summary: "a resource managed by an extender is not an extended resource",
	Doc:     "managedResources takes extended resources: a domain other than kubernetes.io, a slash, and a name.",
	Check: eachExtender(func(p *Pass, path diag.Path, e config.Extender) {
		for j, r := range e.ManagedResources {
			if why := extendedResource(r.Name); why != "" {
				p.Report(path.Child("managedResources").Index(j).Child("name"), "write it as in example.com/gpu", "%q is not an extended resource: %s", r.Name, why)
			}
		}
	}),
}, {
	ID:      "extender-resource-duplicate",
	Summary: "a resource is managed twice by extenders",
	Doc:     "Every resource is managed by one extender at most, and named once there.",
	Check: func(p *Pass) {
		seen := map[string]string{}
		for i, e := range p.Config.Extenders {
			for j, r := range e.ManagedResources {
				path := diag.Path{"extenders"}.Index(i).Child("managedResources").Index(j).Child("name")
				if first, ok := seen[r.Name]; ok {
					p.Report(path, "name the resource once", "resource %q is managed by %s already", r.Name, first)
					continue
				}
				seen[r.Name] = path.String()
			}
		}
	},
}, {
	ID:      "extender-tls",
	Summary: "the TLS settings of an extender contradict each other or cannot be read",
	Doc: "The client of an extender is made when the scheduler starts. A certificate needs its key, a CA cannot go with insecure, " +
		"and data must be PEM. Files are not looked at: they are on another machine.",
	Check: eachExtender(func(p *Pass, path diag.Path, e config.Extender) {
		if why := tlsTrouble(e); why != "" {
			p.Report(path.Child("tlsConfig"), "correct the TLS settings; the data has to be base64 of PEM", "%s", why)
		}
	}),
}}

func eachExtender(check func(p *Pass, path diag.Path, e config.Extender)) func(*Pass) {
	return func(p *Pass) {
		for i, e := range p.Config.Extenders {
			check(p, diag.Path{"extenders"}.Index(i), e)
		}
	}
}

// extendedResource says why the name is none, or nothing
// (1.37 pkg/apis/core/v1/helper/helpers.go, IsExtendedResourceName).
func extendedResource(name string) string {
	if errs := qualified(name); len(errs) > 0 {
		return strings.Join(errs, "; ")
	}
	switch {
	case !strings.Contains(name, "/"):
		return "it has no domain"
	case strings.Contains(name, "kubernetes.io/"):
		return "the domain kubernetes.io is reserved"
	case strings.HasPrefix(name, "requests."):
		return "it starts with requests., which quotas use"
	}
	if errs := qualified("requests." + name); len(errs) > 0 {
		return strings.Join(errs, "; ")
	}
	return ""
}

// tlsTrouble repeats what client-go checks before it dials (rest/transport: TLSConfigFor). It never
// quotes data.
func tlsTrouble(e config.Extender) string {
	t := e.TLSConfig
	if t == nil {
		return ""
	}
	hasCA := t.CAFile != "" || len(t.CAData) > 0
	insecure := t.Insecure || e.EnableHTTPS && !hasCA
	if hasCA && insecure {
		return "a CA is given together with insecure: true, so it would never be used"
	}
	hasCert, hasKey := t.CertFile != "" || len(t.CertData) > 0, t.KeyFile != "" || len(t.KeyData) > 0
	if hasCert != hasKey {
		return "a client certificate and its key have to be given together"
	}
	if len(t.CAData) > 0 && !x509.NewCertPool().AppendCertsFromPEM(t.CAData) {
		return "caData holds no certificate in PEM form"
	}
	if len(t.CertData) > 0 && len(t.KeyData) > 0 {
		if _, err := tls.X509KeyPair(t.CertData, t.KeyData); err != nil {
			return fmt.Sprintf("certData and keyData do not make a pair of %d and %d bytes of PEM", len(t.CertData), len(t.KeyData))
		}
	}
	return ""
}
