// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Drives schedconf lsp with the client library of VS Code: lsp.mjs PROGRAM. It prints how long answers took, then
// what is wrong, one line each, and exits with 1 if anything is.
import { spawn } from 'node:child_process';
import { createProtocolConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-languageserver-protocol/node';

const [program] = process.argv.slice(2);
const wrong = [];
const equal = (what, got, want) => {
  const [a, b] = [JSON.stringify(got), JSON.stringify(want)];
  if (a !== b) wrong.push(`${what}: ${a?.slice(0, 1500)}, want ${b?.slice(0, 1500)}`);
};

// The numbers are those of mulberry32, so that a run can be had again.
let seed = 20261201;
const random = n => {
  seed = (seed + 0x6D2B79F5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) % n;
};

class Editor {
  constructor(encoding) {
    this.encoding = encoding;
    this.process = spawn(program, ['lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.exited = new Promise(resolve => this.process.on('exit', resolve));
    this.connection = createProtocolConnection(new StreamMessageReader(this.process.stdout), new StreamMessageWriter(this.process.stdin));
    this.published = new Map();
    this.waiting = [];
    this.told = [];
    this.connection.onNotification('textDocument/publishDiagnostics', p => {
      this.published.set(p.uri, p);
      this.waiting = this.waiting.filter(w => !(w.uri === p.uri && w.version === p.version && (w.resolve(p.diagnostics), true)));
    });
    this.connection.onNotification('window/showMessage', p => this.told.push(p.message));
    this.connection.onRequest('client/registerCapability', () => null);
    this.connection.onRequest('workspace/configuration', () => [null]);
    this.connection.listen();
  }
  async start() {
    const result = await this.connection.sendRequest('initialize', {
      processId: process.pid, rootUri: null,
      capabilities: {
        general: { positionEncodings: [this.encoding] },
        workspace: { configuration: true, workspaceEdit: { documentChanges: true }, didChangeWatchedFiles: { dynamicRegistration: true } },
        textDocument: { hover: { contentFormat: ['markdown'] }, publishDiagnostics: { relatedInformation: true, versionSupport: true } },
      },
    });
    equal('encoding', result.capabilities.positionEncoding, this.encoding);
    await this.connection.sendNotification('initialized', {});
  }
  diagnostics(uri, version) {
    const known = this.published.get(uri);
    if (known?.version === version) return Promise.resolve(known.diagnostics);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no findings about version ${version} of ${uri}`)), 120_000);
      this.waiting.push({ uri, version, resolve: value => { clearTimeout(timer); resolve(value); } });
    });
  }
  open(uri, text) {
    return this.connection.sendNotification('textDocument/didOpen', { textDocument: { uri, languageId: 'yaml', version: 1, text } });
  }
  close(uri) {
    this.published.delete(uri);
    return this.connection.sendNotification('textDocument/didClose', { textDocument: { uri } });
  }
  change(uri, version, ...contentChanges) {
    return this.connection.sendNotification('textDocument/didChange', { textDocument: { uri, version }, contentChanges });
  }
  ask(what, uri, position) {
    return this.connection.sendRequest(`textDocument/${what}`, { textDocument: { uri }, position });
  }
  // position is that of an offset of a string, in the units of the session.
  position(text, offset) {
    const before = text.slice(0, offset);
    const line = before.split('\n').length - 1;
    const start = before.lastIndexOf('\n') + 1;
    const part = before.slice(start);
    return { line, character: this.encoding === 'utf-8' ? Buffer.byteLength(part) : part.length };
  }
  async stop() {
    await this.connection.sendRequest('shutdown');
    await this.connection.sendNotification('exit');
    equal('exit code', await this.exited, 0);
    this.connection.dispose();
  }
}

// big is a configuration of 500 lines with some findings, CRLF, and characters of one to four bytes.
function big() {
  const lines = ['apiVersion: kubescheduler.config.k8s.io/v1', 'kind: KubeSchedulerConfiguration', '# 𐐀 ä €', 'leaderElection:', '  leaderElect: true', 'profiles:'];
  for (let i = 0; lines.length + 15 <= 500; i++) {
    lines.push(`- schedulerName: scheduler-${i} # ä 𐐀`, '  plugins:', '    score:', '      enabled:', '      - name: ImageLocality', `        weight: ${i + 2}`, `        wrong${i}: "€ 𐐀"`, `      - {name: "𐐀€${i}", wrong${i}b: "𐐀"}`,
      '  pluginConfig:', '  - name: NodeResourcesFit', '    args:', '      scoringStrategy:', '        type: MostAllocated', '        resources: [{name: cpu, weight: 1}]', '');
  }
  while (lines.length < 500) lines.push('# the end 𐐀');
  return lines.join('\r\n') + '\r\n';
}

// An edit keeps the text readable, mostly, so that its findings say much about it: their names and places change.
function edit(text) {
  const starts = [];
  for (let at = 0; at < text.length; at = text.indexOf('\n', at) + 1 || text.length) starts.push(at);
  const line = starts[random(starts.length)];
  const end = text.indexOf('\r\n', line) < 0 ? text.length : text.indexOf('\r\n', line);
  const found = [...text.matchAll(/wrong[0-9a-z]*/g)];
  const word = found[random(found.length)];
  const names = [...text.matchAll(/𐐀€[0-9a-z]*/g)];
  const name = names[random(names.length)];
  switch (random(8)) {
    case 0: return [line, line, `# ${'ä€𐐀x'.slice(0, 1 + random(2))}${random(1000)}\r\n`];
    case 1: return [end, end, ` # 𐐀${random(100)}`];
    case 2: return [word.index, word.index + word[0].length, `wrong${random(1_000_000)}`];
    case 3: return [word.index + word[0].length, word.index + word[0].length, 'abc'[random(3)]];
    // Behind a character that takes two units of UTF-16, within a word that findings quote.
    case 6: return [name.index + 3, name.index + 3 + random(2) * (name[0].length - 3), 'abc'[random(3)] + random(1000)];
    case 4: { const comment = text.indexOf('# ', line); return comment < 0 ? [line, line, '\r\n'] : [comment, text.indexOf('\r\n', comment), '#']; }
    case 5: { const copy = text.slice(line, end + 2); return copy.startsWith('#') ? [line, end + 2, ''] : [line, line, '#\r\n\r\n']; }
    default: { const at = line + random(end - line + 1); const split = /[\uDC00-\uDFFF]/.test(text[at] ?? ''); return [split ? at - 1 : at, at, '{"']; }
  }
}

const percentile = (list, p) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * p))];
const times = { diagnostics: [], hover: [], completion: [] };
const timed = async (what, promise) => { const began = performance.now(); const result = await promise; times[what].push(performance.now() - began); return result; };

async function drift(encoding, edits) {
  const editor = new Editor(encoding);
  await editor.start();
  const uri = 'file:///somewhere/sched.yaml', fresh = 'file:///elsewhere/sched.yaml';
  let text = big(), version = 1, undo = null, comparisons = 0, telling = 0;
  equal('lines', text.split('\n').length - 1, 500);
  await editor.open(uri, text);
  equal('findings at the start', (await editor.diagnostics(uri, 1)).filter(d => d.code === 'field-unknown').length > 30, true);
  const apply = (from, to, with_) => { const change = { range: { start: editor.position(text, from), end: editor.position(text, to) }, text: with_ }; text = text.slice(0, from) + with_ + text.slice(to); return change; };
  for (let i = 0; i < edits; i++) {
    const changes = [];
    if (undo) { changes.push(apply(undo[0], undo[1], undo[2])); undo = null; }
    else {
      const [from, to, with_] = edit(text);
      const before = text.slice(from, to);
      changes.push(apply(from, to, with_));
      if (with_ === '{"') undo = [from, from + 2, before];
      else if (random(5) === 0) { const [f, t, w] = edit(text); if (w !== '{"') changes.push(apply(f, t, w)); }
    }
    await timed('diagnostics', (async () => { await editor.change(uri, ++version, ...changes); return editor.diagnostics(uri, version); })());
    if (i % 5 === 0) {
      const at = { line: 3 + random(20), character: 4 };
      await timed('hover', editor.ask('hover', uri, at));
      await timed('completion', editor.ask('completion', uri, at));
    }
    if (i % 25 === 24 || i === edits - 1) {
      await editor.open(fresh, text);
      const want = await editor.diagnostics(fresh, 1);
      const got = await editor.diagnostics(uri, version);
      comparisons++;
      if (got.length > 30) telling++;
      const plain = list => JSON.parse(JSON.stringify(list).replaceAll(fresh, uri));
      equal(`${encoding}: findings after ${i + 1} edits`, plain(got), plain(want));
      for (const what of ['hover', 'completion']) {
        const at = editor.position(text, text.indexOf('scoringStrategy') + 3);
        equal(`${encoding}: ${what} after ${i + 1} edits`, await editor.ask(what, uri, at), await editor.ask(what, fresh, at));
      }
      await editor.close(fresh);
      if (wrong.length > 5) break;
    }
  }
  equal(`${encoding}: of ${comparisons} comparisons at least half are about many findings, not ${telling}`, telling * 2 >= comparisons, true);
  equal(`${encoding}: told`, editor.told, []);
  await editor.stop();
}

async function typing() {
  const editor = new Editor('utf-16');
  await editor.start();
  const uri = 'file:///somewhere/sched.yaml';
  const head = 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n';
  await editor.open(uri, head + 'paralellism: 4\n');
  const [finding] = await editor.diagnostics(uri, 1);
  equal('rule', [finding.code, finding.source, finding.severity, finding.codeDescription.href.endsWith('#field-unknown')], ['field-unknown', 'schedconf', 1, true]);
  const actions = await editor.connection.sendRequest('textDocument/codeAction', { textDocument: { uri }, range: finding.range, context: { diagnostics: [finding] } });
  const change = actions[0].edit.documentChanges[0];
  equal('action', [actions[0].kind, change.textDocument, change.edits], ['quickfix', { uri, version: 1 }, [{ range: finding.range, newText: 'parallelism' }]]);
  await editor.change(uri, 2, { range: change.edits[0].range, text: change.edits[0].newText });
  equal('findings after the fix', await editor.diagnostics(uri, 2), []);
  const [lens] = await editor.connection.sendRequest('textDocument/codeLens', { textDocument: { uri } });
  const view = await editor.connection.sendRequest('workspace/executeCommand', { command: lens.command.command, arguments: lens.command.arguments });
  equal('effective view', /^parallelism\s+4\s+sched\.yaml:3|^parallelism\s+4\s+\/somewhere\/sched\.yaml:3/m.test(view), true);

  // Ten megabytes are judged, and another file is answered for meanwhile.
  const other = 'file:///somewhere/other.yaml';
  await editor.open(other, head + 'parallelism: 4\n');
  await editor.change(uri, 3, { text: head + 'extenders:\n' + '- urlPrefix: http://127.0.0.1\n'.repeat(350_000) });
  const began = performance.now();
  const hover = await editor.ask('hover', other, { line: 2, character: 3 });
  const waited = performance.now() - began;
  equal('hover beside a paste', hover.contents.value.includes('parallelism'), true);
  equal('findings about a paste', (await editor.diagnostics(uri, 3)).map(d => d.code), ['file-too-large']);
  console.log(`10 MB: judged after ${((performance.now() - began) / 1000).toFixed(1)} s; a hover beside it after ${waited.toFixed(0)} ms`);
  await editor.change(uri, 4, { text: head });
  equal('findings after a paste', await editor.diagnostics(uri, 4), []);

  // A request that is cancelled, and one at the wrong time.
  const pending = editor.connection.sendRequest('textDocument/hover', { textDocument: { uri: 'file:///not-open.yaml' }, position: { line: 0, character: 0 } });
  equal('not open', await pending.then(() => 0, e => e.code), -32602);
  await editor.connection.sendRequest('shutdown');
  equal('after shutdown', await editor.ask('hover', uri, { line: 0, character: 0 }).then(() => 0, e => e.code), -32600);
  await editor.connection.sendNotification('exit');
  equal('exit code', await editor.exited, 0);
}

await drift('utf-16', 1000);
await drift('utf-8', 300);
for (const [what, list] of Object.entries(times)) {
  const [median, high] = [percentile(list, 0.5), percentile(list, 0.99)];
  console.log(`${what}: ${list.length} answers, median ${median.toFixed(1)} ms, 99th percentile ${high.toFixed(1)} ms`);
  if (median > 50) wrong.push(`${what}: the median is ${median.toFixed(1)} ms, more than 50`);
}
await typing();
for (const line of wrong) console.log(line);
process.exit(wrong.length ? 1 : 0);
