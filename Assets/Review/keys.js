// What keys do, and the sheet that says so.

import { byId, make } from "./words.js";

/** Keys as people read them, and what they do. */
const sheet = [
  ["The video", [
    [["Space"], "play and pause"], [["J", "K", "L"], "play backward, pause, play forward; again: faster"],
    [["←", "→"], "one frame back, or on; with Shift one second"], [["Home", "End"], "go to the beginning, or the end"],
    [["V"], "see the chosen reaction as it will look, or the next seconds"], [["T"], "draw, merge and remove tiles"],
  ]],
  ["Reactions", [
    [["↑", "↓"], "choose the one before, or the next"], [["I"], "add one at the playhead"],
    [["E"], "switch it on or off"], [["1", "…", "8"], "change its type, or add one where none is chosen"],
    [["Alt", "←", "→"], "move it by a frame; with Shift by a second"], [["[", "]"], "begin, or end it at the playhead"],
    [["P"], "choose its place in the picture: arrows move it, Enter ends"], [["Delete"], "remove it"],
    [["Esc"], "choose none"],
  ]],
  ["The plan", [
    [["Ctrl", "Z"], "undo"], [["Ctrl", "Shift", "Z"], "redo"], [["+", "–", "0"], "zoom in, out, and show all"],
    [["R"], "render"], [["?"], "show this"],
  ]],
];

function fillSheet() {
  byId("keys").replaceChildren(...sheet.map(([name, rows]) => make("section", {}, make("h3", {}, name),
    make("dl", {}, ...rows.flatMap(([keys, text]) => [
      make("dt", {}, ...keys.flatMap((key) => [make("kbd", {}, key), " "])), make("dd", {}, text)])))));
}

export function showSheet() {
  if (!byId("help").open) byId("help").showModal();
}

/** Whether a key is meant for what has the focus. */
function isTaken(event) {
  const { target } = event;
  if (document.querySelector("dialog[open]")) return true;
  if (target.closest("input:not([type=radio]):not([type=checkbox]), textarea, select")) return true;
  // The picture is a button for those who click: it plays and pauses as the key does.
  const isButton = target.closest("button:not(.block, #stage), input, summary, a");
  return Boolean(isButton) && (event.key === " " || event.key === "Enter" || (target.type === "radio" && event.key.startsWith("Arrow")));
}

/** Has keys do things. @param {object} act what can be done. */
export function useKeys(act) {
  fillSheet();
  document.addEventListener("keydown", (event) => {
    if (isTaken(event)) return;
    const { key } = event, control = event.ctrlKey || event.metaKey;
    let done = true;
    if (control && key.toLowerCase() === "z") { if (event.shiftKey) act.redo(); else act.undo(); }
    else if (control && key.toLowerCase() === "y") act.redo();
    else if (control) done = false;
    else if (event.altKey) {
      if (key === "ArrowLeft" || key === "ArrowRight") act.move(key === "ArrowLeft" ? -1 : 1, event.shiftKey);
      else done = false;
    } else if (/^[1-8]$/.test(key)) act.type(Number(key) - 1);
    else {
      switch (key) {
        case " ": act.toggle(); break;
        case "ArrowLeft": act.step(-1, event.shiftKey); break;
        case "ArrowRight": act.step(1, event.shiftKey); break;
        case "ArrowUp": act.next(-1); break;
        case "ArrowDown": act.next(1); break;
        case "Home": act.go(0); break;
        case "End": act.go(1); break;
        case "Delete": case "Backspace": act.remove(); break;
        case "Escape": act.leave(); break;
        case "[": act.edge("start"); break;
        case "]": act.edge("end"); break;
        case "+": case "=": act.zoom(1.5); break;
        case "-": case "–": act.zoom(1 / 1.5); break;
        case "0": act.zoom(0); break;
        case "?": showSheet(); break;
        default: {
          const name = { j: "backward", k: "pause", l: "forward", i: "add", e: "switch", v: "see", p: "place", r: "render", t: "tiles" }[key.toLowerCase()];
          if (name) act[name](); else done = false;
        }
      }
    }
    if (done) event.preventDefault();
  });
}
