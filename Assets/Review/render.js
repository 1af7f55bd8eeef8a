// Rendering: its beginning, how far it is, its end, and what came of it.

import { byId, bytes, count, say } from "./words.js";
import { Refused, server } from "./server.js";

/** /videos/call.reacted.mp4 → call.reacted.mp4 */
const fileName = (path) => path.split("/").pop();

export class Render {
  #output = "";
  #phase = "idle";
  #canStart = false;

  constructor() {
    byId("render").addEventListener("click", () => this.start());
    byId("cancel").addEventListener("click", () => server.cancel().catch(() => {}));
    byId("dismiss").addEventListener("click", () => { byId("outcome").hidden = true; });
    byId("replace").addEventListener("close", () => {
      if (byId("replace").returnValue === "replace") this.start(true);
      byId("replace").returnValue = "";
    });
  }

  open(session) {
    this.#output = session.output;
    byId("download").download = fileName(session.output);
    byId("replace-text").textContent = `${fileName(session.output)} is there already. It is replaced once the new one is whole.`;
  }

  get isRunning() { return this.#phase === "running"; }

  set canStart(can) {
    this.#canStart = can;
    this.#showButton();
  }

  #showButton() { byId("render").disabled = !this.#canStart || this.#phase === "running"; }

  async start(replaces = false) {
    if (byId("render").disabled) return;
    try { await server.render(replaces); } catch (error) {
      if (error instanceof Refused && error.status === 412) byId("replace").showModal();
      else this.#tell(error.message, true);
    }
  }

  #tell(text, isBad) {
    byId("outcome").hidden = false;
    byId("download").hidden = this.#phase !== "done";
    byId("outcome").classList.toggle("bad", isBad);
    byId("outcome-text").textContent = text;
    // The bar above stays; the line at the foot is for who hears the page.
    say(text);
  }

  /** What flourish tells of it. */
  follow(state) {
    const { phase } = state, wasRunning = this.#phase === "running";
    this.#phase = phase;
    this.#showButton();
    byId("rendering").hidden = phase !== "running";
    if (phase === "running") {
      byId("outcome").hidden = true;
      const bar = byId("render-bar");
      if (state.fraction == null) bar.removeAttribute("value"); else bar.value = state.fraction;
      byId("render-text").textContent = `Rendering ${fileName(this.#output)}`
        + (state.fraction == null ? "…" : `, ${Math.floor(state.fraction * 100)} %`);
      if (!wasRunning) say("Rendering has begun");
    } else if (phase === "done") this.#tell(this.#words(state), false);
    else if (phase === "failed") this.#tell(`It was not rendered: ${state.message}.`, true);
    else if (phase === "cancelled" && wasRunning) this.#tell("Rendering was cancelled; nothing was written.", false);
  }

  #words(state) {
    const parts = [`${fileName(state.output)} is done: ${count(state.effects, "reaction")}`];
    if (state.bytes != null) parts.push(bytes(state.bytes));
    if (state.framesCopied != null) {
      parts.push(state.framesEncoded > 0
        ? `${state.secondsEncoded.toFixed(1)} of ${state.seconds.toFixed(0)} s encoded again, the rest copied as it was`
        : "nothing was encoded again");
    } else if (state.wholeReason) parts.push(`all of it encoded again, since ${state.wholeReason}`);
    const warnings = state.warnings.length ? ` ${state.warnings.join(". ")}.` : "";
    return `${parts.join(", ")}.${warnings}`;
  }
}
