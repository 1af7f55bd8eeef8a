// Requests of the review page.

import { ask, json } from "./requests.js";

export { Refused, listen } from "./requests.js";

export const server = {
  session: async () => (await ask("session")).json(),
  plan: async () => (await ask("plan")).json(),
  /** Applies a patch to a revision; returns the new revision. */
  change: async (patch, revision) =>
    (await (await ask("plan", json("PATCH", JSON.stringify(patch), { "If-Match": `"${revision}"` }))).json()).revision,
  startAnew: () => ask("plan", json("POST", "{}")),
  render: (replace) => ask("render", json("POST", JSON.stringify({ replace }))),
  cancel: () => ask("render", { method: "DELETE" }),
  seen: async (time, signal) => (await ask(`seen?time=${time.toFixed(3)}`, { signal })).json(),
  /** The peaks of the sound, each of a short stretch; `null` until they are known. */
  sound: async () => {
    const response = await ask("sound");
    return response.status === 200 ? new Uint8Array(await response.arrayBuffer()) : null;
  },
};

export const frameURL = (time, height) => `frame.jpg?time=${time.toFixed(3)}&height=${height}`;
export const thumbnailURL = (time, height) => `thumbnail.jpg?time=${time.toFixed(3)}&height=${height}`;

/** A stretch as it will look, in seconds from the first picture. @param {?number} id of a reaction that is shown anyway. */
export function stretchURL(from, to, id, revision) {
  return `stretch.mp4?from=${from.toFixed(3)}&to=${to.toFixed(3)}${id === null ? "" : `&with=${id}`}&revision=${revision}`;
}

/** The last rendering. */
export const resultURL = "result";

/** The recording itself, or the `result`, from a time on, for a browser that cannot play its file. */
export const plainURL = (from, of = "recording") => `stretch.mp4?effects=no&of=${of}&from=${Math.max(from, 0).toFixed(3)}`;
