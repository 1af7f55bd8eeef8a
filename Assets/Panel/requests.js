// What pages ask of flourish, and what it tells them.

/** An answer other than yes. */
export class Refused extends Error {
  constructor(status, { error, place = "" }) {
    super(error ?? "Flourish refuses that");
    [this.status, this.place] = [status, place];
  }
}

export async function ask(path, options) {
  const response = await fetch(path, options);
  if (response.ok) return response;
  throw new Refused(response.status, await response.json().catch(() => ({})));
}

/** The options of a request with JSON. @param {string} text JSON. */
export function json(method, text, headers = {}) {
  return { method, headers: { "Content-Type": "application/json", ...headers }, body: text };
}

/** Follows what flourish tells. @param {object} handlers by topic, and `lost` and `found`. */
export function listen({ lost, found, ...topics }) {
  const source = new EventSource("events");
  source.addEventListener("open", () => found());
  for (const [topic, handler] of Object.entries(topics)) {
    source.addEventListener(topic, (message) => handler(JSON.parse(message.data)));
  }
  source.addEventListener("error", () => {
    lost();
    // A server that refuses is not asked again by itself.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => listen({ lost, found, ...topics }), 2000);
  });
}
