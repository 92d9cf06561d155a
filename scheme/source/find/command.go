// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package find

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/source"
)

// Command is how a scheduler is started.
type Command struct {
	// Flags are in the order in which they stand; a flag may stand twice.
	Flags []Flag
	// Mounts are the files that the scheduler sees besides those of its image.
	Mounts []Mount
	// Mounted is true if it runs in a container, and sees no file of the host that is not mounted.
	Mounted bool
	// Static is true if the kubelet starts it without the API server: it has no service account, and
	// reaches the API server through a kubeconfig alone.
	Static bool
	// Image is the image, with its place; empty if there is none.
	Image    string
	ImagePos diag.Position
	// ServiceAccount is the name of the service account that a manifest names, with its place.
	ServiceAccount    string
	ServiceAccountPos diag.Position
	// Replicas is how many are wanted, with the place; 0 if nothing is said.
	Replicas    int
	ReplicasPos diag.Position
}

// Flag is a flag of a command line.
type Flag struct {
	// Name has no dashes.
	Name, Value string
	// HasValue is false for a flag that stands alone.
	HasValue bool
	// Pos is where the flag stands, ValuePos where its value does.
	Pos, ValuePos diag.Position
}

// Mount is a file or a folder that a container sees.
type Mount struct {
	// Path is where the container sees it, SubPath the part of the volume that it sees.
	Path, SubPath string
	// Volume is the name of the volume.
	Volume string
	// Sources are what the volume is made of: one, or several for a projected one; none for a volume
	// that is not declared.
	Sources []VolumeSource
	Pos     diag.Position
}

// VolumeSource is what a volume is made of.
type VolumeSource struct {
	// HostPath is a path of the node.
	HostPath string
	// ConfigMap is the name of a ConfigMap.
	ConfigMap string
	// Items lead from the keys that are used to the file names; none if all are used as they are.
	Items []Item
	Pos   diag.Position
}

// Item is a key of a ConfigMap and the name of the file that it becomes.
type Item struct {
	Key, Path string
	Pos       diag.Position
}

// Flag returns the last flag of a name, which is the one that counts.
func (c *Command) Flag(name string) (Flag, bool) {
	for _, flag := range slices.Backward(c.Flags) {
		if flag.Name == name {
			return flag, true
		}
	}
	return Flag{}, false
}

// MountOf returns the mount that holds a path of the container, the nearest one if several do.
func (c *Command) MountOf(file string) (Mount, bool) {
	best, found := Mount{}, false
	for _, m := range c.Mounts {
		if within(file, m.Path) && (!found || len(m.Path) > len(best.Path)) {
			best, found = m, true
		}
	}
	return best, found
}

func within(file, folder string) bool {
	file, folder = path.Clean(file), path.Clean(folder)
	return file == folder || strings.HasPrefix(file, strings.TrimSuffix(folder, "/")+"/")
}

// command adds a command line.
func (f *finder) command(n *source.Node, in place, c *Command) {
	target := imageMinor(c.Image)
	found := Found{Kind: Flags, Path: f.path(n, in), Pos: n.Position(), Command: c, Target: target}
	if target != "" {
		found.TargetPos = c.ImagePos
	}
	f.add(in, found)
}

// word is a word of a command line.
type word struct {
	text  string
	place func(offset int) diag.Position
	start int
	shell bool
}

// ends reports whether a word ends what a shell gives to the program.
func (w word) ends() bool { return w.shell && strings.ContainsAny(w.text, "|;&>") }

func (w word) pos(offset int) diag.Position { return w.place(w.start + offset) }

// pod looks for schedulers among the containers of a pod.
func (f *finder) pod(spec *source.Node, in place) {
	for container := range spec.Field("containers").Items() {
		words := f.words(container)
		words, ok := schedulerWords(words, container)
		if !ok {
			continue
		}
		image, account, replicas := container.Field("image"), spec.Field("serviceAccountName"), in.root.Field("spec", "replicas")
		if account.Text() == "" {
			account = spec.Field("serviceAccount")
		}
		c := &Command{Flags: flagsOf(words), Mounted: true, Mounts: f.mounts(spec, container)}
		c.Image, c.ImagePos = image.Text(), image.ValuePosition()
		c.ServiceAccount, c.ServiceAccountPos = account.Text(), account.ValuePosition()
		c.Replicas, _ = strconv.Atoi(replicas.Text())
		c.ReplicasPos = replicas.ValuePosition()
		at := in
		if in.object.Kind == "Pod" && c.ServiceAccount == "" {
			_, own := c.Flag("kubeconfig")
			_, delegated := c.Flag("authentication-kubeconfig")
			if c.Static = own || delegated || spec.Field("hostNetwork").Text() == "true"; c.Static {
				at.carrier = "static " + strings.Replace(in.carrier, "Pod", "pod", 1)
			}
		}
		f.command(container, at, c)
	}
}

// words returns the command line of a container. A word with white space is what a shell is given.
func (f *finder) words(container *source.Node) []word {
	var words []word
	for _, name := range []string{"command", "args"} {
		for item := range container.Field(name).Items() {
			f.budget -= 1 + len(item.Text())
			if f.budget < 0 {
				return words
			}
			w := word{text: item.Text(), place: item.Places()}
			if !strings.ContainsAny(w.text, " \n") || strings.HasPrefix(w.text, "-") {
				words = append(words, w)
				continue
			}
			at := 0
			for _, part := range strings.Fields(w.text) {
				at += strings.Index(w.text[at:], part)
				words = append(words, word{part, w.place, at, true})
				at += len(part)
			}
		}
	}
	return words
}

// program matches the names that kube-scheduler has as a program and as an image.
var program = regexp.MustCompile(`^kube-scheduler(?:-(?:amd64|arm64|arm|ppc64le|s390x))?$`)

// starters are programs that start another one.
var starters = []string{"sh", "bash", "ash", "exec", "env", "hyperkube", "go-runner", "tini", "dumb-init", "nice"}

// schedulerWords returns what follows the program, if the container runs a scheduler. Without the
// name of a known program it is one if it takes a configuration and is called a scheduler.
func schedulerWords(words []word, container *source.Node) ([]word, bool) {
	for i, w := range words {
		name := path.Base(w.text)
		if strings.HasPrefix(w.text, "-") {
			continue
		}
		if program.MatchString(name) {
			return words[i+1:], true
		}
		if !slices.Contains(starters, name) && !strings.Contains(w.text, "/") {
			break // a program that is told something about a scheduler
		}
	}
	image, _, _ := strings.Cut(path.Base(container.Field("image").Text()), ":")
	configured := slices.ContainsFunc(words, func(w word) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(w.text, "-"), "=")
		return strings.HasPrefix(w.text, "-") && name == "config"
	})
	switch {
	case program.MatchString(image) && !container.Field("command").IsList():
		return words, true
	case configured && !strings.HasPrefix(words[0].text, "-") && strings.HasSuffix(path.Base(words[0].text), "scheduler"):
		return words[1:], true
	case configured && strings.HasSuffix(image, "scheduler") && strings.HasPrefix(words[0].text, "-"):
		return words, true
	}
	return nil, false
}

// flagsOf reads words as kube-scheduler does. It takes no operands, so a word behind a flag without
// a value is the value.
func flagsOf(words []word) []Flag {
	var flags []Flag
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w.ends() {
			break
		}
		dashes := len(w.text) - len(strings.TrimLeft(w.text, "-"))
		if dashes == 0 || dashes == len(w.text) {
			continue
		}
		name, value, ok := strings.Cut(w.text[dashes:], "=")
		flag := Flag{Name: name, Value: value, HasValue: ok, Pos: w.pos(0), ValuePos: w.pos(0)}
		switch {
		case ok:
			flag.ValuePos = w.pos(min(dashes+len(name)+1, len(w.text)-1))
		case i+1 < len(words) && !strings.HasPrefix(words[i+1].text, "-") && !words[i+1].ends():
			i++
			flag.Value, flag.HasValue, flag.ValuePos = words[i].text, true, words[i].pos(0)
		}
		flags = append(flags, flag)
	}
	return flags
}

// mounts joins the mounts of a container with the volumes of its pod.
func (f *finder) mounts(spec, container *source.Node) []Mount {
	volumes := map[string]*source.Node{}
	for volume := range spec.Field("volumes").Items() {
		f.budget--
		volumes[volume.Field("name").Text()] = volume
	}
	var mounts []Mount
	for item := range container.Field("volumeMounts").Items() {
		if f.budget -= 1; f.budget < 0 {
			break
		}
		m := Mount{Path: item.Field("mountPath").Text(), SubPath: item.Field("subPath").Text(), Volume: item.Field("name").Text(), Pos: item.Field("mountPath").ValuePosition()}
		if volume := volumes[m.Volume]; volume != nil && m.Path != "" {
			m.Sources = f.sources(volume)
		}
		mounts = append(mounts, m)
	}
	return mounts
}

func (f *finder) sources(volume *source.Node) []VolumeSource {
	if projected := volume.Field("projected", "sources"); projected.IsList() {
		var sources []VolumeSource
		for item := range projected.Items() {
			if f.budget -= 1; f.budget < 0 {
				break
			}
			sources = append(sources, f.volumeSource(item))
		}
		return sources
	}
	return []VolumeSource{f.volumeSource(volume)}
}

func (f *finder) volumeSource(n *source.Node) VolumeSource {
	configMap := n.Field("configMap")
	s := VolumeSource{HostPath: n.Field("hostPath", "path").Text(), ConfigMap: configMap.Field("name").Text(), Pos: n.Position()}
	for item := range configMap.Field("items").Items() {
		if f.budget -= 1; f.budget < 0 {
			break
		}
		s.Items = append(s.Items, Item{item.Field("key").Text(), item.Field("path").Text(), item.Position()})
	}
	return s
}

// settings looks for the keys that become a command line without being one.
func (f *finder) settings(n *source.Node, in place) {
	if scheduler := n.Field("scheduler"); scheduler.IsMapping() {
		f.controlPlane(scheduler, in)
	}
	if args := n.Field("kube-scheduler-arg"); args != nil {
		f.distribution(n, args, in)
	} else if args := n.Field("kube-scheduler-arg+"); args != nil {
		f.distribution(n, args, in)
	}
	if scheduler := n.Field("kubeScheduler"); scheduler.IsMapping() {
		f.kops(scheduler, in)
	}
	if file := n.Field("kubeSchedulerConfig"); file.Text() != "" {
		f.add(in, Found{Kind: Reference, Path: f.path(file, in), Pos: file.ValuePosition(), File: file.Text()})
	}
}

// controlPlane reads the scheduler of kubeadm, Talos, k0s and RKE: extraArgs as a map or as a list,
// and extraVolumes.
func (f *finder) controlPlane(n *source.Node, in place) {
	args := n.Field("extraArgs")
	if args == nil {
		args = n.Field("extra_args")
	}
	volumes, binds := n.Field("extraVolumes"), n.Field("extra_binds")
	talos := in.object.Kind == "" && in.level == 0 && strings.HasPrefix(in.carrier, "Talos")
	if config := n.Field("config"); talos && config.IsMapping() && !isConfig(config) {
		// Talos writes both fields itself, and the kubeconfig.
		f.object(config, in, "apiVersion", group+"v1", "kind", configKind)
	}
	if args == nil && volumes == nil && binds == nil {
		return
	}
	image := n.Field("image")
	c := &Command{Mounted: !strings.HasPrefix(in.carrier, "k0s"), Static: true}
	c.Image, c.ImagePos = image.Text(), image.ValuePosition()
	c.Flags = f.args(args)
	if strings.HasPrefix(in.carrier, "kubeadm") || in.object.Kind != "" && !strings.HasPrefix(in.carrier, "k0s") {
		// kubeadm mounts this file by itself.
		const kubeconfig = "/etc/kubernetes/scheduler.conf"
		c.Mounts = append(c.Mounts, Mount{Path: kubeconfig, Volume: "kubeconfig", Sources: []VolumeSource{{HostPath: kubeconfig}}})
	}
	for item := range volumes.Items() {
		if f.budget -= 1; f.budget < 0 {
			break
		}
		mount := item.Field("mountPath")
		c.Mounts = append(c.Mounts, Mount{
			Path: mount.Text(), Volume: item.Field("name").Text(), Pos: mount.ValuePosition(),
			Sources: []VolumeSource{{HostPath: item.Field("hostPath").Text(), Pos: item.Field("hostPath").ValuePosition()}},
		})
	}
	for item := range binds.Items() {
		if m, ok := bind(item); ok && f.budget >= 0 {
			c.Mounts = append(c.Mounts, m)
		}
		f.budget--
	}
	f.command(n, in, c)
}

// args reads extraArgs: a map, a map of lists, or a list of names and values.
func (f *finder) args(args *source.Node) []Flag {
	var flags []Flag
	flag := func(name string, key, value *source.Node) {
		f.budget--
		if f.budget >= 0 && name != "" {
			flags = append(flags, Flag{Name: name, Value: value.Text(), HasValue: true, Pos: key.Position(), ValuePos: value.ValuePosition()})
		}
	}
	for name, value := range args.Fields() {
		if value.IsList() {
			for item := range value.Items() {
				flag(name, value, item)
			}
		} else {
			flag(name, value, value)
		}
	}
	for item := range args.Items() {
		if value := item.Field("value"); value != nil {
			flag(item.Field("name").Text(), item, value)
		} else {
			flag(item.Field("name").Text(), item, item.Field("name"))
		}
	}
	return flags
}

// bind reads a mount that is written host:container[:options].
func bind(n *source.Node) (Mount, bool) {
	host, rest, ok := strings.Cut(n.Text(), ":")
	inside, _, _ := strings.Cut(rest, ":")
	return Mount{Path: inside, Pos: n.ValuePosition(), Sources: []VolumeSource{{HostPath: host, Pos: n.ValuePosition()}}}, ok
}

// distribution reads the arguments that k3s and RKE2 hand over. k3s runs the scheduler in its own
// process; which of the two it is can be told only by the mounts, which k3s has not.
func (f *finder) distribution(n, args *source.Node, in place) {
	if in.object.Kind == "" {
		in.carrier = "k3s or RKE2 configuration"
	}
	c := &Command{Static: true}
	var words []word
	add := func(item *source.Node) {
		if f.budget -= 1 + len(item.Text()); f.budget >= 0 && item.Text() != "" {
			words = append(words, word{text: item.Text(), place: item.Places()})
		}
	}
	add(args)
	for item := range args.Items() {
		add(item)
	}
	for _, w := range words {
		// The dashes are left out, or not.
		name, value, ok := strings.Cut(strings.TrimLeft(w.text, "-"), "=")
		at := strings.Index(w.text, "=") + 1
		c.Flags = append(c.Flags, Flag{Name: name, Value: value, HasValue: ok, Pos: w.pos(0), ValuePos: w.pos(min(at, len(w.text)-1))})
	}
	mounts := n.Field("kube-scheduler-extra-mount")
	for item := range mounts.Items() {
		if m, ok := bind(item); ok && f.budget >= 0 {
			c.Mounts = append(c.Mounts, m)
		}
		f.budget--
	}
	c.Mounted = mounts != nil
	f.command(args, in, c)
}

// kopsFlags are the fields of kOps' spec.kubeScheduler that become flags.
var kopsFlags = map[string]string{
	"master": "master", "logFormat": "logging-format", "logLevel": "v", "featureGates": "feature-gates",
	"kubeAPIQPS": "kube-api-qps", "kubeAPIBurst": "kube-api-burst", "enableProfiling": "profiling", "enableContentionProfiling": "contention-profiling",
	"authenticationKubeconfig": "authentication-kubeconfig", "authorizationKubeconfig": "authorization-kubeconfig",
	"authorizationAlwaysAllowPaths": "authorization-always-allow-paths", "tlsCertFile": "tls-cert-file", "tlsPrivateKeyFile": "tls-private-key-file",
	"leaderElect": "leader-elect", "leaderElectLeaseDuration": "leader-elect-lease-duration", "leaderElectRenewDeadlineDuration": "leader-elect-renew-deadline",
	"leaderElectRetryPeriod": "leader-elect-retry-period", "leaderElectResourceLock": "leader-elect-resource-lock",
	"leaderElectResourceName": "leader-elect-resource-name", "leaderElectResourceNamespace": "leader-elect-resource-namespace",
}

// kops reads spec.kubeScheduler of kOps. What stands there and is no flag is left out.
func (f *finder) kops(n *source.Node, in place) {
	c := &Command{}
	image := n.Field("image")
	c.Image, c.ImagePos = image.Text(), image.ValuePosition()
	fields := func(n *source.Node) {
		for name, value := range n.Fields() {
			flag := Flag{Name: kopsFlags[name], Value: value.Text(), HasValue: true, Pos: value.Position(), ValuePos: value.ValuePosition()}
			switch {
			case name == "usePolicyConfigMap" && value.Text() == "true":
				flag.Name, flag.Value = "policy-configmap", "scheduler-policy"
			case name == "featureGates" && value.IsMapping():
				var gates []string
				for gate, on := range value.Fields() {
					gates = append(gates, gate+"="+on.Text())
				}
				flag.Value = strings.Join(gates, ",")
			case flag.Name == "" || value.Text() == "":
				continue
			}
			c.Flags = append(c.Flags, flag)
		}
	}
	fields(n)
	fields(n.Field("leaderElection"))
	if len(c.Flags) > 0 || c.Image != "" {
		f.command(n, in, c)
	}
}
