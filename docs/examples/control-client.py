"""Shows a reaction in the video of a running flourish, and waits until it has ended. Needs Python 3.8 and nothing else.

usage: python3 control-client.py SOCKET REACTION     the socket of --control
       python3 control-client.py URL REACTION        the address that --panel prints
"""

import asyncio
import itertools
import json
import sys
from urllib.parse import urlsplit


class ControlSocket:
    """A client of the control socket."""

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        self.reading.cancel()
        self.writer.close()

    @classmethod
    async def open(cls, path):
        client = cls()
        client.reader, client.writer = await asyncio.open_unix_connection(path, limit=1 << 20)
        client.ids, client.replies, client.lines = itertools.count(1), {}, asyncio.Queue()
        client.reading = asyncio.ensure_future(client.read())
        return client

    async def read(self):
        """Sorts lines: replies repeat a request_id, all others are events."""
        async for line in self.reader:
            line = json.loads(line)
            if "event" in line:
                self.lines.put_nowait(line)
            else:
                self.replies.pop(line["request_id"]).set_result(line)
        self.lines.put_nowait(None)

    async def ask(self, command, **fields):
        """Sends a request and returns the data of its reply. Several requests may wait at once."""
        number = next(self.ids)
        reply = self.replies[number] = asyncio.get_running_loop().create_future()
        self.writer.write(json.dumps({"command": command, "request_id": number, **fields}).encode() + b"\n")
        answer = await reply
        if answer["code"] != 0:
            raise RuntimeError("{code}: {error}".format(**answer))
        return answer.get("data")

    async def events(self, *names):
        await self.ask("observe", **({"events": names} if names else {}))
        while (line := await self.lines.get()) is not None:
            yield line


class Panel:
    """A client of the panel's HTTP interface."""

    def __init__(self, url):
        self.url = urlsplit(url)

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        pass

    async def request(self, method, path, fields, body=b""):
        reader, writer = await asyncio.open_connection(self.url.hostname, self.url.port, limit=1 << 20)
        head = [f"{method} {self.url.path}{path} HTTP/1.0", f"Host: {self.url.netloc}", f"Content-Length: {len(body)}"]
        writer.write("\r\n".join(head + fields + ["", ""]).encode() + body)
        status = (await reader.readline()).split()[1]
        if status != b"200":
            raise RuntimeError(f"{path}: HTTP {status.decode()}")
        while (await reader.readline()).strip():
            pass
        return reader, writer

    async def ask(self, command, **fields):
        body = json.dumps({"command": command, **fields}).encode()
        reader, writer = await self.request("POST", "command", ["Content-Type: application/json"], body)
        answer = json.loads(await reader.read())
        writer.close()
        if answer["code"] != 0:
            raise RuntimeError("{code}: {error}".format(**answer))
        return answer.get("data")

    async def events(self, *names):
        """Follows the server-sent events. A lost connection continues after the last event."""
        last, ended = None, False
        while not ended:
            try:
                fields = [] if last is None else [f"Last-Event-ID: {last}"]
                reader, writer = await self.request("GET", "events", fields)
            except ConnectionError:
                return
            kind = "message"
            async for line in reader:
                field, _, value = line.decode().rstrip("\r\n").partition(": ")
                if field == "id":
                    last = value
                elif field == "event":
                    kind = value
                elif field == "data" and kind == "message":
                    event = json.loads(value)
                    ended = event["event"] == "streamEnded"
                    if not names or event["event"] in names:
                        yield event
                elif not field:
                    kind = "message"
            writer.close()


async def main(address, reaction):
    async with (Panel(address) if "://" in address else await ControlSocket.open(address)) as flourish:
        print("flourish", (await flourish.ask("version"))["version"], flush=True)
        wanted = None
        async for event in flourish.events("streamStarted", "effectStarted", "effectEnded"):
            if wanted is None:
                # The state is known now, so that no event of the effect is missed.
                wanted = (await flourish.ask("perform", reactionType=reaction))["id"]
                print("effect", wanted, flush=True)
            if event["event"] == "effectEnded" and event["id"] == wanted:
                print(f"{reaction} lasted {event['endTime'] - event['startTime']:.2f} s", flush=True)
                return


asyncio.run(main(*sys.argv[1:]))
