// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// +k8s:deepcopy-gen=package

// Package v1beta3 holds the wire types of kubescheduler.config.k8s.io/v1beta3, which Kubernetes 1.23
// to 1.28 served, frozen at their last shape. It is v1beta2 without the insecure ports. There is
// nothing but types here: defaults and conversions have packages of their own.
package v1beta3

//go:generate go tool deepcopy-gen --go-header-file ../../hack/header.txt --output-file zz_generated.deepcopy.go .
