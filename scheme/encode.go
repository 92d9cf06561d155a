// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package scheme

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/config"
)

// Encode writes a configuration of the apiVersion as the YAML that the release's --write-config-to
// writes for it: sorted keys, and only the fields that the release has.
func (s *Scheme) Encode(obj runtime.Object, api *schemas.API) ([]byte, error) {
	shape, err := s.Shape(api)
	if err != nil {
		return nil, err
	}
	if err := encodeArgs(obj); err != nil {
		return nil, err
	}
	data, err := json.Marshal(obj)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", api.APIVersion, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("encode %s: %w", api.APIVersion, err)
	}
	shape.Prune(value)
	if data, err = json.Marshal(value); err != nil {
		return nil, fmt.Errorf("encode %s: %w", api.APIVersion, err)
	}
	return yaml.JSONToYAML(data)
}

// encodeArgs puts the JSON of typed args where the encoder looks for it.
func encodeArgs(obj runtime.Object) error {
	profiles := reflect.ValueOf(obj).Elem().FieldByName("Profiles")
	if !profiles.IsValid() {
		return nil
	}
	for i := range profiles.Len() {
		list := profiles.Index(i).FieldByName("PluginConfig")
		for j := range list.Len() {
			raw, ok := list.Index(j).FieldByName("Args").Addr().Interface().(*runtime.RawExtension)
			if !ok || raw.Object == nil || len(raw.Raw) > 0 {
				continue
			}
			data, err := json.Marshal(raw.Object)
			if err != nil {
				return fmt.Errorf("encode args of %s: %w", list.Index(j).FieldByName("Name").String(), err)
			}
			raw.Raw = data
		}
	}
	return nil
}

// Write returns what the release's --write-config-to writes for a configuration of the apiVersion.
func (s *Scheme) Write(built *Built, api *schemas.API) ([]byte, error) {
	return s.write(built.Config().DeepCopy(), api)
}

// WriteDefaulted returns a configuration with its defaults and nothing that building it would change,
// for one that the release refuses to build.
func (s *Scheme) WriteDefaulted(cfg *config.KubeSchedulerConfiguration, api *schemas.API) ([]byte, error) {
	return s.write(cfg.DeepCopy(), api)
}

func (s *Scheme) write(cfg *config.KubeSchedulerConfiguration, api *schemas.API) ([]byte, error) {
	target, ok := s.Release.API(api.Writes)
	if !ok {
		return nil, fmt.Errorf("Kubernetes %s writes %s, which it does not read", s.Release.Name, api.Writes)
	}
	obj, _, err := s.FromHub(settled(cfg, target), target)
	if err != nil {
		return nil, err
	}
	return s.Encode(obj, target)
}

// settled gives, in place, a value to what a release's internal type holds by value, since that is what it
// writes: its own types cannot tell "not set" from zero.
func settled(cfg *config.KubeSchedulerConfiguration, api *schemas.API) *config.KubeSchedulerConfiguration {
	set(&cfg.EnableContentionProfiling)
	set(&cfg.HealthzBindAddress)
	set(&cfg.MetricsBindAddress)
	if api.Behaviour.UnsetWeights != "zero" {
		return cfg
	}
	for i := range cfg.Profiles {
		for _, plugins := range cfg.Profiles[i].Plugins {
			for _, list := range [][]config.Plugin{plugins.Enabled, plugins.Disabled} {
				for j := range list {
					set(&list[j].Weight)
				}
			}
		}
	}
	return cfg
}

// set points the pointer at zero if it points nowhere.
func set[T any](pointer **T) {
	if *pointer == nil {
		*pointer = new(T)
	}
}

// EncodeGiven writes a configuration without defaults: what is not set is left out, where Encode
// would write the zero value that stands for it.
func (s *Scheme) EncodeGiven(obj runtime.Object, api *schemas.API) ([]byte, error) {
	value, err := s.GivenValue(obj, api)
	if err != nil {
		return nil, err
	}
	return yaml.Marshal(value)
}

// GivenValue returns what EncodeGiven writes as maps, lists and scalars.
func (s *Scheme) GivenValue(obj runtime.Object, api *schemas.API) (any, error) {
	shape, err := s.Shape(api)
	if err != nil {
		return nil, err
	}
	value, err := given(reflect.ValueOf(obj).Elem())
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", api.APIVersion, err)
	}
	shape.Prune(value)
	return value, nil
}

// given turns a wire value into maps and lists. A value that is zero and no pointer cannot be told
// from one that is not set, so leaving it out changes nothing.
func given(v reflect.Value) (any, error) {
	switch value := v.Interface().(type) {
	case runtime.RawExtension:
		return givenArgs(value)
	case json.Marshaler:
		return roundTrip(value), nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		return given(v.Elem())
	case reflect.Struct:
		return givenStruct(v)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return roundTrip(v.Interface()), nil
		}
		list := make([]any, v.Len())
		for i := range list {
			item, err := given(v.Index(i))
			if err != nil {
				return nil, err
			}
			list[i] = item
		}
		return list, nil
	}
	return v.Interface(), nil
}

func givenStruct(v reflect.Value) (any, error) {
	object := map[string]any{}
	for i := range v.NumField() {
		field, tag := v.Field(i), v.Type().Field(i)
		name, _, _ := strings.Cut(tag.Tag.Get("json"), ",")
		if field.IsZero() {
			continue
		}
		value, err := given(field)
		if err != nil {
			return nil, err
		}
		nested, isObject := value.(map[string]any)
		switch {
		case tag.Anonymous && name == "":
			maps.Copy(object, nested)
		case isObject && len(nested) == 0 && field.Kind() != reflect.Pointer && !isRaw(field):
		case field.Kind() == reflect.Slice && field.Len() == 0:
		default:
			object[name] = value
		}
	}
	return object, nil
}

// isRaw reports whether the field holds text that was written for a plugin to read, which can tell an
// empty object from none.
func isRaw(field reflect.Value) bool {
	switch raw := field.Interface().(type) {
	case runtime.RawExtension:
		return len(raw.Raw) > 0
	case runtime.Unknown:
		return len(raw.Raw) > 0
	}
	return false
}

func givenArgs(raw runtime.RawExtension) (any, error) {
	if raw.Object != nil && len(raw.Raw) == 0 {
		if _, unknown := raw.Object.(*runtime.Unknown); !unknown {
			args, err := given(reflect.ValueOf(raw.Object))
			if object, ok := args.(map[string]any); ok {
				// The kind follows from the plugin's name.
				delete(object, "apiVersion")
				delete(object, "kind")
			}
			return args, err
		}
	}
	data, err := json.Marshal(raw)
	if err != nil {
		return nil, err
	}
	var value any
	err = json.Unmarshal(data, &value)
	return value, err
}
