"""A simulated host, what two runs of a crawl a day apart make of it, and what that costs the host."""

import asyncio
import math
import random
import re
import time
import zlib
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from email.utils import formatdate
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from support.prose import prose
from support.sites import rows
from support.skipping import run

from minicrawl.api import acrawl
from minicrawl.timing import Timing

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
FOLDERS = 8
"""Of each host; its pages are in these in turn."""
TAKES = 0.1
"""Seconds for an answer."""
_IN_FEW_STEPS = Timing(quiet=DAY)  # while nothing happens


class Asked(NamedTuple):
    """A request. at: seconds since the crawl began; since: the same since the host's trouble began, less than 0 before;
    times: requests to the host before, of_page: those of them for this path."""

    path: str
    at: float
    since: float
    times: int
    of_page: int


class Answer(NamedTuple):
    """What a host says that is not the page which was asked for, or is that page in another shape.

    rest: seconds to be written into Retry-After. failure: makes what is raised in place of a response. is_cut: the
    connection breaks within the body. takes: seconds until it is there. is_page: it is the page.
    """

    status: int = 200
    body: str = ""
    fields: Mapping[str, str] = {}
    rest: float = 0.0
    by_date: bool = False
    failure: Callable[[], Exception] | None = None
    is_cut: bool = False
    takes: float = TAKES
    is_page: bool = False

    @property
    def may_pass(self) -> bool:
        return self.failure is not None or self.status in (408, 425, 429) or self.status >= 500 or self.rest > 0


Way = Callable[[Asked], Answer | None]
"""How a host answers; None: with the page."""


@dataclass(frozen=True)
class Kind:
    """A kind of host. ways: makes the way of each of its hosts.

    pages: of each host, with the front page, which links to all. begins: requests answered well before the trouble
    begins. body: the page at a path of a host; None: prose. failures: kinds of failure that a well host shows. lost,
    soon, rests: what may be lost, the most answers of an ill host within ten minutes, rests of a well one; where they
    are not those of most kinds, `why` says why.
    """

    ways: Callable[[], Sequence[Way]]
    pages: int = 65
    begins: int = 20
    body: Callable[[str], str] | None = None
    failures: int = 1
    lost: int = 0
    soon: int = 10
    rests: int = 1
    why: str = ""


class Figures(NamedTuple):
    """What two runs came to.

    lost: wanted pages that are not read in the end. ill: requests that an ill host answered; soon: most of these within
    ten minutes at one host; early: requests before the time for which Retry-After had asked; rests: pauses of a host
    with pages that nobody had asked for; asked: requests for pages; most: so many may be needed; seconds: of run 1.
    """

    lost: tuple[str, ...]
    ill: int
    soon: int
    early: int
    rests: int
    asked: int
    most: int
    seconds: int

    def row(self) -> str:
        return "".join(f"{number:>8}" for number in (len(self.lost), *self[1:]))


HEADING = "".join(f"{name:>8}" for name in Figures._fields)


class Request(NamedTuple):
    """One that a host has answered; answer: None: with the page."""

    at: float
    path: str
    answer: Answer | None

    @property
    def is_well(self) -> bool:
        return self.answer is None or self.answer.is_page


class Host:
    """A host of a kind. order: of the links to its pages, "mixed" or "folders"."""

    def __init__(self, name: str, kind: Kind, way: Way, order: str) -> None:
        self.name, self._kind, self._way = name, kind, way
        self.paths = [f"/f{number % FOLDERS}/p{number}" for number in range(1, kind.pages)]
        if order == "mixed":
            random.Random(1).shuffle(self.paths)
        else:
            self.paths.sort(key=lambda path: path.split("/")[1])
        self.log: list[Request] = []
        self._times = defaultdict[str, int](int)
        self._began = math.inf

    def answer(self, path: str, at: float) -> Answer | None:
        if len(self.log) >= self._kind.begins:
            self._began = min(self._began, at)
        answer = self._way(Asked(path, at, at - self._began, len(self.log), self._times[path]))
        self._times[path] += 1
        self.log.append(Request(at, path, answer))
        return answer

    def page(self, path: str) -> str | None:
        """The page at a path, with or without a slash at its end, in a language, or by https; None if there is none."""
        path = path.removeprefix("/https").removeprefix("/en")
        if path not in ("/", *self.paths, *(f"{one}/" for one in self.paths)):
            return None
        path = path.removesuffix("/") or "/"
        text = self._kind.body(path) if self._kind.body else page(f"{self.name}{path}")
        return text + "".join(f'<li><a href="{one}">{one}</a></li>' for one in self.paths if path == "/")

    def url(self, path: str) -> str:
        """That of a page, without a slash at its end."""
        return f"http://{self.name}{path}".removesuffix("/")

    @property
    def wanted(self) -> list[str]:
        """Paths of the pages that it has when its trouble is over."""
        late = Asked("", 30 * DAY, 30 * DAY, 10_000, 10)
        found = {path: self._way(late._replace(path=path)) for path in ("/", *self.paths)}
        return [path for path, answer in found.items() if answer is None or answer.is_page]

    @property
    def ill_at(self) -> list[float]:
        return [request.at for request in self.log if not request.is_well]

    @property
    def soon(self) -> int:
        times = self.ill_at
        return max((sum(at <= later < at + 10 * MINUTE for later in times) for at in times), default=0)

    @property
    def early(self) -> int:
        """A page that is never there asks for itself alone."""
        wanted, until = {*self.wanted, "/robots.txt"}, defaultdict[str, float](float)
        count = 0
        for at, path, answer in self.log:
            count += at < max(until["of all"], until[path]) - 1
            if answer is not None and answer.rest:
                until["of all" if path in wanted else path] = at + answer.rest
        return count

    @property
    def rests(self) -> int:
        """Pauses while pages are known that nobody has asked for, but for those before a robots.txt."""
        is_known = any(one.path == "/" and one.is_well for one in self.log)
        unasked, count, before = {*self.paths} if is_known else set[str](), 0, 0.0
        for one, after in pairwise(self.log):
            unasked.discard(one.path)
            took = TAKES if one.answer is None else one.answer.takes
            is_late = after.at > one.at + took + max(2 * took, 2 * before, 1.0) + 8
            count += bool(unasked) and is_late and after.path != "/robots.txt"
            before = took
        return count

    @property
    def asked(self) -> list[str]:
        """Paths of the pages that were asked for, each as often as it was."""
        return [path for _, path, _ in self.log if path == "/" or path.startswith("/f")]

    @property
    def most(self) -> int:
        """Each page once, and twice more in the first run and three times in the next one what may have passed."""
        passing = {request.path for request in self.log if request.answer is not None and request.answer.may_pass}
        return len({"/", *self.paths, *self.asked}) + 5 * len(passing) + 8 * self._kind.failures


class Web(httpx.AsyncBaseTransport):
    """The hosts of a kind."""

    def __init__(self, kind: Kind, order: str) -> None:
        named = {f"h{number}.test": way for number, way in enumerate(kind.ways())}
        self.hosts = {name: Host(name, kind, way, order) for name, way in named.items()}
        self._began: float | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        loop = asyncio.get_running_loop()
        self._began = loop.time() if self._began is None else self._began
        host, path = self.hosts[request.url.host], request.url.raw_path.decode()
        path = f"/https{path}" if request.url.scheme == "https" else path
        answer = host.answer(path, loop.time() - self._began)
        await asyncio.sleep(TAKES if answer is None else answer.takes)
        if answer is None:
            body = host.page(path)
            answer = Answer(404) if body is None else Answer(body=body)
        if answer.failure is not None:
            raise answer.failure()
        fields = {"Content-Type": "text/html", **answer.fields}
        if answer.rest:
            until = math.ceil(loop.time() + time.time() - time.monotonic() + answer.rest)
            fields["Retry-After"] = formatdate(until, usegmt=True) if answer.by_date else f"{answer.rest:.0f}"
        if answer.is_cut:
            return httpx.Response(answer.status, headers=fields, stream=_Cut(answer.body))
        return httpx.Response(answer.status, headers=fields, stream=httpx.ByteStream(answer.body.encode()))


class _Cut(httpx.AsyncByteStream):
    def __init__(self, body: str) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._body.encode()
        raise httpx.ReadError("the connection broke")


def page(title: str, words: int = 60) -> str:
    """A page with a text of its own."""
    return prose(zlib.crc32(title.encode()), words, title)


def _title(text: str) -> str | None:
    found = re.search("<title>(.*?)<", text)
    return None if found is None else found[1]


def figures(kind: Kind, store: Path, *, order: str = "mixed", **settings: Any) -> Figures:
    """Those of two runs, the second of which begins a day after the first has ended."""
    web = Web(kind, order)
    hosts = web.hosts.values()
    settings |= {"transport": web, "timing": _IN_FEW_STEPS}
    first = run(acrawl([f"http://{name}/" for name in web.hosts], store, **settings), grace=0.0)
    run(asyncio.sleep(DAY), grace=0.0)
    run(acrawl([], store, **settings), grace=0.0)
    found = rows(store, "SELECT url, title FROM ranks WHERE reason = 'ok'")
    read = {(url.replace("/en/", "/").removesuffix("/"), title) for url, title in found}
    wanted = [(host.url(path), _title(host.page(path) or "")) for host in hosts for path in host.wanted]
    return Figures(
        lost=tuple(url for url, title in wanted if (url, title) not in read),
        ill=sum(len(host.ill_at) for host in hosts),
        soon=max(host.soon for host in hosts),
        early=sum(host.early for host in hosts),
        rests=sum(host.rests for host in hosts),
        asked=sum(len(host.asked) for host in hosts),
        most=sum(host.most for host in hosts),
        seconds=round(first.seconds),
    )
