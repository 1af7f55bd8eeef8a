// How all reactions look: how much of everything, calm or not, in which colours; and the effects on the whole video.

import { byId, make, say, title } from "./words.js";

/** The sliders, by the fields of the plan's style, and their labels. */
const sliders = { intensity: "Intensity", portrait: "Portrait", studioLight: "Studio Light" };

function showPercent(id) { byId(`${id}-value`).textContent = `${Math.round(byId(id).value * 100)} %`; }

export class Style {
  #plan;
  #palettes = [];
  /** The values that the program was started with, for fields that the plan does not have. */
  #started = { intensity: 1, portrait: 0, studioLight: 0 };

  constructor(plan) {
    this.#plan = plan;
    for (const [id, label] of Object.entries(sliders)) {
      byId(id).addEventListener("input", () => showPercent(id));
      byId(id).addEventListener("change", () => this.#change({ [id]: Number(byId(id).value) }, label));
    }
    byId("calm").addEventListener("change", () => this.#change({ calm: byId("calm").checked }, "Calm"));
    byId("seed").addEventListener("change", () => {
      const { value } = byId("seed"), seed = Number(value);
      if (value !== "" && Number.isSafeInteger(seed) && seed >= 0) return this.#change({ seed }, "Seed");
      byId("seed").value = this.#seed;
      say("A seed is a whole number from 0 on", true);
    });
    byId("dice").addEventListener("click", () => this.#change({ seed: 1 + Math.floor(Math.random() * 99999) }, "Seed"));
  }

  open(session) {
    this.#palettes = session.palettes;
    Object.assign(this.#started, { portrait: session.portrait, studioLight: session.studioLight });
    const swatches = (colours) => make("span", { className: "swatches" }, ...colours.map((colour) => {
      const swatch = make("i");
      swatch.style.background = colour;
      return swatch;
    }));
    const option = (name, colours) => {
      const input = make("input", { type: "radio", name: "palette", value: name, className: "quiet" });
      input.addEventListener("change", () => {
        this.#change({ palette: colours ? { colours, everywhere: null } : null }, "Colours");
      });
      return make("label", {}, input, colours ? swatches(colours) : make("span", { className: "swatches own" }, "…"),
        make("span", {}, colours ? title(name) : "Their own"));
    };
    byId("palettes").replaceChildren(option("", null), ...this.#palettes.map(({ name, colours }) => option(name, colours)));
  }

  get #seed() { return this.#plan.style.seed ?? 1; }

  #change(style, label) { this.#plan.change({ style }, `${label} changed`); }

  /** @param {boolean} canChange whether there is a plan that can be changed. */
  show(canChange = false) {
    const { calm = false, palette } = this.#plan.style, values = { ...this.#started, ...this.#plan.style };
    for (const id of Object.keys(sliders)) {
      if (document.activeElement !== byId(id)) byId(id).value = values[id];
      showPercent(id);
    }
    byId("whole-video").hidden = !(values.portrait > 0 || values.studioLight > 0);
    byId("calm").checked = calm;
    if (document.activeElement !== byId("seed")) byId("seed").value = this.#seed;
    const known = palette ? this.#palettes.find(({ colours }) => colours.join() === palette.colours.join()) : { name: "" };
    for (const input of byId("palettes").querySelectorAll("input")) input.checked = input.value === known?.name;
    for (const id of [...Object.keys(sliders), "calm", "seed", "dice"]) byId(id).disabled = !canChange;
    for (const input of byId("palettes").querySelectorAll("input")) input.disabled = !canChange;
  }
}
