"""The files that pages of an archive need for their looks, such as style sheets and pictures, and which of them it has.

Pages and style sheets are read again from the archive alone, so this asks as much of a foreign archive as of its own;
a store only adds why its crawl did not get a file. A URL counts as of its last answer. What scripts load is not seen.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from minicrawl.analysis.archives import OpenedArchive, decoded, fields_of, parsed_body
from minicrawl.archive.cdxj import Captured, nearest, read
from minicrawl.archive.collection import Collection
from minicrawl.crawler.steps.requisites import KEPT
from minicrawl.errors import FetchError, StoreError
from minicrawl.model import Requisite, Wanted
from minicrawl.reasons import MAX_HOPS, meaning
from minicrawl.web.html.facts import requisites_of_style
from minicrawl.web.http.response_fields import HTML_TYPES
from minicrawl.web.urls.normalise import normalise

_STYLE = "text/css"
_OK, _ERRORS = 200, 400  # statuses
_NOT_ASKED = "no run has asked for it; once the crawl has --requisites, 'minicrawl refresh' fetches it"
_NEEDS = Wanted(short_text=False, requisites=True)


class MissingFile(NamedTuple):
    """A file that an archive does not have. kind: page, or a requisite's. needed_by: of so many `pages` and style
    sheets the first, in the order of the index; "" for a page. reason: a code, "" for none; why: the same in words."""

    url: str
    kind: str
    needed_by: str
    pages: int
    reason: str
    why: str

    @property
    def is_gone(self) -> bool:
        """True if its server has no such file, so that the pages looked as they do in the archive."""
        return self.reason in ("http-404", "http-410")


@dataclass
class Needs:
    """files: distinct files that pages and style sheets need; missing: pages first, then files by how many pages need
    them; unread: a sentence for each page that cannot be read."""

    files: int = 0
    missing: list[MissingFile] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """True if nothing is missing but what servers do not have."""
        return not self.unread and all(one.is_gone for one in self.missing)


def needs_of(archive: OpenedArchive) -> Needs:
    """What the pages of an archive need. Raises StoreError."""
    found, needed = Needs(), dict[str, tuple[str, str, int]]()
    for one in _last_answers(archive.collection):
        if one.status != _OK or one.media_type not in (*HTML_TYPES, _STYLE):
            continue
        try:
            requisites = _requisites(archive.collection, one)
        except (StoreError, FetchError) as error:
            found.unread.append(f"{one.url} cannot be read: {error}")
            continue
        for url, kind in requisites:
            kind_of, source, times = needed.get(url, (str(kind), one.url, 0))
            needed[url] = kind_of, source, times + 1
    found.files = len(needed)
    files = (MissingFile(url, *facts, *why) for url, facts in needed.items() if (why := _why(archive, url)))
    found.missing = [*_pages(archive), *sorted(files, key=lambda file: (-file.pages, file.url))]
    return found


def _pages(archive: OpenedArchive) -> Iterator[MissingFile]:
    """Pages that the crawl has read and not kept."""
    if archive.store is None:
        return
    for page, url in archive.store.archived.pages_without():
        reason, why = "", "the crawl read it before it had an archive; 'minicrawl refresh' reads it again"
        if "noarchive" in (archive.store.page_table.facts(page)["robots"] or ""):
            reason, why = "noarchive", _words("noarchive")
        yield MissingFile(url, "page", "", 0, reason, why)


def _requisites(collection: Collection, one: Captured) -> Sequence[Requisite]:
    """The files that an archived page or style sheet needs. Raises StoreError, FetchError."""
    record, payload = collection.answer(one)
    body, content_type = decoded(record, payload), fields_of(record).content_type
    if one.media_type == _STYLE:
        return requisites_of_style(body, one.url, content_type)
    page = parsed_body(body, one.url, content_type, _NEEDS)
    if page is None:
        raise StoreError("it takes too long to parse")
    return page.requisites


def _last_answers(collection: Collection) -> Iterator[Captured]:
    """The last answer of each URL, by the order of the index."""
    for _, lines in groupby(collection.lines(), key=lambda line: line.partition(" ")[0]):
        last = dict[str, Captured]()
        for line in lines:
            one = read(line)
            if one is not None and one.status != 304:
                last[one.url] = one
        yield from last.values()


def _why(archive: OpenedArchive, url: str) -> tuple[str, str] | None:
    """Code and words for why an archive has no file, also behind redirects; None if it has it."""
    for _ in range(MAX_HOPS):
        last = nearest(archive.collection.of(url), None)
        if last is None:
            row = None if archive.store is None else archive.store.requisites.of(url)
            if row is None:
                return "", "it is not in the archive, for an unknown reason" if archive.store is None else _NOT_ASKED
            if row.state == KEPT:
                return "", "the crawl kept it, but the archive has lost it"
            return row.reason, _words(row.reason)
        if not last.is_redirect:
            reason = f"http-{last.status}"
            return (reason, _words(reason)) if last.status >= _ERRORS else None
        try:
            target = normalise(fields_of(archive.collection.record(last)).location or "", url)
        except (StoreError, FetchError) as error:
            return "", str(error)
        if target is None:
            break
        url = target
    return "", "it redirects to nowhere"


def _words(reason: str) -> str:
    return meaning(reason) or reason
