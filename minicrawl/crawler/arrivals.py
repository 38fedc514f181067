"""What comes back to the engine: the answers of requests, each with the turn that it was asked in."""

from typing import NamedTuple

from minicrawl.crawler.hosts.host import HostTurn
from minicrawl.model import Fetched, Located, ParsedPage, SitemapAnswer


class PageArrival(NamedTuple):
    """A page's answer, parsed."""

    page: int
    fetched: Fetched
    parsed: ParsedPage


class RobotsArrival(NamedTuple):
    """The answer for the robots.txt of a site that was about to be asked for something else in this turn.

    Or for what the robots.txt of a site redirects to, if the turn is for that.
    """

    turn: HostTurn
    site: str
    fetched: Fetched


class LocatedArrival(NamedTuple):
    """The IP address of the host whose turn had come, to be asked for `url`."""

    turn: HostTurn
    url: str
    located: Located


class SitemapUrls(NamedTuple):
    """Some of the URLs a sitemap lists, of further sitemaps if it `is_index`."""

    sitemap: int
    urls: list[str]
    is_index: bool


class SitemapArrival(NamedTuple):
    """The answer for a sitemap; its URLs have arrived."""

    turn: HostTurn
    answer: SitemapAnswer


class ProbeArrival(NamedTuple):
    """The answer for a page that cannot exist, asked for in this turn of a page."""

    turn: HostTurn
    fetched: Fetched


class KnockArrival(NamedTuple):
    """The answer of a host that was asked for nothing but that."""

    turn: HostTurn
    fetched: Fetched


Answer = PageArrival | RobotsArrival | LocatedArrival | SitemapArrival | ProbeArrival | KnockArrival


def reason_of(arrival: Answer) -> str | None:
    """Why there is no answer, or None."""
    match arrival:
        case LocatedArrival():
            return arrival.located.reason
        case SitemapArrival():
            return arrival.answer.fetched.reason
        case _:
            return arrival.fetched.reason
