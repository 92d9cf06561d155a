// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package defaults

import "net"

const (
	anyHost      = "0.0.0.0"
	insecurePort = "10251"
)

// addresses are the named ways in which a bind address is filled in; nil means that the field was
// not given, and a nil result leaves it so.
var addresses = map[string]func(given *string) *string{
	"none": func(given *string) *string { return given },
	// 1.16: only host:port counts.
	"strict": func(given *string) *string {
		if full, ok := splitAddress(given); ok {
			return &full
		}
		return defaultAddress()
	},
	// 1.17 to 1.22: a bare IP gets the port, and what cannot be read is replaced.
	"lenient": func(given *string) *string {
		if full, ok := fillAddress(given); ok {
			return &full
		}
		return defaultAddress()
	},
	// v1beta2 in 1.22: what cannot be read stays and is refused later.
	"keepInvalid": func(given *string) *string {
		if given == nil {
			return defaultAddress()
		}
		if full, ok := fillAddress(given); ok {
			return &full
		}
		return given
	},
}

func defaultAddress() *string {
	address := net.JoinHostPort(anyHost, insecurePort)
	return &address
}

// splitAddress completes host:port where the host may be missing.
func splitAddress(given *string) (string, bool) {
	if given == nil {
		return "", false
	}
	host, port, err := net.SplitHostPort(*given)
	if err != nil {
		return "", false
	}
	if host == "" {
		host = anyHost
	}
	return net.JoinHostPort(host, port), true
}

// fillAddress is splitAddress that takes a bare IP as well.
func fillAddress(given *string) (string, bool) {
	if full, ok := splitAddress(given); ok {
		return full, true
	}
	if given != nil && net.ParseIP(*given) != nil {
		return net.JoinHostPort(*given, insecurePort), true
	}
	return "", false
}
