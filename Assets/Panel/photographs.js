// The shutter. Its appearance shows whether a photograph can be taken at once. It requests the instant that the picture
// shows. Dark and noisy scenes are marked.

import { ask, byId, usable, whenUsableChanges } from "./page.js";
import { shownTime } from "./picture.js";

/** The folder of photographs, whether one can be taken at once, and the number of requests in progress. */
const photographs = { folder: null, readiness: "sessionNotRunning", asked: 0 };

/** The reasons why no photograph can be taken. */
const unready = {
  sessionNotRunning: "No video is running", notReadyMomentarily: "Waiting for the first picture",
  notReadyWaitingForCapture: "Waiting for the picture", notReadyWaitingForProcessing: "Photographs are being made",
};

/** @param {?string} folder the folder of photographs; null if none can be taken. */
export function showPhotographs(folder, readiness) {
  photographs.folder = folder;
  byId("photographs").hidden = folder == null;
  byId("photographs-where").textContent = `Photographs go to ${folder}`;
  showReadiness(readiness);
}

export function showReadiness(readiness) {
  photographs.readiness = readiness ?? photographs.readiness;
  showShutter();
}

/** Shows whether the shutter can be pressed. */
function showShutter() {
  const shutter = byId("shutter"), isReady = photographs.readiness === "ready";
  const isBusy = usable.isLive && photographs.readiness.startsWith("notReadyWaiting");
  shutter.disabled = !usable.isLive || photographs.readiness === "sessionNotRunning";
  // A button that is disabled for a moment would lose the focus.
  shutter.ariaDisabled = isReady ? "false" : "true";
  shutter.ariaBusy = isBusy ? "true" : "false";
  shutter.classList.toggle("busy", isBusy || photographs.asked > 0);
  byId("shutter-text").textContent = isReady ? "Take a photograph" : unready[photographs.readiness] ?? "Not ready";
}

export async function takePhotograph() {
  if (byId("shutter").ariaDisabled === "true") return;
  photographs.asked++;
  showShutter();
  await ask(shownTime == null ? { command: "photo" } : { command: "photo", time: shownTime });
  photographs.asked--;
  showShutter();
}

/** Warns of scenes in which photographs would look worse. */
export function showScene(isDark, isNoisy) {
  const scene = byId("scene"), text = isDark ? "Too dark: more light would help" : isNoisy ? "Noisy: fused photographs look better" : "";
  scene.hidden = !text;
  scene.classList.toggle("dark", isDark === true);
  if (scene.textContent !== text) scene.textContent = text;
}

whenUsableChanges(showShutter);
