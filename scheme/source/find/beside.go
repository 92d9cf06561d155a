// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package find

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/source"
)

// Objects are what stands beside configurations, and has to fit them.
type Objects struct {
	Pods     []Pod
	Roles    []Role
	Bindings []Binding
	// Nodes are the nodes of clusters, one by one.
	Nodes []Node
	// Servers are the API servers that are started.
	Servers []Server
	// Applied are the files that a kustomization applies to a cluster.
	Applied []Applied
}

// Add adds the objects of another file.
func (o *Objects) Add(more Objects) {
	o.Pods = append(o.Pods, more.Pods...)
	o.Roles = append(o.Roles, more.Roles...)
	o.Bindings = append(o.Bindings, more.Bindings...)
	o.Nodes = append(o.Nodes, more.Nodes...)
	o.Servers = append(o.Servers, more.Servers...)
	o.Applied = append(o.Applied, more.Applied...)
}

// Pod is a pod, or an object with a template for pods, that names its scheduler.
type Pod struct {
	Object        Object
	SchedulerName string
	Path          diag.Path
	Pos           diag.Position
}

// Role is a Role or a ClusterRole.
type Role struct {
	Object Object
	Rules  []RoleRule
	// Aggregated is true if rules of other roles are added in the cluster.
	Aggregated bool
	Pos        diag.Position
}

// RoleRule says what a role allows.
type RoleRule struct{ Groups, Resources, Names, Verbs []string }

// Binding is a RoleBinding or a ClusterRoleBinding.
type Binding struct {
	Object Object
	// RoleKind and Role name what it binds.
	RoleKind, Role string
	Subjects       []Subject
	Pos            diag.Position
}

// Subject is whom a role is bound to.
type Subject struct{ Kind, Namespace, Name string }

// Node is a node of a cluster, as the cluster tells of it: with the nodeInfo of its kubelet. One that
// somebody has thought up has none.
type Node struct {
	Name string
	Pos  diag.Position
}

// Server is a container that runs kube-apiserver.
type Server struct {
	Object Object
	// Minor is that of its image, such as 1.30.
	Minor string
	Pos   diag.Position
}

// Applied is an entry of the resources of a kustomization, which may be a file or a folder.
type Applied struct {
	// File is the name as it is written.
	File string
	Pos  diag.Position
}

const rbacGroup = "rbac.authorization.k8s.io"

// MayStandBeside reports whether a file may have objects that Beside returns.
func MayStandBeside(data []byte) bool {
	if !mentions(data) {
		return false
	}
	has := func(word string) bool { return bytes.Contains(data, []byte(word)) }
	return has("schedulerName") || has(rbacGroup) || has("kube-apiserver:") || has("kind: "+kustomization) || has("nodeInfo") && nodeKind.Match(data)
}

// nodeKind matches the kind of a node, in YAML or JSON.
var nodeKind = regexp.MustCompile(`"?kind"?: "?Node\b`)

const kustomization = "Kustomization"

// serverImage matches images of kube-apiserver whose tag is a version.
var serverImage = regexp.MustCompile(`(?:^|/)kube-apiserver(?:-(?:amd64|arm64|arm|ppc64le|s390x))?:([^/@]+)(?:@.*)?$`)

// minorOfServer returns the minor of an image of kube-apiserver, empty for any other.
func minorOfServer(image string) string {
	if match := serverImage.FindStringSubmatch(image); match != nil {
		return minorOf(match[1])
	}
	return ""
}

// Beside returns the objects of a file that configurations have to fit. What cannot be read is left
// out; In says so where it matters.
func Beside(documents []*source.Document) Objects {
	var b beside
	for _, doc := range documents {
		if apiVersion, kind, ok := doc.Sniff(); ok && isConfigType(apiVersion, kind) || !MayStandBeside(doc.Bytes()) {
			continue // a parse costs more than that
		}
		if root := doc.Root(); root != nil && !isConfig(root) && !isTemplate(doc) {
			b.budget = 8*len(doc.Bytes()) + 1000
			b.walk(root, Object{}, 0)
		}
	}
	return b.Objects
}

type beside struct {
	Objects
	budget int
}

func (b *beside) walk(n *source.Node, in Object, depth int) {
	b.budget--
	if b.budget < 0 || depth > maxDepth || !n.IsMapping() && !n.IsList() {
		return
	}
	for item := range n.Items() {
		b.walk(item, in, depth+1)
	}
	if kind := n.Field("kind").Text(); kind != "" && n.Field("metadata").IsMapping() {
		in = objectOf(n)
	}
	if strings.HasPrefix(in.APIVersion, rbacGroup+"/") {
		switch n.Field("kind").Text() {
		case "Role", "ClusterRole":
			b.role(n, in)
			return
		case "RoleBinding", "ClusterRoleBinding":
			b.binding(n, in)
			return
		}
	}
	switch {
	case in.Kind == "Node" && in.APIVersion == "v1" && n.Field("status", "nodeInfo") != nil:
		b.Nodes = append(b.Nodes, Node{in.Name, n.Position()})
		return
	case depth == 0 && n.Field("kind").Text() == kustomization:
		b.applied(n)
	}
	for container := range n.Field("containers").Items() {
		if minor := minorOfServer(container.Field("image").Text()); minor != "" {
			b.Servers = append(b.Servers, Server{in, minor, container.Field("image").ValuePosition()})
		}
	}
	if name := n.Field("schedulerName"); name.Text() != "" && n.Field("containers").IsList() {
		b.Pods = append(b.Pods, Pod{Object: in, SchedulerName: name.Text(), Path: name.Path(), Pos: name.ValuePosition()})
	}
	for _, child := range n.Fields() {
		b.walk(child, in, depth+1)
	}
}

func (b *beside) applied(n *source.Node) {
	for _, field := range []string{"resources", "bases"} {
		for item := range n.Field(field).Items() {
			if b.budget--; b.budget < 0 {
				return
			}
			b.Applied = append(b.Applied, Applied{item.Text(), item.ValuePosition()})
		}
	}
}

func (b *beside) role(n *source.Node, object Object) {
	role := Role{Object: object, Aggregated: n.Field("aggregationRule") != nil, Pos: n.Position()}
	for rule := range n.Field("rules").Items() {
		role.Rules = append(role.Rules, RoleRule{
			Groups: b.texts(rule.Field("apiGroups")), Resources: b.texts(rule.Field("resources")),
			Names: b.texts(rule.Field("resourceNames")), Verbs: b.texts(rule.Field("verbs")),
		})
	}
	b.Roles = append(b.Roles, role)
}

func (b *beside) texts(list *source.Node) []string {
	var texts []string
	for item := range list.Items() {
		if b.budget--; b.budget < 0 {
			break
		}
		texts = append(texts, item.Text())
	}
	return texts
}

func (b *beside) binding(n *source.Node, object Object) {
	binding := Binding{Object: object, RoleKind: n.Field("roleRef", "kind").Text(), Role: n.Field("roleRef", "name").Text(), Pos: n.Position()}
	for subject := range n.Field("subjects").Items() {
		binding.Subjects = append(binding.Subjects, Subject{subject.Field("kind").Text(), subject.Field("namespace").Text(), subject.Field("name").Text()})
	}
	b.Bindings = append(b.Bindings, binding)
}

// Binds reports whether a binding is for a service account.
func (b *Binding) Binds(namespace, name string) bool {
	return slices.ContainsFunc(b.Subjects, func(s Subject) bool {
		return s.Kind == "ServiceAccount" && s.Name == name && (s.Namespace == namespace || s.Namespace == "" || namespace == "")
	})
}

// Allows reports whether a role allows a verb on a resource of a name.
func (r *Role) Allows(group, resource, name, verb string) bool {
	has := func(list []string, word string) bool {
		return slices.Contains(list, word) || slices.Contains(list, "*")
	}
	return slices.ContainsFunc(r.Rules, func(rule RoleRule) bool {
		// An object that is not there yet has no name, so create cannot be allowed by name.
		named := len(rule.Names) == 0 || verb != "create" && slices.Contains(rule.Names, name)
		return has(rule.Groups, group) && has(rule.Resources, resource) && has(rule.Verbs, verb) && named
	})
}
