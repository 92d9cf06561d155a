// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package conversion_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	basev1alpha1 "k8s.io/component-base/config/v1alpha1"
	schedv1 "k8s.io/kube-scheduler/config/v1"

	"github.com/schedconf/schedconf/conversion"
	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/config"
	"github.com/schedconf/schedconf/scheme/policyv1"
	"github.com/schedconf/schedconf/scheme/v1alpha1"
	"github.com/schedconf/schedconf/scheme/v1alpha2"
	"github.com/schedconf/schedconf/scheme/v1beta1"
	"github.com/schedconf/schedconf/scheme/v1beta2"
	"github.com/schedconf/schedconf/scheme/v1beta3"
)

func ptr[T any](value T) *T { return &value }

func raw(text string) *runtime.Unknown {
	return &runtime.Unknown{Raw: []byte(text), ContentType: runtime.ContentTypeJSON}
}

func convert[Out any](t *testing.T, in runtime.Object, c *conversion.Context) *Out {
	t.Helper()
	out := new(Out)
	if err := newScheme(t).Convert(in, out, c); err != nil {
		t.Fatal(err)
	}
	return out
}

func check(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("(-want +got)\n%s", cmp.Diff(want, got))
	}
}

// reported is what the tests compare of losses.
type reported struct{ path, rule, hint string }

func reportedBy(losses diag.List) []reported {
	var all []reported
	for _, loss := range losses {
		all = append(all, reported{loss.Path.String(), loss.Rule, loss.Hint})
	}
	return all
}

func TestV1alpha1LockNames(t *testing.T) {
	type lock struct{ namespace, name, oldNamespace, oldName string }
	for name, test := range map[string]struct {
		lock
		wantNamespace, wantName string
		wantErr                 string
	}{
		"none":      {},
		"new names": {lock: lock{namespace: "a", name: "b"}, wantNamespace: "a", wantName: "b"},
		"old names": {lock: lock{oldNamespace: "a", oldName: "b"}, wantNamespace: "a", wantName: "b"},
		"mixed":     {lock: lock{namespace: "a", oldName: "b"}, wantNamespace: "a", wantName: "b"},
		"equal":     {lock: lock{"a", "b", "a", "b"}, wantNamespace: "a", wantName: "b"},
		"namespaces differ": {
			lock:    lock{"a", "b", "c", "b"},
			wantErr: `leaderElection.lockObjectNamespace: resourceNamespace is "a" and lockObjectNamespace is "c", but they mean the same and must be equal`,
		},
		"names differ": {
			lock:    lock{"a", "b", "a", "c"},
			wantErr: `leaderElection.lockObjectName: resourceName is "b" and lockObjectName is "c", but they mean the same and must be equal`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := &v1alpha1.KubeSchedulerConfiguration{LeaderElection: v1alpha1.KubeSchedulerLeaderElectionConfiguration{
				LeaderElectionConfiguration: basev1alpha1.LeaderElectionConfiguration{
					ResourceNamespace: test.namespace, ResourceName: test.name,
				},
				LockObjectNamespace: test.oldNamespace, LockObjectName: test.oldName,
			}}
			hub := &config.KubeSchedulerConfiguration{}
			err := newScheme(t).Convert(in, hub, nil)
			if test.wantErr != "" {
				var refused *conversion.Error
				if !errors.As(err, &refused) || err.Error() != test.wantErr {
					t.Fatalf("error %v, want %s", err, test.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			check(t, hub.LeaderElection.ResourceNamespace, test.wantNamespace)
			check(t, hub.LeaderElection.ResourceName, test.wantName)

			back := convert[v1alpha1.KubeSchedulerConfiguration](t, hub, nil).LeaderElection
			check(t, lock{back.ResourceNamespace, back.ResourceName, back.LockObjectNamespace, back.LockObjectName},
				lock{test.wantNamespace, test.wantName, test.wantNamespace, test.wantName})
		})
	}
}

func TestV1alpha1IsOneProfile(t *testing.T) {
	wire := &v1alpha1.KubeSchedulerConfiguration{
		SchedulerName: ptr("mine"),
		Plugins: &v1alpha1.Plugins{
			PostFilter: &v1alpha1.PluginSet{Enabled: []v1alpha1.Plugin{{Name: "A", Weight: ptr[int32](2)}}},
			Score:      &v1alpha1.PluginSet{},
		},
		PluginConfig: []v1alpha1.PluginConfig{{Name: "A", Args: *raw(`{"x":1}`)}, {Name: "B"}},
	}
	hub := &config.KubeSchedulerConfiguration{Profiles: []config.KubeSchedulerProfile{{
		SchedulerName: ptr("mine"),
		Plugins: config.Plugins{
			config.PreScore: {Enabled: []config.Plugin{{Name: "A", Weight: ptr[int32](2)}}},
			config.Score:    {},
		},
		PluginConfig: []config.PluginConfig{{Name: "A", Args: raw(`{"x":1}`)}, {Name: "B"}},
	}}}
	check(t, convert[config.KubeSchedulerConfiguration](t, wire, nil), hub)
	check(t, convert[v1alpha1.KubeSchedulerConfiguration](t, hub, nil), wire)

	hub.Profiles[0].Plugins[config.PostFilter] = config.PluginSet{Disabled: []config.Plugin{{Name: "*"}}}
	hub.Profiles = append(hub.Profiles, config.KubeSchedulerProfile{SchedulerName: ptr("other")})
	c := &conversion.Context{}
	check(t, convert[v1alpha1.KubeSchedulerConfiguration](t, hub, c), wire)
	check(t, reportedBy(c.Losses), []reported{
		{"profiles", "profiles-dropped", ""},
		{"profiles[0].plugins.postFilter", "point-dropped", ""},
	})

	check(t, convert[v1alpha1.KubeSchedulerConfiguration](t, &config.KubeSchedulerConfiguration{}, nil),
		&v1alpha1.KubeSchedulerConfiguration{})
}

func TestV1alpha1AlgorithmSource(t *testing.T) {
	wire := &v1alpha1.KubeSchedulerConfiguration{AlgorithmSource: v1alpha1.SchedulerAlgorithmSource{
		Provider: ptr("ClusterAutoscalerProvider"),
		Policy: &v1alpha1.SchedulerPolicySource{
			File:      &v1alpha1.SchedulerPolicyFileSource{Path: "/p"},
			ConfigMap: &v1alpha1.SchedulerPolicyConfigMapSource{Namespace: "n", Name: "m"},
		},
	}}
	want := config.AlgorithmSource{
		Provider: ptr("ClusterAutoscalerProvider"),
		Policy: &config.PolicySource{
			File:      &config.PolicyFile{Path: "/p"},
			ConfigMap: &config.PolicyConfigMap{Namespace: "n", Name: "m"},
		},
	}
	hub := convert[config.KubeSchedulerConfiguration](t, wire, nil)
	check(t, hub.AlgorithmSource, want)

	c := &conversion.Context{}
	convert[schedv1.KubeSchedulerConfiguration](t, hub, c)
	check(t, reportedBy(c.Losses), []reported{
		{"algorithmSource.provider", "conversion-field-dropped", ""},
		{"algorithmSource.policy", "conversion-field-dropped", "schedconf migrate turns a policy into profiles"},
	})

	hub.AlgorithmSource = config.AlgorithmSource{Provider: ptr("DefaultProvider")}
	c = &conversion.Context{}
	check(t, convert[schedv1.KubeSchedulerConfiguration](t, hub, c), &schedv1.KubeSchedulerConfiguration{
		Profiles: []schedv1.KubeSchedulerProfile{{}},
	})
	check(t, c.Losses, diag.List(nil))
}

func TestV1alpha1HardPodAffinityWeight(t *testing.T) {
	own := v1alpha1.PluginConfig{Name: "InterPodAffinity", Args: *raw(`{"own":true}`)}
	appended := config.PluginConfig{Name: "InterPodAffinity", Args: raw(`{"hardPodAffinityWeight":7}`)}
	for name, test := range map[string]struct {
		behaviour  string
		weight     *int32
		wire       []v1alpha1.PluginConfig
		wantWeight *int32
		want       []config.PluginConfig
	}{
		"field":               {"field", ptr[int32](7), nil, ptr[int32](7), nil},
		"no behaviour":        {"", ptr[int32](0), nil, ptr[int32](0), nil},
		"pluginConfig":        {"pluginConfig", ptr[int32](7), nil, nil, []config.PluginConfig{appended}},
		"pluginConfig, unset": {"pluginConfig", nil, nil, nil, nil},
		"pluginConfig, twice": {
			"pluginConfig", ptr[int32](7), []v1alpha1.PluginConfig{own}, nil,
			[]config.PluginConfig{{Name: "InterPodAffinity", Args: raw(`{"own":true}`)}, appended},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := &conversion.Context{Behaviour: map[string]string{"hardPodAffinityWeight": test.behaviour}}
			hub := convert[config.KubeSchedulerConfiguration](t, &v1alpha1.KubeSchedulerConfiguration{
				HardPodAffinitySymmetricWeight: test.weight, PluginConfig: test.wire,
			}, c)
			check(t, hub.HardPodAffinitySymmetricWeight, test.wantWeight)
			check(t, hub.Profiles[0].PluginConfig, test.want)
		})
	}
}

func TestV1alpha2Extenders(t *testing.T) {
	wire := &v1alpha2.KubeSchedulerConfiguration{Extenders: []policyv1.Extender{{
		URLPrefix: "https://e", FilterVerb: "f", PreemptVerb: "p", PrioritizeVerb: "r", Weight: 3, BindVerb: "b",
		EnableHTTPS:      true,
		TLSConfig:        &policyv1.ExtenderTLSConfig{CertFile: "c", CAData: []byte("ca")},
		HTTPTimeout:      1500 * time.Millisecond,
		ManagedResources: []policyv1.ExtenderManagedResource{{Name: "example.com/x", IgnoredByScheduler: true}},
		Ignorable:        true,
	}}}
	hub := &config.KubeSchedulerConfiguration{Extenders: []config.Extender{{
		URLPrefix: "https://e", FilterVerb: "f", PreemptVerb: "p", PrioritizeVerb: "r", Weight: 3, BindVerb: "b",
		EnableHTTPS:      true,
		TLSConfig:        &config.ExtenderTLSConfig{CertFile: "c", CAData: []byte("ca")},
		HTTPTimeout:      metav1.Duration{Duration: 1500 * time.Millisecond},
		ManagedResources: []config.ExtenderManagedResource{{Name: "example.com/x", IgnoredByScheduler: true}},
		Ignorable:        true,
	}}}
	check(t, convert[config.KubeSchedulerConfiguration](t, wire, nil), hub)
	check(t, convert[v1alpha2.KubeSchedulerConfiguration](t, hub, nil), wire)

	var decoded v1alpha2.KubeSchedulerConfiguration
	if err := json.Unmarshal([]byte(`{"extenders":[{"enableHttps":true,"httpTimeout":1500000000}]}`), &decoded); err != nil {
		t.Fatal(err)
	}
	check(t, decoded.Extenders, []policyv1.Extender{{EnableHTTPS: true, HTTPTimeout: 1500 * time.Millisecond}})
}

// TestPluginSets shows which sets count as given, for sets by pointer and by value.
func TestPluginSets(t *testing.T) {
	byPointer := &v1beta1.KubeSchedulerConfiguration{Profiles: []v1beta1.KubeSchedulerProfile{
		{},
		{Plugins: &v1beta1.Plugins{}},
		{Plugins: &v1beta1.Plugins{Filter: &v1beta1.PluginSet{}}},
	}}
	hub := convert[config.KubeSchedulerConfiguration](t, byPointer, nil)
	check(t, hub.Profiles, []config.KubeSchedulerProfile{
		{}, {Plugins: config.Plugins{}}, {Plugins: config.Plugins{config.Filter: {}}},
	})
	byValue := &v1beta2.KubeSchedulerConfiguration{Profiles: []v1beta2.KubeSchedulerProfile{
		{},
		{Plugins: &v1beta2.Plugins{}},
		{Plugins: &v1beta2.Plugins{
			Filter: v1beta2.PluginSet{Disabled: []v1beta2.Plugin{}},
			Score:  v1beta2.PluginSet{Enabled: []v1beta2.Plugin{{Name: "S"}}},
		}},
	}}
	hub = convert[config.KubeSchedulerConfiguration](t, byValue, nil)
	check(t, hub.Profiles, []config.KubeSchedulerProfile{
		{}, {Plugins: config.Plugins{}}, {Plugins: config.Plugins{
			config.Filter: {Disabled: []config.Plugin{}},
			config.Score:  {Enabled: []config.Plugin{{Name: "S"}}},
		}},
	})
}

func TestPointsThatAreMissing(t *testing.T) {
	hub := oneProfile()
	// An empty set says nothing, so nothing is lost.
	hub.Profiles[0].Plugins = config.Plugins{config.MultiPoint: {Enabled: []config.Plugin{}}}
	c := &conversion.Context{}
	out := convert[v1beta1.KubeSchedulerConfiguration](t, hub, c)
	check(t, out.Profiles[0].Plugins, &v1beta1.Plugins{})
	check(t, c.Losses, diag.List(nil))

	for _, set := range []config.PluginSet{
		{Enabled: []config.Plugin{{Name: "A"}}}, {Disabled: []config.Plugin{{Name: "*"}}},
	} {
		hub.Profiles[0].Plugins[config.MultiPoint] = set
		c := &conversion.Context{}
		convert[v1beta1.KubeSchedulerConfiguration](t, hub, c)
		check(t, reportedBy(c.Losses), []reported{{"profiles[0].plugins.multiPoint", "point-dropped", ""}})
	}
}

func TestTypedArgs(t *testing.T) {
	wire := &v1beta3.KubeSchedulerConfiguration{Profiles: []v1beta3.KubeSchedulerProfile{{PluginConfig: []v1beta3.PluginConfig{
		{Name: "DefaultPreemption", Args: runtime.RawExtension{Object: &v1beta3.DefaultPreemptionArgs{
			TypeMeta:                    metav1.TypeMeta{APIVersion: "kubescheduler.config.k8s.io/v1beta3", Kind: "DefaultPreemptionArgs"},
			MinCandidateNodesPercentage: ptr[int32](0),
		}}},
		{Name: "OutOfTree", Args: runtime.RawExtension{Raw: []byte(`{"x":1}`)}},
		{Name: "NoArgs"},
	}}}}
	hub := convert[config.KubeSchedulerConfiguration](t, wire, nil)
	check(t, hub.Profiles[0].PluginConfig, []config.PluginConfig{
		{Name: "DefaultPreemption", Args: &config.DefaultPreemptionArgs{MinCandidateNodesPercentage: ptr[int32](0)}},
		{Name: "OutOfTree", Args: raw(`{"x":1}`)},
		{Name: "NoArgs"},
	})

	out := convert[schedv1.KubeSchedulerConfiguration](t, hub, nil)
	printed, err := json.Marshal(out.Profiles[0].PluginConfig)
	if err != nil {
		t.Fatal(err)
	}
	check(t, string(printed), `[{"name":"DefaultPreemption","args":{"kind":"DefaultPreemptionArgs","apiVersion":"kubescheduler.config.k8s.io/v1","minCandidateNodesPercentage":0}},`+
		`{"name":"OutOfTree","args":{"x":1}},{"name":"NoArgs","args":null}]`)
}

// TestTypedArgsAsJSON writes args for the apiVersions that have no args kinds.
func TestTypedArgsAsJSON(t *testing.T) {
	hub := oneProfile()
	hub.Profiles[0].PluginConfig = []config.PluginConfig{
		{Name: "InterPodAffinity", Args: &config.InterPodAffinityArgs{HardPodAffinityWeight: ptr[int32](5), IgnorePreferredTermsOfExistingPods: true}},
		{Name: "DynamicResources", Args: &config.DynamicResourcesArgs{}},
		{Name: "RequestedToCapacityRatio", Args: &config.RequestedToCapacityRatioArgs{
			Shape:     []config.UtilizationShapePoint{{Utilization: 0, Score: 10}},
			Resources: []config.ResourceSpec{{Name: "cpu", Weight: 1}},
		}},
	}
	want := []v1alpha2.PluginConfig{
		{Name: "InterPodAffinity", Args: *raw(`{"hardPodAffinityWeight":5}`)},
		{Name: "RequestedToCapacityRatio", Args: *raw(`{"shape":[{"utilization":0,"score":10}],"resources":[{"name":"cpu","weight":1}]}`)},
	}
	losses := []reported{
		{"profiles[0].pluginConfig[0].args.ignorePreferredTermsOfExistingPods", "conversion-field-dropped", ""},
		{"profiles[0].pluginConfig[1]", "args-dropped", ""},
	}

	c := &conversion.Context{}
	check(t, convert[v1alpha2.KubeSchedulerConfiguration](t, hub, c).Profiles[0].PluginConfig, want)
	check(t, reportedBy(c.Losses), losses)

	c = &conversion.Context{}
	for i, got := range convert[v1alpha1.KubeSchedulerConfiguration](t, hub, c).PluginConfig {
		check(t, v1alpha2.PluginConfig(got), want[i])
	}
	check(t, reportedBy(c.Losses), losses)
}

// TestArgsOfAnotherAPIVersion would convert if only the scheme were asked.
func TestArgsOfAnotherAPIVersion(t *testing.T) {
	in := &v1beta3.KubeSchedulerConfiguration{Profiles: []v1beta3.KubeSchedulerProfile{{}, {PluginConfig: []v1beta3.PluginConfig{
		{Name: "VolumeBinding", Args: runtime.RawExtension{Object: &v1beta2.VolumeBindingArgs{
			TypeMeta: metav1.TypeMeta{APIVersion: "kubescheduler.config.k8s.io/v1beta2", Kind: "VolumeBindingArgs"},
		}}},
	}}}}
	err := newScheme(t).Convert(in, &config.KubeSchedulerConfiguration{}, nil)
	want := "profiles[1].pluginConfig[0].args: args of kubescheduler.config.k8s.io/v1beta2 VolumeBindingArgs cannot stand in a configuration of kubescheduler.config.k8s.io/v1beta3"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestLostFields(t *testing.T) {
	hub := &config.KubeSchedulerConfiguration{
		Parallelism:                    ptr[int32](1),
		HardPodAffinitySymmetricWeight: ptr[int32](1),
		HealthzBindAddress:             ptr(""),
		MetricsBindAddress:             ptr(":1"),
		DisablePreemption:              ptr(false),
		BindTimeoutSeconds:             ptr[int64](1),
		Profiles:                       []config.KubeSchedulerProfile{{}, {PercentageOfNodesToScore: ptr[int32](1)}},
		Extenders:                      []config.Extender{{}},
		DelayCacheUntilActive:          true,
	}
	const rule = "conversion-field-dropped"
	hard := reported{"hardPodAffinitySymmetricWeight", rule, "set hardPodAffinityWeight in the args of the plugin InterPodAffinity"}
	healthz := reported{"healthzBindAddress", rule, "the secure port answers health checks, see the flag --secure-port"}
	metrics := reported{"metricsBindAddress", rule, "the secure port serves metrics, see the flag --secure-port"}
	preemption := reported{"disablePreemption", rule, "to stop preemption, disable the plugin DefaultPreemption at the point postFilter"}
	timeout := reported{"bindTimeoutSeconds", rule, "set bindTimeoutSeconds in the args of the plugin VolumeBinding"}
	delay := reported{"delayCacheUntilActive", rule, ""}
	percentage := reported{"profiles[1].percentageOfNodesToScore", rule, "percentageOfNodesToScore at the top level holds for every profile"}
	parallelism := reported{"parallelism", rule, ""}
	want := map[string][]reported{
		"v1alpha1": {{"profiles", "profiles-dropped", ""}, parallelism, {"extenders", rule, ""}, delay},
		"v1alpha2": {parallelism, hard, delay, percentage},
		"v1beta1":  {hard, preemption, timeout, delay, percentage},
		"v1beta2":  {hard, preemption, timeout, delay, percentage},
		"v1beta3":  {hard, healthz, metrics, preemption, timeout, delay, percentage},
		"v1":       {hard, healthz, metrics, preemption, timeout},
	}
	s := newScheme(t)
	for _, v := range apiVersions {
		t.Run(v.gv.Version, func(t *testing.T) {
			_, losses := v.fromHub(t, s, hub)
			check(t, reportedBy(losses), want[v.gv.Version])
		})
	}
}

func TestStandaloneArgs(t *testing.T) {
	c := &conversion.Context{}
	out := convert[v1beta1.InterPodAffinityArgs](t, &config.InterPodAffinityArgs{
		HardPodAffinityWeight: ptr[int32](5), IgnorePreferredTermsOfExistingPods: true,
	}, c)
	check(t, out, &v1beta1.InterPodAffinityArgs{HardPodAffinityWeight: ptr[int32](5)})
	check(t, reportedBy(c.Losses), []reported{{"ignorePreferredTermsOfExistingPods", "conversion-field-dropped", ""}})
}
