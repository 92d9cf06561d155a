// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

//go:embed versions.json
var versionsJSON []byte

// versions says which modules a minor is read from.
type versions struct {
	// Kubernetes is the version of k8s.io/kubernetes.
	Kubernetes string `json:"kubernetes"`
	// Staging is the version of k8s.io/api, apimachinery, component-base and kube-scheduler: the same
	// patch release, or the one next to it where that one was never published as a module.
	Staging string `json:"staging"`
	// Lenient lists the kinds, as "v1.Policy", in which this release lets unknown keys pass.
	Lenient []string `json:"lenient,omitempty"`
}

// recordedVersions returns the table of versions.json.
func recordedVersions() (map[string]versions, error) {
	var table map[string]versions
	if err := json.Unmarshal(versionsJSON, &table); err != nil {
		return nil, fmt.Errorf("versions.json: %w", err)
	}
	return table, nil
}

// recordedMinors returns the minors of versions.json, oldest first.
func recordedMinors() ([]string, error) {
	table, err := recordedVersions()
	if err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Keys(table), compareVersions), nil
}

// versionsOf returns the versions of a recorded minor, or the newest patch of any other.
func versionsOf(minor string) (versions, error) {
	table, err := recordedVersions()
	if err != nil {
		return versions{}, err
	}
	if known, ok := table[minor]; ok {
		return known, nil
	}
	newest, err := newestPatch(minor)
	if err != nil {
		return versions{}, fmt.Errorf("newest patch: %w", err)
	}
	return versions{Kubernetes: newest, Staging: "v0" + strings.TrimPrefix(newest, "v1")}, nil
}

// newestPatch asks the module proxy for the newest stable release of a minor.
func newestPatch(minor string) (string, error) {
	list, err := goCommand("list", "-m", "-versions", "k8s.io/kubernetes")
	if err != nil {
		return "", err
	}
	other := func(version string) bool {
		return !strings.HasPrefix(version, "v"+minor+".") || strings.Contains(version, "-")
	}
	patches := slices.DeleteFunc(strings.Fields(string(list)), other)
	if len(patches) == 0 {
		return "", fmt.Errorf("no release of Kubernetes %s is known", minor)
	}
	return slices.MaxFunc(patches, compareVersions), nil
}

// compareVersions orders dotted numbers such as 1.9 and 1.10, with or without a leading v.
func compareVersions(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(x, y string) int {
		m, _ := strconv.Atoi(strings.TrimPrefix(x, "v"))
		n, _ := strconv.Atoi(strings.TrimPrefix(y, "v"))
		return cmp.Compare(m, n)
	})
}
