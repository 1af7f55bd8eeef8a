// What all parts of the panel need: elements, messages, commands, and which controls can be used.

import { byId } from "./names.js";

export { byId } from "./names.js";

/** The control of a property. */
export function controlFor(name) {
  return document.querySelector(`[data-property="${CSS.escape(name)}"]`);
}

/** Shows a message at the top. @param {boolean} isBad whether it is an error. */
export function say(text, isBad = false) {
  byId("status").textContent = text;
  byId("status").classList.toggle("bad", isBad);
}

/** The state of the run, which decides what can be used. */
export const usable = { isLive: false, showsReactions: true, hasGestures: true };

const listeners = [];

/** Calls a function whenever `usable` has changed. */
export function whenUsableChanges(listener) { listeners.push(listener); }

/** Enables the controls that have an effect in the state of the run, and disables all others. */
export function showUsable() {
  const { isLive, showsReactions, hasGestures } = usable;
  document.body.classList.toggle("live", isLive);
  for (const button of document.querySelectorAll("#buttons button, #palette button, #stage")) button.disabled = !isLive || !showsReactions;
  for (const button of [byId("cancel"), byId("end")]) button.disabled = !isLive;
  for (const input of document.querySelectorAll("[data-property]")) {
    const isOfGestures = /^(gestures\.|gestureSnooze$|holdRing$|reactionEffectGesturesEnabled$)/.test(input.dataset.property);
    input.disabled = !isLive || !hasGestures && isOfGestures;
  }
  byId("why").hidden = !isLive || showsReactions;
  byId("why").textContent = "Reactions are switched off in the settings.";
  for (const listener of listeners) listener();
}

/**
 * Sends a command, and shows the error if it is refused.
 *
 * @param {string=} excuse the message in place of the error, if a refusal is to be expected.
 * @returns whether the command was accepted.
 */
export async function ask(command, excuse) {
  try {
    const response = await fetch("command", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(command),
    });
    const answer = await response.json();
    if (answer.error === "success") return true;
    say(excuse ?? answer.error, !excuse);
  } catch {
    if (usable.isLive) say("Flourish does not answer", true);
  }
  return false;
}
