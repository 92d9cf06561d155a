// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import "github.com/schedconf/schedconf/diag"

// The rules of the decoder have no check: their findings come from reading the document.
const (
	ruleSyntax            = "file-syntax"
	ruleEmpty             = "document-empty"
	ruleKindMissing       = "kind-missing"
	ruleAPIVersionMissing = "api-version-missing"
	ruleAPIVersionUnknown = "api-version-unknown"
	ruleInternal          = "api-version-internal"
	ruleKindWrong         = "kind-wrong"
	ruleFieldUnknown      = "field-unknown"
	ruleKeyDuplicate      = "key-duplicate"
	ruleFieldType         = "field-type"
	ruleArgsKind          = "args-kind"
	ruleContradiction     = "lock-object-mismatch"
	ruleDecode            = "decode-error"
	ruleIgnored           = "document-ignored"
	ruleDeprecated        = "api-version-deprecated"
	ruleTooLarge          = "file-too-large"
	ruleTooComplex        = "file-too-complex"
	ruleTemplate          = "template-unrendered"
)

var decodeRules = []Rule{{
	ID:      ruleSyntax,
	Summary: "the file is neither YAML nor JSON",
	Doc:     "A file that starts with { is read as JSON, everything else as YAML 1.1. Tabs cannot indent YAML.",
}, {
	ID:      ruleTooLarge,
	Summary: "the file is larger than any configuration",
	Doc:     "Files of more than 16 MiB are not read: no configuration is that large, and reading one would cost memory and time for nothing.",
}, {
	ID:        ruleTooComplex,
	Summary:   "a file mentions a scheduler, and is nested or repeated too deeply to look through",
	Doc:       "Texts inside of texts are looked into four levels deep, trees sixty-four levels, and aliases that repeat the same over and over not to their end. What lies beyond is not judged, so it is an error. The configuration can be given as a file of its own.",
	Otherwise: diag.Error,
}, {
	ID:        ruleTemplate,
	Summary:   "a configuration is a template that was not rendered",
	Doc:       "Text with {{ }} or {% %} around a configuration becomes one only when Helm, Jinja or another program has rendered it. In a folder it is passed over and counted; a template that is named is an error. What comes out can be judged: helm template . | schedconf validate - reads it.",
	Otherwise: diag.Info,
}, {
	ID:      ruleEmpty,
	Summary: "there is nothing in the document",
	Doc:     "kube-scheduler reads the first document of a file. An empty one has no kind; 1.16 and 1.17 read it as a configuration without any default and fail later.",
}, {
	ID:      ruleKindMissing,
	Summary: "the document has no kind",
	Doc:     "Every configuration starts with apiVersion and kind.",
}, {
	ID:      ruleAPIVersionMissing,
	Summary: "the document has no apiVersion",
	Doc:     "Every configuration starts with apiVersion and kind. Without apiVersion 1.16 and 1.17 read it as the internal version, which has other field names and no defaults.",
}, {
	ID:      ruleAPIVersionUnknown,
	Summary: "the release does not read this apiVersion",
	Doc:     "Every minor reads certain apiVersions; `schedconf versions` prints the table, and `schedconf convert` rewrites a file.",
}, {
	ID:      ruleInternal,
	Summary: "the document is of the internal version, which is not for files",
	Doc:     "kube-scheduler reads kubescheduler.config.k8s.io/__internal with Go field names and fills in no defaults, so that a usable file would have to set everything.",
}, {
	ID:      ruleKindWrong,
	Summary: "the document is not a KubeSchedulerConfiguration",
	Doc:     "Some other object was given as a configuration.",
}, {
	ID:        ruleFieldUnknown,
	Summary:   "a field does not exist in this apiVersion of this release",
	Doc:       "1.16 ignores unknown fields, 1.17 and 1.18 warn about them for v1alpha1, everything later refuses them. Fields come and go with minors as well as apiVersions.",
	Otherwise: diag.Warning,
}, {
	ID:        ruleKeyDuplicate,
	Summary:   "a key stands twice in one object",
	Doc:       "Where it is not refused, the last one counts.",
	Otherwise: diag.Warning,
}, {
	ID:      ruleFieldType,
	Summary: "a value has the wrong type",
	Doc:     "Numbers, texts, lists and objects are not converted into each other. YAML reads yes, on and 010 as true, true and 8.",
}, {
	ID:      ruleArgsKind,
	Summary: "the args of a plugin have the apiVersion or kind of something else",
	Doc:     "args may name their kind, <plugin name>Args, and the apiVersion of the file. Both can be left out.",
}, {
	ID:      ruleContradiction,
	Summary: "two fields that mean the same say different things",
	Doc:     "v1alpha1 has lockObjectName beside resourceName, and lockObjectNamespace beside resourceNamespace. Where both are given they must agree.",
}, {
	ID:      ruleDecode,
	Summary: "the decoder refuses the document",
	Doc:     "The typed decoder objects to something that no other rule explains. Please report it: there should be a rule.",
}, {
	ID:        ruleIgnored,
	Summary:   "kube-scheduler ignores this document, since it is not the first of the file",
	Doc:       "Only the first YAML document of a file is read, and nothing says that there are more.",
	Otherwise: diag.Warning,
}, {
	ID:        ruleDeprecated,
	Summary:   "this apiVersion is deprecated in this release",
	Doc:       "The release reads it and logs that a later one will not.",
	Otherwise: diag.Warning,
}}
