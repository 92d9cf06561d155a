// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

//go:build integration

package integration

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// command runs a program of bin/tools or of the machine in a folder, and returns what it printed.
func command(t *testing.T, folder string, env []string, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	tools, err := filepath.Abs("../bin/tools")
	if err != nil {
		t.Fatal(err)
	}
	if tool := filepath.Join(tools, name); exists(tool) {
		name = tool
	}
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = folder
	c.Env = append(os.Environ(), "PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	c.Env = append(c.Env, env...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return string(out)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// sources copies the files of the project that Git knows, or would, into a folder.
func sources(t *testing.T, folder string) {
	t.Helper()
	list := command(t, "..", nil, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	files := 0
	for name := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		from := filepath.Join("..", name)
		info, err := os.Lstat(from)
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
		files++
	}
	if files < 500 {
		t.Fatalf("the project has %d files", files)
	}
}

func hash(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// TestReproducible builds the program in two folders, once with nothing compiled before: both are the same file.
func TestReproducible(t *testing.T) {
	var hashes []string
	for i, cache := range []string{"", t.TempDir()} {
		folder := filepath.Join(t.TempDir(), strings.Repeat("deeper/", i), "sources")
		sources(t, folder)
		var env []string
		if cache != "" {
			env = []string{"GOCACHE=" + cache}
		}
		command(t, folder, env, "make", "build", "VERSION=v1.2.3", "COMMIT=0123abc")
		hashes = append(hashes, hash(t, filepath.Join(folder, "bin/schedconf")))
		static(t, filepath.Join(folder, "bin/schedconf"))
	}
	if hashes[0] != hashes[1] {
		t.Errorf("two builds differ: %q", hashes)
	}
}

// static holds that a program needs no other file, and names no folder of the machine that built it.
func static(t *testing.T, name string) {
	t.Helper()
	if out := command(t, ".", nil, "go", "version", "-m", name); !strings.Contains(out, "CGO_ENABLED=0") || !strings.Contains(out, "-trimpath=true") {
		t.Errorf("%s is not static and trimmed:\n%s", name, out)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	project, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{project, filepath.Dir(name), runtime.GOROOT() + "/src/fmt"} {
		if bytes.Contains(data, []byte(folder)) {
			t.Errorf("%s holds %s", name, folder)
		}
	}
}

// TestDockerfile reads the Dockerfile with BuildKit's own parser and linter, holds that both images are a static
// program alone and run without rights, and runs the commands that build the small one.
func TestDockerfile(t *testing.T) {
	text, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "../bin/tools/dockerfile")
	c.Stdin = bytes.NewReader(text)
	var complaints bytes.Buffer
	c.Stderr = &complaints
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, complaints.String())
	}
	var stages []struct {
		Name, Base string
		Commands   []string
	}
	if err := json.Unmarshal(out, &stages); err != nil {
		t.Fatal(err)
	}
	byName := map[string][]string{}
	for _, stage := range stages {
		byName[stage.Name] = stage.Commands
		if stage.Name != "schedconf" && stage.Name != "engine" {
			continue
		}
		if stage.Base != "scratch" || !slices.Contains(stage.Commands, "USER 65532:65532") || !slices.Contains(stage.Commands, `ENTRYPOINT ["/schedconf"]`) {
			t.Errorf("image %s: from %s, %q", stage.Name, stage.Base, stage.Commands)
		}
		for _, command := range stage.Commands {
			if strings.HasPrefix(command, "RUN") {
				t.Errorf("image %s has no shell for %q", stage.Name, command)
			}
		}
	}
	if last := stages[len(stages)-1].Name; last != "schedconf" || byName["engine"] == nil {
		t.Errorf("the image without --target is %q", last)
	}

	folder := t.TempDir()
	sources(t, folder)
	env := []string{"VERSION=v1.2.3", "COMMIT=0123abc", "TARGETOS=" + runtime.GOOS, "TARGETARCH=" + runtime.GOARCH}
	ran := 0
	for _, line := range append(byName["sources"], byName["build"]...) {
		if script, ok := strings.CutPrefix(line, "RUN "); ok {
			command(t, folder, env, "sh", "-c", script)
			ran++
		}
	}
	if ran != 2 {
		t.Errorf("%d commands build the image", ran)
	}
	static(t, filepath.Join(folder, "bin/schedconf"))
	version := command(t, folder, nil, filepath.Join(folder, "bin/schedconf"), "version")
	if !strings.HasPrefix(version, "schedconf v1.2.3\ncommit 0123abc\n") {
		t.Errorf("the program in the image is\n%s", version)
	}
	// The engine is built by the target that the Makefile has for it, beside the small program.
	if !strings.Contains(strings.Join(byName["build-engine"], "\n"), "make engine VERSION=$VERSION COMMIT=$COMMIT") {
		t.Errorf("the image with the engine is built by %q", byName["build-engine"])
	}
}

// TestManLint holds the manual pages against mandoc.
func TestManLint(t *testing.T) {
	folder := t.TempDir()
	command(t, "..", nil, "go", "run", "./cmd/schedconf", "man", folder)
	pages, err := filepath.Glob(filepath.Join(folder, "*.1"))
	if err != nil || len(pages) < 15 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	if out := command(t, folder, nil, "mandoc", "-T", "utf8", "schedconf-validate.1"); !strings.Contains(out, "SCHEDCONF-VALIDATE(1)") {
		t.Errorf("mandoc prints\n%s", out)
	}
	for line := range strings.Lines(command(t, folder, nil, "sh", "-c", "mandoc -T lint -W warning *.1 || :")) {
		if !strings.Contains(line, "missing date") { // on purpose: the same sources give the same page
			t.Error(line)
		}
	}
}

// platforms are what a release is built for.
var platforms = []string{"darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64", "windows_amd64", "windows_arm64"}

// TestRelease has goreleaser make a release of the small program, and installs it as a plugin of kubectl through
// krew. The engine, whose builds take long, is left out of the settings first.
func TestRelease(t *testing.T) {
	command(t, "..", nil, "goreleaser", "check")
	folder := t.TempDir()
	sources(t, folder)
	settings := filepath.Join(t.TempDir(), "goreleaser.yaml")
	withoutEngine(t, filepath.Join(folder, ".goreleaser.yaml"), settings)
	for _, args := range [][]string{
		{"init", "-q"}, {"remote", "add", "origin", "https://github.com/schedconf/schedconf"}, {"add", "-A"},
		{"-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false", "commit", "-qm", "all"},
		{"tag", "v1.2.3"},
	} {
		command(t, folder, nil, "git", args...)
	}
	commit := strings.TrimSpace(command(t, folder, nil, "git", "rev-parse", "HEAD"))
	command(t, folder, nil, "goreleaser", "release", "--config", settings, "--skip", "publish,announce", "--timeout", "15m")
	dist := filepath.Join(folder, "dist")

	sums := map[string]string{}
	checksums, err := os.ReadFile(filepath.Join(dist, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(checksums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		sums[name] = sum
		if got := hash(t, filepath.Join(dist, name)); got != sum {
			t.Errorf("%s has the checksum %s, and not %s", name, got, sum)
		}
	}
	for _, platform := range platforms {
		archive, suffix := "schedconf_1.2.3_"+platform+".tar.gz", ""
		if strings.HasPrefix(platform, "windows") {
			archive, suffix = "schedconf_1.2.3_"+platform+".zip", ".exe"
		}
		if sums[archive] == "" {
			t.Errorf("%s has no checksum", archive)
			continue
		}
		holds := listed(t, filepath.Join(dist, archive))
		for _, want := range []string{"schedconf" + suffix, "LICENSE", "NOTICE", "README.md", "CHANGELOG.md", "completions/_schedconf", "completions/schedconf.bash", "completions/schedconf.fish", "completions/kubectl_complete-schedconf", "man/schedconf.1", "man/schedconf-validate.1"} {
			if !slices.Contains(holds, want) {
				t.Errorf("%s has no %s: %q", archive, want, holds)
			}
		}
		bill(t, filepath.Join(dist, "schedconf_1.2.3_"+platform+".cdx.json"))
	}

	// What "make build" makes of the same commit is the same file.
	here := "schedconf_" + runtime.GOOS + "_" + runtime.GOARCH
	built, err := filepath.Glob(filepath.Join(dist, here+"*", "schedconf"))
	if err != nil || len(built) != 1 {
		t.Fatalf("%q: %v", built, err)
	}
	again := filepath.Join(t.TempDir(), "again")
	sources(t, again)
	command(t, again, nil, "make", "build", "VERSION=v1.2.3", "COMMIT="+commit)
	if hash(t, filepath.Join(again, "bin/schedconf")) != hash(t, built[0]) {
		t.Error("goreleaser and make build different programs")
	}

	command(t, folder, nil, "sh", "hack/manifests", "v1.2.3", "dist")
	command(t, dist, nil, "ruby", "-c", "homebrew/schedconf.rb")
	manifest := filepath.Join(dist, "krew/schedconf.yaml")
	command(t, dist, nil, "validate-krew-manifest", "-manifest", manifest, "-skip-install")
	plugin(t, manifest, filepath.Join(dist, "schedconf_1.2.3_"+runtime.GOOS+"_"+runtime.GOARCH+".tar.gz"), commit)
}

// plugin installs the archive with krew, and has kubectl run it and complete its commands.
func plugin(t *testing.T, manifest, archive, commit string) {
	t.Helper()
	root := t.TempDir()
	bin := filepath.Join(root, "bin")
	tools, err := filepath.Abs("../bin/tools")
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"KREW_ROOT=" + root, "PATH=" + strings.Join([]string{bin, tools, os.Getenv("PATH")}, string(os.PathListSeparator))}
	command(t, root, env, "krew", "install", "--manifest="+manifest, "--archive="+archive)
	if out := command(t, root, env, "kubectl", "schedconf", "version"); !strings.HasPrefix(out, "schedconf v1.2.3\ncommit "+commit+"\n") {
		t.Errorf("kubectl schedconf version:\n%s", out)
	}
	if out := command(t, root, env, "kubectl", "schedconf", "validate", "--help"); !strings.HasPrefix(out, "kubectl schedconf validate - ") {
		t.Errorf("kubectl schedconf validate --help:\n%s", out)
	}
	script := command(t, root, env, "kubectl", "schedconf", "completion", "kubectl")
	if err := os.WriteFile(filepath.Join(bin, "kubectl_complete-schedconf"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{"vali": "validate\n:0\n", "nothing": ":0\n", "validate --targ": "--target\n:0\n"} {
		out := command(t, root, env, "sh", "-c", "kubectl __complete schedconf "+line+" 2>/dev/null")
		if out != want {
			t.Errorf("kubectl completes %q as %q, want %q", line, out, want)
		}
	}
}

// withoutEngine writes the settings of goreleaser without what builds the engine.
func withoutEngine(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	var settings map[string]any
	if err := yaml.Unmarshal(text, &settings); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"builds", "archives"} {
		list, _ := settings[part].([]any)
		kept := slices.DeleteFunc(slices.Clone(list), func(item any) bool { return item.(map[string]any)["id"] == "engine" })
		if len(kept) != len(list)-1 {
			t.Fatalf("%s have no engine", part)
		}
		settings[part] = kept
	}
	text, err = yaml.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// listed are the files in an archive.
func listed(t *testing.T, name string) []string {
	t.Helper()
	var names []string
	if strings.HasSuffix(name, ".zip") {
		archive, err := zip.OpenReader(name)
		if err != nil {
			t.Fatal(err)
		}
		defer archive.Close()
		for _, file := range archive.File {
			names = append(names, file.Name)
		}
		return names
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(unpacked); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, header.Name)
	}
}

// bill holds that a bill of materials names a module that is linked, with the version of go.mod.
func bill(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Error(err)
		return
	}
	var sbom struct {
		BOMFormat  string
		Components []struct{ Name, Version string }
	}
	if err := json.Unmarshal(text, &sbom); err != nil {
		t.Fatal(err)
	}
	const module = "k8s.io/apimachinery"
	want := strings.TrimSpace(command(t, "..", nil, "go", "list", "-m", "-f", "{{.Version}}", module))
	for _, component := range sbom.Components {
		if component.Name == module && component.Version == want && sbom.BOMFormat == "CycloneDX" {
			return
		}
	}
	t.Errorf("%s does not name %s %s", name, module, want)
}
