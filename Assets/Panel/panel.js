// The panel of a running flourish. It requests `state` when it connects, follows `events`, sends `command`s, which are
// those of the control socket, and shows `preview.jpg` a few times a second.

import { note, recall } from "./log.js";
import { ask, byId, say, showUsable, usable } from "./page.js";
import { showPhotographs, showReadiness, takePhotograph } from "./photographs.js";
import { look, stopLooking } from "./picture.js";
import { makeButtons, running, showRunning } from "./reactions.js";
import { makeGestures, prepareSettings, showProperty, showSnooze } from "./settings.js";
import { prepareStage, showTiles } from "./stage.js";
import { lastProgress, showPosition, showQuality, showStatus } from "./status.js";
import { shown } from "./words.js";

let hasEnded = false;

/**
 * Shows whether the run can be controlled.
 *
 * @param {?string} banner the reason why it cannot.
 */
function setLive(isLive, banner = null, isBad = false) {
  usable.isLive = isLive;
  byId("banner").hidden = !banner;
  byId("banner").textContent = banner ?? "";
  byId("banner").classList.toggle("bad", isBad);
  if (!isLive) {
    running.clear();
    showRunning();
    byId("hold").hidden = true;
    for (const id of ["fps", "latency", "bitrate"]) byId(id).textContent = "–";
    showQuality(null);
    showSnooze(null);
    if (lastProgress) showPosition({ ...lastProgress, remainingSeconds: null });
    if (byId("sure").open) byId("sure").close("stay");
  }
  showUsable();
}

async function loadState() {
  const state = await (await fetch("state")).json();
  makeButtons(state.properties.availableReactionTypes);
  makeGestures(state.gestures);
  for (const [name, value] of Object.entries(state.properties)) showProperty(name, value);
  showInput(state.properties.input);
  byId("no-gestures").hidden = state.hasGestures;
  usable.hasGestures = state.hasGestures;
  showTiles(state.tiles);
  showPhotographs(state.photographs, state.properties.captureReadiness);
  showUsable();
}

/** /videos/call.mp4 → call.mp4 */
function showInput(input) {
  if (!input) return;
  const name = shown(input).replace(/\/+$/, "").split("/").pop() || input;
  byId("input").textContent = name;
  byId("input").title = input;
  byId("input").hidden = false;
  document.title = `${name} – Flourish`;
}

/** Shows an event. */
export function follow(event) {
  note(event);
  if (event.event === "effectsInProgress") {
    running.clear();
    for (const effect of event.effects) running.set(effect.id, effect.reactionType);
  } else if (event.event === "effectStarted") {
    running.set(event.id, event.reactionType);
  } else if (event.event === "effectEnded") {
    running.delete(event.id);
  } else if (event.event === "propertyChanged") {
    showProperty(event.name, event.value);
  } else if (event.event === "layoutChanged") {
    showTiles(event.tiles);
  } else if (event.event === "photoReadiness") {
    showReadiness(event.readiness);
  } else if (event.event === "streamStarted") {
    showInput(event.input);
  }
  showRunning();
}

function listen() {
  const source = new EventSource("events");
  source.addEventListener("open", () => {
    say("Live");
    loadState().then(() => { if (!hasEnded) setLive(true); }).catch(() => say("Flourish does not answer", true));
  });
  source.addEventListener("message", (message) => {
    const event = JSON.parse(message.data);
    follow(event);
    if (event.event === "streamEnded") {
      hasEnded = true;
      source.close();
      say("The video has ended");
      if (lastProgress?.duration) {
        lastProgress.seconds = event.seconds;
        lastProgress.fraction = Math.min(event.seconds / lastProgress.duration, 1);
      }
      setLive(false, "The video has ended. You can close this page.");
    }
  });
  source.addEventListener("past", (message) => recall(JSON.parse(message.data)));
  source.addEventListener("status", (message) => showStatus(JSON.parse(message.data)));
  source.addEventListener("error", () => {
    if (hasEnded) return;
    say("Not connected", true);
    setLive(false, "The connection to Flourish is lost. This page tries to reach it again; what it shows is old.", true);
    // Browsers do not reconnect after an HTTP error.
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
  });
}

prepareSettings();
byId("shutter").addEventListener("click", takePhotograph);
byId("cancel").addEventListener("click", () => ask({ command: "cancel" }));
byId("end").addEventListener("click", () => byId("sure").showModal());
byId("sure").addEventListener("close", async () => {
  if (byId("sure").returnValue === "end") {
    // Flourish may be gone before it has answered the next request for a picture.
    stopLooking(true);
    const isEnding = await ask({ command: "quit" });
    stopLooking(isEnding);
    if (isEnding && !hasEnded) say("Ending…");
  }
  byId("sure").returnValue = "";
});
prepareStage();
listen();
look();
