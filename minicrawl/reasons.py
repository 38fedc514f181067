"""Reason codes, which say why a page is as it is: one table with a sentence for people, and what each means to a crawl.

A code is one of REASONS, or of a family: http-STATUS, redirect-STATUS, and CAUSE-REFUSAL for a page that leads to
another one which is refused, such as canonical-loop or redirect-scope-site.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from minicrawl.model import State

MAX_HOPS = 10

# What a reason means beside its sentence, a bit each: a judge of failures asks for one column, or for several together.
TRANSIENT = 1 << 0  # the page is tried again some seconds later
OF_HOST = 1 << 1  # it speaks of the host, so the host is ill
EITHER = 1 << 2  # it may speak of the host or of the page: a witness decides
SILENT = 1 << 3  # so a request fails without a network, in a captive one, or without the --ca-file of the last run
NO_HTTPS = 1 << 4  # the port has no listener, or another protocol: https was perhaps a wrong guess
NOT_THERE = 1 << 5  # nothing is there: like a gone page it holds no importance, also while it waits for a retry
NEXT_RUN = 1 << 6  # the page is not tried again in this run, but in the next, as is what is TRANSIENT
OF_ROBOTS = 1 << 8  # a browser may show the page all the same, so an audit does not call it dead
LASTS = 1 << 9  # it will not be over a little later
NO_HOST = 1 << 10  # it tells nothing of the host
NO_PAGE = 1 << 11  # it tells nothing of the page, so no link to it is broken
REFUSES = 1 << 12  # sites say so to programs they do not know: on another site no sign that a page is not there
EXPLAINED = 1 << 13  # the sentence is the rule behind it, with the option that may help

NO_CONNECTION = TRANSIENT | SILENT | OF_HOST
NO_ANSWER = TRANSIENT | SILENT | EITHER
TLS = SILENT | NO_HTTPS | NEXT_RUN | LASTS | EXPLAINED | OF_HOST


class Reason(NamedTuple):
    """first_rest: seconds for which its host rests when it falls ill."""

    meaning: str
    columns: int = 0
    first_rest: float = 10.0


STATUSES = {
    **dict.fromkeys((401, 402, 403, 405, 406, 407, 451), REFUSES | EITHER),
    **dict.fromkeys((404, 410), NOT_THERE),
    **dict.fromkeys((408, 425), TRANSIENT | EITHER),
    429: TRANSIENT | OF_HOST,
    999: TRANSIENT | REFUSES | EITHER,
}
"""The columns of http-STATUS. Others of 4xx may be those of a firewall before all pages; others from 500 on are a
server's faults: RFC 9110 15 has what is out of range treated as 5xx."""
SERVER_FAULT = TRANSIENT | EITHER
FIRST_RESTS = {401: 300.0, 402: 300.0, 408: 10.0, 425: 10.0, 999: 60.0}
"""Seconds of the first rest of a host that falls ill by http-STATUS; 60 for others of 4xx, 10 from 500 on."""

_ROWS: Mapping[str, str | tuple[str, int] | tuple[str, int, float]] = {
    # It waits for its first turn.
    "seed": "it is a seed, and has not been fetched yet",
    "link": "a page links to it, and it has not been fetched yet",
    "sitemap": "a sitemap lists it, and it has not been fetched yet",
    "alternate": "a page names it as its version in another language or medium, and it has not been fetched yet",
    "elsewhere": "another partition of this crawl has it",
    # It was read.
    "ok": "it was read, and its links were followed",
    "noindex": "it was read, but forbids indexing (noindex)",
    "nofollow": "it was read, but forbids robots to follow its links (nofollow), unless --ignore-robots is on",
    "not-html": "it is not HTML, so it was not read, and has no links",
    "list-of-urls": "it is a sitemap, a feed or a list of URLs; the crawl took its URLs",
    "pdf-unread": "it is a PDF file that cannot be read: damaged, protected by a password, or too slow (see the log)",
    "truncated": "it was read in part, up to --max-size, --timeout or the maximum number of links",
    "item-failed": "it was read, and its links were followed, but a hook or an item rule failed on it (see the log)",
    # It stands for another page.
    "canonical": "it names another page as canonical",
    "meta-refresh": "it redirects by a refresh, at once, or within ten seconds if it has almost no text",
    "front-page": "it shows the same as the front page of its folder under another name, as / and /index.html do",
    "same-page": "it shows the same as a page whose URL differs in https, www, a trailing slash or parameters",
    "session": "it is the page of a plainer URL: a parameter or the spelling changes nothing on its host",
    # An answer that is none.
    "soft-404": "its host answers the same for pages that cannot exist",
    "no-url": "the link is not a URL",
    "anchor-missing": "the page has no part with this name",
    "redirect-nowhere": "it redirects, but not to a URL",
    "undecodable": ("the answer has a content coding that cannot be decoded", OF_ROBOTS),
    "bad-response": ("the answer is not HTTP", TRANSIENT | EITHER),
    "bad-url": ("no request can be made for this URL", OF_ROBOTS | LASTS),
    "parser-failed": ("minicrawl failed on the answer; the log of the crawl says where", LASTS | EXPLAINED | NO_PAGE),
    "worker-died": ("the process that fetched it died", TRANSIENT | NO_HOST | NO_PAGE),
    "render-crashed": (
        "it was read as sent, without its scripts: Chromium crashed twice, or could not start (--render)",
        TRANSIENT | NO_PAGE,
    ),
    "render-killed": (
        "it was read as sent: its scripts used too much memory or CPU, or crashed their process (--render)",
        NO_PAGE,
    ),
    "render-timeout": ("it was read as sent, or as far as it was rendered: it was never ready (--render)", NO_PAGE),
    # No answer.
    "tls": ("the server speaks no TLS, or no version of it that minicrawl knows", TLS, 600.0),
    "tls-authority": ("no known authority signed the certificate; --ca-file PEM adds one", TLS, 600.0),
    "tls-expired": ("the certificate has expired, or is not valid yet", TLS, 600.0),
    "tls-name": ("the certificate is for another host", TLS, 600.0),
    "private-address": (
        "the host is on this machine's own network; --allow-private allows that",
        SILENT | NEXT_RUN | LASTS | EXPLAINED | NO_PAGE,
    ),
    "dns": (
        "the host name does not exist, or has no address: check its spelling; --connect-to can send it elsewhere",
        SILENT | NOT_THERE | NEXT_RUN | LASTS | EXPLAINED | OF_HOST,
        60.0,
    ),
    "dns-unanswered": ("the name server failed, or did not answer", NO_CONNECTION | EXPLAINED, 60.0),
    "refused": ("nothing listens on that port", NO_CONNECTION | NO_HTTPS, 30.0),
    "bad-port": ("its port belongs to another protocol, such as mail; browsers refuse it, too", LASTS),
    "proxy": ("its proxy cannot be used; the crawl says which one, and why", TRANSIENT | NO_HOST | NO_PAGE),
    "proxy-refused": ("its proxy does not connect to it; ask whoever runs the proxy, or see --proxy", TRANSIENT),
    "connect": ("no connection could be made", NO_CONNECTION | NO_HTTPS),
    "connection": ("the connection failed", NO_ANSWER | NO_HTTPS),
    "reset": ("the connection was reset", NO_ANSWER | NO_HTTPS),
    "timeout": ("the whole answer took longer than --timeout", NO_ANSWER),
    "timeout-connect": ("no connection could be made in time", NO_CONNECTION | NO_HTTPS),
    "timeout-read": ("the answer stopped coming", NO_ANSWER),
    "makes-host-ill": ("its host fell ill at three requests for it; the next run tries once more", NEXT_RUN | NO_PAGE),
    "earlier-version": (
        "an earlier version of minicrawl gave it up by a rule that is gone; the next run tries it",
        NEXT_RUN | NO_PAGE,
    ),
    "not-archived": ("it is not in the archive that this crawl reads (--from-archive)", NO_PAGE),
    # It may not be asked for.
    "host-banned": ("its host is banned: no requests until you lift the ban", NO_PAGE),
    "session-lost": (
        "its answer was for somebody who is not logged in; log in again and continue",
        NEXT_RUN | NO_HOST | NO_PAGE,
    ),
    "host-pages": ("its host has as many pages as --host-pages allows", NO_PAGE),
    "robots": "robots.txt forbids it",
    "usage": "its site forbids a use that the crawl respects (--respect-usage)",
    "robots-unreachable": ("robots.txt could not be read, so it forbids everything", NEXT_RUN),
    # A requisite (--requisites).
    "page": "a page needs it, and it has not been fetched yet",
    "part": "a style sheet, a frame or a redirect that a page needs leads to it, and it has not been fetched yet",
    "read": "it was read as a page, so the archive has it",
    "noarchive": "it forbids copies",
    "too-large": ("it is larger than --max-size", OF_ROBOTS),
    # Its host is ill, beside codes of answers.
    "alike": ("all of its pages look the same", 0, 60.0),
    "sent-on": ("all of its pages redirect to the same place", 0, 60.0),
    "empty": "its answers are empty",
    "cut": ("its answers break off, or cannot be decoded", EITHER),
    # It does not become known.
    "no-link": "no page read so far has a counted link to it",
    "too-long": ("its URL has more than 8,000 bytes", NO_PAGE),
    "max-depth": "it is farther from a seed than --max-depth",
    "scope-site": "it is on none of the seeds' sites (--scope site)",
    "scope-host": "it is on none of the seeds' hosts (--scope host)",
    "scope-prefix": "it is in none of the seeds' folders (--scope prefix)",
    "scope-linked": "it is on none of the seeds' sites, and none of their pages links to it (--scope linked)",
    "deny": "it matches a pattern of --deny",
    "allow": "it matches no pattern of --allow",
    "trap-host-budget": (
        "trap: its site already has as many pages as the trusted sites that link to it vouch for",
        NO_PAGE,
    ),
    "trap-many-hosts": (
        "trap: its site already has as many hosts as the trusted sites that link to it vouch for",
        NO_PAGE,
    ),
}
REASONS = {code: Reason(row) if isinstance(row, str) else Reason(*row) for code, row in _ROWS.items()}


def has(reason: str, column: int) -> bool:
    """True if a column, or one of several, holds for a code, also for one of the family http-STATUS."""
    if reason in REASONS:
        return bool(column & REASONS[reason].columns)
    family, _, status = reason.partition("-")
    if family != "http" or not status.isdecimal():
        return False
    return bool(column & columns_of(int(status)))


def columns_of(status: int) -> int:
    """The columns of http-STATUS."""
    if status in STATUSES:
        return STATUSES[status]
    if 400 <= status < 500:
        return EITHER
    return SERVER_FAULT if 500 <= status < 1000 else 0


def first_rest(reason: str) -> float:
    """Seconds for which a host rests that falls ill by an answer with this code."""
    if reason in REASONS:
        return REASONS[reason].first_rest
    status = reason.rpartition("-")[2]
    if not status.isdecimal():
        return 10.0
    return FIRST_RESTS.get(int(status), 60.0 if int(status) < 500 else 10.0)


def statuses(column: int) -> frozenset[int]:
    """The statuses in `STATUSES` for which a column holds."""
    return frozenset(status for status, columns in STATUSES.items() if columns & column)


def codes(column: int) -> tuple[str, ...]:
    """The codes for which a column holds, also those of `statuses`."""
    named = [code for code, reason in REASONS.items() if reason.columns & column]
    return (*named, *(f"http-{status}" for status in sorted(statuses(column))))


_LEADS_ON = {"redirect": "it redirects"} | {
    cause: REASONS[cause].meaning for cause in ("canonical", "meta-refresh", "front-page", "same-page", "session")
}
OF_TARGETS = {
    "loop": "leads back here",
    "chain": f"is more than {MAX_HOPS} redirects away",
    "dead": "is missing",
    "unread": "is left out, or must not be read",
    "differs": "says something else, or is named by many pages that do",
}


def meaning(reason: str, state: str | None = None) -> str | None:
    """The meaning of a reason code for a page in that state; None for an unknown code."""
    cause, refusal = parts_of(reason)
    if cause and state == State.WAITING:
        return "a page that stands for it leads to it, and it has not been fetched yet"
    if reason in REASONS:
        return REASONS[reason].meaning
    if cause == "redirect" and refusal.isdecimal():
        return f"it redirects to another page ({_status(refusal)})"
    if cause and refusal in OF_TARGETS:
        return f"{_LEADS_ON[cause]}, but that {OF_TARGETS[refusal]}"
    if cause:
        why = REASONS.get(refusal)
        return why and f"{_LEADS_ON[cause]}, but a rule leaves out its target: {why.meaning}"
    family, _, number = reason.partition("-")
    return f"the answer was {_status(number)}" if family == "http" and number.isdecimal() else None


def parts_of(reason: str) -> tuple[str, str]:
    """The cause and the refusal in a reason code: ("canonical", "loop") of "canonical-loop"."""
    match = re.fullmatch(rf"({'|'.join(_LEADS_ON)})(?:-(.+))?", reason)
    return (match[1], match[2] or "") if match else ("", "")


def _status(code: str) -> str:
    from http import HTTPStatus  # noqa: PLC0415 - only for people

    try:
        return f"{code} {HTTPStatus(int(code)).phrase}"
    except ValueError:
        return code
