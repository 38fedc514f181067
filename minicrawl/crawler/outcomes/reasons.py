"""Reason codes: a sentence on each for people, the rule behind it, and whether the page is asked for again.

A code is one of MEANINGS, or of a family: http-STATUS, redirect-STATUS, and CAUSE-REFUSAL for a page that leads to
another one which is refused, such as canonical-loop or redirect-scope-site.

When a crawl goes on, pages given up for failures of our own (no connection came about) are asked for again; with
--retry passing failures and other reasons; and a seed that is given again. Such a page waits like one that never had a
turn. The cash that it passed on then stays passed on.
"""

import re
from collections.abc import Iterable, Sequence
from http import HTTPStatus

from minicrawl.crawler.admission.scope import Scope
from minicrawl.crawler.outcomes.outcome import MAX_HOPS, is_transient
from minicrawl.model import State
from minicrawl.store.writer import Writer
from minicrawl.web.urls.keys import origin_of

_OF_CONNECTIONS = {
    "tls": "the server speaks no TLS, or no version of it that minicrawl knows",
    "tls-authority": "no known authority signed the certificate; --ca-file PEM adds one",
    "tls-expired": "the certificate has expired, or is not valid yet",
    "tls-name": "the certificate is for another host",
    "private-address": "the host is on this machine's own network; --allow-private allows that",
    "dns": "the host name does not exist, or has no address: check its spelling; --connect-to can send it elsewhere",
    "dns-unanswered": "the name server failed, or did not answer",
}
"""Reasons for a missing connection, and the option that may help."""

MEANINGS = {
    # It waits for its first turn.
    "seed": "it is a seed, and has not been fetched yet",
    "link": "a page links to it, and it has not been fetched yet",
    "sitemap": "a sitemap lists it, and it has not been fetched yet",
    "alternate": "a page names it as its version in another language or medium, and it has not been fetched yet",
    "elsewhere": "another partition of this crawl has it, and gets what links from here pass to it",
    # It was read.
    "ok": "it was read, and its links were followed",
    "noindex": "it was read, and asks search engines not to show it",
    "nofollow": "it was read, and asks robots not to follow its links, which no setting overrides",
    "not-html": "it is not HTML, so it was not read, and has no links",
    "list-of-urls": "it is a sitemap, a feed or a list of URLs, and these were taken from it",
    "pdf-unread": "it is a PDF file that cannot be read: damaged, protected by a password, or too slow (see the log)",
    "truncated": "it was read in part: up to --max-size, --timeout or the maximum number of links",
    "item-failed": "it was read, and its links were followed, but a hook or an item rule failed on it (see the log)",
    # It stands for another page.
    "canonical": "it names another page as its canonical",
    "meta-refresh": "it sends its readers to another page, at once, or within ten seconds with next to no text itself",
    "front-page": "it shows the same as the front page of its folder under another name, such as / and /index.html",
    "same-page": "it shows the same as the page with http for https, www, a slash at the end or parameters, or without",
    "session": "it is the same page as the one without a parameter of its URL that changes nothing",
    # An answer that is none.
    "soft-404": "its host gives the same answer for pages that cannot exist",
    "no-url": "the link is not a URL",
    "anchor-missing": "the page has no part of this name",
    "redirect-nowhere": "it redirects, but not to a URL",
    "undecodable": "the answer has a content coding that cannot be decoded",
    "bad-response": "the answer is not HTTP",
    "bad-url": "no request can be made for this URL",
    "parser-failed": "minicrawl failed on the answer; the log of the crawl says where",
    "worker-died": "the process that was fetching it died",
    "render-crashed": "the Chromium that rendered it crashed, or could not start (--render)",
    "render-killed": "its scripts used more memory or CPU than a page may, or crashed their process (--render)",
    "render-timeout": "its scripts never let Chromium finish the page (--render)",
    # No answer.
    **_OF_CONNECTIONS,
    "refused": "nothing listens on that port",
    "bad-port": "its port belongs to another protocol, such as mail; browsers refuse it, too",
    "proxy": "its proxy cannot be used; the crawl says which one, and why",
    "proxy-refused": "its proxy opens no connection to it; ask whoever runs the proxy, or see --proxy",
    "connect": "no connection could be made",
    "connection": "the connection failed",
    "reset": "the connection was reset",
    "timeout": "the whole answer took longer than --timeout",
    "timeout-connect": "no connection could be made in time",
    "timeout-read": "the answer stopped coming",
    "host-dead": "its host has not answered for a while; minicrawl asks again later",
    "not-archived": "it is not in the archive that this crawl reads (--from-archive)",
    # It may not be asked for.
    "host-banned": "its host is banned: nothing is requested from it until the ban is lifted",
    "host-pages": "its host has as many pages as --host-pages allows",
    "robots": "robots.txt forbids it",
    "usage": "its site forbids a use that the crawl respects (--respect-usage)",
    "robots-unreachable": "robots.txt could not be read, so nothing may be requested from its origin",
    # A requisite (--requisites).
    "page": "a page needs it, and it has not been fetched yet",
    "part": "a style sheet, a frame or a redirect that a page needs leads to it, and it has not been fetched yet",
    "read": "it was read as a page, so the archive has it",
    "noarchive": "it forbids copies",
    "too-large": "it is larger than --max-size",
    # It does not become known.
    "no-link": "no page read so far has a counted link to it",
    "too-long": "its URL has more than 8,000 bytes",
    "max-depth": "it is further from a seed than --max-depth",
    "scope-site": "it is on none of the seeds' sites (--scope site)",
    "scope-host": "it is on none of the seeds' hosts (--scope host)",
    "scope-prefix": "it is in none of the seeds' folders (--scope prefix)",
    "scope-linked": "it is on none of the seeds' sites, and none of their pages links to it (--scope linked)",
    "deny": "it matches a pattern of --deny",
    "allow": "it matches no pattern of --allow",
    "trap-long-url": "trap: its URL has more than 8,000 bytes, or grows from link to link",
    "trap-repeated-path": "trap: its path repeats itself once more than that of the page that leads to it",
    "trap-repeated-parameter": "trap: its query has a value, or grows to have a parameter, more than three times",
    "trap-escaped-again": "trap: it is escaped once more than the page that leads to it (%2525, &amp;amp;)",
    "trap-duplicates": "trap: most pages of its pattern say the same",
    "trap-session": "trap: most pages of its pattern say the same, and it has a session id",
    "trap-parameters": "trap: URLs of its pattern only combine known values of parameters",
    "trap-calendar": "trap: an endless calendar, or endless numbered pages",
    "trap-host-budget": "trap: its site already has as many pages as the trusted sites that link to it vouch for",
    "trap-many-hosts": "trap: its site already has as many hosts as the trusted sites that link to it vouch for",
}
"""Meanings of reason codes."""

_LEADS_ON = {"redirect": "it redirects"} | {
    cause: MEANINGS[cause] for cause in ("canonical", "meta-refresh", "front-page", "same-page", "session")
}
_OF_TARGETS = {
    "loop": "leads back here",
    "chain": f"is more than {MAX_HOPS} redirects away",
    "dead": "is a page that is not there",
    "differs": "is named by many pages that say something else",
}


def meaning(reason: str, state: str | None = None) -> str | None:
    """The meaning of a reason code for a page in that state; None for an unknown code."""
    cause, refusal = _parts(reason)
    if cause and state == State.WAITING:
        return "a page that stands for it made it known, and it has not been fetched yet"
    if reason in MEANINGS:
        return MEANINGS[reason]
    if cause == "redirect" and refusal.isdecimal():
        return f"it redirects to another page ({_status(refusal)})"
    if cause and refusal in _OF_TARGETS:
        return f"{_LEADS_ON[cause]}, but that {_OF_TARGETS[refusal]}"
    if cause:
        return f"{_LEADS_ON[cause]}, but its target is refused: {MEANINGS[refusal]}" if refusal in MEANINGS else None
    family, _, number = reason.partition("-")
    return f"the answer was {_status(number)}" if family == "http" and number.isdecimal() else None


def _parts(reason: str) -> tuple[str, str]:
    """The cause and the refusal in a reason code: ("canonical", "loop") of "canonical-loop"."""
    match = re.fullmatch(rf"({'|'.join(_LEADS_ON)})(?:-(.+))?", reason)
    return (match[1], match[2] or "") if match else ("", "")


def _status(code: str) -> str:
    try:
        return f"{code} {HTTPStatus(int(code)).phrase}"
    except ValueError:
        return code


def why_so(reason: str, depth: int, leads_to: str | None, scope: Scope, site_line: str | None) -> str | None:
    """The rule behind the reason code of a known page; None if the code says it all.

    depth: the page's. leads_to: its target, if that was refused. site_line: the line of its site's files that refuses
    it, if one does.
    """
    if reason in ("robots", "usage"):
        return site_line
    if reason == "parser-failed":
        return MEANINGS[reason]
    if leads_to is None:
        return _OF_CONNECTIONS.get(reason)
    cause, refusal = _parts(reason)
    of_scope = scope.rule(leads_to, depth, is_redirect=cause == "redirect")
    rule = _OF_TARGETS.get(refusal) or of_scope
    return f"{leads_to}: {rule}" if rule else leads_to


def why_not(url: str, scope: Scope, nearest: Sequence[tuple[str, int]]) -> tuple[str, str]:
    """Reason code and rule that keep a URL unknown that is in no trap. nearest: pages that link to it too far from a
    seed, with their depths."""
    source, depth = min(nearest, key=lambda page: page[1], default=(None, 0))
    reason = scope.refuses(url, 0, source=source)
    if reason is not None:
        return reason, scope.rule(url, 0, source=source) or ""
    if source is not None:
        rule = scope.rule(url, depth + 1, source=source) or "the next crawl follows it"
        return "max-depth", f"{rule}; {source} links to it"
    return "no-link", MEANINGS["no-link"]


PASSING, ALL = "passing", "all"
_OURS = frozenset({"dns", "dns-unanswered", "private-address", "connect", "refused", "proxy"})


def is_ours(reason: str) -> bool:
    """True if the fault may well have been on our side."""
    return reason in _OURS or reason.startswith("tls")


def is_passing(reason: str) -> bool:
    """True if the trouble may be over by now."""
    return is_ours(reason) or is_transient(reason) or reason in ("host-dead", "robots-unreachable")


def wants(reason: str, retry: Sequence[str]) -> bool:
    """True if pages given up for this reason are asked for again. retry: as `CrawlSettings.retry`."""
    return is_ours(reason) or reason in retry or ALL in retry or (PASSING in retry and is_passing(reason))


def ask_again(writer: Writer, seeds: Iterable[str], retry: Sequence[str]) -> tuple[int, tuple[str, ...]]:
    """Let given-up pages of a store wait for another turn. seeds: of this run. Returns their number, and the reasons in
    `retry` for which no page was given up."""
    given = set(writer.page_table.find(list(seeds)).values())
    given_up = writer.page_table.given_up()
    pages = [page for page, reason in given_up if page in given or wants(reason, retry)]
    if pages:
        reasons = {reason for _, reason in given_up if wants(reason, retry)}
        with writer.transaction():
            writer.ask_again(pages, {origin_of(writer.page_table.url(page)) for page in pages}, reasons)
    known = {PASSING, ALL, *(reason for _, reason in given_up)}
    return len(pages), tuple(reason for reason in retry if reason not in known)
