// The picture of the running video.

import { byId, usable } from "./page.js";

/** The interval of pictures, in milliseconds. */
const pace = 120;

/** The time of the picture that is shown, in seconds on the video's clock. */
export let shownTime = null;

let isStopped = false;

/** The reason why there is no picture; null while there are pictures. */
let absence = null;

/** @param {?string} reason why there is no picture, such as `no camera is connected`. */
export function showAbsence(reason) {
  absence = reason ?? null;
  if (absence) {
    byId("nothing").textContent = `${absence[0].toUpperCase()}${absence.slice(1)}`;
    byId("preview").hidden = true;
  } else if (byId("preview").hidden) byId("nothing").textContent = "The picture is loading…";
  byId("nothing").hidden = !byId("preview").hidden;
}

/** Stops requesting pictures, or resumes. */
export function stopLooking(stops) { isStopped = stops; }

/** Fetches pictures, except while the page is hidden. */
export async function look() {
  const start = performance.now();
  if (usable.isLive && !isStopped && !document.hidden) {
    try {
      const response = await fetch("preview.jpg");
      if (response.status === 200) {
        const preview = byId("preview");
        const url = URL.createObjectURL(await response.blob());
        const old = preview.src;
        preview.src = url;
        await preview.decode().catch(() => {});
        shownTime = Number(response.headers.get("X-Media-Time") ?? NaN);
        if (!Number.isFinite(shownTime)) shownTime = null;
        if (old) URL.revokeObjectURL(old);
        preview.hidden = absence !== null;
        byId("nothing").hidden = !preview.hidden;
      }
    } catch {
      // The event stream shows lost connections.
    }
  }
  setTimeout(look, Math.max(pace - (performance.now() - start), 20));
}
