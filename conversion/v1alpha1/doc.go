// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// +k8s:conversion-gen=github.com/schedconf/schedconf/scheme/config
// +k8s:conversion-gen-external-types=github.com/schedconf/schedconf/scheme/v1alpha1

// Package v1alpha1 converts kubescheduler.config.k8s.io/v1alpha1 to the hub and back. What is not a plain
// copy is written by hand in conversion.go; the rest is generated.
package v1alpha1

//go:generate go tool conversion-gen --skip-unsafe --go-header-file ../../hack/header.txt --output-file zz_generated.conversion.go .
