// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"

	"github.com/schedconf/schedconf/dryrun"
)

// replaceExtenders takes the extenders out of every decision, or gives them the answers of the request, if
// they are not to be called. Every profile has the same list.
func (r *run) replaceExtenders(cfg *config.KubeSchedulerConfiguration) error {
	if r.request.Extenders == dryrun.ExtendersCall {
		for i, extender := range r.sched.Extenders {
			r.sched.Extenders[i] = heard{extender, r}
		}
		return nil
	}
	var skipped, stubbed []string
	used := map[string]bool{}
	for i, extender := range r.sched.Extenders {
		at := slices.IndexFunc(r.request.Stubs, func(s dryrun.Stub) bool { return s.URLPrefix == extender.Name() })
		if at < 0 || r.request.Extenders != dryrun.ExtendersStub {
			skipped = append(skipped, address(extender))
			r.sched.Extenders[i] = muted{extender}
			continue
		}
		stub := r.request.Stubs[at]
		used[stub.URLPrefix] = true
		stubbed = append(stubbed, address(extender))
		given := slices.IndexFunc(cfg.Extenders, func(e config.Extender) bool { return e.URLPrefix == extender.Name() })
		r.sched.Extenders[i] = heard{stubExtender{muted{extender}, stub, cfg.Extenders[given].Weight}, r}
	}
	for _, stub := range r.request.Stubs {
		if !used[stub.URLPrefix] {
			return fmt.Errorf("extenders: the configuration has no extender with the urlPrefix %q of a stub", redacted(stub.URLPrefix))
		}
	}
	if len(skipped) > 0 {
		r.report.Marks = append(r.report.Marks, "the extenders were not called, so what they filter, score, bind and preempt is missing: "+strings.Join(skipped, ", "))
	}
	if len(stubbed) > 0 {
		r.report.Marks = append(r.report.Marks, "the extenders were not called, and have the answers of a file: "+strings.Join(stubbed, ", "))
	}
	return nil
}

// address names an extender without who may use it.
func address(extender fwk.Extender) string { return redacted(extender.Name()) }

func redacted(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return "an address that is no URL"
	}
	parsed.User, parsed.RawQuery, parsed.Fragment = nil, "", ""
	return parsed.String()
}

// muted is an extender that has nothing to say about any pod.
type muted struct{ fwk.Extender }

func (muted) IsInterested(*corev1.Pod) bool { return false }
func (muted) IsFilter() bool                { return false }
func (muted) IsPrioritizer() bool           { return false }
func (muted) IsBinder() bool                { return false }
func (muted) SupportsPreemption() bool      { return false }

// stubExtender answers what the request says, and leaves binding and preemption to the scheduler.
type stubExtender struct {
	muted
	stub   dryrun.Stub
	weight int64
}

func (s stubExtender) IsInterested(p *corev1.Pod) bool { return s.Extender.IsInterested(p) }
func (s stubExtender) IsFilter() bool                  { return s.Extender.IsFilter() }
func (s stubExtender) IsPrioritizer() bool             { return s.Extender.IsPrioritizer() }

func (s stubExtender) Filter(_ *corev1.Pod, nodes []fwk.NodeInfo) ([]fwk.NodeInfo, extenderv1.FailedNodesMap, extenderv1.FailedNodesMap, error) {
	failed := extenderv1.FailedNodesMap{}
	var left []fwk.NodeInfo
	for _, node := range nodes {
		if reason, rejected := s.stub.Reject[node.Node().Name]; rejected {
			failed[node.Node().Name] = reason
			continue
		}
		left = append(left, node)
	}
	return left, failed, extenderv1.FailedNodesMap{}, nil
}

func (s stubExtender) Prioritize(_ *corev1.Pod, nodes []fwk.NodeInfo) (*extenderv1.HostPriorityList, int64, error) {
	var list extenderv1.HostPriorityList
	for _, node := range nodes {
		list = append(list, extenderv1.HostPriority{Host: node.Node().Name, Score: s.stub.Scores[node.Node().Name]})
	}
	return &list, s.weight, nil
}
