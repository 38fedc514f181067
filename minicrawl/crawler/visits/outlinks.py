"""The counted links of a page."""

from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np

from minicrawl.crawler.admission.traps.traps import NO_CONTENT, PageContent
from minicrawl.crawler.known.crawl_state import CrawlState
from minicrawl.crawler.recognise.sessions import Sessions
from minicrawl.crawler.urls.keys import politeness_key
from minicrawl.crawler.visits.part import Parts
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import Fetched, ParsedPage
from minicrawl.store.link_table import Links
from minicrawl.store.links import NOWHERE, PlacedLinks, linked, places_to_bytes, to_bytes


class Counted(NamedTuple):
    """The counted links of a page: as the row of the store, and `outlinks` as arrays. `elsewhere`: number of links to
    URLs that this crawl does not own."""

    links: Links
    outlinks: PlacedLinks = NOWHERE
    elsewhere: int = 0


class Outlinks:
    """Makes the admitted links of a page known, and counts them."""

    def __init__(self, state: CrawlState, sessions: Sessions, parts: Parts) -> None:
        self._accounts = state.accounts
        self._urls = state.urls
        self._admission = state.admission
        self._discovery = state.discovery
        self._interests = state.interests
        self._sessions = sessions
        self._parts = parts

    def counted(self, turn: Turn, target: int | None) -> Counted:
        """The links that count at a turn. target: the page that an alias stands for: the only link then."""
        page, outcome, fetched, parsed = turn.page, turn.outcome, turn.fetched, turn.parsed
        if outcome.reason == "soft-404":
            return Counted(self._kept(page, parsed) if fetched.status == 200 else Links(page, b"", parsed.nofollow, 0))
        urls, anchors, places, refused = self._followed(turn)
        if fetched.status == 200 and not self._accounts.had_turn[page]:
            turn.content = self._content(fetched)
            self._parts.before_links(turn)
        if target is None and not urls and turn.content is NO_CONTENT:  # as in every turn without a request
            return Counted(Links(page, b"", parsed.nofollow, refused))
        admitted = self._discovery.admitted(fetched.url, urls, anchors, turn.content, places)
        turn.targets, turn.anchors = self._discovery.made_known(admitted, page, "link"), admitted.anchors
        self._interests.note_links(turn.targets, admitted.urls, admitted.anchors, parsed.title or "")
        targets, places = turn.targets, admitted.places
        if page in targets:  # a link to itself is not counted
            at = targets.index(page)
            targets, places = [*targets[:at], *targets[at + 1 :]], places[:at] + places[at + 1 :]
        outlinks = linked(targets, places)
        own, own_places = to_bytes(outlinks.targets), places_to_bytes(outlinks.places)
        left_out, elsewhere = refused + admitted.in_traps, len(admitted.elsewhere)
        if target is None:
            links = Links(page, own, parsed.nofollow, left_out, places=own_places)
            return Counted(links, outlinks, elsewhere)
        to_target = linked([target], b"")
        links = Links(page, to_bytes(to_target.targets), parsed.nofollow, left_out)
        if not outcome.is_redirect:
            links = links._replace(own=own, own_places=own_places)
        return Counted(links, to_target, elsewhere)

    def _content(self, fetched: Fetched) -> PageContent:
        """The content of a page, for traps.

        A page has the same content with and without its session. So when a session has been found, nothing counts as
        known content on its host: digests change from then on.
        """
        if fetched.digest is None:
            return PageContent(None, fetched.wording)
        return PageContent(fetched.digest ^ self._sessions.found_on(politeness_key(fetched.url)), fetched.wording)

    def _kept(self, page: int, parsed: ParsedPage) -> Links:
        """The links of a soft 404, none of which counts; those to known pages will, should it turn out to be none."""
        parsed = self._sessions.plain_links(parsed)
        found = self._urls.find(parsed.outlinks)
        is_kept = [other is not None and other != page for other in found]
        known = np.array([other for other in found if other is not None and other != page], dtype=np.int32)
        places = places_to_bytes(np.frombuffer(_places(parsed), np.uint8)[is_kept])
        return Links(page, b"", parsed.nofollow, 0, to_bytes(known), own_places=places)

    def _followed(self, turn: Turn) -> tuple[Sequence[str], Sequence[str], bytes, int]:
        """The outlinks in scope with their anchors and places, and the number of others."""
        if not turn.outcome.follows:
            return [], [], b"", 0
        depth = int(self._accounts.depth[turn.page]) + 1
        parsed = self._sessions.plain_links(turn.parsed)
        inside = self._admission.scope.follows(parsed.outlinks, depth, turn.fetched.url)
        if False not in inside:
            return parsed.outlinks, parsed.anchors, _places(parsed), parsed.refused
        urls, anchors = list(compress(parsed.outlinks, inside)), list(compress(parsed.anchors, inside))
        return urls, anchors, bytes(compress(_places(parsed), inside)), len(inside) - len(urls) + parsed.refused


def _places(parsed: ParsedPage) -> bytes:
    """The places of the outlinks of a page; all 0 if unknown."""
    return parsed.places or bytes(len(parsed.outlinks))
