"""Which IP addresses a name has: asked of the name server without blocking, and remembered for a while.

By c-ares, which reads /etc/hosts and /etc/resolv.conf as the system's own resolver does. The only module that
imports aiodns.
"""

import asyncio
import socket
import time
from collections.abc import Callable

import aiodns

LIFETIME = 600.0
"""Seconds for which an answer holds."""
GRACE = 120.0
"""Seconds for which it still holds for a connection: a request is longer under way than its address was asked for."""
FAILURE_LIFETIME = 60.0
"""Seconds for which a failure holds, and an old answer where the name server fails (RFC 8767)."""
_TIMEOUT = 5.0  # of one question in all
_FIRST_TRY, _TRIES = 1.0, 4  # seconds, the next twice as long; c-ares waits less where answers come fast
_MOST_KEPT = 100_000
_NO_SUCH_NAME = frozenset({aiodns.error.ARES_ENOTFOUND, aiodns.error.ARES_ENODATA, aiodns.error.ARES_EBADNAME})


class Names:
    """Addresses by name, the best first."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: dict[str, tuple[float, tuple[str, ...], str]] = {}  # until when, addresses, else what is wrong
        self._resolver: aiodns.DNSResolver | None = None

    async def addresses(self, name: str, grace: float = 0.0) -> tuple[str, ...]:
        """All addresses of a name; an answer may be `grace` seconds too old. Raises socket.gaierror."""
        until, addresses, failure = self._kept.get(name, (0.0, (), ""))
        if self._clock() >= until + (grace if addresses else 0.0):
            addresses, failure = await self._asked(name, addresses)
        if failure:
            raise socket.gaierror(socket.EAI_NONAME, f"{name}: {failure}")
        return addresses

    async def close(self) -> None:
        if self._resolver is not None:
            await self._resolver.close()
            self._resolver = None

    async def _asked(self, name: str, old: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
        """The name server's answer, or else what is wrong. `old`: what it said last time."""
        failure, lifetime = "", LIFETIME
        try:
            addresses = await self.look_up(name)
        except aiodns.error.DNSError as error:
            addresses = () if error.args[0] in _NO_SUCH_NAME else old
            failure = str(error.args[-1])
        except TimeoutError:
            addresses, failure = old, "the name server is silent"
        except UnicodeError as error:  # no name that could be encoded for the DNS
            addresses, failure = (), str(error)
        if not addresses:
            failure = failure or "no address"
        if failure:
            lifetime = FAILURE_LIFETIME
        if addresses:
            failure = ""
        self._kept.pop(name, None)
        while len(self._kept) >= _MOST_KEPT:
            del self._kept[next(iter(self._kept))]  # the one asked for longest ago
        self._kept[name] = self._clock() + lifetime, addresses, failure
        return addresses, failure

    async def look_up(self, name: str) -> tuple[str, ...]:
        """Ask the name server. Raises DNSError, TimeoutError, UnicodeError."""
        if self._resolver is None:
            self._resolver = aiodns.DNSResolver(timeout=_FIRST_TRY, tries=_TRIES)
        async with asyncio.timeout(_TIMEOUT):
            found = await self._resolver.getaddrinfo(name, family=socket.AF_UNSPEC, type=socket.SOCK_STREAM)
        return tuple(dict.fromkeys(_text(node.addr[0]) for node in found.nodes))


def _text(address: bytes | str) -> str:
    return address.decode() if isinstance(address, bytes) else address
