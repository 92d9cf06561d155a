// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"
)

// pageSize is how many objects are asked for at a time.
const pageSize = 500

// taken are the kinds of a snapshot by resource: those of the cluster that have a say in scheduling.
var taken = []struct{ resource, kind string }{
	{"nodes", "Node"}, {"namespaces", "Namespace"}, {"pods", "Pod"},
	{"persistentvolumes", "PersistentVolume"}, {"persistentvolumeclaims", "PersistentVolumeClaim"},
	{"services", "Service"}, {"replicationcontrollers", "ReplicationController"}, {"limitranges", "LimitRange"}, {"resourcequotas", "ResourceQuota"},
	{"replicasets", "ReplicaSet"}, {"statefulsets", "StatefulSet"},
	{"storageclasses", "StorageClass"}, {"csinodes", "CSINode"}, {"csidrivers", "CSIDriver"}, {"csistoragecapacities", "CSIStorageCapacity"}, {"volumeattachments", "VolumeAttachment"},
	{"priorityclasses", "PriorityClass"}, {"poddisruptionbudgets", "PodDisruptionBudget"}, {"runtimeclasses", "RuntimeClass"}, {"podgroups", "PodGroup"},
	{"resourceslices", "ResourceSlice"}, {"resourceclaims", "ResourceClaim"}, {"resourceclaimtemplates", "ResourceClaimTemplate"}, {"deviceclasses", "DeviceClass"},
}

const snapshotUsage = `schedconf snapshot - take what scheduling looks at from a live cluster, for dry runs

USAGE:
   schedconf snapshot [flags]

Nodes, pods, volumes and the like are listed, page by page; nothing is written to the cluster. What a
scheduler does not look at, such as environment variables, commands and most annotations, is left out.
Secrets and ConfigMaps are not asked for.

EXAMPLES:
   schedconf snapshot --output cluster.json
   schedconf snapshot --context production --anonymize --output dump/

FLAGS:
`

// snapshot takes a cluster. The exit code is 1 where some kind could not be listed.
func snapshot(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("snapshot", flag.ContinueOnError)
	flags.SetOutput(stderr)
	kubeconfig := flags.String("kubeconfig", "", "`file` with the way to the cluster (default $KUBECONFIG, or ~/.kube/config)")
	kubeContext := flags.String("context", "", "`name` of the context of the kubeconfig (default the current one)")
	output := flags.String("output", "-", "`file` that ends in .json, .yaml or .yml, a folder that ends in /, or - for standard output")
	anonymous := flags.Bool("anonymize", false, "give everything other names, and keep what hangs together")
	flags.Usage = func() {
		fmt.Fprint(stderr, snapshotUsage)
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "schedconf snapshot: %q is no flag\n", flags.Arg(0))
		return 2
	}
	client, err := clientOf(*kubeconfig, *kubeContext)
	if err != nil {
		fmt.Fprintf(stderr, "schedconf snapshot: %v\n", err)
		return 2
	}
	items, missing, err := take(ctx, client, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "schedconf snapshot: %v\n", err)
		return 2
	}
	if *anonymous {
		newAnonymizer(items).all()
	}
	if err := writeSnapshot(*output, items, stdout); err != nil {
		fmt.Fprintf(stderr, "schedconf snapshot: %v\n", err)
		return 2
	}
	fmt.Fprintf(stderr, "%d objects\n", len(items))
	if missing {
		return 1
	}
	return 0
}

// clientOf reads a kubeconfig as kubectl does.
func clientOf(kubeconfig, kubeContext string) (dynamic.Interface, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: kubeContext}).ClientConfig()
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 50, 100
	config.UserAgent = "schedconf-snapshot"
	return dynamic.NewForConfig(config)
}

// take lists every kind. missing is true where a list was refused; kinds that the server does not have are
// passed over.
func take(ctx context.Context, client dynamic.Interface, stderr io.Writer) (items []map[string]any, missing bool, err error) {
	for _, t := range taken {
		gv := kinds[t.kind]
		found, err := listAll(ctx, client, gv.WithResource(t.resource))
		switch {
		case apierrors.IsNotFound(err) || meta.IsNoMatchError(err):
			fmt.Fprintf(stderr, "%s: the cluster does not have them as %s\n", t.resource, gv)
			continue
		case apierrors.IsForbidden(err):
			fmt.Fprintf(stderr, "%s: not allowed to list them, so the snapshot is not complete\n", t.resource)
			missing = true
			continue
		case err != nil:
			return nil, false, fmt.Errorf("list %s: %w", t.resource, err)
		}
		for _, object := range found {
			if t.kind == "Pod" && over(object) {
				continue
			}
			object["apiVersion"], object["kind"] = gv.String(), t.kind
			items = append(items, reduced(t.kind, object))
		}
	}
	return items, missing, nil
}

// over reports whether a pod holds nothing any more.
func over(pod map[string]any) bool {
	phase, _, _ := unstructured.NestedString(pod, "status", "phase")
	return phase == "Succeeded" || phase == "Failed"
}

// listAll lists the objects of a resource page by page.
func listAll(ctx context.Context, client dynamic.Interface, resource schema.GroupVersionResource) ([]map[string]any, error) {
	var items []map[string]any
	options := metav1.ListOptions{Limit: pageSize}
	for {
		page, err := client.Resource(resource).List(ctx, options)
		if apierrors.IsResourceExpired(err) && options.Continue != "" {
			// The list has become too old on the way: it is taken anew, whole.
			items, options = nil, metav1.ListOptions{}
			continue
		}
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			items = append(items, page.Items[i].Object)
		}
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return items, nil
		}
	}
}

// writeSnapshot writes a List, or one for each kind into a folder. A file is there whole or not at all.
func writeSnapshot(output string, items []map[string]any, stdout io.Writer) error {
	if output == "-" {
		return encode(stdout, items, false)
	}
	if !strings.HasSuffix(output, "/") {
		return writeList(output, items)
	}
	if err := os.MkdirAll(output, 0o755); err != nil {
		return err
	}
	for _, t := range taken {
		var of []map[string]any
		for _, item := range items {
			if item["kind"] == t.kind {
				of = append(of, item)
			}
		}
		if len(of) == 0 {
			continue
		}
		if err := writeList(filepath.Join(output, t.resource+".json"), of); err != nil {
			return err
		}
	}
	return nil
}

func writeList(name string, items []map[string]any) error {
	file, err := os.CreateTemp(filepath.Dir(name), ".schedconf-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // it is not there any more if all went well
	buffered := bufio.NewWriter(file)
	err = errors.Join(encode(buffered, items, strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")), buffered.Flush(), file.Chmod(0o644), file.Close())
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), name)
}

func encode(w io.Writer, items []map[string]any, asYAML bool) error {
	if items == nil {
		items = []map[string]any{}
	}
	object := map[string]any{"apiVersion": "v1", "kind": "List", "items": items}
	if !asYAML {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(object)
	}
	text, err := yaml.Marshal(object)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}
