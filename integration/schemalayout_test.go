// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

//go:build integration

package integration

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// kubeconform is the program that is tested with.
const kubeconform = "github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0"

// layout has schedconf write its schemas into a new folder.
func layout(t *testing.T, args ...string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "schemas")
	if out, err := exec.Command("../bin/schedconf", append(append([]string{"schema", "--layout"}, args...), folder)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return folder
}

// TestKubeconform holds that kubeconform finds the schema of each minor and apiVersion in the folder that schedconf
// writes, with nothing more than its name, and judges by it.
func TestKubeconform(t *testing.T) {
	bin := t.TempDir()
	install := exec.Command("go", "install", kubeconform)
	install.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=")
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	folder := layout(t, "kubeconform")
	old := strings.Replace(good, "/v1\n", "/v1beta3\n", 1)
	policy := `{"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "PodFitsResources"}]}`
	for _, test := range []struct {
		name, text, file string
		args             []string
		// want is the status of the file in kubeconform's JSON.
		want string
	}{
		{"good", good, "a.yaml", []string{"-kubernetes-version", "1.37.0"}, "statusValid"},
		{"good and strict", good, "a.yaml", []string{"-strict", "-kubernetes-version", "1.37.0"}, "statusValid"},
		{"good without a version", good, "a.yaml", nil, "statusValid"},
		{"misspelt", swap(t, good, "parallelism:", "paralellism:"), "a.yaml", []string{"-kubernetes-version", "1.37.0"}, "statusInvalid"},
		{"misspelt in args", swap(t, good, "hardPodAffinityWeight:", "hardPodAffinityWieght:"), "a.yaml", []string{"-kubernetes-version", "1.37.0"}, "statusInvalid"},
		{"wrong type", swap(t, good, "leaderElect: false", `leaderElect: "no"`), "a.yaml", nil, "statusInvalid"},
		{"an older apiVersion", old, "a.yaml", []string{"-kubernetes-version", "1.25.0"}, "statusValid"},
		{"an apiVersion that is gone", old, "a.yaml", []string{"-kubernetes-version", "1.37.0"}, "statusError"},
		{"an apiVersion that is not there yet", good, "a.yaml", []string{"-kubernetes-version", "1.24.0"}, "statusError"},
		{"a Policy", policy, "a.json", []string{"-kubernetes-version", "1.20.0"}, "statusValid"},
		{"a Policy with a wrong type", strings.Replace(policy, `"PodFitsResources"`, "5", 1), "a.json", []string{"-kubernetes-version", "1.20.0"}, "statusInvalid"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), test.file)
			if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			// It exits with 1 for a file that is not valid.
			out, _ := exec.Command(filepath.Join(bin, "kubeconform"), append([]string{"-output", "json", "-verbose", "-schema-location", folder}, append(test.args, file)...)...).Output()
			var report struct {
				Resources []struct{ Status, Msg string }
			}
			if err := json.Unmarshal(out, &report); err != nil || len(report.Resources) != 1 {
				t.Fatalf("%v: %s", err, out)
			}
			if got := report.Resources[0]; got.Status != test.want {
				t.Errorf("%s, want %s: %s", got.Status, test.want, got.Msg)
			}
		})
	}
}

// TestSchemaStore holds that yaml-language-server takes the schema of a file from the catalog by the file's name, and
// judges each apiVersion by its own.
func TestSchemaStore(t *testing.T) {
	mux := http.NewServeMux()
	web := httptest.NewServer(mux) // on 127.0.0.1
	defer web.Close()
	mux.Handle("/", http.FileServer(http.Dir(layout(t, "schemastore", "--base-url", web.URL))))
	s := startServerWith(t, map[string]any{"validate": true, "schemaStore": map[string]any{"enable": true, "url": web.URL + "/catalog.json"}})
	old := "apiVersion: kubescheduler.config.k8s.io/v1beta1\nkind: KubeSchedulerConfiguration\n"
	for _, test := range []struct {
		name, file, text string
		want             []string
	}{
		{"good", "kube-scheduler-config.yaml", good, nil},
		{"misspelt", "kube-scheduler-configuration.yml", swap(t, good, "parallelism:", "paralellism:"), []string{"3:1"}},
		{"misspelt in args", "edge.kube-scheduler.yaml", swap(t, good, "hardPodAffinityWeight:", "hardPodAffinityWieght:"), []string{"20:7"}},
		{"a field of an older apiVersion", "kubescheduler-config.yaml", old + "healthzBindAddress: 0.0.0.0:10251\n", nil},
		{"which is gone", "kubescheduler-config.yaml", strings.Replace(old, "v1beta1", "v1", 1) + "healthzBindAddress: 0.0.0.0:10251\n", []string{"3:1"}},
		{"an apiVersion that is none", "kube-scheduler-config.yaml", strings.Replace(old, "v1beta1", "v7", 1), []string{"1:13"}},
		{"another file", "other.yaml", "parallelism: x\n", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := s.errorsIn("file:///somewhere/"+test.name+"/"+test.file, test.text); !slices.Equal(got, test.want) {
				t.Errorf("errors at %v, want %v in\n%s", got, test.want, test.text)
			}
		})
	}
}
