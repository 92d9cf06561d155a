// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/scheme/source/find"
	"github.com/schedconf/schedconf/validation"
)

// ruleLayoutChanged is the rule of text that means what it did, but could not stay as it was written.
const ruleLayoutChanged = "layout-changed"

// rewriteFlags choose where the new text of a file goes.
func rewriteFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "write", Aliases: []string{"w"}, Usage: "change the files in place; one that the target would refuse stays as it is"},
		&cli.BoolFlag{Name: "diff", Aliases: []string{"d"}, Usage: "print what would change in the files, and exit with 1 if anything would"},
	}
}

// checkRewrite refuses flags that contradict each other or the operands.
func checkRewrite(c *cli.Context) error {
	names := c.Args().Slice()
	switch {
	case c.Bool("write") && c.Bool("diff"):
		return usage(c, "--write and --diff exclude each other")
	case len(names) == 0:
		return usage(c, "no file is given")
	case len(names) > 1 && !c.Bool("write") && !c.Bool("diff"):
		return usage(c, "one file is taken without --write or --diff, %d are given", len(names))
	}
	for _, name := range names {
		if name == stdinName && c.Bool("write") {
			return usage(c, "--write cannot change standard input")
		}
	}
	return nil
}

// nested is the only configuration inside the objects of a file whose documents are none themselves, such
// as that of a ConfigMap.
func nested(name string, data []byte) (*find.Found, bool) {
	documents := source.Split(name, data)
	if len(validation.Configurations(documents)) > 0 {
		return nil, false
	}
	found, _ := find.In(name, documents)
	var only *find.Found
	for i := range found {
		if found[i].Kind != find.Config && found[i].Kind != find.ConfigObject {
			continue
		}
		if only != nil {
			return nil, false
		}
		only = &found[i]
	}
	return only, only != nil
}

// rewritten is a file with a document of it changed, or with a configuration that lies in an object.
type rewritten struct {
	name  string
	data  []byte
	doc   *source.Document
	found *find.Found // nil for a document of the file
	// text is the new one of the document, and refused is true if the target does not take it.
	text    []byte
	refused bool
}

// file is the whole file as it becomes, with what of it could not be kept.
func (r *rewritten) file() ([]byte, []source.Loss, error) {
	documents := source.Split(r.name, r.data)
	if r.found == nil || r.found.Carrier == "" {
		return source.Replace(r.data, documents, r.doc.Index, r.text), nil, nil
	}
	outer, lost, err := source.RewriteNested(r.found.Doc, r.found.Path, r.text, scheme.ReadValue)
	if err != nil {
		return nil, nil, inputError{fmt.Errorf("change %q: %w", r.name, err)}
	}
	return source.Replace(r.data, documents, r.found.Outer.Index, outer), lost, nil
}

// deliver prints the document, writes the file or prints the difference, as the flags have it. A file
// that the target would refuse is not written. It returns the exit code.
func (p *program) deliver(c *cli.Context, r *rewritten, code int) (int, error) {
	if !c.Bool("write") && !c.Bool("diff") {
		_, err := p.stdout.Write(r.text)
		return code, err
	}
	file, lost, err := r.file()
	if err != nil {
		return code, err
	}
	newText(c, p.stderr, p.stderr).findings(lossFindings(lost))
	switch changed := !bytes.Equal(file, r.data); {
	case c.Bool("diff"):
		if !changed {
			return code, nil
		}
		_, err := p.stdout.Write([]byte(fileDiff(string(r.data), string(file), r.name)))
		return max(code, exitNo), err
	case changed && !r.refused:
		return code, replaceFile(r.name, file)
	}
	return code, nil
}

// endless marks the end of a text without a break at its end while it is compared.
const endless = "\x00"

// fileDiff is the difference of two versions of a file as patch takes it.
func fileDiff(before, after, name string) string {
	mark := func(text string) string {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += endless
		}
		return text
	}
	text := unified(mark(before), mark(after), printable(name), printable(name))
	return strings.ReplaceAll(text, endless+"\n", "\n\\ No newline at end of file\n")
}

// lossFindings say what of a text could not be kept.
func lossFindings(lost []source.Loss) diag.List {
	var list diag.List
	at := map[string]int{}
	counts := map[string]int{}
	for _, l := range lost {
		rule, severity := validation.RuleCommentsDropped, diag.Warning
		message := "a comment goes with what it is about"
		switch l.Kind {
		case source.LostAlias:
			rule, severity, message = ruleLayoutChanged, diag.Info, "what the alias stands for is written out, since it is another here"
		case source.LostStyle:
			rule, severity, message = ruleLayoutChanged, diag.Info, "the text becomes a literal block, since its style cannot hold it"
		}
		key := rule + l.Path.String()
		counts[key]++
		if i, ok := at[key]; ok && l.Kind == source.LostComment {
			list[i].Message = fmt.Sprintf("%d comments go with what they are about", counts[key])
			continue
		}
		at[key] = len(list)
		list = append(list, diag.Diagnostic{Rule: rule, Severity: severity, Message: message, Path: l.Path, Pos: l.Pos})
	}
	return list
}

// eachFile does something with every file; what goes wrong with one does not keep it from the next.
func (p *program) eachFile(names []string, do func(name string, data []byte) (int, error)) error {
	code := exitYes
	for _, name := range names {
		err := guard(func() error {
			data, err := p.read(name)
			if err != nil {
				return unreadable(name, err)
			}
			one, err := do(name, data)
			code = max(code, one)
			return err
		})
		var wrong usageError
		switch {
		case err == nil:
		case len(names) == 1 || errors.As(err, &wrong):
			return err
		default:
			flush(p.stdout)
			code = max(code, report(p.stderr, err))
		}
	}
	return ended(code)
}
