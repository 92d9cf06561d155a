// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	quota "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/apiserver/pkg/quota/v1/generic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/quota/v1/install"
)

var resourceQuotas = corev1.SchemeGroupVersion.WithResource("resourcequotas")

// quotas hold what is created against the ResourceQuotas of its namespace, with the API server's own evaluators.
// What they count is what is in the cluster; nothing is given back when a pod is preempted, as its quota is
// given back by a controller some time later.
type quotas struct {
	api        *api
	evaluators quota.Registry
}

func newQuotas(a *api, factory informers.SharedInformerFactory) (*quotas, error) {
	configuration, err := install.NewQuotaConfigurationForControllers(a.lister, factory)
	if err != nil {
		return nil, err
	}
	q := &quotas{a, generic.NewRegistry(configuration.Evaluators())}
	for kind, version := range kinds {
		// The API server counts what it has no evaluator for.
		resource := guess(version.WithKind(kind))
		if q.evaluators.Get(resource.GroupResource()) == nil {
			q.evaluators.Add(generic.NewObjectCountEvaluator(resource.GroupResource(), generic.ListResourceUsingListerFunc(a.lister, resource), ""))
		}
	}
	return q, nil
}

// lister lists what is there now.
func (a *api) lister(resource schema.GroupVersionResource) (cache.GenericLister, error) {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, obj := range a.list(resource, "") {
		if err := indexer.Add(obj); err != nil {
			return nil, err
		}
	}
	return cache.NewGenericLister(indexer, resource.GroupResource()), nil
}

// measure fills in what is used of quotas that come without a status, as those of a repository do. The status of
// a dump is taken as it is.
func (q *quotas) measure() error {
	for _, obj := range q.api.list(resourceQuotas, "") {
		measured := obj.(*corev1.ResourceQuota).DeepCopy()
		if len(measured.Status.Hard) > 0 {
			continue
		}
		used, err := quota.CalculateUsage(measured.Namespace, measured.Spec.Scopes, measured.Spec.Hard, q.evaluators, measured.Spec.ScopeSelector)
		if err != nil {
			return err
		}
		// Of what is not known here, such as Secrets, nothing is refused.
		measured.Status = corev1.ResourceQuotaStatus{Hard: quota.Mask(measured.Spec.Hard, quota.ResourceNames(used)), Used: used}
		q.api.put(measured)
	}
	return nil
}

// charge counts an object that is created. An error is the refusal of the API server.
func (q *quotas) charge(attributes admission.Attributes) error {
	var list []corev1.ResourceQuota
	for _, obj := range q.api.list(resourceQuotas, attributes.GetNamespace()) {
		list = append(list, *obj.(*corev1.ResourceQuota))
	}
	evaluator := q.evaluators.Get(attributes.GetResource().GroupResource())
	if len(list) == 0 || evaluator == nil {
		return nil
	}
	charged, err := resourcequota.CheckRequest(list, attributes, evaluator, nil)
	if err != nil {
		return err
	}
	for i := range charged {
		if !quota.Equals(charged[i].Status.Used, list[i].Status.Used) {
			q.api.put(&charged[i])
		}
	}
	return nil
}
