"""What the store of a crawl says, in a form that goes to a page: each reading opens the store, and is of one commit."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from minicrawl.analysis.explain import explain
from minicrawl.analysis.top.top_list import top_list
from minicrawl.dashboard.curves import share_curve
from minicrawl.errors import SettingError
from minicrawl.search import searching
from minicrawl.search.searched_store import open_store
from minicrawl.settings import EXPECTED, RANKINGS

Reading = Mapping[str, Any]
"""As JSON has it."""

_HOSTS, _MOST_PAGES, _LONGEST_QUERY = 500, 500, 2_000
_RISING, _WEEK = 20, 7 * 86_400.0
_ORDERS = (*RANKINGS, EXPECTED)


def top(store: Path, by: str, n: int) -> Reading:
    """The n best pages, each once. by: one of RANKINGS, "expected", or "" for what fits. Raises MinicrawlError."""
    if by not in ("", *_ORDERS):
        raise SettingError(f"pages can be ordered by {', '.join(_ORDERS)}, not {by[:40]!r}")
    if not 1 <= n <= _MOST_PAGES:
        raise SettingError(f"a list has 1 to {_MOST_PAGES} pages, not {n}")
    with open_store(store) as reader:
        found = top_list(reader, by or None, n, is_rough=True)
    order = found.order
    pages = [{**line.page._asdict(), "alike": len(line.alike)} for line in found.lines]
    return {"pages": pages, "by": order.by if order else by, "unread": found.unread}


def importance(store: Path) -> Reading:
    """How the importance that was collected has grown with the pages read, and how it could have at best."""
    with open_store(store) as reader, reader.snapshot():
        collected, known = reader.ranks.collected(), reader.size()
        best = np.sort(reader.ranks.importance())[::-1]
    curves = {"collected": share_curve(collected), "possible": share_curve(best, len(collected))}
    return {"curves": curves, "read": len(collected), "known": known}


def rising(store: Path) -> Reading:
    """The pages that have gained most importance in a week, as far as is known; `since`: Unix seconds."""
    since = time.time() - _WEEK
    with open_store(store) as reader:
        risen = reader.refreshes.risen_pages(since, _RISING)
    return {"pages": [page._asdict() for page in risen], "since": since}


def hosts(store: Path) -> Reading:
    """The hosts of which the most pages are known, and what keeps a crawl from asking them."""
    with open_store(store) as reader, reader.snapshot():
        pages = reader.hosts.pages(_HOSTS)
        rules = {row.name: row for row in reader.hosts.all()}
    rows = [{**row._asdict(), **_rules(rules[row.name]._asdict())} for row in pages]
    return {"hosts": rows, "count": len(rules)}


def _rules(row: Reading) -> Reading:
    names = ("crawl_delay", "backoff", "strains", "dead_until", "rests_until", "seconds")
    return {name: row[name] for name in names}


def why(store: Path, url: str) -> Reading:
    """Everything known of a URL. Raises MinicrawlError."""
    if not url or len(url) > _LONGEST_QUERY:
        raise SettingError("name the URL of a page")
    with open_store(store) as reader:
        return explain(reader, url).as_json()


def search(store: Path, words: str, n: int) -> Reading:
    """The pages that agree best with some words. Raises MinicrawlError, also where there is no index."""
    if len(words) > _LONGEST_QUERY:
        raise SettingError(f"a query has {_LONGEST_QUERY:,} characters at most")
    with open_store(store) as reader:
        found = searching.search(reader, words, searching.Asked(n))
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
