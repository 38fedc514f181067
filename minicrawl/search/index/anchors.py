"""Anchor texts of links, gathered by target page.

A text counts by the logarithm of the number of sites with such links, however many of their pages have them. Texts from
the page's own site go to a column of their own, which weighs less, each text once: so no site can push a page by its
own links. Links to an alias count for the page that it stands for.
"""

import json
import math
import sqlite3
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import chain

import numpy as np

from minicrawl.search.index.index_folder import ANCHOR_BITS

MOST_OTHERS, MOST_OWN = 20, 10
"""Texts of a page that count: those of the most other sites, and those of the most pages of its own site."""
NOTHING = -1
"""The target of a page that is not there."""
_LONGEST_CHAIN = 16
LinkText = tuple[int, int | None, str]
"""The target of a link (pages.id), a hash of the linking page's site (None: the target's own), and the text."""
_MOST_KNOWN = 200_000
"""Texts of links in memory, at most."""


class AnchorBook:
    """The tables `anchors`, `aliases` and `stale` of an index.

    Invariant: `anchors.links` is the number of pages in `pages` whose `anchors` have that row.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        # Some targets are in memory as a whole: the anchors.id of their texts, the number of links of each, the ids
        # from the target's own site, and the next free id.
        self._ids: dict[LinkText, int] = {}
        self._links: dict[int, int] = {}
        self._own: set[int] = set()
        self._free: dict[int, int] = {}

    def forget(self) -> None:
        """Drop the caches after a rollback."""
        self._ids.clear()
        self._links.clear()
        self._own.clear()
        self._free.clear()

    def add(self, by_page: Mapping[int, Collection[LinkText]]) -> dict[int, bytes]:
        """Count the links of some pages; returns the packed anchors.id of each page's links. Their targets become
        stale."""
        self._look_up({target for links in by_page.values() for target, _, _ in links})
        new: dict[int, LinkText] = {}
        numbers = {page: self._numbers(links, new) for page, links in by_page.items()}
        counts = Counter(chain.from_iterable(numbers.values()))
        rows = ((number, site, text, counts[number]) for number, (_, site, text) in sorted(new.items()))
        self._db.executemany("INSERT INTO anchors (id, site, text, links) VALUES (?, ?, ?, ?)", rows)
        self._change({number: count for number, count in counts.items() if number not in new})
        self._links.update((number, counts[number]) for number in new)
        self._own.update(number for number, (_, site, _) in new.items() if site is None)
        self.mark_stale({target for target, _, _ in new.values()})
        return {page: _packed(some) for page, some in numbers.items()}

    def remove(self, packed: Iterable[bytes]) -> None:
        """Subtract the links of some pages."""
        counts = Counter(number for ids in packed for number in _unpacked(ids))
        self._look_up({number >> ANCHOR_BITS for number in counts})
        changes = {number: -count for number, count in counts.items() if number in self._links}
        self._change(changes)
        gone = {number for number in changes if self._links[number] <= 0}
        self._db.executemany("DELETE FROM anchors WHERE id = ?", ((number,) for number in gone))
        self.mark_stale({number >> ANCHOR_BITS for number in gone})
        if gone:
            self._ids = {link: number for link, number in self._ids.items() if number not in gone}
        self._own -= gone
        for number in gone:
            del self._links[number]

    def _numbers(self, links: Iterable[LinkText], new: dict[int, LinkText]) -> set[int]:
        """The anchors.id of links. new: receives links without one so far."""
        numbers = set()
        for link in links:
            number = self._ids.get(link)
            if number is None:
                number = self._free[link[0]]
                if number >> ANCHOR_BITS != link[0]:  # no free id is left
                    continue
                self._ids[link] = number
                self._free[link[0]] = number + 1
                new[number] = link
            numbers.add(number)
        return numbers

    def _change(self, changes: Mapping[int, int]) -> None:
        """Add to the numbers of links. Targets whose rows change by that become stale."""
        stale = set()
        for number, change in changes.items():
            before = self._links[number]
            self._links[number] = before + change
            if number in self._own and _tier(before) != _tier(before + change):
                stale.add(number >> ANCHOR_BITS)
        updates = ((self._links[number], number) for number in sorted(changes))
        self._db.executemany("UPDATE anchors SET links = ? WHERE id = ?", updates)
        self.mark_stale(stale)

    def _look_up(self, targets: set[int]) -> None:
        """Load all texts of some targets."""
        if len(self._ids) > _MOST_KNOWN:
            self.forget()
        query = """
            SELECT value, site, text, anchors.id, links FROM json_each(?) CROSS JOIN anchors
            ON anchors.id BETWEEN value << ? AND (value + 1 << ?) - 1 ORDER BY anchors.id"""
        new = sorted(targets - self._free.keys())
        self._free.update((target, target << ANCHOR_BITS) for target in new)
        for target, site, text, number, links in self._db.execute(query, (json.dumps(new), ANCHOR_BITS, ANCHOR_BITS)):
            self._ids[target, site, text] = number
            self._links[number] = links
            self._free[target] = number + 1
            if site is None:
                self._own.add(number)

    def set_aliases(self, aliases: dict[int, int]) -> None:
        """Set the aliases, by page."""
        before = dict(self._db.execute("SELECT page, target FROM aliases"))
        changed = {page for page in before.keys() | aliases.keys() if before.get(page) != aliases.get(page)}
        ends = {_end(page, known) for known in (before, aliases) for page in changed}
        self._db.executemany("DELETE FROM aliases WHERE page = ?", ((page,) for page in changed))
        self._db.executemany(
            "INSERT INTO aliases (page, target) VALUES (?, ?)",
            ((page, aliases[page]) for page in changed if page in aliases),
        )
        self.mark_stale((changed | ends) - {NOTHING})

    def mark_stale(self, pages: Iterable[int]) -> None:
        """Let the heads of pages be written anew; for an alias, that of the page it stands for."""
        self._db.executemany("INSERT OR IGNORE INTO stale (page) VALUES (?)", ((page,) for page in pages))

    def stands_for(self, page: int) -> int:
        """The page that an alias stands for; the page itself if it is no alias."""
        return self.ends_of([page]).get(page, page)

    def ends_of(self, pages: Iterable[int]) -> dict[int, int]:
        """The pages that aliases stand for; pages that are no aliases are left out."""
        query = "SELECT page, target FROM json_each(?) CROSS JOIN aliases ON page = value"
        ends = dict(self._db.execute(query, (json.dumps(list(pages)),)))
        for _ in range(_LONGEST_CHAIN):
            after = dict(self._db.execute(query, (json.dumps(list(set(ends.values()))),)))
            if not after:
                break
            ends = {page: after.get(end, end) for page, end in ends.items()}
        return ends

    def texts_of(self, pages: Iterable[int]) -> dict[int, tuple[list[str], list[str]]]:
        """By page, the texts of links from other sites and from its own site, its aliases' included; the most frequent
        first. pages: no aliases."""
        owners = self._with_aliases(pages)
        others: dict[int, dict[str, set[int]]] = {page: {} for page in set(owners.values())}
        own: dict[int, dict[str, int]] = {page: {} for page in others}
        spelled: dict[int, dict[str, str]] = {page: {} for page in others}
        query = """
            SELECT value, site, text, links FROM json_each(?) CROSS JOIN anchors
            ON anchors.id BETWEEN value << ? AND (value + 1 << ?) - 1"""
        rows = self._db.execute(query, (json.dumps(sorted(owners)), ANCHOR_BITS, ANCHOR_BITS)).fetchall()
        for target, site, text, links in rows:
            page, low = owners[target], text.lower()
            spelled[page][low] = min(text, spelled[page].get(low, text))
            if site is None:
                own[page][low] = max(own[page].get(low, 0), _tier(links))
            else:
                others[page].setdefault(low, set()).add(site)
        return {page: (_of_others(others[page], spelled[page]), _of_own(own[page], spelled[page])) for page in others}

    def _with_aliases(self, pages: Iterable[int]) -> dict[int, int]:
        """Pages and all their aliases, each with the page that it stands for."""
        owners = {page: page for page in pages}
        new = list(owners)
        while new:
            query = "SELECT page, target FROM json_each(?) CROSS JOIN aliases ON target = value"
            rows = self._db.execute(query, (json.dumps(new),)).fetchall()
            found = {alias: owners[target] for alias, target in rows if alias not in owners}
            owners |= found
            new = list(found)
        return owners


def _of_others(sites: Mapping[str, set[int]], spelled: Mapping[str, str]) -> list[str]:
    best = sorted(sites, key=lambda low: (-len(sites[low]), low))[:MOST_OTHERS]
    return [spelled[low] for low in best for _ in range(1 + int(math.log2(len(sites[low]))))]


def _of_own(tiers: Mapping[str, int], spelled: Mapping[str, str]) -> list[str]:
    return [spelled[low] for low in sorted(tiers, key=lambda low: (-tiers[low], low))[:MOST_OWN]]


def _packed(ids: Iterable[int]) -> bytes:
    """Compress sorted numbers as differences, whose many zero bytes compress well."""
    steps = np.diff(np.array(sorted(ids), dtype=np.int64), prepend=0)
    # All first bytes, then all second ones, and so on.
    return zlib.compress(steps.view(np.uint8).reshape(-1, 8).T.tobytes(), 1)


def _unpacked(packed: bytes) -> list[int]:
    octets = np.frombuffer(zlib.decompress(packed), dtype=np.uint8).reshape(8, -1).T
    numbers: list[int] = np.cumsum(np.ascontiguousarray(octets).view(np.int64).reshape(-1)).tolist()
    return numbers


def _tier(links: int) -> int:
    """About the logarithm of a number of links: it changes rarely, so rows need not be written at every link."""
    return links.bit_length()


def _end(page: int, aliases: dict[int, int]) -> int:
    for _ in range(_LONGEST_CHAIN):
        if page not in aliases:
            break
        page = aliases[page]
    return page
