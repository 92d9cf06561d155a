// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// recordedLines reads the JSON objects of a recording.
func recordedLines[T any](t *testing.T, name string) []T {
	t.Helper()
	file, err := os.Open(filepath.Join("../../testdata/recorded", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []T
	for decoder := json.NewDecoder(packed); ; {
		var v T
		if err := decoder.Decode(&v); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
}

func recordedTexts(t *testing.T, name string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../testdata/recorded", name))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	if err := json.Unmarshal(data, &texts); err != nil {
		t.Fatal(err)
	}
	return texts
}

type recordedVerdict struct {
	Minor, Case string
	Accepted    bool
}

// migratedWell migrates a text, and holds that the target takes the result and that migrating it again
// changes nothing. It reports whether there was a result.
func migratedWell(t *testing.T, name, text string, args ...string) bool {
	t.Helper()
	args = append([]string{"migrate", "-q", "-"}, args...)
	code, first, problems := call(text, args...)
	if first == "" {
		if code != exitNo {
			t.Errorf("%s %q: exit code %d without a result: %s", name, args, code, problems)
		}
		return false
	}
	target := args[slices.Index(args, "--target")+1]
	if code, report, _ := call(first, "validate", "-", "--target", target); code != exitYes {
		t.Errorf("%s %q: the target refuses the result:\n%s%s", name, args, report, first)
	}
	if _, again, problems := call(first, args...); again != first {
		t.Errorf("%s %q: migrating again changes the result:\n%s%s%s", name, args, first, again, problems)
	}
	return true
}

// TestMigratePolicies holds that every recorded Policy that a release accepted becomes a configuration that
// the target takes, and that stays as it is.
func TestMigratePolicies(t *testing.T) {
	texts := recordedTexts(t, "policies.json")
	total := 0
	for _, v := range recordedLines[recordedVerdict](t, "policies.jsonl.gz") {
		for _, target := range []string{"1.22", "1.25", "1.37"} {
			if !v.Accepted {
				continue
			}
			total++
			if !migratedWell(t, v.Case, texts[v.Case], "--from", v.Minor, "--target", target) {
				t.Errorf("%s of %s is not migrated to %s", v.Case, v.Minor, target)
			}
		}
	}
	if total != 345 {
		t.Errorf("%d policies were migrated, want 345", total)
	}
}

// TestMigrateConfigurations holds the same for the recorded configurations that the newest release to read
// their apiVersion accepted. Few cannot be said on the target, and then nothing is written.
func TestMigrateConfigurations(t *testing.T) {
	newest := map[string]string{"v1alpha1": "1.18", "v1alpha2": "1.18", "v1beta1": "1.22", "v1beta2": "1.27", "v1beta3": "1.28", "v1": "1.37"}
	texts := recordedTexts(t, "cases.json")
	total, refused := 0, 0
	for _, v := range recordedLines[recordedVerdict](t, "verdicts.jsonl.gz") {
		version, _, _ := strings.Cut(v.Case, "/")
		if !v.Accepted || newest[version] != v.Minor {
			continue
		}
		total++
		if !migratedWell(t, v.Case, texts[v.Case], "--target", "1.37") {
			refused++
			t.Logf("%s: nothing is written", v.Case)
		}
	}
	if total < 300 || refused > 6 {
		t.Errorf("%d of %d configurations are not migrated", refused, total)
	}
}

// TestMigrateReport holds what is said of each part, for one Policy with parts of every kind.
func TestMigrateReport(t *testing.T) {
	const policy = `{"apiVersion": "v1", "kind": "Policy",
"predicates": [
{"name": "PodFitsPorts"},
{"name": "SameRegion", "argument": {"serviceAffinity": {"labels": ["region"]}}},
{"name": "MaxEBSVolumeCount"}],
"priorities": [
{"name": "EqualPriority", "weight": 1},
{"name": "SelectorSpreadPriority", "weight": 2},
{"name": "LeastRequestedPriority", "weight": 3}],
"alwaysCheckAllPredicates": true,
"hardPodAffinitySymmetricWeight": 5,
"extenders": [{"urlPrefix": "http://user:hunter2@e/x", "filterVerb": "f"}]}`
	code, out, problems := call(policy, "migrate", "-", "--from", "1.17", "--target", "1.37", "-o", "json")
	if code != exitYes {
		t.Fatalf("exit code %d: %s", code, problems)
	}
	var report migrationReport
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, item := range report.Items {
		got[item.Path+" "+item.Item] = fmt.Sprintf("%s %d", item.Outcome, item.Line)
	}
	for part, want := range map[string]string{
		"predicates[0] PodFitsPorts":                    "exact 3",
		"predicates[1] SameRegion":                      "impossible 4",
		"predicates[2] MaxEBSVolumeCount":               "impossible 5",
		"predicates CheckNodeUnschedulable (mandatory)": "exact 2",
		"predicates PodToleratesNodeTaints (mandatory)": "exact 2",
		"priorities[0] EqualPriority":                   "dropped 7",
		"priorities[1] SelectorSpreadPriority":          "approximate 8",
		"priorities[2] LeastRequestedPriority":          "exact 9",
		"alwaysCheckAllPredicates true":                 "dropped 10",
		"hardPodAffinitySymmetricWeight 5":              "dropped 11",
		"extenders[0] http://user:REDACTED@e/x":         "exact 12",
	} {
		if got[part] != want {
			t.Errorf("%s: %q, want %q", part, got[part], want)
		}
		delete(got, part)
	}
	if len(got) > 0 {
		t.Errorf("more is accounted for: %v", got)
	}
	if !slices.Contains(report.NotRun, "VolumeBinding") || slices.Contains(report.NotRun, "NodePorts") {
		t.Errorf("not run: %q", report.NotRun)
	}
	if report.Provider != "" || !report.Accepted {
		t.Errorf("%+v", report)
	}
	if code, _, problems := call(policy, "migrate", "-", "--from", "1.17", "--target", "1.37", "--strict"); code != exitNo || strings.Contains(problems, "hunter2") {
		t.Errorf("--strict: exit code %d, %s", code, problems)
	}
}

// TestMigrateProviders holds that a Policy that does what a provider does becomes that provider where there
// are some, and the default profile elsewhere; --preserve writes it out.
func TestMigrateProviders(t *testing.T) {
	texts := recordedTexts(t, "policies.json")
	const bare = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	for _, test := range []struct {
		name string
		args []string
		want string
		code int
	}{
		{"default-provider-1.16-full.json", []string{"--from", "1.16", "--target", "1.37"}, bare, exitYes},
		{"empty.json", []string{"--from", "1.22", "--target", "1.37"}, bare, exitYes},
		{"autoscaler-equivalent.json", []string{"--from", "1.16", "--target", "1.37"}, bare +
			"profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n      scoringStrategy:\n        type: MostAllocated\n", exitYes},
		{"autoscaler-equivalent.json", []string{"--from", "1.16", "--target", "1.18", "--to-provider"},
			"apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: KubeSchedulerConfiguration\nalgorithmSource:\n  provider: ClusterAutoscalerProvider\n", exitYes},
		{"autoscaler-equivalent.json", []string{"--from", "1.16", "--target", "1.37", "--to-provider"}, "", exitNo},
		{"predicates-only.json", []string{"--from", "1.16", "--target", "1.18", "--to-provider"}, "", exitNo},
	} {
		code, out, problems := call(texts[test.name], append([]string{"migrate", "-"}, test.args...)...)
		if out != test.want || code != test.code {
			t.Errorf("%s %q: exit code %d\n%s%s", test.name, test.args, code, out, problems)
		}
	}
	_, out, _ := call(texts["default-provider-1.16-full.json"], "migrate", "-", "--from", "1.16", "--target", "1.37", "--preserve")
	if !strings.Contains(out, "      - name: TaintToleration\n") {
		t.Errorf("--preserve does not write the weight of 1.16 out:\n%s", out)
	}
	_, out, _ = call(texts["predicates-only.json"], "migrate", "-", "--from", "1.19", "--target", "1.37", "--with-defaults", "-q")
	if strings.Contains(out, "disabled") {
		t.Errorf("--with-defaults leaves something out:\n%s", out)
	}
}

// TestMigrateFlags holds that flags become fields, and what is said of those that cannot.
func TestMigrateFlags(t *testing.T) {
	code, out, problems := call("", "migrate", "--target", "1.30", "--", "kube-scheduler", "--leader-elect=false", "--scheduler-name=a", "--port=0", "--v=2", "--address=1.2.3.4")
	const want = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection:
  leaderElect: false
`
	if code != exitYes || !strings.HasPrefix(out, want) || !strings.Contains(out, "- schedulerName: a\n") {
		t.Errorf("exit code %d\n%s%s", code, out, problems)
	}
	for _, line := range []string{"exact       --leader-elect false", "dropped     --port 0", "exact       --v 2", "impossible  --address 1.2.3.4"} {
		if !strings.Contains(problems, line) {
			t.Errorf("no line %q in:\n%s", line, problems)
		}
	}
}

// TestMigrateFiles holds that what a file names is read from beside it, that a Policy that is missing is
// said and the rest goes on, and that files are changed in place as a whole.
func TestMigrateFiles(t *testing.T) {
	folder := t.TempDir()
	const old = `# keep me
apiVersion: kubescheduler.config.k8s.io/v1alpha1
kind: KubeSchedulerConfiguration
algorithmSource:
  policy:
    file:
      path: /etc/kubernetes/policy.json
leaderElection: {leaderElect: false} # and me
`
	path := write(t, filepath.Join(folder, "sched.yaml"), old)
	code, out, problems := call("", "migrate", path)
	if code != exitYes || !strings.Contains(out, "# and me") || !strings.Contains(problems, "is not here") || !strings.Contains(problems, "impossible") {
		t.Errorf("without the Policy: exit code %d\n%s%s", code, out, problems)
	}
	write(t, filepath.Join(folder, "policy.json"), `{"apiVersion": "v1", "kind": "Policy", "predicates": [{"name": "HostName"}]}`)
	code, _, problems = call("", "migrate", "--write", path)
	text, err := os.ReadFile(path)
	if code != exitYes || err != nil || !strings.HasPrefix(string(text), "# keep me\napiVersion: kubescheduler.config.k8s.io/v1\n") ||
		!strings.Contains(string(text), "# and me") || !strings.Contains(string(text), "- name: VolumeBinding\n") {
		t.Errorf("with the Policy: exit code %d, %v\n%s%s", code, err, text, problems)
	}
	if code, out, problems := call("", "migrate", "--diff", path); code != exitYes || out != "" {
		t.Errorf("again: exit code %d\n%s%s", code, out, problems)
	}
	if code, out, _ := call("apiVersion: componentconfig/v1alpha1\nkind: KubeSchedulerConfiguration\nfailureDomains: x\nhardPodAffinitySymmetricWeight: 3\n", "migrate", "-", "--target", "1.37"); code != exitYes ||
		!strings.Contains(out, "hardPodAffinityWeight: 3") || strings.Contains(out, "failureDomains") {
		t.Errorf("componentconfig: exit code %d\n%s", code, out)
	}
}

// TestMigrateKeepsLayout holds that five hundred random edits of comments and layout survive: from
// one apiVersion of 1.28 to another nothing changes but its name.
func TestMigrateKeepsLayout(t *testing.T) {
	const before, after = "kubescheduler.config.k8s.io/v1beta3", "kubescheduler.config.k8s.io/v1"
	base := strings.Split(`apiVersion: `+before+`
kind: KubeSchedulerConfiguration
leaderElection:
  leaderElect: false
profiles:
- schedulerName: a
  plugins:
    score:
      enabled:
      - name: ImageLocality
        weight: 5
      disabled:
      - name: NodeAffinity
  pluginConfig:
  - name: InterPodAffinity
    args:
      hardPodAffinityWeight: 7
- schedulerName: b`, "\n")
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 500 {
		lines := slices.Clone(base)
		for range 1 + random.IntN(6) {
			at := random.IntN(len(lines))
			switch random.IntN(5) {
			case 0:
				lines = slices.Insert(lines, at, fmt.Sprintf("%s# comment %d", strings.Repeat(" ", random.IntN(9)), random.IntN(1000)))
			case 1:
				lines = slices.Insert(lines, at, strings.Repeat(" ", random.IntN(3)))
			case 2:
				if !strings.Contains(lines[at], "#") && strings.TrimSpace(lines[at]) != "" {
					lines[at] += fmt.Sprintf("%s# why %d", strings.Repeat(" ", 1+random.IntN(4)), random.IntN(1000))
				}
			case 3:
				if name, value, ok := strings.Cut(lines[at], ": "); ok && !strings.ContainsAny(value, "#'\"") && strings.Contains(name, "ame") && !strings.Contains(name, "#") {
					lines[at] = name + ": '" + value + "'"
				}
			case 4:
				if name, value, ok := strings.Cut(lines[at], ": "); ok && !strings.Contains(name, "#") {
					lines[at] = name + ":   " + value
				}
			}
		}
		end := []string{"\n", "\r\n"}[random.IntN(2)]
		text := strings.Join(lines, end) + []string{"", end, end + end}[random.IntN(3)]
		code, got, problems := call(text, "migrate", "-", "-q", "--target", "1.28")
		if want := strings.Replace(text, before, after, 1); code != exitYes || got != want {
			t.Fatalf("edit %d: exit code %d\n%q\n%q\n%s", n, code, want, got, problems)
		}
	}
}
