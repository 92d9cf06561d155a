// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// +k8s:deepcopy-gen=package

// Package v1beta1 holds the wire types of kubescheduler.config.k8s.io/v1beta1, which Kubernetes 1.19
// to 1.22 served, frozen at their last shape. It brought args kinds, and the point postFilter for what
// it means today. There is nothing but types here: defaults and conversions have packages of their own.
package v1beta1

//go:generate go tool deepcopy-gen --go-header-file ../../hack/header.txt --output-file zz_generated.deepcopy.go .
