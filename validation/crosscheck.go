// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/scheme/source/find"
)

// Input is all that was found in what somebody gave: configurations, command lines, and what stands
// beside them.
type Input struct {
	Found  []find.Found
	Beside find.Objects
	// Release returns the facts of a minor that a carrier names, nil if there are none.
	Release func(minor string) *schemas.Release
}

// CrossRules are the rules that need two sides of one input. They are advice: each file alone may be
// what a release accepts. They fire only where both sides are there and surely belong together.
var CrossRules = func() []Rule {
	rules := make([]Rule, len(crossRules))
	for i, r := range crossRules {
		rules[i] = r.Rule
	}
	return rules
}()

// crossRule is a rule with its check, which looks at all of an input.
type crossRule struct {
	Rule
	check func(*crossPass)
}

var crossRules = append([]crossRule{{
	Rule: Rule{
		ID:        "mount-missing",
		Summary:   "the file that --config names is not mounted",
		Otherwise: diag.Warning,
		Doc: `A scheduler in a container sees the files of its image and those that are mounted. A --config path without a volumeMount around it is a file that is not there, unless it is part of the image. In kubeadm's ClusterConfiguration extraVolumes makes the mount.

Bad:

    command: [kube-scheduler, --config=/etc/kubernetes/scheduler-config.yaml]
    volumeMounts:
    - {name: kubeconfig, mountPath: /etc/kubernetes/scheduler.conf}

Good:

    command: [kube-scheduler, --config=/etc/kubernetes/scheduler-config.yaml]
    volumeMounts:
    - {name: kubeconfig, mountPath: /etc/kubernetes/scheduler.conf}
    - {name: config, mountPath: /etc/kubernetes/scheduler-config.yaml}

The same holds for --policy-config-file.`,
	},
	check: checkMountMissing,
}, {
	Rule: Rule{
		ID:        "mount-key-missing",
		Summary:   "the file that --config names is no key of the ConfigMap that is mounted there",
		Otherwise: diag.Warning,
		Doc: `A mounted ConfigMap has one file per key, or per entry of items. When --config names another file, the scheduler does not start.

Bad:

    data: {scheduler-config.yaml: "..."}             # of the ConfigMap
    command: [my-scheduler, --config=/etc/scheduler/config.yaml]
    volumeMounts: [{name: config, mountPath: /etc/scheduler}]

Good:

    data: {config.yaml: "..."}
    command: [my-scheduler, --config=/etc/scheduler/config.yaml]
    volumeMounts: [{name: config, mountPath: /etc/scheduler}]

The rule is silent about a ConfigMap that is not in the input.`,
	},
	check: checkMountKey,
}, {
	Rule: Rule{
		ID:        "static-pod-kubeconfig",
		Summary:   "the configuration of a static pod has no clientConnection.kubeconfig",
		Otherwise: diag.Warning,
		Doc: `With --config the flag --kubeconfig is ignored. Without clientConnection.kubeconfig the scheduler then looks for the service account of its pod, and a static pod has none: "no configuration has been provided, try setting KUBERNETES_MASTER environment variable". In a Deployment an empty value is right.

Bad:

    command: [kube-scheduler, --config=/etc/kubernetes/scheduler-config.yaml, --kubeconfig=/etc/kubernetes/scheduler.conf]
    # scheduler-config.yaml
    kind: KubeSchedulerConfiguration

Good:

    command: [kube-scheduler, --config=/etc/kubernetes/scheduler-config.yaml]
    # scheduler-config.yaml
    kind: KubeSchedulerConfiguration
    clientConnection: {kubeconfig: /etc/kubernetes/scheduler.conf}

Whoever mounts a kubeconfig elsewhere names that path.`,
	},
	check: checkStaticKubeconfig,
}, {
	Rule: Rule{
		ID:        "lease-shared",
		Summary:   "two schedulers with different profiles elect one leader",
		Otherwise: diag.Warning,
		Doc: `Schedulers that use one lease take turns: only the leader works. That is right for replicas of one scheduler. Two schedulers with different profiles need a lease each, or the pods of one of them wait for ever. The default lease is kube-scheduler in kube-system, which the cluster's own scheduler holds.

Bad:

    # of the second scheduler, beside the default one
    profiles: [{schedulerName: my-scheduler}]

Good:

    profiles: [{schedulerName: my-scheduler}]
    leaderElection: {resourceName: my-scheduler, resourceNamespace: kube-system}

Or leaderElect: false for a scheduler with one replica.`,
	},
	check: checkLeaseShared,
}, {
	Rule: Rule{
		ID:        "replicas-without-election",
		Summary:   "several replicas run without leader election",
		Otherwise: diag.Warning,
		Doc: `Without leader election every replica schedules all pods. They assume different states of the nodes, and bind against each other.

Bad:

    replicas: 2                                     # of the Deployment
    leaderElection: {leaderElect: false}            # of the configuration

Good:

    replicas: 2
    leaderElection: {leaderElect: true, resourceName: my-scheduler}

One replica needs no election.`,
	},
	check: checkReplicas,
}, {
	Rule: Rule{
		ID:        "rbac-lease",
		Summary:   "the service account of a scheduler may not use its lease",
		Otherwise: diag.Warning,
		Doc: `A scheduler with leader election gets, creates and updates a Lease. Without the permission it waits for the lease for ever and schedules nothing. The ClusterRole system:kube-scheduler allows the lease kube-scheduler alone.

Bad:

    leaderElection: {leaderElect: true, resourceName: my-scheduler}
    # of the role
    rules: [{apiGroups: [""], resources: [pods], verbs: [get, list, watch]}]

Good:

    leaderElection: {leaderElect: true, resourceName: my-scheduler}
    # of the role
    rules:
    - {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [create]}
    - {apiGroups: [coordination.k8s.io], resources: [leases], resourceNames: [my-scheduler], verbs: [get, update]}

The rule is silent unless every role that is bound to the service account is known.`,
	},
	check: checkLeaseRBAC,
}, {
	Rule: Rule{
		ID:        "pod-scheduler-name",
		Summary:   "a pod names a scheduler that no profile has",
		Otherwise: diag.Warning,
		Doc: `A pod whose schedulerName is that of no running profile stays Pending, without an event that says so.

Bad:

    profiles: [{schedulerName: my-scheduler}]       # of the configuration
    schedulerName: my-shceduler                     # of the pod

Good:

    profiles: [{schedulerName: my-scheduler}]
    schedulerName: my-scheduler

The rule looks at the profiles of all configurations of the input, and needs at least one. Schedulers that are no kube-scheduler are known by name, such as volcano.`,
	},
	check: checkPodSchedulerName,
}, {
	Rule: Rule{
		ID:        ruleImageMinor,
		Summary:   "the image of the scheduler does not read the apiVersion of its configuration",
		Otherwise: diag.Warning,
		Doc: `The tag of the image says which Kubernetes minor runs, and each minor reads some apiVersions only. A configuration that is too new or too old for the image keeps the scheduler from starting.

Bad:

    image: registry.k8s.io/kube-scheduler:v1.29.0
    apiVersion: kubescheduler.config.k8s.io/v1beta3 # of the configuration

Good:

    image: registry.k8s.io/kube-scheduler:v1.29.0
    apiVersion: kubescheduler.config.k8s.io/v1

The image and the configuration belong together through --config and a mount.`,
	},
	check: checkImageMinor,
}}, crossAdvice...)

const ruleImageMinor = "image-minor"

// crossPass is one cross rule looking at an input.
type crossPass struct {
	Input
	rule     *Rule
	links    map[*find.Found]*find.Found
	findings diag.List
}

// CrossCheck holds the parts of an input against each other. The findings are sorted and have their
// positions.
func CrossCheck(in Input) diag.List { return crossCheck(in, link(in.Found)) }

func crossCheck(in Input, links map[*find.Found]*find.Found) diag.List {
	p := &crossPass{Input: in, links: links}
	for i := range crossRules {
		p.rule = &crossRules[i].Rule
		crossRules[i].check(p)
	}
	p.findings.Sort()
	return p.findings
}

// report adds a finding of the rule.
func (p *crossPass) report(d diag.Diagnostic) {
	d.Rule, d.Severity = p.rule.ID, p.rule.Otherwise
	p.findings = append(p.findings, d)
}

// reportIn adds a finding about a field of a configuration.
func (p *crossPass) reportIn(config *find.Found, d diag.Diagnostic) {
	d.Pos = place(config.Doc, &d)
	p.report(d)
}

// commands yields the command lines of the input.
func (p *crossPass) commands(yield func(*find.Found) bool) { each(p.Found, find.Flags, yield) }

func each(found []find.Found, kind find.Kind, yield func(*find.Found) bool) bool {
	for i := range found {
		if found[i].Kind == kind && !yield(&found[i]) {
			return false
		}
	}
	return true
}

// configs yields the configurations that a scheduler would read: of the documents of a text the first.
func configs(found []find.Found) func(yield func(*find.Found) bool) {
	return func(yield func(*find.Found) bool) {
		for i := range found {
			f := &found[i]
			if (f.Kind == find.Config && f.Doc.Index == 0 || f.Kind == find.ConfigObject) && !yield(f) {
				return
			}
		}
	}
}

// configFile returns the path that a command line takes the configuration from.
func configFile(c *find.Command) (find.Flag, bool) {
	flag, ok := c.Flag("config")
	// Behind a variable or a placeholder there may be any path.
	return flag, ok && strings.HasPrefix(flag.Value, "/") && !strings.ContainsAny(flag.Value, "${}<>@%")
}

// link finds the configuration of each command line. A ConfigMap and a file of a cluster
// specification are known by name. A file of its own is it if it lies near, and no other there has
// its name.
func link(found []find.Found) map[*find.Found]*find.Found {
	keyed, named := map[string]*find.Found{}, map[string][]*find.Found{}
	beside := map[string]*find.Found{} // some installers take the configuration beside the flags
	for f := range configs(found) {
		if f.Kind == find.ConfigObject {
			beside[placeOf(f.Outer, f.Path)] = f
		}
		switch {
		case f.Carrier == "":
			base := path.Base(f.Doc.File)
			named[base] = append(named[base], f)
		case f.Object.Kind == "ConfigMap":
			id := configMapKey(f.Object.Namespace, f.Object.Name, f.Key)
			if _, ok := keyed[id]; !ok {
				keyed[id] = f
			}
		case strings.HasPrefix(f.Key, "/"):
			keyed[f.Key] = f
		}
	}
	links := map[*find.Found]*find.Found{}
	each(found, find.Flags, func(f *find.Found) bool {
		if config := beside[placeOf(f.Outer, f.Path.Child("config"))]; config != nil {
			links[f] = config
			return true
		}
		flag, ok := configFile(f.Command)
		mount, mounted := f.Command.MountOf(flag.Value)
		if !ok || f.Command.Mounted && !mounted {
			return true
		}
		host := flag.Value
		for _, source := range mount.Sources {
			if source.ConfigMap != "" {
				key, _ := keyOf(mount, source, flag.Value)
				for _, namespace := range []string{f.Object.Namespace, ""} {
					if config := keyed[configMapKey(namespace, source.ConfigMap, key)]; config != nil {
						links[f] = config
						return true
					}
				}
			}
			if source.HostPath != "" {
				host = path.Join(source.HostPath, strings.TrimPrefix(path.Clean(flag.Value), path.Clean(mount.Path)))
			}
		}
		if config := keyed[host]; config != nil {
			links[f] = config
			return true
		}
		if len(mount.Sources) > 0 && mount.Sources[0].ConfigMap != "" {
			return true
		}
		same := slices.DeleteFunc(slices.Clone(named[path.Base(host)]), func(config *find.Found) bool { return !near(f.Pos.File, config.Doc.File) })
		if len(same) == 1 {
			links[f] = same[0]
		}
		return true
	})
	return links
}

// placeOf names a place in a document.
func placeOf(doc *source.Document, path diag.Path) string { return fmt.Sprintf("%p %s", doc, path) }

// near reports whether the folder of one file holds the other.
func near(a, b string) bool {
	holds := func(folder, file string) bool {
		return folder == "." && !path.IsAbs(file) || folder == "/" || strings.HasPrefix(path.Clean(file), folder+"/")
	}
	return holds(path.Dir(a), b) || holds(path.Dir(b), a)
}

func configMapKey(namespace, name, key string) string {
	return "\x00" + namespace + "\x00" + name + "\x00" + key
}

// keyOf returns the key of a ConfigMap that a path leads to, and whether the volume gives it a name.
// Without items a file has the name of its key.
func keyOf(mount find.Mount, source find.VolumeSource, file string) (string, bool) {
	relative := strings.TrimPrefix(strings.TrimPrefix(path.Clean(file), path.Clean(mount.Path)), "/")
	relative = path.Join(mount.SubPath, relative)
	if len(source.Items) == 0 {
		return relative, true
	}
	for _, item := range source.Items {
		if path.Clean(item.Path) == relative {
			return item.Key, true
		}
	}
	return relative, false
}

func checkMountMissing(p *crossPass) {
	for f := range p.commands {
		for _, name := range []string{"config", "policy-config-file"} {
			flag, ok := f.Command.Flag(name)
			if !ok || !f.Command.Mounted || !strings.HasPrefix(flag.Value, "/") || strings.ContainsAny(flag.Value, "${}<>@%") {
				continue
			}
			if _, mounted := f.Command.MountOf(flag.Value); mounted {
				continue
			}
			hint := fmt.Sprintf("add a volume and a volumeMount for %s, unless the image has the file", path.Dir(flag.Value))
			if strings.HasPrefix(f.Carrier, "kubeadm") {
				hint = fmt.Sprintf("add %s to scheduler.extraVolumes", flag.Value)
			}
			p.report(diag.Diagnostic{
				Pos: flag.ValuePos, Path: f.Path, Hint: hint,
				Message: fmt.Sprintf("--%s is %q, and nothing is mounted there", name, flag.Value),
			})
		}
	}
}

func checkMountKey(p *crossPass) {
	for f := range p.commands {
		flag, ok := configFile(f.Command)
		mount, mounted := f.Command.MountOf(flag.Value)
		if !ok || !mounted || len(mount.Sources) != 1 || mount.Sources[0].ConfigMap == "" {
			continue
		}
		source := mount.Sources[0]
		configMap := p.configMap(f.Object.Namespace, source.ConfigMap)
		if configMap == nil {
			continue
		}
		key, named := keyOf(mount, source, flag.Value)
		files := configMap.Keys
		if !named {
			files = nil
			for _, item := range source.Items {
				files = append(files, item.Path)
			}
		} else if slices.Contains(files, key) {
			continue
		}
		if mount.SubPath == "" {
			files = slices.Clone(files)
			for i := range files {
				files[i] = path.Join(mount.Path, files[i])
			}
		}
		related := []diag.Place{
			{Pos: configMap.Pos, Message: "a configuration is here, key " + configMap.Key},
			{Pos: mount.Pos, Message: "the ConfigMap is mounted here"},
		}
		slices.Sort(files)
		p.report(diag.Diagnostic{
			Pos: flag.ValuePos, Path: f.Path, Related: related, Hint: "there would be " + strings.Join(files, ", "),
			Message: fmt.Sprintf("--config is %q, and ConfigMap %s that is mounted there has no key for it", flag.Value, source.ConfigMap),
		})
	}
}

// configMap returns something found in a ConfigMap that a pod of the namespace would mount.
func (p *crossPass) configMap(namespace, name string) *find.Found {
	for i := range p.Found {
		f := &p.Found[i]
		if f.Object.Kind == "ConfigMap" && f.Object.Name == name && (f.Object.Namespace == namespace || f.Object.Namespace == "" || namespace == "") {
			return f
		}
	}
	return nil
}

func checkStaticKubeconfig(p *crossPass) {
	for f := range p.commands {
		config := p.links[f]
		if config == nil || !f.Command.Static || !f.Command.Mounted {
			continue
		}
		if kubeconfig, _ := config.Doc.Scalar(diag.Path{"clientConnection", "kubeconfig"}); kubeconfig != "" || config.Doc.Root() == nil {
			continue
		}
		if master, ok := f.Command.Flag("master"); ok && master.Value != "" {
			continue
		}
		flag, ok := f.Command.Flag("config")
		if !ok {
			continue // an installer that takes the configuration itself, and adds this
		}
		p.reportIn(config, diag.Diagnostic{
			Path:    diag.Path{"clientConnection", "kubeconfig"},
			Related: []diag.Place{{Pos: flag.Pos, Message: "the scheduler is started here"}},
			Hint:    "write clientConnection.kubeconfig, for instance " + kubeconfigOf(f.Command),
			Message: "a static pod reads this file, and without clientConnection.kubeconfig it has no way to the API server",
		})
	}
}

// kubeconfigOf is the kubeconfig that a command line names in vain, or the one of kubeadm.
func kubeconfigOf(c *find.Command) string {
	if flag, ok := c.Flag("kubeconfig"); ok && flag.Value != "" {
		return flag.Value
	}
	return "/etc/kubernetes/scheduler.conf"
}

// election is what a scheduler elects its leader with.
type election struct {
	namespace, name string
	// lock is the kind of lock, empty if it is the default.
	lock string
}

// electionOf returns the lock of a configuration or of a command line; false if it elects nobody, or
// if that cannot be told.
func (p *crossPass) electionOf(command, config *find.Found) (election, bool) {
	e, on := election{namespace: "kube-system", name: "kube-scheduler"}, true
	if config != nil {
		read := func(to *string, names ...string) {
			for _, name := range names {
				if text, ok := config.Doc.Scalar(diag.Path{"leaderElection", name}); ok && text != "" && text != "null" {
					*to = text
				}
			}
		}
		elect := ""
		read(&elect, "leaderElect")
		on = !isFalse(elect)
		read(&e.namespace, "lockObjectNamespace", "resourceNamespace")
		read(&e.name, "lockObjectName", "resourceName")
		read(&e.lock, "resourceLock")
		if config.Doc.Root() == nil {
			return e, false
		}
	}
	if command == nil {
		return e, on
	}
	if _, ok := command.Command.Flag("config"); ok && config == nil {
		return e, false // the configuration is not in the input
	}
	for _, flag := range command.Command.Flags {
		switch flag.Name {
		case "leader-elect":
			on = !isFalse(flag.Value)
		case "leader-elect-resource-name", "lock-object-name":
			e.name = flag.Value
		case "leader-elect-resource-namespace", "lock-object-namespace":
			e.namespace = flag.Value
		case "leader-elect-resource-lock":
			e.lock = flag.Value
		}
	}
	return e, on
}

func isFalse(text string) bool {
	switch strings.ToLower(text) {
	case "false", "no", "off", "n", "f", "0":
		return true
	}
	return false
}

// profiles returns the names that a configuration schedules for; nil if that cannot be told.
func profiles(config *find.Found) []string {
	const fallback = "default-scheduler"
	if config.Doc.Root() == nil {
		return nil
	}
	if name, ok := config.Doc.Scalar(diag.Path{"schedulerName"}); ok { // v1alpha1 is one profile
		return []string{name}
	}
	var names []string
	for i := range config.Doc.Len(diag.Path{"profiles"}) {
		name, ok := config.Doc.Scalar(diag.Path{"profiles"}.Index(i).Child("schedulerName"))
		if !ok || name == "" {
			name = fallback
		}
		names = append(names, name)
	}
	if names == nil {
		names = []string{fallback}
	}
	return names
}

// scheduler is one side of a comparison of leases.
type scheduler struct {
	found    *find.Found
	profiles []string
	pos      diag.Position
}

func checkLeaseShared(p *crossPass) {
	linked := map[*find.Found]bool{}
	type lease struct {
		folder string
		election
	}
	groups := map[lease][]scheduler{}
	var order []lease
	add := func(command, config *find.Found) {
		e, on := p.electionOf(command, config)
		if !on {
			return
		}
		s := scheduler{found: command, profiles: []string{"default-scheduler"}}
		if command == nil {
			s.found = config
		} else if flag, ok := command.Command.Flag("scheduler-name"); ok {
			s.profiles = []string{flag.Value}
		}
		s.pos = s.found.Pos
		folder := path.Dir(s.found.Pos.File)
		if config != nil {
			s.profiles = profiles(config)
			at := diag.Diagnostic{Path: diag.Path{"leaderElection", "resourceName"}}
			s.pos = place(config.Doc, &at)
		}
		if command == nil {
			folder = s.found.Pos.File // two loose ones of one file belong together
		}
		e.lock = "" // different kinds of locks are no safer, but that is another matter
		id := lease{folder, e}
		if groups[id] == nil {
			order = append(order, id)
		}
		groups[id] = append(groups[id], s)
	}
	for f := range p.commands {
		if f.Command.Mounted {
			linked[p.links[f]] = true
			add(f, p.links[f])
		}
	}
	for config := range configs(p.Found) {
		if !linked[config] && config.Object.Kind == "ConfigMap" {
			add(nil, config)
		}
	}
	for _, id := range order {
		group := groups[id]
		for i, second := range group {
			for _, first := range group[:i] {
				// Several keys of one ConfigMap are as likely choices.
				if first.found.Object == second.found.Object || isInstaller(first.found) && isInstaller(second.found) ||
					slices.ContainsFunc(second.profiles, func(name string) bool { return slices.Contains(first.profiles, name) }) {
					continue
				}
				names, others := strings.Join(first.profiles, ", "), strings.Join(second.profiles, ", ")
				p.report(diag.Diagnostic{
					Pos: second.pos, Path: diag.Path{"leaderElection", "resourceName"},
					Related: []diag.Place{{Pos: first.pos, Message: "the scheduler of " + names + " uses it here"}},
					Hint:    "give each scheduler a leaderElection.resourceName of its own",
					Message: fmt.Sprintf("the schedulers of %s and of %s share the lease %s/%s, so only one of them works", names, others, id.namespace, id.name),
				})
				break
			}
		}
	}
}

// isInstaller reports whether something is what an installer is told. Each makes a cluster of its own.
func isInstaller(f *find.Found) bool { return f.Kind == find.Flags && !inContainer(f) }

func inContainer(f *find.Found) bool {
	return f.Outer.Has(f.Path.Child("command")) || f.Outer.Has(f.Path.Child("args"))
}

func checkReplicas(p *crossPass) {
	for f := range p.commands {
		c := f.Command
		daemons := f.Object.Kind == "DaemonSet"
		if c.Replicas < 2 && !daemons {
			continue
		}
		config := p.links[f]
		pos := c.ReplicasPos
		var related []diag.Place
		if flag, ok := c.Flag("leader-elect"); ok {
			if !isFalse(flag.Value) {
				continue
			}
			related = append(related, diag.Place{Pos: flag.Pos, Message: "leader election is turned off here"})
		} else if config != nil {
			leaderElect := diag.Path{"leaderElection", "leaderElect"}
			if text, _ := config.Doc.Scalar(leaderElect); !isFalse(text) {
				continue
			}
			related = append(related, diag.Place{Pos: config.Doc.Position(leaderElect), Path: leaderElect, Message: "leader election is turned off here"})
		} else {
			continue // it is on by default, or cannot be told
		}
		what := fmt.Sprintf("%d replicas run", c.Replicas)
		if daemons {
			what, pos = "a DaemonSet runs one scheduler per node", f.Pos
		}
		p.report(diag.Diagnostic{
			Pos: pos, Path: f.Path, Related: related, Hint: "turn leaderElection.leaderElect on, or run one replica",
			Message: what + " without leader election, and each schedules all pods",
		})
	}
}

func checkLeaseRBAC(p *crossPass) {
	for f := range p.commands {
		c, config := f.Command, p.links[f]
		e, on := p.electionOf(f, config)
		// Only leases are looked at, so it has to be sure that the lock is one.
		if c.ServiceAccount == "" || !on || config == nil || e.lock != "leases" && !p.locksLeases(config, e) {
			continue
		}
		var related []diag.Place
		known, all := false, map[string]bool{"get": false, "create": false, "update": false}
		for i := range p.Beside.Bindings {
			b := &p.Beside.Bindings[i]
			if !b.Binds(f.Object.Namespace, c.ServiceAccount) {
				continue
			}
			role, ok := p.role(b)
			if !ok {
				known = false
				related = nil
				break
			}
			known = true
			related = append(related, diag.Place{Pos: role.Pos, Message: "its role " + role.Object.Name})
			if b.Object.Kind == "RoleBinding" && b.Object.Namespace != e.namespace && b.Object.Namespace != "" {
				continue
			}
			for verb := range all {
				all[verb] = all[verb] || role.Allows("coordination.k8s.io", "leases", e.name, verb)
			}
		}
		var missing []string
		for _, verb := range slices.Sorted(maps.Keys(all)) {
			if !all[verb] {
				missing = append(missing, verb)
			}
		}
		if !known || len(missing) == 0 {
			continue
		}
		related = slices.DeleteFunc(related, func(place diag.Place) bool { return place.Pos.Line == 0 })
		p.report(diag.Diagnostic{
			Pos: c.ServiceAccountPos, Path: f.Path, Related: related,
			Hint: "allow get, create and update on leases of coordination.k8s.io in a role that is bound to it",
			Message: fmt.Sprintf("service account %q may not %s the lease %s/%s, which the scheduler elects its leader with",
				c.ServiceAccount, strings.Join(missing, ", "), e.namespace, e.name),
		})
	}
}

// locksLeases reports whether a configuration without resourceLock gets a lease. The oldest formats
// have another default in some releases.
func (p *crossPass) locksLeases(config *find.Found, e election) bool {
	apiVersion, _ := config.Doc.Scalar(diag.Path{"apiVersion"})
	_, version, _ := strings.Cut(apiVersion, "/")
	return e.lock == "" && slices.Contains([]string{"v1beta2", "v1beta3", "v1"}, version)
}

// wellKnownRoles are roles of every cluster that schedulers are bound to.
var wellKnownRoles = map[string][]find.RoleRule{
	"system:kube-scheduler": {
		{Groups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"create"}},
		{Groups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Names: []string{"kube-scheduler"}, Verbs: []string{"get", "update"}},
	},
	"system:volume-scheduler":                   nil,
	"system:auth-delegator":                     nil,
	"extension-apiserver-authentication-reader": nil,
	"cluster-admin":                             {{Groups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}}},
}

// role returns the role of a binding; false if it is neither in the input nor well known.
func (p *crossPass) role(b *find.Binding) (*find.Role, bool) {
	for i := range p.Beside.Roles {
		r := &p.Beside.Roles[i]
		namespace := b.RoleKind == "ClusterRole" || r.Object.Namespace == b.Object.Namespace
		if r.Object.Kind == b.RoleKind && r.Object.Name == b.Role && namespace {
			return r, !r.Aggregated
		}
	}
	rules, ok := wellKnownRoles[b.Role]
	return &find.Role{Object: find.Object{Kind: b.RoleKind, Name: b.Role}, Rules: rules}, ok
}

// otherSchedulers are widely used and have no profiles.
var otherSchedulers = []string{"default-scheduler", "volcano", "yunikorn", "kai-scheduler", "runai-scheduler", "stork", "hami-scheduler", "gke.io/optimize-utilization-scheduler"}

func checkPodSchedulerName(p *crossPass) {
	if len(p.Beside.Pods) == 0 {
		return // reading the profiles of every configuration is a parse each
	}
	var names []string
	for config := range configs(p.Found) {
		names = append(names, profiles(config)...)
	}
	if len(names) == 0 {
		return
	}
	for f := range p.commands {
		if flag, ok := f.Command.Flag("scheduler-name"); ok {
			names = append(names, flag.Value)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, pod := range p.Beside.Pods {
		name := pod.SchedulerName
		if slices.Contains(names, name) || slices.Contains(otherSchedulers, name) || strings.ContainsAny(name, "{}$<>@%") {
			continue
		}
		hint := "profiles of the input are " + strings.Join(names, ", ")
		if near, ok := scheme.Nearest(name, names); ok {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		p.report(diag.Diagnostic{
			Pos: pod.Pos, Path: pod.Path, Hint: hint,
			Message: fmt.Sprintf("no profile of the input is called %q: %s would stay pending", name, pod.Object),
		})
	}
}

func checkImageMinor(p *crossPass) {
	if p.Release == nil {
		return
	}
	for f := range p.commands {
		config := p.links[f]
		if config == nil || f.Target == "" {
			continue
		}
		apiVersion, _ := config.Doc.Scalar(diag.Path{"apiVersion"})
		release := p.Release(f.Target)
		if release == nil || apiVersion == "" {
			continue
		}
		if _, ok := release.API(apiVersion); ok {
			continue
		}
		p.reportIn(config, diag.Diagnostic{
			Path: diag.Path{"apiVersion"}, Hint: apiVersionHint(release, apiVersion),
			Related: []diag.Place{{Pos: f.TargetPos, Message: "the minor is said here"}},
			Message: fmt.Sprintf("%s runs Kubernetes %s, which does not read %q", f.Carrier, release.Name, apiVersion),
		})
	}
}
