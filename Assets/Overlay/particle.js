"use strict";

// One particle: random values at its birth, from which its state at any time follows. Lengths are in heights of the
// picture, times in seconds. The keys of descriptions are those of docs/effect-format.md.

const sine = (turns) => Math.sin(turns * 2 * Math.PI);
const cosine = (turns) => Math.cos(turns * 2 * Math.PI);
const decay = (x) => (x <= 0 ? 1 : Math.exp(-x));
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const mix = (a, b, t) => a + (b - a) * t;

/** 0 below 0, 1 above 1, and a smooth transition between them. */
function smooth(x) {
  const t = clamp(x, 0, 1);
  return t * t * (3 - 2 * t);
}

/** The particle's own value of a number, a range, or a fan. */
function drawn(value, random, place) {
  if (typeof value === "number") return value;
  const [a, b] = value.fan ?? value;
  return a + (b - a) * (value.fan ? place : random);
}

/** The greatest value of a number, a range, or a fan. */
const greatest = (value) => (typeof value === "number" ? value : Math.max(...(value.fan ?? value)));
const least = (value) => (typeof value === "number" ? value : Math.min(...(value.fan ?? value)));

/** The factor of all sizes, below 1 on upright pictures. */
const sizeScale = (aspectRatio) => Math.min(1, aspectRatio / 0.8);

/** Factors by which an initial velocity and a constant acceleration become distances, with a linear drag. */
function carried(t, drag) {
  if (drag < 1e-3) return [t, t * t / 2];
  const f = (1 - decay(drag * t)) / drag;
  return [f, (t - f) / drag];
}

/** The value between evenly spaced key frames; 1 without key frames. */
function along(frames, t) {
  if (frames.length < 2) return frames[0] ?? 1;
  const x = clamp(t, 0, 1) * (frames.length - 1);
  const i = Math.min(Math.floor(x), frames.length - 2);
  return mix(frames[i], frames[i + 1], x - i);
}

/** Rises from 0 to 1 with an overshoot (Penner's "back" easing). */
function pop(t, overshoot) {
  const c = overshoot * 8, u = clamp(t, 0, 1) - 1;
  return 1 + (c + 1) * u * u * u + c * u * u;
}

/** The birthplace of a particle with these offsets. */
function birthplace(emitter, x, y, view) {
  const scale = sizeScale(view.aspectRatio);
  let place = { x: x * view.aspectRatio, y };
  if (emitter.anchor === "gesture") {
    const side = emitter.outward && view.origin.x < 0.5 ? -1 : 1;
    place = { x: view.origin.x * view.aspectRatio + x * side * scale, y: view.origin.y + y * scale };
  }
  if (emitter.inside != null) {
    const within = (value, margin, length) => 2 * margin > length ? length / 2 : clamp(value, margin, length - margin);
    place.x = within(place.x, emitter.inside[0] * scale, view.aspectRatio);
    place.y = within(place.y, emitter.inside[1] * scale, 1);
  }
  return place;
}

class Particle {
  /**
   * Draws all values in the program's sequence, so that the same key gives the same particle.
   *
   * - `place`: its place in its burst, 0…1.
   * - `view`: the effect's `origin` and the picture's `aspectRatio`.
   */
  constructor(emitter, birth, death, place, index, parent, random, view) {
    const draw = (value) => drawn(value, random.next(), place);
    this.emitter = emitter;
    this.birth = birth;
    this.death = death;
    this.depth = draw(emitter.depth);
    this.scale = 1 - emitter.perspective * (1 - this.depth);
    const speed = draw(emitter.speed) * this.scale;
    this.angle = draw(emitter.angle);
    const x = draw(emitter.x), y = draw(emitter.y);
    Object.assign(this, birthplace(emitter, x, y, view));
    this.velocityX = speed * cosine(this.angle / 360);
    this.velocityY = -speed * sine(this.angle / 360);
    if (parent) this.#leave(parent, draw(emitter.x), draw(emitter.y));
    this.colour = this.#choose(random.next(), index, parent);
    this.gravity = draw(emitter.gravity) * this.scale;
    this.drag = draw(emitter.drag);
    this.sway = draw(emitter.sway) * this.scale;
    this.swayRate = draw(emitter.swayRate);
    this.lean = draw(emitter.lean);
    this.phase = random.next();
    for (const name of ["tilt", "spin", "tumble", "swing", "swingRate", "swingDamping"]) this[name] = draw(emitter[name]);
    this.size = draw(emitter.size) * this.scale * sizeScale(view.aspectRatio);
    for (const name of ["aspect", "length", "trail", "opacity", "twinkle"]) this[name] = draw(emitter[name]);
    this.wobble = draw(emitter.wobble);
  }

  /** Starts at the parent's place, with a share of its velocity. */
  #leave(parent, x, y) {
    const age = this.birth - parent.birth;
    const place = parent.position(age), velocity = parent.velocity(age);
    this.x = place.x + x;
    this.y = place.y + y;
    this.velocityX += velocity.x * this.emitter.inherit;
    this.velocityY += velocity.y * this.emitter.inherit;
  }

  /** A burst assigns its colours evenly, a stream at random. */
  #choose(random, index, parent) {
    const { colours, inheritColour, count } = this.emitter;
    if (inheritColour && parent) return parent.colour;
    if (!colours.length) return [1, 1, 1];
    return colours[(count == null ? Math.floor(random * 1024) : index) % colours.length];
  }

  get isInFront() {
    return this.emitter.layer === "front" || (this.emitter.layer === "split" && this.depth >= 0.5);
  }

  position(age) {
    const [f, g] = carried(Math.max(age, 0), this.drag);
    let x = this.x + this.velocityX * f;
    if (this.sway > 0) x += this.sway * (sine(this.swayRate * age + this.phase) - sine(this.phase));
    return { x, y: this.y + this.velocityY * f + this.gravity * g };
  }

  velocity(age) {
    const [f] = carried(Math.max(age, 0), this.drag), left = decay(this.drag * Math.max(age, 0));
    return { x: this.velocityX * left, y: this.velocityY * left + this.gravity * f };
  }

  /** The rotation in the picture's plane, in degrees clockwise. */
  turn(age) {
    let degrees = this.tilt + this.spin * age;
    if (this.sway > 0 && this.lean !== 0) degrees += this.lean * cosine(this.swayRate * age + this.phase);
    return this.swing === 0 ? degrees : degrees + this.swinging(age);
  }

  swinging(age) {
    const phase = this.swingDamping > 0 ? 0 : this.phase;
    return this.swing * sine(this.swingRate * age + phase) * decay(this.swingDamping * age);
  }

  /** The factor of the size. */
  growth(age) {
    const { sizeOverLife, grow, shrink, overshoot } = this.emitter;
    const life = this.death - this.birth;
    let size = along(sizeOverLife, age / life);
    if (grow > 0 && age < grow) size *= pop(age / grow, overshoot);
    if (shrink > 0 && life - age < shrink) size *= pop((life - age) / shrink, overshoot * 0.5);
    return Math.max(size, 0);
  }

  visibility(age) {
    const { opacityOverLife, fadeIn, fadeOut } = this.emitter;
    const life = this.death - this.birth;
    let opacity = this.opacity * along(opacityOverLife, age / life);
    if (fadeIn > 0) opacity *= smooth(age / fadeIn);
    if (fadeOut > 0) opacity *= smooth((life - age) / fadeOut);
    if (this.twinkle > 0) opacity *= 0.65 + 0.35 * sine(this.twinkle * age + this.phase);
    return clamp(opacity, 0, 1);
  }

  /** The colour at an age: whiter at birth (`heat`), darker far away (`shade`). */
  tint(age) {
    const { heat, shade } = this.emitter;
    const left = 1 - age / (this.death - this.birth), white = heat * left * left;
    const light = shade > 0 ? 1 - shade * (1 - this.depth) : 1;
    return this.colour.map((c) => mix(c, 1, heat > 0 ? white : 0) * light);
  }
}
