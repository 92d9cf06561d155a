// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// +k8s:deepcopy-gen=package

// Package v1alpha1 holds the wire types of kubescheduler.config.k8s.io/v1alpha1, which Kubernetes
// 1.16 to 1.18 served, frozen at their last shape: that of 1.18, whose pointers tell "not set" from
// zero where 1.16 could not. A configuration is one profile, with its fields at the top level. There
// is nothing but types here: defaults and conversions have packages of their own.
package v1alpha1

//go:generate go tool deepcopy-gen --go-header-file ../../hack/header.txt --output-file zz_generated.deepcopy.go .
