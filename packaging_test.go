// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package schedconf_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// release is a folder with the checksums of a release, as goreleaser writes them.
func release(t *testing.T, platforms ...string) string {
	t.Helper()
	folder := t.TempDir()
	var sums strings.Builder
	for i, platform := range platforms {
		fmt.Fprintf(&sums, "%064x  schedconf_1.2.3_%s\n", i+1, platform)
	}
	if err := os.WriteFile(filepath.Join(folder, "checksums.txt"), []byte(sums.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestManifests holds that the manifest for krew and the formula for Homebrew name each archive with its own
// checksum, and that a release which lacks one makes neither.
func TestManifests(t *testing.T) {
	all := []string{"darwin_amd64.tar.gz", "darwin_arm64.tar.gz", "linux_amd64.tar.gz", "linux_arm64.tar.gz", "windows_amd64.zip"}
	folder := release(t, all...)
	if out, err := exec.Command("sh", "hack/manifests", "v1.2.3", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(folder, "krew/schedconf.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Metadata struct{ Name string }
		Spec     struct {
			Version   string
			Platforms []struct {
				Selector         struct{ MatchLabels map[string]string }
				URI, SHA256, Bin string
			}
		}
	}
	if err := yaml.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Metadata.Name != "schedconf" || manifest.Spec.Version != "v1.2.3" || len(manifest.Spec.Platforms) != len(all) {
		t.Errorf("%+v", manifest)
	}
	formula, err := os.ReadFile(filepath.Join(folder, "homebrew/schedconf.rb"))
	if err != nil {
		t.Fatal(err)
	}
	for i, platform := range all {
		sum, url := fmt.Sprintf("%064x", i+1), "https://github.com/schedconf/schedconf/releases/download/v1.2.3/schedconf_1.2.3_"+platform
		found := false
		for _, p := range manifest.Spec.Platforms {
			labels := p.Selector.MatchLabels
			if strings.HasPrefix(platform, labels["os"]+"_"+labels["arch"]+".") {
				found = p.URI == url && p.SHA256 == sum && strings.HasPrefix(p.Bin, "schedconf")
			}
		}
		if !found {
			t.Errorf("krew is not given %s with its checksum:\n%s", url, text)
		}
		if !strings.HasPrefix(platform, "windows") && !regexp.MustCompile(`url "`+regexp.QuoteMeta(url)+`"\n *sha256 "`+sum+`"`).Match(formula) {
			t.Errorf("Homebrew is not given %s with its checksum:\n%s", url, formula)
		}
	}
	if strings.Contains(string(text)+string(formula), "@NUMBER") || strings.Contains(string(text)+string(formula), "@SHA") {
		t.Error("a placeholder is left")
	}

	for name, test := range map[string]struct{ version, folder, says string }{
		"no archive":   {"v1.2.3", release(t, all[1:]...), "has no schedconf_1.2.3_darwin_amd64.tar.gz"},
		"no checksums": {"v1.2.3", t.TempDir(), "cannot be read"},
		"no version":   {"1.2.3", folder, "1.2.3 is not a version such as v1.2.3"},
		"no such one":  {"v1.2.4", folder, "has no schedconf_1.2.4"},
	} {
		out, err := exec.Command("sh", "hack/manifests", test.version, test.folder).CombinedOutput()
		if err == nil || !strings.Contains(string(out), test.says) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		if made, _ := filepath.Glob(filepath.Join(test.folder, "*/schedconf.*")); len(made) > 0 && test.folder != folder {
			t.Errorf("%s: %q were made", name, made)
		}
	}
}

// TestReleaseSettings holds that goreleaser, the Dockerfile and the Makefile build the same program.
func TestReleaseSettings(t *testing.T) {
	text, err := os.ReadFile(".goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var settings struct {
		Builds []struct {
			ID           string
			Env, LDFlags []string
			Flags        []string
		}
	}
	if err := yaml.Unmarshal(text, &settings); err != nil {
		t.Fatal(err)
	}
	dry, err := exec.Command("make", "--no-print-directory", "-n", "build", "VERSION=v1.2.3", "COMMIT=0123abc").Output()
	if err != nil {
		t.Fatal(err)
	}
	if len(settings.Builds) != 2 {
		t.Fatalf("%d builds", len(settings.Builds))
	}
	for _, build := range settings.Builds {
		linked := strings.NewReplacer("{{ .Version }}", "1.2.3", "{{ .FullCommit }}", "0123abc").Replace(strings.Join(build.LDFlags, " "))
		want := strings.Join(build.Env, " ") + " go build " + strings.Join(build.Flags, " ") + " -ldflags '" + linked + "'"
		if !strings.HasPrefix(string(dry), want) {
			t.Errorf("%s is built with\n%s\nand by make with\n%s", build.ID, want, dry)
		}
	}
	docker, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\S+)$`).FindSubmatch(mod)
	if !strings.Contains(string(docker), "ARG GO="+string(version[1])+"\n") {
		t.Errorf("the Dockerfile has another Go than go.mod, which has %s", version[1])
	}
}
