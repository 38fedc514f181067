"""Whether a page is believed that says, by rel=canonical, that it stands for another.

A page may name one under another path, and say something else than it: a print version, a part of a series. But some
sites call one page canonical, mostly the home page, on all their pages, by a template gone wrong. Believed, they would
be one page. So a canonical URL is refuted once DIFFERENT pages under other paths have named it that say something else
than it and than one another; pages that differ from it in such a way stand for themselves, then and ever after. What
differs in the query only, or says the same, is believed as before.

Of so many canonical URLs at once it is known who named them, those named last. Of another one that is forgotten; if it
is named again, it is to be told from the store once more.
"""

from collections import OrderedDict
from collections.abc import Iterable
from typing import NamedTuple

from minicrawl.crawler.html.fingerprint import distance
from minicrawl.crawler.recognise.duplicates import ALIKE
from minicrawl.model import Fetched
from minicrawl.store.rows import Fingerprint

DIFFERENT = 5
MOST_NAMED = 4_096
"""Canonical URLs of which it is known who named them: 6 MB at most."""
MOST_REFUTED = 4_096
"""Canonical URLs that stay refuted, the last ones: an earlier one has to be refuted again, by DIFFERENT more pages."""


class Content(NamedTuple):
    """What a page says, as its fingerprint has it."""

    digest: int | None
    payload: int | None
    sketch: bytes | None


class Claim(NamedTuple):
    """A page that names another as canonical, and what it says."""

    page: int
    url: str
    content: Fetched | Fingerprint | Content


class Canonicals:
    """The canonical URLs that were refuted, and what the others were named by. refuted: those in the store."""

    def __init__(self, refuted: Iterable[str]) -> None:
        self._refuted = dict.fromkeys(refuted)  # in the order in which they were
        self._is_changed = False
        self._different: OrderedDict[str, list[Claim]] = OrderedDict()

    def is_refuted(self, canonical: str) -> bool:
        return canonical in self._refuted

    def is_new(self, canonical: str) -> bool:
        """Whether nothing is known of who names this URL; earlier claims are to be added from the store then."""
        return canonical not in self._refuted and canonical not in self._different

    def take_refuted(self) -> list[str] | None:
        """The canonical URLs that are refuted, if that has changed since the last call."""
        if not self._is_changed:
            return None
        self._is_changed = False
        return list(self._refuted)

    def add_claims(self, canonical: str, claims: Iterable[Claim], there: Fingerprint | None) -> list[int]:
        """Note pages that name `canonical`, which says `there` if it was read.

        Returns those that differ, once that refutes it: in that call all so far, else none.
        """
        different = self._different.setdefault(canonical, [])
        self._different.move_to_end(canonical)
        if len(self._different) > MOST_NAMED:
            self._different.popitem(last=False)
        for claim in claims:
            if not differs(claim, canonical, there) or any(claim.page == other.page for other in different):
                continue
            if not any(have_same_content(claim.content, other.content) for other in different):
                content = Content(claim.content.digest, claim.content.payload, claim.content.sketch)
                different.append(claim._replace(content=content))
        if len(different) < DIFFERENT:
            return []
        if len(self._refuted) >= MOST_REFUTED:
            del self._refuted[next(iter(self._refuted))]
        self._refuted[canonical] = None
        self._is_changed = True
        del self._different[canonical]
        return [claim.page for claim in different]


def differs(claim: Claim, canonical: str, there: Fingerprint | None) -> bool:
    """Whether a page is under another path than its canonical URL, and says something else, as far as is known."""
    if claim.content.digest is None or claim.url.partition("?")[0] == canonical.partition("?")[0]:
        return False
    return there is None or not have_same_content(claim.content, there)


def have_same_content(one: Fetched | Fingerprint | Content, other: Fetched | Fingerprint | Content) -> bool:
    """Whether two pages say the same, or nearly."""
    if other.digest is not None and other.digest == one.digest:
        return True
    if other.payload is not None and other.payload == one.payload:
        return True
    if other.sketch is None or one.sketch is None:
        return False
    return distance(other.sketch, one.sketch) <= ALIKE
