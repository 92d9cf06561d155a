// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
	"go.yaml.in/yaml/v3"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/scheme/source/find"
	"github.com/schedconf/schedconf/validation"
)

// resourceList is what goes into a function and comes out. It is kept as nodes, so that the order and the
// comments of what is not changed stay.
type resourceList struct {
	root, config *yaml.Node
	items        []*item
	results      []fnResult
	failed       bool
}

// item is an object of the list.
type item struct {
	node *yaml.Node
	name string
	text []byte
	ref  *fnRef
	file *fnFile
}

const listKind = "ResourceList"

// listVersions are the apiVersions of a ResourceList.
var listVersions = []string{"config.kubernetes.io/v1", "config.kubernetes.io/v1beta1", "config.kubernetes.io/v1alpha1"}

func wrongList(format string, args ...any) error { return inputError{fmt.Errorf(format, args...)} }

// readList reads a list. With an error it returns one that the error can be told in.
func readList(data []byte) (*resourceList, error) {
	list := emptyList()
	if len(data) > maxList {
		return list, wrongList("the %s on standard input has more than %d MiB, the most that is taken", listKind, maxList>>20)
	}
	var document yaml.Node
	err := guard(func() error { return yaml.Unmarshal(data, &document) })
	if err != nil {
		return list, wrongList("standard input cannot be read as YAML: %s", firstLine(err.Error()))
	}
	if len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
		return list, wrongList("standard input is no %s: it has to be an object with apiVersion: %s", listKind, listVersions[0])
	}
	root := document.Content[0]
	if key := repeated(root); key != "" {
		return list, wrongList("standard input has the field %q twice", key)
	}
	version, kind := textAt(root, "apiVersion"), textAt(root, "kind")
	if kind != listKind || !slices.Contains(listVersions, version) {
		return list, wrongList("standard input is no %s but of kind %q in %q: the apiVersions known are %s", listKind, kind, version, strings.Join(listVersions, ", "))
	}
	items := fieldOf(root, "items")
	if items == nil || items.Kind == yaml.ScalarNode && items.Tag == "!!null" {
		return list, wrongList("the %s has no items: write items: [] where there are none", listKind)
	}
	if items.Kind != yaml.SequenceNode {
		return list, wrongList("items of the %s is no list", listKind)
	}
	list.root, list.config = root, fieldOf(root, "functionConfig")
	names := map[string]bool{}
	for i, node := range items.Content {
		if node.Kind != yaml.MappingNode {
			return list, wrongList("items[%d] of the %s is no object", i, listKind)
		}
		one, err := newItem(i, node)
		if err != nil {
			return emptyList(), err // nobody could read the items
		}
		for names[one.name] {
			one.name = fmt.Sprintf("%s#%d", one.name, i)
		}
		names[one.name] = true
		list.items = append(list.items, one)
	}
	return list, nil
}

// emptyList is a list that an error can be told in.
func emptyList() *resourceList {
	root := mapping("apiVersion", listVersions[0], "kind", listKind, "items")
	root.Content = append(root.Content, &yaml.Node{Kind: yaml.SequenceNode})
	return &resourceList{root: root}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return printable(line)
}

func newItem(i int, node *yaml.Node) (*item, error) {
	one := &item{node: node, name: fmt.Sprintf("items[%d]", i)}
	metadata := fieldOf(node, "metadata")
	if kind, name := textAt(node, "kind"), textAt(metadata, "name"); kind != "" && name != "" {
		one.ref = &fnRef{printable(textAt(node, "apiVersion")), printable(kind), printable(textAt(metadata, "namespace")), printable(name)}
	}
	annotations := fieldOf(metadata, "annotations")
	for _, prefix := range []string{"internal.config.kubernetes.io/", "config.kubernetes.io/"} {
		if path := textAt(annotations, prefix+"path"); path != "" && one.file == nil {
			// What is no number is none of ours; the path is what helps.
			index, err := strconv.Atoi(textAt(annotations, prefix+"index"))
			if err != nil || index < 0 {
				index = 0
			}
			one.file, one.name = &fnFile{printable(path), index}, path
		}
	}
	if hasAlias(node) {
		// An alias may stand for itself, or for more than there is memory, and a merge for nothing that can be merged.
		var value any
		if err := guard(func() error { return node.Decode(&value) }); err != nil {
			return nil, wrongList("items[%d] of the %s cannot be read: %s", i, listKind, firstLine(err.Error()))
		}
	}
	text, err := encode(node)
	if err != nil {
		return nil, wrongList("items[%d] of the %s cannot be written as YAML: %s", i, listKind, firstLine(err.Error()))
	}
	one.text = text
	return one, nil
}

func hasAlias(node *yaml.Node) bool {
	return node.Kind == yaml.AliasNode || node.Tag == "!!merge" || slices.ContainsFunc(node.Content, hasAlias)
}

// field is the way from the root of the item to the field of a finding, through the text of a ConfigMap.
func (i *item) field(d diag.Diagnostic, found []find.Found) diag.Path {
	documents := source.Split(i.name, i.text)
	if d.Pos.Document < len(documents) && documents[d.Pos.Document].Position(d.Path) == d.Pos {
		return d.Path
	}
	var above diag.Path
	for _, f := range found {
		if f.Kind != find.Flags && f.Pos.Compare(d.Pos) <= 0 {
			above = f.Path
		}
	}
	return slices.Concat(above, d.Path)
}

// replace makes another text the item.
func (i *item) replace(text []byte) error {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil || len(document.Content) != 1 {
		return fmt.Errorf("%q became a text that is no object", i.name)
	}
	// What stands above the item stands above its first field in the text.
	head := i.node.HeadComment
	*i.node = *document.Content[0]
	if len(i.node.Content) > 0 && head != "" {
		first := i.node.Content[0]
		if rest, ok := strings.CutPrefix(document.HeadComment+first.HeadComment, head); ok {
			i.node.HeadComment, first.HeadComment = head, strings.TrimSpace(rest)
		}
	}
	i.text = text
	return nil
}

func (l *resourceList) add(r fnResult) { l.results = append(l.results, r) }

// write writes the list with its results.
func (l *resourceList) write(w io.Writer) error {
	for i := 0; i+1 < len(l.root.Content); i += 2 {
		if l.root.Content[i].Value == "results" {
			l.root.Content = slices.Delete(l.root.Content, i, i+2)
			break
		}
	}
	if len(l.results) > 0 {
		var results yaml.Node
		if err := results.Encode(l.results); err != nil {
			return err
		}
		l.root.Style = 0 // results in flow style would be one long line
		l.root.Content = append(l.root.Content, scalar("results"), &results)
	}
	text, err := encode(l.root)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

func encode(node *yaml.Node) (text []byte, err error) {
	err = guard(func() error {
		var out bytes.Buffer
		encoder := yaml.NewEncoder(&out)
		encoder.SetIndent(2)
		if err := encoder.Encode(node); err != nil {
			return err
		}
		text = out.Bytes()
		return encoder.Close()
	})
	return text, err
}

func scalar(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

func mapping(words ...string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.MappingNode}
	for _, word := range words {
		node.Content = append(node.Content, scalar(word))
	}
	return node
}

// fieldOf is the value of a field; nil if there is none.
func fieldOf(node *yaml.Node, name string) *yaml.Node {
	if node == nil || node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == name {
			return node.Content[i+1]
		}
	}
	return nil
}

func textAt(node *yaml.Node, name string) string {
	if value := fieldOf(node, name); value != nil && value.Kind == yaml.ScalarNode {
		return value.Value
	}
	return ""
}

// repeated is a key that is there twice; empty if there is none.
func repeated(node *yaml.Node) string {
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if seen[node.Content[i].Value] {
			return printable(node.Content[i].Value)
		}
		seen[node.Content[i].Value] = true
	}
	return ""
}

// functionConfig is what a function is asked to do.
type functionConfig struct {
	Action, Target, From, To                string
	FeatureGates, Plugins, PluginRegistries []string
	Ignore                                  []string
	Strict, Minimize                        bool
}

const (
	functionKind    = "Schedconf"
	functionVersion = "schedconf.github.io/v1alpha1"
)

var functionActions = []string{"validate", "fix", "default", "convert", "migrate"}

// readFunctionConfig reads a functionConfig; nothing asks for a validation.
func readFunctionConfig(node *yaml.Node) (*functionConfig, error) {
	asked := &functionConfig{Action: functionActions[0]}
	if node == nil || node.Kind == yaml.ScalarNode && node.Tag == "!!null" {
		return asked, nil
	}
	if node.Kind != yaml.MappingNode {
		return nil, wrongList("functionConfig is no object")
	}
	version, kind, field := textAt(node, "apiVersion"), textAt(node, "kind"), "spec"
	switch {
	case kind == "ConfigMap" && version == "v1":
		field = "data"
	case kind != functionKind || version != functionVersion:
		return nil, wrongList("functionConfig is of kind %q in %q: it has to be %s in %s, or a ConfigMap in v1", kind, version, functionKind, functionVersion)
	}
	known := []string{"apiVersion", "kind", "metadata", field}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if name := node.Content[i].Value; !slices.Contains(known, name) {
			return nil, wrongList("functionConfig has the unknown field %q: known are %s", printable(name), strings.Join(known, ", "))
		}
	}
	values := fieldOf(node, field)
	if values == nil {
		return asked, nil
	}
	if values.Kind != yaml.MappingNode {
		return nil, wrongList("functionConfig: %s is no object", field)
	}
	if key := repeated(values); key != "" {
		return nil, wrongList("functionConfig: %s.%s is there twice", field, key)
	}
	for i := 0; i+1 < len(values.Content); i += 2 {
		if err := asked.set(field+"."+values.Content[i].Value, values.Content[i].Value, values.Content[i+1]); err != nil {
			return nil, err
		}
	}
	return asked, asked.check(field)
}

func (f *functionConfig) set(at, name string, value *yaml.Node) error {
	texts := map[string]*string{"action": &f.Action, "target": &f.Target, "from": &f.From, "to": &f.To}
	lists := map[string]*[]string{"featureGates": &f.FeatureGates, "plugins": &f.Plugins, "pluginRegistries": &f.PluginRegistries, "ignore": &f.Ignore}
	flags := map[string]*bool{"strict": &f.Strict, "minimize": &f.Minimize}
	switch {
	case texts[name] != nil && value.Kind == yaml.ScalarNode:
		*texts[name] = value.Value
	case flags[name] != nil && value.Kind == yaml.ScalarNode && (value.Value == "true" || value.Value == "false"):
		*flags[name] = value.Value == "true"
	case lists[name] != nil && value.Kind == yaml.ScalarNode:
		*lists[name] = strings.FieldsFunc(value.Value, func(r rune) bool { return r == ',' && name != "plugins" || r == '\n' || r == ' ' })
	case lists[name] != nil && value.Kind == yaml.SequenceNode:
		for _, one := range value.Content {
			if one.Kind != yaml.ScalarNode {
				return wrongList("functionConfig: %s is no list of texts", at)
			}
			*lists[name] = append(*lists[name], one.Value)
		}
	case texts[name] != nil:
		return wrongList("functionConfig: %s is no text", at)
	case flags[name] != nil:
		return wrongList("functionConfig: %s is neither true nor false", at)
	case lists[name] != nil:
		return wrongList("functionConfig: %s is no list", at)
	default:
		return wrongList("functionConfig has the unknown field %q: known are action, target, from, to, featureGates, plugins, pluginRegistries, ignore, strict, minimize", printable(at))
	}
	return nil
}

func (f *functionConfig) check(field string) error {
	if !slices.Contains(functionActions, f.Action) {
		return wrongList("functionConfig: %s.action is %q: the choices are %s", field, printable(f.Action), strings.Join(functionActions, ", "))
	}
	only := func(name string, given bool, actions ...string) error {
		if given && !slices.Contains(actions, f.Action) {
			return wrongList("functionConfig: %s.%s goes with %s only", field, name, strings.Join(actions, " and "))
		}
		return nil
	}
	var missing error
	if f.Action == "convert" && f.To == "" {
		missing = wrongList("functionConfig: convert needs %s.to, the apiVersion to write, as in v1", field)
	}
	for _, rule := range f.Ignore {
		if _, ok := validation.Lookup(rule); !ok {
			return wrongList("functionConfig: %s.ignore: no rule is called %q", field, printable(rule))
		}
	}
	return errors.Join(missing, only("to", f.To != "", "convert"), only("from", f.From != "", "convert", "migrate"), only("minimize", f.Minimize, "convert", "migrate"))
}

// contextOf makes the context in which a command does what is asked for.
func contextOf(parent *cli.Context, command *cli.Command, asked *functionConfig) (*cli.Context, error) {
	set := flag.NewFlagSet(command.Name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	for _, one := range command.Flags {
		if err := one.Apply(set); err != nil {
			return nil, err
		}
	}
	c := cli.NewContext(parent.App, set, parent)
	c.Command = command
	put := func(name string, values ...string) error {
		for _, value := range values {
			if value == "" {
				continue
			}
			if err := set.Set(name, value); err != nil {
				return inputError{fmt.Errorf("functionConfig: %s: %w", name, err)}
			}
		}
		return nil
	}
	err := errors.Join(put("target", asked.Target), put("feature-gates", asked.FeatureGates...), put("plugin", asked.Plugins...), put("plugin-registry", asked.PluginRegistries...))
	if asked.To != "" {
		err = errors.Join(err, put("to", asked.To))
	}
	if asked.From != "" {
		err = errors.Join(err, put("from", asked.From))
	}
	if asked.Minimize {
		err = errors.Join(err, put("minimize", "true"))
	}
	if asked.Strict {
		err = errors.Join(err, put("strict", "true"))
	}
	return c, err
}
