// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/validation"
)

// Plugin is a plugin as it is when a file says nothing.
type Plugin struct {
	Name string `json:"name"`
	// Points are those that it implements.
	Points []string `json:"points"`
	// Enabled are those of the points at which it is enabled by default.
	Enabled []string `json:"enabled"`
	// Weight is its default weight; 0 for a plugin that does not score by default.
	Weight int32 `json:"weight"`
	// Args is the kind of its args; empty for a plugin that takes none.
	Args string `json:"args"`
}

// Plugins lists the plugins of a release as an apiVersion has them by default.
func Plugins(s *scheme.Scheme, api *schemas.API) ([]Plugin, error) {
	minimal := fmt.Appendf(nil, "apiVersion: %s\nkind: %s\n", api.APIVersion, api.Kind)
	result, err := validation.New(s).Check(source.Split("-", minimal)[0])
	if err != nil {
		return nil, err
	}
	rows := []Plugin{}
	for _, plugin := range s.Release.Plugins {
		row := Plugin{Name: plugin.Name, Points: plugin.Points, Enabled: []string{}}
		if args := plugin.Name + "Args"; slices.Contains(api.Args, args) || slices.Contains(api.RawArgs, plugin.Name) {
			row.Args = args
		}
		for _, framework := range result.Built.Frameworks {
			row.enable(s.Release.Points, framework)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (r *Plugin) enable(points []string, framework scheme.Framework) {
	for _, point := range points {
		for _, plugin := range framework.Points[config.Point(point)] {
			if plugin.Name != r.Name {
				continue
			}
			r.Enabled = append(r.Enabled, point)
			if point == string(config.Score) && plugin.Weight != nil {
				r.Weight = *plugin.Weight
			}
		}
	}
}

// EnabledInWords is yes, no, or the points at which it is enabled by default.
func (r *Plugin) EnabledInWords() string {
	switch {
	case len(r.Enabled) == 0:
		return "no"
	case len(r.Enabled) == len(r.Points):
		return "yes"
	}
	return "at " + strings.Join(r.Enabled, ",")
}

// WeightInWords is the default weight, or a dash.
func (r *Plugin) WeightInWords() string {
	if r.Weight == 0 {
		return "-"
	}
	return fmt.Sprint(r.Weight)
}
