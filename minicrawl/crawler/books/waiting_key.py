"""By what a page that was never read is in order, where a crawl goes by anticipated cash: what the key is made of."""

from dataclasses import dataclass

from minicrawl.opic.anticipated import ACROSS, key, rate
from minicrawl.store.reader import Store


@dataclass(frozen=True)
class WaitingKey:
    """Units of cash: what the page has, and what it is expected to get of its own site and from elsewhere."""

    cash: int
    own_site: int
    elsewhere: int

    @property
    def key(self) -> int:
        return self.cash + self.own_site + self.elsewhere


def waiting_key(store: Store, page: int) -> WaitingKey | None:
    """The key of a page as of the last commit; None where the order is another one, or the page was read."""
    facts = store.page_table.facts(page)
    if not store.meta("anticipates") or facts["visited"]:
        return None
    host, brought, cash = store.anticipated.host(facts["host"].id), store.anticipated.brought(page), facts["standing"]
    now = rate(host.waiting, host.spent, host.brought, host.visited)
    return WaitingKey(cash, key(cash, brought, now) - cash - ACROSS * brought, ACROSS * brought)
