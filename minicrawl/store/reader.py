"""The read side of a store. Works while a crawl runs: every query sees the last commit."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Any, Self  # Any: JSON

from minicrawl.model import NOTHING_READ, CoursePoint, ReadShare
from minicrawl.settings import RANKINGS
from minicrawl.settings.crawl import in_full
from minicrawl.sizes import STANDARD_SIZES, Sizes
from minicrawl.store.archived import Archived
from minicrawl.store.cookies import CookieRow
from minicrawl.store.database import closed_if_it_fails, damaged, open_to_read
from minicrawl.store.declaration import MetaValue, table
from minicrawl.store.hosts import Hosts
from minicrawl.store.link_table import LinkTable
from minicrawl.store.links import LinkGraph
from minicrawl.store.pages import PageTable
from minicrawl.store.partitions.united import United
from minicrawl.store.patterns import Patterns
from minicrawl.store.questions import Questions
from minicrawl.store.ranks import RankedPage, Ranks
from minicrawl.store.recognised import Recognised
from minicrawl.store.refreshes import ChangedPage, Refreshes
from minicrawl.store.requisites import Requisites
from minicrawl.store.selection import Selection
from minicrawl.store.sitemaps import Sitemaps
from minicrawl.store.sites import SiteTable
from minicrawl.store.soundness import Soundness, check_books
from minicrawl.store.tables import Tables
from minicrawl.store.texts.kept_text import KeptText
from minicrawl.store.texts.reading import Texts
from minicrawl.store.transfers import TransferRows

table("course", "progress of the crawl: up to 500 points, however long it lasts", CoursePoint, keys="seconds")
_AT_ONCE = 1_000
"""Rows of `each` that are in memory at a time."""


def open_store(path: str | Path, sizes: Sizes = STANDARD_SIZES) -> "Store":
    """The read side of the store in the file at `path`. Raises StoreError."""
    return Store.at(Path(path), sizes)


class Store:
    """Reads a store: the ranking and the links here, everything else by subject (see minicrawl.store)."""

    def __init__(self, tables: Tables) -> None:
        self.path = tables.path
        self.sizes = tables.sizes
        self._tables = tables
        self._tables.hash_key = _hash_key(self._tables)
        check_books(self._tables)
        self.page_table = PageTable(self._tables)
        self.link_table = LinkTable(self._tables)
        self.selection = Selection(self._tables)
        self.questions = Questions(self._tables)
        self.ranks = Ranks(self._tables)
        self.united = United(self._tables)
        self.hosts = Hosts(self._tables)
        self.site_table = SiteTable(self._tables)
        self.sitemaps = Sitemaps(self._tables)
        self.patterns = Patterns(self._tables)
        self.recognised = Recognised(self._tables)
        self.refreshes = Refreshes(self._tables)
        self.archived = Archived(self._tables)
        self.requisites = Requisites(self._tables)
        self.soundness = Soundness(self._tables)
        self.texts = Texts(self._tables)
        self.transfers = TransferRows(self._tables)

    @classmethod
    def at(cls, path: Path, sizes: Sizes = STANDARD_SIZES) -> Self:
        """The read side of the store in a file. Raises StoreError, also for a folder of partitions: gather it first."""
        with closed_if_it_fails(open_to_read(path)) as db:
            return cls(Tables(path, db, sizes))

    def close(self) -> None:
        self.texts.close()
        self._tables.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def pin(self) -> None:
        """Read from one commit from now on: the last one."""
        self._tables.pin()

    def define(self, name: str, function: Callable[[Any], MetaValue | bytes]) -> None:
        """Define an SQL function of one argument for `each`."""
        self._tables.define(name, function)

    def make_table(self, name: str, definition: str, rows: Iterable[Sequence[Any]] = (), *, index: str) -> None:
        """Make a temporary table, see `Tables.make_table`."""
        self._tables.make_table(name, definition, rows, index=index)

    def make_views(self, views: Mapping[str, str]) -> None:
        """Make temporary views. views: queries by name."""
        self._tables.make_views(views)

    def each(self, query: str, *values: MetaValue) -> Iterator[Any]:
        """The rows of a query on the tables, read lazily."""
        return chain.from_iterable(self._tables.blocks(query, _AT_ONCE, *values))

    def snapshot(self) -> AbstractContextManager[None]:
        """Read from one commit inside the block, also while a crawl writes.

        A nested block reads from the outer block's commit.
        """
        return self._tables.snapshot()

    def pages(self, by: str = RANKINGS[0], n: int = -1) -> Iterator[RankedPage]:
        """Every page, or the first n, by falling `by`, one of RANKINGS. `rank`: by importance."""
        return self.ranks.pages(by, n)

    def changes(self, since: float = 0.0) -> list[ChangedPage]:
        """New, changed and gone pages since a time (Unix seconds), the most important first."""
        return self.refreshes.changed_pages(since)

    def coverage(self) -> ReadShare:
        """As of the last commit."""
        return ReadShare(*self.meta_json("run").get("coverage", NOTHING_READ))

    def course(self) -> list[CoursePoint]:
        """The crawl's progress from its start."""
        return self._tables.records(CoursePoint, "course ORDER BY seconds")

    def cookies(self) -> list[CookieRow]:
        """Every cookie, the one that changed last at the end."""
        return self._tables.records(CookieRow, "cookies ORDER BY changed")

    def links(self) -> LinkGraph:
        """The graph of counted links as CSR, one row per visited page."""
        return self.link_table.graph()

    def text(self, url: str) -> KeptText | None:
        """The text of the page at a normalised URL when last read; None when it is not kept (`--text`).

        Raises StoreError.
        """
        with self.snapshot():
            page = self.page_table.find([url]).get(url)
            return None if page is None else self.texts.text(page, url)

    def size(self) -> int:
        """Number of known pages."""
        return self._tables.size()

    @property
    def hash_key(self) -> bytes:
        """The key of the URL hashes, unique to the store."""
        return self._tables.hash_key

    def is_in_use(self) -> bool:
        """True if a crawl holds the store right now."""
        return self._tables.is_held

    def meta(self, key: str) -> MetaValue:
        """A value of `meta`; None when there is none."""
        return self._tables.meta(key)

    def meta_json(self, key: str) -> dict[str, Any]:
        """A value of `meta` that holds JSON; {} when there is none."""
        try:
            value = json.loads(str(self.meta(key) or "{}"))
        except ValueError as error:
            raise damaged(self.path, f"meta.{key} is not JSON ({error})") from error
        if not isinstance(value, dict):
            raise damaged(self.path, f"meta.{key} is not a JSON object")
        return value

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the last run by name, as CrawlSettings takes them; {} before the first one."""
        return in_full(self.meta_json("settings"), self.path.parent)


def _hash_key(tables: Tables) -> bytes:
    """The key of the URL hashes; b"" when there is none yet."""
    kept = tables.meta("hash_key")
    try:
        key = bytes.fromhex(str(kept or ""))
    except ValueError as error:
        raise damaged(tables.path, "meta.hash_key is no key") from error
    if not key and tables.size():
        raise damaged(tables.path, "meta.hash_key is missing, without which no page can be found")
    return key
