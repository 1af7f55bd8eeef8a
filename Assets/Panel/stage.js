// The picture: a click shows a reaction at its place, or in its tile, and a hold offers all of them.

import { ask, byId, usable, whenUsableChanges } from "./page.js";
import { title } from "./words.js";

/** The duration of a press that counts as a hold, in milliseconds. */
export const holdTime = 500;

/** The reaction that a click shows: the one that was used last. */
let chosen = null;

/** Shows a reaction. @param {{x: number, y: number}=} origin its place, 0…1 of the picture. */
export function perform(type, origin) {
  choose(type);
  return ask(origin ? { command: "perform", reactionType: type, origin } : { command: "perform", reactionType: type });
}

export function choose(type) {
  chosen = type;
  showChosen();
  for (const button of byId("palette").children) button.classList.toggle("chosen", button.dataset.shows === type);
}

/** Describes the effect of a click in the picture. */
function showChosen() {
  if (!chosen) return;
  const where = tiles.length ? "a tile" : "the picture", there = tiles.length ? "in it" : "there";
  byId("chosen").textContent = `Click ${where} to show “${title(chosen)}” ${there}`;
  byId("stage").setAttribute("aria-label", `Show “${title(chosen)}” in ${where}`);
}

/** The icon of a reaction; without a picture if it has none. */
export function icon(type) {
  const image = document.createElement("img");
  image.alt = "";
  image.draggable = false;
  image.src = `icons/${encodeURIComponent(type)}.png`;
  image.addEventListener("error", () => image.remove());
  return image;
}

/** Makes the buttons that a hold offers. */
export function makePalette(types) {
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
}

/** The place of the next reaction, 0…1 of the picture. */
let spot = { x: 0.5, y: 0.5 };

/** The rectangle of the picture in pixels: its frame may have bars at two sides. */
export function pictureBox() {
  const frame = byId("screen").getBoundingClientRect(), { naturalWidth, naturalHeight } = byId("preview");
  if (!naturalWidth) return frame;
  const scale = Math.min(frame.width / naturalWidth, frame.height / naturalHeight);
  const [width, height] = [naturalWidth * scale, naturalHeight * scale];
  return new DOMRect(frame.x + (frame.width - width) / 2, frame.y + (frame.height - height) / 2, width, height);
}

/** The place of a pointer; null beside the picture. */
function place(event) {
  const box = pictureBox();
  const x = (event.clientX - box.x) / box.width, y = (event.clientY - box.y) / box.height;
  return x >= 0 && x <= 1 && y >= 0 && y <= 1 ? { x: Number(x.toFixed(4)), y: Number(y.toFixed(4)) } : null;
}

/** The tiles of a gallery: a click in one shows the reaction only there. */
let tiles = [];

/** The tile at a place; undefined if there is none. */
function tileAt(at) {
  return at && tiles.find(({ x, y, width, height }) => x <= at.x && at.x < x + width && y <= at.y && at.y < y + height);
}

/** Marks the tiles of the current layout. @param now the tiles, in shares of the picture; empty for a single picture. */
export function showTiles(now) {
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

/** Aligns the marks of the tiles with the picture. */
function placeTiles() {
  const box = pictureBox(), frame = byId("screen").getBoundingClientRect();
  Object.assign(byId("tiles").style,
    { left: `${box.x - frame.x}px`, top: `${box.y - frame.y}px`, width: `${box.width}px`, height: `${box.height}px` });
}

/** The number of the tile under the pointer. */
let aimed = null;

/** Marks the tile in which a reaction would be shown. */
function aim(at) {
  const id = tileAt(at)?.id ?? null;
  if (id === aimed) return;
  aimed = id;
  for (const mark of byId("tiles").children) mark.classList.toggle("aimed", Number(mark.dataset.tile) === id);
}

let crosshairTimer = null;

/** Marks the place of the next reaction for a moment. */
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

export function closePalette() {
  byId("palette").hidden = true;
  byId("crosshair").hidden = true;
}

/** Adds the handlers of mouse, touch and keyboard. */
export function prepareStage() {
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
  // The right mouse button, and the menu key.
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
  whenUsableChanges(() => { if (!usable.isLive || !usable.showsReactions) closePalette(); });
  document.addEventListener("pointerdown", (event) => {
    if (!byId("palette").contains(event.target) && event.target !== stage) closePalette();
  });
}
