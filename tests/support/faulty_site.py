"""A site with one fault a page, beside pages that look like faults and are none; served by http and https on loopback.

https://h.test/ links to all of it. Every page has what a good page has, but for its fault.
"""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from support.origins import Asked, Web

from minicrawl.audit.auditing import audited
from minicrawl.audit.rules import RULES
from minicrawl.settings import ConnectTo
from minicrawl.store.reader import Store

HOME = "https://h.test/"
OTHER = "https://sub.h.test/"
PLAIN = "http://sub.h.test/plain"


def good(name: str, body: str = "", head: str = "", **instead: str) -> str:
    """A page without a fault. instead: markup in place of its parts."""
    parts = {
        "html": "<html lang=en>",
        "title": f"<title>The page {name}</title>",
        "description": f"<meta name=description content='What the page {name} says, in more than fifty characters.'>",
        "h1": f"<h1 id=h1>Page {name}</h1>",
    } | instead
    top = parts["html"] + "<head>" + parts["title"] + parts["description"] + head + "</head>"
    return f"<!doctype html>{top}<body>{parts['h1']}<p>Words that {name} alone has: {name * 7}.</p>{body}</body></html>"


def described(text: str) -> str:
    return f"<meta name=description content='{text}'>"


_TWICE = described("Two pages of the site are described by these very same words.")
_SAME = good("same", "<p>Said twice, byte by byte.</p>")
_PAGES: dict[str, str] = {
    # titles
    "title-missing": good("title-missing", title=""),
    "title-one": good("title-one", title="<title>Said by two</title>"),
    "title-two": good("title-two", title="<title>Said by two</title>"),
    "title-of-copy": good("title-of-copy", head=f"<link rel=canonical href={HOME}>", title="<title>Home</title>"),
    "title-in-german": good("title-in-german", html="<html lang=de>", title="<title>Home</title>"),
    "description-missing": good("description-missing", description=""),
    "description-one": good("description-one", description=_TWICE),
    "description-two": good("description-two", description=_TWICE),
    "same-one": _SAME,
    "same-two": _SAME,
    "noindex": good("noindex", head="<meta name=robots content=noindex>", title="", description="", h1=""),
    # headings
    "h1-missing": good("h1-missing", h1=""),
    "language-missing": good("language-missing", html="<html>"),
    # images
    "image-without-alt": good("image-without-alt", "<img src=/small.png><img src=/small.png alt=x>"),
    "image-decorates": good("image-decorates", "<img src=/small.png alt=''><template><img src=x></template>"),
    # structured data
    "structured-data": good("structured-data", '<script type="application/ld+json">{"@type": "Event"}</script>'),
    # security
    "mixed-content": good(
        "mixed-content",
        "<img src=http://evil.test/x.png alt=x><a href=http://evil.test/>x</a><img src=//h.test/y.png alt>",
    ),
    "mixed-again": good("mixed-again", "<img src=http://evil.test/x.png alt=x>"),
    "insecure-link": good("insecure-link", f"<a href={PLAIN}>x</a>"),
}
_LINKS = "".join(f"<a href=/{name}>x</a>" for name in (*_PAGES, "moved", "file.pdf", "dead"))
_SITE = {
    HOME: good("home", f"{_LINKS}<a href={OTHER}>x</a>", title="<title>Home</title>"),
    OTHER: good("other", f"<a href={HOME}>x</a>"),
    PLAIN: good("plain", f"<a href={HOME}>x</a>"),
} | {HOME + name: body for name, body in _PAGES.items()}

FAULTS: dict[str, dict[str, int]] = {
    "title-missing": {f"{HOME}title-missing": 0},
    "title-duplicate": {f"{HOME}title-one": 1},
    "description-missing": {f"{HOME}description-missing": 0},
    "description-duplicate": {f"{HOME}description-one": 1},
    "h1-missing": {f"{HOME}h1-missing": 0},
    "language-missing": {f"{HOME}language-missing": 0},
    "image-without-alt": {f"{HOME}image-without-alt": 0},
    "mixed-content": {"http://evil.test/x.png": 2},
    "structured-data-incomplete": {f"{HOME}structured-data": 0},
    "insecure-link": {PLAIN: 1, "http://evil.test/": 1},
    "insecure-page": {PLAIN: 0},
}
"""The planted faults: by rule, targets with their numbers of sources."""


def found(store: Store, rule: str) -> dict[str, int]:
    """The findings of a rule: targets, and their numbers of sources."""
    with store.snapshot():
        audit = audited(store, {rule: RULES[rule]})
    assert not audit.not_checked
    return {finding.target: finding.sources for finding in audit.findings}


def reply(asked: Asked) -> list[bytes]:
    url = asked.origin + asked.path
    if url == HOME and "Firefox" in asked.headers["user-agent"]:
        return [b"HTTP/1.1 404 Not Found", b"Content-Type: text/html", b"", b"<p>Not found"]
    if url in _SITE:
        return [b"HTTP/1.1 200 OK", b"Content-Type: text/html; charset=utf-8", b"", _SITE[url].encode()]
    if url == f"{HOME}moved":
        return [b"HTTP/1.1 301 Moved", b"Location: /target", b"", b""]
    if url == f"{HOME}file.pdf":
        return [b"HTTP/1.1 200 OK", b"Content-Type: application/pdf", b"", b"%PDF"]
    if url.endswith(".png"):
        return [b"HTTP/1.1 200 OK", b"Content-Type: image/png", b"", bytes(600)]
    return [b"HTTP/1.1 404 Not Found", b"Content-Type: text/html", b"", b"<p>Not found"]


@contextmanager
def served() -> Iterator[tuple[ConnectTo, ...]]:
    """Serve the site from another thread for as long as the block runs. Yields where its hosts are."""
    web, loop, started = Web(reply), asyncio.new_event_loop(), threading.Event()
    over = asyncio.Event()

    async def serve() -> None:
        async with web:
            started.set()
            await over.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    started.wait()
    try:
        yield web.connect_to
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()
