"""What the store of a crawl says of its judge of URLs, counted once more from its pages."""

import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from support.sites import faults_in, rows

from minicrawl.parts.samepage.judge import FEW
from minicrawl.parts.samepage.pairs import VOID
from minicrawl.web.urls.keys import politeness_key
from minicrawl.web.urls.shapes import shape_of


def wrong_books(store: Path, *, ended: bool = True) -> list[str]:
    """What is wrong with a store. ended: its last run has ended by itself."""
    found = [*faults_in(store), *_wrong_counts(store), *_wrong_values(store), *_wrong_lines(store)]
    return [*found, *_wrong_waiting(store)] if ended else found


def _wrong_counts(store: Path) -> Iterator[str]:
    """A page that was read and stands for another since a parameter is void has no answer of its own any more."""
    counted, known = defaultdict[str, Counter[str]](Counter), defaultdict[str, Counter[str]](Counter)
    for host, key, pages, kinds in rows(store, "SELECT host, key, read, kinds FROM patterns"):
        by_kind = json.loads(kinds)
        counted[host][key[0]] += pages + by_kind.get("ahead", 0)
        beside = sum(by_kind.get(it, 0) for it in ("known title", "of its pattern", "gate", "gated", "open", "ahead"))
        if key != "*" and sum(by_kind.values()) - beside != pages:
            yield f"{host} {key}: {kinds} are not {pages}"
    for url, reason, status in rows(store, "SELECT url, reason, status FROM ranks"):
        known[politeness_key(url)]["read"] += status is not None
        known[politeness_key(url)]["void"] += reason == VOID
    for host, pages in known.items():
        by_pattern, in_all = counted[host]["F"], counted[host]["*"]
        if not pages["read"] <= in_all == by_pattern <= pages["read"] + pages["void"]:
            yield f"{host}: {pages} are counted as {in_all}, by pattern as {by_pattern}"


def _wrong_waiting(store: Path) -> Iterator[str]:
    counted = dict(rows(store, "SELECT host, sum(waiting) FROM patterns GROUP BY host"))
    waiting = Counter(politeness_key(url) for (url,) in rows(store, "SELECT url FROM pages WHERE state = 'waiting'"))
    yield from (
        f"{host}: {waiting[host]} pages wait, not {count}" for host, count in counted.items() if count != waiting[host]
    )


def _wrong_values(store: Path) -> Iterator[str]:
    values = defaultdict[tuple[str, str], set[int]](set)
    for (url,) in rows(store, "SELECT url FROM pages"):
        for name, value in shape_of(url).parameters:
            values[politeness_key(url), f"?{name}"].add(zlib.crc32(value.encode()))
    for host, word, blob in rows(store, "SELECT host, word, hashes FROM seen WHERE word LIKE '?%'"):
        seen = set(np.frombuffer(blob, np.uint32).tolist())
        of_pages = values.pop((host, word), set())
        if len(seen) < min(len(of_pages), FEW + 1) or (len(of_pages) <= FEW and not of_pages <= seen):
            yield f"{host} {word}: {len(seen)} values of {len(of_pages)} are seen"
    yield from (f"{host} {word}: not seen" for (host, word), known in values.items() if len(known) > 1)


def _wrong_lines(store: Path) -> Iterator[str]:
    pieces = defaultdict[str, list[tuple[int, bytes]]](list)
    for host, number, blob in rows(store, "SELECT host, number, hashes FROM lines ORDER BY host, number"):
        pieces[host].append((number, blob))
    for host, some in pieces.items():
        lines = np.frombuffer(b"".join(blob for _, blob in some), np.uint32)
        if len(np.unique(lines)) != len(lines) or [number for number, _ in some] != list(range(1, len(some) + 1)):
            yield f"{host}: lines stand twice, or a piece is missing"
    of_none = "SELECT page FROM listings JOIN pages ON pages.id = page WHERE state NOT IN ('fetched', 'alias')"
    yield from (f"page {page} has a listing and was not read" for (page,) in rows(store, of_none))
