// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// +k8s:deepcopy-gen=package

// Package config holds the hub: the one internal form that every apiVersion converts to and from.
// It is the union of what kube-scheduler could be told between Kubernetes 1.16 and 1.37, keeps
// "not set" apart from "set to zero" wherever some apiVersion does, and has no JSON form of its own.
package config

//go:generate go tool deepcopy-gen --go-header-file ../../hack/header.txt --output-file zz_generated.deepcopy.go .
