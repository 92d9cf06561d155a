// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	utilfeature "k8s.io/apiserver/pkg/util/feature"

	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
)

// setGates sets the feature gates of the process, which is the only way that the scheduler reads them.
func setGates(gates map[string]bool) error {
	// Victims are evicted within the cycle that chooses them, so that the next one finds them gone: beside it,
	// the order of events would be a matter of chance.
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{string(features.SchedulerAsyncPreemption): false}); err != nil {
		return fmt.Errorf("feature gates: %w", err)
	}
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(gates); err != nil {
		return fmt.Errorf("feature gates: %w", err)
	}
	return nil
}

// loadConfiguration reads and judges a configuration as kube-scheduler does.
func loadConfiguration(text string) (*config.KubeSchedulerConfiguration, error) {
	object, gvk, err := scheme.Codecs.UniversalDecoder().Decode([]byte(text), nil, nil)
	if err != nil {
		return nil, fmt.Errorf("the configuration: %w", err)
	}
	cfg, ok := object.(*config.KubeSchedulerConfiguration)
	if !ok {
		return nil, fmt.Errorf("the configuration: this is a %s", gvk)
	}
	cfg.APIVersion = gvk.GroupVersion().String()
	if err := validation.ValidateKubeSchedulerConfiguration(cfg); err != nil {
		return nil, fmt.Errorf("the configuration: %w", err)
	}
	return cfg, nil
}
