"""Limits of pages for single hosts (--host-pages)."""

from collections.abc import Iterable, Mapping
from typing import Self

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.urls.normalise import by_host
from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.settings import parse_host_limit


class HostPages(Part):
    """The pages requested of hosts with a limit of their own.

    Invariant: a host has no more of them than its limit.
    """

    def __init__(
        self,
        limits: Mapping[str, int],
        answered: Iterable[tuple[str, int]],
        accounts: Accounts,
        frontier: Frontier,
    ) -> None:
        """limits: by host name. answered: names of such hosts, each with a page that has an answer."""
        self._limits = limits
        self._accounts = accounts
        self._frontier = frontier
        self._pages: dict[str, set[int]] = {host: set() for host in limits}
        for host, page in answered:
            self._has_place(host, page)

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        limits = by_host(parse_host_limit("host_pages", rule) for rule in opening.settings.host_pages)
        state = opening.state
        answered = state.writer.page_table.answered_on(limits)
        return cls(limits, answered, state.accounts, state.frontier) if limits else None

    def refusal(self, page: int, url: str) -> str | None:
        """A seed takes a place, but is never refused."""
        has_place = self._has_place(self._frontier.host(page).name, page)
        return None if has_place or self._accounts.depth[page] == 0 else "host-pages"

    def on_refusal(self, page: int) -> None:
        """Free the place of a page that was never read."""
        host = self._frontier.host(page).name
        if host in self._pages and not self._accounts.had_turn[page]:
            self._pages[host].discard(page)

    def _has_place(self, host: str, page: int) -> bool:
        limit = self._limits.get(host)
        if limit is None:
            return True
        pages = self._pages[host]
        if page not in pages and len(pages) >= limit:
            return False
        pages.add(page)
        return True
