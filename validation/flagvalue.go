// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/schedconf/schedconf/schemas"
)

// valueFault says what a flag takes if it does not take the value; empty if it does.
func valueFault(flag *schemas.Flag, value string) string {
	kind, ok := flagTypes[flag.Type]
	if ok && kind.check(value) != nil {
		return "takes " + kind.wants
	}
	switch {
	case flag.Format == "ip" && value != "" && net.ParseIP(value) == nil:
		return "takes an IP address"
	case len(flag.Values) > 0 && !slices.Contains(flag.Values, value) && !(value == "" && flag.Default == ""):
		return "takes " + orList(flag.Values)
	}
	return rangeFault(flag, value)
}

func rangeFault(flag *schemas.Flag, value string) string {
	outside := func(n, bound float64, sign int) bool { return cmp.Compare(n, bound) == sign }
	n, ok := number(value)
	if !ok || flag.Min == "" && flag.Max == "" {
		return ""
	}
	low, hasLow := number(flag.Min)
	high, hasHigh := number(flag.Max)
	if !(hasLow && outside(n, low, -1)) && !(hasHigh && outside(n, high, 1)) {
		return ""
	}
	switch {
	case flag.Type == "duration":
		return "takes a duration greater than 0"
	case flag.Min == flag.Max:
		return "takes " + flag.Min + " and nothing else"
	}
	return fmt.Sprintf("takes a number from %s to %s", flag.Min, flag.Max)
}

// number reads a number or a duration.
func number(text string) (float64, bool) {
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return float64(n), true
	}
	d, err := time.ParseDuration(text)
	return float64(d), err == nil
}

func orList(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

type flagType struct {
	wants string
	check func(string) error
}

var errFlagValue = errors.New("another kind of value is needed")

// flagTypes read values as pflag does, and the types of Kubernetes and klog. Gates are read elsewhere.
var flagTypes = map[string]flagType{
	"bool":    {"true or false", func(s string) error { _, err := strconv.ParseBool(s); return err }},
	"int":     {"a whole number", func(s string) error { _, err := strconv.ParseInt(s, 0, 64); return err }},
	"int32":   {"a whole number", func(s string) error { _, err := strconv.ParseInt(s, 0, 32); return err }},
	"uint":    {"a whole number that is not negative", func(s string) error { _, err := strconv.ParseUint(s, 0, 64); return err }},
	"float32": {"a number", func(s string) error { _, err := strconv.ParseFloat(s, 32); return err }},
	"duration": {"a duration such as 15s or 1m30s", func(s string) error {
		_, err := time.ParseDuration(s)
		return err
	}},
	"ip": {"an IP address", func(s string) error {
		if s != "" && net.ParseIP(strings.TrimSpace(s)) == nil {
			return errFlagValue
		}
		return nil
	}},
	"strings": {"words with commas between them", checkCSV},
	"int32Slice": {"whole numbers with commas between them", func(s string) error {
		return eachPart(s, ",", func(part string) error { _, err := strconv.ParseInt(part, 0, 32); return err })
	}},
	"stringToString": {"pairs such as name=value with commas between them", checkPairs},
	"namedCertKey": {"CERTIFICATE,KEY or CERTIFICATE,KEY:NAME,NAME", func(s string) error {
		files, _, _ := strings.Cut(s, ":")
		if strings.Count(files, ",") != 1 {
			return errFlagValue
		}
		return nil
	}},
	"quantity": {"a quantity such as 64Ki", func(s string) error { _, err := resource.ParseQuantity(s); return err }},
	"severity": {"INFO, WARNING, ERROR, FATAL or their numbers 0 to 3", func(s string) error {
		if slices.Contains([]string{"INFO", "WARNING", "ERROR", "FATAL"}, strings.ToUpper(s)) {
			return nil
		}
		_, err := strconv.ParseInt(s, 10, 32)
		return err
	}},
	"traceLocation": {"FILE:LINE", func(s string) error {
		_, line, ok := strings.Cut(s, ":")
		if n, err := strconv.Atoi(line); s != "" && (!ok || err != nil || n < 0) {
			return errFlagValue
		}
		return nil
	}},
	"moduleSpec": {"pairs such as pattern=2 with commas between them", func(s string) error {
		return eachPart(s, ",", func(part string) error {
			pattern, level, _ := strings.Cut(part, "=")
			if n, err := strconv.Atoi(level); part != "" && (pattern == "" || err != nil || n < 0) {
				return errFlagValue
			}
			return nil
		})
	}},
	"version": {"true, false or raw", func(s string) error {
		if _, err := strconv.ParseBool(s); err != nil && !strings.HasPrefix(s, "v") && s != "raw" {
			return err
		}
		return nil
	}},
}

func eachPart(text, separator string, check func(string) error) error {
	for part := range strings.SplitSeq(text, separator) {
		if err := check(part); err != nil {
			return err
		}
	}
	return nil
}

func checkCSV(s string) error {
	if _, err := csv.NewReader(strings.NewReader(s)).Read(); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// checkPairs follows pflag: a value with several pairs is CSV.
func checkPairs(s string) error {
	switch strings.Count(s, "=") {
	case 0:
		return errFlagValue
	case 1:
		return nil
	}
	pairs, err := csv.NewReader(strings.NewReader(s)).Read()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(pairs, func(pair string) bool { return !strings.Contains(pair, "=") }) {
		return errFlagValue
	}
	return nil
}
