// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package scheme_test

import (
	"fmt"
	"os"

	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source"
)

// Example carries a file of v1beta2 to v1 and keeps what it does: the weights that v1 has raised are
// written out.
func Example() {
	side := func(minor, apiVersion string) scheme.Side {
		m, err := schemas.ParseMinor(minor)
		if err != nil {
			panic(err)
		}
		gates, err := schemas.For(m).NewGates(nil)
		if err != nil {
			panic(err)
		}
		s, err := scheme.New(schemas.For(m), gates)
		if err != nil {
			panic(err)
		}
		api, _ := s.Release.API(apiVersion)
		return scheme.Side{Scheme: s, API: api}
	}
	from, to := side("1.27", "kubescheduler.config.k8s.io/v1beta2"), side("1.27", "kubescheduler.config.k8s.io/v1")

	text := []byte("apiVersion: kubescheduler.config.k8s.io/v1beta2\nkind: KubeSchedulerConfiguration\nparallelism: 8\n")
	value, _, err := scheme.Value(source.Split("sched.yaml", text)[0])
	if err != nil {
		panic(err)
	}
	decoded, err := from.Scheme.Decode(value, from.API)
	if err != nil {
		panic(err)
	}
	translation, err := scheme.Translate(decoded.Object, from, to, true)
	if err != nil {
		panic(err)
	}
	written, err := to.Scheme.EncodeGiven(translation.Object, to.API)
	if err != nil {
		panic(err)
	}
	os.Stdout.Write(written)
	fmt.Println(len(translation.Changes), "changes")
	// Output:
	// apiVersion: kubescheduler.config.k8s.io/v1
	// kind: KubeSchedulerConfiguration
	// parallelism: 8
	// profiles:
	// - plugins:
	//     score:
	//       disabled:
	//       - name: VolumeBinding
	//       enabled:
	//       - name: InterPodAffinity
	//         weight: 1
	//       - name: NodeAffinity
	//         weight: 1
	//       - name: TaintToleration
	//         weight: 1
	// 4 changes
}

// Load, Build and Effective say what a file comes to on a release.
func ExampleScheme_Build() {
	minor, err := schemas.ParseMinor("1.37")
	if err != nil {
		panic(err)
	}
	gates, err := schemas.For(minor).NewGates(nil)
	if err != nil {
		panic(err)
	}
	s, err := scheme.New(schemas.For(minor), gates)
	if err != nil {
		panic(err)
	}
	text := []byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n- plugins: {bind: {disabled: [{name: '*'}]}}\n")
	value, _, err := scheme.Value(source.Split("sched.yaml", text)[0])
	if err != nil {
		panic(err)
	}
	api, _ := s.Release.API("kubescheduler.config.k8s.io/v1")
	decoded, err := s.Decode(value, api)
	if err != nil {
		panic(err)
	}
	cfg, err := s.Load(decoded.Object, api)
	if err != nil {
		panic(err)
	}
	built := s.Build(cfg, api)
	fmt.Println(built.Frameworks[0].SchedulerName, "binds with", len(built.Frameworks[0].Points["bind"]), "plugins")
	for _, refusal := range built.Refusals {
		fmt.Println(refusal.Rule)
	}
	// Output:
	// default-scheduler binds with 0 plugins
	// bind-missing
}
