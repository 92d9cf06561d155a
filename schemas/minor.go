// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schemas

import (
	"fmt"
	"regexp"
	"strings"
)

// Minor is a Kubernetes minor such as 1.27. It can be compared for equality and printed, and
// nothing else: what is true of a minor is asked of its Release.
type Minor struct{ text string }

// String returns the minor as in "1.27".
func (m Minor) String() string { return m.text }

// MarshalText writes the form of String.
func (m Minor) MarshalText() ([]byte, error) { return []byte(m.text), nil }

var minorPattern = regexp.MustCompile(`^v?(\d+\.\d+)(?:\.\d+)?(?:[-+].*)?$`)

// ParseMinor reads "1.27", "v1.27.3" or "latest". The error of an unknown minor lists the known
// ones.
func ParseMinor(text string) (Minor, error) {
	known := Minors()
	if text == "latest" {
		return known[len(known)-1], nil
	}
	if match := minorPattern.FindStringSubmatch(text); match != nil {
		for _, m := range known {
			if m.text == match[1] {
				return m, nil
			}
		}
	}
	names := make([]string, len(known))
	for i, m := range known {
		names[i] = m.text
	}
	return Minor{}, fmt.Errorf("unknown Kubernetes minor %q: known are %s and latest", text, strings.Join(names, ", "))
}

// NewerThan reports whether the release is of a later minor. It is for what the minors of two programs have
// to be to each other, such as a scheduler and its API server; what a minor does is asked of its facts.
func (r *Release) NewerThan(other *Release) bool { return ordinal(r.Minor()) > ordinal(other.Minor()) }
