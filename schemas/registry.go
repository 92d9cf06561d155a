// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed registries/*.json
var registryFiles embed.FS

// Registry lists the plugins that some build of kube-scheduler has besides those of the stock one.
type Registry struct {
	// Name is how it is asked for.
	Name string
	// Image is the image of the build without its tag; empty if there is none.
	Image string
	// Source says where the facts are from.
	Source string

	releases map[string]string
	plugins  []registered
}

// OutOfTree is a plugin of a registry, as a minor of the build has it.
type OutOfTree struct {
	Name string
	// Points are those that it implements; none if they are not known.
	Points []string
	// Args is a JSON Schema of its args; nil if they are not known.
	Args json.RawMessage
}

// registered is a plugin in a registry file, for a span of minors.
type registered struct {
	Name   string          `json:"name"`
	Since  string          `json:"since"`
	Until  string          `json:"until"`
	Points []string        `json:"points"`
	Args   json.RawMessage `json:"args"`
}

// registryFile is the form of a registry.
type registryFile struct {
	Registry int               `json:"registry"`
	Name     string            `json:"name"`
	Image    string            `json:"image"`
	Source   string            `json:"source"`
	Releases map[string]string `json:"releases"`
	Plugins  []registered      `json:"plugins"`
}

// registryForm is the number of that form.
const registryForm = 1

// ParseRegistry reads a registry from JSON. Since and until of a plugin, and of a property in the schema of
// its args, are minors; without them it is in all.
func ParseRegistry(data []byte) (*Registry, error) {
	var file registryFile
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return nil, fmt.Errorf("it is no registry of plugins: %w", err)
	}
	if file.Registry != registryForm {
		return nil, fmt.Errorf("it is no registry of plugins of form %d: it starts with registry: %d", registryForm, registryForm)
	}
	for i, p := range file.Plugins {
		for _, minor := range []string{p.Since, p.Until} {
			if _, err := spanEnd(minor); err != nil {
				return nil, fmt.Errorf("plugins[%d]: %w", i, err)
			}
		}
		if p.Name == "" {
			return nil, fmt.Errorf("plugins[%d] has no name", i)
		}
	}
	return &Registry{Name: file.Name, Image: file.Image, Source: file.Source, releases: file.Releases, plugins: file.Plugins}, nil
}

// spanEnd is the ordinal of a minor that may lie beyond those that are known.
func spanEnd(minor string) (int, error) {
	if minor == "" {
		return 0, nil
	}
	n := 0
	if _, err := fmt.Sscanf(minor, "1.%d", &n); err != nil || fmt.Sprintf("1.%d", n) != minor {
		return 0, fmt.Errorf("%q is no minor such as 1.30", minor)
	}
	return n, nil
}

// within reports whether a minor is in a span, whose ends may be empty.
func within(minor Minor, since, until string) bool {
	from, _ := spanEnd(since)
	to, _ := spanEnd(until)
	n := ordinal(minor)
	return n >= from && (until == "" || n <= to)
}

// Plugins are those that the build for a release has.
func (r *Registry) Plugins(release *Release) []OutOfTree {
	var list []OutOfTree
	minor := release.Minor()
	for _, p := range r.plugins {
		if within(minor, p.Since, p.Until) {
			list = append(list, OutOfTree{p.Name, p.Points, argsFor(minor, p.Args)})
		}
	}
	return list
}

// argsFor takes the properties out of a schema that a minor does not have.
func argsFor(minor Minor, schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 {
		return nil
	}
	var value any
	if err := json.Unmarshal(schema, &value); err != nil {
		return schema // who compiles it says what is wrong
	}
	prune(minor, value)
	pruned, err := json.Marshal(value)
	if err != nil {
		return schema
	}
	return pruned
}

func prune(minor Minor, value any) {
	switch v := value.(type) {
	case map[string]any:
		if properties, ok := v["properties"].(map[string]any); ok {
			for name, property := range properties {
				if p, ok := property.(map[string]any); ok && !within(minor, text(p["since"]), text(p["until"])) {
					delete(properties, name)
				}
			}
		}
		for _, child := range v {
			prune(minor, child)
		}
	case []any:
		for _, child := range v {
			prune(minor, child)
		}
	}
}

func text(value any) string {
	s, _ := value.(string)
	return s
}

// ImageFor is the image of the build for a release: that of its minor, or else of the newest one before it.
// It is empty if none is known.
func (r *Registry) ImageFor(release *Release) string {
	best, tag := -1, ""
	for minor, version := range r.releases {
		if n, err := spanEnd(minor); err == nil && n <= ordinal(release.Minor()) && n > best {
			best, tag = n, version
		}
	}
	if tag == "" || r.Image == "" {
		return ""
	}
	return r.Image + ":" + tag
}

// IsImage reports whether an image is one of the build, wherever it was pulled from.
func (r *Registry) IsImage(image string) bool {
	if r.Image == "" {
		return false
	}
	_, repository, _ := strings.Cut(r.Image, "/")
	at := strings.Index("/"+image, "/"+repository)
	return at >= 0 && strings.HasPrefix(("/" + image)[at+1+len(repository):], ":")
}

// Registries lists the registries that come with the program.
func Registries() []*Registry { return registries() }

var registries = sync.OnceValue(func() []*Registry {
	names, err := registryFiles.ReadDir("registries")
	if err != nil {
		panic(fmt.Sprintf("embedded registries: %v", err))
	}
	var list []*Registry
	for _, name := range names {
		data, err := registryFiles.ReadFile(path.Join("registries", name.Name()))
		if err != nil {
			panic(fmt.Sprintf("embedded registries: %v", err))
		}
		r, err := ParseRegistry(data)
		if err != nil {
			panic(fmt.Sprintf("embedded registries: %s: %v", name.Name(), err))
		}
		list = append(list, r)
	}
	return list
})

// RegistryWith returns the bundled registry with a plugin, and whether the build for a release has it.
func RegistryWith(plugin string, release *Release) (r *Registry, has bool) {
	for _, r := range registries() {
		if slices.ContainsFunc(r.plugins, func(p registered) bool { return p.Name == plugin }) {
			return r, slices.ContainsFunc(r.Plugins(release), func(p OutOfTree) bool { return p.Name == plugin })
		}
	}
	return nil, false
}
