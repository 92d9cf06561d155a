// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/scheme/source/find"
)

// reportCase is a file, a manifest or a command line with the trouble of a report, and where it is found.
type reportCase struct {
	label, minor string
	// text is a configuration without its head, if version is there; any other is taken as it is.
	version, text string
	// words are a command line.
	words []string
	// want is "rule line".
	want string
}

func profileText(lines ...string) string { return "profiles:\n- " + strings.Join(lines, "\n  ") + "\n" }

var reportCases = []reportCase{
	{label: "DEC01", minor: "1.19", version: "v1beta1", text: profileText("plugins: {unreserve: {enabled: [{name: Gang}]}}"), want: "field-unknown 4"},
	{label: "DEC02", minor: "1.19", version: "v1beta1", text: "profiles:\n  pluginConfig: []\n", want: "field-type 4"},
	{label: "DEC03", minor: "1.24", version: "v1beta3", text: profileText("pluginConfig:", "- name: NodeResourcesFit", "  args:", "    scoringStrategy:", "      requestedToCapacityRatioParam: {}"), want: "field-unknown 8"},
	{label: "DEC05", minor: "1.30", text: "apiVersion: v1\nkind: Config\n", want: "kind-wrong 2"},
	{label: "DEC05", minor: "1.30", words: []string{"--config=/etc/kubernetes/scheduler.conf", "--kubeconfig=/etc/kubernetes/scheduler-config.yaml"}, want: "flag-swapped 1"},
	{label: "DEC06", minor: "1.16", text: "apiVersion: componentconfig/v1lpha1\nkind: KubeSchedulerConfiguration\n", want: "api-version-unknown 1"},
	{label: "DEC07", minor: "1.30", version: "v1", text: "metadata: {name: a}\n", want: "field-unknown 3"},
	{label: "DEC07", minor: "1.30", version: "v1", text: profileText("plugins:", "  filter:", "    enabled:", "    - name: NodePreferAvoid"), want: "plugin-unknown 7"},
	{label: "DEC09", minor: "1.18", version: "v1alpha1", text: "failureDomains: x\n", want: "field-unknown 3"},
	{label: "DEC10", minor: "1.19", version: "v1beta1", text: profileText("pluginConfig:", "- name: InterPodAffinity", "- args: {hardPodAffinityWeight: 5}"), want: "args-unnamed 6"},
	{label: "DEC10", minor: "1.19", version: "v1beta1", text: profileText("pluginConfig:", "- name: InterPodAffinity", "  args: {hadPodAffinityWeight: 5}"), want: "field-unknown 6"},
	{label: "DEC11", minor: "1.30", version: "v1", text: "parallelism: 1\nparallelism: 2\n", want: "key-duplicate 4"},
	{label: "VER02", minor: "1.21", version: "v1", want: "api-version-unknown 1"},
	{label: "VER03", minor: "1.18", version: "v1beta1", want: "api-version-unknown 1"},
	{label: "VER04", minor: "1.37", text: manifest("v1.22.1", "v1", "--config=/etc/k/config.yaml"), want: "image-minor 20"},
	{label: "VER06", minor: "1.29", version: "v1beta3", want: "api-version-unknown 1"},
	{label: "VER06", minor: "1.28", version: "v1beta3", want: "api-version-deprecated 1"},
	{label: "VER12", minor: "1.22", version: "v1beta2", text: profileText("plugins:", "  score:", "    enabled:", "    - name: NodeResourcesMostAllocated"), want: "plugin-invalid 7"},
	{label: "FLG02", minor: "1.24", words: []string{"--address=1.2.3.4"}, want: "flag-removed 1"},
	{label: "FLG03", minor: "1.23", words: []string{"--policy-configmap=a"}, want: "flag-removed 1"},
	{label: "FLG04", minor: "1.22", words: []string{"--scheduler-name=a"}, want: "flag-removed 1"},
	{label: "FLG06", minor: "1.23", version: "v1beta2", text: "healthzBindAddress: 0.0.0.0:10251\n", want: "address-port 3"},
	{label: "FLG06", minor: "1.24", version: "v1beta3", text: "healthzBindAddress: 0.0.0.0:10251\n", want: "field-unknown 3"},
	{label: "FLG07", minor: "1.30", words: []string{"--config=c", "--kubeconfig=k"}, want: "flag-ignored 1"},
	{label: "FLG07", minor: "1.30", text: manifest("v1.30.1", "v1", "--config=/etc/k/config.yaml"), want: "static-pod-kubeconfig 20"},
	{label: "PLG01", minor: "1.22", version: "v1beta2", text: profileText("pluginConfig:", "- name: NodeResourcesLeastAllocated", "  args: {resources: [{name: a, weight: 1}]}"), want: "plugin-invalid 5"},
	{label: "PLG04", minor: "1.16", version: "v1alpha1", text: "plugins:\n  score:\n    enabled:\n    - name: RequestedToCapacityRatio\n", want: "plugin-unknown 6"},
	{label: "PLG05", minor: "1.28", version: "v1", text: profileText("plugins:", "  score:", "    enabled:", "    - name: SelectorSpread"), want: "plugin-invalid 7"},
	{label: "PLG06", minor: "1.28", version: "v1beta3", text: profileText("plugins:", "  score:", "    disabled:", "    - name: NodeResourcesBalancedAllocation", "    - name: NodeResourcesLeastAllocated"), want: "disabled-unknown 8"},
	{label: "ENA01", minor: "1.20", version: "v1beta1", text: profileText("plugins:", "  score:", "    enabled:", "    - {name: InterPodAffinity, weight: 2}"), want: "plugin-twice 7"},
	{label: "ENA04", minor: "1.25", version: "v1", text: profileText("plugins:", "  score:", "    enabled:", "    - {name: ImageLocality, weight: 4}", "    - {name: NodeAffinity, weight: 4}", "    - {name: TaintToleration, weight: 4}"), want: "point-shifted 9"},
	{label: "ENA05", minor: "1.21", version: "v1beta1", text: profileText("plugins:", "  score:", "    enabled:", "    - {name: VolumeBinding, weight: 6}"), want: "weight-overridden 7"},
	{label: "ENA05", minor: "1.30", version: "v1", text: profileText("plugins:", "  reserve:", "    enabled:", "    - {name: VolumeBinding, weight: 6}"), want: "weight-unused 7"},
	{label: "ENA06", minor: "1.30", version: "v1", text: profileText("plugins:", "  preFilter:", "    disabled:", "    - name: PodTopologySpread"), want: "plugin-phase-missing 7"},
	{label: "ENA08", minor: "1.30", version: "v1", text: profileText("plugins:", "  filter:", "    disabled:", "    - name: NodeResourceFit"), want: "disabled-unknown 7"},
	{label: "ENA08", minor: "1.30", version: "v1", text: profileText("pluginConfig:", "- name: Trimaran", "  args:", "    token: abc"), want: "secret-in-file 7"},
	{label: "ENA09", minor: "1.30", version: "v1", text: profileText("plugins:", "  queueSort:", "    enabled:", "    - name: Coscheduling"), want: "plugin-unknown 7"},
	{label: "ENA10", minor: "1.17", version: "v1alpha1", text: "plugins:\n  score:\n    disabled:\n    - name: ImageLocality\n", want: "disabled-ignored 6"},
	{label: "ENA12", minor: "1.30", version: "v1", text: profileText("schedulerName: bin-packing-scheduler"), want: "profile-default-missing 4"},
	{label: "ENA13", minor: "1.30", version: "v1", text: profileText("plugins:", "  filter:", "    disabled:", "    - name: '*'"), want: "filter-none 7"},
	{label: "ENA13", minor: "1.37", text: goodDeployment + "---\n" + fmt.Sprintf(pods, "my-shceduler"), want: "pod-scheduler-name 28"},
	{label: "SIM11", minor: "1.37", text: goodDeployment + "---\n" + fmt.Sprintf(pods, "secondary-scheduler"), want: "pod-scheduler-name 28"},
	{label: "EMB14", minor: "1.37", text: looseConfiguration("a") + "---\n" + looseConfiguration("b"), want: "lease-shared 13"},
	{label: "LDR04", minor: "1.37", text: goodDeployment, want: "lease-elsewhere 9"},
	{label: "LDR03", minor: "1.37", text: goodDeployment + "---\n" + strings.NewReplacer("my-config", "other", "name: my-scheduler,", "name: other,", "resourceName: mine", "resourceName: other").Replace(goodDeployment), want: "lease-split 33"},
	{label: "EMB11", minor: "1.37", text: goodDeployment, want: "config-not-reloaded 16"},
	{label: "EMB06", minor: "1.37", text: "machine: {}\ncluster:\n  scheduler:\n    extraArgs:\n      config: /c.yaml\n---\n", want: "talos-config-flag 5"},
	{label: "EMB06", minor: "1.37", text: "machine: {}\ncluster:\n  scheduler:\n    config:\n      apiVersion: kubescheduler.config.k8s.io/v1\n      kind: KubeSchedulerConfiguration\n      profile: []\n---\n", want: "field-unknown 7"},
	{label: "VER08", minor: "1.37", text: "kind: List\napiVersion: v1\nitems:\n- kind: KubeSchedulerConfiguration\n  apiVersion: kubescheduler.config.k8s.io/v1\n---\n", want: "config-applied 4"},
	{label: "PLG08", minor: "1.37", text: controlPlane("kube-apiserver", "1.30") + "---\n" + controlPlane("kube-scheduler", "1.31"), want: "scheduler-newer 16"},
	{label: "PCT01", minor: "1.37", text: goodConfig + "percentageOfNodesToScore: 5\n---\n" + nodeList(10), want: "percentage-idle 4"},
	{label: "EMB14", minor: "1.37", text: deployment("c.yaml", "leaderElect: false", "2", "v1.30.0", "/etc/scheduler/c.yaml", ""), want: "replicas-without-election 15"},
	{label: "EMB14", minor: "1.37", text: goodDeployment + fmt.Sprintf(roles, "other", "ClusterRoleBinding", "my-role"), want: "rbac-lease 18"},
	{label: "ENA14", minor: "1.30", version: "v1", text: "profiles:\n- schedulerName: a\n- schedulerName: a\n", want: "profile-name-duplicate 5"},
	{label: "ENA16", minor: "1.30", version: "v1", text: profileText("plugins:", "  multiPoint:", "    disabled: [{name: '*'}]", "    enabled: [{name: PrioritySort}, {name: DefaultBinder}]"), want: "defaults-disabled 6"},
	{label: "ENA16", minor: "1.30", version: "v1", text: profileText("plugins:", "  score:", "    enabled:", "    - {name: NodeAffinity, weight: 2}"), want: "plugin-repeats-default 7"},
	{label: "ENA18", minor: "1.30", version: "v1", text: profileText("plugins:", "  score:", "    enabled:", "    - name: InterPodAffinity"), want: "weight-reset 7"},
	{label: "ENA18", minor: "1.30", version: "v1", text: profileText("plugins:", "  score:", "    enabled:", "    - {name: ImageLocality, weight: 1}"), want: "plugin-repeats-default 7"},
	{label: "ENA18", minor: "1.30", version: "v1", text: profileText("plugins:", "  score:", "    enabled:", "    - {name: InterPodAffinity, weight: 1}"), want: "weight-outdated 7"},
	{label: "ARG01", minor: "1.23", version: "v1beta3", text: spreadText(""), want: "args-spread-system-constraints 6"},
	{label: "ARG01", minor: "1.22", version: "v1beta1", text: spreadText(""), want: "spread-type-inferred 8"},
	{label: "ARG02", minor: "1.30", version: "v1", text: spreadText("    defaultingType: List", "labelSelector: {matchLabels: {a: b}}"), want: "args-spread-constraint 12"},
	{label: "ARG03", minor: "1.30", version: "v1", text: spreadText("    defaultingType: List", "minDomains: 2"), want: "spread-constraint-unchecked 12"},
	{label: "ARG05", minor: "1.30", version: "v1", text: fitText("type: RequestedToCapacityRatio"), want: "args-fit-ratio-missing 7"},
	{label: "ARG06", minor: "1.30", version: "v1", text: fitText("type: RequestedToCapacityRatio", "requestedToCapacityRatio: {shape: []}"), want: "args-fit-shape-empty 9"},
	{label: "ARG06", minor: "1.30", version: "v1", text: profileText("schedulerName: bin-packing", "pluginConfig:", "- name: NodeResourcesFit", "  args:", "    scoringStrategy:", "      type: RequestedToCapacityRatio", "      requestedToCapacityRatio: {shape: [{utilization: 0, score: 10}, {utilization: 100, score: 0}]}"), want: "strategy-contradicts-name 10"},
	{label: "ARG07", minor: "1.30", version: "v1", text: fitText("type: LeastAllocated", "resources: [{name: nvidia.com/gpu, weight: 1}]"), want: "fit-resources-partial 9"},
	{label: "ARG09", minor: "1.30", version: "v1", text: profileText("pluginConfig:", "- name: NodeAffinity", "- name: NodeAffinity"), want: "plugin-config-duplicate 6"},
	{label: "ARG13", minor: "1.30", version: "v1", text: fitText("type: Least"), want: "args-fit-strategy-type 8"},
	{label: "EXT01", minor: "1.22", version: "v1beta2", text: "extenders:\n- {urlPrefix: 'http://a', bindVerb: b}\n- {urlPrefix: 'http://b', bindVerb: b}\n", want: "extender-bind-count 5"},
	{label: "EXT02", minor: "1.28", version: "v1", text: "extenders:\n- {urlPrefix: 'http://a', filterVerb: b, managedResources: [{name: a.com/b}]}\n- {urlPrefix: 'http://b', filterVerb: b, managedResources: [{name: a.com/b}]}\n", want: "extender-resource-duplicate 5"},
	{label: "EXT04", minor: "1.30", version: "v1", text: "extenders:\n- urlPrefix: http://a\n", want: "extender-idle 4"},
	{label: "EXT05", minor: "1.30", version: "v1", text: profileText("extenders: []"), want: "field-unknown 4"},
	{label: "EXT06", minor: "1.30", version: "v1", text: "extenders:\n- urlPrefix: http://a\n  bindVerb: b\n", want: "extender-bind-timeout 5"},
	{label: "POL02", minor: "1.20", text: "apiVersion: v1\nkind: Policy\npriorities:\n- {name: RequestedToCapacityRatioPriority, weight: 1}\n", want: "policy-name-unknown 4"},
	{label: "POL02", minor: "1.20", text: "apiVersion: v1\nkind: Policy\npredicates:\n- name: CheckNodeMemoryPressure\n", want: "policy-name-unknown 4"},
	{label: "POL04", minor: "1.19", text: "apiVersion: v1\nkind: Policy\npredicates:\n- name: GeneralPredicates\n- name: PodFitsResources\n", want: "plugin-twice 5"},
	{label: "POL08", minor: "1.19", text: "apiVersion: v1\nkind: Policy\nextenderConfigs: []\n", want: "field-unknown 3"},
	{label: "POL10", minor: "1.23", words: []string{"--use-legacy-policy-config=true"}, want: "flag-removed 1"},
	{label: "POL13", minor: "1.19", version: "v1alpha1", text: "algorithmSource: {policy: {file: {path: /p}}}\n", want: "api-version-unknown 1"},
	{label: "EMB01", minor: "1.37", text: manifest("v1.30.1", "v1", "--config=/elsewhere/config.yaml"), want: "mount-missing 9"},
	{label: "POL09", minor: "1.37", text: manifest("v1.21.1", "v1beta1", "--policy-config-file=/elsewhere/policy.json"), want: "mount-missing 9"},
	{label: "EMB02", minor: "1.37", text: manifest("v1.32.3", "v1", "--config=/etc/k/config.yaml"), want: "static-pod-kubeconfig 20"},
	{label: "EMB03", minor: "1.31", version: "v1", text: "profile: []\n", want: "field-unknown 3"},
	{label: "EMB05", minor: "1.28", version: "v1", text: spreadText(""), want: "args-spread-system-constraints 6"},
	{label: "EMB09", minor: "1.28", words: []string{"--scheduler.config=x.yaml"}, want: "flag-unknown 1"},
	{label: "LDR02", minor: "1.30", version: "v1", text: "leaderElection:\n  resourceLock: configmaps\n", want: "leader-election-lock-removed 4"},
	{label: "LDR06", minor: "1.25", version: "v1", text: "leaderElection:\n  leaseDuration: 9s\n", want: "leader-election-lease-below-renew 4"},
	{label: "LDR06", minor: "1.30", version: "v1", text: "leaderElection:\n  retryPeriod: 9s\n", want: "leader-election-retry-long 4"},
	{label: "GAT01", minor: "1.35", version: "v1", text: profileText("plugins:", "  placementScore: {}"), want: "field-unknown 5"},
	{label: "GAT02", minor: "1.35", version: "v1", text: profileText("pluginConfig:", "- name: DynamicResources", "  args:", "    bindingTimeout: 500ms"), want: "args-dynamic-resources-gate 7"},
	{label: "GAT04", minor: "1.37", version: "v1", text: profileText("plugins:", "  multiPoint:", "    enabled:", "    - name: TopologyPlacementGenerator"), want: "plugin-gated 7"},
	{label: "PCT01", minor: "1.30", version: "v1", text: "percentageOfNodesToScore: 1\n", want: "percentage-meaning 3"},
	{label: "PCT02", minor: "1.30", version: "v1", text: "percentageOfNodesToScore: 30\n", want: "percentage-meaning 3"},
	{label: "PCT02", minor: "1.30", version: "v1", text: "percentageOfNodesToScore: 101\n", want: "percentage-range 3"},
	{label: "PCT04", minor: "1.30", version: "v1", text: "percentageOfNodesToScore: 5\nprofiles:\n- percentageOfNodesToScore: 5\n", want: "profile-percentage-same 5"},
	{label: "PCT04", minor: "1.24", version: "v1beta3", text: profileText("percentageOfNodesToScore: 5"), want: "field-unknown 4"},
	{label: "FLG10", minor: "1.22", words: []string{"--policy-configmap=a", "--policy-configmap-namespace="}, want: "flag-missing 1"},
	{label: "PLG02", minor: "1.22", words: []string{"--config=c", "--policy-configmap=a"}, want: "flag-overrides 1"},
	{label: "SIM07", minor: "1.30", version: "v1", text: profileText("plugins: {score: {enabled: [{name: NodeResourcesFit, weight: 50}]}}", "pluginConfig:", "- name: NodeResourcesFit", "  args:", "    scoringStrategy:", "      type: MostAllocated"), want: "packing-mixed 9"},
	{label: "SIM07", minor: "1.30", version: "v1", text: fitText("type: MostAllocated"), want: "packing-outweighed 8"},
	{label: "CMP02", minor: "1.30", version: "v1", text: spreadText("    defaultingType: List", "whenUnsatisfiable: DoNotSchedule"), want: "spread-hard-default 12"},
}

func fitText(strategy ...string) string {
	return profileText("pluginConfig:", "- name: NodeResourcesFit", "  args:", "    scoringStrategy:", "      "+strings.Join(strategy, "\n        "))
}

// spreadText is one default constraint; its last line is the twelfth.
func spreadText(defaulting string, more ...string) string {
	lines := []string{"pluginConfig:", "- name: PodTopologySpread", "  args:"}
	if defaulting != "" {
		lines = append(lines, defaulting)
	}
	lines = append(lines, "    defaultConstraints:", "    - maxSkew: 1", "      topologyKey: a")
	if !slices.ContainsFunc(more, func(line string) bool { return strings.HasPrefix(line, "whenUnsatisfiable") }) {
		lines = append(lines, "      whenUnsatisfiable: ScheduleAnyway")
	} else {
		lines = append(lines, "      # hard")
	}
	for _, line := range more {
		lines = append(lines, "      "+line)
	}
	return profileText(lines...)
}

// looseConfiguration is a configuration in a ConfigMap, with the lease that is the default.
func looseConfiguration(name string) string {
	return fmt.Sprintf("kind: ConfigMap\napiVersion: v1\nmetadata: {name: %[1]s}\ndata:\n  x: |\n    {kind: KubeSchedulerConfiguration, profiles: [{schedulerName: %[1]s}]}\n", name)
}

// manifest is a static pod with a flag, and the ConfigMap that it mounts.
func manifest(image, version, flag string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Pod
metadata: {name: kube-scheduler, namespace: kube-system, annotations: {kubernetes.io/config.source: file}}
spec:
  containers:
  - name: kube-scheduler
    image: registry.k8s.io/kube-scheduler:%s
    command: [kube-scheduler,
      %s]
    volumeMounts: [{name: c, mountPath: /etc/k}]
  hostNetwork: true
  volumes: [{name: c, configMap: {name: c}}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c, namespace: kube-system}
data:
  config.yaml: |
    # the configuration
    apiVersion: kubescheduler.config.k8s.io/%s
    kind: KubeSchedulerConfiguration
`, image, flag, version)
}

// TestReports holds that what people ran into is found, on the line where it is.
func TestReports(t *testing.T) {
	covered := map[string]bool{}
	for _, test := range reportCases {
		release := schemas.For(minorOf(t, test.minor))
		var findings diag.List
		switch {
		case test.words != nil:
			findings, _ = CheckFlags(release, append([]string{"kube-scheduler"}, test.words...), func(int) diag.Position { return diag.Position{Line: 1, Column: 1} })
		case strings.Contains(test.text, "\n---\n"):
			documents := source.Split("x.yaml", []byte(test.text))
			found, _ := find.In("x.yaml", documents)
			for _, f := range found {
				if f.Kind == find.ConfigObject {
					result, err := checkerOf(t, release).Check(f.Doc)
					if err != nil {
						t.Fatal(err)
					}
					findings = append(findings, result.Findings...)
				}
			}
			findings = append(findings, CrossCheck(Input{Found: found, Beside: find.Beside(documents), Release: func(name string) *schemas.Release {
				minor, err := schemas.ParseMinor(name)
				if err != nil {
					return nil
				}
				return schemas.For(minor)
			}})...)
		default:
			text := test.text
			if test.version != "" {
				text = "apiVersion: kubescheduler.config.k8s.io/" + test.version + "\nkind: KubeSchedulerConfiguration\n" + text
			}
			findings = check(t, release, "x.yaml", text)
		}
		var got []string
		for _, d := range findings {
			got = append(got, fmt.Sprintf("%s %d", d.Rule, d.Pos.Line))
		}
		if !slices.Contains(got, test.want) {
			t.Errorf("%s on %s: %q, want %q", test.label, test.minor, got, test.want)
		}
		rule, _, _ := strings.Cut(test.want, " ")
		covered[test.label+" "+rule] = true
	}
	labels := map[string]bool{}
	for _, report := range Reports {
		if labels[report.Label] || report.Title == "" || len(report.Rules) == 0 && report.Otherwise == "" {
			t.Errorf("%s stands twice or says nothing", report.Label)
		}
		labels[report.Label] = true
		for _, rule := range report.Rules {
			_, ok := Lookup(rule)
			if !ok && !slices.ContainsFunc(CrossRules, func(r Rule) bool { return r.ID == rule }) {
				t.Errorf("%s: there is no rule %q", report.Label, rule)
			}
			if !covered[report.Label+" "+rule] {
				t.Errorf("%s: no case shows %s", report.Label, rule)
			}
		}
	}
	for _, test := range reportCases {
		if !labels[test.label] {
			t.Errorf("there is no report %s", test.label)
		}
	}
}

func minorOf(t *testing.T, name string) schemas.Minor {
	t.Helper()
	minor, err := schemas.ParseMinor(name)
	if err != nil {
		t.Fatal(err)
	}
	return minor
}
