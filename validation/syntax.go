// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"bytes"
	"cmp"
	"regexp"
	"strings"

	"github.com/schedconf/schedconf/diag"
)

func reportSyntax(p *Pass, err error) {
	p.enter(ruleSyntax)
	if pos, message, ok := p.doc.Syntax(); ok {
		p.reportAt(pos, "", "%s", message)
	} else {
		// What the position finder can read and the YAML 1.1 reader cannot, such as a number without end.
		p.reportAt(p.doc.Position(nil), "", "%s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	explainSyntax(&(*p.findings)[len(*p.findings)-1], p.doc.Bytes(), p.doc.JSON())
}

// explainSyntax says in plainer words what is wrong with a text that cannot be read: what it is that
// was given, and nothing of what stands in it.
func explainSyntax(f *diag.Diagnostic, text []byte, isJSON bool) {
	for _, leak := range leaks {
		if leak.message.MatchString(f.Message) {
			f.Message = leak.message.ReplaceAllString(f.Message, leak.instead)
			f.Hint = cmp.Or(f.Hint, leak.hint)
		}
	}
	switch {
	case bytes.IndexByte(text, 0) >= 0:
		f.Message = "this is a binary file, neither YAML nor JSON: " + f.Message
		f.Hint = "give the text file that kube-scheduler gets with --config"
	case bytes.Contains(text, []byte("{{")):
		f.Hint = "this looks like a template: render it first, as with helm template"
	case strings.Contains(f.Message, "a tab "):
		f.Hint = "replace the tabs by spaces"
	case strings.Contains(f.Message, "nesting"):
		f.Hint = "no configuration is that deep: look for brackets that are not closed"
	case isJSON:
		f.Hint = cmp.Or(f.Hint, "a file that starts with { is read as JSON: no comments, no comma behind the last entry, nothing behind the object")
	}
}

// leaks are the messages of the YAML parser that quote the text, which may be a password.
var leaks = []struct {
	message       *regexp.Regexp
	instead, hint string
}{
	{regexp.MustCompile(`(?s)^(.*)cannot decode !!\S+ .*as a !!(\w+)$`), "${1}a value that is tagged !!$2 is none", "take the tag out, or write a value of that type"},
	{regexp.MustCompile(`(?s)invalid map key: .*`), "a key is a mapping or a list", "a key is text; quote one that contains braces or brackets"},
	{regexp.MustCompile(`(?s)unknown anchor '.*' referenced`), "an alias names an anchor that is not there", "quote a text that starts with *"},
	{regexp.MustCompile(`(?s)anchor '.*' value contains itself`), "the value of an anchor contains itself", "take the alias out of the anchored value"},
	{regexp.MustCompile(`excessive aliasing`), "excessive aliasing", "write the values out instead of repeating them by aliases"},
	{regexp.MustCompile("(?s)`.*`"), "a value", ""},
}
