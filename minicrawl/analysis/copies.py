"""Pages that carry the text of a document, whole or in part.

share     of the document's words: those in a run of RUN words that the page's content has, too
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.page_text import check_has_texts, page_text
from minicrawl.crawler.sources.page_reading import read_page
from minicrawl.errors import SettingError, counted
from minicrawl.model import Wanted
from minicrawl.store.reader import Store
from minicrawl.web.kept_text import unpack, words_in, words_of

RUN = 5
"""Words that two texts must have in a row: fewer are in both by chance too often."""
FEWEST = 16
"""Words of a document, and words that a copy carries."""
_AT_ONCE = 500
_FACTOR = np.int64(0x5851F42D4C957F2D)
Runs = npt.NDArray[np.int64]


class Copy(NamedTuple):
    """A page with text of a document, which is the name of a file or the URL of a page.

    share: of the document's words. seen_at: Unix seconds at which the page was first found with the text. after:
    seconds from the document's own first answer to that, negative if earlier; None for a file.
    """

    url: str
    title: str | None
    document: str
    share: float
    importance: float
    seen_at: float
    after: float | None


@dataclass(frozen=True, eq=False)
class _Document:
    """words: their number. runs: hashes of its runs of words, in order. at: Unix seconds of a page's first answer."""

    name: str
    words: int
    runs: Runs
    at: float | None

    def share(self, runs: Runs) -> float:
        """The share of its words in some runs; 0 where these are too few words."""
        is_common, is_carried = np.isin(self.runs, runs), np.zeros(self.words, np.bool_)
        for at in range(RUN):
            is_carried[at : at + len(is_common)] |= is_common
        return float(is_carried.mean()) if is_carried.sum() >= FEWEST else 0.0


def copies(store: Store, named: Sequence[str], *, least: float = 0.2, since: float = 0.0) -> list[Copy]:
    """The pages that carry `least` of a document or more, by falling importance.

    named: files and URLs. since: Unix seconds, of the first time that a page was found with the text. Raises
    SettingError, also if no texts are kept, and StoreError.
    """
    with store.snapshot():
        check_has_texts(store)
        documents = [_document(store, name) for name in named]
        found = list(_on(store, documents, least, since))
    return sorted(found, key=lambda copy: (-copy.importance, copy.url, copy.document))


def _on(store: Store, documents: Sequence[_Document], least: float, since: float) -> Iterator[Copy]:
    """The copies among the pages of a store that were read since."""
    known = np.unique(np.concatenate([document.runs for document in documents]))
    query = "SELECT pages.id FROM pages JOIN fetches ON fetches.id = fetch WHERE fetched_at >= ? ORDER BY fetch"
    pages = [page for (page,) in store.each(query, since)]  # in the order of their first answers
    for start in range(0, len(pages), _AT_ONCE):
        for page, record in store.texts.records(pages[start : start + _AT_ONCE]).items():
            runs = _runs(words_of(record))  # with menus: no fewer than without
            runs = runs[known[np.minimum(known.searchsorted(runs), len(known) - 1)] == runs]
            for document in documents if len(runs) else ():
                if document.share(runs) >= least and (copy := _copy(store, page, document, least)) is not None:
                    yield from [copy] * (copy.seen_at >= since)


def _copy(store: Store, page: int, document: _Document, least: float) -> Copy | None:
    """A page that carries a document; None if its content does not."""
    ranked = store.ranks.rows([page])[page]
    kept = store.texts.text(page, ranked.url)
    share = 0.0 if kept is None else document.share(_runs(words_in(kept.content_text)))
    if share < least or ranked.url == document.name:
        return None
    first, versions = _first_read(store, page), store.texts.versions(page)
    texts = ((each.at or first, store.texts.version(each, ranked.url).content_text) for each in versions)
    carrying = (at for at, text in texts if document.share(_runs(words_in(text))) >= least)
    seen = next(carrying, ranked.fetched_at or first) if versions else first
    after = None if document.at is None else seen - document.at
    return Copy(ranked.url, ranked.title, document.name, round(share, 3), ranked.importance, seen, after)


def _first_read(store: Store, page: int) -> float:
    """Unix seconds of a page's first answer, as far as it is known."""
    changes = store.refreshes.changes_of(page)
    return changes[0].at if changes else float(store.page_table.facts(page)["fetched_at"])


def _document(store: Store, name: str) -> _Document:
    """A document that a user names: a file, else a page of the crawl. Raises SettingError."""
    at = None
    if "://" not in name:
        if not Path(name).is_file():
            raise SettingError(f"{name!r} is neither a file nor an http or https URL; name the file, or the page's URL")
        text = _text_of(Path(name).read_bytes())
    else:
        kept = page_text(store, name)
        name, text = kept.url, kept.content_text
        at = _first_read(store, store.page_table.find([name]).get(name, 0))
    words = words_in(text)
    if len(words) < FEWEST:
        raise SettingError(f"{name} has {counted(len(words), 'word')}; a document to look for has {FEWEST} or more")
    return _Document(name, len(words), _runs(words), at)


def _text_of(body: bytes) -> str:
    """The content of a file of HTML, or a file of text."""
    if body.lstrip()[:1] != b"<":
        return body.decode("utf-8", "replace")
    parsed = read_page(body, "http://localhost/", "text/html", Wanted(kept=True, short_text=False))[0]
    return unpack(parsed.kept, "").content_text if parsed is not None and parsed.kept else ""


def _runs(words: Sequence[str]) -> Runs:
    """A hash of each run of words, in order."""
    hashes = np.fromiter(map(hash, words), np.int64, len(words))
    runs = np.zeros(max(len(words) - RUN + 1, 0), np.int64)
    for at in range(RUN):
        runs = runs * _FACTOR + hashes[at : at + len(runs)]
    return runs
