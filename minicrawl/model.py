"""Frozen values passed between the stages of a crawl. Page numbers are ints, times are Unix seconds."""

import re
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Annotated, NamedTuple, TypedDict

from msgspec import Struct


class RecordKind(StrEnum):
    """The part of an answer that the archive has."""

    RESPONSE = "response"
    """The whole answer."""
    REVISIT = "revisit"
    """The head; the body is in an earlier record."""
    NOT_MODIFIED = "not-modified"
    """The head, a 304; the page is in an earlier record."""
    RESOURCE = "resource"
    """No answer, but made of one: a body without a head, such as a screenshot."""


class Exchange(NamedTuple):
    """A request and its response. A named tuple, because it is built for every request, in a third of a dataclass's
    time.

    `request`: as sent. `head`: status line, fields and empty line as received; `status`, `fields`: the same parsed,
    fields in order, values stripped. `body`: as received, without transfer coding but with content coding. `peer`:
    address and port of the server or proxy, None without a connection. `asked_at`: Unix seconds when the request was
    sent; `seconds`: from then to the last byte. `truncated`: the reason if the body is not complete, in the terms of
    WARC 1.1. `protocol`: its identifier; over HTTP/2 ("h2"), `request` and `head` are those of HTTP/1.1 with the same
    meaning.
    """

    url: str
    request: bytes
    head: bytes
    status: int
    fields: tuple[tuple[bytes, bytes], ...]
    body: bytes
    peer: str | None
    asked_at: float
    seconds: float
    truncated: str | None
    protocol: str = "http/1.1"


class ArchiveRecord(NamedTuple):
    """An answer in the archive: a row of the table `records`."""

    url: Annotated[str | None, "NULL: that of the page"]
    at: Annotated[float, "Unix seconds", "the request left then"]
    file: Annotated[str, "its name"]
    start: Annotated[int, "of the record, in bytes"]
    length: int
    until: Annotated[int, "end of the record of the request behind it"]
    digest: Annotated[bytes, "SHA-1 of the body as it was sent, without transfer coding"]
    kind: Annotated[str, "response revisit not-modified resource"]
    status: Annotated[int, "HTTP status"]
    media_type: str
    page: Annotated[int | None, "pages.id", "NULL: a robots.txt, a sitemap, a probe, a page's part"] = None


class State(StrEnum):
    """State of a known URL, always exactly one. `reason` beside it says why."""

    WAITING = "waiting"
    """Never read; in the frontier."""
    FETCHED = "fetched"
    """Read; its links are known."""
    ALIAS = "alias"
    """Read; only another name of a page (redirect, meta refresh, rel=canonical)."""
    ERROR = "error"
    """Tried, and given up."""
    DISALLOWED = "disallowed"
    """robots.txt forbids it; never fetched."""
    GONE = "gone"
    """Was read once, and no longer exists."""
    ELSEWHERE = "elsewhere"
    """In another partition of the crawl; only the cash that links from here bring it is kept."""


READ = frozenset({State.FETCHED, State.ALIAS})
"""States of pages that were read: an answer was received and processed. All other pages are not collected."""


class RequisiteKind(StrEnum):
    """How a requisite is read."""

    STYLE = "style"
    """A style sheet."""
    FRAME = "frame"
    """A document inside the page; read if it is HTML."""
    FILE = "file"
    """A script, a picture, a font: anything that is not read."""


class Rendering(NamedTuple):
    """Which pages with scripts --render auto renders. shells: those that show next to nothing without. others: all
    others, but for those with `spared` sets of scripts, see `PageScripts`. scrolls: to their ends. routes: links to
    routes of the host lead to pages, as one has shown."""

    shells: bool = True
    others: bool = False
    scrolls: bool = True
    spared: frozenset[int] = frozenset()
    routes: bool = False


OF_SHELLS = Rendering()


class PageScripts(NamedTuple):
    """The scripts of a page, and what they have added to it. files: a number for them all. was_shell: it shows next to
    nothing without. seconds: that rendering it took; None: it was not rendered. runs: hashes of the runs of three words
    that they add, 4 bytes each; words: all that it shows with them; links: those that they add; scrolled: the number of
    those that scrolling has brought. posts: their requests by POST, which have no answer."""

    files: int
    was_shell: bool
    seconds: float | None = None
    runs: bytes = b""
    words: int = 0
    links: tuple[str, ...] = ()
    scrolled: int = 0
    posts: int = 0


class PageRequest(NamedTuple):
    """A request for a URL.

    `etag`, `last_modified`: of the last answer's `Fetched`; either makes the request conditional on the page having
    changed since (RFC 9110 13.1). `headers`: names and values of further fields for this host, in place of those of
    the same name. `blocks`, `hashes`, `lines`: True to gather these, where those of all pages are not wanted. `view`:
    selectors of what is compared of the page, as `Wanted.extract`; empty: its text and structured data, also if it
    forbids copies; None: it is not watched. `requisite`: a kind, where the URL is a requisite's and not a page's: only
    its own requisites are gathered. `is_led_to`: a redirect leads there, so a field for a password is noted.
    """

    url: str
    etag: str | None = None
    last_modified: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    blocks: bool = False
    hashes: bool = False
    lines: bool = False
    view: tuple[str, ...] | None = None
    requisite: RequisiteKind | None = None
    render: Rendering = OF_SHELLS
    is_led_to: bool = False

    @property
    def is_conditional(self) -> bool:
        return self.etag is not None or self.last_modified is not None


class Fetched(NamedTuple):
    """The outcome of a request: a response, or (`reason` set, `status` None) the reason why there is none.

    `seconds`: duration in all; `waited`: from sending the request to the answer, 0 if none was sent. `link`: the
    value of its header fields Link; `on_use`: its header fields on the use of the page, a line each. `size`: body bytes
    that crossed the network. `body`: after content decoding, cut or damaged where `truncated`, and where `is_cut` by
    its server, or beyond decoding; empty when the content type is not parsed. `content_type`: of the header, or guessed
    from the body.
    `etag`, `last_modified`: the validators of the answer, a character for each byte, for a `PageRequest`;
    `is_conditional`: the request had validators. `digest`, `payload`, `sketch`: fingerprints of the body, see
    minicrawl.web.fingerprint; None without one. `short_text`, `lines`: see there.
    `record`: its place in the archive, if any; `further`: those of all that a Chromium fetched for the page, and of its
    screenshots. `fields`: names, in lower case, and values of the header fields that
    parts of the crawl want.
    `unrendered`: the reason why a page is not all that its scripts make of it, though it was to be rendered, or "".
    `retry_after`: of Retry-After; a date as seconds from the answer's Date.
    """

    url: str
    status: int | None = None
    body: bytes = b""
    content_type: str | None = None
    location: str | None = None
    robots_tag: str | None = None
    on_use: str | None = None
    link: str | None = None
    retry_after: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    is_conditional: bool = False
    size: int = 0
    seconds: float = 0.0
    waited: float = 0.0
    truncated: bool = False
    is_cut: bool = False
    reason: str | None = None
    digest: int | None = None
    payload: int | None = None
    sketch: bytes | None = None
    short_text: bytes | None = None
    lines: bytes | None = None
    record: ArchiveRecord | None = None
    further: tuple[ArchiveRecord, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()
    unrendered: str = ""

    def values(self, name: str) -> list[str]:
        """The values of a header field among `fields`, a character for each byte."""
        return [value for field, value in self.fields if field == name]

    @property
    def is_shown(self) -> bool:
        """True for status 200, and another one with a body that was read as that of a page."""
        return self.status == 200 or self.digest is not None

    @property
    def not_modified(self) -> bool:
        """True if the page is unchanged since the validators of the request."""
        return self.status == 304 and self.is_conditional


class Place(IntEnum):
    """Place of a link on its page: in the content, or in the frame around it. The best comes first."""

    TEXT = 0
    """Beside text."""
    LIST = 1
    """In a list or a table of the content, or alone."""
    NAVIGATION = 2
    """In the frame: a menu, a header, a footer, a column beside the content."""


Located = tuple[str, str | None]
"""The IP address for requests to a URL, and None; or "", and the reason why there is none."""


KINDS = (
    *(
        "title",
        "description",
        "canonical",
        "robots",
        "author",
        "price",
        "availability",
        "link",
        "image",
        "data",
        "text",
    ),
)
"""Kinds of changes of a page, see minicrawl.web.compare.view. data: values of JSON-LD, microdata and og:."""
USES = ("search", "ai-input", "ai-train")
"""Uses of a page that its site may forbid, see docs/usage-preferences.md."""


_PART = re.compile(r"(?P<css>.*?)::(?:text|attr\((?P<attribute>[^()]+)\))", re.DOTALL)


def css_parts(text: str) -> tuple[str, str | None]:
    """A CSS selector, and the attribute that ::attr(NAME) behind it names; None: the text."""
    part = _PART.fullmatch(text)
    return (text, None) if part is None else (part["css"].strip(), part["attribute"] and part["attribute"].strip())


class Wanted(Struct, frozen=True):
    """Parts of a page to gather besides its links, title and directives; each takes time. See docs and `ParsedPage`.

    `anchors`: the texts of links; `places`: their places; `blocks`: hashes of its blocks, to know what a host repeats;
    `hashes`: of its lines, to detect changes; `kept`: the text for the store, `is_view`: of pages that forbid copies,
    too. `extract`, `hooks`, `structured`: the user's extraction, see minicrawl.extract. `short_text`: the text of pages
    that may be soft 404s. `lines`: the lines of pages, packed. `requisites`: URLs of files that the page needs;
    `is_style`: it is a style sheet, not a page. `facts`: facts for an audit. `forms`: what the forms of a page say.
    `routes`: links to #/x are links to pages, see `normalise_route`.
    """

    anchors: bool = False
    places: bool = False
    blocks: bool = False
    hashes: bool = False
    kept: bool = False
    is_view: bool = False
    extract: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    structured: bool = False
    short_text: bool = True
    lines: bool = False
    requisites: bool = False
    is_style: bool = False
    facts: bool = False
    forms: bool = False
    routes: bool = False

    @property
    def items(self) -> bool:
        """True if selectors extract items."""
        return bool(self.extract or self.structured)


class Requisite(NamedTuple):
    """A file that a page needs to look as it does, by its normalised URL."""

    url: str
    kind: RequisiteKind


class PageFacts(NamedTuple):
    """Facts of an HTML page that an audit checks, see minicrawl.web.html.facts.

    `h1`: the first one; `h1s`: number of h1 elements; `without_alt`: of images that are neither named nor hidden.
    `mixed`: http: URLs that an https page loads or sends forms to. `lacking`: properties that Google requires of its
    JSON-LD and that are not there: "Product: name". `parts`: hashes of the names of its parts, eight hexadecimal digits
    each; None of a page that has too many. `to_parts`: URL and name of each link to a part of a page. `canonicals`: the
    first of several. `feeds`, `shared`: URLs of its feeds, and of the pictures that it is shared with (og:image),
    without those that it needs to look as it does. `no_urls`: references of links to what is not of the web, as
    written up to a fragment: "mailto:me@a.test".
    """

    description: str | None = None
    h1: str | None = None
    language: str | None = None
    h1s: int = 0
    without_alt: int = 0
    mixed: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    parts: str | None = ""
    to_parts: tuple[tuple[str, str], ...] = ()
    canonicals: tuple[str, ...] = ()
    feeds: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    no_urls: tuple[str, ...] = ()


class ParsedPage(NamedTuple):
    """The parsed content of an HTML page, or of a document converted into one. Parts that were not wanted are empty.

    `outlinks`: distinct normalised http(s) URLs of counted links, in document order; `anchors`: the text of the first
    link to each, "" where texts are not wanted; `places`: the best `Place` of a link to each, as a byte. `nofollow`:
    number of distinct targets that only uncounted links point to. `malformed`: the first links that were meant as URLs
    of the web, and are none, as written: "http://[bad", "htp://a.test/".
    `canonicals`: distinct normalised URLs declared canonical by link elements in the head, or by the header Link.
    `alternates`: URLs that the head declares as versions in another language or for another medium; `hreflang`: those
    with a language, with repetitions.
    `refresh`: the normalised URL of a meta refresh, or None.
    `follow`, `index`, `archive`: False when the page's robots directives say nofollow, noindex or noarchive;
    `index_by_google`: False when those for googlebot say noindex. `usage`: lines of its head on the use of the page,
    such as "robots: noai".
    `truncated`: the page has more links than are read. `text`: the lines of a document that is not a page.
    `blocks`: hashes of its blocks, see minicrawl.web.html.tree; `hashes`: what is compared of the page, see
    minicrawl.web.compare.hashes.
    `kept`: a record of minicrawl.web.kept_text; none of a page that forbids copies. `headings`: beside it and
    `blocks`, hashes of the headings of its content, and of the blocks of its rest. `items`: extracted JSON objects;
    `hook_failures`: names and errors of hooks that failed; `refused`: links that a hook left out.
    `requisites`: distinct files that the page needs to look as it does; `pictures`: of a view, URLs of its pictures.
    `facts`: for an audit. `unread`: it is a PDF file that could not be read. `asks_password`: it has a field for a
    password; `is_filled_in`: a form that holds words. `buttons`: see `minicrawl.web.html.forms.buttons_of`.
    `is_shell`: it has scripts, and next to no words and links. `scripts`: if it has any, with --render auto.
    """

    outlinks: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    places: bytes = b""
    nofollow: int = 0
    malformed: tuple[str, ...] = ()
    title: str | None = None
    canonicals: tuple[str, ...] = ()
    alternates: tuple[str, ...] = ()
    hreflang: tuple[tuple[str, str], ...] = ()
    refresh: str | None = None
    follow: bool = True
    index: bool = True  # type: ignore[assignment]  # hides tuple.index
    archive: bool = True
    index_by_google: bool = True
    usage: tuple[str, ...] = ()
    truncated: bool = False
    text: tuple[str, ...] = ()
    blocks: bytes = b""
    hashes: bytes = b""
    kept: bytes = b""
    headings: bytes = b""
    items: tuple[str, ...] = ()
    hook_failures: tuple[tuple[str, str], ...] = ()
    refused: int = 0
    requisites: tuple[Requisite, ...] = ()
    pictures: tuple[str, ...] = ()
    facts: PageFacts | None = None
    unread: bool = False
    asks_password: bool = False
    is_filled_in: bool = False
    buttons: tuple[tuple[str, bool], ...] = ()
    is_shell: bool = False
    scripts: PageScripts | None = None

    @property
    def canonical(self) -> str | None:
        """The canonical URL that the page declares; None also when it declares two (RFC 6596 allows for one)."""
        return self.canonicals[0] if len(self.canonicals) == 1 else None


class SitemapAnswer(NamedTuple):
    """The answer for a sitemap, without its URLs. `reason`: result of reading it, see web/sitemaps.py;
    `found`: number of URLs in it, good or bad.
    """

    fetched: Fetched
    reason: str = "not-a-sitemap"
    found: int = 0


class CoverageFigures(TypedDict):
    """A `ReadShare` as JSON and other classes have it."""

    coverage: float
    coverage_about: float
    coverage_shown: float


class ReadShare(NamedTuple):
    """Share of the importance that the pages read will hold once all is read: at least `low`, at most `shown`, and
    most likely `about`; see `minicrawl.opic.coverage`."""

    low: float
    about: float
    shown: float

    def figures(self) -> CoverageFigures:
        return {"coverage": self.low, "coverage_about": self.about, "coverage_shown": self.shown}


NOTHING_READ = ReadShare(0.0, 0.0, 0.0)


class IllHost(NamedTuple):
    """A host that is ill. `state`: "ill", or "gone": it was not reached in three runs; the others: as in a row of the
    table `health`. `waiting`: number of its pages that wait."""

    host: str
    state: str
    kind: str
    reason: str
    since: float
    tries: int
    next_at: float
    waiting: int


@dataclass(frozen=True, slots=True)
class CrawlReport:
    """The outcome of a crawl.

    `reason`: why it stopped, one of "nothing-left", "pages", "time", "bytes", "coverage", "patience", "interrupted".
    `fetched`: requests for pages in this run that got an answer; `read`, `known`: pages of the store; `coverage`,
    `coverage_about`, `coverage_shown`: of `ReadShare`; `left_out`: links of its read pages that a scope, a filter or a
    trap left out; `refreshed`: those of `fetched` for pages that had an answer before; `reframed`: those of which only
    what is beside the content has changed. `resting`: pages that `minicrawl refresh` left to the next round because
    their hosts rest, by host.
    `error`: certified L1 bound of the ranking for the known graph. `failures`: pages given up in this run, by reason
    code; `unanswered`: requests of any kind without a usable answer. `out_of_reach`: upper bound of the unreadable
    pages' share of the importance, by reason code, if nothing was left before the coverage asked for was reached; else
    None. `ill_hosts`: numbers of hosts that are ill and have pages that wait, by how they are ill; `ill_pages`: number
    of these pages.
    """

    reason: str
    fetched: int
    bytes: int
    seconds: float
    known: int
    read: int
    coverage: float
    coverage_about: float
    coverage_shown: float
    error: float
    failures: dict[str, int]
    left_out: int = 0
    unanswered: dict[str, int] = field(default_factory=dict)
    out_of_reach: dict[str, float] | None = None
    refreshed: int = 0
    reframed: int = 0
    resting: dict[str, int] = field(default_factory=dict)
    ill_hosts: dict[str, int] = field(default_factory=dict)
    ill_pages: int = 0

    def cause(self) -> str | None:
        """The most frequent reason code if nothing was fetched, or if nothing is left and no page could be read; else
        None.

        Of equally frequent ones the last: plain http is tried after a wrong guess of https.
        """
        if self.fetched and (self.read or self.reason not in ("nothing-left", "patience")):
            return None
        failures = self.failures or self.unanswered
        return max(reversed(failures), key=lambda reason: failures[reason], default=None)


@dataclass(frozen=True, slots=True)
class Silence:
    """An outage since `since` (Unix seconds), with `pause` seconds between two tries."""

    since: float
    pause: float


class LimitsNow(NamedTuple):
    """The limits of a run under way, None for no limit: see the settings of these names."""

    pages: int | None = None
    time: float | None = None
    bytes: int | None = None
    until_coverage: float | None = None


class RunState(StrEnum):
    """State of a running crawl."""

    STARTING = "starting"
    """Adding the seeds."""
    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"
    """No new requests; those in flight finish, then the ranking is settled."""
    ENDED = "ended"


class InFlightNow(NamedTuple):
    """A request in flight. `seconds`: since it began, or since its answer began to wait for `waits_for`. `worker`: the
    number of the worker process that makes it, or of the partition."""

    url: str
    seconds: float
    waits_for: str | None = None
    worker: int | None = None


class Sums(NamedTuple):
    """Totals over runs of a crawl. `seconds`: without pauses."""

    runs: int = 0
    fetched: int = 0
    bytes: int = 0
    seconds: float = 0.0


NO_LIMITS, NOTHING_YET = LimitsNow(), Sums()


@dataclass(frozen=True, slots=True)
class Progress:
    """A running crawl at one moment, for the display and `status`.

    `never_read`: known pages that were not read, forbidden and failed ones included. `left_out`: as in
    `CrawlReport`. `errors`: final failures of this run by reason code; `given_up`: pages given up in all runs, as of
    the last commit. `clock`: cash passed on so far, in turnovers of all cash. `silence`: None unless there is an
    outage. `state`, `reason`: as in `RunStatus`. `earlier`: the runs before this one. `pages_per_second`,
    `bytes_per_second`: of the last half minute.
    `requests`: the oldest in flight; `waiting_for`: numbers of waiting hosts by `HostNow.why`.
    `has_its_pages`: the run continues only for requisites of its pages. `ill_hosts`: those for which most pages wait.
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
    coverage_about: float
    coverage_shown: float
    errors: dict[str, int]
    left_out: int = 0
    silence: Silence | None = None
    state: RunState = RunState.RUNNING
    reason: str | None = None
    limits: LimitsNow = NO_LIMITS
    earlier: Sums = NOTHING_YET
    given_up: dict[str, int] = field(default_factory=dict)
    pages_per_second: float = 0.0
    bytes_per_second: float = 0.0
    requests: tuple[InFlightNow, ...] = ()
    waiting_for: dict[str, int] = field(default_factory=dict)
    has_its_pages: bool = False
    ill_hosts: tuple[IllHost, ...] = ()


class HostNow(NamedTuple):
    """A host of a running crawl.

    `doing`: "asked", requests to it are in flight; "opening", its address or its robots.txt is asked for; "ready", it
    may get a request; "waiting", it must not get a request before `until` (Unix seconds); "banned"; "idle", none of
    its pages waits. `why` a host waits: "delay", the usual one; "crawl-delay", set by its robots.txt; "slow", its
    answers take long; "ill", it rests until it is asked whether it is well; "rest", it has asked for a pause;
    "address", the delay of its IP address. `delay`: seconds between two requests to it; `ill`: how it is ill, "" for
    one that is not.
    """

    host: str
    doing: str
    until: float | None
    why: str | None
    delay: float
    ill: str


class CoursePoint(NamedTuple):
    """One point of a crawl's time series.

    `seconds`: crawling time so far in all runs, without pauses; `fetched`, `bytes`: answers for pages in them, and
    bytes of their bodies. `known`, `read`, `given_up`: numbers of pages, the last failed or forbidden. `coverage`,
    `shown`, `about`: of `ReadShare`.
    """

    seconds: float
    at: float
    fetched: int
    bytes: int
    known: int
    read: int
    given_up: int
    coverage: float
    shown: float
    about: float = 0.0


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """A worker process at one moment.

    `number`: the worker's number; a replacement takes it over. `doing`: "starting", "idle", "fetching", or "leaving"
    for one that gets no more requests; `since`: start of that state, in Unix seconds. `in_flight`: its open requests.
    `pages`, `bytes`: answers for pages so far, and bytes of their bodies. `cpu`: seconds used as of its last beat.
    `memory`: bytes in use, where the system tells.
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
    """A running crawl at one moment: the figures that are available at once.

    `reason`: why it stops or has ended, as in `CrawlReport`. `fetched`, `bytes`, `seconds`: of this run, without
    pauses. `in_flight`: hosts with a request in flight; `waits_for`: number of received pages that wait for the
    "parser",
    the process for large pages, or for "hooks". `workers`: the worker processes; none where this process fetches.
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


class WatchEvent(Struct, frozen=True, omit_defaults=True):
    """What is told of a watched page, or of a host. what: "changed", "lost", "replaced" (by another page), "back",
    "unreadable", "readable", "selector" (that matches nothing), "habit" (it changes at every check). kinds: of the
    lines that were removed and added; why: a reason code, or the title of the page in its place; pages: URLs on which
    it is; sends: it makes a message."""

    what: str
    url: str
    title: str = ""
    kinds: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    why: str = ""
    address: str = ""
    pages: tuple[str, ...] = ()
    sends: bool = True


class WatchRound(Struct, frozen=True):
    """A round of checks of watched pages. pages: of the list; fresh: URLs that are watched from this round on; read:
    pages that gave an answer."""

    number: int
    at: float
    pages: int
    read: int
    fresh: tuple[str, ...]
    events: tuple[WatchEvent, ...]

    @property
    def has_news(self) -> bool:
        return any(event.sends for event in self.events)
