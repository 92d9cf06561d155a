// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// contextLines is how many equal lines a hunk shows around a change.
const contextLines = 3

// line is a line of an edit script: ' ', '-' or '+', and the text.
type line struct {
	op   byte
	text string
}

// unified prints the difference of two texts as a unified diff, which patch understands; nothing
// where there is none. The edit script comes from go-diff, whose own patches are in another format.
func unified(left, right, leftName, rightName string) string {
	script := editScript(left, right)
	var b strings.Builder
	for from := 0; from < len(script); {
		start, end := nextHunk(script, from)
		if start == end {
			break
		}
		if b.Len() == 0 {
			fmt.Fprintf(&b, "--- %s\n+++ %s\n", leftName, rightName)
		}
		writeHunk(&b, script, start, end)
		from = end
	}
	return b.String()
}

func editScript(left, right string) []line {
	differ := diffmatchpatch.New()
	differ.DiffTimeout = 0 // the result must not depend on how fast the machine is
	a, b, lines := differ.DiffLinesToRunes(left, right)
	var script []line
	for _, d := range differ.DiffCharsToLines(differ.DiffMainRunes(a, b, false), lines) {
		op := byte(' ')
		switch d.Type {
		case diffmatchpatch.DiffDelete:
			op = '-'
		case diffmatchpatch.DiffInsert:
			op = '+'
		}
		for _, text := range strings.SplitAfter(d.Text, "\n") {
			if text != "" {
				script = append(script, line{op, strings.TrimSuffix(text, "\n")})
			}
		}
	}
	return script
}

// nextHunk finds the lines from the first change on, with contextLines, up to where more than twice the
// contextLines is equal.
func nextHunk(script []line, from int) (start, end int) {
	first := from
	for first < len(script) && script[first].op == ' ' {
		first++
	}
	if first == len(script) {
		return 0, 0
	}
	last := first
	for i := first; i < len(script) && i-last <= 2*contextLines; i++ {
		if script[i].op != ' ' {
			last = i
		}
	}
	return max(from, first-contextLines), min(len(script), last+1+contextLines)
}

func writeHunk(b *strings.Builder, script []line, start, end int) {
	leftLine, rightLine := 1, 1
	for _, l := range script[:start] {
		if l.op != '+' {
			leftLine++
		}
		if l.op != '-' {
			rightLine++
		}
	}
	left, right := 0, 0
	for _, l := range script[start:end] {
		if l.op != '+' {
			left++
		}
		if l.op != '-' {
			right++
		}
	}
	fmt.Fprintf(b, "@@ -%s +%s @@\n", span(leftLine, left), span(rightLine, right))
	for _, l := range script[start:end] {
		fmt.Fprintf(b, "%c%s\n", l.op, l.text)
	}
}

// span is the start and length of one side of a hunk; an empty side starts at the line before.
func span(start, length int) string {
	if length == 0 {
		return fmt.Sprintf("%d,0", start-1)
	}
	if length == 1 {
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, length)
}
