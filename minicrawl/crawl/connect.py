"""Which address a connection goes to: names resolved, --connect-to applied, private addresses refused.

The refusal looks at the very address that is connected to, so no DNS answer can slip past it.
"""

import ipaddress
import socket
from collections.abc import Sequence

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from minicrawl.settings import ConnectTo


class PrivateAddressError(OSError):
    """A connection into this machine's own network was refused."""


class Resolver(AbstractResolver):
    """Name resolution for the HTTP client. Raises OSError for names without address.

    proxy_host: the name of the user's own proxy, which may well be a private one.
    """

    def __init__(
        self, connect_to: Sequence[ConnectTo] = (), allow_private: bool = False, proxy_host: str | None = None
    ) -> None:
        self._proxy_host = proxy_host
        self._rules = connect_to
        self._exact = {(rule.host, rule.port): rule for rule in reversed(connect_to)}
        self._allow_private = allow_private
        self._names = ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        address, to_port = self.target(host, port)
        if is_literal(address):
            found = [_literal(host, address, to_port)]
        else:
            try:
                found = await self._names.resolve(address, to_port, family)
            except UnicodeError as error:  # no name that could be encoded for the DNS
                raise socket.gaierror(socket.EAI_NONAME, f"{address}: {error}") from error
            for result in found:
                result["hostname"] = host  # the name on the certificate is the one that was asked for
        if host != self._proxy_host:
            for result in found:
                self.check(result["host"])
        return found

    def target(self, host: str, port: int) -> tuple[str, int]:
        """Address (or name) and port that a request for `host:port` goes to."""
        rule = self._exact.get((host.lower(), port)) or next(
            (rule for rule in self._rules if rule.host in (None, host.lower()) and rule.port in (None, port)),
            None,
        )
        if rule is None:
            return host, port
        return rule.address or host, rule.to_port or port

    def check(self, address: str) -> None:
        """Raise PrivateAddressError unless connections to this IP address are allowed."""
        if not self._allow_private and not _is_public(ipaddress.ip_address(address.partition("%")[0])):
            raise PrivateAddressError(f"{address} is not a public address; --allow-private permits it")

    async def close(self) -> None:
        await self._names.close()


# Prefixes whose addresses carry an IPv4 address in their last 32 bits: compatible, mapped, NAT64 (RFC 4291, 6052).
_CARRIERS = tuple(ipaddress.IPv6Network(prefix) for prefix in ("::/96", "::ffff:0:0/96", "64:ff9b::/96"))


def _is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether an address is one of the public internet, also when it carries another one."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.sixtofour is not None:
            return _is_public(address.sixtofour)
        if any(address in carrier for carrier in _CARRIERS):
            return _is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        if address.is_site_local:
            return False
    return address.is_global and not address.is_multicast


def is_literal(host: str) -> bool:
    """Whether a host is an IP address, not a name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _literal(host: str, address: str, port: int) -> ResolveResult:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=socket.AI_NUMERICHOST)
