// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
)

func releaseOf(t testing.TB, name string) *schemas.Release {
	t.Helper()
	minor, err := schemas.ParseMinor(name)
	if err != nil {
		t.Fatal(err)
	}
	return schemas.For(minor)
}

// inWords places an argument by its number.
func inWords(i int) diag.Position { return diag.Position{File: "args", Line: 1, Column: i + 1} }

func checkLine(t *testing.T, minor, line string) diag.List {
	t.Helper()
	findings, _ := CheckFlags(releaseOf(t, minor), strings.Fields(line), inWords)
	return findings
}

// TestCheckFlags has its verdicts from the sources of the releases: cmd/kube-scheduler/app/options, and
// pflag for what is a flag at all.
func TestCheckFlags(t *testing.T) {
	for _, test := range []struct {
		minor, line string
		want        string // column, severity and rule of each finding
	}{
		{"1.37", "kube-scheduler --config=/etc/x.yaml -v=2 --bind-address 0.0.0.0", ""},
		{"1.37", "/usr/local/bin/kube-scheduler --config /x", ""},
		{"1.37", "hyperkube kube-scheduler --config /x", ""},
		{"1.37", "kube-scheduler", ""},
		{"1.37", "--bind_address=::1", ""},
		{"1.37", "-v2 -v 3", "1 warning flag-repeated"},
		{"1.37", "-hv2", ""},
		// Removed flags, by minor.
		{"1.21", "--algorithm-provider=DefaultProvider", "1 warning flag-deprecated"},
		{"1.22", "--algorithm-provider=DefaultProvider", "1 error flag-removed"},
		{"1.22", "--policy-config-file=/p.json", "1 warning flag-deprecated"},
		{"1.23", "--policy-config-file=/p.json", "1 error flag-removed"},
		{"1.23", "--use-legacy-policy-config --policy-configmap x", "1 error flag-removed,2 error flag-removed"},
		{"1.22", "--port=0 --address=127.0.0.1", "1 warning flag-deprecated,2 warning flag-deprecated"},
		{"1.23", "--port=0 --address=127.0.0.1", "1 warning flag-ignored,2 warning flag-ignored"},
		{"1.23", "--port=10251", "1 error flag-value,1 warning flag-ignored"},
		{"1.24", "--port=0 --address=127.0.0.1", "1 error flag-removed,2 error flag-removed"},
		{"1.25", "--alsologtostderr", "1 warning flag-deprecated"},
		{"1.26", "--alsologtostderr --logtostderr=true", "1 error flag-removed,2 error flag-removed"},
		{"1.27", "--lock-object-name=x", "1 warning flag-deprecated"},
		{"1.28", "--lock-object-name x --v 3", "1 error flag-removed"},
		{"1.20", "--experimental-logging-sanitization", ""},
		{"1.24", "--experimental-logging-sanitization", "1 error flag-removed"},
		// Unknown ones.
		{"1.23", "--pod-max-in-unschedulable-pods-duration=5m", "1 error flag-unknown"},
		{"1.24", "--pod-max-in-unschedulable-pods-duration=5m", "1 warning flag-deprecated"},
		{"1.37", "--leader-elct=false", "1 error flag-unknown"},
		{"1.37", "--etcd-servers=x --cluster-cidr=y --pod-manifest-path=z", "1 error flag-component,2 error flag-component,3 error flag-component"},
		{"1.37", "-config=/x", "1 error flag-syntax"},
		{"1.37", "---x --=y", "1 error flag-syntax,2 error flag-syntax"},
		{"1.37", "--config", "1 error flag-syntax"},
		// Operands: 1.16 to 1.18 go on.
		{"1.18", "--leader-elect false", "2 warning flag-operand"},
		{"1.19", "--leader-elect false", "2 error flag-operand"},
		{"1.37", "-- --config=/x", "2 error flag-operand"},
		// Beside --config.
		{"1.16", "--config=/x --leader-elect=false --port=0 --policy-configmap=p", "2 warning flag-ignored,3 warning flag-ignored,4 warning flag-ignored"},
		{"1.19", "--config=/x --policy-configmap=p --algorithm-provider=ClusterAutoscalerProvider", "2 info flag-overrides,3 info flag-overrides,3 warning flag-conflict"},
		{"1.21", "--config=/x --leader-elect=false", "2 warning flag-ignored"},
		{"1.22", "--config=/x --leader-elect=false --policy-configmap=p", "2 info flag-overrides,3 info flag-overrides"},
		{"1.37", "--config=/x --kube-api-qps=20 --kubeconfig=/k --profiling=false", "2 warning flag-ignored,3 warning flag-ignored,4 warning flag-ignored"},
		{"1.37", "--config=/x --pod-max-in-unschedulable-pods-duration=1m", "2 warning flag-deprecated"},
		{"1.37", "--config= --kube-api-qps=20", "2 warning flag-deprecated"},
		// Values.
		{"1.37", "--secure-port=65535 --secure-port=-1", "1 warning flag-repeated,2 error flag-value"},
		{"1.37", "--secure-port=https", "1 error flag-value"},
		{"1.37", "--leader-elect=maybe", "1 error flag-value"},
		{"1.37", "--leader-elect-lease-duration=15", "1 error flag-value"},
		{"1.37", "--leader-elect-lease-duration 0s", "2 error flag-value"},
		{"1.37", "--kube-api-burst=9999999999", "1 error flag-value,1 warning flag-deprecated"},
		{"1.37", "--bind-address=localhost", "1 error flag-value"},
		{"1.22", "--address=localhost", "1 error flag-value,1 warning flag-deprecated"},
		{"1.37", "--tls-min-version=1.2", "1 error flag-value"},
		{"1.37", "--logging-format=xml", "1 error flag-value"},
		{"1.30", "--show-hidden-metrics-for-version=1.29", ""},
		{"1.30", "--show-hidden-metrics-for-version=1.28", "1 error flag-value"},
		{"1.26", "--leader-elect-resource-lock=endpointsleases", ""},
		{"1.27", "--leader-elect-resource-lock=endpointsleases", "1 error flag-value"},
		{"1.21", "--hard-pod-affinity-symmetric-weight=101", "1 error flag-value,1 warning flag-deprecated"},
		{"1.37", "--tls-sni-cert-key=a,b:x,y --tls-sni-cert-key=a", "2 error flag-value"},
		{"1.37", "--vmodule=a=1,b=x", "1 error flag-value"},
		{"1.37", "--log-json-info-buffer-size=64Ki --log-text-info-buffer-size=x", "2 error flag-value"},
		{"1.37", "--allow-metric-labels=a", "1 error flag-value"},
		// Feature gates.
		{"1.37", "--feature-gates=AllAlpha=true", ""},
		{"1.30", "--feature-gates=SchedulerQueueingHints=true", ""},
		{"1.30", "--feature-gates=SchedulerQueueingHint=true", "1 error flag-gate"},
		{"1.30", "--feature-gates=TaintBasedEvictions=true,SchedulerQueueingHints", "1 error flag-gate,1 error flag-gate"},
		{"1.18", "--feature-gates=TaintBasedEvictions=true", "1 info flag-gate-idle"},
		{"1.18", "--feature-gates=TaintBasedEvictions=false", "1 error flag-gate"},
		{"1.30", "--feature-gates=kube:SchedulerQueueingHints=true", "1 error flag-gate"},
		{"1.31", "--feature-gates=kube:SchedulerQueueingHints=true", ""},
		{"1.31", "--feature-gates=etcd:SchedulerQueueingHints=true", "1 error flag-gate"},
		{"1.31", "--feature-gates=SchedulerQueueingHints=true --feature-gates SchedulerQueueingHints=false", "3 warning flag-repeated"},
		// Flags that belong together.
		{"1.21", "--leader-elect-resource-name=a --lock-object-name=b", "1 warning flag-conflict,2 warning flag-deprecated"},
		{"1.22", "--leader-elect-resource-name=a --lock-object-name=b", "2 warning flag-conflict,2 warning flag-deprecated"},
		{"1.22", "--use-legacy-policy-config", "1 error flag-missing,1 warning flag-deprecated"},
		{"1.22", "--policy-config-file=/a --policy-configmap=b", "1 warning flag-conflict,1 warning flag-deprecated,2 warning flag-deprecated"},
		{"1.30", "--config=/etc/kubernetes/scheduler.conf", "1 warning flag-swapped"},
		{"1.30", "--config=/etc/kubernetes/scheduler.conf --kubeconfig=/etc/kubernetes/sched-config.yaml", "1 warning flag-swapped,2 warning flag-ignored"},
		{"1.30", "--kubeconfig=/etc/kubernetes/sched-config.yaml", "1 warning flag-deprecated,1 warning flag-swapped"},
		{"1.30", "--kubeconfig=/etc/kubernetes/scheduler.conf", "1 warning flag-deprecated"},
	} {
		t.Run(test.minor+" "+test.line, func(t *testing.T) {
			var got []string
			findings := checkLine(t, test.minor, test.line)
			for _, f := range findings {
				got = append(got, fmt.Sprintf("%d %s %s", f.Pos.Column, f.Severity, f.Rule))
				if (f.Stage == diag.Decode) != (f.Severity == diag.Error) {
					t.Errorf("%s has the stage %q", f.Rule, f.Stage)
				}
			}
			var want []string
			if test.want != "" {
				want = strings.Split(test.want, ",")
			}
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\n%v", diff, findings)
			}
		})
	}
}

// TestFlagDefaults holds that every release takes the value that each of its flags has anyway.
func TestFlagDefaults(t *testing.T) {
	for _, minor := range schemas.Minors() {
		release := schemas.For(minor)
		for _, flag := range release.Flags() {
			value := flag.Default
			if strings.HasPrefix(value, "[") {
				value = strings.Trim(value, "[]") // that is how an empty list is shown
			}
			if value == "" && flag.Type != "string" {
				continue
			}
			findings, flags := CheckFlags(release, []string{"--" + flag.Name + "=" + value}, inWords)
			if findings.Count(diag.Error) > 0 || len(flags.Values()) != 1 {
				t.Errorf("%s: --%s=%s: %v", minor, flag.Name, value, findings)
			}
		}
	}
}

// TestFlagHints holds what people are told who meet a flag that is gone.
func TestFlagHints(t *testing.T) {
	for _, test := range []struct{ minor, line, message, hint string }{
		{"1.24", "--address=0.0.0.0", "Kubernetes 1.24 has no flag --address, it was removed after 1.23", "use --bind-address"},
		{"1.22", "--scheduler-name=x", "it was removed after 1.21", "profiles[0].schedulerName"},
		{"1.23", "--policy-configmap=x", "it was removed after 1.22", "profiles"},
		{"1.30", "--emulated-version=kube=1.30", "Kubernetes 1.30 has no flag --emulated-version yet", "since 1.31"},
		{"1.30", "--leader-elct", `no flag "--leader-elct"`, "did you mean --leader-elect?"},
		{"1.30", "--cluster-cidr=x", "--cluster-cidr is a flag of kube-controller-manager and kube-proxy, not of kube-scheduler", ""},
		{"1.30", "--leader-elect false", `"false" is one`, "write --leader-elect=false"},
		{"1.30", "-config=/x", "no flag of one letter", "write --config"},
		{"1.30", "--feature-gates=TaintBasedEvictions=true", "it exists 1.16 to 1.19", "take it out"},
		{"1.30", "--feature-gates=SchedulerQueueingHint=true", "is not known", `did you mean "SchedulerQueueingHints"?`},
		{"1.30", "--master=http://a:b@c --leader-elect-lease-duration=http://a:hunter2@c", "http://a:REDACTED@c", ""},
	} {
		findings := checkLine(t, test.minor, test.line)
		if len(findings) != 1 || !strings.Contains(findings[0].Message, test.message) || !strings.Contains(findings[0].Hint, test.hint) {
			t.Errorf("%s %s: %+v", test.minor, test.line, findings)
		}
	}
}

func TestCheckFiles(t *testing.T) {
	files := map[string]string{
		"/k": "apiVersion: v1\nkind: Config\n",
		"/c": "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n",
	}
	read := func(name string) ([]byte, error) {
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		return nil, errors.New("no such file")
	}
	for line, want := range map[string]int{
		"--config=/c --kubeconfig=/k": 0, "--config=/k --kubeconfig=/c": 2, "--config=/k": 1, "--config=/nowhere": 0, "--kubeconfig /c": 1,
	} {
		_, flags := CheckFlags(releaseOf(t, "1.30"), strings.Fields(line), inWords)
		if got := flags.CheckFiles(read); len(got) != want || got.Count(diag.Error) != want {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

const schedulerPod = `apiVersion: v1
kind: Pod
metadata: {name: kube-scheduler, namespace: kube-system}
spec:
  hostNetwork: true
  containers:
  - name: kube-scheduler
    image: registry.k8s.io/kube-scheduler:v1.27.3
    command:
    - kube-scheduler
    - --config=/etc/kubernetes/sched/config.yaml
    - --leader-elect
    - "false"
    - --port=0
    volumeMounts:
    - {name: sched, mountPath: /etc/kubernetes/sched}
  volumes:
  - name: sched
    hostPath: {path: /etc/sched}
`

func TestCommandLines(t *testing.T) {
	lines := CommandLines("pod.yaml", []byte(schedulerPod))
	if len(lines) != 1 {
		t.Fatalf("%d command lines", len(lines))
	}
	line := lines[0]
	if want := []string{"--config=/etc/kubernetes/sched/config.yaml", "--leader-elect", "false", "--port=0"}; !slices.Equal(line.Args, want) {
		t.Errorf("args are %q", line.Args)
	}
	if line.Target != "1.27" {
		t.Errorf("target is %q", line.Target)
	}
	findings, flags := CheckFlags(releaseOf(t, line.Target), line.Args, line.At)
	var got []string
	for _, f := range findings {
		got = append(got, f.Pos.String()+" "+f.Rule)
	}
	if diff := cmp.Diff([]string{"pod.yaml:12:7 flag-overrides", "pod.yaml:13:7 flag-operand", "pod.yaml:14:7 flag-removed"}, got); diff != "" {
		t.Error(diff)
	}
	mount, ok := line.Command.MountOf(flags.Config())
	if !ok || len(mount.Sources) != 1 || mount.Sources[0].HostPath != "/etc/sched" {
		t.Errorf("the configuration is mounted from %+v", mount)
	}
}

// TestCommandLinesOfShell holds that what a shell starts is read too, and so is what becomes flags.
func TestCommandLinesOfShell(t *testing.T) {
	const shell = `apiVersion: apps/v1
kind: Deployment
metadata: {name: second}
spec: {template: {spec: {containers: [{name: s, image: "kube-scheduler:v1.30.1", command: [sh, -c, "exec kube-scheduler --port=0 --v=2"]}]}}}
`
	const kubeadm = `apiVersion: kubeadm.k8s.io/v1beta3
kind: ClusterConfiguration
kubernetesVersion: v1.30.0
scheduler:
  extraArgs:
    port: "0"
`
	for name, text := range map[string]string{"shell": shell, "kubeadm": kubeadm} {
		lines := CommandLines("x.yaml", []byte(text))
		if len(lines) != 1 || lines[0].Args[0] != "--port=0" || lines[0].Target != "1.30" || lines[0].At(0).Line < 4 {
			t.Errorf("%s: %+v", name, lines)
		}
	}
}

// FuzzFlags holds that no command line makes the reader fail or lose an argument.
func FuzzFlags(f *testing.F) {
	for _, line := range []string{
		"kube-scheduler\n--config\n/x\n-v=2\n-hv2\nfalse", "--a\n--\n--b\n\n-", "---\n--=\n-x\n--v", "--feature-gates=A=true,:,B\n--tls-sni-cert-key=,",
		"hyperkube\nscheduler\n--leader_elect\nfalse", "--policy-configmap\n--policy-config-file=\n--use-legacy-policy-config",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\n")
		for _, minor := range []string{"1.16", "1.23", "1.37"} {
			findings, flags := CheckFlags(releaseOf(t, minor), args, inWords)
			seen := make([]bool, len(args))
			mark := func(w Word) { seen[w.Index] = true }
			for _, list := range [][]Word{flags.Program, flags.Operands} {
				for _, w := range list {
					mark(w)
				}
			}
			for _, given := range flags.Given {
				mark(given.Word)
				mark(given.ValueWord)
			}
			for _, fault := range flags.faults {
				mark(fault.word)
			}
			if flags.Terminator != nil {
				mark(*flags.Terminator)
			}
			if i := slices.Index(seen, false); i >= 0 {
				t.Errorf("%s: argument %d of %q is lost", minor, i, args)
			}
			for _, finding := range findings {
				if c := finding.Pos.Column; c < 1 || c > len(args) {
					t.Errorf("%s: a finding at argument %d of %q", minor, c, args)
				}
			}
		}
	})
}
