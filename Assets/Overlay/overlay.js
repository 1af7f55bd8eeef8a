"use strict";

// Draws the effects of a run on a transparent page, for OBS's browser source or a page over a video. The effects, their
// colours and their strength come from the program (`effects.json`), and follow its settings.

/** The settings of the page, from its address: the share of the dimming that is drawn, 0…1. */
const query = new URLSearchParams(location.search);
const dimming = clamp(Number(query.get("dim") ?? 0.6) || 0, 0, 1);

/** The height in pixels from which a browser without a graphics processor draws a smaller picture. */
const slowHeight = 540;

/** The delay before reconnecting after the connection was lost, in milliseconds. */
const retry = 1000;

const seconds = () => performance.now() / 1000;

/** The descriptions and sprites of the run's effects. */
class EffectLibrary {
  constructor(canvas) {
    this.canvas = canvas;
    this.effects = {};
    this.seed = "1";
    this.fetched = 0;
    /** The sprites that are being fetched, and whether all of them are here. */
    this.newest = null;
    this.isComplete = false;
    /** Sprites of earlier runs, which are drawn until all new ones are here. */
    this.obsolete = new Set();
  }

  /** The height of sprites on a canvas of a height, in pixels. */
  static spriteHeight(height) { return height > 1100 ? 1024 : height > 540 ? 512 : 256; }

  /**
   * Fetches the descriptions; the last call wins. Sprites follow one by one.
   *
   * - `isNewRun`: whether the sprites may be others.
   */
  async load(isNewRun) {
    const turn = ++this.fetched;
    const { seed, effects, sprites } = await (await fetch("effects.json")).json();
    if (turn !== this.fetched) return;
    for (const effect of Object.values(effects)) EffectLibrary.#decode(effect);
    [this.seed, this.effects] = [seed, effects];
    if (isNewRun) this.#loadSprites(sprites);
  }

  /** Fetches the sprites in the size that the canvas needs, each until it is here, or another run has begun. */
  async #loadSprites(paths) {
    const { canvas } = this, size = EffectLibrary.spriteHeight(canvas.element.height), sprites = paths.map(() => null);
    this.size = size;
    for (const sprite of canvas.sprites) this.obsolete.add(sprite);
    this.newest = sprites;
    this.isComplete = false;
    await Promise.all(paths.map(async (path, number) => {
      while (this.newest === sprites) {
        const picture = await EffectLibrary.#picture(`${path}?height=${size}`).catch(() => undefined);
        if (this.newest === sprites && picture) {
          sprites[number] = canvas.makeSprite(picture);
          picture.close();
          // Until the first new ones are here, those of the last run are drawn.
          canvas.sprites = sprites;
        }
        if (picture !== undefined) return;
        await new Promise((resolve) => setTimeout(resolve, retry));
      }
    }));
    if (this.newest !== sprites) return;
    canvas.forget(this.obsolete);
    this.obsolete.clear();
    this.isComplete = true;
  }

  /** Fetches a sprite; `null` if it cannot be drawn. */
  static async #picture(address) {
    const response = await fetch(address);
    if (!response.ok) return null;
    return createImageBitmap(await response.blob(), { premultiplyAlpha: "premultiply", colorSpaceConversion: "none" });
  }

  /** Replaces colours such as `#ff8800` by their parts, 0…1. */
  static #decode(effect) {
    const parts = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16) / 255);
    const decode = (emitter) => {
      emitter.colours = emitter.colours.map(parts);
      if (emitter.string) emitter.string.colour = parts(emitter.string.colour);
      emitter.children.forEach(decode);
    };
    if (effect.dim) effect.dim.colour = parts(effect.dim.colour);
    effect.emitters.forEach(decode);
  }
}

/** The effects in progress, and their pictures. */
class Overlay {
  constructor(element) {
    this.canvas = new EffectCanvas(element);
    this.library = new EffectLibrary(this.canvas);
    this.effects = new Map();
    this.pictureRatio = null;
    this.isAwake = false;
    this.fit();
  }

  /** Gives the canvas the page's size in pixels. */
  fit() {
    const { clientWidth, clientHeight } = this.canvas.element;
    let ratio = window.devicePixelRatio || 1;
    if (this.canvas.isSlow) ratio = Math.min(ratio, slowHeight / Math.max(clientHeight, 1));
    this.canvas.resize(Math.max(Math.round(clientWidth * ratio), 1), Math.max(Math.round(clientHeight * ratio), 1));
    if (this.library.size < EffectLibrary.spriteHeight(this.canvas.element.height)) this.reload(true).catch(() => {});
    this.wake();
  }

  /** The largest box of the video's aspect ratio in the middle of the page, in pixels. */
  get box() {
    const { width, height } = this.canvas.element, ratio = this.pictureRatio ?? width / height;
    // A pixel of rounding is no border.
    if (Math.abs(width / ratio - height) <= 1.5) return { x: 0, y: 0, width, height };
    const [w, h] = [Math.min(width, height * ratio), Math.min(height, width / ratio)];
    return { x: (width - w) / 2, y: (height - h) / 2, width: w, height: h };
  }

  /**
   * Starts an effect.
   *
   * - `effect`: as in events.
   * - `time`: the present on the video's clock, in seconds.
   */
  start(effect, time) {
    const description = this.library.effects[effect.reactionType];
    if (!description) return;
    const instance = new EffectInstance(description, effect, this.library.seed);
    // Each effect keeps its own clock, so that a run that is faster or slower than real time looks the same.
    instance.clock = time - seconds();
    this.effects.set(effect.id, instance);
    this.wake();
  }

  /** Ends effects that the program ended early. Others end by themselves. */
  end({ id, endTime }) {
    const instance = this.effects.get(id);
    if (instance && endTime < instance.endTime - 0.02) this.effects.delete(id);
  }

  /** Adopts the effects in progress at the beginning of a connection. `time` is the present on the video's clock. */
  adopt(list, time) {
    for (const [id, instance] of this.effects) {
      if (!list.some((effect) => effect.id === id && effect.startTime === instance.startTime)) {
        instance.cut(seconds() + instance.clock + EffectInstance.cutFade);
      }
    }
    for (const effect of list) {
      if (this.effects.get(effect.id)?.startTime !== effect.startTime) this.start(effect, time);
      // An effect that is past its first end was extended before the page connected.
      const instance = this.effects.get(effect.id);
      if (instance && time >= instance.endTime) instance.renew(time);
    }
  }

  /** Adopts the effects' present style, and in a new run their sprites. */
  async reload(isNewRun = false) {
    await this.library.load(isNewRun);
    for (const instance of this.effects.values()) {
      const description = this.library.effects[instance.effect.reactionType];
      if (description) instance.restyle(description);
    }
    this.wake();
  }

  wake() {
    if (this.isAwake) return;
    this.isAwake = true;
    requestAnimationFrame(() => this.#step());
  }

  #step() {
    const now = seconds();
    for (const [id, instance] of this.effects) if (now + instance.clock >= instance.endTime) this.effects.delete(id);
    this.draw([...this.effects.values()], (instance) => now + instance.clock);
    this.isAwake = this.effects.size > 0;
    // Without effects, the last picture is empty, and nothing is drawn until the next event.
    if (this.isAwake) requestAnimationFrame(() => this.#step());
  }

  /** Draws effects, each at its own time. */
  draw(instances, timeOf, share = dimming) {
    const { canvas, box } = this;
    canvas.begin();
    const tiles = [...new Set(instances.map((instance) => instance.tile?.id ?? Infinity))].sort((a, b) => a - b);
    for (const id of tiles) {
      const visible = instances.filter((i) => (i.tile?.id ?? Infinity) === id && i.isVisible(timeOf(i)));
      if (visible.length) this.#drawTile(visible, timeOf, share, Overlay.#part(box, visible[0].tile));
    }
    canvas.end();
  }

  static #part(box, tile) {
    if (!tile) return box;
    const { x, y, width, height } = tile;
    return {
      x: box.x + x * box.width, y: box.y + y * box.height, width: width * box.width, height: height * box.height,
    };
  }

  /** Draws the effects of a tile, or of the whole picture: dimming first, near particles last. */
  #drawTile(instances, timeOf, share, box) {
    const { canvas } = this, front = [];
    canvas.clipTo(box);
    for (const instance of instances) drawDimming(instance, timeOf(instance), share, canvas, box);
    for (const instance of instances) {
      const time = timeOf(instance), pen = new EffectPen(canvas, box, time), fade = instance.exitFade(time);
      for (const particle of instance.particles(time, box.width / box.height)) {
        if (particle.isInFront) front.push([pen, particle, fade]);
        else pen.draw(particle, fade);
      }
    }
    for (const [pen, particle, fade] of front) pen.draw(particle, fade);
  }
}

/** Follows the events of the run, and connects again whenever the program is back. */
class Connection {
  constructor(overlay) {
    this.overlay = overlay;
    this.open();
  }

  open() {
    const source = new EventSource("events"), { overlay } = this;
    /** The effects in progress at the beginning, until the video's clock is known. */
    let joined = null, isFirst = true;
    const isReady = overlay.reload(true).catch(() => {});
    // Events are followed in their sequence, once the descriptions are here.
    const later = (follow) => (message) => {
      const arrival = seconds();
      isReady.then(() => follow(JSON.parse(message.data), seconds() - arrival));
    };
    source.addEventListener("message", later((event, age) => {
      if (event.event === "effectsInProgress" && isFirst) {
        [joined, isFirst] = [event, false];
      } else {
        this.#follow(event, age);
      }
    }));
    source.addEventListener("status", later((status, age) => {
      if (!joined) return;
      overlay.adopt(joined.effects, Math.max(status.progress?.seconds ?? 0, joined.time) + age);
      joined = null;
    }));
    source.addEventListener("error", () => {
      // A new connection begins with the present state: the program may have been started again.
      source.close();
      setTimeout(() => this.open(), retry);
    });
  }

  /** `age` is the time for which the event has waited, in seconds. */
  #follow(event, age) {
    const { overlay } = this, instance = overlay.effects.get(event.id);
    switch (event.event) {
      case "streamStarted":
        overlay.pictureRatio = event.height > 0 ? event.width / event.height : null;
        return overlay.wake();
      case "effectStarted": return overlay.start(event, event.time + age);
      case "effectExtended": return instance?.renew(event.time);
      case "effectEnded": return overlay.end(event);
      case "layoutChanged":
        for (const each of overlay.effects.values()) each.follow(event.tiles, seconds() + each.clock);
        return;
      case "propertyChanged":
        if (["intensity", "calm", "palette"].includes(event.name)) overlay.reload().catch(() => {});
        return;
    }
  }
}

function showProblem(error) {
  const problem = document.getElementById("problem");
  problem.textContent = error.message;
  problem.hidden = false;
}

let overlay = null;
try {
  const element = document.getElementById("effects");
  overlay = new Overlay(element);
  new ResizeObserver(() => overlay.fit()).observe(element);
  // The driver lost all pictures; it restores the context in its own time.
  element.addEventListener("webglcontextlost", (event) => event.preventDefault());
  element.addEventListener("webglcontextrestored", () => location.reload());
  new Connection(overlay);
} catch (error) {
  showProblem(error);
}
