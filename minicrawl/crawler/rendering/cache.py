"""Scripts that many pages ask for: kept for a while, so that their hosts are asked once."""

from collections.abc import Callable
from typing import NamedTuple

_LIFETIME = 3600.0
"""Seconds: a script that is older is asked for again."""
_MOST = 64 * 2**20
"""Bytes that are kept."""


class Resource(NamedTuple):
    """An answer to a request of a page. `headers`: names in lower case. `url`: where it came from, after redirects."""

    url: str
    status: int
    headers: dict[str, str]
    body: bytes


class ResourceCache:
    """Answers by URL; those go first that were kept first."""

    def __init__(self, clock: Callable[[], float], most: int = _MOST) -> None:
        self._clock = clock
        self._most = most
        self._kept: dict[str, tuple[float, Resource]] = {}
        self.size = 0

    def get(self, url: str) -> Resource | None:
        since, found = self._kept.get(url, (0.0, None))
        return found if found is not None and self._clock() - since < _LIFETIME else None

    def put(self, url: str, resource: Resource) -> None:
        """Keep a good answer, unless its server forbids that."""
        if resource.status != 200 or "no-store" in resource.headers.get("cache-control", "").lower():
            return
        self._drop(url)
        while self._kept and self.size + len(resource.body) > self._most:
            self._drop(next(iter(self._kept)))
        if len(resource.body) <= self._most:
            self._kept[url] = self._clock(), resource
            self.size += len(resource.body)

    def _drop(self, url: str) -> None:
        _, dropped = self._kept.pop(url, (0.0, None))
        if dropped is not None:
            self.size -= len(dropped.body)
