// Asks the server. What is wrong comes as an Error with the server's own words.

async function read(response) {
  if (response.headers.get('Content-Type')?.startsWith('application/json')) {
    const answer = await response.json();
    if (response.ok) return answer;
    throw new Error(answer.error);
  }
  throw new Error(`The server answered ${response.status} ${response.statusText}.`);
}

export const get = async (name, parameters, signal) => {
  const query = new URLSearchParams(parameters).toString();
  return read(await fetch(`/api/v1/${name}${query ? '?' + query : ''}`, { signal }));
};

/** Sends a query: an element among the parameters, a vector in the body. */
export async function ask(name, query, signal) {
  const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '' && value !== null && value !== undefined));
  if (!given.vector) return get(name, given, signal);
  return read(await fetch(`/api/v1/${name}`, {
    method: 'POST', signal, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(given),
  }));
}
