"""What is recognised of pages: fingerprints and soft 404s; and links that were refused."""

from collections.abc import Iterable, Iterator
from typing import Annotated, NamedTuple

import numpy as np

from minicrawl.store.declaration import PageId, PageIds, Time, table
from minicrawl.store.tables import Columns, Subject

SKETCH_BYTES = 40
_SAID_FIRST = "(leader IS NULL OR distance IS NOT NULL)"
"""As in the index `fetches_payloads`."""
_MOST_COPIES = 4_096


class Fingerprint(NamedTuple):
    """What an HTML page that says something can be told by: a part of its row of `fetches`."""

    page: PageId
    digest: int
    payload: int
    sketch: Annotated[bytes | None, "40 bytes, see web/fingerprint.py; NULL: too little text"]
    leader: Annotated[PageId | None, "which said it first, and of which this one is a duplicate"]
    distance: Annotated[int | None, "bits by which its sketch differs from the leader's; NULL: same payload"]


class Probe(NamedTuple):
    """What a host answered for pages that cannot exist; see crawler/recognise/soft404.py."""

    folder: Annotated[str, "in which the pages were asked for"]
    url: Annotated[str, "the last of them"]
    asked_at: Time
    verdict: Annotated[str, "not-found, open, varied, wall, soft-404, catch-all"]
    status: Annotated[int | None, "HTTP status of the last answer"]
    digest: Annotated[int | None, "64 bits of what all answers said; NULL: they differ"]
    asked: Annotated[int, "pages that were asked for"]
    words: Annotated[bytes | None, "hashes of words that all answers share, 4 bytes each; NULL: too many"]
    varies: Annotated[int, "words of an answer that others lack, at most"]
    numbers: Annotated[int, "numbers in an answer, at most"]
    echoes: Annotated[bool, "they repeat the URL"]
    is_there: Annotated[bool, "a page that is surely there says the same"]
    matched: Annotated[PageIds | None, "pages that say the same"]
    others: Annotated[PageIds | None, "pages that do not"]
    existed: Annotated[int, "answers as if the page existed: with status 200, or a redirect"] = 0


class RecentPage(NamedTuple):
    """A page that was read lately: it is judged by what its host will be asked, and the host asked because of it."""

    id: Annotated[int, "in the order of reading"]
    page: PageId
    digest: Annotated[int | None, "64 bits of what it says"]
    words: Annotated[bytes, "how many numbers it has, and hashes of its words, 4 bytes each"]
    is_there: Annotated[bool, "it is surely there"]


def numbers_of(blob: bytes | None) -> list[int]:
    """The numbers in a column of hashes or pages, 4 bytes each."""
    numbers: list[int] = np.frombuffer(blob or b"", np.uint32).tolist()
    return numbers


def blob_of(numbers: Iterable[int]) -> bytes:
    """Numbers as such a column, ascending."""
    return np.array(sorted(numbers), dtype=np.uint32).tobytes()


class RefusedRow(NamedTuple):
    """URLs that were left out before they became known."""

    name: Annotated[str, "a host; a site, or *. and a site, for a budget"]
    rule: Annotated[str, "the reason"]
    urls: Annotated[int, "each counts once a run"]
    example: Annotated[str, "the first of them"]


table("refused", "URLs left out for their length, or beyond the budget of a site", RefusedRow, keys="name rule")
table("probes", "what hosts answered for pages that cannot exist", Probe, keys="folder")
table("recent_pages", "pages that were read lately", RecentPage, keys="id")


class Recognised(Subject):
    """Reads the fingerprints in `fetches`, and the tables `probes`, `recent_pages` and `refused`."""

    def fingerprints(self) -> Iterator[Columns]:
        """Fingerprints of all pages, in the order of their first answers, as columns: page, payload, sketch (shape
        (n, 5), 64 bits each, 0 if there is none), and leads: it has a sketch and duplicates no earlier page."""
        query = """
            SELECT page, payload, coalesce(sketch, x'00') AS sketch, leader IS NULL AND sketch IS NOT NULL AS leads
            FROM fetches WHERE payload IS NOT NULL ORDER BY id"""
        for block in self._tables.columns(query):
            sketches = block["sketch"].astype(f"S{SKETCH_BYTES}").view(np.uint64)
            yield block | {"sketch": sketches.reshape(-1, SKETCH_BYTES // 8)}

    def fingerprint(self, page: int) -> Fingerprint | None:
        """The fingerprint of one page; None when it has none."""
        of_page = "pages JOIN fetches ON fetches.id = fetch WHERE pages.id = ? AND payload IS NOT NULL"
        return self._tables.record(Fingerprint, of_page, page)

    def said_first(self, payload: int) -> list[int]:
        """Pages with a payload, the first ones; not those that are marked as exact duplicates."""
        query = f"SELECT page FROM fetches WHERE payload = ? AND {_SAID_FIRST} ORDER BY page LIMIT {_MOST_COPIES}"
        return [page for (page,) in self._tables.rows(query, (payload,))]

    def duplicate_counts(self, page: int | None = None) -> tuple[int, int]:
        """Numbers of exact duplicates and of near-duplicates: all, or those of a page."""
        query = "SELECT count(*), count(distance) FROM fetches WHERE leader IS NOT NULL"
        marked, near = self._tables.row(query if page is None else f"{query} AND leader = {page:d}")
        return marked - near, near

    def probes(self) -> list[Probe]:
        """Answers of hosts for pages that cannot exist."""
        return self._tables.records(Probe, "probes")

    def refused(self) -> list[RefusedRow]:
        """URLs left out before they became known, most of them first."""
        return self._tables.records(RefusedRow, "refused ORDER BY urls DESC, name")
