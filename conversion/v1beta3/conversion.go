// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package v1beta3

import (
	apiconversion "k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedconf/schedconf/conversion"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/v1beta3"
)

// localSchemeBuilder collects the conversions of this package alone. The builder of a wire package
// would carry whatever else some import has added to it.
var localSchemeBuilder runtime.SchemeBuilder

// Register adds the conversions to a scheme; it registers no types.
func Register(s *runtime.Scheme) error { return localSchemeBuilder.AddToScheme(s) }

// apiVersion is what this apiVersion has a place for.
var apiVersion = conversion.New(conversion.Shape{
	GroupVersion: v1beta3.SchemeGroupVersion,
	Config:       v1beta3.KubeSchedulerConfiguration{},
	Profile:      v1beta3.KubeSchedulerProfile{},
	Plugins:      v1beta3.Plugins{},
	Args: []runtime.Object{
		&v1beta3.DefaultPreemptionArgs{},
		&v1beta3.InterPodAffinityArgs{},
		&v1beta3.NodeAffinityArgs{},
		&v1beta3.NodeResourcesBalancedAllocationArgs{},
		&v1beta3.NodeResourcesFitArgs{},
		&v1beta3.PodTopologySpreadArgs{},
		&v1beta3.VolumeBindingArgs{},
	},
})

// Convert_v1beta3_KubeSchedulerConfiguration_To_config_KubeSchedulerConfiguration works on a copy, because
// generated code shares pointers.
func Convert_v1beta3_KubeSchedulerConfiguration_To_config_KubeSchedulerConfiguration(in *v1beta3.KubeSchedulerConfiguration, out *config.KubeSchedulerConfiguration, s apiconversion.Scope) error {
	if err := apiVersion.CheckArgs(in); err != nil {
		return err
	}
	if !conversion.ContextOf(s).Consume {
		in = in.DeepCopy()
	}
	return autoConvert_v1beta3_KubeSchedulerConfiguration_To_config_KubeSchedulerConfiguration(in, out, s)
}

// Convert_config_KubeSchedulerConfiguration_To_v1beta3_KubeSchedulerConfiguration reports what is lost.
func Convert_config_KubeSchedulerConfiguration_To_v1beta3_KubeSchedulerConfiguration(in *config.KubeSchedulerConfiguration, out *v1beta3.KubeSchedulerConfiguration, s apiconversion.Scope) error {
	in = apiVersion.Fit(in, conversion.ContextOf(s))
	return autoConvert_config_KubeSchedulerConfiguration_To_v1beta3_KubeSchedulerConfiguration(in, out, s)
}

// Convert_v1beta3_KubeSchedulerProfile_To_config_KubeSchedulerProfile adds the plugins, which are
// a struct on the wire and a map in the hub.
func Convert_v1beta3_KubeSchedulerProfile_To_config_KubeSchedulerProfile(in *v1beta3.KubeSchedulerProfile, out *config.KubeSchedulerProfile, s apiconversion.Scope) error {
	if in.Plugins != nil {
		out.Plugins = apiVersion.PluginsToHub(in.Plugins)
	}
	return autoConvert_v1beta3_KubeSchedulerProfile_To_config_KubeSchedulerProfile(in, out, s)
}

// Convert_config_KubeSchedulerProfile_To_v1beta3_KubeSchedulerProfile is the way back.
func Convert_config_KubeSchedulerProfile_To_v1beta3_KubeSchedulerProfile(in *config.KubeSchedulerProfile, out *v1beta3.KubeSchedulerProfile, s apiconversion.Scope) error {
	if in.Plugins != nil {
		out.Plugins = &v1beta3.Plugins{}
		apiVersion.PluginsFromHub(in.Plugins, out.Plugins)
	}
	return autoConvert_config_KubeSchedulerProfile_To_v1beta3_KubeSchedulerProfile(in, out, s)
}

// Convert_v1beta3_Plugins_To_config_Plugins goes by the names of the points.
func Convert_v1beta3_Plugins_To_config_Plugins(in *v1beta3.Plugins, out *config.Plugins, s apiconversion.Scope) error {
	*out = apiVersion.PluginsToHub(in)
	return nil
}

// Convert_config_Plugins_To_v1beta3_Plugins is the way back.
func Convert_config_Plugins_To_v1beta3_Plugins(in *config.Plugins, out *v1beta3.Plugins, s apiconversion.Scope) error {
	apiVersion.PluginsFromHub(*in, out)
	return nil
}

// Convert_v1beta3_PluginConfig_To_config_PluginConfig converts args of this apiVersion's kinds, and keeps
// those of plugins that it does not know.
func Convert_v1beta3_PluginConfig_To_config_PluginConfig(in *v1beta3.PluginConfig, out *config.PluginConfig, s apiconversion.Scope) (err error) {
	out.Name = in.Name
	out.Args, err = apiVersion.ArgsToHub(in.Args, s)
	return err
}

// Convert_config_PluginConfig_To_v1beta3_PluginConfig is the way back.
func Convert_config_PluginConfig_To_v1beta3_PluginConfig(in *config.PluginConfig, out *v1beta3.PluginConfig, s apiconversion.Scope) (err error) {
	out.Name = in.Name
	out.Args, err = apiVersion.ArgsFromHub(in.Args, s)
	return err
}
