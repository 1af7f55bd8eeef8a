// Derives the control and the range of each key of a description from the schema. A key that is added to the schema
// appears in the editor.

import { title } from "./words.js";

const colourPattern = /^\^#\[/;

export class Format {
  #schema;
  /** The keys in the schema's order, which is that of a written description. */
  #ranks = new Map();

  constructor(schema) {
    this.#schema = schema;
    this.effect = this.#fields(schema);
    this.emitter = this.#fields(schema.$defs.emitter);
    const rank = ({ key, fields }) => {
      if (!this.#ranks.has(key)) this.#ranks.set(key, this.#ranks.size);
      fields?.forEach(rank);
    };
    [...this.effect, ...this.emitter].forEach(rank);
  }

  /** The place of a key among others. */
  rank(key) { return this.#ranks.get(key) ?? Infinity; }

  #resolve(schema) {
    return schema.$ref ? schema.$ref.split("/").slice(1).reduce((part, key) => part[key], this.#schema) : schema;
  }

  #fields(schema) {
    let heading = "";
    return Object.entries(schema.properties).map(([key, property]) => {
      heading = property["x-heading"] ?? heading;
      const described = this.#resolve(property);
      return {
        key, heading, label: title(key), help: property.description ?? described.description ?? "",
        initial: property.default, ...this.#kind(described),
      };
    });
  }

  /** The kind of control for a key. Whatever has no control of its own is edited as JSON. */
  #kind(schema) {
    if (schema.enum) return { kind: "choice", choices: schema.enum };
    if (schema.oneOf) {
      const number = schema.oneOf.find(({ type }) => type === "number"), range = schema.oneOf.find(({ type }) => type === "array");
      if (number && range?.items?.type === "number") return { kind: "spread", ...bounds(number) };
      return { kind: "json" };
    }
    switch (schema.type) {
      case "number": case "integer": return { kind: "number", ...bounds(schema) };
      case "boolean": return { kind: "switch" };
      case "string": return colourPattern.test(schema.pattern) ? { kind: "colour" } : { kind: "text", suggests: schema["x-choices"] };
      case "object": return schema.properties ? { kind: "group", fields: this.#fields(schema) } : { kind: "json" };
      case "array": {
        const items = schema.items ?? {};
        if (items.$ref === "#/$defs/emitter") return { kind: "emitters" };
        if (items.type === "number") return { kind: "steps", ...bounds(items) };
        if (colourPattern.test(items.pattern)) return { kind: "colours" };
        return { kind: items.oneOf?.some(({ pattern }) => colourPattern.test(pattern)) ? "palette" : "json" };
      }
      default: return { kind: "json" };
    }
  }
}

function bounds({ type, minimum = -1e6, maximum = 1e6 }) {
  return { min: minimum, max: maximum, isWhole: type === "integer" };
}

/** Whether a slider is even: shares and angles are. Others are finer near zero, where useful values lie. */
const isEven = ({ min, max }) => max - min <= 2 || min <= -90;

/** Where a value lies on a slider, 0…1. */
export function position(field, value) {
  const { min, max } = field;
  if (isEven(field)) return (value - min) / (max - min);
  if (min >= 0) return Math.cbrt((value - min) / (max - min));
  return 0.5 + 0.5 * Math.cbrt(value / (value < 0 ? -min : max));
}

/** The value at a place of a slider, with as many digits as matter. */
export function valueAt(field, place) {
  const { min, max } = field;
  let value;
  if (isEven(field)) value = min + place * (max - min);
  else if (min >= 0) value = min + place ** 3 * (max - min);
  else value = (2 * place - 1) ** 3 * (place < 0.5 ? -min : max);
  return rounded(field, Math.min(Math.max(value, min), max));
}

function rounded({ min, max, isWhole }, value) {
  const size = Math.abs(value);
  const places = isWhole || size >= 100 || (max >= 1000 && min >= 0 && size >= 3) || max >= 90 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3;
  const result = Number(value.toFixed(size < 0.01 && size > 0 && places === 3 ? 4 : places));
  return Math.min(Math.max(result, min), max);
}

/** What a description looks like in its file. */
export function written(value, indent = "") {
  const line = oneLine(value), inner = `${indent}  `;
  if (value === null || typeof value !== "object") return line;
  const isFlat = Object.values(value).every((part) =>
    part === null || typeof part !== "object" || (Array.isArray(part) && part.every((item) => typeof item !== "object")));
  if (isFlat && indent && indent.length + line.length <= 100) return line;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const items = Array.isArray(value) ? value.map((item) => written(item, inner))
    : Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${written(part, inner)}`);
  if (!items.length) return open + close;
  return `${open}\n${items.map((item) => inner + item).join(",\n")}\n${indent}${close}`;
}

function oneLine(value) {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${oneLine(part)}`).join(", ")}}`;
}
