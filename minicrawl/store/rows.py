"""Rows of the store's tables, with the column names of schema.sql."""

from collections.abc import Mapping
from typing import Any, NamedTuple  # Any: rows

MetaValue = int | float | str | None
Blob = bytes
"""For rows that have a column of that name."""


class Account(NamedTuple):
    """A page's entry in the book: the part of its row that changes without a fetch."""

    depth: int
    inlinks: int
    visited: bool
    cash: int
    forwarded: int
    history: float
    clock: float
    chain_length: int


CREDITED_COLUMNS = ("depth", "inlinks", "cash")
"""The part of an Account that a link to the page changes."""


class AccountColumns(NamedTuple):
    """Accounts of some pages, all fields or some: by field name the values, one per page."""

    id: list[int]
    values: Mapping[str, list[Any]]


class NewPage(NamedTuple):
    id: int
    url: str
    host: int
    found_on: int | None
    reason: str


class Fetch(NamedTuple):
    """The answer to a page's turn."""

    status: int
    fetched_at: float
    seconds: float
    bytes: int
    content_type: str | None
    title: str | None
    canonical: str | None = None
    robots: str | None = None
    hreflang: str | None = None
    validators: Blob | None = None
    on_use: str | None = None


class Turn(NamedTuple):
    """The outcome of a page's turn, with or without a fetch."""

    id: int
    state: str
    reason: str
    attempts: int
    fetch: Fetch | None


class Retry(NamedTuple):
    """A failed turn; the page waits for another."""

    id: int
    attempts: int
    reason: str


class PageColumns(NamedTuple):
    """Pages as columns: each field is an array (`state`: a tuple) with a value per page, `account` one per field."""

    id: Any
    host: Any
    state: tuple[str, ...]
    attempts: Any
    is_answered: Any
    """True if the page's last turn was answered."""
    account: Any

    def are(self, state: str) -> list[bool]:
        """True for each page in the state."""
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
    """A row of `refused`; `too_deep` and `malformed` as JSON."""

    source: int
    leads_to: str | None
    too_deep: str | None
    malformed: str | None = None


class Restated(NamedTuple):
    """A page whose state has changed since its last turn."""

    id: int
    state: str
    reason: str


class LastTurn(NamedTuple):
    """The outcome of a page's last turn."""

    reason: str
    title: str | None


class LastAnswer(NamedTuple):
    """The last answer of a page, but for those that said it was unchanged. validators: packed."""

    fetched_at: float
    validators: bytes | None


class PageTurn(NamedTuple):
    """A page's last turn: its answer, if any, and clock; and the page that made the page known."""

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
    """A row of `robots`."""

    origin: str
    status: int | None
    reason: str | None
    body: bytes
    fetched_at: float
    expires: float
    attempts: int


class Fingerprint(NamedTuple):
    """The fingerprint of a page's content: a part of its row of `fetches`."""

    page: int
    digest: int
    payload: int
    sketch: bytes | None
    leader: int | None
    distance: int | None


class FingerprintColumns(NamedTuple):
    """Fingerprints of some pages: each field is an array with a value per page."""

    page: Any
    payload: Any
    sketch: Any
    """Shape (n, 5), 64 bits each; 0 where there is none."""
    leads: Any
    """True if the page has a sketch and duplicates no earlier page."""


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


class PatternRow(NamedTuple):
    """A row of `patterns`."""

    name: str
    parsed: int
    repeated: int
    last: int
    fruitful: int
    combined: int
    dropped: int
    trap: str | None
    seen: str | None
    counting: str | None


class ParameterRow(NamedTuple):
    """A row of `parameters`; `signs` as JSON."""

    pattern: str
    name: str
    verdict: str
    probes: int
    signs: str


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


class FactsRow(NamedTuple):
    """A row of `page_facts`; see minicrawl.model.PageFacts."""

    page: int
    description: str | None
    language: str | None
    h1s: int
    without_alt: int
    mixed: str | None


class RequisiteRow(NamedTuple):
    """A row of `requisites`, without its number."""

    url: str
    page: int
    kind: str
    level: int
    state: str
    reason: str
    status: int | None = None
    bytes: int = 0
    asked_at: float | None = None


class ListedUrl(NamedTuple):
    """A row of `sitemap_urls`."""

    host: int
    id: int
    url: str
    sitemap: int


class RankedPage(NamedTuple):
    """A row of the view `ranks`."""

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
    blocks: bytes = b""
    answers: str = ""
    importance: float = 0.0
    lastmod: float | None = None
    doubt: int = 0


class TextRow(NamedTuple):
    """A row of `texts`."""

    page: int
    start: int
    size: int


class TextVersion(NamedTuple):
    """A row of `text_versions`."""

    page: int
    at: float
    start: int
    size: int


class RefreshColumns(NamedTuple):
    """A part of `refresh`: each field is an array with a value per page."""

    page: Any
    fetched_at: Any
    due: Any
    rate: Any


class RefreshHost(NamedTuple):
    """A row of `refresh_hosts`."""

    host: int
    doubt: int = 0
    dates: int = 0
    lastmods: int = 0


class GroupRate(NamedTuple):
    """A row of `group_rates`."""

    host: int
    folder: str
    rate: float
    information: float
    fetched_twice: float


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


class Interest(NamedTuple):
    """A page that links gave more of the user's interest than its URL does: the factor by the topic."""

    page: int
    topic: float


class Alternate(NamedTuple):
    """A page, and the first page that named it as its alternate."""

    page: int
    named_by: int
