"""The pages that a sitemap has: those that can be opened, stand for themselves, and do not ask to be left out.

A page that says nofollow may say noindex as well, which is not kept apart, so it is left out, too.
"""

from collections.abc import Iterator
from itertools import islice

from minicrawl.analysis.owner.page_columns import iso
from minicrawl.analysis.top.expected import Ranked
from minicrawl.export.sitemap import Entry
from minicrawl.model import State
from minicrawl.store.reader import Store

_AT_ONCE = 500
_LEFT_OUT = frozenset({"noindex", "nofollow", "not-html"})


def sitemap_pages(store: Store, ranked: Ranked) -> Iterator[Entry]:
    """Those of ranked pages that a sitemap has, in their order. Call it in a snapshot."""
    while some := list(islice(ranked, _AT_ONCE)):
        pages = [(n, row) for n, row, _ in some if row.state == State.FETCHED and row.reason not in _LEFT_OUT]
        facts = store.page_table.more_facts(number for number, _ in pages)
        for number, row in pages:
            yield Entry(row.url, row.importance, iso(facts[number].changed_at))
