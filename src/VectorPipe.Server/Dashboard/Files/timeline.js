// What a search did when: the events of a trace, and their drawing.

import { s, count, ticks, us } from './dom.js';

/** The events of a trace in the format of Chrome, by kind. Reads are in the order in which they were issued. */
export function parse(trace) {
  const reads = [];
  const open = new Map();
  const parts = { Compute: [], TakeIn: [], Expand: [], Wait: [] };
  let expansions = 0;
  for (const event of trace.traceEvents) {
    if (event.ph === 'b') {
      const read = { page: event.args.page, from: event.ts, to: null };
      reads.push(read);
      open.set(event.id, read);
    } else if (event.ph === 'e') {
      open.get(event.id).to = event.ts;
    } else if (event.ph === 'X' && parts[event.name]) {
      parts[event.name].push({ from: event.ts, to: event.ts + event.dur, ...event.args });
    }
    if (event.name === 'Expand') expansions++;
  }
  reads.sort((a, b) => a.from - b.from);
  return { reads, ...parts, expansions, settings: trace.otherData };
}

/** Reads in rows: those of a row do not overlap, and there are as many rows as reads were in flight at once. */
export function rowsOf(reads, end) {
  const rows = [];
  for (const read of reads) {
    let row = rows.find(one => (one.at(-1).to ?? end) <= read.from);
    if (!row) rows.push(row = []);
    row.push(read);
  }
  return rows;
}

const bar = (look, x, y, width, height, tip) =>
  s('rect', { class: look, x: x.toFixed(2), y, width: Math.max(width, 0.6).toFixed(2), height, rx: look.startsWith('read') ? 2 : 0 },
    s('title', null, tip));

export function timelineChart(line, end, width) {
  const rows = rowsOf(line.reads, end);
  const step = rows.length > 40 ? 7 : 14;
  const readHeight = step - (step > 7 ? 4 : 2);
  const [labelHeight, laneHeight, axisHeight] = [24, 30, 40];
  const laneTop = labelHeight + Math.max(1, rows.length) * step + 14 + labelHeight;
  const bottom = laneTop + laneHeight + 6;
  const height = bottom + axisHeight;
  const inner = width - 14;
  const x = at => inner * at / (end * 1.01);
  const svg = s('svg', {
    class: 'timeline', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': `${count(line.reads.length)} reads and the computing of the search over ${us(end)}`,
  });
  for (const at of ticks(end, width < 480 ? 3 : 6)) {
    svg.append(
      s('line', { class: 'grid', x1: x(at), x2: x(at), y1: labelHeight - 4, y2: bottom }),
      s('text', { class: 'tick', x: x(at), y: bottom + 16, 'text-anchor': at === 0 ? 'start' : 'middle' }, count(at)));
  }
  svg.append(
    s('text', { class: 'axis', x: 0, y: 14 }, rows.length ? 'reads, each from submission to landing' : 'no read: all was in memory'),
    s('text', { class: 'axis', x: 0, y: laneTop - 8 }, 'the search itself: computing, or waiting'),
    s('text', { class: 'axis', x: 0, y: bottom + 34 }, 'microseconds since the search was accepted'));
  rows.forEach((row, i) => row.forEach(read => {
    const to = read.to ?? end;
    const tip = read.to === null
      ? `page ${read.page}: submitted at ${us(read.from)}; the answer did not wait for it`
      : `page ${read.page}: submitted at ${us(read.from)}, landed after ${us(read.to - read.from)}`;
    svg.append(bar(read.to === null ? 'read open' : 'read', x(read.from), labelHeight + i * step, x(to - read.from), readHeight, tip));
  }));
  const lane = (look, parts, name) => {
    for (const part of parts)
      svg.append(bar(look, x(part.from), laneTop, x(part.to - part.from), laneHeight, `${name}, ${us(part.to - part.from)}`));
  };
  svg.append(bar('idle', 0, laneTop, x(end), laneHeight, 'not at work: in the queue, or other searches had the thread'));
  lane('wait', line.Wait, 'waiting for a read');
  lane('compute', line.Compute, 'computing');
  lane('score', line.TakeIn, 'vectors of a page scored');
  lane('follow', line.Expand, 'links of an element followed');
  svg.append(s('line', { class: 'answer', x1: x(end), x2: x(end), y1: 4, y2: bottom }));
  return svg;
}
