"use strict";

// Turns particles into shapes placed in pixels, which `EffectCanvas` draws.

const white = [1, 1, 1], black = [0, 0, 0];
const scaled = (colour, factor) => colour.map((c) => c * factor);
const whitened = (colour, share) => colour.map((c) => mix(c, 1, share));

/** The simulated shutter time in seconds: half of a frame at 30 frames a second. */
const shutter = 1 / 60;

/** Half of a shape's width with its soft edges, divided by the width of an edge, which is at most the shape's. */
const edgeSlope = (size, soft) => (size + soft) / 2 / Math.min(size, soft);

class EffectPen {
  /**
   * - `canvas`: receives the shapes.
   * - `box`: the picture or the tile in pixels of the canvas: `x`, `y`, `width`, `height`.
   * - `time`: in seconds of the effects' clock.
   */
  constructor(canvas, box, time) {
    this.canvas = canvas;
    this.box = box;
    this.unit = box.height;
    this.time = time;
    /** The width of an edge in the picture of an ordinary camera; at least one pixel. */
    this.lensBlur = Math.max(1 / 320, 1 / this.unit);
  }

  draw(particle, fade) {
    const { emitter } = particle, age = this.time - particle.birth;
    const opacity = particle.visibility(age) * fade, growth = particle.growth(age);
    if (opacity < 0.004 || growth < 0.004) return;
    const state = {
      age, opacity, size: particle.size * growth, place: particle.position(age), turn: particle.turn(age),
      colour: particle.tint(age),
    };
    if (emitter.glow) {
      const size = state.size * emitter.glow.size;
      this.#lay("glow", [0.55], state.place, size, size, 0, state.colour, opacity * emitter.glow.opacity, 1);
    }
    switch (emitter.shape) {
      case "sprite": return this.#sprite(particle, state);
      case "paper": case "coin": return this.#paper(particle, state);
      case "ribbon": return this.#ribbon(particle, state);
      case "streak": return this.#streak(particle, state);
      case "beam": return this.#beam(particle, state);
      default: return this.#simple(particle, state);
    }
  }

  /** Draws a shape whose square −1…1 becomes a box, rotated by degrees clockwise. */
  #lay(shape, parameters, place, width, height, degrees, colour, opacity, light) {
    const c = cosine(degrees / 360), s = sine(degrees / 360);
    this.#put(shape, parameters, place, [c * width, s * width], [-s * height, c * height], colour, opacity, light);
  }

  /** Draws a shape. `across` and `down` are the sides of its box as vectors. */
  #put(shape, parameters, place, across, down, colour, opacity, light) {
    const half = this.unit / 2;
    this.canvas.add(
      shape, parameters, this.box.x + place.x * this.unit, this.box.y + place.y * this.unit,
      across[0] * half, across[1] * half, down[0] * half, down[1] * half,
      scaled(colour, opacity), opacity * (1 - light));
  }

  #simple(particle, state) {
    const { emitter } = particle, pixel = 1 / this.unit;
    let { size } = state, shape = emitter.shape, parameters = [0.3];
    if (shape === "disc") {
      parameters = [Math.max(size * this.unit / 2, 0.5) + 0.5];
      size += pixel;
    } else if (shape === "ring") {
      parameters = [0.8, 6];
    } else if (shape === "sparkle") {
      parameters = [];
    } else {
      shape = "glow";
    }
    size = Math.max(size, 2 * pixel);
    this.#lay(
      shape, parameters, state.place, size * particle.aspect, size, state.turn, state.colour, state.opacity,
      emitter.light);
  }

  /** A piece of paper, rectangular or round, that tumbles in space and is lit from above and in front. */
  #paper(particle, state) {
    const { emitter } = particle;
    const turns = particle.tumble * state.age + particle.phase;
    const facing = cosine(turns), lit = cosine(turns - 0.09);
    const diffuse = facing >= 0 ? 0.68 + 0.32 * Math.max(lit, 0) : 0.52 + 0.3 * Math.max(-lit, 0);
    const glint = Math.max(0, Math.abs(lit) - 0.93) * 14 * 0.6;
    const colour = whitened(scaled(state.colour, diffuse), glint);
    const width = state.size * particle.aspect, height = state.size * Math.max(Math.abs(facing), 0.1);
    const soft = this.#softness(particle, state, turns);
    const slopes = [edgeSlope(width, soft.u), edgeSlope(height, soft.v)];
    if (emitter.shadow > 0) {
      const place = { x: state.place.x + state.size * 0.2, y: state.place.y + state.size * 0.5 };
      this.#lay("glow", [0.8], place, state.size * 2, state.size * 2, 0, black, state.opacity * emitter.shadow, 0);
    }
    const isCoin = emitter.shape === "coin";
    this.#lay(
      isCoin ? "disc" : "paper", isCoin ? [Math.min(...slopes)] : slopes, state.place, width + soft.u, height + soft.v,
      state.turn, colour, state.opacity * Math.min(1, width / soft.u) * Math.min(1, height / soft.v), emitter.light);
  }

  /** The width of a paper's edges along its own axes: lens blur and motion blur together. */
  #softness(particle, state, turns) {
    const lens = this.lensBlur + particle.emitter.blur * Math.abs(particle.depth - 0.6) * state.size * 0.25;
    const velocity = particle.velocity(state.age), dx = velocity.x * shutter, dy = velocity.y * shutter;
    const c = cosine(state.turn / 360), s = sine(state.turn / 360);
    const turning = state.size * sine(turns) * 2 * Math.PI * particle.tumble * shutter;
    return { u: Math.hypot(lens, dx * c + dy * s), v: Math.hypot(lens, dy * c - dx * s, turning) };
  }

  /** A streak from the particle's place `trail` seconds ago to the present one. */
  #streak(particle, state) {
    const tail = particle.position(Math.max(0, state.age - particle.trail));
    const dx = state.place.x - tail.x, dy = state.place.y - tail.y, flown = Math.hypot(dx, dy);
    // A streak thinner than two pixels would flicker, so its brightness is reduced instead of its width.
    const thickness = Math.max(state.size, 2.2 / this.unit), faint = Math.min(1, state.size / thickness);
    this.#line(
      "streak", Math.min(1, particle.aspect), tail, state.place, flown + thickness, thickness, state.colour,
      state.opacity * faint, particle.emitter.light);
  }

  /** A streak of a length, around the middle between two places and in their direction. */
  #line(shape, tail, from, to, length, width, colour, opacity, light, slope = length / width) {
    const dx = to.x - from.x, dy = to.y - from.y, distance = Math.hypot(dx, dy);
    const [c, s] = distance > 1e-9 ? [dx / distance, dy / distance] : [1, 0];
    this.#put(
      shape, [tail, slope], { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 }, [c * length, s * length],
      [-s * width, c * width], colour, opacity, light);
  }

  /** A beam along the particle's angle: a wide soft glow with a bright core. */
  #beam(particle, state) {
    const degrees = particle.angle + particle.swinging(state.age);
    const c = cosine(degrees / 360), s = -sine(degrees / 360), { length } = particle;
    const middle = { x: state.place.x + c * length / 2, y: state.place.y + s * length / 2 };
    const core = Math.max(state.size * 0.1, 5 / this.unit), width = Math.max(state.size, 8 / this.unit);
    const phase = particle.phase * 8 - state.age * 0.35 + 16;
    this.#put(
      "beam", [0.4, phase], middle, [c * length, s * length], [-s * width, c * width], state.colour, state.opacity, 1);
    // Reversed, so that the streak, which fades toward its tail, is brightest at the particle's place.
    this.#put(
      "streak", [1, length / core], middle, [-c * length, -s * length], [-s * core, c * core],
      whitened(state.colour, 0.8), state.opacity * 0.9, 1);
  }

  #sprite(particle, state) {
    const { emitter } = particle, sprite = this.canvas.sprite(emitter.sprite);
    if (emitter.string) this.#string(emitter.string, particle, state);
    const squash = particle.wobble * sine(particle.swayRate * 1.7 * state.age + particle.phase);
    const height = state.size * (1 - squash);
    const width = state.size * (1 + squash) * sprite.aspectRatio * particle.aspect;
    if (emitter.shadow > 0) {
      const place = { x: state.place.x + state.size * 0.03, y: state.place.y + state.size * 0.07 };
      this.#lay(
        "glow", [0.9], place, width * 1.5, state.size * 1.5, state.turn, black, state.opacity * emitter.shadow, 0);
    }
    const isTinted = emitter.colours.length > 0 || emitter.inheritColour;
    const c = cosine(state.turn / 360), s = sine(state.turn / 360), half = this.unit / 2;
    this.canvas.addSprite(
      emitter.sprite, this.box.x + state.place.x * this.unit, this.box.y + state.place.y * this.unit,
      c * width * half, s * width * half, -s * height * half, c * height * half,
      {
        tint: isTinted ? particle.colour : null, opacity: state.opacity,
        brightness: 1 - emitter.shade * (1 - particle.depth), blur: emitter.blur * Math.abs(particle.depth - 0.6),
      });
  }

  /** A string that hangs from a sprite's foot and follows its sideways movement with a delay. */
  #string(string, particle, state) {
    const segments = 9, reach = state.size * 0.49, width = Math.max(string.width * state.size, 2 / this.unit);
    const knot = {
      x: state.place.x - sine(state.turn / 360) * reach, y: state.place.y + cosine(state.turn / 360) * reach,
    };
    let last = knot;
    for (let i = 1; i <= segments; i++) {
      const s = i / segments, past = particle.position(state.age - s * 0.5);
      const wave = sine(s * 1.1 - state.age * 0.6 + particle.phase);
      const point = {
        x: knot.x + (past.x - state.place.x) * s + wave * 0.05 * s * state.size,
        y: knot.y + s * string.length * state.size,
      };
      const length = Math.hypot(point.x - last.x, point.y - last.y);
      if (length > 1e-9) {
        this.#line(
          "streak", 0, last, point, length + width * 0.4, width, string.colour, state.opacity * (1 - 0.5 * s), 0,
          length / width);
      }
      last = point;
    }
  }

  /** A paper streamer of short pieces, which follows its particle's path and curls around it like a spring. */
  #ribbon(particle, state) {
    const segments = 28, velocity = particle.velocity(state.age);
    const speed = Math.max(Math.hypot(velocity.x, velocity.y), 1e-6);
    const step = Math.min(particle.trail, particle.length * particle.scale / speed) / segments;
    const width = Math.max(state.size, 2 / this.unit), soft = this.lensBlur;
    const point = (i) => {
      const s = i / segments, turns = s * 2.4 + particle.phase - particle.tumble * state.age;
      const place = particle.position(Math.max(0, state.age - step * i));
      const curl = sine(turns) * state.size * (0.5 + 1.1 * s);
      return {
        x: place.x - velocity.y / speed * curl, y: place.y + velocity.x / speed * curl, facing: cosine(turns),
      };
    };
    let from = point(0);
    for (let i = 1; i <= segments; i++) {
      const to = point(i), length = Math.hypot(to.x - from.x, to.y - from.y);
      const facing = (from.facing + to.facing) / 2;
      if (length > 1e-9) {
        const thick = width * (0.3 + 0.7 * Math.abs(facing)), long = length / 2 + thick * 0.16;
        const c = (to.x - from.x) / length, s = (to.y - from.y) / length;
        this.#put(
          "paper", [long * this.unit, edgeSlope(thick, soft)], { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 },
          [c * 2 * long, s * 2 * long], [-s * (thick + soft), c * (thick + soft)],
          scaled(state.colour, facing > 0 ? 0.72 + 0.28 * facing : 0.66 + 0.2 * facing),
          state.opacity * Math.min(1, thick / soft), particle.emitter.light);
      }
      from = to;
    }
  }
}

/** Dims the whole box as an effect describes it, by a further `share` of 0…1. */
function drawDimming(instance, time, share, canvas, box) {
  const { dim, entrance } = instance.description;
  if (!dim) return;
  const coming = entrance > 0 ? smooth((time - instance.startTime) / entrance) : 1;
  const amount = dim.amount * coming * instance.exitFade(time) * share;
  if (amount < 0.002) return;
  canvas.add(
    "dimming", [dim.vignette, dim.sky, dim.haze, time - instance.startTime, box.width / box.height],
    box.x + box.width / 2, box.y + box.height / 2, box.width / 2, 0, 0, box.height / 2, dim.colour, amount);
}
