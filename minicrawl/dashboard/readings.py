"""What a crawl has found, in a form that goes to a page: the same whether it stands in one store or in several."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol  # Any: JSON

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.status import CrawlAtRest
from minicrawl.analysis.top.top_list import TopList
from minicrawl.control.messages import Message
from minicrawl.dashboard.statistics import share_curve
from minicrawl.errors import SettingError
from minicrawl.search.searching import Found
from minicrawl.settings import EXPECTED, RANKINGS
from minicrawl.store.read.hosts import HostPages
from minicrawl.store.read.refreshes import RisenPage
from minicrawl.store.rows import HostRow

FloatArray = npt.NDArray[np.float64]
Reading = Mapping[str, Any]
"""As JSON has it."""

_HOSTS, _MOST_PAGES, _LONGEST_QUERY = 500, 500, 2_000
_RISING, _WEEK = 20, 7 * 86_400.0
_ORDERS = (*RANKINGS, EXPECTED)
_PICTURES = ("pages", "hosts")


class Readings(Protocol):
    """What can be read of a crawl, wherever it stands: here by its files, whether it runs or not.

    Each raises MinicrawlError where it cannot be had.
    """

    @property
    def path(self) -> Path:
        """Its store, or its folder: where a running one is asked, too."""
        ...

    def has_begun(self) -> bool:
        """Whether there is a crawl yet."""
        ...

    def is_in_use(self) -> bool:
        """Whether somebody writes to it right now."""
        ...

    def at_rest(self) -> CrawlAtRest: ...

    def partitions(self) -> Sequence[Reading] | None:
        """What each partition has; None where there are none."""
        ...

    def top(self, by: str | None, n: int) -> TopList:
        """The n best pages, each once. by: one of RANKINGS, EXPECTED, or None for what fits."""
        ...

    def collected(self) -> tuple[FloatArray, FloatArray]:
        """Importance of the pages that were read, in that order; and of all known pages, falling."""
        ...

    def rising(self, since: float, n: int) -> Sequence[RisenPage]:
        """The n pages that have gained most importance since then, in Unix seconds."""
        ...

    def hosts(self, n: int) -> tuple[Sequence[tuple[HostPages, HostRow]], int]:
        """The n hosts of which the most pages are known, those with the most first; and how many hosts there are."""
        ...

    def why(self, url: str) -> Reading:
        """Everything known of a URL."""
        ...

    def search(self, words: str, n: int) -> Found: ...

    def course(self) -> Reading:
        """`states`: pages by what became of them; `points`: how the crawl has gone on."""
        ...

    def shape(self) -> Reading:
        """See statistics.Shapes."""
        ...

    def picture(self, of: str) -> Reading:
        """of: "pages" or "hosts"."""
        ...

    def start(self, asked: object) -> Message:
        """Start a crawl there, or go on with it."""
        ...


def top(readings: Readings, by: str, n: int) -> Reading:
    """The n best pages, each once. by: one of RANKINGS, "expected", or "" for what fits. Raises MinicrawlError."""
    if by not in ("", *_ORDERS):
        raise SettingError(f"pages can be ordered by {', '.join(_ORDERS)}, not {by[:40]!r}")
    if not 1 <= n <= _MOST_PAGES:
        raise SettingError(f"a list has 1 to {_MOST_PAGES} pages, not {n}")
    found = readings.top(by or None, n)
    order = found.order
    pages = [{**line.page._asdict(), "alike": len(line.alike)} for line in found.lines]
    return {"pages": pages, "by": order.by if order else by, "unread": found.unread}


def importance(readings: Readings) -> Reading:
    """How the importance that was collected has grown with the pages read, and how it could have at best."""
    read, known = readings.collected()
    curves = {"collected": share_curve(read), "possible": share_curve(known, len(read))}
    return {"curves": curves, "read": len(read), "known": len(known)}


def rising(readings: Readings) -> Reading:
    """The pages that have gained most importance in a week, as far as is known; `since`: Unix seconds."""
    since = time.time() - _WEEK
    return {"pages": [page._asdict() for page in readings.rising(since, _RISING)], "since": since}


def hosts(readings: Readings) -> Reading:
    """The hosts of which the most pages are known, and what keeps a crawl from asking them."""
    first, in_all = readings.hosts(_HOSTS)
    return {"hosts": [{**pages._asdict(), **_rules(row._asdict())} for pages, row in first], "count": in_all}


def partitions(readings: Readings) -> Reading:
    """What each partition has by its store; of a crawl in one store there are none."""
    return {"partitions": readings.partitions() or []}


def _rules(row: Reading) -> Reading:
    names = ("crawl_delay", "backoff", "strains", "dead_until", "rests_until", "seconds")
    return {name: row[name] for name in names}


def why(readings: Readings, url: str) -> Reading:
    """Everything known of a URL. Raises MinicrawlError."""
    if not url or len(url) > _LONGEST_QUERY:
        raise SettingError("name the URL of a page")
    return readings.why(url)


def search(readings: Readings, words: str, n: int) -> Reading:
    """The pages that agree best with some words. Raises MinicrawlError, also where there is no index."""
    if len(words) > _LONGEST_QUERY:
        raise SettingError(f"a query has {_LONGEST_QUERY:,} characters at most")
    found = readings.search(words, n)
    pages = [
        {
            "rank": page.rank,
            "url": page.url,
            "title": page.title,
            "importance": page.importance,
            "score": page.score,
            "snippet": page.snippet.text,
            "marks": page.snippet.marks,
            "alike": len(page.alike),
            "is_read": page.is_read,
        }
        for page in found.pages
    ]
    return {"pages": pages, "matches": found.matches, "meant": found.meant, "behind": found.behind}


def picture(readings: Readings, of: str) -> Reading:
    """Pages or hosts, and the links between them, each with its place. Raises MinicrawlError."""
    if of not in _PICTURES:
        raise SettingError("there is a picture of pages, and of hosts")
    return readings.picture(of)
