// What was seen: the picture in which a gesture was held, with the hands' skeletons over it.

import { make, title } from "./words.js";
import { frameURL, server } from "./server.js";

/** Which of a hand's 21 points belong together, in the order of MediaPipe's model. */
const fingers = {
  thumb: [0, 1, 2, 3, 4], index: [5, 6, 7, 8], middle: [9, 10, 11, 12], ring: [13, 14, 15, 16], little: [17, 18, 19, 20],
};
const palm = [0, 5, 9, 13, 17, 0];

function shape(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** Draws hands over a picture whose shape is known. */
function skeletons(hands, aspect) {
  const svg = shape("svg", { viewBox: `0 0 ${1000 * aspect} 1000`, "aria-hidden": "true" });
  for (const hand of hands) {
    const points = hand.landmarks.map(([x, y]) => `${(x * 1000 * aspect).toFixed(1)},${(y * 1000).toFixed(1)}`);
    const line = (numbers, name) => {
      for (const part of ["shade", name]) {
        svg.append(shape("polyline", { points: numbers.map((i) => points[i]).join(" "), class: `bone ${part}` }));
      }
    };
    line(palm, "palm");
    for (const [name, numbers] of Object.entries(fingers)) line(numbers, name);
    for (const point of points) {
      const [cx, cy] = point.split(",");
      svg.append(shape("circle", { cx, cy, r: 9, class: "joint" }));
    }
  }
  return svg;
}

/** Brings the hands near, with some room around them. */
function approach(whole, hands) {
  const points = hands.flatMap((hand) => hand.landmarks);
  const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]));
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const zoom = Math.min(Math.max(0.5 / Math.max(right - left, bottom - top, 0.01), 1), 3);
  const shift = (low, high) => Math.min(Math.max((low + high) / 2 - 0.5 / zoom, 0), 1 - 1 / zoom) * 100;
  whole.style.setProperty("--zoom", zoom);
  whole.style.transform = `scale(${zoom}) translate(${-shift(left, right)}%, ${-shift(top, bottom)}%)`;
}

/** A hand in words. */
function words(hand) {
  const side = hand.handedness === "left" ? "Left hand" : "Right hand";
  if (hand.gesture) return `${side}: ${title(hand.gesture).toLowerCase()}`;
  return `${side}: no sign${hand.reason ? `, ${hand.reason}` : ""}`;
}

export class Seen {
  #box;
  #aspect = 16 / 9;
  #shown = null;
  #request = null;

  /** @param {Element} box where it is shown. */
  constructor(box) { this.#box = box; }

  open(session) { this.#aspect = session.width / session.height; }

  clear() {
    this.#request?.abort();
    this.#shown = null;
    this.#box.replaceChildren();
  }

  /**
   * @param {number[]} times of pictures, in seconds on the plan's clock, the one to show first.
   * @param {string} gesture what was held: where no hand of that picture shows it, the others are tried.
   */
  async show(times, gesture, label) {
    const key = times.join();
    if (this.#shown === key) return;
    this.clear();
    this.#shown = key;
    let time = times[0];
    const request = this.#request = new AbortController();
    const image = make("img", { alt: label, src: frameURL(time, 720) }), whole = make("div", { className: "seen-whole" }, image);
    const frame = make("div", { className: "seen-picture" }, whole);
    frame.style.aspectRatio = this.#aspect;
    frame.style.setProperty("--shape", this.#aspect);
    const note = make("ul", { className: "hands" }, make("li", {}, "Looking for hands…"));
    this.#box.replaceChildren(frame, note);
    image.addEventListener("error", () => { image.hidden = true; });
    try {
      const first = await server.seen(time, request.signal);
      let found = first;
      // In a single picture a hand that moves may look like none, where the looks before and after it are sure.
      for (let i = 1; i < times.length && found.gesture !== gesture; i++) {
        const other = await server.seen(times[i], request.signal);
        if (other.gesture === gesture) [found, time] = [other, times[i]];
      }
      if (this.#shown !== key) return;
      if (found !== first) image.src = frameURL(time, 720);
      const { hands } = found;
      if (hands.length) {
        whole.append(skeletons(hands, this.#aspect));
        approach(whole, hands);
      }
      note.replaceChildren(...(found.gesture && hands.every((hand) => !hand.gesture)
        // A heart is no sign of one hand.
        ? [make("li", {}, `Both hands: ${title(found.gesture).toLowerCase()}`)]
        : hands.length ? hands.map((hand) => make("li", {}, words(hand)))
        : [make("li", {}, "No hand is seen in this single picture")]));
    } catch (error) {
      if (error.name !== "AbortError") note.replaceChildren(make("li", {}, error.message));
    }
  }
}
