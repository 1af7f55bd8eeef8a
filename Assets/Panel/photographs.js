"use strict";

// The panel's shutter. It shows by its looks whether a photograph can be taken at once, asks for the instant that the
// picture above it shows, and says how dark or noisy the scene is.

/** The time of the picture that is to be seen, in seconds on the video's clock. */
let shownTime = null;

/** What the run says of photographs: where they go, and whether one can be taken at once. */
const photographs = { folder: null, readiness: "sessionNotRunning", asked: 0 };

/** Why no photograph can be taken, in words. */
const unready = {
  sessionNotRunning: "No video is running", notReadyMomentarily: "Waiting for the first picture",
  notReadyWaitingForCapture: "Waiting for the picture", notReadyWaitingForProcessing: "Photographs are being made",
};

/** @param {?string} folder where photographs go; none are taken where there is none. */
function showPhotographs(folder, readiness) {
  photographs.folder = folder;
  byId("photographs").hidden = folder == null;
  byId("photographs-where").textContent = `Photographs go to ${folder}`;
  showReadiness(readiness);
}

function showReadiness(readiness) {
  photographs.readiness = readiness ?? photographs.readiness;
  showShutter();
}

/** The shutter can be pressed, is dimmed, or busy. */
function showShutter() {
  const shutter = byId("shutter"), isReady = photographs.readiness === "ready";
  const isBusy = usable.isLive && photographs.readiness.startsWith("notReadyWaiting");
  shutter.disabled = !usable.isLive || photographs.readiness === "sessionNotRunning";
  // What is disabled for a moment only would lose the focus.
  shutter.ariaDisabled = isReady ? "false" : "true";
  shutter.ariaBusy = isBusy ? "true" : "false";
  shutter.classList.toggle("busy", isBusy || photographs.asked > 0);
  byId("shutter-text").textContent = isReady ? "Take a photograph" : unready[photographs.readiness] ?? "Not ready";
}

async function takePhotograph() {
  if (byId("shutter").ariaDisabled === "true") return;
  photographs.asked++;
  showShutter();
  await ask(shownTime == null ? { command: "photo" } : { command: "photo", time: shownTime });
  photographs.asked--;
  showShutter();
}

/** What is wrong with the scene, where photographs would suffer from it. */
function showScene(isDark, isNoisy) {
  const scene = byId("scene"), text = isDark ? "Too dark: more light would help" : isNoisy ? "Noisy: fused photographs look better" : "";
  scene.hidden = !text;
  scene.classList.toggle("dark", isDark === true);
  if (scene.textContent !== text) scene.textContent = text;
}

/** /photos/call-0012.480-heart.jpg → call-0012.480-heart.jpg */
function photographName(event) { return event.path?.split("/").pop() ?? clock(event.photoTime); }

/** What an event of a photograph says, in words. */
function photographWords(event) {
  switch (event.event) {
    case "photoProxy": return `Photograph ${photographName(event)}; a better one follows`;
    case "photoFinished": return `Photograph ${photographName(event)} is finished`;
    case "photoFailed": return `No photograph: ${event.message}`;
    default: return null;
  }
}
