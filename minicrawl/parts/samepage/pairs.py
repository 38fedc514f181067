"""Pairs: a URL, and the same without one of its parameters, or spelled more simply. What changes nothing is void.

name     of a parameter as ?name, of one with a value as ?name=value, or of a spelling, see minicrawl.web.urls.spellings
agree    both were read and stand for one page, whatever showed it: the same text, a redirect, a canonical
void     what changes nothing on a host: its URLs are names of the plainer ones, read or not

VALUES values that agree make a name void, if none differs, and either TEXTS different pages are among them, or other
pages link to all the plain URLs as well; else MANY_VALUES do. A host may answer any URL beyond the last one with the
first page: that is one page, and nobody links to it without. Where one pair in DIFFERING differs, it is void no more.

Of a parameter with a value so many URLs must agree: where ?page=1 is the page without, ?page=2 is another.
"""

import re
import zlib
from collections.abc import Callable, Iterable
from typing import NamedTuple

from msgspec import Struct, field

from minicrawl.web.urls.shapes import looks_random, shape_of, without
from minicrawl.web.urls.spellings import spellings

VOID = "session"
"""The reason of a page that stands for another as a parameter or a spelling changes nothing."""
VALUES, TEXTS, MANY_VALUES, DIFFERING = 4, 3, 12, 8
MOST_EXACT = 64
"""Names with a value that are counted of a host."""
READ_ALL_THE_SAME = 64
"""One in so many URLs with a void parameter is read all the same, in case it comes to matter."""
WAITING, EXPERIMENTS = 8, 5
"""URLs with a parameter that must wait for an experiment, and the most with it; if all agree, MANY_VALUES are."""


class Evidence(NamedTuple):
    """A URL and its plainer one were read. name: what differs. page: URL of the one that both are, if they agree.
    is_linked: pages link to the plainer one. is_near: they agree but for some words or images, which says nothing of
    a value."""

    url: str
    name: str
    page: str
    agrees: bool
    is_linked: bool = True
    is_near: bool = False

    @property
    def value(self) -> str:
        """The value of the parameter; of another spelling, or a parameter with its value, the URL."""
        return dict(shape_of(self.url).parameters).get(self.name[1:], self.url)


class Pair(Struct):
    """What was seen of one name. `agree`, `differ`: URLs; `linked`: of those that agree, plainer URLs to which pages
    link; `asked`: experiments; `values`: hashes of values that agree, and `pages`: of the URLs of the pages that these
    are, both up to what a verdict needs; `example`: the first URL that agreed."""

    agree: int = 0
    differ: int = 0
    linked: int = 0
    asked: int = 0
    is_void: bool = False
    values: set[int] = field(default_factory=set)
    pages: set[int] = field(default_factory=set)
    example: str = ""

    def has(self, value: str) -> bool:
        """True if a value agrees already."""
        return zlib.crc32(value.encode()) in self.values

    def add(self, found: Evidence) -> None:
        if not found.agrees:
            self.differ += 1
        else:
            self.agree += 1
            self.linked += found.is_linked
            self.example = self.example or found.url
            if len(self.values) < MANY_VALUES:
                self.values.add(zlib.crc32(found.value.encode()))
            if len(self.pages) < TEXTS:
                self.pages.add(zlib.crc32(found.page.encode()))
        if self.is_void:
            self.is_void = DIFFERING * self.differ <= self.agree + self.differ
        elif not self.differ:
            is_shown = len(self.pages) >= TEXTS or self.linked >= self.agree
            self.is_void = len(self.values) >= (VALUES if is_shown else MANY_VALUES)


class Pairs:
    """The pairs of one host. `changed`: names since it was cleared."""

    def __init__(self, pairs: Iterable[tuple[str, Pair]] = ()) -> None:
        self.by_name: dict[str, Pair] = dict(pairs)
        self.changed: set[str] = set()
        self.void = {name for name, pair in self.by_name.items() if pair.is_void}
        self._open: dict[str, int] = {}

    def plain(self, url: str, is_known: Callable[[str], bool]) -> str:
        """The URL without what is void; as it is for one in READ_ALL_THE_SAME. is_known: of a plainer URL that differs
        by a parameter with its value; an unknown one may be a page of its own that nobody links to."""
        if not self.void or ("?" not in url and not self._has_spelling):
            return url
        if zlib.crc32(url.encode()) % READ_ALL_THE_SAME == 0:
            return url
        for name in plainer(url):
            is_void = name in self.void
            if is_void or exact(name, url) in self.void:
                other = plainer(url).get(name, url)
                url = other if is_void or is_known(other) else url
        return url

    @property
    def _has_spelling(self) -> bool:
        return any(name[0] != "?" or name == "?" for name in self.void)

    def note(self, found: Evidence) -> list[str]:
        """Take in evidence; returns the names on which the verdict has changed."""
        with_value = found._replace(name=exact(found.name, found.url))
        turned = [found.name] if self._note(found) else []
        if self._counts_exact(with_value, found.name) and self._note(with_value):
            turned.append(with_value.name)
        return turned

    def _counts_exact(self, found: Evidence, loose: str) -> bool:
        if not found.name or found.is_near:
            return False
        if found.name in self.by_name:
            return True
        kept = sum("=" in name for name in self.by_name)
        return found.agrees and loose not in self.void and kept < MOST_EXACT

    def _note(self, found: Evidence) -> bool:
        """Take in evidence; returns whether the verdict on its name has changed."""
        pair = self.by_name.setdefault(found.name, Pair())
        was_void = pair.is_void
        pair.add(found)
        self.changed.add(found.name)
        (self.void.add if pair.is_void else self.void.discard)(found.name)
        return pair.is_void != was_void

    def note_known(self, url: str, by: int = 1) -> None:
        """Count the URLs with each parameter that wait. by: -1 for one that waits no more."""
        for name in shape_of(url).names:
            self._open[name] = self._open.get(name, 0) + by

    def experiment(self, url: str, *, repeats: bool, is_worth_it: bool) -> tuple[str, str] | None:
        """A name and the URL without it, that nobody may have linked, to be asked for in order to learn whether the
        parameter matters; None if that cannot pay. repeats: the page repeats another."""
        for name, value in sorted(shape_of(url).parameters, key=lambda each: -len(each[1])):
            pair = self.by_name.get(f"?{name}") or Pair()
            may_pay = looks_random(value) or (repeats and is_worth_it)
            most = MANY_VALUES if 0 < pair.asked <= pair.agree else EXPERIMENTS
            is_settled = pair.differ or pair.is_void or pair.asked >= most
            if not may_pay or is_settled or self._open.get(name, 0) < WAITING or pair.has(value):
                continue
            self.by_name[f"?{name}"] = pair
            pair.asked += 1
            self.changed.add(f"?{name}")
            return f"?{name}", without(url, name)
        return None


def exact(name: str, url: str) -> str:
    """The name of a parameter with its value in a URL, ?page=1; empty for a spelling, or if the URL has it twice."""
    values = [value for each, value in shape_of(url).parameters if f"?{each}" == name]
    return f"{name}={values[0]}" if len(values) == 1 else ""


_MAY_BE_PLAINER = re.compile(r"[A-Z?]|//www\.|\./|/(?:index|default)\.")


def plainer(url: str) -> dict[str, str]:
    """By name the plainer URLs of one. A slash at the end is none: servers that mind it redirect."""
    if not _MAY_BE_PLAINER.search(url):  # as mostly
        return {}
    found = {f"?{name}": without(url, name) for name in shape_of(url).names} | spellings(url)
    found.pop("/", None)
    return found
