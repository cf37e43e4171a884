// Shows the page that the address names behind its #.

import { show as showSets } from './sets.js';
import { show as showExplore } from './explore.js';
import { show as showTrace } from './trace.js';
import { show as showLive } from './live.js';
import { show as showCluster } from './cluster.js';
import { remember, recall } from './query.js';

const pages = {
  sets: { title: 'Sets', show: showSets },
  explore: { title: 'Explore', show: showExplore },
  trace: { title: 'Trace', show: showTrace },
  live: { title: 'Live', show: showLive },
  cluster: { title: 'Cluster', show: showCluster },
};
const main = document.getElementById('main');
let leave = null;

function route() {
  const [name, parameters] = location.hash.replace(/^#\/?/, '').split('?');
  const page = pages[name] ? name : 'sets';
  if (parameters) remember(new URLSearchParams(parameters));
  leave?.();
  document.title = `${pages[page].title} · vectorpipe-server`;
  for (const link of document.querySelectorAll('nav a')) {
    if (link.dataset.page === page) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
    if (link.dataset.page === 'explore' || link.dataset.page === 'trace') link.href = `#/${link.dataset.page}${recall()}`;
  }
  main.replaceChildren();
  leave = pages[page].show(main);
}

addEventListener('hashchange', route);
route();
