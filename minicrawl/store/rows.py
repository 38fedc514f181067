"""The rows that a batch of visits writes, in the words of schema.sql."""

from collections.abc import Mapping
from typing import Any, NamedTuple  # Any: rows

MetaValue = int | float | str | None


class Account(NamedTuple):
    """What both books say of a page: the part of its row that changes without a fetch."""

    depth: int
    inlinks: int
    visited: bool
    standing: int
    history: float
    clock: float
    received: int
    forwarded: int
    chain_length: int


ACCOUNT_COLUMNS = ", ".join(Account._fields)
CREDITED_COLUMNS = ("depth", "inlinks", "standing", "received")
"""The part of an Account that a link to the page changes."""


class AccountColumns(NamedTuple):
    """Accounts of some pages, or a part of them: by the name of a field the list of its values, one per page."""

    id: list[int]
    values: Mapping[str, list[Any]]


class NewPage(NamedTuple):
    id: int
    url: str
    host: int
    found_on: int | None
    reason: str


class Fetch(NamedTuple):
    """What a page's turn was answered."""

    status: int
    fetched_at: float
    seconds: float
    bytes: int
    content_type: str | None
    title: str | None
    canonical: str | None = None
    robots: str | None = None
    hreflang: str | None = None


class Turn(NamedTuple):
    """What a page's turn led to, be it a fetch or not."""

    id: int
    state: str
    reason: str
    attempts: int
    measures: str | None
    fetch: Fetch | None


class Retry(NamedTuple):
    """A turn that came to nothing; the page waits for another."""

    id: int
    attempts: int
    reason: str


class PageColumns(NamedTuple):
    """Pages as columns: in each field an array (`state`: a tuple) with a value per page, in `account` one per field."""

    id: Any
    host: Any
    state: tuple[str, ...]
    attempts: Any
    is_answered: Any
    """Whether its last turn was."""
    account: Any

    def are(self, state: str) -> list[bool]:
        """Which of the pages are in a state."""
        return list(map(state.__eq__, self.state))


class Links(NamedTuple):
    """A row of `links`. `places`: of the targets, `own_places`: of `own`, see minicrawl.store.links."""

    source: int
    targets: bytes
    nofollow: int
    refused: int
    own: bytes | None = None
    places: bytes | None = None
    own_places: bytes | None = None


class Refused(NamedTuple):
    """A row of `refused`; `too_deep` as JSON."""

    source: int
    leads_to: str | None
    too_deep: str | None


class Restated(NamedTuple):
    """A page that is in another state than its last turn left it in."""

    id: int
    state: str
    reason: str


class LastTurn(NamedTuple):
    """What came of the last turn of a page."""

    reason: str
    title: str | None


class PageTurn(NamedTuple):
    """Of a page: the answer to its last turn, if there was one, and what tells when that was; who made it known."""

    fetch: int | None
    clock: float
    found_on: int | None
    state: str
    visited: int


class HostRow(NamedTuple):
    id: int
    name: str
    crawl_delay: float
    next_fetch: float
    seconds: float = 0.0
    backoff: float = 0.0
    strains: int = 0
    dead_until: float = 0.0
    rests_until: float = 0.0


class RobotsRow(NamedTuple):
    origin: str
    status: int | None
    reason: str | None
    body: bytes
    fetched_at: float
    expires: float
    attempts: int


class Fingerprint(NamedTuple):
    """What a page can be told by: a part of its row of `fetches`."""

    page: int
    digest: int
    payload: int
    sketch: bytes | None
    leader: int | None
    distance: int | None


class FingerprintColumns(NamedTuple):
    """Fingerprints of some pages: in each field an array with a value per page."""

    page: Any
    payload: Any
    is_first: Any
    """Whether the page was the first with its bytes."""
    sketch: Any
    """Shape (n, 5), 64 bits each; 0 where there is none."""
    leads: Any
    """Whether the page has a sketch and was the first that said what it says."""


class Probe(NamedTuple):
    """A row of `probes`."""

    folder: str
    url: str
    asked_at: float
    verdict: str
    status: int | None
    digest: int | None
    asked: int
    words: bytes | None
    varies: int
    numbers: int
    echoes: bool
    is_there: bool
    matched: bytes | None
    others: bytes | None


class RecentPage(NamedTuple):
    """A row of `recent_pages`."""

    id: int
    page: int
    digest: int | None
    words: bytes
    is_there: bool
    anchor: str


class PatternRow(NamedTuple):
    """A row of `patterns`."""

    name: str
    admitted: int
    parsed: int
    repeated: int
    last: int
    fruitful: int
    combined: int
    dropped: int
    seen: str | None
    trap: str | None
    counting: str | None = None


class ParameterRow(NamedTuple):
    """A row of `parameters`; `signs` as JSON."""

    pattern: str
    name: str
    verdict: str
    probes: int
    signs: str


class DomainRow(NamedTuple):
    """A row of `domains`."""

    id: int
    name: str
    address: str | None


class LinkerRow(NamedTuple):
    """A row of `linkers`."""

    domain: int
    bit: int


class SitemapRow(NamedTuple):
    """A row of `sitemaps`."""

    id: int
    host: int
    url: str
    page: int
    nesting: int
    reason: str
    attempts: int = 0
    status: int | None = None
    asked_at: float | None = None
    found: int = 0
    queued: int = 0
    made_known: int = 0


class ListedUrl(NamedTuple):
    """A row of `sitemap_urls`."""

    host: int
    id: int
    url: str
    sitemap: int


class RankedPage(NamedTuple):
    """A row of the view `ranks`. expected: None of a page that was not known when it was last worked out."""

    rank: int
    url: str
    importance: float
    history: float
    cash: int
    depth: int
    status: int | None
    inlinks: int
    outlinks: int | None
    fetched_at: float | None
    title: str | None
    state: str
    reason: str
    expected: float | None = None


class ExpectedSite(NamedTuple):
    """A row of `expected_sites`."""

    owner: str
    visited: int
    unvisited: int
    sends: float


class ExpectedOf(NamedTuple):
    """What expected importance rests on, as of when it was worked out.

    visited: pages that had had their turn; read, known: pages. coverage: what the read pages have of all. stays: how
    many of the first hundred are likely to be among them in the end, as a share; None: that was not looked at.
    """

    visited: int
    read: int
    known: int
    coverage: float
    stays: float | None


class RefreshRow(NamedTuple):
    """A row of `refresh`."""

    page: int
    fetched_at: float
    due: float
    rate: float
    information: float = 0.0
    fetches: int = 0
    changes: int = 0
    changed_at: float | None = None
    etag: str | None = None
    last_modified: str | None = None
    blocks: bytes = b""
    answers: str = ""
    importance: float = 0.0
    lastmod: float | None = None


class TextRow(NamedTuple):
    """A row of `texts`."""

    page: int
    start: int
    size: int


class RefreshColumns(NamedTuple):
    """A part of `refresh`: in each field an array with a value per page."""

    page: Any
    fetched_at: Any
    due: Any
    rate: Any


class RefreshHost(NamedTuple):
    """A row of `refresh_hosts`."""

    host: int
    price: float
    median: float = 0.0
    learned: int = 0
    lies: int = 0
    dates: int = 0
    lastmods: int = 0


class NotedImportance(NamedTuple):
    """A row of `importances`."""

    page: int
    at: float
    importance: float


class Change(NamedTuple):
    """A row of `changes`."""

    page: int
    at: float
    what: str
    added: int
    removed: int


class Alternate(NamedTuple):
    """A page, and the page that was the first to give it as its alternate."""

    page: int
    named_by: int
