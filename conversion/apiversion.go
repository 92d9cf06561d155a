// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/config"
)

// Shape names the wire types of one apiVersion.
type Shape struct {
	GroupVersion schema.GroupVersion
	// Config, Profile and Plugins are zero values of the structs that hold these.
	Config, Profile, Plugins any
	// Args has one object of every args kind.
	Args []runtime.Object
	// Points maps the JSON names of points that mean a point of another name.
	Points map[string]config.Point
}

// APIVersion knows what an apiVersion has a place for. It reads this off the Go types, so that there
// is no second list of fields, points and kinds that could be wrong.
type APIVersion struct {
	groupVersion schema.GroupVersion
	// lacks and profileLacks are the Go names of hub fields without a place.
	lacks, profileLacks []string
	points              []pointField
	args                map[string]argsKind
}

// New reads the shape. It panics when an args kind is unknown to the hub, which only a programming
// mistake can cause.
func New(shape Shape) *APIVersion {
	v := &APIVersion{
		groupVersion: shape.GroupVersion,
		lacks:        missing(reflect.TypeFor[config.KubeSchedulerConfiguration](), reflect.TypeOf(shape.Config)),
		profileLacks: missing(reflect.TypeFor[config.KubeSchedulerProfile](), reflect.TypeOf(shape.Profile)),
		points:       pointFields(reflect.TypeOf(shape.Plugins), shape.Points),
		args:         map[string]argsKind{},
	}
	// An apiVersion without profiles is one profile; its conversion says what that means.
	v.lacks = slices.DeleteFunc(v.lacks, func(name string) bool { return name == "Profiles" })
	for _, object := range shape.Args {
		kind := newArgsKind(object)
		v.args[kind.name] = kind
	}
	return v
}

// missing lists the fields of hub that wire has no field of the same name for.
func missing(hub, wire reflect.Type) []string {
	var names []string
	for i := range hub.NumField() {
		name := hub.Field(i).Name
		if _, found := wire.FieldByName(name); !found {
			names = append(names, name)
		}
	}
	return names
}

// hints say what to use instead of a field that is left out, by path without indexes.
var hints = map[string]string{
	"algorithmSource.policy":            "schedconf migrate turns a policy into profiles",
	"bindTimeoutSeconds":                "set bindTimeoutSeconds in the args of the plugin VolumeBinding",
	"disablePreemption":                 "to stop preemption, disable the plugin DefaultPreemption at the point postFilter",
	"hardPodAffinitySymmetricWeight":    "set hardPodAffinityWeight in the args of the plugin InterPodAffinity",
	"healthzBindAddress":                "the secure port answers health checks, see the flag --secure-port",
	"metricsBindAddress":                "the secure port serves metrics, see the flag --secure-port",
	"profiles.percentageOfNodesToScore": "percentageOfNodesToScore at the top level holds for every profile",
}

// Fit returns a copy of the hub object without what the apiVersion has no place for, and reports all
// that it left out. Conversions start with it: they lose nothing themselves, and their result shares
// no memory with their input.
func (v *APIVersion) Fit(in *config.KubeSchedulerConfiguration, c *Context) *config.KubeSchedulerConfiguration {
	out := in.DeepCopy()
	for _, name := range v.lacks {
		if name == "AlgorithmSource" {
			v.loseAlgorithmSource(&out.AlgorithmSource, c)
			continue
		}
		v.loseField(reflect.ValueOf(out), name, nil, c)
	}
	for i := range out.Profiles {
		v.fitProfile(&out.Profiles[i], diag.Path{"profiles"}.Index(i), c)
	}
	return out
}

func (v *APIVersion) fitProfile(profile *config.KubeSchedulerProfile, path diag.Path, c *Context) {
	for _, name := range v.profileLacks {
		v.loseField(reflect.ValueOf(profile), name, path, c)
	}
	v.fitPlugins(profile.Plugins, path.Child("plugins"), c)
	kept := profile.PluginConfig[:0]
	for j, entry := range profile.PluginConfig {
		if v.fitArgs(entry.Args, path.Child("pluginConfig").Index(j), c) {
			kept = append(kept, entry)
		}
	}
	profile.PluginConfig = kept
}

// defaultProvider is the algorithm provider that stands for the default plugins.
const defaultProvider = "DefaultProvider"

// loseAlgorithmSource does not mention the default provider: it is what one gets anyway.
func (v *APIVersion) loseAlgorithmSource(source *config.AlgorithmSource, c *Context) {
	if source.Provider != nil && *source.Provider == defaultProvider {
		source.Provider = nil
	}
	for _, name := range []string{"Provider", "Policy"} {
		v.loseField(reflect.ValueOf(source), name, diag.Path{"algorithmSource"}, c)
	}
}

// loseField sets a field of the struct that parent points to to zero, and reports it if it was set.
func (v *APIVersion) loseField(parent reflect.Value, name string, path diag.Path, c *Context) {
	field := parent.Elem().FieldByName(name)
	if isSet(field) {
		path = path.Child(lowerCamel(name))
		message := fmt.Sprintf("%s has no field %q", v.groupVersion, lowerCamel(name))
		c.Lose(path, RuleFieldDropped, message, hints[withoutIndexes(path)])
	}
	field.SetZero()
}

func isSet(field reflect.Value) bool {
	if field.Kind() == reflect.Slice {
		return field.Len() > 0
	}
	return !field.IsZero()
}

// lowerCamel turns the Go name of a field that the hub has into its JSON name.
func lowerCamel(name string) string { return strings.ToLower(name[:1]) + name[1:] }

func withoutIndexes(path diag.Path) string {
	steps := slices.DeleteFunc(slices.Clone(path), func(step string) bool { return strings.Trim(step, "0123456789") == "" })
	return strings.Join(steps, ".")
}
