"""Ways in which servers answer for pages that they do not have: a site of 50 good pages and 40 dead links for each.

What servers say by chance is seeded, so that a crawl meets the same answers each time.
"""

import functools
import itertools
import random
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from support.sites import Server, crawl, rows

from minicrawl.store.writer import Writer

HOME = "http://a.test/"
GOOD, DEAD = 50, 40
_SYLLABLES = [a + b for a in ("b", "d", "fl", "gr", "k", "l", "m", "n", "pr", "s", "t", "v") for b in "aeiou"]


def words(rng: random.Random, count: int) -> str:
    """Words that nobody has written, of two or three syllables each."""
    return " ".join("".join(rng.choices(_SYLLABLES, k=rng.choice((2, 2, 3)))) for _ in range(count))


def page(title: str, *paragraphs: str) -> str:
    said = "".join(f"<p>{text}</p>" for text in paragraphs)
    return f"<!doctype html><html><head><title>{title}</title></head><body>{said}</body></html>"


@functools.cache
def article(number: int) -> str:
    rng = random.Random(number)
    return page(f"Article {words(rng, 3)}", NAVIGATION, words(rng, 120), words(rng, 80))


@functools.cache
def _name(number: int) -> str:
    return words(random.Random(number), 2).replace(" ", "-") + f"-{number}"


Answer = Callable[[httpx.Request, random.Random], httpx.Response]


@dataclass(frozen=True)
class Behaviour:
    """`good`: what the page of a number says; `dead`: the answer for what there is not, None: the home page;
    `home`: what the home page says. `tells`: whether dead links can be told from pages at all. `good_path` and
    `dead_path`: of a good page and of a dead link, by number.
    """

    dead: Answer | None
    good: Callable[[int], str] = article
    home: str = ""
    tells: bool = True
    good_path: Callable[[int], str] = lambda number: f"f/page-{_name(number)}"
    dead_path: Callable[[int], str] = lambda number: f"f/old-{_name(number + 1000)}"


@dataclass
class Result:
    """URLs of the links that led to nothing and are no pages, of pages that were lost, and what was asked beside."""

    found: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    probes: list[str] = field(default_factory=list)
    states: dict[str, str] = field(default_factory=dict)


class BehavingServer(Server):
    """A site whose home page links to all its pages, and to as many that there are not."""

    def __init__(self, behaviour: Behaviour, order: str, seed: int) -> None:
        self._behaviour = behaviour
        self._rng = random.Random(seed)
        self.good = {HOME + behaviour.good_path(number): number for number in range(GOOD)}
        self.dead = [HOME + behaviour.dead_path(number) for number in range(DEAD)]
        self._links = linked_in(order, [*self.good], self.dead, random.Random(seed))
        super().__init__({})

    def probes(self) -> list[str]:
        return [url for url in self.asked if url not in (HOME, HOME + "404", *self.good, *self.dead)]

    def _answer(self, request: httpx.Request) -> httpx.Response:
        url, behaviour = str(request.url), self._behaviour
        if request.url.path == "/robots.txt":
            return httpx.Response(404)
        self.asked.append(url)
        if url == HOME or (behaviour.dead is None and url not in self.good):
            links = "".join(f'<li><a href="{link}">item {at}</a></li>' for at, link in enumerate(self._links))
            return httpx.Response(200, html=behaviour.home + f"<ul>{links}</ul>")
        if url in self.good:
            return httpx.Response(200, html=behaviour.good(self.good[url]))
        assert behaviour.dead is not None, "the home page has been served"
        return behaviour.dead(request, self._rng)


def linked_in(order: str, good: Sequence[str], dead: Sequence[str], rng: random.Random) -> list[str]:
    """Links in this order: "dead first", "good first", or "mixed"."""
    links = [*dead, *good] if order == "dead first" else [*good, *dead]
    if order == "mixed":
        rng.shuffle(links)
    return links


def outcome(name: str, store: Path, order: str = "mixed", seed: int = 1, **settings: object) -> Result:
    """What a crawl makes of a site with a behaviour. The URLs of probes follow from the store's key."""
    with closing(Writer(store)) as writer, writer.transaction():
        writer.save_meta({"hash_key": f"{seed:032x}"})
    _, server = crawl(BehavingServer(BEHAVIOURS[name], order, seed), store, [HOME], **settings)
    found = rows(store, "SELECT url, state, reason FROM pages")
    told = {url: state if state == "alias" else f"{state} {reason}" for url, state, reason in found}
    return Result(
        [url for url in server.dead if told.get(url, "unknown") != "fetched ok"],
        [url for url in server.good if told.get(url, "unknown") != "fetched ok"],
        server.probes(),
        told,
    )


def _hex(rng: random.Random, digits: int = 16) -> str:
    return f"{rng.getrandbits(4 * digits):0{digits}x}"


def _clock(rng: random.Random) -> str:
    return f"{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.randrange(60):02}"


def _always(text: str) -> Answer:
    return lambda request, rng: httpx.Response(200, html=text)


def _says(make: Callable[[httpx.Request, random.Random], str]) -> Answer:
    return lambda request, rng: httpx.Response(200, html=make(request, rng))


@functools.cache
def _product(number: int, template: str, *, own: int) -> str:
    rng = random.Random(number)
    return page("Our shop", template, f"{words(rng, own)} {number}.99")


def _in_folder(request: httpx.Request, rng: random.Random) -> httpx.Response:
    soft = request.url.path.startswith("/soft/")
    return httpx.Response(200, html=SORRY) if soft else httpx.Response(404)


NAVIGATION = "Home News Products About us Contact Search Log in"
_TEMPLATE = {count: words(random.Random(count), count) for count in (130, 150, 300)}
_POOL = [words(random.Random(number + 5000), 3) for number in range(40)]
_LEXICON = words(random.Random(11), 3_000).split()
_OFTEN = list(itertools.accumulate(1 / (rank + 2) for rank in range(len(_LEXICON))))
_QUOTES = [words(random.Random(number + 6000), 12) for number in range(5)]
SORRY = page("Not found", NAVIGATION, "Sorry, we could not find what you were looking for.")
SHELL = (
    '<!doctype html><html><head><title>App</title><script src="/app.js"></script></head><body>'
    '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div></body></html>'
)
_NO_PRODUCT = "We are sorry, this item is not available any more."
_RENDERED = page("Welcome", NAVIGATION, words(random.Random(9), 150))


def _numbered(number: int) -> str:
    return f"product/{number}"


def _dead_number(number: int) -> str:
    return f"product/{number + 900}"


def _language(rng: random.Random, count: int) -> str:
    """As many words as they come in a language: some in every sentence, most hardly ever (Zipf)."""
    return " ".join(rng.choices(_LEXICON, cum_weights=_OFTEN, k=count))


@functools.cache
def _story(number: int) -> str:
    rng = random.Random(number)
    return page(_language(rng, 4), NAVIGATION, _language(rng, 250))


@functools.cache
def _entry(number: int) -> str:
    rng = random.Random(number)
    return page("Directory", _TEMPLATE[150], _language(rng, 40))


def _made_up(make: Callable[[int], str]) -> Answer:
    return _says(lambda request, _: make(sum(request.url.path.encode()) * 31 + len(request.url.path)))


_APP: dict[str, Any] = {"good": lambda number: SHELL, "tells": False, "good_path": _numbered, "dead_path": _dead_number}
BEHAVIOURS = {
    "real 404": Behaviour(lambda request, rng: httpx.Response(404, html=SORRY)),
    "constant": Behaviour(_always(SORRY)),
    "path": Behaviour(_says(lambda r, _: page("Not found", NAVIGATION, f"There is no {r.url.path} on this server."))),
    "random id": Behaviour(_says(lambda _, rng: page("Not found", NAVIGATION, f"Sorry. Incident {_hex(rng)}"))),
    "time and id": Behaviour(
        _says(lambda _, rng: page("Error", NAVIGATION, f"Not here. {_clock(rng)} GMT, request {_hex(rng)}"))
    ),
    "short with id": Behaviour(_says(lambda _, rng: f"<p>Not found ({_hex(rng, 8)})</p>")),
    "long template": Behaviour(
        _always(page("Our site", _TEMPLATE[300], "The page was not found.")),
        good=lambda number: page("Our site", _TEMPLATE[300], words(random.Random(number), 60)),
    ),
    "suggestions": Behaviour(
        _says(lambda _, rng: page("Oops", NAVIGATION, "Nothing here. You may like:", *rng.sample(_POOL, 5)))
    ),
    "302 to home": Behaviour(lambda request, rng: httpx.Response(302, headers={"location": HOME}), home=_RENDERED),
    "302 to /404": Behaviour(
        lambda request, rng: (
            httpx.Response(200, html=SORRY)
            if request.url.path == "/404"
            else httpx.Response(302, headers={"location": HOME + "404"})
        )
    ),
    "shell": Behaviour(_always(SHELL), home=_RENDERED, **_APP),
    "shop of 150 words": Behaviour(
        _always(page("Our shop", _TEMPLATE[150], _NO_PRODUCT)),
        good=lambda number: _product(number, _TEMPLATE[150], own=8),
        good_path=_numbered,
        dead_path=_dead_number,
    ),
    "shop of 300 words": Behaviour(
        _always(page("Our shop", _TEMPLATE[300], _NO_PRODUCT)),
        good=lambda number: _product(number, _TEMPLATE[300], own=4),
        good_path=_numbered,
        dead_path=_dead_number,
    ),
    "home page for all": Behaviour(None, home=_RENDERED),
    "one folder": Behaviour(_in_folder, dead_path=lambda number: f"soft/{_name(number + 1000)}"),
    "rotating quote": Behaviour(
        _says(lambda _, rng: page("Not found", NAVIGATION, "Nothing is here.", rng.choice(_QUOTES)))
    ),
    "title with path": Behaviour(
        _says(lambda r, _: page(f"{r.url.path[1:]} - not found", NAVIGATION, "No such page on our site."))
    ),
    "stories for all": Behaviour(_made_up(_story), good=_story, tells=False),
    "entries for all": Behaviour(_made_up(_entry), good=_entry, tells=False),
}
