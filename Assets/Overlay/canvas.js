"use strict";

// Draws soft shapes and sprites with WebGL 2. Everything is drawn into a picture of colours and cover first: light adds
// colour without cover. A second pass gives each pixel the least opacity that its colour needs, as in the overlays that
// the program writes (docs/overlay.md).

const shapeNames = ["sprite", "glow", "disc", "ring", "paper", "streak", "beam", "sparkle", "dimming"];

/** The cells of a shape across and down: at their corners, the dimming is computed. */
const oneCell = [1, 1], dimmingCells = [24, 14];

/** The numbers of a shape: its centre, two half sides, its colour and cover, its kind, and five parameters. */
const shapeLength = 16;

const shapeVertices = `#version 300 es
  layout(location = 0) in vec2 centre;
  layout(location = 1) in vec4 sides;
  layout(location = 2) in vec4 paint;
  layout(location = 3) in vec2 kindAndFirst;
  layout(location = 4) in vec4 others;
  uniform vec2 size;
  uniform ivec2 cells;
  out vec2 at;
  out float dimmed;
  flat out vec4 colour;
  flat out int kind;
  flat out float first;
  flat out vec4 rest;

  float wave(float turns) { return sin(turns * 6.283185307); }

  // first: vignette; rest: sky, haze, time and aspect ratio. It changes so slowly that it is computed at the corners of
  // cells only.
  float dimming(float u, float v) {
    float x = (u + 1.0) * 0.5 * rest.w, y = (v + 1.0) * 0.5;
    float amount = 1.0 - first * (1.0 - min(1.0, (u * u + v * v) * 0.6));
    amount *= 1.0 - rest.x * y;
    float n1 = wave(x * 0.9 + y * 0.5 + rest.z * 0.07);
    float n2 = wave(x * 0.6 - y * 1.3 - rest.z * 0.05 + n1 * 0.15);
    float n3 = wave(x * 2.1 + y * 1.7 + rest.z * 0.11 + n2 * 0.2);
    return amount * (1.0 - rest.y * (0.5 + 0.25 * n1 + 0.15 * n2 + 0.1 * n3));
  }

  void main() {
    // Two triangles for each cell.
    int cell = gl_VertexID / 6, corner = gl_VertexID % 6;
    int right = int(corner == 1 || corner >= 4), lower = int(corner == 2 || corner == 3 || corner == 5);
    at = vec2(cell % cells.x + right, cell / cells.x + lower) / vec2(cells) * 2.0 - 1.0;
    kind = int(kindAndFirst.x);
    // A sprite is wider by half a texel on each side, where it fades out.
    if (kind == 0) at *= 1.0 + 1.0 / others.xy;
    colour = paint;
    first = kindAndFirst.y;
    rest = others;
    dimmed = kind == 8 ? colour.a * dimming(at.x, at.y) : 0.0;
    vec2 place = (centre + sides.xy * at.x + sides.zw * at.y) / size * 2.0 - 1.0;
    gl_Position = vec4(place.x, -place.y, 0, 1);
  }`;

const shapeFragments = `#version 300 es
  precision highp float;
  precision highp int;
  in vec2 at;
  in float dimmed;
  flat in vec4 colour;
  flat in int kind;
  flat in float first;
  flat in vec4 rest;
  uniform sampler2D sprite;
  out vec4 result;

  float unit(float x) { return clamp(x, 0.0, 1.0); }

  float beam(float u, float v) {
    float h = max((u + 1.0) * 0.5, 0.0), w = v / (first + (1.0 - first) * h);
    float m = max(1.0 - w * w, 0.0), m2 = m * m, f = fract(h * 4.3 + rest.x);
    float smoke = 0.42 + 2.1 * f * (1.0 - f);
    return min(1.0, m2 * (0.45 * m + 0.55 * m2 * m2) * max(1.0 - h * h, 0.0) * min(1.0, h * 24.0) * smoke);
  }

  float sparkle(float u, float v) {
    float t = max(1.0 - sqrt(abs(u)) - sqrt(abs(v)), 0.0), m = max(1.0 - (u * u + v * v) * 9.0, 0.0);
    return min(1.0, t * 2.2 + m * m * 0.35);
  }

  float coverage(float u, float v) {
    float r = length(at);
    switch (kind) {
      case 1: {
        float m = max(1.0 - u * u - v * v, 0.0), m2 = m * m;
        return m2 * (first + (1.0 - first) * m2 * m2);
      }
      case 2: return unit((1.0 - r) * first);
      case 3: {
        float t = max(1.0 - abs(r - first) * rest.x, 0.0);
        return t * t * (3.0 - 2.0 * t);
      }
      case 4: return unit((1.0 - abs(u)) * first) * unit((1.0 - abs(v)) * rest.x);
      case 5: {
        float across = max(1.0 - v * v, 0.0), h = (u + 1.0) * 0.5;
        return across * across * unit((1.0 - abs(u)) * rest.x) * max(1.0 - first * (1.0 - h * h), 0.0);
      }
      case 6: return beam(u, v);
      case 7: return sparkle(u, v);
      default: return 0.0;
    }
  }

  // The middle grey of a sprite becomes the colour, darker greys its shades, and lighter greys its highlights.
  vec3 tinted(float grey) {
    float s = grey * 2.0;
    if (s >= 1.0) return mix(colour.rgb, vec3(1), s - 1.0);
    return colour.rgb * s * (0.6 + 0.4 * s) + colour.rgb * colour.rgb * 0.4 * s * (1.0 - s);
  }

  void main() {
    if (kind == 0) {
      // first: level; rest: the level's width and height in texels, brightness, and whether it is tinted.
      vec4 texel = textureLod(sprite, at * 0.5 + 0.5, first);
      if (rest.w > 0.0 && texel.a > 0.0) texel.rgb = tinted(texel.g / texel.a) * texel.a;
      float edge = unit((1.0 - abs(at.x)) * rest.x * 0.5 + 0.5) * unit((1.0 - abs(at.y)) * rest.y * 0.5 + 0.5);
      result = vec4(texel.rgb * rest.z, texel.a) * colour.a * edge;
    } else if (kind == 8) {
      result = vec4(colour.rgb, 1) * unit(dimmed);
    } else {
      result = colour * coverage(at.x, at.y);
    }
  }`;

const finalVertices = `#version 300 es
  void main() {
    gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0, 0, 1);
  }`;

const finalFragments = `#version 300 es
  precision highp float;
  uniform sampler2D drawing;
  out vec4 result;
  void main() {
    vec4 drawn = texelFetch(drawing, ivec2(gl_FragCoord.xy), 0);
    result = vec4(drawn.rgb, max(drawn.a, max(drawn.r, max(drawn.g, drawn.b))));
  }`;

/** The names of renderers without a graphics processor. */
const softwareRenderers = /SwiftShader|llvmpipe|softpipe|Basic Render|Software/i;

class EffectCanvas {
  /** Fails with an error in words if the browser has no WebGL 2. */
  constructor(element) {
    const gl = element.getContext("webgl2", {
      alpha: true, premultipliedAlpha: true, antialias: false, depth: false, powerPreference: "high-performance",
    });
    if (!gl) throw new Error("This page needs WebGL 2: switch on the browser's hardware acceleration.");
    this.element = element;
    this.gl = gl;
    /** Whether there is no graphics processor, so that the time grows with the pixels. */
    this.isSlow = softwareRenderers.test(this.#renderer);
    this.shapes = this.#program(shapeVertices, shapeFragments);
    this.final = this.#program(finalVertices, finalFragments);
    this.sizeLocation = gl.getUniformLocation(this.shapes, "size");
    this.cellsLocation = gl.getUniformLocation(this.shapes, "cells");
    /** The sprites by their numbers; `null` for one that is not here yet, and is not drawn. */
    this.sprites = [];
    this.numbers = new Float32Array(shapeLength * 4096);
    this.count = 0;
    this.batches = [];
    this.#prepareArrays();
    this.nothing = this.#texture();
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 1, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    this.target = this.#texture();
    this.frame = gl.createFramebuffer();
    this.resize(element.width, element.height);
  }

  get #renderer() {
    const { gl } = this, names = gl.getExtension("WEBGL_debug_renderer_info");
    return String(gl.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER));
  }

  #program(vertices, fragments) {
    const { gl } = this, program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertices], [gl.FRAGMENT_SHADER, fragments]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
      gl.deleteShader(shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
      throw new Error(`The browser's WebGL 2 cannot draw the effects: ${gl.getProgramInfoLog(program)}`);
    }
    return program;
  }

  #prepareArrays() {
    const { gl } = this;
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    this.plain = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    for (let location = 0; location < 5; location++) {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribDivisor(location, 1);
    }
  }

  #texture() {
    const { gl } = this, texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    return texture;
  }

  resize(width, height) {
    const { gl } = this;
    [this.element.width, this.element.height] = [width, height];
    gl.bindTexture(gl.TEXTURE_2D, this.target);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.target, 0);
    gl.viewport(0, 0, width, height);
    /** The pixels that may not be empty: left, top, right and bottom. */
    this.drawn = [0, 0, width, height];
  }

  /** Returns a sprite of a premultiplied picture, for `sprites`. */
  makeSprite(picture) {
    const { gl } = this, texture = this.#texture(), { width, height } = picture;
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, picture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_NEAREST);
    gl.generateMipmap(gl.TEXTURE_2D);
    return { texture, width, height, aspectRatio: width / height };
  }

  /** Frees the memory of sprites that are not drawn any more. */
  forget(sprites) {
    for (const sprite of sprites) if (sprite && !this.sprites.includes(sprite)) this.gl.deleteTexture(sprite.texture);
  }

  sprite(index) { return this.sprites[index] ?? { texture: null, aspectRatio: 1 }; }

  /** Begins a picture. */
  begin() {
    this.count = 0;
    this.batches = [];
    this.clip = null;
    this.bounds = [Infinity, Infinity, -Infinity, -Infinity];
  }

  /** Clips the following shapes to a box in pixels. */
  clipTo(box) { this.clip = box; }

  /** Adds a shape: its centre and half sides in pixels, its premultiplied colour, and its cover. */
  add(shape, parameters, x, y, ax, ay, bx, by, colour, cover) {
    const [red, green, blue] = colour;
    const cells = shape === "dimming" ? dimmingCells : oneCell;
    this.#append(
      null, cells, x, y, ax, ay, bx, by, red, green, blue, cover, shapeNames.indexOf(shape), parameters[0] ?? 0,
      parameters[1] ?? 0, parameters[2] ?? 0, parameters[3] ?? 0, parameters[4] ?? 0);
  }

  addSprite(index, x, y, ax, ay, bx, by, { tint, opacity, brightness, blur }) {
    const { texture, width, height } = this.sprite(index);
    if (!texture) return;
    // A level with about one texel for each pixel, or, out of focus, one with fewer.
    const across = 2 * Math.hypot(ax, ay) / width, down = 2 * Math.hypot(bx, by) / height;
    const enough = 0.6 * (1 + blur * (1 + blur) / 2), last = Math.floor(Math.log2(Math.min(width, height))) - 2;
    let level = 0;
    for (let scale = blur < 1 ? Math.max(across, down) : Math.min(across, down);
      scale <= enough && level < last; scale *= 2) level += 1;
    const [red, green, blue] = tint ?? white;
    this.#append(
      texture, oneCell, x, y, ax, ay, bx, by, red, green, blue, Math.min(opacity, 1), 0, level, Math.max(width >> level, 1),
      Math.max(height >> level, 1), clamp(brightness, 0, 1), tint ? 1 : 0);
  }

  #append(texture, cells, x, y, ax, ay, bx, by, ...others) {
    const reachX = Math.abs(ax) + Math.abs(bx), reachY = Math.abs(ay) + Math.abs(by);
    const { width, height } = this.element;
    if (x + reachX < 0 || y + reachY < 0 || x - reachX > width || y - reachY > height) return;
    const [left, top, right, bottom] = this.bounds;
    this.bounds = [
      Math.min(left, x - reachX), Math.min(top, y - reachY), Math.max(right, x + reachX), Math.max(bottom, y + reachY),
    ];
    let batch = this.batches.at(-1);
    const isOther = texture && batch?.texture && batch.texture !== texture;
    if (!batch || batch.clip !== this.clip || batch.cells !== cells || isOther) {
      batch = { first: this.count, texture, cells, clip: this.clip };
      this.batches.push(batch);
    }
    batch.texture ??= texture;
    if ((this.count + 1) * shapeLength > this.numbers.length) {
      const more = new Float32Array(this.numbers.length * 2);
      more.set(this.numbers);
      this.numbers = more;
    }
    this.numbers.set([x, y, ax, ay, bx, by], this.count * shapeLength);
    this.numbers.set(others, this.count * shapeLength + 6);
    this.count += 1;
  }

  /** Draws the shapes added since `begin`. Only the pixels in their bounds are touched. */
  end() {
    const { gl } = this, { width, height } = this.element;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
    gl.clearColor(0, 0, 0, 0);
    this.#scissor(this.drawn);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.disable(gl.SCISSOR_TEST);
    const margin = [-2, -2, 2, 2], limits = [width, height, width, height];
    this.drawn = this.count > 0 ? this.bounds.map((at, i) => clamp(at + margin[i], 0, limits[i])) : [0, 0, 0, 0];
    if (this.count > 0) {
      gl.useProgram(this.shapes);
      gl.uniform2f(this.sizeLocation, width, height);
      gl.bindVertexArray(this.array);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
      gl.bufferData(gl.ARRAY_BUFFER, this.numbers.subarray(0, this.count * shapeLength), gl.STREAM_DRAW);
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
      this.batches.forEach((batch, i) => this.#drawBatch(batch, this.batches[i + 1]?.first ?? this.count));
      gl.disable(gl.BLEND);
      gl.disable(gl.SCISSOR_TEST);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.clear(gl.COLOR_BUFFER_BIT);
    this.#scissor(this.drawn);
    gl.useProgram(this.final);
    gl.bindVertexArray(this.plain);
    gl.bindTexture(gl.TEXTURE_2D, this.target);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.disable(gl.SCISSOR_TEST);
  }

  /** Restricts drawing to the pixels between four sides. */
  #scissor([left, top, right, bottom]) {
    const { gl } = this, x = Math.floor(left), y = Math.floor(top);
    const below = Math.ceil(bottom);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(x, this.element.height - below, Math.ceil(right) - x, below - y);
  }

  #drawBatch({ first, texture, cells, clip }, end) {
    const { gl } = this;
    if (clip) {
      this.#scissor([clip.x, clip.y, clip.x + clip.width, clip.y + clip.height]);
    } else {
      gl.disable(gl.SCISSOR_TEST);
    }
    gl.bindTexture(gl.TEXTURE_2D, texture ?? this.nothing);
    [[0, 2, 0], [1, 4, 2], [2, 4, 6], [3, 2, 10], [4, 4, 12]].forEach(([location, count, offset]) => {
      const start = (first * shapeLength + offset) * 4;
      gl.vertexAttribPointer(location, count, gl.FLOAT, false, shapeLength * 4, start);
    });
    gl.uniform2i(this.cellsLocation, ...cells);
    gl.drawArraysInstanced(gl.TRIANGLES, 0, 6 * cells[0] * cells[1], end - first);
  }
}
