// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	admission "k8s.io/api/admission/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

// ask sends a ConfigMap to the webhook, as the API server does.
func ask(t *testing.T, url string, data map[string]string) *admission.AdmissionResponse {
	t.Helper()
	object, err := json.Marshal(core.ConfigMap{TypeMeta: meta.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(admission.AdmissionReview{
		TypeMeta: meta.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request:  &admission.AdmissionRequest{UID: "42", Object: runtime.RawExtension{Raw: object}},
	})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.Post(url, "application/json", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var review admission.AdmissionReview
	if err := json.NewDecoder(answer.Body).Decode(&review); err != nil || review.Response == nil {
		t.Fatalf("%s: no review: %v", answer.Status, err)
	}
	if review.Kind != "AdmissionReview" || review.Response.UID != "42" {
		t.Errorf("the answer is not to this review: %+v", review)
	}
	return review.Response
}

func serve(t *testing.T, target string) string {
	t.Helper()
	handler, err := newHandler(target)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func TestWebhook(t *testing.T) {
	url := serve(t, "1.37")
	for name, test := range map[string]struct {
		data    map[string]string
		allowed bool
		says    string
		warns   string
	}{
		"good":           {data: map[string]string{"sched.yaml": head}, allowed: true},
		"something else": {data: map[string]string{"readme": "hello", "app.yaml": "a: 1"}, allowed: true},
		"a typo":         {data: map[string]string{"sched.yaml": head + "paralelism: 3\n"}, says: "kube-scheduler refuses it (decode): sched.yaml:3:1: "},
		"out of range":   {data: map[string]string{"sched.yaml": head + "parallelism: 0\n"}, says: "(validate)"},
		"two mistakes":   {data: map[string]string{"a.yaml": head + "parallelism: 0\n", "b.yaml": head + "x: 1\n"}, says: "; b.yaml:3:1: "},
		"doubtful":       {data: map[string]string{"sched.yaml": head + "profiles:\n- plugins: {score: {disabled: [{name: NodeAfinity}]}}\n"}, allowed: true, warns: "[disabled-unknown]"},
		"an old file":    {data: map[string]string{"sched.yaml": strings.Replace(head, "/v1", "/v1beta2", 1)}, says: "v1beta2"},
	} {
		t.Run(name, func(t *testing.T) {
			response := ask(t, url, test.data)
			if response.Allowed != test.allowed {
				t.Errorf("allowed is %t: %+v", response.Allowed, response)
			}
			if test.says != "" && (response.Result == nil || !strings.Contains(response.Result.Message, test.says)) {
				t.Errorf("result %+v, want %q", response.Result, test.says)
			}
			if warnings := strings.Join(response.Warnings, "\n"); !strings.Contains(warnings, test.warns) {
				t.Errorf("warnings %q, want %q", warnings, test.warns)
			}
		})
	}
	// The same file is another release's business.
	if response := ask(t, serve(t, "1.23"), map[string]string{"sched.yaml": strings.Replace(head, "/v1", "/v1beta2", 1)}); !response.Allowed {
		t.Errorf("1.23 reads v1beta2: %+v", response.Result)
	}
}

// TestBadReviews holds that whatever arrives is answered, and that the webhook lives on.
func TestBadReviews(t *testing.T) {
	url := serve(t, "latest")
	for body, want := range map[string]int{
		"":                               http.StatusBadRequest,
		"{":                              http.StatusBadRequest,
		"{}":                             http.StatusBadRequest,
		`{"request":{"object":[1]}}`:     http.StatusBadRequest,
		strings.Repeat(" ", maxReview+1): http.StatusRequestEntityTooLarge,
	} {
		answer, err := http.Post(url, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%.30q: %s, want %d", body, answer.Status, want)
		}
	}
	if _, err := newHandler("1.99"); err == nil {
		t.Error("an unknown minor was taken")
	}
}

// TestParallel holds that requests may come at the same time.
func TestParallel(t *testing.T) {
	url := serve(t, "1.37")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if ask(t, url, map[string]string{"sched.yaml": head + "parallelism: 0\n"}).Allowed {
				t.Error("a bad configuration was let in")
			}
		})
	}
	all.Wait()
}
