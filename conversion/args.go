// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"encoding/json"
	"fmt"
	"reflect"

	apiconversion "k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/config"
)

// hubArgs are the args types of the hub, by kind.
var hubArgs = byKind(
	&config.DefaultPreemptionArgs{},
	&config.DynamicResourcesArgs{},
	&config.InterPodAffinityArgs{},
	&config.NodeAffinityArgs{},
	&config.NodeLabelArgs{},
	&config.NodeResourcesBalancedAllocationArgs{},
	&config.NodeResourcesFitArgs{},
	&config.NodeResourcesLeastAllocatedArgs{},
	&config.NodeResourcesMostAllocatedArgs{},
	&config.PodTopologySpreadArgs{},
	&config.RequestedToCapacityRatioArgs{},
	&config.ServiceAffinityArgs{},
	&config.VolumeBindingArgs{},
)

func byKind(objects ...runtime.Object) map[string]reflect.Type {
	kinds := map[string]reflect.Type{}
	for _, object := range objects {
		t := reflect.TypeOf(object).Elem()
		kinds[t.Name()] = t
	}
	return kinds
}

// argsKind is a kind of args that an apiVersion has.
type argsKind struct {
	name      string
	wire, hub reflect.Type
	// lacks are the Go names of hub fields without a place.
	lacks []string
}

func newArgsKind(object runtime.Object) argsKind {
	wire := reflect.TypeOf(object).Elem()
	hub, found := hubArgs[wire.Name()]
	if !found {
		panic(fmt.Sprintf("conversion: the hub has no kind %s", wire.Name()))
	}
	return argsKind{name: wire.Name(), wire: wire, hub: hub, lacks: missing(hub, wire)}
}

func newObject(t reflect.Type) runtime.Object { return reflect.New(t).Interface().(runtime.Object) }

// CheckArgs refuses typed args that are not of the apiVersion of the configuration around them, a
// pointer to the apiVersion's KubeSchedulerConfiguration. The scheme of a release knows the args of
// its other apiVersions too and would convert them; kube-scheduler does not.
func (v *APIVersion) CheckArgs(in runtime.Object) error {
	profiles := reflect.ValueOf(in).Elem().FieldByName("Profiles")
	for i := range profiles.Len() {
		entries := profiles.Index(i).FieldByName("PluginConfig")
		for j := range entries.Len() {
			args := entries.Index(j).FieldByName("Args").Interface().(runtime.RawExtension)
			if err := v.checkArgs(args.Object); err != nil {
				path := diag.Path{"profiles"}.Index(i).Child("pluginConfig").Index(j).Child("args")
				return &Error{Path: path, Message: err.Error()}
			}
		}
	}
	return nil
}

func (v *APIVersion) checkArgs(object runtime.Object) error {
	switch object.(type) {
	case nil, *runtime.Unknown:
		return nil
	}
	t := reflect.TypeOf(object).Elem()
	if kind, found := v.args[t.Name()]; !found || kind.wire != t {
		return fmt.Errorf("args of %s cannot stand in a configuration of %s", nameOf(object), v.groupVersion)
	}
	return nil
}

func nameOf(object runtime.Object) string {
	if gvk := object.GetObjectKind().GroupVersionKind(); !gvk.Empty() {
		return gvk.GroupVersion().String() + " " + gvk.Kind
	}
	return reflect.TypeOf(object).Elem().String()
}

// ArgsToHub converts typed args to the hub's args of the same kind, and raw ones to a
// runtime.Unknown with the same bytes.
func (v *APIVersion) ArgsToHub(in runtime.RawExtension, s apiconversion.Scope) (runtime.Object, error) {
	switch object := in.Object.(type) {
	case nil:
		return v.RawArgsToHub(runtime.Unknown{Raw: in.Raw, ContentType: runtime.ContentTypeJSON}), nil
	case *runtime.Unknown:
		return v.RawArgsToHub(*object), nil
	}
	if err := v.checkArgs(in.Object); err != nil {
		return nil, err
	}
	out := newObject(v.args[reflect.TypeOf(in.Object).Elem().Name()].hub)
	return out, s.Convert(in.Object, out)
}

// ArgsFromHub is the way back. Raw args come as bytes, which JSON encoders print, and as object,
// which tells them from args that were not given.
func (v *APIVersion) ArgsFromHub(in runtime.Object, s apiconversion.Scope) (runtime.RawExtension, error) {
	switch args := in.(type) {
	case nil:
		return runtime.RawExtension{}, nil
	case *runtime.Unknown:
		if len(args.Raw) == 0 {
			return runtime.RawExtension{}, nil
		}
		return runtime.RawExtension{Raw: args.Raw, Object: args}, nil
	}
	out, err := v.typedArgs(in, s)
	if err != nil {
		return runtime.RawExtension{}, err
	}
	out.GetObjectKind().SetGroupVersionKind(v.groupVersion.WithKind(reflect.TypeOf(in).Elem().Name()))
	return runtime.RawExtension{Object: out}, nil
}

// RawArgsToHub converts the args of an apiVersion that types none.
func (v *APIVersion) RawArgsToHub(in runtime.Unknown) runtime.Object {
	if len(in.Raw) == 0 {
		return nil
	}
	return &in
}

// RawArgsFromHub is the way back. Typed args are written as the JSON that the args kinds of the
// shape give them, without kind and apiVersion: those did not exist then.
func (v *APIVersion) RawArgsFromHub(in runtime.Object, s apiconversion.Scope) (runtime.Unknown, error) {
	switch args := in.(type) {
	case nil:
		return runtime.Unknown{}, nil
	case *runtime.Unknown:
		return *args, nil
	}
	out, err := v.typedArgs(in, s)
	if err != nil {
		return runtime.Unknown{}, err
	}
	raw, err := json.Marshal(out)
	return runtime.Unknown{Raw: raw, ContentType: runtime.ContentTypeJSON}, err
}

// typedArgs converts to the wire. That the apiVersion has the kind was made sure by Fit.
func (v *APIVersion) typedArgs(in runtime.Object, s apiconversion.Scope) (runtime.Object, error) {
	kind, found := v.args[reflect.TypeOf(in).Elem().Name()]
	if !found {
		return nil, fmt.Errorf("%s has no args of type %T", v.groupVersion, in)
	}
	out := newObject(kind.wire)
	return out, s.Convert(in, out)
}

// fitArgs reports whether the apiVersion has the kind of args, and leaves out fields that it lacks.
// The path is that of the entry, because an entry without its args would mean something else.
func (v *APIVersion) fitArgs(args runtime.Object, path diag.Path, c *Context) bool {
	switch args.(type) {
	case nil, *runtime.Unknown:
		return true
	}
	name := reflect.TypeOf(args).Elem().Name()
	kind, found := v.args[name]
	if !found {
		c.Lose(path, RuleArgsDropped, fmt.Sprintf("%s has no kind %q", v.groupVersion, name), "")
		return false
	}
	for _, field := range kind.lacks {
		v.loseField(reflect.ValueOf(args), field, path.Child("args"), c)
	}
	return true
}
