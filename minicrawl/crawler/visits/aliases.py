"""Aliases: pages that stand for another, by a redirect or a hint such as rel=canonical.

alias   a page that stands for another, its target
chain   from alias to alias, over at most MAX_HOPS of them; where one ends, it counts as long as it ever was
hint    the reason of an alias that is not a redirect
"""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from msgspec.structs import replace

from minicrawl.crawler.known.crawl_state import CrawlState
from minicrawl.crawler.known.discovery import Admitted
from minicrawl.crawler.outcomes.outcome import Outcome
from minicrawl.crawler.visits.turn import DeepLinks, Turn
from minicrawl.model import State
from minicrawl.opic.coverage import PageKind
from minicrawl.reasons import MAX_HOPS
from minicrawl.store.links import NOWHERE, Links, from_bytes, placed
from minicrawl.web.urls.keys import site_of

_UNTOLD = "not-archived"
"""The reason of a page that an archive lacks, which does not tell that nothing is there."""


class Aliases:
    """The aliases and their targets.

    A redirect is a fact. A canonical, a refresh or the same text is a hint: such a page keeps links of its own, and
    stands for itself again if the hint's target turns out to be nothing, or must not be read.
    """

    def __init__(self, state: CrawlState, deep_links: DeepLinks) -> None:
        self._accounts = state.accounts
        self._pages = state.pages
        self._urls = state.urls
        self._admission = state.admission
        self._discovery = state.discovery
        self._deep_links = deep_links
        self._hinted: defaultdict[int, list[int]] = defaultdict(list)  # aliases by a hint, by target
        query = "SELECT source, stands_for FROM links JOIN pages ON id = source WHERE own IS NOT NULL"
        for alias, target in state.writer.rows(f"{query} AND stands_for IS NOT NULL"):
            self._hinted[target].append(alias)
        self._reinstated: list[int] = []

    def note_turn(self, turn: Turn, links: Links, before: Links | None) -> None:
        """Note an alias by a hint, and void the hints that lead to a page where nothing was found."""
        if self._accounts.has_neighbours and turn.outcome.state is State.ALIAS:
            self.lengthen(from_bytes(links.targets).tolist())
        is_known = before is not None and before.own is not None and before.targets == links.targets
        if links.own is not None and links.targets and not is_known:
            self._hinted[int(from_bytes(links.targets)[0])].append(turn.page)
        if turn.outcome.state in (State.ERROR, State.GONE) and turn.outcome.reason != _UNTOLD:
            self.void_hints_to(turn.page)
        elif turn.outcome.state is State.DISALLOWED:
            self.void_hints(turn.page, self._hinted.pop(turn.page, []), "unread")

    def take_reinstated(self) -> list[int]:
        """The pages that stand for themselves again since the last call."""
        reinstated, self._reinstated = self._reinstated, []
        return reinstated

    def target(self, page: int, outcome: Outcome) -> tuple[int | None, Outcome]:
        """The target of `page`, if it may be an alias, and the outcome adjusted to that."""
        if outcome.alias is None:
            return None, outcome
        (found,) = self._urls.find([outcome.alias])
        refusal = self._refusal(page, outcome, found)
        if refusal is None:
            if self._accounts.depth[page] == 0:
                self._admission.protect([outcome.alias])  # a seed's target is meant as well
            if found is None:
                target = Admitted([outcome.alias], [""], [None])
                (found,) = self._discovery.made_known(target, page, outcome.reason, same_depth=True)
            return found, outcome
        if outcome.is_redirect:
            return None, Outcome(State.ERROR, f"redirect-{refusal}", alias=outcome.alias)
        return None, replace(outcome, state=State.FETCHED, reason=f"{outcome.reason}-{refusal}")

    def _refusal(self, page: int, outcome: Outcome, target: int | None) -> str | None:
        """Reason why a page may not be an alias of its outcome's target, page `target` if known; None: it may."""
        assert outcome.alias is not None
        is_redirect = outcome.is_redirect
        if int(self._accounts.depth[page]) == 0 and (is_redirect or outcome.reason == "meta-refresh"):
            # The scope of a seed is also that of where it leads within its site.
            is_outside = not self._admission.scope.is_inside(outcome.alias)
            if is_outside and site_of(outcome.alias) == site_of(self._urls.url(page)):
                self._admission.widen([outcome.alias])
        scope = self._admission.scope
        refusal = scope.refuses(outcome.alias, int(self._accounts.depth[page]), is_redirect=is_redirect)
        if refusal is None and not is_redirect and scope.only_checks(self._urls.url(page)):
            refusal = f"scope-{scope.kind}"
        if refusal is not None:
            return refusal
        if target is None:  # it cannot lead back here
            return self._long_chain(page) or self._admission.refusal(outcome.alias)
        refusal = self._chain(page, target)
        if refusal == "loop" and outcome.is_redirect and self._void_hint(target, page):
            refusal = self._chain(page, target)
        if refusal is None and not outcome.is_redirect:
            is_forbidden = self._pages.last_state(target) == State.DISALLOWED
            refusal = "dead" if self.is_dead(target) else "unread" if is_forbidden else None
        return refusal

    def hinted(self, page: int) -> list[int]:
        """The aliases of `page` by a hint, and some former ones."""
        return self._hinted.get(page, [])

    def hinted_mirrors(self) -> list[int]:
        """Pages of other partitions that have aliases here, by a hint, or had: whether they are dead is known there."""
        is_alias, is_mirror = self._accounts.book.alias, self._accounts.book.is_mirror
        named = np.fromiter((page for page, aliases in self._hinted.items() if is_alias[aliases].any()), np.int64)
        mirrors: list[int] = named[is_mirror(named)].tolist()
        return mirrors

    def void_hints_to(self, page: int) -> int:
        """Let the pages that name `page` as canonical stand for themselves: nothing was found there. Returns their
        number."""
        return self.void_hints(page, self._hinted.pop(page, []), "dead")

    def void_hints(self, page: int, aliases: Iterable[int], why: str) -> int:
        """Let those of some pages that are aliases of `page` by a hint stand for themselves. Returns their number."""
        before = len(self._reinstated)
        for alias in aliases:
            row = self._pages.links_row(alias) if self._accounts.had_turn[alias] else None
            if row is not None and row.own is not None and row.targets and from_bytes(row.targets)[0] == page:
                self._stand_for_itself(alias, why)
        return len(self._reinstated) - before

    def lengthen(self, pages: Iterable[int]) -> None:
        """Pass on longer chains of aliases to some pages, from other partitions, and break chains that are too long. A
        loop through several partitions is a chain that grows with every hand-over, so it ends here."""
        book, hops = self._accounts.book, self._accounts.hops
        for page in pages:
            longer = page
            while book.alias[longer] and not book.gone[longer]:
                if hops[longer] >= MAX_HOPS:
                    self._break(longer)
                    break
                target = self._pages.outlinks(longer)
                if not len(self._accounts.lengthen(target, hops[longer : longer + 1] + 1)):
                    break
                longer = int(target[0])

    def _break(self, alias: int) -> None:
        """Let an alias by a hint stand for itself; make one by a redirect an error."""
        row = self._pages.links_row(alias)
        if row.own is not None:
            self._stand_for_itself(alias, "chain")
            return
        self._accounts.relink(alias, NOWHERE, placed(row.targets), PageKind.NOTHING)
        self._pages.relink(row._replace(targets=b""))
        self._pages.restate(alias, State.ERROR, "redirect-chain")
        self.void_hints_to(alias)

    def give_links_back(self, page: int, reason: str) -> None:
        """Let a page whose own links did not count be a read page, with this reason."""
        row = self._pages.links_row(page)
        assert row.own is not None, "only a page with links of its own can stand for itself"
        own = placed(row.own)
        depths = self._accounts.depth[own.targets]
        self._accounts.relink(page, own, placed(row.targets))
        self._pages.relink(row._replace(targets=row.own, own=None))
        self._pages.restate(page, State.FETCHED, reason)
        self._deep_links.note_nearer(own.targets, depths)

    def _chain(self, page: int, target: int) -> str | None:
        """The fault in making `page` an alias of `target`: a loop, or a chain of too many hops."""
        for _ in range(MAX_HOPS):
            if target == page:
                return "loop"
            if not self._accounts.book.alias[target] or self._accounts.book.gone[target]:
                return self._long_chain(page)  # a mirror's target is checked at its home
            target = int(self._pages.outlinks(target)[0])
        return "chain"

    def _long_chain(self, page: int) -> str | None:
        return "chain" if self._accounts.hops[page] >= MAX_HOPS else None

    def _void_hint(self, alias: int, page: int) -> bool:
        """Let the first alias by a mere hint in the chain from `alias` to `page` stand for itself.

        Its rel=canonical names `page`, which in turn redirects to it, as on sites that moved to https: the redirect is
        a fact, the canonical a hint. False if there is none: the loop is of redirects.
        """
        while alias != page:
            row = self._pages.links_row(alias)
            if row.own is not None:
                self._stand_for_itself(alias, "loop")
                return True
            alias = int(from_bytes(row.targets)[0])
        return False

    def _stand_for_itself(self, alias: int, why: str | None) -> None:
        """Give an alias its own links back. why: the fault of its target, if any."""
        reason = self._pages.last_turn(alias).reason
        hint = reason if reason in ("front-page", "same-page") else "canonical"
        self.give_links_back(alias, f"{hint}-{why}" if why else "ok")
        self._reinstated.append(alias)

    def is_dead(self, page: int) -> bool:
        """True if the last turn of a page found nothing."""
        is_failed = self._pages.last_state(page) in (State.ERROR, State.GONE)
        return is_failed and self._pages.last_turn(page).reason != _UNTOLD
