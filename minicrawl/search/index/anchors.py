"""What links say of the page they lead to, gathered by page.

A text counts by the logarithm of the sites that say it, however many of their pages do. What the page's own site says
stands in a column of its own, which weighs less, each text once: so nobody can make a page win by links of their own.
What leads to an alias counts for the page it stands for.
"""

import math
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

MOST_OTHERS, MOST_OWN = 20, 10
"""Texts of a page that count: those that most sites say, and those that most pages of its own site say."""
NOTHING = -1
"""What a page stands for that is not there."""
_LONGEST_CHAIN = 16


class LinkText(NamedTuple):
    """A link's text. `site`: hash of the linking page's site; None: the target's own. `target`: pages.id."""

    target: int
    site: int | None
    text: str


class AnchorBook:
    """The tables `anchors`, `aliases` and `stale` of an index.

    Invariant: `anchors.links` is the number of pages in `pages` whose `anchors` have that row.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def add(self, by_page: Mapping[int, Sequence[LinkText]]) -> dict[int, bytes]:
        """Count the links of some pages; of each the anchors.id of its links, packed. Their targets become stale."""
        known = self._known({link.target for links in by_page.values() for link in links})
        new: list[LinkText] = []
        counts: Counter[int] = Counter()
        next_id = int(self._db.execute("SELECT coalesce(max(id), 0) + 1 FROM anchors").fetchone()[0])
        packed = {}
        for page, links in by_page.items():
            ids = set()
            for link in links:
                number = known.get(link)
                if number is None:
                    number = known[link] = next_id + len(new)
                    new.append(link)
                ids.add(number)
            counts.update(ids)
            packed[page] = np.array(sorted(ids), dtype=np.int32).tobytes()
        self._db.executemany(
            "INSERT INTO anchors (id, target, site, text, links) VALUES (?, ?, ?, ?, ?)",
            ((next_id + i, *link, counts.pop(next_id + i)) for i, link in enumerate(new)),
        )
        self._change(counts, 1)
        self.mark_stale({link.target for link in new})
        return packed

    def remove(self, packed: Iterable[bytes]) -> None:
        """Count the links of some pages no longer."""
        counts = Counter(number for ids in packed for number in np.frombuffer(ids, dtype=np.int32).tolist())
        self._change(counts, -1)
        gone = []
        for some in _chunks(sorted(counts)):
            query = f"SELECT id, target FROM anchors WHERE links <= 0 AND id IN ({','.join(map(str, some))})"
            gone += self._db.execute(query).fetchall()
        self._db.executemany("DELETE FROM anchors WHERE id = ?", ((number,) for number, _ in gone))
        self.mark_stale({target for _, target in gone})

    def _change(self, counts: Mapping[int, int], sign: int) -> None:
        """Count so many links more, or fewer. Their targets become stale where that changes what their rows say."""
        changed = set()
        for some in _chunks(sorted(counts)):
            query = f"SELECT id, target, links FROM anchors WHERE site IS NULL AND id IN ({','.join(map(str, some))})"
            for number, target, links in self._db.execute(query):
                if _tier(links) != _tier(links + sign * counts[number]):
                    changed.add(target)
        updates = ((sign * count, number) for number, count in counts.items())
        self._db.executemany("UPDATE anchors SET links = links + ? WHERE id = ?", updates)
        self.mark_stale(changed)

    def set_aliases(self, aliases: dict[int, int]) -> None:
        """Which pages stand for which other ones now."""
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
        """Have the rows of pages in the short barrel written anew; of an alias, that of the page it stands for."""
        self._db.executemany("INSERT OR IGNORE INTO stale (page) VALUES (?)", ((page,) for page in pages))

    def is_alias(self, page: int) -> bool:
        return self._db.execute("SELECT 1 FROM aliases WHERE page = ?", (page,)).fetchone() is not None

    def stands_for(self, page: int) -> int:
        """The page that an alias stands for; itself if it is none."""
        for _ in range(_LONGEST_CHAIN):
            row = self._db.execute("SELECT target FROM aliases WHERE page = ?", (page,)).fetchone()
            if row is None:
                break
            page = row[0]
        return page

    def texts_of(self, page: int) -> tuple[str, str]:
        """What other sites say of a page and of its aliases, and what its own site does: texts for two columns."""
        others: dict[str, set[int]] = {}
        own: dict[str, int] = {}
        spelled: dict[str, str] = {}
        for target in self._with_aliases(page):
            rows = self._db.execute("SELECT site, text, links FROM anchors WHERE target = ? ORDER BY text", (target,))
            for site, text, links in rows:
                low = text.lower()
                spelled.setdefault(low, text)
                if site is None:
                    own[low] = max(own.get(low, 0), _tier(links))
                else:
                    others.setdefault(low, set()).add(site)
        by_sites = sorted(others, key=lambda low: (-len(others[low]), low))[:MOST_OTHERS]
        by_pages = sorted(own, key=lambda low: (-own[low], low))[:MOST_OWN]
        repeated = (spelled[low] for low in by_sites for _ in range(1 + int(math.log2(len(others[low])))))
        return " . ".join(repeated), " . ".join(spelled[low] for low in by_pages)

    def _with_aliases(self, page: int) -> set[int]:
        found, new = {page}, [page]
        while new:
            rows = self._db.execute("SELECT page FROM aliases WHERE target = ?", (new.pop(),))
            more = {alias for (alias,) in rows} - found
            found |= more
            new += more
        return found

    def _known(self, targets: set[int]) -> dict[LinkText, int]:
        known: dict[LinkText, int] = {}
        for some in _chunks(sorted(targets)):
            query = f"SELECT id, target, site, text FROM anchors WHERE target IN ({','.join(map(str, some))})"
            known.update((LinkText(*link), number) for number, *link in self._db.execute(query))
        return known


def _tier(links: int) -> int:
    """About the logarithm of so many links: it changes so seldom that rows need not be written at every link."""
    return links.bit_length()


def _end(page: int, aliases: dict[int, int]) -> int:
    for _ in range(_LONGEST_CHAIN):
        if page not in aliases:
            break
        page = aliases[page]
    return page


def _chunks(numbers: Sequence[int], size: int = 500) -> Iterable[Sequence[int]]:
    return (numbers[i : i + size] for i in range(0, len(numbers), size))
