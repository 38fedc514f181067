"""Serves a web on loopback, as the server of its hosts and as the HTTP proxy to all of them, and tells what was asked.

    python bench/public/server.py WEB.pickle

The port is the first line it prints. Answers come from memory and at once. It ends with its standard input, and then
prints what it was asked: a JSON list of URL and status in the order of the requests.
"""

import asyncio
import json
import pickle
import subprocess
import sys
import tempfile
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

Reply = tuple[int, dict[str, str], bytes]
"""Status, header fields and body."""
_NOTHING: Reply = (404, {"Content-Type": "text/html"}, b"<!doctype html><title>Not found</title>")


class Server:
    """The server in a process of its own, so that a crawler's CPU is the crawler's alone."""

    def __init__(self, replies: dict[str, Reply]) -> None:
        with tempfile.NamedTemporaryFile(suffix=".pickle") as file:
            pickle.dump(replies, file)
            file.flush()
            command = [sys.executable, __file__, file.name]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            assert self._process.stdout is not None
            self.port = int(self._process.stdout.readline())

    @property
    def proxy(self) -> dict[str, str]:
        """Variables of the environment that send a program's requests here, whatever host they are for."""
        address = f"http://127.0.0.1:{self.port}"
        return dict.fromkeys(("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"), address) | {"no_proxy": ""}

    def end(self) -> list[tuple[str, int]]:
        """Stop, and return the URLs that were asked for, in order, each with its status."""
        output, _ = self._process.communicate(b"")
        return [(url, status) for url, status in json.loads(output)]


class _Connection(asyncio.Protocol):
    def __init__(self, replies: dict[str, Reply], asked: list[tuple[str, int]]) -> None:
        self._replies, self._asked, self._buffer = replies, asked, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while b"\r\n\r\n" in self._buffer:
            head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
            first, *lines = head.decode("latin-1").split("\r\n")
            method, target, _ = first.split(" ", 2)
            fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            self._answer(method, target if "://" in target else f"http://{fields.get('host', '')}{target}")
            if fields.get("connection", "").lower() == "close":
                self._transport.close()

    def _answer(self, method: str, url: str) -> None:
        parts = urlsplit(url)
        name = f"http://{parts.hostname}{parts.path or '/'}{f'?{parts.query}' * bool(parts.query)}"
        status, headers, body = self._replies.get(name, _NOTHING) if method in {"GET", "HEAD"} else (501, {}, b"")
        self._asked.append((name, status))
        head = "".join(f"{field}: {value}\r\n" for field, value in {**headers, "Content-Length": len(body)}.items())
        self._transport.write(f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n{head}\r\n".encode("latin-1"))
        self._transport.write(body if method == "GET" else b"")


async def _serve(replies: dict[str, Reply]) -> None:
    asked: list[tuple[str, int]] = []
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Connection(replies, asked), "127.0.0.1", 0, backlog=1000)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    print(json.dumps(asked))


if __name__ == "__main__":
    asyncio.run(_serve(pickle.loads(Path(sys.argv[1]).read_bytes())))
