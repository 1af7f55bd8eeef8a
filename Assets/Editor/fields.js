// The keys of the effect, or of the emitter that was chosen.

import { makeControl } from "./controls.js";
import { partOf } from "./draft.js";
import { byId, make, say } from "./words.js";

/** Keys that the page edits elsewhere: the name when it saves, emitters in their list. */
const elsewhere = ({ key, kind }, path) => kind === "emitters" || (!path.length && key === "type");

export class Fields {
  #draft;
  #format;
  #path = [];
  /** What shows the value at a path. */
  #shown = [];

  constructor(draft, format) {
    [this.#draft, this.#format] = [draft, format];
  }

  /** Shows the keys of the effect, whose path is empty, or of an emitter. */
  open(path) {
    this.#path = path;
    this.#shown = [];
    const fields = (path.length ? this.#format.emitter : this.#format.effect).filter((field) => !elsewhere(field, path));
    const headings = [...new Set(fields.map(({ heading }) => heading))];
    byId("keys").replaceChildren(...headings.map((heading) => {
      const rows = fields.filter((field) => field.heading === heading).map((field) => this.#row(field, [...path, field.key]));
      if (!heading) return make("div", { className: "list-of-keys" }, ...rows);
      return make("details", { open: true }, make("summary", {}, heading), make("div", { className: "list-of-keys" }, ...rows));
    }));
    this.refresh();
  }

  refresh() { for (const show of this.#shown) show(); }

  /** Marks the key with the error. @param {string} place such as `emitters[0].size`; empty for none. */
  mark(place) {
    const path = place.split(/[.[\]]+/).filter(Boolean).join("/");
    for (const row of byId("keys").querySelectorAll("[data-path]")) {
      row.classList.toggle("bad", Boolean(path) && (row.dataset.path === path || path.startsWith(`${row.dataset.path}/`)));
    }
  }

  #row(field, path) {
    return field.kind === "group" ? this.#group(field, path) : this.#key(field, path);
  }

  #key(field, path) {
    const { label, help } = field;
    const control = makeControl(field, (value) => this.#draft.change(path, value, label), () => this.#draft.close());
    const clear = make("button", { type: "button", className: "remove", title: "Remove", "aria-label": `Remove ${label}` }, "×");
    clear.addEventListener("click", () => {
      this.#draft.close();
      this.#draft.change(path, undefined, `${label} removed`);
      this.#draft.close();
      say(`${label} removed`);
      row.querySelector("input, select, textarea")?.focus();
    });
    const row = make("div", { className: "key", "data-path": path.join("/") },
      make("span", { className: "key-name" }, make("span", {}, label), ...(help ? [make("small", {}, help)] : [])),
      make("span", { className: "control" }, control.element, clear));
    this.#shown.push(() => {
      const value = partOf(this.#draft.value, path);
      control.show(value);
      row.classList.toggle("unset", value === undefined);
      clear.style.visibility = value === undefined ? "hidden" : "visible";
    });
    return row;
  }

  /** An object with keys of its own, which may be absent. */
  #group(field, path) {
    const { label, help, fields } = field;
    const input = make("input", { type: "checkbox", "aria-label": label });
    input.setAttribute("role", "switch");
    input.addEventListener("change", () => {
      this.#draft.close();
      this.#draft.change(path, input.checked ? {} : undefined, `${label} ${input.checked ? "added" : "removed"}`);
      this.#draft.close();
    });
    const rows = make("div", { className: "list-of-keys" }, ...fields.map((inner) => this.#row(inner, [...path, inner.key])));
    const group = make("div", { className: "group", "data-path": path.join("/") },
      make("label", { className: "key" },
        make("span", { className: "key-name" }, make("span", {}, label), ...(help ? [make("small", {}, help)] : [])), input),
      rows);
    this.#shown.push(() => {
      const isThere = partOf(this.#draft.value, path) !== undefined;
      input.checked = isThere;
      rows.hidden = !isThere;
    });
    return group;
  }
}
