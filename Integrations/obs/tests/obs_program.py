"""OBS Studio on a display of its own, driven through obs-websocket."""

import base64
import ctypes
import json
import os
import socket
import struct
import subprocess
import time
from pathlib import Path

VENDOR_EVENTS = 1 << 9

GLOBAL = """[General]
FirstRun=true
EnableAutoUpdates=false
InfoIncrement=-1
[Basic]
Profile=Test
ProfileDir=Test
SceneCollection=Test
SceneCollectionFile=Test
[OBSWebSocket]
FirstLoad=false
ServerEnabled=true
ServerPort={port}
AlertsEnabled=false
AuthRequired=false
"""

PROFILE = """[General]
Name=Test
[Output]
Mode=Simple
[SimpleOutput]
FilePath={recordings}
RecFormat=mkv
RecQuality=HQ
RecEncoder=x264
StreamEncoder=x264
[Video]
BaseCX={width}
BaseCY={height}
OutputCX={width}
OutputCY={height}
FPSType=0
FPSCommon=30
"""


class WebSocket:
    """A client of obs-websocket 5, for one thread."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self.reader = self.socket.makefile("rb")
        assert b" 101 " in self.reader.readline()
        while self.reader.readline().strip():
            pass
        self.events = []
        self.count = 0
        assert self.receive()["op"] == 0
        self.send(1, {"rpcVersion": 1, "eventSubscriptions": VENDOR_EVENTS})
        assert self.receive()["op"] == 2

    def send(self, operation, data):
        text = json.dumps({"op": operation, "d": data}).encode()
        mask = os.urandom(4)
        size = struct.pack("!B", 0x80 | len(text)) if len(text) < 126 else struct.pack("!BH", 0xFE, len(text))
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(text))
        self.socket.sendall(b"\x81" + size + mask + masked)

    def receive(self):
        """The next message; pings are answered by nothing, since no test is that long."""
        while True:
            kind, size = struct.unpack("!BB", self.reader.read(2))
            if size == 126:
                (size,) = struct.unpack("!H", self.reader.read(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", self.reader.read(8))
            text = self.reader.read(size)
            if kind & 0x0F == 1:
                return json.loads(text)

    def keep_event(self, message):
        if message["op"] == 5 and message["d"]["eventType"] == "VendorEvent":
            data = message["d"]["eventData"]
            assert data["vendorName"] == "flourish" and data["eventType"] == data["eventData"]["event"]
            self.events.append(data["eventData"])

    def request(self, kind, **data):
        self.count += 1
        self.send(6, {"requestType": kind, "requestId": str(self.count), "requestData": data})
        while (message := self.receive())["op"] != 7:
            self.keep_event(message)
        status = message["d"]["requestStatus"]
        assert status["result"], f"{kind}: {status}"
        return message["d"].get("responseData", {})

    def vendor(self, kind, **data):
        """A request of the plug-in; returns its response."""
        # obs-websocket refuses an empty object.
        fields = {"requestData": data} if data else {}
        return self.request("CallVendorRequest", vendorName="flourish", requestType=kind, **fields)["responseData"]

    def wait_for_event(self, name, timeout=30, **fields):
        """Removes and returns the first event with these fields, and drops those before it."""
        deadline = time.monotonic() + timeout
        while True:
            while self.events:
                event = self.events.pop(0)
                if event["event"] == name and all(event.get(key) == value for key, value in fields.items()):
                    return event
            assert time.monotonic() < deadline, f"no event {name} with {fields}"
            self.keep_event(self.receive())


class ClientMessage(ctypes.Structure):
    """`XClientMessageEvent`, padded to the size of `XEvent`."""

    _fields_ = [
        ("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int), ("display", ctypes.c_void_p),
        ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong), ("format", ctypes.c_int), ("data", ctypes.c_long * 5),
        ("padding", ctypes.c_long * 12),
    ]  # fmt: skip


def close_window(display_name, title):
    """Sends `WM_DELETE_WINDOW` to the window whose title begins so, as a window manager does."""
    x = ctypes.CDLL("libX11.so.6")
    x.XOpenDisplay.restype = ctypes.c_void_p
    x.XInternAtom.restype = x.XDefaultRootWindow.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x.XOpenDisplay(display_name.encode()))
    assert display.value

    def find(window):
        name = ctypes.c_char_p()
        x.XFetchName(display, ctypes.c_ulong(window), ctypes.byref(name))
        if name.value and name.value.decode(errors="replace").startswith(title):
            return window
        root, parent, children, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.POINTER(ctypes.c_ulong)(), ctypes.c_uint()
        x.XQueryTree(
            display, ctypes.c_ulong(window), ctypes.byref(root), ctypes.byref(parent), ctypes.byref(children), ctypes.byref(count)
        )
        return next((found for index in range(count.value) if (found := find(children[index]))), None)

    window = find(x.XDefaultRootWindow(display))
    assert window, f"there is no window {title}"
    message = ClientMessage(type=33, window=window, format=32, message_type=x.XInternAtom(display, b"WM_PROTOCOLS", 0))
    message.data[0] = x.XInternAtom(display, b"WM_DELETE_WINDOW", 0)
    x.XSendEvent(display, ctypes.c_ulong(window), 0, ctypes.c_long(0), ctypes.byref(message))
    x.XCloseDisplay(display)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


class OBS:
    """A running OBS Studio with the plug-in."""

    def __init__(self, folder, width, height):
        self.home = folder / "home"
        self.recordings = folder / "recordings"
        self.log = folder / "obs.log"
        self.port = free_port()
        (folder / "run").mkdir(mode=0o700)
        self.recordings.mkdir()
        configuration = self.home / ".config/obs-studio"
        profile = configuration / "basic/profiles/Test"
        profile.mkdir(parents=True)
        (configuration / "basic/scenes").mkdir()
        # Since OBS 31 most of global.ini is in user.ini.
        for name in ("global.ini", "user.ini"):
            (configuration / name).write_text(GLOBAL.format(port=self.port))
        (profile / "basic.ini").write_text(PROFILE.format(recordings=self.recordings, width=width, height=height))
        data = Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local/share"))
        self.environment = {
            "FLOURISH_HOME": os.fspath(data / "flourish"),
            **os.environ,
            "HOME": os.fspath(self.home),
            "XDG_CONFIG_HOME": os.fspath(self.home / ".config"),
            "XDG_RUNTIME_DIR": os.fspath(folder / "run"),
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "QT_QPA_PLATFORM": "xcb",
        }

    def start(self):
        read, write = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x720x24", "-nolisten", "tcp"],
            pass_fds=[write], stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(write)
        with os.fdopen(read) as display:
            self.environment["DISPLAY"] = f":{display.readline().strip()}"
        with open(self.log, "wb") as log:
            self.program = subprocess.Popen(
                ["obs", "--multi", "--disable-updater", "--profile", "Test", "--collection", "Test"],
                env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        deadline = time.monotonic() + 60
        while True:
            assert self.program.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            try:
                self.client = WebSocket(self.port)
                # Requests are refused until the window is shown.
                self.client.request("GetSceneList")
                return
            except (OSError, AssertionError, struct.error):
                time.sleep(0.2)

    def memory(self):
        """The resident memory in MB."""
        return int(Path(f"/proc/{self.program.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6

    def threads(self):
        return len(os.listdir(f"/proc/{self.program.pid}/task"))

    def stop(self):
        """Closes the window; returns the exit code."""
        if self.program.poll() is not None:
            return self.program.returncode
        try:
            close_window(self.environment["DISPLAY"], "OBS ")
            return self.program.wait(30)
        finally:
            self.kill()

    def kill(self):
        for process in (self.program, self.server):
            process.kill()
            process.wait()
