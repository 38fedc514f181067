"""How many pages of some hosts are asked for."""

from collections.abc import Iterable, Mapping


class HostPages:
    """The pages of hosts with a limit of their own that are asked for, or were.

    Invariant: they are no more than the limit of their host.
    """

    def __init__(self, limits: Mapping[str, int], answered: Iterable[tuple[str, int]] = ()) -> None:
        """limits: by the name of a host. answered: names of such hosts, each with a page that has an answer."""
        self._limits = limits
        self._pages: dict[str, set[int]] = {host: set() for host in limits}
        for host, page in answered:
            self.has_place(host, page)

    def has_place(self, host: str, page: int) -> bool:
        """Whether a page of a host may be asked for, now and again, until its place is given back."""
        limit = self._limits.get(host)
        if limit is None:
            return True
        pages = self._pages[host]
        if page not in pages and len(pages) >= limit:
            return False
        pages.add(page)
        return True

    def give_back(self, host: str, page: int) -> None:
        """A page is not asked for after all."""
        if host in self._pages:
            self._pages[host].discard(page)
