"""Pages with their kept texts, as CSV, JSON lines or Parquet."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from minicrawl.errors import SettingError
from minicrawl.export.ranks import COLUMNS, export_table
from minicrawl.export.tables import Table
from minicrawl.settings import EXPECTED, RANKINGS
from minicrawl.store.reader import Store
from minicrawl.store.rows import RankedPage
from minicrawl.store.texts.marked_text import KeptText

_TEXT_COLUMNS: dict[str, type] = dict.fromkeys(("language", "description", "h1", "text"), str)


def pages_with_text(
    store: Store, by: str | None = None, is_wanted: npt.NDArray[np.bool_] | None = None
) -> Iterator[tuple[RankedPage, KeptText]]:
    """The pages that were read and stand for no other, with their texts, by falling `by` (see `Store.pages`); those
    without text left out.

    is_wanted: by number, shape (size,); None: all.

    Raises SettingError where no text is kept at all, and StoreError.
    """
    orders = (*RANKINGS, EXPECTED)
    if by is not None and by not in orders:
        raise SettingError(f"texts are exported by one of {', '.join(orders)}, not by {by!r}")
    if not store.texts.size:
        raise SettingError(f"{store.path} has no texts; let the crawl go on with --text, from then on it keeps them")
    with store.snapshot():
        for page in store.pages(by):
            if page.state != "fetched" or (kept := store.text(page.url)) is None:
                continue
            if is_wanted is None or is_wanted[store.page_table.find([page.url])[page.url]]:
                yield page, kept


def export_texts(pages: Iterable[tuple[RankedPage, KeptText]], path: Path, form: str | None = None) -> int:
    """Write pages with their texts; see `minicrawl.export.ranks.export_ranks`."""
    rows = ((*page, kept.language, kept.description, kept.h1, kept.text) for page, kept in pages)
    return export_table(Table(COLUMNS | _TEXT_COLUMNS, rows), path, form)
