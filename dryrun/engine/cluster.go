// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// cluster is an API server without a server: one store for each kind. What is written to a store reaches the
// event handlers of the scheduler before the write returns, so that there is nothing to wait for.
type cluster struct {
	client  *fake.Clientset
	factory informers.SharedInformerFactory
	stores  map[string]*store // by resource
	version atomic.Int64
	// deleted is told of pods that are deleted through the API, which is how the scheduler evicts.
	deleted func(*v1.Pod)
	// starts is told of pods that are bound, before anyone else is.
	starts func(*v1.Pod)
}

// store is the informer of a kind, and what it would have been told by a watch.
type store struct {
	cache.SharedIndexInformer
	cluster *cluster
	kind    reflect.Type

	mu       sync.Mutex // orders writes and their events
	handlers []cache.ResourceEventHandler
}

// kinds are those that the scheduler has informers for, by resource.
var kinds = map[string]runtime.Object{
	"nodes": &v1.Node{}, "pods": &v1.Pod{}, "namespaces": &v1.Namespace{}, "services": &v1.Service{}, "replicationcontrollers": &v1.ReplicationController{},
	"persistentvolumes": &v1.PersistentVolume{}, "persistentvolumeclaims": &v1.PersistentVolumeClaim{},
	"replicasets": &appsv1.ReplicaSet{}, "statefulsets": &appsv1.StatefulSet{},
	"storageclasses": &storagev1.StorageClass{}, "csinodes": &storagev1.CSINode{}, "csidrivers": &storagev1.CSIDriver{},
	"csistoragecapacities": &storagev1.CSIStorageCapacity{}, "volumeattachments": &storagev1.VolumeAttachment{},
	"poddisruptionbudgets": &policyv1.PodDisruptionBudget{}, "priorityclasses": &schedulingv1.PriorityClass{},
	"resourceslices": &resourcev1.ResourceSlice{}, "resourceclaims": &resourcev1.ResourceClaim{}, "deviceclasses": &resourcev1.DeviceClass{},
	"podgroups": &schedulingv1beta1.PodGroup{},
}

func newCluster() *cluster {
	c := &cluster{client: &fake.Clientset{}, stores: map[string]*store{}, deleted: func(*v1.Pod) {}, starts: func(*v1.Pod) {}}
	c.factory = informers.NewSharedInformerFactory(c.client, 0)
	for resource, kind := range kinds {
		s := &store{cluster: c, kind: reflect.TypeOf(kind)}
		c.factory.InformerFor(kind, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer {
			s.SharedIndexInformer = cache.NewSharedIndexInformer(&cache.ListWatch{}, kind, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
			return s
		})
		c.stores[resource] = s
	}
	c.client.AddReactor("*", "*", c.react)
	return c
}

// storeOf is the store for objects of a type, or nil.
func (c *cluster) storeOf(object runtime.Object) *store {
	for _, s := range c.stores {
		if s.kind == reflect.TypeOf(object) {
			return s
		}
	}
	return nil
}

// add puts an object into its store; one of a kind that the scheduler does not look at is passed over.
func (c *cluster) add(object runtime.Object) {
	if s := c.storeOf(object); s != nil {
		s.write(object)
	}
}

// write adds or replaces an object, which is the store's from then on.
func (s *store) write(object runtime.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	access, err := meta.Accessor(object)
	if err != nil {
		panic(err) // all kinds have metadata
	}
	access.SetResourceVersion(strconv.FormatInt(s.cluster.version.Add(1), 10))
	old, exists, _ := s.GetIndexer().Get(object)
	if !exists {
		_ = s.GetIndexer().Add(object)
		for _, handler := range s.handlers {
			handler.OnAdd(object, false)
		}
		return
	}
	_ = s.GetIndexer().Update(object)
	for _, handler := range s.handlers {
		handler.OnUpdate(old, object)
	}
}

func (s *store) remove(object runtime.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.GetIndexer().Delete(object)
	for _, handler := range s.handlers {
		handler.OnDelete(object)
	}
}

// get is the object of a name, or nil.
func (s *store) get(namespace, name string) runtime.Object {
	key := name
	if namespace != "" {
		key = namespace + "/" + name
	}
	object, exists, _ := s.GetIndexer().GetByKey(key)
	if !exists {
		return nil
	}
	return object.(runtime.Object)
}

// registration is what who adds a handler gets: all events before it have been delivered.
type registration struct{}

func (registration) HasSynced() bool                     { return true }
func (registration) HasSyncedChecker() cache.DoneChecker { return synced{} }

type synced struct{}

func (synced) Name() string { return "files" }
func (synced) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

// AddEventHandler tells the handler of what is there, and of every write from then on.
func (s *store) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, object := range s.GetStore().List() {
		handler.OnAdd(object, true)
	}
	s.handlers = append(s.handlers, handler)
	return registration{}, nil
}

// AddEventHandlerWithResyncPeriod is AddEventHandler: nothing has to be said again.
func (s *store) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return s.AddEventHandler(handler)
}

// AddEventHandlerWithOptions is AddEventHandler.
func (s *store) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return s.AddEventHandler(handler)
}

// HasSynced is true: a write is delivered when it returns.
func (s *store) HasSynced() bool { return true }

// HasSyncedChecker is done.
func (s *store) HasSyncedChecker() cache.DoneChecker { return synced{} }

// RunWithContext does nothing until it is stopped: there is no watch.
func (s *store) RunWithContext(ctx context.Context) { <-ctx.Done() }

// react is the API server as the scheduler's client sees it.
func (c *cluster) react(action clienttesting.Action) (bool, runtime.Object, error) {
	resource := action.GetResource()
	s := c.stores[resource.Resource]
	if s == nil {
		return true, nil, apierrors.NewNotFound(resource.GroupResource(), "")
	}
	switch a := action.(type) {
	case clienttesting.CreateActionImpl:
		if binding, ok := a.GetObject().(*v1.Binding); ok {
			return true, binding, c.bind(s, binding)
		}
		object := a.GetObject().DeepCopyObject()
		if access, err := meta.Accessor(object); err == nil && access.GetName() == "" {
			access.SetName(access.GetGenerateName() + strconv.FormatInt(c.version.Load(), 10))
			access.SetUID(types.UID(access.GetName()))
		}
		s.write(object)
		return true, object, nil
	case clienttesting.UpdateActionImpl:
		object := a.GetObject().DeepCopyObject()
		s.write(object)
		c.controlVolumes(object)
		return true, object, nil
	case clienttesting.GetActionImpl:
		object := s.get(a.GetNamespace(), a.GetName())
		if object == nil {
			return true, nil, apierrors.NewNotFound(resource.GroupResource(), a.GetName())
		}
		return true, object.DeepCopyObject(), nil
	case clienttesting.PatchActionImpl:
		object := s.get(a.GetNamespace(), a.GetName())
		if object == nil {
			return true, nil, apierrors.NewNotFound(resource.GroupResource(), a.GetName())
		}
		object, err := patched(object, a.GetPatchType(), a.GetPatch())
		if err != nil {
			return true, nil, err
		}
		s.write(object)
		return true, object, nil
	case clienttesting.DeleteActionImpl:
		object := s.get(a.GetNamespace(), a.GetName())
		if object == nil {
			return true, nil, apierrors.NewNotFound(resource.GroupResource(), a.GetName())
		}
		if pod, ok := object.(*v1.Pod); ok {
			c.deleted(pod)
		}
		s.remove(object)
		return true, nil, nil
	}
	return true, nil, apierrors.NewMethodNotSupported(schema.GroupResource{Group: resource.Group, Resource: resource.Resource}, action.GetVerb())
}

// bind sets the node of a pod, as the API server does for a Binding.
func (c *cluster) bind(s *store, binding *v1.Binding) error {
	object := s.get(binding.Namespace, binding.Name)
	if object == nil {
		return apierrors.NewNotFound(v1.Resource("pods"), binding.Name)
	}
	pod := object.(*v1.Pod)
	// The spec is shared with the pod before, but for the node; neither is written to.
	bound := *pod
	bound.Spec.NodeName = binding.Target.Name
	c.starts(&bound)
	s.write(&bound)
	return nil
}

// patched is an object with a patch applied; it is a new one.
func patched(object runtime.Object, kind types.PatchType, data []byte) (runtime.Object, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	switch kind {
	case types.StrategicMergePatchType:
		text, err = strategicpatch.StrategicMergePatch(text, data, object)
	case types.MergePatchType:
		text, err = jsonpatch.MergePatch(text, data)
	default:
		err = fmt.Errorf("patches of type %s are not known here", kind)
	}
	if err != nil {
		return nil, err
	}
	out := reflect.New(reflect.TypeOf(object).Elem()).Interface().(runtime.Object)
	return out, json.Unmarshal(text, out)
}
