// The plan, what was done to it, and how it is saved: every change at once, as a patch that other pages' changes do not
// get in the way of.

import { server, Refused } from "./server.js";

/** A merge patch: https://www.rfc-editor.org/rfc/rfc7396 */
function merged(value, patch) {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const result = value && typeof value === "object" && !Array.isArray(value) ? { ...value } : {};
  for (const [key, change] of Object.entries(patch)) {
    if (change === null) delete result[key];
    else result[key] = merged(result[key], change);
  }
  return result;
}

/** The plan with a patch, which names reactions by their ids. */
function patched(plan, patch) {
  const result = { ...plan };
  if (patch.style) result.style = merged(plan.style, patch.style);
  if (patch.layouts) result.layouts = patch.layouts;
  if (patch.reactions) {
    const reactions = new Map(plan.reactions.map((reaction) => [String(reaction.id), reaction]));
    for (const [id, change] of Object.entries(patch.reactions)) {
      if (change === null) reactions.delete(id);
      else if (reactions.has(id)) reactions.set(id, merged(reactions.get(id), change));
      else if (change.reactionType && change.startTime != null) reactions.set(id, { ...merged({}, change), id: Number(id) });
    }
    result.reactions = inOrder([...reactions.values()]);
  }
  return result;
}

/** Screen readers and keys go through the reactions in the order of their times. */
const inOrder = (reactions) => reactions.toSorted((a, b) => a.startTime - b.startTime || a.id - b.id);

/** What takes a patch back. */
function inverse(plan, patch) {
  const fields = (value, change) =>
    Object.fromEntries(Object.keys(change).map((key) => [key, value?.[key] ?? null]));
  const result = {};
  if (patch.style) result.style = fields(plan.style, patch.style);
  if (patch.layouts) result.layouts = plan.layouts ?? [];
  if (patch.reactions) {
    result.reactions = {};
    for (const [id, change] of Object.entries(patch.reactions)) {
      const before = plan.reactions.find((reaction) => String(reaction.id) === id);
      result.reactions[id] = change === null ? before ?? null : before ? fields(before, change) : null;
    }
  }
  return result;
}

export class Plan extends EventTarget {
  /** As it is shown: with changes that are on their way to the file. */
  shown = null;
  /** As it is in the file, and which one that is. */
  #saved = null;
  revision = 0;
  #waiting = [];
  #isSaving = false;
  #done = [];
  #undone = [];
  #highest = 0;
  /** The newest one that flourish has told of. */
  #told = 0;

  get reactions() { return this.shown?.reactions ?? []; }
  get style() { return this.shown?.style ?? {}; }
  /** When the recording begins and ends, in seconds. */
  get start() { return this.shown?.source.startTime ?? 0; }
  get end() { return this.shown ? this.start + this.shown.source.duration : 0; }
  get canUndo() { return this.#done.length > 0; }
  get canRedo() { return this.#undone.length > 0; }
  get isSaved() { return this.#waiting.length === 0; }

  find(id) { return this.reactions.find((reaction) => reaction.id === id); }

  /** A number that no reaction has or had. */
  nextID() {
    this.#highest = Math.max(this.#highest, ...this.reactions.map((reaction) => reaction.id ?? 0)) + 1;
    return this.#highest;
  }

  /** Reads what is in the file now. */
  async load() {
    const { revision, plan } = await server.plan();
    if (revision < this.revision) return;
    [this.#saved, this.revision] = [plan, revision];
    this.#show();
  }

  /** Another page, or an editor, made a change. */
  async follow(revision) {
    this.#told = revision;
    if (revision !== this.revision && !this.#isSaving) await this.load();
  }

  /** Makes a change that can be taken back. @param {string} label what was done, in words. */
  change(patch, label) {
    if (!this.shown) return;
    this.#done.push({ patch, back: inverse(this.shown, patch), label });
    this.#undone = [];
    this.#apply(patch, label);
  }

  /** Takes the last change back. @returns the patch that does; `null` where there is none. */
  undo() {
    const step = this.#done.pop();
    if (!step || !this.#canApply(step.back, step)) return null;
    this.#undone.push(step);
    this.#apply(step.back, `Undone: ${step.label}`);
    return step.back;
  }

  /** Makes the change that was taken back last. @returns its patch; `null` where there is none. */
  redo() {
    const step = this.#undone.pop();
    if (!step || !this.#canApply(step.patch, step)) return null;
    step.isAgain = true;
    this.#done.push(step);
    this.#apply(step.patch, `Done again: ${step.label}`);
    return step.patch;
  }

  /** Whether what a patch changes is there; a step for which that is gone is forgotten. */
  #canApply(patch, { label }) {
    const isThere = Object.entries(patch.reactions ?? {}).every(([id, change]) =>
      this.find(Number(id)) || (change?.reactionType && change.startTime != null));
    if (!isThere) {
      this.#show();
      this.dispatchEvent(new CustomEvent("done", { detail: `Somebody else removed it; forgotten: ${label}` }));
    }
    return isThere;
  }

  #apply(patch, label) {
    this.#waiting.push(patch);
    this.#show();
    this.dispatchEvent(new CustomEvent("done", { detail: label }));
    this.#save();
  }

  #show() {
    if (this.#saved) {
      const shown = this.#waiting.reduce(patched, this.#saved);
      this.shown = { ...shown, reactions: inOrder(shown.reactions) };
    }
    this.dispatchEvent(new Event("change"));
  }

  /** Puts the steps back to where they were before a patch that was not saved. */
  #forget(patch) {
    if (this.#undone.at(-1)?.back === patch) this.#done.push(this.#undone.pop());
    else if (this.#done.at(-1)?.patch === patch) {
      const step = this.#done.pop();
      // One that was done again can be done again.
      if (step.isAgain) this.#undone.push(step);
    }
  }

  async #save() {
    if (this.#isSaving) return;
    this.#isSaving = true;
    while (this.#waiting.length > 0) {
      const patch = this.#waiting[0];
      try {
        const revision = await server.change(patch, this.revision);
        this.#saved = patched(this.#saved, patch);
        this.revision = revision;
        this.#waiting.shift();
      } catch (error) {
        if (error instanceof Refused && error.status === 409) {
          try {
            const { revision, plan } = await server.plan();
            if (revision !== this.revision) {
              [this.#saved, this.revision] = [plan, revision];
              continue;
            }
          } catch { /* told below */ }
        }
        // What cannot be saved is not shown as if it were, and there to be done or taken back as before.
        for (const unsaved of this.#waiting.splice(0).reverse()) this.#forget(unsaved);
        const detail = error instanceof Refused ? error.message : "Flourish does not answer";
        this.dispatchEvent(new CustomEvent("failed", { detail }));
      }
    }
    this.#isSaving = false;
    // What others did meanwhile.
    if (this.#told > this.revision) await this.load().catch(() => {});
    this.#show();
  }
}
