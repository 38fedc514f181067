"""What a page links to: which of its links count, and how its cash is shared among them."""

from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.admission.admission import Admission
from minicrawl.crawler.admission.traps.traps import NO_CONTENT
from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.known.discovery import Admitted, Discovery
from minicrawl.crawler.known.known_urls import KnownUrls
from minicrawl.crawler.outcomes.outcome import Outcome
from minicrawl.crawler.recognise.sessions import Sessions
from minicrawl.crawler.visits.lookalikes import Lookalikes
from minicrawl.model import Fetched, ParsedPage
from minicrawl.store.links import places_to_bytes, to_bytes
from minicrawl.store.rows import Links


class Counted(NamedTuple):
    """The links of a page that count. `weights`: their parts of the cash, None if equal. `elsewhere`: how many links
    lead to URLs that this crawl does not own.
    """

    links: Links
    weights: npt.NDArray[np.int64] | None = None
    elsewhere: int = 0


class Outlinks:
    """Makes the links of a page known that may be, and counts them."""

    def __init__(  # noqa: PLR0913 - the parts that it joins, each named where it is built
        self,
        accounts: Accounts,
        frontier: Frontier,
        urls: KnownUrls,
        admission: Admission,
        discovery: Discovery,
        lookalikes: Lookalikes,
        sessions: Sessions,
    ) -> None:
        self._accounts = accounts
        self._frontier = frontier
        self._urls = urls
        self._admission = admission
        self._discovery = discovery
        self._lookalikes = lookalikes
        self._sessions = sessions

    def counted(self, page: int, target: int | None, outcome: Outcome, fetched: Fetched, parsed: ParsedPage) -> Counted:
        """The links that count at a turn of `page`. target: the page that it stands for: then only that link does."""
        if outcome.reason == "soft-404":
            return Counted(self._kept(page, parsed) if fetched.status == 200 else Links(page, b"", parsed.nofollow, 0))
        urls, anchors, places, refused = self._followed(page, outcome, parsed)
        is_news = fetched.status == 200 and not self._accounts.book.visited[page]
        if is_news:
            self._admission.note_read(fetched.url, fetched.content_type)
        content = self._lookalikes.content(page, fetched) if is_news else NO_CONTENT
        if "?" in fetched.url:
            self._lookalikes.note_parameters(fetched, content)
        if target is None and not urls and content is NO_CONTENT:  # as in every turn without a request
            return Counted(Links(page, b"", parsed.nofollow, refused))
        admitted = self._discovery.admitted(fetched.url, urls, anchors, content, places)
        targets = self._discovery.made_known(admitted, page, "link")
        self._lookalikes.note_links(targets, admitted.anchors)
        outlinks = np.array(targets, dtype=np.int32)
        self._note_hosts(page, outlinks)
        others = outlinks != page  # a link to itself is not counted
        own = to_bytes(outlinks[others])
        own_places = places_to_bytes(np.frombuffer(admitted.places, np.uint8)[others])
        left_out, elsewhere = refused + admitted.in_traps, len(admitted.elsewhere)
        if target is None:
            weights = self._weights(fetched.url, admitted)
            weights = None if weights is None else weights[others]
            return Counted(Links(page, own, parsed.nofollow, left_out, places=own_places), weights, elsewhere)
        to_target = to_bytes(np.array([target], dtype=np.int32))
        links = Links(page, to_target, parsed.nofollow, left_out)
        if not outcome.is_redirect:
            links = links._replace(own=own, own_places=own_places)
        return Counted(links, None, elsewhere)

    def weights_again(self, url: str, outlinks: Sequence[int]) -> npt.NDArray[np.int64] | None:
        """The weights of links that the page at `url` had at its last turn, whose anchors are not known any more."""
        if self._admission.focus.is_off:
            return None
        return self._admission.focus.weights(url, list(map(self._urls.url, outlinks)), [""] * len(outlinks))

    def _weights(self, url: str, links: Admitted) -> npt.NDArray[np.int64] | None:
        return self._admission.focus.weights(url, links.urls, links.anchors) if links.urls else None

    def _kept(self, page: int, parsed: ParsedPage) -> Links:
        """The links of a soft 404, none of which counts; those to known pages will, should it turn out to be none."""
        parsed = self._sessions.plain_links(parsed)
        found = self._urls.find(parsed.outlinks)
        is_kept = [other is not None and other != page for other in found]
        known = np.array([other for other in found if other is not None and other != page], dtype=np.int32)
        places = places_to_bytes(np.frombuffer(_places(parsed), np.uint8)[is_kept])
        return Links(page, b"", parsed.nofollow, 0, to_bytes(known), own_places=places)

    def _followed(self, page: int, outcome: Outcome, parsed: ParsedPage) -> tuple[list[str], list[str], bytes, int]:
        """The outlinks in scope with their anchors and places, and how many are not."""
        if not outcome.follows:
            return [], [], b"", 0
        depth = int(self._accounts.depth[page]) + 1
        parsed = self._sessions.plain_links(parsed)
        inside = self._admission.scope.follows(parsed.outlinks, depth)
        urls, anchors = list(compress(parsed.outlinks, inside)), list(compress(parsed.anchors, inside))
        return urls, anchors, bytes(compress(_places(parsed), inside)), len(inside) - len(urls) + parsed.refused

    def _note_hosts(self, page: int, outlinks: npt.NDArray[np.int32]) -> None:
        """Let the domains that a page links to have more pages."""
        if self._admission.traps is None or not len(outlinks):
            return
        own, hosts = int(self._frontier.pages.host_of[page]), self._frontier.hosts
        others = set(self._frontier.pages.host_of[outlinks].tolist()) - {own}
        self._admission.note_links(hosts[own].name, [hosts[host].name for host in others])


def _places(parsed: ParsedPage) -> bytes:
    """Where the outlinks of a page stand; all in one place where that was not asked."""
    return parsed.places or bytes(len(parsed.outlinks))
