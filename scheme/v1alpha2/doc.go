// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// +k8s:deepcopy-gen=package

// Package v1alpha2 holds the wire types of kubescheduler.config.k8s.io/v1alpha2, which Kubernetes
// 1.18 served. It brought profiles, and extenders as a Policy has them. There is nothing but types
// here: defaults and conversions have packages of their own.
package v1alpha2

//go:generate go tool deepcopy-gen --go-header-file ../../hack/header.txt --output-file zz_generated.deepcopy.go .
