// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// unmodelled are plugins by the names of the request that do nothing wherever they are enabled, but at
// queueSort, where nothing can stand in for what orders pods.
func (r *run) unmodelled() frameworkruntime.Registry {
	registry := frameworkruntime.Registry{}
	for _, name := range r.request.Unmodelled {
		registry[name] = func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return absent(name), nil }
		r.report.Marks = append(r.report.Marks, "the plugin "+name+" is not in the engine, so what it does is missing from every result")
	}
	return registry
}

// absent is the name of a plugin that the engine does not have.
type absent string

var (
	_ fwk.PreEnqueuePlugin = absent("")
	_ fwk.PreFilterPlugin  = absent("")
	_ fwk.FilterPlugin     = absent("")
	_ fwk.PostFilterPlugin = absent("")
	_ fwk.PreScorePlugin   = absent("")
	_ fwk.ScorePlugin      = absent("")
	_ fwk.ReservePlugin    = absent("")
	_ fwk.PermitPlugin     = absent("")
	_ fwk.PreBindPlugin    = absent("")
	_ fwk.BindPlugin       = absent("")
	_ fwk.PostBindPlugin   = absent("")
)

func (a absent) Name() string                                      { return string(a) }
func (absent) PreEnqueue(context.Context, *corev1.Pod) *fwk.Status { return nil }
func (absent) PreFilterExtensions() fwk.PreFilterExtensions        { return nil }
func (absent) ScoreExtensions() fwk.ScoreExtensions                { return nil }
func (absent) PreFilter(context.Context, fwk.CycleState, *corev1.Pod, []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	return nil, fwk.NewStatus(fwk.Skip)
}

func (absent) Filter(context.Context, fwk.CycleState, *corev1.Pod, fwk.NodeInfo) *fwk.Status {
	return nil
}

func (absent) PostFilter(context.Context, fwk.CycleState, *corev1.Pod, fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	return nil, fwk.NewStatus(fwk.Unschedulable)
}

func (absent) PreScore(context.Context, fwk.CycleState, *corev1.Pod, []fwk.NodeInfo) *fwk.Status {
	return fwk.NewStatus(fwk.Skip)
}

func (absent) Score(context.Context, fwk.CycleState, *corev1.Pod, fwk.NodeInfo) (int64, *fwk.Status) {
	return 0, nil
}
func (absent) Reserve(context.Context, fwk.CycleState, *corev1.Pod, string) *fwk.Status { return nil }
func (absent) Unreserve(context.Context, fwk.CycleState, *corev1.Pod, string)           {}

func (absent) Permit(context.Context, fwk.CycleState, *corev1.Pod, string) (*fwk.Status, time.Duration) {
	return nil, 0
}

func (absent) PreBindPreFlight(context.Context, fwk.CycleState, *corev1.Pod, string) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	return nil, fwk.NewStatus(fwk.Skip)
}

func (absent) PreBind(context.Context, fwk.CycleState, *corev1.Pod, string) *fwk.Status { return nil }

func (absent) Bind(context.Context, fwk.CycleState, *corev1.Pod, string) *fwk.Status {
	return fwk.NewStatus(fwk.Skip)
}

func (absent) PostBind(context.Context, fwk.CycleState, *corev1.Pod, string) {}
