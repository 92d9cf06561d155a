// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestArgsSchema says for args what is found, with its place.
func TestArgsSchema(t *testing.T) {
	schema, err := CompileArgs([]byte(`{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "additionalProperties": false, "required": ["mode"],
		"properties": {"mode": {"enum": ["a", "b"]}, "limit": {"type": ["integer", "null"], "minimum": 1}, "token": {"type": "string", "format": "uri", "pattern": "^x"},
			"parts": {"type": "array", "items": {"$ref": "#/$defs/part"}}}, "$defs": {"part": {"type": "object", "properties": {"size": {"type": "number"}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string][]string{
		"{mode: a, limit: 3, parts: [{size: 1.5}]}": nil,
		"null": nil,
		"{mode: a, limt: 3, 'o''dd': 1}": {
			`5:15 profiles[0].pluginConfig[0].args.limt: the args of Mine have no field "limt"`,
			`5:24 profiles[0].pluginConfig[0].args.o'dd: the args of Mine have no field "o'dd"`,
		},
		"{mode: c}":           {`5:12 profiles[0].pluginConfig[0].args.mode: the args of Mine do not fit their schema here: value must be one of "a", "b"`},
		"{limit: 1}":          {`5:5 profiles[0].pluginConfig[0].args: the args of Mine do not fit their schema here: missing properties: 'mode'`},
		"{mode: a, limit: x}": {`5:22 profiles[0].pluginConfig[0].args.limit: the args of Mine do not fit their schema here: expected integer, but got string`},
		"{mode: a, limit: 0}": {`5:22 profiles[0].pluginConfig[0].args.limit: the args of Mine do not fit their schema here: must be >= 1 but found 0`},
		"{mode: a, parts: [1, {size: a}]}": {`5:23 profiles[0].pluginConfig[0].args.parts[0]: the args of Mine do not fit their schema here: expected object, but got number`,
			`5:33 profiles[0].pluginConfig[0].args.parts[1].size: the args of Mine do not fit their schema here: expected number, but got string`},
		"{mode: a, parts: [{}, {size: a}]}": {`5:34 profiles[0].pluginConfig[0].args.parts[1].size: the args of Mine do not fit their schema here: expected number, but got string`},
		// A value is not shown.
		"{mode: a, token: hunter2}": {`5:22 profiles[0].pluginConfig[0].args.token: the args of Mine do not fit "pattern" of their schema here`},
	} {
		checker := checkerFor(t, "1.30")
		checker.scheme.Declare("Mine")
		checker.DescribeArgs("Mine", schema)
		result, err := checker.CheckFile("f", []byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [{pluginConfig: [{name: Mine, args:\n\n    "+args+"\n}]}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range result.Findings {
			if d.Rule == RuleArgsSchema {
				got = append(got, fmt.Sprintf("%d:%d %s: %s", d.Pos.Line, d.Pos.Column, d.Path, d.Message))
			}
			if strings.Contains(d.Message, "hunter2") {
				t.Errorf("%s shows a value", d.Message)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", args, diff)
		}
	}
}

// TestCompileArgs holds that a schema stands for itself.
func TestCompileArgs(t *testing.T) {
	for _, text := range []string{"", "{", `{"type": "nonsense"}`, `{"$ref": "file:///etc/passwd"}`, `{"$ref": "other.json"}`, `{"$ref": "http://127.0.0.1/x"}`} {
		if _, err := CompileArgs([]byte(text)); err == nil {
			t.Errorf("%q is taken for a schema", text)
		}
	}
}
