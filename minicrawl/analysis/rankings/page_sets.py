"""Pages of a store that a user names: by a file of URLs, a URL, a pattern, or words."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.folded_aliases import FoldedPages
from minicrawl.crawler.admission.seeds import read_seeds
from minicrawl.crawler.urls.normalise import normalise
from minicrawl.errors import SettingError
from minicrawl.settings import compiled, option
from minicrawl.store.reader import Store

IntArray = npt.NDArray[np.int64]


def named_pages(given: str, by: str, store: Store, folded: FoldedPages) -> IntArray:
    """The pages that FILE, URL or REGEX stands for; an alias means the page that it is one of.

    by: the option that gives them, such as "trusted". Raises SettingError.
    """
    if Path(given).is_file():
        pages = list(store.page_table.find(read_seeds([given])).values())
        if not pages:
            raise SettingError(f"{option(by)}: no page of {given} is known in {store.path}")
    else:
        pages = list(store.page_table.find([normalise(given) or given]).values()) or _matching(given, by, store)
        if not pages:
            raise SettingError(f"{option(by)} {given!r} is no file, and matches no URL in {store.path}")
    return np.unique(folded.stands_for[pages])


def pages_with_words(query: str, most: int, store: Store, folded: FoldedPages) -> IntArray:
    """The most important pages that have all words of a query in URL or title. Raises SettingError."""
    words = query.casefold().split()
    if not words:
        raise SettingError("--query takes words, and there are none")
    found: list[tuple[int, int]] = []
    for number, page in enumerate(store.ranks.numbered()):
        text = f"{page.url} {page.title or ''}".casefold()
        if all(word in text for word in words):
            found.append((page.rank, number))
    if not found:
        raise SettingError(f"no page has {query!r} in its URL or title; ask for other words")
    return np.unique(folded.stands_for[[number for _, number in sorted(found)[:most]]])


def _matching(given: str, by: str, store: Store) -> list[int]:
    pattern = compiled(given, by)
    return [number for number, url in enumerate(store.page_table.urls()) if pattern.search(url)]
