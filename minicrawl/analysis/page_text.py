"""The text of a page as of its last reading, archived answers of a page, read again, and a corpus.

A corpus is pages with their main content as Markdown, to train or search with. Pages that a search would not show
(noindex) are left out. Of pages with the same content, in whatever frame, the most important one stands for all; those
that are made from one template stay (same_content.py).
"""

from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path

import numpy as np

from minicrawl.analysis.archives import decoded, fields_of, parsed_body
from minicrawl.analysis.explain import Explanation, explain, meant_by
from minicrawl.analysis.same_content import Contents
from minicrawl.analysis.top import Ranked
from minicrawl.analysis.usage import PageUsage
from minicrawl.archive.collection import Collection
from minicrawl.crawler.archiving import as_captured
from minicrawl.errors import FetchError, SettingError
from minicrawl.export.tables import Table, iso
from minicrawl.model import READ, ArchiveRecord, ParsedPage, State, Wanted
from minicrawl.store.ranks import RankedPage
from minicrawl.store.reader import Store
from minicrawl.web.html.parse import MAX_TEXT
from minicrawl.web.http.response_fields import HTML_TYPES, media_type
from minicrawl.web.kept_text import KeptText
from minicrawl.web.language import primary_language
from minicrawl.web.robots.preferences import Verdict
from minicrawl.web.urls.keys import site_of


def check_has_texts(store: Store) -> None:
    """Raise SettingError if no text is kept at all."""
    if not store.texts.size:
        raise SettingError(
            f"{store.path} has no texts; continue the crawl with --text, which keeps them from then on, and "
            "'minicrawl refresh' fetches its pages again"
        )


def archived_page(store: Store, folder: Path, url: str, row: ArchiveRecord, wanted: Wanted) -> ParsedPage | None:
    """An archived answer, parsed; None if it is not HTML or too slow to parse. Raises StoreError."""
    with closing(Collection(folder)) as archive:
        record = archive.record(as_captured(url, store.archived.original(row)))
    try:
        content_type = fields_of(record).content_type
    except FetchError:
        return None
    if media_type(content_type) not in HTML_TYPES:
        return None
    return parsed_body(decoded(record, record.payload), url, content_type, wanted)


_LONGEST_CHAIN = 16


def page_text(store: Store, text: str) -> KeptText:
    """The kept text of the page that a user names; for an alias without text, that of its target.

    Raises SettingError if there is none, and StoreError.
    """
    with store.snapshot():
        for url in meant_by(text):
            if (kept := _followed(store, url)) is not None:
                return kept
            if "#" in url and store.page_table.find([url]):
                break  # it is a page of its own, not a place of another
        found = explain(store, text)
        if found.page is None:
            raise SettingError(f"{found.url} is not known to this crawl ({found.reason}); 'minicrawl why' says more")
        kept = _followed(store, found.url)
        if kept is not None:
            return kept
        if found.state not in READ:
            raise SettingError(f"{found.url} has not been read: {found.state} ({found.reason}); see 'minicrawl why'")
        check_has_texts(store)
        raise SettingError(f"the text of {found.url} is not kept: {_why_none(store, found)}")


def _why_none(store: Store, found: Explanation) -> str:
    facts = store.page_table.facts(store.page_table.find([found.url])[found.url])
    kind = media_type(facts["content_type"])
    unwanted = [use for use in PageUsage(store).respected if found.usage[use][0] is Verdict.DISALLOWED]
    if unwanted:
        return f"the page forbids {' and '.join(unwanted)}, which the crawl respects"
    if "noarchive" in (facts["robots"] or ""):
        return "the page says noarchive"
    if kind not in HTML_TYPES:
        return (
            f"it is {kind}; texts are kept of HTML, plain text, Markdown, JSON, CSV, XML, and with --pdf of PDF files"
        )
    if not facts["bytes"]:
        return "the page is empty"
    return "the page was read without --text; 'minicrawl refresh' reads it again"


def _followed(store: Store, url: str) -> KeptText | None:
    for _ in range(_LONGEST_CHAIN):
        kept = store.text(url)
        page = store.page_table.find([url]).get(url)
        if kept is not None or page is None or store.page_table.turn(page).state != State.ALIAS:
            return kept
        url = store.page_table.url(int(store.link_table.outlinks(page)[0]))
    return None


COLUMNS: dict[str, type] = {
    "url": str,
    "site": str,
    "title": str,
    "language": str,
    "description": str,
    "author": str,
    "site_name": str,
    "licence": str,
    "published": datetime,
    "modified": datetime,
    "content": str,
    "importance": float,
    "fetched_at": datetime,
    "preferences": str,  # on the use of the page, such as "search=y, ai-train=n"; None for one without any
    "copies": int,  # pages that say the same, or nearly, itself included
}


def corpus(store: Store, ranked: Ranked) -> Table:
    """The corpus of ranked pages, in their order; rows are read as they are taken, in a snapshot of the caller.

    Raises SettingError if no text is kept at all.
    """
    check_has_texts(store)
    return Table(COLUMNS, _rows(store, ranked), no_text="")


def texts_of(store: Store, ranked: Ranked) -> Iterator[KeptText]:
    """The texts of ranked pages with content, in their order, but for those that say noindex. Raises SettingError if
    no text is kept at all."""
    check_has_texts(store)
    for number, page, _ in ranked:
        kept = _shown_text(store, number, page) if page.state == State.FETCHED else None
        if kept is not None:
            yield kept


def _shown_text(store: Store, number: int, page: RankedPage) -> KeptText | None:
    kept = store.texts.text(number, page.url)
    return kept if kept is not None and kept.index and kept.content else None


def _known_text(store: Store, number: int) -> KeptText:
    kept = store.texts.text(number, store.page_table.url(number))
    assert kept is not None, "a page of the corpus has a text"
    return kept


def _rows(store: Store, ranked: Ranked) -> Iterator[tuple[object, ...]]:
    is_taken = np.zeros(store.size(), dtype=np.bool_)
    """True for each page that said first what a page of the corpus says."""
    usage = PageUsage(store)
    contents = Contents(lambda number: _known_text(store, number))
    for number, page, _ in ranked:
        if page.state != State.FETCHED:
            continue
        (first, leader), site = _first(store, number), site_of(page.url)
        if is_taken[first]:
            continue
        kept = _shown_text(store, number, page)
        if kept is None or contents.first(number, kept) != number:
            continue
        is_taken[first] = True
        copies = 1 + sum(store.recognised.duplicate_counts(leader))
        about = (kept.title, primary_language(kept.language), kept.description, kept.author, kept.site_name)
        dates = (kept.licence, kept.published, kept.modified)
        preferences = usage.of_pages({number: page.url})[number].text
        content = kept.content[:MAX_TEXT]  # signs that Markdown escapes take more than they do on the page
        read = (page.importance, iso(page.fetched_at))
        yield (page.url, site, *about, *dates, content, *read, preferences, copies)


def _first(store: Store, number: int) -> tuple[int, int]:
    """The page that said first all that a page says, its frame included; and the one that said nearly that."""
    row = store.recognised.fingerprint(number)
    if row is None or row.leader is None:
        return number, number
    return (row.leader if row.distance is None else number), row.leader
