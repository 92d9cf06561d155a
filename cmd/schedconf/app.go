// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/scheme"
)

// program is one run: the name that it was called by, and its streams.
type program struct {
	name           string
	stdin          io.Reader
	stdout, stderr io.Writer
	// unsaved has the texts of files that somebody is editing, which count instead of those on the disk; it may
	// be nil.
	unsaved func(name string) (text []byte, ok bool)
}

// commands lists every command, in the order in which help shows them.
func (p *program) commands() []*cli.Command {
	return []*cli.Command{
		p.validate(),
		p.merge(),
		p.function(),
		p.defaults(),
		p.convert(),
		p.migrate(),
		p.upgrade(),
		p.diff(),
		p.dryrun(),
		p.snapshot(),
		p.schema(),
		p.effective(),
		p.flags(),
		p.plugins(),
		p.versions(),
		p.explain(),
		p.lsp(),
		p.version(),
		p.completion(),
		p.man(),
	}
}

// run is the whole program: arguments and streams in, exit code out.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	args = asFunction(args)
	buffered := bufio.NewWriterSize(stdout, 1<<16)
	p := &program{name: calledAs(args[0]), stdin: stdin, stdout: &output{buffered, stdout}, stderr: stderr}
	err := guard(func() error { return p.run(args) })
	if unwritten := buffered.Flush(); unwritten != nil && !failed(err) {
		err = inputError{fmt.Errorf("write to standard output: %w", reason(unwritten))}
	}
	return report(stderr, err)
}

// output is standard output: buffered, and still known as the file that it is.
type output struct {
	*bufio.Writer
	file io.Writer
}

// flush shows what was written so far, before something is said on standard error. An error comes
// up again when the program ends.
func flush(w io.Writer) {
	if out, ok := w.(*output); ok {
		_ = out.Flush()
	}
}

func (p *program) run(args []string) error {
	app := p.app()
	args, err := arrange(app, args)
	if err != nil {
		return err
	}
	return app.Run(args)
}

// app builds the command line. All that has to be known about urfave/cli stands in this file: left
// alone it takes flags behind a file name for files, writes usage errors to standard output, takes
// a file called "help" for a command, and exits from within.
func (p *program) app() *cli.App {
	app := &cli.App{
		Name:                      programName,
		HelpName:                  p.name,
		Usage:                     "check, complete and explain kube-scheduler configuration files",
		UsageText:                 p.name + " COMMAND [flags] [FILE…]",
		Description:               "Every command has --help with examples.\n\n" + exitCodes,
		Version:                   buildVersion(),
		HideVersion:               true, // it is a command
		HideHelpCommand:           true,
		DisableSliceFlagSeparator: true,
		EnableBashCompletion:      true,
		Reader:                    p.stdin,
		Writer:                    p.stdout,
		ErrWriter:                 p.stderr,
		ExitErrHandler:            func(*cli.Context, error) {},
		OnUsageError:              onUsageError,
		Commands:                  p.commands(),
		Action:                    unknownCommand,
	}
	for _, command := range app.Commands {
		command.HideHelpCommand = true
		command.OnUsageError = onUsageError
		command.CustomHelpTemplate = commandHelp
		command.Description = p.asCalled(command.Description)
	}
	return app
}

// commandHelp is one sentence, the flags, the examples, and the exit codes.
const commandHelp = `{{.HelpName}} - {{.Usage}}

USAGE:
   {{.HelpName}} [flags]{{if .ArgsUsage}} {{.ArgsUsage}}{{end}}

{{.Description}}
FLAGS:{{range .VisibleFlags}}
   {{.}}{{end}}

` + exitCodes

func onUsageError(c *cli.Context, err error, _ bool) error {
	return usageError{command: c.Command.HelpName, message: err.Error()}
}

func unknownCommand(c *cli.Context) error {
	name := c.Args().First()
	switch {
	case name == "":
		return usageError{command: c.App.HelpName, message: "a command is needed"}
	case name == "help" && c.NArg() > 1:
		if c.App.Command(c.Args().Get(1)) != nil {
			return cli.ShowCommandHelp(c, c.Args().Get(1))
		}
		name = c.Args().Get(1)
	case name == "help":
		return cli.ShowAppHelp(c)
	}
	message := fmt.Sprintf("unknown command %q", name)
	if near, ok := scheme.Nearest(name, commandNames(c.App)); ok {
		message += fmt.Sprintf(", did you mean %q?", near)
	}
	return usageError{command: c.App.HelpName, message: message}
}

func commandNames(app *cli.App) []string {
	names := []string{"help"}
	for _, command := range app.Commands {
		names = append(names, command.Name)
	}
	return names
}

// arrange puts the flags of a command in front of its operands, and "--" between the two.
func arrange(app *cli.App, args []string) ([]string, error) {
	if len(args) < 2 || args[len(args)-1] == "--generate-bash-completion" {
		return args, nil
	}
	command := app.Command(args[1])
	if command == nil {
		return args, nil
	}
	table := flagTable(command)
	var flags, operands []string
	for rest := args[2:]; len(rest) > 0; {
		arg := rest[0]
		rest = rest[1:]
		if arg == "--" {
			operands = append(operands, rest...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			operands = append(operands, arg)
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if _, known := table[name]; !known && arg[1] != '-' && table[name[:1]] {
			name, value, hasValue = name[:1], strings.TrimPrefix(name[1:], "="), true // -ojson
		}
		takesValue, known := table[name]
		switch {
		case !known:
			return nil, unknownFlag(app, command, arg, name, table)
		case name == "help" || name == "h":
			return []string{args[0], args[1], "--help"}, nil
		case takesValue && !hasValue && len(rest) == 0:
			return nil, usageError{command: app.HelpName + " " + command.Name, message: fmt.Sprintf("the flag %s needs a value", arg)}
		case takesValue && !hasValue:
			value, rest, hasValue = rest[0], rest[1:], true
		}
		if hasValue {
			name += "=" + value
		}
		flags = append(flags, "--"+name)
	}
	return slices.Concat(args[:2], flags, []string{"--"}, operands), nil
}

// flagTable says of each name of a flag whether it takes a value.
func flagTable(command *cli.Command) map[string]bool {
	table := map[string]bool{"help": false, "h": false}
	for _, flag := range command.Flags {
		documented, ok := flag.(cli.DocGenerationFlag)
		for _, name := range flag.Names() {
			table[name] = ok && documented.TakesValue()
		}
	}
	return table
}

func unknownFlag(app *cli.App, command *cli.Command, arg, name string, table map[string]bool) error {
	message := fmt.Sprintf("unknown flag %q", arg)
	var names []string
	for known := range table {
		if len(known) > 1 {
			names = append(names, known)
		}
	}
	slices.Sort(names)
	if near, ok := scheme.Nearest(name, names); ok {
		message += fmt.Sprintf(", did you mean --%s?", near)
	}
	return usageError{command: app.HelpName + " " + command.Name, message: message}
}

// report prints an error that has something to say, and returns the exit code.
func report(stderr io.Writer, err error) int {
	var code exitCode
	var usage usageError
	var input inputError
	switch {
	case err == nil:
		return exitYes
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "schedconf: %s\n", printable(usage.message))
		fmt.Fprintf(stderr, "run \"%s --help\" to see how it is used\n", usage.program())
		return exitWrongQuestion
	case errors.As(err, &input):
		fmt.Fprintf(stderr, "schedconf: %s\n", printable(input.Error()))
		return exitWrongQuestion
	}
	fmt.Fprintf(stderr, "schedconf: %s: this is a bug in schedconf, please report it\n", printable(err.Error()))
	return exitBug
}
