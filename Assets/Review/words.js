// What things are called, and how times are written.

import { byId, make } from "./names.js";

export { byId, make, title } from "./names.js";

/** 75.25 s → 1:15.25, 3675 s → 1:01:15.00; with as many decimal places as wanted. */
export function clock(seconds, places = 2) {
  const sign = seconds < 0 ? "–" : "", unit = 10 ** places;
  const units = Math.round(Math.abs(seconds) * unit), whole = Math.floor(units / unit);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const rest = String(whole % 60).padStart(2, "0") + (places ? "." + String(units % unit).padStart(places, "0") : "");
  return sign + (hours ? `${hours}:${String(minutes).padStart(2, "0")}` : `${minutes}`) + `:${rest}`;
}

/** 1:15.25, 75.25 or 1:01:15 → seconds; nothing for what is no time. */
export function parseClock(text) {
  const parts = text.trim().replace(",", ".").split(":");
  if (parts.length > 3 || parts.some((part) => !/^\d+(\.\d*)?$/.test(part))) return null;
  return parts.reduce((sum, part) => sum * 60 + Number(part), 0);
}

/** Why a gesture that was held did not fire. */
export const reasons = {
  heldTooBriefly: "It was held too briefly",
  moved: "The hand moved on",
  notSeenEnough: "Too few looks saw it",
  notSure: "The looks were not sure enough",
  coolingDown: "It was answered a moment before",
  disabled: "This gesture is switched off",
  wasThereBefore: "The hand just lay there",
  speaking: "Someone spoke meanwhile",
};

/** A few words for why it did not fire, for a block of the timeline. */
export const shortReasons = {
  heldTooBriefly: "too brief", moved: "moved on", notSeenEnough: "seldom seen", notSure: "unsure",
  coolingDown: "cooling down", disabled: "switched off", wasThereBefore: "lay there", speaking: "someone spoke",
};

/** 1 reaction, 2 reactions */
export function count(number, word) { return `${number} ${word}${number === 1 ? "" : "s"}`; }

/** 9 400 000 → 9.4 MB */
export function bytes(number) {
  if (number < 1e6) return `${Math.max(1, Math.round(number / 1e3))} kB`;
  return number < 1e9 ? `${(number / 1e6).toFixed(1)} MB` : `${(number / 1e9).toFixed(2)} GB`;
}

/** The picture of a reaction, in its dark circle; letters for a reaction that shows words. */
export function icon(type) {
  if (type.startsWith("text:")) return make("span", { className: "icon letters", ariaHidden: "true" }, "Aa");
  const image = make("img", { alt: "", draggable: false, src: `icons/${encodeURIComponent(type)}.png` });
  image.addEventListener("error", () => image.remove());
  return make("span", { className: "icon" }, image);
}

/** Tells a screen reader, and the line at the top. */
export function say(text, isBad = false) {
  const line = byId("said");
  line.textContent = text;
  line.classList.toggle("bad", isBad);
  // Each message is shown for as long as the first one was.
  for (const animation of line.getAnimations()) {
    animation.cancel();
    animation.play();
  }
}
