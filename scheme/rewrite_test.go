// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package scheme

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/source"
)

// newestSides are the newest release of every apiVersion.
func newestSides(t testing.TB) map[string]Side {
	sides := map[string]Side{}
	for _, minor := range schemas.Minors() {
		s := newScheme(t, minor)
		for i := range s.Release.APIs {
			sides[s.Release.APIs[i].APIVersion] = Side{s, &s.Release.APIs[i]}
		}
	}
	return sides
}

// fresh is a side with nothing declared, since a translation declares plugins.
func fresh(t testing.TB, side Side) Side {
	t.Helper()
	s := newScheme(t, side.Scheme.Release.Minor())
	api, _ := s.Release.API(side.API.APIVersion)
	return Side{s, api}
}

// runnable calls do for every recorded case that the newest release of its apiVersion runs.
func runnable(t *testing.T, do func(name, text string, from Side)) {
	t.Helper()
	data, err := os.ReadFile("../testdata/recorded/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string]string
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	sides := newestSides(t)
	count := 0
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		value, _, err := Value(source.Split(name, []byte(cases[name]))[0])
		if err != nil {
			continue
		}
		apiVersion, _, _ := TypeMeta(value)
		from, ok := sides[apiVersion]
		if !ok {
			continue
		}
		m := &minimizer{side: from}
		parsed, err := decodeValue(value)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, ok := m.means(parsed); ok {
			count++
			do(name, cases[name], from)
		}
	}
	if count < 200 {
		t.Errorf("only %d cases can be run", count)
	}
}

// rewriteTo converts the text of a document.
func rewriteTo(t *testing.T, name, text string, from, to Side) (string, []source.Loss) {
	t.Helper()
	doc := source.Split(name, []byte(text))[0]
	value, _, err := Value(doc)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	decoded, err := from.Scheme.Decode(value, from.API)
	if err != nil {
		t.Fatal(err)
	}
	translation, err := Translate(decoded.Object, from, to, true)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	out, lost, err := Rewrite(Rewriting{Document: doc, From: from, To: to, Object: translation.Object})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	read, _, err := ReadValue(out)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	data, err := json.Marshal(read)
	if err != nil {
		t.Fatal(err)
	}
	got, err := to.Scheme.Decode(data, to.API)
	if err != nil || len(got.Misfits) > 0 || got.Refused != nil {
		t.Fatalf("%s: the result does not fit: %v %v %v\n%s", name, err, got.Misfits, got.Refused, out)
	}
	want, err := to.Scheme.EncodeGiven(translation.Object, to.API)
	if err != nil {
		t.Fatal(err)
	}
	have, err := to.Scheme.EncodeGiven(got.Object, to.API)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(have)); diff != "" {
		t.Errorf("%s: the text is not the object (-object +text):\n%s\n%s", name, diff, out)
	}
	return string(out), lost
}

// disturb puts comments and empty lines into a text that reads as before.
func disturb(r *rand.Rand, text string) (string, int) {
	before, _, err := ReadValue([]byte(text))
	if err != nil || strings.HasPrefix(text, "{") {
		return text, 0
	}
	count := 0
	for i := range 6 {
		lines := strings.SplitAfter(text, "\n")
		at := r.IntN(len(lines))
		indent := lines[at][:len(lines[at])-len(strings.TrimLeft(lines[at], " "))]
		comment := 1
		switch r.IntN(3) {
		case 0:
			lines = slices.Insert(lines, at, fmt.Sprintf("%s# note %d\n", indent, i))
		case 1:
			lines = slices.Insert(lines, at, "\n")
			comment = 0
		default:
			if strings.Contains(lines[at], "#") {
				continue
			}
			lines[at] = strings.TrimSuffix(lines[at], "\n") + fmt.Sprintf(" # note %d\n", i)
		}
		changed := strings.Join(lines, "")
		if after, _, err := ReadValue([]byte(changed)); err == nil && cmp.Equal(before, after) {
			text, count = changed, count+comment
		}
	}
	return text, count
}

// TestRewriteSurvives holds that comments and layout survive a conversion or are reported, that they
// do not change its result, and that converting the result again changes nothing.
func TestRewriteSurvives(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	to := newestSides(t)["kubescheduler.config.k8s.io/v1"]
	edits, lostComments, cases := 0, 0, 0
	runnable(t, func(name, text string, from Side) {
		if cases++; cases%2 > 0 { // they are many
			return
		}
		from, to := fresh(t, from), fresh(t, to)
		disturbed, notes := disturb(r, text)
		got, lost := rewriteTo(t, name, disturbed, from, to)
		edits += notes
		for _, l := range lost {
			if l.Kind == source.LostComment {
				lostComments++
				notes--
			}
		}
		if n := strings.Count(got, "# note "); n != notes {
			t.Errorf("%s: %d notes should be left, %d are:\n%s---\n%s", name, notes, n, disturbed, got)
		}
		plain, _ := rewriteTo(t, name, text, from, to)
		a, _, _ := ReadValue([]byte(got))
		b, _, _ := ReadValue([]byte(plain))
		if diff := cmp.Diff(b, a); diff != "" {
			t.Errorf("%s: comments change the result:\n%s", name, diff)
		}
		again, lost := rewriteTo(t, name, got, to, to)
		if again != got || len(lost) > 0 {
			t.Errorf("%s: converted again:\n%s", name, cmp.Diff(got, again))
		}
	})
	t.Logf("%d comments, %d of them lost with what they were about", edits, lostComments)
	if edits < 500 {
		t.Errorf("only %d comments were put in", edits)
	}
}

// TestRewriteSpelling holds that what means the same keeps its spelling, and that zero values and
// nulls stay where the target reads them as it did.
func TestRewriteSpelling(t *testing.T) {
	sides := newestSides(t)
	from, to := sides["kubescheduler.config.k8s.io/v1beta3"], sides["kubescheduler.config.k8s.io/v1"]
	const text = `apiVersion: kubescheduler.config.k8s.io/v1beta3
kind: KubeSchedulerConfiguration
percentageOfNodesToScore: null # the default
leaderElection: {leaseDuration: 60s, renewDeadline: 0.5m}
extenders:
- urlPrefix: "http://x"
  enableHTTPS: false
  httpTimeout: 30000ms
  ignorable: true
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args:
      apiVersion: kubescheduler.config.k8s.io/v1beta3
      kind: NodeResourcesFitArgs
      ignoredResources: []
`
	got, lost := rewriteTo(t, "x", text, fresh(t, from), fresh(t, to))
	if want := strings.ReplaceAll(text, "/v1beta3", "/v1"); got != want || len(lost) > 0 {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, got))
	}
}

func TestReadValue(t *testing.T) {
	for text, want := range map[string]string{"a: on\n": `{"a":true}`, `{"a":1.50}`: `{"a":1.50}`, "": "null"} {
		value, repeated, err := ReadValue([]byte(text))
		if err != nil || repeated != nil {
			t.Fatal(err, repeated)
		}
		if got, _ := json.Marshal(value); !bytes.Equal(got, []byte(want)) {
			t.Errorf("%q reads as %s, want %s", text, got, want)
		}
	}
	if _, repeated, _ := ReadValue([]byte("a: 1\na: 2\n")); repeated == nil {
		t.Error("the repeated key is not reported")
	}
}
