// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/scheme/source/find"
)

// crossAdvice are cross rules about what works, and works otherwise than it looks.
var crossAdvice = []crossRule{{
	Rule: Rule{
		ID:        "config-applied",
		Summary:   "a configuration is applied to a cluster, which knows no such kind",
		Otherwise: diag.Warning,
		Doc: `A KubeSchedulerConfiguration is no object of the API: kube-scheduler reads it from a file when it starts. kubectl apply, and everything that applies manifests, ends with "no matches for kind KubeSchedulerConfiguration". It goes into a ConfigMap that the scheduler mounts, or onto the machine of the scheduler.

Bad:

    # kustomization.yaml; config.yaml is a KubeSchedulerConfiguration
    resources: [deployment.yaml, config.yaml]

Good:

    resources: [deployment.yaml]
    configMapGenerator: [{name: scheduler-config, files: [config.yaml]}]

The same holds for a configuration among the items of a List.`,
	},
	check: checkApplied,
}, {
	Rule: Rule{
		ID:        "scheduler-newer",
		Summary:   "the scheduler is newer than the API server",
		Otherwise: diag.Warning,
		Doc: `kube-scheduler must not be newer than the API server that it talks to; it may be one minor older. A newer one asks for what the server does not have, and may never start to schedule. In an upgrade the API servers go first.

Bad:

    image: registry.k8s.io/kube-apiserver:v1.30.2
    image: registry.k8s.io/kube-scheduler:v1.31.0

Good:

    image: registry.k8s.io/kube-apiserver:v1.31.0
    image: registry.k8s.io/kube-scheduler:v1.31.0

The rule compares images of manifests in one folder.`,
	},
	check: checkNewer,
}, {
	Rule: Rule{
		ID:        "lease-split",
		Summary:   "two schedulers have the same profile and different leases",
		Otherwise: diag.Warning,
		Doc: `Schedulers with the same lease take turns. Two with a profile of the same name and leases of their own run at once: both schedule the same pods, each without knowing what the other assumes, and nodes are filled twice.

Bad:

    # of one scheduler
    leaderElection: {resourceName: kube-scheduler}
    # of another one in its place
    leaderElection: {resourceName: my-scheduler}

Good:

    # of both
    leaderElection: {resourceName: kube-scheduler}

Profiles of different names need different leases. The rule compares containers of manifests in one folder.`,
	},
	check: checkLeaseSplit,
}, {
	Rule: Rule{
		ID:        "lease-elsewhere",
		Summary:   "the lease of a scheduler is in kube-system by default, and the scheduler is not",
		Otherwise: diag.Info,
		Doc: `Without leaderElection.resourceNamespace the lease is in kube-system, wherever the scheduler runs. Roles have to allow it there, and a namespace that is moved or removed leaves it behind. Write the namespace that is meant, be it kube-system.

Bad:

    metadata: {name: my-scheduler, namespace: scheduling}
    # of the configuration
    leaderElection: {resourceName: my-scheduler}

Good:

    metadata: {name: my-scheduler, namespace: scheduling}
    # of the configuration
    leaderElection: {resourceName: my-scheduler, resourceNamespace: scheduling}

A scheduler that runs in kube-system is left alone.`,
	},
	check: checkLeaseNamespace,
}, {
	Rule: Rule{
		ID:        "config-not-reloaded",
		Summary:   "a change of the ConfigMap does not reach the running scheduler",
		Otherwise: diag.Info,
		Doc: `kube-scheduler reads its file once. When the ConfigMap changes, the pods go on with the old configuration until they are replaced. A checksum of the configuration in the annotations of the pods, a name that changes with the content, as kustomize generates it, or a controller that watches for changes starts them anew.

Bad:

    # of the Deployment that mounts the ConfigMap
    template:
      metadata: {labels: {app: my-scheduler}}

Good:

    template:
      metadata:
        labels: {app: my-scheduler}
        annotations: {checksum/config: 4b1f9c02}

Every annotation that has checksum, hash or reload in its name will do.`,
	},
	check: checkReloaded,
}, {
	Rule: Rule{
		ID:        "percentage-idle",
		Summary:   "percentageOfNodesToScore does nothing with so few nodes",
		Otherwise: diag.Info,
		Doc: `The search for nodes ends early only when 100 nodes were found to fit. With fewer nodes all of them are looked at and scored, whatever percentageOfNodesToScore says. If pods are placed unevenly there, the reason is another.

Bad:

    percentageOfNodesToScore: 50                    # and ten Node objects beside

Good:

    profiles: [{schedulerName: default-scheduler}]

The rule counts the Node objects in the same folder, as kubectl get nodes -o yaml writes them.`,
	},
	check: checkPercentageIdle,
}, {
	Rule: Rule{
		ID:        "talos-config-flag",
		Summary:   "a Talos machine configuration gives the scheduler --config, which Talos refuses",
		Otherwise: diag.Warning,
		Doc: `Talos writes the configuration of the scheduler itself, and refuses a machine configuration with config among cluster.scheduler.extraArgs: extra arg "config" is not allowed. Since Talos 1.6 the configuration stands in the machine configuration, without apiVersion and kind.

Bad:

    cluster:
      scheduler:
        extraArgs: {config: /etc/kubernetes/scheduler-config.yaml}

Good:

    cluster:
      scheduler:
        config:
          profiles: [{schedulerName: default-scheduler}]

Talos sets clientConnection.kubeconfig, too.`,
	},
	check: checkTalosFlag,
}}

func checkApplied(p *crossPass) {
	files := map[string]*find.Found{}
	for i := range p.Found {
		f := &p.Found[i]
		switch {
		case f.Kind == find.Config && f.Carrier == "" && f.Doc.Index == 0:
			files[path.Clean(f.Doc.File)] = f
		case f.Kind == find.ConfigObject && strings.HasSuffix(f.Object.Kind, "List") && len(f.Path) == 2 && f.Path[0] == "items":
			p.report(diag.Diagnostic{
				Pos: f.Pos, Path: f.Path, Hint: "put it into a ConfigMap that the scheduler mounts, or into a file of its own",
				Message: "a configuration is an item of a List, and no cluster takes objects of its kind",
			})
		}
	}
	for _, applied := range p.Beside.Applied {
		file := path.Join(path.Dir(applied.Pos.File), applied.File)
		if config := files[file]; config != nil {
			p.report(diag.Diagnostic{
				Pos: applied.Pos, Related: []diag.Place{{Pos: config.Pos, Message: "this is the configuration"}},
				Hint:    "list it under configMapGenerator, and mount the ConfigMap",
				Message: fmt.Sprintf("%q is a configuration of kube-scheduler, and no cluster takes objects of its kind", applied.File),
			})
		}
	}
}

func checkNewer(p *crossPass) {
	if p.Release == nil {
		return
	}
	for f := range p.commands {
		if f.Target == "" || !f.Command.Mounted || f.Command.Image == "" || f.TargetPos != f.Command.ImagePos {
			continue
		}
		scheduler := p.Release(f.Target)
		for _, server := range p.Beside.Servers {
			release := p.Release(server.Minor)
			if scheduler == nil || release == nil || !scheduler.NewerThan(release) || path.Dir(server.Pos.File) != path.Dir(f.Pos.File) {
				continue
			}
			p.report(diag.Diagnostic{
				Pos: f.TargetPos, Path: f.Path, Related: []diag.Place{{Pos: server.Pos, Message: "the API server is started here"}},
				Hint:    "upgrade the API server first, or run a scheduler of its minor",
				Message: fmt.Sprintf("the scheduler is of Kubernetes %s, newer than the API server of %s", scheduler.Name, release.Name),
			})
			break
		}
	}
}

func checkLeaseSplit(p *crossPass) {
	type runner struct {
		found    *find.Found
		lease    election
		profiles []string
		pos      diag.Position
	}
	var runners []runner
	for f := range p.commands {
		config := p.links[f]
		lease, on := p.electionOf(f, config)
		if !on || config == nil || !f.Command.Mounted || f.Object.Kind == "" {
			continue
		}
		at := diag.Diagnostic{Path: diag.Path{"leaderElection", "resourceName"}}
		runners = append(runners, runner{f, lease, profiles(config), place(config.Doc, &at)})
	}
	for i, second := range runners {
		for _, first := range runners[:i] {
			same := slices.IndexFunc(second.profiles, func(name string) bool { return slices.Contains(first.profiles, name) })
			sameLease := first.lease.namespace == second.lease.namespace && first.lease.name == second.lease.name
			if same < 0 || sameLease || first.found.Object == second.found.Object || path.Dir(first.found.Pos.File) != path.Dir(second.found.Pos.File) {
				continue
			}
			p.report(diag.Diagnostic{
				Pos: second.pos, Path: diag.Path{"leaderElection", "resourceName"},
				Related: []diag.Place{{Pos: first.pos, Message: fmt.Sprintf("%s uses %s/%s here", first.found.Object, first.lease.namespace, first.lease.name)}},
				Hint:    "give both the same lease, or profiles of different names",
				Message: fmt.Sprintf("%s and %s both schedule for %q, and their leases differ, so that both do at once", first.found.Object, second.found.Object, second.profiles[same]),
			})
			break
		}
	}
}

func checkLeaseNamespace(p *crossPass) {
	for f := range p.commands {
		config := p.links[f]
		lease, on := p.electionOf(f, config)
		if !on || config == nil || f.Command.Static || f.Object.Namespace == "" || f.Object.Namespace == lease.namespace || lease.namespace != "kube-system" {
			continue
		}
		if config.Doc.Has(diag.Path{"leaderElection", "resourceNamespace"}) || config.Doc.Has(diag.Path{"leaderElection", "lockObjectNamespace"}) {
			continue
		}
		if _, given := f.Command.Flag("leader-elect-resource-namespace"); given {
			continue
		}
		p.reportIn(config, diag.Diagnostic{
			Path:    diag.Path{"leaderElection", "resourceNamespace"},
			Related: []diag.Place{{Pos: f.Pos, Message: "the scheduler runs in " + f.Object.Namespace}},
			Hint:    "write leaderElection.resourceNamespace: " + f.Object.Namespace + ", or kube-system if that is meant",
			Message: fmt.Sprintf("the lease %s is in kube-system by default, and %s is not", lease.name, f.Object),
		})
	}
}

// restarters are parts of the names of annotations by which pods are replaced when their configuration changes.
var restarters = []string{"checksum", "hash", "reload"}

func checkReloaded(p *crossPass) {
	for f := range p.commands {
		config := p.links[f]
		if config == nil || config.Object.Kind != "ConfigMap" || config.Carrier == "kustomization" || f.Outer == nil {
			continue
		}
		at := slices.Index(f.Path, "containers")
		if at < 2 || f.Path[at-1] != "spec" || f.Path[at-2] != "template" || !f.Outer.Has(f.Path) {
			continue // what makes pods has a template
		}
		template := f.Path[:at-1]
		// The object that has the template may be an item of a List.
		owner := template[:len(template)-1]
		if len(owner) > 0 && owner[len(owner)-1] == "spec" {
			owner = owner[:len(owner)-1]
		}
		keys := slices.Concat(annotations(f.Outer, template), annotations(f.Outer, owner))
		if slices.ContainsFunc(keys, func(key string) bool {
			return slices.ContainsFunc(restarters, func(word string) bool { return strings.Contains(strings.ToLower(key), word) })
		}) {
			continue
		}
		p.report(diag.Diagnostic{
			Pos: f.Outer.Position(template.Child("metadata", "annotations")), Path: template.Child("metadata", "annotations"),
			Related: []diag.Place{{Pos: config.Pos, Message: "this is the configuration"}},
			Hint:    "give the pods an annotation with a checksum of the configuration",
			Message: fmt.Sprintf("when ConfigMap %s changes, the pods of %s go on with the old configuration", config.Object.Name, f.Object),
		})
	}
}

func annotations(doc *source.Document, object diag.Path) []string {
	return doc.Keys(object.Child("metadata", "annotations"))
}

func checkPercentageIdle(p *crossPass) {
	for config := range configs(p.Found) {
		nodes := 0
		var first diag.Position
		for _, node := range p.Beside.Nodes {
			if near(config.Pos.File, node.Pos.File) {
				if nodes == 0 {
					first = node.Pos
				}
				nodes++
			}
		}
		if nodes == 0 || nodes >= fewestNodes {
			continue
		}
		paths := []diag.Path{{"percentageOfNodesToScore"}}
		for i := range config.Doc.Len(diag.Path{"profiles"}) {
			paths = append(paths, diag.Path{"profiles"}.Index(i).Child("percentageOfNodesToScore"))
		}
		for _, at := range paths {
			text, ok := config.Doc.Scalar(at)
			if n, err := strconv.Atoi(text); !ok || err != nil || n <= 0 || n >= 100 {
				continue
			}
			p.reportIn(config, diag.Diagnostic{
				Path: at, Related: []diag.Place{{Pos: first, Message: fmt.Sprintf("the first of %d nodes", nodes)}},
				Hint:    "take it out; if pods are placed unevenly, there is another reason",
				Message: fmt.Sprintf("with %d nodes all of them are scored: below %d this does nothing", nodes, fewestNodes),
			})
		}
	}
}

func checkTalosFlag(p *crossPass) {
	for f := range p.commands {
		if flag, ok := f.Command.Flag("config"); ok && strings.HasPrefix(f.Carrier, "Talos") {
			p.report(diag.Diagnostic{
				Pos: flag.Pos, Path: f.Path.Child("extraArgs", "config"), Hint: "write the configuration under cluster.scheduler.config",
				Message: "Talos refuses the flag --config, since it writes the configuration itself",
			})
		}
	}
}
