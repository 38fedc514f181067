"""A web on loopback whose hosts have a home page and so many others each; it remembers what it was asked for."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import NamedTuple

from support.small_web import WebServer


class Asked(NamedTuple):
    host: str
    path: str


@dataclass
class CountedWeb:
    """`asked`: the requests for pages, in the order in which they came."""

    pages: int
    seconds: float
    port: int = 0
    asked: list[Asked] = field(default_factory=list)


@contextmanager
def counted_web(pages: int, seconds: float = 0.0) -> Iterator[CountedWeb]:
    """Serve it as long as the block runs. seconds: what an answer takes."""
    web, closing = CountedWeb(pages, seconds), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            host = self.headers["Host"]
            if self.path != "/robots.txt":
                web.asked.append(Asked(host, self.path))
                closing.wait(web.seconds)
            links = "".join(f'<a href="/{page}">{page}</a>' for page in range(pages)) if self.path == "/" else ""
            body = f"<title>{host}{self.path}</title>{links}<p>page {self.path} of {host}".encode()
            self.send_response(404 if self.path == "/robots.txt" else 200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = WebServer(("127.0.0.1", 0), Handler)
    web.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield web
    finally:
        closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
