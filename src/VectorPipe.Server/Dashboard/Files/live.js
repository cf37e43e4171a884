// What the server does, second by second.

import { h, bytes, count, figure, onWidth, tile, us } from './dom.js';
import { timeChart } from './charts.js';

const seconds = 120;
const none = '–';

const long = value => {
  const minutes = Math.floor(value / 60);
  if (minutes < 1) return `${Math.floor(value)} s`;
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : `${Math.floor(minutes / 1440)} days`;
};
const known = (value, format) => value === null || value === undefined ? none : format(value);

const tiles = now => [
  tile('searches per second', known(now.searchesPerSecond, figure), now.refusedPerSecond ? `${figure(now.refusedPerSecond)} refused` : null),
  tile('commands per second', known(now.commandsPerSecond, figure)),
  tile('half of searches within', known(now.p50Us, us)),
  tile('99 % within', known(now.p99Us, us)),
  tile('99.9 % within', known(now.p999Us, us)),
  tile('reads per search', known(now.readsPerSearch, figure)),
  tile('connections', known(now.connections, count)),
  tile('processors', known(now.processors, value => value.toFixed(2)), 'busy for the server'),
  tile('memory', known(now.memoryBytes, bytes)),
  tile('up for', known(now.uptimeSeconds, long)),
];

const key = (look, words) => h('span', { class: 'key' }, h('i', { class: `swatch ${look}` }), words);

export function show(main) {
  const state = h('p', { class: 'note', role: 'status', id: 'connection' }, 'Connecting …');
  const figures = h('dl', { class: 'tiles', id: 'figures' }, tiles({}));
  const throughput = h('div', { class: 'chart' });
  const latency = h('div', { class: 'chart' });
  const past = [];
  const values = of => past.map(of);
  const draw = {
    throughput: width => timeChart([
      { look: 'commands', values: values(now => now.commandsPerSecond) },
      { look: 'searches', values: values(now => now.searchesPerSecond) },
    ], seconds, width, figure, 'Commands and searches per second'),
    latency: width => timeChart([
      { look: 'p999', values: values(now => now.p999Us) },
      { look: 'p99', values: values(now => now.p99Us) },
      { look: 'p50', values: values(now => now.p50Us) },
    ], seconds, width, us, 'Durations of searches', true),
  };
  onWidth(throughput, draw.throughput);
  onWidth(latency, draw.latency);

  const stream = new EventSource('/api/v1/live');
  stream.addEventListener('open', () => { state.textContent = 'Connected: figures of the last second. Searches of this dashboard do not count.'; });
  stream.addEventListener('error', () => {
    state.textContent = stream.readyState === EventSource.CLOSED
      ? 'The server refused the connection.'
      : 'The connection is lost; the page tries again.';
  });
  stream.addEventListener('message', event => {
    const now = JSON.parse(event.data);
    past.push(now);
    if (past.length > seconds + 1) past.shift();
    figures.replaceChildren(...tiles(now));
    for (const [place, name] of [[throughput, 'throughput'], [latency, 'latency']])
      if (place.clientWidth > 0) place.replaceChildren(draw[name](Math.floor(place.clientWidth)));
  });

  main.append(h('h1', null, 'Live'), state, figures,
    h('section', { class: 'card' },
      h('div', { class: 'head' }, h('h2', null, 'Per second'), h('p', { class: 'keys' }, key('searches', 'searches'), key('commands', 'commands'))),
      throughput),
    h('section', { class: 'card' },
      h('div', { class: 'head' }, h('h2', null, 'Durations of searches'),
        h('p', { class: 'keys' }, key('p50', 'half within'), key('p99', '99 % within'), key('p999', '99.9 % within'))),
      latency));
  return () => stream.close();
}
