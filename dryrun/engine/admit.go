// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	podregistry "k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
	"k8s.io/kubernetes/plugin/pkg/admission/limitranger"
	"k8s.io/kubernetes/plugin/pkg/admission/priority"
	"k8s.io/kubernetes/plugin/pkg/admission/runtimeclass"
	"k8s.io/kubernetes/plugin/pkg/admission/storage/storageclass/setdefault"
)

// admitter does to an object what the API server does when it is created: the admission plugins that
// have a say in scheduling, in the order of the API server, and the checks of its kind.
type admitter struct {
	plugins  []admission.Interface
	priority admission.MutationInterface
	quotas   *quotas
}

// strategies say how a kind is prepared and checked.
var strategies = map[string]rest.RESTCreateStrategy{
	"Pod":                   podregistry.Strategy,
	"PersistentVolumeClaim": persistentvolumeclaim.Strategy,
	"Deployment":            deployment.Strategy,
	"ReplicaSet":            replicaset.Strategy,
	"StatefulSet":           statefulset.Strategy,
	"DaemonSet":             daemonset.Strategy,
	"Job":                   job.Strategy,
	"CronJob":               cronjob.Strategy,
}

func newAdmitter(a *api, factory informers.SharedInformerFactory) (*admitter, error) {
	registered := admission.NewPlugins()
	limitranger.Register(registered)
	priority.Register(registered)
	defaulttolerationseconds.Register(registered)
	setdefault.Register(registered)
	runtimeclass.Register(registered)
	start := initializer.New(a.client, nil, factory, nil, utilfeature.DefaultFeatureGate, nil, nil, nil)
	quotas, err := newQuotas(a, factory)
	if err != nil {
		return nil, err
	}
	admit := &admitter{quotas: quotas}
	for _, name := range []string{limitranger.PluginName, priority.PluginName, defaulttolerationseconds.PluginName, setdefault.PluginName, runtimeclass.PluginName} {
		plugin, err := registered.InitPlugin(name, nil, start)
		if err != nil {
			return nil, err
		}
		admit.plugins = append(admit.plugins, plugin)
		if name == priority.PluginName {
			admit.priority = plugin.(admission.MutationInterface)
		}
	}
	return admit, nil
}

// create returns the object as the API server would store it. An error is why it would refuse it,
// with the path of the field where it is about one.
func (a *admitter) create(ctx context.Context, obj object) (object, error) {
	kinds, _, err := legacyscheme.Scheme.ObjectKinds(obj)
	if err != nil {
		return nil, err
	}
	kind := kinds[0]
	strategy := strategies[kind.Kind]
	if strategy == nil {
		return obj, nil
	}
	internal, err := legacyscheme.Scheme.ConvertToVersion(obj, schema.GroupVersion{Group: kind.Group, Version: runtime.APIVersionInternal})
	if err != nil {
		return nil, err
	}
	gvr := resourceOf(obj)
	ctx = genericapirequest.WithRequestInfo(genericapirequest.WithNamespace(ctx, obj.GetNamespace()), &genericapirequest.RequestInfo{
		IsResourceRequest: true, Verb: "create", APIGroup: gvr.Group, APIVersion: gvr.Version, Resource: gvr.Resource, Namespace: obj.GetNamespace(),
	})
	rest.FillObjectMetaSystemFields(internal.(metav1.Object))
	attributes := a.attributes(internal, kind, obj)
	for _, plugin := range a.plugins {
		if mutating, ok := plugin.(admission.MutationInterface); ok && plugin.Handles(admission.Create) {
			if err := mutating.Admit(ctx, attributes, objects); err != nil {
				return nil, refusal(err)
			}
		}
	}
	if err := rest.BeforeCreate(strategy, ctx, internal); err != nil {
		return nil, refusal(err)
	}
	for _, plugin := range a.plugins {
		if validating, ok := plugin.(admission.ValidationInterface); ok && plugin.Handles(admission.Create) {
			if err := validating.Validate(ctx, attributes, objects); err != nil {
				return nil, refusal(err)
			}
		}
	}
	if err := a.quotas.charge(attributes); err != nil {
		return nil, refusal(err)
	}
	external, err := legacyscheme.Scheme.ConvertToVersion(internal, kind.GroupVersion())
	if err != nil {
		return nil, err
	}
	created := external.(object)
	created.SetUID(uidOf(kind.Kind, created))
	return created, nil
}

// resolvePriority gives a running pod the priority of its class, which a dump of a live cluster has
// already.
func (a *admitter) resolvePriority(ctx context.Context, pod *corev1.Pod) error {
	if pod.Spec.Priority != nil {
		return nil
	}
	// Only class and priority are looked at.
	resolved := &core.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}, Spec: core.PodSpec{PriorityClassName: pod.Spec.PriorityClassName}}
	if err := a.priority.Admit(ctx, a.attributes(resolved, corev1.SchemeGroupVersion.WithKind("Pod"), pod), objects); err != nil {
		return refusal(err)
	}
	pod.Spec.PriorityClassName, pod.Spec.Priority = resolved.Spec.PriorityClassName, resolved.Spec.Priority
	if pod.Spec.PreemptionPolicy == nil && resolved.Spec.PreemptionPolicy != nil {
		pod.Spec.PreemptionPolicy = (*corev1.PreemptionPolicy)(resolved.Spec.PreemptionPolicy)
	}
	return nil
}

// chargePod counts a pod like one that was created before.
func (a *admitter) chargePod(pod *corev1.Pod) error {
	return a.quotas.charge(a.attributes(pod, corev1.SchemeGroupVersion.WithKind("Pod"), pod))
}

func (a *admitter) attributes(internal runtime.Object, kind schema.GroupVersionKind, obj object) admission.Attributes {
	return admission.NewAttributesRecord(internal, nil, kind, obj.GetNamespace(), obj.GetName(), resourceOf(obj), "", admission.Create, &metav1.CreateOptions{}, false, nil)
}

// uidOf is a UID that is the same in every run.
func uidOf(kind string, obj metav1.Object) types.UID {
	return types.UID(uuid.NewSHA1(uuid.NameSpaceURL, []byte(kind+"/"+obj.GetNamespace()+"/"+obj.GetName())).String())
}

var objects = admission.NewObjectInterfacesFromScheme(legacyscheme.Scheme)

// refusal takes what an API server adds for clients off its errors.
func refusal(err error) error {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || !apierrors.IsInvalid(err) || status.Status().Details == nil {
		return err
	}
	var list []error
	for _, c := range status.Status().Details.Causes {
		list = append(list, fmt.Errorf("%s: %s", c.Field, c.Message))
	}
	return errors.Join(list...)
}
