// The picture: the recording itself, a stretch of it as it will look, and the place of the chosen reaction.

import { byId, clock, say } from "./words.js";
import { plainURL, stretchURL } from "./server.js";

/** How long a browser may take to show that it can play a file, in milliseconds. */
const patience = 8000;

export class Player extends EventTarget {
  #video = byId("video");
  #effects = byId("effects");
  #frame = 1 / 30;
  /** What the plan's clock shows when the video's own shows 0; unknown before a picture is there. */
  #offset = null;
  /** Where to go once it is known. */
  #wanted = null;
  #start = 0;
  #end = 0;
  /** Whether flourish makes what is played, since the browser cannot play the file. */
  #isMade = false;
  #speed = 1;
  #backward = null;
  #stretch = null;

  /** @param {object} session what is known of the recording. */
  open(session) {
    this.#frame = 1 / (session.frameRate || 30);
    this.#start = session.startTime;
    this.#end = session.startTime + (session.duration ?? 0);
    // Some browsers keep the recording's clock, others have every video begin at 0: at its beginning they tell.
    if (session.clockStart === 0) this.#offset = 0;
    byId("screen").style.aspectRatio = `${session.width} / ${session.height}`;
    byId("screen").style.setProperty("--shape", session.width / session.height);
    const video = this.#video;
    const giveUp = () => this.#makeIt();
    const timer = setTimeout(() => { if (video.readyState === 0) giveUp(); }, patience);
    video.addEventListener("error", () => {
      if (!video.getAttribute("src")) return;
      if (!this.#isMade) giveUp();
      // The server ends the converted video if the browser reads nothing for half a minute, as while it is paused.
      else if (video.currentTime > 0) this.#load(this.time);
    });
    video.addEventListener("loadedmetadata", () => {
      clearTimeout(timer);
      if (!this.#isMade && !video.videoWidth) giveUp();
      else byId("nothing").hidden = true;
    });
    video.addEventListener("loadeddata", () => {
      if (this.#isMade) return;
      this.#offset ??= session.clockStart - video.currentTime;
      // Sound may begin before the first picture; the review does not.
      if (this.#wanted !== null || this.time < this.#start) this.seek(this.#wanted ?? this.#start);
    });
    for (const name of ["play", "pause", "seeked", "timeupdate", "ended"]) {
      video.addEventListener(name, () => this.#tell());
    }
    this.#effects.addEventListener("ended", () => this.closeStretch(true));
    this.#effects.addEventListener("error", () => {
      if (!this.#stretch) return;
      this.closeStretch();
      say("This stretch cannot be shown", true);
    });
    this.#effects.addEventListener("playing", () => {
      byId("screen").classList.add("effects");
      byId("screen").classList.remove("waiting");
    });
    video.src = "video";
    this.#tell();
    const follow = () => {
      if (!video.paused || this.#stretch) this.#tell();
      requestAnimationFrame(follow);
    };
    follow();
  }

  /** The recording's own bounds, once the plan says them. */
  setBounds(start, end) {
    [this.#start, this.#end] = [start, end];
  }

  /** Seconds on the plan's clock. */
  get time() {
    if (this.#stretch) return this.#stretch.from + this.#effects.currentTime;
    return this.#offset === null ? this.#wanted ?? this.#start : this.#video.currentTime + this.#offset;
  }

  get isPlaying() { return this.#stretch ? !this.#effects.paused : !this.#video.paused || this.#backward !== null; }
  get showsEffects() { return this.#stretch !== null; }
  /** Whether the recording plays forward, and how fast. */
  get isRunning() { return !this.#video.paused && !this.#stretch; }
  get speed() { return this.#video.playbackRate; }

  seek(time, { isFrame = false } = {}) {
    this.closeStretch();
    const end = this.#end - this.#frame / 2;
    const target = Math.min(Math.max(time, this.#start), Math.max(end, this.#start));
    if (this.#offset === null) this.#wanted = target;
    else this.#go(target, isFrame);
    this.#tell();
  }

  #go(time, isFrame) {
    const place = time - this.#offset;
    if (!this.#isMade) this.#video.currentTime = isFrame ? place + this.#frame / 4 : place;
    else if (canSeek(this.#video, place)) this.#video.currentTime = place;
    else this.#load(time);
  }

  /** Goes on by frames. */
  step(frames) {
    this.pause();
    const now = Math.round((this.time - this.#start) / this.#frame - 0.2);
    this.seek(this.#start + (now + frames) * this.#frame, { isFrame: true });
  }

  toggle() { if (this.isPlaying) this.pause(); else this.play(1); }

  /** Plays; below 0 backward. */
  play(speed) {
    this.closeStretch();
    this.#stopBackward();
    this.#speed = speed;
    if (speed < 0) return this.#playBackward();
    if (this.#video.ended) this.seek(this.#start);
    this.#video.playbackRate = speed;
    this.#video.play().catch(() => {});
  }

  /** J and L: faster with each press, in their direction. */
  shuttle(direction) {
    const isOn = this.isPlaying && Math.sign(this.#speed) === direction;
    this.play(isOn ? Math.sign(this.#speed) * Math.min(Math.abs(this.#speed) * 2, 8) : direction);
  }

  pause() {
    this.#stopBackward();
    this.#video.pause();
    if (this.#stretch) this.#effects.pause();
    this.#tell();
  }

  #playBackward() {
    this.#video.pause();
    // Where each picture before would have to be made anew, it goes a second back.
    const before = this.#video.currentTime - this.#frame, first = Math.max(this.#start - this.#offset, 0);
    if (this.#isMade && !canSeek(this.#video, Math.max(before, first))) return this.seek(this.time - 1);
    let last = performance.now();
    const back = () => {
      const now = performance.now();
      const next = this.#video.currentTime + (now - last) / 1000 * this.#speed;
      // A video that is still looking for its picture is not asked for the next.
      if (!this.#video.seeking) {
        last = now;
        this.#video.currentTime = Math.max(next, first);
      }
      if (next <= first) return this.pause();
      this.#backward = requestAnimationFrame(back);
      this.#tell();
    };
    this.#backward = requestAnimationFrame(back);
  }

  #stopBackward() {
    if (this.#backward !== null) cancelAnimationFrame(this.#backward);
    this.#backward = null;
    this.#speed = 1;
  }

  // --- A stretch with its effects -----------------------------------------------

  /** Shows a stretch as it will look. The reaction is shown even where it is switched off. */
  showStretch(from, to, { id, startTime }, revision) {
    this.pause();
    this.closeStretch();
    this.#stretch = { from, to, start: startTime };
    byId("screen").classList.add("waiting");
    this.#effects.src = stretchURL(from - this.#start, to - this.#start, id, revision);
    this.#effects.hidden = false;
    this.#effects.play().catch(() => {});
    this.#tell();
  }

  /** @param {boolean} isOver whether it was seen to its end: then the video is where the reaction starts. */
  closeStretch(isOver = false) {
    if (!this.#stretch) return;
    const { from, to, start } = this.#stretch;
    const time = isOver ? start : Math.min(from + this.#effects.currentTime, to);
    this.#stretch = null;
    this.#effects.removeAttribute("src");
    this.#effects.load();
    this.#effects.hidden = true;
    byId("screen").classList.remove("effects", "waiting");
    this.seek(time);
  }

  // --- What the browser cannot play -----------------------------------------------

  #makeIt() {
    if (this.#isMade) return;
    const time = this.time;
    this.#isMade = true;
    byId("made").hidden = false;
    this.#load(time);
  }

  #load(time) {
    const wasPlaying = !this.#video.paused;
    this.#offset = time;
    this.#video.src = plainURL(time - this.#start);
    if (wasPlaying) this.#video.play().catch(() => {});
  }

  #tell() {
    byId("time").textContent = `${clock(Math.max(this.time - this.#start, 0))} / ${clock(this.#end - this.#start, 0)}`;
    const isPlaying = this.isPlaying;
    byId("play").classList.toggle("on", isPlaying);
    byId("play").setAttribute("aria-label", isPlaying ? "Pause" : "Play");
    this.dispatchEvent(new Event("time"));
  }
}

/** Whether the browser can go there in what it has. Chromium has, but cannot: where it cannot it goes to the beginning. */
export function canSeek(video, place) {
  const holds = (ranges, spare) => Array.from({ length: ranges.length }, (_, i) => i)
    .some((i) => place >= ranges.start(i) && place <= ranges.end(i) - spare);
  return holds(video.buffered, 0.1) && holds(video.seekable, 0);
}

/** Where the picture is in its frame, in pixels: there may be bars at two sides. */
export function pictureBox() {
  const frame = byId("screen").getBoundingClientRect();
  const shape = Number(byId("screen").style.getPropertyValue("--shape")) || 16 / 9;
  const width = Math.min(frame.width, frame.height * shape), height = width / shape;
  return new DOMRect(frame.x + (frame.width - width) / 2, frame.y + (frame.height - height) / 2, width, height);
}
