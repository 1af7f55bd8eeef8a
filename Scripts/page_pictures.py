"""The implementation of Scripts/page-pictures: drives a headless Chromium by the DevTools protocol over a pair of pipes
(https://chromedevtools.github.io/devtools-protocol/) and takes pictures of the pages that flourish serves."""

import base64
import json
import os
import subprocess
import sys
import time


class Browser:
    """A browser with one page."""

    def __init__(self, profile):
        (to_read, to_write), (from_read, from_write) = os.pipe(), os.pipe()
        command = f'exec "$0" "$@" 3<&{to_read} 4>&{from_write} </dev/null >/dev/null 2>&1'
        options = ["--headless=new", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
                   "--disable-dev-shm-usage", "--autoplay-policy=no-user-gesture-required",
                   f"--user-data-dir={profile}"] + (["--no-sandbox"] if os.geteuid() == 0 else [])
        self.process = subprocess.Popen(["/bin/sh", "-c", command, "chromium", *options, "about:blank"],
                                        pass_fds=(to_read, from_write))
        os.close(to_read)
        os.close(from_write)
        self.commands, self.answers = os.fdopen(to_write, "wb", 0), os.fdopen(from_read, "rb")
        self.number, self.session, self.rest = 0, None, b""
        page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        self.call("Page.enable")

    def call(self, method, **parameters):
        """Sends a command and waits for the result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.commands.write(json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                self.rest += os.read(self.answers.fileno(), 1 << 20)
            text, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(answer["error"])
                return answer["result"]

    def evaluate(self, script):
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        return answer["result"].get("value")

    def wait(self, condition, seconds=120):
        end = time.time() + seconds
        while not self.evaluate(f"Boolean({condition})"):
            if time.time() > end:
                raise SystemExit(f"the page never came to: {condition}")
            time.sleep(0.1)

    def show(self, width, height, scheme="light", is_phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=is_phone)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        time.sleep(1.5)

    def take(self, path):
        data = self.call("Page.captureScreenshot", format="jpeg", quality=84)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
        print(f"{path}: {os.path.getsize(path) // 1000} kB")

    def close(self):
        self.call("Browser.close")
        self.process.wait(20)


def start(command, folder):
    """Starts a program that prints the address of a page."""
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        for word in line.split():
            if word.startswith("http://"):
                return process, word
    raise SystemExit("flourish printed no address")


def picture_review(browser, program, folder, docs):
    process, url = start([program, "review", "call.mp4"], folder)
    browser.call("Page.navigate", url=url)
    browser.wait("document.body?.classList.contains('live') && document.querySelectorAll('.block').length > 4")
    # A near miss is made of a gesture that fired, as if the hold had been shorter.
    browser.evaluate("""fetch('plan').then((r) => r.json()).then(({ revision, plan }) => {
      const { id, heldSince } = plan.reactions.find((reaction) => reaction.gesture === 'twoVictories');
      const missed = { enabled: false, reason: 'heldTooBriefly', heldUntil: heldSince + 0.8, note: null };
      return fetch('plan', { method: 'PATCH', body: JSON.stringify({ reactions: { [id]: missed } }),
        headers: { 'Content-Type': 'application/json', 'If-Match': String(revision) } });
    })""")
    browser.wait("document.querySelector('.block.missed')")
    browser.evaluate("document.querySelector('.block[data-type=heart]').dispatchEvent(new MouseEvent('click', { detail: 0 }))")
    browser.wait("document.querySelectorAll('#seen .joint').length === 42 && document.querySelector('#seen img').complete")
    browser.show(1440, 980)
    browser.take(docs + "/review/wide.jpg")
    browser.evaluate("document.querySelector('.block.missed').dispatchEvent(new MouseEvent('click', { detail: 0 }))")
    browser.wait("document.querySelectorAll('#seen .joint').length === 42")
    browser.show(1440, 980, "dark")
    browser.take(docs + "/review/dark.jpg")
    browser.show(390, 1400, is_phone=True)
    browser.take(docs + "/review/phone.jpg")
    process.terminate()
    process.wait(30)


def picture_panel(browser, program, folder, docs):
    read, write = os.pipe()
    feed = subprocess.Popen(["ffmpeg", "-v", "quiet", "-nostdin", "-re", "-i", "call.mp4", "-c", "copy", "-f", "nut", "-"],
                            cwd=folder, stdout=write)
    os.close(write)
    command = [program, "filter", "-", "out.mkv", "--live", "--panel", "--preset", "ultrafast"]
    process = subprocess.Popen(command, cwd=folder, stdin=read, stderr=subprocess.PIPE, text=True)
    os.close(read)
    url = next(word for line in process.stderr for word in line.split() if word.startswith("http://"))
    browser.show(1280, 900)
    browser.call("Page.navigate", url=url)
    browser.wait("document.body?.classList.contains('live') && !document.getElementById('preview').hidden")
    browser.evaluate("document.querySelector('[data-type=balloons]').click()")
    time.sleep(2)
    browser.take(docs + "/panel.jpg")
    for ending in (feed, process):
        ending.terminate()
        ending.wait(30)


def main():
    program, folder, docs = sys.argv[1:]
    program = os.path.abspath(program)
    browser = Browser(folder + "/profile")
    picture_review(browser, program, folder, docs)
    picture_panel(browser, program, folder, docs)
    browser.close()


main()
