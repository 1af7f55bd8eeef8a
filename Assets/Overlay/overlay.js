"use strict";

// Shows the effects of a run on a transparent page, for OBS's browser source or a page over a video. The program draws
// the frames for the size of the page (`overlay.rgba`), and sends them while effects are in progress.

/** The share of the dimming that is drawn, 0…1, from the page's address. */
const dim = Math.min(Math.max(Number(new URLSearchParams(location.search).get("dim") ?? 0.6) || 0, 0), 1);

/** The delay before reconnecting after the connection was lost, in milliseconds. */
const retry = 1000;

/** The time for which the page must keep its size before frames of that size are requested, in milliseconds. */
const settling = 200;

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Reads the body of a response in parts of known lengths. */
class BodyReader {
  constructor(response) {
    this.reader = response.body.getReader();
    this.rest = new Uint8Array(0);
  }

  /** Returns `count` bytes. Fails if the body ends before. */
  async read(count) {
    const bytes = new Uint8Array(count);
    for (let filled = 0; filled < count;) {
      if (this.rest.length === 0) {
        const { done, value } = await this.reader.read();
        if (done) throw new Error("The connection was closed.");
        this.rest = value;
      }
      const part = this.rest.subarray(0, count - filled);
      bytes.set(part, filled);
      filled += part.length;
      this.rest = this.rest.subarray(part.length);
    }
    return bytes;
  }
}

/** Follows a run, and connects again whenever the program is back. */
class Overlay {
  constructor(element) {
    this.element = element;
    // Pixels are only copied, which needs no graphics processor.
    this.context = element.getContext("2d", { willReadFrequently: true });
    this.isConnected = false;
    /** Whether the last frame shows an effect. */
    this.isDrawn = false;
    this.request = null;
    new ResizeObserver(() => this.#fit()).observe(element);
    this.#follow();
  }

  /** The size of the page, in pixels. */
  get size() {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [this.element.clientWidth, this.element.clientHeight];
    return [Math.max(Math.round(width * ratio), 1), Math.max(Math.round(height * ratio), 1)];
  }

  /** Requests frames of another size, once the page keeps it. */
  #fit() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.request && String(this.request.size) !== String(this.size)) this.request.abort.abort();
    }, settling);
  }

  async #follow() {
    for (;;) {
      this.request = { size: this.size, abort: new AbortController() };
      const { size: [width, height], abort: { signal } } = this.request;
      try {
        const response = await fetch(`overlay.rgba?width=${width}&height=${height}&dim=${dim}`, { signal });
        if (response.ok) await this.#play(new BodyReader(response));
      } catch {
        // The run has ended, or the page has another size.
      }
      this.isConnected = false;
      if (signal.aborted) continue;
      this.#clear();
      await pause(retry);
    }
  }

  async #play(body) {
    for (;;) {
      const [width, height, left, top, columns, rows] = new Uint32Array((await body.read(24)).buffer);
      const pixels = new Uint8ClampedArray((await body.read(columns * rows * 4)).buffer);
      this.isConnected = true;
      this.#clear();
      if (pixels.length === 0) continue;
      const { element } = this;
      if (element.width !== width || element.height !== height) [element.width, element.height] = [width, height];
      this.context.putImageData(new ImageData(pixels, columns, rows), left, top);
      this.isDrawn = true;
    }
  }

  #clear() {
    if (this.isDrawn) this.context.clearRect(0, 0, this.element.width, this.element.height);
    this.isDrawn = false;
  }
}

const overlay = new Overlay(document.getElementById("effects"));
