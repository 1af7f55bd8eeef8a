// Names, times and events in words.

import { cameraTitle } from "./camera.js";
import { title } from "./names.js";

export { title } from "./names.js";

/** 75.25 s → 1:15.3 */
export function clock(seconds) {
  const tenths = Math.round(seconds * 10);
  const rest = ((tenths % 600) / 10).toFixed(1).padStart(4, "0");
  return `${Math.floor(tenths / 600)}:${rest}`;
}

/** 75.25 s → 1:15 */
export function minutes(seconds) { return clock(Math.round(seconds)).replace(/\.\d$/, ""); }

/** The name of an input: a path, an address, or “-”. */
export function shown(input) {
  return input === "-" ? "Standard input" : input;
}

/** The steps of lower quality on a busy machine, in their order. */
export const lowered = {
  analysis: "fewer looks for hands", mask: "fewer looks for people", detail: "half of an effect's pieces",
  effectFrameRate: "half of the frames during effects", frameRate: "half of the frames",
};

/** The reasons for which a held gesture did not fire. */
const lacks = {
  heldTooBriefly: "too briefly", moved: "but the hand moved on", notSeenEnough: "but too few looks saw it",
  notSure: "but the looks were not sure enough", coolingDown: "but it was answered a moment ago",
  disabled: "but it is switched off", wasThereBefore: "but the hand just lay there",
  speaking: "but someone spoke",
};

/** Describes a changed property. */
function changed(name, value) {
  if (name === "gestureSnooze") return value ? `Gestures are held back for ${minutes(value)}` : "Gestures count again";
  const state = value === true ? "switched on" : value === false ? "switched off" : String(value);
  switch (name) {
    case "reactionEffectsEnabled": return `Reactions are ${state}`;
    case "reactionEffectGesturesEnabled": return `Gestures are ${state}`;
    case "calm": return `Calm is ${state}`;
    case "holdRing": return { preview: "The hold ring is shown here", output: "The hold ring is in the video", off: "The hold ring is off" }[value];
    case "palette": return value ? `The colours are ${title(String(value))}` : "The colours are each effect’s own";
    case "intensity": return `Intensity is ${Math.round(value * 100)} %`;
    case "background": return value === "none" ? "The background is its own" : `The background is ${value}`;
    case "backgrounds": return null;
    case "portrait": return `Portrait is ${Math.round(value * 100)} %`;
    case "studioLight": return `Studio Light is ${Math.round(value * 100)} %`;
    case "autoFraming": return `Auto framing is ${Math.round(value * 100)} %`;
    case "camera": return `The camera is ${cameraTitle(value)}`;
    case "cameras": case "noPicture": return null;
    default:
      return name.startsWith("gestures.") ? `The gesture “${title(name.slice(9))}” is ${state}` : `${title(name)} is ${state}`;
  }
}

/** Describes a change of the quality, in the words of the figures. */
function qualityWords({ from, to }) {
  if (to === "full") return "Full quality again";
  const steps = Object.keys(lowered), step = `step ${steps.indexOf(to) + 1} of ${steps.length}`;
  return steps.indexOf(to) < steps.indexOf(from) ? `Quality raised, ${step}` : `Quality lowered, ${step}: ${lowered[to] ?? to}`;
}

/** Describes an event; null for events that repeat others. */
export function words(event) {
  switch (event.event) {
    case "streamStarted": return `${event.input ? `${shown(event.input)}: ` : ""}${event.width} × ${event.height}`;
    case "gesture": return `${title(event.gesture)} was held`;
    case "candidate":
      return `${title(event.gesture)} was held for ${event.held.toFixed(1)} s, ${lacks[event.reason] ?? "but did not fire"}`;
    case "effectStarted": return `${title(event.reactionType)} started${event.tile ? ` in tile ${event.tile.id}` : ""}`;
    case "layoutChanged": return event.tiles.length < 2 ? "A single picture" : `${event.tiles.length} tiles`;
    case "effectExtended": return `${title(event.reactionType)} goes on`;
    case "effectEnded": return `${title(event.reactionType)} ended`;
    case "propertyChanged": return changed(event.name, event.value);
    case "warning": return event.message;
    case "qualityChanged": return qualityWords(event);
    case "frameRateChanged": return `${Math.round(event.to)} frames a second`;
    case "eventsLost": return `${event.count} events were lost`;
    case "streamEnded": return "The video has ended";
    case "photoProxy": case "photoFinished": case "photoFailed": case "photoReadiness": return photographWords(event);
    case "effectsInProgress": case "encoderAdjusted": case "encoderRecovered": case "statistics":
    case "videoEffectsChanged": return null;
    default: return title(event.event);
  }
}

/** /photos/call-0012.480-heart.jpg → call-0012.480-heart.jpg */
function photographName(event) { return event.path?.split("/").pop() ?? clock(event.photoTime); }

/** Describes an event of a photograph. */
function photographWords(event) {
  switch (event.event) {
    case "photoProxy": return `Photograph ${photographName(event)}; a better one follows`;
    case "photoFinished": return `Photograph ${photographName(event)} is finished`;
    case "photoFailed": return `No photograph: ${event.message}`;
    default: return null;
  }
}
