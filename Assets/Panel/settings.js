// The settings: switches, sliders and choices of the properties of the run.

import { showBackground, showBackgrounds } from "./background.js";
import { showCamera, showCameras } from "./camera.js";
import { ask, byId, controlFor, showUsable, usable } from "./page.js";
import { minutes, title } from "./words.js";

/** The properties that have sliders. */
const sliders = ["intensity", "portrait", "studioLight", "autoFraming"];

/** Makes a switch for each gesture. */
export function makeGestures(gestures) {
  for (const label of byId("gestures").querySelectorAll("label")) label.remove();
  for (const gesture of gestures) {
    const label = document.createElement("label");
    label.className = "row";
    const text = document.createElement("span");
    text.append(title(gesture.name));
    if (gesture.reactionType !== gesture.name) {
      const detail = document.createElement("small");
      detail.textContent = title(gesture.reactionType);
      text.append(detail);
    }
    const input = document.createElement("input");
    input.type = "checkbox";
    input.setAttribute("role", "switch");
    input.dataset.property = `gestures.${gesture.name}`;
    label.append(text, input);
    byId("gestures").append(label);
  }
}

/** The values of the properties as they were shown last, to which a refused change returns. */
const values = new Map();

/** Shows the value of a property. */
export function showProperty(name, value) {
  values.set(name, value);
  if (name === "cameras") return showCameras(value);
  if (name === "camera") return showCamera(value);
  if (name === "backgrounds") return showBackgrounds(value);
  if (name === "background") return showBackground(value);
  const input = controlFor(name);
  if (!input) return;
  if (name === "gestureSnooze") showSnooze(value);
  else if (input.type === "checkbox") input.checked = value;
  else if (input.tagName === "SELECT") showChoice(input, value);
  else if (document.activeElement !== input || Number(input.value) !== value) input.value = value;
  if (sliders.includes(name)) byId(`${name}-value`).textContent = `${Math.round(value * 100)} %`;
  if (name === "reactionEffectsEnabled") {
    usable.showsReactions = value;
    showUsable();
  }
}

/** @param {number|boolean|null} left the seconds for which gestures are still ignored; true for the default. */
export function showSnooze(left) {
  const seconds = left === true ? 300 : left || 0;
  controlFor("gestureSnooze").checked = seconds > 0;
  byId("snooze-left").hidden = seconds <= 0;
  byId("snooze-left").textContent = seconds > 0
    ? `Gestures are held back for another ${minutes(Math.ceil(seconds))}. The buttons work.`
    : "Holds gestures back for five minutes";
}

/** Shows a choice. A value that is not among them, such as colours of one's own, selects the first. */
function showChoice(select, value) {
  select.value = value ?? "";
  if (select.selectedIndex < 0) select.value = "";
}

async function change(event) {
  const input = event.target;
  const name = input.dataset.property;
  if (!name) return;
  const isSwitch = input.type === "checkbox";
  const isChoice = input.tagName === "SELECT";
  const value = isSwitch ? input.checked : isChoice ? input.value || null : Number(input.value);
  if (await ask({ command: "set", name, value })) showProperty(name, value);
  else restore(name);
}

/** Shows the last value of a property again, after another one was refused. */
function restore(name) {
  if (values.has(name)) showProperty(name, values.get(name));
}

/** The sliders that were dragged since their last request. */
const dragged = new Set();
/** The interval of requests while a slider is dragged, in milliseconds. */
const dragInterval = 100;

/** Sends the value of a slider that is being dragged. */
function sendDragged(input) {
  if (dragged.has(input)) return;
  dragged.add(input);
  setTimeout(async () => {
    dragged.delete(input);
    const name = input.dataset.property;
    if (!await ask({ command: "set", name, value: Number(input.value) })) restore(name);
  }, dragInterval);
}

export function prepareSettings() {
  document.addEventListener("change", change);
  for (const name of sliders) {
    byId(name).addEventListener("input", ({ target }) => {
      byId(`${name}-value`).textContent = `${Math.round(target.value * 100)} %`;
      if (name !== "intensity") sendDragged(target);
    });
  }
}
