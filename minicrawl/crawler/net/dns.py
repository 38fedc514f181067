"""The IP addresses of a name, looked up without blocking and cached.

Uses c-ares, which reads /etc/hosts and /etc/resolv.conf like the system's resolver. The only module that imports
aiodns.
"""

import asyncio
import errno
import socket
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from minicrawl.crawler.net.open_files import is_full
from minicrawl.timing import STANDARD, Timing

if TYPE_CHECKING:
    from aiodns import DNSResolver

GRACE = 120.0
"""Seconds for which an expired answer may be used for a connection, as its host was located before the request."""
_FIRST_TRY, _TRIES = 1.0, 4  # seconds, doubled at each try; c-ares waits less where answers come fast


class NameServerError(socket.gaierror):
    """The name server failed, perhaps temporarily; the name may exist."""


class DnsCache:
    """Looks up the addresses of names, the best first, and remembers them."""

    def __init__(
        self, timing: Timing = STANDARD, clock: Callable[[], float] = time.monotonic, most: int = 100_000
    ) -> None:
        """most: cached answers."""
        self._timing = timing
        self._clock = clock
        self._most = most
        self._kept: dict[str, tuple[float, tuple[str, ...], socket.gaierror | None]] = {}  # until when, or why not
        self._resolver: DNSResolver | None = None

    async def addresses(self, name: str, grace: float = 0.0) -> tuple[str, ...]:
        """All addresses of a name, from an answer expired for at most `grace` seconds.

        Raises NameServerError, socket.gaierror for a name without address, other OSErrors for trouble of this machine.
        """
        until, addresses, failure = self._kept.get(name, (0.0, (), None))
        if self._clock() >= until + (grace if addresses else 0.0):
            addresses, failure = await self._asked(name, addresses)
        if failure is not None:
            raise type(failure)(*failure.args)
        return addresses

    async def close(self) -> None:
        if self._resolver is not None:
            await self._resolver.close()
            self._resolver = None

    async def _asked(self, name: str, old: tuple[str, ...]) -> tuple[tuple[str, ...], socket.gaierror | None]:
        """Look up a name and cache the result: addresses, or an error. old: its last addresses."""
        failure: socket.gaierror | None = None
        try:
            addresses, lifetime = await self._found(name), self._timing.name
        except socket.gaierror as error:
            passes = isinstance(error, NameServerError)
            addresses = old if passes else ()
            failure = None if addresses else type(error)(*error.args)  # without the frames of a raised one
            is_unanswered = passes and failure is not None
            lifetime = self._timing.no_name_server if is_unanswered else self._timing.no_name
        self._kept.pop(name, None)
        while len(self._kept) >= self._most:
            del self._kept[next(iter(self._kept))]  # the oldest
        self._kept[name] = self._clock() + lifetime, addresses, failure
        return addresses, failure

    async def _found(self, name: str) -> tuple[str, ...]:
        """`look_up`, with errors as in `addresses`."""
        from aiodns import error as dns  # noqa: PLC0415 - slow to import, and --connect-to may name all addresses

        try:
            addresses = await self.look_up(name)
        except dns.DNSError as error:
            if error.args[0] in (dns.ARES_ENOTFOUND, dns.ARES_ENODATA, dns.ARES_EBADNAME):
                raise socket.gaierror(socket.EAI_NONAME, f"{name}: {error.args[-1]}") from error
            if is_full():
                raise OSError(errno.EMFILE, f"{name}: too many files are open to ask for it") from error
            raise NameServerError(socket.EAI_AGAIN, f"{name}: {error.args[-1]}") from error
        except TimeoutError as error:
            raise NameServerError(socket.EAI_AGAIN, f"{name}: the name server is silent") from error
        except UnicodeError as error:  # the name cannot be encoded for the DNS
            raise socket.gaierror(socket.EAI_NONAME, f"{name}: {error}") from error
        if not addresses:
            raise socket.gaierror(socket.EAI_NONAME, f"{name}: no address")
        return addresses

    async def look_up(self, name: str) -> tuple[str, ...]:
        """Ask the name server. Raises DNSError, TimeoutError, UnicodeError."""
        if self._resolver is None:
            from aiodns import DNSResolver  # noqa: PLC0415

            self._resolver = DNSResolver(timeout=_FIRST_TRY, tries=_TRIES)
        async with asyncio.timeout(self._timing.look_up):
            found = await self._resolver.getaddrinfo(name, family=socket.AF_UNSPEC, type=socket.SOCK_STREAM)
        return tuple(dict.fromkeys(_text(node.addr[0]) for node in found.nodes))


def _text(address: bytes | str) -> str:
    return address.decode() if isinstance(address, bytes) else address
