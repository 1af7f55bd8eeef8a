// Controls for the values of a description's keys, by their kinds in format.js.

import { position, valueAt } from "./format.js";
import { make } from "./words.js";

let count = 0;
const steps = 1000;

/** A control: its element, and a function that shows a value. @callback change takes a new value. @callback settle ends a step. */
const makers = { number, spread, switch: flag, choice, text, colour, colours, palette, steps: factors, json: source };

/** @returns {{ element: HTMLElement, show: (value) => void }} */
export function makeControl(field, change, settle) {
  return makers[field.kind](field, change, settle);
}

const isUsed = (element) => document.activeElement === element;

/** A slider, and a field for the exact number. */
function slider(field, name, change, settle) {
  const range = make("input", { type: "range", min: 0, max: steps, step: 1, "aria-label": name });
  const exact = make("input", { type: "number", min: field.min, max: field.max, step: "any", "aria-label": `${name}, exactly`, className: "exact" });
  // What the user is setting is not replaced by what it becomes when it is rounded.
  let emitted;
  const emit = (value) => {
    emitted = value;
    change(value);
  };
  const show = (value) => {
    const shown = value ?? field.initial ?? field.min;
    if (!isUsed(range) || value !== emitted) range.value = Math.round(position(field, shown) * steps);
    if (!isUsed(exact) || value !== emitted) exact.value = value ?? field.initial ?? "";
    range.setAttribute("aria-valuetext", value === undefined && field.initial === undefined ? "not set" : String(shown));
  };
  range.addEventListener("input", () => emit(valueAt(field, range.value / steps)));
  range.addEventListener("change", settle);
  exact.addEventListener("change", () => {
    if (Number.isFinite(exact.valueAsNumber)) {
      exact.value = Math.min(Math.max(exact.valueAsNumber, field.min), field.max);
      emit(exact.valueAsNumber);
    }
    settle();
  });
  return { element: make("span", { className: "slider" }, range, exact), show };
}

function number(field, change, settle) { return slider(field, field.label, change, settle); }

const spreads = { one: "the same for all", range: "at random between", fan: "evenly spaced from" };
const kindOf = (value) => (Array.isArray(value) ? "range" : value !== null && typeof value === "object" ? "fan" : "one");
const endsOf = (value) => (Array.isArray(value) ? value : kindOf(value) === "fan" ? value.fan ?? [] : [value, value]);

/** A number that may differ from particle to particle. */
function spread(field, change, settle) {
  let value;
  const set = (kind, [first, second]) => change(kind === "one" ? first : kind === "range" ? [first, second] : { fan: [first, second] });
  const ends = () => endsOf(value).map((end) => end ?? field.initial ?? field.min);
  const kind = make("select", { "aria-label": `${field.label}: for the particles` },
    ...Object.entries(spreads).map(([name, words]) => make("option", { value: name }, words)));
  kind.addEventListener("change", () => { set(kind.value, ends()); settle(); });
  const first = slider(field, field.label, (end) => set(kindOf(value), [end, ends()[1]]), settle);
  const second = slider(field, `${field.label}, second value`, (end) => set(kindOf(value), [ends()[0], end]), settle);
  return {
    element: make("span", { className: "spread" }, kind, first.element, second.element),
    show(shown) {
      value = shown;
      kind.value = kindOf(value);
      second.element.hidden = kind.value === "one";
      first.show(endsOf(value)[0]);
      second.show(endsOf(value)[1]);
    },
  };
}

function flag(field, change, settle) {
  const input = make("input", { type: "checkbox", role: "switch", "aria-label": field.label });
  input.setAttribute("role", "switch");
  input.addEventListener("change", () => { change(input.checked); settle(); });
  return { element: input, show: (value) => { input.checked = value ?? field.initial ?? false; } };
}

function choice(field, change, settle) {
  const select = make("select", { "aria-label": field.label },
    ...(field.initial === undefined ? [make("option", { value: "" }, "–")] : []),
    ...field.choices.map((name) => make("option", { value: name }, name)));
  select.addEventListener("change", () => { change(select.value || undefined); settle(); });
  return { element: select, show: (value) => { select.value = value ?? field.initial ?? ""; } };
}

function text(field, change, settle) {
  const input = make("input", { type: "text", "aria-label": field.label, spellcheck: false, autocomplete: "off" });
  if (field.suggests) input.setAttribute("list", field.suggests);
  input.addEventListener("change", () => { change(input.value.trim() || undefined); settle(); });
  return { element: input, show: (value) => { if (!isUsed(input)) input.value = value ?? field.initial ?? ""; } };
}

function colour(field, change, settle) {
  const input = make("input", { type: "color", "aria-label": field.label });
  input.addEventListener("input", () => change(input.value));
  input.addEventListener("change", settle);
  return { element: input, show: (value) => { input.value = value ?? field.initial ?? "#ffffff"; } };
}

/** A list of colours. */
function colours(field, change, settle) {
  let list = [];
  const swatches = make("span", { className: "colours" });
  const add = make("button", { type: "button", className: "plain", "aria-label": `Add a colour to ${field.label}` }, "+");
  add.addEventListener("click", () => { change([...list, list.at(-1) ?? "#ffffff"]); settle(); });
  const swatch = (index) => {
    const input = make("input", { type: "color", "aria-label": `${field.label}, colour ${index + 1}` });
    input.addEventListener("input", () => change(list.with(index, input.value)));
    input.addEventListener("change", settle);
    const remove = make("button", { type: "button", className: "remove", "aria-label": `Remove colour ${index + 1}` }, "×");
    remove.addEventListener("click", () => {
      const rest = list.toSpliced(index, 1);
      change(rest.length ? rest : undefined);
      settle();
      add.focus();
    });
    return make("span", { className: "swatch" }, input, remove);
  };
  return {
    element: make("span", { className: "colours" }, swatches, add),
    show(value = []) {
      list = Array.isArray(value) ? value : [];
      if (swatches.children.length !== list.length) swatches.replaceChildren(...list.map((_, index) => swatch(index)));
      list.forEach((shown, index) => { swatches.children[index].firstChild.value = shown; });
    },
  };
}

/** A list of colours, some of which may be groups: those are edited as JSON. */
function palette(field, change, settle) {
  const list = colours(field, change, settle), groups = source(field, change, settle);
  return {
    element: make("span", { className: "palette" }, list.element, groups.element),
    show(value) {
      const isFlat = value === undefined || (Array.isArray(value) && value.every((entry) => typeof entry === "string"));
      [list.element.hidden, groups.element.hidden] = [!isFlat, isFlat];
      (isFlat ? list : groups).show(value);
    },
  };
}

/** Numbers at even steps of the life, as text. */
function factors(field, change, settle) {
  const input = make("input", { type: "text", "aria-label": field.label, placeholder: "such as 0, 1, 0.5", inputMode: "decimal" });
  input.addEventListener("change", () => {
    const numbers = input.value.split(/[\s,;]+/).filter(Boolean).map(Number);
    if (numbers.every(Number.isFinite)) change(numbers.length ? numbers : undefined);
    settle();
    input.blur();
  });
  return { element: input, show: (value) => { if (!isUsed(input)) input.value = Array.isArray(value) ? value.join(", ") : value ?? ""; } };
}

/** Whatever has no control of its own, as JSON. */
function source(field, change, settle) {
  const id = `source-${++count}`;
  const input = make("textarea", { id, rows: 2, spellcheck: false, "aria-label": `${field.label}, as JSON` });
  input.addEventListener("change", () => {
    try {
      change(input.value.trim() ? JSON.parse(input.value) : undefined);
      input.setCustomValidity("");
    } catch {
      input.setCustomValidity("This is not JSON");
      input.reportValidity();
    }
    settle();
  });
  return {
    element: input,
    show(value) { if (!isUsed(input)) input.value = value === undefined ? "" : JSON.stringify(value); },
  };
}
