// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/scheme/source/find"
)

// CommandLine is how a manifest starts kube-scheduler.
type CommandLine struct {
	// Args are the arguments without the program, and At is where each of them stands.
	Args []string
	At   func(i int) diag.Position
	// Target is the minor that the image suggests; empty if it suggests none.
	Target string
	// Command has the image, and the mounts that lead from the value of --config to a ConfigMap or a
	// path of the host.
	Command *find.Command
	// Config is the configuration that --config leads to, if it is in the same file.
	Config *source.Document
	// Policy is the only Policy in the same file.
	Policy *source.Document
	// Found says where it lies.
	Found find.Found
}

// CommandLines returns the command lines in a file: those of containers in any object that has some,
// and what the configuration of an installer turns into flags.
func CommandLines(name string, data []byte) []CommandLine {
	documents := source.Split(name, data)
	found, _ := find.In(name, documents)
	links := link(found)
	var lines []CommandLine
	policy := onlyPolicy(found)
	for i, f := range found {
		if f.Kind != find.Flags {
			continue
		}
		line := CommandLine{Target: f.Target, Command: f.Command, Policy: policy, Found: f}
		if config := links[&found[i]]; config != nil {
			line.Config = config.Doc
		}
		words, _ := commandWords(&f)
		for _, word := range words {
			line.Args = append(line.Args, word.Text)
		}
		line.At = func(i int) diag.Position { return words[i].Pos }
		lines = append(lines, line)
	}
	return lines
}

// onlyPolicy is the one Policy among what was found.
func onlyPolicy(found []find.Found) *source.Document {
	var only *source.Document
	for _, f := range found {
		if f.Kind != find.Policy {
			continue
		}
		if only != nil {
			return nil
		}
		only = f.Doc
	}
	return only
}

var schedulerProgram = regexp.MustCompile(`^kube-scheduler(-\w+)?$`)

// containerWords are command and args of a container, word by word as they stand. What a shell gets
// is not split: that is done where it is found.
func containerWords(doc *source.Document, f find.Found) ([]Word, bool) {
	var words []Word
	for _, field := range []string{"command", "args"} {
		list := f.Path.Child(field)
		for i := range doc.Len(list) {
			text, ok := doc.Scalar(list.Index(i))
			if !ok || strings.ContainsAny(text, " \n") && !strings.HasPrefix(text, "-") {
				return nil, false
			}
			words = append(words, Word{text, len(words), doc.ValuePosition(list.Index(i))})
		}
	}
	if at := slices.IndexFunc(words, func(w Word) bool { return schedulerProgram.MatchString(path.Base(w.Text)) }); at >= 0 {
		return words[at+1:], true
	}
	at := slices.IndexFunc(words, func(w Word) bool { return strings.HasPrefix(w.Text, "-") })
	return words[max(at, 0):], at >= 0
}

// flagWords writes flags that are no words yet as words.
func flagWords(command *find.Command) []Word {
	var words []Word
	for i, flag := range command.Flags {
		text := "--" + flag.Name
		if flag.HasValue {
			text += "=" + flag.Value
		}
		words = append(words, Word{text, i, flag.Pos})
	}
	return words
}
