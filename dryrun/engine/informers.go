// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/informers/apps"
	"k8s.io/client-go/informers/core"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/informers/node"
	"k8s.io/client-go/informers/policy"
	"k8s.io/client-go/informers/resource"
	"k8s.io/client-go/informers/scheduling"
	"k8s.io/client-go/informers/storage"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// factory hands out informers that are fed by hand, one change after the other, so that a run does
// not depend on when a goroutine wakes up. The groups that are not overridden have the informers of
// the embedded factory, which is never started.
type factory struct {
	informers.SharedInformerFactory
	byType map[reflect.Type]*informer
}

func newFactory(client kubernetes.Interface) *factory {
	return &factory{informers.NewSharedInformerFactory(client, 0), map[reflect.Type]*informer{}}
}

// InformerFor implements informers.SharedInformerFactory.
func (f *factory) InformerFor(obj runtime.Object, _ internalinterfaces.NewInformerFunc) cache.SharedIndexInformer {
	kind := reflect.TypeOf(obj)
	if f.byType[kind] == nil {
		f.byType[kind] = &informer{Indexer: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})}
	}
	return f.byType[kind]
}

func (f *factory) Apps() apps.Interface             { return apps.New(f, "", nil) }
func (f *factory) Core() core.Interface             { return core.New(f, "", nil) }
func (f *factory) Node() node.Interface             { return node.New(f, "", nil) }
func (f *factory) Policy() policy.Interface         { return policy.New(f, "", nil) }
func (f *factory) Resource() resource.Interface     { return resource.New(f, "", nil) }
func (f *factory) Scheduling() scheduling.Interface { return scheduling.New(f, "", nil) }
func (f *factory) Storage() storage.Interface       { return storage.New(f, "", nil) }

// deliver tells the informer of a kind what has changed. An object is new without old, and gone
// without obj.
func (f *factory) deliver(c change) {
	kind := reflect.TypeOf(c.obj)
	if c.obj == nil {
		kind = reflect.TypeOf(c.old)
	}
	if informer := f.byType[kind]; informer != nil {
		informer.deliver(c)
	}
}

// informer is a cache.SharedIndexInformer without a watch: its content is what deliver was told.
type informer struct {
	cache.Indexer
	handlers []cache.ResourceEventHandler
}

func (i *informer) deliver(c change) {
	// The indexer fails on objects without metadata alone.
	switch {
	case c.obj == nil:
		_ = i.Delete(c.old)
		for _, h := range i.handlers {
			h.OnDelete(c.old)
		}
	case c.old == nil:
		_ = i.Add(c.obj)
		for _, h := range i.handlers {
			h.OnAdd(c.obj, false)
		}
	default:
		_ = i.Update(c.obj)
		for _, h := range i.handlers {
			h.OnUpdate(c.old, c.obj)
		}
	}
}

// AddEventHandler tells the handler first what is there already.
func (i *informer) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	for _, obj := range i.List() {
		h.OnAdd(obj, true)
	}
	i.handlers = append(i.handlers, h)
	return synced{}, nil
}

func (i *informer) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(h)
}

func (i *informer) AddEventHandlerWithOptions(h cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(h)
}

func (i *informer) RemoveEventHandler(cache.ResourceEventHandlerRegistration) error { return nil }
func (i *informer) GetStore() cache.Store                                           { return i.Indexer }
func (i *informer) GetIndexer() cache.Indexer                                       { return i.Indexer }
func (i *informer) GetController() cache.Controller                                 { return nil }
func (i *informer) Run(stop <-chan struct{})                                        { <-stop }
func (i *informer) RunWithContext(ctx context.Context)                              { <-ctx.Done() }
func (i *informer) HasSynced() bool                                                 { return true }
func (i *informer) HasSyncedChecker() cache.DoneChecker                             { return synced{} }
func (i *informer) LastSyncResourceVersion() string                                 { return "" }
func (i *informer) SetWatchErrorHandler(cache.WatchErrorHandler) error              { return nil }
func (i *informer) SetWatchErrorHandlerWithContext(cache.WatchErrorHandlerWithContext) error {
	return nil
}
func (i *informer) SetTransform(cache.TransformFunc) error { return nil }
func (i *informer) IsStopped() bool                        { return false }

// synced is the registration of a handler that has been told all there is.
type synced struct{}

func (synced) HasSynced() bool                     { return true }
func (synced) HasSyncedChecker() cache.DoneChecker { return synced{} }
func (synced) Name() string                        { return "dry run" }

func (synced) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}
