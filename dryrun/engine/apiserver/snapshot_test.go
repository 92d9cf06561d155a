// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

//go:build apiserver

// Package apiserver tests snapshots against a real kube-apiserver of the engine's release, with etcd beside it.
package apiserver

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"

	"github.com/schedconf/schedconf/dryrun"
)

// asServer makes the test program a kube-apiserver: flags and metrics are those of a process.
const asServer = "SCHEDCONF_TEST_APISERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		os.Exit(cli.Run(app.NewAPIServerCommand()))
	}
	os.Exit(m.Run())
}

const token = "the-token-of-the-test"

func port(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
}

// startEtcd starts etcd in this process.
func startEtcd(t *testing.T) string {
	t.Helper()
	config := embed.NewConfig()
	config.Dir = t.TempDir()
	config.LogLevel, config.LogOutputs = "error", []string{filepath.Join(t.TempDir(), "etcd.log")}
	address := func() url.URL { return url.URL{Scheme: "http", Host: "127.0.0.1:" + port(t)} }
	client, peer := address(), address()
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	server, err := embed.StartEtcd(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	select {
	case <-server.Server.ReadyNotify():
	case <-time.After(time.Minute):
		t.Fatal("etcd is not ready")
	}
	return client.String()
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// startServer starts a kube-apiserver and returns the way to it and its audit log.
func startServer(t *testing.T) (server, audit string) {
	t.Helper()
	folder := t.TempDir()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	account := write(t, filepath.Join(folder, "sa.key"), string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})))
	audit = filepath.Join(folder, "audit.log")
	secure := port(t)
	command := exec.Command(os.Args[0],
		"--etcd-servers="+startEtcd(t), "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port="+secure,
		"--endpoint-reconciler-type=none", // it refuses to publish a loopback address
		"--cert-dir="+filepath.Join(folder, "certs"), "--authorization-mode=AlwaysAllow",
		"--token-auth-file="+write(t, filepath.Join(folder, "tokens.csv"), token+",reader,reader\n"+token+"-of-the-writer,writer,writer\n"),
		"--service-account-key-file="+account, "--service-account-signing-key-file="+account, "--service-account-issuer=https://127.0.0.1",
		"--service-cluster-ip-range=10.0.0.0/24", "--disable-admission-plugins=ServiceAccount",
		"--audit-log-path="+audit, "--audit-policy-file="+write(t, filepath.Join(folder, "audit.yaml"), "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n  users: [reader]\n- level: None\n"),
	)
	command.Env = append(os.Environ(), asServer+"=1")
	log, err := os.Create(filepath.Join(folder, "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait(); close(ended) }()
	t.Cleanup(func() {
		_ = command.Process.Kill()
		<-ended
		log.Close()
	})
	server = "https://127.0.0.1:" + secure
	client := clientOf(t, server)
	for deadline := time.After(3 * time.Minute); ; {
		if body, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(t.Context()); err == nil && string(body) == "ok" {
			return server, audit
		}
		select {
		case err := <-ended:
			t.Fatalf("the server ended (%v): %s", err, tail(log.Name()))
		case <-deadline:
			t.Fatalf("the server is not ready: %s", tail(log.Name()))
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// tail is the end of a log, which says why a server did not come up.
func tail(file string) string {
	text, _ := os.ReadFile(file)
	return string(text[max(0, len(text)-4000):])
}

func clientOf(t *testing.T, server string) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server, BearerToken: token + "-of-the-writer", TLSClientConfig: rest.TLSClientConfig{Insecure: true}, QPS: 500, Burst: 500})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

const pods = 1203 // three pages

// fill creates nodes and pods, one of which has what must not leave the cluster.
func fill(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("worker-%d", i), Labels: map[string]string{corev1.LabelHostname: fmt.Sprintf("worker-%d", i), "acme.example/rack": "r7"}}}
		node.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse("100"), "memory": resource.MustParse("100Gi"), "pods": resource.MustParse("2000")}
		node.Status.Capacity = node.Status.Allocatable
		made, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
		must(err)
		made.Spec.Taints = nil // the server marks new nodes as not ready
		_, err = client.CoreV1().Nodes().Update(ctx, made, metav1.UpdateOptions{})
		must(err)
	}
	for i := range pods {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("batch-%04d", i), Annotations: map[string]string{"note": "confidential"}}}
		pod.Spec.NodeName = fmt.Sprintf("worker-%d", i%3)
		pod.Spec.Containers = []corev1.Container{{Name: "c", Image: "i", Command: []string{"confidential"}, Env: []corev1.EnvVar{{Name: "PASSWORD", Value: "confidential"}},
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("100m")}}}}
		_, err := client.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{})
		must(err)
	}
	_, err := client.CoreV1().Secrets("default").Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}, StringData: map[string]string{"k": "confidential"}}, metav1.CreateOptions{})
	must(err)
}

// TestSnapshot takes a snapshot of a real API server: whole, page by page, only by reading, and fit for a dry run.
func TestSnapshot(t *testing.T) {
	engine := filepath.Join(t.TempDir(), "schedconf-engine")
	build := exec.Command("go", "build", "-C", "..", "-trimpath", "-ldflags", "-s -w", "-o", engine, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	server, audit := startServer(t)
	fill(t, clientOf(t, server))
	kubeconfig := write(t, filepath.Join(t.TempDir(), "kubeconfig"), fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: %q, insecure-skip-tls-verify: true}}]
users: [{name: reader, user: {token: %s}}]
contexts: [{name: test, context: {cluster: test, user: reader}}]
`, server, token))
	for _, anonymous := range []bool{false, true} {
		t.Run(fmt.Sprintf("anonymize=%v", anonymous), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "cluster.json")
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			out, err := exec.CommandContext(ctx, engine, "snapshot", "-kubeconfig="+kubeconfig, "-context=test", "-output="+file, fmt.Sprintf("-anonymize=%v", anonymous)).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, secret := range []string{"confidential", "PASSWORD", "managedFields"} {
				if strings.Contains(string(text), secret) {
					t.Errorf("the snapshot has %q", secret)
				}
			}
			for _, name := range []string{"worker-0", "acme.example", "batch-0000"} {
				if strings.Contains(string(text), name) == anonymous {
					t.Errorf("that the snapshot has %q is %v", name, !anonymous)
				}
			}
			report, err := dryrun.Ask(ctx, engine, dryrun.Request{
				Config:   "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n",
				Cluster:  []dryrun.Source{{Name: file, Path: file}},
				Workload: []dryrun.Source{{Name: "pod", Text: "apiVersion: v1\nkind: Pod\nmetadata: {name: one}\nspec: {containers: [{name: c, image: i}]}\n"}},
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var onNodes int64
			for _, node := range report.Nodes {
				onNodes += node.Before["pods"]
			}
			if len(report.Nodes) != 3 || onNodes != pods || report.Pods[0].Node == nil || len(report.Findings) > 0 {
				t.Errorf("%d nodes with %d pods, %+v, findings %v", len(report.Nodes), onNodes, report.Pods[0], report.Findings)
			}
		})
	}
	checkAudit(t, audit)
}

// checkAudit holds that the server was only asked for lists, no page of which is larger than 500, and not for
// Secrets or ConfigMaps.
func checkAudit(t *testing.T, audit string) {
	t.Helper()
	text, err := os.ReadFile(audit)
	if err != nil {
		t.Fatal(err)
	}
	podPages := 0
	for line := range strings.Lines(string(text)) {
		var event struct {
			Stage, Verb, RequestURI string
			ObjectRef               struct{ Resource string }
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatal(err)
		}
		if event.Stage != "ResponseComplete" {
			continue
		}
		if event.Verb != "list" || !strings.Contains(event.RequestURI, "limit=500") || event.ObjectRef.Resource == "secrets" || event.ObjectRef.Resource == "configmaps" {
			t.Errorf("the server was asked to %s %s", event.Verb, event.RequestURI)
		}
		if event.ObjectRef.Resource == "pods" {
			podPages++
		}
	}
	if podPages != 6 {
		t.Errorf("%d pages of pods in two snapshots, want 3 each", podPages)
	}
}
