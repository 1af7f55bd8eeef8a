// The list of events.

import { byId, make } from "./names.js";
import { clock, words } from "./words.js";

/** The maximum number of entries. */
const longestLog = 100;

/** Adds an event to the list. */
export function note(event) {
  const text = words(event);
  // A connection begins with the current state, which repeats the start.
  const isKnown = event.event === "streamStarted" && byId("lines").querySelector("[data-event=streamStarted]");
  if (!text || isKnown) return;
  const item = make("li", {}, make("time", {}, clock(event.time)), make("span", {}, text));
  item.dataset.event = event.event;
  if (event.event === "effectStarted") item.dataset.effect = event.id;
  byId("lines").prepend(item);
  while (byId("lines").children.length > longestLog) byId("lines").lastElementChild.remove();
}

/** Lists the events from before the page was opened. Screen readers do not read them out. */
export function recall(events) {
  const log = byId("log");
  log.setAttribute("aria-live", "off");
  byId("lines").replaceChildren();
  for (const event of events) note(event);
  setTimeout(() => log.setAttribute("aria-live", "polite"), 1000);
}
