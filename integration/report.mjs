// SPDX-FileCopyrightText: The schedconf authors
// SPDX-License-Identifier: Apache-2.0

// Drives the page of a dry run in Chromium: report.mjs PAGE ANSWER CHROMIUM [SCREENSHOT]. It prints what is
// wrong, one line each, and exits with 1 if anything is.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const [page, answerFile, executablePath, screenshot] = process.argv.slice(2);
const answer = JSON.parse(readFileSync(answerFile, 'utf8'));
const wrong = [];
const equal = (what, got, want) => { if (JSON.stringify(got) !== JSON.stringify(want)) wrong.push(`${what}: ${JSON.stringify(got)}, want ${JSON.stringify(want)}`); };

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({ colorScheme, offline: true, viewport: { width: 1280, height: 900 } });
    const tab = await context.newPage();
    tab.on('console', message => { if (message.type() === 'error' || message.type() === 'warning') wrong.push(`${colorScheme}: console: ${message.text()}`); });
    tab.on('pageerror', error => wrong.push(`${colorScheme}: ${error}`));
    tab.on('request', request => { if (!request.url().startsWith('file:') && !request.url().startsWith('data:')) wrong.push(`${colorScheme}: asks for ${request.url()}`); });
    await tab.goto(pathToFileURL(page).href);
    await check(tab, colorScheme);
    if (screenshot && colorScheme === 'light') {
      await tab.evaluate(() => scrollTo(0, document.querySelector('#detail').offsetTop - 420));
      await tab.screenshot({ path: screenshot });
    }
    await context.close();
  }
} finally {
  await browser.close();
}
for (const line of wrong) console.log(line);
process.exit(wrong.length ? 1 : 0);

async function check(tab, scheme) {
  const full = pod => `${pod.namespace}/${pod.name}`;
  const shown = () => tab.$$eval('#pods tbody tr', rows => rows.filter(r => !r.hidden).map(r => r.dataset.pod));
  equal(`${scheme}: pods`, await shown(), answer.pods.map(full));
  equal(`${scheme}: places`, await tab.$$eval('#pods tbody tr', rows => rows.map(r => r.cells[1].textContent)), answer.pods.map(p => p.node ?? '-'));
  for (const [i, comparison] of (answer.comparisons ?? []).entries()) {
    equal(`${scheme}: places under ${i + 1}`, await tab.$$eval('#pods tbody tr', (rows, at) => rows.map(r => r.cells[at].textContent), 2 + i), comparison.report.pods.map(p => p.node ?? '-'));
  }
  equal(`${scheme}: expectations`, await tab.$$eval('#check-list > li', items => items.map(i => i.firstChild.textContent)), (answer.checks ?? []).map(c => `${c.passed ? 'holds: ' : 'fails: '}${c.name}`));
  // The heat map says its numbers to those who cannot see it.
  const reports = [answer, ...(answer.comparisons ?? []).map(c => c.report)];
  const maps = await tab.$$eval('#heat canvas', list => list.map(c => c.getAttribute('aria-label')));
  equal(`${scheme}: heat maps`, maps.length, reports.length);
  for (const [i, report] of reports.entries()) {
    for (const node of report.nodes) {
      const percent = (100 * (node.after.cpu ?? 0) / node.allocatable.cpu).toFixed(0);
      if (!maps[i].includes(`${node.name} `) || !maps[i].split('; ').some(part => part.includes(`${node.name} `) && part.includes(`cpu ${percent} %`))) wrong.push(`${scheme}: the heat map does not say cpu ${percent} % of ${node.name}`);
    }
  }
  equal(`${scheme}: the heat map is drawn`, await tab.$$eval('#heat canvas', list => list.every(c => c.width > 100 && c.getContext('2d').getImageData(c.width / 2, c.height / 2, 1, 1).data[3] > 0)), true);

  const word = answer.pods[0].name.split('-')[0];
  await tab.fill('#find', word);
  equal(`${scheme}: found`, await shown(), answer.pods.filter(p => JSON.stringify([full(p), p.node, p.message]).includes(word) || full(p).includes(word)).map(full));
  await tab.fill('#find', '');
  const outcome = answer.pods.find(p => p.outcome !== 'placed')?.outcome ?? 'placed';
  await tab.selectOption('#outcome', outcome);
  equal(`${scheme}: outcome ${outcome}`, await shown(), answer.pods.filter(p => p.outcome === outcome).map(full));
  await tab.selectOption('#outcome', '');
  if (answer.comparisons?.length) {
    await tab.check('#moved');
    const moved = new Set(answer.comparisons.flatMap(c => c.moves.map(m => m.pod)));
    equal(`${scheme}: moved`, await shown(), answer.pods.map(full).filter(p => moved.has(p)));
    await tab.uncheck('#moved');
  }

  // By keyboard: from the last filter to the first pod that was scored, and open it.
  const pod = answer.pods.find(p => (p.nodes ?? []).some(n => n.total !== undefined));
  await tab.focus('#outcome');
  for (let i = 0; i < 100; i++) {
    await tab.keyboard.press('Tab');
    if (await tab.evaluate(() => document.activeElement.textContent) === full(pod)) break;
  }
  await tab.keyboard.press('Enter');
  equal(`${scheme}: opened by keyboard`, await tab.textContent('#detail-title'), `${full(pod)} on ${pod.node}`);
  const totals = Object.fromEntries(await tab.$$eval('#verdicts tbody tr', rows => rows.map(r => [r.cells[0].textContent, r.cells[r.cells.length - 2].textContent])));
  equal(`${scheme}: totals of ${full(pod)}`, pod.nodes.map(n => totals[n.name]), pod.nodes.map(n => n.total === undefined ? '' : String(n.total)));
  const rejected = Object.fromEntries(await tab.$$eval('#verdicts tbody tr', rows => rows.map(r => [r.cells[0].textContent, r.cells[r.cells.length - 1].textContent])));
  equal(`${scheme}: rejections for ${full(pod)}`, pod.nodes.map(n => rejected[n.name]), pod.nodes.map(n => n.filter ? `${n.filter.plugin}: ${n.filter.message}` : ''));
  equal(`${scheme}: nothing of the input has run`, await tab.evaluate(() => window.ran ?? null), null);
}
