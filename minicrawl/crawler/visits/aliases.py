"""Which page stands for which other one: by a redirect, or by a hint such as rel=canonical.

alias   the page that stands for another, its target
chain   from alias to alias, over at most MAX_HOPS of them
hint    what makes an alias that is no redirect
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from minicrawl.crawler.admission.traps import NOTHING
from minicrawl.crawler.known.known_web import KnownWeb
from minicrawl.crawler.outcomes.outcome import MAX_HOPS, Outcome
from minicrawl.crawler.visits.max_depth import Beyond
from minicrawl.model import State
from minicrawl.opic.coverage import PageKind
from minicrawl.store.links import from_bytes, to_bytes
from minicrawl.store.rows import Restated


class Aliases:
    """Which pages stand for which.

    A redirect is a fact. A canonical, a refresh or the same text is a hint: such a page keeps links of its own, and
    stands for itself again when nothing is behind the hint.
    """

    def __init__(self, web: KnownWeb, beyond: Beyond) -> None:
        self._web = web
        self._beyond = beyond
        self._hinted: defaultdict[int, list[int]] = defaultdict(list)  # aliases by a hint, by what they stand for
        for alias, target in web.writer.hinted():
            self._hinted[target].append(alias)
        self._reinstated: list[int] = []

    def note_hint(self, alias: int, target: int) -> None:
        """Take in that a page stands for another by a hint."""
        self._hinted[target].append(alias)

    def take_reinstated(self) -> list[int]:
        """The pages that have come to stand for themselves again since the last call."""
        reinstated, self._reinstated = self._reinstated, []
        return reinstated

    def target(self, page: int, outcome: Outcome) -> tuple[int | None, Outcome]:
        """The page that `page` stands for, if it may, and the outcome in the light of that."""
        if outcome.alias is None:
            return None, outcome
        found: int | None = None
        refusal = self._web.scope.refuses(outcome.alias, int(self._web.accounts.depth[page]))
        if refusal is None:
            # A target that is not known yet cannot lead back here.
            found = self._web.known.find([outcome.alias])[0]
            refusal = self._chain(page, found) if found is not None else self._long_chain(page)
            if refusal is None and found is None and self._web.traps is not None:
                refusal = self._web.traps.take_in(self._web.known.url(page), NOTHING, [outcome.alias])[0]
            if refusal == "loop" and outcome.is_redirect and found is not None and self._void_hint(found, page):
                refusal = self._chain(page, found)
            if refusal is None and not outcome.is_redirect and found is not None and self._is_dead(found):
                refusal = "dead"
        if refusal is None:
            if self._web.traps is not None and self._web.accounts.depth[page] == 0:
                self._web.traps.protect([outcome.alias])  # what a seed stands for is meant as well
            if found is None:
                found = self._web.made_known([outcome.alias], [None], page, outcome.reason, same_depth=True)[0]
            return found, outcome
        if outcome.is_redirect:
            return None, Outcome(State.ERROR, f"redirect-{refusal}", alias=outcome.alias)
        return None, replace(outcome, state=State.FETCHED, reason=f"{outcome.reason}-{refusal}")

    def hinted(self, page: int) -> list[int]:
        """The pages that stand for `page` by a hint, and some that did."""
        return self._hinted.get(page, [])

    def void_hints_to(self, page: int) -> None:
        """Let the pages that name `page` as canonical stand for themselves: there is nothing behind that name."""
        self.void_hints(page, self._hinted.pop(page, []), "dead")

    def void_hints(self, page: int, aliases: Iterable[int], why: str) -> None:
        """Let those of some pages stand for themselves that stand for `page` by a hint."""
        for alias in aliases:
            row = self._web.links_row(alias) if self._web.accounts.book.visited[alias] else None
            if row is not None and row.own is not None and row.targets and from_bytes(row.targets)[0] == page:
                self._stand_for_itself(alias, why)

    def hand_over(self, leader: int, heir: int, others: Iterable[int]) -> None:
        """Let `heir` be the page that `leader` was, and that `leader`, `heir` and `others` were copies of.

        The links of a cluster are committed when this is called.
        """
        self._stand_for_itself(heir, None)
        for alias in (leader, *others):
            row = self._web.links_row(alias)
            old = from_bytes(row.targets)
            to_heir = np.array([heir], dtype=np.int32)
            self._web.accounts.relink(alias, to_heir, old, PageKind.ALIAS)
            own = row.targets if row.own is None else row.own
            self._web.batch.links[alias] = row._replace(targets=to_bytes(to_heir), own=own)
            self._web.batch.restated[alias] = Restated(alias, State.ALIAS, "duplicate")
            self.note_hint(alias, heir)

    def give_links_back(self, page: int, reason: str) -> None:
        """Let a page whose own links did not count be one that was read, as the reason says."""
        row = self._web.links_row(page)
        assert row.own is not None, "only a page with links of its own can stand for itself"
        own = from_bytes(row.own)
        depths = self._web.accounts.depth[own]
        self._web.accounts.relink(page, own, from_bytes(row.targets))
        self._web.batch.links[page] = row._replace(targets=row.own, own=None)
        self._web.batch.restated[page] = Restated(page, State.FETCHED, reason)
        self._beyond.note_nearer(own, depths)

    def _chain(self, page: int, target: int) -> str | None:
        """What is wrong with letting `page` stand for `target`: a loop, or a chain of too many hops."""
        for _ in range(MAX_HOPS):
            if target == page:
                return "loop"
            if not self._web.accounts.ledger.alias[target]:
                return self._long_chain(page)
            target = int(self._web.outlinks(target)[0])
        return "chain"

    def _long_chain(self, page: int) -> str | None:
        accounts = self._web.accounts
        if accounts.hops[page] >= MAX_HOPS and accounts.hops_may_fall:
            aliases = np.flatnonzero(accounts.ledger.alias[: accounts.size])
            accounts.count_hops((alias, int(self._web.outlinks(alias)[0])) for alias in aliases.tolist())
        return "chain" if accounts.hops[page] >= MAX_HOPS else None

    def _void_hint(self, alias: int, page: int) -> bool:
        """Let the first page in the chain from `alias` to `page` that is an alias by a mere hint stand for itself.

        That is a page whose rel=canonical names `page`, which in turn redirects to it, as on sites that moved to
        https: the redirect is a fact, the canonical a hint. False where there is none: the loop is of redirects.
        """
        while alias != page:
            row = self._web.links_row(alias)
            if row.own is not None:
                self._stand_for_itself(alias, "loop")
                return True
            alias = int(from_bytes(row.targets)[0])
        return False

    def _stand_for_itself(self, alias: int, why: str | None) -> None:
        """Give an alias its own links back. why: what is wrong with what it stood for, if something is."""
        hint = "duplicate" if self._web.last_turn(alias).reason == "duplicate" else "canonical"
        self.give_links_back(alias, f"{hint}-{why}" if why else "ok")
        self._reinstated.append(alias)

    def _is_dead(self, page: int) -> bool:
        """Whether the last turn of a page found nothing."""
        return self._web.last_state(page) in (State.ERROR, State.GONE)
