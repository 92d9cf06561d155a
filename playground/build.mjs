// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Builds dist/index.html, one file that asks for nothing else: build.mjs WASM VERSIONS, the
// program and what its command versions says.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const here = new URL('.', import.meta.url).pathname;
const limit = 10 << 20;

async function bundle(entry, define) {
  const { outputFiles } = await build({
    entryPoints: [here + entry], bundle: true, minify: true, write: false, charset: 'utf8', legalComments: 'none',
    format: 'iife', target: 'es2022', loader: { '.yaml': 'text', '.json': 'text' }, define,
  });
  return outputFiles[0].text;
}

const worker = await bundle('worker.mjs');
// "</" would end the element that the script stands in.
const script = (await bundle('main.mjs', { VERSIONS: readFileSync(process.argv[3], 'utf8') })).replaceAll('</', '<\\/');
// The worker starts while the page is read, and gets the program before the page's own script runs.
const early = `const startWorker = () => new Worker(URL.createObjectURL(new Blob([${JSON.stringify(worker).replaceAll('</', '<\\/')}], { type: 'text/javascript' })));
const firstWorker = startWorker();`;
const give = `firstWorker.postMessage({ packed: document.getElementById('wasm').textContent });`;
const hash = text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const parts = {
  POLICY: `default-src 'none'; script-src ${hash(early)} ${hash(give)} ${hash(script)} 'wasm-unsafe-eval'; worker-src blob:; style-src 'unsafe-inline'; img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'`,
  STYLE: readFileSync(here + 'style.css', 'utf8'),
  EARLY: early,
  GIVE: give,
  SCRIPT: script,
  WASM: gzipSync(readFileSync(process.argv[2]), { level: 9 }).toString('base64'),
};
const page = readFileSync(here + 'index.html', 'utf8').replace(/@@([A-Z]+)@@/g, (_, name) => parts[name]);
const compressed = gzipSync(page, { level: 9 }).length;
if (compressed > limit) throw new Error(`the page has ${compressed} bytes compressed, and may have ${limit}`);
mkdirSync(here + 'dist', { recursive: true });
writeFileSync(here + 'dist/index.html', page);
console.log(`playground/dist/index.html: ${(page.length / 1e6).toFixed(1)} MB, ${(compressed / 1e6).toFixed(1)} MB compressed`);
