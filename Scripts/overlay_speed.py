"""The implementation of Scripts/overlay-speed."""

import os
import subprocess
import sys
import time

from browser import Browser

REACTIONS = ["thumbsUp", "thumbsDown", "balloons", "heart", "fireworks", "rain", "confetti", "lasers"]
READY = "typeof overlay !== 'undefined' && overlay?.library.isComplete"

# Draws an effect at 60 times of its duration. Reading a pixel waits until the picture is complete.
DRAW = """(() => {
  const description = overlay.library.effects.%(reaction)s, { gl } = overlay.canvas, pixel = new Uint8Array(4);
  const effect = { id: 1, reactionType: '%(reaction)s', origin: { x: 0.7, y: 0.5 }, startTime: 0 };
  const instance = new EffectInstance(description, effect, '1'), script = [], whole = [];
  let shapes = 0;
  for (let i = 0; i < 60; i++) {
    const start = performance.now();
    overlay.draw([instance], () => i / 60 * description.duration);
    const drawn = performance.now();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    script.push(drawn - start);
    whole.push(performance.now() - start);
    shapes = Math.max(shapes, overlay.canvas.count);
  }
  const sorted = (list) => list.sort((a, b) => a - b);
  return [shapes, sorted(script)[30], sorted(whole)[30], whole[59]];
})()"""

# Shows the effect for three seconds.
SHOW = """new Promise((resolve) => {
  const start = performance.now();
  let count = 0;
  overlay.start({ id: 1, reactionType: '%(reaction)s', origin: { x: 0.7, y: 0.5 }, startTime: 0 }, 0);
  const step = () => {
    count += 1;
    const seconds = (performance.now() - start) / 1000;
    if (seconds < 3) return requestAnimationFrame(step);
    overlay.effects.clear();
    resolve(count / seconds);
  };
  requestAnimationFrame(step);
})"""

RENDERER = """(() => {
  const { gl } = overlay.canvas, names = gl.getExtension("WEBGL_debug_renderer_info");
  return `${gl.getParameter(names.UNMASKED_RENDERER_WEBGL)}, ${gl.drawingBufferWidth}x${gl.drawingBufferHeight}`;
})()"""


def main():
    program, folder, size, *flags = sys.argv[1:]
    width, height = (int(side) for side in size.split("x"))
    # The video only keeps the page served: a picture of grey each second.
    grey = ["ffmpeg", "-v", "quiet", "-nostdin", "-re", "-f", "lavfi", "-i", "color=gray:s=64x64:r=1", "-f", "nut", "-"]
    video = subprocess.Popen(grey, stdout=subprocess.PIPE)
    command = [program, "detect", "-", "--live", "--no-gestures", "--panel", "--events", folder + "/events.jsonl"]
    process = subprocess.Popen(command, cwd=folder, stdin=video.stdout, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    url = next(word for line in process.stderr for word in line.split() if word.startswith("http://"))
    browser = Browser(folder + "/profile", *flags)
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
    browser.call("Page.navigate", url=url + "overlay.html")
    browser.wait(READY)
    time.sleep(1)
    print(f"{browser.evaluate(RENDERER)}; {os.cpu_count()} cores")
    print(f"{'reaction':<12}{'shapes':>8}{'script ms':>11}{'picture ms':>12}{'longest ms':>12}{'per second':>12}")
    for reaction in REACTIONS:
        shapes, script, whole, longest = browser.evaluate(DRAW % {"reaction": reaction})
        shown = browser.evaluate(SHOW % {"reaction": reaction})
        print(f"{reaction:<12}{shapes:>8}{script:>11.1f}{whole:>12.1f}{longest:>12.1f}{shown:>12.1f}")
    browser.close()
    for ending in (process, video):
        ending.terminate()
        ending.wait(30)


main()
