// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

//go:embed descriptions.yaml
var descriptionsYAML []byte

// descriptions maps "Type" and "Type.field" to what the type or the field is. A key that starts with
// a version or a root kind and a slash, as "v1alpha1/Type.field", is for that schema alone.
type descriptions map[string]string

// loadDescriptions reads descriptions.yaml.
func loadDescriptions() (descriptions, error) {
	var all descriptions
	if err := yaml.Unmarshal(descriptionsYAML, &all); err != nil {
		return nil, fmt.Errorf("descriptions.yaml: %w", err)
	}
	return all, nil
}

// describer looks descriptions up for one schema and remembers which were missing.
type describer struct {
	all     descriptions
	root    root
	missing []error
}

// of returns the description of a type or field, the most particular one first.
func (d *describer) of(key string) string {
	for _, prefix := range []string{d.root.kind + "/", d.root.version + "/", ""} {
		if text := d.all[prefix+key]; text != "" {
			return text
		}
	}
	d.missing = append(d.missing, fmt.Errorf("descriptions.yaml has no %s", key))
	return ""
}

// err reports every description that was missing.
func (d *describer) err() error {
	return errors.Join(d.missing...)
}
