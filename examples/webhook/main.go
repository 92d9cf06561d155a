// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Command webhook is a validating admission webhook that keeps configurations out of the cluster which
// kube-scheduler would not load. It looks into every ConfigMap that it is asked about.
//
// A real one is registered with a ValidatingWebhookConfiguration for ConfigMaps, and serves TLS.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	admission "k8s.io/api/admission/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/validation"
)

// maxReview is somewhat more than the 3 MiB that the API server takes for an object and its old state.
const maxReview = 8 << 20

func main() {
	address := flag.String("listen", "127.0.0.1:8080", "address to listen on")
	target := flag.String("target", "latest", "Kubernetes minor of the schedulers in the cluster")
	flag.Parse()

	handler, err := newHandler(*target)
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Addr: *address, Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.ListenAndServe())
}

// newHandler resolves the minor once. Everything behind it works with the facts of that release.
func newHandler(target string) (http.Handler, error) {
	minor, err := schemas.ParseMinor(target)
	if err != nil {
		return nil, err
	}
	release := schemas.For(minor)
	gates, err := release.NewGates(nil)
	if err != nil {
		return nil, err
	}
	s, err := scheme.New(release, gates)
	if err != nil {
		return nil, err
	}
	return &handler{checker: validation.New(s)}, nil
}

// handler answers reviews, one at a time: a checker is not for several goroutines, and needs about a millisecond.
type handler struct {
	one     sync.Mutex
	checker *validation.Checker
}

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxReview))
	if err != nil {
		http.Error(w, "the review is too large, or did not arrive", http.StatusRequestEntityTooLarge)
		return
	}
	var asked admission.AdmissionReview
	if err := json.Unmarshal(body, &asked); err != nil || asked.Request == nil {
		http.Error(w, "this is no AdmissionReview with a request", http.StatusBadRequest)
		return
	}
	var configMap core.ConfigMap
	if err := json.Unmarshal(asked.Request.Object.Raw, &configMap); err != nil {
		http.Error(w, "the object of the request is no ConfigMap", http.StatusBadRequest)
		return
	}
	findings, err := h.check(&configMap)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	answer := admission.AdmissionReview{TypeMeta: asked.TypeMeta, Response: respond(asked.Request, findings)}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		log.Print(err)
	}
}

// check judges every value of a ConfigMap that is a configuration, and passes over the others.
func (h *handler) check(configMap *core.ConfigMap) (diag.List, error) {
	h.one.Lock()
	defer h.one.Unlock()
	var findings diag.List
	for _, key := range slices.Sorted(maps.Keys(configMap.Data)) {
		result, err := h.checker.CheckFound(key, []byte(configMap.Data[key]))
		if err != nil {
			return nil, err
		}
		findings = append(findings, result.Findings...)
	}
	return findings, nil
}

// respond refuses what the release refuses. Anything else is a warning, which kubectl shows.
func respond(request *admission.AdmissionRequest, findings diag.List) *admission.AdmissionResponse {
	accepted, stage := findings.Verdict()
	response := &admission.AdmissionResponse{UID: request.UID, Allowed: accepted}
	for _, finding := range findings {
		line := fmt.Sprintf("%s: %s [%s]", finding.Pos, finding.Message, finding.Rule)
		switch {
		case finding.Severity != diag.Error:
			response.Warnings = append(response.Warnings, line)
		case response.Result == nil:
			response.Result = &meta.Status{Status: meta.StatusFailure, Reason: meta.StatusReasonInvalid, Code: http.StatusUnprocessableEntity, Message: fmt.Sprintf("kube-scheduler refuses it (%s): %s", stage, line)}
		default:
			response.Result.Message += "; " + line
		}
	}
	return response
}
