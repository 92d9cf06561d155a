// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"os"

	"github.com/schedconf/schedconf/explain"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
)

func ExampleLookUp() {
	minors := schemas.Minors()
	release := schemas.For(minors[len(minors)-1])
	gates, err := release.NewGates(nil)
	if err != nil {
		panic(err)
	}
	s, err := scheme.New(release, gates)
	if err != nil {
		panic(err)
	}
	explanation, err := explain.LookUp(s, "parallelism-range")
	if err != nil {
		panic(err)
	}
	if err := explanation.Text(os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// parallelism-range: parallelism is not positive
	//
	// parallelism is how many goroutines scheduling algorithms may use. It has to be at least 1; leave it out for the default of 16.
	//
	// API VERSION  MINORS        REFUSED AT
	// v1beta1      1.20 to 1.22  validate
	// v1beta2      1.22 to 1.27  validate
	// v1beta3      1.23 to 1.28  validate
	// v1           1.25 to 1.37  validate
	// elsewhere nothing is said
}
