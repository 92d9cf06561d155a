// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

import { editor } from './editor.mjs';
import { Program, Replaced, TooLong } from './program.mjs';
import { samples } from './samples.mjs';
import { pack, unpack } from './share.mjs';

const maxText = 1 << 20; // characters of a file that this page takes
const maxRun = 10_000; // milliseconds
const pause = 120; // milliseconds from the last edit to the next run

const commands = ['validate', 'effective', 'default', 'convert', 'migrate', 'diff'];
const $ = id => document.getElementById(id);
const element = (name, className, ...children) => {
  const made = document.createElement(name);
  made.className = className;
  made.append(...children);
  return made;
};

let command = 'validate';
let names = ['', ''];
let artefact = { name: '', text: '' };
let timer;
let edits = 0; // what was asked before the last of them is out of date

const tooLarge = length => say(`The text has ${(length / (1 << 20)).toFixed(1)} MB, and this page takes up to ${maxText >> 20} MB; it was left out. The command takes more: schedconf validate FILE`);
const editors = [
  editor($('first'), 'Configuration', maxText, edited, tooLarge),
  editor($('second'), 'Second configuration', maxText, edited, tooLarge),
];
/* global firstWorker, VERSIONS */
const program = new Program(firstWorker, maxRun);
$('wasm').remove();
program.broken = reason => { busy(false); status(`The program cannot run in this browser: ${reason}`, 'no'); };

function say(message) {
  $('notice').textContent = message;
  $('notice').hidden = !message;
}

function status(message, look) {
  $('status').textContent = message;
  $('status').className = look ?? '';
}

function busy(is) {
  $('answer').setAttribute('aria-busy', is);
}

function edited() {
  edits++;
  clearTimeout(timer);
  busy(true);
  timer = setTimeout(update, pause);
}

// files are those of the editors, by name.
function files() {
  const [first, second] = names;
  return { [first]: editors[0].text(), ...(command === 'diff' && { [second]: editors[1].text() }) };
}

const targetOf = (id, flag = '--target') => $(id).value ? [flag, $(id).value] : [];
const validateArgs = (...more) => ['validate', ...targetOf('target'), '-o', 'json', ...more, '--', names[0]];

function commandArgs() {
  const target = targetOf('target');
  switch (command) {
    case 'convert': return ['convert', '--to', $('to').value, ...target, '--', names[0]];
    case 'diff': return ['diff', ...target, ...targetOf('second-target', '--to-target'), '--', ...names];
    default: return [command, ...target, '--', names[0]];
  }
}

async function update() {
  clearTimeout(timer);
  busy(true);
  const asked = ++edits;
  const runs = [validateArgs()];
  if (command !== 'validate') runs.push(commandArgs());
  try {
    const [judged, made] = await program.ask('update', files(), runs);
    if (asked !== edits) return;
    show(judged, made);
    busy(false);
    const [fix] = await program.ask('fixable', files(), [validateArgs('--fix', '--diff')]);
    if (asked === edits) $('fix').hidden = !fix.out.startsWith('---');
  } catch (error) {
    failed(error);
  }
}

function failed(error) {
  if (error instanceof Replaced) return;
  busy(false);
  status(error instanceof TooLong ? `The run was ${error.message}, and the program has been started anew. The text is too much for this page; the command takes as long as it needs.` : `The program broke down: ${error.message}`, 'no');
  $('findings').replaceChildren();
  $('result').hidden = $('remarks-box').hidden = true;
}

const count = (n, what) => `${n} ${what}${n === 1 ? '' : 's'}`;

function show(judged, made) {
  const lines = judged.out.split('\n').filter(Boolean).map(line => JSON.parse(line));
  const findings = lines.filter(line => line.rule);
  editors[0].mark(findings.filter(f => f.file === names[0]));
  const sum = lines.at(-1) ?? {};
  const on = lines[0]?.target ?? sum.targets?.map(t => t.target).join(', ');
  if (!made) {
    artefact = { name: 'findings.jsonl', text: judged.out };
    $('answer-title').textContent = on ? `Kubernetes ${on}` : 'Result';
    if (sum.configurations === undefined) status(judged.err || 'No answer', 'no');
    else if (!sum.configurations && !findings.length) status('No configuration of kube-scheduler in this text', 'no');
    else if (sum.errors) status(`✗ No: ${count(sum.errors, 'error')}, ${count(sum.warnings, 'warning')}`, 'no');
    else status(`✓ Yes, it is loaded: 0 errors, ${count(sum.warnings, 'warning')}`, 'yes');
    $('findings').replaceChildren(...findings.map(finding));
    $('result').hidden = true;
    remarks('');
    return;
  }
  $('findings').replaceChildren();
  $('answer-title').textContent = command;
  const report = command === 'diff' || command === 'effective';
  artefact = { name: command === 'diff' ? 'changes.diff' : report ? 'effective.txt' : `${command}.yaml`, text: made.out };
  const equal = command === 'diff' && made.code === 0;
  const [message, look] = {
    0: [equal ? '✓ Both mean the same' : '✓ Done', 'yes'],
    1: command === 'diff' && made.out ? ['≠ They differ in what they mean', ''] : ['✗ No: see the remarks', 'no'],
    2: ['✗ This cannot be answered: see the remarks', 'no'],
  }[made.code] ?? ['✗ A bug in schedconf: please report it with the remarks', 'no'];
  status(message, look);
  $('result').hidden = !made.out;
  $('result').replaceChildren(...(command === 'diff' ? differences(made.out) : [made.out]));
  remarks(made.err);
}

function differences(text) {
  return text.split(/(?<=\n)/).map(line => line.startsWith('+') ? element('span', 'added', line) : line.startsWith('-') ? element('span', 'removed', line) : line);
}

function remarks(text) {
  $('remarks').textContent = text;
  $('remarks-box').hidden = !text;
}

const marks = { error: '✗', warning: '▲', info: 'ℹ' };

function finding(f) {
  const jump = element('button', 'jump',
    element('span', 'severity', `${marks[f.severity]} ${f.severity}`), ' ',
    element('span', 'place', f.line ? `line ${f.line}, column ${f.column}` : ''), ' ', f.message,
    f.path ? element('span', 'path', f.path) : '', f.hint ? element('span', 'hint', `Hint: ${f.hint}`) : '');
  jump.type = 'button';
  jump.addEventListener('click', () => editors[0].jump(f));
  const rule = element('button', 'rule', f.rule);
  rule.type = 'button';
  rule.title = `Explain ${f.rule}`;
  rule.setAttribute('aria-label', `Explain the rule ${f.rule}`);
  rule.addEventListener('click', () => explain(f.rule));
  return element('li', f.severity, jump, rule);
}

async function explain(rule) {
  try {
    const [answer] = await program.ask('explain', {}, [['explain', ...targetOf('target'), '--', rule]]);
    $('explanation-title').textContent = rule;
    $('explanation-text').textContent = answer.out || answer.err;
    $('explanation').showModal();
  } catch (error) {
    failed(error);
  }
}

// Arrows go from finding to finding, Enter to its line.
$('findings').addEventListener('keydown', event => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  const kind = document.activeElement.classList.contains('rule') ? '.rule' : '.jump';
  const all = [...$('findings').querySelectorAll(kind)];
  all[all.indexOf(document.activeElement) + step]?.focus();
  event.preventDefault();
});

$('fix').addEventListener('click', async () => {
  try {
    const before = editors[0].text();
    const [answer] = await program.ask('fix', files(), [validateArgs('--fix')]);
    if (editors[0].text() === before) editors[0].replace(answer.files[names[0]]);
    editors[0].focus();
  } catch (error) {
    failed(error);
  }
});

function select(wanted, focus) {
  command = wanted;
  for (const tab of $('tabs').children) {
    const is = tab.dataset.command === wanted;
    tab.setAttribute('aria-selected', is);
    tab.tabIndex = is ? 0 : -1;
    if (is && focus) tab.focus();
  }
  $('to-box').hidden = command !== 'convert';
  $('second-target-box').hidden = $('second-pane').hidden = command !== 'diff';
  $('panes').classList.toggle('two', command === 'diff');
  return update();
}

for (const name of commands) {
  const tab = element('button', '', name);
  Object.assign(tab, { type: 'button', id: `tab-${name}` });
  tab.dataset.command = name;
  tab.setAttribute('role', 'tab');
  tab.setAttribute('aria-controls', 'answer');
  tab.addEventListener('click', () => select(name));
  $('tabs').append(tab);
}
$('tabs').addEventListener('keydown', event => {
  const at = commands.indexOf(command);
  const next = { ArrowRight: at + 1, ArrowLeft: at - 1 + commands.length, Home: 0, End: commands.length - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  select(commands[next % commands.length], true);
});

// put shows a file in an editor. The two files never have one name.
function put(which, name, text) {
  if (text.length > maxText) return tooLarge(text.length);
  say('');
  if (!name || name.includes('/') || name === 'request') name = 'sched.yaml';
  names[which] = name;
  if (names[0] === names[1]) names[1] = `second-${names[1]}`;
  $('first-name').textContent = names[0];
  $('second-name').textContent = names[1];
  editors[which].replace(text);
  edited();
}

async function take(which, file) {
  if (file.size > 4 * maxText) return tooLarge(file.size);
  const bytes = await file.arrayBuffer();
  try {
    put(which, file.name, new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    say(`${file.name} is not text in UTF-8; it was left out.`);
  }
}

let opening = 0;
$('open').addEventListener('click', () => { opening = 0; $('file').click(); });
$('open-second').addEventListener('click', () => { opening = 1; $('file').click(); });
$('file').addEventListener('change', async () => {
  if ($('file').files[0]) await take(opening, $('file').files[0]);
  $('file').value = '';
});
for (const [which, id] of ['first', 'second'].entries()) {
  const box = $(id).parentElement;
  box.addEventListener('dragover', event => { event.preventDefault(); box.classList.add('dropping'); });
  box.addEventListener('dragleave', () => box.classList.remove('dropping'));
  box.addEventListener('drop', event => {
    box.classList.remove('dropping');
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    event.stopPropagation();
    take(which, event.dataTransfer.files[0]);
  }, true);
}

const option = (value, text) => Object.assign(element('option', '', text), { value });
$('sample').append(option('', 'choose…'), ...samples.map((s, i) => option(i, s.title)));
$('sample').addEventListener('change', () => {
  const sample = samples[$('sample').value];
  if (sample) put(0, sample.name, sample.text);
});
for (const id of ['target', 'to', 'second-target']) $(id).addEventListener('change', update);

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

const flash = (button, text) => {
  const before = button.dataset.label ??= button.textContent;
  button.textContent = text;
  setTimeout(() => { button.textContent = before; }, 1500);
};
$('copy').addEventListener('click', async () => flash($('copy'), await copy(artefact.text) ? 'Copied' : 'Not allowed'));
$('download').addEventListener('click', () => {
  const link = Object.assign(document.createElement('a'), { download: artefact.name, href: URL.createObjectURL(new Blob([artefact.text], { type: 'text/plain' })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
});

$('share').addEventListener('click', async () => {
  const state = { files: names.map((name, i) => ({ name, text: editors[i].text() })), command, target: $('target').value, secondTarget: $('second-target').value, to: $('to').value };
  $('link').value = location.href.split('#')[0] + await pack(state);
  $('link-note').textContent = $('link').value.length > 8000 ? `The link has ${$('link').value.length} characters; some programs cut links of this length.` : '';
  $('sharing').showModal();
  $('link').select();
});
$('copy-link').addEventListener('click', async () => {
  $('link').select();
  $('link-note').textContent = await copy($('link').value) ? 'Copied.' : 'The browser does not allow it: copy the selected link.';
});

// restore shows what the fragment of the address says. It reports whether there was something.
async function restore() {
  let state;
  try {
    state = await unpack(location.hash);
  } catch {
    say('The link is damaged: what it carried cannot be read. Ask for the whole link; a program may have cut it.');
  }
  if (!state) return false;
  for (const [i, file] of state.files.entries()) put(i, file.name, file.text);
  for (const [id, value] of [['target', state.target], ['second-target', state.secondTarget], ['to', state.to]]) {
    if ([...$(id).options].some(o => o.value === value)) $(id).value = value;
  }
  await select(commands.includes(state.command) ? state.command : 'validate');
  return true;
}
addEventListener('hashchange', restore);

const dark = matchMedia('(prefers-color-scheme: dark)');
function theme(is) {
  document.documentElement.dataset.theme = is ? 'dark' : 'light';
  $('theme').textContent = is ? 'Light' : 'Dark';
  $('theme').setAttribute('aria-label', is ? 'Use light colours' : 'Use dark colours');
}
theme(dark.matches);
dark.addEventListener('change', () => theme(dark.matches));
$('theme').addEventListener('click', () => theme(document.documentElement.dataset.theme !== 'dark'));

const minors = VERSIONS.toReversed();
for (const [id, text] of [['target', 'as the file says'], ['second-target', 'the same']]) {
  $(id).append(option('', text), ...minors.map(m => option(m.minor, m.minor)));
}
const apiVersions = minors.flatMap(m => m.apiVersions.map(v => v.apiVersion.split('/')[1]));
$('to').append(...[...new Set(apiVersions)].map(v => option(v, v)));

put(0, samples[0].name, samples[0].text);
put(1, samples[1].name, samples[1].text);
restore().then(restored => restored || select('validate'));
