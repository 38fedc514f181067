"""The key of a page that was never read, in a crawl by anticipated cash, as a sum of terms."""

from dataclasses import dataclass

from minicrawl.opic.anticipated import ACROSS, key, rate
from minicrawl.store.reader import Store


@dataclass(frozen=True)
class WaitingKey:
    """Units of cash: those of the page, and those expected from its own site and from elsewhere."""

    cash: int
    own_site: int
    elsewhere: int

    @property
    def key(self) -> int:
        return self.cash + self.own_site + self.elsewhere


def waiting_key(store: Store, page: int) -> WaitingKey | None:
    """The key of a page as of the last commit; None if the order is another one, or the page was read."""
    facts = store.page_table.facts(page)
    if not store.meta("anticipates") or facts["visited"]:
        return None
    host, brought, cash = store.anticipated.host(facts["host"].id), store.anticipated.brought(page), facts["standing"]
    now = rate(host.waiting, host.spent, host.brought, host.visited)
    return WaitingKey(cash, key(cash, brought, now) - cash - ACROSS * brought, ACROSS * brought)
