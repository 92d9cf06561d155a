// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"slices"
	"strings"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/explain"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/scheme/source/find"
	"github.com/schedconf/schedconf/validation"
)

// spot is a place in a configuration.
type spot struct {
	scheme *scheme.Scheme
	api    *schemas.API
	schema *explain.Schema
	root   *source.Node
	// path leads to the key or the value, and isKey says which it is.
	path  diag.Path
	isKey bool
	// at is the position that was asked for, and from and to are where the spot stands in the text.
	at       diag.Position
	offset   int
	from, to int
}

// spotAt finds what stands at an offset of a text. It is nil where that is nothing of a configuration.
func spotAt(tool Tool, file, text string, offset int) (*spot, error) {
	f := validation.Open(file, []byte(text), false)
	for i, found := range f.Found {
		if !isConfiguration(found) {
			continue
		}
		s := spotIn(found.Doc.Root(), text, offset)
		if s == nil {
			continue
		}
		return s, s.judge(tool, f, i)
	}
	return nil, nil
}

func isConfiguration(found find.Found) bool {
	return found.Kind == find.Config || found.Kind == find.ConfigObject
}

// judge finds out what the configuration is for. An apiVersion that the release does not read, or none yet,
// counts as the one that it prefers.
func (s *spot) judge(tool Tool, file *validation.File, index int) error {
	var err error
	if s.scheme, err = tool.Scheme(file, index); err != nil {
		return err
	}
	s.api = &s.scheme.Release.APIs[0]
	if api, ok := s.scheme.Release.API(s.root.Field("apiVersion").Text()); ok {
		s.api = api
	}
	s.schema, err = explain.OpenSchema(s.scheme.Release, s.api)
	return err
}

// spotIn finds what stands at an offset in a tree; nil where nothing does.
func spotIn(root *source.Node, text string, offset int) *spot {
	s := &spot{root: root, at: source.PositionAt([]byte(text), offset), offset: offset}
	if root == nil || !s.look(text, root) {
		return nil
	}
	return s
}

// look goes down to the key or the scalar at the offset.
func (s *spot) look(text string, node *source.Node) bool {
	for _, child := range node.Fields() {
		if s.covers(text, child.Position()) {
			s.path, s.isKey = child.Path(), true
			return true
		}
		if s.look(text, child) {
			return true
		}
	}
	for item := range node.Items() {
		if s.look(text, item) {
			return true
		}
	}
	if node.IsMapping() || node.IsList() || !s.covers(text, node.ValuePosition()) {
		return false
	}
	s.path = node.Path()
	return true
}

func (s *spot) covers(text string, pos diag.Position) bool {
	if pos.Line != s.at.Line || pos.Column > s.at.Column {
		return false
	}
	s.from = s.offset - (s.at.Column - pos.Column)
	s.to = wordEnd(text, s.from)
	return s.offset <= s.to
}

// node follows the path down to a node of the tree.
func (s *spot) node(path diag.Path) *source.Node {
	node := s.root
	for _, step := range path {
		if !node.IsList() {
			node = node.Field(step)
			continue
		}
		var next *source.Node
		for item := range node.Items() {
			if item.Path()[len(item.Path())-1] == step {
				next = item
			}
		}
		node = next
	}
	return node
}

// fieldPath is a path in terms of the schema: without indexes, and from the kind of the args on below args.
func (s *spot) fieldPath(path diag.Path) []string {
	var steps []string
	for i, step := range path {
		switch {
		case isIndex(step):
		case step == "args" && i >= 2 && path[i-2] == "pluginConfig":
			steps = []string{s.argsKind(path[:i])}
		default:
			steps = append(steps, step)
		}
	}
	return steps
}

// argsKind is the kind of the args in an entry of pluginConfig: what it says, or what its plugin has.
func (s *spot) argsKind(entry diag.Path) string {
	return s.node(entry).Field("name").Text() + "Args"
}

func isIndex(step string) bool { return strings.Trim(step, "0123456789") == "" }

// plugin reports whether the value at a path is the name of a plugin, and at which point; the point is empty
// in pluginConfig.
func (s *spot) plugin(path diag.Path) (point string, ok bool) {
	n := len(path)
	if n < 3 || path[n-1] != "name" {
		return "", false
	}
	if path[n-3] == "pluginConfig" {
		return "", true
	}
	if n >= 5 && path[n-5] == "plugins" && (path[n-3] == "enabled" || path[n-3] == "disabled") {
		return path[n-4], true
	}
	return "", false
}

// pluginsAt returns the plugins that can stand at a point; in pluginConfig those that take args.
func (s *spot) pluginsAt(point string) []string {
	var names []string
	for _, name := range s.scheme.PluginNames() {
		points, _ := s.scheme.Implements(name)
		switch {
		case point == "":
			if !slices.Contains(s.api.Args, name+"Args") && !slices.Contains(s.api.RawArgs, name) && s.isBuiltIn(name) {
				continue
			}
		case point != string(config.MultiPoint) && len(points) > 0 && !slices.Contains(points, s.hubPoint(point)):
			continue
		}
		names = append(names, name)
	}
	return names
}

func (s *spot) isBuiltIn(name string) bool {
	_, ok := s.scheme.Release.Plugin(name)
	return ok
}

// hubPoint is the name of a point in the facts, which v1alpha1 calls differently.
func (s *spot) hubPoint(point string) string {
	if strings.HasSuffix(s.api.APIVersion, "/v1alpha1") && point == string(config.PostFilter) {
		return string(config.PreScore)
	}
	return point
}
