"use strict";

// One occurrence of an effect: its time, place and seed, and the particles that are alive at a time. Nothing is
// simulated step by step: a particle is made when it is first seen, and is the same at whatever time that is.

/** A step near 0.38 n without a common factor with n. Its multiples modulo n visit each of 0..<n once. */
function mixingStep(n) {
  const common = (a, b) => (b === 0 ? a : common(b, a % b));
  let step = Math.max(1, Math.floor(n * 0.382));
  while (common(n, step) !== 1) step += 1;
  return step;
}

/** The longest time from a burst, or a birth in a stream, until the particles and their descendants are gone. */
function reach(emitter) {
  emitter.reach ??= greatest(emitter.life ?? 1e4) + Math.max(0, ...emitter.children.map(reach)) + emitter.over;
  return emitter.reach;
}

/** An emitter at work: of an effect, of one of its later bursts, or at one parent particle. */
class Source {
  constructor(emitter, key, parent = null) {
    this.emitter = emitter;
    this.key = key;
    this.parent = parent;
    this.delay = drawn(emitter.start, new EffectRandom(key).next(), 0);
    this.born = new Map();
    this.begin = null;
  }

  /**
   * Adds the particles that are alive.
   *
   * - `from`: the time from which they are born.
   * - `scene`: the effect at a time; see `EffectInstance.scene`.
   */
  collect(from, scene, particles) {
    const { emitter, parent } = this, { time } = scene;
    const begin = from + this.delay;
    if (begin !== this.begin) {
      this.begin = begin;
      this.born.clear();
    }
    if (time < begin) return;
    const longest = emitter.life == null ? scene.visibleEnd - begin : reach(emitter);
    if (emitter.count != null) {
      if (time > begin + emitter.over + longest) return this.born.clear();
      const n = Math.max(1, Math.round(emitter.count)), step = mixingStep(n), interval = emitter.over / n;
      for (let i = 0; i < n; i++) {
        const place = n > 1 ? ((i * step) % n) / (n - 1) : 0.5;
        this.#add(i, begin + interval * i, interval, place, scene, particles);
      }
      return;
    }
    const end = parent ? parent.death : scene.instance.endTime - emitter.stop;
    const last = Math.floor((Math.min(time, end) - begin) * emitter.rate);
    const first = Math.max(0, Math.floor((time - longest - begin) * emitter.rate) - 1);
    for (const index of this.born.keys()) if (index < first) this.born.delete(index);
    for (let i = first; i <= last; i++) {
      const moment = begin + i / emitter.rate;
      if (moment >= end || (!parent && scene.instance.hadEnded(emitter, moment))) continue;
      this.#add(i, moment, 1 / emitter.rate, 0.5, scene, particles);
    }
  }

  /** Adds one particle, if it is alive, after its descendants. */
  #add(index, earliest, interval, place, scene, particles) {
    const { emitter } = this, { time } = scene;
    let entry = this.born.get(index);
    if (!entry) {
      const key = childKey(this.key, index), random = new EffectRandom(key);
      entry = { key, random, birth: earliest + interval * random.next() };
      this.born.set(index, entry);
    }
    if (time < entry.birth) return;
    if (entry.random) {
      // Where people are, is unknown here, so nothing is born on their outlines.
      entry.life = drawn(emitter.life ?? 0, entry.random.next(), place);
      entry.particle = emitter.anchor === "people" ? null
        : new Particle(emitter, entry.birth, 0, place, index, this.parent, entry.random, scene.instance.view);
      entry.children = emitter.children.map(
        (child, i) => new Source(child, childKey(entry.key, 1000 + i), entry.particle));
      entry.random = null;
    }
    const { particle } = entry;
    if (!particle) return;
    particle.death = emitter.life == null ? scene.visibleEnd - emitter.stop : entry.birth + entry.life;
    for (const child of entry.children) {
      child.collect(child.emitter.when === "death" ? particle.death : entry.birth, scene, particles);
    }
    if (time < particle.death) particles.push(particle);
  }
}

class EffectInstance {
  /** The fade of an effect that is cut off, in seconds. */
  static cutFade = 0.4;

  /**
   * - `description`: the effect as `effects.json` describes it.
   * - `effect`: `id`, `reactionType`, `origin`, `startTime`, and perhaps `detail` and `tile`, as in events.
   * - `seed`: of the run.
   */
  constructor(description, effect, seed) {
    this.effect = effect;
    this.seed = effectSeed(seed, effect.id);
    this.startTime = effect.startTime;
    this.duration = description.duration;
    this.endTime = effect.startTime + description.duration;
    this.renewals = [];
    this.isCut = false;
    this.origin = effect.origin;
    this.tile = effect.tile ?? null;
    this.view = null;
    this.restyle(description);
  }

  /** Adopts another description, after a change of the style. */
  restyle(description) {
    this.description = thinned(description, this.effect.detail ?? 1);
    this.sources = null;
  }

  isVisible(time) { return time >= this.startTime && time < this.endTime; }

  /** Continues for a whole duration after another burst, at least half a duration after the last one. */
  renew(time) {
    const last = this.renewals.at(-1)?.burstTime ?? this.startTime;
    if (last >= time) return;
    const burstTime = Math.max(time, last + this.duration / 2);
    this.renewals.push({ requestTime: time, burstTime, formerEnd: this.endTime, sources: null });
    this.endTime = Math.max(this.endTime, burstTime + this.duration);
    this.isCut = false;
  }

  /** Fades out what is left until a time. */
  cut(time) {
    this.isCut ||= this.endTime > time;
    this.endTime = Math.min(this.endTime, time);
  }

  /** Follows its tile, and ends with it. `time` is the present. */
  follow(tiles, time) {
    if (!this.tile) return;
    const next = tiles.find((tile) => tile.id === this.tile.id);
    if (!next) return this.cut(time + 0.3);
    const { x, y } = this.placeInTile;
    this.origin = { x: next.x + x * next.width, y: next.y + y * next.height };
    this.tile = next;
  }

  /** The origin as fractions of the tile, or of the whole picture. */
  get placeInTile() {
    const { origin, tile } = this;
    return tile ? { x: (origin.x - tile.x) / tile.width, y: (origin.y - tile.y) / tile.height } : origin;
  }

  /** Whether a stream had ended at a moment, since the effect was renewed only later. */
  hadEnded(emitter, moment) {
    return this.renewals.some((r) => r.formerEnd - emitter.stop <= moment && moment < r.requestTime);
  }

  /** The end as it appears at a time. An effect that is renewed while it fades returns gradually. */
  visibleEnd(time) {
    const end = this.renewals.find((r) => time < r.requestTime)?.formerEnd ?? this.endTime;
    const last = this.renewals.findLast((r) => r.requestTime <= time);
    if (!last) return end;
    return Math.min(end, time + last.formerEnd - last.requestTime + 2 * (time - last.requestTime));
  }

  /** The share of everything that is left during the exit, from 1 to 0. */
  exitFade(time) {
    const { exit } = this.description;
    const own = exit > 0 ? smooth((this.visibleEnd(time) - time) / exit) : 1;
    return this.isCut ? Math.min(own, smooth((this.endTime - time) / EffectInstance.cutFade)) : own;
  }

  /** The particles that are alive at a time, in drawing order, on a picture of an aspect ratio. */
  particles(time, aspectRatio) {
    const origin = this.placeInTile;
    if (this.view?.aspectRatio !== aspectRatio || this.view.origin.x !== origin.x || this.view.origin.y !== origin.y) {
      this.view = { aspectRatio, origin };
      this.sources = null;
    }
    const first = childKey(this.seed, 0x5eed);
    const keys = this.description.emitters.map((_, index) => childKey(first, index));
    if (!this.sources) {
      this.sources = this.description.emitters.map((emitter, index) => new Source(emitter, keys[index]));
      for (const renewal of this.renewals) renewal.sources = null;
    }
    const scene = { instance: this, time, visibleEnd: this.visibleEnd(time) };
    const all = [];
    this.description.emitters.forEach((emitter, index) => {
      const particles = [];
      this.sources[index].collect(this.startTime, scene, particles);
      if (emitter.count != null && emitter.life != null) {
        for (const renewal of this.renewals) {
          renewal.sources ??= [];
          renewal.sources[index] ??= new Source(emitter, timeKey(keys[index], renewal.burstTime));
          renewal.sources[index].collect(renewal.burstTime, scene, particles);
        }
      }
      if (emitter.perspective > 0) particles.sort((a, b) => a.depth - b.depth);
      all.push(...particles);
    });
    return all;
  }
}

/** An effect with a share of the pieces of its bursts and streams. A burst of few pieces keeps all of them. */
function thinned(description, share) {
  if (share >= 1) return description;
  const thin = (emitter) => ({
    ...emitter, reach: undefined, children: emitter.children.map(thin), rate: emitter.rate * share,
    count: emitter.count > 4 ? Math.max(Math.round(emitter.count * share), 4) : emitter.count,
  });
  return { ...description, emitters: description.emitters.map(thin) };
}
