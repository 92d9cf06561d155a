// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"os"
	"runtime"
	"slices"

	"github.com/schedconf/schedconf/scheme/source/find"
	"github.com/schedconf/schedconf/validation"
)

// looked is a file that was looked into.
type looked struct {
	file
	err error
	// data is what is in it, if it may hold something to judge; nil for a large file that has to be read
	// again.
	data []byte
	// holds is true if it may hold something to judge, and beside if it may hold what a configuration has
	// to fit.
	holds, beside bool
	// large is true if there is too much to keep, and mentioned if it names a configuration.
	large, mentioned bool

	done chan struct{}
}

// ahead is how many files are looked into ahead of the one at hand.
const ahead = 64

// maxKept is how many bytes of a file are kept while those before it are judged.
const maxKept = 1 << 20

// scan looks into all files that operands stand for, several at a time, and yields them in order. See each for
// explicit.
func (p *program) scan(operands []string, explicit bool) iter.Seq[*looked] {
	return func(yield func(*looked) bool) {
		order, work := make(chan *looked, ahead), make(chan *looked)
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			defer close(order)
			defer close(work)
			for _, operand := range operands {
				each(operand, explicit, func(f file, err error) bool {
					l := &looked{file: f, done: make(chan struct{})}
					if err != nil {
						l.err = unreadable(f.name, err)
					}
					select {
					case order <- l:
					case <-stop:
						return false
					}
					if err != nil || f.special {
						close(l.done)
						return true
					}
					select {
					case work <- l:
						return true
					case <-stop:
						return false
					}
				})
			}
		}()
		for range runtime.GOMAXPROCS(0) {
			go func() {
				var buffer []byte
				for l := range work {
					buffer = p.look(l, buffer)
					close(l.done)
				}
			}()
		}
		for l := range order {
			<-l.done
			if !yield(l) {
				return
			}
		}
	}
}

// look reads a file into the buffer, and says what it may hold. It returns a buffer for the next one.
func (p *program) look(l *looked, buffer []byte) []byte {
	l.err = guard(func() error {
		data, more, err := p.readInto(l.path, buffer[:0])
		buffer = data
		if err != nil {
			return unreadable(l.name, err)
		}
		l.large = more != nil
		if more != nil {
			defer more.Close()
			if l.mentioned, err = mentionedIn(more); err != nil {
				return unreadable(l.name, err)
			}
			l.mentioned = l.mentioned || validation.Mentioned(data)
			l.holds = l.named || l.mentioned
			return nil
		}
		l.holds = l.named || isUTF16(data)
		if find.Mentions(data) {
			l.holds = l.holds || find.MayHold(data)
			l.beside = find.MayStandBeside(data)
		}
		if l.holds && (l.named || len(data) <= maxKept) {
			l.data = slices.Clone(data) // the buffer is for the next file
		}
		return nil
	})
	return buffer
}

// isUTF16 reports whether a text starts as one in UTF-16 does. Words cannot be seen in it.
func isUTF16(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff"))
}

// readInto appends the content of a file to a buffer, up to one byte more than a configuration may have.
// If there is more, the rest is returned.
func (p *program) readInto(name string, buffer []byte) (data []byte, more io.ReadCloser, err error) {
	if p.unsaved != nil {
		if text, ok := p.unsaved(name); ok {
			return append(buffer, text[:min(len(text), validation.MaxFileSize+1)]...), nil, nil
		}
	}
	reader := p.stdin
	if name != stdinName {
		f, err := os.Open(name)
		if err != nil {
			return buffer, nil, err
		}
		defer func() {
			if more == nil {
				f.Close()
			}
		}()
		reader = f
	}
	if cap(buffer) == 0 {
		buffer = make([]byte, 0, 1<<16)
	}
	for len(buffer) <= validation.MaxFileSize {
		if len(buffer) == cap(buffer) {
			buffer = append(make([]byte, 0, min(4*cap(buffer), validation.MaxFileSize+1)), buffer...)
		}
		n, err := reader.Read(buffer[len(buffer):cap(buffer)])
		buffer = buffer[:len(buffer)+n]
		if errors.Is(err, io.EOF) {
			return buffer, nil, nil
		}
		if err != nil {
			return buffer, nil, err
		}
	}
	buffer = buffer[:validation.MaxFileSize+1]
	if rest, ok := reader.(io.ReadCloser); ok && name != stdinName {
		return buffer, rest, nil
	}
	return buffer, io.NopCloser(reader), nil
}

// mentionedIn reads to the end, and reports whether a configuration is named.
func mentionedIn(reader io.Reader) (bool, error) {
	const longest = 64 // more than any word that is looked for
	buffer := make([]byte, longest, 1<<20)
	for {
		n, err := io.ReadFull(reader, buffer[longest:cap(buffer)])
		chunk := buffer[:longest+n]
		if validation.Mentioned(chunk) {
			return true, nil
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		copy(buffer[:longest], chunk[len(chunk)-longest:])
	}
}

// read returns the content of a file, up to one byte more than a configuration may have.
func (p *program) read(name string) ([]byte, error) {
	data, more, err := p.readInto(name, nil)
	if more != nil {
		more.Close()
	}
	return data, err
}
