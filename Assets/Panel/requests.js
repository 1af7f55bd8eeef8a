// Requests to the server, and its event stream.

/** An unsuccessful response. */
export class Refused extends Error {
  constructor(status, { error, place = "" }) {
    super(error ?? "The request was refused");
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

/** Follows the server's events. @param {object} handlers by topic, and `lost` and `found`. */
export function listen({ lost, found, ...topics }) {
  const source = new EventSource("events");
  source.addEventListener("open", () => found());
  for (const [topic, handler] of Object.entries(topics)) {
    source.addEventListener(topic, (message) => handler(JSON.parse(message.data)));
  }
  source.addEventListener("error", () => {
    lost();
    // Browsers do not reconnect after an HTTP error.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => listen({ lost, found, ...topics }), 2000);
  });
}
