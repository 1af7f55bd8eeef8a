// The effect editor: a description, the controls of its keys, and its preview.

import { Draft } from "./draft.js";
import { Emitters } from "./emitters.js";
import { Fields } from "./fields.js";
import { Files } from "./files.js";
import { Format } from "./format.js";
import { Player } from "./player.js";
import { ask, json, listen } from "./requests.js";
import { byId, say } from "./words.js";

const [schema, session] = await Promise.all(["effect.schema.json", "session"].map(async (path) => (await ask(path)).json()));
const format = new Format(schema);
const draft = new Draft((key) => format.rank(key));
const files = new Files(draft), fields = new Fields(draft, format), player = new Player(session.rate);
const emitters = new Emitters(draft, (path) => {
  fields.open(path);
  fields.mark(fault?.place ?? "");
});
let fault = null, isLost = false;

byId("folder").textContent = session.folder;

// MARK: The preview

const view = () => ({ seed: (byId("seed").validity.valid && byId("seed").value) || 1, height: byId("size").value, wall: byId("wall").value });

function draw() {
  if (draft.value) player.draw(draft.file.name, draft.text, view());
}

/** Shows the fault of the description; `null` if it is valid. */
function showFault(error) {
  fault = error;
  byId("fault").hidden = !fault;
  byId("fault").textContent = fault ? `${fault.place ? `${fault.place}: ` : ""}${fault.message}` : "";
  fields.mark(fault?.place ?? "");
  showState();
}

player.addEventListener("valid", () => { if (fault) showFault(null); });
player.addEventListener("fault", ({ detail }) => showFault(detail));
player.addEventListener("figures", ({ detail: { meanMilliseconds, maximumMilliseconds, flashes, hiddenAt } }) => {
  const milliseconds = (number) => number.toFixed(number < 10 ? 1 : 0);
  byId("cost").textContent = `${milliseconds(meanMilliseconds)} ms`;
  byId("most").textContent = `${milliseconds(maximumMilliseconds)} ms`;
  byId("flashes").textContent = hiddenAt === null ? `${flashes} a second` : "too many";
  byId("flashes-note").hidden = hiddenAt === null;
  byId("flashes-note").textContent = hiddenAt === null ? "" : `It would flash more than three times a second, so it is hidden after ${
    hiddenAt.toFixed(1)} s, and returns weaker. Make its light fainter, smaller or slower.`;
  document.body.dataset.drawn = Number(document.body.dataset.drawn ?? 0) + 1;
});
for (const id of ["seed", "size", "wall"]) byId(id).addEventListener("change", draw);
byId("dice").addEventListener("click", () => {
  byId("seed").value = 1 + Math.floor(Math.random() * 99999);
  draw();
});
byId("measure").addEventListener("click", async () => {
  byId("measure").disabled = true;
  byId("measured").textContent = "Measuring…";
  try {
    const query = new URLSearchParams({ name: draft.file.name, ...view() });
    const { width, height, meanMilliseconds, medianMilliseconds, maximumMilliseconds } =
      await (await ask(`measure?${query}`, json("POST", draft.text))).json();
    byId("measured").textContent = `At ${width}×${height}: ${meanMilliseconds.toFixed(2)} ms a frame on average, median ${
      medianMilliseconds.toFixed(2)}, at most ${maximumMilliseconds.toFixed(2)}`;
  } catch (error) {
    byId("measured").textContent = "";
    say(error.message, true);
  }
  byId("measure").disabled = false;
});

// MARK: The description

function showState() {
  const isOpen = draft.value !== null, isFaulty = Boolean(fault) || byId("source").hasAttribute("aria-invalid");
  byId("undo").disabled = !draft.canUndo;
  byId("redo").disabled = !draft.canRedo;
  byId("reset").disabled = !draft.isChanged;
  byId("save").disabled = !isOpen || isFaulty || (!draft.isChanged && !draft.file.isBuiltIn && Boolean(draft.file.version));
  byId("save-as").disabled = !isOpen || isFaulty;
  byId("status").classList.toggle("bad", isLost);
  byId("status").textContent = isLost ? "Flourish does not answer; it may have ended"
    : draft.isChanged ? "Unsaved edits" : draft.file?.isBuiltIn ? "Built in; saved as a copy" : isOpen ? draft.file.path : "";
  document.title = `${draft.isChanged ? "• " : ""}${draft.file?.name ?? "Effects"} – Flourish`;
}

draft.addEventListener("change", ({ detail }) => {
  if (detail.isNew) emitters.path = draft.value.emitters?.length ? ["emitters", 0] : [];
  const isThere = emitters.show();
  if (detail.isNew || !isThere) fields.open(emitters.path);
  else fields.refresh();
  const source = byId("source");
  if (detail.isNew) clearSourceFault();
  if (document.activeElement !== source && !source.hasAttribute("aria-invalid")) source.value = draft.text;
  showState();
  draw();
});

function clearSourceFault() {
  byId("source").removeAttribute("aria-invalid");
  byId("source-fault").textContent = "";
}

byId("source").addEventListener("change", () => {
  try {
    const value = JSON.parse(byId("source").value);
    if (value === null || typeof value !== "object" || Array.isArray(value)) throw new SyntaxError("a description is an object");
    clearSourceFault();
    draft.replace(value, "JSON edited");
  } catch (error) {
    byId("source").setAttribute("aria-invalid", "true");
    byId("source-fault").textContent = `Not used: ${error.message}`;
    showState();
  }
});

const undo = () => { const label = draft.undo(); if (label) say(`Undone: ${label}`); };
const redo = () => { const label = draft.redo(); if (label) say(`Done again: ${label}`); };
byId("undo").addEventListener("click", undo);
byId("redo").addEventListener("click", redo);
byId("reset").addEventListener("click", () => {
  draft.reset();
  say("As it is in the file; Undo brings your edits back");
});

document.addEventListener("keydown", (event) => {
  const { key, target } = event, control = event.ctrlKey || event.metaKey;
  if (document.querySelector("dialog[open]")) return;
  const isText = target.closest("textarea, input:not([type=range], [type=checkbox], [type=color])");
  if (control && key.toLowerCase() === "s") {
    // Controls commit their text when they lose the focus.
    if (isText) {
      target.blur();
      target.focus();
    }
    if (!event.repeat && !byId("save").disabled) files.save();
  }
  else if (control && key.toLowerCase() === "z" && !isText) (event.shiftKey ? redo : undo)();
  else if (control && key.toLowerCase() === "y" && !isText) redo();
  else if (key === " " && !control && !target.closest("button, input, select, textarea, summary")) player.toggle();
  else return;
  event.preventDefault();
});

// MARK: Beginning

let isOpening = false;
listen({
  found: () => {
    if (isLost) draw();
    isLost = false;
    showState();
  },
  lost: () => { isLost = true; showState(); },
  effects: async (listed) => {
    await files.follow(listed);
    showState();
    if (draft.file || isOpening) return;
    isOpening = true;
    const wanted = decodeURIComponent(location.hash.slice(1));
    await files.open(listed.some(({ name }) => name === wanted) ? wanted : session.first ?? listed[0]?.name);
    document.body.classList.add("live");
  },
});
