// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// The program in its worker. Only the newest question of a kind is answered: one that a newer one replaces is
// dropped before it runs, or its answer is.

/* global startWorker */

export class TooLong extends Error {}
export class Replaced extends Error {}

export class Program {
  // worker is one that the program was given to, and limit how long a run may take, in milliseconds, once the program is loaded.
  constructor(worker, limit) {
    this.limit = limit;
    this.next = 1;
    this.waiting = []; // in the order of asking, one of each kind
    this.running = null;
    this.attach(worker);
  }

  attach(worker) {
    this.loaded = false;
    this.worker = worker;
    this.worker.onmessage = ({ data }) => this.receive(data);
    this.worker.onerror = event => this.end(new Error(event.message || 'the worker stopped'));
  }

  // restart is for a worker that does not come back.
  restart() {
    this.worker.terminate();
    this.attach(startWorker());
    this.worker.postMessage({ module: this.module });
  }

  // ask runs the program on files; kind names what a newer question replaces.
  ask(kind, files, runs) {
    return new Promise((resolve, reject) => {
      const old = this.waiting.findIndex(q => q.kind === kind);
      if (old >= 0) this.waiting.splice(old, 1)[0].reject(new Replaced());
      if (this.running?.kind === kind) this.running.stale = true;
      this.waiting.push({ kind, files, runs, resolve, reject, id: this.next++ });
      this.go();
    });
  }

  go() {
    if (!this.loaded || this.running || !this.waiting.length) return;
    const q = this.running = this.waiting.shift();
    this.timer = setTimeout(() => {
      this.restart();
      this.end(new TooLong(`stopped after ${this.limit / 1000} seconds`));
    }, this.limit);
    this.worker.postMessage({ id: q.id, files: q.files, runs: q.runs });
  }

  receive(data) {
    if (data.module) {
      this.module = data.module;
      this.loaded = true;
      this.go();
    } else if (data.broken) {
      this.broken?.(data.broken);
    } else if (data.id === this.running?.id) {
      this.end(data.failure && new Error(data.failure), data.results);
    }
  }

  end(error, results) {
    clearTimeout(this.timer);
    const q = this.running;
    this.running = null;
    if (q?.stale) q.reject(new Replaced());
    else if (error) q?.reject(error);
    else q?.resolve(results);
    this.go();
  }
}
