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
	w io.Writer
	// what is counted.
	what string
	lock sync.Mutex
	// done of that many are done, if it is known how many there are.
	done, of int
	shown    bool
	ended    bool
	stop     chan struct{}
}

// patience is how long a run may take before it tells how far it has come.
const patience = time.Second

// newProgress starts to count. On anything but a terminal it says nothing.
func newProgress(w io.Writer, what string, quiet bool) *progress {
	p := &progress{w: w, what: what, stop: make(chan struct{})}
	if !quiet && isTerminal(w) {
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
	p.done++
}

// reached says how far a run is that counts itself.
func (p *progress) reached(done, of int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.done, p.of = done, of
}

func (p *progress) show() {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.ended {
		return
	}
	p.shown = true
	if p.of == 0 {
		fmt.Fprintf(p.w, "\r%d %s", p.done, p.what)
		return
	}
	// A second run starts at none again, which is shorter.
	fmt.Fprintf(p.w, "\r%d of %d %s\x1b[K", p.done, p.of, p.what)
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
