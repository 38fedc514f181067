"""The turn of a page, as it passes from step to step; and links beyond --max-depth.

These are followed when a shorter way to the page is found, or when a later run goes deeper.
"""

import json
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from minicrawl.crawler.known.crawl_state import CrawlState
from minicrawl.crawler.outcomes.outcome import Outcome
from minicrawl.model import Fetched, ParsedPage, Place, State
from minicrawl.opic.arrays import Pages
from minicrawl.store.links import Links, PlacedLinks, packed, placed
from minicrawl.store.pages import Fetch


class Turn(Struct):
    """An answer for a page, and its results.

    not_before: Unix seconds before which the page has no other turn. targets, anchors: the pages that it links to, with
    the texts of these links. last: the answer before this one, if the page was there then. is_withheld: the page
    forbids a use that the crawl respects.
    """

    page: int
    fetched: Fetched
    parsed: ParsedPage
    outcome: Outcome
    now: float
    not_before: float = 0.0
    targets: Sequence[int] = ()
    anchors: Sequence[str] = ()
    last: Fetch | None = None
    is_withheld: bool = False


_NONE: Pages = np.zeros(0, dtype=np.int64)


class DeepLinks:
    """Links of visited pages refused by --max-depth alone; they are followed once their page is near enough."""

    def __init__(self, state: CrawlState) -> None:
        self._accounts = state.accounts
        self._pages = state.pages
        self._urls = state.urls
        self._admission = state.admission
        self._discovery = state.discovery

    def noted(self, turn: Turn, links: Links, before: Links | None) -> Links:
        """The row of a page's links with its refused target, the links refused by --max-depth alone, and those that are
        no URLs. before: the row so far."""
        page, outcome, parsed = turn.page, turn.outcome, turn.parsed
        if outcome.reason == "soft-404":  # they are kept as they were, should it turn out to be none
            if before is None:
                return links
            return links._replace(leads_to=before.leads_to, too_deep=before.too_deep, malformed=before.malformed)
        leads_to = None if outcome.state is State.ALIAS else outcome.alias
        scope = self._admission.scope
        depth, source = int(self._accounts.depth[page]) + 1, turn.fetched.url
        too_deep = [
            url
            for url in (parsed.outlinks if scope.limits_depth else ())
            if scope.refuses(url, depth, source=source) == "max-depth" and scope.refuses(url, 0, source=source) is None
        ]
        if not (leads_to or too_deep or parsed.malformed):
            return links  # as mostly
        kept = json.dumps(too_deep) if too_deep and outcome.follows else None
        malformed = json.dumps(parsed.malformed) if parsed.malformed else None
        return links._replace(leads_to=leads_to, too_deep=kept, malformed=malformed)

    def follow_further(self, now: float) -> None:
        """Follow links that a smaller --max-depth has left out so far."""
        for page in self._pages.with_deep_links():
            self._follow_behind(self._follow(page))
        self._discovery.offer_new(now)

    def note_nearer(self, pages: Pages, depths: npt.NDArray[np.int32]) -> None:
        """Follow more links of pages once at `depths` that are nearer to a seed now, and of the pages behind them."""
        if not self._admission.scope.limits_depth:
            return  # depths do not matter, and in the end all are done at once
        self._follow_behind(pages[self._accounts.depth[pages] < depths])

    def _follow_behind(self, pages: Pages) -> None:
        """Follow more links of pages that are nearer now, and of the pages behind them."""
        nearer: list[int] = pages.tolist()
        while nearer:
            page = nearer.pop()
            if not self._accounts.had_turn[page]:
                continue  # its links are followed when its turn comes
            nearer += self._follow(page).tolist()
            targets = self._pages.outlinks(page)
            behind = targets[self._accounts.depth[targets] > self._accounts.reach(page)]
            self._accounts.bring_nearer(page, behind)
            nearer += behind.tolist()

    def _follow(self, page: int) -> Pages:
        """Follow the links of a read page that are no longer beyond --max-depth. Returns the known pages that are
        nearer by these."""
        row = self._pages.links_row(page)
        depth, source = int(self._accounts.depth[page]) + 1, self._urls.url(page)
        too_deep = json.loads(row.too_deep or "[]")
        refusals = {url: self._admission.scope.refuses(url, depth, source=source) for url in too_deep}
        urls = [url for url, refusal in refusals.items() if refusal is None]
        if not urls:
            return _NONE
        still = [url for url, refusal in refusals.items() if refusal == "max-depth"]
        own = placed(row.targets if row.own is None else row.own)
        admitted = self._discovery.admitted(urls, urls)
        known = np.array([target for target in admitted.pages if target is not None], dtype=np.int64)
        depths = self._accounts.depth[known]
        found = np.array(self._discovery.made_known(admitted, page, "link"), dtype=np.int64)
        found = found[(found != page) & ~np.isin(found, own.targets)]
        left_out = max(row.refused - len(admitted.urls), 0)
        self._pages.left_out += left_out - row.refused
        row = row._replace(refused=left_out, too_deep=json.dumps(still) if still else None)
        targets_now = np.concatenate([own.targets, found])
        in_list = np.full(len(found), Place.LIST, dtype=np.uint8)  # their place is unknown
        outlinks = PlacedLinks(targets_now, None if own.places is None else np.concatenate([own.places, in_list]))
        if row.own is None:
            self._accounts.relink(page, outlinks, own)
            self._pages.relink(row._replace(targets=packed(outlinks)))
        else:
            self._pages.relink(row._replace(own=packed(outlinks)))
        return known[self._accounts.depth[known] < depths]
