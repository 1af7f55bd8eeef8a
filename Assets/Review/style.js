// How all reactions look: how much of everything, calm or not, in which colours.

import { byId, make, say, title } from "./words.js";

export class Style {
  #plan;
  #palettes = [];

  constructor(plan) {
    this.#plan = plan;
    const percent = () => { byId("intensity-value").textContent = `${Math.round(byId("intensity").value * 100)} %`; };
    byId("intensity").addEventListener("input", percent);
    byId("intensity").addEventListener("change", () => this.#change({ intensity: Number(byId("intensity").value) }, "Intensity"));
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
    const { intensity = 1, calm = false, palette } = this.#plan.style;
    if (document.activeElement !== byId("intensity")) byId("intensity").value = intensity;
    byId("intensity-value").textContent = `${Math.round(intensity * 100)} %`;
    byId("calm").checked = calm;
    if (document.activeElement !== byId("seed")) byId("seed").value = this.#seed;
    const known = palette ? this.#palettes.find(({ colours }) => colours.join() === palette.colours.join()) : { name: "" };
    for (const input of byId("palettes").querySelectorAll("input")) input.checked = input.value === known?.name;
    for (const id of ["intensity", "calm", "seed", "dice"]) byId(id).disabled = !canChange;
    for (const input of byId("palettes").querySelectorAll("input")) input.disabled = !canChange;
  }
}
