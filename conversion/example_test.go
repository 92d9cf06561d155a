// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package conversion_test

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schedconf/schedconf/conversion"
	"github.com/schedconf/schedconf/conversion/v1beta3"
	"github.com/schedconf/schedconf/scheme/config"
	wire "github.com/schedconf/schedconf/scheme/v1beta3"
)

// Example converts from the hub to v1beta3, which has no delayCacheUntilActive.
func Example() {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(config.SchemeGroupVersion, &config.KubeSchedulerConfiguration{})
	scheme.AddKnownTypes(wire.SchemeGroupVersion, &wire.KubeSchedulerConfiguration{})
	if err := v1beta3.Register(scheme); err != nil {
		panic(err)
	}
	context := &conversion.Context{}
	out := &wire.KubeSchedulerConfiguration{}
	if err := scheme.Convert(&config.KubeSchedulerConfiguration{DelayCacheUntilActive: true}, out, context); err != nil {
		panic(err)
	}
	for _, loss := range context.Losses {
		fmt.Println(loss.Path, loss.Message)
	}
	// Output:
	// delayCacheUntilActive kubescheduler.config.k8s.io/v1beta3 has no field "delayCacheUntilActive"
}
