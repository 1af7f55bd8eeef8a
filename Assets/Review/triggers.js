// The page of an evaluation: shows each trigger, and asks whether the gesture was meant.

import { ask, json } from "./requests.js";
import { byId, clock, make, title } from "./words.js";

let triggers = [], index = 0, isOver = false;

/** The hold in six pictures: from just before it to the trigger. */
const pictures = 6, before = 0.3;

const send = (path, value) => ask(path, json("POST", JSON.stringify(value)));

function report(text, isBad = false) {
  byId("status").textContent = text;
  byId("status").classList.toggle("bad", isBad);
}

function frame({ time, heldSince }, number) {
  const from = Math.max(0, heldSince - before), at = from + (time - from) * number / (pictures - 1);
  const image = make("img", { alt: `The picture at ${clock(at)}` });
  image.src = `frame.jpg?trigger=${index}&time=${at.toFixed(3)}&height=360`;
  return make("li", {}, image, make("span", {}, clock(at)));
}

function showCounts() {
  const meant = triggers.filter(({ isMeant }) => isMeant === true).length;
  const unmeant = triggers.filter(({ isMeant }) => isMeant === false).length;
  const rest = triggers.length - meant - unmeant;
  byId("counts").textContent = `${meant} meant, ${unmeant} false, ${rest} not judged`;
  byId("yes").setAttribute("aria-pressed", String(triggers[index]?.isMeant === true));
  byId("no").setAttribute("aria-pressed", String(triggers[index]?.isMeant === false));
}

function show(next) {
  index = Math.min(Math.max(next, 0), triggers.length - 1);
  const trigger = triggers[index];
  byId("input").hidden = false;
  byId("input").textContent = trigger.recording;
  byId("question").textContent = `${title(trigger.gesture)} at ${clock(trigger.time, 1)}: was it meant?`;
  byId("frames").replaceChildren(...Array.from({ length: pictures }, (_, number) => frame(trigger, number)));
  byId("back").disabled = index === 0;
  byId("skip").disabled = index === triggers.length - 1;
  report(`${index + 1} of ${triggers.length}`);
  showCounts();
}

async function answer(isMeant) {
  const answered = index;
  try {
    await send("answer", { trigger: answered, isMeant });
  } catch (error) {
    return report(error.message, true);
  }
  triggers[answered].isMeant = isMeant;
  if (index === answered && index < triggers.length - 1) show(index + 1);
  else showCounts();
}

async function finish() {
  try {
    await send("finish", {});
  } catch (error) {
    return report(error.message, true);
  }
  isOver = true;
  byId("one").hidden = true;
  byId("finish").disabled = true;
  report("The figures are in the terminal");
}

byId("yes").addEventListener("click", () => answer(true));
byId("no").addEventListener("click", () => answer(false));
byId("back").addEventListener("click", () => show(index - 1));
byId("skip").addEventListener("click", () => show(index + 1));
byId("finish").addEventListener("click", finish);
addEventListener("keydown", (event) => {
  if (isOver || !triggers.length || event.ctrlKey || event.altKey || event.metaKey) return;
  const action = { y: () => answer(true), n: () => answer(false), ArrowLeft: () => show(index - 1), ArrowRight: () => show(index + 1) };
  action[event.key]?.();
});

try {
  triggers = await (await ask("triggers")).json();
  byId("one").hidden = false;
  show(Math.max(0, triggers.findIndex(({ isMeant }) => isMeant === null)));
} catch (error) {
  report(error.message, true);
}
