// Elements of HTML and SVG from data, and figures as people read them. Texts never become markup.

const svgNamespace = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return node;
}

export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

export const s = (tag, attributes, ...children) => fill(document.createElementNS(svgNamespace, tag), attributes, children);

/** Calls draw with the width of a node now and whenever it changes. */
export function onWidth(node, draw) {
  let drawn = 0;
  const observer = new ResizeObserver(() => {
    const width = Math.floor(node.clientWidth);
    if (width > 0 && width !== drawn) node.replaceChildren(draw(drawn = width));
  });
  observer.observe(node);
  return node;
}

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const three = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });

export const count = value => whole.format(value);

export const figure = value => value >= 100 ? whole.format(value) : three.format(value);

export function bytes(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${figure(value)} ${units[unit]}`;
}

export function us(value) {
  if (value < 1000) return `${three.format(value)} µs`;
  return value < 1_000_000 ? `${three.format(value / 1000)} ms` : `${three.format(value / 1_000_000)} s`;
}

export const percent = value => `${(100 * value).toFixed(value >= 0.9995 && value < 1 ? 2 : 1).replace(/\.0+$/, '')} %`;

export const score = value => value.toFixed(5);

/** At most five round numbers from 0 to a value, or a little more. */
export function ticks(most, wanted = 5) {
  const rough = most / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find(factor => factor * power >= rough) * power;
  const list = [];
  for (let i = 0; i * step <= most * 1.0000001; i++) list.push(Number((i * step).toPrecision(12)));
  return list;
}

export const tile = (name, value, note) =>
  h('div', { class: 'tile' }, h('dt', null, name), h('dd', null, value, note ? h('small', null, note) : null));

export const problem = text => h('p', { class: 'problem', role: 'alert' }, text);
