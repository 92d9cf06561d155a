// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/explain"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
)

// layouts write the schemas in the way that a program looks for them. Each returns the files by their path.
var layouts = map[string]func(releases []*schemas.Release, baseURL string) (map[string][]byte, error){
	"kubeconform": kubeconformFiles,
	"schemastore": schemaStoreFiles,
}

// schemaStore is where SchemaStore serves what it has.
const schemaStore = "https://www.schemastore.org"

func writeLayout(c *cli.Context) error {
	name := c.String("layout")
	switch {
	case layouts[name] == nil:
		return usage(c, "--layout %q: the choices are %s", name, strings.Join(slices.Sorted(maps.Keys(layouts)), ", "))
	case c.NArg() != 1:
		return usage(c, "--layout %s writes into a folder: give one", name)
	case c.IsSet("api-version") || c.IsSet("kind"):
		return usage(c, "--layout writes the schemas of all kinds and apiVersions: leave --api-version and --kind out")
	case c.IsSet("base-url") && name != "schemastore":
		return usage(c, "--base-url goes with --layout schemastore")
	}
	var releases []*schemas.Release
	for _, minor := range schemas.Minors() {
		releases = append(releases, schemas.For(minor))
	}
	if c.IsSet("target") {
		release, err := target(c)
		if err != nil {
			return err
		}
		releases = []*schemas.Release{release}
	}
	files, err := layouts[name](releases, strings.TrimSuffix(c.String("base-url"), "/"))
	if err != nil {
		return err
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		name := filepath.Join(c.Args().First(), filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return inputError{fmt.Errorf("write %q: %w", name, reason(err))}
		}
		if err := replaceFile(name, files[file]); err != nil {
			return err
		}
	}
	return nil
}

// kubeconformName is the name under which kubeconform looks for the schema of a kind: pkg/registry/registry.go of
// v0.8.0.
func kubeconformName(apiVersion, kind string) string {
	group, version, hasGroup := strings.Cut(apiVersion, "/")
	group, _, _ = strings.Cut(group, ".")
	name := strings.ToLower(kind) + "-" + strings.ToLower(group)
	if hasGroup {
		name += "-" + strings.ToLower(version)
	}
	return name + ".json"
}

// kubeconformFiles are those that kubeconform finds with -schema-location and the folder: one for each version that
// it can be asked about, with -strict and without, which are the same since a schema is as strict as its release.
// "master" is what it asks for without a version.
func kubeconformFiles(releases []*schemas.Release, _ string) (map[string][]byte, error) {
	files := map[string][]byte{}
	add := func(version string, release *schemas.Release) error {
		for _, kind := range kindsOf(release) {
			data, err := release.Schema(kind[0], kind[1])
			if err != nil {
				return err
			}
			for _, strict := range []string{"", "-strict"} {
				files[version+"-standalone"+strict+"/"+kubeconformName(kind[0], kind[1])] = data
			}
		}
		return nil
	}
	for _, release := range releases {
		if err := add("v"+release.Name+".0", release); err != nil {
			return nil, err
		}
	}
	return files, add("master", releases[len(releases)-1])
}

// kindsOf are the pairs of apiVersion and kind that a release reads.
func kindsOf(release *schemas.Release) [][2]string {
	var kinds [][2]string
	for _, api := range release.APIs {
		kinds = append(kinds, [2]string{api.APIVersion, api.Kind})
	}
	for _, apiVersion := range release.Policies {
		kinds = append(kinds, [2]string{apiVersion, scheme.PolicyKind})
	}
	return kinds
}

// catalogEntry is an entry of the catalog of SchemaStore, as src/schemas/json/schema-catalog.json of it has it.
type catalogEntry struct {
	Name        string            `json:"name"`
	Description string            `json:"description"`
	FileMatch   []string          `json:"fileMatch"`
	URL         string            `json:"url"`
	Versions    map[string]string `json:"versions"`
}

// storeName is the schema of a configuration of any apiVersion.
const storeName = "kube-scheduler-configuration"

// fileMatch are names that people give to a configuration, and that nothing else has.
var fileMatch = []string{
	"kube-scheduler-config.yaml", "kube-scheduler-config.yml", "kube-scheduler-config.json",
	"kube-scheduler-configuration.yaml", "kube-scheduler-configuration.yml", "kube-scheduler-configuration.json",
	"kubescheduler-config.yaml", "kubescheduler-config.yml", "*.kube-scheduler.yaml", "*.kube-scheduler.yml",
}

// schemaStoreFiles are a catalog with one entry, and the schemas that it leads to: that of each apiVersion in the
// newest release that reads it, and one that chooses among them by what a file says.
func schemaStoreFiles(releases []*schemas.Release, baseURL string) (map[string][]byte, error) {
	entry := catalogEntry{
		Name: "kube-scheduler configuration", Description: "KubeSchedulerConfiguration of the Kubernetes scheduler", FileMatch: fileMatch,
		URL: baseURL + "/" + storeName + ".json", Versions: map[string]string{},
	}
	files := map[string][]byte{}
	var known []string
	var choices []any
	for _, apiVersion := range slices.Backward(explain.APIVersions()) {
		for _, release := range slices.Backward(releases) {
			api, ok := release.API(apiVersion)
			if !ok {
				continue
			}
			data, err := release.Schema(apiVersion, api.Kind)
			if err != nil {
				return nil, err
			}
			name := storeName + "-" + path.Base(apiVersion) + ".json"
			files[name] = data
			entry.Versions[path.Base(apiVersion)] = baseURL + "/" + name
			known = append(known, apiVersion)
			choices = append(choices, map[string]any{
				"if":   map[string]any{"required": []string{"apiVersion"}, "properties": map[string]any{"apiVersion": map[string]string{"const": apiVersion}}},
				"then": map[string]string{"$ref": name},
			})
			break
		}
	}
	var err error
	if files[storeName+".json"], err = indentedJSON(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": entry.URL, "title": entry.Description, "type": "object",
		"required": []string{"apiVersion", "kind"},
		"properties": map[string]any{
			"apiVersion": map[string]any{"description": "Group and version that the file is written in.", "enum": known},
			"kind":       map[string]any{"description": "Kind of the file.", "const": config.Kind},
		},
		"allOf": choices,
	}); err != nil {
		return nil, err
	}
	files["catalog.json"], err = indentedJSON(map[string]any{
		"$schema": "https://json.schemastore.org/schema-catalog.json", "version": 1.0, "schemas": []catalogEntry{entry},
	})
	return files, err
}

func indentedJSON(value any) ([]byte, error) {
	data, err := json.MarshalIndent(value, "", "  ")
	return append(data, '\n'), err
}
