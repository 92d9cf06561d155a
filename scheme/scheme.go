// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package scheme

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	schedv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedconf/schedconf/conversion"
	conversionv1 "github.com/schedconf/schedconf/conversion/v1"
	conversionv1alpha1 "github.com/schedconf/schedconf/conversion/v1alpha1"
	conversionv1alpha2 "github.com/schedconf/schedconf/conversion/v1alpha2"
	conversionv1beta1 "github.com/schedconf/schedconf/conversion/v1beta1"
	conversionv1beta2 "github.com/schedconf/schedconf/conversion/v1beta2"
	conversionv1beta3 "github.com/schedconf/schedconf/conversion/v1beta3"
	"github.com/schedconf/schedconf/defaults"
	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/v1alpha1"
	"github.com/schedconf/schedconf/scheme/v1alpha2"
	"github.com/schedconf/schedconf/scheme/v1beta1"
	"github.com/schedconf/schedconf/scheme/v1beta2"
	"github.com/schedconf/schedconf/scheme/v1beta3"
)

// version is what the scheme needs to know of an apiVersion: its types and its conversions. The
// v1 types come from k8s.io/kube-scheduler, whose own AddToScheme is never called: any program
// that links kube-scheduler adds the defaults of that one release to it.
type version struct {
	root        runtime.Object
	args        []runtime.Object
	conversions func(*runtime.Scheme) error
	// plugins converts the plugins of a profile; nil for apiVersions whose defaults leave them alone.
	plugins *conversion.APIVersion
}

var versions = map[schema.GroupVersion]version{
	v1alpha1.SchemeGroupVersion: {root: &v1alpha1.KubeSchedulerConfiguration{}, conversions: conversionv1alpha1.Register},
	v1alpha2.SchemeGroupVersion: {root: &v1alpha2.KubeSchedulerConfiguration{}, conversions: conversionv1alpha2.Register},
	v1beta1.SchemeGroupVersion: {
		root: &v1beta1.KubeSchedulerConfiguration{},
		args: []runtime.Object{
			&v1beta1.DefaultPreemptionArgs{}, &v1beta1.InterPodAffinityArgs{}, &v1beta1.NodeAffinityArgs{}, &v1beta1.NodeLabelArgs{},
			&v1beta1.NodeResourcesBalancedAllocationArgs{}, &v1beta1.NodeResourcesFitArgs{}, &v1beta1.NodeResourcesLeastAllocatedArgs{},
			&v1beta1.NodeResourcesMostAllocatedArgs{}, &v1beta1.PodTopologySpreadArgs{}, &v1beta1.RequestedToCapacityRatioArgs{},
			&v1beta1.ServiceAffinityArgs{}, &v1beta1.VolumeBindingArgs{},
		},
		conversions: conversionv1beta1.Register,
		plugins:     conversionv1beta1.APIVersion(),
	},
	v1beta2.SchemeGroupVersion: {
		root: &v1beta2.KubeSchedulerConfiguration{},
		args: []runtime.Object{
			&v1beta2.DefaultPreemptionArgs{}, &v1beta2.InterPodAffinityArgs{}, &v1beta2.NodeAffinityArgs{},
			&v1beta2.NodeResourcesBalancedAllocationArgs{}, &v1beta2.NodeResourcesFitArgs{}, &v1beta2.PodTopologySpreadArgs{},
			&v1beta2.VolumeBindingArgs{},
		},
		conversions: conversionv1beta2.Register,
		plugins:     conversionv1beta2.APIVersion(),
	},
	v1beta3.SchemeGroupVersion: {
		root: &v1beta3.KubeSchedulerConfiguration{},
		args: []runtime.Object{
			&v1beta3.DefaultPreemptionArgs{}, &v1beta3.InterPodAffinityArgs{}, &v1beta3.NodeAffinityArgs{},
			&v1beta3.NodeResourcesBalancedAllocationArgs{}, &v1beta3.NodeResourcesFitArgs{}, &v1beta3.PodTopologySpreadArgs{},
			&v1beta3.VolumeBindingArgs{},
		},
		conversions: conversionv1beta3.Register,
		plugins:     conversionv1beta3.APIVersion(),
	},
	schedv1.SchemeGroupVersion: {
		root: &schedv1.KubeSchedulerConfiguration{},
		args: []runtime.Object{
			&schedv1.DefaultPreemptionArgs{}, &schedv1.DynamicResourcesArgs{}, &schedv1.InterPodAffinityArgs{}, &schedv1.NodeAffinityArgs{},
			&schedv1.NodeResourcesBalancedAllocationArgs{}, &schedv1.NodeResourcesFitArgs{}, &schedv1.PodTopologySpreadArgs{},
			&schedv1.VolumeBindingArgs{},
		},
		conversions: conversionv1.Register,
		plugins:     conversionv1.APIVersion(),
	},
}

// Scheme is one release with its feature gates. It is not safe for concurrent use.
type Scheme struct {
	// Release is the facts that the scheme acts on.
	Release *schemas.Release
	// Gates is the state of every feature gate.
	Gates schemas.Gates

	types  *runtime.Scheme
	shapes map[string]*Shape
	// newArgs makes empty args by apiVersion and kind; only what the release serves.
	newArgs map[string]map[string]runtime.Object
	// declared are out-of-tree plugins by name, with their points.
	declared map[string][]string
	// defaulting and defaultArgs are made when they are first asked for.
	defaulting  map[*schemas.API]defaults.Facts
	defaultArgs map[*schemas.API]map[string]runtime.Object
	unsaid      map[*schemas.API]*unsaid
	// implements is what the plugins of the release and the declared ones implement.
	implements map[string]pointSet
}

// New builds the scheme of a release. It registers exactly the kinds that the release serves, each
// with the release's defaults and its conversions to and from the hub. An error is a fault in the
// embedded facts.
func New(release *schemas.Release, gates schemas.Gates) (*Scheme, error) {
	s := &Scheme{
		Release:     release,
		Gates:       gates,
		types:       runtime.NewScheme(),
		shapes:      map[string]*Shape{},
		newArgs:     map[string]map[string]runtime.Object{},
		declared:    map[string][]string{},
		defaulting:  map[*schemas.API]defaults.Facts{},
		defaultArgs: map[*schemas.API]map[string]runtime.Object{},
		unsaid:      map[*schemas.API]*unsaid{},
		implements:  map[string]pointSet{},
	}
	hub := []runtime.Object{
		&config.KubeSchedulerConfiguration{}, &config.DefaultPreemptionArgs{}, &config.DynamicResourcesArgs{}, &config.InterPodAffinityArgs{},
		&config.NodeAffinityArgs{}, &config.NodeLabelArgs{}, &config.NodeResourcesBalancedAllocationArgs{}, &config.NodeResourcesFitArgs{},
		&config.NodeResourcesLeastAllocatedArgs{}, &config.NodeResourcesMostAllocatedArgs{}, &config.PodTopologySpreadArgs{},
		&config.RequestedToCapacityRatioArgs{}, &config.ServiceAffinityArgs{}, &config.VolumeBindingArgs{},
	}
	s.types.AddKnownTypes(config.SchemeGroupVersion, hub...)
	for _, plugin := range release.Plugins {
		s.implements[plugin.Name] = newPointSet(plugin.Points)
	}
	for i := range release.APIs {
		if err := s.register(&release.APIs[i]); err != nil {
			return nil, fmt.Errorf("scheme of Kubernetes %s: %w", release.Name, err)
		}
	}
	return s, nil
}

func (s *Scheme) register(api *schemas.API) error {
	gv, err := schema.ParseGroupVersion(api.APIVersion)
	if err != nil {
		return err
	}
	v, ok := versions[gv]
	if !ok {
		return fmt.Errorf("no types for %s", gv)
	}
	s.types.AddKnownTypes(gv, v.root)
	served := map[string]runtime.Object{}
	for _, args := range v.args {
		kind := reflect.TypeOf(args).Elem().Name()
		served[kind] = args
	}
	s.newArgs[api.APIVersion] = map[string]runtime.Object{}
	for _, kind := range api.Args {
		args, ok := served[kind]
		if !ok {
			return fmt.Errorf("no type for %s %s", gv, kind)
		}
		s.types.AddKnownTypes(gv, args)
		s.newArgs[api.APIVersion][kind] = args
	}
	s.types.AddTypeDefaultingFunc(v.root, func(obj any) {
		if err := defaults.Set(obj.(runtime.Object), s.facts(api)); err != nil {
			panic(fmt.Sprintf("facts of Kubernetes %s: %s: %v", s.Release.Name, api.APIVersion, err))
		}
	})
	return v.conversions(s.types)
}

// facts are what defaulting needs to know of an apiVersion; made once, since every profile asks.
func (s *Scheme) facts(api *schemas.API) defaults.Facts {
	if facts, ok := s.defaulting[api]; ok {
		return facts
	}
	gv, _ := schema.ParseGroupVersion(api.APIVersion)
	facts := defaults.Facts{
		API:         api,
		Gates:       s.Gates,
		Version:     versions[gv].plugins,
		Plugins:     defaults.Plugins(api, s.Gates),
		DefaultArgs: func(plugin string) runtime.Object { return s.defaultWireArgs(api, plugin) },
	}
	s.defaulting[api] = facts
	return facts
}

// args makes an empty args object of the API's version, or nil where it has no such kind.
func (s *Scheme) args(api *schemas.API, kind string) runtime.Object {
	prototype, ok := s.newArgs[api.APIVersion][kind]
	if !ok {
		return nil
	}
	args := prototype.DeepCopyObject()
	args.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(api.APIVersion, kind))
	return args
}

// defaultWireArgs makes the args of a plugin with every default filled in, or nil where the
// apiVersion has no args for it.
func (s *Scheme) defaultWireArgs(api *schemas.API, plugin string) runtime.Object {
	made := s.defaultArgs[api]
	if made == nil {
		made = map[string]runtime.Object{}
		s.defaultArgs[api] = made
	}
	prototype, ok := made[plugin]
	if !ok {
		if prototype = s.args(api, plugin+"Args"); prototype != nil {
			if err := defaults.Args(prototype, s.facts(api)); err != nil {
				panic(fmt.Sprintf("facts of Kubernetes %s: %v", s.Release.Name, err))
			}
		}
		made[plugin] = prototype
	}
	if prototype == nil {
		return nil
	}
	return prototype.DeepCopyObject()
}

// Shape returns what the release's decoder takes of an apiVersion.
func (s *Scheme) Shape(api *schemas.API) (*Shape, error) {
	if shape, ok := s.shapes[api.APIVersion]; ok {
		return shape, nil
	}
	data, err := s.Release.Schema(api.APIVersion, api.Kind)
	if err != nil {
		return nil, err
	}
	shape, err := parseShape(data)
	if err != nil {
		return nil, fmt.Errorf("%s of Kubernetes %s: %w", api.APIVersion, s.Release.Name, err)
	}
	s.shapes[api.APIVersion] = shape
	return shape, nil
}

// Default fills in obj, a configuration of an apiVersion that the release serves, in place.
func (s *Scheme) Default(obj runtime.Object) { s.types.Default(obj) }

// ToHub converts a configuration of an apiVersion that the release serves to the hub. Losses are
// what the hub cannot hold; an error is a configuration that contradicts itself.
func (s *Scheme) ToHub(obj runtime.Object, api *schemas.API) (*config.KubeSchedulerConfiguration, diag.List, error) {
	return s.toHub(obj, api, context(api))
}

// Load defaults a configuration and converts it to the hub, in one step and once for all profiles
// that say nothing. The object is not to be used afterwards, and the result, parts of which are
// shared with other results, is not to be changed.
func (s *Scheme) Load(obj runtime.Object, api *schemas.API) (*config.KubeSchedulerConfiguration, error) {
	facts := s.facts(api)
	facts.SkipUnsaid = api.Behaviour.MergeAt == "default"
	if err := defaults.Set(obj, facts); err != nil {
		panic(fmt.Sprintf("facts of Kubernetes %s: %s: %v", s.Release.Name, api.APIVersion, err))
	}
	ctx := context(api)
	ctx.Consume = true
	hub, _, err := s.toHub(obj, api, ctx)
	if err != nil || !facts.SkipUnsaid {
		return hub, err
	}
	for i := range hub.Profiles {
		if profile := &hub.Profiles[i]; profile.Plugins == nil && len(profile.PluginConfig) == 0 {
			unsaid, err := s.unsaidProfile(api)
			if err != nil {
				return nil, err
			}
			profile.Plugins, profile.PluginConfig = unsaid.profile.Plugins, unsaid.profile.PluginConfig
		}
	}
	return hub, nil
}

// unsaid is what a profile comes to that says nothing about plugins.
type unsaid struct {
	profile   config.KubeSchedulerProfile
	framework Framework
}

func (s *Scheme) unsaidProfile(api *schemas.API) (*unsaid, error) {
	if known, ok := s.unsaid[api]; ok {
		return known, nil
	}
	obj, err := s.types.New(schema.FromAPIVersionAndKind(api.APIVersion, api.Kind))
	if err != nil {
		return nil, err
	}
	s.Default(obj)
	hub, _, err := s.ToHub(obj, api)
	if err != nil {
		return nil, err
	}
	built := s.Build(hub, api)
	if len(built.Refusals) > 0 {
		return nil, fmt.Errorf("Kubernetes %s refuses the defaults of %s: %s", s.Release.Name, api.APIVersion, built.Refusals[0].Message)
	}
	known := &unsaid{hub.Profiles[0], built.Frameworks[0]}
	s.unsaid[api] = known
	return known, nil
}

// isUnsaid reports whether a profile has the very plugins and args that Load gives one that says
// nothing; comparing where they are stored is enough.
func (s *Scheme) isUnsaid(api *schemas.API, p *config.KubeSchedulerProfile) (*unsaid, bool) {
	known, ok := s.unsaid[api]
	if !ok || len(p.PluginConfig) == 0 || len(p.PluginConfig) != len(known.profile.PluginConfig) {
		return nil, false
	}
	return known, &p.PluginConfig[0] == &known.profile.PluginConfig[0] &&
		reflect.ValueOf(p.Plugins).Pointer() == reflect.ValueOf(known.profile.Plugins).Pointer()
}

func (s *Scheme) toHub(obj runtime.Object, api *schemas.API, ctx *conversion.Context) (*config.KubeSchedulerConfiguration, diag.List, error) {
	hub := &config.KubeSchedulerConfiguration{}
	if err := s.types.Convert(obj, hub, ctx); err != nil {
		return nil, ctx.Losses, err
	}
	hub.APIVersion, hub.Kind = api.APIVersion, api.Kind
	return hub, ctx.Losses, nil
}

// FromHub converts the hub to an apiVersion that the release serves. Losses are what that version
// cannot say.
func (s *Scheme) FromHub(hub *config.KubeSchedulerConfiguration, api *schemas.API) (runtime.Object, diag.List, error) {
	gvk := schema.FromAPIVersionAndKind(api.APIVersion, api.Kind)
	obj, err := s.types.New(gvk)
	if err != nil {
		return nil, nil, err
	}
	ctx := context(api)
	if err := s.types.Convert(hub, obj, ctx); err != nil {
		return nil, ctx.Losses, fmt.Errorf("convert to %s: %w", api.APIVersion, err)
	}
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	return obj, ctx.Losses, nil
}

func context(api *schemas.API) *conversion.Context {
	return &conversion.Context{Behaviour: map[string]string{"hardPodAffinityWeight": api.Behaviour.HardPodAffinityWeight}}
}
