// All sets and their state, refreshed while the page is open.

import { h, count, bytes, figure, tile } from './dom.js';
import { keepFresh } from './refresh.js';

function state(set) {
  const marks = [];
  if (set.isReadOnly) marks.push(h('span', { class: 'mark bad' }, 'read-only'), h('p', { class: 'why' }, set.writeError));
  if (set.maintenanceError) marks.push(h('span', { class: 'mark bad' }, 'maintenance failed'), h('p', { class: 'why' }, set.maintenanceError));
  if (set.isRebuilding) marks.push(h('span', { class: 'mark busy' }, 'takes writes into its index'));
  return marks.length ? marks : h('span', { class: 'mark good' }, 'well');
}

function index(set) {
  if (!set.index) return h('span', { class: 'soft' }, 'none yet: all in memory');
  const { kind, pageBytes, diskBytes } = set.index;
  return [`${kind}, generation ${set.generation}.${set.checkpoints}`,
    h('small', null, `${bytes(diskBytes)} in pages of ${bytes(pageBytes)}`)];
}

function reads(set) {
  if (!set.index) return h('span', { class: 'soft' }, '–');
  return set.index.reads === null ? h('span', { class: 'soft' }, 'not calibrated') : figure(set.index.reads);
}

const cell = (label, ...parts) => h('td', { 'data-label': label }, h('div', null, ...parts));
const number = (label, ...parts) => h('td', { 'data-label': label, class: 'number' }, h('div', null, ...parts));

function row(set, targetRecall) {
  const projected = set.inputDimension !== set.dimension ? `from ${set.inputDimension}` : null;
  return h('tr', { 'data-set': set.name },
    h('th', { scope: 'row' }, h('a', { href: '#/explore?' + new URLSearchParams({ set: set.name }) }, set.name)),
    number('Elements', count(set.elements)),
    number('Dimension', count(set.dimension), projected ? h('small', null, projected) : null),
    cell('Metric', set.metric),
    number('Memory', bytes(set.memoryBytes)),
    cell('Index', index(set)),
    number('Writes that wait', count(set.waiting), set.waiting ? h('small', null, bytes(set.waitingBytes)) : null),
    number(`Reads at recall ${targetRecall}`, reads(set)),
    cell('State', state(set)));
}

function table({ sets, targetRecall }) {
  const heads = ['Set', 'Elements', 'Dimension', 'Metric', 'Memory', 'Index', 'Writes that wait', `Reads at recall ${targetRecall}`, 'State'];
  const numbers = new Set([1, 2, 4, 6, 7]);
  return h('div', { class: 'card' }, h('table', { class: 'sets' },
    h('thead', null, h('tr', null, heads.map((head, i) => h('th', { scope: 'col', class: numbers.has(i) ? 'number' : null }, head)))),
    h('tbody', null, sets.map(set => row(set, targetRecall)))));
}

function summary({ sets }) {
  const sum = of => sets.reduce((total, set) => total + of(set), 0);
  const ill = sets.filter(set => set.isReadOnly || set.maintenanceError).length;
  return h('dl', { class: 'tiles' },
    tile('sets', count(sets.length)),
    tile('elements', count(sum(set => set.elements))),
    tile('memory', bytes(sum(set => set.memoryBytes))),
    tile('on disk', bytes(sum(set => set.index?.diskBytes ?? 0))),
    tile('writes that wait', count(sum(set => set.waiting))),
    tile('sets with errors', count(ill)));
}

export function show(main) {
  const place = h('div');
  main.append(h('h1', null, 'Sets'), place);
  return keepFresh('sets', place, answer => {
    const focused = document.activeElement?.closest('tr')?.dataset.set;
    place.replaceChildren(summary(answer), answer.sets.length
      ? table(answer)
      : h('p', { class: 'card' }, 'There is no set yet. ', h('code', null, 'VADD'), ' makes one.'));
    if (focused !== undefined) place.querySelector(`tr[data-set="${CSS.escape(focused)}"] a`)?.focus();
  });
}
