// The buttons of the reactions, and the effects in progress.

import { ask, byId } from "./page.js";
import { holdTime, icon, makePalette, perform } from "./stage.js";
import { title } from "./words.js";

/** The effects in progress: reaction types by the effects' numbers. */
export const running = new Map();
/** The interval at which a held button repeats its reaction, in milliseconds. */
const burstTime = 800;

export function makeButtons(types) {
  byId("buttons").replaceChildren(...types.map((type) => {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.type = type;
    const frame = document.createElement("span");
    frame.className = "icon";
    frame.append(icon(type));
    const label = document.createElement("span");
    label.textContent = title(type);
    button.append(frame, label);
    repeatWhileHeld(button, type);
    return button;
  }));
  makePalette(types);
  showRunning();
}

/** Shows a reaction once for a click, and again and again while its button is held. */
function repeatWhileHeld(button, type) {
  let timer = null, wasHeld = false;
  const stop = () => { clearTimeout(timer); timer = null; };
  const burst = () => {
    if (button.disabled) return;
    wasHeld = true;
    perform(type);
    timer = setTimeout(burst, burstTime);
  };
  button.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    wasHeld = false;
    stop();
    timer = setTimeout(burst, holdTime);
  });
  for (const name of ["pointerup", "pointerleave", "pointercancel"]) button.addEventListener(name, stop);
  button.addEventListener("click", (event) => {
    if (!wasHeld || event.detail === 0) perform(type);
    wasHeld = false;
  });
}

/** Marks the buttons of effects in progress. */
export function showRunning() {
  const types = new Set(running.values());
  for (const button of byId("buttons").children) {
    const isRunning = types.has(button.dataset.type);
    button.classList.toggle("running", isRunning);
    button.setAttribute("aria-description", isRunning ? "in progress" : "");
  }
  showUndo();
}

/** Adds an Undo button to the log entry of each effect in progress, and removes it at the effect's end. */
function showUndo() {
  for (const item of byId("lines").querySelectorAll("[data-effect]")) {
    const id = Number(item.dataset.effect), isRunning = running.has(id), button = item.querySelector("button");
    if (isRunning && !button) item.append(undoButton(id));
    if (isRunning || !button) continue;
    if (document.activeElement === button) byId("log").focus({ preventScroll: true });
    button.remove();
  }
}

function undoButton(id) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain";
  button.textContent = "Undo";
  button.setAttribute("aria-label", `Undo ${title(running.get(id))}`);
  button.addEventListener("click", async () => {
    // A disabled button would lose the focus.
    if (button.ariaDisabled === "true") return;
    button.ariaDisabled = "true";
    if (!await ask({ command: "cancel", id }, "It was over already")) button.ariaDisabled = "false";
  });
  return button;
}
