"""A small web on loopback, whatever host and page it is asked for, for programs that no transport can be handed to."""

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

_CLUB = ["http://club.test/", "http://club.test/about"]
_LINKS = {
    "/": ["/about", "/docs/", "/news/1", *_CLUB],
    "/about": ["/", *_CLUB],
    "/docs/": ["/docs/manual", "/", *_CLUB],
    "/docs/manual": ["/"],
}


class Pages(BaseHTTPRequestHandler):
    """Each host has the same few pages, which link to each other and to a club's. Any other page links home."""

    def do_GET(self) -> None:
        found = self.path != "/robots.txt"
        title = f"<title>Page {self.path} about sailing boats, open source</title>"
        links = "".join(f'<a href="{link}">to {link}</a>' for link in _LINKS.get(self.path, ["/"]))
        body = (title + links).encode() if found else b""
        self.answer(200 if found else 404, body)

    def answer(self, status: int, body: bytes, *fields: tuple[str, str]) -> None:
        self.send_response(status)
        for name, value in (("Content-Type", "text/html"), ("Content-Length", str(len(body))), *fields):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class WebServer(ThreadingHTTPServer):
    """Has room for all connections that a crawl makes at a time: what finds none is tried again after seconds."""

    request_queue_size = 1024

    def crawl_command(self, store: Path, seeds: Iterable[str], *options: str) -> list[str]:
        """A crawl by the command line that asks this server, whatever the host."""
        words = f"--store {store} --delay 0 --allow-private --quiet --connect-to ::127.0.0.1:{self.server_port}"
        return [sys.executable, "-m", "minicrawl", "crawl", *seeds, *words.split(), *options]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a client that has died."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    @contextmanager
    def serving(self) -> Iterator[int]:
        """Answer for as long as the block runs, and yield the port."""
        thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield self.server_port
        finally:
            self.shutdown()
            thread.join()
            self.server_close()


@contextmanager
def small_web(pages: type[Pages] = Pages, port: int = 0) -> Iterator[int]:
    """Serve it for as long as the block runs, and yield the port."""
    with WebServer(("127.0.0.1", port), pages).serving() as found:
        yield found
