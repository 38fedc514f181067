"""A web on loopback whose hosts have a home page and so many others each; it remembers what it was asked for."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from support.small_web import Pages, small_web


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

    class Handler(Pages):
        def do_GET(self) -> None:  # noqa: N802 - the name that the server calls
            host = self.headers["Host"]
            if self.path != "/robots.txt":
                web.asked.append(Asked(host, self.path))
                closing.wait(web.seconds)
            links = "".join(f'<a href="/{page}">{page}</a>' for page in range(pages)) if self.path == "/" else ""
            body = f"<title>{host}{self.path}</title>{links}<p>page {self.path} of {host}".encode()
            self.answer(404 if self.path == "/robots.txt" else 200, body)

    with small_web(Handler) as web.port:
        try:
            yield web
        finally:
            closing.set()
