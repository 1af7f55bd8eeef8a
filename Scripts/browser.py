"""A headless Chromium for scripts, driven by the DevTools protocol over a pair of pipes
(https://chromedevtools.github.io/devtools-protocol/)."""

import base64
import json
import os
import subprocess
import time


class Browser:
    """A browser with one page."""

    def __init__(self, profile, *flags):
        (to_read, to_write), (from_read, from_write) = os.pipe(), os.pipe()
        command = f'exec "$0" "$@" 3<&{to_read} 4>&{from_write} </dev/null >/dev/null 2>&1'
        options = ["--headless=new", "--remote-debugging-pipe", "--no-first-run", "--hide-scrollbars",
                   "--disable-dev-shm-usage", "--autoplay-policy=no-user-gesture-required",
                   f"--user-data-dir={profile}", *flags] + (["--no-sandbox"] if os.geteuid() == 0 else [])
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

    def take(self, path, **clip):
        area = {"clip": {"x": 0, "y": 0, "scale": 1, **clip}} if clip else {}
        data = self.call("Page.captureScreenshot", format="jpeg", quality=84, **area)["data"]
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
