// The choice of a background.

import { controlFor } from "./page.js";

/** The names of the files that may be chosen, and the background that is shown. */
let files = [], background = "none";

/** The backgrounds that every run has. */
const usual = [["none", "Its own"], ["blur", "Out of focus"], ["#00b140", "Green"], ["#000000", "Black"], ["#ffffff", "White"]];

/** @param {?string[]} names */
export function showBackgrounds(names) {
  files = names ?? [];
  showBackground(background);
}

/** @param {string} name a background of the control protocol, or the name of a file */
export function showBackground(name) {
  background = name ?? "none";
  // The slider of Portrait shows how much it is out of focus.
  const chosen = background.startsWith("blur:") ? "blur" : background;
  const choices = [...usual, ...files.map((file) => [file, file])];
  if (!choices.some(([value]) => value === chosen)) choices.push([chosen, chosen]);
  const select = controlFor("background");
  select.replaceChildren(...choices.map(([value, text]) => new Option(text, value)));
  select.value = chosen;
}
