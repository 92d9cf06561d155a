// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progress tells on a terminal how far a long run has come.
type progress struct {
	w     io.Writer
	lock  sync.Mutex
	count int
	shown bool
	ended bool
	stop  chan struct{}
}

// patience is how long a run may take before it tells how far it has come.
const patience = time.Second

// progress starts to count files. On anything but a terminal it says nothing.
func (v *validator) progress() *progress {
	p := &progress{w: v.stderr, stop: make(chan struct{})}
	if !v.c.Bool("quiet") && isTerminal(v.stderr) {
		go p.tell(patience)
	}
	return p
}

// tell shows the count when that much time has passed, and five times as often from then on.
func (p *progress) tell(wait time.Duration) {
	next := wait
	for {
		select {
		case <-p.stop:
			return
		case <-time.After(next):
			p.show()
			next = wait / 5
		}
	}
}

func (p *progress) add() {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.count++
}

func (p *progress) show() {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.ended {
		return
	}
	p.shown = true
	fmt.Fprintf(p.w, "\r%d files looked at", p.count)
}

// hide takes away what is shown, before anything else is said.
func (p *progress) hide() {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.shown {
		p.shown = false
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

func (p *progress) end() {
	close(p.stop)
	p.lock.Lock()
	p.ended = true
	p.lock.Unlock()
	p.hide()
}
