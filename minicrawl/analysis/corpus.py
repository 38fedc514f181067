"""A corpus: pages with their main content as Markdown, to train or search with.

Pages that a search would not show (noindex) are left out. Of duplicates the most important page stands for all; but
near-duplicates of one folder are mostly made from one template, and each stays.
"""

from collections.abc import Iterator

import numpy as np

from minicrawl.analysis.top.order import Ranked
from minicrawl.analysis.usage import PageUsage
from minicrawl.crawler.recognise.duplicates import kind_of
from minicrawl.crawler.urls.keys import site_of
from minicrawl.export.markdown import check_has_texts, markdown_of
from minicrawl.export.tables import Table
from minicrawl.model import State
from minicrawl.store.reader import Store

COLUMNS: dict[str, type] = {
    "url": str,
    "site": str,
    "title": str,
    "language": str,
    "content": str,
    "importance": float,
    "fetched_at": float,  # Unix seconds
    "preferences": str,  # on the use of the page, such as "search=y, ai-train=n"; None for one without any
    "copies": int,  # pages that say the same, or nearly, itself included
}


def corpus(store: Store, ranked: Ranked) -> Table:
    """The corpus of ranked pages, in their order; rows are read as they are taken, in a snapshot of the caller.

    Raises SettingError where no text is kept at all.
    """
    check_has_texts(store)
    return Table(COLUMNS, _rows(store, ranked), no_text="")


def _rows(store: Store, ranked: Ranked) -> Iterator[tuple[object, ...]]:
    is_taken = np.zeros(store.size(), dtype=np.bool_)
    """True for each page that said first what a page of the corpus says."""
    usage = PageUsage(store)
    for number, page, _ in ranked:
        if page.state != State.FETCHED:
            continue
        first, site = _first(store, number, page.url), site_of(page.url)
        if is_taken[first]:
            continue
        kept = store.texts.text(number, page.url)
        content = markdown_of(kept.content) if kept is not None and kept.index else ""
        if kept is None or not content:
            continue
        is_taken[first] = True
        copies = 1 + sum(store.recognised.duplicates_of(first))
        about = (kept.title, kept.language, content, page.importance, page.fetched_at)
        preferences = usage.of_pages({number: page.url})[number].text
        yield (page.url, site, *about, preferences, copies)


def _first(store: Store, number: int, url: str) -> int:
    """The page that said first what a page says."""
    fingerprint = store.recognised.fingerprint(number)
    if fingerprint is None or fingerprint.leader is None:
        return number
    is_other = bool(fingerprint.distance) and kind_of(url, store.page_table.url(fingerprint.leader)) == "template"
    return number if is_other else fingerprint.leader
