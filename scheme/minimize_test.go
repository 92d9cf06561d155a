// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package scheme

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedconf/schedconf/scheme/source"
)

// minimized returns the text of what is left, the paths of what is not, and both meanings.
func minimized(t *testing.T, name, text string, side Side) (small, full string, dropped []string) {
	t.Helper()
	value, _, err := Value(source.Split(name, []byte(text))[0])
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := side.Scheme.Decode(value, side.API)
	if err != nil {
		t.Fatal(err)
	}
	obj, dropped, err := Minimize(side, decoded.Object)
	if err != nil {
		t.Fatal(err)
	}
	_, before, err := side.effective(decoded.Object)
	if err != nil {
		t.Fatal(err)
	}
	_, after, err := side.effective(obj)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before.Effective(), after.Effective()); diff != "" {
		t.Errorf("%s: the meaning changes (-before +after):\n%s", name, diff)
	}
	a, err := side.Scheme.EncodeGiven(decoded.Object, side.API)
	if err != nil {
		t.Fatal(err)
	}
	b, err := side.Scheme.EncodeGiven(obj, side.API)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), string(a), dropped
}

// TestMinimize holds that the recorded configurations mean the same afterwards, are never longer,
// and cannot be made smaller once more.
func TestMinimize(t *testing.T) {
	smaller, cases := 0, 0
	runnable(t, func(name, text string, from Side) {
		if cases++; testing.Short() && cases%4 > 0 {
			return
		}
		small, full, dropped := minimized(t, name, text, from)
		if len(small) > len(full) || len(small) < len(full) && len(dropped) == 0 {
			t.Errorf("%s: %d bytes of %d, dropped %v", name, len(small), len(full), dropped)
		}
		if len(dropped) > 0 {
			smaller++
		}
		if again, _, dropped := minimized(t, name, small, from); again != small || len(dropped) > 0 {
			t.Errorf("%s: once more drops %v", name, dropped)
		}
	})
	t.Logf("%d became smaller", smaller)
	if smaller == 0 {
		t.Error("nothing became smaller")
	}
}

func TestMinimizeExample(t *testing.T) {
	const meta = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	tests := []struct{ name, text, want string }{
		{"the default profile", meta + "profiles: [{schedulerName: default-scheduler}]\nleaderElection: {leaderElect: true, leaseDuration: 15s}\n", meta},
		{"what differs stays", meta + "leaderElection: {leaderElect: false, leaseDuration: 15s}\nparallelism: 8\n", meta + "leaderElection:\n  leaderElect: false\nparallelism: 8\n"},
		{"names of several profiles stay", meta + "profiles: [{schedulerName: default-scheduler}, {schedulerName: x}]\n", meta + "profiles:\n- schedulerName: default-scheduler\n- schedulerName: x\n"},
		{
			"args and weights", meta + "profiles:\n- plugins:\n    score:\n      enabled: [{name: NodeResourcesFit, weight: 1}, {name: NodeAffinity, weight: 5}]\n      disabled: [{name: Nothing}]\n" +
				"  pluginConfig:\n  - name: NodeResourcesFit\n    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}]}}\n  - name: InterPodAffinity\n    args: {hardPodAffinityWeight: 1}\n",
			meta + "profiles:\n- pluginConfig:\n  - args:\n      scoringStrategy:\n        type: MostAllocated\n    name: NodeResourcesFit\n  plugins:\n    score:\n      enabled:\n      - name: NodeResourcesFit\n      - name: NodeAffinity\n        weight: 5\n",
		},
	}
	side := newestSides(t)["kubescheduler.config.k8s.io/v1"]
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, _, _ := minimized(t, test.name, test.text, side)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestMinimizeDeclared holds that what is said of a plugin of somebody's own build stays, wherever it
// may run.
func TestMinimizeDeclared(t *testing.T) {
	side := fresh(t, newestSides(t)["kubescheduler.config.k8s.io/v1"])
	side.Scheme.Declare("Own")
	const meta = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"
	for _, text := range []string{
		meta + "- plugins:\n    multiPoint:\n      enabled:\n      - name: Own\n",
		meta + "- plugins:\n    queueSort:\n      disabled:\n      - name: '*'\n      enabled:\n      - name: Own\n",
		meta + "- pluginConfig:\n  - args:\n      a: 0\n    name: Own\n  plugins:\n    score:\n      enabled:\n      - name: Own\n        weight: 2\n",
	} {
		got, _, dropped := minimized(t, "own", text, side)
		if got != text || len(dropped) > 0 {
			t.Errorf("dropped %v:\n%s", dropped, cmp.Diff(text, got))
		}
	}
}
