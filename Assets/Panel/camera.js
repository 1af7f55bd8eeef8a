// The choice of a camera, for `flourish camera`.

import { byId, controlFor } from "./page.js";

/** The connected cameras, and the name of the one that is shown: the first one if there is none. */
let cameras = [], camera = null;

export const cameraTitle = (name) => name == null ? "the first one" : cameras.find((each) => each.name === name)?.title ?? name;

/** @param {?{name: string, title: string}[]} list `null` for a run without a camera. */
export function showCameras(list) {
  byId("camera").hidden = !list;
  cameras = list ?? [];
  showCamera(camera);
}

export function showCamera(name) {
  camera = name;
  const choices = [["", "The first one"], ...cameras.map((each) => [each.name, each.title])];
  if (name != null && !cameras.some((each) => each.name === name)) choices.push([name, `${name} (not connected)`]);
  const select = controlFor("camera");
  select.replaceChildren(...choices.map(([value, text]) => new Option(text, value)));
  select.value = name ?? "";
}
