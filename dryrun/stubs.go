// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"errors"
	"fmt"

	"sigs.k8s.io/yaml"
)

// mostOfExtender is the highest score of an extender (MaxExtenderPriority in k8s.io/kube-scheduler/extender/v1).
const mostOfExtender = 10

// ReadStubs reads what extenders answer, as YAML or JSON: a list of Stub in the field extenders.
func ReadStubs(data []byte) ([]Stub, error) {
	var file struct {
		Extenders []Stub `json:"extenders"`
	}
	if err := yaml.UnmarshalStrict(data, &file); err != nil {
		return nil, err
	}
	if len(file.Extenders) == 0 {
		return nil, errors.New("the list extenders is empty, so no extender would answer")
	}
	for i, stub := range file.Extenders {
		if stub.URLPrefix == "" {
			return nil, fmt.Errorf("extenders[%d] has no urlPrefix, which is that of the configuration", i)
		}
		for node, score := range stub.Scores {
			if score < 0 || score > mostOfExtender {
				return nil, fmt.Errorf("extenders[%d].scores: %q has %d, and a score is from 0 to %d", i, node, score, mostOfExtender)
			}
		}
	}
	return file.Extenders, nil
}
