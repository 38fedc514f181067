"""Which rule decided on a URL, in words: the option and its pattern, the line of robots.txt, the page it leads to."""

from collections.abc import Sequence

from minicrawl.crawler.admission.scope import Scope
from minicrawl.crawler.admission.traps.rules import static_rule
from minicrawl.crawler.http.unread import PARSER_FAILED
from minicrawl.crawler.outcomes.outcome import MAX_HOPS

_OF_TARGETS = {
    "loop": "leads back here",
    "chain": f"is at the end of a chain of more than {MAX_HOPS}",
    "dead": "is a page where nothing was found",
    "differs": "is named so by many pages that say something else",
}
_OF_CONNECTIONS = {
    "tls": "no version of TLS in common, or none is spoken there",
    "tls-authority": "no known authority vouches for the certificate; --ca-file PEM trusts one more",
    "tls-expired": "the certificate has expired, or is not valid yet",
    "tls-name": "the certificate is for other hosts",
    "private-address": "the host is in this machine's own network; --allow-private lets the crawl connect to it",
    "dns": "there is no such name, or it has no address; --connect-to takes a host elsewhere",
    "dns-unanswered": "the name server failed, or was silent",
}


def why_no_connection(reason: str) -> str | None:
    """What a reason code for no connection means, and the option that may help; None where the code says it all."""
    return _OF_CONNECTIONS.get(reason)


def why_so(reason: str, depth: int, leads_to: str | None, scope: Scope, robots_line: str | None) -> str | None:
    """The rule behind the reason code of a known page; None where the code says it all.

    depth: the page's. leads_to: where it sends to, if that was refused. robots_line: what decides on it there.
    """
    if reason == "robots":
        return robots_line
    if reason == PARSER_FAILED:
        return "a part of minicrawl failed over what was sent; the log of the crawl tells where"
    if leads_to is None:
        return why_no_connection(reason)
    # A code such as "redirect-scope-site" or "meta-refresh-loop": what leads there, and why that is refused.
    code = next((code for code in _OF_TARGETS if reason.endswith(f"-{code}")), None)
    told = _OF_TARGETS[code] if code else scope.rule(leads_to, depth) or static_rule(leads_to)
    return f"{leads_to}: {told}" if told else leads_to


def why_not(url: str, scope: Scope, nearest: Sequence[tuple[str, int]]) -> tuple[str, str]:
    """Reason code and rule that keep a URL from being known which no trap does.

    nearest: pages that link to it too far from a seed, with their depths.
    """
    reason = scope.refuses(url, 0)
    if reason is not None:
        return reason, scope.rule(url, 0) or ""
    if nearest:
        source, depth = min(nearest, key=lambda page: page[1])
        return "max-depth", f"{scope.rule(url, depth + 1) or 'the next crawl follows it'}; {source} links to it"
    return "no-link", "no page read so far has a counted link to it"
