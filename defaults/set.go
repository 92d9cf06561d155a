// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedconf/schedconf/conversion"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/config"
)

const defaultSchedulerName = "default-scheduler"

// Facts are what defaulting needs to know of a release.
type Facts struct {
	API   *schemas.API
	Gates schemas.Gates
	// Version converts the plugins of the API's wire type; nil where defaulting does not merge them.
	Version *conversion.APIVersion
	// DefaultArgs makes the args object that the release gives a plugin without any, with its kind and
	// apiVersion set; nil where the version has no args for the plugin.
	DefaultArgs func(plugin string) runtime.Object
	// Plugins are the plugins that the release enables when nobody says anything.
	Plugins config.Plugins
	// SkipUnsaid leaves profiles alone that say nothing about plugins, for a caller who knows what
	// they come to.
	SkipUnsaid bool
}

// Set fills in obj, a KubeSchedulerConfiguration of the apiVersion that facts are about. An error
// means that the facts do not fit the type, which is a fault of ours.
func Set(obj runtime.Object, facts Facts) error {
	if err := apply(obj, facts.API.Defaults, facts.Gates); err != nil {
		return err
	}
	setAddresses(reflect.ValueOf(obj).Elem(), facts.API)
	profiles := reflect.ValueOf(obj).Elem().FieldByName("Profiles")
	if !profiles.IsValid() {
		return nil
	}
	if profiles.Len() == 0 {
		profiles.Set(reflect.MakeSlice(profiles.Type(), 1, 1))
	}
	if name := profiles.Index(0).FieldByName("SchedulerName"); profiles.Len() == 1 && name.IsNil() {
		value := defaultSchedulerName
		name.Set(reflect.ValueOf(&value))
	}
	for i := range profiles.Len() {
		if err := setProfile(profiles.Index(i), facts); err != nil {
			return fmt.Errorf("profile %d: %w", i, err)
		}
	}
	return nil
}

func setAddresses(obj reflect.Value, api *schemas.API) {
	fill := addresses[api.Behaviour.Addresses]
	for _, name := range []string{"HealthzBindAddress", "MetricsBindAddress"} {
		if field := obj.FieldByName(name); field.IsValid() {
			field.Set(reflect.ValueOf(fill(field.Interface().(*string))))
		}
	}
}

// setProfile merges the plugins where the release does that while defaulting, and fills in args.
func setProfile(profile reflect.Value, facts Facts) error {
	list := profile.FieldByName("PluginConfig")
	if facts.SkipUnsaid && list.Len() == 0 && profile.FieldByName("Plugins").IsNil() {
		return nil
	}
	given := map[string]bool{}
	for i := range list.Len() {
		given[list.Index(i).FieldByName("Name").String()] = true
		args, ok := list.Index(i).FieldByName("Args").Addr().Interface().(*runtime.RawExtension)
		if !ok || args.Object == nil {
			continue
		}
		if err := Args(args.Object, facts); err != nil {
			return err
		}
	}
	if facts.API.Behaviour.MergeAt != "default" {
		return nil
	}
	field := profile.FieldByName("Plugins")
	var custom config.Plugins
	if !field.IsNil() {
		custom = facts.Version.PluginsToHub(field.Interface())
	}
	merged := Merge(facts.API, facts.Plugins, custom)
	field.Set(reflect.New(field.Type().Elem()))
	facts.Version.PluginsFromHub(merged, field.Interface())

	names := map[string]bool{}
	for _, point := range facts.API.ArgsPoints {
		for _, p := range merged[config.Point(point)].Enabled {
			names[p.Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if given[name] {
			continue
		}
		args := facts.DefaultArgs(name)
		if args == nil {
			continue
		}
		entry := reflect.New(list.Type().Elem()).Elem()
		entry.FieldByName("Name").SetString(name)
		entry.FieldByName("Args").Set(reflect.ValueOf(runtime.RawExtension{Object: args}))
		list.Set(reflect.Append(list, entry))
	}
	return nil
}

// Args fills in a typed args object; objects of other kinds are left as they are.
func Args(args runtime.Object, facts Facts) error {
	kind := args.GetObjectKind().GroupVersionKind().Kind
	if err := apply(args, facts.API.ArgsDefaults[kind], facts.Gates); err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	return nil
}
