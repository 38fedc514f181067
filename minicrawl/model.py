"""The frozen values that travel between the stages of a crawl. Page numbers are ints, times are Unix seconds."""

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import NamedTuple


class RecordKind(StrEnum):
    """What the archive has of an answer."""

    RESPONSE = "response"
    """All of it."""
    REVISIT = "revisit"
    """Its head; the body is that of an earlier record."""
    NOT_MODIFIED = "not-modified"
    """Its head, a 304; the page is as in an earlier record."""


class ArchiveRecord(NamedTuple):
    """An answer that is in the archive.

    `at`: its date, in Unix seconds. `file`: the name of the file; `start`, `length`: where the answer stands there, in
    bytes; `end`: where its request ends, behind it. `digest`: SHA-1 of the body, as sent but without transfer coding.
    """

    url: str
    at: float
    file: str
    start: int
    length: int
    end: int
    digest: bytes
    kind: str
    status: int
    media_type: str


class State(StrEnum):
    """Where a known URL stands. Exactly one, always; `reason` beside it says why."""

    WAITING = "waiting"
    """Never read; in the frontier."""
    FETCHED = "fetched"
    """Read; its links are known."""
    ALIAS = "alias"
    """Read; it only stands for another page (redirect, meta refresh, rel=canonical)."""
    ERROR = "error"
    """Tried, and given up."""
    DISALLOWED = "disallowed"
    """robots.txt forbids it; never fetched."""
    GONE = "gone"
    """Was read once, and is no more."""
    ELSEWHERE = "elsewhere"
    """Another partition of the crawl has it; here is only what links from here bring it."""


READ = frozenset({State.FETCHED, State.ALIAS})
"""States of pages that were read: an answer came and was taken in. All other pages are not collected."""


class PageRequest(NamedTuple):
    """A URL that is asked for.

    `etag`, `last_modified`: as the `Fetched` of the last answer has them; with either, the server is to answer only if
    the page has changed since (RFC 9110 13.1). `headers`: names and values of further fields for this host, in place of
    those of the same name. `archives`: whether the archive is to have the answer, if there is an archive.
    """

    url: str
    etag: str | None = None
    last_modified: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    archives: bool = True

    @property
    def is_conditional(self) -> bool:
        return self.etag is not None or self.last_modified is not None


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came back for one URL: a response, or (`reason` set, `status` None) why there is none.

    `seconds`: what it took in all; `waited`: from when the request left to when the answer was there, 0 where none did.
    `link`: the value of its header fields Link. `size`: body bytes that crossed the network. `body`: after content
    decoding, cut or damaged where `truncated`; empty when the content type is nothing we parse. `content_type`: as the
    header says, or the body looks like. `etag`, `last_modified`: the validators of the answer, a character for each
    byte, for a `PageRequest`; `not_modified`: the page is as it was when it sent the validators it was asked with.
    `digest`, `payload`, `wording`, `sketch`: what the body can be told by, see
    minicrawl.crawler.html.fingerprint; None when there is none. `words`: see minicrawl.crawler.html.fingerprint.
    `record`: where it is in the archive, if it is. `set_cookies`: the values of its header fields Set-Cookie, a
    character for each byte, where cookies are taken.
    """

    url: str
    status: int | None = None
    body: bytes = b""
    content_type: str | None = None
    location: str | None = None
    robots_tag: str | None = None
    link: str | None = None
    retry_after: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    not_modified: bool = False
    size: int = 0
    seconds: float = 0.0
    waited: float = 0.0
    truncated: bool = False
    reason: str | None = None
    digest: int | None = None
    payload: int | None = None
    sketch: bytes | None = None
    wording: int | None = None
    words: bytes = b""
    record: ArchiveRecord | None = None
    set_cookies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Located:
    """The IP address that requests for a URL go to, or (`reason` set) why there is none."""

    address: str = ""
    reason: str | None = None


class Place(IntEnum):
    """Where on its page a link stands: in its content, or in what frames the page. The best comes first."""

    TEXT = 0
    """Beside words."""
    LIST = 1
    """In a list or a table of the content, or alone."""
    NAVIGATION = 2
    """In what frames the page: a menu, a header, a footer, a column beside the content."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is gathered of a page beside its links, title and directives. Each takes time: see docs and `ParsedPage`.

    `anchors`: the texts of links; `places`: where links stand; `text`: headings and visible text; `blocks`: by which to
    tell what has changed; `about`: description, language and first heading; `kept`: what the store keeps of the text.
    `extract`, `extract_rules`, `hooks`, `structured`: what users take out of it, see minicrawl.extract; `hook_timeout`:
    seconds of one call of a hook. `words`: those by which pages that do not exist are known, see
    minicrawl.crawler.html.fingerprint.
    """

    anchors: bool = False
    places: bool = False
    text: bool = False
    blocks: bool = False
    about: bool = False
    kept: bool = False
    extract: tuple[str, ...] = ()
    extract_rules: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    structured: bool = False
    hook_timeout: float = 60.0
    words: bool = True

    @property
    def items(self) -> bool:
        """Whether selectors take something out of it for users."""
        return bool(self.extract or self.extract_rules or self.structured)


class AlternateLink(NamedTuple):
    """The same page in a language, as a tag of RFC 5646 names it, or "x-default" for those of no other language."""

    language: str
    url: str


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """What an HTML page says. What was not wanted is empty.

    `outlinks`: distinct normalised http(s) URLs in document order, those a robot may count; `anchors`: the
    text of the first link to each, "" where texts are not wanted; `places`: the best place of a link to each, a byte
    that `Place` names. `nofollow`: number of distinct targets that only uncounted links point to.
    `canonicals`: the distinct normalised URLs that link elements in its head, or its header Link, give as canonical.
    `alternates`: those that its head gives as the same in another language or for another medium; `hreflang`: those
    with a language, one as often as its head gives it.
    `refresh`: the normalised URL to which it sends its reader, or None.
    `follow`, `index`, `archive`: False when the page's robots directives say nofollow, noindex or noarchive.
    `truncated`: there are more links than are read. `description`, `language`: as its meta element and its html
    element say; `h1`: its first heading. `headings`: all of h1 to h3; `text`: all that it shows, a paragraph, heading,
    item or cell each, headings included. `blocks`: by which to tell what has changed, see
    minicrawl.crawler.html.page_text. `kept`: a record of minicrawl.store.texts.marked_text; none of a page that forbids
    copies. `items`: what users took out of it, JSON objects; `hook_failures`: which of their hooks failed over it, and
    how; `refused`: links that a hook left out.
    """

    outlinks: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    places: bytes = b""
    nofollow: int = 0
    title: str | None = None
    canonicals: tuple[str, ...] = ()
    alternates: tuple[str, ...] = ()
    hreflang: tuple[AlternateLink, ...] = ()
    refresh: str | None = None
    follow: bool = True
    index: bool = True
    archive: bool = True
    truncated: bool = False
    description: str | None = None
    language: str | None = None
    h1: str | None = None
    headings: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    blocks: bytes = b""
    kept: bytes = b""
    items: tuple[str, ...] = ()
    hook_failures: tuple[tuple[str, str], ...] = ()
    refused: int = 0

    @property
    def canonical(self) -> str | None:
        """The URL this page says to stand for; None also when it names two (RFC 6596 allows for one)."""
        return self.canonicals[0] if len(self.canonicals) == 1 else None


@dataclass(frozen=True, slots=True)
class SitemapAnswer:
    """What came back for a sitemap, without its URLs. `reason`: how it was read, see crawler/sitemaps/reading.py;
    `found`: number of URLs in it, good or bad.
    """

    fetched: Fetched
    reason: str = "not-a-sitemap"
    found: int = 0


@dataclass(frozen=True, slots=True)
class CrawlReport:
    """How a crawl ended.

    `reason`: why it stopped, one of "nothing-left", "pages", "time", "bytes", "coverage", "interrupted".
    `fetched`: requests for pages this run made that got an answer; `read`, `known`: pages of the store; `left_out`:
    links of its read pages that a scope, a filter or a trap left out. `coverage`: see `minicrawl.opic.coverage`.
    `error`: certified L1 bound of the ranking for the known graph. `failures`: pages given up in this run, by reason
    code; `unanswered`: requests for whatever that got no usable answer. `out_of_reach`: by reason code the share of the
    importance that pages have at most that could not be read, where nothing was left before the coverage that was asked
    for; else None.
    """

    reason: str
    fetched: int
    bytes: int
    seconds: float
    known: int
    read: int
    coverage: float
    error: float
    failures: dict[str, int]
    left_out: int = 0
    unanswered: dict[str, int] = field(default_factory=dict)
    out_of_reach: dict[str, float] | None = None

    def cause(self) -> str | None:
        """The reason code that tells most of why nothing was fetched; None where something was, or nothing failed."""
        failures = self.failures or self.unanswered
        return None if self.fetched else max(failures, key=lambda reason: failures[reason], default=None)


@dataclass(frozen=True, slots=True)
class GraphCounts:
    """The crawled web in numbers, when `read` pages had been read, aliases counted as pages with one link.

    `links`: counted ones; `dangling`: read pages without any. `most_inlinks`: of one page. `components`: strong ones
    of all known pages; `core`: pages in the largest.
    """

    read: int
    links: int
    dangling: int
    most_inlinks: int
    components: int
    core: int


@dataclass(frozen=True, slots=True)
class Silence:
    """Nobody answers since then (Unix seconds); between two tries there are that many seconds."""

    since: float
    pause: float


class LimitsNow(NamedTuple):
    """The limits of a run that goes on, None where there is none: see the settings of these names."""

    pages: int | None = None
    time: float | None = None
    bytes: int | None = None
    until_coverage: float | None = None


class RunState(StrEnum):
    """What a running crawl does."""

    STARTING = "starting"
    """It takes in the seeds."""
    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"
    """It makes no more requests, and finishes those in flight; then it settles the ranking."""
    ENDED = "ended"


class InFlightNow(NamedTuple):
    """A request in flight. `seconds`: since it began; or since its answer waits for what `waits_for` names."""

    url: str
    seconds: float
    waits_for: str | None = None


class CameNow(NamedTuple):
    """What came of a request for a page: a status, or the reason why there is none."""

    url: str
    status: int | None
    reason: str | None


class HostWait(NamedTuple):
    """A host that has pages and must not be asked before `until` (Unix seconds).

    `why`: "delay", the usual one; "crawl-delay", its robots.txt asks for it; "slow", its answers take long; "failures",
    `failures` of them in a row; "rest", it has asked for a rest; "address", the delay of its IP address. `delay`:
    seconds between two requests to it.
    """

    host: str
    until: float
    why: str
    delay: float
    failures: int = 0


class Sums(NamedTuple):
    """What runs of a crawl have done together. `seconds`: pauses left out."""

    runs: int = 0
    fetched: int = 0
    bytes: int = 0
    seconds: float = 0.0


NO_LIMITS, NOTHING_YET = LimitsNow(), Sums()


@dataclass(frozen=True, slots=True)
class Progress:
    """A running crawl at one moment, for the display and `status`.

    `never_read`: known pages that were not read, be it that they are forbidden or failed. `left_out`: as in
    `CrawlReport`. `errors`: final failures of this run by reason code; `given_up`: pages given up in all runs, as of
    the last commit. `clock`: cash spent so far, in turnovers of the cash in the pages' hands. `graph`: the crawled web
    as of a while ago; None while the crawl is small. `silence`: None unless nobody answers. `state`, `reason`: as in
    `RunStatus`. `earlier`: the runs before this one. `pages_per_second`, `bytes_per_second`: of the last half minute.
    `requests`: in flight, the oldest first, some of them; `waits`: hosts that wait the longest, some; `came`: what came
    last, the newest first.
    """

    seconds: float
    fetched: int
    bytes: int
    known: int
    never_read: int
    hosts_ready: int
    hosts_waiting: int
    in_flight: int
    clock: float
    coverage: float
    errors: dict[str, int]
    left_out: int = 0
    graph: GraphCounts | None = None
    silence: Silence | None = None
    state: RunState = RunState.RUNNING
    reason: str | None = None
    limits: LimitsNow = NO_LIMITS
    earlier: Sums = NOTHING_YET
    given_up: dict[str, int] = field(default_factory=dict)
    pages_per_second: float = 0.0
    bytes_per_second: float = 0.0
    requests: tuple[InFlightNow, ...] = ()
    waits: tuple[HostWait, ...] = ()
    came: tuple[CameNow, ...] = ()


class HostNow(NamedTuple):
    """What a host of a running crawl does.

    `doing`: "asked", requests to it are in flight; "opening", its address or its robots.txt is asked for; "ready", it
    may be asked; "waiting", as in `HostWait`; "banned"; "idle", none of its pages waits. `until`, `why`: of one that
    waits. `delay`: seconds between two requests to it; `failures`: in a row.
    """

    host: str
    doing: str
    until: float | None
    why: str | None
    delay: float
    failures: int


class CoursePoint(NamedTuple):
    """A crawl as it stood at a moment of its course.

    `seconds`: of crawling by then, in all runs, pauses left out; `fetched`, `bytes`: answers for pages in them, and
    bytes of their bodies. `known`, `read`, `given_up`: pages, the last ones failed or forbidden. `coverage`: as in
    `Progress`.
    """

    seconds: float
    at: float
    fetched: int
    bytes: int
    known: int
    read: int
    given_up: int
    coverage: float


@dataclass(frozen=True, slots=True)
class RunLook:
    """A running crawl between two answers, in more detail, but without a look at every page.

    `coverage`, `errors`, `silence`, `earlier`: as in `Progress`. `requests`: in flight, the oldest first, some of them.
    `hosts`: some of them, those that are asked or wait first; `doing`: how many hosts do what; both are empty where no
    hosts were asked for. `statuses`, `latencies`: answers of this run by class of status and by time taken, see
    minicrawl/crawler/loop/measurements.py; `latency`: seconds of all of them. `took`: seconds that went into the look.
    """

    coverage: float
    errors: dict[str, int]
    silence: Silence | None
    earlier: Sums
    requests: tuple[InFlightNow, ...]
    hosts: tuple[HostNow, ...]
    doing: dict[str, int]
    statuses: dict[str, int]
    latencies: dict[str, int]
    latency: float
    took: float


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """A worker process at one moment.

    `number`: which worker it is; one that is replaced leaves its number to the next. `doing`: "starting", "idle",
    "fetching", or "leaving" for one that gets no more requests; `since`: when it began to, in Unix seconds.
    `in_flight`: requests it has to answer. `pages`, `bytes`: answers for pages so far, and bytes of their bodies.
    `cpu`: seconds that it had used at its last beat. `memory`: bytes that it has, where the system tells.
    """

    number: int
    pid: int
    doing: str
    since: float
    in_flight: int
    pages: int
    bytes: int
    cpu: float
    memory: int | None


@dataclass(frozen=True, slots=True)
class RunStatus:
    """A running crawl at one moment, as far as that can be told at once.

    `reason`: why it stops or has ended, as in `CrawlReport`. `fetched`, `bytes`, `seconds`: of this run, pauses left
    out. `in_flight`: hosts that are being asked; `waits_for`: how many pages have come and wait, by what for: "parser",
    the process for large pages, or "hooks". `workers`: the worker processes; none where this process fetches.
    """

    state: RunState
    reason: str | None
    fetched: int
    bytes: int
    seconds: float
    known: int
    read: int
    in_flight: int
    waits_for: dict[str, int]
    workers: tuple[WorkerStatus, ...]
    limits: LimitsNow
    banned: tuple[str, ...]
