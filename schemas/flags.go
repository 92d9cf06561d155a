// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
)

// Flag is a command line flag of kube-scheduler, as flags.json holds it.
type Flag struct {
	Name string `json:"name"`
	// Shorthand is the one letter that stands for it behind a single dash.
	Shorthand string `json:"shorthand,omitempty"`
	// Section is the heading under which --help shows it.
	Section string `json:"section"`
	// Type is the word that --help has for its value: bool, int, int32, uint, float32, duration, ip,
	// string, strings, int32Slice, stringToString, featureGates, componentGates, namedCertKey, quantity, severity,
	// traceLocation, moduleSpec or version.
	Type string `json:"type"`
	// Default is the value without the flag.
	Default string `json:"default"`
	// Deprecated says what to use instead; empty for a flag that is not deprecated.
	Deprecated string `json:"deprecated,omitempty"`
	// Hidden flags are taken, and not shown by --help.
	Hidden bool `json:"hidden,omitempty"`
	// ConfigFields are the fields of KubeSchedulerConfiguration that say the same.
	ConfigFields []string `json:"configFields,omitempty"`
	// WithConfig is what comes of it when --config is given: "honoured" as without, "ignored" since
	// the file alone counts, "overrides" the field if the flag is given, "appliedOnTop" of a file
	// whose profiles say nothing, "replacesProfiles" of the file, or "none" since the flag has no
	// effect at all. It is empty for flags that have nothing to do with a configuration.
	WithConfig string `json:"withConfig,omitempty"`
	// Min and Max bound a number or a duration.
	Min string `json:"min,omitempty"`
	Max string `json:"max,omitempty"`
	// Values are the texts that it takes; empty if it takes any.
	Values []string `json:"values,omitempty"`
	// Format is "ip" for a text that has to be an address.
	Format string `json:"format,omitempty"`
}

// FlagBehaviour names how a release treats its command line.
type FlagBehaviour struct {
	// Operands are words that are no flags: "reported", or "refused".
	Operands string `json:"operands"`
	// LockObject is which of --lock-object-name and --leader-elect-resource-name counts: "last" of
	// the two, or "leaderElectResource". It is empty where there is no --lock-object-name.
	LockObject string `json:"lockObject,omitempty"`
}

// NeedsNoValue reports whether the flag can stand alone. A value is given with = only then.
func (f *Flag) NeedsNoValue() bool { return f.Type == "bool" || f.Type == "version" }

// Collects reports whether a flag that is given again adds to what was given before.
func (f *Flag) Collects() bool {
	return slices.Contains([]string{"strings", "int32Slice", "stringToString", "featureGates", "componentGates", "namedCertKey"}, f.Type)
}

type flagFile struct {
	Behaviour FlagBehaviour `json:"behaviour"`
	Flags     []Flag        `json:"flags"`
	byName    map[string]*Flag
}

// flagFiles are parsed when they are asked for: most commands never do.
var flagFiles = sync.OnceValue(func() map[string]func() *flagFile {
	all := map[string]func() *flagFile{}
	for _, e := range entries() {
		name := e.minor.text
		all[name] = sync.OnceValue(func() *flagFile { return parseFlags(name) })
	}
	return all
})

func parseFlags(name string) *flagFile {
	data, err := files.ReadFile(path.Join(name, "flags.json"))
	if err != nil {
		panic(fmt.Sprintf("embedded schemas: %v", err))
	}
	f := &flagFile{byName: map[string]*Flag{}}
	if err := json.Unmarshal(data, f); err != nil {
		panic(fmt.Sprintf("embedded schemas: %s/flags.json: %v", name, err))
	}
	for i := range f.Flags {
		f.byName[f.Flags[i].Name] = &f.Flags[i]
	}
	return f
}

// Flags lists the flags of kube-scheduler by section, in the order of --help. The result is shared
// and must not be changed.
func (r *Release) Flags() []Flag { return flagFiles()[r.Name]().Flags }

// FlagBehaviour says how the release treats its command line.
func (r *Release) FlagBehaviour() FlagBehaviour { return flagFiles()[r.Name]().Behaviour }

// Flag returns the facts of a flag.
func (r *Release) Flag(name string) (*Flag, bool) {
	flag, ok := flagFiles()[r.Name]().byName[name]
	return flag, ok
}

// FlagSpan says in which minors kube-scheduler has the flag.
func FlagSpan(name string) (Span, bool) {
	return span(func(r *Release) bool { _, ok := r.Flag(name); return ok })
}

// FlagBefore returns the flag as the newest minor before the given one has it.
func FlagBefore(name string, minor Minor) (*Flag, Minor, bool) {
	var last *Flag
	var in Minor
	for _, e := range entries() {
		if e.minor == minor {
			break
		}
		if flag := flagFiles()[e.minor.text]().byName[name]; flag != nil {
			last, in = flag, e.minor
		}
	}
	return last, in, last != nil
}

// FlagNames returns the names of the flags of the release, sorted; those that --help hides too.
func (r *Release) FlagNames() []string {
	return slices.Sorted(maps.Keys(flagFiles()[r.Name]().byName))
}

// ComponentsWith names the other programs of Kubernetes that are known for a flag.
func ComponentsWith(flag string) []string {
	var names []string
	for _, component := range slices.Sorted(maps.Keys(componentFlags)) {
		if slices.Contains(strings.Fields(componentFlags[component]), flag) {
			names = append(names, component)
		}
	}
	return names
}

// componentFlags are flags that people know the other programs by, whatever the minor. They tell a
// flag that was put into the wrong manifest from a typing error, and need not be complete.
var componentFlags = map[string]string{
	"kube-apiserver": `admission-control admission-control-config-file advertise-address allow-privileged anonymous-auth
		apiserver-count audit-log-maxage audit-log-maxbackup audit-log-maxsize audit-log-path audit-policy-file
		audit-webhook-config-file authentication-config authorization-config authorization-mode basic-auth-file
		disable-admission-plugins enable-admission-plugins enable-aggregator-routing enable-bootstrap-token-auth
		encryption-provider-config endpoint-reconciler-type etcd-cafile etcd-certfile etcd-keyfile etcd-prefix etcd-servers
		event-ttl external-hostname goaway-chance insecure-bind-address insecure-port kubelet-certificate-authority
		kubelet-client-certificate kubelet-client-key kubelet-preferred-address-types max-mutating-requests-inflight
		max-requests-inflight oidc-ca-file oidc-client-id oidc-groups-claim oidc-issuer-url oidc-username-claim
		proxy-client-cert-file proxy-client-key-file request-timeout runtime-config service-account-issuer
		service-account-jwks-uri service-account-key-file service-account-lookup service-account-signing-key-file
		service-cluster-ip-range service-node-port-range storage-backend storage-media-type token-auth-file
		watch-cache watch-cache-sizes`,
	"kube-controller-manager": `allocate-node-cidrs attach-detach-reconcile-sync-period cidr-allocator-type cloud-config
		cloud-provider cluster-cidr cluster-name cluster-signing-cert-file cluster-signing-duration
		cluster-signing-key-file concurrent-deployment-syncs concurrent-endpoint-syncs concurrent-gc-syncs
		concurrent-namespace-syncs concurrent-replicaset-syncs concurrent-service-syncs configure-cloud-routes controllers
		enable-dynamic-provisioning enable-garbage-collector enable-hostpath-provisioner enable-taint-manager
		experimental-cluster-signing-duration flex-volume-plugin-dir horizontal-pod-autoscaler-downscale-stabilization
		horizontal-pod-autoscaler-sync-period horizontal-pod-autoscaler-use-rest-clients min-resync-period
		node-cidr-mask-size node-eviction-rate node-monitor-grace-period node-monitor-period node-startup-grace-period
		pod-eviction-timeout root-ca-file route-reconciliation-period service-account-private-key-file
		service-cluster-ip-range terminated-pod-gc-threshold unhealthy-zone-threshold use-service-account-credentials`,
	"kube-proxy": `cleanup cluster-cidr conntrack-max-per-core healthz-bind-address hostname-override iptables-masquerade-bit
		iptables-min-sync-period iptables-sync-period ipvs-min-sync-period ipvs-scheduler ipvs-strict-arp ipvs-sync-period
		masquerade-all metrics-bind-address metrics-port nodeport-addresses oom-score-adj proxy-mode proxy-port-range`,
	"kubelet": `allowed-unsafe-sysctls anonymous-auth authentication-token-webhook authorization-mode bootstrap-kubeconfig
		cgroup-driver cgroup-root cloud-config cloud-provider cluster-dns cluster-domain cni-bin-dir cni-conf-dir
		container-log-max-files container-log-max-size container-runtime container-runtime-endpoint cpu-manager-policy
		enable-controller-attach-detach enforce-node-allocatable event-qps eviction-hard eviction-soft
		fail-swap-on file-check-frequency hairpin-mode healthz-bind-address healthz-port hostname-override
		image-credential-provider-config image-gc-high-threshold image-gc-low-threshold image-pull-progress-deadline
		image-service-endpoint kube-reserved kubelet-cgroups make-iptables-util-chains manifest-url max-open-files max-pods
		network-plugin node-ip node-labels node-status-update-frequency oom-score-adj pod-cidr pod-infra-container-image
		pod-manifest-path protect-kernel-defaults read-only-port register-node register-schedulable register-with-taints
		resolv-conf root-dir rotate-certificates rotate-server-certificates runtime-cgroups serialize-image-pulls
		streaming-connection-idle-timeout system-reserved topology-manager-policy volume-plugin-dir`,
}
