// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

//go:build integration

package integration

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// ciRepository is a repository with a program schedconf and the scripts of ci.
func ciRepository(t *testing.T, env ...string) *repository {
	t.Helper()
	bin, err := filepath.Abs("../bin/schedconf")
	if err != nil {
		t.Fatal(err)
	}
	return &repository{t: t, folder: t.TempDir(), env: append([]string{
		"PATH=" + os.Getenv("PATH"), "SCHEDCONF=" + bin, "HOME=" + t.TempDir(), "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
	}, env...)}
}

func script(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../ci", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCICheck(t *testing.T) {
	t.Run("github", func(t *testing.T) {
		r := ciRepository(t, "GITHUB_ACTIONS=true", "GITHUB_OUTPUT=output", "GITHUB_STEP_SUMMARY=summary", "SCHEDCONF_TARGET=1.37",
			"SCHEDCONF_REPORT=out.sarif", "SCHEDCONF_PATHS=a b$(touch ran)'\";.yaml\n-x.yaml\n*.yaml")
		r.write("a b$(touch ran)'\";.yaml", badFile)
		r.write("-x.yaml", goodFile)
		r.write("*.yaml", goodFile)
		r.fails("::error file=", script(t, "check"))
		if got := r.read("output"); got != "exit-code=1\n" {
			t.Errorf("outputs are %q", got)
		}
		if got := r.read("summary"); !strings.Contains(got, "\n    a b$(touch ran)'\";.yaml:3:14: error: parallelism takes a whole number") {
			t.Errorf("the summary is %q", got)
		}
		var sarif struct {
			Runs []struct{ Results []struct{ RuleID string } }
		}
		if err := json.Unmarshal([]byte(r.read("out.sarif")), &sarif); err != nil || len(sarif.Runs) != 1 || len(sarif.Runs[0].Results) != 1 || sarif.Runs[0].Results[0].RuleID != "field-type" {
			t.Errorf("SARIF is %+v, %v", sarif, err)
		}
		if _, err := os.Stat(filepath.Join(r.folder, "ran")); err == nil {
			t.Error("the name of a file was run")
		}
	})
	t.Run("gitlab", func(t *testing.T) {
		r := ciRepository(t, "SCHEDCONF_TARGET=1.37", "SCHEDCONF_REPORT=out.json")
		r.write("sched.yaml", badFile)
		r.fails("sched.yaml:3:14: error", script(t, "check"))
		var found []struct {
			Check    string `json:"check_name"`
			Location struct{ Path string }
		}
		if err := json.Unmarshal([]byte(r.read("out.json")), &found); err != nil || len(found) != 1 || found[0].Check != "field-type" || found[0].Location.Path != "sched.yaml" {
			t.Errorf("Code Quality is %+v, %v", found, err)
		}
	})
	t.Run("names and texts that look like commands", func(t *testing.T) {
		r := ciRepository(t, "GITHUB_ACTIONS=true", "GITHUB_OUTPUT=output", "GITHUB_STEP_SUMMARY=summary", "SCHEDCONF_TARGET=1.37", "SCHEDCONF_REPORT=out.sarif")
		r.write("new\n::warning::line.yaml", goodFile+"parallelism: \"\\n::warning::text\"\n```: 1\n")
		out, err := r.run(script(t, "check"))
		if err == nil || !strings.Contains(out, "::error file=") {
			t.Errorf("%v: %s", err, out)
		}
		for _, text := range []string{out, r.read("summary"), r.read("output")} {
			for line := range strings.Lines(text) {
				if strings.HasPrefix(strings.TrimSpace(line), "::warning::") || strings.HasPrefix(line, "`") {
					t.Errorf("a line is a command or markup: %q", line)
				}
			}
		}
	})
	t.Run("wrong question", func(t *testing.T) {
		r := ciRepository(t, "SCHEDCONF_TARGET=1.99")
		r.fails("1.99", script(t, "check"))
	})
}

func TestCICompose(t *testing.T) {
	r := ciRepository(t, "SCHEDCONF_TARGET=1.36", "SCHEDCONF_UPGRADE_TO=1.37", "SCHEDCONF_CONFIGS=a $(touch ran).yaml\nnew.yaml")
	r.must("git", "init", "-q", "-b", "$(touch${IFS}ran)")
	r.write("a $(touch ran).yaml", goodFile)
	r.must("git", "add", ".")
	r.must("git", "commit", "-qm", "before")
	base := strings.TrimSpace(r.must("git", "rev-parse", "HEAD"))
	r.write("a $(touch ran).yaml", goodFile+"parallelism: 3\n")
	r.write("new.yaml", goodFile)
	r.write("event", fmt.Sprintf(`{"pull_request":{"number":7,"base":{"sha":%q}}}`, base))
	r.env = append(r.env, "GITHUB_EVENT_PATH=event")
	out := r.must(script(t, "compose"))
	for _, want := range []string{"### schedconf diff", "\n+parallelism: 3\n", "### schedconf upgrade", "| 1.36 → 1.37 | loads |", "A file is new"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing:\n%s", want, out)
		}
	}
	if _, err := os.Stat(filepath.Join(r.folder, "ran")); err == nil {
		t.Error("a name was run")
	}
	if strings.Contains(out, os.TempDir()+"/") {
		t.Errorf("a temporary file is named:\n%s", out)
	}
	// What an engine says is tested beside it; here it is asked under both, and answers.
	r.write("engine", "#!/bin/sh\ncat >>request\nprintf '{\"protocol\":1,\"pods\":[]}'\n")
	if err := os.Chmod(filepath.Join(r.folder, "engine"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.write("cluster.yaml", "")
	env := r.env
	r.env = append(r.env, "SCHEDCONF_CLUSTER=cluster.yaml", "SCHEDCONF_WORKLOAD=cluster.yaml", "SCHEDCONF_ENGINE=./engine")
	if out := r.must(script(t, "compose")); !strings.Contains(out, "### schedconf dry run") || strings.Count(r.read("request"), "KubeSchedulerConfiguration") < 2 {
		t.Errorf("no dry run:\n%s\nasked was %s", out, r.read("request"))
	}
	r.env = env
	r.write("event", `{"pull_request":{"base":{"sha":"--output=ran"}}}`)
	r.fails("has to be the hash of the commit", script(t, "compose"))
	r.write("event", `{"pull_request":{"base":{"sha":"0123456789abcdef0123456789abcdef01234567"}}}`)
	r.fails("fetch-depth: 0", script(t, "compose"))
}

// api plays the comments of GitHub and GitLab.
type api struct {
	mutex    sync.Mutex
	comments []map[string]any
	changed  int
	// refuse is the status of every answer, if it is set.
	refuse  int
	message string
	// foreign comments cannot be changed.
	foreign bool
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if r.Header.Get("Authorization") != "Bearer t0ken" && r.Header.Get("PRIVATE-TOKEN") != "t0ken" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if a.refuse != 0 {
		w.WriteHeader(a.refuse)
		json.NewEncoder(w).Encode(map[string]string{"message": a.message})
		return
	}
	var sent map[string]any
	if r.Method != http.MethodGet {
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
	}
	switch r.Method + " " + r.URL.Path {
	case "GET /repos/o/r/issues/7/comments", "GET /projects/3/merge_requests/7/notes":
		var page int
		fmt.Sscan(r.URL.Query().Get("page"), &page)
		from := min(len(a.comments), (page-1)*100)
		json.NewEncoder(w).Encode(append([]map[string]any{}, a.comments[from:min(len(a.comments), from+100)]...))
	case "POST /repos/o/r/issues/7/comments", "POST /projects/3/merge_requests/7/notes":
		sent["id"] = 1000 + len(a.comments)
		a.comments = append(a.comments, sent)
		w.WriteHeader(http.StatusCreated)
	default:
		for _, comment := range a.comments {
			id := fmt.Sprint(comment["id"])
			if r.Method+" "+r.URL.Path == "PATCH /repos/o/r/issues/comments/"+id || r.Method+" "+r.URL.Path == "PUT /projects/3/merge_requests/7/notes/"+id {
				if a.foreign {
					w.WriteHeader(http.StatusForbidden)
					return
				}
				comment["body"] = sent["body"]
				a.changed++
				return
			}
		}
		w.WriteHeader(http.StatusNotFound)
	}
}

// comment posts a text.
func comment(t *testing.T, text string, env ...string) (string, error) {
	t.Helper()
	command := exec.Command(script(t, "comment"))
	command.Stdin = strings.NewReader(text)
	command.Dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(command.Dir, "event"), []byte(`{"pull_request":{"number":7}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	command.Env = append([]string{"PATH=" + os.Getenv("PATH")}, env...)
	out, err := command.CombinedOutput()
	return string(out), err
}

func TestCIComment(t *testing.T) {
	for name, of := range map[string]func(url, token string) []string{
		"github": func(url, token string) []string {
			return []string{"GITHUB_ACTIONS=true", "GITHUB_API_URL=" + url, "GITHUB_REPOSITORY=o/r", "GITHUB_EVENT_PATH=event", "GITHUB_TOKEN=" + token}
		},
		"gitlab": func(url, token string) []string {
			return []string{"CI_API_V4_URL=" + url, "CI_PROJECT_ID=3", "CI_MERGE_REQUEST_IID=7", "GITLAB_TOKEN=" + token}
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := &api{}
			server := httptest.NewServer(a)
			defer server.Close()
			env := of(server.URL, "t0ken")
			for i := range 130 {
				a.comments = append(a.comments, map[string]any{"id": i, "body": "nice, <!-- schedconf --> is hidden"})
			}
			hostile := "first $(touch ran) `touch ran` \"'\\ \u00e9\n"
			if out, err := comment(t, hostile, env...); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if n := len(a.comments); n != 131 || a.comments[130]["body"] != "<!-- schedconf -->\n"+hostile {
				t.Fatalf("%d comments, the last %q", n, a.comments[n-1])
			}
			// The next run finds its comment on the second page.
			if out, err := comment(t, "second\n", env...); err != nil || len(a.comments) != 131 || a.changed != 1 || a.comments[130]["body"] != "<!-- schedconf -->\nsecond\n" {
				t.Fatalf("%v: %s: %d comments, the last %q", err, out, len(a.comments), a.comments[len(a.comments)-1])
			}
			// What is too long is cut at a line, with its block closed.
			if out, err := comment(t, "```diff\n"+strings.Repeat("+ line é\n", 20_000)+"```\n", env...); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			cut := a.comments[130]["body"].(string)
			if len(cut) > 65536 || len(cut) < 60000 || !strings.Contains(cut, "+ line é\n```\n\n**Cut:** the report is longer") {
				t.Errorf("%d characters, at the end %q", len(cut), cut[len(cut)-200:])
			}
			a.foreign = true
			if out, err := comment(t, "third\n", env...); err != nil || len(a.comments) != 132 {
				t.Errorf("%v: %s: %d comments", err, out, len(a.comments))
			}
			for _, bad := range []struct {
				status        int
				message, says string
			}{
				{429, "slow down", "limits the rate"},
				{403, "API rate limit exceeded for t", "limits the rate"},
				{403, "Resource not accessible by integration", "the token may not write comments (403): Resource not accessible"},
				{500, "oops", "the API answers 500: oops"},
			} {
				if name == "gitlab" && bad.message == "API rate limit exceeded for t" {
					continue // GitLab has 429 alone
				}
				a.refuse, a.message = bad.status, bad.message
				out, err := comment(t, "x\n", env...)
				if err == nil || !strings.Contains(out, bad.says) || strings.Contains(out, "t0ken") {
					t.Errorf("%d: %v: %s", bad.status, err, out)
				}
			}
			if out, err := comment(t, "x\n", of(server.URL, "")...); err == nil || !strings.Contains(out, "_TOKEN is not set") {
				t.Errorf("%v: %s", err, out)
			}
			if out, err := comment(t, "x\n", of("http://127.0.0.1:1", "t0ken")...); err == nil || !strings.Contains(out, "the API does not answer") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
