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
	"github.com/schedconf/schedconf/scheme/source"
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

// rewritten is a file with a document of it changed.
type rewritten struct {
	name string
	data []byte
	doc  *source.Document
	// text is the new one of the document, and refused is true if the target does not take it.
	text    []byte
	refused bool
}

func (r *rewritten) file() []byte {
	return source.Replace(r.data, source.Split(r.name, r.data), r.doc.Index, r.text)
}

// deliver prints the document, writes the file or prints the difference, as the flags have it. A file
// that the target would refuse is not written. It returns the exit code.
func (p *program) deliver(c *cli.Context, r *rewritten, findings diag.List) (int, error) {
	code := verdict(c, findings)
	file := r.file()
	switch changed := !bytes.Equal(file, r.data); {
	case c.Bool("diff"):
		if !changed {
			return code, nil
		}
		_, err := p.stdout.Write([]byte(fileDiff(string(r.data), string(file), r.name)))
		return max(code, exitNo), err
	case !c.Bool("write"):
		_, err := p.stdout.Write(r.text)
		return code, err
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
