// The page of a review: puts its parts together, and says what each key and click does.

import { byId, clock, say, title } from "./words.js";
import { listen, server } from "./server.js";
import { Plan } from "./plan.js";
import { Player, pictureBox } from "./player.js";
import { Timeline } from "./timeline.js";
import { Inspector } from "./inspector.js";
import { Style } from "./style.js";
import { Render } from "./render.js";
import { Result } from "./result.js";
import { Tiles } from "./tiles.js";
import { showSheet, useKeys } from "./keys.js";

const plan = new Plan(), player = new Player(), timeline = new Timeline(plan);
const inspector = new Inspector(plan, (reaction) => timeline.endOf(reaction));
const style = new Style(plan), render = new Render(), result = new Result(player), tiles = new Tiles(plan);

let session = null;
let chosen = null;
/** What flourish told last of itself, and of the plan's file. */
let status = { phase: "opening" }, file = {}, isLost = false;

const frame = () => 1 / (session?.frameRate || 30);
const reaction = () => (chosen === null ? null : plan.find(chosen));
const round = (seconds) => Math.round(seconds * 1e6) / 1e6;

// --- Choosing -------------------------------------------------------------------

function choose(id, { jumps = false } = {}) {
  chosen = id !== null && plan.find(id) ? id : null;
  timeline.choose(chosen);
  inspector.show(chosen);
  if (jumps && reaction()) player.seek(reaction().startTime, { isFrame: true });
  showPlace();
}

/** The one before, or the next: of the chosen one, or of where the video is. */
function next(by) {
  const all = plan.reactions, index = all.findIndex(({ id }) => id === chosen);
  const now = player.time + 0.001;
  const found = index >= 0 ? all[index + by]
    : by > 0 ? all.find(({ startTime }) => startTime > now) : all.findLast(({ startTime }) => startTime < now);
  if (!found) return;
  choose(found.id, { jumps: true });
  timeline.focus();
}

// --- Changing -------------------------------------------------------------------

function change(fields, label) {
  if (!reaction()) return;
  const name = title(fields.reactionType ?? reaction().reactionType);
  plan.change({ reactions: { [chosen]: fields } }, `${name} at ${clock(reaction().startTime - plan.start, 1)} ${label}`);
}

function toggle() { if (reaction()) change({ enabled: !reaction().enabled }, reaction().enabled ? "switched off" : "switched on"); }

function remove() {
  const gone = reaction();
  if (!gone) return;
  const all = plan.reactions, index = all.indexOf(gone), neighbour = all[index + 1] ?? all[index - 1];
  plan.change({ reactions: { [chosen]: null } }, `${title(gone.reactionType)} at ${clock(gone.startTime - plan.start, 1)} removed`);
  choose(neighbour?.id ?? null);
  timeline.focus();
}

function add(type) {
  if (!plan.shown) return say("There is no plan yet to add it to");
  const id = plan.nextID(), time = round(Math.min(player.time, plan.end - 0.1));
  const last = type ?? reaction()?.reactionType ?? session.types[0].name;
  plan.change({ reactions: { [id]: { enabled: true, reactionType: last, startTime: time, trigger: "schedule" } } },
    `${title(last)} added at ${clock(time - plan.start, 1)}`);
  choose(id);
}

/** Chooses what a step back or on has changed, if it is there. */
function chooseChanged(patch) {
  const ids = Object.keys(patch?.reactions ?? {}).map(Number);
  if (ids.length === 1 && plan.find(ids[0])) choose(ids[0]);
}

const undo = () => chooseChanged(plan.undo()), redo = () => chooseChanged(plan.redo());

/** A new start, and perhaps another end. @param {string} part `both`, `start` or `end`. */
function move(id, part, start, end) {
  const moved = plan.find(id);
  if (!moved) return;
  chosen = id;
  const fields = {};
  if (part !== "end" && round(start) !== moved.startTime) {
    [fields.startTime, fields.startPTS] = [round(start), null];
    // What lasts as long as its effect goes on doing so.
    if (part === "both" && moved.endTime != null) fields.endTime = round(Math.min(end, plan.end));
  }
  if (part !== "both") fields.endTime = round(Math.min(end, plan.end));
  if (Object.keys(fields).length) change(fields, part === "both" ? `moved to ${clock(start - plan.start, 1)}` : "stretched");
  choose(id);
}

function nudge(by, isLong) {
  if (!reaction()) return;
  const { startTime } = reaction(), end = timeline.endOf(reaction());
  const start = Math.min(Math.max(startTime + by * (isLong ? 1 : frame()), plan.start), plan.end - 0.1);
  move(chosen, "both", start, end + start - startTime);
  player.seek(start, { isFrame: true });
}

function edge(part) {
  if (!reaction()) return;
  const { startTime } = reaction(), end = timeline.endOf(reaction()), now = player.time;
  if (part === "start" && now < end - 0.2) move(chosen, "start", now, end);
  if (part === "end" && now > startTime + 0.2) move(chosen, "end", startTime, now);
}

// --- Seeing ---------------------------------------------------------------------

/** How much is shown before and after a reaction, and how much at most, in seconds. */
const margins = { before: 0.6, after: 0.4, most: 8 };
/** How much is shown if no reaction is chosen, in seconds. */
const length = 4;

async function see() {
  if (player.showsEffects) return player.closeStretch();
  if (!plan.shown) return;
  const now = Math.min(player.time, plan.end - 1), shown = reaction() ?? { id: null, startTime: now, endTime: now + length };
  const [before, after] = shown.id === null ? [0, 0] : [margins.before, margins.after];
  const from = Math.max(shown.startTime - before, plan.start);
  const to = Math.min(timeline.endOf(shown) + after, from + margins.most, plan.end);
  // What is shown is what is in the file.
  while (!plan.isSaved) await new Promise((done) => plan.addEventListener("change", done, { once: true }));
  say(shown.id === null ? "The video as it will look" : `${title(shown.reactionType)} as it will look`);
  player.showStretch(from, to, shown, plan.revision);
}

/** Shows effects whose files have changed, and a preview that is on again. */
function showEffects(told) {
  if (told.revision === session.effectsRevision) return;
  session.effectsRevision = told.revision;
  if (told.fault) return say(told.fault, true);
  session.types = told.types;
  inspector.setTypes(told.types);
  timeline.setTypes(told.types);
  timeline.show();
  choose(chosen);
  const isSeen = player.showsEffects;
  if (isSeen) player.closeStretch();
  if (isSeen) see(); else say("The effects' files have changed");
}

// --- The place in the picture ---------------------------------------------------

let place = null;

function showPlace() {
  const mark = byId("crosshair"), origin = place ?? reaction()?.origin;
  mark.hidden = !origin;
  byId("screen").classList.toggle("placing", place !== null);
  if (!origin) return;
  const box = pictureBox(), frame = byId("screen").getBoundingClientRect();
  mark.style.left = `${box.x - frame.x + origin.x * box.width}px`;
  mark.style.top = `${box.y - frame.y + origin.y * box.height}px`;
}

const within = (value) => Math.round(Math.min(Math.max(value, 0), 1) * 1e4) / 1e4;

function setPlace({ x, y }) {
  place = null;
  // The tile at the place is the reaction's.
  if (reaction()) change({ origin: { x: within(x), y: within(y) }, tile: tiles.find(reaction().startTime, { x, y }) }, "placed");
  showPlace();
}

function preparePicture() {
  const stage = byId("stage");
  stage.addEventListener("click", (event) => {
    if (event.detail === 0) return;
    if (player.showsEffects || !reaction()) return player.toggle();
    const box = pictureBox(), x = (event.clientX - box.x) / box.width, y = (event.clientY - box.y) / box.height;
    if (x >= 0 && x <= 1 && y >= 0 && y <= 1) setPlace({ x, y });
  });
  stage.addEventListener("keydown", (event) => {
    if (place === null) return;
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (step) {
      const by = event.shiftKey ? 0.1 : 0.02;
      place = { x: within(place.x + step[0] * by), y: within(place.y + step[1] * by) };
      showPlace();
      say(`${Math.round(place.x * 100)} % across, ${Math.round(place.y * 100)} % down`);
    } else if (event.key === "Enter") setPlace(place);
    else if (event.key === "Escape") { place = null; showPlace(); }
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  stage.addEventListener("blur", () => { place = null; showPlace(); });
  new ResizeObserver(showPlace).observe(byId("screen"));
}

function startPlacing() {
  if (!reaction()) return;
  place = reaction().origin ?? { x: 0.5, y: 0.5 };
  byId("stage").focus();
  showPlace();
}

// --- What is told ---------------------------------------------------------------

/** What is wrong or under way, over all else. */
function showBanner() {
  const fault = file.fault;
  let text = null, isBad = true, offers = false;
  if (isLost) text = "The connection to Flourish is lost. This page tries to reach it again; nothing that you changed is lost.";
  else if (fault) {
    text = `${fault.message}. Nothing is written over it.`;
    offers = true;
  } else if (status.hasChanged) {
    text = "The recording was changed while it was reviewed. End flourish and start the review again.";
  } else if (status.phase === "failed") text = `No plan was made: ${status.message}.`;
  byId("banner").hidden = !text;
  byId("banner-text").textContent = text ?? "";
  byId("banner").classList.toggle("bad", isBad);
  byId("anew").hidden = !offers || isLost;
  byId("anew").textContent = `Make a new one, ${file.besidePath?.split("/").pop() ?? ""}`;
}

/** Where the plan stands, in a few words. */
function standing(isPlanning) {
  if (isLost) return "Not connected";
  if (isPlanning) return "Planning…";
  if (status.phase === "checking") return "Checking the plan…";
  if (file.fault) return "Not saved";
  if (!plan.shown) return "";
  if (!plan.isSaved) return "Saving…";
  return file.isGone ? "The plan’s file is gone; your next change makes it again"
    : `Saved in ${file.path?.split("/").pop() ?? "the plan"}`;
}

function showStatus() {
  const isPlanning = status.phase === "planning" || status.phase === "opening";
  byId("planning").hidden = !isPlanning;
  if (isPlanning) {
    const fraction = status.fraction ?? null;
    if (fraction === null) byId("planning-bar").removeAttribute("value"); else byId("planning-bar").value = fraction;
    const left = status.remainingSeconds;
    byId("planning-text").textContent = "Looking for gestures"
      + (fraction === null ? "…" : `, ${Math.floor(fraction * 100)} %`) + (left == null ? "" : `, about ${clock(left, 0)} left`);
  }
  byId("status").textContent = standing(isPlanning);
  const canChange = Boolean(plan.shown) && !file.fault && !isLost && status.phase === "ready";
  document.body.classList.toggle("live", canChange);
  byId("undo").disabled = !canChange || !plan.canUndo;
  byId("redo").disabled = !canChange || !plan.canRedo;
  byId("add").disabled = byId("edit-tiles").disabled = byId("see-now").disabled = !canChange;
  result.showRevision(plan.isSaved ? plan.revision : null);
  if (!canChange && tiles.isEditing) tiles.edit(false);
  byId("one").disabled = !canChange;
  style.show(canChange);
  inspector.isWithoutPlan = Boolean(file.fault) || status.phase === "failed";
  render.canStart = canChange && !status.hasChanged;
  showBanner();
}

plan.addEventListener("change", () => {
  if (plan.shown) {
    timeline.setBounds(plan.start, plan.end);
    player.setBounds(plan.start, plan.end);
  }
  timeline.show();
  tiles.show();
  choose(chosen);
  showStatus();
});
plan.addEventListener("done", ({ detail }) => {
  if (player.showsEffects) player.closeStretch();
  say(detail);
});
plan.addEventListener("failed", ({ detail }) => say(`Not saved: ${detail}`, true));
player.addEventListener("time", () => {
  timeline.showTime(player.time, player.isPlaying);
  tiles.showTime(player.time);
});
tiles.addEventListener("edit", () => { if (tiles.isEditing) player.pause(); });
timeline.addEventListener("choose", ({ detail: { id, jumps } }) => choose(id, { jumps }));
timeline.addEventListener("move", ({ detail: { id, part, start, end } }) => move(id, part, start, end));
timeline.addEventListener("drag", ({ detail: { time } }) => player.seek(time));
timeline.addEventListener("seek", ({ detail: { time } }) => player.seek(time));
inspector.addEventListener("choose", ({ detail: { id, jumps } }) => choose(id, { jumps }));
inspector.addEventListener("toggle", toggle);
inspector.addEventListener("see", see);
inspector.addEventListener("remove", remove);
inspector.addEventListener("change", ({ detail }) => change(detail, "changed"));
inspector.addEventListener("move", ({ detail: { part, start, end } }) => move(chosen, part, start, end));

const buttons = {
  play: () => player.toggle(), back: null, "step-back": () => player.step(-1), "step-on": () => player.step(1),
  undo, redo, add: () => add(), "see-now": see, "zoom-in": () => timeline.zoom(1.5),
  "zoom-out": () => timeline.zoom(1 / 1.5), "zoom-all": () => timeline.fit(), "show-help": showSheet,
};
for (const [id, act] of Object.entries(buttons)) if (act) byId(id).addEventListener("click", act);
byId("anew").addEventListener("click", () => server.startAnew().catch((error) => say(error.message, true)));

let isMuted = false;

/** Beside the rendered video, the recording is silent: both have its sound. */
function setSound() {
  byId("video").muted = isMuted || result.isShown;
  byId("effects").muted = byId("result-video").muted = isMuted;
  byId("volume").setAttribute("aria-pressed", String(isMuted));
}
byId("volume").addEventListener("click", () => {
  isMuted = !isMuted;
  setSound();
});
result.addEventListener("change", () => {
  setSound();
  showPlace();
});

/** Shows the state of the rendering. Where it was awaited, the result is played. */
function showRendering(told) {
  const wasRunning = render.isRunning;
  render.follow(told);
  result.adopt(told);
  result.showRevision(plan.revision);
  if (!wasRunning || told.phase !== "done") return;
  const first = plan.reactions.find(({ enabled }) => enabled);
  result.play(first ? first.startTime : plan.start);
}

useKeys({
  undo, redo, toggle: () => player.toggle(), pause: () => player.pause(),
  backward: () => player.shuttle(-1), forward: () => player.shuttle(1), next, see, edge, add: () => add(),
  remove: () => { if (tiles.isEditing && tiles.hasChosen) tiles.remove(); else remove(); },
  tiles: () => { if (!byId("edit-tiles").disabled) tiles.edit(!tiles.isEditing); },
  step: (by, isLong) => (isLong ? player.seek(player.time + by) : player.step(by)),
  go: (share) => player.seek(plan.start + share * (plan.end - plan.start)), move: nudge, switch: toggle,
  type: (index) => {
    const type = session?.types[index]?.name;
    if (!type) return;
    if (reaction()) change({ reactionType: type }, "chosen instead"); else add(type);
  },
  zoom: (factor) => (factor ? timeline.zoom(factor) : timeline.fit()), place: startPlacing, render: () => render.start(),
  leave: () => {
    if (tiles.isEditing) tiles.edit(false);
    else if (player.showsEffects) player.closeStretch();
    else choose(null);
  },
});

async function open() {
  session = await server.session();
  byId("input").textContent = session.name;
  byId("input").title = session.path;
  byId("input").hidden = false;
  document.title = `${session.name} – Flourish`;
  for (const part of [player, timeline, inspector, style, render, result]) part.open(session);
  preparePicture();
  byId("volume").hidden = !session.hasSound;
  choose(null);
  showStatus();
}

open().then(() => listen({
  found: () => { isLost = false; showStatus(); },
  lost: () => { isLost = true; showStatus(); },
  status: (told) => { status = told; showStatus(); },
  render: showRendering,
  effects: showEffects,
  plan: async (told) => {
    file = told;
    if (told.hasPlan) await plan.follow(told.revision).catch(() => {});
    showStatus();
  },
})).catch((error) => say(error.message, true));
