// The description that is edited, and its undo history.

import { written } from "./format.js";

/** A part of a value. @param {(string|number)[]} path keys and indices. */
export const partOf = (value, path) => path.reduce((part, key) => part?.[key], value);

export class Draft extends EventTarget {
  #rank;
  value = null;
  /** The file: its name, its path, whether it is built in, its version, and its text as it would be written here. */
  file = null;
  #saved = "";
  #done = [];
  #undone = [];
  /** What the last step changes; further changes of the same belong to the step until it is closed. */
  #open = null;

  /** @param {(key: string) => number} rank the order of keys. */
  constructor(rank) {
    super();
    this.#rank = rank;
  }

  get text() { return `${written(this.value)}\n`; }
  get isChanged() { return this.value !== null && this.text !== this.#saved; }
  get canUndo() { return this.#done.length > 0; }
  get canRedo() { return this.#undone.length > 0; }

  /** Begins with the content of a file. */
  open(file, value) {
    [this.file, this.value, this.#done, this.#undone, this.#open] = [file, value, [], [], null];
    this.#saved = this.text;
    this.#emitChange({ isNew: true });
  }

  /** The description is in a file now. */
  markSaved(file, text) {
    this.file = file;
    this.#saved = text;
    this.#emitChange();
  }

  /** Changes a part. @param part its new value, or nothing to remove it. @param {string} label what is done, in words. */
  change(path, part, label) {
    const value = this.#replaced(this.value, path, part), key = JSON.stringify(path);
    if (JSON.stringify(value) === JSON.stringify(this.value)) return;
    if (this.#open !== key || !this.#done.length) this.#done.push({ value: this.value, label });
    [this.#open, this.#undone, this.value] = [key, [], value];
    this.#emitChange();
  }

  /** The next change is a step of its own. */
  close() { this.#open = null; }

  /** Changes everything. */
  replace(value, label) {
    this.close();
    this.change([], value, label);
    this.close();
  }

  /** @returns what was undone, in words; nothing if there is nothing. */
  undo() { return this.#step(this.#done, this.#undone); }
  redo() { return this.#step(this.#undone, this.#done); }

  #step(from, to) {
    const step = from.pop();
    if (!step) return null;
    to.push({ value: this.value, label: step.label });
    [this.value, this.#open] = [step.value, null];
    this.#emitChange();
    return step.label;
  }

  /** Returns to the file's content. */
  reset() { this.replace(JSON.parse(this.#saved), "Reset"); }

  #emitChange(detail = {}) { this.dispatchEvent(new CustomEvent("change", { detail })); }

  #replaced(value, path, part) {
    if (!path.length) return part;
    const [key, ...rest] = path;
    const next = this.#replaced(value?.[key], rest, part);
    if (Array.isArray(value)) {
      return next === undefined ? value.toSpliced(key, 1) : value.toSpliced(key, 1, next);
    }
    const entries = Object.entries(value ?? {});
    const place = entries.findIndex(([name]) => name === key);
    if (next === undefined) return Object.fromEntries(entries.filter(([name]) => name !== key));
    if (place >= 0) return Object.fromEntries(entries.toSpliced(place, 1, [key, next]));
    const after = entries.findIndex(([name]) => this.#rank(name) > this.#rank(key));
    return Object.fromEntries(entries.toSpliced(after < 0 ? entries.length : after, 0, [key, next]));
  }
}
