"""The rows that a batch of visits writes, in the words of schema.sql."""

from typing import Any, NamedTuple

MetaValue = int | float | str | None


class Account(NamedTuple):
    """What both books say of a page: the part of its row that changes without a fetch."""

    depth: int
    inlinks: int
    is_read: bool
    cash: int
    history: float
    clock: float
    received: int
    forwarded: int
    birth: int
    walkers: float
    hops: int


ACCOUNT_COLUMNS = ", ".join(Account._fields)


class NewPage(NamedTuple):
    id: int
    url: str
    host: int
    found_on: int | None
    reason: str


class Turn(NamedTuple):
    """What a page's turn led to, be it a fetch or not."""

    id: int
    state: str
    reason: str
    attempts: int
    status: int | None
    fetched_at: float | None
    seconds: float | None
    bytes: int | None
    content_type: str | None
    title: str | None
    measures: str | None


class Retry(NamedTuple):
    """A turn that came to nothing; the page waits for another."""

    id: int
    attempts: int
    reason: str


class PageColumns(NamedTuple):
    """Pages as columns: in each field one tuple with a value per page, `account` has one tuple per field."""

    id: tuple[int, ...]
    host: tuple[int, ...]
    state: tuple[str, ...]
    attempts: tuple[int, ...]
    measures: tuple[str | None, ...]
    account: Any


class Links(NamedTuple):
    source: int
    targets: bytes
    nofollow: int
    refused: int
    own: bytes | None = None


class Restated(NamedTuple):
    """A page that is in another state than its last turn left it in."""

    id: int
    state: str
    reason: str


class Told(NamedTuple):
    """What came of a page's turn, in words."""

    reason: str
    title: str | None


class HostRow(NamedTuple):
    id: int
    name: str
    crawl_delay: float
    next_at: float


class RobotsRow(NamedTuple):
    origin: str
    status: int | None
    reason: str | None
    body: bytes
    fetched_at: float
    expires: float
    attempts: int


class Fingerprint(NamedTuple):
    """A row of `fingerprints`."""

    page: int
    payload: int
    simhash: int | None
    leader: int | None
    distance: int | None


class Probe(NamedTuple):
    """A row of `probes`."""

    folder: str
    url: str
    asked_at: float
    verdict: str
    status: int | None
    digest: int | None
    payload: int | None
    simhash: int | None
    title: str | None


class PatternRow(NamedTuple):
    """A row of `patterns`."""

    name: str
    known: int
    read: int
    repeated: int
    last: int
    fruitful: int
    combined: int
    dropped: int
    seen: str | None
    trap: str | None


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
