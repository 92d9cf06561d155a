// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package scheme

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/source"
)

// seeds are the recorded cases and every other configuration among the test data.
func seeds(t testing.TB) []string {
	t.Helper()
	var recorded map[string]string
	data, err := os.ReadFile("../testdata/recorded/cases.json")
	if err == nil {
		err = json.Unmarshal(data, &recorded)
	}
	if err != nil || len(recorded) == 0 {
		t.Fatalf("no recorded cases: %v", err)
	}
	texts := slices.Sorted(maps.Values(recorded))
	for _, depth := range []string{"*", "*/*", "*/*/*"} {
		names, _ := filepath.Glob("../testdata/" + depth + ".yaml")
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(data))
		}
	}
	return texts
}

// FuzzDecode holds that the walk over the shape and the typed decoder agree, for every release that
// reads the document, and that what is written is read as what was there.
func FuzzDecode(f *testing.F) {
	var all []*Scheme
	for _, minor := range schemas.Minors() {
		all = append(all, newScheme(f, minor))
	}
	for _, seed := range seeds(f) {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		value, _, err := Value(source.Split("f.yaml", data)[0])
		if err != nil {
			return
		}
		apiVersion, kind, err := TypeMeta(value)
		if err != nil {
			return
		}
		for _, s := range all {
			if api, ok := s.Release.API(apiVersion); ok && kind == api.Kind {
				checkDecode(t, s, api, value)
			}
		}
	})
}

func checkDecode(t *testing.T, s *Scheme, api *schemas.API, value []byte) {
	t.Helper()
	decoded, err := s.Decode(value, api)
	if err != nil {
		t.Fatal(err)
	}
	if len(decoded.Misfits) > 0 {
		checkMisfits(t, s, api, value, decoded.Misfits)
		return
	}
	if decoded.Refused != nil {
		t.Fatalf("%s: no misfit explains the decoder's %v", s.Release.Name, decoded.Refused)
	}
	text, err := s.Encode(decoded.Object.DeepCopyObject(), api)
	if err != nil {
		t.Fatalf("%s: %v", s.Release.Name, err)
	}
	written, err := yaml.YAMLToJSON(text)
	if err != nil {
		t.Fatalf("%s: what was written cannot be read: %v\n%s", s.Release.Name, err, text)
	}
	again, err := s.Decode(written, api)
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Misfits) > 0 || again.Refused != nil {
		t.Fatalf("%s: what was written does not fit: %+v %v\n%s", s.Release.Name, again.Misfits, again.Refused, text)
	}
	if diff := cmp.Diff(decoded.Object, again.Object, sameConfiguration); diff != "" {
		t.Errorf("%s: what was written is not what was there (-read +written and read):\n%s", s.Release.Name, diff)
	}
}

// checkMisfits holds that the decoder stops at what the walk calls a wrong type. Args are decoded
// by kinds of their own, and an unknown field may be one of another release.
func checkMisfits(t *testing.T, s *Scheme, api *schemas.API, value []byte, misfits []Misfit) {
	t.Helper()
	for _, m := range misfits {
		if m.Trouble != WrongType || slices.Contains(m.Path, "args") {
			continue
		}
		obj, err := s.types.New(schema.FromAPIVersionAndKind(api.APIVersion, api.Kind))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := kjson.UnmarshalStrict(value, obj); err == nil {
			t.Errorf("%s: the decoder reads %s, which takes %s and is %s", s.Release.Name, m.Path, m.Want, m.Got)
		}
		return
	}
}

// sameConfiguration compares as a reader does: no list is like an empty one, and raw args are JSON.
var sameConfiguration = cmp.Options{
	cmpopts.EquateEmpty(),
	cmp.Transformer("args", func(raw runtime.RawExtension) any {
		if _, unknown := raw.Object.(*runtime.Unknown); raw.Object != nil && !unknown {
			return raw.Object
		}
		return rawValue(raw.Raw)
	}),
	cmp.Transformer("raw", func(raw runtime.Unknown) any { return rawValue(raw.Raw) }),
}

func rawValue(raw []byte) any {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil && len(raw) > 0 {
		return string(raw)
	}
	return value // Nothing is like null.
}
