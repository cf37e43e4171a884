// Keeps a part of a page as an answer of the server is, until the page is left.

import { problem } from './dom.js';
import { get } from './api.js';

const refreshMs = 2000;

/** Calls draw with each answer that differs from the one before; what did not change stays, with the place of the keyboard. */
export function keepFresh(name, place, draw) {
  const stop = new AbortController();
  let shown = '';
  let timer = 0;

  async function refresh() {
    try {
      const answer = await get(name, {}, stop.signal);
      const text = JSON.stringify(answer);
      if (text !== shown) draw(answer);
      shown = text;
    } catch (error) {
      if (stop.signal.aborted) return;
      shown = '';
      place.replaceChildren(problem(error.message));
    }
    timer = setTimeout(refresh, refreshMs);
  }

  refresh();
  return () => { stop.abort(); clearTimeout(timer); };
}
