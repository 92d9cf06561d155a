// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

package lsp

import (
	"context"
	"sync"

	"github.com/creachadair/jrpc2"
)

// order starts handlers in the order in which their messages came. The server lets a notification wait for
// those before it, and a request for the notifications before it; but a request that was not yet scheduled
// could still be overtaken by an edit behind it, and would be answered for a text that it was not about.
type order struct {
	methods map[string]method

	lock sync.Mutex
	last *turn
}

// method answers a message. It calls begin when it has seen all that an edit behind it could change.
type method func(ctx context.Context, request *jrpc2.Request, begin func()) (any, error)

// turn is over when its handler has begun, or will never do so.
type turn struct {
	begun chan struct{}
	ctx   context.Context
}

// Assign is called once for every message, in order.
func (o *order) Assign(ctx context.Context, name string) jrpc2.Handler {
	do, ok := o.methods[name]
	if !ok {
		return nil
	}
	mine := &turn{begun: make(chan struct{}), ctx: ctx}
	o.lock.Lock()
	before := o.last
	o.last = mine
	o.lock.Unlock()
	return func(ctx context.Context, request *jrpc2.Request) (any, error) {
		if before != nil {
			select {
			case <-before.begun:
			case <-before.ctx.Done():
			}
			before = nil
		}
		begin := sync.OnceFunc(func() { close(mine.begun) })
		defer begin()
		return do(ctx, request, begin)
	}
}
