// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"cmp"
	"errors"
	"fmt"

	apiconversion "k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	basev1alpha1 "k8s.io/component-base/config/v1alpha1"

	"github.com/schedconf/schedconf/conversion"
	"github.com/schedconf/schedconf/conversion/v1beta1"
	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/v1alpha1"
	"github.com/schedconf/schedconf/scheme/v1alpha2"
)

// localSchemeBuilder collects the conversions of this package alone. The builder of a wire package
// would carry whatever else some import has added to it.
var localSchemeBuilder runtime.SchemeBuilder

// Register adds the conversions to a scheme; it registers no types. The conversions of v1beta1 come
// along, because typed args are written the way v1beta1 does.
func Register(s *runtime.Scheme) error {
	return errors.Join(localSchemeBuilder.AddToScheme(s), v1beta1.Register(s))
}

// apiVersion is what this apiVersion has a place for.
var apiVersion = conversion.New(conversion.Shape{
	GroupVersion: v1alpha1.SchemeGroupVersion,
	Config:       v1alpha1.KubeSchedulerConfiguration{},
	// A configuration has the fields of one profile, for which there is no struct of its own.
	Profile: v1alpha2.KubeSchedulerProfile{},
	Plugins: v1alpha1.Plugins{},
	Args:    v1beta1.ArgsKinds(),
	// What is called postFilter here has been called preScore since; the later postFilter is another point.
	Points: map[string]config.Point{"postFilter": config.PreScore},
})

// Convert_v1alpha1_KubeSchedulerConfiguration_To_config_KubeSchedulerConfiguration puts plugins and their args
// into the only profile. It works on a copy, because generated code shares pointers.
func Convert_v1alpha1_KubeSchedulerConfiguration_To_config_KubeSchedulerConfiguration(in *v1alpha1.KubeSchedulerConfiguration, out *config.KubeSchedulerConfiguration, s apiconversion.Scope) error {
	in = in.DeepCopy()
	if err := autoConvert_v1alpha1_KubeSchedulerConfiguration_To_config_KubeSchedulerConfiguration(in, out, s); err != nil {
		return err
	}
	profile := config.KubeSchedulerProfile{SchedulerName: in.SchedulerName}
	if in.Plugins != nil {
		profile.Plugins = apiVersion.PluginsToHub(in.Plugins)
	}
	if in.PluginConfig != nil {
		profile.PluginConfig = make([]config.PluginConfig, len(in.PluginConfig))
	}
	for i := range in.PluginConfig {
		if err := Convert_v1alpha1_PluginConfig_To_config_PluginConfig(&in.PluginConfig[i], &profile.PluginConfig[i], s); err != nil {
			return err
		}
	}
	if conversion.ContextOf(s).Behaviour[conversion.BehaviourHardPodAffinityWeight] == conversion.HardPodAffinityWeightPluginConfig {
		moveHardPodAffinityWeight(out, &profile)
	}
	out.Profiles = []config.KubeSchedulerProfile{profile}
	return nil
}

// moveHardPodAffinityWeight appends without a look at what is there: a file that configures the plugin
// as well is refused later, as a duplicate.
func moveHardPodAffinityWeight(hub *config.KubeSchedulerConfiguration, profile *config.KubeSchedulerProfile) {
	weight := hub.HardPodAffinitySymmetricWeight
	if weight == nil {
		return
	}
	hub.HardPodAffinitySymmetricWeight = nil
	profile.PluginConfig = append(profile.PluginConfig, config.PluginConfig{
		Name: "InterPodAffinity",
		Args: &runtime.Unknown{
			Raw:         fmt.Appendf(nil, `{"hardPodAffinityWeight":%d}`, *weight),
			ContentType: runtime.ContentTypeJSON,
		},
	})
}

// Convert_config_KubeSchedulerConfiguration_To_v1alpha1_KubeSchedulerConfiguration reports what is lost, such
// as all profiles but the first.
func Convert_config_KubeSchedulerConfiguration_To_v1alpha1_KubeSchedulerConfiguration(in *config.KubeSchedulerConfiguration, out *v1alpha1.KubeSchedulerConfiguration, s apiconversion.Scope) error {
	c := conversion.ContextOf(s)
	in = apiVersion.Fit(firstProfile(in, c), c)
	if err := autoConvert_config_KubeSchedulerConfiguration_To_v1alpha1_KubeSchedulerConfiguration(in, out, s); err != nil {
		return err
	}
	for _, profile := range in.Profiles {
		if err := profileFromHub(profile, out, s); err != nil {
			return err
		}
	}
	return nil
}

func firstProfile(in *config.KubeSchedulerConfiguration, c *conversion.Context) *config.KubeSchedulerConfiguration {
	n := len(in.Profiles)
	if n <= 1 {
		return in
	}
	c.Lose(diag.Path{"profiles"}, conversion.RuleProfilesDropped,
		fmt.Sprintf("%s holds one profile; the first of %d is kept", v1alpha1.SchemeGroupVersion, n), "")
	first := *in
	first.Profiles = in.Profiles[:1]
	return &first
}

func profileFromHub(profile config.KubeSchedulerProfile, out *v1alpha1.KubeSchedulerConfiguration, s apiconversion.Scope) error {
	out.SchedulerName = profile.SchedulerName
	if profile.Plugins != nil {
		out.Plugins = &v1alpha1.Plugins{}
		apiVersion.PluginsFromHub(profile.Plugins, out.Plugins)
	}
	if profile.PluginConfig != nil {
		out.PluginConfig = make([]v1alpha1.PluginConfig, len(profile.PluginConfig))
	}
	for i := range profile.PluginConfig {
		if err := Convert_config_PluginConfig_To_v1alpha1_PluginConfig(&profile.PluginConfig[i], &out.PluginConfig[i], s); err != nil {
			return err
		}
	}
	return nil
}

// Convert_v1alpha1_Plugins_To_config_Plugins goes by the names of the points.
func Convert_v1alpha1_Plugins_To_config_Plugins(in *v1alpha1.Plugins, out *config.Plugins, s apiconversion.Scope) error {
	*out = apiVersion.PluginsToHub(in)
	return nil
}

// Convert_config_Plugins_To_v1alpha1_Plugins is the way back.
func Convert_config_Plugins_To_v1alpha1_Plugins(in *config.Plugins, out *v1alpha1.Plugins, s apiconversion.Scope) error {
	apiVersion.PluginsFromHub(*in, out)
	return nil
}

// Convert_v1alpha1_PluginConfig_To_config_PluginConfig keeps the args as they are.
func Convert_v1alpha1_PluginConfig_To_config_PluginConfig(in *v1alpha1.PluginConfig, out *config.PluginConfig, s apiconversion.Scope) error {
	out.Name = in.Name
	out.Args = apiVersion.RawArgsToHub(in.Args)
	return nil
}

// Convert_config_PluginConfig_To_v1alpha1_PluginConfig writes typed args as JSON.
func Convert_config_PluginConfig_To_v1alpha1_PluginConfig(in *config.PluginConfig, out *v1alpha1.PluginConfig, s apiconversion.Scope) (err error) {
	out.Name = in.Name
	out.Args, err = apiVersion.RawArgsFromHub(in.Args, s)
	return err
}

// Convert_v1alpha1_SchedulerAlgorithmSource_To_config_AlgorithmSource changes nothing but the types.
func Convert_v1alpha1_SchedulerAlgorithmSource_To_config_AlgorithmSource(in *v1alpha1.SchedulerAlgorithmSource, out *config.AlgorithmSource, s apiconversion.Scope) error {
	*out = config.AlgorithmSource{Provider: in.Provider}
	if in.Policy != nil {
		out.Policy = &config.PolicySource{
			File:      (*config.PolicyFile)(in.Policy.File),
			ConfigMap: (*config.PolicyConfigMap)(in.Policy.ConfigMap),
		}
	}
	return nil
}

// Convert_config_AlgorithmSource_To_v1alpha1_SchedulerAlgorithmSource is the way back.
func Convert_config_AlgorithmSource_To_v1alpha1_SchedulerAlgorithmSource(in *config.AlgorithmSource, out *v1alpha1.SchedulerAlgorithmSource, s apiconversion.Scope) error {
	*out = v1alpha1.SchedulerAlgorithmSource{Provider: in.Provider}
	if in.Policy != nil {
		out.Policy = &v1alpha1.SchedulerPolicySource{
			File:      (*v1alpha1.SchedulerPolicyFileSource)(in.Policy.File),
			ConfigMap: (*v1alpha1.SchedulerPolicyConfigMapSource)(in.Policy.ConfigMap),
		}
	}
	return nil
}

// Convert_v1alpha1_KubeSchedulerLeaderElectionConfiguration_To_v1alpha1_LeaderElectionConfiguration merges the
// two names of the lock.
func Convert_v1alpha1_KubeSchedulerLeaderElectionConfiguration_To_v1alpha1_LeaderElectionConfiguration(in *v1alpha1.KubeSchedulerLeaderElectionConfiguration, out *basev1alpha1.LeaderElectionConfiguration, s apiconversion.Scope) (err error) {
	*out = in.LeaderElectionConfiguration
	if out.ResourceNamespace, err = merge("resourceNamespace", in.ResourceNamespace, "lockObjectNamespace", in.LockObjectNamespace); err != nil {
		return err
	}
	out.ResourceName, err = merge("resourceName", in.ResourceName, "lockObjectName", in.LockObjectName)
	return err
}

// merge returns the value of two fields that mean the same, the second being the older name.
func merge(field, value, oldField, oldValue string) (string, error) {
	if value != "" && oldValue != "" && value != oldValue {
		return "", &conversion.Error{
			Path:    diag.Path{"leaderElection", oldField},
			Message: fmt.Sprintf("%s is %q and %s is %q, but they mean the same and must be equal", field, value, oldField, oldValue),
		}
	}
	return cmp.Or(value, oldValue), nil
}

// Convert_v1alpha1_LeaderElectionConfiguration_To_v1alpha1_KubeSchedulerLeaderElectionConfiguration writes both
// names of the lock, as kube-scheduler does.
func Convert_v1alpha1_LeaderElectionConfiguration_To_v1alpha1_KubeSchedulerLeaderElectionConfiguration(in *basev1alpha1.LeaderElectionConfiguration, out *v1alpha1.KubeSchedulerLeaderElectionConfiguration, s apiconversion.Scope) error {
	out.LeaderElectionConfiguration = *in
	out.LockObjectNamespace = in.ResourceNamespace
	out.LockObjectName = in.ResourceName
	return nil
}
