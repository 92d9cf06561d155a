// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/yaml"
)

// TestGitOpsManifests holds that the manifests of docs/integrations/gitops.md are of the kinds that they say,
// and start commands with flags that there are.
func TestGitOpsManifests(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := batchv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	strict := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	page, err := os.ReadFile("../../docs/integrations/gitops.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, kinds := range map[string][]string{
		"indexed-job.yaml":    {"batch/v1 Job"},
		"argocd-presync.yaml": {"batch/v1 Job"},
		"argocd-plugin.yaml":  {"argoproj.io/v1alpha1 ConfigManagementPlugin"},
		"flux.yaml":           {"kustomize.toolkit.fluxcd.io/v1 Kustomization", "kustomize.toolkit.fluxcd.io/v1 Kustomization"},
	} {
		data, err := os.ReadFile(filepath.Join("../../examples/gitops", name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), "examples/gitops/"+name) {
			t.Errorf("docs/integrations/gitops.md does not name %s", name)
		}
		var got []string
		for _, text := range bytes.Split(data, []byte("\n---\n")) {
			var object struct {
				APIVersion, Kind string
				Spec             struct {
					Init struct{ Command, Args []string }
				}
			}
			if err := yaml.Unmarshal(text, &object); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got = append(got, object.APIVersion+" "+object.Kind)
			if object.Spec.Init.Command != nil {
				checkCommand(t, name, object.Spec.Init.Command, object.Spec.Init.Args)
			}
			if object.Kind != "Job" {
				continue
			}
			decoded, _, err := strict.Decode(text, nil, nil)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			job := decoded.(*batchv1.Job)
			container := job.Spec.Template.Spec.Containers[0]
			if container.Image != "ghcr.io/schedconf/schedconf:latest" {
				t.Errorf("%s: image %s", name, container.Image)
			}
			checkCommand(t, name, container.Command, container.Args)
			if name != "indexed-job.yaml" {
				continue
			}
			if *job.Spec.CompletionMode != batchv1.IndexedCompletion || *job.Spec.Completions != 16 || !slices.Contains(container.Args, "$(JOB_COMPLETION_INDEX)/16") {
				t.Errorf("%s does not deal out what it completes", name)
			}
		}
		if !slices.Equal(got, kinds) {
			t.Errorf("%s: %q, want %q", name, got, kinds)
		}
	}
}

// checkCommand holds that a command line is one of ours, with flags that there are.
func checkCommand(t *testing.T, name string, command, args []string) {
	t.Helper()
	words := slices.Concat(command, args)
	app := (&program{}).app()
	if words[0] != "schedconf" || app.Command(words[1]) == nil {
		t.Fatalf("%s: %q", name, words)
	}
	if _, err := arrange(app, words); err != nil {
		t.Errorf("%s: %q: %v", name, words, err)
	}
}
