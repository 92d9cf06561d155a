// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package scheme

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/config"
)

// FlagValue is a flag that is given, with a value that the release can read.
type FlagValue struct {
	Flag  *schemas.Flag
	Value string
	Pos   diag.Position
}

// RulePolicyAndProfiles is the rule of a Policy beside profiles that say something.
const RulePolicyAndProfiles = "policy-and-profiles"

const hardPodAffinityWeight = "profiles[0].args.InterPodAffinity.hardPodAffinityWeight"

// setters put the value of a flag into the field that it stands for.
var setters = map[string]func(cfg *config.KubeSchedulerConfiguration, value string){
	"enableProfiling":              func(cfg *config.KubeSchedulerConfiguration, v string) { cfg.EnableProfiling = boolOf(v) },
	"enableContentionProfiling":    func(cfg *config.KubeSchedulerConfiguration, v string) { cfg.EnableContentionProfiling = boolOf(v) },
	"clientConnection.kubeconfig":  func(cfg *config.KubeSchedulerConfiguration, v string) { cfg.ClientConnection.Kubeconfig = v },
	"clientConnection.contentType": func(cfg *config.KubeSchedulerConfiguration, v string) { cfg.ClientConnection.ContentType = v },
	"clientConnection.qps":         func(cfg *config.KubeSchedulerConfiguration, v string) { cfg.ClientConnection.QPS = float32Of(v) },
	"clientConnection.burst":       func(cfg *config.KubeSchedulerConfiguration, v string) { cfg.ClientConnection.Burst = *int32Of(v) },
	"leaderElection.leaderElect":   func(cfg *config.KubeSchedulerConfiguration, v string) { cfg.LeaderElection.LeaderElect = boolOf(v) },
	"leaderElection.leaseDuration": func(cfg *config.KubeSchedulerConfiguration, v string) {
		cfg.LeaderElection.LeaseDuration = durationOf(v)
	},
	"leaderElection.renewDeadline": func(cfg *config.KubeSchedulerConfiguration, v string) {
		cfg.LeaderElection.RenewDeadline = durationOf(v)
	},
	"leaderElection.retryPeriod":       func(cfg *config.KubeSchedulerConfiguration, v string) { cfg.LeaderElection.RetryPeriod = durationOf(v) },
	"leaderElection.resourceLock":      func(cfg *config.KubeSchedulerConfiguration, v string) { cfg.LeaderElection.ResourceLock = v },
	"leaderElection.resourceName":      func(cfg *config.KubeSchedulerConfiguration, v string) { cfg.LeaderElection.ResourceName = v },
	"leaderElection.resourceNamespace": func(cfg *config.KubeSchedulerConfiguration, v string) { cfg.LeaderElection.ResourceNamespace = v },
	"hardPodAffinitySymmetricWeight": func(cfg *config.KubeSchedulerConfiguration, v string) {
		cfg.HardPodAffinitySymmetricWeight = int32Of(v)
	},
	hardPodAffinityWeight:       setHardPodAffinityWeight,
	"schedulerName":             setSchedulerName,
	"profiles[0].schedulerName": setSchedulerName,
}

func boolOf(text string) *bool {
	value, _ := strconv.ParseBool(text)
	return &value
}

func int32Of(text string) *int32 {
	value, _ := strconv.ParseInt(text, 0, 32)
	return ptr.To(int32(value))
}

func float32Of(text string) float32 {
	value, _ := strconv.ParseFloat(text, 32)
	return float32(value)
}

func durationOf(text string) metav1.Duration {
	value, _ := time.ParseDuration(text)
	return metav1.Duration{Duration: value}
}

func setSchedulerName(cfg *config.KubeSchedulerConfiguration, value string) {
	if len(cfg.Profiles) > 0 && value != "" {
		cfg.Profiles[0].SchedulerName = &value
	}
}

// setHardPodAffinityWeight adds the args that the flag stands for. Only a configuration without a file
// gets here, whose only profile has no args yet, or those that are its default.
func setHardPodAffinityWeight(cfg *config.KubeSchedulerConfiguration, value string) {
	const plugin = "InterPodAffinity"
	if len(cfg.Profiles) == 0 {
		return
	}
	weight, list := int32Of(value), &cfg.Profiles[0].PluginConfig
	*list = slices.DeleteFunc(*list, func(c config.PluginConfig) bool { return c.Name == plugin })
	*list = append(*list, config.PluginConfig{Name: plugin, Args: &config.InterPodAffinityArgs{HardPodAffinityWeight: weight}})
}

// applyFlags puts the flags that count into the configuration: all without a file, and with one those
// that the release lets through.
func (r *resolution) applyFlags() {
	flags := slices.Clone(r.start.Flags)
	if r.scheme.Release.FlagBehaviour().LockObject == "leaderElectResource" {
		// These are read last, wherever they stand.
		slices.SortStableFunc(flags, func(a, b FlagValue) int { return strings.Compare(lateness(a), lateness(b)) })
	}
	last := map[string]FlagValue{}
	for _, flag := range flags {
		if !r.counts(flag.Flag) {
			continue
		}
		last[flag.Flag.Name] = flag
		for _, field := range flag.Flag.ConfigFields {
			if set, ok := setters[field]; ok {
				set(r.cfg, flag.Value)
				if strings.HasPrefix(effectivePath(field), "profiles") && len(r.given.Profiles) == 0 {
					r.given.Profiles = make([]config.KubeSchedulerProfile, 1)
				}
				set(r.given, flag.Value)
				r.flags[effectivePath(field)] = flag
			}
		}
	}
	if r.api.Behaviour.Args == "raw" {
		r.rawArgs()
	}
	r.addresses(last)
	r.algorithm(last)
}

func lateness(flag FlagValue) string {
	if strings.HasPrefix(flag.Flag.Name, "leader-elect") {
		return "late"
	}
	return "early"
}

func (r *resolution) counts(flag *schemas.Flag) bool {
	if r.start.Doc == nil {
		return flag.WithConfig != "none"
	}
	return slices.Contains([]string{"overrides", "appliedOnTop", "replacesProfiles"}, flag.WithConfig)
}

// effectivePath is where the meaning of a configuration has a field.
func effectivePath(field string) string {
	if field == "schedulerName" {
		return "profiles[0].schedulerName"
	}
	return field
}

// rawArgs writes the args that a flag added as JSON, where plugins read their own.
func (r *resolution) rawArgs() {
	for i := range r.cfg.Profiles {
		for j, entry := range r.cfg.Profiles[i].PluginConfig {
			if args, ok := entry.Args.(*config.InterPodAffinityArgs); ok {
				raw := fmt.Appendf(nil, `{"hardPodAffinityWeight":%d}`, *args.HardPodAffinityWeight)
				r.cfg.Profiles[i].PluginConfig[j].Args = &runtime.Unknown{Raw: raw, ContentType: runtime.ContentTypeJSON}
			}
		}
	}
}

// addresses are what --address and --port come to together.
func (r *resolution) addresses(last map[string]FlagValue) {
	address, hasAddress := last["address"]
	port, hasPort := last["port"]
	if !hasAddress && !hasPort {
		return
	}
	host, number, by := r.defaultOf("address"), r.defaultOf("port"), port
	if hasAddress {
		host, by = address.Value, address
	}
	if hasPort {
		number, by = port.Value, port
	}
	listen := net.JoinHostPort(host, number)
	if n, _ := strconv.ParseInt(number, 0, 32); n == 0 {
		listen = ""
	}
	for _, cfg := range []*config.KubeSchedulerConfiguration{r.cfg, r.given} {
		cfg.HealthzBindAddress, cfg.MetricsBindAddress = ptr.To(listen), ptr.To(listen)
	}
	r.flags["healthzBindAddress"], r.flags["metricsBindAddress"] = by, by
}

func (r *resolution) defaultOf(flag string) string {
	if facts, ok := r.scheme.Release.Flag(flag); ok {
		return facts.Default
	}
	return ""
}

// algorithm applies the flags that choose a provider or a Policy; the first of them that is given
// counts (1.16 to 1.22, cmd/kube-scheduler/app/options/deprecated.go).
func (r *resolution) algorithm(last map[string]FlagValue) {
	file, configMap, provider := last["policy-config-file"], last["policy-configmap"], last["algorithm-provider"]
	legacy := last["use-legacy-policy-config"]
	fromFile := legacy.Flag != nil && *boolOf(legacy.Value)
	switch {
	case fromFile || file.Value != "" && configMap.Value == "":
		r.policy(file, &config.PolicySource{File: &config.PolicyFile{Path: file.Value}}, "algorithmSource.policy.file.path")
	case configMap.Value != "":
		namespace := r.defaultOf("policy-configmap-namespace")
		if given, ok := last["policy-configmap-namespace"]; ok {
			namespace = given.Value
			r.flags["algorithmSource.policy.configMap.namespace"] = given
		}
		source := &config.PolicySource{ConfigMap: &config.PolicyConfigMap{Namespace: namespace, Name: configMap.Value}}
		r.policy(configMap, source, "algorithmSource.policy.configMap.name")
	case provider.Value != "":
		r.cfg.AlgorithmSource = config.AlgorithmSource{Provider: ptr.To(provider.Value)}
		r.given.AlgorithmSource = r.cfg.AlgorithmSource
		r.flags["algorithmSource.provider"] = provider
	}
}

// policy makes a Policy decide about the plugins. What becomes of the profiles of a file is up to the
// release.
func (r *resolution) policy(by FlagValue, source *config.PolicySource, field string) {
	r.cfg.AlgorithmSource = config.AlgorithmSource{Policy: source}
	r.flags[field] = by
	switch {
	case by.Flag == nil:
	case by.Flag.WithConfig == "replacesProfiles":
		r.cfg.Profiles = nil
	case r.start.Doc != nil && !pristine(r.cfg.Profiles):
		r.refusals = append(r.refusals, Refusal{
			Rule: RulePolicyAndProfiles, Path: diag.Path{"profiles"},
			Message: fmt.Sprintf("the profiles have plugins or args, and --%s names a Policy", by.Flag.Name),
			Hint:    "take one of the two out",
		})
	}
}

// pristine reports whether profiles say nothing about plugins.
func pristine(profiles []config.KubeSchedulerProfile) bool {
	return len(profiles) == 1 && len(profiles[0].PluginConfig) == 0 && profiles[0].Plugins == nil
}
