"""The read side of a store. Works while a crawl runs: every query sees the last commit."""

import json
import sqlite3
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Self  # Any: JSON

from minicrawl.model import NOTHING_READ, CoursePoint, ReadShare
from minicrawl.settings import RANKINGS
from minicrawl.settings.crawl import in_full
from minicrawl.sizes import STANDARD_SIZES, Sizes
from minicrawl.store.archived import Archived
from minicrawl.store.database import closed_if_it_fails, damaged, open_to_read
from minicrawl.store.declaration import table
from minicrawl.store.hosts import Hosts
from minicrawl.store.links import LinkTable
from minicrawl.store.pages import PageTable
from minicrawl.store.questions import Questions
from minicrawl.store.ranks import RankedPage, Ranks
from minicrawl.store.recognised import Recognised
from minicrawl.store.refreshes import ChangedPage, Refreshes
from minicrawl.store.requisites import Requisites
from minicrawl.store.sitemaps import Sitemaps
from minicrawl.store.sites import SiteTable
from minicrawl.store.soundness import Soundness, check_books
from minicrawl.store.tables import Tables
from minicrawl.store.texts.reading import Texts
from minicrawl.store.transfers import TransferRows
from minicrawl.store.united import United
from minicrawl.web.kept_text import KeptText

table("course", "progress of the crawl: some hundred points, however long it lasts", CoursePoint, keys="seconds")


class Store(Tables):
    """Reads a store: the ranking and the links here, everything else by subject (see minicrawl.store)."""

    def __init__(self, path: Path, db: sqlite3.Connection, sizes: Sizes) -> None:
        super().__init__(path, db, sizes)
        self.hash_key = _hash_key(self)
        check_books(self)
        self.page_table = PageTable(self)
        self.link_table = LinkTable(self)
        self.questions = Questions(self)
        self.ranks = Ranks(self)
        self.united = United(self)
        self.hosts = Hosts(self)
        self.site_table = SiteTable(self)
        self.sitemaps = Sitemaps(self)
        self.recognised = Recognised(self)
        self.refreshes = Refreshes(self)
        self.archived = Archived(self)
        self.requisites = Requisites(self)
        self.soundness = Soundness(self)
        self.texts = Texts(self)
        self.transfers = TransferRows(self)

    @classmethod
    def at(cls, path: str | Path, sizes: Sizes = STANDARD_SIZES) -> Self:
        """The read side of the store in a file. Raises StoreError, also for a folder of partitions: gather it first."""
        with closed_if_it_fails(open_to_read(Path(path))) as db:
            return cls(Path(path), db, sizes)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def pages(self, by: str = RANKINGS[0], n: int = -1) -> Iterator[RankedPage]:
        """Every page, or the first n, by falling `by`, one of RANKINGS. `rank`: by importance."""
        if by not in RANKINGS:
            raise ValueError(f"by must be one of {', '.join(RANKINGS)}, not {by!r}")
        return (page for _, page, _ in islice(self.ranks.best_first(by), None if n < 0 else n))

    def changes(self, since: float = 0.0) -> list[ChangedPage]:
        """New, changed and gone pages since a time (Unix seconds), the most important first."""
        return self.refreshes.changed_pages(since)

    def coverage(self) -> ReadShare:
        """As of the last commit."""
        return ReadShare(*self.meta_json("run").get("coverage", NOTHING_READ))

    def course(self) -> list[CoursePoint]:
        """The crawl's progress from its start."""
        return self.records(CoursePoint, "course ORDER BY seconds")

    def text(self, url: str) -> KeptText | None:
        """The text of the page at a normalised URL when last read; None when it is not kept (`--text`).

        Raises StoreError.
        """
        with self.snapshot():
            page = self.page_table.find([url]).get(url)
            return None if page is None else self.texts.text(page, url)

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


open_store = Store.at


def _hash_key(tables: Tables) -> bytes:
    """The key of the URL hashes; b"" when there is none yet."""
    try:
        key = bytes.fromhex(str(tables.meta("hash_key") or ""))
    except ValueError as error:
        raise damaged(tables.path, "meta.hash_key is no key") from error
    if not key and tables.size():
        raise damaged(tables.path, "meta.hash_key is missing, without which no page can be found")
    return key
