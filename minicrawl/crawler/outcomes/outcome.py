"""The meaning of an answer for its page: read, alias, to be tried again, or given up. Every case has a reason code.

status or failure                     state            tries   cash goes
200, HTML                             fetched          1       to the counted outlinks
  truncated, noindex                  fetched          1       the same, marked
  robots directive nofollow           fetched          1       to the virtual page
200, not HTML; other 2xx              fetched          1       to the virtual page
301 302 303 307 308                   alias            1       to the target, all of it
  no target, out of scope, loop, >10  error            1       to the virtual page
meta refresh, canonical to another    alias            1       to the target, all of it
  that is dead, or leads back         fetched          1       to the counted outlinks
  that others refute (canonicals.py)  fetched          1       the same
bytes of a page read before           alias            1       to that page, if duplicates are merged
what the host says of what is not     error            1       to the virtual page
304 of a page that was read before    as it was        1       to the outlinks it had (unchanged)
  of any other, which nobody asks for error            3       waits with the page between tries
408 425 429 5xx, timeout, reset ...   error            3       waits with the page between tries
  the name server fails               error            3       the same (dns-unanswered)
404 410, if the page was read before  gone             1       to the virtual page, birth cash too
other 4xx, tls, refused address       error            1       to the virtual page
  its certificate is no good          error            1       the same (tls-authority, tls-expired, tls-name)
  there is no such name               error            1       the same (dns)
any, but a part of ours fails over it error            1       to the virtual page (parser-failed)
disallowed by robots.txt              disallowed       0       to the virtual page
in a trap, as has turned out by then  error            0       to the virtual page
with the id of a session, the same    alias            0       to the page without it, all of it
on a host that is dead (host-dead)    error            0       to the virtual page

Between its tries a page waits 5 s, then 20 s. 429 and 503 with Retry-After let the host rest for as long, and the page
at least as long. What else a failure means for its host, and when that is dead, is in politeness.py.

What is kept of an answer: what came, and what its page says of itself."""

from dataclasses import dataclass

from minicrawl.crawler.html.page_headers import Directives, read_directives
from minicrawl.crawler.http.content_type import HTML_TYPES, media_type
from minicrawl.crawler.http.failures import parser_failed
from minicrawl.crawler.http.response_fields import asked_rest
from minicrawl.crawler.urls.normalise import normalise
from minicrawl.model import AlternateLink, Fetched, ParsedPage, State
from minicrawl.store.rows import Fetch
from minicrawl.timing import STANDARD, Timing

MAX_TRIES = 3
MAX_HOPS = 10

NOT_MODIFIED = 304
"""RFC 9110 15.4.5: the answer to a condition, see PageRequest; some servers and caches give it to anybody."""
REDIRECTS = frozenset({301, 302, 303, 307, 308})
# RFC 9110 15: a status code out of range is to be treated as 5xx.
_TRANSIENT_STATUSES = frozenset({408, 425, 429, *range(500, 1000)})
_TRANSIENT_REASONS = frozenset(
    {
        "dns-unanswered",
        "proxy",
        "timeout",
        "timeout-connect",
        "timeout-read",
        "reset",
        "refused",
        "connect",
        "connection",
        "bad-response",
        "worker-died",
        "render-crashed",
    }
)


NO_CONNECTION = frozenset({"refused", "connect", "connection", "reset", "timeout-connect"})
"""What comes of a port that nobody listens at, or where another protocol is spoken; beside what is wrong with TLS."""


def is_transient(reason: str) -> bool:
    """Whether a page is tried again, some seconds later, after a failure with this reason code."""
    status = reason.removeprefix("http-")
    return reason in _TRANSIENT_REASONS or (status.isdecimal() and int(status) in _TRANSIENT_STATUSES)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The verdict on one answer.

    `is_unchanged`: the page is as it was when it was read, and so are its state and its links. Else, `state` None: try
    again, after `wait` seconds. `rest`: seconds to leave its host alone, at its own request.
    `alias`: the URL the page stands for, if it does, and `is_redirect` whether it has nothing else to offer;
    `follows`: whether its outlinks count.
    """

    state: State | None
    reason: str
    wait: float = 0.0
    rest: float = 0.0
    alias: str | None = None
    is_redirect: bool = False
    follows: bool = False
    is_unchanged: bool = False


UNCHANGED = Outcome(None, "unchanged", is_unchanged=True)


def judge(  # noqa: PLR0913 - all that an outcome depends on
    fetched: Fetched,
    parsed: ParsedPage,
    attempts: int = 0,
    *,
    now: float,
    was_read: bool = False,
    timing: Timing = STANDARD,
) -> Outcome:
    """What `fetched` means. `attempts`: failures in a row before this answer. was_read: the page is one that was read
    and is still there; of interest for a 304 only."""
    if was_read and fetched.status == NOT_MODIFIED:
        return UNCHANGED
    try:
        return _judged(fetched, parsed, attempts, now, timing)
    except Exception as error:
        return Outcome(State.ERROR, parser_failed(fetched.url, error))


def _judged(fetched: Fetched, parsed: ParsedPage, attempts: int, now: float, timing: Timing) -> Outcome:
    status = fetched.status
    wait = timing.retry * 4**attempts if attempts + 1 < MAX_TRIES else None
    if fetched.reason is not None or status is None or status == NOT_MODIFIED:
        reason = fetched.reason or ("connection" if status is None else "bad-response")
        return _failure(reason, wait if reason in _TRANSIENT_REASONS else None)
    if status in REDIRECTS:
        return _redirect(fetched, status)
    if status >= 300:
        return _failure(f"http-{status}", wait if status in _TRANSIENT_STATUSES else None, asked_rest(fetched, now))
    if status != 200:
        return Outcome(State.FETCHED, f"http-{status}")
    if media_type(fetched.content_type) not in HTML_TYPES:
        return Outcome(State.FETCHED, "not-html")
    return _page(fetched, parsed)


def _page(fetched: Fetched, parsed: ParsedPage) -> Outcome:
    named = read_directives(fetched.robots_tag or "")
    follow, index = named.follow and parsed.follow, named.index and parsed.index
    if parsed.refresh is not None and parsed.refresh != fetched.url:
        return Outcome(State.ALIAS, "meta-refresh", alias=parsed.refresh, follows=follow)
    if parsed.canonical is not None and parsed.canonical != fetched.url:
        return Outcome(State.ALIAS, "canonical", alias=parsed.canonical, follows=follow)
    if fetched.truncated or parsed.truncated:
        reason = "truncated"
    elif not follow:
        reason = "nofollow"
    elif not index:
        reason = "noindex"
    else:
        reason = "item-failed" if parsed.hook_failures else "ok"
    return Outcome(State.FETCHED, reason, follows=follow)


def _redirect(fetched: Fetched, status: int) -> Outcome:
    target = normalise(fetched.location, fetched.url) if fetched.location else None
    if target is None:
        return Outcome(State.ERROR, "redirect-nowhere")
    if target == fetched.url:
        return Outcome(State.ERROR, "redirect-loop")
    return Outcome(State.ALIAS, f"redirect-{status}", alias=target, is_redirect=True)


def _failure(reason: str, wait: float | None, rest: float = 0.0) -> Outcome:
    """wait: seconds until the next try, None = there is none."""
    if wait is None:
        return Outcome(State.ERROR, reason, rest=rest)
    return Outcome(None, reason, wait=max(wait, rest), rest=rest)


_MOST_HREFLANG = 10_000
"""Characters that are kept of what a page gives as itself in other languages."""


def answer_row(fetched: Fetched, parsed: ParsedPage, now: float) -> Fetch | None:
    """The row of an answer that came at `now`; None if none came."""
    if fetched.status is None:
        return None
    named = parsed.canonical
    return Fetch(
        fetched.status,
        now,
        fetched.seconds,
        fetched.size,
        fetched.content_type,
        parsed.title,
        canonical="" if named == fetched.url else named,
        robots=_robots(Directives(parsed.follow, parsed.index, parsed.archive), fetched.robots_tag),
        hreflang=_hreflang(parsed.hreflang),
    )


def _robots(in_page: Directives, in_header: str | None) -> str | None:
    """What a page forbids robots, in its elements or in its header X-Robots-Tag."""
    says = in_page if in_header is None else in_page.and_(read_directives(in_header))
    allowed = {"noindex": says.index, "nofollow": says.follow, "noarchive": says.archive}
    return ", ".join(word for word, is_allowed in allowed.items() if not is_allowed) or None


def _hreflang(alternates: tuple[AlternateLink, ...]) -> str | None:
    """LANGUAGE=URL with spaces between, in the order of the page: neither has a space, and a language has no "="."""
    text = " ".join(f"{language}={url}" for language, url in alternates)
    if len(text) > _MOST_HREFLANG:
        text = text[: _MOST_HREFLANG + 1].rpartition(" ")[0]
    return text or None
