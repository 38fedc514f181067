"""The one writer of a store.

A batch of visits is one transaction: pages, links, book, clock, hosts and robots together, so the file
is consistent at every commit and a killed crawl loses at most the batch it was gathering.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt

from minicrawl.model import CoursePoint
from minicrawl.sizes import STANDARD_SIZES, Sizes
from minicrawl.store.archived import RecordRow
from minicrawl.store.database import Watch, closed_if_it_fails, hold, open_to_write, real_path, transaction
from minicrawl.store.links import from_bytes, to_bytes
from minicrawl.store.read.ranks import PLACES
from minicrawl.store.read.site_table import DoorRow, SiteRow, VoiceRow
from minicrawl.store.read.tables import Row, Tables, columns
from minicrawl.store.reader import Store
from minicrawl.store.rows import (
    Alternate,
    Change,
    FactsRow,
    Fingerprint,
    GroupRate,
    HostRow,
    Interest,
    Links,
    ListedUrl,
    MetaValue,
    NotedImportance,
    ParameterRow,
    PatternRow,
    Probe,
    RecentPage,
    RefreshHost,
    RefreshRow,
    Refused,
    RequisiteRow,
    RobotsRow,
    SitemapRow,
    TextRow,
    TextVersion,
)
from minicrawl.store.write.cookie_rows import CookieRows
from minicrawl.store.write.page_rows import PageRows

_VERSIONS = 8
_KEEP_VERSION = "INSERT OR REPLACE INTO text_versions (at, page, start, size) SELECT ?, page, start, size"
_FORGET_VERSIONS = """
    DELETE FROM text_versions WHERE page = ? AND at < (
        SELECT at FROM text_versions WHERE page = ? ORDER BY at DESC LIMIT 1 OFFSET ?)"""


class Writer(Store):
    """The write side of the store at `path`, which it creates if there is none. Raises StoreError.

    `page_rows`: writes pages and their turns. `cookie_rows`: reads and writes cookies.
    """

    def __init__(self, path: Path, sizes: Sizes = STANDARD_SIZES) -> None:
        self._lock = hold(path)
        try:
            with closed_if_it_fails(open_to_write(real_path(path))) as self._db:
                self._db.execute(f"PRAGMA cache_size = -{sizes.cache}")
                super().__init__(Tables(path, self._db, sizes))
                self.page_rows = PageRows(self._tables)
                self.cookie_rows = CookieRows(self._tables)
                self._watch = Watch(real_path(path))
                if not self._tables.hash_key:
                    self._tables.hash_key = os.urandom(16)
                    with self.transaction():
                        self.save_meta({"hash_key": self._tables.hash_key.hex()})
        except BaseException:
            self._lock.release()
            raise

    def close(self) -> None:
        """Fold the write-ahead log into the file, wherever that was moved, and release the lock."""
        try:
            with self._tables.errors:
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            super().close()
            self._lock.release()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block as a transaction. Raises StoreError, also when the file at `path` was replaced."""
        self._watch.check()
        with self._tables.errors, transaction(self._db):
            yield

    @property
    def rows_written(self) -> int:
        """Number of rows inserted, changed or deleted so far."""
        return self._db.total_changes

    def forget_cached(self) -> None:
        """Free the memory of the pages of the file that were read or written lately."""
        with self._tables.errors:
            self._db.execute("PRAGMA shrink_memory")

    def vacuum(self) -> None:
        """Rewrite the file without free space."""
        with self._tables.errors:
            self._db.execute("VACUUM")

    # Rows of a batch; call inside `transaction`.

    def save_best(self, pages: Iterable[int], *, is_anew: bool) -> None:
        """Add candidates for the best pages. is_anew: replace the earlier ones."""
        if is_anew:
            self._db.execute("DELETE FROM best")
        self._db.executemany("INSERT OR IGNORE INTO best (page) VALUES (?)", ((page,) for page in pages))

    def save_places(self, order: npt.NDArray[np.int32]) -> None:
        """Store the order of all pages: their numbers, best first."""
        self._db.execute("DELETE FROM places")
        self._db.executemany(
            "INSERT INTO places (first, pages) VALUES (?, ?)",
            ((first, to_bytes(order[first : first + PLACES])) for first in range(0, len(order), PLACES)),
        )

    def save_links(self, links: Iterable[Links]) -> None:
        """Replace pages' rows of links. The pages' states must be saved before: an alias stands for its target."""
        links = list(links)
        self._replace("links", Links, links)
        self._db.executemany(
            """UPDATE pages SET stands_for = iif(state = 'alias', ?, NULL)
            WHERE id = ? AND (state = 'alias' OR stands_for IS NOT NULL)""",
            ((int(from_bytes(row.targets)[0]) if row.targets else None, row.source) for row in links),
        )

    def save_refused(self, rows: Iterable[Refused]) -> None:
        """Replace pages' rows of targets not followed; an empty row deletes the page's."""
        rows = list(rows)
        self._db.executemany("DELETE FROM refused WHERE source = ?", ((row.source,) for row in rows))
        self._insert("refused", Refused, (row for row in rows if row.leads_to or row.too_deep or row.malformed))

    def save_hosts(self, hosts: Iterable[HostRow]) -> None:
        self._update("hosts", HostRow, hosts)

    def save_sites(self, rows: Iterable[SiteRow], site_of_host: Iterable[tuple[int, int]]) -> None:
        """site_of_host: sites.id and hosts.id of hosts that are new."""
        self._update("sites", SiteRow, rows)
        self._db.executemany("UPDATE hosts SET site = ? WHERE id = ?", site_of_host)

    def save_doors(self, rows: Iterable[DoorRow]) -> None:
        self._replace("doors", DoorRow, rows)

    def add_voices(self, changes: Iterable[VoiceRow]) -> None:
        """changes: differences in the number of links."""
        changes = list(changes)
        self._insert("voices", VoiceRow, changes, then="ON CONFLICT DO UPDATE SET links = links + excluded.links")
        gone = ((row.page, row.site) for row in changes if row.links < 0)
        self._db.executemany("DELETE FROM voices WHERE page = ? AND site = ? AND links = 0", gone)

    def forget_sites(self) -> None:
        """Delete all sites, as random surfers jump to all pages alike."""
        for table in ("sites", "doors", "voices"):
            self._db.execute(f"DELETE FROM {table}")
        self._db.execute("UPDATE hosts SET site = NULL")

    def save_robots(self, rows: Iterable[RobotsRow]) -> None:
        self._replace("robots", RobotsRow, rows)

    def save_patterns(self, rows: Iterable[PatternRow]) -> None:
        self._replace("patterns", PatternRow, rows)

    def save_parameters(self, rows: Iterable[ParameterRow]) -> None:
        self._replace("parameters", ParameterRow, rows)

    def save_digests(self, digests: Iterable[int]) -> None:
        self._db.executemany("INSERT OR IGNORE INTO digests (digest) VALUES (?)", ((digest,) for digest in digests))

    def save_sitemaps(self, rows: Iterable[SitemapRow]) -> None:
        self._replace("sitemaps", SitemapRow, rows)

    def add_listed_urls(self, rows: Iterable[ListedUrl]) -> None:
        self._insert("sitemap_urls", ListedUrl, rows)

    def remove_listed_urls(self, rows: Iterable[ListedUrl]) -> None:
        self._db.executemany("DELETE FROM sitemap_urls WHERE host = ? AND id = ?", ((row.host, row.id) for row in rows))

    def save_sitemap_pages(self, pages: Iterable[tuple[int, int, bool]]) -> None:
        """(page, sitemap that lists it, whether it made the page known). The first one of a page stays."""
        query = "INSERT OR IGNORE INTO sitemap_pages (page, sitemap, made_known) VALUES (?, ?, ?)"
        self._db.executemany(query, pages)

    def save_fingerprints(self, rows: Mapping[int, Fingerprint | None]) -> None:
        """rows: by page; None: the page no longer has one."""
        updates = ", ".join(f"{column} = ?" for column in Fingerprint._fields[1:])
        nothing = (None,) * (len(Fingerprint._fields) - 1)
        self._db.executemany(
            f"UPDATE fetches SET {updates} WHERE id = (SELECT fetch FROM pages WHERE id = ?)",
            ((*(row[1:] if row else nothing), page) for page, row in rows.items()),
        )

    def save_probes(self, rows: Iterable[Probe]) -> None:
        self._replace("probes", Probe, rows)

    def save_recent_pages(self, rows: Iterable[RecentPage], dropped: Iterable[int]) -> None:
        self._insert("recent_pages", RecentPage, rows)
        self._db.executemany("DELETE FROM recent_pages WHERE id = ?", ((number,) for number in dropped))

    def save_interests(self, interests: Iterable[Interest]) -> None:
        self._replace("interests", Interest, interests)

    def save_alternates(self, alternates: Iterable[Alternate]) -> None:
        self._insert("alternates", Alternate, alternates, "INSERT OR IGNORE")

    def save_refreshes(self, rows: Iterable[RefreshRow]) -> None:
        self._replace("refresh", RefreshRow, rows)

    def save_group_rates(self, rows: Iterable[GroupRate]) -> None:
        self._replace("group_rates", GroupRate, rows)

    def save_refresh_hosts(self, rows: Iterable[RefreshHost]) -> None:
        self._db.executemany(
            "INSERT INTO refresh_hosts (host, doubt, dates, lastmods) VALUES (?, ?, ?, ?) ON CONFLICT (host) "
            "DO UPDATE SET doubt = excluded.doubt, dates = excluded.dates, lastmods = excluded.lastmods",
            rows,
        )

    def save_host_blocks(self, rows: Iterable[tuple[int, bytes]]) -> None:
        """rows: hosts.id and blocks."""
        query = """
            INSERT INTO refresh_hosts (host, blocks) VALUES (?, ?)
            ON CONFLICT (host) DO UPDATE SET blocks = excluded.blocks"""
        self._db.executemany(query, rows)

    def save_changes(self, rows: Iterable[Change]) -> None:
        """Save changes of pages, and note the places of the texts that changed pages have by now: those of this commit
        are saved before."""
        rows = list(rows)
        self._insert("changes", Change, rows)
        changed = [(row.at, row.page) for row in rows if row.what == "changed"]
        self._db.executemany(f"{_KEEP_VERSION} FROM texts WHERE page = ?", changed)
        self._db.executemany(_FORGET_VERSIONS, ((page, page, _VERSIONS - 1) for _, page in changed))

    def save_importances(self, rows: Iterable[NotedImportance]) -> None:
        self._replace("importances", NotedImportance, rows)

    def save_texts(self, rows: Iterable[TextRow], gone: Iterable[int], hidden: Iterable[int] = ()) -> None:
        """Save the offsets of texts. gone: pages that no longer have a text. hidden: pages without earlier ones."""
        self._replace("texts", TextRow, rows)
        self._db.executemany("DELETE FROM texts WHERE page = ?", ((page,) for page in gone))
        self._db.executemany("DELETE FROM text_versions WHERE page = ?", ((page,) for page in hidden))

    def keep_first_texts(self, pages: Iterable[int]) -> None:
        """Note the places of the texts of pages that no change is known of yet."""
        never = "NOT EXISTS (SELECT 1 FROM text_versions WHERE page = texts.page)"
        self._db.executemany(f"{_KEEP_VERSION} FROM texts WHERE page = ? AND {never}", ((0.0, page) for page in pages))

    def move_versions(self, rows: Iterable[TextVersion]) -> None:
        self._replace("text_versions", TextVersion, rows)

    def forget_texts(self) -> None:
        self._db.execute("DELETE FROM texts")
        self._db.execute("DELETE FROM text_versions")

    def add_records(self, rows: Iterable[RecordRow]) -> None:
        self._insert("records", RecordRow, rows)

    def save_facts(self, rows: Iterable[FactsRow], gone: Iterable[int]) -> None:
        """Save facts of pages. gone: pages that no longer have any."""
        self._replace("page_facts", FactsRow, rows)
        self._db.executemany("DELETE FROM page_facts WHERE page = ?", ((page,) for page in gone))

    def add_requisites(self, rows: Iterable[RequisiteRow]) -> None:
        """Add requisites that are not known yet."""
        self._insert("requisites", RequisiteRow, rows, "INSERT OR IGNORE")

    def save_requisites(self, rows: Iterable[RequisiteRow]) -> None:
        """Add requisites, or replace what came of known ones; they keep their numbers and pages."""
        updates = ", ".join(f"{column} = excluded.{column}" for column in RequisiteRow._fields[4:])
        self._insert("requisites", RequisiteRow, rows, then=f"ON CONFLICT (url) DO UPDATE SET {updates}")

    def ask_for_requisites_again(self, reasons: Iterable[str]) -> None:
        """Let failed requisites wait again, by the reasons of their failures."""
        self._db.executemany(
            "UPDATE requisites SET state = 'waiting' WHERE state = 'failed' AND reason = ?",
            ((reason,) for reason in reasons),
        )

    def save_course(self, point: CoursePoint, dropped: Iterable[float]) -> None:
        """Add a point of the crawl's progress. dropped: seconds of points to delete."""
        self._db.executemany("DELETE FROM course WHERE seconds = ?", ((seconds,) for seconds in dropped))
        self._insert("course", CoursePoint, [point])

    def save_meta(self, values: Mapping[str, MetaValue]) -> None:
        self._db.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", values.items())

    # Rows of other commands; call inside `transaction`.

    def save_ranking(self, name: str, values: npt.NDArray[np.floating]) -> None:
        """Store a named ranking, a value per page by number; replaces the one of that name."""
        self._db.execute("DELETE FROM rankings WHERE name = ?", (name,))
        self._db.executemany(
            "INSERT INTO rankings (name, page, value) VALUES (?, ?, ?)",
            ((name, page, value) for page, value in enumerate(values.tolist())),
        )

    def _insert(
        self, table: str, kind: type[Row], rows: Iterable[Row], verb: str = "INSERT", *, then: str = ""
    ) -> None:
        """Write rows whose fields are columns of a table. then: the clause for existing rows."""
        marks = ", ".join("?" * len(kind._fields))
        self._db.executemany(f"{verb} INTO {table} ({columns(kind)}) VALUES ({marks}) {then}", rows)

    def _update(self, table: str, kind: type[Row], rows: Iterable[Row]) -> None:
        """Write rows of `id`, `name` and values; a row that is there keeps its name, so the index of names is left
        alone."""
        updates = ", ".join(f"{column} = excluded.{column}" for column in kind._fields[2:])
        self._insert(table, kind, rows, then=f"ON CONFLICT (id) DO UPDATE SET {updates}")

    def _replace(self, table: str, kind: type[Row], rows: Iterable[Row]) -> None:
        """Write rows, replacing those with the same keys."""
        self._insert(table, kind, rows, "INSERT OR REPLACE")
