// Files of descriptions: which there are, opening, saving, and changes by other programs.

import { ask, json } from "./requests.js";
import { byId, make, say } from "./words.js";

const namePattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** Asks in a dialog. @returns whether the answer is yes. */
function isSure(title, text, yes) {
  byId("sure-title").textContent = title;
  byId("sure-text").textContent = text;
  byId("sure-yes").textContent = yes;
  return answerOf(byId("sure"));
}

function answerOf(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true }));
}

export class Files {
  #draft;
  #listed = [];
  #isBusy = false;

  constructor(draft) {
    this.#draft = draft;
    byId("effect").addEventListener("change", () => this.choose(byId("effect").value));
    byId("save").addEventListener("click", () => this.save());
    byId("save-as").addEventListener("click", () => this.saveAs());
    byId("load").addEventListener("click", () => this.open(draft.file.name));
    byId("keep").addEventListener("click", () => {
      draft.file.version = this.#entry?.version;
      this.#warn(null);
    });
    byId("naming-no").addEventListener("click", () => byId("naming").close(""));
    byId("new-name").addEventListener("input", () => byId("new-name").setCustomValidity(this.#nameFault));
    addEventListener("beforeunload", (event) => { if (this.#hasEdits) event.preventDefault(); });
  }

  /** Whether there are edits that are not saved, also in text that cannot be used. */
  get #hasEdits() {
    return this.#draft.isChanged || (this.#draft.value !== null && byId("source").value !== this.#draft.text);
  }

  get #entry() { return this.#listed.find(({ name }) => name === this.#draft.file?.name); }

  /** Opens another effect, unless there are edits that the user wants to keep. */
  async choose(name) {
    if (this.#hasEdits
      && !(await isSure("Discard your edits?", `They are not saved in ${this.#draft.file.name}.`, "Discard"))) return this.#show();
    await this.open(name);
  }

  /** Opens an effect; edits are lost. @returns whether it is open. */
  async open(name) {
    let isOpen = false;
    try {
      const { text, fault, ...file } = await (await ask(`effect?name=${encodeURIComponent(name)}`)).json();
      let value;
      try { value = JSON.parse(text.replace(/^\uFEFF/, "")); } catch { /* reported below */ }
      if (value === null || typeof value !== "object" || Array.isArray(value)) throw new Error(`${file.path}: ${fault ?? "this is no description"}`);
      this.#warn(null);
      byId("sprites").replaceChildren(...file.sprites.map((sprite) => make("option", { value: sprite })));
      this.#draft.open(file, value);
      history.replaceState(null, "", `#${name}`);
      isOpen = true;
    } catch (error) {
      say(error.message, true);
    }
    this.#show();
    return isOpen;
  }

  /** Updates the list of effects and their versions. */
  async follow(listed) {
    this.#listed = listed;
    this.#show();
    const { file } = this.#draft, entry = this.#entry;
    if (this.#isBusy || !file || file.isBuiltIn) return;
    if (!entry || entry.isBuiltIn || !entry.version) {
      if (file.version) this.#warn(`${file.path} was removed; Save writes it again`, false);
      file.version = null;
    } else if (entry.version !== file.version) {
      if (this.#hasEdits) this.#warn(`${file.path} has changed`, true);
      else if (await this.open(file.name)) say("Loaded again: the file has changed");
    }
  }

  async save() {
    const { file } = this.#draft;
    if (!file || this.#isBusy) return;
    if (file.isBuiltIn) await this.saveAs();
    else await this.#put(file.name, this.#draft.text, file.version);
  }

  /** Saves under another name, in the folder of the user's effects. */
  async saveAs() {
    const { name } = this.#draft.file;
    byId("new-name").value = this.#free(this.#draft.file.isBuiltIn ? `my${name.charAt(0).toUpperCase()}${name.slice(1)}` : name);
    byId("new-name").setCustomValidity("");
    if (!(await answerOf(byId("naming")))) return;
    const next = byId("new-name").value, known = this.#listed.find((entry) => entry.name === next);
    if (known && !(await isSure(`Replace ${next}?`, `${known.path} exists already.`, "Replace"))) return;
    this.#draft.close();
    const before = this.#draft.value.type;
    this.#draft.change(["type"], next, "Name changed");
    if (!(await this.#put(next, this.#draft.text, known?.version)) && before !== next) this.#draft.undo();
  }

  /** The first free name of name, name2, name3 and so on. */
  #free(name) {
    const isTaken = (wanted) => this.#listed.some((entry) => entry.name === wanted);
    const stem = name.replace(/\d+$/, "");
    let free = name;
    for (let number = 2; isTaken(free); number += 1) free = `${stem}${number}`;
    return free;
  }

  get #nameFault() {
    const name = byId("new-name").value;
    if (!namePattern.test(name)) return "Use letters, digits, - and _, and start with a letter";
    return this.#listed.some((entry) => entry.name === name && entry.isBuiltIn) ? "This is the name of a built-in effect" : "";
  }

  /** Writes a file. @param {string?} version of the file that is replaced. @returns whether it is written. */
  async #put(name, text, version) {
    this.#isBusy = true;
    try {
      const headers = version ? { "If-Match": `"${version}"` } : {};
      const answer = await (await ask(`effect?name=${encodeURIComponent(name)}`, json("PUT", text, headers))).json();
      this.#draft.markSaved({ ...this.#draft.file, name, path: answer.path, version: answer.version, isBuiltIn: false }, text);
      history.replaceState(null, "", `#${name}`);
      this.#warn(null);
      say(`Saved in ${answer.path}`);
      return true;
    } catch (error) {
      if (error.status === 412 && name === this.#draft.file.name) this.#warn(`${this.#draft.file.path} has changed`, true);
      say(`Not saved: ${error.place ? `${error.place} ` : ""}${error.message}`, true);
      return false;
    } finally {
      this.#isBusy = false;
      this.#show();
    }
  }

  /** Shows a warning; nothing hides it. @param {boolean} canLoad whether the file can be loaded instead of the edits. */
  #warn(text, canLoad = false) {
    byId("banner").hidden = !text;
    byId("banner-text").textContent = text ?? "";
    for (const id of ["load", "keep"]) byId(id).hidden = !canLoad;
  }

  #show() {
    const group = (label, entries) => (entries.length
      ? [make("optgroup", { label }, ...entries.map(({ name }) => make("option", { value: name }, name)))] : []);
    const groups = [...group("Yours", this.#listed.filter(({ isBuiltIn }) => !isBuiltIn)),
      ...group("Built in", this.#listed.filter(({ isBuiltIn }) => isBuiltIn))];
    if (document.activeElement !== byId("effect")) byId("effect").replaceChildren(...groups);
    byId("effect").value = this.#draft.file?.name ?? "";
  }
}
