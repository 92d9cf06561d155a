// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/schedconf/schedconf/diag"
	"github.com/schedconf/schedconf/scheme/source"
	"github.com/schedconf/schedconf/validation"
)

// comment is one that passes over findings: # schedconf:ignore RULE[,RULE…] REASON
type comment struct {
	pos   diag.Position
	rules []string
	used  []bool
	// from and to are the first and the last line that it covers.
	from, to int
}

// marker is what such a comment starts with.
const marker = "schedconf:ignore"

var (
	commentPattern = regexp.MustCompile(`(?:^|[ \t])(#[ \t]*` + marker + `)(?:[ \t]+(.*))?$`)
	blockHeader    = regexp.MustCompile(`(?:^|[ \t])[|>][-+0-9]*[ \t]*(?:#.*)?$`)
	ruleList       = regexp.MustCompile(`^[a-z][a-z0-9-]*(?:,[a-z][a-z0-9-]*)*$`)
)

// commentsIn reads the comments of a file, and says what is wrong with them.
//
// Behind something on a line a comment covers that line, and alone it covers the next line. Before all else
// in a file, or in a text within a block scalar, it covers all of that.
func commentsIn(file string, data []byte) ([]*comment, diag.List) {
	if !bytes.Contains(data, []byte(marker)) {
		return nil, nil
	}
	var comments []*comment
	var problems diag.List
	documents := source.Split(file, data)
	lines := bytes.Split(data, []byte("\n"))
	offset := 0
	for i, line := range lines {
		match := commentPattern.FindSubmatchIndex(bytes.TrimRight(line, "\r"))
		if match != nil {
			pos := diag.Position{File: file, Document: source.IndexAt(data, documents, offset+match[2]), Line: i + 1, Column: match[2] + 1}
			rest := ""
			if match[4] >= 0 {
				rest = string(line[match[4]:match[5]])
			}
			c, problem := parseComment(pos, rest)
			if problem != "" {
				problems = append(problems, diag.Diagnostic{
					Rule: validation.RuleSuppressionMalformed, Severity: diag.Warning, Pos: pos, Message: problem,
					Hint: "write # " + marker + " RULE REASON; several rules are separated by commas",
				})
			} else {
				c.from, c.to = covered(lines, i, len(bytes.TrimSpace(line[:match[2]])) == 0)
				comments = append(comments, c)
			}
		}
		offset += len(line) + 1
	}
	return comments, problems
}

func parseComment(pos diag.Position, rest string) (*comment, string) {
	names, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
	switch {
	case names == "":
		return nil, "the comment names no rule to be passed over"
	case !ruleList.MatchString(names):
		return nil, fmt.Sprintf("%q is not the name of a rule", names)
	case strings.TrimSpace(reason) == "":
		return nil, "the comment gives no reason for passing over " + names
	}
	c := &comment{pos: pos, rules: strings.Split(names, ",")}
	for _, rule := range c.rules {
		if message := unknownRule(rule); message != "" {
			return nil, message
		}
	}
	c.used = make([]bool, len(c.rules))
	return c, ""
}

// covered returns the lines that a comment on a line covers, from 1.
func covered(lines [][]byte, at int, alone bool) (from, to int) {
	if !alone {
		return at + 1, at + 1
	}
	indent := indentation(lines[at])
	before := at - 1
	for before >= 0 && isQuiet(lines[before]) {
		before--
	}
	if before < 0 || atStart(lines[:before+1]) {
		return 1, len(lines)
	}
	if blockHeader.Match(bytes.TrimRight(lines[before], "\r")) && indentation(lines[before]) < indent {
		end := at
		for end+1 < len(lines) && (len(bytes.TrimSpace(lines[end+1])) == 0 || indentation(lines[end+1]) >= indent) {
			end++
		}
		return at + 1, end + 1
	}
	next := at + 1
	for next < len(lines)-1 && isQuiet(lines[next]) {
		next++
	}
	return at + 1, next + 1
}

// isQuiet reports whether a line has nothing but a comment, or nothing at all.
func isQuiet(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '#'
}

// atStart reports whether the lines are what may stand before the first content of a file.
func atStart(lines [][]byte) bool {
	for _, line := range lines {
		if text := bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff"))); !isQuiet(text) && string(text) != "---" && text[0] != '%' {
			return false
		}
	}
	return true
}

func indentation(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }

// covers reports whether the comment passes over a finding, and notes that it did.
func (c *comment) covers(d diag.Diagnostic) bool {
	if d.Pos.Line < c.from || d.Pos.Line > c.to {
		return false
	}
	for i, rule := range c.rules {
		if rule == d.Rule {
			c.used[i] = true
			return true
		}
	}
	return false
}

// unused are the findings about rules that nothing was passed over of.
func (c *comment) unused() diag.List {
	var list diag.List
	for i, rule := range c.rules {
		if !c.used[i] {
			list = append(list, diag.Diagnostic{
				Rule: validation.RuleSuppressionUnused, Severity: diag.Warning, Pos: c.pos,
				Message: fmt.Sprintf("there is no finding of %s to be passed over here", rule), Hint: "take the comment out",
			})
		}
	}
	return list
}
