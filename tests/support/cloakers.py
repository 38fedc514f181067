"""Sites that give browsers another page than crawlers, and sites that only seem to, behind one server on loopback.

A behaviour makes the answer for a page of how often it was asked for and by whom, so every run sees the same.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from support.origins import PEM, Asked, Web
from support.prose import WORDS
from support.skipping import run

from minicrawl.api import acrawl
from minicrawl.model import CrawlReport


class Ask(NamedTuple):
    """A request for a page. nth: how many came before it; page, key: names of the page, and for random numbers."""

    page: str
    nth: int
    is_browser: bool
    headers: dict[str, str]
    key: str

    def rng(self, *what: object) -> random.Random:
        return random.Random(repr((self.key, what)))


Reply = str | int
"""The content of a page, with "-> URL" for a redirect; or a status."""
Behaviour = Callable[[Ask], Reply]


def text(rng: random.Random, words: int = 180) -> str:
    said = rng.choices(WORDS, k=words)
    return "".join(f"<p>{' '.join(said[at : at + 30])}.</p>" for at in range(0, words, 30))


def _own(ask: Ask) -> str:
    return f"<h1>About {ask.key}</h1>{text(ask.rng('own'))}"


def _of_each(ask: Ask) -> random.Random:
    return ask.rng("each", ask.nth)


def _links(ask: Ask, sites: int) -> str:
    return "".join(f"<a href=http://shop{number}-{ask.rng().getrandbits(32)}.test/>buy</a>" for number in range(sites))


def _for(asker: str, ours: Reply) -> Behaviour:
    """Another answer for one asker: "browser" or "crawler"."""
    return lambda ask: ours if ask.is_browser == (asker == "browser") else _own(ask)


def _cookie_wall(ask: Ask) -> Reply:
    return f"-> {ask.page}" if ask.is_browser and "cookie" not in ask.headers else _own(ask)


_SHELL = "<div id=root>Loading</div><script src=a.js></script>"
CLOAKED: dict[str, Behaviour] = {
    "other text": lambda ask: text(ask.rng("other"), 120) if ask.is_browser else _own(ask),
    "other text within one template": lambda ask: (
        f"{text(ask.rng('site'), 40)}{text(ask.rng(ask.is_browser), 160)}{text(ask.rng('foot'), 20)}"
    ),
    "other text beside adverts": lambda ask: (
        f"{text(ask.rng(ask.is_browser), 150)}{text(_of_each(ask), 40)}<p>{ask.nth} visits"
    ),
    "redirect": lambda ask: "-> http://casino.test/" if ask.is_browser else _own(ask),
    "redirect in the page": lambda ask: (
        "<meta http-equiv=refresh content='0;url=http://casino.test/'>go" if ask.is_browser else _own(ask)
    ),
    "redirect by way of the site": lambda ask: (
        ("-> http://casino.test/" if "hop" in ask.page else "-> /hop") if ask.is_browser else _own(ask)
    ),
    "missing for browsers": _for("browser", 404),
    "missing for crawlers": _for("crawler", 410),
    "links": lambda ask: _own(ask) + ("" if ask.is_browser else _links(ask, 5)),
    "stuffed text on top": lambda ask: _own(ask) + ("" if ask.is_browser else f"<p>{'cheap red shoes ' * 30}</p>"),
    "keywords in place of pictures": lambda ask: text(ask.rng(ask.is_browser), 45 if ask.is_browser else 900),
}
HONEST: dict[str, Behaviour] = {
    "static": _own,
    "clock and token": lambda ask: f"{_own(ask)}<p>{ask.nth * 61} s<input name=csrf value={_of_each(ask).random()}>",
    "random": lambda ask: text(_of_each(ask)),
    "one of three": lambda ask: text(ask.rng(_of_each(ask).randrange(3))),
    "one of two": lambda ask: text(ask.rng(_of_each(ask).randrange(2))),
    "paragraphs in any order": lambda ask: "<p>".join(_of_each(ask).sample(_own(ask).split("<p>"), 7)),
    "adverts for all": lambda ask: _own(ask) + text(_of_each(ask), 90) + _links(ask, _of_each(ask).randrange(4)),
    "adverts for browsers": lambda ask: (text(_of_each(ask), 240) if ask.is_browser else "") + _own(ask),
    "banner": lambda ask: ("<div>You use Firefox on Windows, welcome!</div>" if ask.is_browser else "") + _own(ask),
    "noscript": lambda ask: ("<noscript>Please switch scripts on.</noscript>" if ask.is_browser else "") + _own(ask),
    "language": lambda ask: text(ask.rng(ask.headers.get("accept-language", "de")[:2])),
    "language by redirect": lambda ask: (
        "-> /en" if "accept-language" in ask.headers and ask.page != "/en" else text(ask.rng(ask.page == "/en"))
    ),
    "shell": lambda ask: f"{_SHELL}<noscript>This app needs scripts to run.</noscript>",
    "shell for browsers": lambda ask: _SHELL if ask.is_browser else _own(ask),
    "first part for browsers": lambda ask: (
        "<p>".join(_own(ask).split("<p>")[:3]) if ask.is_browser else _own(ask) + _links(ask, 5)
    ),
    "refuses browsers": _for("browser", 403),
    "refuses crawlers": lambda ask: 429 if not ask.is_browser and ask.nth > 1 else _own(ask),
    "overloaded": lambda ask: 503 if ask.nth % 3 == 1 else _own(ask),
    "cookie wall": _cookie_wall,
    "consent on another host": lambda ask: "-> http://consent.{site}/" if ask.is_browser else _own(ask),
    "sessions in links": lambda ask: f"{_own(ask)}<a href=/?PHPSESSID={_of_each(ask).getrandbits(99):032x}>in</a>",
    "partners in turn": lambda ask: (
        _own(ask)
        + "".join(f"<a href=http://partner{number}.test/>p</a>" for number in _of_each(ask).sample(range(90), 6))
    ),
}


class Cloakers(Web):
    """Serves sites: host -> behaviour, number of pages, and the share of the pages that behave so. Others are static.

    `gaps`: seconds between two requests to a host; `asked`: all requests.
    """

    def __init__(self, sites: dict[str, tuple[Behaviour, int, float]], robots: str = "") -> None:
        super().__init__(self._reply)
        self.sites = sites
        self.robots = robots
        self._counts: Counter[str] = Counter()
        self._times: dict[str, list[float]] = {}

    def behaves(self, url: str) -> bool:
        """True for a page that has its site's behaviour."""
        _, _, host, path = url.split("/", 3)
        return (path.isdigit() and random.Random(f"{host}{path}").random() < self.sites[host][2]) or not path

    def gaps(self) -> Iterator[float]:
        return (later - time for times in self._times.values() for time, later in pairwise(times))

    def _reply(self, asked: Asked) -> list[bytes]:
        host = asked.headers["host"]
        self._times.setdefault(host, []).append(asyncio.get_running_loop().time())
        if asked.path == "/robots.txt" or host not in self.sites:
            is_robots = asked.path == "/robots.txt" and self.robots
            status = b"200 OK" if is_robots else b"404 Not Found"
            return [b"HTTP/1.1 " + status, b"Content-Type: text/plain", b"", self.robots.encode() if is_robots else b""]
        behaviour, pages, _ = self.sites[host]
        nth = self._counts[host + asked.path]
        self._counts[host + asked.path] += 1
        ask = Ask(asked.path, nth, "Firefox" in asked.headers["user-agent"], asked.headers, host + asked.path)
        number = asked.path.strip("/")
        if number.isdigit() and int(number) >= pages:
            reply: Reply = 404
        else:
            is_own = number.isdigit() and not self.behaves(f"http://{host}{asked.path}")
            reply = (_own if is_own else behaviour)(ask)
        if isinstance(reply, int):
            return [f"HTTP/1.1 {reply} No".encode(), b"Content-Type: text/html", b"", b"<p>no"]
        if reply.startswith("-> "):
            to = reply[3:].format(site=host).encode()
            return [b"HTTP/1.1 302 Found", b"Set-Cookie: seen=1", b"Location: " + to, b"", b""]
        links = "".join(f"<a href=/{number}>to</a>" for number in range(1, pages))
        page = f"<title>{host} {asked.path}</title>{links}{reply}"
        return [b"HTTP/1.1 200 OK", b"Content-Type: text/html; charset=utf-8", b"", page.encode()]


def crawl_cloakers(web: Cloakers, store: Path, **settings: Any) -> CrawlReport:
    """Crawl all sites from their front pages, at all defaults but those that the server needs; waits for nothing."""

    async def crawled() -> CrawlReport:
        async with web:
            options: Any = {"check_cloaking": True, "allow_private": True, "ca_file": PEM} | settings
            seeds = [f"http://{host}/" for host in web.sites]
            return await acrawl(seeds, store, connect_to=web.connect_to, **options)

    return run(crawled())
