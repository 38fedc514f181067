"""Decide whether to believe a page's rel=canonical.

A page may name a canonical URL under another path and yet differ from it: a print version, a part of a series. But a
broken template may name one URL, mostly the home page, on every page of a site; if believed, the whole site would be
one page. So a canonical URL is refuted once DIFFERENT pages under other paths have named it whose contents differ from
its own and from one another; from then on, pages that differ from it in this way stand for themselves. A page that
differs in the query only, or has the same content, is believed as before.

Claims are kept in memory for the MOST_NAMED canonical URLs named last. Another one's are read from the store again when
it is next named.
"""

from collections import OrderedDict
from collections.abc import Iterable
from typing import NamedTuple

from minicrawl.crawler.html.fingerprint import distance
from minicrawl.crawler.recognise.duplicates import ALIKE
from minicrawl.model import Fetched
from minicrawl.store.recognised import Fingerprint

DIFFERENT = 5
MOST_NAMED = 4_096
"""Canonical URLs whose claims are in memory: 6 MB at most."""
MOST_REFUTED = 4_096
"""Canonical URLs that stay refuted, the last ones: an earlier one must be refuted by DIFFERENT more pages."""


class Content(NamedTuple):
    """The content of a page, as in its fingerprint."""

    digest: int | None
    payload: int | None
    sketch: bytes | None


class Claim(NamedTuple):
    """A page that names another as canonical, and its content."""

    page: int
    url: str
    content: Fetched | Fingerprint | Content


class Canonicals:
    """Refuted canonical URLs, and the claims on others. refuted: those in the store."""

    def __init__(self, refuted: Iterable[str]) -> None:
        self._refuted = dict.fromkeys(refuted)  # in order of refutation
        self._is_changed = False
        self._different: OrderedDict[str, list[Claim]] = OrderedDict()

    def is_refuted(self, canonical: str) -> bool:
        return canonical in self._refuted

    def is_new(self, canonical: str) -> bool:
        """True if no claims on this URL are in memory; earlier ones must be added from the store then."""
        return canonical not in self._refuted and canonical not in self._different

    def take_refuted(self) -> list[str] | None:
        """Return the refuted canonical URLs, if they have changed since the last call."""
        if not self._is_changed:
            return None
        self._is_changed = False
        return list(self._refuted)

    def add_claims(self, canonical: str, claims: Iterable[Claim], there: Fingerprint | None) -> list[int]:
        """Note pages that name `canonical`, whose fingerprint is `there` if it was read.

        Returns all differing pages so far in the call that refutes it, else none.
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
    """True if a page is under another path than its canonical URL and is known to differ from it."""
    if claim.content.digest is None or claim.url.partition("?")[0] == canonical.partition("?")[0]:
        return False
    return there is None or not have_same_content(claim.content, there)


def have_same_content(one: Fetched | Fingerprint | Content, other: Fetched | Fingerprint | Content) -> bool:
    """True if two pages have the same content, or nearly."""
    if other.digest is not None and other.digest == one.digest:
        return True
    if other.payload is not None and other.payload == one.payload:
        return True
    if other.sketch is None or one.sketch is None:
        return False
    return distance(other.sketch, one.sketch) <= ALIKE
