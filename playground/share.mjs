// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// What the page shows, in the fragment of its address: JSON, deflated, as base64url. A browser sends no
// fragment to a server.
const prefix = '#s=';

// maxState is the most characters that a fragment may come to, so that a small one cannot fill the memory.
const maxState = 4 << 20;

export async function pack(state) {
  const stream = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let text = '';
  for (let i = 0; i < bytes.length; i += 1 << 15) text += String.fromCharCode(...bytes.subarray(i, i + (1 << 15)));
  return prefix + btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

// unpack returns null for a fragment that is none of ours, and throws for one that is damaged.
export async function unpack(fragment) {
  if (!fragment.startsWith(prefix)) return null;
  const binary = atob(fragment.slice(prefix.length).replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, c => c.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).pipeThrough(new TextDecoderStream('utf-8', { fatal: true })).getReader();
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += part.value;
    if (text.length > maxState) throw new Error('it holds too much');
  }
  const state = JSON.parse(text);
  const isFile = f => typeof f?.name === 'string' && typeof f.text === 'string';
  if (typeof state !== 'object' || !Array.isArray(state.files) || state.files.length !== 2 || !state.files.every(isFile)) throw new Error('it holds something else');
  return state;
}
