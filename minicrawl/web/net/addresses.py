"""The address that a connection goes to: apply --connect-to, resolve names, refuse private addresses.

The check is on the very address that is connected to, so no DNS answer can bypass it. Names are looked up without
blocking by c-ares, which reads /etc/hosts and /etc/resolv.conf like the system's resolver, and cached. The only module
that imports aiodns.
"""

import asyncio
import errno
import ipaddress
import os
import socket
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from minicrawl.errors import SettingError
from minicrawl.system import is_out_of_files
from minicrawl.timing import STANDARD, Timing
from minicrawl.web.net.routes import ConnectTo
from minicrawl.web.urls.keys import authority, hostname
from minicrawl.web.urls.normalise import normalise

if TYPE_CHECKING:
    from aiodns import DNSResolver


GRACE = 120.0
"""Seconds for which an expired answer may be used for a connection, because its host was located before the request."""
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
        """All addresses of a name, from an answer expired for at most `grace` seconds. Raises NameServerError,
        socket.gaierror for a name without address, other OSErrors for trouble of this machine."""
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
        """Look up a name and cache the result: addresses, or an error. old: its last addresses, which do where the name
        server fails. Raises OSError for trouble of this machine."""
        from aiodns import error as dns  # noqa: PLC0415 - slow to import, and --connect-to may name all addresses

        addresses: tuple[str, ...] = ()
        failure: socket.gaierror | None = None
        try:
            addresses = await self.look_up(name)
            if not addresses:
                failure = socket.gaierror(socket.EAI_NONAME, f"{name}: no address")
        except dns.DNSError as error:
            if error.args[0] in (dns.ARES_ENOTFOUND, dns.ARES_ENODATA, dns.ARES_EBADNAME):
                failure = socket.gaierror(socket.EAI_NONAME, f"{name}: {error.args[-1]}")
            elif is_out_of_files(1):  # which c-ares reports as another failure
                raise OSError(errno.EMFILE, f"{name}: too many files are open to look it up") from error
            else:
                failure = NameServerError(socket.EAI_AGAIN, f"{name}: {error.args[-1]}")
        except TimeoutError:
            failure = NameServerError(socket.EAI_AGAIN, f"{name}: the name server does not answer")
        except UnicodeError as error:  # the name cannot be encoded for the DNS
            failure = socket.gaierror(socket.EAI_NONAME, f"{name}: {error}")
        lifetime = self._timing.name if failure is None else self._timing.no_name
        if isinstance(failure, NameServerError):
            addresses, failure = (old, None) if old else ((), failure)
            lifetime = self._timing.no_name if old else self._timing.no_name_server
        self._kept.pop(name, None)
        while len(self._kept) >= self._most:
            del self._kept[next(iter(self._kept))]  # the oldest
        self._kept[name] = self._clock() + lifetime, addresses, failure
        return addresses, failure

    async def look_up(self, name: str) -> tuple[str, ...]:
        """Ask the name server. Raises DNSError, TimeoutError, UnicodeError."""
        if self._resolver is None:
            from aiodns import DNSResolver  # noqa: PLC0415

            self._resolver = DNSResolver(timeout=_FIRST_TRY, tries=_TRIES)
        async with asyncio.timeout(self._timing.look_up):
            found = await self._resolver.getaddrinfo(name, family=socket.AF_UNSPEC, type=socket.SOCK_STREAM)
        return tuple(dict.fromkeys(os.fsdecode(node.addr[0]) for node in found.nodes))


PORTS = {"http": 80, "https": 443}
"""By scheme."""


class PrivateAddressError(OSError):
    """A connection to a private address was refused."""


class Routes:
    """The rules of --connect-to."""

    def __init__(self, connect_to: Sequence[ConnectTo]) -> None:
        rules = [replace(rule, host=_ascii(rule.host), address=_ascii(rule.address) or "") for rule in connect_to]
        # The first rule for each host and port (None: any), with its position.
        self._rules = {(rule.host, rule.port): (place, rule) for place, rule in reversed(list(enumerate(rules)))}

    def target(self, host: str, port: int) -> tuple[str, int]:
        """Address (or name) and port that a request for `host:port` goes to."""
        rule = self._rule(host, port)
        if rule is None:
            return host, port
        return rule.address or host, rule.to_port or port

    def _rule(self, host: str, port: int) -> ConnectTo | None:
        """The rule with both host and port, else the first that matches."""
        host = host.lower()
        if (host, port) in self._rules:
            return self._rules[host, port][1]
        found = [self._rules[key] for key in ((host, None), (None, port), (None, None)) if key in self._rules]
        return min(found)[1] if found else None

    def has(self, url: str) -> bool:
        """True if there is a rule for a normalised URL."""
        return self._rule(*endpoint(url)) is not None

    def is_gateway(self, url: str) -> bool:
        """True if a rule for all hosts applies to a normalised URL, as with a proxy."""
        rule = self._rule(*endpoint(url))
        return rule is not None and rule.host is None and rule.address != ""

    def address(self, url: str) -> str | None:
        """The IP address for a normalised URL, if it is known without a name server."""
        address, _ = self.target(*endpoint(url))
        return address if is_literal(address) else None


def _ascii(name: str | None) -> str | None:
    """A host name as in normalised URLs: xn--bcher-kva.test for bücher.test."""
    if not name or name.isascii():
        return name
    url = normalise(f"http://{name}/")
    if url is None:
        raise SettingError(f"--connect-to: {name!r} is not a host name")
    return hostname(url)


class Resolver:
    """Name resolution for the HTTP client. Raises OSError for names without address."""

    def __init__(
        self, connect_to: Sequence[ConnectTo] = (), allow_private: bool = False, timing: Timing = STANDARD
    ) -> None:
        self._allow_private = allow_private
        self._dns = DnsCache(timing)
        routes = Routes(connect_to)
        self.target, self.is_taken_elsewhere = routes.target, routes.has

    async def address(self, url: str) -> str:
        """The IP address for a normalised URL; of several, the one that is tried first."""
        return (await self.resolve(*endpoint(url), grace=0.0))[0][0]

    async def resolve(
        self, host: str, port: int, *, is_proxy: bool = False, grace: float = GRACE
    ) -> list[tuple[str, int]]:
        """The IP addresses and ports for a connection to `host:port`, the best first. is_proxy: the host is the user's
        proxy, which may be private and is not redirected. grace: see `DnsCache.addresses`."""
        address, to_port = (host, port) if is_proxy else self.target(host, port)
        found = (address,) if is_literal(address) else await self._dns.addresses(address, grace)
        if not is_proxy:
            for one in found:
                self.check(one)
        return [(one, to_port) for one in found]

    def check_host(self, host: str) -> None:
        """`check` for a host that a proxy resolves: of names, only those of this machine are refused (RFC 6761 6.3)."""
        if is_literal(host):
            self.check(host)
        elif not self._allow_private and host.lower().rstrip(".").rpartition(".")[2] == "localhost":
            raise PrivateAddressError(f"{host} is not a public host; --allow-private permits it")

    def check(self, address: str) -> None:
        """Raise PrivateAddressError unless connections to this IP address are allowed."""
        if not self._allow_private and not _is_public(ipaddress.ip_address(address.partition("%")[0])):
            raise PrivateAddressError(f"{address} is not a public address; --allow-private permits it")

    async def close(self) -> None:
        await self._dns.close()


def endpoint(url: str) -> tuple[str, int]:
    """Host, without brackets, and port of a normalised URL."""
    name = authority(url)
    host, divider, port = name.rpartition(":")
    if not divider or name.endswith("]"):
        host, port = name, ""
    return host.strip("[]"), int(port) if port else PORTS[url.partition(":")[0]]


# Prefixes whose addresses carry an IPv4 address in their last 32 bits: compatible, mapped, NAT64 (RFC 4291, 6052).
_CARRIERS = tuple(
    ipaddress.IPv6Network(prefix) for prefix in ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96")
)
# Not public, even if this version of ipaddress says so: local NAT64 (RFC 8215), documentation (RFC 9637,
# 3849, 5737), segment routing (RFC 9602), discard-only and dummy (RFC 6666, 9780), ORCHID and benchmarks (RFC 7343,
# 5180, 2544), IETF protocol assignments (RFC 6890), deprecated 6to4 relays (RFC 7526), site-local and Teredo, which
# tunnels to the address it carries (RFC 3879, 4380).
_NOT_PUBLIC = tuple(
    ipaddress.ip_network(prefix)
    for prefix in (
        *("64:ff9b:1::/48", "3fff::/20", "2001:db8::/32", "5f00::/16", "100::/64", "100:0:0:1::/64"),
        *("2001::/23", "fec0::/10"),
        *("192.0.0.0/24", "192.88.99.0/24", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "198.18.0.0/15"),
    )
)


def _is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """True if an address, and any IPv4 address inside it, is on the public internet."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.sixtofour is not None:
            return _is_public(address.sixtofour)
        if any(address in carrier for carrier in _CARRIERS):
            return _is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    if any(address in network for network in _NOT_PUBLIC):
        return False
    return address.is_global and not address.is_multicast


def is_literal(host: str) -> bool:
    """True if a host is an IP address, not a name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


# Ports of other protocols, which browsers do not ask (WHATWG Fetch, 2.9, port blocking).
_BAD_PORTS = {
    *(1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109),
    *(110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530),
    *(531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190),
    *(5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080),
}


def has_bad_port(authority: str) -> bool:
    """True if the port of a host[:port] is one of another protocol, such as 25 for mail."""
    _, colon, port = authority.rpartition(":")
    return bool(colon) and port.isdigit() and int(port) in _BAD_PORTS
