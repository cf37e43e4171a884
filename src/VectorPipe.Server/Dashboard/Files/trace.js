// The timeline of a query, and its trace as a file.

import { h, count, onWidth, percent, problem, tile, us } from './dom.js';
import { ask } from './api.js';
import { queryForm } from './query.js';
import { parse, rowsOf, timelineChart } from './timeline.js';

const key = (look, words) => h('span', { class: 'key' }, h('i', { class: `swatch ${look}` }), words);

/** A button that saves the trace that is shown: another run would be another one. */
function download(trace) {
  const button = h('button', { type: 'button', class: 'quiet', name: 'download' }, 'Download for Perfetto');
  button.addEventListener('click', () => {
    const address = URL.createObjectURL(new Blob([JSON.stringify(trace)], { type: 'application/json' }));
    const link = h('a', { href: address, download: 'search-trace.json' });
    link.click();
    URL.revokeObjectURL(address);
  });
  return button;
}

function readTable(reads) {
  const heads = ['#', 'Page', 'Submitted', 'In flight'];
  return h('details', { class: 'reads' },
    h('summary', null, `The ${count(reads.length)} reads as a table`),
    h('div', { class: 'scroll' }, h('table', { id: 'reads' },
      h('thead', null, h('tr', null, heads.map(head => h('th', { scope: 'col', class: 'number' }, head)))),
      h('tbody', null, reads.map((read, i) => h('tr', null,
        h('td', { class: 'number' }, i + 1),
        h('td', { class: 'number' }, count(read.page)),
        h('td', { class: 'number' }, us(read.from)),
        h('td', { class: 'number' }, read.to === null ? 'not waited for' : us(read.to - read.from))))))));
}

function parts(answer, query) {
  const { cost, trace } = answer;
  const line = parse(trace);
  const rows = rowsOf(line.reads, cost.us);
  const tiles = h('dl', { class: 'tiles' },
    tile('time', us(cost.us), `aimed at recall ${percent(answer.targetRecall)}`),
    tile('reads', count(cost.reads), `${count(rows.length)} in flight at once`),
    tile('expansions', count(line.expansions), 'elements whose links were followed'),
    tile('computing', us(cost.computeUs)),
    tile('waiting', us(cost.waitUs), 'for reads and the thread'),
    tile('in the queue', us(cost.queueUs)));
  if (line.Compute.length === 0 && line.reads.length === 0)
    return [tiles, h('p', { class: 'note' }, 'There is nothing to draw: the set has no index yet, and all its vectors are in memory.')];
  const notes = [
    query.filter ? `A filter looks at the ${count(answer.count)} nearest elements first: this is the search for them.` : null,
    'A search with a trace walks the index, also in a set so small that other searches compare all its vectors.',
  ];
  const chart = h('div', { class: 'chart' });
  onWidth(chart, width => timelineChart(line, cost.us, width));
  return [
    tiles,
    h('section', { class: 'card' },
      h('div', { class: 'head' }, h('h2', null, 'Microsecond by microsecond'), download(trace)),
      chart,
      h('p', { class: 'keys' },
        key('read', 'a read'), key('score', 'a page scored'), key('follow', 'links followed'), key('compute', 'other computing'),
        key('wait', 'waiting for a read'), key('idle', 'not at work'), key('answer', 'the answer')),
      notes.filter(note => note).map(note => h('p', { class: 'note' }, note)),
      readTable(line.reads)),
  ];
}

export function show(main) {
  const result = h('div', { id: 'result', 'aria-live': 'polite', 'aria-busy': 'false' });
  let stop = new AbortController();

  function fail(error) {
    stop.abort();
    result.replaceChildren(problem(error.message));
    result.setAttribute('aria-busy', 'false');
  }

  async function search(query) {
    stop.abort();
    const { signal } = stop = new AbortController();
    result.setAttribute('aria-busy', 'true');
    try {
      const answer = await ask('trace', query, signal);
      result.replaceChildren(...parts(answer, query));
      result.setAttribute('aria-busy', 'false');
    } catch (error) {
      if (!signal.aborted) fail(error);
    }
  }

  main.append(h('h1', null, 'Trace'), queryForm('trace', search, fail), result);
  return () => stop.abort();
}
