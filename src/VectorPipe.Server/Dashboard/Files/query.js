// The query that Explore and Trace share, and the form that asks for it.

import { h } from './dom.js';
import { get } from './api.js';

const state = { set: '', element: '', vector: null, vectorText: '', count: 10, recall: null, filter: '' };

/** Takes a query over from an address. */
export function remember(parameters) {
  const element = parameters.get('element') ?? '';
  if (element || parameters.get('set') !== state.set) Object.assign(state, { vector: null, vectorText: '' });
  Object.assign(state, {
    set: parameters.get('set') ?? '', element, filter: parameters.get('filter') ?? '',
    count: Number(parameters.get('count')) || 10, recall: Number(parameters.get('recall')) || null,
  });
}

/** The query for an address; a vector is too long for one. */
export function recall() {
  if (!state.set) return '';
  const given = { set: state.set, element: state.element, count: state.count, recall: state.recall ?? '', filter: state.filter };
  return '?' + new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ''));
}

/** The query as the server takes it; null while there is none. */
export function current() {
  if (!state.set || !(state.element || state.vector)) return null;
  const { set, count, recall: target, filter } = state;
  return { set, ...(state.vector ? { vector: state.vector } : { element: state.element }), count, recall: target, filter };
}

/** Whether a text is a vector: numbers between commas or spaces, in brackets or not. */
function parseVector(text) {
  const words = text.replace(/^\s*\[|\]\s*$/g, '').split(/[\s,;]+/).filter(word => word);
  const numbers = words.map(Number);
  const wrong = words.find((_, i) => !Number.isFinite(numbers[i]));
  if (words.length === 0) throw new Error('vector: expected numbers, found none');
  if (wrong !== undefined) throw new Error(`vector: expected numbers, found '${wrong}'`);
  return numbers;
}

// The steps of the slider: what is missed shrinks by about the same share from one to the next.
const ladder = [
  0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.92, 0.94, 0.95, 0.96, 0.97, 0.98, 0.985, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999,
];

const field = (label, ...parts) => h('label', { class: 'field' }, h('span', null, label), ...parts);

/**
 * The form. Calls back when a query is to run: search(query), or fail(error) if it is none.
 * @param {string} page the page to which the address is to lead back
 */
export function queryForm(page, search, fail) {
  const sets = h('select', { name: 'set', required: true });
  const element = h('input', { name: 'element', autocomplete: 'off', spellcheck: 'false', maxlength: 512 });
  const vector = h('textarea', { name: 'vector', rows: 2, spellcheck: 'false', placeholder: '0.12, -0.5, 0.33, …' });
  const hits = h('input', { name: 'count', type: 'number', min: 1, max: 1000, required: true });
  const target = h('input', { name: 'recall', type: 'range', min: 0, max: ladder.length - 1, step: 1 });
  const shown = h('output', { class: 'value' });
  let steps = ladder;
  const filter = h('input', { name: 'filter', autocomplete: 'off', spellcheck: 'false', placeholder: '.year >= 1980 and .genre == "drama"' });
  const chance = h('button', { type: 'button', class: 'quiet', name: 'chance' }, 'By chance');
  const byElement = h('input', { type: 'radio', name: 'by', value: 'element', checked: true });
  const byVector = h('input', { type: 'radio', name: 'by', value: 'vector' });
  const elementPart = h('div', { class: 'with-button' }, element, chance);
  const vectorPart = h('div', null, vector);

  const form = h('form', { class: 'card query', autocomplete: 'off' },
    field('Set', sets),
    h('fieldset', { class: 'field wide' },
      h('legend', null, 'Near to'),
      h('div', { class: 'choice' },
        h('label', null, byElement, 'an element'),
        h('label', null, byVector, 'a vector')),
      elementPart, vectorPart),
    field('Hits', hits),
    h('label', { class: 'field slider' }, h('span', null, 'Target recall ', shown), target),
    field('Filter (optional)', filter),
    h('button', { type: 'submit' }, page === 'trace' ? 'Trace' : 'Search'));

  const showBy = () => {
    elementPart.hidden = byVector.checked;
    vectorPart.hidden = !byVector.checked;
    element.setAttribute('aria-label', 'Element');
    vector.setAttribute('aria-label', 'Vector');
  };
  const showTarget = () => {
    shown.textContent = String(steps[target.value]);
    target.setAttribute('aria-valuetext', shown.textContent);
  };
  const read = () => {
    Object.assign(state, {
      set: sets.value, count: hits.valueAsNumber, filter: filter.value.trim(), recall: steps[target.value],
      element: byVector.checked ? '' : element.value,
      vectorText: vector.value, vector: byVector.checked ? parseVector(vector.value) : null,
    });
  };
  const run = () => {
    try {
      read();
    } catch (error) {
      fail(error);
      return;
    }
    if (!current()) {
      fail(new Error('element: expected a name, found none; the button takes one by chance'));
      return;
    }
    history.replaceState(null, '', `#/${page}${recall()}`);
    for (const link of document.querySelectorAll('nav a[data-page=explore], nav a[data-page=trace]'))
      link.href = `#/${link.dataset.page}${recall()}`;
    search(current());
  };

  form.addEventListener('submit', event => { event.preventDefault(); run(); });
  for (const choice of [byElement, byVector]) choice.addEventListener('change', showBy);
  target.addEventListener('input', showTarget);
  target.addEventListener('change', () => { if (element.value || byVector.checked) run(); });
  sets.addEventListener('change', () => { element.value = ''; });
  chance.addEventListener('click', async () => {
    chance.disabled = true;
    try {
      const { element: drawn } = await get('element', { set: sets.value });
      if (drawn === null) throw new Error(`set: expected one with elements, found none in '${sets.value}'`);
      element.value = drawn;
      run();
    } catch (error) {
      fail(error);
    } finally {
      chance.disabled = false;
      chance.focus();
    }
  });

  async function start() {
    try {
      const answer = await get('sets');
      sets.append(...answer.sets.map(set => h('option', { value: set.name }, set.name)));
      if (answer.sets.length === 0) {
        fail(new Error('There is no set yet. VADD makes one.'));
        return;
      }
      if (answer.sets.some(set => set.name === state.set)) sets.value = state.set;
      element.value = state.element;
      vector.value = state.vectorText;
      byVector.checked = state.vector !== null;
      byElement.checked = !byVector.checked;
      hits.value = state.count;
      const aim = state.recall ?? answer.targetRecall;
      steps = [...new Set([...ladder, aim])].sort((a, b) => a - b);
      target.max = steps.length - 1;
      target.value = steps.indexOf(aim);
      filter.value = state.filter;
      showBy();
      showTarget();
      if (current() && sets.value === state.set) run();
    } catch (error) {
      fail(error);
    }
  }

  showBy();
  start();
  return form;
}
