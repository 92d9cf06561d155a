// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/google/go-cmp/cmp"
	messages "github.com/tliron/glsp/protocol_3_16"

	"github.com/schedconf/schedconf/diag"
)

// editor is a client of schedconf lsp, in this process.
type editor struct {
	t         *testing.T
	client    *jrpc2.Client
	in        *io.PipeWriter
	published chan publication
	told      chan string
	code      chan int
}

// publication and finding are what arrives; the code of the library's own type cannot be read back.
type publication struct {
	URI         string
	Version     *int
	Diagnostics []finding
}

type finding struct {
	messages.Diagnostic
	Code string `json:"code"`
}

// newEditor starts a session. What it answers to workspace/configuration is config; nil for an editor that cannot.
func newEditor(t *testing.T, config any, args ...string) *editor {
	t.Helper()
	fromEditor, in := io.Pipe()
	out, toEditor := io.Pipe()
	e := &editor{
		t: t, in: in, code: make(chan int, 1),
		published: make(chan publication, 10_000), told: make(chan string, 1000),
	}
	go func() {
		var stderr bytes.Buffer
		code := run(append([]string{"schedconf", "lsp"}, args...), fromEditor, toEditor, &stderr)
		toEditor.Close()
		e.code <- code
	}()
	e.client = jrpc2.NewClient(channel.Header("")(out, in), &jrpc2.ClientOptions{
		OnNotify: func(r *jrpc2.Request) {
			var params publication
			switch {
			case r.Method() == "window/showMessage":
				e.told <- r.ParamString()
			case r.UnmarshalParams(&params) == nil:
				e.published <- params
			}
		},
		OnCallback: func(_ context.Context, r *jrpc2.Request) (any, error) {
			if r.Method() == "workspace/configuration" {
				return []any{config}, nil
			}
			return nil, nil
		},
	})
	t.Cleanup(func() { in.Close(); e.client.Close() })
	return e
}

// started is an editor that has said hello.
func started(t *testing.T, options any, args ...string) *editor {
	t.Helper()
	e := newEditor(t, nil, args...)
	e.hello(map[string]any{}, options)
	return e
}

func (e *editor) hello(capabilities map[string]any, options any) (result string) {
	e.t.Helper()
	answer, err := e.client.Call(e.t.Context(), "initialize", map[string]any{"capabilities": capabilities, "initializationOptions": options})
	if err != nil {
		e.t.Fatal(err)
	}
	e.notify("initialized", map[string]any{})
	return answer.ResultString()
}

func (e *editor) notify(method string, params any) {
	e.t.Helper()
	if err := e.client.Notify(e.t.Context(), method, params); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) open(uri, text string) {
	e.t.Helper()
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "yaml", "version": 1, "text": text}})
}

func (e *editor) change(uri string, version int, changes ...any) {
	e.t.Helper()
	e.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": version}, "contentChanges": changes})
}

// findings waits for those of a version.
func (e *editor) findings(uri string, version int) []finding {
	e.t.Helper()
	for timeout := time.After(time.Minute); ; {
		select {
		case p := <-e.published:
			if p.URI == uri && p.Version != nil && int(*p.Version) == version {
				return p.Diagnostics
			}
		case <-timeout:
			e.t.Fatalf("no findings about version %d of %s", version, uri)
		}
	}
}

// ask sends a request about a place.
func (e *editor) ask(method, uri string, line, character int, result any) {
	e.t.Helper()
	params := map[string]any{"textDocument": map[string]any{"uri": uri}, "position": map[string]any{"line": line, "character": character}}
	if err := e.client.CallResult(e.t.Context(), method, params, result); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

// complete returns the words that are offered where a text has a bar.
func (e *editor) complete(uri, marked string) []string {
	e.t.Helper()
	before, after, ok := strings.Cut(marked, "|")
	if !ok {
		e.t.Fatal("the text has no bar")
	}
	e.open(uri, before+after)
	var list struct{ Items []struct{ Label string } }
	e.ask("textDocument/completion", uri, strings.Count(before, "\n"), len(before)-strings.LastIndexByte(before, '\n')-1, &list)
	words := []string{}
	for _, item := range list.Items {
		words = append(words, item.Label)
	}
	return words
}

func (e *editor) actions(uri string) []messages.CodeAction {
	e.t.Helper()
	var list []messages.CodeAction
	everything := map[string]any{"start": map[string]any{"line": 0, "character": 0}, "end": map[string]any{"line": 1 << 20, "character": 0}}
	params := map[string]any{"textDocument": map[string]any{"uri": uri}, "range": everything, "context": map[string]any{"diagnostics": []any{}}}
	if err := e.client.CallResult(e.t.Context(), "textDocument/codeAction", params, &list); err != nil {
		e.t.Fatal(err)
	}
	return list
}

func fileURI(path string) string { return (&url.URL{Scheme: "file", Path: path}).String() }

// TestEditorFindings holds that an editor gets what validate says of the same files, at the same lines.
func TestEditorFindings(t *testing.T) {
	var files []string
	for _, pattern := range []string{"advice/*.yaml", "good/*.yaml", "find/*.yaml", "demo/*.yaml", "demo/*.json"} {
		more, err := filepath.Glob(filepath.Join("../../testdata", pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	if len(files) < 30 {
		t.Fatalf("only %d files", len(files))
	}
	e := started(t, nil)
	all := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// Alone in a folder, so that validate has nothing beside it either.
		path := write(t, filepath.Join(t.TempDir(), filepath.Base(file)), string(data))
		_, stdout, _ := call("", "validate", "-o", "json", filepath.Dir(path))
		var want []string
		for _, line := range strings.Split(stdout, "\n") {
			var f struct {
				Rule, Message string
				Line          int
			}
			if json.Unmarshal([]byte(line), &f) == nil && f.Rule != "" {
				want = append(want, fmt.Sprintf("%d %s %s", f.Line-1, f.Rule, f.Message))
			}
		}
		e.open(fileURI(path), string(data))
		var got []string
		for _, d := range e.findings(fileURI(path), 1) {
			message, _, _ := strings.Cut(d.Message, "\n")
			got = append(got, fmt.Sprintf("%d %s %s", d.Range.Start.Line, d.Code, message))
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-validate +editor):\n%s", file, diff)
		}
		all += len(got)
	}
	if all < 20 {
		t.Errorf("only %d findings", all)
	}
}

const profile = minimal + `leaderElection:
  leaderElect: true
profiles:
- schedulerName: default-scheduler
  plugins:
    score:
      enabled:
      - name: ImageLocality
        weight: 5
`

// TestEditorHover holds that an explanation is the one that explain prints.
func TestEditorHover(t *testing.T) {
	e := started(t, nil)
	const uri = "file:///somewhere/sched.yaml"
	e.open(uri, profile)
	for _, test := range []struct {
		line, character int
		word            string
	}{
		{3, 4, "leaderElection.leaderElect"}, {9, 20, "ImageLocality"}, {10, 10, "profiles.plugins.score.enabled.weight"},
	} {
		var hover struct{ Contents struct{ Value string } }
		e.ask("textDocument/hover", uri, test.line, test.character, &hover)
		_, want, _ := call("", "explain", test.word)
		if !strings.HasPrefix(hover.Contents.Value, strings.TrimSpace(want)) || want == "" {
			t.Errorf("%s: %q, want %q", test.word, hover.Contents.Value, want)
		}
	}
	var none any
	e.ask("textDocument/hover", uri, 3, 1, &none)
	if none != nil {
		t.Errorf("%v is said of nothing", none)
	}
}

// TestEditorCompletion holds what is offered where. The plugins are those of schemas/1.37/release.json and
// schemas/1.19/release.json, the fields those of k8s.io/kube-scheduler/config/v1.
func TestEditorCompletion(t *testing.T) {
	e := started(t, nil)
	for i, test := range []struct {
		name, text string
		want, not  []string
	}{
		{"a new file", "|", []string{"apiVersion", "kind"}, nil},
		{"the kind", "apiVersion: kubescheduler.config.k8s.io/v1\nkind: |\n", []string{"KubeSchedulerConfiguration"}, nil},
		{"the apiVersion", "apiVersion: |\nkind: KubeSchedulerConfiguration\n", []string{"kubescheduler.config.k8s.io/v1"}, []string{"kubescheduler.config.k8s.io/v1beta3"}},
		{"a field at the top", minimal + "paral|\n", []string{"parallelism", "profiles", "extenders"}, []string{"apiVersion", "leaderElect"}},
		{"a field below", minimal + "leaderElection:\n  |\n", []string{"leaderElect", "resourceLock"}, []string{"parallelism"}},
		{"a value of a bool", minimal + "leaderElection:\n  leaderElect: |\n", []string{"true", "false"}, nil},
		{"a lock", minimal + "leaderElection:\n  resourceLock: |\n", []string{"leases"}, []string{"endpoints"}},
		{"a point", minimal + "profiles:\n- plugins:\n    |\n", []string{"score", "multiPoint", "preEnqueue"}, nil},
		{"a plugin at score", minimal + "profiles:\n- plugins:\n    score:\n      enabled:\n      - name: Node|\n", []string{"NodeResourcesFit", "NodeAffinity"}, []string{"NodePorts", "NodeUnschedulable", `"*"`}},
		{"not again what is there", strings.Replace(profile, "        weight: 5\n", "      - name: |\n", 1), []string{"NodeResourcesFit"}, []string{"ImageLocality"}},
		{"a plugin to disable", minimal + "profiles:\n- plugins:\n    score:\n      disabled:\n      - name: |\n", []string{"NodeResourcesFit", `"*"`}, nil},
		{"a plugin with args", minimal + "profiles:\n- pluginConfig:\n  - name: |\n", []string{"NodeResourcesFit", "InterPodAffinity"}, []string{"ImageLocality"}},
		{"a field of args", minimal + "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      |\n", []string{"scoringStrategy", "ignoredResources", "kind"}, []string{"hardPodAffinityWeight"}},
		{"the kind of args", minimal + "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      kind: |\n", []string{"NodeResourcesFitArgs"}, []string{"InterPodAffinityArgs"}},
		{"a strategy", minimal + "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      scoringStrategy: {type: |}\n", []string{"MostAllocated"}, nil},
		{"flow style", minimal + "leaderElection: {leaderElect: true, |}\n", []string{"resourceLock"}, []string{"leaderElect"}},
		{"JSON", `{"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration","leaderElection":{"|"}}`, []string{"leaderElect"}, nil},
		{"in a ConfigMap", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  config.yaml: |\n    apiVersion: kubescheduler.config.k8s.io/v1\n    kind: KubeSchedulerConfiguration\n    leaderElection:\n      \x00\n", []string{"leaderElect"}, nil},
		{"another kind", "apiVersion: v1\nkind: Service\n|\n", nil, []string{"parallelism"}},
		{"nothing in a comment", minimal + "# |\n", nil, []string{"parallelism"}},
	} {
		text := test.text
		if strings.Contains(text, "\x00") { // the bar of the block scalar is not ours
			text = strings.Replace(strings.Replace(text, "|", "\x01", 1), "\x00", "|", 1)
		}
		uri := fmt.Sprintf("file:///somewhere/%d.yaml", i)
		before, after, _ := strings.Cut(text, "|")
		real := strings.ReplaceAll(before, "\x01", "|")
		e.open(uri, real+after)
		var list struct{ Items []struct{ Label string } }
		e.ask("textDocument/completion", uri, strings.Count(real, "\n"), len(real)-strings.LastIndexByte(real, '\n')-1, &list)
		var got []string
		for _, item := range list.Items {
			got = append(got, item.Label)
		}
		for _, word := range test.want {
			if !slices.Contains(got, word) {
				t.Errorf("%s: %q is not offered, but %q", test.name, word, got)
			}
		}
		for _, word := range test.not {
			if slices.Contains(got, word) {
				t.Errorf("%s: %q is offered", test.name, word)
			}
		}
	}
	old := started(t, map[string]any{"target": "1.19"})
	words := old.complete("file:///somewhere/old.yaml", strings.ReplaceAll(minimal, "/v1", "/v1beta1")+"profiles:\n- plugins:\n    score:\n      enabled:\n      - name: |\n")
	if !slices.Contains(words, "NodeResourcesMostAllocated") || slices.Contains(words, "VolumeBinding") {
		t.Errorf("on 1.19 %q are offered", words)
	}
}

// apply makes the edits of an action in a text without wide characters.
func apply(text string, edits []messages.TextEdit) string {
	offset := func(p messages.Position) int {
		lines := strings.SplitAfter(text, "\n")
		return len(strings.Join(lines[:p.Line], "")) + int(p.Character)
	}
	for _, e := range slices.Backward(edits) {
		text = text[:offset(e.Range.Start)] + e.NewText + text[offset(e.Range.End):]
	}
	return text
}

// TestEditorFixes holds that an action is the fix of validate --fix, or what a hint suggests, and that an editor
// with versions gets the one that was judged.
func TestEditorFixes(t *testing.T) {
	for _, test := range []struct{ name, text, title, want string }{
		{"certain", minimal + "Parallelism: 5\n", "write parallelism instead of Parallelism", minimal + "parallelism: 5\n"},
		{"suggested", strings.Replace(profile, "weight:", "wieght:", 1), "write weight instead of wieght", profile},
		{"a plugin", strings.Replace(profile, "ImageLocality", "ImageLocalty", 1), "write ImageLocality instead of ImageLocalty", profile},
		{"all", minimal + "Parallelism: 5\n", "make all fixes that have one right answer", minimal + "parallelism: 5\n"},
	} {
		e := started(t, nil)
		const uri = "file:///somewhere/sched.yaml"
		e.open(uri, test.text)
		found := false
		for _, action := range e.actions(uri) {
			if action.Title == test.title {
				found = true
				if got := apply(test.text, action.Edit.Changes[uri]); got != test.want {
					t.Errorf("%s: %s", test.name, cmp.Diff(test.want, got))
				}
			}
		}
		if !found {
			t.Errorf("%s: no action %q among %d", test.name, test.title, len(e.actions(uri)))
		}
	}
	e := newEditor(t, nil)
	e.hello(map[string]any{"workspace": map[string]any{"workspaceEdit": map[string]any{"documentChanges": true}}}, nil)
	const uri = "file:///somewhere/sched.yaml"
	e.open(uri, minimal)
	e.change(uri, 7, map[string]any{"text": minimal + "Parallelism: 5\n"})
	actions, err := json.Marshal(e.actions(uri))
	if err != nil || !strings.Contains(string(actions), `"version":7`) {
		t.Errorf("%s: %v", actions, err)
	}
}

// TestEditorEffective holds that the command above a configuration returns what effective prints.
func TestEditorEffective(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "sched.yaml"), profile)
	e := started(t, map[string]any{"target": "1.30"})
	e.open(fileURI(path), profile)
	var lenses []messages.CodeLens
	if err := e.client.CallResult(t.Context(), "textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": fileURI(path)}}, &lenses); err != nil || len(lenses) != 1 {
		t.Fatalf("%d lenses: %v", len(lenses), err)
	}
	var text string
	command := lenses[0].Command
	if err := e.client.CallResult(t.Context(), "workspace/executeCommand", map[string]any{"command": command.Command, "arguments": command.Arguments}, &text); err != nil {
		t.Fatal(err)
	}
	_, want, _ := call("", "effective", "--target", "1.30", path)
	if text != "Kubernetes 1.30\n\n"+want {
		t.Error(cmp.Diff("Kubernetes 1.30\n\n"+want, text))
	}
	// What is not saved counts.
	e.change(fileURI(path), 2, map[string]any{"text": profile + "parallelism: 77\n"})
	if err := e.client.CallResult(t.Context(), "workspace/executeCommand", map[string]any{"command": command.Command, "arguments": command.Arguments}, &text); err != nil || !strings.Contains(text, "77") {
		t.Errorf("%v: %.200s", err, text)
	}
}

// deployment runs a scheduler with the configuration in the ConfigMap a.
const deployment = `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: scheduler}
spec:
  template:
    spec:
      containers:
      - name: kube-scheduler
        image: registry.k8s.io/kube-scheduler:v1.30.2
        command: [kube-scheduler, --config=/etc/a/config.yaml]
        volumeMounts: [{name: a, mountPath: /etc/a}]
      volumes:
      - {name: a, configMap: {name: a}}
`

// TestEditorCarried holds that a configuration in a ConfigMap has its view, above it and for the release of the
// scheduler that reads it.
func TestEditorCarried(t *testing.T) {
	text := "apiVersion: v1\nkind: Service\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  config.yaml: |\n" + indented(profile) + deployment
	path := write(t, filepath.Join(t.TempDir(), "all.yaml"), text)
	e := started(t, nil)
	e.open(fileURI(path), text)
	var lenses []messages.CodeLens
	if err := e.client.CallResult(t.Context(), "textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": fileURI(path)}}, &lenses); err != nil || len(lenses) != 1 || lenses[0].Range.Start != (messages.Position{Line: 8, Character: 4}) {
		t.Fatalf("%v: %v", lenses, err)
	}
	var view string
	if err := e.client.CallResult(t.Context(), "workspace/executeCommand", map[string]any{"command": lenses[0].Command.Command, "arguments": lenses[0].Command.Arguments}, &view); err != nil {
		t.Fatal(err)
	}
	_, want, _ := call("", "effective", "--target", "1.30", "--document", "1", path)
	if view != "Kubernetes 1.30\n\n"+want || want == "" {
		t.Error(cmp.Diff("Kubernetes 1.30\n\n"+want, view))
	}
	var hover struct{ Contents struct{ Value string } }
	e.ask("textDocument/hover", fileURI(path), 11, 8, &hover)
	if !strings.Contains(hover.Contents.Value, "leaderElection.leaderElect") {
		t.Errorf("%q is said of leaderElect", hover.Contents.Value)
	}
}

// TestEditorSettings holds where the target comes from, and that a wrong one is said.
func TestEditorSettings(t *testing.T) {
	old := strings.ReplaceAll(minimal, "/v1", "/v1beta1")
	e := started(t, map[string]any{"target": "1.20"})
	e.open("file:///somewhere/sched.yaml", old)
	for _, d := range e.findings("file:///somewhere/sched.yaml", 1) {
		if *d.Severity == messages.DiagnosticSeverityError {
			t.Errorf("on 1.20: %s", d.Message)
		}
	}

	folder := t.TempDir()
	settings := write(t, filepath.Join(folder, ".schedconf.yaml"), "target: \"1.20\"\n")
	uri := fileURI(filepath.Join(folder, "sched.yaml"))
	e = started(t, nil)
	e.open(uri, old)
	for _, d := range e.findings(uri, 1) {
		if *d.Severity == messages.DiagnosticSeverityError {
			t.Errorf("with .schedconf.yaml: %s", d.Message)
		}
	}
	write(t, settings, "target: \"1.37\"\n")
	e.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": fileURI(settings), "type": 2}}})
	if list := e.findings(uri, 1); len(list) != 1 || list[0].Code != "api-version-unknown" {
		t.Errorf("after a change of .schedconf.yaml: %v", list)
	}

	asked := newEditor(t, map[string]any{"target": "1.20"})
	asked.hello(map[string]any{"workspace": map[string]any{"configuration": true}}, nil)
	asked.open("file:///somewhere/sched.yaml", old)
	for timeout := time.After(time.Minute); ; {
		// The settings may come before the file or after it.
		select {
		case p := <-asked.published:
			if !slices.ContainsFunc(p.Diagnostics, func(d finding) bool { return d.Code == "api-version-unknown" }) {
				return
			}
		case <-timeout:
			t.Fatal("the settings of the workspace do not count")
		}
	}
}

func TestEditorWrongSettings(t *testing.T) {
	for options, want := range map[string]string{
		`{"target": "1.99"}`:                         `1.99`,
		`{"featureGates": {"Nonsense": true}}`:       `Nonsense`,
		`{"plugins": ["=x"]}`:                        `=x`,
		`{"pluginRegistries": ["no-such-registry"]}`: `no-such-registry`,
	} {
		e := started(t, json.RawMessage(options))
		e.open("file:///somewhere/sched.yaml", minimal)
		select {
		case message := <-e.told:
			if !strings.Contains(message, want) {
				t.Errorf("%s: %s", options, message)
			}
		case <-time.After(time.Minute):
			t.Errorf("%s: nothing is said", options)
		}
	}
}

// TestEditorOrder holds the answers to messages that come at the wrong time or are wrong, in the codes of the
// protocol, and that the session goes on.
func TestEditorOrder(t *testing.T) {
	e := newEditor(t, nil)
	position := map[string]any{"textDocument": map[string]any{"uri": "file:///a.yaml"}, "position": map[string]any{"line": 0, "character": 0}}
	expect := func(method string, params any, want jrpc2.Code) {
		t.Helper()
		_, err := e.client.Call(t.Context(), method, params)
		var fault *jrpc2.Error
		if !errors.As(err, &fault) || fault.Code != want {
			t.Errorf("%s: %v, want code %d", method, err, want)
		}
	}
	e.open("file:///a.yaml", minimal) // is dropped
	expect("textDocument/hover", position, -32002)
	expect("shutdown", nil, -32002)
	e.hello(map[string]any{}, nil)
	expect("initialize", map[string]any{"capabilities": map[string]any{}}, -32600)
	expect("textDocument/hover", position, -32602)
	expect("textDocument/hover", map[string]any{"textDocument": 5}, -32602)
	expect("textDocument/hover", []any{1}, -32602)
	expect("textDocument/nonsense", position, -32601)
	expect("workspace/executeCommand", map[string]any{"command": "rm"}, -32602)
	expect("workspace/executeCommand", map[string]any{"command": "schedconf.effective", "arguments": []any{}}, -32602)

	const uri = "file:///somewhere/sched.yaml"
	e.change(uri, 2, map[string]any{"text": "x"}) // not open
	e.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
	e.open(uri, minimal+"parallelism: 0\n")
	e.findings(uri, 1)
	e.change(uri, 1, map[string]any{"text": "x"}) // not newer
	for range 3 {
		select {
		case <-e.told:
		case <-time.After(time.Minute):
			t.Fatal("an edit out of order is not told")
		}
	}
	e.change(uri, 5, map[string]any{"range": map[string]any{"start": map[string]any{"line": 2, "character": 13}, "end": map[string]any{"line": 2, "character": 14}}, "text": "-1"})
	if list := e.findings(uri, 5); len(list) != 1 || list[0].Code != "parallelism-range" || list[0].Range.End.Character != 15 {
		t.Errorf("%v", list)
	}

	e.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
	select {
	case p := <-e.published:
		if p.URI != uri || len(p.Diagnostics) > 0 {
			t.Errorf("a closed file has %v", p)
		}
	case <-time.After(time.Minute):
		t.Fatal("the findings of a closed file stay")
	}

	if _, err := e.client.Call(t.Context(), "shutdown", nil); err != nil {
		t.Fatal(err)
	}
	expect("textDocument/hover", position, -32600)
	e.notify("exit", nil)
	select {
	case code := <-e.code:
		if code != exitYes {
			t.Errorf("exit code %d", code)
		}
	case <-time.After(time.Minute):
		t.Fatal("it does not exit")
	}
}

// session is one without a client, in which every message is sent and received as it is.
func session() (c channel.Channel, in io.Writer, code chan int) {
	fromEditor, toServer := io.Pipe()
	out, toEditor := io.Pipe()
	code = make(chan int, 1)
	go func() {
		defer toEditor.Close()
		code <- run([]string{"schedconf", "lsp"}, fromEditor, toEditor, io.Discard)
	}()
	return channel.Header("")(out, toServer), toServer, code
}

// TestEditorGarbage holds that what is no JSON gets an answer, and the next message its own.
func TestEditorGarbage(t *testing.T) {
	receive := func(c channel.Channel, want string) {
		t.Helper()
		if got, err := c.Recv(); err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: %v, want %s", got, err, want)
		}
	}
	const hello, bye = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`, `{"jsonrpc":"2.0","id":2,"method":"shutdown"}`
	for garbage, want := range map[string]string{
		"{": "-32700", "": "-32700", "\xff\xfe": "-32700", "[]": "-32600", "null": "-32600", "7": "-32700",
		`{"jsonrpc":"1.0","id":9,"method":"x"}`: "-32600", `{"jsonrpc":"2.0","id":{},"method":"x"}`: "-32600", strings.Repeat("[", 1<<20): "-32700",
	} {
		c, in, code := session()
		for _, step := range []struct{ send, want string }{{hello, `"positionEncoding"`}, {garbage, want}, {bye, `"id":2,"result":null`}} {
			go func() { _ = c.Send([]byte(step.send)) }()
			receive(c, step.want)
		}
		// Some clients say what the content is.
		go fmt.Fprintf(in, "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n%s", len(bye), bye)
		receive(c, "-32600")
		c.Close()
		if got := <-code; got != exitYes {
			t.Errorf("%.50q: exit code %d", garbage, got)
		}
	}
	for _, headers := range []string{"Content-Length: 99999999999999999\r\n\r\n{}", "Content-Length: x\r\n\r\n", "nonsense\r\n\r\n"} {
		if code, _, stderr := call(headers, "lsp"); code != exitWrongQuestion || stderr == "" {
			t.Errorf("%q: exit code %d: %s", headers, code, stderr)
		}
	}
	if code, _, _ := call("", "lsp"); code != exitYes {
		t.Errorf("without a message: exit code %d", code)
	}
	c, _, code := session()
	go func() { _ = c.Send([]byte(hello)) }()
	receive(c, `"positionEncoding"`)
	c.Close()
	if got := <-code; got != exitNo {
		t.Errorf("an end without shutdown: exit code %d", got)
	}
}

// TestEditorBurst holds that findings are those of the last of many edits that are sent at once, and that no older
// version comes behind a newer one.
func TestEditorBurst(t *testing.T) {
	c, _, _ := session()
	defer c.Close()
	const edits = 300
	go func() {
		send := func(method string, params any) {
			data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
			if err != nil {
				t.Error(err)
			}
			_ = c.Send(data) // what does not arrive is missed below
		}
		_ = c.Send([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`))
		send("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": "file:///a.yaml", "version": 1, "text": minimal}})
		for i := range edits {
			send("textDocument/didChange", map[string]any{
				"textDocument": map[string]any{"uri": "file:///a.yaml", "version": i + 2}, "contentChanges": []any{map[string]any{"text": fmt.Sprintf("%sparallelism: %d\n", minimal, -i)}},
			})
		}
	}()
	for last := 0; last < edits+1; {
		data, err := c.Recv()
		if err != nil {
			t.Fatalf("after version %d: %v", last, err)
		}
		var message struct {
			Method string
			Params publication
		}
		if err := json.Unmarshal(data, &message); err != nil || message.Method != "textDocument/publishDiagnostics" {
			continue // the answer to initialize
		}
		version, list := *message.Params.Version, message.Params.Diagnostics
		if version <= last {
			t.Fatalf("version %d comes behind %d", version, last)
		}
		last = version
		if version > 1 && (len(list) != 1 || !strings.Contains(list[0].Message, fmt.Sprintf("parallelism is %d,", 2-version))) {
			t.Fatalf("version %d: %v", version, list)
		}
	}
}

// TestEditorPaste holds that a paste of 10 MB is answered, and that what is open beside it goes on meanwhile.
func TestEditorPaste(t *testing.T) {
	e := started(t, nil)
	const uri, other = "file:///somewhere/sched.yaml", "file:///somewhere/other.yaml"
	e.open(other, profile)
	e.open(uri, minimal)
	e.findings(uri, 1)
	for i, paste := range []string{
		strings.Repeat("x", 10<<20),
		strings.Repeat("- a: {b: [c]}\n", 10<<20/14),
		minimal + "extenders:\n" + strings.Repeat("- urlPrefix: http://127.0.0.1\n", 1<<20/30), // ten times as much takes ten times as long
		strings.Repeat("𐐀\r", 2<<20),
	} {
		e.change(uri, 2*i+2, map[string]any{"text": paste})
		var hover struct{ Contents struct{ Value string } }
		e.ask("textDocument/hover", other, 3, 4, &hover)
		if !strings.Contains(hover.Contents.Value, "leaderElection.leaderElect") {
			t.Errorf("paste %d: the other file is not answered for", i)
		}
		began := time.Now()
		e.findings(uri, 2*i+2)
		t.Logf("paste %d is judged after %s", i, time.Since(began).Round(time.Millisecond))
		e.change(uri, 2*i+3, map[string]any{"text": minimal + "parallelism: 0\n"})
		if list := e.findings(uri, 2*i+3); len(list) != 1 {
			t.Errorf("after paste %d: %v", i, list)
		}
	}
}

// TestEditorPositions holds that places are right in text of several bytes to a character, with CRLF, in both
// encodings.
func TestEditorPositions(t *testing.T) {
	text := strings.ReplaceAll(minimal+"# 𐐀 ä\nleaderElection: {resourceName: \"𐐀ä\", wrong: 1}\n", "\n", "\r\n")
	for encoding, want := range map[string]uint32{"utf-16": 38, "utf-8": 41} {
		e := newEditor(t, nil)
		if got := e.hello(map[string]any{"general": map[string]any{"positionEncodings": []string{encoding}}}, nil); !strings.Contains(got, `"positionEncoding":"`+encoding+`"`) {
			t.Errorf("%s: %s", encoding, got)
		}
		const uri = "file:///somewhere/sched.yaml"
		e.open(uri, text)
		list := e.findings(uri, 1)
		list = slices.DeleteFunc(list, func(d finding) bool { return d.Code != "field-unknown" })
		if len(list) != 1 || list[0].Range.Start != (messages.Position{Line: 3, Character: want}) || list[0].Range.End.Character != want+5 {
			t.Errorf("%s: %v, want character %d", encoding, list, want)
		}
	}
}

// TestEditorDetails holds the parts of a finding besides its message: documentation, tags and related places.
func TestEditorDetails(t *testing.T) {
	e := started(t, map[string]any{"target": "1.25"})
	const uri = "file:///somewhere/sched.yaml"
	e.open(uri, strings.ReplaceAll(minimal, "/v1", "/v1beta2")+"parallelism: 1\nparallelism: 2\n")
	seen := map[string]finding{}
	for _, d := range e.findings(uri, 1) {
		seen[d.Code] = d
	}
	if d, ok := seen["api-version-deprecated"]; !ok || !slices.Equal(d.Tags, []messages.DiagnosticTag{messages.DiagnosticTagDeprecated}) {
		t.Errorf("deprecated: %v", d)
	}
	d, ok := seen["key-duplicate"]
	if !ok || len(d.RelatedInformation) != 1 || d.RelatedInformation[0].Location.URI != uri || d.RelatedInformation[0].Location.Range.Start.Line != 2 {
		t.Errorf("related: %v", d)
	}
	if d.CodeDescription == nil || !strings.HasSuffix(d.CodeDescription.HRef, "/docs/rules.md#key-duplicate") {
		t.Errorf("documentation: %v", d.CodeDescription)
	}
	if *d.Severity != map[diag.Severity]messages.DiagnosticSeverity{diag.Error: 1}[diag.Error] {
		t.Errorf("severity %d", *d.Severity)
	}
}
