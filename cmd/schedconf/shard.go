// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/project"
	"github.com/schedconf/schedconf/schemas"
)

// maxShards bounds N of --shard I/N. More would cost more to start than to judge.
const maxShards = 100_000

// partPrinter is the shard of a run: what of it is judged, and the JSON of its report. Every shard looks at
// all files, since what one says counts for the others, goes through the same steps, and counts them. So the
// numbers of the steps say where in the whole report something belongs. A nil one is a run that is not dealt
// out.
type partPrinter struct {
	jsonPrinter
	partHeader
	step   int
	inputs hash.Hash
	// code and once are about the trouble that comes next, and exit is the code of the shard.
	code, exit int
	once       bool
	// firsts are the steps at which settings were first needed, by their file.
	firsts map[string]int
}

// partHeader says in the header which part a report is.
type partHeader struct {
	Index int `json:"index"`
	Of    int `json:"of"`
	// Question stands for the flags and the operands. They are the same for all shards of a run.
	Question     string `json:"question"`
	Strict       bool   `json:"strict,omitempty"`
	RequireMatch bool   `json:"requireMatch,omitempty"`
}

// partLine stands before the findings of a file, or in place of them.
type partLine struct {
	At   int    `json:"at"`
	File string `json:"file,omitempty"`
	// Trouble is what could not be judged, with its exit code. With Once it is said once for all shards.
	Trouble string `json:"trouble,omitempty"`
	Exit    int    `json:"exit,omitempty"`
	Once    bool   `json:"once,omitempty"`
	// Settings is true for entries of the settings that were needed for nothing; Used has those that were.
	Settings bool            `json:"settings,omitempty"`
	Used     []diag.Position `json:"used,omitempty"`
	// Gone is how many findings of the baseline are gone.
	Gone int `json:"gone,omitempty"`
}

// partEnd ends the report of a shard.
type partEnd struct {
	counts
	Exit int `json:"exit"`
	// Inputs stands for the names of all files that were looked at, and for what is in those that matter.
	Inputs string `json:"inputs"`
}

// newPart reads --shard; without one the part is nil.
func newPart(c *cli.Context, operands []string) (*partPrinter, error) {
	if !c.IsSet("shard") {
		return nil, nil
	}
	value := c.String("shard")
	left, right, _ := strings.Cut(value, "/")
	index, wrongIndex := strconv.Atoi(left)
	of, wrongOf := strconv.Atoi(right)
	outputs := c.StringSlice("output")
	switch {
	case wrongIndex != nil || wrongOf != nil:
		return nil, usage(c, "--shard %q: write I/N, as in 0/8 for the first of eight", value)
	case of < 1 || of > maxShards:
		return nil, usage(c, "--shard %q: there are 1 to %d shards", value, maxShards)
	case index < 0 || index >= of:
		return nil, usage(c, "--shard %q: the shards are counted from 0 to %d", value, of-1)
	case len(outputs) != 1 || outputs[0] != "json" && !strings.HasPrefix(outputs[0], "json="):
		return nil, usage(c, "--shard: the report of a shard is JSON, write -o json; merge makes the other forms of all of them")
	case c.Bool("fix") || c.String("write-baseline") != "":
		return nil, usage(c, "--shard goes with neither --fix nor --write-baseline")
	case slices.Contains(operands, stdinName):
		return nil, usage(c, "--shard: standard input (-) cannot be read by all shards")
	}
	return &partPrinter{
		partHeader: partHeader{index, of, question(c, operands), c.Bool("strict"), c.Bool("require-match")},
		step:       -1, inputs: sha256.New(), firsts: map[string]int{},
	}, nil
}

// question stands for a command line: what is asked, but not by which shard and how the answer looks.
func question(c *cli.Context, operands []string) string {
	var asked []string
	for _, flag := range c.Command.Flags {
		name := flag.Names()[0]
		if slices.Contains([]string{"shard", "output", "color", "quiet"}, name) || !c.IsSet(name) {
			continue
		}
		value := fmt.Sprint(c.Value(name))
		if list := c.StringSlice(name); list != nil {
			value = fmt.Sprintf("%q", list)
		}
		asked = append(asked, name+"="+value)
	}
	return digest(fmt.Sprintf("%q %q", asked, operands))
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// next goes to the next step, and reports whether this shard does it.
func (p *partPrinter) next() (mine bool) {
	if p == nil {
		return true
	}
	p.step++
	return p.step%p.Of == p.Index
}

// saw and read note what is looked at.
func (p *partPrinter) saw(name string) {
	if p != nil {
		fmt.Fprintf(p.inputs, "%q", name)
	}
}

func (p *partPrinter) read(data []byte) {
	if p != nil {
		fmt.Fprintf(p.inputs, "%d", len(data))
		p.inputs.Write(data)
	}
}

// met notes the exit code of the trouble that is told next.
func (p *partPrinter) met(code int, once bool) {
	if p != nil {
		p.code, p.once = code, once
	}
}

// first notes that settings were needed at this step, unless they were before.
func (p *partPrinter) first(file string) {
	if p == nil {
		return
	}
	if _, ok := p.firsts[file]; !ok {
		p.firsts[file] = p.step
	}
}

func (p *partPrinter) end(code int) { p.exit = code }

func (p *partPrinter) header(release *schemas.Release) {
	p.line(struct {
		jsonHeader
		Shard partHeader `json:"shard"`
	}{newHeader(release), p.partHeader})
}

func (p *partPrinter) file(name string, list diag.List) {
	p.line(partLine{At: p.step, File: name})
	p.findings(list)
}

func (p *partPrinter) trouble(message string) {
	p.line(partLine{At: p.step, Trouble: message, Exit: p.code, Once: p.once})
}

// unused tells what of the settings and the baseline was for nothing as far as this shard knows. It does
// not count, since another shard may have needed it.
func (p *partPrinter) unused(all []*project.Settings, baseline *project.Baseline, name string) {
	for _, settings := range all {
		p.line(partLine{At: p.firsts[settings.File], File: settings.File, Settings: true, Used: settings.Used()})
		p.findings(settings.Unused())
	}
	if gone := baseline.Gone(); gone > 0 {
		p.line(partLine{At: p.step, File: name, Gone: gone})
	}
}

func (p *partPrinter) summary(total counts) {
	p.line(partEnd{total, p.exit, hex.EncodeToString(p.inputs.Sum(nil))})
}
