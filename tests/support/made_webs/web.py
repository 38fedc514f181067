"""A made site: what it answers, which pages of it a reader wants, and what a crawl has read of these."""

import html
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urljoin, urlsplit

import httpx
from support.prose import WORDS
from support.sites import Server, crawl, rows

HOST = "http://made.test"
HOME = f"{HOST}/"
ENDLESS = 3_000
"""Requests for pages after which a crawl of a site without an end is cut."""
OPEN = math.inf
"""Requests of a site of which nobody can say what a good judge needs."""


class Answer(NamedTuple):
    """What a server says to a request."""

    body: str
    status: int = 200
    fields: Mapping[str, str] = {"Content-Type": "text/html; charset=utf-8"}


MISSING = Answer("<title>Not found</title>There is no such page.", 404)


def to(target: str) -> Answer:
    """The answer that leads elsewhere."""
    return Answer("", 302, {"Location": target})


def split(key: str) -> tuple[str, dict[str, str]]:
    """Path and parameters."""
    parts = urlsplit(key)
    return parts.path, dict(parse_qsl(parts.query, keep_blank_values=True))


def links(*pairs: tuple[str, str]) -> str:
    """A list of links: URL and text of each."""
    return "".join(f'<li><a href="{html.escape(url)}">{text}</a></li>' for url, text in pairs)


def links_to(urls: Iterable[str]) -> str:
    """A list of links, each with its URL as the text."""
    return links(*((url, url) for url in urls))


_MENU = links(("/", "Home"), ("/about", "About us"), ("/contact", "Contact"))
_FOOTER = "<footer>Copyright 2026, all rights reserved by the makers of this site</footer>"


def document(title: str, body: str, head: str = "", *, menu: str = _MENU) -> str:
    """A page with the menu and the footer of its site."""
    head = f"<head><title>{title}</title>{head}</head>"
    return f"<!doctype html><html>{head}<body><ul>{menu}</ul>{body}{_FOOTER}</body></html>"


LOGIN = document("Log in", '<p>Your name and your password</p><form><input type="password"></form>')


@dataclass
class MadeWeb:
    """A function of its seed. A key is a path with its query, or the whole URL if the host is not the home page's.

    pages: body by key. views: by path, the body for these parameters. respond: what is answered for all other keys,
    given how often each was asked for by now; None is a 404. wanted: keys of the pages for a reader. most: requests
    that a good judge may need to the natural end.
    by_url: pages are told apart by their URLs, as their texts change or are all one; else by title and text.
    """

    purpose: str
    seed: int = 0
    most: float = OPEN
    by_url: bool = False
    pages: dict[str, str] = field(default_factory=dict)
    views: dict[str, Callable[[dict[str, str]], Answer | str | None]] = field(default_factory=dict)
    wanted: set[str] = field(default_factory=set)
    respond: Callable[[str, int], Answer | str | None] = lambda key, times: None

    def add(self, key: str, title: str, body: str, head: str = "", *, wanted: bool = True) -> None:
        self.pages[key] = document(title, body, head)
        if wanted:
            self.wanted.add(key)

    def front(self, body: str, head: str = "") -> None:
        """The front page, where each crawl begins."""
        self.add("/", "Home", body, head)

    def items(self, count: int, path: str, *views: str, title: str = "Page {}") -> None:
        """Pages with a text each, all linked from the front page, and each with links to views of itself.

        path, views, title: with {} for the number of the page; the words of a view's URL are the text of its link.
        """
        for item in range(count):
            own = links(*((view.format(item), re.sub(r"[\W\d]+", " ", view)) for view in views))
            self.add(path.format(item), title.format(item), self.text(item) + own)
        self.front(links(*((path.format(item), title.format(item)) for item in range(count))))

    def same_page(self, key: str, times: int = 1) -> str | None:
        """The answer of a server that minds no query."""
        return self.pages.get(key.partition("?")[0])

    def text(self, *key: object, words: int = 60) -> str:
        """Paragraphs of twelve words and a number, the same for a key and unlike those of any other."""
        draw = random.Random(f"{self.seed} {key}")
        lines = (" ".join(draw.choices(WORDS, k=12)) for _ in range(words // 12))
        return "".join(f"<p>{line} {draw.randrange(999)}</p>" for line in lines)

    def answer(self, key: str, times: int = 1) -> Answer:
        """What the server says when it is asked for a key, for the first time or again."""
        path, query = split(key)
        found: Answer | str | None = self.pages.get(key)
        if found is None:
            found = self.views[path](query) if path in self.views else self.respond(key, times)
        return Answer(found) if isinstance(found, str) else found or MISSING

    def reply(self, request: httpx.Request, times: int) -> httpx.Response:
        answer = self.answer(key_of(str(request.url)), times)
        return httpx.Response(answer.status, headers=dict(answer.fields), text=answer.body)

    def says(self, key: str, answer: Answer) -> str | None:
        """What a page is told apart by, None if it is none."""
        if answer.status != 200:
            return None
        return key if self.by_url else text_of(answer)


def text_of(answer: Answer) -> str:
    """What a reader sees of it."""
    return " ".join(re.sub("<[^>]*>", " ", answer.body).split())


MADE: dict[str, Callable[[int], MadeWeb]] = {}
"""Every made site by name; it is made of a seed."""
Fill = Callable[[MadeWeb], None]


def made(most: float | None = None, *, by_url: bool = False) -> Callable[[Fill], Fill]:
    """Register what fills a site: its name is the site's, its docstring says what the site is for.

    most: None: 1.4 times the wanted pages and 40 more, for the lists between them and for samples.
    """

    def register(fill: Fill) -> Fill:
        def make(seed: int = 0) -> MadeWeb:
            web = MadeWeb(fill.__doc__ or "", seed, by_url=by_url)
            for key, title in (("/about", "About us"), ("/contact", "Contact")):
                web.add(key, title, web.text(key))
            fill(web)
            web.most = len(web.wanted) * 1.4 + 40 if most is None else most
            return web

        MADE[fill.__name__] = make
        return fill

    return register


class Read(NamedTuple):
    """What a crawl has read of a made site.

    lost: keys of the wanted pages that it has not read. useful: requests that gave a wanted page or the first link to
    one. left: URLs known and never asked for, by state and reason.
    """

    wanted: int
    lost: list[str]
    requests: int
    useful: int
    left: Counter[str]
    ended: bool

    @property
    def waste(self) -> float:
        """Share of the requests that gave nothing."""
        return 1 - self.useful / max(self.requests, 1)


def key_of(url: str) -> str:
    return url.removeprefix(HOST)


def links_of(key: str, answer: Answer) -> list[str]:
    """Keys of the pages that an answer leads to."""
    targets = [*re.findall('href="([^"]*)', answer.body), *filter(None, [answer.fields.get("Location")])]
    return [key_of(urljoin(HOST + key if key[0] == "/" else key, html.unescape(target))) for target in targets]


def read_by_crawl(web: MadeWeb, store: Path, pages: int = ENDLESS, **settings: Any) -> Read:
    """Crawl a made site at all defaults but the delay, until nothing is left or `ENDLESS` requests were made. pages: of
    each run, where there are several."""
    asked: list[tuple[str, Answer]] = []

    def reply(request: httpx.Request, times: int) -> httpx.Response:
        key = key_of(str(request.url))
        asked.append((key, answer := web.answer(key, times)))
        return httpx.Response(answer.status, headers=dict(answer.fields), text=answer.body)

    is_ended = False
    while not is_ended and len(asked) < ENDLESS:
        report, _ = crawl(Server({}, absent=reply), store, [HOME], pages=pages, **settings)
        is_ended = report.reason == "nothing-left"
    return read_of(web, store, asked)._replace(ended=is_ended)


def read_of(web: MadeWeb, store: Path, asked: Sequence[tuple[str, Answer]]) -> Read:
    """What crawls have read that asked for some keys, and have ended by themselves.

    A wanted page is read if it was given and the store does not call it an error; or if one with the same text was, and
    the store calls it its alias, or pages are not told apart by URL.
    """
    known = {key_of(url): (state, reason) for url, state, reason in rows(store, "SELECT url, state, reason FROM ranks")}
    given = {key: answer for key, answer in asked if answer.status == 200}
    texts = set(map(text_of, given.values()))

    def is_read(key: str) -> bool:
        state, _ = known.get(key, ("", ""))
        by_text = state == "alias" or not web.by_url
        return state not in ("error", "gone") and (key in given or (by_text and text_of(web.answer(key)) in texts))

    unread, unlinked = {web.says(key, web.answer(key)) for key in web.wanted}, set(web.wanted)
    useful = 0
    for key, answer in asked:
        said, linked = web.says(key, answer), set(links_of(key, answer))
        useful += said in unread or bool(linked & unlinked)
        unread.discard(said)
        unlinked -= linked
    left = Counter(" ".join(known[key]) for key in known.keys() - {key for key, _ in asked})
    lost = sorted(key for key in web.wanted if not is_read(key))
    return Read(len(web.wanted), lost, len(asked), useful, left, ended=True)
