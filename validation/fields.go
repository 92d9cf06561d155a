// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"net"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"

	"github.com/schedconf/schedconf/diag"
)

var fieldRules = []Rule{{
	ID:      "parallelism-range",
	Summary: "parallelism is not positive",
	Doc:     "parallelism is how many goroutines scheduling algorithms may use. It has to be at least 1; leave it out for the default of 16.",
	Check: func(p *Pass) {
		if n := p.Config.Parallelism; n != nil && *n <= 0 {
			p.Report(diag.Path{"parallelism"}, "write a number of 1 or more, or leave the field out for 16", "parallelism is %d, which is not positive", *n)
		}
	},
}, {
	ID:      "percentage-range",
	Summary: "percentageOfNodesToScore is not between 0 and 100",
	Doc:     "percentageOfNodesToScore ends the search for nodes once that share of the cluster is found to fit. 0 lets kube-scheduler choose by cluster size.",
	Check: func(p *Pass) {
		reportPercentage(p, diag.Path{"percentageOfNodesToScore"}, p.Config.PercentageOfNodesToScore)
	},
}, {
	ID:      "profile-percentage-range",
	Summary: "a profile's percentageOfNodesToScore is not between 0 and 100",
	Doc:     "A profile's percentageOfNodesToScore overrides the global one for pods of that profile. 0 adapts to cluster size.",
	Check: func(p *Pass) {
		for i, profile := range p.Config.Profiles {
			if profile.PercentageOfNodesToScore != nil {
				reportPercentage(p, profilePath(i).Child("percentageOfNodesToScore"), profile.PercentageOfNodesToScore)
			}
		}
	},
}, {
	ID:      "backoff-initial-range",
	Summary: "podInitialBackoffSeconds is not positive",
	Doc:     "A pod that could not be scheduled waits podInitialBackoffSeconds before it is tried again, then twice as long each time.",
	Check: func(p *Pass) {
		if n := p.Config.PodInitialBackoffSeconds; n != nil && *n <= 0 {
			p.Report(diag.Path{"podInitialBackoffSeconds"}, "write 1 or more seconds", "podInitialBackoffSeconds is %d, which is not positive", *n)
		}
	},
}, {
	ID:      "backoff-max-range",
	Summary: "podMaxBackoffSeconds is below podInitialBackoffSeconds",
	Doc:     "podMaxBackoffSeconds is the longest that a pod waits between two tries, so it cannot be below the first wait.",
	Check: func(p *Pass) {
		initial, most := ptr.Deref(p.Config.PodInitialBackoffSeconds, 0), ptr.Deref(p.Config.PodMaxBackoffSeconds, 0)
		if most < initial {
			p.Report(diag.Path{"podMaxBackoffSeconds"}, "write at least the value of podInitialBackoffSeconds",
				"podMaxBackoffSeconds is %d, below podInitialBackoffSeconds, which is %d", most, initial)
		}
	},
}, {
	ID:      "client-burst-range",
	Summary: "clientConnection.burst is negative",
	Doc:     "burst is how many requests may exceed qps for a moment. 0 means the default of 100.",
	Check: func(p *Pass) {
		if n := p.Config.ClientConnection.Burst; n < 0 {
			p.Report(diag.Path{"clientConnection", "burst"}, "write a positive number, or leave the field out for 100", "burst is %d, which is negative", n)
		}
	},
}, {
	ID:      "address-format",
	Summary: "a bind address is not an IP and a port",
	Doc:     "healthzBindAddress and metricsBindAddress are an IP address and a port from 1 to 65535, as in 0.0.0.0:10251 or [::]:10251.",
	Check: func(p *Pass) {
		eachAddress(p, func(path diag.Path, address string) {
			host, port, err := net.SplitHostPort(address)
			number, _ := strconv.Atoi(port)
			if err != nil || net.ParseIP(host) == nil || number < 1 || number > 65535 {
				p.Report(path, "write it as in 0.0.0.0:10251 or [::]:10251", "%q is not an IP address and a port from 1 to 65535", address)
			}
		})
	},
}, {
	ID:      "address-port-range",
	Summary: "the port of a bind address is above 65535",
	Doc:     "A port that cannot exist makes the listener fail when the scheduler starts.",
	Check: func(p *Pass) {
		eachAddress(p, func(path diag.Path, address string) {
			_, port, err := net.SplitHostPort(address)
			if number, atoi := strconv.Atoi(port); err != nil || atoi != nil || number > 65535 {
				p.Report(path, "write it as in 0.0.0.0:10251", "%q has no port from 0 to 65535", address)
			}
		})
	},
}, {
	ID:      "address-port",
	Summary: "a bind address asks for a port, though the insecure ports are gone",
	Doc:     "Since 1.23 kube-scheduler has no insecure port. v1beta2 keeps the fields, but takes only an empty text or an address with port 0.",
	Check: func(p *Pass) {
		eachAddress(p, func(path diag.Path, address string) {
			if address == "" {
				return
			}
			host, port, err := net.SplitHostPort(address)
			if err != nil || net.ParseIP(host) == nil || port == "" || strings.Trim(port, "0") != "" {
				p.Report(path, `take the field out; health and metrics are served on the secure port (--secure-port, 10259)`,
					"%q is neither empty nor an address with port 0", address)
			}
		})
	},
}, {
	ID:      "hard-weight-range",
	Summary: "hardPodAffinitySymmetricWeight is not between 0 and 100",
	Doc:     "hardPodAffinitySymmetricWeight weighs the implied preference for nodes whose pods require the new pod near them.",
	Check: func(p *Pass) {
		if n := p.Config.HardPodAffinitySymmetricWeight; n != nil && (*n < 0 || *n > 100) {
			p.Report(diag.Path{"hardPodAffinitySymmetricWeight"}, "write a number from 1 to 100", "hardPodAffinitySymmetricWeight is %d, which is not between 0 and 100", *n)
		}
	},
}, {
	ID:      "hard-weight-zero",
	Summary: "hardPodAffinitySymmetricWeight is 0, which passes validation and fails at start",
	Doc:     "Before profiles existed, the scheduler took 0 when it checked the file and refused it when it built its priorities.",
	Check: func(p *Pass) {
		if n := p.Config.HardPodAffinitySymmetricWeight; n != nil && *n == 0 {
			p.Report(diag.Path{"hardPodAffinitySymmetricWeight"}, "write a number from 1 to 100", "hardPodAffinitySymmetricWeight is 0, which the scheduler refuses when it starts")
		}
	},
}, {
	ID:      "provider-unknown",
	Summary: "algorithmSource.provider names no algorithm provider",
	Doc:     "An algorithm provider is a named set of plugins. DefaultProvider and ClusterAutoscalerProvider exist.",
	Check: func(p *Pass) {
		source := p.Config.AlgorithmSource
		if source.Provider == nil || slices.Contains(p.Scheme.Release.Providers, *source.Provider) {
			return
		}
		p.Report(diag.Path{"algorithmSource", "provider"}, "known are "+strings.Join(p.Scheme.Release.Providers, " and "),
			"algorithm provider %q does not exist", *source.Provider)
	},
}}

func reportPercentage(p *Pass, path diag.Path, n *int32) {
	if n != nil && (*n < 0 || *n > 100) {
		p.Report(path, "write a number from 0 to 100; 0 adapts to cluster size", "percentageOfNodesToScore is %d, which is not between 0 and 100", *n)
	}
}

func eachAddress(p *Pass, check func(path diag.Path, address string)) {
	if address := p.Config.HealthzBindAddress; address != nil {
		check(diag.Path{"healthzBindAddress"}, *address)
	}
	if address := p.Config.MetricsBindAddress; address != nil {
		check(diag.Path{"metricsBindAddress"}, *address)
	}
}

// qualified reports what is wrong with a label or resource name, in few words.
func qualified(name string) []string { return validation.IsQualifiedName(name) }
