// The picture of the running video.

import { byId, usable } from "./page.js";

/** The interval of pictures, in milliseconds. */
const pace = 120;

/** The time of the picture that is shown, in seconds on the video's clock. */
export let shownTime = null;

let isStopped = false;

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
        preview.hidden = false;
        byId("nothing").hidden = true;
      }
    } catch {
      // The event stream shows lost connections.
    }
  }
  setTimeout(look, Math.max(pace - (performance.now() - start), 20));
}
