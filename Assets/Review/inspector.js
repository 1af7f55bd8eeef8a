// The side: all reactions as a list, or the chosen one with what was seen and what can be changed.

import { byId, clock, icon, make, parseClock, reasons, say, title } from "./words.js";
import { Seen } from "./seen.js";

/** 0.98 → 98 % */
const percent = (share) => `${Math.round(share * 100)} %`;

/** The prefix of reactions that show words. */
const words = "text:";

export class Inspector extends EventTarget {
  #plan;
  #endOf;
  #seen = new Seen(byId("seen"));
  #types = [];
  #session = null;
  #chosen = null;
  #isWithoutPlan = false;
  /** The fields that somebody is typing into: what others change meanwhile does not come between. */
  #typed = new Set();

  /** @param {Function} endOf says when a reaction ends. */
  constructor(plan, endOf) {
    super();
    [this.#plan, this.#endOf] = [plan, endOf];
    byId("back").addEventListener("click", () => this.#ask("choose", { id: null }));
    byId("enabled").addEventListener("change", () => this.#ask("toggle", {}));
    byId("see").addEventListener("click", () => this.#ask("see", {}));
    byId("delete").addEventListener("click", () => this.#ask("remove", {}));
    byId("anywhere").addEventListener("click", () => this.#ask("change", { origin: null }));
    const read = {
      starts: () => this.#readTime("starts"), ends: () => this.#readTime("ends"), words: () => this.#readWords(),
      note: () => this.#ask("change", { note: byId("note").value.trim() || null }),
    };
    for (const [id, act] of Object.entries(read)) {
      byId(id).addEventListener("input", () => this.#typed.add(id));
      byId(id).addEventListener("change", () => {
        this.#typed.delete(id);
        act();
      });
    }
  }

  open(session) {
    this.#session = session;
    this.#seen.open(session);
    this.setTypes(session.types);
  }

  /** @param {object[]} types of reactions that may be chosen. */
  setTypes(types) {
    this.#types = types.map(({ name }) => name);
    const kind = (type, name, key, act) => {
      const input = make("input", { type: "radio", name: "kind", value: type, className: "quiet" });
      input.addEventListener("change", act);
      return make("label", { title: name }, input, icon(type), make("span", { className: "kind-name" }, name), key);
    };
    byId("kinds").replaceChildren(...this.#types.map((type, index) =>
      kind(type, title(type), index < 8 ? make("kbd", {}, String(index + 1)) : "", () => this.#ask("change", { reactionType: type }))),
      kind(words, "Words of your own", "", () => {
        byId("words-field").hidden = false;
        byId("words").focus();
        if (byId("words").value.trim()) this.#readWords();
      }));
  }

  #readWords() {
    const text = byId("words").value.trim();
    if (text) this.#ask("change", { reactionType: words + text });
    else say("Write the words that the reaction shows", true);
  }

  #ask(name, detail) { this.dispatchEvent(new CustomEvent(name, { detail })); }

  #readTime(id) {
    const reaction = this.#plan.find(this.#chosen), seconds = parseClock(byId(id).value);
    if (!reaction) return;
    if (seconds === null) {
      say("Write a time as 1:23.4, or in seconds", true);
      return this.show(this.#chosen);
    }
    const time = Math.min(Math.max(seconds + this.#plan.start, this.#plan.start), this.#plan.end - 0.1);
    const end = this.#endOf(reaction);
    if (id === "starts") this.#ask("move", { part: "both", start: time, end: time + end - reaction.startTime });
    else this.#ask("move", { part: "end", start: reaction.startTime, end: Math.max(time, reaction.startTime + 0.2) });
  }

  /** Shows one reaction, or all. */
  show(id) {
    const reaction = id === null ? null : this.#plan.find(id);
    if (this.#chosen !== id) this.#typed.clear();
    this.#chosen = reaction ? id : null;
    byId("one").hidden = !reaction;
    byId("all").hidden = Boolean(reaction);
    if (reaction) this.#showOne(reaction);
    else {
      this.#seen.clear();
      this.#showAll();
    }
  }

  /** Whether no plan is to be expected: its file cannot be used, or none could be made. */
  set isWithoutPlan(value) {
    if (value === this.#isWithoutPlan) return;
    this.#isWithoutPlan = value;
    if (!this.#plan.shown) this.#showAll();
  }

  #showAll() {
    const { start } = this.#plan;
    byId("list").replaceChildren(...this.#plan.reactions.map((reaction) => {
      const isMissed = !reaction.enabled && reaction.reason;
      const open = make("button", { type: "button", className: "entry" }, icon(reaction.reactionType),
        make("span", {}, title(reaction.reactionType),
          make("small", {}, isMissed ? reasons[reaction.reason] ?? "It did not fire" : reaction.enabled ? "" : "Switched off")),
        make("time", {}, clock(reaction.startTime - start, 1)));
      open.addEventListener("click", () => this.#ask("choose", { id: reaction.id, jumps: true }));
      const item = make("li", {}, open);
      item.classList.toggle("off", !reaction.enabled);
      return item;
    }));
    byId("none").hidden = this.#plan.reactions.length > 0;
    byId("none").textContent = this.#plan.shown ? "Nothing was found. Go to a time, and add a reaction there."
      : this.#isWithoutPlan ? "There is no plan that could be shown."
        : "They appear when the recording has been analysed.";
  }

  #showOne(reaction) {
    const { start } = this.#plan, end = this.#endOf(reaction), name = title(reaction.reactionType);
    byId("one-title").replaceChildren(icon(reaction.reactionType), name);
    byId("enabled").checked = reaction.enabled;
    byId("enabled-note").textContent = reaction.enabled || reaction.reason ? "" : "left out";
    const isWords = reaction.reactionType.startsWith(words), kind = isWords ? words : reaction.reactionType;
    // A field into which the first words are to be written stays.
    const isOpen = isWords || document.activeElement === byId("words");
    for (const input of byId("kinds").querySelectorAll("input")) input.checked = input.value === (isOpen ? words : kind);
    byId("words-field").hidden = !isOpen;
    const values = {
      words: isWords ? reaction.reactionType.slice(words.length) : "", starts: clock(reaction.startTime - start), ends: clock(end - start), note: reaction.note ?? "" };
    for (const [id, value] of Object.entries(values)) if (!this.#typed.has(id)) byId(id).value = value;
    const tile = reaction.tile == null ? "" : `tile ${reaction.tile}, `;
    byId("place").textContent = tile + (reaction.origin
      ? `${percent(reaction.origin.x)} across, ${percent(reaction.origin.y)} down` : "where it keeps faces free");
    byId("anywhere").disabled = !reaction.origin;
    this.#showSeen(reaction);
  }

  /** What was seen, and why it did or did not fire. */
  #showSeen(reaction) {
    byId("was-seen").hidden = !reaction.gesture;
    if (!reaction.gesture) return this.#seen.clear();
    const since = reaction.heldSince, until = reaction.heldUntil ?? reaction.startTime;
    const facts = [["Gesture", title(reaction.gesture)]];
    if (reaction.confidence != null) facts.push(["How sure", percent(reaction.confidence)]);
    if (since != null) facts.push(["Held", `${Math.max(until - since, 0).toFixed(1)} s of ${this.#session.hold.toFixed(1)} s`]);
    byId("facts").replaceChildren(...facts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
    byId("reason").hidden = !reaction.reason;
    byId("reason").textContent = reaction.reason ? `${reasons[reaction.reason] ?? "It did not fire"}.` : "";
    // In the middle of what counted the hand is steadier than at its ends.
    const times = since == null ? [reaction.startTime] : [0.7, 0.5, 0.9, 0.3].map((share) => since + (until - since) * share);
    this.#seen.show(times, reaction.gesture, `The picture in which “${title(reaction.gesture)}” was held`);
  }
}
