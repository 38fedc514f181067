"""Budgets of sites: a server may make up hosts and pages without end.

They grow with the sites that link there (IRLbot's STAR, WWW 2008). The owner of a site can make up hosts (wildcard DNS)
and pages, but not links from others that are trusted. So pages are counted by site, and the sites that link to it vouch
for it, each as far as it is trusted (opic/sites.py). Each full voucher makes room for PAGES more. Sites of seeds, sites
with MANY vouchers, and those that became known since trust was worked out last have none.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from minicrawl.web.urls.keys import site_of

PAGES = 5_000
PAGES_PER_HOST = 50
HOSTS = PAGES // PAGES_PER_HOST
MANY = 100
"""Vouchers from which on a site has no budget."""

Vouchers = Callable[[str], float | None]
"""The vouchers of a site by name; None: it is new."""


class Budgets:
    """The pages and hosts of every site. Verdicts depend on the seeds, the vouchers and the numbers of pages alone."""

    def __init__(self, vouchers: Vouchers, pages: Mapping[str, int] | None = None) -> None:
        """pages: number of known pages by host, with its port if it has one."""
        self._vouchers = vouchers
        self._site_of: dict[str, str] = {}  # by host that has pages
        self._pages, self._hosts = Counter[str](), Counter[str]()
        self._seeds: set[str] = set()
        for host, known in (pages or {}).items():
            if known:
                self.add(host, known)

    def protect(self, hosts: Iterable[str]) -> None:
        """Exempt the sites of these hosts from budgets: the user wants them crawled."""
        self._seeds.update(map(self._site, hosts))

    def refusal(self, host: str) -> tuple[str, str] | None:
        """The rule that refuses more pages of a host, and the name of the budget; None: there is room."""
        site = self._site(host)
        known, hosts = self._pages[site], self._hosts[site]
        has_many_hosts = hosts >= HOSTS and host not in self._site_of
        if not (known >= PAGES or has_many_hosts) or site in self._seeds:
            return None
        vouchers = self._vouchers(site)
        most = math.inf if vouchers is None or vouchers >= MANY else PAGES * (1.0 + vouchers)
        if known >= most:
            return "trap-host-budget", site
        return ("trap-many-hosts", f"*.{site}") if has_many_hosts and PAGES_PER_HOST * hosts >= most else None

    def add(self, host: str, pages: int = 1) -> None:
        site = self._site_of.get(host)
        if site is None:
            site = self._site_of[host] = self._site(host)
            self._hosts[site] += 1
        self._pages[site] += pages

    def _site(self, host: str) -> str:
        # Looking up a suffix takes long: a host that is known as a site is its own.
        return self._site_of.get(host) or (host if host in self._pages else site_of(host))
