// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"encoding/json"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/validation"
)

// Settings are what an editor is configured with. They count like the flags of the same names.
type Settings struct {
	// Target is the Kubernetes minor; empty where files and their surroundings say it.
	Target string `json:"target"`
	// FeatureGates are those of the scheduler.
	FeatureGates map[string]bool `json:"featureGates"`
	// Plugins are declarations as --plugin has them, and Registries what --plugin-registry names.
	Plugins    []string `json:"plugins"`
	Registries []string `json:"pluginRegistries"`
}

// readSettings reads what an editor sends; what is not set stays as it was.
func readSettings(data json.RawMessage, settings *Settings) error {
	if len(data) == 0 || string(data) == "null" {
		return nil
	}
	// Many clients send the settings of all servers, or wrap them into the name of the section.
	var wrapped map[string]json.RawMessage
	if err := json.Unmarshal(data, &wrapped); err != nil {
		return err
	}
	if inner, ok := wrapped[section]; ok {
		data = inner
	}
	read := *settings
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	*settings = read
	return nil
}

// section is the name of the settings in an editor.
const section = "schedconf"

// Open returns the text of a file that is open in the editor, which is newer than the one on the disk.
type Open func(path string) (text []byte, ok bool)

// Tool judges texts as the command does, with the same settings. An error means that it cannot, such as for
// an unknown target. It is not used concurrently.
type Tool interface {
	// Check returns the findings about the file at a path, of which only its own count.
	Check(path string) (diag.List, error)
	// Fixed returns the text of the file with its certain fixes made.
	Fixed(path string) ([]byte, error)
	// Scheme returns the release that a configuration is for: that at an index of File.Found, or one that the file
	// is about to hold if the index is negative.
	Scheme(file *validation.File, index int) (*scheme.Scheme, error)
	// Effective writes what a configuration of the file comes to on a release: that in a document of the file, or
	// the only one if the document is negative.
	Effective(path string, release *schemas.Release, document int) (string, error)
}

// NewTool makes a tool for settings.
type NewTool func(settings Settings, open Open) (Tool, error)
