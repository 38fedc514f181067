"""The meaning of an answer for its page: read, alias, to be tried again, or given up. Every case has a reason code.

status or failure                     state            tries   cash goes
200, HTML, or PDF with --pdf          fetched          1       to the counted outlinks
  truncated, noindex, not rendered    fetched          1       the same, marked
200, nofollow or not HTML             fetched          1       to the virtual page
2xx with HTML, but 202, 204, 205; 206 that was not asked for
                                      fetched          1       as with 200
other 2xx                             fetched          1       to the virtual page
301 302 303 307 308                   alias            1       to the target, all of it
  no target, out of scope, loop, >10  error            1       to the virtual page
refresh at once, or soon and no text  alias            1       to the target, all of it
canonical to another                  alias            1       to the target, all of it
  dead, leads back, or refuted        fetched          1       to the counted outlinks
bytes of another name of the page     alias            1       to that page
the host's answer for missing pages   error            1       to the virtual page
304 of a page that was read before    as it was        1       to the outlinks it had (unchanged)
  of any other page, unasked for      error            3       waits with the page between tries
408 425 429 5xx, timeout, reset, no answer from the name server ...
                                      error            3       waits with the page between tries
404 410, if the page was read before  gone             1       to the virtual page, birth cash too
other 4xx, tls, no such name, refused address, or our parser fails on it
                                      error            1       to the virtual page
disallowed by robots.txt              disallowed       0       to the virtual page
of a host that is ill                 waiting          1       waits with the page until the host is well
with the id of a session, the same    alias            0       to the page without it, all of it

Between its tries a page waits 5 s, then 20 s. A failure with Retry-After, but 404 and 410, lets the host rest for as
long, and the page at least as long, to be tried again. See visits/host_judge.py for the other effects on its host.
"""

import json
from collections.abc import Sequence
from contextlib import suppress

from msgspec import Struct

from minicrawl.model import Fetched, PageFacts, ParsedPage, State
from minicrawl.reasons import TRANSIENT, has
from minicrawl.store.pages import Fetch
from minicrawl.timing import STANDARD, Timing
from minicrawl.web.html.page_headers import Directives, read_directives
from minicrawl.web.http.response_fields import HTML_TYPES, REDIRECTS, Validators, asked_rest, media_type
from minicrawl.web.http.transport import parser_failed
from minicrawl.web.robots.preferences import HEADER, META
from minicrawl.web.urls.normalise import normalise

MAX_TRIES = 3

NOT_MODIFIED = 304
"""RFC 9110 15.4.5: the answer to a condition, see PageRequest; some servers and caches give it to anybody."""


class Outcome(Struct, frozen=True):
    """The verdict on one answer.

    `is_unchanged`: the page, its state and its links are as before. Else `state` None: try again after `wait` seconds.
    `rest`: seconds for which its host asks to be left alone. `alias`: the URL that the page stands for, if any;
    `is_redirect`: it has no content of its own. `follows`: its outlinks count.
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
_OK = Outcome(State.FETCHED, "ok", follows=True)


def judge(  # noqa: PLR0913 - everything an outcome depends on
    fetched: Fetched,
    parsed: ParsedPage,
    attempts: int = 0,
    *,
    now: float,
    was_read: bool = False,
    heeds_robots: bool = True,
    timing: Timing = STANDARD,
) -> Outcome:
    """The outcome of an answer. attempts: failures in a row before it. was_read: the page was read and still exists;
    matters for a 304 only. heeds_robots: nofollow counts."""
    if was_read and fetched.status == NOT_MODIFIED:
        return UNCHANGED
    try:
        return _judged(fetched, parsed, attempts, now, timing, heeds_robots=heeds_robots)
    except Exception as error:
        return Outcome(State.ERROR, parser_failed(fetched.url, error))


def _judged(  # noqa: PLR0913 - as `judge`
    fetched: Fetched, parsed: ParsedPage, attempts: int, now: float, timing: Timing, *, heeds_robots: bool
) -> Outcome:
    status = fetched.status
    wait = timing.retry * 4**attempts if attempts + 1 < MAX_TRIES else None
    if fetched.reason is not None or status is None or status == NOT_MODIFIED:
        reason = fetched.reason or ("connection" if status is None else "bad-response")
        return _failure(reason, wait)
    if status in REDIRECTS:
        return _redirect(fetched, status)
    if status >= 300:
        return _failure(f"http-{status}", wait, asked_rest(fetched, now))
    if not fetched.is_shown:
        return Outcome(State.FETCHED, f"http-{status}")
    if media_type(fetched.content_type) not in HTML_TYPES and fetched.digest is None:
        return Outcome(State.FETCHED, "pdf-unread" if parsed.unread else "not-html")
    return _page(fetched, parsed, heeds_robots=heeds_robots)


def directives_of(fetched: Fetched, parsed: ParsedPage) -> Directives:
    """What a page says to robots, in its elements and its header X-Robots-Tag."""
    said = Directives(parsed.follow, parsed.index, parsed.archive)
    return said if fetched.robots_tag is None else said.and_(read_directives(fetched.robots_tag))


def _page(fetched: Fetched, parsed: ParsedPage, *, heeds_robots: bool) -> Outcome:
    said = directives_of(fetched, parsed)
    follow = said.follow or not heeds_robots
    if parsed.refresh is not None and parsed.refresh != fetched.url:
        return Outcome(State.ALIAS, "meta-refresh", alias=parsed.refresh, follows=follow)
    if parsed.canonical is not None and parsed.canonical != fetched.url:
        return Outcome(State.ALIAS, "canonical", alias=parsed.canonical, follows=follow)
    if fetched.truncated or parsed.truncated:
        reason = "truncated"
    elif not follow:
        reason = "nofollow"
    elif not said.index:
        reason = "noindex"
    elif fetched.unrendered:
        reason = fetched.unrendered
    elif parsed.hook_failures:
        reason = "item-failed"
    else:
        return _OK
    return Outcome(State.FETCHED, reason, follows=follow)


def _redirect(fetched: Fetched, status: int) -> Outcome:
    target = normalise(fetched.location, fetched.url) if fetched.location else None
    if target is None:
        return Outcome(State.ERROR, "redirect-nowhere")
    if target == fetched.url:
        return Outcome(State.ERROR, "redirect-loop")
    return Outcome(State.ALIAS, f"redirect-{status}", alias=target, is_redirect=True)


def _failure(reason: str, wait: float | None, rest: float = 0.0) -> Outcome:
    """wait: seconds until the next try of what is transient, or asks for a rest of its host; None = there is none."""
    if wait is None or not (rest or has(reason, TRANSIENT)):
        return Outcome(State.ERROR, reason, rest=rest)
    return Outcome(None, reason, wait=max(wait, rest), rest=rest)


_MOST_CANONICALS = 5
"""Kept of a page that names several."""
_MOST_HREFLANG = 10_000
"""Characters stored of a page's versions in other languages."""


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
        robots=_robots(fetched, parsed),
        hreflang=_hreflang(parsed.hreflang),
        validators=Validators.of(fetched).packed(),
        on_use=said_by(fetched, parsed),
        facts=None if parsed.facts is None else _facts(parsed.facts, parsed.canonicals),
    )


def _facts(facts: PageFacts, canonicals: Sequence[str]) -> str:
    several = tuple(canonicals[:_MOST_CANONICALS]) if len(canonicals) > 1 else ()
    return json.dumps(facts._replace(canonicals=several)._asdict())


def said_by(fetched: Fetched, parsed: ParsedPage) -> str | None:
    """What a page says on its use, in the lines of `of_page`; None if it says nothing."""
    if fetched.on_use is None and fetched.robots_tag is None and not parsed.usage:
        return None  # as mostly
    lines = [] if fetched.on_use is None else [f"{HEADER} {line}" for line in fetched.on_use.split("\n")]
    if fetched.robots_tag is not None:
        with suppress(Exception):  # over which the answer has been judged as parser-failed
            if words := read_directives(fetched.robots_tag).on_use:
                lines.append(f"{HEADER} X-Robots-Tag: {', '.join(words)}")
    return "\n".join((*lines, *(f"{META} {line}" for line in parsed.usage))) or None


def _robots(fetched: Fetched, parsed: ParsedPage) -> str | None:
    """The directives by which a page restricts robots, or googlebot, in its elements or its header X-Robots-Tag."""
    index_by_google = parsed.index_by_google
    if fetched.robots_tag is None and parsed.follow and parsed.index and parsed.archive and index_by_google:
        return None  # as mostly
    says = Directives(parsed.follow, parsed.index, parsed.archive)
    if fetched.robots_tag is not None:
        with suppress(Exception):  # over which the answer has been judged as parser-failed
            says = directives_of(fetched, parsed)
            index_by_google = index_by_google and read_directives(fetched.robots_tag, "googlebot").index
    allowed = {"noindex": says.index, "nofollow": says.follow, "noarchive": says.archive}
    allowed["googlebot: noindex"] = index_by_google or not says.index
    return ", ".join(word for word, is_allowed in allowed.items() if not is_allowed) or None


def _hreflang(alternates: tuple[tuple[str, str], ...]) -> str | None:
    """LANGUAGE=URL with spaces between, in the order of the page: neither has a space, and a language has no "="."""
    if not alternates:
        return None
    text = " ".join(f"{language}={url}" for language, url in alternates)
    if len(text) > _MOST_HREFLANG:
        text = text[: _MOST_HREFLANG + 1].rpartition(" ")[0]
    return text or None
