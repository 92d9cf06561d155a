// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	runtimeobject "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"

	"github.com/schedconf/schedconf/dryrun"
)

// shapes are the workloads of the benchmark: what each pod has beyond its requests, and how full the
// cluster is before.
var shapes = map[string]struct {
	pod  string
	full bool
}{
	"plain": {},
	"spread": {pod: `, topologySpreadConstraints: [{maxSkew: 5, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: a}}}],
  affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: a}}}}]}}`},
	"preempt": {pod: ", priorityClassName: high", full: true},
}

func benchRequest(nodes, pods int, shape string) *dryrun.Request {
	var cluster, workload strings.Builder
	cluster.WriteString("---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}\n")
	for i := range nodes {
		fmt.Fprintf(&cluster, `---
apiVersion: v1
kind: Node
metadata: {name: node-%05d, labels: {kubernetes.io/hostname: node-%[1]05d, topology.kubernetes.io/zone: z%d}}
status: {allocatable: {cpu: "16", memory: 64Gi, pods: "110"}}
`, i, i%3)
		for j := 0; shapes[shape].full && j < 4; j++ {
			fmt.Fprintf(&cluster, "---\n{apiVersion: v1, kind: Pod, metadata: {name: low-%d-%d, namespace: default}, spec: {nodeName: node-%05d, priority: 0, containers: [{name: c, image: i, resources: {requests: {cpu: \"4\"}}}]}, status: {startTime: \"2026-01-01T00:00:%02dZ\"}}\n", i, j, i, (i+j)%60)
		}
	}
	for i := range pods {
		fmt.Fprintf(&workload, `---
apiVersion: v1
kind: Pod
metadata: {name: p-%05d, labels: {app: a}}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: %dm, memory: %dMi}}}]%s}
`, i, 100+100*(i%5), 128+64*(i%4), shapes[shape].pod)
	}
	r := request(cluster.String(), workload.String())
	r.ExplainAll = false
	return r
}

// sizes are nodes and pods.
var sizes = [][2]int{{1000, 2000}, {5000, 10000}}

// BenchmarkPlace compares the engine with the scheduler's own loop over a fake clientset on the same
// objects. Reading and creating them is not counted on either side. pods/s is what counts, and MB
// the most that the heap had. Each side has the garbage collector set as its program has.
func BenchmarkPlace(b *testing.B) {
	for _, size := range sizes {
		for _, shape := range []string{"plain", "spread", "preempt"} {
			pods := size[1]
			if shape == "preempt" {
				pods = size[0] / 5
			}
			name := fmt.Sprintf("%dx%d/%s", size[0], pods, shape)
			b.Run(name+"/engine", func(b *testing.B) {
				for range b.N {
					b.StopTimer()
					r := newRun(benchRequest(size[0], pods, shape))
					if err := r.prepare(b.Context()); err != nil {
						b.Fatal(err)
					}
					measure(b, gcPercent, func() { r.schedule(b.Context()) })
					for _, p := range r.order {
						if r.api.pod(p.namespace, p.name).Spec.NodeName == "" {
							b.Fatalf("%s is not placed", p.name)
						}
					}
				}
				b.ReportMetric(float64(pods*b.N)/b.Elapsed().Seconds(), "pods/s")
			})
			b.Run(name+"/loop", func(b *testing.B) {
				for range b.N {
					loop(b, benchRequest(size[0], pods, shape), pods)
				}
				b.ReportMetric(float64(pods*b.N)/b.Elapsed().Seconds(), "pods/s")
			})
		}
	}
}

// measure takes the time of a run, and the most that the heap grows to in it, garbage included, with a setting of
// the garbage collector.
func measure(b *testing.B, gcPercent int, run func()) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	runtime.GC()
	ended, sampled := make(chan struct{}), make(chan float64)
	go func() {
		most := uint64(0)
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			metrics.Read(sample)
			most = max(most, sample[0].Value.Uint64())
			select {
			case <-ended:
				tick.Stop()
				sampled <- float64(most) / 1e6
				return
			case <-tick.C:
			}
		}
	}()
	b.StartTimer()
	run()
	b.StopTimer()
	close(ended)
	b.ReportMetric(<-sampled, "MB")
}

// loop places the same pods with the scheduler's own loop.
func loop(b *testing.B, request *dryrun.Request, pods int) {
	b.StopTimer()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	// What the engine would create is what the loop is given.
	r := newRun(request)
	if err := r.prepare(ctx); err != nil {
		b.Fatal(err)
	}
	client := fake.NewClientset()
	for _, resource := range []schema.GroupVersionResource{nodesResource, podsResource} {
		for _, obj := range r.api.list(resource, "") {
			if err := client.Tracker().Create(resource, obj.DeepCopyObject(), obj.GetNamespace()); err != nil {
				b.Fatal(err)
			}
		}
	}
	// The fake clientset does not know what a binding means.
	client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtimeobject.Object, error) {
		if action.GetSubresource() != "binding" {
			return false, nil, nil
		}
		binding := action.(clienttesting.CreateAction).GetObject().(*corev1.Binding)
		obj, err := client.Tracker().Get(podsResource, binding.Namespace, binding.Name)
		if err != nil {
			return true, nil, err
		}
		pod := obj.(*corev1.Pod)
		pod.Spec.NodeName = binding.Target.Name
		return true, binding, client.Tracker().Update(podsResource, pod, pod.Namespace)
	})
	decoded, _, err := scheme.Codecs.UniversalDecoder().Decode([]byte(request.Config), nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	cfg := decoded.(*config.KubeSchedulerConfiguration)
	factory := scheduler.NewInformerFactory(client, 0, nil)
	sched, err := scheduler.New(ctx, client, factory, nil, func(string) events.EventRecorderLogger { return &events.FakeRecorder{} },
		scheduler.WithProfiles(cfg.Profiles...), scheduler.WithPercentageOfNodesToScore(cfg.PercentageOfNodesToScore), scheduler.WithParallelism(cfg.Parallelism))
	if err != nil {
		b.Fatal(err)
	}
	var bound atomic.Int64
	done := make(chan struct{})
	if _, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(old, now any) {
		if old.(*corev1.Pod).Spec.NodeName == "" && now.(*corev1.Pod).Spec.NodeName != "" && bound.Add(1) == int64(pods) {
			close(done)
		}
	}}); err != nil {
		b.Fatal(err)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	if err := sched.WaitForHandlersSync(ctx); err != nil {
		b.Fatal(err)
	}
	r = nil
	// As kube-scheduler has both.
	klog.EnableContextualLogging(true)
	defer klog.EnableContextualLogging(false)
	measure(b, 100, func() {
		go sched.Run(ctx)
		select {
		case <-done:
		case <-time.After(40 * time.Minute):
			b.Fatalf("%d of %d pods were bound", bound.Load(), pods)
		}
	})
}

var podsResource, nodesResource = pods, nodes
