// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Runs schedconf. The first message brings the program, as { packed } (gzip, base64) or { module }; each later
// one is { id, files, runs } with the files by name and the arguments of each run. The answer is { id, results }
// with { code, out, err, files } for each run, or { id, failure } when the program broke down.
import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from '@bjorn3/browser_wasi_shim';

const encoder = new TextEncoder();
const root = new PreopenDirectory('/', new Map());
const files = root.dir.contents;
let out = [], err = [];
let module, instance;

// maxMemory is when the program is started anew, since memory of WebAssembly never shrinks; bytes.
const maxMemory = 384 << 20;

async function unpack(packed) {
  const bytes = Uint8Array.fromBase64 ? Uint8Array.fromBase64(packed) : Uint8Array.from(atob(packed), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return WebAssembly.compileStreaming(new Response(stream, { headers: { 'Content-Type': 'application/wasm' } }));
}

async function start() {
  const fds = [new OpenFile(new File([])), new ConsoleStdout(b => out.push(b.slice())), new ConsoleStdout(b => err.push(b.slice())), root];
  const wasi = new WASI(['schedconf'], ['PWD=/', 'NO_COLOR=1', 'GOGC=400'], fds, { debug: false });
  instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport });
  wasi.initialize(instance);
}

async function text(chunks) {
  return new Blob(chunks).text();
}

async function run(given, args) {
  if (!instance || instance.exports.memory.buffer.byteLength > maxMemory) await start();
  files.clear();
  for (const [name, content] of Object.entries(given)) files.set(name, new File(encoder.encode(content)));
  files.set('request', new File(encoder.encode(['schedconf', ...args].join('\0'))));
  out = [];
  err = [];
  const code = instance.exports.answer();
  const after = {};
  for (const name of Object.keys(given)) after[name] = await text([files.get(name).data]);
  return { code, out: await text(out), err: await text(err), files: after };
}

let ready;
let turn = Promise.resolve();
onmessage = ({ data }) => {
  if (!ready) {
    ready = (async () => {
      module = data.module ?? await unpack(data.packed);
      await start();
      postMessage({ module });
    })().catch(error => postMessage({ broken: String(error) }));
    return;
  }
  turn = turn.then(async () => {
    await ready;
    try {
      const results = [];
      for (const args of data.runs) results.push(await run(data.files, args));
      postMessage({ id: data.id, results });
    } catch (error) {
      instance = undefined; // what it holds may be half done
      postMessage({ id: data.id, failure: `${error}\n${await text(err)}`.trim() });
    }
  });
};
