// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package find

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/source"
)

// Kind says what was found.
type Kind string

const (
	// Config is a configuration that is a text: a document of a file, or a text inside of one.
	Config Kind = "config"
	// ConfigObject is a configuration that is an object in the tree of a document.
	ConfigObject Kind = "object"
	// Policy is a scheduler Policy, the format before profiles.
	Policy Kind = "policy"
	// Flags is the command line of a scheduler, or what becomes one.
	Flags Kind = "flags"
	// Reference is the name of a file that holds a configuration.
	Reference Kind = "reference"
)

// Found is a configuration, or the command line of a scheduler, and where it lies.
type Found struct {
	Kind Kind
	// Doc is the configuration, with positions in the file. For Flags and Reference it is the
	// document that holds them. Its Index counts the documents of the text that it is from.
	Doc *source.Document
	// Outer is the document of the file.
	Outer *source.Document
	// Path leads to it from the root of Outer, through texts inside of texts: it is a path of Outer
	// if Outer has it. It is empty for a document of a file.
	Path diag.Path
	// Pos is where it starts.
	Pos diag.Position
	// Carrier says in words what it lies in; empty for a document of a file.
	Carrier string
	// Object is the object that it lies in.
	Object Object
	// Key is the key in the data of a ConfigMap, or the path that a file is written to.
	Key string
	// Keys are all keys of the ConfigMap.
	Keys []string
	// Target is the minor that the carrier suggests, such as 1.30; empty if it suggests none.
	Target string
	// TargetPos is where that stands.
	TargetPos diag.Position
	// Command is the command line; for Flags only.
	Command *Command
	// File is the name of the file, as it is written; for Reference only.
	File string
}

// Object names a Kubernetes object, or what is written like one.
type Object struct{ APIVersion, Kind, Namespace, Name string }

// String is the kind, the namespace and the name, as far as they are there.
func (o Object) String() string {
	name := strings.Trim(o.Namespace+"/"+o.Name, "/")
	return strings.TrimSpace(o.Kind + " " + name)
}

// Reason says why something was passed over.
type Reason string

const (
	// Template is a text with {{ }} or {% %} that has to be rendered first.
	Template Reason = "template"
	// Binary is a text with bytes that no text has.
	Binary Reason = "binary"
	// Syntax is a text that cannot be read.
	Syntax Reason = "syntax"
	// Excess is a text with too many parts, aliases or levels to look at all of it.
	Excess Reason = "excess"
	// Other is an object that mentions a scheduler and holds no configuration.
	Other Reason = "other object"
)

// Skipped is something that mentions a scheduler, and that nothing was found in.
type Skipped struct {
	Reason Reason
	Pos    diag.Position
	// What names it, as far as that can be told.
	What string
}

// maxLevel is how many texts inside of texts are looked into.
const maxLevel = 4

// maxDepth is how many levels of a tree are looked at. No carrier is half as deep.
const maxDepth = 64

// maxDecoded is how many bytes base64 and gzip may come to in one file.
const maxDecoded = 16 << 20

// MayHold reports whether a file may hold something to be found. It looks for words, so that of a
// large tree only few files have to be read as YAML.
func MayHold(data []byte) bool {
	if !mentions(data) {
		return false
	}
	has := func(word string) bool { return bytes.Contains(data, []byte(word)) }
	return has("KubeScheduler") || has("kubeScheduler") || has("kube-scheduler") || has("kubescheduler") ||
		has("scheduler:") || has(`"scheduler"`) || has("cheduler") && has("--config") || has("profiles") && has("schedulerName") ||
		has("configMapGenerator") || has("binaryData") || has(policyKey) || mayBePolicy(data)
}

// wordLength is how long the words are that mentions looks for. All have one length, so that one
// table of shifts serves them all.
const wordLength = 8

// words are parts of what MayHold and MayStandBeside look for. No file without one of them is worth
// another look.
var words = []string{"cheduler", "binaryDa", "apGenera", "policy.c", ": Policy", `"Policy"`, "'Policy'", "rbac.aut", "nodeInfo", "-apiserv", "Kustomiz"}

// shifts says for each two bytes how far they are at least from the end of a word.
var shifts = func() *[1 << 16]uint8 {
	var table [1 << 16]uint8
	for i := range table {
		table[i] = wordLength - 1
	}
	for _, word := range words {
		for end := 1; end < wordLength; end++ {
			pair := int(word[end-1])<<8 | int(word[end])
			table[pair] = min(table[pair], uint8(wordLength-1-end))
		}
	}
	return &table
}()

// Mentions reports whether a file may pass MayHold or MayStandBeside. Most files do not, and it is all that
// has to happen to them.
func Mentions(data []byte) bool { return mentions(data) }

// mentions reports whether a text has one of the words. It is all that happens to most files of a
// tree, so it looks at every sixth byte or so and goes over the text once (Wu and Manber's way).
func mentions(data []byte) bool {
	for i := wordLength - 1; i < len(data); {
		if shift := shifts[int(data[i-1])<<8|int(data[i])]; shift > 0 {
			i += int(shift)
			continue
		}
		for _, word := range words {
			if string(data[i-wordLength+1:i+1]) == word {
				return true
			}
		}
		i++
	}
	return false
}

func mayBePolicy(data []byte) bool {
	if !bytes.Contains(data, []byte("Policy")) {
		return false
	}
	for _, word := range policyFields {
		if bytes.Contains(data, []byte(word)) {
			return true
		}
	}
	return false
}

// policyKey is the key that kube-scheduler reads the Policy in a ConfigMap from.
const policyKey = "policy.cfg"

// policyFields are those that a Policy has and other kinds of that name do not.
var policyFields = []string{"predicates", "priorities", "extenders", "extenderConfigs", "hardPodAffinitySymmetricWeight", "alwaysCheckAllPredicates"}

// In looks for configurations in the documents of a file, in file order.
func In(file string, documents []*source.Document) ([]Found, []Skipped) {
	f := &finder{file: file, decoded: maxDecoded}
	for i, doc := range documents {
		if len(documents) > i+1 && bytes.Contains(doc.Bytes(), []byte("kops.k8s.io/")) {
			f.kopsCluster(doc)
		}
		if MayHold(doc.Bytes()) {
			f.budget = 8*len(doc.Bytes()) + 1000
			f.outer = doc
			f.document(doc)
		}
	}
	return f.found, f.skipped
}

// kopsCluster notes the cluster that the documents behind it are for.
func (f *finder) kopsCluster(doc *source.Document) {
	root := doc.Root()
	if object := objectOf(root); object.Kind == "Cluster" && strings.HasPrefix(f.carrier(root, object), "kOps") && !isTemplate(doc) {
		f.cluster = f.enter(root, place{})
	}
}

// finder collects what is found in one file.
type finder struct {
	file    string
	outer   *source.Document
	found   []Found
	skipped []Skipped
	// budget is how many nodes and bytes of inner texts may still be looked at in a document. It is
	// more than a document has, so it ends only where aliases lead to the same again and again.
	budget int
	// deep is true when something is nested too deep to look at.
	deep bool
	// decoded is how many bytes may still come out of base64 and gzip.
	decoded int
	// cluster is the cluster of kOps that the documents behind it are for: there a configuration may stand
	// beside the specification.
	cluster place
}

// place is what is known about the surroundings of a node.
type place struct {
	carrier string
	object  Object
	// root is the object that the node belongs to.
	root      *source.Node
	key       string
	keys      []string
	target    string
	targetPos diag.Position
	// path leads to the root of the document, for a document that is a text inside of another.
	path         diag.Path
	level, depth int
}

func (f *finder) add(in place, found Found) {
	found.Outer = f.outer
	found.Carrier, found.Object, found.Key, found.Keys = in.carrier, in.object, in.key, in.keys
	if found.Target == "" {
		found.Target, found.TargetPos = in.target, in.targetPos
	}
	if found.Doc != nil && found.Pos.Line == 0 {
		found.Pos = found.Doc.Position(nil)
	}
	f.found = append(f.found, found)
}

func (f *finder) skip(reason Reason, pos diag.Position, what string) {
	f.skipped = append(f.skipped, Skipped{Reason: reason, Pos: pos, What: what})
}

// document looks at a document of the file.
func (f *finder) document(doc *source.Document) {
	text := doc.Bytes()
	if bytes.IndexByte(text, 0) >= 0 {
		f.skip(Binary, doc.Position(nil), "")
		return
	}
	if apiVersion, kind, ok := doc.Sniff(); ok && isConfigType(apiVersion, kind) && !hasBraces(text) {
		f.add(f.cluster, Found{Kind: Config, Doc: doc}) // most files are plain ones, and need no second parse
		return
	}
	root := doc.Root()
	if kind, ok := kindOf(doc); ok && !isTemplate(doc) {
		f.add(f.cluster, Found{Kind: kind, Doc: doc})
		return
	}
	before := len(f.found) + len(f.skipped)
	switch {
	case isTemplate(doc):
		f.skip(Template, doc.Position(nil), objectOf(root).String())
		return
	case root == nil && !utf8.Valid(text):
		f.skip(Binary, doc.Position(nil), "")
		return
	case root == nil:
		if pos, _, broken := doc.Syntax(); broken {
			f.skip(Syntax, pos, "")
		}
		return
	}
	f.deep = false
	f.walk(root, place{})
	if f.budget < 0 || f.deep {
		f.skip(Excess, doc.Position(nil), objectOf(root).String())
	} else if len(f.found)+len(f.skipped) == before && bytes.Contains(text, []byte("cheduler")) {
		f.skip(Other, doc.Position(nil), objectOf(root).String())
	}
}

// isTemplate reports whether a text has to be rendered before it can be read. Braces within quotes
// are no obstacle, so a template is one if it cannot be read, or reads as what nobody writes.
func isTemplate(doc *source.Document) bool {
	if !hasBraces(doc.Bytes()) {
		return false
	}
	root := doc.Root()
	return root == nil || root.HasOddKey()
}

func hasBraces(text []byte) bool {
	return bytes.Contains(text, []byte("{{")) || bytes.Contains(text, []byte("{%"))
}

// kindOf says whether a document is a configuration or a Policy. One that cannot be read is what its
// text says that it is.
func kindOf(doc *source.Document) (Kind, bool) {
	root := doc.Root()
	switch {
	case root == nil && broken.Match(doc.Bytes()):
		return Config, true
	case root == nil && brokenPolicy.Match(doc.Bytes()) && mayBePolicy(doc.Bytes()):
		return Policy, true
	case isConfig(root):
		return Config, true
	case isPolicy(root):
		return Policy, true
	}
	return "", false
}

// Lines in the first column make a text that cannot be read a configuration; quoted keys do so
// wherever they stand, as in JSON.
var (
	broken       = regexp.MustCompile(`(?m)^(?:\{[ \t]*|[{ \t]*["'])?(?:kind["']?[ \t]*:[ \t]*["']?KubeSchedulerConfiguration\b|apiVersion["']?[ \t]*:[ \t]*["']?kubescheduler\.config\.k8s\.io/)`)
	brokenPolicy = regexp.MustCompile(`(?m)^(?:\{[ \t]*|[{ \t]*["'])?kind["']?[ \t]*:[ \t]*["']?Policy\b`)
)

const (
	configKind = "KubeSchedulerConfiguration"
	group      = "kubescheduler.config.k8s.io/"
)

func isConfig(n *source.Node) bool {
	return isConfigType(n.Field("apiVersion").Text(), n.Field("kind").Text())
}

func isConfigType(apiVersion, kind string) bool {
	// Args of plugins have the group too, and are no configurations.
	return kind == configKind || strings.HasPrefix(apiVersion, group) && !strings.HasSuffix(kind, "Args") && kind != "Policy"
}

func isPolicy(n *source.Node) bool {
	if n.Field("kind").Text() != "Policy" {
		return false
	}
	apiVersion := n.Field("apiVersion").Text()
	if apiVersion != "" && apiVersion != "v1" && !strings.HasPrefix(apiVersion, group) {
		return false
	}
	for _, field := range policyFields {
		if n.Field(field) != nil {
			return true
		}
	}
	return false
}

// isUntyped reports whether a text inside of another is a configuration that does not say so.
func isUntyped(n *source.Node) bool {
	if n.Field("kind") != nil || n.Field("apiVersion") != nil {
		return false
	}
	for item := range n.Field("profiles").Items() {
		if item.Field("schedulerName") != nil || item.Field("pluginConfig") != nil || item.Field("plugins").IsMapping() {
			return true
		}
	}
	return false
}

func objectOf(n *source.Node) Object {
	return Object{
		APIVersion: n.Field("apiVersion").Text(), Kind: n.Field("kind").Text(),
		Namespace: n.Field("metadata", "namespace").Text(), Name: n.Field("metadata", "name").Text(),
	}
}

// walk looks at a node and everything below.
func (f *finder) walk(n *source.Node, in place) {
	f.budget--
	in.depth++
	f.deep = f.deep || in.depth > maxDepth
	if f.budget < 0 || in.depth > maxDepth {
		return
	}
	switch {
	case n.IsMapping():
		f.mapping(n, in)
	case n.IsList():
		for item := range n.Items() {
			f.walk(item, in)
		}
	default:
		f.text(n, in)
	}
}

func (f *finder) mapping(n *source.Node, in place) {
	if isConfig(n) || isPolicy(n) {
		f.object(n, in)
		return
	}
	if in.depth == 1 || n.Field("kind").Text() != "" && n.Field("apiVersion").Text() != "" {
		in = f.enter(n, in)
	}
	if written := n.Field("path").Text(); strings.HasPrefix(written, "/") {
		in.key = written
		if content := n.Field("content"); n.Field("encoding").Text() != "" && content != nil {
			f.encoded(content, in)
		}
	}
	if n.Field("containers").IsList() {
		f.pod(n, in)
	}
	f.settings(n, in)
	for name, child := range n.Fields() {
		switch {
		case in.object.Kind == "ConfigMap" && (name == "data" || name == "binaryData") && child.IsMapping():
			f.data(n, child, in)
		case name == "configMapGenerator" && child.IsList():
			for item := range child.Items() {
				f.generator(item, in)
			}
		default:
			f.walk(child, in)
		}
	}
}

// object adds a configuration that is a part of the tree. The fields are those that whoever reads it
// adds where they are missing.
func (f *finder) object(n *source.Node, in place, fields ...string) {
	kind := ConfigObject
	if isPolicy(n) {
		kind = Policy
	}
	doc, err := n.DocumentWith(fields...)
	if err != nil {
		f.skip(Excess, n.Position(), in.carrier)
		return
	}
	f.add(in, Found{Kind: kind, Doc: doc, Path: f.path(n, in), Pos: n.Position()})
}

func (f *finder) path(n *source.Node, in place) diag.Path { return in.path.Child(n.Path()...) }

// data looks at the values of a ConfigMap.
func (f *finder) data(configMap, values *source.Node, in place) {
	for _, name := range []string{"data", "binaryData"} {
		for key := range configMap.Field(name).Fields() {
			in.keys = append(in.keys, key)
		}
	}
	binary := values.Path()[len(values.Path())-1] == "binaryData"
	for key, value := range values.Fields() {
		in.key = key
		if binary {
			f.encoded(value, in)
		} else {
			f.walk(value, in)
		}
	}
}

// encoded looks into base64, compressed or not.
func (f *finder) encoded(n *source.Node, in place) {
	compact := strings.Join(strings.Fields(n.Text()), "")
	f.budget -= len(compact)
	data, err := base64.StdEncoding.DecodeString(compact)
	if err != nil || f.budget < 0 {
		return
	}
	if bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return
		}
		data, err = io.ReadAll(io.LimitReader(r, int64(f.decoded)+1))
		if err != nil {
			return
		}
	}
	if f.decoded -= len(data); f.decoded < 0 {
		f.decoded = 0
		f.skip(Excess, n.Position(), in.carrier)
		return
	}
	f.budget += 8 * len(data)
	if MayHold(data) {
		f.inner(n.Decoded(data), n, in)
	}
}

// text looks into a scalar.
func (f *finder) text(n *source.Node, in place) {
	text := n.Text()
	// On a single line only JSON and flow style can be an object.
	if !strings.Contains(text, "\n") && !strings.HasPrefix(text, "{") || in.key != policyKey && !MayHold([]byte(text)) {
		return
	}
	f.inner(n.Documents(0), n, in)
}

// inner looks at the documents of a text inside of another.
func (f *finder) inner(documents []*source.Document, n *source.Node, in place) {
	if in.level == maxLevel {
		f.skip(Excess, n.Position(), in.carrier)
		return
	}
	for _, doc := range documents {
		f.budget -= len(doc.Bytes())
		if f.budget < 0 {
			return
		}
		legacy := in.object.Kind == "ConfigMap" && in.key == policyKey
		if !MayHold(doc.Bytes()) && !legacy {
			continue
		}
		kind, ok := kindOf(doc)
		if !ok && legacy {
			kind, ok = Policy, true // for kube-scheduler the key says so
		}
		switch root := doc.Root(); {
		case isTemplate(doc):
			// A text may mention a scheduler and be a template for something else.
			if ok || mentionsConfig(doc.Bytes()) {
				f.skip(Template, doc.Position(nil), in.carrier)
			}
		case ok:
			f.add(in, Found{Kind: kind, Doc: doc, Path: f.path(n, in)})
		case isUntyped(root):
			f.add(in, Found{Kind: Config, Doc: doc, Path: f.path(n, in)})
		case root.IsMapping(), root.IsList():
			inside := in
			inside.path, inside.depth = f.path(n, in), 0
			inside.level++
			f.walk(root, inside)
		}
	}
}

func mentionsConfig(text []byte) bool {
	return bytes.Contains(text, []byte(configKind)) || bytes.Contains(text, []byte(group))
}

// generator looks at an entry of a kustomization's configMapGenerator.
func (f *finder) generator(n *source.Node, in place) {
	in.object = Object{"v1", "ConfigMap", n.Field("namespace").Text(), n.Field("name").Text()}
	in.carrier = "kustomization"
	files, literals := n.Field("files"), n.Field("literals")
	for item := range files.Items() {
		key, _ := generated(item.Text())
		in.keys = append(in.keys, key)
	}
	for item := range literals.Items() {
		key, _, _ := strings.Cut(item.Text(), "=")
		in.keys = append(in.keys, key)
	}
	for item := range files.Items() {
		key, name := generated(item.Text())
		in.key = key
		f.budget--
		if name != "" && f.budget >= 0 {
			f.add(in, Found{Kind: Reference, Path: f.path(item, in), Pos: item.Position(), File: name})
		}
	}
	for item := range literals.Items() {
		key, value, _ := strings.Cut(item.Text(), "=")
		in.key = key
		if MayHold([]byte(value)) {
			f.inner(item.Documents(len(key)+1), item, in)
		}
	}
}

// generated splits an entry of files, which names the key where it is not that of the file.
func generated(entry string) (key, name string) {
	key, name, ok := strings.Cut(entry, "=")
	if !ok {
		return path.Base(entry), entry
	}
	return key, name
}

// enter notes the object that a mapping is.
func (f *finder) enter(n *source.Node, in place) place {
	object := objectOf(n)
	if object.Kind == "" && in.level > 0 {
		return in
	}
	in.object, in.root, in.key, in.keys = object, n, "", nil
	in.carrier = f.carrier(n, object)
	for _, at := range versionFields {
		if field := n.Field(at...); minorOf(field.Text()) != "" {
			in.target, in.targetPos = minorOf(field.Text()), field.ValuePosition()
			return in
		}
	}
	images := []*source.Node{n.Field("machine", "kubelet", "image")}
	for node := range n.Field("nodes").Items() {
		images = append(images, node.Field("image"))
	}
	for _, image := range images {
		if minor := imageMinor(image.Text()); minor != "" {
			in.target, in.targetPos = minor, image.ValuePosition()
			return in
		}
	}
	return in
}

// versionFields are where objects say which Kubernetes they are for.
var versionFields = [][]string{
	{"kubernetesVersion"}, {"spec", "kubernetesVersion"}, {"spec", "version"}, {"spec", "topology", "version"}, {"spec", "kubernetes", "version"},
}

// carrier names an object in the words of those who write it.
func (f *finder) carrier(n *source.Node, object Object) string {
	base := path.Base(f.file)
	switch owner, _, _ := strings.Cut(object.APIVersion, "/"); {
	case owner == "kubeadm.k8s.io", object.Kind == "ClusterConfiguration", object.Kind == "MasterConfiguration":
		return "kubeadm " + object.Kind
	case strings.HasSuffix(owner, "kops.k8s.io"):
		return "kOps " + object.String()
	case strings.HasPrefix(owner, "kind."):
		return "kind Cluster"
	case strings.HasPrefix(owner, "k0s."):
		return "k0s " + object.String()
	case owner == "kustomize.config.k8s.io", strings.HasPrefix(strings.ToLower(base), "kustomization"):
		return "kustomization"
	case object.Kind != "":
		return object.String()
	case n.Field("machine") != nil, n.Field("cluster", "scheduler") != nil:
		return "Talos machine configuration"
	case strings.HasPrefix(base, "values"):
		return "Helm values"
	}
	return "mapping without a kind"
}

var minorPattern = regexp.MustCompile(`^v?(1\.[0-9]{1,2})(?:\.[0-9]+)?(?:[-+_].*)?$`)

// minorOf returns the minor of a version of Kubernetes, empty if it is none.
func minorOf(version string) string {
	if match := minorPattern.FindStringSubmatch(version); match != nil {
		return match[1]
	}
	return ""
}

var (
	// kubernetesImage matches the images whose tag is a version of Kubernetes.
	kubernetesImage = regexp.MustCompile(`(?:^|/)(?:kube-scheduler|hyperkube|kubelet|hardened-kubernetes|kindest/node)(?:-(?:amd64|arm64|arm|ppc64le|s390x))?:([^/@]+)(?:@.*)?$`)
	// pluginsImage matches the scheduler of kubernetes-sigs/scheduler-plugins, whose v0.30 is for 1.30.
	pluginsImage = regexp.MustCompile(`(?:^|/)scheduler-plugins/kube-scheduler:v?0\.([0-9]{1,2})\.[^/]*$`)
)

// imageMinor returns the minor that an image is of, empty if its tag does not say.
func imageMinor(image string) string {
	if match := pluginsImage.FindStringSubmatch(image); match != nil {
		return "1." + match[1]
	}
	if match := kubernetesImage.FindStringSubmatch(image); match != nil {
		return minorOf(match[1])
	}
	return ""
}
