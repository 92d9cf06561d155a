// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

//go:build integration

package integration

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// program is yaml-language-server as `npm ci --prefix integration` puts it here.
const program = "node_modules/yaml-language-server/bin/yaml-language-server"

const patience = time.Minute

// TestLanguageServer holds that an editor shows a mistake where it is, with nothing but our schema, and
// says nothing about a file without one.
func TestLanguageServer(t *testing.T) {
	for _, test := range []struct {
		name, minor, version, text string
		// want is line:column of every error, from 1.
		want []string
	}{
		{"good", "1.37", "v1", good, nil},
		{"misspelt at the top", "1.37", "v1", swap(t, good, "parallelism:", "paralellism:"), []string{"3:1"}},
		{"misspelt in a list", "1.37", "v1", swap(t, good, "    weight: 5", "    wieght: 5"), []string{"12:9"}},
		{"misspelt in args", "1.37", "v1", swap(t, good, "hardPodAffinityWeight:", "hardPodAffinityWieght:"), []string{"20:7"}},
		{"wrong type", "1.37", "v1", swap(t, good, "leaderElect: false", `leaderElect: "no"`), []string{"5:16"}},
		{"args of a plugin that is not in the tree", "1.37", "v1", swap(t, good, "name: InterPodAffinity", "name: MyPlugin"), nil},
		{"field of a later minor", "1.24", "v1beta3", "apiVersion: kubescheduler.config.k8s.io/v1beta3\n" +
			"kind: KubeSchedulerConfiguration\nprofiles:\n- percentageOfNodesToScore: 5\n", []string{"4:3"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			schema, err := filepath.Abs(filepath.Join("..", "schemas", test.minor, test.version+".KubeSchedulerConfiguration.schema.json"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(schema); err != nil {
				t.Fatal(err)
			}
			if got := startServer(t, schema).errors(test.text); !slices.Equal(got, test.want) {
				t.Errorf("errors at %v, want %v in\n%s", got, test.want, test.text)
			}
		})
	}
}

const good = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
parallelism: 8 # the default is 16
leaderElection:
  leaderElect: false
profiles:
- schedulerName: default-scheduler
  plugins:
    score:
      enabled:
      - name: ImageLocality
        weight: 5
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
  - name: InterPodAffinity
    args:
      hardPodAffinityWeight: 10
extenders:
- urlPrefix: http://127.0.0.1:8888
  filterVerb: filter
  httpTimeout: 30s
`

// swap changes one place of a text.
func swap(t *testing.T, text, from, to string) string {
	t.Helper()
	if strings.Count(text, from) != 1 {
		t.Fatalf("%q is not one place of the text", from)
	}
	return strings.Replace(text, from, to, 1)
}

// server is a running yaml-language-server.
type server struct {
	t *testing.T
	// settings are those that it asks for.
	settings map[string]any
	in       io.Writer
	out      chan message
	stderr   *bytes.Buffer
}

// message is a request, an answer or a notification of JSON-RPC.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// startServer starts one that has a schema for every file.
func startServer(t *testing.T, schema string) *server {
	t.Helper()
	return startServerWith(t, map[string]any{
		"validate":    true,
		"schemaStore": map[string]any{"enable": false}, // No network.
		"schemas":     map[string]any{"file://" + filepath.ToSlash(schema): "*.yaml"},
	})
}

func startServerWith(t *testing.T, settings map[string]any) *server {
	t.Helper()
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("%v: run npm ci --prefix integration, as make integration does", err)
	}
	cmd := exec.Command("node", program, "--stdio")
	s := &server{t: t, settings: settings, out: make(chan message), stderr: &bytes.Buffer{}}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.in, cmd.Stderr = in, s.stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		close(done)
		_ = cmd.Process.Kill() // It may have ended by itself.
		_ = cmd.Wait()
	})
	go s.read(out, done)

	s.send(message{ID: json.RawMessage("1"), Method: "initialize"}, map[string]any{
		"processId": os.Getpid(), "rootUri": nil,
		"capabilities": map[string]any{"workspace": map[string]any{"configuration": true}},
	})
	s.await(func(m message) bool { return string(m.ID) == "1" && m.Method == "" })
	s.send(message{Method: "initialized"}, map[string]any{})
	return s
}

// read hands out what the server says until it ends.
func (s *server) read(out io.Reader, done <-chan struct{}) {
	defer close(s.out)
	for reader := bufio.NewReader(out); ; {
		m, err := readMessage(reader)
		if err != nil {
			return
		}
		select {
		case s.out <- m:
		case <-done:
			return
		}
	}
}

func readMessage(reader *bufio.Reader) (message, error) {
	var m message
	header, err := textproto.NewReader(reader).ReadMIMEHeader()
	if err != nil {
		return m, err
	}
	length, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return m, fmt.Errorf("Content-Length: %w", err)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(reader, body); err != nil {
		return m, err
	}
	return m, json.Unmarshal(body, &m)
}

func (s *server) send(m message, params any) {
	s.t.Helper()
	data, err := json.Marshal(params)
	if err != nil {
		s.t.Fatal(err)
	}
	if m.Version = "2.0"; m.Method == "" {
		m.Result = data
	} else {
		m.Params = data
	}
	if data, err = json.Marshal(m); err != nil {
		s.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(s.in, "Content-Length: %d\r\n\r\n%s", len(data), data); err != nil {
		s.t.Fatalf("%v: %s", err, s.stderr)
	}
}

// await answers what the server asks, and returns the first message that is wanted.
func (s *server) await(wanted func(message) bool) message {
	s.t.Helper()
	for timeout := time.After(patience); ; {
		select {
		case m, open := <-s.out:
			switch {
			case !open:
				s.t.Fatalf("the server ended: %s", s.stderr)
			case m.Error != nil:
				s.t.Fatalf("the server reports %s", m.Error)
			case m.Method != "" && m.ID != nil:
				s.answer(m)
			case wanted(m):
				return m
			}
		case <-timeout:
			s.t.Fatalf("no answer after %s", patience)
		}
	}
}

// answer sends the settings that the server asks for, and nothing to any other request.
func (s *server) answer(m message) {
	s.t.Helper()
	var params struct {
		Items []struct{ Section string }
	}
	if m.Method != "workspace/configuration" {
		s.send(message{ID: m.ID}, nil)
		return
	}
	if err := json.Unmarshal(m.Params, &params); err != nil {
		s.t.Fatal(err)
	}
	settings := make([]any, len(params.Items))
	for i, item := range params.Items {
		if item.Section == "yaml" {
			settings[i] = s.settings
		}
	}
	s.send(message{ID: m.ID}, settings)
}

// errors returns line:column, from 1, of what the server finds wrong with a text.
func (s *server) errors(text string) []string {
	s.t.Helper()
	return s.errorsIn("file:///configuration.yaml", text)
}

func (s *server) errorsIn(uri, text string) []string {
	s.t.Helper()
	s.send(message{Method: "textDocument/didOpen"}, map[string]any{
		"textDocument": map[string]any{"uri": uri, "languageId": "yaml", "version": 1, "text": text},
	})
	type diagnostic struct {
		Severity int
		Message  string
		Range    struct{ Start struct{ Line, Character int } }
	}
	var published struct {
		URI         string
		Diagnostics []diagnostic
	}
	s.await(func(m message) bool {
		return m.Method == "textDocument/publishDiagnostics" && json.Unmarshal(m.Params, &published) == nil && published.URI == uri
	})
	var places []string
	for _, d := range published.Diagnostics {
		start := d.Range.Start
		s.t.Logf("%d:%d: %s", start.Line+1, start.Character+1, d.Message)
		if d.Severity == 1 {
			places = append(places, fmt.Sprintf("%d:%d", start.Line+1, start.Character+1))
		}
	}
	slices.Sort(places)
	return places
}
