"use strict";

// The panel's picture of the video that runs.

const pace = 120;

/** Whether the run was asked to end: whoever answers may be gone at once. */
let isEnding = false;

/** Fetches the next picture, but none while nobody can see it. */
async function look() {
  const start = performance.now();
  if (usable.isLive && !isEnding && !document.hidden) {
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
      // Told by the event stream.
    }
  }
  if (!hasEnded) setTimeout(look, Math.max(pace - (performance.now() - start), 20));
}
