// A query: hits beside exact hits, the recall, what it cost, and the same query at other target recalls.

import { h, count, figure, onWidth, percent, problem, score, tile, us } from './dom.js';
import { ask } from './api.js';
import { queryForm } from './query.js';
import { recallChart } from './charts.js';

const bases = {
  Calibrated: 'its effort is calibrated', Estimated: 'its effort is estimated', Exact: 'all vectors were compared',
  BeyondCalibration: 'more than the calibration reached', Settings: 'by its settings',
};
const ends = {
  AllVectors: 'the set has no more elements', Limit: 'the search looked no further', Deadline: 'the time was over',
  AllMatches: 'no further element matches', MaxReads: 'the reads were used up',
};

function hitRow(hit, rank, name) {
  const marks = {
    hits: hit.isTrue === false ? h('span', { class: 'mark bad' }, 'not among the nearest') : null,
    truth: hit.isFound === false ? h('span', { class: 'mark bad' }, 'missed') : null,
  };
  return h('tr', { class: marks[name] ? 'off' : null },
    h('td', { class: 'rank' }, rank + 1),
    h('td', { class: 'name' }, hit.element, marks[name], hit.attributes ? h('small', { class: 'line', title: hit.attributes }, hit.attributes) : null),
    h('td', { class: 'number' }, score(hit.score)));
}

const hitTable = (name, caption, hits) => h('div', { class: 'scroll' }, h('table', { class: 'hits', id: name },
  h('caption', null, caption),
  h('thead', null, h('tr', null, h('th', { scope: 'col' }, '#'), h('th', { scope: 'col' }, 'Element'), h('th', { scope: 'col', class: 'number' }, 'Score'))),
  h('tbody', null, hits.map((hit, rank) => hitRow(hit, rank, name)))));

function answerParts(answer) {
  const { cost, truthCost } = answer;
  const found = new Set(answer.hits.map(hit => hit.element));
  const farthest = answer.hits.at(-1)?.score;
  const scores = new Map(answer.truth.map(hit => [hit.element, hit.score]));
  const isRounded = answer.hits.some(hit => Math.abs(scores.get(hit.element) - hit.score) > 2e-6);
  const truth = answer.truth.map(hit => ({ ...hit, isFound: found.has(hit.element) || hit.score === farthest }));
  return [
    h('dl', { class: 'tiles' },
      tile('recall of this query', answer.recall === null ? 'unknown' : percent(answer.recall), `aimed at ${percent(answer.targetRecall)}`),
      tile('reads', count(cost.reads), cost.cacheHits ? `${count(cost.cacheHits)} pages from the cache` : `exact: ${count(truthCost.reads)}`),
      tile('time', us(cost.us), `exact: ${us(truthCost.us)}`),
      tile('distances', count(cost.codeDistances + cost.vectorDistances), `${count(cost.codeDistances)} by code`),
      tile('effort', cost.basis === 'Exact' ? 'exact' : 'a walk', bases[cost.basis])),
    ends[cost.endedBy] ? h('p', { class: 'note' }, `${count(answer.hits.length)} hits: ${ends[cost.endedBy]}.`) : null,
    answer.recall === null ? h('p', { class: 'note' }, 'The exact search was ended after 10 s: the true answer is not known.') : null,
    h('div', { class: 'card pair' },
      hitTable('hits', `Found, ${count(answer.hits.length)}`, answer.hits),
      hitTable('truth', `Exact, ${count(answer.truth.length)}`, truth)),
    isRounded ? h('p', { class: 'note' }, 'Scores of a walk are those of the vectors as pages hold them: rounded.') : null,
  ];
}

function curveParts(points, target) {
  const table = h('table', { class: 'points', id: 'points' },
    h('thead', null, h('tr', null, ['Target', 'Recall', 'Reads', 'Time'].map(head => h('th', { scope: 'col', class: 'number' }, head)))),
    h('tbody', null, points.map(point => h('tr', null,
      h('td', { class: 'number' }, String(point.targetRecall)),
      h('td', { class: 'number' }, point.recall === null ? '?' : percent(point.recall)),
      h('td', { class: 'number' }, figure(point.cost.reads)),
      h('td', { class: 'number' }, us(point.cost.us))))));
  const isExact = points.every(point => point.cost.basis === 'Exact');
  const drawn = isExact
    ? h('p', { class: 'note' }, 'The set is small: every search compares all its vectors, whatever recall it aims at.')
    : h('div', { class: 'chart' });
  if (!isExact) onWidth(drawn, width => recallChart(points, target, width));
  return h('section', { class: 'card curve' },
    h('h2', null, 'This query at other target recalls'),
    h('div', { class: 'pair' }, drawn, table));
}

export function show(main) {
  const result = h('div', { id: 'result', 'aria-live': 'polite', 'aria-busy': 'false' });
  const curve = h('div', { id: 'curve' });
  let stop = new AbortController();

  function fail(error) {
    stop.abort();
    result.replaceChildren(problem(error.message));
    curve.replaceChildren();
    result.setAttribute('aria-busy', 'false');
  }

  async function search(query) {
    stop.abort();
    const { signal } = stop = new AbortController();
    result.setAttribute('aria-busy', 'true');
    try {
      const answer = await ask('search', query, signal);
      result.replaceChildren(...answerParts(answer).filter(part => part));
      result.setAttribute('aria-busy', 'false');
      const { points } = await ask('curve', query, signal);
      curve.replaceChildren(curveParts(points, answer.targetRecall));
    } catch (error) {
      if (!signal.aborted) fail(error);
    }
  }

  main.append(h('h1', null, 'Explore'), queryForm('explore', search, fail), result, curve);
  return () => stop.abort();
}
