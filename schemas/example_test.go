// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schemas_test

import (
	"fmt"

	"github.com/schedconf/schedconf/schemas"
)

func Example() {
	minor, err := schemas.ParseMinor("v1.27.3")
	if err != nil {
		fmt.Println(err)
		return
	}
	release := schemas.For(minor)
	for _, api := range release.APIs {
		fmt.Println(api.APIVersion)
	}
	span, _ := schemas.PluginSpan("EBSLimits")
	fmt.Println("EBSLimits:", span)
	// Output:
	// kubescheduler.config.k8s.io/v1
	// kubescheduler.config.k8s.io/v1beta3
	// kubescheduler.config.k8s.io/v1beta2
	// EBSLimits: 1.17 to 1.31
}
