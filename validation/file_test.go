// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	goodFile   = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	brokenFile = goodFile + "\tx"
)

// TestCheckFile says for each file how many configurations it holds and what is found, by document.
func TestCheckFile(t *testing.T) {
	checker := checkerFor(t, "1.30")
	for name, test := range map[string]struct {
		text           string
		configurations int
		named, found   string
	}{
		"one":                     {goodFile, 1, "", ""},
		"two":                     {goodFile + "---\n" + goodFile, 2, "1 document-ignored", "1 document-ignored"},
		"the second is wrong":     {goodFile + "---\n" + goodFile + "parallelism: 0\n", 2, "1 document-ignored, 1 parallelism-range", "1 document-ignored, 1 parallelism-range"},
		"behind a Pod":            {"apiVersion: v1\nkind: Pod\n---\n" + goodFile, 1, "0 kind-wrong, 1 document-ignored", "0 kind-wrong, 1 document-ignored"},
		"before a Pod":            {goodFile + "---\nkind: Pod\n", 1, "", ""},
		"behind nothing":          {"---\n---\n" + goodFile, 1, "0 document-empty, 1 document-ignored", "0 document-empty, 1 document-ignored"},
		"a Pod":                   {"apiVersion: v1\nkind: Pod\n", 0, "0 kind-wrong", ""},
		"nothing":                 {"", 0, "0 document-empty", ""},
		"broken":                  {"a: [", 0, "0 file-syntax", ""},
		"broken configuration":    {brokenFile, 1, "0 file-syntax", "0 file-syntax"},
		"broken second":           {goodFile + "---\n" + brokenFile, 2, "1 document-ignored, 1 file-syntax", "1 document-ignored, 1 file-syntax"},
		"embedded and broken":     {"data:\n  x: |\n    kind: KubeSchedulerConfiguration\n\t", 0, "0 file-syntax", "0 file-syntax"},
		"by group":                {"apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfig\n", 1, "0 kind-wrong", "0 kind-wrong"},
		"by kind":                 {"kind: KubeSchedulerConfiguration\n", 1, "0 api-version-missing", "0 api-version-missing"},
		"mentioned":               {"apiVersion: v1\nkind: ConfigMap\ndata:\n  x: |\n    " + strings.ReplaceAll(goodFile, "\n", "\n    "), 1, "", ""},
		"mentioned and wrong":     {"apiVersion: v1\nkind: ConfigMap\ndata:\n  x: |\n    " + strings.ReplaceAll(goodFile+"parallelism: 0", "\n", "\n    "), 1, "0 parallelism-range", "0 parallelism-range"},
		"flow style":              {"{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration}", 1, "0 file-syntax", "0 file-syntax"},
		"flow style behind ---":   {"---\n{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration}", 1, "", ""},
		"JSON":                    {`{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}`, 1, "", ""},
		"JSON with escapes":       {`{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeScheduler\u0043onfiguration"}`, 1, "", ""},
		"broken JSON":             {`{"apiVersion": "kubescheduler.config.k8s.io/v1",, "kind": "KubeSchedulerConfiguration"}`, 1, "0 file-syntax", "0 file-syntax"},
		"too large":               {goodFile + strings.Repeat("#", MaxFileSize), 0, "0 file-too-large", "0 file-too-large"},
		"too large and no YAML":   {strings.Repeat("x", MaxFileSize+1), 0, "0 file-too-large", ""},
		"as large as can be":      {goodFile + strings.Repeat("#", MaxFileSize-len(goodFile)), 1, "", ""},
		"a template":              {"{{ if x }}\n" + goodFile + "{{ end }}\n", 0, "0 template-unrendered", "0 template-unrendered"},
		"a template of another":   {"{{ if x }}\nkind: ConfigMap\n{{ end }}\n", 0, "0 file-syntax", ""},
		"a byte order mark":       {"\ufeff" + goodFile, 1, "", ""},
		"carriage returns":        {strings.ReplaceAll(goodFile, "\n", "\r\n"), 1, "", ""},
		"an alias without anchor": {goodFile + "x: *hunter2\n", 1, "0 file-syntax", "0 file-syntax"},
	} {
		t.Run(name, func(t *testing.T) {
			named, err := checker.CheckFile("x", []byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.named, rulesOf(named)); diff != "" {
				t.Errorf("named (-want +got):\n%s", diff)
			}
			found, err := checker.CheckFound("x", []byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.found, rulesOf(found)); diff != "" {
				t.Errorf("found (-want +got):\n%s", diff)
			}
			if name != "too large" && (named.Configurations != test.configurations || found.Configurations != test.configurations) {
				t.Errorf("%d and %d configurations, want %d", named.Configurations, found.Configurations, test.configurations)
			}
			for _, f := range named.Findings {
				if f.Pos.Line == 0 || f.Pos.File != "x" {
					t.Errorf("%s has no place: %v", f.Rule, f.Pos)
				}
			}
		})
	}
}

func rulesOf(r *FileResult) string {
	var list []string
	for _, f := range r.Findings {
		list = append(list, fmt.Sprintf("%d %s", f.Pos.Document, f.Rule))
	}
	return strings.Join(list, ", ")
}

// TestSyntaxMessages holds that no message about a text that cannot be read quotes it.
func TestSyntaxMessages(t *testing.T) {
	checker := checkerFor(t, "1.30")
	for _, value := range []string{
		"!!int hunter2", "!!float hunter2", "!!bool hunter2", "!!timestamp hunter2", "!!int \"hunter2\\nhunter2 `x` as a !!int\"", "!!binary hunter2!",
		"{{a: hunter2}: 1}", "{[hunter2]: 1}", "*hunter2", "&hunter2 [*hunter2]", "@hunter2", "`hunter2`", "%hunter2", "hunter2: hunter2", `"hunter2`,
		`"\hunter2"`, "'hunter2' hunter2", "<<: hunter2", "!<hunter2> x", "|hunter2", "[hunter2", "{hunter2", "? hunter2", "!hunter2!x y", "- hunter2",
	} {
		result, err := checker.CheckFile("x", []byte(goodFile+"profiles: [{pluginConfig: [{name: Mine, args: {password: "+value+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		block, err := checker.CheckFile("x", []byte(goodFile+"password: "+value+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Findings) == 0 || len(block.Findings) == 0 {
			t.Errorf("%s: nothing is found", value)
		}
		for _, f := range append(result.Findings, block.Findings...) {
			if strings.Contains(f.Message+f.Hint, "hunter2") {
				t.Errorf("%s: %s", value, f.Message)
			}
		}
	}
}
