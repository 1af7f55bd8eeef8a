// The rendered video beside the recording. The recording's player leads: both show the same time.

import { byId, say } from "./words.js";
import { plainURL, resultURL } from "./server.js";
import { canSeek } from "./player.js";

/** The difference in time that a change of speed makes up, and the one from which the video is sought anew, in seconds. */
const slack = 0.02, greatest = 0.25;
/** The time from the beginning of a comparison to its first reaction, in seconds. */
const lead = 1;

export class Result extends EventTarget {
  #player;
  #video = byId("result-video");
  #session = null;
  /** What flourish says of the rendering; null before there is one. */
  #state = null;
  /** The plan's time when the video's own shows 0; null before it is known. */
  #offset = null;
  /** Whether flourish converts it, since the browser cannot play the file. */
  #isMade = false;

  constructor(player) {
    super();
    this.#player = player;
    byId("compare").addEventListener("click", () => { if (this.isShown) this.hide(); else this.show(); });
    player.addEventListener("time", () => this.#follow());
    const video = this.#video;
    video.addEventListener("loadeddata", () => {
      const { startTime = this.#session.startTime, clockStart = this.#session.clockStart } = this.#state;
      // The first picture of both is at the same time, whatever their clocks say.
      if (!this.#isMade) this.#offset ??= clockStart - video.currentTime + this.#session.startTime - startTime;
      this.#follow();
    });
    video.addEventListener("error", () => {
      if (!video.getAttribute("src")) return;
      // The server ends a converted video if the browser reads nothing for half a minute, as while it is paused.
      if (!this.#isMade || video.currentTime > 0) {
        this.#isMade = true;
        return this.#load(player.time);
      }
      this.hide();
      say("The rendered video cannot be shown", true);
    });
    video.addEventListener("seeked", () => this.#follow());
  }

  open(session) {
    this.#session = session;
    byId("result").style.aspectRatio = `${session.width} / ${session.height}`;
  }

  get isShown() { return !byId("result").hidden; }

  /** Adopts the state of a rendering: the video of the last one that is done can be shown. */
  adopt(state) {
    const isRunning = state.phase === "running";
    if (isRunning || state.phase === "done") this.hide();
    if (state.phase === "done") this.#state = state;
    byId("compare").hidden = isRunning || !this.#state;
  }

  /** @param {number} revision of the plan that is shown. */
  showRevision(revision) {
    byId("result-tag").textContent = this.#state && this.#state.revision !== revision ? "Rendered before your last changes" : "Rendered";
  }

  show() {
    if (!this.#state) return;
    this.#offset = null;
    this.#isMade = false;
    this.#video.src = resultURL;
    this.#set(true);
  }

  /** Shows it, and plays both from shortly before a time. */
  play(time) {
    this.show();
    byId("picture").scrollIntoView({ block: "nearest" });
    this.#player.seek(time - lead);
    this.#player.play(1);
  }

  hide() {
    if (!this.isShown) return;
    this.#video.removeAttribute("src");
    this.#video.load();
    this.#set(false);
  }

  #set(isShown) {
    byId("result").hidden = byId("recording-tag").hidden = !isShown;
    byId("compare").setAttribute("aria-pressed", String(isShown));
    document.body.classList.toggle("comparing", isShown);
    this.dispatchEvent(new Event("change"));
  }

  #load(time) {
    this.#offset = time;
    this.#video.src = plainURL(time - this.#session.startTime, "result");
  }

  #follow() {
    const video = this.#video, player = this.#player;
    if (!this.isShown || this.#offset === null || video.readyState === 0 || video.seeking || player.showsEffects) return video.pause();
    const place = player.time - this.#offset, ahead = video.currentTime - place;
    if (this.#isMade && Math.abs(ahead) > greatest && !canSeek(video, place)) return this.#load(player.time);
    if (!player.isRunning) {
      video.pause();
      if (Math.abs(ahead) > 0.001) video.currentTime = place;
      return;
    }
    if (Math.abs(ahead) > greatest) video.currentTime = place;
    video.playbackRate = player.speed * (Math.abs(ahead) < slack ? 1 : ahead > 0 ? 0.95 : 1.05);
    // A browser may refuse sound on a page that nobody has clicked yet.
    if (video.paused && !video.ended) video.play().catch(({ name }) => { if (name === "NotAllowedError") video.muted = true; });
  }
}
