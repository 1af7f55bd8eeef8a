// The timeline: a block for each reaction, paler ones for what nearly fired. Blocks are chosen, moved and stretched.

import { byId, clock, count, icon, make, shortReasons, title } from "./words.js";
import { Strip, stripHeight } from "./strip.js";

const laneHeight = 34, nameHeight = 17, narrowest = 11, most = 240;
/** How long a reaction lasts whose type is not listed, as those that show words, in seconds. */
const wordsDuration = 4;
/** How far the mouse goes before a press is a drag, in pixels. */
const slack = 4;

export class Timeline extends EventTarget {
  #plan;
  #view = byId("view");
  #track = byId("track");
  #strip = new Strip(byId("strip"));
  #durations = new Map();
  #start = 0;
  #end = 1;
  #scale = 1;
  #isFitted = true;
  #blocks = new Map();
  #chosen = null;
  #drag = null;

  constructor(plan) {
    super();
    this.#plan = plan;
    new ResizeObserver(() => this.#isFitted ? this.fit() : this.#draw()).observe(this.#view);
    this.#view.addEventListener("scroll", () => this.#drawStrip());
    this.#view.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 200), event.clientX - this.#view.getBoundingClientRect().x);
    }, { passive: false });
    byId("ground").addEventListener("pointerdown", (event) => this.#scrub(event));
  }

  /** @param {object[]} types of reactions, with the durations of their effects. */
  setTypes(types) {
    for (const { name, duration } of types) this.#durations.set(name, duration);
  }

  open(session) {
    this.setTypes(session.types);
    this.#strip.open(session);
    this.setBounds(session.startTime, session.startTime + (session.duration ?? 1));
  }

  setBounds(start, end) {
    if (start === this.#start && end === this.#end) return;
    [this.#start, this.#end] = [start, Math.max(end, start + 0.1)];
    if (this.#isFitted) this.fit(); else this.#draw();
  }

  /** When a reaction ends. */
  endOf(reaction) {
    return reaction.endTime ?? Math.min(reaction.startTime + (this.#durations.get(reaction.reactionType) ?? wordsDuration), this.#end);
  }

  // --- What is in sight -----------------------------------------------------------

  fit() {
    this.#isFitted = true;
    this.#scale = Math.max(this.#view.clientWidth, 1) / (this.#end - this.#start);
    this.#view.scrollLeft = 0;
    this.#draw();
  }

  /** @param {number} x what stays where it is, in pixels from the left. */
  zoom(factor, x = this.#view.clientWidth / 2) {
    const time = this.#start + (this.#view.scrollLeft + x) / this.#scale;
    const least = this.#view.clientWidth / (this.#end - this.#start);
    this.#scale = Math.min(Math.max(this.#scale * factor, least), Math.max(most, least));
    this.#isFitted = this.#scale <= least * 1.001;
    this.#draw();
    this.#view.scrollLeft = (time - this.#start) * this.#scale - x;
    this.#drawStrip();
  }

  /** Brings a time into sight. */
  reveal(time) {
    const x = (time - this.#start) * this.#scale, { scrollLeft, clientWidth } = this.#view;
    if (x < scrollLeft + 20 || x > scrollLeft + clientWidth - 60) this.#view.scrollLeft = x - clientWidth / 3;
  }

  /** Where the recording is now. */
  showTime(time, follows) {
    byId("playhead").style.transform = `translateX(${(time - this.#start) * this.#scale}px)`;
    if (follows && !this.#drag) this.reveal(time);
    this.time = time;
  }

  time = 0;

  // --- Blocks ---------------------------------------------------------------------

  choose(id) {
    this.#chosen = id;
    for (const [key, block] of this.#blocks) {
      block.classList.toggle("chosen", key === id);
      block.setAttribute("aria-current", key === id ? "true" : "false");
    }
    this.#rove();
    const block = this.#blocks.get(id);
    if (block && id !== null) this.reveal(this.#plan.find(id)?.startTime ?? 0);
  }

  /** Gives the chosen block the focus, if the timeline has it. */
  focus() { this.#blocks.get(this.#chosen)?.focus({ preventScroll: true }); }

  /** One block at a time is reached by Tab. */
  #rove() {
    const first = this.#blocks.get(this.#chosen) ?? this.#blocks.values().next().value;
    for (const block of this.#blocks.values()) block.tabIndex = block === first ? 0 : -1;
  }

  /** Draws what the plan says. */
  show() {
    const shown = this.#plan.reactions;
    const ids = new Set(shown.map((reaction) => reaction.id));
    for (const [id, block] of this.#blocks) {
      if (ids.has(id)) continue;
      block.remove();
      this.#blocks.delete(id);
    }
    const fired = shown.filter((reaction) => reaction.enabled).length;
    const missed = shown.filter((reaction) => !reaction.enabled && reaction.reason).length, off = shown.length - fired - missed;
    byId("timeline-count").textContent = count(fired, "reaction") + (off ? `, ${off} switched off` : "")
      + (missed ? `, ${missed} nearly fired` : "");
    this.#draw();
    this.#rove();
  }

  #draw() {
    const width = (this.#end - this.#start) * this.#scale;
    this.#track.style.width = `${width}px`;
    const groups = this.#lanes();
    let previous = null;
    for (const reaction of this.#plan.reactions) {
      const block = this.#blocks.get(reaction.id) ?? this.#make(reaction.id);
      // Screen readers read them in the order of their times.
      if (previous ? previous.nextElementSibling !== block : byId("blocks").firstElementChild !== block) {
        if (previous) previous.after(block); else byId("blocks").prepend(block);
      }
      previous = block;
      this.#fill(block, reaction);
      if (this.#drag?.id === reaction.id) continue;
      const [x, room] = this.#place(block, reaction.startTime, this.endOf(reaction));
      const group = groups.get(reaction.tile ?? null), { lanes, most } = group;
      let lane = lanes.findIndex((end) => end <= x);
      if (lane < 0) lane = lanes.length < most ? lanes.length : lanes.indexOf(Math.min(...lanes));
      lanes[lane] = x + room + 2;
      group.blocks.push([block, lane]);
    }
    let top = 0;
    for (const group of groups.values()) {
      if (group.name) {
        group.name.style.top = `${top}px`;
        top += nameHeight;
      }
      for (const [block, lane] of group.blocks) block.style.top = `${top + lane * laneHeight}px`;
      top += Math.max(group.lanes.length, 1) * laneHeight;
    }
    byId("blocks").style.height = `${top}px`;
    this.#drawStrip();
    this.showTime(this.time, false);
  }

  /** The lanes of each tile, in the order of the numbers, and of the whole picture; one group where there are no tiles. */
  #lanes() {
    const ids = [...new Set(this.#plan.reactions.map((reaction) => reaction.tile ?? null))]
      .toSorted((a, b) => (a ?? Infinity) - (b ?? Infinity));
    const hasTiles = ids.some((id) => id !== null);
    const names = hasTiles ? ids.map((id) => make("span", {}, id === null ? "Whole picture" : `Tile ${id}`)) : [];
    byId("lane-names").replaceChildren(...names);
    const group = (name) => ({ name, lanes: [], blocks: [], most: hasTiles ? 2 : 4 });
    return new Map((ids.length ? ids : [null]).map((id, index) => [id, group(names[index])]));
  }

  /** What would hang over the end of the track stands before it: the ruler could be scrolled past its end. */
  #place(block, start, end) {
    const room = Math.max((Math.min(end, this.#end) - start) * this.#scale - 2, narrowest);
    const x = Math.max(Math.min((start - this.#start) * this.#scale, (this.#end - this.#start) * this.#scale - room), 0);
    block.style.left = `${x}px`;
    block.style.width = `${room}px`;
    block.classList.toggle("narrow", room < 26);
    block.classList.toggle("tight", room < 88);
    return [x, room];
  }

  #drawStrip() {
    const canvas = byId("strip"), width = this.#view.clientWidth;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${stripHeight}px`;
    const from = this.#start + this.#view.scrollLeft / this.#scale;
    this.#strip.draw({ from, scale: this.#scale, width, start: this.#start, end: this.#end });
  }

  #make(id) {
    const block = make("button", { type: "button", className: "block" });
    block.dataset.id = id;
    block.append(make("span", { className: "edge start" }), make("span", { className: "icon" }), make("span", { className: "name" }),
      make("span", { className: "edge end" }));
    block.addEventListener("pointerdown", (event) => this.#press(event, block, id));
    block.addEventListener("click", (event) => {
      if (event.detail === 0) this.dispatchEvent(new CustomEvent("choose", { detail: { id, jumps: true } }));
    });
    block.addEventListener("focus", () => {
      if (block.matches(":focus-visible") && this.#chosen !== id) {
        this.dispatchEvent(new CustomEvent("choose", { detail: { id, jumps: true } }));
      }
    });
    this.#blocks.set(id, block);
    return block;
  }

  #fill(block, reaction) {
    const name = title(reaction.reactionType), isOff = !reaction.enabled;
    const reason = isOff && reaction.reason ? shortReasons[reaction.reason] ?? "did not fire" : null;
    const when = clock(reaction.startTime - this.#start, 1);
    if (block.dataset.type !== reaction.reactionType) block.querySelector(".icon").replaceWith(icon(reaction.reactionType));
    block.dataset.type = reaction.reactionType;
    block.classList.toggle("off", isOff);
    block.classList.toggle("missed", isOff && Boolean(reaction.reason));
    block.querySelector(".name").textContent = reason ? `${name} · ${reason}` : name;
    const where = reaction.tile == null ? "" : ` in tile ${reaction.tile}`;
    block.setAttribute("aria-label", `${name}${where} at ${when}, ${isOff ? reason ?? "switched off" : "shown"}`);
    block.title = `${name}, ${when}`;
  }

  // --- The mouse ------------------------------------------------------------------

  #press(event, block, id) {
    if (event.button !== 0) return;
    event.stopPropagation();
    const reaction = this.#plan.find(id), edge = event.target.closest(".edge");
    if (!reaction) return;
    const [start, end] = [reaction.startTime, this.endOf(reaction)], origin = event.clientX;
    const part = edge ? (edge.classList.contains("end") ? "end" : "start") : "both";
    let moved = null;
    block.setPointerCapture(event.pointerId);
    const drag = (event) => {
      const by = event.clientX - origin;
      if (!moved && Math.abs(by) < slack) return;
      this.#drag = { id };
      const seconds = by / this.#scale, length = end - start;
      moved = part === "both" ? { start: this.#within(start + seconds, 0, length) }
        : part === "start" ? { start: Math.min(this.#within(start + seconds), end - 0.2), end }
          : { start, end: Math.min(Math.max(end + seconds, start + 0.2), this.#end) };
      moved.end ??= moved.start + length;
      block.classList.add("dragged");
      this.#place(block, moved.start, moved.end);
      this.dispatchEvent(new CustomEvent("drag", { detail: { time: part === "end" ? moved.end : moved.start } }));
    };
    const stop = (event) => {
      block.removeEventListener("pointermove", drag);
      for (const name of ["pointerup", "pointercancel"]) block.removeEventListener(name, stop);
      block.classList.remove("dragged");
      this.#drag = null;
      if (moved && event.type === "pointerup") {
        this.dispatchEvent(new CustomEvent("move", { detail: { id, part, ...moved } }));
      } else if (event.type === "pointerup") {
        block.focus({ preventScroll: true });
        this.dispatchEvent(new CustomEvent("choose", { detail: { id, jumps: true } }));
      }
      this.#draw();
    };
    block.addEventListener("pointermove", drag);
    for (const name of ["pointerup", "pointercancel"]) block.addEventListener(name, stop);
  }

  #within(time, before = 0) { return Math.min(Math.max(time, this.#start + before), this.#end - 0.1); }

  /** A press on the ground goes to that time, and on while it is held. */
  #scrub(event) {
    if (event.button !== 0) return;
    const ground = byId("ground"), box = () => this.#track.getBoundingClientRect().x;
    const go = (event) => this.dispatchEvent(new CustomEvent("seek", {
      detail: { time: this.#within(this.#start + (event.clientX - box()) / this.#scale) } }));
    ground.setPointerCapture(event.pointerId);
    go(event);
    const stop = () => {
      ground.removeEventListener("pointermove", go);
      for (const name of ["pointerup", "pointercancel"]) ground.removeEventListener(name, stop);
    };
    ground.addEventListener("pointermove", go);
    for (const name of ["pointerup", "pointercancel"]) ground.addEventListener(name, stop);
  }
}
