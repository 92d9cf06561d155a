// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme"
)

// RuleArgsSchema is the rule of args that do not fit the schema of their plugin.
const RuleArgsSchema = "args-schema"

var argsSchemaRules = []Rule{{
	ID:      RuleArgsSchema,
	Summary: "the args of an out-of-tree plugin do not fit its schema",
	Doc: `A plugin that is not part of Kubernetes reads its own args, and its build refuses what it does not know. Their JSON Schema comes with --args-schema PLUGIN=FILE, from argsSchemas in .schedconf.yaml, or from a registry such as scheduler-plugins.

Bad:

    pluginConfig:
    - name: Coscheduling
      args: {permitWaitingTime: 10}

Good:

    pluginConfig:
    - name: Coscheduling
      args: {permitWaitingTimeSeconds: 10}

Without a schema the args of such a plugin are not looked at.`,
	Otherwise: diag.Error,
}}

// ArgsSchema is the JSON Schema of the args of a plugin.
type ArgsSchema struct{ compiled *jsonschema.Schema }

// CompileArgs reads a JSON Schema, of any draft up to 2020-12. It has to stand for itself: what it refers to
// is not read from elsewhere.
func CompileArgs(data []byte) (*ArgsSchema, error) {
	const name = "args.schema.json"
	compiler := jsonschema.NewCompiler()
	compiler.LoadURL = func(string) (io.ReadCloser, error) {
		return nil, errors.New("a schema of args cannot refer to other files")
	}
	if err := compiler.AddResource(name, bytes.NewReader(data)); err != nil {
		return nil, fmt.Errorf("it is no JSON Schema: %w", err)
	}
	compiled, err := compiler.Compile(name)
	if err != nil {
		return nil, fmt.Errorf("it is no JSON Schema: %w", err)
	}
	return &ArgsSchema{compiled}, nil
}

// DescribeArgs gives the checker the schema of a plugin's args.
func (c *Checker) DescribeArgs(plugin string, schema *ArgsSchema) {
	if c.argsSchemas == nil {
		c.argsSchemas = map[string]*ArgsSchema{}
	}
	c.argsSchemas[plugin] = schema
}

// checkArgsSchemas holds all args in a document against the schemas that are known.
func (c *Checker) checkArgsSchemas(p *Pass, value []byte) {
	if len(c.argsSchemas) == 0 {
		return
	}
	read, _, err := scheme.ReadValue(value)
	if err != nil {
		return
	}
	document, _ := read.(map[string]any)
	c.checkPluginConfig(p, diag.Path{"pluginConfig"}, document["pluginConfig"]) // v1alpha1 is one profile
	profiles, _ := document["profiles"].([]any)
	for i, profile := range profiles {
		object, _ := profile.(map[string]any)
		c.checkPluginConfig(p, profilePath(i).Child("pluginConfig"), object["pluginConfig"])
	}
}

func (c *Checker) checkPluginConfig(p *Pass, at diag.Path, value any) {
	entries, _ := value.([]any)
	for i, entry := range entries {
		object, _ := entry.(map[string]any)
		name, _ := object["name"].(string)
		schema, args := c.argsSchemas[name], object["args"]
		if schema == nil || args == nil {
			continue
		}
		var fault *jsonschema.ValidationError
		if err := schema.compiled.Validate(args); !errors.As(err, &fault) {
			continue
		}
		for _, leaf := range leaves(fault) {
			reportArgsFault(p, name, at.Index(i).Child("args"), leaf)
		}
	}
}

// leaves are the innermost reasons for which a value does not fit, in a stable order.
func leaves(fault *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(fault.Causes) == 0 {
		return []*jsonschema.ValidationError{fault}
	}
	var list []*jsonschema.ValidationError
	for _, cause := range fault.Causes {
		list = append(list, leaves(cause)...)
	}
	slices.SortStableFunc(list, func(a, b *jsonschema.ValidationError) int {
		return strings.Compare(a.InstanceLocation+" "+a.KeywordLocation, b.InstanceLocation+" "+b.KeywordLocation)
	})
	return list
}

var quotedName = regexp.MustCompile(`'((?:[^'\\]|\\.)*)'`)

// reportArgsFault reports one reason. Messages of the library tell types and names, and where they would
// tell a value they are not used.
func reportArgsFault(p *Pass, plugin string, args diag.Path, fault *jsonschema.ValidationError) {
	at := slices.Clone(args)
	for _, step := range strings.Split(strings.TrimPrefix(fault.InstanceLocation, "/"), "/") {
		if step != "" {
			at = append(at, strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
		}
	}
	p.rule, p.severity, p.stage = RuleArgsSchema, diag.Error, diag.Decode
	switch keyword := path.Base(fault.KeywordLocation); keyword {
	case "additionalProperties", "unevaluatedProperties":
		for _, match := range quotedName.FindAllStringSubmatch(fault.Message, -1) {
			name, err := strconv.Unquote(`"` + strings.ReplaceAll(match[1], `\'`, `'`) + `"`)
			if err != nil {
				name = match[1]
			}
			field := at.Child(name)
			*p.findings = append(*p.findings, diag.Diagnostic{
				Rule: RuleArgsSchema, Severity: diag.Error, Stage: diag.Decode, Path: field, Pos: p.doc.Position(field),
				Message: fmt.Sprintf("the args of %s have no field %q", plugin, name), Hint: "write the fields of the plugin's schema only",
			})
		}
	case "type", "required", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems", "minLength", "maxLength", "enum":
		p.Report(at, "", "the args of %s do not fit their schema here: %s", plugin, strings.Replace(fault.Message, " or null", "", 1))
	default:
		p.Report(at, "", "the args of %s do not fit %q of their schema here", plugin, keyword)
	}
}
