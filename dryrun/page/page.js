'use strict';
(() => {
const answer = JSON.parse(document.getElementById('data').textContent);
const others = answer.comparisons || [];
const reports = [answer, ...others.map(c => c.report)];
const dark = matchMedia('(prefers-color-scheme: dark)').matches;
Chart.defaults.color = dark ? '#ddd' : '#222';
Chart.defaults.borderColor = dark ? '#fff2' : '#0002';
Chart.defaults.animation = false;
const colours = ['#4e79a7', '#f28e2b', '#59a14f', '#e15759', '#76b7b2', '#edc948', '#b07aa1', '#ff9da7', '#9c755f', '#bab0ac'];

const byId = id => document.getElementById(id);
const element = (name, text, parent, attributes = {}) => {
  const made = document.createElement(name);
  if (text !== undefined && text !== null) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (parent) parent.append(made);
  return made;
};
const title = report => report.config ? report.config.file : 'the default configuration';
const full = pod => pod.namespace + '/' + pod.name;
const percent = (node, resource) => node.allocatable[resource] ? 100 * (node.after[resource] || 0) / node.allocatable[resource] : null;

const count = outcome => answer.pods.filter(p => p.outcome === outcome).length;
byId('summary').textContent = `${answer.pods.length} pods, ${count('placed')} placed, ${count('pending')} pending; kube-scheduler ${answer.engine.kubernetes}, seed ${answer.engine.seed}; ${title(answer)}`;
if (answer.partial) element('li', 'Partial: ' + answer.partial, byId('notes'), {class: 'failed'});
for (const mark of answer.marks) element('li', mark, byId('notes'));

if ((answer.checks || []).length) {
  byId('checks').hidden = false;
  for (const check of answer.checks) {
    const item = element('li', (check.passed ? 'holds: ' : 'fails: ') + check.name, byId('check-list'), {class: check.passed ? 'passed' : 'failed'});
    if (check.failures.length) {
      const list = element('ul', null, item);
      for (const failure of check.failures) element('li', failure, list);
    }
  }
}

const resources = [...new Set(answer.nodes.flatMap(n => Object.keys(n.allocatable)))].filter(r => answer.nodes.some(n => n.allocatable[r]));
resources.sort((a, b) => ['cpu', 'memory', 'pods'].indexOf(b) - ['cpu', 'memory', 'pods'].indexOf(a) || a.localeCompare(b));
for (const report of reports) {
  const figure = element('figure', null, byId('heat'));
  element('figcaption', title(report), figure);
  const holder = element('div', null, figure, {class: 'chart'});
  const names = report.nodes.map(n => n.name);
  // A browser draws no canvas of more than some 30,000 pixels: many nodes get thin rows.
  holder.style.height = Math.min(400, Math.max(8, 3 + 1.1 * names.length)) + 'rem';
  const gap = names.length > 300 ? 0 : 2;
  const cells = report.nodes.flatMap(n => resources.map(r => ({x: r, y: n.name, v: percent(n, r)}))).filter(c => c.v !== null);
  const canvas = element('canvas', null, holder, {role: 'img', 'aria-label': `requests by node and resource under ${title(report)}: ` +
    report.nodes.map(n => n.name + ' ' + resources.map(r => percent(n, r) === null ? '' : `${r} ${percent(n, r).toFixed(0)} %`).join(' ')).join('; ')});
  new Chart(canvas, {
    type: 'matrix',
    data: {datasets: [{
      data: cells,
      backgroundColor: c => c.raw ? `hsl(${Math.round(120 - 1.2 * Math.min(100, c.raw.v))} 65% ${dark ? 38 : 62}%)` : 'transparent',
      width: c => (c.chart.chartArea || {width: 0}).width / resources.length - 2,
      height: c => (c.chart.chartArea || {height: 0}).height / Math.max(1, names.length) - gap,
    }]},
    options: {
      maintainAspectRatio: false,
      plugins: {legend: {display: false}, tooltip: {callbacks: {title: () => '', label: c => `${c.raw.y}: ${c.raw.v.toFixed(1)} % of ${c.raw.x}`}}},
      scales: {
        x: {type: 'category', labels: resources, offset: true, position: 'top', grid: {display: false}},
        y: {type: 'category', labels: names, offset: true, grid: {display: false}, ticks: {autoSkip: names.length > 60}},
      },
    },
  });
}

const elsewhere = others.map(c => new Map(c.report.pods.map(p => [full(p), p])));
const moves = others.map(c => new Map(c.moves.map(m => [m.pod, m])));
const head = document.querySelector('#pods thead tr');
for (const name of ['pod', ...reports.map((r, i) => reports.length > 1 ? 'node under ' + title(r) : 'node'), 'outcome', 'why']) element('th', name, head, {scope: 'col'});
const rows = answer.pods.map(pod => {
  const row = element('tr', null, document.querySelector('#pods tbody'), {'data-pod': full(pod)});
  const button = element('button', full(pod), element('td', null, row), {type: 'button', class: 'pod', 'aria-pressed': 'false'});
  button.addEventListener('click', () => select(pod, button));
  element('td', pod.node || '-', row);
  for (const pods of elsewhere) element('td', (pods.get(full(pod)) || {}).node || '-', row);
  element('td', pod.outcome, row);
  const moved = moves.map(m => m.get(full(pod))).filter(Boolean);
  element('td', [pod.message, ...(pod.preempted.length ? ['preempts ' + pod.preempted.join(', ')] : []), ...moved.map(m => m.why)].filter(Boolean).join('; '), row);
  return {pod, row, button, moved: moved.length > 0, text: row.textContent.toLowerCase()};
});
for (const outcome of [...new Set(answer.pods.map(p => p.outcome))].sort()) element('option', outcome, byId('outcome'), {value: outcome});
byId('moved-label').hidden = !others.length;

const filter = () => {
  const words = byId('find').value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const {pod, row, moved, text} of rows) {
    row.hidden = !words.every(w => text.includes(w)) || byId('outcome').value !== '' && pod.outcome !== byId('outcome').value || byId('moved').checked && !moved;
    if (!row.hidden) shown++;
  }
  byId('shown').textContent = `${shown} of ${rows.length} shown`;
};
byId('filters').addEventListener('input', filter);
byId('filters').addEventListener('submit', event => event.preventDefault());

const mostBars = 50; // the best; the table has all
let chart;
const select = (pod, button) => {
  for (const row of rows) row.button.setAttribute('aria-pressed', String(row.button === button));
  const verdicts = [...(pod.nodes || [])].sort((a, b) => (b.total ?? (b.filter ? -2 : -1)) - (a.total ?? (a.filter ? -2 : -1)));
  const scored = verdicts.filter(v => v.total !== undefined).slice(0, mostBars);
  const plugins = [...new Set(scored.flatMap(v => Object.keys(v.scores)))].sort();
  byId('detail').hidden = false;
  byId('detail-title').textContent = full(pod) + (pod.node ? ' on ' + pod.node : ' is ' + pod.outcome);
  byId('detail-why').textContent = pod.message || `${pod.feasible} nodes fit` + (pod.ties > 1 ? `, ${pod.ties} share the highest total` : '') + (pod.nodes || !pod.attempts ? '' : '. Its scores are not on this page: ask for them with --explain');
  if (chart) chart.destroy();
  const canvas = byId('scores');
  canvas.parentElement.hidden = !scored.length;
  canvas.parentElement.style.height = Math.max(10, 6 + 1.6 * scored.length) + 'rem';
  canvas.setAttribute('aria-label', 'weighted scores by plugin: ' + scored.map(v => `${v.name} ${v.total}`).join(', '));
  chart = new Chart(canvas, {
    type: 'bar',
    data: {labels: scored.map(v => v.name), datasets: plugins.map((p, i) => ({label: p, data: scored.map(v => (v.scores[p] || {}).weighted || 0), backgroundColor: colours[i % colours.length]}))},
    options: {indexAxis: 'y', maintainAspectRatio: false, scales: {x: {stacked: true}, y: {stacked: true, ticks: {autoSkip: false}}}},
  });
  const head = document.querySelector('#verdicts thead tr'), body = document.querySelector('#verdicts tbody');
  head.replaceChildren();
  body.replaceChildren();
  for (const name of ['node', ...plugins.map(p => `${p} ×${(pod.weights || {})[p] ?? 1}`), 'total', 'rejected by']) element('th', name, head, {scope: 'col'});
  for (const v of verdicts) {
    const row = element('tr', null, body);
    element('th', v.name, row, {scope: 'row'});
    for (const p of plugins) element('td', v.scores && v.scores[p] ? v.scores[p].weighted : '', row, {class: 'number'});
    element('td', v.total ?? '', row, {class: 'number'});
    element('td', v.filter ? `${v.filter.plugin}: ${v.filter.message}` : '', row);
  }
  byId('detail').scrollIntoView({block: 'start'});
};

// The address may say what is to be shown: #find=web&outcome=pending&pod=default/web-0
const asked = new URLSearchParams(location.hash.slice(1));
byId('find').value = asked.get('find') || '';
byId('outcome').value = asked.get('outcome') || '';
byId('moved').checked = asked.has('moved');
filter();
const first = rows.find(r => full(r.pod) === asked.get('pod'));
if (first) select(first.pod, first.button);
})();
