"use strict";

// The panel of a running flourish. It asks for `state` once, follows `events`, sends what the
// control socket takes as `command`, and looks at `preview.jpg` a few times a second.

const byId = (id) => document.getElementById(id);
/** The properties that sliders show. */
const sliders = ["intensity", "portrait", "studioLight"];

// Made by DeclaredListsTests.
const names = {
  twoThumbsUp: "Both thumbs up",
  twoThumbsDown: "Both thumbs down",
  twoVictories: "Victory with both hands",
  twoHorns: "Horns with both hands",
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

/** 75.25 s → 1:15 */
function minutes(seconds) { return clock(Math.round(seconds)).replace(/\.\d$/, ""); }

function say(text, isBad = false) {
  byId("status").textContent = text;
  byId("status").classList.toggle("bad", isBad);
}

// --- What can be used ---------------------------------------------------------

const usable = { isLive: false, showsReactions: true, hasGestures: true };

/** Nothing can be used that would do nothing, and looks so. */
function showUsable() {
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
  showShutter();
  if (!isLive || !showsReactions) closePalette();
}

/** @param {?string} banner what to say where the run cannot be reached; nothing where it can. */
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


// --- Asking -------------------------------------------------------------------

/** Sends a command; says what is wrong where it is refused, or an excuse, where that is nothing to worry about. */
async function ask(command, excuse) {
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

// --- Reactions ----------------------------------------------------------------

const running = new Map();
/** What a click in the picture shows: the reaction that was used last. */
let chosen = null;
/** How long a press is a hold, in milliseconds, and how often a held button asks for another burst. */
const holdTime = 500, burstTime = 800;

function perform(type, origin) {
  choose(type);
  return ask(origin ? { command: "perform", reactionType: type, origin } : { command: "perform", reactionType: type });
}

function choose(type) {
  chosen = type;
  showChosen();
  for (const button of byId("palette").children) button.classList.toggle("chosen", button.dataset.shows === type);
}

/** Says what a click in the picture does. */
function showChosen() {
  if (!chosen) return;
  const where = tiles.length ? "a tile" : "the picture", there = tiles.length ? "in it" : "there";
  byId("chosen").textContent = `Click ${where} to show “${title(chosen)}” ${there}`;
  byId("stage").setAttribute("aria-label", `Show “${title(chosen)}” in ${where}`);
}

function icon(type) {
  const image = document.createElement("img");
  image.alt = "";
  image.draggable = false;
  image.src = `icons/${encodeURIComponent(type)}.png`;
  image.addEventListener("error", () => image.remove());
  return image;
}

function makeButtons(types) {
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
    goOnWhileHeld(button, type);
    return button;
  }));
  byId("palette").replaceChildren(...types.map((type) => {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.shows = type;
    button.title = title(type);
    button.setAttribute("aria-label", title(type));
    button.append(icon(type));
    button.addEventListener("click", () => {
      perform(type, spot);
      closePalette();
      byId("stage").focus({ focusVisible: false });
    });
    return button;
  }));
  choose(types.includes(chosen) ? chosen : types[0]);
  showRunning();
}

/** A click shows a reaction once; a button that is held down goes on with burst after burst. */
function goOnWhileHeld(button, type) {
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

function showRunning() {
  const types = new Set(running.values());
  for (const button of byId("buttons").children) {
    const isRunning = types.has(button.dataset.type);
    button.classList.toggle("running", isRunning);
    button.setAttribute("aria-description", isRunning ? "in progress" : "");
  }
  showUndo();
}

/** What runs can be undone where the list tells of its start. */
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
    // One that is disabled would lose the focus.
    if (button.ariaDisabled === "true") return;
    button.ariaDisabled = "true";
    if (!await ask({ command: "cancel", id }, "It was over already")) button.ariaDisabled = "false";
  });
  return button;
}

// --- A place in the picture ---------------------------------------------------

/** Where the next reaction goes: 0…1 of the picture. */
let spot = { x: 0.5, y: 0.5 };

/** Where the picture is in its frame, in pixels: there may be bars at two sides. */
function pictureBox() {
  const frame = byId("screen").getBoundingClientRect(), { naturalWidth, naturalHeight } = byId("preview");
  if (!naturalWidth) return frame;
  const scale = Math.min(frame.width / naturalWidth, frame.height / naturalHeight);
  const [width, height] = [naturalWidth * scale, naturalHeight * scale];
  return new DOMRect(frame.x + (frame.width - width) / 2, frame.y + (frame.height - height) / 2, width, height);
}

/** The place of a pointer; nothing where it is beside the picture. */
function place(event) {
  const box = pictureBox();
  const x = (event.clientX - box.x) / box.width, y = (event.clientY - box.y) / box.height;
  return x >= 0 && x <= 1 && y >= 0 && y <= 1 ? { x: Number(x.toFixed(4)), y: Number(y.toFixed(4)) } : null;
}

/** The tiles of a gallery: a click in one shows a reaction in it alone. */
let tiles = [];

/** The tile at a place; nothing where the picture is a single one. */
function tileAt(at) {
  return at && tiles.find(({ x, y, width, height }) => x <= at.x && at.x < x + width && y <= at.y && at.y < y + height);
}

function showTiles(now) {
  tiles = now;
  aimed = null;
  byId("tiles").replaceChildren(...tiles.map(({ id, x, y, width, height }) => {
    const mark = document.createElement("span"), number = document.createElement("b");
    mark.dataset.tile = id;
    number.textContent = id;
    mark.append(number);
    const share = (value) => `${value * 100}%`;
    Object.assign(mark.style, { left: share(x), top: share(y), width: share(width), height: share(height) });
    return mark;
  }));
  placeTiles();
  showChosen();
}

/** Puts the tiles over the picture, which may have bars at two sides. */
function placeTiles() {
  const box = pictureBox(), frame = byId("screen").getBoundingClientRect();
  Object.assign(byId("tiles").style,
    { left: `${box.x - frame.x}px`, top: `${box.y - frame.y}px`, width: `${box.width}px`, height: `${box.height}px` });
}

let aimed = null;

/** Marks the tile in which a reaction would be shown. */
function aim(at) {
  const id = tileAt(at)?.id ?? null;
  if (id === aimed) return;
  aimed = id;
  for (const mark of byId("tiles").children) mark.classList.toggle("aimed", Number(mark.dataset.tile) === id);
}

let crosshairTimer = null;

/** Shows where the spot is, for a while. */
function showSpot() {
  const box = pictureBox(), frame = byId("screen").getBoundingClientRect(), mark = byId("crosshair");
  mark.style.left = `${box.x - frame.x + spot.x * box.width}px`;
  mark.style.top = `${box.y - frame.y + spot.y * box.height}px`;
  mark.hidden = false;
  aim(spot);
  clearTimeout(crosshairTimer);
  crosshairTimer = setTimeout(() => { mark.hidden = byId("palette").hidden; }, 1500);
}

function openPalette() {
  const palette = byId("palette"), frame = byId("screen").getBoundingClientRect();
  palette.hidden = false;
  showSpot();
  const mark = byId("crosshair"), { offsetWidth, offsetHeight } = palette;
  const within = (value, most) => `${Math.max(4, Math.min(value, most - 4))}px`;
  palette.style.left = within(parseFloat(mark.style.left) - offsetWidth / 2, frame.width - offsetWidth);
  const y = parseFloat(mark.style.top), hasRoomBelow = y + 20 + offsetHeight < frame.height;
  palette.style.top = within(hasRoomBelow ? y + 20 : y - 20 - offsetHeight, frame.height - offsetHeight);
  (palette.querySelector(".chosen") ?? palette.firstElementChild)?.focus();
}

function closePalette() {
  byId("palette").hidden = true;
  byId("crosshair").hidden = true;
}

function prepareStage() {
  const stage = byId("stage");
  let timer = null, wasHeld = false;
  const stop = () => clearTimeout(timer);
  stage.addEventListener("pointerdown", (event) => {
    wasHeld = false;
    const at = place(event);
    if (event.button !== 0 || !at) return;
    timer = setTimeout(() => {
      wasHeld = true;
      spot = at;
      openPalette();
    }, holdTime);
  });
  for (const name of ["pointerup", "pointerleave", "pointercancel"]) stage.addEventListener(name, stop);
  stage.addEventListener("pointermove", (event) => aim(place(event)));
  stage.addEventListener("pointerleave", () => aim(null));
  new ResizeObserver(placeTiles).observe(byId("screen"));
  byId("preview").addEventListener("load", placeTiles);
  stage.addEventListener("click", (event) => {
    if (wasHeld) { wasHeld = false; return; }
    const at = event.detail === 0 ? spot : place(event);
    if (!at || !chosen) return;
    spot = at;
    closePalette();
    showSpot();
    perform(chosen, spot);
  });
  // The other button of a mouse, and the key for menus.
  stage.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    stop();
    if (event.button === 2) spot = place(event) ?? spot;
    openPalette();
  });
  stage.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    const moved = (value, by) => Number(Math.max(0, Math.min(1, value + by * 0.05)).toFixed(4));
    spot = { x: moved(spot.x, step[0]), y: moved(spot.y, step[1]) };
    showSpot();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || byId("palette").hidden) return;
    closePalette();
    stage.focus();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!byId("palette").contains(event.target) && event.target !== stage) closePalette();
  });
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
  if (name === "cameras") return showCameras(value);
  if (name === "camera") return showCamera(value);
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

/** @param {number|boolean|null} left for how many seconds gestures are still held back; true for the usual time. */
function showSnooze(left) {
  const seconds = left === true ? 300 : left || 0;
  controlFor("gestureSnooze").checked = seconds > 0;
  byId("snooze-left").hidden = seconds <= 0;
  byId("snooze-left").textContent = seconds > 0
    ? `Gestures are held back for another ${minutes(Math.ceil(seconds))}. The buttons work.`
    : "Holds gestures back for five minutes";
}

/** A value that is no choice, such as a palette of colours, is none of them. */
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
  else if (isSwitch) input.checked = !value;
}

/** Sliders that act while they are dragged: those that changed since the last request. */
const dragged = new Set();
const dragInterval = 100;

/** Sends a slider's value while it is dragged, at most every tenth of a second. */
function follow(input) {
  if (dragged.has(input)) return;
  dragged.add(input);
  setTimeout(async () => {
    dragged.delete(input);
    await ask({ command: "set", name: input.dataset.property, value: Number(input.value) });
  }, dragInterval);
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

/** An input as people call it. */
function shown(input) {
  return input === "-" ? "Standard input" : input;
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
  speaking: "but someone spoke",
};

/** What a changed property means. */
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
    case "portrait": return `Portrait is ${Math.round(value * 100)} %`;
    case "studioLight": return `Studio Light is ${Math.round(value * 100)} %`;
    case "camera": return `The camera is ${cameraTitle(value)}`;
    case "cameras": return null;
    default:
      return name.startsWith("gestures.") ? `The gesture “${title(name.slice(9))}” is ${state}` : `${title(name)} is ${state}`;
  }
}

/** What an event says, in words; nothing for those that repeat others. */
function words(event) {
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
    case "qualityChanged":
      return event.to === "full" ? "Full quality again" : `The machine is busy: ${lowered[event.to] ?? event.to}`;
    case "frameRateChanged": return `${Math.round(event.to)} frames a second`;
    case "eventsLost": return `${event.count} events were lost`;
    case "streamEnded": return "The video has ended";
    case "photoProxy": case "photoFinished": case "photoFailed": case "photoReadiness": return photographWords(event);
    case "effectsInProgress": case "encoderAdjusted": case "encoderRecovered": case "statistics":
    case "videoEffectsChanged": return null;
    default: return title(event.event);
  }
}

function note(event) {
  const text = words(event);
  // The present state, with which a connection begins, repeats the start.
  const isKnown = event.event === "streamStarted" && byId("lines").querySelector("[data-event=streamStarted]");
  if (!text || isKnown) return;
  const item = document.createElement("li");
  item.dataset.event = event.event;
  const time = document.createElement("time");
  time.textContent = clock(event.time);
  const span = document.createElement("span");
  span.textContent = text;
  item.append(time, span);
  if (event.event === "effectStarted") item.dataset.effect = event.id;
  byId("lines").prepend(item);
  while (byId("lines").children.length > longestLog) byId("lines").lastElementChild.remove();
}

/** Tells what happened before somebody looked, all at once: no screen reader is to read it out. */
function recall(events) {
  const log = byId("log");
  log.setAttribute("aria-live", "off");
  byId("lines").replaceChildren();
  for (const event of events) note(event);
  setTimeout(() => log.setAttribute("aria-live", "polite"), 1000);
}

function follow(event) {
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
  } else if (event.event === "qualityChanged") {
    const rungs = Object.keys(lowered);
    showQuality({ rung: event.to, lowered: rungs.slice(0, rungs.indexOf(event.to) + 1), load: event.load });
  }
  showRunning();
}

/** What works most at a stage, in words. */
const works = { decoding: "Reading the video", drawing: "Drawing", encoding: "Encoding" };

/** What a live run leaves out, and why. */
function showQuality(quality) {
  byId("quality").hidden = byId("quality-why").hidden = !quality;
  if (!quality) return;
  const steps = Object.keys(lowered).length, step = quality.lowered.length;
  byId("rung").textContent = step ? `Lowered, step ${step} of ${steps}` : "Full";
  const load = quality.load == null ? "" : `${works[quality.busiestStage] ?? "The busiest work"} takes ${
    Math.round(quality.load * 100)} % of the time. `;
  byId("quality-why").textContent = load + (step
    ? `The machine is busy: ${quality.lowered.map((name) => lowered[name] ?? name).join(", ")}.` : "Nothing is left out.");
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
  showPosition(status.progress);
  showSnooze(status.gestureSnooze);
  showQuality(status.quality);
  showReadiness(status.captureReadiness);
  showScene(status.isDarkScene, status.isFusionScene);
}

let lastProgress = null;

/** How far the run has come, and how long it may still take. */
function showPosition(progress) {
  lastProgress = progress;
  const isKnown = progress?.fraction != null;
  byId("position").hidden = !isKnown;
  if (!isKnown) return;
  byId("position-bar").value = progress.fraction;
  const where = progress.pass === "looking" ? `Looking for gestures, ${Math.floor(progress.fraction * 100)} %`
    : `${minutes(progress.seconds)} of ${minutes(progress.duration)}`;
  const left = progress.remainingSeconds;
  byId("position-text").textContent = left == null ? where : `${where}, about ${minutes(left)} left`;
}

let hasEnded = false;

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
    // A server that refuses is not asked again by itself.
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
  });
}

document.addEventListener("change", change);
for (const name of sliders) {
  byId(name).addEventListener("input", (event) => {
    byId(`${name}-value`).textContent = `${Math.round(event.target.value * 100)} %`;
    if (name !== "intensity") follow(event.target);
  });
}
byId("shutter").addEventListener("click", takePhotograph);
byId("cancel").addEventListener("click", () => ask({ command: "cancel" }));
byId("end").addEventListener("click", () => byId("sure").showModal());
byId("sure").addEventListener("close", async () => {
  if (byId("sure").returnValue === "end") {
    isEnding = true;
    // A refused end is none.
    isEnding = await ask({ command: "quit" });
    if (isEnding && !hasEnded) say("Ending…");
  }
  byId("sure").returnValue = "";
});
prepareStage();
listen();
look();
