// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package conversion_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	schedv1 "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/randfill"

	"github.com/schedconf/schedconf/conversion"
	convv1 "github.com/schedconf/schedconf/conversion/v1"
	convv1alpha1 "github.com/schedconf/schedconf/conversion/v1alpha1"
	convv1alpha2 "github.com/schedconf/schedconf/conversion/v1alpha2"
	convv1beta1 "github.com/schedconf/schedconf/conversion/v1beta1"
	convv1beta2 "github.com/schedconf/schedconf/conversion/v1beta2"
	convv1beta3 "github.com/schedconf/schedconf/conversion/v1beta3"
	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/v1alpha1"
	"github.com/schedconf/schedconf/scheme/v1alpha2"
	"github.com/schedconf/schedconf/scheme/v1beta1"
	"github.com/schedconf/schedconf/scheme/v1beta2"
	"github.com/schedconf/schedconf/scheme/v1beta3"
)

// rounds is how many random objects each property is tried on.
const rounds = 500

// apiVersion is one way to write a configuration.
type apiVersion struct {
	gv       schema.GroupVersion
	register func(*runtime.Scheme) error
	config   runtime.Object
	args     []runtime.Object
}

var apiVersions = []apiVersion{
	{v1alpha1.SchemeGroupVersion, convv1alpha1.Register, &v1alpha1.KubeSchedulerConfiguration{}, nil},
	{v1alpha2.SchemeGroupVersion, convv1alpha2.Register, &v1alpha2.KubeSchedulerConfiguration{}, nil},
	{v1beta1.SchemeGroupVersion, convv1beta1.Register, &v1beta1.KubeSchedulerConfiguration{}, []runtime.Object{
		&v1beta1.DefaultPreemptionArgs{}, &v1beta1.InterPodAffinityArgs{}, &v1beta1.NodeAffinityArgs{},
		&v1beta1.NodeLabelArgs{}, &v1beta1.NodeResourcesBalancedAllocationArgs{}, &v1beta1.NodeResourcesFitArgs{},
		&v1beta1.NodeResourcesLeastAllocatedArgs{}, &v1beta1.NodeResourcesMostAllocatedArgs{},
		&v1beta1.PodTopologySpreadArgs{}, &v1beta1.RequestedToCapacityRatioArgs{}, &v1beta1.ServiceAffinityArgs{},
		&v1beta1.VolumeBindingArgs{},
	}},
	{v1beta2.SchemeGroupVersion, convv1beta2.Register, &v1beta2.KubeSchedulerConfiguration{}, []runtime.Object{
		&v1beta2.DefaultPreemptionArgs{}, &v1beta2.InterPodAffinityArgs{}, &v1beta2.NodeAffinityArgs{},
		&v1beta2.NodeResourcesBalancedAllocationArgs{}, &v1beta2.NodeResourcesFitArgs{},
		&v1beta2.PodTopologySpreadArgs{}, &v1beta2.VolumeBindingArgs{},
	}},
	{v1beta3.SchemeGroupVersion, convv1beta3.Register, &v1beta3.KubeSchedulerConfiguration{}, []runtime.Object{
		&v1beta3.DefaultPreemptionArgs{}, &v1beta3.InterPodAffinityArgs{}, &v1beta3.NodeAffinityArgs{},
		&v1beta3.NodeResourcesBalancedAllocationArgs{}, &v1beta3.NodeResourcesFitArgs{},
		&v1beta3.PodTopologySpreadArgs{}, &v1beta3.VolumeBindingArgs{},
	}},
	{schedv1.SchemeGroupVersion, convv1.Register, &schedv1.KubeSchedulerConfiguration{}, []runtime.Object{
		&schedv1.DefaultPreemptionArgs{}, &schedv1.DynamicResourcesArgs{}, &schedv1.InterPodAffinityArgs{},
		&schedv1.NodeAffinityArgs{}, &schedv1.NodeResourcesBalancedAllocationArgs{}, &schedv1.NodeResourcesFitArgs{},
		&schedv1.PodTopologySpreadArgs{}, &schedv1.VolumeBindingArgs{},
	}},
}

// hubArgs has every args kind of the hub.
var hubArgs = []runtime.Object{
	&config.DefaultPreemptionArgs{}, &config.DynamicResourcesArgs{}, &config.InterPodAffinityArgs{},
	&config.NodeAffinityArgs{}, &config.NodeLabelArgs{}, &config.NodeResourcesBalancedAllocationArgs{},
	&config.NodeResourcesFitArgs{}, &config.NodeResourcesLeastAllocatedArgs{}, &config.NodeResourcesMostAllocatedArgs{},
	&config.PodTopologySpreadArgs{}, &config.RequestedToCapacityRatioArgs{}, &config.ServiceAffinityArgs{},
	&config.VolumeBindingArgs{},
}

var points = []config.Point{
	config.MultiPoint, config.PreEnqueue, config.QueueSort, config.PreFilter, config.Filter, config.PostFilter,
	config.PodGroupPostFilter, config.PreScore, config.Score, config.Reserve, config.Permit, config.PreBind,
	config.Bind, config.PostBind, config.Unreserve, config.PlacementGenerate, config.PlacementScore,
}

// newScheme registers all apiVersions with one scheme, where they must not get into each other's way.
func newScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	s := runtime.NewScheme()
	for _, v := range apiVersions {
		s.AddKnownTypes(v.gv, append(v.args, v.config)...)
		if err := v.register(s); err != nil {
			t.Fatal(err)
		}
	}
	s.AddKnownTypes(config.SchemeGroupVersion, append(hubArgs, &config.KubeSchedulerConfiguration{})...)
	return s
}

func toHub(t *testing.T, s *runtime.Scheme, wire runtime.Object, c *conversion.Context) *config.KubeSchedulerConfiguration {
	t.Helper()
	hub := &config.KubeSchedulerConfiguration{}
	if err := s.Convert(wire, hub, c); err != nil {
		t.Fatal(err)
	}
	return hub
}

func (v apiVersion) fromHub(t *testing.T, s *runtime.Scheme, hub *config.KubeSchedulerConfiguration) (runtime.Object, diag.List) {
	t.Helper()
	wire := newOf(v.config)
	c := &conversion.Context{}
	if err := s.Convert(hub, wire, c); err != nil {
		t.Fatal(err)
	}
	return wire, c.Losses
}

func newOf[T any](object T) T {
	return reflect.New(reflect.TypeOf(object).Elem()).Interface().(T)
}

// filler fills the types of v with what decoding could have made of a file.
func (v apiVersion) filler(seed int64) *randfill.Filler {
	return newFiller(seed).Funcs(
		func(args *runtime.RawExtension, c randfill.Continue) {
			switch c.Intn(3) {
			case 0:
				object := newOf(v.args[c.Intn(len(v.args))])
				c.Fill(object)
				object.GetObjectKind().SetGroupVersionKind(v.gv.WithKind(reflect.TypeOf(object).Elem().Name()))
				args.Object = object
			case 1:
				raw := randomRaw(c)
				args.Raw, args.Object = raw.Raw, raw
			}
		},
		func(args *runtime.Unknown, c randfill.Continue) {
			if c.Bool() {
				*args = *randomRaw(c)
			}
		},
		// Both names of the lock are the same after a round trip, so they have to be before.
		func(le *v1alpha1.KubeSchedulerLeaderElectionConfiguration, c randfill.Continue) {
			c.Fill(&le.LeaderElectionConfiguration)
			le.LockObjectName, le.LockObjectNamespace = le.ResourceName, le.ResourceNamespace
		},
	)
}

func newFiller(seed int64) *randfill.Filler {
	return randfill.NewWithSeed(seed).NilChance(0.3).NumElements(0, 3).Funcs(
		// Conversions leave kind and apiVersion to their caller, and set those of args themselves.
		func(*metav1.TypeMeta, randfill.Continue) {},
		func(plugins *config.Plugins, c randfill.Continue) {
			*plugins = config.Plugins{}
			for _, point := range points {
				if c.Bool() {
					set := config.PluginSet{}
					c.Fill(&set)
					(*plugins)[point] = set
				}
			}
		},
		func(args *runtime.Object, c randfill.Continue) {
			switch c.Intn(3) {
			case 0:
				object := newOf(hubArgs[c.Intn(len(hubArgs))])
				c.Fill(object)
				*args = object
			case 1:
				*args = randomRaw(c)
			}
		},
	)
}

func randomRaw(c randfill.Continue) *runtime.Unknown {
	return &runtime.Unknown{Raw: fmt.Appendf(nil, `{"n":%d}`, c.Intn(100)), ContentType: runtime.ContentTypeJSON}
}

// TestWireRoundTrip compares strictly: nil is not an empty list.
func TestWireRoundTrip(t *testing.T) {
	s := newScheme(t)
	for _, v := range apiVersions {
		t.Run(v.gv.Version, func(t *testing.T) {
			for seed := range int64(rounds) {
				in := newOf(v.config)
				v.filler(seed).Fill(in)
				before := in.DeepCopyObject()

				c := &conversion.Context{}
				hub := toHub(t, s, in, c)
				out, losses := v.fromHub(t, s, hub)

				if losses = append(c.Losses, losses...); len(losses) > 0 {
					t.Fatalf("seed %d: lost: %v", seed, losses)
				}
				if !reflect.DeepEqual(in, out) {
					t.Fatalf("seed %d: (-in +out)\n%s", seed, cmp.Diff(in, out))
				}
				if !reflect.DeepEqual(in, before) {
					t.Fatalf("seed %d: the input was changed (-before +after)\n%s", seed, cmp.Diff(before, in))
				}
			}
		})
	}
}

// TestHubToWire wants that what has been made to fit once fits.
func TestHubToWire(t *testing.T) {
	s := newScheme(t)
	for _, v := range apiVersions {
		t.Run(v.gv.Version, func(t *testing.T) {
			for seed := range int64(rounds) {
				hub := &config.KubeSchedulerConfiguration{}
				newFiller(seed).Fill(hub)
				before := hub.DeepCopy()

				first, losses := v.fromHub(t, s, hub)
				if !reflect.DeepEqual(hub, before) {
					t.Fatalf("seed %d: the input was changed (-before +after)\n%s", seed, cmp.Diff(before, hub))
				}
				checkLosses(t, losses)
				second, losses := v.fromHub(t, s, toHub(t, s, first, nil))
				if len(losses) > 0 {
					t.Fatalf("seed %d: lost: %v", seed, losses)
				}
				if !reflect.DeepEqual(first, second) {
					t.Fatalf("seed %d: (-first +second)\n%s", seed, cmp.Diff(first, second))
				}
			}
		})
	}
}

func checkLosses(t *testing.T, losses diag.List) {
	t.Helper()
	for _, loss := range losses {
		if loss.Severity != diag.Warning || loss.Stage != "" || loss.Rule == "" || loss.Message == "" || len(loss.Path) == 0 {
			t.Errorf("not a proper finding: %+v", loss)
		}
	}
}

// full fills with something in every place, so that a place that is forgotten shows.
func full() *randfill.Filler { return newFiller(1).NilChance(0).NumElements(1, 1) }

// checkHeldOrReported wants that hub comes back whole, or that something at path is said to be lost.
func checkHeldOrReported(t *testing.T, s *runtime.Scheme, v apiVersion, hub *config.KubeSchedulerConfiguration, path string) {
	t.Helper()
	wire, losses := v.fromHub(t, s, hub)
	back := toHub(t, s, wire, nil)
	whole := reflect.DeepEqual(hub, back)
	switch {
	case whole && len(losses) > 0:
		t.Errorf("%s: nothing is lost from %s, but reported: %v", v.gv.Version, path, losses)
	case !whole && len(losses) == 0:
		t.Errorf("%s: silently lost from %s (-in +out)\n%s", v.gv.Version, path, cmp.Diff(hub, back))
	}
	for _, loss := range losses {
		if !strings.HasPrefix(loss.Path.String(), path) {
			t.Errorf("%s: reported at %s, want %s", v.gv.Version, loss.Path, path)
		}
	}
}

// oneProfile is a hub object that every apiVersion can hold.
func oneProfile() *config.KubeSchedulerConfiguration {
	return &config.KubeSchedulerConfiguration{Profiles: make([]config.KubeSchedulerProfile, 1)}
}

func TestEveryHubFieldIsHeldOrReported(t *testing.T) {
	s := newScheme(t)
	for _, v := range apiVersions {
		for field := range fields[config.KubeSchedulerConfiguration]("TypeMeta", "Profiles") {
			hub := oneProfile()
			full().Fill(reflect.ValueOf(hub).Elem().FieldByName(field).Addr().Interface())
			checkHeldOrReported(t, s, v, hub, strings.ToLower(field[:1])+field[1:])
		}
		for field := range fields[config.KubeSchedulerProfile]("Plugins", "PluginConfig") {
			hub := oneProfile()
			full().Fill(reflect.ValueOf(&hub.Profiles[0]).Elem().FieldByName(field).Addr().Interface())
			checkHeldOrReported(t, s, v, hub, "profiles[0]."+strings.ToLower(field[:1])+field[1:])
		}
	}
}

// fields yields the names of the fields of T but some.
func fields[T any](except ...string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
			if len(field.Index) > 1 || strings.Contains(" "+strings.Join(except, " ")+" ", " "+field.Name+" ") {
				continue
			}
			if !yield(field.Name) {
				return
			}
		}
	}
}

func TestEveryPointIsHeldOrReported(t *testing.T) {
	s := newScheme(t)
	for _, v := range apiVersions {
		for _, point := range points {
			hub := oneProfile()
			set := config.PluginSet{}
			full().Fill(&set)
			hub.Profiles[0].Plugins = config.Plugins{point: set}
			if _, losses := v.fromHub(t, s, hub); len(losses) > 0 {
				// The struct around the point stays, and so does its empty map.
				if len(losses) != 1 || losses[0].Rule != conversion.RulePointDropped {
					t.Errorf("%s: %s: %v", v.gv.Version, point, losses)
				}
			}
			checkHeldOrReported(t, s, v, hub, "profiles[0].plugins."+string(point))
		}
	}
}

func TestEveryArgsKindIsHeldOrReported(t *testing.T) {
	s := newScheme(t)
	for _, v := range apiVersions {
		if v.args == nil {
			continue // TestTypedArgsAsJSON
		}
		for _, kind := range hubArgs {
			args := newOf(kind)
			full().Fill(args)
			hub := oneProfile()
			hub.Profiles[0].PluginConfig = []config.PluginConfig{{Name: "P", Args: args}}
			checkHeldOrReported(t, s, v, hub, "profiles[0].pluginConfig[0]")
		}
	}
}

// TestNoSharedMemory lets a caller go on with the result without a change to what was converted.
func TestNoSharedMemory(t *testing.T) {
	s := newScheme(t)
	for _, v := range apiVersions {
		wire := newOf(v.config)
		v.filler(1).NilChance(0).NumElements(3, 3).Fill(wire)
		hub := toHub(t, s, wire, nil)
		back, _ := v.fromHub(t, s, hub)

		inHub := map[uintptr]string{}
		collectMemory(reflect.ValueOf(hub), "", inHub)
		if len(inHub) < 20 {
			t.Errorf("%s: only %d pieces of memory found", v.gv.Version, len(inHub))
		}
		for name, object := range map[string]runtime.Object{"from": wire, "to": back} {
			memory := map[uintptr]string{}
			collectMemory(reflect.ValueOf(object), "", memory)
			for address, path := range memory {
				if hubPath, shared := inHub[address]; shared {
					t.Errorf("%s: conversion %s the wire shares %s with the hub's %s", v.gv.Version, name, path, hubPath)
				}
			}
		}
	}
}

// collectMemory notes the address of everything that value points to, and by which path.
func collectMemory(value reflect.Value, path string, memory map[uintptr]string) {
	switch value.Kind() {
	case reflect.Interface:
		if !value.IsNil() {
			collectMemory(value.Elem(), path, memory)
		}
	case reflect.Pointer:
		if !value.IsNil() {
			memory[value.Pointer()] = path
			collectMemory(value.Elem(), path, memory)
		}
	case reflect.Slice:
		if value.Len() > 0 {
			memory[value.Pointer()] = path
		}
		for i := range value.Len() {
			collectMemory(value.Index(i), fmt.Sprintf("%s[%d]", path, i), memory)
		}
	case reflect.Map:
		memory[value.Pointer()] = path
		for key, element := range value.Seq2() {
			collectMemory(element, fmt.Sprintf("%s[%s]", path, key), memory)
		}
	case reflect.Struct:
		for i := range value.NumField() {
			collectMemory(value.Field(i), path+"."+value.Type().Field(i).Name, memory)
		}
	}
}
