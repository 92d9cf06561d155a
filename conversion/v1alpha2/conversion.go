// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package v1alpha2

import (
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiconversion "k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	basev1alpha1 "k8s.io/component-base/config/v1alpha1"

	"github.com/schedconf/schedconf/conversion"
	"github.com/schedconf/schedconf/conversion/v1beta1"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/policyv1"
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
	GroupVersion: v1alpha2.SchemeGroupVersion,
	Config:       v1alpha2.KubeSchedulerConfiguration{},
	Profile:      v1alpha2.KubeSchedulerProfile{},
	Plugins:      v1alpha2.Plugins{},
	Args:         v1beta1.ArgsKinds(),
})

// Convert_v1alpha2_KubeSchedulerConfiguration_To_config_KubeSchedulerConfiguration works on a copy, because
// generated code shares pointers.
func Convert_v1alpha2_KubeSchedulerConfiguration_To_config_KubeSchedulerConfiguration(in *v1alpha2.KubeSchedulerConfiguration, out *config.KubeSchedulerConfiguration, s apiconversion.Scope) error {
	if !conversion.ContextOf(s).Consume {
		in = in.DeepCopy()
	}
	return autoConvert_v1alpha2_KubeSchedulerConfiguration_To_config_KubeSchedulerConfiguration(in, out, s)
}

// Convert_config_KubeSchedulerConfiguration_To_v1alpha2_KubeSchedulerConfiguration reports what is lost.
func Convert_config_KubeSchedulerConfiguration_To_v1alpha2_KubeSchedulerConfiguration(in *config.KubeSchedulerConfiguration, out *v1alpha2.KubeSchedulerConfiguration, s apiconversion.Scope) error {
	in = apiVersion.Fit(in, conversion.ContextOf(s))
	return autoConvert_config_KubeSchedulerConfiguration_To_v1alpha2_KubeSchedulerConfiguration(in, out, s)
}

// Convert_v1alpha2_KubeSchedulerProfile_To_config_KubeSchedulerProfile adds the plugins, which are
// a struct on the wire and a map in the hub.
func Convert_v1alpha2_KubeSchedulerProfile_To_config_KubeSchedulerProfile(in *v1alpha2.KubeSchedulerProfile, out *config.KubeSchedulerProfile, s apiconversion.Scope) error {
	if in.Plugins != nil {
		out.Plugins = apiVersion.PluginsToHub(in.Plugins)
	}
	return autoConvert_v1alpha2_KubeSchedulerProfile_To_config_KubeSchedulerProfile(in, out, s)
}

// Convert_config_KubeSchedulerProfile_To_v1alpha2_KubeSchedulerProfile is the way back.
func Convert_config_KubeSchedulerProfile_To_v1alpha2_KubeSchedulerProfile(in *config.KubeSchedulerProfile, out *v1alpha2.KubeSchedulerProfile, s apiconversion.Scope) error {
	if in.Plugins != nil {
		out.Plugins = &v1alpha2.Plugins{}
		apiVersion.PluginsFromHub(in.Plugins, out.Plugins)
	}
	return autoConvert_config_KubeSchedulerProfile_To_v1alpha2_KubeSchedulerProfile(in, out, s)
}

// Convert_v1alpha2_Plugins_To_config_Plugins goes by the names of the points.
func Convert_v1alpha2_Plugins_To_config_Plugins(in *v1alpha2.Plugins, out *config.Plugins, s apiconversion.Scope) error {
	*out = apiVersion.PluginsToHub(in)
	return nil
}

// Convert_config_Plugins_To_v1alpha2_Plugins is the way back.
func Convert_config_Plugins_To_v1alpha2_Plugins(in *config.Plugins, out *v1alpha2.Plugins, s apiconversion.Scope) error {
	apiVersion.PluginsFromHub(*in, out)
	return nil
}

// Convert_v1alpha2_PluginConfig_To_config_PluginConfig keeps the args as they are.
func Convert_v1alpha2_PluginConfig_To_config_PluginConfig(in *v1alpha2.PluginConfig, out *config.PluginConfig, s apiconversion.Scope) error {
	out.Name = in.Name
	out.Args = apiVersion.RawArgsToHub(in.Args)
	return nil
}

// Convert_config_PluginConfig_To_v1alpha2_PluginConfig writes typed args as JSON.
func Convert_config_PluginConfig_To_v1alpha2_PluginConfig(in *config.PluginConfig, out *v1alpha2.PluginConfig, s apiconversion.Scope) (err error) {
	out.Name = in.Name
	out.Args, err = apiVersion.RawArgsFromHub(in.Args, s)
	return err
}

// Convert_v1alpha2_KubeSchedulerLeaderElectionConfiguration_To_v1alpha1_LeaderElectionConfiguration unwraps.
func Convert_v1alpha2_KubeSchedulerLeaderElectionConfiguration_To_v1alpha1_LeaderElectionConfiguration(in *v1alpha2.KubeSchedulerLeaderElectionConfiguration, out *basev1alpha1.LeaderElectionConfiguration, s apiconversion.Scope) error {
	*out = in.LeaderElectionConfiguration
	return nil
}

// Convert_v1alpha1_LeaderElectionConfiguration_To_v1alpha2_KubeSchedulerLeaderElectionConfiguration wraps.
func Convert_v1alpha1_LeaderElectionConfiguration_To_v1alpha2_KubeSchedulerLeaderElectionConfiguration(in *basev1alpha1.LeaderElectionConfiguration, out *v1alpha2.KubeSchedulerLeaderElectionConfiguration, s apiconversion.Scope) error {
	out.LeaderElectionConfiguration = *in
	return nil
}

// Convert_policyv1_Extender_To_config_Extender reads the timeout as nanoseconds.
func Convert_policyv1_Extender_To_config_Extender(in *policyv1.Extender, out *config.Extender, s apiconversion.Scope) error {
	*out = config.Extender{
		URLPrefix:        in.URLPrefix,
		FilterVerb:       in.FilterVerb,
		PreemptVerb:      in.PreemptVerb,
		PrioritizeVerb:   in.PrioritizeVerb,
		Weight:           in.Weight,
		BindVerb:         in.BindVerb,
		EnableHTTPS:      in.EnableHTTPS,
		TLSConfig:        (*config.ExtenderTLSConfig)(in.TLSConfig),
		HTTPTimeout:      metav1.Duration{Duration: in.HTTPTimeout},
		NodeCacheCapable: in.NodeCacheCapable,
		ManagedResources: convertSlice(in.ManagedResources, func(r policyv1.ExtenderManagedResource) config.ExtenderManagedResource {
			return config.ExtenderManagedResource(r)
		}),
		Ignorable: in.Ignorable,
	}
	return nil
}

// Convert_config_Extender_To_policyv1_Extender is the way back.
func Convert_config_Extender_To_policyv1_Extender(in *config.Extender, out *policyv1.Extender, s apiconversion.Scope) error {
	*out = policyv1.Extender{
		URLPrefix:        in.URLPrefix,
		FilterVerb:       in.FilterVerb,
		PreemptVerb:      in.PreemptVerb,
		PrioritizeVerb:   in.PrioritizeVerb,
		Weight:           in.Weight,
		BindVerb:         in.BindVerb,
		EnableHTTPS:      in.EnableHTTPS,
		TLSConfig:        (*policyv1.ExtenderTLSConfig)(in.TLSConfig),
		HTTPTimeout:      in.HTTPTimeout.Duration,
		NodeCacheCapable: in.NodeCacheCapable,
		ManagedResources: convertSlice(in.ManagedResources, func(r config.ExtenderManagedResource) policyv1.ExtenderManagedResource {
			return policyv1.ExtenderManagedResource(r)
		}),
		Ignorable: in.Ignorable,
	}
	return nil
}

// convertSlice keeps nil, which an empty list is not.
func convertSlice[In, Out any](in []In, convert func(In) Out) []Out {
	if in == nil {
		return nil
	}
	out := make([]Out, len(in))
	for i, element := range in {
		out[i] = convert(element)
	}
	return out
}
