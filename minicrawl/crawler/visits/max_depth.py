"""Links beyond --max-depth: which a page has, and when they are followed after all.

They are when a shorter way to the page is found, or when a later run goes deeper.
"""

import json

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.known.known_web import KnownWeb
from minicrawl.crawler.outcomes.outcome import Outcome
from minicrawl.model import ParsedPage, State
from minicrawl.store.links import from_bytes, to_bytes
from minicrawl.store.rows import Refused


class Beyond:
    """Links of read pages that only --max-depth keeps out; they are followed once their page is near enough."""

    def __init__(self, web: KnownWeb) -> None:
        self._web = web

    def note_refused(self, page: int, outcome: Outcome, parsed: ParsedPage) -> None:
        """Keep where the page would lead to if it were allowed to, and what only --max-depth keeps out."""
        leads_to = None if outcome.state is State.ALIAS else outcome.alias
        scope = self._web.scope
        is_farthest = scope.max_depth is not None and self._web.accounts.depth[page] >= scope.max_depth
        beyond = [url for url in parsed.outlinks if scope.refuses(url, 0) is None] if is_farthest else []
        if leads_to or (beyond and outcome.follows) or self._web.accounts.book.visited[page]:
            kept = json.dumps(beyond) if beyond and outcome.follows else None
            self._web.batch.refused[page] = Refused(page, leads_to, kept)

    def follow_further(self, now: float) -> None:
        """Follow what an earlier run with a smaller --max-depth has left out."""
        first_new = self._web.accounts.size
        for row in list(self._web.writer.too_deep()):
            self._follow(row.source)
        for page in range(first_new, self._web.accounts.size):
            self._web.frontier.add(page, now)

    def note_nearer(self, pages: npt.NDArray[np.int32], depths: npt.NDArray[np.int32]) -> None:
        """Pages that were at `depths` may be nearer to a seed now: so are those behind them, and more is followed."""
        if self._web.scope.max_depth is None:
            return  # nothing depends on it, and in the end all are done at once
        nearer: list[int] = pages[self._web.accounts.depth[pages] < depths].tolist()
        while nearer:
            page = nearer.pop()
            if not self._web.accounts.book.visited[page]:
                continue  # its links are followed when its turn comes
            self._follow(page)
            targets = self._web.outlinks(page)
            behind = targets[self._web.accounts.depth[targets] > self._web.accounts.reach(page)]
            self._web.accounts.bring_nearer(page, behind)
            nearer += behind.tolist()

    def _follow(self, page: int) -> None:
        """Follow those links of a read page that were beyond --max-depth and no longer are."""
        refused = self._web.batch.refused.get(page) or self._web.writer.refused(page)
        depth = int(self._web.accounts.depth[page]) + 1
        beyond = json.loads(refused.too_deep or "[]") if refused else []
        urls = [url for url in beyond if self._web.scope.refuses(url, depth) is None]
        if refused is None or not urls:
            return
        self._web.batch.refused[page] = refused._replace(too_deep=None)
        row = self._web.links_row(page)
        own = from_bytes(row.targets if row.own is None else row.own)
        urls, _, known, _ = self._web.admitted(self._web.known.url(page), urls, urls)
        found = np.array(self._web.made_known(urls, known, page, "link"), dtype=np.int32)
        found = found[(found != page) & ~np.isin(found, own)]
        left_out = max(row.refused - len(urls), 0)
        self._web.links_left_out += left_out - row.refused
        row = row._replace(refused=left_out)
        if row.own is None:
            self._web.accounts.relink(page, np.concatenate([own, found]), own)
            self._web.batch.links[page] = row._replace(targets=to_bytes(np.concatenate([own, found])))
        else:
            self._web.batch.links[page] = row._replace(own=to_bytes(np.concatenate([own, found])))
