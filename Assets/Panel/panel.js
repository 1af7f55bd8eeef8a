"use strict";

// The panel of a running flourish. It asks for `state` once, follows `events`, sends what the
// control socket takes as `command`, and looks at `preview.jpg` a few times a second.

const byId = (id) => document.getElementById(id);

const names = {
  twoThumbsUp: "Both thumbs up", twoThumbsDown: "Both thumbs down", twoVictories: "Victory with both hands",
  twoHorns: "Horns with both hands", heart: "Heart",
};

/** thumbsUp → Thumbs up */
function title(name) {
  if (names[name]) return names[name];
  const words = name.replace(/[-_]/g, " ").replace(/([a-z])([A-Z])/g, (_, a, b) => `${a} ${b.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** 75.25 s → 1:15.3 */
function clock(seconds) {
  const tenths = Math.round(seconds * 10);
  const rest = ((tenths % 600) / 10).toFixed(1).padStart(4, "0");
  return `${Math.floor(tenths / 600)}:${rest}`;
}

function say(text, isBad = false) {
  byId("status").textContent = text;
  byId("status").classList.toggle("bad", isBad);
}

// --- Asking -------------------------------------------------------------------

/** Sends a command; says what is wrong where it is refused. */
async function ask(command) {
  try {
    const response = await fetch("command", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(command),
    });
    const answer = await response.json();
    if (answer.error === "success") return true;
    say(answer.error, true);
  } catch {
    say("Flourish does not answer", true);
  }
  return false;
}

// --- Reactions ----------------------------------------------------------------

const running = new Map();

function makeButtons(types) {
  const buttons = types.map((type) => {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.type = type;
    const icon = document.createElement("span");
    icon.className = "icon";
    const image = document.createElement("img");
    image.alt = "";
    image.src = `icons/${encodeURIComponent(type)}.png`;
    image.addEventListener("error", () => image.remove());
    icon.append(image);
    const label = document.createElement("span");
    label.textContent = title(type);
    button.append(icon, label);
    button.addEventListener("click", () => ask({ command: "perform", reactionType: type }));
    return button;
  });
  byId("buttons").replaceChildren(...buttons);
  showRunning();
}

function showRunning() {
  const types = new Set(running.values());
  for (const button of byId("buttons").children) {
    const isRunning = types.has(button.dataset.type);
    button.classList.toggle("running", isRunning);
    button.setAttribute("aria-description", isRunning ? "in progress" : "");
  }
}

// --- Settings -----------------------------------------------------------------

function makeGestures(gestures) {
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

function controlFor(name) {
  return document.querySelector(`[data-property="${CSS.escape(name)}"]`);
}

function showProperty(name, value) {
  const input = controlFor(name);
  if (!input) return;
  if (input.type === "checkbox") input.checked = value;
  else if (document.activeElement !== input || Number(input.value) !== value) input.value = value;
  if (name === "intensity") byId("intensity-value").textContent = `${Math.round(value * 100)} %`;
  if (name === "reactionEffectsEnabled") {
    for (const button of byId("buttons").children) button.disabled = !value;
  }
}

async function change(event) {
  const input = event.target;
  const name = input.dataset.property;
  if (!name) return;
  const isSwitch = input.type === "checkbox";
  const value = isSwitch ? input.checked : Number(input.value);
  if (await ask({ command: "set", name, value })) showProperty(name, value);
  else if (isSwitch) input.checked = !value;
}

async function loadState() {
  const state = await (await fetch("state")).json();
  makeButtons(state.properties.availableReactionTypes);
  makeGestures(state.gestures);
  for (const [name, value] of Object.entries(state.properties)) showProperty(name, value);
  byId("no-gestures").hidden = state.hasGestures;
  for (const input of document.querySelectorAll('[data-property^="gestures."], [data-property="reactionEffectGesturesEnabled"]')) {
    input.disabled = !state.hasGestures;
  }
}

// --- Events -------------------------------------------------------------------

const longestLog = 100;

/** What a slow machine leaves out last. */
const lowered = {
  analysis: "fewer looks for hands", mask: "fewer looks for people", detail: "half of an effect's pieces",
  effectFrameRate: "half of the frames during effects", frameRate: "half of the frames",
};

/** Why a gesture that was held did not fire. */
const lacks = {
  heldTooBriefly: "too briefly", moved: "but the hand moved on", notSeenEnough: "but too few looks saw it",
  notSure: "but the looks were not sure enough", coolingDown: "but it was answered a moment ago",
  disabled: "but it is switched off", wasThereBefore: "but the hand just lay there",
};

/** What an event says, in words; nothing for those that repeat others. */
function words(event) {
  switch (event.event) {
    case "streamStarted": return `${event.input}: ${event.width} × ${event.height}`;
    case "gesture": return `${title(event.gesture)} was held`;
    case "candidate":
      return `${title(event.gesture)} was held for ${event.held.toFixed(1)} s, ${lacks[event.reason] ?? "but did not fire"}`;
    case "effectStarted": return `${title(event.reactionType)} started`;
    case "effectExtended": return `${title(event.reactionType)} goes on`;
    case "effectEnded": return `${title(event.reactionType)} ended`;
    case "propertyChanged": return `${event.name} is ${event.value}`;
    case "warning": return event.message;
    case "qualityChanged":
      return event.to === "full" ? "Full quality again" : `The machine is busy: ${lowered[event.to] ?? event.to}`;
    case "frameRateChanged": return `${Math.round(event.to)} frames a second`;
    case "eventsLost": return `${event.count} events were lost`;
    case "streamEnded": return "The video has ended";
    case "effectsInProgress": case "encoderAdjusted": case "encoderRecovered": case "statistics": return null;
    default: return title(event.event);
  }
}

function note(event) {
  const text = words(event);
  if (!text) return;
  const item = document.createElement("li");
  item.dataset.event = event.event;
  const time = document.createElement("time");
  time.textContent = clock(event.time);
  const span = document.createElement("span");
  span.textContent = text;
  item.append(time, span);
  byId("log").prepend(item);
  while (byId("log").children.length > longestLog) byId("log").lastElementChild.remove();
}

function follow(event) {
  if (event.event === "effectsInProgress") {
    running.clear();
    for (const effect of event.effects) running.set(effect.id, effect.reactionType);
  } else if (event.event === "effectStarted") {
    running.set(event.id, event.reactionType);
  } else if (event.event === "effectEnded") {
    running.delete(event.id);
  } else if (event.event === "propertyChanged") {
    showProperty(event.name, event.value);
  }
  showRunning();
  note(event);
}

function showStatus(status) {
  const { framesPerSecond, latency, bitRate } = status.statistics;
  byId("fps").textContent = framesPerSecond > 0 ? framesPerSecond.toFixed(framesPerSecond < 100 ? 1 : 0) : "–";
  byId("latency").textContent = latency == null ? "–" : `${(latency * 1000).toFixed(1)} ms`;
  byId("bitrate").textContent = bitRate == null ? "–"
    : bitRate < 1e6 ? `${Math.round(bitRate / 1000)} kbit/s` : `${(bitRate / 1e6).toFixed(1)} Mbit/s`;
  const hold = status.gestureHold;
  byId("hold").hidden = !hold;
  if (hold) {
    byId("hold-name").textContent = title(hold.gesture);
    byId("hold-progress").value = hold.progress;
  }
}

let hasEnded = false;

function listen() {
  const source = new EventSource("events");
  source.addEventListener("open", () => {
    say("Live");
    loadState().catch(() => say("Flourish does not answer", true));
  });
  source.addEventListener("message", (message) => {
    const event = JSON.parse(message.data);
    follow(event);
    if (event.event === "streamEnded") {
      hasEnded = true;
      source.close();
      say("The video has ended");
    }
  });
  source.addEventListener("status", (message) => showStatus(JSON.parse(message.data)));
  source.addEventListener("error", () => {
    if (!hasEnded) say("The connection is lost; trying again", true);
  });
}

// --- Picture ------------------------------------------------------------------

const pace = 120;

/** Fetches the next picture, but none while nobody can see it. */
async function look() {
  const start = performance.now();
  if (!document.hidden) {
    try {
      const response = await fetch("preview.jpg");
      if (response.status === 200) {
        const preview = byId("preview");
        const url = URL.createObjectURL(await response.blob());
        const old = preview.src;
        preview.src = url;
        await preview.decode().catch(() => {});
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

document.addEventListener("change", change);
byId("intensity").addEventListener("input", (event) => {
  byId("intensity-value").textContent = `${Math.round(event.target.value * 100)} %`;
});
byId("cancel").addEventListener("click", () => ask({ command: "cancel" }));
listen();
look();
