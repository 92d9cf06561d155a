// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"math"
	"reflect"
	"strconv"
	"strings"
)

const (
	dialect = "https://json-schema.org/draft/2020-12/schema"
	site    = "https://schedconf.dev/schemas/"

	metaPath    = "k8s.io/apimachinery/pkg/apis/meta/v1"
	runtimePath = "k8s.io/apimachinery/pkg/runtime"

	// durationPattern is the language of time.ParseDuration; overflow aside.
	durationPattern = `^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`
)

// builder turns the types below one root into definitions.
type builder struct {
	sources  *sources
	root     root
	describe describer
	defs     map[string]*schema
	owners   map[string]string // definition to the import path of its type
}

// buildSchema returns the whole schema of a root kind.
func buildSchema(src *sources, root root, descriptions descriptions) (*schema, error) {
	b := &builder{
		sources: src, root: root, describe: describer{all: descriptions, root: root},
		defs: map[string]*schema{}, owners: map[string]string{},
	}
	ref, err := b.reference(root.path, root.kind, root.lenient)
	if err != nil {
		return nil, err
	}
	b.sealRoot()
	whole := &schema{
		Dialect:     dialect,
		ID:          site + src.minor + "/" + root.file(),
		Title:       fmt.Sprintf("%s of Kubernetes %s", root.kind, src.minor),
		Description: b.describe.of(root.kind),
		Ref:         ref.Ref,
		Defs:        b.defs,
	}
	return whole, b.describe.err()
}

// sealRoot turns the definition of the root kind from any struct into a document.
func (b *builder) sealRoot() {
	def := b.defs[b.root.kind]
	def.Type = "object"
	def.Required = []string{"apiVersion", "kind"}
}

// reference returns a schema that points to the definition of a struct, which it adds if it is new.
func (b *builder) reference(importPath, name string, lenient bool) (*schema, error) {
	ref := &schema{Ref: "#/$defs/" + name}
	if owner, ok := b.owners[name]; ok {
		if owner != importPath {
			return nil, fmt.Errorf("two types are named %s, in %s and %s", name, owner, importPath)
		}
		return ref, nil
	}
	declared, err := b.sources.lookup(importPath, name)
	if err != nil {
		return nil, err
	}
	// A type with a decoder of its own hands its text to the standard library, which ignores unknown keys.
	lenient = lenient || declared.decodes
	def := &schema{
		Description:          b.describe.of(name),
		Type:                 []string{"object", "null"},
		AdditionalProperties: lenient,
		// Only a type that decodes itself goes over to encoding/json, which folds case.
		FoldCase: lenient && !b.root.lenient,
	}
	b.owners[name], b.defs[name] = importPath, def
	if def.Properties, err = b.properties(declared, lenient); err != nil {
		return nil, err
	}
	if name == "PluginConfig" {
		def.AllOf, err = b.argsByPlugin()
	}
	return ref, err
}

// properties returns the fields of a struct, those of embedded structs in their place.
func (b *builder) properties(in named, lenient bool) (properties, error) {
	fields, ok := in.expr.(*ast.StructType)
	if !ok {
		return nil, fmt.Errorf("type %s.%s is not a struct", in.path, in.name)
	}
	var all properties
	for _, field := range fields.Fields.List {
		some, err := b.field(in, field, lenient)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// field returns the properties that one line of a struct stands for.
func (b *builder) field(in named, field *ast.Field, lenient bool) (properties, error) {
	name := jsonName(field)
	switch {
	case name == "-":
		return nil, nil
	case name == "" && len(field.Names) == 0:
		return b.embedded(in, field.Type, lenient)
	case name == "":
		return nil, fmt.Errorf("field %s of %s has no JSON name", field.Names[0], in.name)
	}
	value, err := b.value(in, field.Type, lenient)
	if err != nil {
		return nil, fmt.Errorf("field %s of %s: %w", name, in.name, err)
	}
	value.Description = b.describe.of(in.name + "." + name)
	return properties{{name, value}}, nil
}

// embedded returns the fields of an embedded struct.
func (b *builder) embedded(in named, expr ast.Expr, lenient bool) (properties, error) {
	importPath, name, err := in.resolve(expr)
	if err != nil {
		return nil, err
	}
	if importPath == metaPath && name == "TypeMeta" {
		return b.typeMeta(in.name), nil
	}
	declared, err := b.sources.lookup(importPath, name)
	if err != nil {
		return nil, err
	}
	return b.properties(declared, lenient)
}

// typeMeta returns apiVersion and kind: fixed in a document, optional in plugin args.
func (b *builder) typeMeta(kind string) properties {
	apiVersion := &schema{Type: "string", Description: b.describe.of("TypeMeta.apiVersion")}
	name := &schema{Type: "string", Description: b.describe.of("TypeMeta.kind")}
	switch {
	case kind != b.root.kind:
		nullable := []string{"string", "null"}
		apiVersion.Type, apiVersion.Enum = nullable, []any{"", b.root.apiVersions[0], nil}
		name.Type, name.Enum = nullable, []any{"", kind, nil}
	case len(b.root.apiVersions) > 1:
		name.Const = kind
		for _, one := range b.root.apiVersions {
			apiVersion.Enum = append(apiVersion.Enum, one)
		}
	default:
		apiVersion.Const, name.Const = b.root.apiVersions[0], kind
	}
	return properties{{"apiVersion", apiVersion}, {"kind", name}}
}

// argsByPlugin returns one condition per args kind: a plugin named X takes XArgs.
func (b *builder) argsByPlugin() ([]*schema, error) {
	var conditions []*schema
	for _, kind := range b.root.args {
		args, err := b.reference(b.root.path, kind, b.root.lenient)
		if err != nil {
			return nil, err
		}
		plugin := &schema{Const: strings.TrimSuffix(kind, argsSuffix)}
		conditions = append(conditions, &schema{
			If:   &schema{Properties: properties{{"name", plugin}}, Required: []string{"name"}},
			Then: &schema{Properties: properties{{"args", args}}},
		})
	}
	return conditions, nil
}

// value returns the schema of a type expression inside of in. Go's decoder takes null for every type
// but a duration, which parses its text itself.
func (b *builder) value(in named, expr ast.Expr, lenient bool) (*schema, error) {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		value, err := b.value(in, expr.X, lenient)
		if err == nil && value.Type == "string" {
			value.Type = []string{"string", "null"}
		}
		return value, err
	case *ast.ArrayType:
		return b.list(in, expr.Elt, lenient)
	case *ast.MapType:
		values, err := b.value(in, expr.Value, lenient)
		return &schema{Type: []string{"object", "null"}, AdditionalProperties: values}, err
	case *ast.Ident:
		if scalar := scalarOf(expr.Name); scalar != nil {
			return scalar, nil
		}
	}
	importPath, name, err := in.resolve(expr)
	if err != nil {
		return nil, err
	}
	return b.namedValue(importPath, name, lenient)
}

// list returns the schema of a slice; bytes are base64 text.
func (b *builder) list(in named, element ast.Expr, lenient bool) (*schema, error) {
	if ident, ok := element.(*ast.Ident); ok && ident.Name == "byte" {
		return &schema{Type: []string{"string", "null"}, ContentEncoding: "base64"}, nil
	}
	items, err := b.value(in, element, lenient)
	return &schema{Type: []string{"array", "null"}, Items: items}, err
}

// namedValue returns the schema of a named type: one of the few with a form of its own, a reference to
// a struct, or what the name stands for.
func (b *builder) namedValue(importPath, name string, lenient bool) (*schema, error) {
	switch importPath + "." + name {
	case metaPath + ".Duration":
		return &schema{Type: "string", Format: "go-duration", Pattern: durationPattern}, nil
	case "time.Duration":
		return scalarOf("int64"), nil
	case runtimePath + ".RawExtension", runtimePath + ".Unknown":
		return &schema{}, nil
	}
	declared, err := b.sources.lookup(importPath, name)
	if err != nil {
		return nil, err
	}
	if _, ok := declared.expr.(*ast.StructType); ok {
		return b.reference(importPath, name, lenient)
	}
	if declared.decodes {
		return nil, fmt.Errorf("type %s.%s decodes itself in an unknown way", importPath, name)
	}
	return b.value(declared, declared.expr, lenient)
}

// scalarOf returns the schema of a basic Go type, or nil.
func scalarOf(name string) *schema {
	switch name {
	case "string":
		return &schema{Type: []string{"string", "null"}}
	case "bool":
		return &schema{Type: []string{"boolean", "null"}}
	case "int32":
		return integer("int32", math.MinInt32, math.MaxInt32)
	case "int64", "int":
		return integer("int64", math.MinInt64, math.MaxInt64)
	case "float32":
		return &schema{Type: []string{"number", "null"}, Format: "float"}
	}
	return nil
}

// integer returns the schema of an integer type.
func integer(format string, minimum, maximum int64) *schema {
	return &schema{Type: []string{"integer", "null"}, Format: format, Minimum: &minimum, Maximum: &maximum}
}

// jsonName returns the name in a field's json tag; it is empty where the tag gives none.
func jsonName(field *ast.Field) string {
	if field.Tag == nil {
		return ""
	}
	tag, err := strconv.Unquote(field.Tag.Value)
	if err != nil {
		return ""
	}
	name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	return name
}
