"""Outlinks of pages, and links that are not followed."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.model import Place
from minicrawl.store.declaration import Commit, PageId, PageIds, table
from minicrawl.store.links import LinkGraph, PlacedLinks, Places, from_bytes, linked, packed, placed, to_graph
from minicrawl.store.spill import Spill
from minicrawl.store.tables import Subject

_LOOKED_AT = 10_000


class Links(NamedTuple):
    """Outlinks of a page that had its turn; an alias has its one target."""

    source: PageId
    targets: Annotated[PageIds, "distinct targets in document order; on top 2 bits: 0 text, 1 list, 2 navigation"]
    nofollow: Annotated[int, "targets not counted: rel=nofollow, ugc, sponsored"]
    refused: Annotated[int, "targets not counted: out of scope, filtered or in a trap"]
    own: Annotated[PageIds | None, "of an alias that is a page itself (canonical): its own outlinks"] = None
    leads_to: Annotated[str | None, "target of its redirect, meta refresh or canonical that was refused"] = None
    too_deep: Annotated[str | None, "JSON: linked URLs that only --max-depth keeps out"] = None
    malformed: Annotated[str | None, "JSON: the first of its links that are no URLs, as written"] = None


table(
    "links",
    "outlinks of read pages",
    Links,
    keys="source",
    indexes=(
        "links_refused ON links (source) WHERE leads_to IS NOT NULL",
        "links_too_deep ON links (source) WHERE too_deep IS NOT NULL",
    ),
    changed=Commit,
)


class LinkTable(Subject):
    """Reads the table `links`."""

    def outlinks(self, page: int) -> npt.NDArray[np.int32]:
        """Counted outlinks at the last visit; empty when there was none."""
        row = self.row(page)
        return from_bytes(row.targets if row else b"")

    def row(self, page: int) -> Links | None:
        """The row of a page's outlinks; None when the page was never visited."""
        return self._tables.record(Links, "links WHERE source = ?", page)

    def graph(self) -> LinkGraph:
        """The graph of counted links as CSR, one row per visited page."""
        with self._tables.snapshot():
            targets = np.empty(self.count(), dtype=np.int32)
            places: Places | None = None
            sources, outdegrees, filled = [np.zeros(0, dtype=np.int64)], [np.zeros(1, dtype=np.int64)], 0
            for block in self.blocks():
                targets[filled : filled + len(block.targets)] = block.targets
                if block.places is not None:
                    places = np.zeros(len(targets), dtype=np.uint8) if places is None else places
                    places[filled : filled + len(block.targets)] = block.places
                filled += len(block.targets)
                sources.append(block.sources)
                outdegrees.append(np.diff(block.indptr))
            indptr = np.cumsum(np.concatenate(outdegrees))
            return LinkGraph(np.concatenate(sources), indptr, targets, self._tables.size(), places)

    def graph_of(self, pages: Sequence[int]) -> LinkGraph:
        """The outlinks of some pages, in rising order; pages never visited are left out."""
        some = "SELECT value FROM json_each(?)"
        query = f"SELECT source, targets FROM links WHERE source IN ({some}) ORDER BY source"
        return to_graph(self._tables.rows(query, (json.dumps(list(pages)),)), self._tables.size())

    def blocks(self, apart: int = 1) -> Iterator[LinkGraph]:
        """The graph by source, some thousand rows at a time; apart: the links of every nth page alone."""
        size = self._tables.size()
        query = "SELECT source, targets FROM links WHERE source % ? = 0 ORDER BY source"
        return (to_graph(rows, size) for rows in self._tables.blocks(query, self._tables.sizes.link_rows, apart))

    def on_pages(self) -> Iterator[LinkGraph]:
        """The links found on pages, by source, some thousand rows at a time: an alias that is a page has its own
        links, as in the view `link_pairs`; a redirect has its target."""
        size = self._tables.size()
        query = "SELECT source, coalesce(own, targets) FROM links ORDER BY source"
        return (to_graph(rows, size) for rows in self._tables.blocks(query, self._tables.sizes.link_rows))

    @contextmanager
    def kept_blocks(self) -> Iterator[Callable[[], Iterable[LinkGraph]]]:
        """A function that iterates the graph in blocks, repeatably; many links are kept on disk."""
        if self.count() <= self._tables.sizes.links:
            kept = list(self.blocks())
            yield lambda: kept
            return
        with Spill(self._tables.path.parent) as spill:
            for block in self.blocks():
                places = () if block.places is None else (block.places,)
                spill.append(0, (block.sources, block.indptr, block.targets, *places))
            size = self._tables.size()
            yield lambda: (LinkGraph(pages, ends, links, size, *more) for pages, ends, links, *more in spill.read(0))

    def count(self) -> int:
        return int(self._tables.value("SELECT coalesce(sum(length(targets) / 4), 0) FROM links"))

    def some_sources(self, page: int, n: int) -> list[int]:
        """Up to n pages with a counted link to `page`, found among the outlinks of some 20,000 pages.

        Searched are pages that became known soon after the first that links to it, and the first of all.
        """
        (found_on,) = self._tables.row("SELECT found_on FROM pages WHERE id = ?", page) or (0,)  # no row for a mirror
        query = f"""
            SELECT source, targets FROM (SELECT * FROM links WHERE source >= ? ORDER BY source LIMIT {_LOOKED_AT})
            WHERE instr(targets, ?) OR instr(targets, ?) OR instr(targets, ?)"""
        wanted = [packed(linked([page], bytes([place]))) for place in Place]
        found: dict[int, None] = {}
        for start in (found_on or 0, 0):
            rows = self._tables.rows(query, (start, *wanted)) if len(found) < n else []
            found |= dict.fromkeys(source for source, targets in rows if page in from_bytes(targets))
        return list(found)[:n]

    def aliases_of(self, page: int) -> list[int]:
        """The pages that stand for `page`, some of them for one another."""
        query = """
            WITH RECURSIVE aliases (page) AS (
                SELECT id FROM pages WHERE stands_for = ?
                UNION SELECT id FROM aliases JOIN pages ON stands_for = aliases.page
            )
            SELECT page FROM aliases ORDER BY page"""
        return [alias for (alias,) in self._tables.rows(query, (page,))]

    # Aliases that are pages of their own: with a canonical, whose links count for another page.

    def hinted(self) -> Iterator[tuple[int, int]]:
        """Aliases that are pages of their own, each with its target."""
        query = "SELECT source, stands_for FROM links JOIN pages ON id = source WHERE own IS NOT NULL"
        return iter(self._tables.rows(f"{query} AND stands_for IS NOT NULL"))

    def own(self) -> Iterator[tuple[int, PlacedLinks]]:
        """Aliases that are pages of their own, each with its own outlinks."""
        rows = self._tables.each("SELECT source, own FROM links WHERE own IS NOT NULL")
        return ((source, placed(own)) for source, own in rows)

    # Links that are not followed.

    def too_deep(self) -> dict[int, list[str]]:
        """Pages with links that only --max-depth keeps out, and these."""
        return self._lists("too_deep")

    def malformed(self) -> dict[int, list[str]]:
        """Pages with links that are no URLs, and the first of these."""
        return self._lists("malformed")

    def _lists(self, column: str) -> dict[int, list[str]]:
        rows = self._tables.rows(f"SELECT source, {column} FROM links WHERE {column} IS NOT NULL ORDER BY source")
        return {source: json.loads(urls) for source, urls in rows}

    def too_deep_sources(self, url: str) -> list[int]:
        """Pages that link to `url`, which only --max-depth keeps out; scans all such links."""
        return [source for source, urls in self.too_deep().items() if url in urls]
