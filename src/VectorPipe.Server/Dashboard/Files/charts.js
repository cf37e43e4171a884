// Charts as SVG, drawn for the width that they have.

import { s, count, figure, percent, ticks } from './dom.js';

const line = (x1, y1, x2, y2, look) => s('line', { x1, y1, x2, y2, class: look });
const text = (x, y, anchor, look, words) => s('text', { x, y, 'text-anchor': anchor, class: look }, words);

/** Recall against reads of one query: a point for each target recall. */
export function recallChart(points, target, width) {
  const height = 320;
  const [left, right, top, bottom] = [52, 18, 26, 44];
  const known = points.filter(point => point.recall !== null);
  const most = Math.max(1, ...known.map(point => point.cost.reads));
  const lowest = Math.min(1, ...known.map(point => point.recall));

  // Room for the label below the lowest point.
  const least = Math.max(0, Math.min(0.9, Math.floor(10 * (lowest - 0.02)) / 10));
  const reads = ticks(most * 1.05, width < 420 ? 3 : 5);
  const x = value => left + (width - left - right) * value / (most * 1.05);
  const y = value => height - bottom - (height - top - bottom) * (value - least) / (1 - least);
  const svg = s('svg', { class: 'recall', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'Recall against reads' });
  for (const value of reads) {
    svg.append(line(x(value), top, x(value), height - bottom, 'grid'), text(x(value), height - bottom + 17, 'middle', 'tick', count(value)));
  }
  for (let i = 0; i <= 5; i++) {
    const value = least + (1 - least) * i / 5;
    svg.append(line(left, y(value), width - right, y(value), 'grid'), text(left - 8, y(value) + 4, 'end', 'tick', percent(value)));
  }
  svg.append(
    text(left, 14, 'start', 'axis', 'recall of this query'),
    text(width - right, height - 8, 'end', 'axis', 'reads'),
    s('polyline', { class: 'curve', points: known.map(point => `${x(point.cost.reads)},${y(point.recall)}`).join(' ') }));
  const labels = [];
  const isChosen = point => Math.abs(point.targetRecall - target) < 1e-6;

  // The chosen one is labelled whatever is near.
  for (const point of known.toSorted((a, b) => isChosen(b) - isChosen(a))) {
    const [px, py] = [x(point.cost.reads), y(point.recall)];
    const chosen = isChosen(point);
    svg.append(s('circle', { cx: px, cy: py, r: chosen ? 5.5 : 4, class: chosen ? 'point chosen' : 'point' },
      s('title', null, `target ${point.targetRecall}: recall ${percent(point.recall)}, ${count(point.cost.reads)} reads`)));

    // Below its point, and only where it does not cover another one: the table has all of them.
    if (labels.every(label => Math.abs(label[0] - px) > 40 || Math.abs(label[1] - py) > 16)) {
      labels.push([px, py]);
      svg.append(text(Math.min(px, width - right - 14), py + 19, 'middle', chosen ? 'label chosen' : 'label', String(point.targetRecall)));
    }
  }
  return svg;
}

/** Levels of an axis, and the share of its height (0 to 1) at which a value is. */
function linearScale(values) {
  const most = Math.max(0, ...values) || 1;
  const levels = ticks(most, 4);
  const full = Math.max(levels.at(-1), most) * 1.04;
  return { levels, share: value => value / full };
}

function decadeScale(values) {
  const first = Math.floor(Math.log10(Math.min(...values, 100)));
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...values, 1000))));
  const levels = Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
  return { levels, share: value => (Math.log10(value) - first) / (last - first) };
}

/**
 * Series of values over the last seconds, the newest at the right.
 * @param {{look: string, values: (number|null)[]}[]} series
 * @param {number} seconds the width of the window
 * @param {boolean} byDecades whether equal ways are equal factors; values are above 0 then
 */
export function timeChart(series, seconds, width, format, label, byDecades = false) {
  const height = 200;
  const [left, right, top, bottom] = [62, 12, 12, 26];
  const known = series.flatMap(one => one.values.filter(value => value !== null));
  const { levels, share } = byDecades ? decadeScale(known) : linearScale(known);
  const x = age => width - right - (width - left - right) * age / seconds;
  const y = value => height - bottom - (height - top - bottom) * share(value);
  const svg = s('svg', { class: 'time', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label });
  for (const level of levels)
    svg.append(line(left, y(level), width - right, y(level), 'grid'), text(left - 8, y(level) + 4, 'end', 'tick', format(level)));
  for (let age = 0; age <= seconds; age += seconds / (width < 480 ? 2 : 4))
    svg.append(text(x(age), height - 8, age === 0 ? 'end' : age === seconds ? 'start' : 'middle', 'tick', age === 0 ? 'now' : `−${figure(age)} s`));
  for (const { look, values } of series) {
    let path = '';
    values.forEach((value, i) => {
      if (value === null) return;
      const isGap = i === 0 || values[i - 1] === null;
      path += `${isGap ? 'M' : 'L'}${x(values.length - 1 - i).toFixed(1)},${y(value).toFixed(1)}`;
    });
    svg.append(s('path', { class: `series ${look}`, d: path || 'M0,0' }));

    // A value between two gaps has no line: a dot shows it.
    values.forEach((value, i) => {
      if (value !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null)
        svg.append(s('circle', { class: `dot ${look}`, cx: x(values.length - 1 - i), cy: y(value), r: 2.5 }));
    });
  }
  return svg;
}
