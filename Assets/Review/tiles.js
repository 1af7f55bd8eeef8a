// The tiles of a gallery over the picture. They are drawn, merged and removed there; the plan keeps them as its layouts.

import { byId, count, make, say } from "./words.js";
import { pictureBox } from "./player.js";

/** How far the pointer goes before a press draws a tile, in pixels, and the smallest side of a tile. */
const slack = 6, least = 0.04;
/** A tile that reaches over a side of another by less than this share of its own ends there instead. */
const spill = 0.15;

const round = (value) => Math.round(value * 1e5) / 1e5;
const right = (tile) => tile.x + tile.width, bottom = (tile) => tile.y + tile.height;
const rectangle = (left, top, end, low) =>
  ({ x: round(left), y: round(top), width: round(end - left), height: round(low - top) });

function overlaps(a, b) {
  const gap = 2e-5;
  return a.x + gap < right(b) && b.x + gap < right(a) && a.y + gap < bottom(b) && b.y + gap < bottom(a);
}

const contains = (tile, { x, y }) => tile.x <= x && x < right(tile) && tile.y <= y && y < bottom(tile);

/** A drawn rectangle with its sides where those of its neighbours and of the picture are, if they are near. */
function trimmed(drawn, others) {
  let [left, top, end, low] = [drawn.x, drawn.y, right(drawn), bottom(drawn)];
  const near = 0.012;
  if (left < near) left = 0;
  if (top < near) top = 0;
  if (end > 1 - near) end = 1;
  if (low > 1 - near) low = 1;
  for (const other of others) {
    if (!overlaps(rectangle(left, top, end, low), other)) continue;
    const across = (end - left) * spill, down = (low - top) * spill;
    if (right(other) - left < across) left = right(other);
    else if (end - other.x < across) end = other.x;
    else if (bottom(other) - top < down) top = bottom(other);
    else if (low - other.y < down) low = other.y;
  }
  return rectangle(left, top, end, low);
}

export class Tiles extends EventTarget {
  #plan;
  #layer = byId("tiles");
  #time = 0;
  #chosen = new Set();
  #isEditing = false;
  #drawn = null;
  #shown = "";

  /** @param {object} plan whose layouts are shown. */
  constructor(plan) {
    super();
    this.#plan = plan;
    byId("edit-tiles").addEventListener("click", () => this.edit(!this.#isEditing));
    byId("tiles-done").addEventListener("click", () => this.edit(false));
    byId("merge-tiles").addEventListener("click", () => this.merge());
    byId("remove-tiles").addEventListener("click", () => this.remove());
    byId("no-tiles").addEventListener("click", () => this.#change([], "All tiles removed", () => ({ tile: null })));
    this.#layer.addEventListener("pointerdown", (event) => this.#press(event));
    new ResizeObserver(() => this.show(true)).observe(byId("screen"));
  }

  get isEditing() { return this.#isEditing; }
  get hasChosen() { return this.#chosen.size > 0; }

  /** The tiles at a time, in seconds on the plan's clock. */
  at(time) { return this.#layout(time)?.tiles ?? []; }

  /** The number of the tile at a place; nothing where there is none. */
  find(time, place) { return this.at(time).find((tile) => contains(tile, place))?.id ?? null; }

  /** Goes on to a time. */
  showTime(time) {
    this.#time = time;
    this.show();
  }

  edit(isEditing) {
    this.#isEditing = isEditing;
    this.#chosen.clear();
    byId("screen").classList.toggle("tiling", isEditing);
    byId("tile-tools").hidden = !isEditing;
    byId("edit-tiles").setAttribute("aria-pressed", String(isEditing));
    this.dispatchEvent(new Event("edit"));
    this.show(true);
  }

  /** Draws the tiles at the current time. @param {boolean} isForced also where they are the same as before. */
  show(isForced = false) {
    const tiles = this.at(this.#time), key = JSON.stringify(tiles);
    if (!isForced && key === this.#shown) return;
    this.#shown = key;
    for (const id of this.#chosen) if (!tiles.some((tile) => tile.id === id)) this.#chosen.delete(id);
    const box = pictureBox(), frame = byId("screen").getBoundingClientRect();
    Object.assign(this.#layer.style, { left: `${box.x - frame.x}px`, top: `${box.y - frame.y}px`, width: `${box.width}px`, height: `${box.height}px` });
    const focused = document.activeElement?.closest("#tiles .tile")?.dataset.tile;
    this.#layer.replaceChildren(...tiles.map((tile) => this.#make(tile)), ...(this.#drawn ? [this.#mark(this.#drawn, "tile drawn")] : []));
    if (focused) this.#layer.querySelector(`[data-tile="${focused}"]`)?.focus({ preventScroll: true });
    byId("merge-tiles").disabled = this.#chosen.size < 2;
    byId("remove-tiles").disabled = this.#chosen.size === 0;
    byId("no-tiles").disabled = tiles.length === 0;
    byId("tile-count").textContent = tiles.length ? count(tiles.length, "tile") : "One picture without tiles";
  }

  #mark(tile, className, element = "span") {
    const mark = make(element, { className });
    Object.assign(mark.style, {
      left: `${tile.x * 100}%`, top: `${tile.y * 100}%`, width: `${tile.width * 100}%`, height: `${tile.height * 100}%` });
    return mark;
  }

  #make(tile) {
    const mark = this.#mark(tile, "tile", this.#isEditing ? "button" : "span"), isChosen = this.#chosen.has(tile.id);
    mark.dataset.tile = tile.id;
    mark.append(make("span", { className: "number" }, String(tile.id)));
    if (!this.#isEditing) return mark;
    mark.type = "button";
    mark.classList.toggle("chosen", isChosen);
    mark.setAttribute("aria-pressed", String(isChosen));
    mark.setAttribute("aria-label", `Tile ${tile.id}`);
    mark.addEventListener("click", (event) => { if (event.detail === 0) this.#toggle(tile.id); });
    return mark;
  }

  #toggle(id) {
    if (!this.#chosen.delete(id)) this.#chosen.add(id);
    this.show(true);
  }

  /** A press draws a tile where the pointer goes, or chooses the one under it. */
  #press(event) {
    if (!this.#isEditing || event.button !== 0) return;
    event.preventDefault();
    const box = pictureBox(), layer = this.#layer, pressed = event.target.closest(".tile")?.dataset.tile;
    const within = (value) => Math.min(Math.max(value, 0), 1);
    const place = ({ clientX, clientY }) => ({ x: within((clientX - box.x) / box.width), y: within((clientY - box.y) / box.height) });
    const origin = place(event), start = { x: event.clientX, y: event.clientY };
    layer.setPointerCapture(event.pointerId);
    const drag = (event) => {
      if (!this.#drawn && Math.hypot(event.clientX - start.x, event.clientY - start.y) < slack) return;
      const now = place(event);
      this.#drawn = rectangle(Math.min(origin.x, now.x), Math.min(origin.y, now.y), Math.max(origin.x, now.x), Math.max(origin.y, now.y));
      this.show(true);
    };
    const stop = (event) => {
      layer.removeEventListener("pointermove", drag);
      for (const name of ["pointerup", "pointercancel"]) layer.removeEventListener(name, stop);
      const drawn = this.#drawn;
      this.#drawn = null;
      if (event.type === "pointerup" && drawn) this.#draw(drawn);
      else if (event.type === "pointerup" && pressed) this.#toggle(Number(pressed));
      this.show(true);
    };
    layer.addEventListener("pointermove", drag);
    for (const name of ["pointerup", "pointercancel"]) layer.addEventListener(name, stop);
  }

  // --- Changes ----------------------------------------------------------------------

  /** A new tile takes the place of those that it covers. */
  #draw(drawn) {
    const tiles = this.at(this.#time), tile = trimmed(drawn, tiles);
    if (tile.width < least || tile.height < least) return say("A tile is larger than that", true);
    const id = this.#nextID(), covered = tiles.filter((other) => overlaps(tile, other)).map((other) => other.id);
    const made = { id, ...tile };
    this.#change([...tiles.filter((other) => !covered.includes(other.id)), made], `Tile ${id} drawn`,
      (reaction) => covered.includes(reaction.tile) ? { tile: id } : null);
  }

  /** The chosen tiles become one, with the number of the first. */
  merge() {
    const tiles = this.at(this.#time), chosen = tiles.filter((tile) => this.#chosen.has(tile.id));
    if (chosen.length < 2) return;
    const id = Math.min(...chosen.map((tile) => tile.id));
    const made = { id, ...rectangle(Math.min(...chosen.map((tile) => tile.x)), Math.min(...chosen.map((tile) => tile.y)),
      Math.max(...chosen.map(right)), Math.max(...chosen.map(bottom))) };
    const gone = new Set(tiles.filter((tile) => this.#chosen.has(tile.id) || overlaps(made, tile)).map((tile) => tile.id));
    this.#chosen.clear();
    this.#change([...tiles.filter((tile) => !gone.has(tile.id)), made], `Tiles ${[...gone].join(", ")} merged`,
      (reaction) => gone.has(reaction.tile) && reaction.tile !== id ? { tile: id } : null);
  }

  /** Nothing is shown in a tile that is removed: its reactions are switched off. */
  remove() {
    const gone = new Set(this.#chosen);
    if (gone.size === 0) return;
    this.#chosen.clear();
    this.#change(this.at(this.#time).filter((tile) => !gone.has(tile.id)), `${gone.size === 1 ? "Tile" : "Tiles"} ${[...gone].join(", ")} removed`,
      (reaction) => gone.has(reaction.tile) && reaction.enabled ? { enabled: false } : null);
  }

  #layout(time) { return this.#plan.shown?.layouts?.findLast(({ startTime }) => (startTime ?? -Infinity) <= time + 0.0005); }

  /** A number that no tile has or had. */
  #nextID() { return Math.max(0, ...(this.#plan.shown?.layouts ?? []).flatMap(({ tiles }) => tiles.map(({ id }) => id))) + 1; }

  /** Changes the layout at the current time. @param {Function} adapted says what changes in a reaction that it concerns. */
  #change(tiles, label, adapted) {
    if (!this.#plan.shown) return;
    const layouts = [...(this.#plan.shown.layouts ?? [])], current = this.#layout(this.#time);
    const index = layouts.indexOf(current), next = layouts[index + 1]?.startTime ?? Infinity;
    const startTime = current?.startTime ?? this.#plan.start;
    const made = { startTime, tiles: tiles.toSorted((a, b) => a.id - b.id) };
    if (index < 0) layouts.unshift(made); else layouts[index] = made;
    const reactions = {};
    for (const reaction of this.#plan.reactions) {
      if (reaction.tile == null || reaction.startTime < startTime || reaction.startTime >= next) continue;
      const change = adapted(reaction);
      if (change) reactions[reaction.id] = change;
    }
    this.#plan.change({ layouts, ...(Object.keys(reactions).length ? { reactions } : {}) }, label);
  }
}
