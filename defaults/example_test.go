// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package defaults_test

import (
	"fmt"

	"github.com/schedconf/schedconf/defaults"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/config"
)

// ExamplePlugins shows how a feature gate changes what runs by default.
func ExamplePlugins() {
	minor, err := schemas.ParseMinor("1.26")
	if err != nil {
		panic(err)
	}
	release := schemas.For(minor)
	for _, on := range []bool{false, true} {
		gates, err := release.NewGates(map[string]bool{"PodSchedulingReadiness": on})
		if err != nil {
			panic(err)
		}
		list := defaults.Plugins(&release.APIs[0], gates)[config.MultiPoint].Enabled
		fmt.Println(len(list), list[len(list)-1].Name)
	}
	// Output:
	// 20 DefaultBinder
	// 21 SchedulingGates
}
