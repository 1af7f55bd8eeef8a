// What lies under the blocks: the ruler, small pictures of the recording, and how loud it is. Only what is in sight is
// drawn, and only the pictures in sight are asked for.

import { clock } from "./words.js";
import { server, thumbnailURL } from "./server.js";

const heights = { ruler: 22, pictures: 54, sound: 46 };
export const stripHeight = heights.ruler + heights.pictures + heights.sound;
/** How many pictures are on their way at once, and are kept. */
const mostUnderWay = 2, mostKept = 500;
/** Between which times there is a mark, in seconds. */
const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600];

export class Strip {
  #canvas;
  #pictures = new Map();
  #wanted = [];
  #underWay = 0;
  #peaks = null;
  #view = null;
  #session = null;
  #isDue = false;

  constructor(canvas) {
    this.#canvas = canvas;
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw(this.#view));
  }

  open(session) {
    this.#session = session;
    if (session.hasSound) this.#listen();
  }

  async #listen() {
    try {
      this.#peaks = await server.sound();
      if (this.#peaks) this.draw(this.#view);
      else setTimeout(() => this.#listen(), 500);
    } catch { setTimeout(() => this.#listen(), 3000); }
  }

  /** @param {object} view from when, how many pixels a second, how wide, and where the recording begins and ends. */
  draw(view) {
    this.#view = view;
    if (!view || this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#paint();
    });
  }

  #paint() {
    const { width } = this.#view, scale = devicePixelRatio || 1;
    if (!this.#session || width <= 0) return;
    const [w, h] = [Math.round(width * scale), Math.round(stripHeight * scale)];
    if (this.#canvas.width !== w || this.#canvas.height !== h) [this.#canvas.width, this.#canvas.height] = [w, h];
    const context = this.#canvas.getContext("2d"), style = getComputedStyle(this.#canvas);
    const colours = Object.fromEntries(
      ["line", "quiet", "accent", "ground", "screen"].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, stripHeight);
    this.#paintRuler(context, colours, style.fontFamily);
    this.#paintPictures(context, colours);
    this.#paintSound(context, colours);
  }

  #x(time) { return (time - this.#view.from) * this.#view.scale; }

  #paintRuler(context, colours, font) {
    const { from, scale, width, start, end } = this.#view;
    const step = steps.find((step) => step * scale >= 80) ?? 7200;
    context.font = `11px ${font}`;
    context.textBaseline = "middle";
    const first = Math.max(0, Math.floor((from - start) / step));
    for (let i = first; ; i++) {
      const time = start + i * step, x = this.#x(time);
      if (x > width || time > end + 0.001) break;
      context.fillStyle = colours.line;
      context.fillRect(Math.round(x), 0, 1, heights.ruler);
      context.fillStyle = colours.quiet;
      context.fillText(clock(i * step, step < 1 ? 1 : 0), Math.round(x) + 8, heights.ruler / 2);
    }
  }

  #paintPictures(context, colours) {
    const { from, scale, width, start, end } = this.#view, session = this.#session;
    const height = heights.pictures, tile = Math.max(24, Math.round(height * session.width / session.height));
    // Steps that stay the same while one scrolls, and mostly when one zooms.
    const power = 2 ** Math.floor(Math.log2(tile / scale)), top = heights.ruler;
    const step = power * (power * scale >= tile ? 1 : 1.5 * power * scale >= tile ? 1.5 : 2);
    const left = Math.max(this.#x(start), 0), right = Math.min(this.#x(end), width);
    context.save();
    context.beginPath();
    context.roundRect(left, top, Math.max(right - left, 0), height, 4);
    context.clip();
    context.fillStyle = colours.screen;
    context.fillRect(left, top, right - left, height);
    const wanted = [];
    for (let i = Math.max(0, Math.floor((from - start) / step)); ; i++) {
      const time = start + i * step, x = this.#x(time), room = step * scale;
      if (x > width || time >= end) break;
      const picture = this.#pictures.get(time);
      if (!picture) wanted.push(time);
      if (picture?.image) {
        // What is wider than a picture shows its middle.
        const { image } = picture, part = image.naturalHeight * Math.min(tile / room, 1);
        context.drawImage(image, 0, (image.naturalHeight - part) * 0.3, image.naturalWidth, part, x, top, room, height);
        context.clearRect(Math.round(x + room) - 1, top, 1, height);
      }
    }
    context.restore();
    this.#wanted = wanted;
    this.#fetch();
  }

  #fetch() {
    while (this.#underWay < mostUnderWay && this.#wanted.length > 0) {
      const time = this.#wanted.shift(), image = new Image();
      this.#pictures.set(time, {});
      this.#underWay += 1;
      const end = (picture) => {
        this.#underWay -= 1;
        this.#pictures.set(time, picture);
        if (this.#pictures.size > mostKept) this.#pictures.delete(this.#pictures.keys().next().value);
        if (picture.image) this.draw(this.#view);
        this.#fetch();
      };
      image.onload = () => end({ image });
      image.onerror = () => end({ isMissing: true });
      image.src = thumbnailURL(time + 0.001, heights.pictures * 2);
    }
  }

  #paintSound(context, colours) {
    const { from, scale, width, start, end } = this.#view;
    const top = heights.ruler + heights.pictures, middle = top + heights.sound / 2, room = heights.sound / 2 - 4;
    const left = Math.max(this.#x(start), 0), right = Math.min(this.#x(end), width);
    context.fillStyle = colours.line;
    context.fillRect(left, Math.round(middle), Math.max(right - left, 0), 1);
    const peaks = this.#peaks, rate = this.#session.peakRate;
    if (!peaks?.length) return;
    context.fillStyle = colours.accent;
    context.globalAlpha = 0.75;
    const origin = this.#session.clockStart;
    for (let x = Math.floor(left); x < right; x += 2) {
      const first = Math.floor((from + x / scale - origin) * rate), last = (from + (x + 2) / scale - origin) * rate;
      let peak = 0;
      for (let i = Math.max(first, 0); i < Math.max(last, first + 1) && i < peaks.length; i++) peak = Math.max(peak, peaks[i]);
      // Quiet speech is to be seen, too.
      const half = Math.max(0.5, Math.sqrt(peak / 255) * room);
      context.fillRect(x, middle - half, 1.4, 2 * half);
    }
    context.globalAlpha = 1;
  }
}
