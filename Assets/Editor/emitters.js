// The list of the effect and its emitters, with those that start from particles of others below them.

import { partOf } from "./draft.js";
import { byId, make, say, title } from "./words.js";

export class Emitters {
  #draft;
  /** The chosen emitter; the effect itself has no path. */
  path = [];
  #choose;

  /** @callback choose is called with the path of what was chosen. */
  constructor(draft, choose) {
    [this.#draft, this.#choose] = [draft, choose];
    byId("add").addEventListener("click", () => this.#insert([...this.#list, { count: 20, life: [1, 2], speed: [0.2, 0.6], gravity: 0.4 }], "added"));
    byId("add-child").addEventListener("click", () => this.#addChild());
    byId("duplicate").addEventListener("click", () => {
      const { list, index } = this.#place;
      this.#change(list.toSpliced(index + 1, 0, structuredClone(list[index])), index + 1, "duplicated");
    });
    byId("remove").addEventListener("click", () => {
      const { list, index } = this.#place;
      this.#change(list.toSpliced(index, 1), Math.min(index, list.length - 2), "removed");
    });
    for (const [id, step] of [["earlier", -1], ["later", 1]]) {
      byId(id).addEventListener("click", () => {
        const { list, index } = this.#place;
        this.#change(list.with(index, list[index + step]).with(index + step, list[index]), index + step, "moved");
      });
    }
    byId("emitters").addEventListener("keydown", (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key], buttons = [...byId("emitters").querySelectorAll("button")];
      const next = step && buttons[buttons.indexOf(document.activeElement) + step];
      if (!next) return;
      event.preventDefault();
      next.focus();
      next.click();
    });
  }

  get #list() { return this.#draft.value.emitters ?? []; }

  /** The list that contains the chosen emitter, and its place there. */
  get #place() {
    const parent = this.path.slice(0, -1);
    return { parent, list: partOf(this.#draft.value, parent), index: this.path.at(-1) };
  }

  #insert(list, done) {
    this.path = ["emitters", list.length - 1];
    this.#change(list, list.length - 1, done);
  }

  #addChild() {
    const parent = [...this.path, "children"], list = partOf(this.#draft.value, parent) ?? [];
    this.path = [...parent, list.length];
    this.#change([...list, { count: 6, life: [0.3, 0.6], speed: [0.1, 0.3], size: 0.02 }], list.length, "added");
  }

  /** Changes the list with the chosen emitter. */
  #change(list, index, done) {
    const parent = this.path.slice(0, -1), label = `Emitter ${done}`;
    // An effect needs a list, even an empty one; an emitter without children has none.
    const isNone = !list.length && parent.at(-1) === "children";
    this.path = index >= 0 ? [...parent, index] : parent.slice(0, -1);
    this.#draft.close();
    this.#draft.change(parent, isNone ? undefined : list, label);
    this.#draft.close();
    say(label);
    this.#choose(this.path);
    this.show();
    byId("emitters").querySelector("[aria-current]")?.focus();
  }

  /** Shows the list as it is now. @returns whether what was chosen is still there. */
  show() {
    const isThere = partOf(this.#draft.value, this.path) !== undefined;
    if (!isThere) this.path = [];
    const focused = byId("emitters").contains(document.activeElement);
    byId("emitters").replaceChildren(this.#button([], "The effect", 0), ...this.#buttons(["emitters"], 0));
    if (focused) byId("emitters").querySelector("[aria-current]")?.focus();
    const isEmitter = this.path.length > 0, { list, index } = isEmitter ? this.#place : { list: [], index: 0 };
    for (const id of ["add-child", "duplicate", "remove"]) byId(id).disabled = !isEmitter;
    byId("earlier").disabled = !isEmitter || index === 0;
    byId("later").disabled = !isEmitter || index >= list.length - 1;
    byId("keys-title").textContent = isEmitter ? nameOf(partOf(this.#draft.value, this.path), index) : "The effect";
    return isThere;
  }

  #buttons(path, depth) {
    const list = partOf(this.#draft.value, path);
    if (!Array.isArray(list)) return [];
    return list.flatMap((emitter, index) => [
      this.#button([...path, index], nameOf(emitter, index), depth + 1), ...this.#buttons([...path, index, "children"], depth + 1)]);
  }

  #button(path, name, depth) {
    const button = make("button", { type: "button", className: "entry" }, name);
    button.style.paddingInlineStart = `${0.6 + depth * 1.1}rem`;
    if (path.join() === this.path.join()) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => {
      this.path = path;
      this.#draft.close();
      this.#choose(path);
      this.show();
    });
    return make("li", {}, button);
  }
}

function nameOf(emitter, index) {
  const { name, sprite, shape = "glow" } = emitter ?? {};
  return typeof name === "string" && name ? title(name) : `${title(String(sprite ?? shape))} ${index + 1}`;
}
