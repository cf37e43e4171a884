// Nodes of the cluster, who holds which shard, and the replicas of this node, refreshed while the page is open.

import { h, bytes, count, tile } from './dom.js';
import { keepFresh } from './refresh.js';

const cell = (label, ...parts) => h('td', { 'data-label': label }, h('div', null, ...parts));
const number = (label, ...parts) => h('td', { 'data-label': label, class: 'number' }, h('div', null, ...parts));
const mark = (look, words) => h('span', { class: `mark ${look}` }, words);

function table(heads, numbers, rows) {
  return h('div', { class: 'card' }, h('table', { class: 'sets' },
    h('thead', null, h('tr', null, heads.map((head, i) => h('th', { scope: 'col', class: numbers.includes(i) ? 'number' : null }, head)))),
    h('tbody', null, rows)));
}

const nodeState = node => {
  if (!node.isAlive) return mark('bad', 'away');
  return node.isLeaving ? mark('busy', 'leaves') : mark('good', 'alive');
};

const nodes = ({ nodes }) => table(['Node', 'Address', 'Replicas', 'Being made', 'State'], [2, 3], nodes.map(node => h('tr', null,
  h('th', { scope: 'row' }, node.name, node.isSelf ? h('small', null, 'this one') : null),
  cell('Address', node.address),
  number('Replicas', count(node.shards)),
  number('Being made', count(node.joining)),
  cell('State', nodeState(node)))));

function shardState(shard, alive) {
  const left = shard.nodes.filter(node => alive.has(node)).length;
  if (left === 0) return mark('bad', 'no node answers');
  return left < shard.nodes.length || shard.joining.length ? mark('busy', `${left} of ${shard.nodes.length} alive`) : mark('good', 'well');
}

function shards({ shards, nodes }) {
  const alive = new Set(nodes.filter(node => node.isAlive).map(node => node.name));
  return table(['Set', 'Shard', 'On', 'Being made on', 'State'], [1], shards.map(shard => h('tr', null,
    h('th', { scope: 'row' }, shard.set),
    number('Shard', String(shard.shard)),
    cell('On', shard.nodes.join(', ')),
    cell('Being made on', shard.joining.join(', ') || '–'),
    cell('State', shardState(shard, alive)))));
}

function replicaState(replica) {
  if (replica.failure) return [mark('bad', 'has ended'), h('p', { class: 'why' }, replica.failure)];
  return replica.isServing ? mark('good', 'serves') : mark('busy', 'catches up');
}

const replicas = ({ replicas }) => table(['Set', 'Shard', 'Memory', 'Applied', 'Behind', 'State'], [1, 2, 3, 4],
  replicas.map(replica => h('tr', null,
    h('th', { scope: 'row' }, replica.name),
    number('Shard', String(replica.shard)),
    number('Memory', bytes(replica.memoryBytes)),
    number('Applied', count(replica.applied)),
    number('Behind', count(replica.head - replica.applied)),
    cell('State', replicaState(replica)))));

const summary = ({ nodes, shards, replicas }) => h('dl', { class: 'tiles' },
  tile('nodes', count(nodes.length)),
  tile('alive', count(nodes.filter(node => node.isAlive).length)),
  tile('shards', count(shards.length)),
  tile('replicas being made', count(shards.reduce((sum, shard) => sum + shard.joining.length, 0))),
  tile('replicas here', count(replicas.length)),
  tile('records behind', count(replicas.reduce((sum, replica) => sum + replica.head - replica.applied, 0))));

function draw(answer) {
  if (!answer.isCluster) return [h('p', { class: 'card' }, 'This server is in no cluster: ', h('code', null, '--cluster'), ' makes it a node of one.')];
  return [summary(answer), h('h2', null, 'Nodes'), nodes(answer), h('h2', null, 'Shards'), shards(answer),
    h('h2', null, 'Replicas on this node'), replicas(answer)];
}

export function show(main) {
  const place = h('div');
  main.append(h('h1', null, 'Cluster'), place);
  return keepFresh('cluster', place, answer => place.replaceChildren(...draw(answer)));
}
