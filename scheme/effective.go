// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package scheme

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/schedconf/schedconf/scheme/config"
)

// Redacted stands where a value may be a secret.
const Redacted = "REDACTED"

// Effective is what a configuration means, whatever apiVersion it is written in: values after
// defaulting, and for each profile the plugins of every point in running order with the weights that
// count, and the args of the plugins in use. Secrets are redacted, so it can be printed.
type Effective map[string]any

// Effective returns the meaning of a built configuration.
func (b *Built) Effective() Effective {
	e := b.plainEffective()
	redact(map[string]any(e))
	return e
}

// EffectivePair returns two meanings to be compared. A secret that differs shows as such on the second
// side, without either value.
func EffectivePair(left, right *Built) (Effective, Effective) {
	a, b := left.plainEffective(), right.plainEffective()
	before := roundTrip(map[string]any(a))
	after := roundTrip(map[string]any(b))
	redact(map[string]any(a))
	redact(map[string]any(b))
	markSecrets(before, after, map[string]any(b))
	return a, b
}

// RedactedOther stands for a secret that is not the one on the other side.
const RedactedOther = Redacted + " (another one)"

// markSecrets walks two meanings and what is shown of the second in step.
func markSecrets(left, right any, shown any) {
	switch s := shown.(type) {
	case map[string]any:
		l, _ := left.(map[string]any)
		r, _ := right.(map[string]any)
		for key, child := range s {
			if text, ok := child.(string); ok && strings.Contains(text, Redacted) && l[key] != nil && !reflect.DeepEqual(l[key], r[key]) {
				s[key] = strings.Replace(text, Redacted, RedactedOther, 1)
				continue
			}
			markSecrets(l[key], r[key], child)
		}
	case []any:
		l, _ := left.([]any)
		r, _ := right.([]any)
		for i, child := range s {
			if i >= len(l) || i >= len(r) {
				return
			}
			if text, ok := child.(string); ok && strings.Contains(text, Redacted) && !reflect.DeepEqual(l[i], r[i]) {
				s[i] = strings.Replace(text, Redacted, RedactedOther, 1)
				continue
			}
			markSecrets(l[i], r[i], child)
		}
	}
}

func (b *Built) plainEffective() Effective {
	cfg := b.Config()
	e := Effective(plain(reflect.ValueOf(*cfg)).(map[string]any))
	for _, name := range []string{"kind", "apiVersion"} {
		delete(e, name)
	}
	if source, ok := e["algorithmSource"].(map[string]any); ok && source["provider"] != nil {
		// The provider's plugins stand in the profiles.
		delete(source, "provider")
		if len(source) == 0 {
			delete(e, "algorithmSource")
		}
	}
	profiles := make([]any, 0, len(b.Frameworks))
	for i, f := range b.Frameworks {
		profile := map[string]any{"schedulerName": f.SchedulerName, "plugins": pointLists(f)}
		if args := argsByPlugin(f); len(args) > 0 {
			profile["args"] = args
		}
		if n := cfg.Profiles[i].PercentageOfNodesToScore; n != nil {
			profile["percentageOfNodesToScore"] = *n
		}
		profiles = append(profiles, profile)
	}
	if len(profiles) > 0 {
		e["profiles"] = profiles
	}
	return e
}

// YAML prints the meaning with sorted keys.
func (e Effective) YAML() ([]byte, error) { return yaml.Marshal(map[string]any(e)) }

func pointLists(f Framework) map[string]any {
	points := map[string]any{}
	for point, list := range f.Points {
		if len(list) == 0 {
			continue
		}
		entries := make([]any, len(list))
		for i, plugin := range list {
			entry := map[string]any{"name": plugin.Name}
			if plugin.Weight != nil {
				entry["weight"] = *plugin.Weight
			}
			entries[i] = entry
		}
		points[string(point)] = entries
	}
	return points
}

func argsByPlugin(f Framework) map[string]any {
	args := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(f.Args)) {
		if raw, ok := f.Args[name].(*runtime.Unknown); ok {
			var value any
			if err := json.Unmarshal(raw.Raw, &value); err == nil {
				args[name] = value
			}
			continue
		}
		value, _ := plain(reflect.ValueOf(f.Args[name]).Elem()).(map[string]any)
		delete(value, "kind")
		delete(value, "apiVersion")
		if ratio, ok := f.Args[name].(*config.RequestedToCapacityRatioArgs); ok && ratio.Resources != nil && len(ratio.Resources) == 0 {
			// A Policy can come to no resources, which is not the default of cpu and memory.
			value["resources"] = []any{}
		}
		if len(value) > 0 {
			args[name] = value
		}
	}
	return args
}

// plain turns a hub value into maps, lists and scalars under the names that files use. What is not
// set is left out.
func plain(v reflect.Value) any {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		return plain(v.Elem())
	}
	if v.Type().PkgPath() != "" && v.CanInterface() {
		if _, ok := v.Interface().(json.Marshaler); ok {
			return roundTrip(v.Interface())
		}
	}
	switch v.Kind() {
	case reflect.Struct:
		object := map[string]any{}
		for i := range v.NumField() {
			addField(object, v.Type().Field(i), v.Field(i))
		}
		return object
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return string(v.Bytes())
		}
		list := make([]any, v.Len())
		for i := range list {
			list[i] = plain(v.Index(i))
		}
		return list
	case reflect.String:
		return v.String()
	}
	return v.Interface()
}

func addField(object map[string]any, field reflect.StructField, v reflect.Value) {
	tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	if field.Anonymous && tag == "" {
		embedded, _ := plain(v).(map[string]any)
		maps.Copy(object, embedded)
		return
	}
	if v.Kind() == reflect.Pointer && v.IsNil() || v.Kind() == reflect.Slice && v.Len() == 0 || v.Kind() == reflect.Map ||
		v.Kind() == reflect.Interface || v.Kind() == reflect.String && v.Len() == 0 {
		return
	}
	if v.Kind() == reflect.Bool && !v.Bool() && tag == "" {
		return
	}
	if tag == "" {
		tag = fileName(field.Name)
	}
	value := plain(v)
	if nested, ok := value.(map[string]any); ok && len(nested) == 0 {
		return
	}
	object[tag] = value
}

// fileName is the name that files use for a Go field: URLPrefix is urlPrefix, TLSConfig tlsConfig.
func fileName(name string) string {
	runes := []rune(name)
	for i := range runes {
		if i > 0 && (!unicode.IsUpper(runes[i]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			break
		}
		runes[i] = unicode.ToLower(runes[i])
	}
	return string(runes)
}

func roundTrip(value any) any {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("%v", value)
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		return string(data)
	}
	return out
}

// secretWords are parts of names under which people keep secrets; the names of files are not secret.
var secretWords = []string{"token", "password", "passwd", "secret", "credential", "apikey", "api_key", "accesskey", "access_key", "privatekey", "private_key", "bearer", "keydata", "certdata", "cadata"}

// redact replaces what may be secret in place: values under telling names, and passwords in URLs.
func redact(value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, child := range v {
			if _, isText := child.(string); isText && IsSecretName(key) {
				v[key] = Redacted
			} else if text, ok := child.(string); ok {
				v[key] = RedactURL(text)
			} else if IsSecretName(key) && child != nil {
				v[key] = Redacted
			} else {
				redact(child)
			}
		}
	case []any:
		for i, child := range v {
			if text, ok := child.(string); ok {
				v[i] = RedactURL(text)
			} else {
				redact(child)
			}
		}
	}
}

var urlPassword = regexp.MustCompile(`(://[^/@\s:]*):[^/@\s]*@`)

// RedactURL replaces the password in a URL.
func RedactURL(text string) string {
	return urlPassword.ReplaceAllString(text, "$1:"+Redacted+"@")
}
