// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package source

import (
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/schedconf/schedconf/diag"
)

// Every function here works on the nodes as they are written and follows an alias only where a path
// goes through it, so no document grows. A path may go round and round through an anchor that holds
// itself; kube-scheduler refuses such documents, and a caller that walks them must stop by itself.

// Position of a path: a field has that of its key, a list item that of its first token, the root
// that of the first token of the document. What comes through an alias or a merge key stands where
// the anchor is. A path that is not there has the position of the nearest ancestor that is.
func (d *Document) Position(path diag.Path) diag.Position {
	if len(path) == 0 {
		return d.nodePosition(nil)
	}
	key, _, _ := d.find(path)
	return d.nodePosition(key)
}

// ValuePosition is the position of the value instead of the key. A value that is left out stands at
// the indicator before it.
func (d *Document) ValuePosition(path diag.Path) diag.Position {
	key, value, ok := d.find(path)
	if !ok || key == nil {
		return d.nodePosition(key)
	}
	return d.nodePosition(value)
}

func (d *Document) nodePosition(n *yaml.Node) diag.Position {
	if d.origin != nil && d.origin.object != nil {
		return d.origin.nodePosition(n)
	}
	if n == nil {
		offset, _ := d.content()
		return d.position(offset)
	}
	return d.position(d.tree().offset(d.text, n))
}

// Has reports whether the path is there.
func (d *Document) Has(path diag.Path) bool {
	_, _, ok := d.find(path)
	return ok
}

// Scalar returns the text of the scalar at path as it is written, without quotes.
func (d *Document) Scalar(path diag.Path) (string, bool) {
	_, value, ok := d.find(path)
	if !ok || target(value).Kind != yaml.ScalarNode {
		return "", false
	}
	return target(value).Value, true
}

// Keys of the mapping at path in file order, with duplicates. Those that a merge key brings stand
// in its place, unless the mapping has the key itself.
func (d *Document) Keys(path diag.Path) []string {
	_, value, ok := d.find(path)
	if !ok || target(value).Kind != yaml.MappingNode {
		return nil
	}
	known := map[string]bool{}
	for key := range slices.Chunk(target(value).Content, 2) {
		if name, ok := keyName(key[0]); ok {
			known[name] = true
		}
	}
	var names []string
	for entry := range slices.Chunk(target(value).Content, 2) {
		if isMerge(entry[0]) {
			names = mergedKeys(names, entry[1], known, map[*yaml.Node]bool{})
		} else if name, ok := keyName(entry[0]); ok {
			names = append(names, name)
		}
	}
	return names
}

// mergedKeys appends the keys that a merge brings and that are not known yet.
func mergedKeys(names []string, merged *yaml.Node, known map[string]bool, seen map[*yaml.Node]bool) []string {
	for _, mapping := range mergeSources(merged) {
		if seen[mapping] {
			continue
		}
		seen[mapping] = true
		for entry := range slices.Chunk(mapping.Content, 2) {
			if isMerge(entry[0]) {
				names = mergedKeys(names, entry[1], known, seen)
			} else if name, ok := keyName(entry[0]); ok && !known[name] {
				known[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}

// Len of the sequence at path, 0 if it is none.
func (d *Document) Len(path diag.Path) int {
	_, value, ok := d.find(path)
	if !ok || target(value).Kind != yaml.SequenceNode {
		return 0
	}
	return len(target(value).Content)
}

// Duplicate is a mapping key that stands twice.
type Duplicate struct {
	Path         diag.Path
	First, Again diag.Position
	// Same is true if the values are the same, however they are written.
	Same bool
}

// Duplicates returns each repeated key, once per repetition, in file order. Keys are equal if their
// text is. What several aliases share is reported once; merge keys repeat nothing.
func (d *Document) Duplicates() []Duplicate {
	var found []Duplicate
	if root := d.tree().root; root != nil {
		d.duplicates(root, nil, &found)
	}
	slices.SortStableFunc(found, func(a, b Duplicate) int { return a.Again.Compare(b.Again) })
	return found
}

func (d *Document) duplicates(n *yaml.Node, path diag.Path, found *[]Duplicate) {
	switch n.Kind {
	case yaml.SequenceNode:
		for i, item := range n.Content {
			d.duplicates(item, append(path, strconv.Itoa(i)), found)
		}
	case yaml.MappingNode:
		first, values := map[string]*yaml.Node{}, map[string]*yaml.Node{}
		for entry := range slices.Chunk(n.Content, 2) {
			name, ok := keyName(entry[0])
			if ok && first[name] != nil {
				same := !hasAlias(values[name]) && !hasAlias(entry[1]) && sameTree(values[name], entry[1])
				*found = append(*found, Duplicate{path.Child(name), d.nodePosition(first[name]), d.nodePosition(entry[0]), same})
			} else if ok {
				first[name], values[name] = entry[0], entry[1]
			}
			d.duplicates(entry[1], append(path, name), found)
		}
	}
}

func hasAlias(n *yaml.Node) bool {
	return n.Kind == yaml.AliasNode || n.Anchor != "" || slices.ContainsFunc(n.Content, hasAlias)
}

// find follows the path as far as it goes: the last key and value on the way, and whether that is
// all of it. The key of a list item is the item, the root has none.
func (d *Document) find(path diag.Path) (key, value *yaml.Node, ok bool) {
	value = d.tree().root
	if value == nil {
		return nil, nil, false
	}
	for _, step := range path {
		k, v := child(target(value), step)
		if v == nil {
			return key, value, false
		}
		key, value = k, v
	}
	return key, value, true
}

func child(n *yaml.Node, step string) (key, value *yaml.Node) {
	switch n.Kind {
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(step); err == nil && 0 <= i && i < len(n.Content) {
			return n.Content[i], n.Content[i]
		}
	case yaml.MappingNode:
		return entry(n, step, map[*yaml.Node]bool{})
	}
	return nil, nil
}

// entry looks a key up. The last one wins, and a merge key counts where it stands: that is how the
// parser that kube-scheduler uses fills a map. Each mapping is searched once, so that merges of
// merges take no longer than the document is.
func entry(mapping *yaml.Node, name string, seen map[*yaml.Node]bool) (key, value *yaml.Node) {
	if seen[mapping] {
		return nil, nil
	}
	seen[mapping] = true
	for i := len(mapping.Content) - 2; i >= 0; i -= 2 {
		key, value := mapping.Content[i], mapping.Content[i+1]
		if isMerge(key) {
			for _, source := range mergeSources(value) {
				if key, value := entry(source, name, seen); value != nil {
					return key, value
				}
			}
		} else if text, ok := keyName(key); ok && text == name {
			return key, value
		}
	}
	return nil, nil
}

// target is the node itself, or the anchored one if it is an alias. An alias cannot be anchored.
func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// keyName is the text of a key that is a scalar and no merge key.
func keyName(key *yaml.Node) (string, bool) {
	return target(key).Value, target(key).Kind == yaml.ScalarNode && !isMerge(key)
}

func isMerge(key *yaml.Node) bool { return key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge" }

// mergeSources lists the mappings that a merge key brings in, the strongest first.
func mergeSources(value *yaml.Node) []*yaml.Node {
	candidates := []*yaml.Node{value}
	if target(value).Kind == yaml.SequenceNode {
		candidates = target(value).Content
	}
	var mappings []*yaml.Node
	for _, n := range candidates {
		if target(n).Kind == yaml.MappingNode {
			mappings = append(mappings, target(n))
		}
	}
	return mappings
}
