"""Through which proxies requests for an origin go: of --proxy, or else of the environment.

    --proxy URL            for every origin but those of NO_PROXY
    --proxy PATTERN=URL    for origins that match; the first pattern that does decides; "none": directly
    no --proxy             https_proxy, http_proxy, all_proxy, but not for NO_PROXY, this machine, or what --connect-to
                           takes elsewhere

Several proxies of one pattern share its hosts: each host has one of them, and the next ones when that cannot be used.
"""

import base64
import ipaddress
import os
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import unquote_to_bytes, urlsplit

from minicrawl import log
from minicrawl.crawler.http.wire.connection import Endpoint, Proxy
from minicrawl.crawler.net.addresses import PORTS, endpoint, is_literal
from minicrawl.errors import SettingError
from minicrawl.settings import CrawlSettings, ProxyRule, shown_proxy

_PORTS = {**PORTS, "socks5": 1080, "socks5h": 1080}


def proxies_of_environment() -> dict[str, str]:
    """As urllib.request.getproxies_environment() has them, by scheme."""
    if not any(name.lower().endswith("_proxy") for name in os.environ):
        return {}
    from urllib.request import getproxies_environment  # noqa: PLC0415 - it loads an HTTP client, which takes long

    return getproxies_environment()


class Proxies:
    """Says through which proxies an origin is asked, those first that are not known to be unusable.

    is_own: whether an origin is asked directly where the environment alone names a proxy, as --connect-to says.
    """

    def __init__(
        self,
        rules: Sequence[ProxyRule],
        environment: Mapping[str, str],
        is_own: Callable[[str], bool] = lambda origin: False,
    ) -> None:
        """environment: as `proxies_of_environment` has it. Raises SettingError."""
        self._rules = [(rule.pattern, proxy_of(rule.url) if rule.url else None) for rule in rules]
        named = {scheme: environment[scheme] for scheme in (*PORTS, "all") if environment.get(scheme)}
        self._of_environment = {} if rules else {scheme: proxy_of(url) for scheme, url in named.items()}
        self._not_for = [word.strip().lower() for word in environment.get("no", "").split(",") if word.strip()]
        self._is_own = is_own
        self._unusable: dict[Proxy, float] = {}
        self.of = lru_cache(maxsize=1000)(self._of)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._of_environment) or any(proxy is not None for _, proxy in self._rules)

    def in_turn(self, origin: str) -> list[Proxy]:
        """The proxies of an origin, those that could be used the last time first; none: it is asked directly."""
        return sorted(self.of(origin), key=lambda proxy: self._unusable.get(proxy, 0.0))

    def failed(self, proxy: Proxy, why: str, now: float) -> None:
        """A proxy could not be used."""
        if proxy not in self._unusable:
            log.proxy_failed(proxy=str(proxy), why=why)
        self._unusable[proxy] = now

    def works(self, proxy: Proxy) -> None:
        if self._unusable.pop(proxy, None) is not None:
            log.proxy_works(proxy=str(proxy))

    def _of(self, origin: str) -> tuple[Proxy, ...]:
        host, port = endpoint(f"{origin}/")
        for pattern, first in self._rules:
            if _matches(pattern, origin):
                if first is None or (pattern is None and self._is_exempt(host, port)):
                    return ()
                found = [proxy for other, proxy in self._rules if other == pattern and proxy is not None]
                return tuple(sorted(found, key=lambda proxy: blake2b(f"{proxy} {host}".encode()).digest()))
        proxy = self._of_environment.get(origin.partition(":")[0]) or self._of_environment.get("all")
        if proxy is None or self._is_exempt(host, port) or _is_this_machine(host) or self._is_own(f"{origin}/"):
            return ()
        return (proxy,)

    def _is_exempt(self, host: str, port: int) -> bool:
        """Whether NO_PROXY names a host: by its name, a domain that it is in, or a network, or by * for all."""
        return any(_exempts(word, host, port) for word in self._not_for)


def environment_proxies(settings: CrawlSettings) -> list[str]:
    """The proxies that hold because the environment names them and the settings none, as they may be shown."""
    if settings.proxy:
        return []
    named = proxies_of_environment()
    return [
        str(shown_proxy(url)) for url in dict.fromkeys(named[scheme] for scheme in (*PORTS, "all") if named.get(scheme))
    ]


def _exempts(word: str, host: str, port: int) -> bool:
    if word == "*":
        return True
    if is_literal(host):
        try:
            return ipaddress.ip_address(host) in ipaddress.ip_network(word.strip("[]"), strict=False)
        except ValueError:
            return word in (f"{host}:{port}", f"[{host}]:{port}")
    name, _, at = word.partition(":")
    name = name.removeprefix("*").strip(".")
    return at in ("", str(port)) and bool(name) and (host == name or host.endswith(f".{name}"))


def _is_this_machine(host: str) -> bool:
    return ipaddress.ip_address(host).is_loopback if is_literal(host) else host.rpartition(".")[2] == "localhost"


def _matches(pattern: str | None, origin: str) -> bool:
    """Whether an origin has a host as the pattern says, and its scheme and port where it names them."""
    if pattern is None:
        return True
    scheme, _, rest = pattern.rpartition("://")
    host, port = endpoint(f"{origin}/")
    name, colon, at = rest.rpartition(":") if not rest.endswith("]") else (rest, "", "")
    name = (name if colon else rest).strip("[]")
    return scheme in ("", origin.partition(":")[0]) and (not colon or at == str(port)) and fnmatchcase(host, name)


def proxy_of(url: str) -> Proxy:
    """The proxy at a URL, which may hold a name and a password. Raises SettingError."""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        port = parts.port
    except ValueError as error:
        raise SettingError(f"{shown_proxy(url)!r} is no URL of a proxy: {error}") from error
    if parts.scheme not in _PORTS or not parts.hostname:
        raise SettingError(f"{shown_proxy(url)!r} is no URL of a proxy: http://host:port, or https, socks5, socks5h")
    login = None
    if parts.username is not None:
        login = unquote_to_bytes(parts.username), unquote_to_bytes(parts.password or "")
    authorization = b"Basic " + base64.b64encode(b"%b:%b" % login) if login else None
    to = Endpoint(parts.scheme == "https", parts.hostname, port or _PORTS[parts.scheme])
    return Proxy(parts.scheme, to, authorization, login)
