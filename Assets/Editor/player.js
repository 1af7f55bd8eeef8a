// The preview: flourish draws the frames of the description, and the page plays them in a loop.

import { ask, json } from "./requests.js";
import { byId } from "./words.js";

/** The numbers of records that are no frames. */
const jsonRecord = 0xffffffff, still = 0xfffffffe;

/** The records of an answer: eight bytes with a number and a size, and the content. */
async function* records(stream) {
  const reader = stream.getReader();
  let rest = new Uint8Array(0);
  for (;;) {
    while (rest.length >= 8) {
      const view = new DataView(rest.buffer, rest.byteOffset), size = 8 + view.getUint32(4);
      if (rest.length < size) break;
      yield { number: view.getUint32(0), bytes: rest.slice(8, size) };
      rest = rest.subarray(size);
    }
    const { value, done } = await reader.read();
    if (done) return;
    const joined = new Uint8Array(rest.length + value.length);
    joined.set(rest);
    joined.set(value, rest.length);
    rest = joined;
  }
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Player extends EventTarget {
  #rate;
  /** What is drawn: the description, and the address that says how. */
  #wanted = null;
  #number = 0;
  #isBusy = false;
  #hasShown = false;
  #abort = null;
  #frames = [];
  #at = 0;
  #shown = 0;
  #lastTick = 0;
  isPlaying = !matchMedia("(prefers-reduced-motion: reduce)").matches;

  constructor(rate) {
    super();
    this.#rate = rate;
    // Without motion, a frame from the middle says most.
    if (!this.isPlaying) this.#at = this.#shown = Math.round(1.2 * rate);
    byId("play").addEventListener("click", () => this.toggle());
    byId("scrub").addEventListener("input", () => {
      this.#play(false);
      this.#show(Number(byId("scrub").value));
    });
    requestAnimationFrame((time) => this.#tick(time));
    this.#showState();
  }

  toggle() { this.#play(!this.isPlaying); }

  #play(isPlaying) {
    this.isPlaying = isPlaying;
    this.#showState();
  }

  /** Draws a description as soon as the one before has been shown. */
  draw(name, text, view) {
    this.#wanted = { name, text, view };
    this.#number += 1;
    if (!this.#isBusy) this.#work();
    else if (this.#hasShown) this.#abort?.abort();
  }

  async #work() {
    this.#isBusy = true;
    for (let drawn = 0; drawn !== this.#number;) {
      drawn = this.#number;
      [this.#hasShown, this.#abort] = [false, new AbortController()];
      try {
        await this.#stream(this.#wanted, drawn);
      } catch (error) {
        if (error.status === 503) {
          await pause(150);
          drawn = 0;
        } else if (error.status) {
          this.dispatchEvent(new CustomEvent("fault", { detail: error }));
        }
      }
    }
    this.#isBusy = false;
  }

  async #stream({ name, text, view }, number) {
    const query = new URLSearchParams({ name, from: this.#shown, ...view });
    const response = await ask(`preview?${query}`, { ...json("POST", text), signal: this.#abort.signal });
    this.dispatchEvent(new Event("valid"));
    for await (const { number: index, bytes } of records(response.body)) {
      if (index === jsonRecord) this.#receive(JSON.parse(new TextDecoder().decode(bytes)));
      else if (index === still) {
        await this.#paint(new Blob([bytes], { type: "image/jpeg" }));
        this.#hasShown = true;
      } else {
        this.#frames[index] = new Blob([bytes], { type: "image/jpeg" });
        // It was chosen before it was drawn.
        if (index === this.#shown && !this.isPlaying) this.#paint(this.#frames[index]);
      }
      if (this.#hasShown && number !== this.#number) return this.#abort.abort();
    }
  }

  #receive(message) {
    if (!message.frames) return this.dispatchEvent(new CustomEvent("figures", { detail: message }));
    this.#frames = new Array(message.frames);
    this.#shown = Math.min(this.#shown, message.frames - 1);
    byId("scrub").max = message.frames - 1;
    const canvas = byId("canvas");
    if (canvas.width !== message.width || canvas.height !== message.height) [canvas.width, canvas.height] = [message.width, message.height];
    this.#showTime();
  }

  async #paint(blob) {
    const bitmap = await createImageBitmap(blob);
    byId("canvas").getContext("2d").drawImage(bitmap, 0, 0);
    bitmap.close();
    document.body.classList.add("drawn");
  }

  #show(index) {
    [this.#shown, this.#at] = [index, index];
    if (this.#frames[index]) this.#paint(this.#frames[index]);
    this.#showTime();
  }

  #tick(time) {
    const passed = Math.min((time - this.#lastTick) / 1000, 0.25) * this.#rate;
    this.#lastTick = time;
    requestAnimationFrame((next) => this.#tick(next));
    if (!this.isPlaying || !this.#frames.length) return;
    const at = this.#at + passed, next = Math.floor(at) % this.#frames.length;
    if (next === this.#shown) this.#at = at;
    else if (this.#frames[next]) {
      this.#show(next);
      this.#at = next + (at % 1);
    }
    // A frame that is still being drawn is waited for.
  }

  #showTime() {
    const seconds = (index) => (index / this.#rate).toFixed(1);
    byId("scrub").value = this.#shown;
    const text = `${seconds(this.#shown)} of ${seconds(this.#frames.length)} s`;
    byId("scrub").setAttribute("aria-valuetext", text);
    byId("time").textContent = text;
  }

  #showState() {
    byId("play").textContent = this.isPlaying ? "Pause" : "Play";
  }
}
