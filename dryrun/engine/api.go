// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
)

// object is anything with a name.
type object interface {
	runtime.Object
	metav1.Object
}

// api stands for the API server: it holds the objects, and says what has changed when it is asked.
// Its client is the fake clientset of client-go over the objects here. The objects are never changed
// in place.
type api struct {
	client *fake.Clientset

	mu      sync.Mutex
	objects map[schema.GroupVersionResource]map[types.NamespacedName]object
	version int64
	changes []change
	// changed is signalled for every change.
	changed func()
	// after is told of every write with the lock held, so that controllers can answer with writes.
	after func(obj object)
	// bindings and deletions of pods are counted, since they are what can help another pod.
	progress int64
}

// change is an object before and after. One of the two may be nil, not both.
type change struct{ old, obj object }

func (c change) name() (schema.GroupVersionResource, types.NamespacedName) {
	obj := cmp.Or(c.obj, c.old)
	return resourceOf(obj), types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

func newAPI() *api {
	a := &api{
		client:  &fake.Clientset{},
		objects: map[schema.GroupVersionResource]map[types.NamespacedName]object{},
		changed: func() {},
		after:   func(object) {},
	}
	objects := clienttesting.ObjectReaction(tracker{a})
	a.client.AddReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		create, isCreate := action.(clienttesting.CreateActionImpl)
		switch {
		case isCreate && action.GetResource().Resource == "events":
			return true, create.Object, nil
		case isCreate && action.GetSubresource() == "binding":
			return true, create.Object, a.bind(create.Object.(*corev1.Binding))
		}
		return objects(action)
	})
	return a
}

// resourceOf guesses the resource of an object, as kubectl does without a server.
func resourceOf(obj runtime.Object) schema.GroupVersionResource {
	kinds, _, err := scheme.Scheme.ObjectKinds(obj)
	if err != nil {
		return schema.GroupVersionResource{}
	}
	return guess(kinds[0])
}

func guess(kind schema.GroupVersionKind) schema.GroupVersionResource {
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	return resource
}

// take returns the changes since the last call. Where goroutines wrote at the same time, they are in
// the order of the objects' names.
func (a *api) take() []change {
	a.mu.Lock()
	defer a.mu.Unlock()
	taken := a.changes
	a.changes = nil
	return taken
}

// sortChanges orders changes by object. The changes of one object stay in their order.
func sortChanges(changes []change) {
	slices.SortStableFunc(changes, func(a, b change) int {
		resource, name := a.name()
		otherResource, otherName := b.name()
		return cmp.Or(cmp.Compare(resource.Resource, otherResource.Resource),
			cmp.Compare(name.Namespace, otherName.Namespace), cmp.Compare(name.Name, otherName.Name))
	})
}

// put creates or updates an object, which is not to be changed any more.
func (a *api) put(obj object) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.write(resourceOf(obj), obj)
}

// write is put with the lock held.
func (a *api) write(resource schema.GroupVersionResource, obj object) {
	name := types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
	if a.objects[resource] == nil {
		a.objects[resource] = map[types.NamespacedName]object{}
	}
	a.version++
	obj.SetResourceVersion(strconv.FormatInt(a.version, 10))
	old := a.objects[resource][name]
	if obj.GetUID() == "" {
		obj.SetUID(uidOf(resource.Resource, obj))
	}
	a.objects[resource][name] = obj
	a.changes = append(a.changes, change{old, obj})
	a.after(obj)
	a.changed()
}

func (a *api) remove(resource schema.GroupVersionResource, name types.NamespacedName) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	old := a.objects[resource][name]
	if old == nil {
		return apierrors.NewNotFound(resource.GroupResource(), name.Name)
	}
	delete(a.objects[resource], name)
	if _, isPod := old.(*corev1.Pod); isPod {
		a.progress++
	}
	a.changes = append(a.changes, change{old, nil})
	a.changed()
	return nil
}

// get returns an object that must not be changed, or nil.
func (a *api) get(resource schema.GroupVersionResource, namespace, name string) object {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.objects[resource][types.NamespacedName{Namespace: namespace, Name: name}]
}

// list returns the objects of a namespace, or of all, by name.
func (a *api) list(resource schema.GroupVersionResource, namespace string) []object {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.listLocked(resource, namespace)
}

func (a *api) listLocked(resource schema.GroupVersionResource, namespace string) []object {
	names := slices.SortedFunc(maps.Keys(a.objects[resource]), func(x, y types.NamespacedName) int {
		return cmp.Or(cmp.Compare(x.Namespace, y.Namespace), cmp.Compare(x.Name, y.Name))
	})
	var list []object
	for _, name := range names {
		if namespace == "" || name.Namespace == namespace {
			list = append(list, a.objects[resource][name])
		}
	}
	return list
}

// progressed counts what can help a pod that does not fit.
func (a *api) progressed() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.progress
}

// pending reports whether there are changes to take.
func (a *api) pending() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.changes) > 0
}

var pods = corev1.SchemeGroupVersion.WithResource("pods")

// pod returns a pod that must not be changed, or nil.
func (a *api) pod(namespace, name string) *corev1.Pod {
	pod, _ := a.get(pods, namespace, name).(*corev1.Pod)
	return pod
}

// bind does what the binding subresource of pods does: it sets the node and the condition.
func (a *api) bind(binding *corev1.Binding) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	name := types.NamespacedName{Namespace: binding.Namespace, Name: binding.Name}
	old, _ := a.objects[pods][name].(*corev1.Pod)
	switch {
	case old == nil:
		return apierrors.NewNotFound(pods.GroupResource(), binding.Name)
	case old.Spec.NodeName != "":
		return apierrors.NewConflict(pods.GroupResource(), binding.Name, fmt.Errorf("pod %s is already assigned to node %q", binding.Name, old.Spec.NodeName))
	case len(old.Spec.SchedulingGates) > 0:
		return apierrors.NewConflict(pods.GroupResource(), binding.Name, fmt.Errorf("pod %s has non-empty .spec.schedulingGates", binding.Name))
	}
	pod := old.DeepCopy()
	pod.Spec.NodeName = binding.Target.Name
	pod.Status.NominatedNodeName = ""
	scheduled := corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}
	if at := slices.IndexFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodScheduled }); at >= 0 {
		pod.Status.Conditions[at] = scheduled
	} else {
		pod.Status.Conditions = append(pod.Status.Conditions, scheduled)
	}
	a.progress++
	a.write(pods, pod)
	return nil
}

// tracker is the form in which client-go's reactions want the objects.
type tracker struct{ *api }

var errModified = errors.New("the object has been modified; please apply your changes to the latest version and try again")

var errNoWatch = errors.New("a dry run has no watches")

func (t tracker) Add(obj runtime.Object) error {
	named, ok := obj.(object)
	if !ok {
		return fmt.Errorf("%T has no metadata", obj)
	}
	t.put(named)
	return nil
}

func (t tracker) Get(resource schema.GroupVersionResource, namespace, name string, _ ...metav1.GetOptions) (runtime.Object, error) {
	obj := t.get(resource, namespace, name)
	if obj == nil {
		return nil, apierrors.NewNotFound(resource.GroupResource(), name)
	}
	return obj.DeepCopyObject(), nil
}

func (t tracker) Create(resource schema.GroupVersionResource, obj runtime.Object, namespace string, _ ...metav1.CreateOptions) error {
	named, ok := obj.(object)
	if !ok {
		return fmt.Errorf("%T has no metadata", obj)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if named.GetName() == "" && named.GetGenerateName() != "" {
		named.SetName(named.GetGenerateName() + strconv.FormatInt(t.version+1, 36))
	}
	if t.objects[resource][types.NamespacedName{Namespace: namespace, Name: named.GetName()}] != nil {
		return apierrors.NewAlreadyExists(resource.GroupResource(), named.GetName())
	}
	t.write(resource, named)
	return nil
}

func (t tracker) Update(resource schema.GroupVersionResource, obj runtime.Object, namespace string, _ ...metav1.UpdateOptions) error {
	named, ok := obj.(object)
	if !ok {
		return fmt.Errorf("%T has no metadata", obj)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	old := t.objects[resource][types.NamespacedName{Namespace: namespace, Name: named.GetName()}]
	if old == nil {
		return apierrors.NewNotFound(resource.GroupResource(), named.GetName())
	}
	if version := named.GetResourceVersion(); version != "" && version != old.GetResourceVersion() {
		return apierrors.NewConflict(resource.GroupResource(), named.GetName(), errModified)
	}
	t.write(resource, named)
	return nil
}

func (t tracker) Patch(resource schema.GroupVersionResource, obj runtime.Object, namespace string, _ ...metav1.PatchOptions) error {
	return t.Update(resource, obj, namespace)
}

func (t tracker) Apply(resource schema.GroupVersionResource, _ runtime.Object, _ string, _ ...metav1.PatchOptions) error {
	return fmt.Errorf("server-side apply of %s is not something that a scheduler does", resource.Resource)
}

func (t tracker) List(resource schema.GroupVersionResource, kind schema.GroupVersionKind, namespace string, _ ...metav1.ListOptions) (runtime.Object, error) {
	list, err := scheme.Scheme.New(kind.GroupVersion().WithKind(kind.Kind + "List"))
	if err != nil {
		return nil, err
	}
	var items []runtime.Object
	for _, obj := range t.list(resource, namespace) {
		items = append(items, obj.DeepCopyObject())
	}
	return list, meta.SetList(list, items)
}

func (t tracker) Delete(resource schema.GroupVersionResource, namespace, name string, _ ...metav1.DeleteOptions) error {
	return t.remove(resource, types.NamespacedName{Namespace: namespace, Name: name})
}

func (t tracker) Watch(schema.GroupVersionResource, string, ...metav1.ListOptions) (watch.Interface, error) {
	return nil, errNoWatch
}
