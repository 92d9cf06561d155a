// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Command convert reads a configuration of any apiVersion from standard input and writes it as v1 to standard
// output: comments stay, and so does what it does. What cannot stay is said on standard error.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/validation"
)

func main() {
	data, err := io.ReadAll(os.Stdin)
	if err == nil {
		var text []byte
		var changes diag.List
		if text, changes, err = toV1(data); err == nil {
			for _, change := range changes {
				fmt.Fprintf(os.Stderr, "%s: %s: %s\n", change.Severity, change.Path, change.Message)
			}
			_, err = os.Stdout.Write(text)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// toV1 carries the first document of a file from the newest release that reads it to the newest one of all.
func toV1(data []byte) ([]byte, diag.List, error) {
	doc := source.Split("standard input", data)[0]
	value, _, err := scheme.Value(doc)
	if err != nil {
		return nil, nil, err
	}
	apiVersion, _, err := scheme.TypeMeta(value)
	if err != nil {
		return nil, nil, err
	}
	from, err := newest(apiVersion)
	if err != nil {
		return nil, nil, err
	}
	to, err := newest("kubescheduler.config.k8s.io/v1")
	if err != nil {
		return nil, nil, err
	}
	// A file that its own release does not read has nothing to be kept.
	judged, err := validation.NewVerdict(from.Scheme).Check(doc)
	if err != nil {
		return nil, nil, err
	}
	if err := judged.Findings.Err(); err != nil {
		return nil, nil, err
	}
	decoded, err := from.Scheme.Decode(value, from.API)
	if err != nil {
		return nil, nil, err
	}
	translation, err := scheme.Translate(decoded.Object, from, to, true)
	if err != nil {
		return nil, nil, err
	}
	text, _, err := scheme.Rewrite(scheme.Rewriting{Document: doc, From: from, To: to, Object: translation.Object})
	return text, translation.Changes, err
}

// newest is an apiVersion as the newest release that has it reads it.
func newest(apiVersion string) (scheme.Side, error) {
	release, ok := schemas.Newest(apiVersion)
	if !ok {
		return scheme.Side{}, fmt.Errorf("no release reads the apiVersion %q", apiVersion)
	}
	gates, err := release.NewGates(nil)
	if err != nil {
		return scheme.Side{}, err
	}
	s, err := scheme.New(release, gates)
	if err != nil {
		return scheme.Side{}, err
	}
	api, _ := release.API(apiVersion)
	return scheme.Side{Scheme: s, API: api}, nil
}
