// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// +k8s:deepcopy-gen=package

// Package policyv1 holds the legacy Policy document of Kubernetes 1.16 to 1.22, frozen at its last
// shape, and the extender that it shares with v1alpha2. There is nothing but types here.
package policyv1

//go:generate go tool deepcopy-gen --go-header-file ../../hack/header.txt --output-file zz_generated.deepcopy.go .
