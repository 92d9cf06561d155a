// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"sigs.k8s.io/yaml"

	"github.com/schedconf/schedconf/dryrun"
)

// kinds are those that have a say, with the version in which the scheduler wants them. Everything
// else is counted and passed over; the content of a Secret is never looked at.
var kinds = map[string]schema.GroupVersion{
	"Pod":                   corev1.SchemeGroupVersion,
	"Node":                  corev1.SchemeGroupVersion,
	"Namespace":             corev1.SchemeGroupVersion,
	"PersistentVolume":      corev1.SchemeGroupVersion,
	"PersistentVolumeClaim": corev1.SchemeGroupVersion,
	"Service":               corev1.SchemeGroupVersion,
	"ReplicationController": corev1.SchemeGroupVersion,
	"PodTemplate":           corev1.SchemeGroupVersion,
	"LimitRange":            corev1.SchemeGroupVersion,
	"ResourceQuota":         corev1.SchemeGroupVersion,
	"ReplicaSet":            appsv1.SchemeGroupVersion,
	"StatefulSet":           appsv1.SchemeGroupVersion,
	"Deployment":            appsv1.SchemeGroupVersion,
	"DaemonSet":             appsv1.SchemeGroupVersion,
	"Job":                   batchv1.SchemeGroupVersion,
	"CronJob":               batchv1.SchemeGroupVersion,
	"PodDisruptionBudget":   policyv1.SchemeGroupVersion,
	"RuntimeClass":          nodev1.SchemeGroupVersion,
	"PriorityClass":         schedulingv1.SchemeGroupVersion,
	"PodGroup":              schedulingv1beta1.SchemeGroupVersion,
	"CompositePodGroup":     schedulingv1alpha3.SchemeGroupVersion,
	"StorageClass":          storagev1.SchemeGroupVersion,
	"CSINode":               storagev1.SchemeGroupVersion,
	"CSIDriver":             storagev1.SchemeGroupVersion,
	"CSIStorageCapacity":    storagev1.SchemeGroupVersion,
	"VolumeAttachment":      storagev1.SchemeGroupVersion,
	"ResourceSlice":         resourcev1.SchemeGroupVersion,
	"ResourceClaim":         resourcev1.SchemeGroupVersion,
	"ResourceClaimTemplate": resourcev1.SchemeGroupVersion,
	"DeviceClass":           resourcev1.SchemeGroupVersion,
}

// item is an object of the input and where it stands.
type item struct {
	obj  object
	file string
	line int
}

// document is the text of an object in JSON. list is the kind of the list around it, if any.
type document struct {
	json []byte
	line int
	list string
}

// loader reads sources into items.
type loader struct {
	run *run
	// counts are those of the part of the input that is read.
	counts map[string]int
	// strict refuses fields that no kind has, as the API server does with what kubectl creates.
	strict bool
	items  []item
}

func (r *run) find(severity, rule, file string, line int, object, format string, args ...any) {
	r.report.Findings = append(r.report.Findings, dryrun.Finding{
		Severity: severity, Rule: rule, Message: fmt.Sprintf(format, args...), Object: object, File: file, Line: line,
	})
}

// read takes all sources in their order. An error is a source that cannot be read at all.
func (l *loader) read(sources []dryrun.Source) error {
	for _, source := range sources {
		if source.Path == "" {
			l.text(source.Name, []byte(source.Text))
			continue
		}
		info, err := os.Stat(source.Path)
		if err != nil {
			return fmt.Errorf("read %q: %w", source.Name, cause(err))
		}
		if !info.IsDir() {
			if err := l.file(source.Name, source.Path); err != nil {
				return err
			}
			continue
		}
		if err := l.folder(source); err != nil {
			return err
		}
	}
	return nil
}

// cause takes the path off an error of the file system.
func cause(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}

func (l *loader) file(name, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read %q: %w", name, cause(err))
	}
	l.text(name, data)
	return nil
}

func (l *loader) folder(source dryrun.Source) error {
	return fs.WalkDir(os.DirFS(source.Path), ".", func(below string, entry fs.DirEntry, err error) error {
		name := strings.TrimSuffix(source.Name, "/") + "/" + below
		hidden := below != "." && strings.HasPrefix(filepath.Base(below), ".")
		switch {
		case err != nil:
			return fmt.Errorf("read %q: %w", name, cause(err))
		case hidden && entry.IsDir():
			return fs.SkipDir
		case hidden || entry.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(below)):
			return nil
		}
		return l.file(name, filepath.Join(source.Path, filepath.FromSlash(below)))
	})
}

// text reads the objects of a file.
func (l *loader) text(name string, data []byte) {
	broken := func(line int, err error) {
		l.run.find("error", "unreadable", name, line, "", "not read: %s", err)
	}
	data = withoutLogs(data)
	for _, part := range splitDocuments(data) {
		var documents []document
		var err error
		line := part.line
		if isJSON(part.json) {
			documents, err = splitJSON(part.json, part.line)
		} else {
			documents, line, err = splitYAML(part.json, part.line)
		}
		if err != nil {
			broken(line, err)
		}
		for _, d := range documents {
			l.decode(name, d)
		}
	}
}

// isJSON tells JSON from YAML in braces, whose keys are seldom quoted.
func isJSON(data []byte) bool {
	text, braces := bytes.CutPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{"))
	text = bytes.TrimLeft(text, " \t\r\n")
	return braces && (bytes.HasPrefix(text, []byte(`"`)) || bytes.HasPrefix(text, []byte("}")))
}

// withoutLogs blanks the logs of containers that `kubectl cluster-info dump` prints between objects.
func withoutLogs(data []byte) []byte {
	const start, end = "==== START logs", "==== END logs"
	if !bytes.Contains(data, []byte(start)) {
		return data
	}
	var out bytes.Buffer
	inLogs := false
	for line := range bytes.Lines(data) {
		inLogs = inLogs || bytes.HasPrefix(line, []byte(start))
		if inLogs {
			out.WriteByte('\n')
		} else {
			out.Write(line)
		}
		inLogs = inLogs && !bytes.HasPrefix(line, []byte(end))
	}
	return out.Bytes()
}

// splitDocuments splits at lines of three dashes.
func splitDocuments(data []byte) []document {
	var parts []document
	start, line, at := 0, 1, 1
	offset := 0
	add := func(end int) {
		if len(bytes.TrimSpace(data[start:end])) > 0 {
			parts = append(parts, document{json: data[start:end], line: line})
		}
	}
	for text := range bytes.Lines(data) {
		if rest, ok := bytes.CutPrefix(text, []byte("---")); ok && (len(rest) == 0 || bytes.ContainsAny(rest[:1], " \t\r\n")) {
			add(offset)
			start, line = offset+3, at
		}
		offset += len(text)
		at++
	}
	add(len(data))
	return parts
}

// splitJSON takes apart objects that stand one after the other, and the lists among them.
func splitJSON(data []byte, firstLine int) ([]document, error) {
	var documents []document
	decoder := json.NewDecoder(bytes.NewReader(data))
	counted, line := 0, firstLine
	lineOf := func(offset int64) int {
		for offset < int64(len(data)) && strings.IndexByte(" \t\r\n,:", data[offset]) >= 0 {
			offset++
		}
		line += bytes.Count(data[counted:offset], []byte("\n"))
		counted = int(offset)
		return line
	}
	for {
		start := decoder.InputOffset()
		at := lineOf(start)
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return documents, jsonError(err)
		}
		if token != json.Delim('{') {
			return documents, fmt.Errorf("an object was expected, not %v", token)
		}
		items, kind, isList, err := jsonObject(decoder, lineOf)
		if err != nil {
			return documents, jsonError(err)
		}
		if !isList {
			documents = append(documents, document{json: data[start:decoder.InputOffset()], line: at})
			continue
		}
		for _, item := range items {
			item.list = kind
			documents = append(documents, item)
		}
	}
}

func jsonError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the JSON ends in the middle of an object")
	}
	return err
}

// jsonObject reads the rest of an object.
func jsonObject(decoder *json.Decoder, lineOf func(int64) int) (items []document, kind string, isList bool, err error) {
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil, "", false, err
		}
		if key != "items" {
			var value json.RawMessage
			if err := decoder.Decode(&value); err != nil {
				return nil, "", false, err
			}
			if key == "kind" {
				_ = json.Unmarshal(value, &kind)
			}
			continue
		}
		opening, err := decoder.Token()
		if err != nil {
			return nil, "", false, err
		}
		isList = true
		if opening != json.Delim('[') {
			if opening == nil {
				continue // items: null
			}
			return nil, "", false, errors.New("items of a list have to be a list")
		}
		for decoder.More() {
			line := lineOf(decoder.InputOffset())
			var value json.RawMessage
			if err := decoder.Decode(&value); err != nil {
				return nil, "", false, err
			}
			items = append(items, document{json: value, line: line})
		}
		if _, err := decoder.Token(); err != nil {
			return nil, "", false, err
		}
	}
	_, err = decoder.Token()
	return items, kind, isList, err
}

// splitYAML reads a document of YAML. The items of a list that is laid out as kubectl does are read
// one by one, so that each has a line and a large list does not have to be in memory twice. The line
// is that of an error.
func splitYAML(data []byte, line int) ([]document, int, error) {
	if kind, items, ok := yamlItems(data, line); ok {
		var documents []document
		for _, item := range items {
			text, err := yaml.YAMLToJSON(item.json)
			if err != nil {
				at, err := yamlError(err, item.line)
				return documents, at, err
			}
			documents = append(documents, document{json: text, line: item.line, list: kind})
		}
		return documents, line, nil
	}
	text, err := yaml.YAMLToJSON(data)
	if err != nil {
		at, err := yamlError(err, line)
		return nil, at, err
	}
	if string(text) == "null" {
		return nil, line, nil
	}
	// A document starts where its first line with content is.
	for text := range bytes.Lines(data) {
		if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] != '#' {
			break
		}
		line++
	}
	documents, err := splitJSON(text, line)
	for i := range documents {
		documents[i].line = line
	}
	return documents, line, err
}

var yamlPlace = regexp.MustCompile(`^(?:error converting YAML to JSON: )?yaml: (?:line (\d+): )?`)

// yamlError makes the line of an error one of the file.
func yamlError(err error, first int) (int, error) {
	place := yamlPlace.FindStringSubmatch(err.Error())
	if place == nil {
		return first, err
	}
	if n, atoiErr := strconv.Atoi(place[1]); atoiErr == nil {
		first += n - 1
	}
	return first, errors.New(err.Error()[len(place[0]):])
}

// yamlItems cuts a list at the dashes of its items. It is not ok where the text is laid out another
// way.
func yamlItems(data []byte, line int) (kind string, items []document, ok bool) {
	var current bytes.Buffer
	indent, itemLine := -1, 0
	inItems := false
	flush := func() {
		if itemLine > 0 {
			items = append(items, document{json: bytes.Clone(current.Bytes()), line: itemLine})
		}
		current.Reset()
		itemLine = 0
	}
	for text := range bytes.Lines(data) {
		trimmed := bytes.TrimLeft(text, " ")
		depth := len(text) - len(trimmed)
		blank := len(bytes.TrimSpace(text)) == 0
		switch {
		case inItems && (blank || depth > indent && indent >= 0):
			if depth < indent+2 && !blank {
				return "", nil, false
			}
			current.Write(text[min(len(text)-1, indent+2):])
		case inItems && bytes.HasPrefix(trimmed, []byte("- ")) && (indent < 0 || depth == indent):
			flush()
			indent, itemLine = depth, line
			current.Write(trimmed[2:])
		case blank || trimmed[0] == '#':
		case depth > 0 && !inItems:
			// A field of the list's own metadata.
		case depth > 0 || trimmed[0] == '-':
			return "", nil, false
		default:
			flush()
			inItems = bytes.Equal(bytes.TrimSpace(text), []byte("items:"))
			if value, isKind := bytes.CutPrefix(text, []byte("kind:")); isKind {
				kind = strings.Trim(strings.TrimSpace(string(value)), `"'`)
			}
		}
		line++
	}
	flush()
	return kind, items, strings.HasSuffix(kind, "List") && len(items) > 0
}

var (
	lenientCodecs = legacyscheme.Codecs
	strictCodecs  = serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict)
)

// decode adds an object, with the defaults that the API server would give it.
func (l *loader) decode(file string, d document) {
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   struct {
			Name         string `json:"name"`
			GenerateName string `json:"generateName"`
			Namespace    string `json:"namespace"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(d.json, &head); err != nil {
		l.run.find("error", "unreadable", file, d.line, "", "not read: %s", err)
		return
	}
	if head.Kind == "" && d.list != "List" {
		head.Kind = strings.TrimSuffix(d.list, "List")
	}
	name := strings.TrimSpace(head.Kind + " " + strings.TrimPrefix(head.Metadata.Namespace+"/"+head.Metadata.Name, "/"))
	if head.Kind == "" {
		l.run.find("error", "unreadable", file, d.line, name, "the object has no kind")
		return
	}
	if strings.HasSuffix(head.Kind, "List") && kinds[strings.TrimSuffix(head.Kind, "List")].Version != "" {
		documents, err := splitJSON(d.json, d.line)
		if err != nil {
			l.run.find("error", "unreadable", file, d.line, name, "not read: %s", err)
		}
		for _, inner := range documents {
			inner.line = d.line
			l.decode(file, inner)
		}
		return
	}
	wanted, known := kinds[head.Kind]
	group, _, _ := strings.Cut(head.APIVersion, "/")
	if !strings.Contains(head.APIVersion, "/") {
		group = ""
	}
	isKubernetes := !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io")
	if !known || group != wanted.Group && !isKubernetes {
		l.run.report.Input.Skipped[head.Kind]++
		return
	}
	codecs := lenientCodecs
	if l.strict {
		codecs = strictCodecs
	}
	kind := wanted.WithKind(head.Kind)
	decoded, _, err := codecs.UniversalDecoder(wanted).Decode(d.json, &kind, nil)
	if err != nil {
		message := err.Error()
		if runtime.IsNotRegisteredError(err) {
			message = fmt.Sprintf("apiVersion %q has no kind %s in %s: write %s", head.APIVersion, head.Kind, kubernetesVersion(), wanted)
		}
		l.run.find("error", "wrong-object", file, d.line, name, "%s", message)
		return
	}
	obj, ok := decoded.(object)
	if !ok {
		l.run.find("error", "wrong-object", file, d.line, name, "%T has no metadata", decoded)
		return
	}
	l.counts[head.Kind]++
	l.items = append(l.items, item{obj, file, d.line})
}
