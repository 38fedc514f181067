"""The changing web: the answer of every URL at a time, a function of the seed, the speed and the time alone.

Change rates are lognormal, about as those of real webs. A few pages are taken down for a while and come back, a few
move to another address and back, a few change in bursts, and a quarter differs at every fetch though nothing in it has
changed: noise. Every host has its own use of ETag and Last-Modified. Files, redirects, print versions, the calendar and
missing pages never change.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from math import ceil
from random import Random
from typing import NamedTuple

from changing.versions import MANNERS, Absences, Bursts, Changes, is_not_modified, validators
from minicrawl.demo.resources import Page, Redirect, Reply, Resource, root_of
from minicrawl.demo.web import DemoWeb
from minicrawl.demo.words import drawn_title, paragraphs
from minicrawl.errors import SettingError

_IN_A_THREAD = 64


def _nonce(_: str, now: float) -> str:
    return f'<script nonce="{_random(now).getrandbits(128):032x}">var page = 1;</script>'


def _date(_: str, now: float) -> str:
    return f"<div>Asked for at second {now:.6f} of the epoch</div>"


def _ad(_: str, now: float) -> str:
    random = _random(now)
    return f'<div class="ad">{drawn_title(random)}! {drawn_title(random)}, {drawn_title(random)}.</div>'


def _counter(_: str, now: float) -> str:
    return f"<div>You are visitor number <b>{int(1000 * now) % 100_000_000:,}</b> of this page.</div>"


def _rotating_list(_: str, now: float) -> str:
    """Three to eight titles: not even their number stays."""
    random = _random(now)
    titles = "".join(f"<li>{drawn_title(random)}</li>" for _ in range(random.randint(3, 8)))
    return f'<aside><h2>Others read</h2><ul class="others">{titles}</ul></aside>'


def _comments(url: str, written: float) -> str:
    """A thread that grows by one comment at a time, and is closed with the sixty-fourth."""
    newest = int(written)
    shown = range(newest - newest % _IN_A_THREAD, newest + 1)
    texts = (f"<p>{number}: {drawn_title(Random(f'{url} {number}'))}.</p>" for number in shown)
    return f'<section class="comments">{"".join(texts)}</section>'


NOISES: Mapping[str, Callable[[str, float], str]] = {
    "nonce": _nonce,
    "date": _date,
    "ad": _ad,
    "counter": _counter,
    "rotating list": _rotating_list,
    "comments": _comments,
}
"""HTML by a page's URL and the time in seconds, or for comments their number so far on all pages."""


def _random(now: float) -> Random:
    return Random(repr(now))


MEAN_INTERVAL = 3 * 86400.0
"""Mean seconds of the web's time between two changes of a page."""
FASTEST = 0.1
"""Most changes per second of a page, so that seconds tell its versions apart."""
LEAST_SPEED, MOST_SPEED = 1e-3, 1e6
_SPREAD = 1.5
"""Standard deviation of the logarithm of the rates."""
_RELINKED = 0.3
"""Fraction of changes that change links."""
_SEE_ALSO = 2
_KINDS = {"plain": 0.69, "bursts": 0.03, "goes": 0.02, "moves": 0.02, **dict.fromkeys(NOISES, 0.04)}
"""Fractions of pages: plain; changed in bursts; taken down, and moved, now and then; with each kind of noise."""
_PERIOD, _ABSENCE = 20.0, 3.0
"""In mean times between two changes of a page: the period in which it goes or moves once, and its absence. A burst has
the changes of such a period within an eighth of it."""
_IN_ITS_ETAG = 0.5
"""Fraction of the pages with noise whose ETag is that of the bytes, another one at every fetch."""
_COMMENT_EVERY = 7200.0
"""Seconds of the web's time between two comments."""


class Life(NamedTuple):
    """The changes of a page. kind: plain, bursts, goes, moves, the name of its noise, or constant."""

    kind: str
    text: Changes | Bursts
    links: Changes
    away: Absences

    @property
    def rate(self) -> float:
        """Changes of text and links per second."""
        return self.text.rate + self.links.rate

    def last_change(self, now: float) -> int:
        """The last change of the answer to a GET, noise apart: text, links, status or address."""
        return max(self.text.last(now), self.links.last(now), self.away.last_turn(now))

    def changes(self, since: float, now: float) -> list[int]:
        """Those changes after `since`, and before or at `now`, rising."""
        turns = self.away.turns(since, now)
        return sorted({*self.text.between(since, now), *self.links.between(since, now), *turns})


_NEVER = Changes("", 0.0)
_CONSTANT = Life("constant", _NEVER, _NEVER, Absences("", 1.0, 0))


@dataclass(frozen=True)
class ChangingWeb:
    """The pages of `web`, which change. speed: of the web's time, relative to the clock.

    seed: of the changes. paces: factors on the rates of hosts, 1 for others. Raises SettingError.
    """

    web: DemoWeb
    seed: int = 0
    speed: float = 1.0
    paces: Mapping[str, float] = field(default_factory=dict)
    _lives: dict[str, Life] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not LEAST_SPEED <= self.speed <= MOST_SPEED:
            raise SettingError(f"the speed must be from {LEAST_SPEED:g} to {MOST_SPEED:,.0f}, not {self.speed:g}")

    @property
    def mean_rate(self) -> float:
        """Mean changes per second of a page, before the limit FASTEST and without `paces`."""
        return self.speed / MEAN_INTERVAL

    def respond(self, url: str, asked: Mapping[str, str], now: float) -> Reply:
        """The answer at `now` to a GET of a normalised URL. asked: the header fields of the request."""
        life = self.life(url)
        resource = self.resource(url, now)
        if isinstance(resource, Page) and life.kind in NOISES:
            clock = now * self.speed / _COMMENT_EVERY if life.kind == "comments" else now
            resource = replace(resource, below=(*resource.below, NOISES[life.kind](url, clock)))
        reply = self.web.reply(url, resource)
        if reply.status != 200:
            return reply
        fields = self._validators(url, life, now)
        if is_not_modified(MANNERS[self.manner(url)], fields, asked):
            return Reply(304, fields, b"", reply.delay_seconds)
        return replace(reply, headers={**reply.headers, **fields})

    def resource(self, url: str, now: float) -> Resource | None:
        """The resource at a URL at `now`, noise apart; None if there is none."""
        old = self._moved.get(url)
        if old is not None:
            is_here = self.life(url).away.is_away(now)
            return replace(self._written(old, now), url=url) if is_here else Redirect(old, 301)
        life = self.life(url)
        if life is _CONSTANT:
            return self.web.resource(url)
        if life.kind == "goes" and life.away.is_away(now):
            return None
        if life.kind == "moves" and life.away.is_away(now):
            return Redirect(moved(url), 301)
        return self._written(url, now)

    def importance(self, now: float) -> dict[str, float]:
        """Exact importance of every URL by the links at `now`, as in `DemoWeb.truth`."""
        urls = [*self._targets, *self._moved]
        return self.web.with_resources({url: self.resource(url, now) for url in urls}).truth()

    def life(self, url: str) -> Life:
        """The life of the resource at a URL; at an address that a page moves to, that of the page."""
        return self._life(self._moved.get(url, url))

    def _life(self, url: str) -> Life:
        if url not in self._lives:
            self._lives[url] = self._drawn_life(url) if url in self._changing else _CONSTANT
        return self._lives[url]

    def manner(self, url: str) -> str:
        """The name of the manner of a URL's host."""
        return self._manners.get(_host(url), "nothing")

    def has_stable_etag(self, url: str) -> bool:
        """True unless a page's ETag is another one at every fetch, because of its noise."""
        return self.life(url).kind not in NOISES or Random(f"{self.seed} {url} etag").random() >= _IN_ITS_ETAG

    def _written(self, url: str, now: float) -> Page:
        """A page as of `now`, with the paragraph and the links of its latest version."""
        page = self.web.resource(url)
        assert isinstance(page, Page)
        life = self.life(url)
        latest = escape(next(paragraphs(f"{url} {life.text.last(now)}")))
        random = Random(f"{self.seed} {url} links {life.links.last(now)}")
        page = replace(page, links=dict(page.links), below=(f"<p>{latest}</p>",))
        for target in random.sample(self._targets, _SEE_ALSO):
            page.link(target, f"See also: {drawn_title(random)}")
        return page

    def _validators(self, url: str, life: Life, now: float) -> dict[str, str]:
        manner = MANNERS[self.manner(url)]
        if life.kind not in NOISES:
            return validators(manner, life.last_change(now), now)
        # A page made anew for every visitor has no date.
        fields = validators(replace(manner, date=None), life.last_change(now), now)
        is_stable = manner.judges == "always" or "ETag" not in fields or self.has_stable_etag(url)
        return fields if is_stable else {"ETag": f'"{now!r}"'}

    def _drawn_life(self, url: str) -> Life:
        name = f"{self.seed} {url}"
        random = Random(f"{name} life")
        mean = self.mean_rate * self.paces.get(_host(url), 1.0)
        rate = min(mean * random.lognormvariate(-_SPREAD * _SPREAD / 2.0, _SPREAD), FASTEST)
        kind = random.choices(list(_KINDS), list(_KINDS.values()))[0]
        if kind == "bursts":
            rate = min(rate, FASTEST / 8.0)
            busy = Absences(f"{name} busy", _PERIOD / rate, ceil(_PERIOD / rate / 8))
            return Life(kind, Bursts(Changes(f"{name} text", 8.0 * rate), busy), _NEVER, Absences("", 1.0, 0))
        lasting = ceil(_ABSENCE / rate) if kind in ("goes", "moves") else 0
        return Life(
            kind,
            Changes(f"{name} text", rate * (1.0 - _RELINKED)),
            Changes(f"{name} links", rate * _RELINKED),
            Absences(f"{name} away", _PERIOD / rate, lasting),
        )

    @cached_property
    def _changing(self) -> frozenset[str]:
        return frozenset(page.url for page in self.web.pages() if page.canonical is None)

    @cached_property
    def _targets(self) -> list[str]:
        return sorted(self._changing)

    @cached_property
    def _moved(self) -> dict[str, str]:
        """The former address of each page that may move, by its new address."""
        return {moved(url): url for url in self._targets if self._life(url).kind == "moves"}

    @cached_property
    def _manners(self) -> dict[str, str]:
        names = list(MANNERS)
        return {host: names[number % len(names)] for number, host in enumerate(self.web.hosts)}


def _host(url: str) -> str:
    return root_of(url).removeprefix("http://").removesuffix("/")


def moved(url: str) -> str:
    """The address that a page moves to."""
    return f"{root_of(url)}moved/{url.removeprefix(root_of(url)).replace('/', '-')}"
