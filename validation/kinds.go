// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"fmt"
	"strings"

	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/config"
)

// knownKinds say in words what people give to the tool by mistake.
var knownKinds = map[string]string{
	"Config":               "this is a kubeconfig, which says how to reach a cluster",
	"Policy":               "this is a scheduler Policy, the format before profiles",
	"Pod":                  "this is a Pod",
	"Deployment":           "this is a Deployment",
	"ConfigMap":            "this is a ConfigMap; the configuration may be inside",
	"List":                 "this is a List of objects",
	"ClusterConfiguration": "this is a kubeadm ClusterConfiguration",
	"KubeletConfiguration": "this is a kubelet configuration",
}

// DescribeKind says what an object is that is no configuration.
func DescribeKind(apiVersion, kind string) string {
	what, ok := knownKinds[kind]
	if !ok {
		what = fmt.Sprintf("this is a %s (%s)", kind, apiVersion)
	}
	return what + ", not a " + config.Kind
}

func kindHint(apiVersion, kind string) string {
	switch {
	case kind == "Config":
		return "the scheduler takes the kubeconfig in clientConnection.kubeconfig, and the configuration with --config"
	case strings.HasPrefix(apiVersion, config.GroupName+"/") && strings.HasSuffix(kind, "Args"):
		return "plugin args stand in profiles[].pluginConfig[].args of a " + config.Kind
	case kind == "Policy":
		return "a Policy is given with --policy-config-file, up to Kubernetes 1.22"
	case kind == "ConfigMap":
		return "take the configuration out of data into a file of its own"
	}
	if near, ok := scheme.Nearest(kind, []string{config.Kind}); ok {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "give the file that kube-scheduler gets with --config"
}

// apiVersionHint says since when and until when an apiVersion is read, or which one was meant.
func apiVersionHint(release *schemas.Release, apiVersion string) string {
	served := make([]string, len(release.APIs))
	for i, api := range release.APIs {
		served[i] = api.APIVersion
	}
	reads := fmt.Sprintf("Kubernetes %s reads %s", release.Name, strings.Join(served, ", "))
	if span, ok := schemas.APISpan(apiVersion); ok {
		return fmt.Sprintf("%s is read %s; %s: schedconf convert --to %s rewrites the file", apiVersion, span, reads, served[0])
	}
	if strings.HasPrefix(apiVersion, "componentconfig/") {
		return "componentconfig was the group up to Kubernetes 1.12; " + reads
	}
	if near, ok := scheme.Nearest(apiVersion, served); ok {
		return fmt.Sprintf("did you mean %q? %s", near, reads)
	}
	return reads
}
