// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schedconf_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/validation"
)

// BenchmarkCheck judges every accepted v1 case, one after the other, with one checker, as a run over
// many files does.
func BenchmarkCheck(b *testing.B) {
	minors := schemas.Minors()
	minor := minors[len(minors)-1]
	cases := recordedCases(b)
	var texts []string
	for _, v := range recordedVerdicts(b)[minor.String()] {
		if v.Accepted && strings.HasPrefix(v.Case, "v1/") {
			texts = append(texts, cases[v.Case])
		}
	}
	slices.Sort(texts)
	checker := validation.New(newScheme(b, minor))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := checker.Check(source.Split("x.yaml", []byte(texts[i%len(texts)]))[0]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkProfiles shows how the cost grows with the number of profiles in one file.
func BenchmarkProfiles(b *testing.B) {
	minors := schemas.Minors()
	for _, n := range []int{1, 10, 100, 1000} {
		var text strings.Builder
		text.WriteString("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n")
		for i := range n {
			text.WriteString("- schedulerName: s" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + "-" + itoa(i) + "\n")
		}
		b.Run(itoa(n), func(b *testing.B) {
			checker := validation.New(newScheme(b, minors[len(minors)-1]))
			for b.Loop() {
				if _, err := checker.Check(source.Split("x.yaml", []byte(text.String()))[0]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func itoa(n int) string {
	digits := []byte{}
	for ; n > 0 || len(digits) == 0; n /= 10 {
		digits = append(digits, byte('0'+n%10))
	}
	slices.Reverse(digits)
	return string(digits)
}

// BenchmarkFiles judges the smallest file, and one of two profiles, which is what people have.
func BenchmarkFiles(b *testing.B) {
	minors := schemas.Minors()
	checker := validation.New(newScheme(b, minors[len(minors)-1]))
	for _, name := range []string{"minimal", "everything"} {
		text := []byte(recordedCases(b)["v1/"+name+".yaml"])
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := checker.Check(source.Split("x.yaml", text)[0]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
