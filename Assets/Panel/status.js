// The figures of the run: rates, quality, position, and the gesture that is being held.

import { byId } from "./page.js";
import { showAbsence } from "./picture.js";
import { showReadiness, showScene } from "./photographs.js";
import { showSnooze } from "./settings.js";
import { lowered, minutes, title } from "./words.js";

/** Descriptions of the stages. */
const works = { decoding: "Reading the video", drawing: "Drawing", encoding: "Encoding" };

/** Shows what a live run leaves out to keep up, and how busy its busiest stage is. */
export function showQuality(quality) {
  byId("quality").hidden = byId("quality-why").hidden = !quality;
  if (!quality) return;
  const steps = Object.keys(lowered).length, step = quality.lowered.length;
  byId("rung").textContent = step ? `Lowered, step ${step} of ${steps}` : "Full";
  const work = works[quality.busiestStage];
  const load = work && quality.load != null ? ` ${work} takes ${Math.round(quality.load * 100)} % of the time.` : "";
  byId("quality-why").textContent = (step
    ? `To keep up: ${quality.lowered.map((name) => lowered[name] ?? name).join(", ")}.` : "Nothing is left out.") + load;
}

export function showStatus(status) {
  const { framesPerSecond, latency, bitRate } = status.statistics;
  byId("fps").textContent = framesPerSecond > 0 ? framesPerSecond.toFixed(framesPerSecond < 100 ? 1 : 0) : "–";
  byId("latency").textContent = latency == null ? "–" : `${(latency * 1000).toFixed(1)} ms`;
  byId("bitrate").textContent = bitRate == null ? "–"
    : bitRate < 1e6 ? `${Math.round(bitRate / 1000)} kbit/s` : `${(bitRate / 1e6).toFixed(1)} Mbit/s`;
  const hold = status.gestureHold;
  byId("hold").hidden = !hold;
  if (hold) {
    byId("hold-name").textContent = title(hold.gesture);
    byId("hold-progress").value = hold.progress;
  }
  showAbsence(status.noPicture);
  showPosition(status.progress);
  showSnooze(status.gestureSnooze);
  showQuality(status.quality);
  showReadiness(status.captureReadiness);
  showScene(status.isDarkScene, status.isFusionScene);
}

/** The progress that is shown; null before the first. */
export let lastProgress = null;

/** Shows the position in the recording, and the remaining time. */
export function showPosition(progress) {
  lastProgress = progress;
  const isKnown = progress?.fraction != null;
  byId("position").hidden = !isKnown;
  if (!isKnown) return;
  byId("position-bar").value = progress.fraction;
  const where = progress.pass === "looking" ? `Looking for gestures, ${Math.floor(progress.fraction * 100)} %`
    : `${minutes(progress.seconds)} of ${minutes(progress.duration)}`;
  const left = progress.remainingSeconds;
  byId("position-text").textContent = left == null ? where : `${where}, about ${minutes(left)} left`;
}
