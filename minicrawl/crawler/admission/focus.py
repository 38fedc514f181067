"""Weights of links: pages that match the user's focus get more of the cash. Bends the crawl, never the importance.

Links to wanted media types weigh more, by an estimate from the pages read so far:

g        a group of URLs, the coarsest first: all; those with the same ending; of these those on the same host; of these
         those in the same folder
n, k     pages of a group that were read, and those among them of a wanted type
p        probability that a URL of the group is of a wanted type:

    p(all)  = k / n, 0 if n is 0
    p(g)    = (k + B p(above)) / (n + B)
    factor  = 1 + (F - 1) p                 the weight of links to such a URL, and of its birth grant

An ending that is part of a wanted type's name, as .xml is of application/xml, counts as half believed before any page
with it is read. A URL that shows its type is not estimated: a date in it, or a feed that lists it, makes it news.
News grows old, m months before the newest month of which three pages were read, whatever the year is then:

    p       = max(L, 2^(-m / 2))
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.settings import CrawlSettings, parse_boost

NEWS, XML = "news", "xml"
MOST = 20.0
"""F: the weight of a URL that is surely of a wanted type."""
_BELIEF = 2.0
_NAMED = 0.5
_XML_ENDINGS = frozenset({".xml", ".rss", ".atom", ".rdf", ".svg"})
_XHTML = "application/xhtml+xml"
_DATED = re.compile(r"[/_-]((?:19|20)\d\d)([/_-]?)(0?[1-9]|1[0-2])(?:\2(?:0?[1-9]|[12]\d|3[01]))?(?=[/_.-]|$)")
_LEAST_NEWS = 0.1
"""L: of news of whatever age."""
_MONTHS, _OF_MONTH = 2.0, 3
"""Months in which news loses half of its worth, and pages of a month that are no accident, as a calendar is."""
_FEED = re.compile(r"(?:^|[^a-z])(?:rss|atom|feeds?|news)(?:[^a-z]|$)", re.IGNORECASE)


class Likelihood(NamedTuple):
    """Probability (`share`) that a URL is of a wanted type, and the evidence: `wanted` of the `read` pages in the group
    `like`. A URL that shows its type itself has "" and no pages."""

    share: float
    like: str
    wanted: int
    read: int

    @property
    def factor(self) -> float:
        return 1.0 + (MOST - 1.0) * self.share


class SeenTypes:
    """Counts of the pages read, by group, and of those of a wanted type."""

    def __init__(self, wanted: Iterable[str]) -> None:
        """wanted: media types, such as application/pdf or image/*; "xml": any XML but XHTML; "news"."""
        self.wanted = tuple(wanted)
        self._named = {f".{part}" for one in self.wanted for part in re.split(r"[/+]", one)[1:]}
        if XML in self.wanted:
            self._named |= _XML_ENDINGS
        self._read: dict[str, int] = {}
        self._of_type: dict[str, int] = {}
        self._of_month: dict[int, int] = {}
        self._newest = 0

    @classmethod
    def of(cls, wanted: Iterable[str], read: Iterable[tuple[str, str | None]]) -> "SeenTypes":
        """Counts of the pages read so far, given as (URL, Content-Type)."""
        types = cls(wanted)
        for url, content_type in read:
            types.count(url, content_type)
        return types

    def is_wanted(self, url: str, content_type: str | None) -> bool:
        """True if a page that was read is of a wanted type."""
        kind = (content_type or "").partition(";")[0].strip().lower()
        return any(
            _month(url) > 0 if one == NEWS else _is_xml(kind) if one == XML else kind == one or _is_any(kind, one)
            for one in self.wanted
        )

    def count(self, url: str, content_type: str | None) -> None:
        """Count a page that was read."""
        of_type = self.is_wanted(url, content_type)
        if NEWS in self.wanted and (month := _month(url)):
            self._of_month[month] = self._of_month.get(month, 0) + 1
            if self._of_month[month] >= _OF_MONTH:
                self._newest = max(self._newest, month)
        for group in _groups(url):
            self._read[group] = self._read.get(group, 0) + 1
            if of_type:
                self._of_type[group] = self._of_type.get(group, 0) + 1

    def likelihood(self, url: str, listed_by: str = "") -> Likelihood:
        """Likelihood that a URL is of a wanted type. listed_by: the sitemap or feed that names it."""
        if NEWS in self.wanted and ((month := _month(url)) or _FEED.search(listed_by)):
            age = max(self._newest - month, 0) if month else 0
            return Likelihood(max(_LEAST_NEWS, 2.0 ** (-age / _MONTHS)), "", 0, 0)
        groups = _groups(url)
        share, like, read = 0.0, groups[0], self._read.get(groups[0], 0)
        for group in groups:
            n, k = self._read.get(group, 0), self._of_type.get(group, 0)
            if group is groups[0]:
                share = k / n if n else 0.0
            elif group in self._named:
                share = (k + _BELIEF * _NAMED) / (n + _BELIEF)
            else:
                share = (k + _BELIEF * share) / (n + _BELIEF)
            if n:
                like, read = group, n
        return Likelihood(share, like, self._of_type.get(like, 0), read)


def _groups(url: str) -> list[str]:
    """The groups of a normalised URL, as patterns; the folder of a front page is its host."""
    path = url.partition("?")[0]
    folder, slash, name = path.rpartition("/")
    _, dot, end = name.rpartition(".")
    ending = f".{end.lower()}" if dot and end.isalnum() else ""
    host = path[: path.index("/", path.index("://") + 3)]
    return list(dict.fromkeys(["*", ending or "*/", f"{host}/*{ending}", f"{folder}{slash}*{ending}"]))


def _month(url: str) -> int:
    """The month of the date in a path, counted from the year 0; 0 without one."""
    found = _DATED.search(url.partition("?")[0])
    return 12 * int(found[1]) + int(found[3]) if found else 0


def _is_xml(kind: str) -> bool:
    return kind.endswith(("/xml", "+xml")) and kind != _XHTML


def _is_any(kind: str, wanted: str) -> bool:
    """True if `wanted` is a pattern such as image/* that covers the type."""
    return wanted.endswith("/*") and kind.startswith(wanted[:-1])


_STEPS = 100  # a factor of 1 is this many parts, so factors down to .01 can be told apart
_TOPIC_FACTOR = 4.0


@dataclass(frozen=True)
class Focus:
    """Factors on the weight of links.

    boosts: patterns on URLs with their factors. words: topic words; n of them in a link's anchor or URL multiply its
    factor by 1 + 4n. types: the estimate for wanted types.
    """

    boosts: tuple[tuple[re.Pattern[str], float], ...] = ()
    words: frozenset[str] = frozenset()
    types: SeenTypes | None = None

    @classmethod
    def of(cls, settings: CrawlSettings, types: SeenTypes | None = None) -> "Focus":
        return cls(
            tuple(parse_boost(boost) for boost in settings.boost),
            frozenset(re.findall(r"\w+", settings.topic.lower())),
            types,
        )

    @cached_property
    def is_off(self) -> bool:
        return not self.boosts and not self.words and self.types is None

    def weights(self, urls: Sequence[str], anchors: Sequence[str]) -> npt.NDArray[np.int64] | None:
        """One positive integer per link of a page, its part of the cash; None when all are equal."""
        if self.is_off:
            return None
        factors = list(map(self.factor, urls, anchors))
        weights: npt.NDArray[np.int64] = np.maximum(1, np.rint(np.array(factors) * _STEPS)).astype(np.int64)
        return weights

    def factor(self, url: str, anchor: str = "", listed_by: str = "") -> float:
        """The factor of a link to `url`, from the URL and the link's text. listed_by: the sitemap that names it, if
        any."""
        factor = 1.0 if self.types is None else self.types.likelihood(url, listed_by).factor
        for pattern, boost in self.boosts:
            if pattern.search(url):
                factor *= boost
        if self.words:
            found = self.words & set(re.findall(r"\w+", f"{url} {anchor}".lower()))
            factor *= 1.0 + _TOPIC_FACTOR * len(found)
        return min(factor, 1000.0)
