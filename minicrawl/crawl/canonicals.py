"""Whether a page is believed that says, by rel=canonical, that it stands for another.

A page may name one under another path, and say something else than it: a print version, a part of a series. But some
sites call one page canonical, mostly the home page, on all their pages, by a template gone wrong. Believed, they would
be one page. So a canonical URL is refuted once DIFFERENT pages under other paths have named it that say something else
than it and than one another; pages that differ from it in such a way stand for themselves, then and ever after. What
differs in the query only, or says the same, is believed as before.
"""

from collections.abc import Iterable
from typing import NamedTuple

from minicrawl.crawl.duplicates import ALIKE
from minicrawl.crawl.sketch import distance
from minicrawl.model import Fetched
from minicrawl.store.rows import Fingerprint

DIFFERENT = 5


class Claim(NamedTuple):
    """A page that names another as canonical, and what it says."""

    page: int
    url: str
    said: Fetched | Fingerprint


class Canonicals:
    """The canonical URLs that were refuted, and what the others were named by. refuted: those in the store."""

    def __init__(self, refuted: Iterable[str]) -> None:
        self.refuted = set(refuted)
        self._different: dict[str, list[Claim]] = {}

    def is_new(self, canonical: str) -> bool:
        """Whether nothing was said yet of who names this URL: `take_in` who did in earlier runs, then."""
        return canonical not in self.refuted and canonical not in self._different

    def take_in(self, canonical: str, claims: Iterable[Claim], there: Fingerprint | None) -> list[int]:
        """Note pages that name `canonical`, which says `there` if it was read.

        Returns those that differ, once that refutes it: in that call all so far, else none.
        """
        different = self._different.setdefault(canonical, [])
        for claim in claims:
            if not differs(claim, canonical, there) or any(claim.page == other.page for other in different):
                continue
            if not any(says_the_same(claim.said, other.said) for other in different):
                different.append(claim)
        if len(different) < DIFFERENT:
            return []
        self.refuted.add(canonical)
        del self._different[canonical]
        return [claim.page for claim in different]


def differs(claim: Claim, canonical: str, there: Fingerprint | None) -> bool:
    """Whether a page is under another path than its canonical URL, and says something else, as far as is known."""
    if claim.said.digest is None or claim.url.partition("?")[0] == canonical.partition("?")[0]:
        return False
    return there is None or not says_the_same(claim.said, there)


def says_the_same(one: Fetched | Fingerprint, other: Fetched | Fingerprint) -> bool:
    """Whether two pages say the same, or nearly."""
    if other.digest is not None and other.digest == one.digest:
        return True
    if other.payload is not None and other.payload == one.payload:
        return True
    if other.sketch is None or one.sketch is None:
        return False
    return distance(other.sketch, one.sketch) <= ALIKE
