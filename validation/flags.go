// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"path"
	"slices"
	"strings"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/schemas"
	"github.com/schedconf/schedconf/scheme"
)

// Flags is a command line of kube-scheduler, read as the release reads it. Reading goes on behind
// what the program would stop at.
type Flags struct {
	Release *schemas.Release
	// Program are the leading words that name the program.
	Program []Word
	// Given are the flags in order; one may be given twice.
	Given []GivenFlag
	// Operands are the words that are neither flags nor their values.
	Operands []Word
	// Terminator is the "--" behind which everything is an operand.
	Terminator *Word
	// Gates are the states of the feature gates that the release takes.
	Gates map[string]bool

	faults []flagFault
}

// Word is a word of the command line.
type Word struct {
	Text string
	// Index is its place in the arguments.
	Index int
	Pos   diag.Position
}

// GivenFlag is a flag with its value.
type GivenFlag struct {
	// Name is the name with dashes instead of underscores, which mean the same.
	Name string
	// Flag is nil where the release does not have it.
	Flag *schemas.Flag
	// Value is "true" for a flag that stands alone and may.
	Value string
	// Word holds the flag, and ValueWord its value; that is often the same word.
	Word, ValueWord Word
}

// flagFault is a word that cannot be read as a flag.
type flagFault struct {
	word          Word
	message, hint string
}

// Last returns the flag of a name that counts if it is given several times.
func (f *Flags) Last(name string) (*GivenFlag, bool) {
	for i := len(f.Given) - 1; i >= 0; i-- {
		if f.Given[i].Name == name {
			return &f.Given[i], true
		}
	}
	return nil, false
}

// Config is the file that --config names; empty without.
func (f *Flags) Config() string {
	if given, ok := f.Last("config"); ok && given.Flag != nil {
		return given.Value
	}
	return ""
}

// Values are the flags that the release has, for scheme.Resolve.
func (f *Flags) Values() []scheme.FlagValue {
	var values []scheme.FlagValue
	for _, given := range f.Given {
		if given.Flag != nil && valueFault(given.Flag, given.Value) == "" {
			values = append(values, scheme.FlagValue{Flag: given.Flag, Value: given.Value, Pos: given.Word.Pos})
		}
	}
	return values
}

// ParseFlags reads a command line. It follows pflag, with which kube-scheduler reads its own: a flag
// that needs a value takes the next word whatever it is, and one that needs none takes a value behind
// "=" only.
func ParseFlags(release *schemas.Release, args []string, at func(i int) diag.Position) *Flags {
	p := flagParser{Flags: &Flags{Release: release}}
	for i, text := range args {
		p.rest = append(p.rest, Word{text, i, at(i)})
	}
	p.program()
	for len(p.rest) > 0 {
		word := p.next()
		switch {
		case word.Text == "--":
			p.Terminator = &word
			p.Operands = append(p.Operands, p.rest...)
			return p.Flags
		case len(word.Text) < 2 || word.Text[0] != '-':
			p.Operands = append(p.Operands, word)
		case word.Text[1] == '-':
			p.long(word)
		default:
			p.short(word)
		}
	}
	return p.Flags
}

type flagParser struct {
	*Flags
	rest []Word
}

func (p *flagParser) next() Word {
	word := p.rest[0]
	p.rest = p.rest[1:]
	return word
}

// program takes the words that name the program, of which hyperkube has two.
func (p *flagParser) program() {
	for len(p.rest) > 0 {
		name := path.Base(p.rest[0].Text)
		if strings.HasPrefix(p.rest[0].Text, "-") || name != "hyperkube" && !strings.Contains(name, "scheduler") {
			return
		}
		p.Program = append(p.Program, p.next())
		if name != "hyperkube" {
			return
		}
	}
}

func (p *flagParser) fault(word Word, message, hint string) {
	p.faults = append(p.faults, flagFault{word, message, hint})
}

func (p *flagParser) long(word Word) {
	name, value, hasValue := strings.Cut(word.Text[2:], "=")
	if name == "" || name[0] == '-' {
		p.fault(word, "this is no flag", "write --NAME=VALUE")
		return
	}
	given := GivenFlag{Name: strings.ReplaceAll(name, "_", "-"), Value: value, Word: word, ValueWord: word}
	given.Flag, _ = p.Release.Flag(given.Name)
	p.take(given, hasValue)
}

// take finds the value of a flag that does not bring it along.
func (p *flagParser) take(given GivenFlag, hasValue bool) {
	needs := true
	if flag := p.like(given); flag != nil {
		needs = !flag.NeedsNoValue()
	} else if len(p.rest) == 0 || strings.HasPrefix(p.rest[0].Text, "-") {
		needs = false // nobody knows
	}
	switch {
	case hasValue:
	case !needs:
		given.Value = "true"
	case len(p.rest) == 0:
		p.fault(given.Word, "the flag --"+given.Name+" needs a value", "write --"+given.Name+"=VALUE")
		return
	default:
		given.ValueWord = p.next()
		given.Value = given.ValueWord.Text
	}
	p.Given = append(p.Given, given)
}

// like returns the flag, or the flag of that name of another release: it tells whether a value follows.
func (p *flagParser) like(given GivenFlag) *schemas.Flag {
	if given.Flag != nil {
		return given.Flag
	}
	for _, minor := range slices.Backward(schemas.Minors()) {
		if flag, ok := schemas.For(minor).Flag(given.Name); ok {
			return flag
		}
	}
	return nil
}

// short reads the flags of one letter behind a single dash. One that needs a value takes what is left
// of the word, or the next word.
func (p *flagParser) short(word Word) {
	for letters := word.Text[1:]; letters != ""; {
		flag := p.shorthand(letters[:1])
		if flag == nil {
			name, _, _ := strings.Cut(strings.ReplaceAll(letters, "_", "-"), "=")
			hint := ""
			if _, ok := p.Release.Flag(name); ok {
				hint = "write --" + name + ": a name goes with two dashes"
			}
			p.fault(word, "there is no flag of one letter that fits", hint)
			return
		}
		given := GivenFlag{Name: flag.Name, Flag: flag, Word: word, ValueWord: word}
		rest := letters[1:]
		switch {
		case strings.HasPrefix(rest, "="):
			given.Value = rest[1:]
			p.take(given, true)
			return
		case rest != "" && !flag.NeedsNoValue():
			given.Value = rest
			p.take(given, true)
			return
		}
		p.take(given, false)
		letters = rest
	}
}

func (p *flagParser) shorthand(letter string) *schemas.Flag {
	flags := p.Release.Flags()
	if i := slices.IndexFunc(flags, func(f schemas.Flag) bool { return f.Shorthand == letter }); i >= 0 {
		return &flags[i]
	}
	return nil
}
