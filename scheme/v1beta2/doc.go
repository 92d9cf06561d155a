// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// +k8s:deepcopy-gen=package

// Package v1beta2 holds the wire types of kubescheduler.config.k8s.io/v1beta2, which Kubernetes 1.22
// to 1.27 served, frozen at their last shape. Plugin sets are values from here on, so that an empty
// set and a missing one are the same. There is nothing but types here: defaults and conversions have
// packages of their own.
package v1beta2

//go:generate go tool deepcopy-gen --go-header-file ../../hack/header.txt --output-file zz_generated.deepcopy.go .
